# SPDX-License-Identifier: GPL-3.0-or-later
"""What both renderers have in common: pools for worlds, pictures off screen, and pictures for viewports."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Self, TypeVar

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.jobs import Job, Progress, finish, stage
from ..voxel.limits import MAX_PICTURE_EDGE
from ..voxel.world import World
from .camera import Camera
from .context import check_errors
from .decals import Decals
from .frame import MAX_SUN_SIZE, SUN_DIRECTION, pixel_shift
from .gl import GlFunctions
from .light import Light
from .owned import Owned
from .packed_picture import PackedPicture
from .passes.pack import PackPass
from .shadow_maps import WorldMaps
from .target import LightTarget
from .timers import FrameTimers
from .views import View

DEFAULT_BUDGET = 1 << 30
"""Bytes of graphics memory that a world may take."""


def check_picture_size(width: int, height: int) -> None:
    """Raise VoxelwrightError where a picture of this size, in pixels, is not drawn."""
    if not (1 <= width <= MAX_PICTURE_EDGE and 1 <= height <= MAX_PICTURE_EDGE):
        raise VoxelwrightError(
            f"A picture is 1 to {MAX_PICTURE_EDGE} pixels along each edge; {width} × {height} was asked for."
        )


@dataclass(frozen=True)
class Look:
    """How worlds are shown. sun_direction points to the sun, in voxel space; its length does not matter. blending lets
    materials run into each other. sky fills what no world covers; haze lets far surfaces fade. shadows is the share of
    the sun's light that shadows take; occlusion is the strength of ambient occlusion by what lies within
    occlusion_radius voxels. Both are 0 … 1, and where one is 0 it is left out. light says how both are found; without
    compute shaders there are maps alone.

    sun_size is the diameter of the sun's disc in degrees: shadows are sharp at 0, and the softer the larger it is. With
    rays nothing farther than shadow_distance voxels throws a shadow, with maps shadows are seen up to so many voxels
    from the eye. half_occlusion sends rays about the sky from one of four pixels only, and means nothing to maps.

    detail is how many pixels a voxel of a coarser level of detail may cover: far blocks are put together, two, four,
    eight or sixteen along each axis, where that makes none larger. At 0 all is drawn in full detail. A pool must have
    been told to keep levels for it.

    Raises VoxelwrightError for numbers beyond these limits."""

    view: View = View.LIT
    sun_direction: ArrayLike = SUN_DIRECTION
    blending: bool = True
    sky: bool = True
    haze: bool = True
    shadows: float = 0.0
    occlusion: float = 0.0
    occlusion_radius: float = 6.0
    light: Light = Light.RAYS
    sun_size: float = 0.0
    shadow_distance: float = math.inf
    half_occlusion: bool = False
    detail: float = 0.0

    def __post_init__(self) -> None:
        if not (0 <= self.shadows <= 1 and 0 <= self.occlusion <= 1):
            raise VoxelwrightError("The strengths of shadows and of ambient occlusion go from 0 to 1.")
        if not 0 < self.occlusion_radius < math.inf:
            raise VoxelwrightError("The radius of ambient occlusion is a number of voxels above 0.")
        if not 0 <= self.sun_size <= MAX_SUN_SIZE:
            raise VoxelwrightError(f"The sun's diameter goes from 0 to {MAX_SUN_SIZE} degrees.")
        if not self.shadow_distance > 0:
            raise VoxelwrightError("The distance of shadows is a number of voxels above 0.")

    @property
    def shows_shadows(self) -> bool:
        """Whether it is asked what lies in the shade."""
        return self.view is View.SHADOWS or (self.view is View.LIT and self.shadows > 0)

    @property
    def shows_occlusion(self) -> bool:
        """Whether ambient occlusion is asked for."""
        return self.view is View.OCCLUSION or (self.view is View.LIT and self.occlusion > 0)


class Pool(ABC):
    """A world on the GPU. Where not all of its chunks are there notice says so in a sentence, else it is None.
    n_changes grows whenever quads changed."""

    notice: str | None = None
    n_changes: int = 0

    @abstractmethod
    def update(self, world: World, eye: NDArray[np.float64], *, levels: bool = False) -> bool:
        """Bring over a bounded part of what changed since the last call; whether all is known to be there. eye is in
        voxel space. levels asks for levels of detail too, which are kept where the budget has room for them. Raises
        VoxelwrightError where graphics memory is short."""

    @abstractmethod
    def bring(self, world: World, eye: NDArray[np.float64], *, levels: bool = False) -> Job[None]:
        """Bring over everything, however long that takes: for pictures that are drawn once."""

    @abstractmethod
    def set_budget(self, nbytes: int) -> None:
        """Let the world take so many bytes of graphics memory, from the next update on."""

    @property
    @abstractmethod
    def box(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """(3,) each: the lowest and the highest corner of a box about all chunks, in voxel space; None for none."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes of graphics memory."""

    @property
    @abstractmethod
    def n_chunks(self) -> int:
        """How many chunks may have surfaces."""

    @property
    @abstractmethod
    def n_quads(self) -> int:
        """How many quads there are; what was meshed in the last frames may not be counted yet."""

    @property
    @abstractmethod
    def n_draws(self) -> int:
        """How many draw commands a frame has."""

    @property
    @abstractmethod
    def has_transparency(self) -> bool:
        """Whether one sees through any of the world's materials."""

    @abstractmethod
    def release(self) -> None:
        """Free everything."""


@dataclass(frozen=True)
class Shown:
    """A world in a frame: camera sees its voxel space, in which its decals are."""

    pool: Pool
    camera: Camera
    look: Look = field(default_factory=Look)
    decals: Decals | None = None

    @property
    def has_layer(self) -> bool:
        """Whether one sees through any of it. In views that show how a picture comes about all materials are opaque."""
        return self.look.view is View.LIT and self.pool.has_transparency


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


PoolT = TypeVar("PoolT", bound=Pool)
TargetT = TypeVar("TargetT", bound=LightTarget)


class WorldRenderer(ABC, Generic[PoolT, TargetT]):
    """Draws worlds off screen. The context must be current in every call; release() frees all that it made."""

    def __init__(self, ctx: moderngl.Context, budget: int) -> None:
        self._ctx, self._budget = ctx, budget
        self._gl = GlFunctions(ctx)
        self._pools: list[PoolT] = []
        self._own_pool: PoolT | None = None
        self._target: TargetT | None = None
        with Owned() as owned:
            self.timers = owned.add(FrameTimers(self._gl))
            self._pack = owned.add(PackPass(ctx))
            self._shadow_maps = owned.add(WorldMaps(ctx))
            self._make(owned)
            check_errors(ctx, "the frame's settings")
            self._owned = owned.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def new_pool(self) -> PoolT:
        """A pool for a world; drop_pool() or release() frees it."""
        pool = self._make_pool()
        self._pools.append(pool)
        return pool

    def drop_pool(self, pool: Pool) -> None:
        """Free a pool."""
        self._pools = [other for other in self._pools if other is not pool]
        self._shadow_maps.forget(pool)
        pool.release()

    def set_budget(self, nbytes: int) -> None:
        """Let each world take so many bytes of graphics memory. Pools follow at their next update."""
        self._budget = nbytes
        for pool in self._pools:
            pool.set_budget(nbytes)

    def rendering(
        self,
        world: World,
        camera: Camera,
        width: int,
        height: int,
        look: Look | None = None,
        *,
        samples: int = 8,
        decals: Decals | None = None,
    ) -> Job[NDArray[np.uint8]]:
        """(height, width, 4) uint8: a picture of one world in sRGB, opaque, its row 0 at the top, averaged over so many
        frames; decals are in its voxel space. Everything is uploaded and meshed before.

        Raises VoxelwrightError where the size is beyond limits.MAX_PICTURE_EDGE or beyond the context, where graphics
        memory is short, and for a view that the renderer does not draw.
        """
        check_picture_size(width, height)
        look = look or Look()
        self._check_view(look.view)
        self._own_pool = self._own_pool or self.new_pool()
        yield from stage(self._own_pool.bring(world, camera.eye, levels=look.detail > 0), 0.0, 0.5)
        shown = [Shown(self._own_pool, camera, look, decals)]
        # moderngl binds the framebuffer in use again whenever it makes one: ours must not stay in use once freed.
        previous = self._ctx.detect_framebuffer()
        try:
            for sample in range(samples):
                target = self.draw(shown, width, height, pixel_shift(sample))
                with self.timers.stage("accumulate"):
                    self._add_to_sum(target, first=sample == 0)
                yield Progress(0.5 + 0.5 * sample / samples, "Drawing")
            self._compose_sum(target)
            pixels = np.frombuffer(target.picture.read(alignment=1), np.uint8)
        finally:
            previous.use()
        check_errors(self._ctx, f"drawing a picture of {width} × {height} pixels")
        return np.ascontiguousarray(pixels.reshape(height, width, 4)[::-1])

    def render(
        self,
        world: World,
        camera: Camera,
        width: int,
        height: int,
        look: Look | None = None,
        *,
        samples: int = 8,
        decals: Decals | None = None,
    ) -> NDArray[np.uint8]:
        """What rendering() returns."""
        return finish(self.rendering(world, camera, width, height, look, samples=samples, decals=decals))

    @abstractmethod
    def draw(
        self, worlds: Sequence[Shown], width: int, height: int, shift: tuple[float, float] = (0.0, 0.0)
    ) -> TargetT:
        """Draw one frame of worlds whose pools this renderer made. Its light, its layer and their depths are in the
        target that is returned; it lives as long as the renderer, and the next frame is drawn into it too. The
        framebuffer in use is another one after. The view of the first world decides how light becomes colour."""

    def new_picture(self, size: tuple[int, int]) -> PackedPicture:
        """A picture for draw_into(); whoever asked for it releases it. Raises VoxelwrightError where graphics memory is
        short."""
        return PackedPicture(self._ctx, size)

    def draw_into(self, picture: PackedPicture, worlds: Sequence[Shown], sample: int = 0) -> None:
        """Draw one frame into a picture for a viewport.

        Sample 0 replaces what is there. Sample k, after k − 1 of the same worlds and cameras, makes the picture the
        average of k + 1 frames, each moved by a part of a pixel; its depths stay those of sample 0. The framebuffer in
        use is another one after. Raises ValueError for a sample whose predecessors are not in the picture.
        """
        if not 0 <= sample <= picture.n_samples:
            raise ValueError(f"sample {sample} of a picture of {picture.n_samples} samples")
        with self.timers.frame():
            target = self.draw(worlds, *picture.size, pixel_shift(sample))
            if sample == 0:
                picture.begin(has_layer=target.has_layer)
            elif target.has_layer != (picture.layer is not None):
                raise ValueError("other worlds than those of the samples before")
            with self.timers.stage("pack"):
                self._pack.run(target, picture)

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
            draws=sum(pool.n_draws for pool in self._pools),
            nbytes=sum(pool.nbytes for pool in self._pools) + self._shadow_maps.nbytes + self._shared_nbytes(),
            gpu_milliseconds=self.timers.gpu_milliseconds(),
            cpu_milliseconds=self.timers.cpu_milliseconds(),
        )

    def notices(self) -> list[str]:
        """What the last frame left out, in sentences."""
        return []

    def release(self) -> None:
        """Free everything on the GPU; the renderer is of no use after that."""
        for pool in self._pools:
            pool.release()
        self._pools.clear()
        self._own_pool = None
        if self._target is not None:
            self._forget_target(self._target)
        self._owned.close()

    @abstractmethod
    def _make(self, owned: Owned) -> None:
        """Make what all frames share."""

    @abstractmethod
    def _make_pool(self) -> PoolT: ...

    @abstractmethod
    def _make_target(self, width: int, height: int) -> TargetT: ...

    def _shared_nbytes(self) -> int:
        """Bytes of graphics memory that belong to no pool, without those of pictures."""
        return 0

    def _check_view(self, view: View) -> None:
        """Raise VoxelwrightError for a view that is not drawn."""

    @abstractmethod
    def _add_to_sum(self, target: TargetT, *, first: bool) -> None:
        """Add a frame to the target's sum; the first replaces it."""

    @abstractmethod
    def _compose_sum(self, target: TargetT) -> None:
        """From the sum to the target's picture."""

    def _sized_target(self, width: int, height: int) -> TargetT:
        if self._target is not None and self._target.size != (width, height):
            self._forget_target(self._target)
        if self._target is None:
            self._target = self._make_target(width, height)
        return self._target

    def _forget_target(self, target: TargetT) -> None:
        target.release()
        self._target = None
        # Its framebuffer may be in use, and moderngl would bind it again.
        self._ctx.detect_framebuffer().use()
