# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame where there are no compute shaders and storage blocks: OpenGL 4.1, which macOS stops at.

The CPU meshes, one instanced draw a kind of surface fills the G-buffer, and fragment shaders shade with the functions
that the compute passes of Renderer shade with.
"""

from collections.abc import Sequence
from dataclasses import replace

import moderngl

from ..voxel.errors import VoxelwrightError
from .basic_pool import BasicPool
from .context import LEAST_VERSION
from .frame import frame_record
from .owned import Owned
from .passes.draw import SMOOTH_DEPTH_BIAS, Drawn
from .passes.maps import FragmentMapsPass
from .passes.picture import CopyDepthPass, PicturePass
from .records import FRAME
from .shader import load_program
from .target import BasicTarget
from .views import View
from .world_renderer import DEFAULT_BUDGET, Shown, WorldRenderer

_LEFT_OUT = {
    View.BLEND: "materials do not blend",
    View.LEVELS: "there are no levels of detail",
}
"""Views of what is not drawn, and what a user is told of them."""

_FRAME_BLOCK, _MATERIALS_BLOCK = 0, 1
"""The binding points of the uniform blocks."""


class BasicRenderer(WorldRenderer[BasicPool, BasicTarget]):
    """Draws worlds as Renderer does, without what needs the voxels on the GPU: materials do not run into each other,
    and shadows and ambient occlusion come from maps, whatever the look says. The view of blending is refused by
    rendering(); draw() shows View.LIT instead. Of several transparent surfaces one behind another the nearest shows, as
    in Renderer."""

    def __init__(self, ctx: moderngl.Context) -> None:
        super().__init__(ctx, DEFAULT_BUDGET)
        self._has_decals = False

    def draw(
        self, worlds: Sequence[Shown], width: int, height: int, shift: tuple[float, float] = (0.0, 0.0)
    ) -> BasicTarget:
        self.timers.collect()
        worlds = [_drawable(shown) for shown in worlds]
        self._has_decals = any(shown.decals is not None and len(shown.decals) for shown in worlds)
        target = self._sized_target(width, height)
        target.view = worlds[0].look.view if worlds else View.LIT
        with self.timers.stage("clear"):
            target.clear_depth()
            target.lit.clear()
        if worlds and worlds[0].look.sky:
            self._begin(worlds[0], target, shift)
            with self.timers.stage("sky"):
                target.lit.use()
                self._ctx.enable_only(moderngl.NOTHING)
                self._sky.run({}, view=target.view)
        for shown in worlds:
            pool = self._begin(shown, target, shift)
            with self.timers.stage("draw"):
                drawn = Drawn.OPAQUE if shown.has_layer else Drawn.ALL
                self._draw_world(pool, target, target.geometry, drawn, shown.look.view)
            self._shade_world(shown, pool, target, target.lit)
        self._draw_layer([shown for shown in worlds if shown.has_layer], target, shift)
        return target

    def notices(self) -> list[str]:
        return ["Decals are not drawn the simple way; bake to see them."] if self._has_decals else []

    def _make(self, owned: Owned) -> None:
        ctx = self._ctx
        self._programs = [
            owned.add(
                load_program(
                    ctx,
                    version=LEAST_VERSION,
                    vertex_shader=f"basic/{kind}.vert",
                    fragment_shader="basic/surface.frag",
                )
            )
            for kind in ("blocky", "smooth")
        ]
        self._programs[1]["is_smooth"] = True
        self._sky = owned.add(PicturePass(ctx, "basic/sky.frag"))
        self._maps = owned.add(FragmentMapsPass(ctx, self._shadow_maps))
        self._clear = owned.add(PicturePass(ctx, "basic/clear.frag"))
        self._shade = owned.add(PicturePass(ctx, "basic/shade.frag"))
        self._copy_depth = owned.add(CopyDepthPass(ctx))
        self._accumulate = owned.add(PicturePass(ctx, "basic/accumulate.frag"))
        self._compose = owned.add(PicturePass(ctx, "basic/compose.frag"))
        self._frame = owned.add(ctx.buffer(reserve=FRAME.itemsize, dynamic=True))
        for program in self._programs:
            _set_block(program, "Frame", _FRAME_BLOCK)
            _set_block(program, "Materials", _MATERIALS_BLOCK)
        _set_block(self._sky.program, "Frame", _FRAME_BLOCK)

    def _make_pool(self) -> BasicPool:
        return BasicPool(self._ctx, *self._programs)

    def _make_target(self, width: int, height: int) -> BasicTarget:
        return BasicTarget(self._ctx, width, height)

    def _check_view(self, view: View) -> None:
        if view in _LEFT_OUT:
            raise VoxelwrightError(f"Without compute shaders (OpenGL 4.3) {_LEFT_OUT[view]}; choose another view.")

    def _add_to_sum(self, target: BasicTarget, *, first: bool) -> None:
        target.summed.use()
        self._ctx.enable_only(moderngl.NOTHING if first else moderngl.BLEND)
        self._ctx.blend_func = moderngl.ONE, moderngl.ONE
        textures = {"light": target.light, "layer": target.layer.light if target.has_layer else target.light}
        self._accumulate.run(textures, has_layer=target.has_layer, tone_mapped=target.view is View.LIT)

    def _compose_sum(self, target: BasicTarget) -> None:
        target.composed.use()
        self._ctx.enable_only(moderngl.NOTHING)
        self._compose.run({"sum": target.sum})

    def _begin(self, shown: Shown, target: BasicTarget, shift: tuple[float, float]) -> BasicPool:
        """Bind what a world's draws read; its pool."""
        pool, look = shown.pool, shown.look
        assert isinstance(pool, BasicPool)
        record = frame_record(shown.camera, *target.size, look.sun_direction, shift, haze=look.haze)
        self._frame.write(record.tobytes())
        self._frame.bind_to_uniform_block(_FRAME_BLOCK)
        pool.materials.bind_as_uniforms(_MATERIALS_BLOCK)
        self._ctx.front_face = shown.camera.front_face
        return pool

    def _draw_layer(self, worlds: Sequence[Shown], target: BasicTarget, shift: tuple[float, float]) -> None:
        """Draw what one sees through, before what is opaque: of all worlds the nearest in a pixel."""
        target.has_layer = len(worlds) > 0
        if not worlds:
            return
        layer = target.layer
        with self.timers.stage("clear layer"):
            layer.clear_light()
            self._copy_depth.run(target.depth, layer.depth_only)
        for shown in worlds:
            pool = self._begin(shown, target, shift)
            with self.timers.stage("draw transparent"):
                self._draw_world(pool, target, layer.geometry, Drawn.TRANSPARENT, shown.look.view)
            self._shade_world(shown, pool, target, layer.lit)

    def _draw_world(
        self, pool: BasicPool, target: BasicTarget, into: moderngl.Framebuffer, drawn: Drawn, view: View
    ) -> None:
        """Draw one world's quads over the depths that are there. Only they are in the target's visibility then."""
        target.seen.use()
        self._ctx.enable_only(moderngl.NOTHING)
        self._clear.run({})
        into.use()
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.cull_face = "back"
        self._ctx.depth_func = "<"
        quads_and_biases = ((pool.blocky, (0.0, 0.0)), (pool.smooth, SMOOTH_DEPTH_BIAS))
        for program, (quads, depth_bias) in zip(self._programs, quads_and_biases, strict=True):
            program["view"] = view
            self._ctx.polygon_offset = depth_bias
            quads.draw(drawn)
        self._ctx.polygon_offset = 0.0, 0.0

    def _shade_world(self, shown: Shown, pool: BasicPool, target: BasicTarget, into: moderngl.Framebuffer) -> None:
        """From what is seen of one world to its light."""
        look = shown.look
        if look.shows_shadows or look.shows_occlusion:
            self._maps.run(target, self.timers, shown, self._frame, lambda: _draw_casters(pool))
        with self.timers.stage("shade"):
            into.use()
            self._ctx.enable_only(moderngl.NOTHING)
            seen = {"visibility_target": target.visibility, "distances": target.distances, "surfaces": target.surfaces}
            textures = {**seen, "colors": target.colors, "occlusion": target.occlusion}
            self._shade.run(textures, view=look.view, strength=(look.shadows, look.occlusion))


def _draw_casters(pool: BasicPool) -> None:
    for quads in (pool.blocky, pool.smooth):
        quads.draw(Drawn.CASTERS)


def _drawable(shown: Shown) -> Shown:
    if shown.look.view not in _LEFT_OUT:
        return shown
    return replace(shown, look=replace(shown.look, view=View.LIT))


def _set_block(program: moderngl.Program, name: str, binding: int) -> None:
    """Before OpenGL 4.2 shaders cannot say it themselves."""
    block = program[name]
    assert isinstance(block, moderngl.UniformBlock)
    block.binding = binding
