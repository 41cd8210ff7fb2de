# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps the light of sun and sky away, without rays: shadow maps, and what the picture itself shows.

It runs in fragment shaders of OpenGL 4.1, which both renderers have.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import moderngl
import numpy as np

from ..cascades import MAP_EDGE, MAX_CASCADES, Cascade, MapPlace, fit_cascades, texels_from_eye
from ..context import check_errors
from ..frame import frame_record
from ..owned import Owned
from ..records import FRAME, UniformBinding
from ..target import LightTarget
from ..timers import FrameTimers
from .picture import PicturePass

if TYPE_CHECKING:
    from ..world_renderer import Pool, Shown

DrawCasters = Callable[[], None]
"""Draws what casts shadows into the framebuffer in use: of a world whose frame, as the sun sees it, is bound."""

_TILES = [(0, 0), (1, 0), (0, 1), (1, 1)]
_FAR = 1e30
"""Infinity, for shaders."""
_BLUR = {"blurs_sun": False, "blurs_sky": True, "stride": 1}
_RED, _GREEN = (True, False, False, False), (False, True, False, False)


class ShadowMaps:
    """The maps of one world: tiles of one texture of depths."""

    def __init__(self, ctx: moderngl.Context) -> None:
        edge = 2 * MAP_EDGE
        with Owned() as owned:
            self.depths = owned.add(ctx.depth_texture((edge, edge)))
            check_errors(ctx, "shadow maps")
            self.depths.filter = moderngl.NEAREST, moderngl.NEAREST
            self.depths.compare_func = ""
            self._framebuffer = owned.add(ctx.framebuffer(depth_attachment=self.depths))
            self._owned = owned.pop_all()
        self._drawn: list[tuple[MapPlace, int] | None] = [None] * MAX_CASCADES

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return 4 * self.depths.width * self.depths.height

    def stale(self, cascades: list[Cascade], n_changes: int) -> list[int]:
        """The maps that show something else than these cascades of a world after so many changes."""
        return [i for i, cascade in enumerate(cascades) if self._drawn[i] != (cascade.place, n_changes)]

    def begin(self, index: int, place: MapPlace, n_changes: int) -> None:
        """Use the framebuffer for one map, which is cleared."""
        x, y = _TILES[index]
        tile = x * MAP_EDGE, y * MAP_EDGE, MAP_EDGE, MAP_EDGE
        self._framebuffer.clear(depth=1.0, viewport=tile)
        self._framebuffer.viewport = tile
        self._framebuffer.use()
        self._drawn[index] = place, n_changes

    def release(self) -> None:
        """Free everything."""
        self._owned.close()


class MapsPass:
    """Fills a target's occlusion, as RaysPass does. Shadow maps are kept from frame to frame; each is drawn anew only
    where the world or the sun changed, or the camera went on."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._maps: dict[Pool, ShadowMaps] = {}
        self._owned = Owned()

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory that the shadow maps take."""
        return sum(maps.nbytes for maps in self._maps.values())

    def run(
        self,
        target: LightTarget,
        timers: FrameTimers,
        shown: "Shown",
        frame: moderngl.Buffer,
        draw_casters: DrawCasters,
    ) -> None:
        """Find what is kept away from what the target shows of a world; what its look does not ask for is 0. frame is
        the camera's, and stays bound."""
        look = shown.look
        target.kept_away.color_mask = (True,) * 4
        target.kept_away.clear()
        seen = {"visibility_target": target.visibility, "distances": target.distances, "surfaces": target.surfaces}
        if look.shows_shadows and shown.pool.box is not None:
            cascades = fit_cascades(shown.camera, look.sun_direction, *shown.pool.box, look.shadow_distance)
            maps = self._current_maps(timers, shown, cascades, draw_casters)
            frame.bind_to_uniform_block(UniformBinding.FRAME)
            with timers.stage("shadows"):
                self._begin(target.kept_away, _RED)
                _set_cascades(self._shadows.program, cascades, shown)
                self._shadows.run({**seen, "shadow_maps": maps.depths}, n_cascades=len(cascades))
        if look.shows_occlusion:
            with timers.stage("screen occlusion"):
                self._begin(target.kept_away, _GREEN)
                self._occlusion.run(seen, radius=look.occlusion_radius)
            with timers.stage("blur"):
                self._begin(target.half_kept_away, (True,) * 4)
                self._blur.run({**seen, "occlusion": target.occlusion}, upwards=False, **_BLUR)
                self._begin(target.kept_away, (True,) * 4)
                self._blur.run({**seen, "occlusion": target.half_blurred}, upwards=True, **_BLUR)

    def forget(self, pool: "Pool") -> None:
        """Free a world's shadow maps."""
        maps = self._maps.pop(pool, None)
        if maps is not None:
            maps.release()

    def release(self) -> None:
        """Free everything."""
        for pool in list(self._maps):
            self.forget(pool)
        self._owned.close()

    def _current_maps(
        self, timers: FrameTimers, shown: "Shown", cascades: list[Cascade], draw_casters: DrawCasters
    ) -> ShadowMaps:
        """The world's maps, those of the cascades drawn anew that show something else."""
        pool = shown.pool
        if pool not in self._maps:
            self._maps[pool] = ShadowMaps(self._ctx)
        maps = self._maps[pool]
        stale = maps.stale(cascades, pool.n_changes)
        if not stale:
            return maps
        with timers.stage("shadow maps"):
            # What lies between a map and the sun is moved onto its near plane.
            self._ctx.depth_clamp_range = 0.0, 1.0
            try:
                for index in stale:
                    self._draw_map(maps, index, cascades[index].place, pool.n_changes, draw_casters)
            finally:
                self._ctx.depth_clamp_range = None
        return maps

    def _draw_map(
        self, maps: ShadowMaps, index: int, place: MapPlace, n_changes: int, draw_casters: DrawCasters
    ) -> None:
        maps.begin(index, place, n_changes)
        self._frame.write(frame_record(place.camera, MAP_EDGE, MAP_EDGE, place.sun).tobytes())
        self._frame.bind_to_uniform_block(UniformBinding.FRAME)
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<"
        self._ctx.front_face, self._ctx.cull_face = "ccw", "front"
        draw_casters()

    def _begin(self, framebuffer: moderngl.Framebuffer, mask: tuple[bool, bool, bool, bool]) -> None:
        framebuffer.color_mask = mask
        framebuffer.use()
        self._ctx.enable_only(moderngl.NOTHING)

    # Made when they are first asked for: most renderers send rays.

    @cached_property
    def _frame(self) -> moderngl.Buffer:
        buffer: moderngl.Buffer = self._owned.add(self._ctx.buffer(reserve=FRAME.itemsize, dynamic=True))
        return buffer

    @cached_property
    def _shadows(self) -> PicturePass:
        return self._made("light/shadows.frag")

    @cached_property
    def _occlusion(self) -> PicturePass:
        return self._made("light/screen_occlusion.frag")

    @cached_property
    def _blur(self) -> PicturePass:
        return self._made("light/blur.frag")

    def _made(self, file: str) -> PicturePass:
        made: PicturePass = self._owned.add(PicturePass(self._ctx, file))
        return made


def _set_cascades(program: moderngl.Program, cascades: list[Cascade], shown: "Shown") -> None:
    matrices = np.zeros((MAX_CASCADES, 4, 4), np.float32)
    scales, ends = np.zeros((2, MAX_CASCADES, 2), np.float32)
    for i, cascade in enumerate(cascades):
        half = cascade.place.half
        matrices[i] = texels_from_eye(cascade.place, _TILES[i], shown.camera).T
        scales[i] = 2 * half / MAP_EDGE, 2 * half
        ends[i] = min(cascade.begins_to_end, _FAR / 2), min(cascade.end, _FAR)
    for name, values in (("map_from_eye", matrices), ("map_scales", scales), ("cascade_ends", ends)):
        uniform = program[name]
        assert isinstance(uniform, moderngl.Uniform)
        uniform.write(values.tobytes())
