# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps the light of sun and sky away from surfaces: rays through the occupancy of the world."""

import math

import moderngl

from ..owned import Owned
from ..target import FrameTarget, ImageBinding
from ..timers import FrameTimers
from .pixels import PixelPass

_FAR = 1e30
"""Voxels; shaders know no infinity."""


class RaysPass:
    """Fills a target's occlusion where its visibility shows anything of the world that is bound."""

    def __init__(self, ctx: moderngl.Context) -> None:
        with Owned() as owned:
            self._rays = [owned.add(PixelPass(ctx, "light/rays.comp", {"SURFACES": n})) for n in (0, 1)]
            self._blur = owned.add(PixelPass(ctx, "light/blur.comp"))
            self._owned = owned.pop_all()

    def run(
        self,
        target: FrameTarget,
        timers: FrameTimers,
        *,
        has_surfaces: bool,
        to_sun: bool,
        to_sky: bool,
        radius: float,
        sun_size: float,
        shadow_distance: float,
        half: bool,
    ) -> None:
        """One ray to the sun, and rays of radius voxels about the sky, from one of four pixels where they are half as
        many along each axis. What is not asked for is 0. The light of the sky and that of a sun whose size, in degrees,
        is above 0 are blurred along both axes. has_surfaces says whether any voxel of the world is smooth."""
        seen = {
            "visibility_target": target.visibility,
            "distances": target.distances,
            "surfaces": target.surfaces,
        }
        sun = {"sun_radius": math.tan(math.radians(sun_size) / 2), "shadow_distance": min(shadow_distance, _FAR)}
        stride = 2 if to_sky and half else 1
        rays = self._rays[has_surfaces]
        with timers.stage("rays"):
            _write_to(target.occlusion)
            rays.run(target.size, seen, to_sun=to_sun, to_sky=to_sky and not half, radius=radius, stride=1, **sun)
            if stride > 1:
                size = -(-target.size[0] // stride), -(-target.size[1] // stride)
                rays.run(size, seen, to_sun=False, to_sky=True, radius=radius, stride=stride, **sun)
        blurred = {"blurs_sun": to_sun and sun_size > 0, "blurs_sky": to_sky, "stride": stride}
        if blurred["blurs_sun"] or to_sky:
            with timers.stage("blur"):
                _write_to(target.half_blurred)
                self._blur.run(target.size, {**seen, "occlusion": target.occlusion}, upwards=False, **blurred)
                _write_to(target.occlusion)
                self._blur.run(target.size, {**seen, "occlusion": target.half_blurred}, upwards=True, **blurred)

    def release(self) -> None:
        """Free the programs."""
        self._owned.close()


def _write_to(texture: moderngl.Texture) -> None:
    # What rays of one kind write keeps what those of the other kind wrote.
    texture.bind_to_image(ImageBinding.OCCLUSION, read=True, write=True)
