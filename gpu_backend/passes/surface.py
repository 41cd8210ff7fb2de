# SPDX-License-Identifier: GPL-3.0-or-later
"""The state in which the blocky and the smooth pass draw."""

import moderngl


def set_surface_state(ctx: moderngl.Context, program: moderngl.Program, *, transparent: bool) -> None:
    """Opaque materials write depth; transparent ones are blended over what is there and do not.

    Colours are premultiplied by their opacity. Transparent quads are drawn in the order in which they lie.
    """
    ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE | (moderngl.BLEND if transparent else 0))
    ctx.front_face = "ccw"
    ctx.cull_face = "back"
    ctx.depth_func = "<"
    ctx.blend_func = moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA
    ctx.fbo.depth_mask = not transparent
    program["draw_transparent"] = transparent
