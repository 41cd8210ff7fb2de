# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures that are seen from near and afar."""

import moderngl

from .context import capabilities

_MAX_ANISOTROPY = 8.0


def build_levels(ctx: moderngl.Context, textures: moderngl.TextureArray) -> None:
    """Make the smaller levels of a texture array from its full one, and have it read smoothly from them."""
    textures.build_mipmaps()
    textures.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
    # llvmpipe forgets explicit gradients, which is all that compute shaders have, where a texture has anisotropy.
    if "llvmpipe" not in capabilities(ctx).renderer:
        textures.anisotropy = min(_MAX_ANISOTROPY, ctx.max_anisotropy)
