# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps the light of sun and sky away, without rays: shadow maps, and what the picture itself shows."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..camera import Camera
from ..cascades import MAP_EDGE, MAX_CASCADES, Cascade, MapPlace, fit_cascades, texels_from_eye
from ..frame import frame_record
from ..owned import Owned
from ..records import FRAME, UniformBinding
from ..shadow_maps import ShadowMaps, WorldMaps
from ..target import ImageBinding, LightTarget
from ..timers import FrameTimers
from .picture import PicturePass
from .pixels import PixelPass

if TYPE_CHECKING:
    from ..world_renderer import Pool, Shown

DrawCasters = Callable[[], None]
"""Draws what casts shadows into the framebuffer in use: of a world whose frame, as the sun sees it, is bound."""

PassT = TypeVar("PassT", PixelPass, PicturePass)

_FAR = 1e30
"""Infinity, for shaders."""


class MapsPass(ABC, Generic[PassT]):
    """Fills a target's occlusion, as RaysPass does. Shadow maps are kept from frame to frame; each is drawn anew only
    where the world or the sun changed, or the camera went on. Programs are made when they are first needed."""

    def __init__(self, ctx: moderngl.Context, maps: WorldMaps) -> None:
        self._ctx, self._maps = ctx, maps
        self._owned = Owned()
        self._lights: dict[bool, PassT] = {}

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
        look, box = shown.look, shown.pool.box
        seen = {"visibility_target": target.visibility, "distances": target.distances, "surfaces": target.surfaces}
        textures = {**seen, "shadow_maps": target.depth}  # which are not read where none are wanted
        n_cascades = 0
        light = self._light(soft=look.sun_size > 0)
        if look.shows_shadows and box is not None:
            cascades = fit_cascades(shown.camera, look.sun_direction, *box, look.shadow_distance)
            textures["shadow_maps"] = self._current_maps(timers, shown.pool, cascades, draw_casters).depths
            frame.bind_to_uniform_block(UniformBinding.FRAME)
            for name, values in _cascade_uniforms(cascades, shown.camera).items():
                _array(light.program, name).write(values.tobytes())
            n_cascades = len(cascades)
        with timers.stage("light by maps"):
            asked = {"to_sun": n_cascades > 0, "to_sky": look.shows_occlusion, "radius": look.occlusion_radius}
            if look.sun_size > 0:
                asked["sun_radius"] = math.tan(math.radians(look.sun_size) / 2)
            self._fill(target.kept_away, light, textures, n_cascades=n_cascades, **asked)
        blurred = {"blurs_sun": n_cascades > 0 and look.sun_size > 0, "blurs_sky": look.shows_occlusion, "stride": 1}
        if blurred["blurs_sun"] or blurred["blurs_sky"]:
            with timers.stage("blur"):
                for upwards, source, into in (
                    (False, target.occlusion, target.half_kept_away),
                    (True, target.half_blurred, target.kept_away),
                ):
                    self._fill(into, self._blur, {**seen, "occlusion": source}, upwards=upwards, **blurred)

    def release(self) -> None:
        """Free the programs."""
        self._owned.close()

    @abstractmethod
    def _made(self, name: str, defines: Mapping[str, object]) -> PassT:
        """A program from light/, by its file's name without the ending."""

    @abstractmethod
    def _fill(
        self,
        into: moderngl.Framebuffer,
        program: PassT,
        textures: Mapping[str, moderngl.Texture],
        **uniforms: int | float | bool,
    ) -> None:
        """Run a program over a framebuffer of one texture."""

    def _current_maps(
        self, timers: FrameTimers, pool: "Pool", cascades: list[Cascade], draw_casters: DrawCasters
    ) -> ShadowMaps:
        """The world's maps, those of the cascades drawn anew that show something else."""
        maps = self._maps.of(pool, len(cascades))
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
        maps.begin(index)
        self._frame.write(frame_record(place.camera, MAP_EDGE, MAP_EDGE, place.sun).tobytes())
        self._frame.bind_to_uniform_block(UniformBinding.FRAME)
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<"
        self._ctx.front_face, self._ctx.cull_face = "ccw", "front"
        draw_casters()
        maps.drawn(index, place, n_changes)

    @cached_property
    def _frame(self) -> moderngl.Buffer:
        buffer: moderngl.Buffer = self._owned.add(self._ctx.buffer(reserve=FRAME.itemsize, dynamic=True))
        return buffer

    def _light(self, *, soft: bool) -> PassT:
        """The program for a sun with a size, or for one without, which takes half the time."""
        if soft not in self._lights:
            self._lights[soft] = self._owned.add(self._made("maps", {"SOFT_SUN": 1} if soft else {}))
        return self._lights[soft]

    @cached_property
    def _blur(self) -> PassT:
        return self._owned.add(self._made("blur", {}))


class ComputeMapsPass(MapsPass[PixelPass]):
    """By compute shaders."""

    def _made(self, name: str, defines: Mapping[str, object]) -> PixelPass:
        return PixelPass(self._ctx, f"light/{name}.comp", defines)

    def _fill(
        self,
        into: moderngl.Framebuffer,
        program: PixelPass,
        textures: Mapping[str, moderngl.Texture],
        **uniforms: int | float | bool,
    ) -> None:
        texture = into.color_attachments[0]
        assert isinstance(texture, moderngl.Texture)
        texture.bind_to_image(ImageBinding.OCCLUSION, read=False, write=True)
        program.run(into.size, textures, **uniforms)


class FragmentMapsPass(MapsPass[PicturePass]):
    """By fragment shaders, which OpenGL 4.1 has."""

    def _made(self, name: str, defines: Mapping[str, object]) -> PicturePass:
        return PicturePass(self._ctx, f"light/{name}.frag", defines=defines)

    def _fill(
        self,
        into: moderngl.Framebuffer,
        program: PicturePass,
        textures: Mapping[str, moderngl.Texture],
        **uniforms: int | float | bool,
    ) -> None:
        into.use()
        self._ctx.enable_only(moderngl.NOTHING)
        program.run(textures, **uniforms)


def _cascade_uniforms(cascades: list[Cascade], camera: Camera) -> dict[str, NDArray[np.float32]]:
    """The arrays of lib/shadow_maps.glsl."""
    matrices = np.zeros((MAX_CASCADES, 4, 4), np.float32)
    scales, ends = np.zeros((2, MAX_CASCADES, 2), np.float32)
    for i, cascade in enumerate(cascades):
        half = cascade.place.half
        matrices[i] = texels_from_eye(cascade.place, i, camera).T
        scales[i] = 2 * half / MAP_EDGE, 2 * half
        ends[i] = min(cascade.begins_to_end, _FAR / 2), min(cascade.end, _FAR)
    return {"map_from_eye": matrices, "map_scales": scales, "cascade_ends": ends}


def _array(program: moderngl.Program | moderngl.ComputeShader, name: str) -> moderngl.Uniform:
    uniform = program[name]
    assert isinstance(uniform, moderngl.Uniform)
    return uniform
