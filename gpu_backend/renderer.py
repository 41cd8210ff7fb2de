# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame: the passes in their order."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.jobs import Job, Progress, finish, stage
from ..voxel.limits import MAX_PICTURE_EDGE
from ..voxel.world import World
from .camera import Camera
from .context import capabilities, check_errors
from .frame import SUN_DIRECTION, frame_record, pixel_shifts
from .gl import GlFunctions
from .owned import Owned
from .passes.cull import CullPass
from .passes.draw import Drawn, DrawPass
from .passes.occlusion import DepthTilesPass
from .passes.pixels import PixelPass
from .pool import DEFAULT_BUDGET, WorldPool
from .records import FRAME, UniformBinding
from .target import FrameTarget, ImageBinding
from .timers import FrameTimers
from .views import View

_KINDS = ("blocky", "smooth")


def check_picture_size(width: int, height: int) -> None:
    """Raise VoxelwrightError where a picture of this size, in pixels, is not drawn."""
    if not (1 <= width <= MAX_PICTURE_EDGE and 1 <= height <= MAX_PICTURE_EDGE):
        raise VoxelwrightError(
            f"A picture is 1 to {MAX_PICTURE_EDGE} pixels along each edge; {width} × {height} was asked for."
        )


@dataclass(frozen=True)
class Look:
    """How worlds are shown. sun_direction points to the sun, in voxel space; its length does not matter. blending lets
    materials run into each other. sky fills what no world covers; haze lets far surfaces fade."""

    view: View = View.LIT
    sun_direction: ArrayLike = SUN_DIRECTION
    blending: bool = True
    sky: bool = True
    haze: bool = True


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

    def text(self) -> str:
        """As lines for people."""
        stages = [
            f"{name:<18}{gpu:9.3f} ms GPU {self.cpu_milliseconds[name]:9.3f} ms CPU"
            for name, gpu in self.gpu_milliseconds.items()
        ]
        return "\n".join(
            [
                f"chunks            {self.chunks:,}",
                f"quads             {self.quads:,}",
                f"draws             {self.draws:,}",
                f"memory            {self.nbytes / 2**20:.1f} MiB",
                *stages,
            ]
        )


class Renderer:
    """Draws worlds off screen. The context must be current in every call; release() frees all that it made."""

    def __init__(self, ctx: moderngl.Context, *, merge: bool = True, budget: int = DEFAULT_BUDGET) -> None:
        self._ctx = ctx
        self._gl = GlFunctions(ctx)
        self._able = capabilities(ctx)
        self._merge, self._budget = merge, budget
        with Owned() as owned:
            self.timers = owned.add(FrameTimers(self._gl))
            self._cull = owned.add(CullPass(ctx))
            self._draw = owned.add(DrawPass(ctx))
            self._depth_tiles = owned.add(DepthTilesPass(ctx))
            self._clear_pass = owned.add(PixelPass(ctx, "draw/clear.comp"))
            self._shade = owned.add(PixelPass(ctx, "light/shade.comp"))
            self._sky = owned.add(PixelPass(ctx, "light/sky.comp"))
            self._accumulate = owned.add(PixelPass(ctx, "compose/accumulate.comp"))
            self._compose = owned.add(PixelPass(ctx, "compose/compose.comp"))
            self._pack = owned.add(PixelPass(ctx, "compose/pack.comp"))
            self._frame = owned.add(ctx.buffer(reserve=FRAME.itemsize, dynamic=True))
            check_errors(ctx, "the frame's settings")
            self._owned = owned.pop_all()
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
        pool = WorldPool(self._ctx, self._gl, self._able, self.timers, merge=self._merge, budget=self._budget)
        self._pools.append(pool)
        return pool

    def drop_pool(self, pool: WorldPool) -> None:
        """Free a pool."""
        self._pools.remove(pool)
        pool.release()

    def rendering(
        self, world: World, camera: Camera, width: int, height: int, look: Look | None = None, *, samples: int = 8
    ) -> Job[NDArray[np.uint8]]:
        """(height, width, 4) uint8: a picture of one world in sRGB, opaque, its row 0 at the top, averaged over so many
        frames. Everything is uploaded and meshed before.

        Raises VoxelwrightError where the size is beyond limits.MAX_PICTURE_EDGE or beyond the context.
        """
        check_picture_size(width, height)
        look = look or Look()
        self._own_pool = self._own_pool or self.new_pool()
        yield from stage(self._own_pool.bring(world, camera.eye), 0.0, 0.5)
        shown = [Shown(self._own_pool, camera, look)]
        # moderngl binds the framebuffer in use again whenever it makes one: ours must not stay in use once freed.
        previous = self._ctx.detect_framebuffer()
        try:
            for index, shift in enumerate(pixel_shifts(samples)):
                target = self.draw(shown, width, height, shift)
                self._accumulate.run(target.size, {"light": target.light}, first=index == 0, view=look.view)
                yield Progress(0.5 + 0.5 * index / samples, "Drawing")
            self._compose.run(target.size, {"sum": target.sum})
            pixels = np.frombuffer(target.picture.read(alignment=1), np.uint8)
        finally:
            previous.use()
        check_errors(self._ctx, f"drawing a picture of {width} × {height} pixels")
        return np.ascontiguousarray(pixels.reshape(height, width, 4)[::-1])

    def render(
        self, world: World, camera: Camera, width: int, height: int, look: Look | None = None, *, samples: int = 8
    ) -> NDArray[np.uint8]:
        """What rendering() returns."""
        return finish(self.rendering(world, camera, width, height, look, samples=samples))

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
            target.clear_depth()
            self._clear(target, first=True)
        for index, shown in enumerate(worlds):
            self._begin(shown, target, shift)
            if index:
                self._clear(target, first=False)
            self._draw_opaque(shown.pool, target)
            self._shade_world(shown, target, over=False)
        if worlds and worlds[0].look.sky:
            with self.timers.stage("sky"):
                self._sky.run(target.size, {"distances": target.distances})
        for shown in worlds:
            if shown.pool.materials.has_transparency:
                self._begin(shown, target, shift)
                self._clear(target, first=False)
                with self.timers.stage("draw transparent"):
                    self._draw.run(shown.pool.commands, Drawn.TRANSPARENT)
                self._shade_world(shown, target, over=True)
        return target

    def pack(self, target: FrameTarget, into: moderngl.Texture, view: View) -> None:
        """Write a frame that was drawn, its colour in sRGB and its depth, to an RG32F texture of the same size, as
        shaders/compose/pack.comp says."""
        with self.timers.stage("pack"):
            into.bind_to_image(ImageBinding.PICTURE, read=False, write=True)
            self._pack.run(target.size, {"light": target.light, "depth": target.depth}, view=view)

    def settled_figures(self) -> Figures:
        """What the last frames took; waits for the GPU."""
        self._ctx.finish()
        return self.figures()

    def figures(self) -> Figures:
        """What the last frames took, as far as the GPU is done with them."""
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
        for blocky, smooth in self._resolves.values():
            blocky.release()
            smooth.release()
        self._resolves.clear()
        self._owned.close()

    def _begin(self, shown: Shown, target: FrameTarget, shift: tuple[float, float]) -> None:
        look = shown.look
        record = frame_record(shown.camera, *target.size, look.sun_direction, shift, haze=look.haze)
        self._frame.write(record.tobytes())
        shown.pool.bind()

    def _clear(self, target: FrameTarget, *, first: bool) -> None:
        self._clear_pass.run(target.size, {}, first=first)
        self._ctx.memory_barrier(moderngl.FRAMEBUFFER_BARRIER_BIT)
        target.geometry.depth_mask = True
        target.geometry.use()

    def _draw_opaque(self, pool: WorldPool, target: FrameTarget) -> None:
        """Draw one world's opaque quads over what is there. Only its own are in the visibility target then."""
        commands = pool.commands
        commands.resize(pool.quads.n_rows, pool.smooth.n_rows)
        drawn = Drawn.OPAQUE if pool.materials.has_transparency else Drawn.ALL
        with self.timers.stage("cull"):
            self._cull.run(commands, target, second=False)
        with self.timers.stage("draw"):
            self._draw.run(commands, drawn)
        with self.timers.stage("cull hidden"):
            self._depth_tiles.run(target)
            self._cull.run(commands, target, second=True)
            pool.materials.bind()
        with self.timers.stage("draw newly seen"):
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
            with Owned() as owned:
                passes = [owned.add(PixelPass(self._ctx, f"resolve/{kind}.comp", pool.defines)) for kind in _KINDS]
                self._resolves[key] = passes[0], passes[1]
                owned.pop_all()
        return self._resolves[key]

    def _sized_target(self, width: int, height: int) -> FrameTarget:
        if self._target is not None and self._target.size != (width, height):
            self._target.release()
            self._target = None
        if self._target is None:
            self._target = FrameTarget(self._ctx, width, height)
        return self._target
