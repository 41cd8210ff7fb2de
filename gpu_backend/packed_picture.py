# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures for viewports: colour, opacity and depth in textures that can be carried anywhere."""

import moderngl

from .context import check_errors
from .owned import Owned


class PackedImage:
    """texels (RG32F) hold what shaders/lib/packed_color.glsl makes of colour and opacity, and a depth, of 1 where
    nothing is seen. sum (RGBA32F) is that of the samples that went into it."""

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int]) -> None:
        with Owned() as owned:
            self.texels = owned.add(ctx.texture(size, 2, dtype="f4"))
            self.sum = owned.add(ctx.texture(size, 4, dtype="f4"))
            check_errors(ctx, f"a picture of {size[0]} × {size[1]} pixels")
            for texture in (self.texels, self.sum):
                texture.filter = moderngl.NEAREST, moderngl.NEAREST
            self.packed = owned.add(ctx.framebuffer([self.texels]))
            self.summed = owned.add(ctx.framebuffer([self.sum]))
            self._owned = owned.pop_all()

    def release(self) -> None:
        """Free everything."""
        self._owned.close()


class PackedPicture:
    """opaque is what is seen where nothing is in between; layer what one sees through, None where there is no such
    thing. n_samples is how many frames went into it."""

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int]) -> None:
        self._ctx, self.size = ctx, size
        self.opaque = PackedImage(ctx, size)
        self.layer: PackedImage | None = None
        self.n_samples = 0

    @property
    def images(self) -> tuple[PackedImage, ...]:
        """In the order in which they are presented."""
        return (self.opaque,) if self.layer is None else (self.opaque, self.layer)

    def begin(self, *, has_layer: bool) -> None:
        """Forget all samples. Raises VoxelwrightError where graphics memory is too small for the layer."""
        self.n_samples = 0
        if self.layer is not None and not has_layer:
            self.layer.release()
            self.layer = None
        elif self.layer is None and has_layer:
            self.layer = PackedImage(self._ctx, self.size)

    def release(self) -> None:
        """Free everything."""
        for image in self.images:
            image.release()
