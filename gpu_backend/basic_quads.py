# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's quads for contexts without storage blocks: meshed on the CPU, uploaded as instances of one draw a kind."""

from collections.abc import Iterable
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.jobs import Job, stage
from ..voxel.layout import CHUNK_SIZE
from ..voxel.mesh.arrays import BlockyMesh, SmoothMesh
from ..voxel.palette import Palette
from ..voxel.settings import Settings
from ..voxel.world import Coord, World
from .context import LEAST_VERSION, check_errors
from .passes.draw import Drawn
from .shader import load_program

BLOCKY_INSTANCE = np.dtype(
    [
        ("words", "<u4", 2),  # a PackedQuad
        ("chunk_corner", "<f4", 3),  # in voxel space
    ]
)

SMOOTH_INSTANCE = np.dtype(
    [
        ("positions", "<f4", (4, 3)),  # relative to the chunk's corner, in voxels
        ("normals", "<f4", (4, 3)),
        ("chunk_corner", "<f4", 3),  # in voxel space
        ("quad_material", "<u4"),
    ]
)

_AROUND = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]


class QuadInstances:
    """All quads of one kind on the GPU; program draws them, one instance a record."""

    def __init__(self, ctx: moderngl.Context, vertex_shader: str, layout: np.dtype[Any]) -> None:
        self._ctx = ctx
        self.program = load_program(
            ctx, version=LEAST_VERSION, vertex_shader=vertex_shader, fragment_shader="basic/surface.frag"
        )
        self._names = layout.names or ()
        self._format = " ".join(_attribute(layout[name]) for name in self._names) + "/i"
        self._buffer: moderngl.Buffer | None = None
        self._vertices: moderngl.VertexArray | None = None
        self.n = 0

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self._buffer.size if self._buffer is not None else 0

    def replace(self, records: NDArray[Any]) -> None:
        """Draw these from now on. Raises VoxelwrightError where graphics memory is short; nothing is drawn then."""
        self.clear()
        if not len(records):
            return
        self._buffer = self._ctx.buffer(records.tobytes())
        try:
            check_errors(self._ctx, f"{len(records):,} quads")
            self._vertices = self._ctx.vertex_array(self.program, [(self._buffer, self._format, *self._names)])
        except VoxelwrightError:
            self.clear()
            raise
        self.n = len(records)

    def draw(self, drawn: Drawn) -> None:
        """Draw into the framebuffer in use."""
        if self._vertices is not None:
            self.program["drawn"] = drawn
            self._vertices.render(moderngl.TRIANGLE_FAN, vertices=4, instances=self.n)

    def release(self) -> None:
        """Free everything."""
        self.clear()
        self.program.release()

    def clear(self) -> None:
        """Draw nothing from now on."""
        for item in (self._vertices, self._buffer):
            if item is not None:
                item.release()
        self._vertices = self._buffer = None
        self.n = 0


class BasicQuads:
    """The quads of the world that bring() was given last, of blocks and of smooth surfaces."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self.blocky = QuadInstances(ctx, "basic/blocky.vert", BLOCKY_INSTANCE)
        self.smooth = QuadInstances(ctx, "basic/smooth.vert", SMOOTH_INSTANCE)
        self._blocky_chunks: dict[Coord, NDArray[Any]] = {}
        self._smooth_chunks: dict[Coord, NDArray[Any]] = {}
        self._seen: tuple[World, int, Palette, Settings] | None = None

    @property
    def n_chunks(self) -> int:
        """How many chunks have quads."""
        return len(self._blocky_chunks.keys() | self._smooth_chunks.keys())

    def bring(self, world: World) -> Job[None]:
        """Mesh again what changed since the last call, and upload all quads where anything did. A job that is stopped
        halfway leaves what was there.

        Raises VoxelwrightError where graphics memory is short; nothing is drawn then, and the next call begins anew.
        """
        seen = (world, world.version, world.palette, world.settings)
        if self._seen is not None and self._seen[:2] == seen[:2]:
            return
        stale = self._stale(world)
        if stale == []:  # only colours or settings are others
            self._seen = seen
            return
        blocky, smooth = yield from _mesh(world, stale)
        kept = set() if stale is None else (self._blocky_chunks.keys() | self._smooth_chunks.keys()).difference(stale)
        self._seen = None
        self._blocky_chunks = {c: part for c, part in self._blocky_chunks.items() if c in kept} | blocky
        self._smooth_chunks = {c: part for c, part in self._smooth_chunks.items() if c in kept} | smooth
        self.blocky.clear()
        self.smooth.clear()
        self.blocky.replace(_joined(self._blocky_chunks, BLOCKY_INSTANCE))
        self.smooth.replace(_joined(self._smooth_chunks, SMOOTH_INSTANCE))
        self._seen = seen

    def release(self) -> None:
        """Free everything."""
        self.blocky.release()
        self.smooth.release()

    def _stale(self, world: World) -> list[Coord] | None:
        """The chunks that are to be meshed, or None for all: those that changed and those about them."""
        if self._seen is None:
            return None
        before, version, palette, settings = self._seen
        see_through_alike = np.array_equal(palette.transparent, world.palette.transparent)
        if world is not before or not see_through_alike or settings.smoothing != world.settings.smoothing:
            return None
        changed = world.changed_since(version)
        return sorted({(x + dx, y + dy, z + dz) for x, y, z in changed for dx, dy, dz in _AROUND})


def _mesh(world: World, coords: list[Coord] | None) -> Job[tuple[dict[Coord, NDArray[Any]], dict[Coord, NDArray[Any]]]]:
    """BLOCKY_INSTANCE and SMOOTH_INSTANCE records by chunk."""
    # Loaded here: kernels take a while.
    from ..voxel.mesh.blocky import mesh_blocky

    blocky = blocky_instances((yield from stage(mesh_blocky(world, merge=True, coords=coords), 0.0, 0.5)))
    if not world.has_smooth_voxels():
        return blocky, {}
    from ..voxel.mesh.smooth import mesh_smooth

    return blocky, smooth_instances((yield from stage(mesh_smooth(world, coords=coords), 0.5, 1.0)))


def blocky_instances(mesh: BlockyMesh) -> dict[Coord, NDArray[Any]]:
    """(q,) BLOCKY_INSTANCE by chunk."""
    records = np.empty(len(mesh.quads), BLOCKY_INSTANCE)
    records["words"] = mesh.quads.view("<u4").reshape(-1, 2)
    records["chunk_corner"] = mesh.coords[mesh.chunk_of_quad] * CHUNK_SIZE
    return _by_chunk(mesh.coords, mesh.face_counts.sum(axis=1, dtype=np.int64), records)


def smooth_instances(mesh: SmoothMesh) -> dict[Coord, NDArray[Any]]:
    """(q,) SMOOTH_INSTANCE by chunk."""
    records = np.empty(len(mesh.quads), SMOOTH_INSTANCE)
    records["positions"] = mesh.positions[mesh.quads]
    records["normals"] = mesh.normals[mesh.quads]
    records["chunk_corner"] = np.repeat(mesh.coords * CHUNK_SIZE, mesh.quad_counts, axis=0)
    records["quad_material"] = mesh.quad_materials
    return _by_chunk(mesh.coords, mesh.quad_counts, records)


def _by_chunk(coords: NDArray[np.int32], counts: NDArray[Any], records: NDArray[Any]) -> dict[Coord, NDArray[Any]]:
    """The records of each chunk that has some, copied, so that those of others do not stay with them."""
    ends = np.cumsum(counts, dtype=np.int64).tolist()
    starts = [0, *ends[:-1]]
    return {
        (x, y, z): records[start:end].copy()
        for (x, y, z), start, end in zip(coords.tolist(), starts, ends, strict=bool(ends))
        if end > start
    }


def _joined(chunks: dict[Coord, NDArray[Any]], layout: np.dtype[Any]) -> NDArray[Any]:
    parts: Iterable[NDArray[Any]] = chunks.values()
    return np.concatenate([np.empty(0, layout), *parts])


def _attribute(layout: np.dtype[Any]) -> str:
    """The format by which moderngl knows a field of a record."""
    return f"{layout.itemsize // 4}{layout.base.kind}4"
