# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps the light of sun and sky away from surfaces: rays through the occupancy of the world."""

import moderngl

from ..owned import Owned
from ..target import FrameTarget, ImageBinding
from ..timers import FrameTimers
from .pixels import PixelPass


class RaysPass:
    """Fills a target's occlusion where its visibility shows anything of the world that is bound."""

    def __init__(self, ctx: moderngl.Context) -> None:
        with Owned() as owned:
            self._rays = owned.add(PixelPass(ctx, "light/rays.comp"))
            self._blur = owned.add(PixelPass(ctx, "light/blur.comp"))
            self._owned = owned.pop_all()

    def run(self, target: FrameTarget, timers: FrameTimers, *, to_sun: bool, to_sky: bool, radius: float) -> None:
        """One ray to the sun, and rays of radius voxels about the sky, whose share is blurred along both axes. What is
        not asked for is 0."""
        seen = {
            "visibility_target": target.visibility,
            "distances": target.distances,
            "surfaces": target.surfaces,
        }
        with timers.stage("rays"):
            _write_to(target.occlusion)
            self._rays.run(target.size, seen, to_sun=to_sun, to_sky=to_sky, radius=radius)
        if to_sky:
            with timers.stage("blur"):
                _write_to(target.half_blurred)
                self._blur.run(target.size, {**seen, "occlusion": target.occlusion}, upwards=False)
                _write_to(target.occlusion)
                self._blur.run(target.size, {**seen, "occlusion": target.half_blurred}, upwards=True)

    def release(self) -> None:
        """Free the programs."""
        self._owned.close()


def _write_to(texture: moderngl.Texture) -> None:
    texture.bind_to_image(ImageBinding.OCCLUSION, read=False, write=True)
