# SPDX-License-Identifier: GPL-3.0-or-later
"""Packed pictures, and their way into a framebuffer of somebody else's in the same context."""

import moderngl

from ..packed_picture import PackedPicture
from .picture import PicturePass


class PresentPass:
    """Draws a packed picture, colour and depth, over the framebuffer in use, where it lies before what is there.

    What is opaque leaves its depth. The layer is blended over what is there then and leaves none: what is drawn later
    between it and the ground would else be hidden by what one sees through.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._pass = PicturePass(ctx, "viewport/present.frag", "viewport/present.vert")

    def run(self, picture: PackedPicture) -> None:
        """Draw it over the whole viewport, by its nearest pixels where it is smaller or larger."""
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<="
        self._ctx.fbo.depth_mask = True
        self._pass.run({"packed_picture": picture.opaque.texels})
        if picture.layer is not None:
            self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.BLEND)
            self._ctx.blend_func = moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA
            self._ctx.fbo.depth_mask = False
            self._pass.run({"packed_picture": picture.layer.texels})
            self._ctx.fbo.depth_mask = True

    def release(self) -> None:
        """Free the pass's objects."""
        self._pass.release()
