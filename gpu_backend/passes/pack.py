# SPDX-License-Identifier: GPL-3.0-or-later
"""From frames to pictures for viewports."""

import moderngl

from ..owned import Owned
from ..packed_picture import PackedImage, PackedPicture
from ..target import LightTarget
from ..views import View
from .picture import PicturePass

_ALL, _COLOR_ONLY = (True,) * 4, (True, False, False, False)


class PackPass:
    """Adds a frame to a picture's sums, and packs their averages with the depths of the first frame."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        with Owned() as owned:
            self._add = owned.add(PicturePass(ctx, "compose/add_opaque.frag"))
            self._add_layer = owned.add(PicturePass(ctx, "compose/add_layer.frag"))
            self._pack = owned.add(PicturePass(ctx, "compose/pack_opaque.frag"))
            self._pack_layer = owned.add(PicturePass(ctx, "compose/pack_layer.frag"))
            self._owned = owned.pop_all()

    def run(self, target: LightTarget, picture: PackedPicture) -> None:
        """Add the frame in target as the picture's next sample. The framebuffer in use is another one after."""
        tone_mapped = target.view is View.LIT
        first = picture.n_samples == 0
        picture.n_samples += 1
        self._begin_sum(picture.opaque, first=first)
        self._add.run({"light": target.light}, tone_mapped=tone_mapped)
        self._begin_packed(picture.opaque, first=first)
        self._pack.run({"sum": picture.opaque.sum, "depths": target.depth})
        if picture.layer is None:
            return
        self._begin_sum(picture.layer, first=first)
        self._add_layer.run({"light": target.light, "layer": target.layer.light})
        self._begin_packed(picture.layer, first=first)
        textures = {"sum": picture.layer.sum, "opaque_sum": picture.opaque.sum, "depths": target.layer.depth}
        self._pack_layer.run(textures, n_samples=picture.n_samples)

    def _begin_sum(self, image: PackedImage, *, first: bool) -> None:
        image.summed.use()
        self._ctx.enable_only(moderngl.NOTHING if first else moderngl.BLEND)
        self._ctx.blend_func = moderngl.ONE, moderngl.ONE

    def _begin_packed(self, image: PackedImage, *, first: bool) -> None:
        image.packed.color_mask = _ALL if first else _COLOR_ONLY
        image.packed.use()
        self._ctx.enable_only(moderngl.NOTHING)

    def release(self) -> None:
        """Free the programs."""
        self._owned.close()
