# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame where there are no compute shaders and storage blocks: OpenGL 4.1, which macOS stops at.

The CPU meshes, one instanced draw a kind of surface draws, and the fragment shader shades with the functions that the
compute passes of Renderer shade with.
"""

from collections.abc import Mapping

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.jobs import Job, Progress, finish, stage
from ..voxel.world import World
from .basic_quads import BasicQuads
from .camera import Camera
from .context import LEAST_VERSION, check_errors
from .frame import frame_record, pixel_shifts
from .gl import GlFunctions
from .materials import PaletteMaterials
from .passes.draw import Drawn
from .records import FRAME
from .renderer import Figures, Look, check_picture_size
from .shader import load_program
from .timers import FrameTimers
from .views import View

_FRAME_BLOCK, _MATERIALS_BLOCK = 0, 1
"""The binding points of the uniform blocks."""

_FIRST_TEXTURE_UNIT = 1
"""Unit 0 has the materials' textures."""


class _Target:
    """The targets of one picture size.

    light and layer (RGBA16F) share one depth: what is opaque, and the nearest of what one sees through, premultiplied.
    sum is RGBA32F, picture RGBA8 in sRGB.
    """

    def __init__(self, ctx: moderngl.Context, width: int, height: int) -> None:
        self.size = (width, height)
        self.depth = ctx.depth_texture(self.size)
        self.light = ctx.texture(self.size, 4, dtype="f2")
        self.layer = ctx.texture(self.size, 4, dtype="f2")
        self.sum = ctx.texture(self.size, 4, dtype="f4")
        self.picture = ctx.texture(self.size, 4)
        self._textures = (self.depth, self.light, self.layer, self.sum, self.picture)
        try:
            check_errors(ctx, f"a picture of {width} × {height} pixels")
        except VoxelwrightError:
            for texture in self._textures:
                texture.release()
            raise
        for texture in self._textures:
            texture.filter = moderngl.NEAREST, moderngl.NEAREST
        self.opaque = ctx.framebuffer([self.light], self.depth)
        self.transparent = ctx.framebuffer([self.layer], self.depth)
        self.layer_only = ctx.framebuffer([self.layer])
        self.summed = ctx.framebuffer([self.sum])
        self.composed = ctx.framebuffer([self.picture])

    def release(self) -> None:
        """Free everything."""
        framebuffers = (self.opaque, self.transparent, self.layer_only, self.summed, self.composed)
        for item in (*framebuffers, *self._textures):
            item.release()


class _PicturePass:
    """A fragment program over the picture, which reads textures by the names of its samplers."""

    def __init__(self, ctx: moderngl.Context, file: str) -> None:
        vertex = "basic/picture.vert"
        self.program = load_program(ctx, version=LEAST_VERSION, vertex_shader=vertex, fragment_shader=file)
        self._vertices = ctx.vertex_array(self.program, [])

    def run(self, textures: Mapping[str, moderngl.Texture]) -> None:
        """Run over the framebuffer in use."""
        for unit, (name, texture) in enumerate(textures.items(), _FIRST_TEXTURE_UNIT):
            texture.use(unit)
            self.program[name] = unit
        self._vertices.render(moderngl.TRIANGLES, vertices=3)

    def release(self) -> None:
        """Free the program."""
        self._vertices.release()
        self.program.release()


class BasicRenderer:
    """Draws worlds off screen, as Renderer does; the context must be current in every call.

    What needs the voxels on the GPU is left out: materials do not run into each other, whatever the look says, and the
    view of that is refused. Of several transparent surfaces one behind another the nearest shows, as in Renderer.
    Chunks that changed are meshed again, and all quads are uploaded then.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self.timers = FrameTimers(GlFunctions(ctx))
        self._quads = BasicQuads(ctx)
        self._quads.smooth.program["is_smooth"] = True
        self._materials = PaletteMaterials(ctx)
        self._sky = _PicturePass(ctx, "basic/sky.frag")
        self._accumulate = _PicturePass(ctx, "basic/accumulate.frag")
        self._compose = _PicturePass(ctx, "basic/compose.frag")
        self._frame = ctx.buffer(reserve=FRAME.itemsize, dynamic=True)
        check_errors(ctx, "the frame's settings")
        for program in (self._quads.blocky.program, self._quads.smooth.program):
            _set_block(program, "Frame", _FRAME_BLOCK)
            _set_block(program, "Materials", _MATERIALS_BLOCK)
        _set_block(self._sky.program, "Frame", _FRAME_BLOCK)
        self._target: _Target | None = None

    def __enter__(self) -> "BasicRenderer":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def rendering(
        self, world: World, camera: Camera, width: int, height: int, look: Look | None = None, *, samples: int = 8
    ) -> Job[NDArray[np.uint8]]:
        """(height, width, 4) uint8: a picture of one world in sRGB, opaque, its row 0 at the top, averaged over so many
        frames.

        Raises VoxelwrightError where the size is beyond limits.MAX_PICTURE_EDGE, for View.BLEND, and where graphics
        memory is short.
        """
        check_picture_size(width, height)
        look = look or Look()
        if look.view is View.BLEND:
            raise VoxelwrightError("Without compute shaders (OpenGL 4.3) materials do not blend; choose another view.")
        yield from stage(self._quads.bring(world), 0.0, 0.5)
        self._materials.update(world.palette)
        # moderngl binds the framebuffer in use again whenever it makes one: ours must not stay in use once freed.
        previous = self._ctx.detect_framebuffer()
        try:
            target = self._sized_target(width, height)
            target.summed.clear()
            for index, shift in enumerate(pixel_shifts(samples)):
                self._draw(target, camera, look, shift)
                self._add_to_sum(target, look.view)
                yield Progress(0.5 + 0.5 * index / samples, "Drawing")
            pixels = np.frombuffer(self._composed(target), np.uint8)
        finally:
            previous.use()
        check_errors(self._ctx, f"drawing a picture of {width} × {height} pixels")
        return np.ascontiguousarray(pixels.reshape(height, width, 4)[::-1])

    def render(
        self, world: World, camera: Camera, width: int, height: int, look: Look | None = None, *, samples: int = 8
    ) -> NDArray[np.uint8]:
        """What rendering() returns."""
        return finish(self.rendering(world, camera, width, height, look, samples=samples))

    def settled_figures(self) -> Figures:
        """What the last frames took; waits for the GPU."""
        self._ctx.finish()
        return self.figures()

    def figures(self) -> Figures:
        """What the last frames took, as far as the GPU is done with them."""
        self.timers.collect()
        kinds = (self._quads.blocky, self._quads.smooth)
        passes = 2 if self._materials.has_transparency else 1
        return Figures(
            chunks=self._quads.n_chunks,
            quads=sum(kind.n for kind in kinds),
            draws=passes * sum(kind.n > 0 for kind in kinds),
            nbytes=self._materials.nbytes + sum(kind.nbytes for kind in kinds),
            gpu_milliseconds=self.timers.gpu_milliseconds(),
            cpu_milliseconds=self.timers.cpu_milliseconds(),
        )

    def release(self) -> None:
        """Free everything on the GPU; the renderer is of no use after that."""
        if self._target is not None:
            self._target.release()
            self._target = None
        for item in (self._quads, self._materials, self._sky, self._accumulate, self._compose, self._frame):
            item.release()
        self.timers.release()

    def _draw(self, target: _Target, camera: Camera, look: Look, shift: tuple[float, float]) -> None:
        """One frame's light and layer."""
        self.timers.collect()
        self._frame.write(frame_record(camera, *target.size, look.sun_direction, shift).tobytes())
        self._frame.bind_to_uniform_block(_FRAME_BLOCK)
        self._materials.bind_as_uniforms(_MATERIALS_BLOCK)
        see_through = self._materials.has_transparency
        with self.timers.stage("clear"):
            target.opaque.clear(depth=1.0)
            target.layer_only.clear()
        if look.sky:
            with self.timers.stage("sky"):
                target.opaque.use()
                self._ctx.enable_only(moderngl.NOTHING)
                self._sky.run({})
        with self.timers.stage("draw"):
            target.opaque.use()
            self._draw_quads(Drawn.OPAQUE if see_through else Drawn.ALL, look.view)
            if see_through:
                target.transparent.use()
                self._draw_quads(Drawn.TRANSPARENT, look.view)

    def _draw_quads(self, drawn: Drawn, view: View) -> None:
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.front_face = "ccw"
        self._ctx.cull_face = "back"
        self._ctx.depth_func = "<"
        for kind in (self._quads.blocky, self._quads.smooth):
            kind.program["view"] = view
            kind.draw(drawn)

    def _add_to_sum(self, target: _Target, view: View) -> None:
        with self.timers.stage("accumulate"):
            target.summed.use()
            self._ctx.enable_only(moderngl.BLEND)
            self._ctx.blend_func = moderngl.ONE, moderngl.ONE
            self._accumulate.program["view"] = view
            self._accumulate.run({"opaque_light": target.light, "transparent_light": target.layer})

    def _composed(self, target: _Target) -> bytes:
        """The picture's bytes, its row 0 at the bottom."""
        target.composed.use()
        self._ctx.enable_only(moderngl.NOTHING)
        self._compose.run({"sum": target.sum})
        return bytes(target.picture.read(alignment=1))

    def _sized_target(self, width: int, height: int) -> _Target:
        if self._target is not None and self._target.size != (width, height):
            self._target.release()
            self._target = None
        if self._target is None:
            self._target = _Target(self._ctx, width, height)
        return self._target


def _set_block(program: moderngl.Program, name: str, binding: int) -> None:
    """Before OpenGL 4.2 shaders cannot say it themselves."""
    block = program[name]
    assert isinstance(block, moderngl.UniformBlock)
    block.binding = binding
