# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame: the passes in their order."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.limits import MAX_PICTURE_EDGE
from ..voxel.world import World
from .camera import Camera
from .context import capabilities, check_errors
from .frame import SUN_DIRECTION, frame_record, pixel_shifts
from .gl import GlFunctions
from .passes.cull import CullPass
from .passes.draw import Drawn, DrawPass
from .passes.pixels import PixelPass
from .records import FRAME, UniformBinding
from .target import FrameTarget
from .timers import FrameTimers
from .views import View
from .pool import DEFAULT_BUDGET, WorldPool


def check_picture_size(width: int, height: int) -> None:
    """Raise VoxelwrightError where a picture of this size, in pixels, is not drawn."""
    if not (1 <= width <= MAX_PICTURE_EDGE and 1 <= height <= MAX_PICTURE_EDGE):
        raise VoxelwrightError(
            f"A picture is 1 to {MAX_PICTURE_EDGE} pixels along each edge; {width} × {height} was asked for."
        )


@dataclass(frozen=True)
class Look:
    """How worlds are shown. sun_direction points to the sun, in voxel space; its length does not matter. blending lets
    materials run into each other. sky fills what no world covers."""

    view: View = View.LIT
    sun_direction: ArrayLike = SUN_DIRECTION
    blending: bool = True
    sky: bool = True


@dataclass(frozen=True)
class Shown:
    """A world in a frame: camera sees its voxel space."""

    pool: WorldPool
    camera: Camera
    look: Look = field(default_factory=Look)


@dataclass(frozen=True)
class Figures:
    """What a frame took: chunks with quads, quads, draw commands, bytes of graphics memory, milliseconds by stage."""

    chunks: int
    quads: int
    draws: int
    nbytes: int
    gpu_milliseconds: dict[str, float]
    cpu_milliseconds: dict[str, float]


class Renderer:
    """Draws worlds off screen. The context must be current in every call; release() frees all that it made."""

    def __init__(self, ctx: moderngl.Context, *, merge: bool = True, budget: int = DEFAULT_BUDGET) -> None:
        self._ctx = ctx
        self._gl = GlFunctions(ctx)
        self._able = capabilities(ctx)
        self._merge, self._budget = merge, budget
        self.timers = FrameTimers(self._gl)
        self._cull = CullPass(ctx)
        self._draw = DrawPass(ctx)
        self._shade = PixelPass(ctx, "light/shade.comp")
        self._sky = PixelPass(ctx, "light/sky.comp")
        self._accumulate = PixelPass(ctx, "compose/accumulate.comp")
        self._compose = PixelPass(ctx, "compose/compose.comp")
        self._frame = ctx.buffer(reserve=FRAME.itemsize, dynamic=True)
        check_errors(ctx, "the frame's settings")
        self._pools: list[WorldPool] = []
        self._resolves: dict[tuple[tuple[str, int], ...], tuple[PixelPass, PixelPass]] = {}
        self._target: FrameTarget | None = None
        self._own_pool: WorldPool | None = None

    def __enter__(self) -> "Renderer":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def new_pool(self) -> WorldPool:
        """A pool for a world; drop_pool() or release() frees it."""
        pool = WorldPool(self._ctx, self._gl, self._able, merge=self._merge, budget=self._budget)
        self._pools.append(pool)
        return pool

    def drop_pool(self, pool: WorldPool) -> None:
        """Free a pool."""
        self._pools.remove(pool)
        pool.release()

    def render(
        self, world: World, camera: Camera, width: int, height: int, look: Look | None = None, *, samples: int = 8
    ) -> NDArray[np.uint8]:
        """(height, width, 4) uint8: a picture of one world in sRGB, opaque, its row 0 at the top; the average of samples
        frames. Everything is uploaded and meshed before.

        Raises VoxelwrightError where the size is beyond limits.MAX_PICTURE_EDGE or beyond the context.
        """
        check_picture_size(width, height)
        if self._own_pool is None:
            self._own_pool = self.new_pool()
        pool = self._own_pool
        with self.timers.stage("mesh"):
            pool.finish(world, camera.eye)
        look = look or Look()
        # moderngl binds the framebuffer in use again whenever it makes one: ours must not stay in use once freed.
        previous = self._ctx.detect_framebuffer()
        try:
            for index, shift in enumerate(pixel_shifts(samples)):
                target = self.draw([Shown(pool, camera, look)], width, height, shift)
                with self.timers.stage("accumulate"):
                    textures = {"light": target.light}
                    self._accumulate.run(target.size, textures, first=index == 0, view=look.view)
            self._compose.run(target.size, {"sum": target.sum})
            pixels = np.frombuffer(target.picture.read(alignment=1), np.uint8)
        finally:
            previous.use()
        check_errors(self._ctx, f"drawing a picture of {width} × {height} pixels")
        return np.ascontiguousarray(pixels.reshape(height, width, 4)[::-1])

    def draw(
        self, worlds: Sequence[Shown], width: int, height: int, shift: tuple[float, float] = (0.0, 0.0)
    ) -> FrameTarget:
        """Draw one frame, whose light and depth are in the target that is returned; it lives as long as the renderer,
        and the next frame is drawn into it too. The framebuffer in use is another one after."""
        self.timers.collect()
        target = self._sized_target(width, height)
        target.bind_images()
        self._frame.bind_to_uniform_block(UniformBinding.FRAME)
        with self.timers.stage("clear"):
            target.clear()
        for index, shown in enumerate(worlds):
            self._begin(shown, target, shift)
            opaque = Drawn.OPAQUE if shown.pool.materials.has_transparency else Drawn.ALL
            self._draw_world(shown, target, opaque, clear=index > 0)
            self._shade_world(shown, target, over=False)
        if worlds and worlds[0].look.sky:
            with self.timers.stage("sky"):
                self._sky.run(target.size, {"distances": target.distances})
        for shown in worlds:
            if shown.pool.materials.has_transparency:
                self._begin(shown, target, shift)
                self._draw_world(shown, target, Drawn.TRANSPARENT, clear=True)
                self._shade_world(shown, target, over=True)
        return target

    def figures(self) -> Figures:
        """What the last frames took."""
        self.timers.collect()
        return Figures(
            chunks=sum(pool.n_chunks for pool in self._pools),
            quads=sum(pool.n_quads for pool in self._pools),
            draws=sum(pool.commands.n_commands for pool in self._pools),
            nbytes=sum(pool.nbytes for pool in self._pools),
            gpu_milliseconds=self.timers.gpu_milliseconds(),
            cpu_milliseconds=self.timers.cpu_milliseconds(),
        )

    def release(self) -> None:
        """Free everything on the GPU; the renderer is of no use after that."""
        for pool in self._pools:
            pool.release()
        self._pools.clear()
        self._own_pool = None
        if self._target is not None:
            self._target.release()
            self._target = None
        for resolve in self._resolves.values():
            for item in resolve:
                item.release()
        self._resolves.clear()
        for item in (self._cull, self._draw, self._shade, self._sky, self._accumulate, self._compose, self._frame):
            item.release()
        self.timers.release()

    def _begin(self, shown: Shown, target: FrameTarget, shift: tuple[float, float]) -> None:
        record = frame_record(shown.camera, *target.size, shown.look.sun_direction, shift)
        self._frame.write(record.tobytes())
        shown.pool.bind()

    def _draw_world(self, shown: Shown, target: FrameTarget, drawn: Drawn, *, clear: bool) -> None:
        """Draw one world's quads over what is there. Only its own are in the visibility target then."""
        commands = shown.pool.commands
        if drawn is not Drawn.TRANSPARENT:
            with self.timers.stage("cull"):
                commands.resize(shown.pool.quads.n_rows, shown.pool.smooth.n_rows)
                self._cull.run(commands)
        with self.timers.stage("draw"):
            if clear:
                target.visibility_only.clear()
            target.geometry.depth_mask = True
            target.geometry.use()
            self._draw.run(commands, drawn)

    def _shade_world(self, shown: Shown, target: FrameTarget, *, over: bool) -> None:
        look = shown.look
        with self.timers.stage("resolve"):
            seen = {"visibility_target": target.visibility}
            blocky, smooth = self._resolve(shown.pool)
            blocky.run(target.size, seen, view=look.view, blending=look.blending)
            if shown.pool.smooth.n_rows:
                smooth.run(target.size, seen, view=look.view, blending=look.blending)
        with self.timers.stage("shade"):
            textures = {**seen, "distances": target.distances, "colors": target.colors, "surfaces": target.surfaces}
            self._shade.run(target.size, textures, over=over, view=look.view)

    def _resolve(self, pool: WorldPool) -> tuple[PixelPass, PixelPass]:
        """The passes for blocks and for smooth surfaces that read voxels as this pool has them."""
        key = tuple(pool.defines.items())
        if key not in self._resolves:
            blocky = PixelPass(self._ctx, "resolve/blocky.comp", pool.defines)
            self._resolves[key] = blocky, PixelPass(self._ctx, "resolve/smooth.comp", pool.defines)
        return self._resolves[key]

    def _sized_target(self, width: int, height: int) -> FrameTarget:
        if self._target is not None and self._target.size != (width, height):
            self._target.release()
            self._target = None
        if self._target is None:
            self._target = FrameTarget(self._ctx, width, height)
        return self._target
