# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of worlds, off screen."""

from typing import TYPE_CHECKING

import numpy as np

from ..gpu_backend.views import View
from ..voxel.errors import VoxelwrightError
from ..voxel.jobs import Job
from ..voxel.limits import MAX_PICTURE_EDGE
from ..voxel.world import World
from . import worlds

if TYPE_CHECKING:
    from ..gpu_backend.renderer import Figures


class Picture:
    """A picture to be drawn of a world, seen from azimuth and elevation in degrees; show is the name of a View, and
    detail, shadows, occlusion and sun_size are those of a Look.

    Once it is drawn, figures has what drawing took, and reduced why the graphics driver could not do all, if so.
    """

    figures: "Figures"
    reduced: str | None

    def __init__(
        self,
        size: tuple[int, int],
        view: tuple[float, float],
        show: str = "lit",
        detail: float = 0.0,
        *,
        shadows: float = 1.0,
        occlusion: float = 1.0,
        sun_size: float = 0.0,
    ) -> None:
        from ..gpu_backend.renderer import Look, check_picture_size

        check_picture_size(*size)
        if not 0 <= detail <= MAX_PICTURE_EDGE:
            raise VoxelwrightError(
                f"The detail of a picture is 0 to {MAX_PICTURE_EDGE} pixels; {detail:g} was asked for."
            )
        self._size, self._view = size, view
        kind = View[show.upper()]
        self._look = Look(kind, detail=detail, shadows=shadows, occlusion=occlusion, sun_size=sun_size)

    def drawing(self, world: World) -> Job[bytes]:
        """The PNG file. Raises VoxelwrightError for a world without voxels."""
        worlds.check_voxels(world)
        from ..gpu_backend.camera import orbit_camera
        from ..gpu_backend.context import create_context
        from ..gpu_backend.legend import with_legend
        from ..gpu_backend.tiers import create_renderer
        from ..voxel.formats.png import write_png

        low, high = world.bounds() or ((0, 0, 0), (0, 0, 0))
        camera = orbit_camera(low, np.array(high) + 1, *self._view, self._size[0] / self._size[1])
        ctx = create_context()
        try:
            renderer, self.reduced = create_renderer(ctx)
            yield from worlds.prepare_drawing(world, meshes_blocks=self.reduced is not None)
            with renderer:
                pixels = yield from renderer.rendering(world, camera, *self._size, self._look)
                self.figures = renderer.settled_figures()
        finally:
            ctx.release()
        return write_png(with_legend(pixels, self._look.view)[:, :, :3])
