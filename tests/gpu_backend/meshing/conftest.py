# SPDX-License-Identifier: GPL-3.0-or-later
"""A world on the GPU as the meshing passes read it, made by hand."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Self

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.context import capabilities
from voxelwright.gpu_backend.gl import GlFunctions
from voxelwright.gpu_backend.passes.mesh import MeshPass
from voxelwright.gpu_backend.passes.nets import NetsPass
from voxelwright.gpu_backend.passes.occupancy import OccupancyPass
from voxelwright.gpu_backend.quad_pool import QuadPool
from voxelwright.gpu_backend.records import (
    CHUNK_DRAW,
    HAS_OPAQUE,
    HAS_TRANSPARENT,
    MESH_HEADER,
    MESH_JOB,
    MESH_ROW,
    NETS_HEADER,
    NETS_ROW,
    NETS_STEP,
    OCCUPANCY_WORDS,
    QUAD_BLOCK,
    SMOOTH_DRAW,
    SMOOTH_QUAD,
    SMOOTH_VERTEX,
    UNIFORM_CHUNK,
    WORLD_GRID,
    StorageBinding,
    UniformBinding,
)
from voxelwright.gpu_backend.smooth_pool import SmoothPool
from voxelwright.voxel import layout
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import Coord, World

PAGE_SLOTS = 12
"""So few that the larger worlds lie in two pages. No world has more than two of them."""

NO_SLOT = 0xFFFF_FFFF


class Passes:
    """The passes of all rigs: their programs are compiled once."""

    def __init__(self, ctx: moderngl.Context) -> None:
        defines = {"VOXEL_PAGES": 2, "PAGE_SLOTS": PAGE_SLOTS}
        self.occupancy = OccupancyPass(ctx, defines)
        self.single, self.greedy = (MeshPass(ctx, defines, merge=merge) for merge in (False, True))
        self.nets = NetsPass(ctx, defines)

    def release(self) -> None:
        for item in (self.occupancy, self.single, self.greedy, self.nets):
            item.release()


class Rig:
    """The world that was loaded last, and a pool for what is meshed of it. rows are those of all chunks that any world
    had."""

    pool: QuadPool | SmoothPool

    def __init__(self, ctx: moderngl.Context, passes: Passes) -> None:
        self._ctx = ctx
        self._occupancy_pass = passes.occupancy
        self.rows: dict[Coord, int] = {}
        self.slots: dict[Coord, int] = {}
        self._buffers: list[moderngl.Buffer] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for item in (*self._buffers, self.pool):
            item.release()

    def load(self, world: World) -> None:
        """Upload a world and compute its occupancy."""
        self.world = world
        coords = world.coords()
        for coord in coords:
            self.rows.setdefault(coord, len(self.rows))
        dense = [coord for coord in coords if not isinstance(world.chunk(coord), int)]
        self.slots = {coord: slot for slot, coord in enumerate(reversed(dense))}
        voxels = np.zeros((2 * PAGE_SLOTS, *layout.CHUNK_SHAPE), np.uint16)
        for coord, slot in self.slots.items():
            voxels[slot] = world.chunk(coord)
        table = np.array(coords or [(0, 0, 0)])
        origin, size = table.min(axis=0), np.ptp(table, axis=0) + 1
        grid = np.zeros(size, np.uint32)
        for coord in coords:
            chunk = world.chunk(coord)
            cell = UNIFORM_CHUNK | chunk if isinstance(chunk, int) else self.slots[coord] + 1
            grid[tuple(np.array(coord) - origin)] = cell
        place = np.zeros((), WORLD_GRID)
        place["origin"][:3], place["size"][:3] = origin, size
        for buffer in self._buffers:
            buffer.release()
        parts = [voxels[:PAGE_SLOTS], voxels[PAGE_SLOTS:], grid, np.zeros((len(voxels), OCCUPANCY_WORDS), np.uint32)]
        self._buffers = [self._ctx.buffer(part.tobytes()) for part in (*parts, place)]
        bindings = (StorageBinding.VOXELS_0, StorageBinding.VOXELS_0 + 1, StorageBinding.GRID, StorageBinding.OCCUPANCY)
        for binding, buffer in zip(bindings, self._buffers[:-1], strict=True):
            buffer.bind_to_storage_buffer(binding)
        self._buffers[-1].bind_to_uniform_block(UniformBinding.WORLD_GRID)
        self._occupancy_pass.run(np.arange(len(dense), dtype=np.uint32), world.palette.transparent)

    def occupancy(self) -> NDArray[np.uint32]:
        """(slots, OCCUPANCY_WORDS)."""
        self._ctx.memory_barrier(moderngl.BUFFER_UPDATE_BARRIER_BIT)
        return np.frombuffer(self._buffers[3].read(), np.uint32).reshape(-1, OCCUPANCY_WORDS)

    def jobs(self, rows: Iterable[int] | None) -> NDArray[np.void]:
        """(n,) MESH_JOB of some rows, or of all."""
        coords = list(self.rows)
        return np.array([(coords[row], row) for row in (self.rows.values() if rows is None else rows)], MESH_JOB)

    def mesh(self, rows: Iterable[int] | None = None) -> None:
        """Mesh some rows, or all."""
        raise NotImplementedError

    def settle(self) -> int:
        """Mesh rows again until all have room; how often that took."""
        times = 0
        while len(rows := self.pool.finish()):
            self.mesh(rows.tolist())
            times += 1
        return times


class MeshRig(Rig):
    """A rig for blocks."""

    def __init__(
        self, ctx: moderngl.Context, passes: Passes, *, merge: bool, n_quads: int = 1 << 16, max_bytes: int = 1 << 28
    ) -> None:
        super().__init__(ctx, passes)
        self.mesh_pass = passes.greedy if merge else passes.single
        self.pool = QuadPool(ctx, GlFunctions(ctx), capabilities(ctx), max_bytes=max_bytes, n_quads=n_quads)
        self.merge = merge

    def mesh(self, rows: Iterable[int] | None = None) -> None:
        self.pool.mesh(self.mesh_pass, self.jobs(rows), self.world.palette.transparent)

    def header(self) -> NDArray[np.void]:
        """What MESH_STATE says of the pool."""
        return np.frombuffer(self.pool._state.read(), MESH_HEADER, 1)[0]

    def state(self) -> NDArray[np.void]:
        """(n_rows,) MESH_ROW."""
        rows = np.frombuffer(self.pool._state.read(), MESH_ROW, offset=MESH_HEADER.itemsize)
        return rows[: self.pool.n_rows]

    def draws(self) -> NDArray[np.void]:
        """(n_rows,) CHUNK_DRAW."""
        return np.frombuffer(self.pool._draws.read(), CHUNK_DRAW)[: self.pool.n_rows]

    def quads(self) -> dict[Coord, set[int]]:
        """The quads of each chunk that has any. What must hold of the records is asserted: faces are sorted, owners
        right, ranges inside the pool and apart from each other, and the header's counts true."""
        quads = np.frombuffer(self.pool._quads.read(), np.uint64)
        owners = np.frombuffer(self.pool._owners.read(), np.uint32)
        draws, header, coords = self.draws(), self.header(), list(self.rows)
        assert header["n_quads"] == draws["face_counts"].sum()
        assert header["capacity"] * QUAD_BLOCK == self.pool.capacity == len(quads)
        taken = np.zeros(len(owners), int)
        found: dict[Coord, set[int]] = {}
        for row, draw in enumerate(draws):
            n = int(draw["face_counts"].sum())
            if n == 0:
                continue
            np.testing.assert_array_equal(draw["face_offsets"], np.cumsum(draw["face_counts"]) - draw["face_counts"])
            start = int(draw["quad_offset"])
            blocks = slice(start // QUAD_BLOCK, -(-(start + n) // QUAD_BLOCK))
            assert start % QUAD_BLOCK == 0
            assert (owners[blocks] == row).all()
            taken[blocks] += 1
            coord = coords[row]
            slot = self.slots.get(coord, NO_SLOT)
            assert draw["slot"] == slot
            np.testing.assert_array_equal(draw["corner"][:3], np.array(coord) * layout.CHUNK_SIZE)
            own = quads[start : start + n]
            fields = layout.unpack_quads(own)
            np.testing.assert_array_equal(np.bincount(fields["face"], minlength=6), draw["face_counts"])
            assert (np.diff(fields["face"]) >= 0).all()
            assert (fields["slot"] == (0 if slot == NO_SLOT else slot & layout.QUAD_SLOT_MASK)).all()
            found[coord] = set((own & ~np.uint64(layout.QUAD_SLOT_MASK << layout.QUAD_SLOT_SHIFT)).tolist())
            assert len(found[coord]) == n
        assert taken.max(initial=0) <= 1
        return found

    def expected(self) -> dict[Coord, set[int]]:
        """The same from the CPU's mesher."""
        mesh = finish(mesh_blocky(self.world, merge=self.merge))
        ends = np.cumsum(mesh.face_counts.sum(axis=1))
        parts = np.split(mesh.quads, ends[:-1]) if len(ends) else []
        return {tuple(c): set(q.tolist()) for c, q in zip(mesh.coords.tolist(), parts, strict=True)}


@dataclass(frozen=True)
class Surface:
    """The smooth surface of a chunk, vertices and quads each in an order of their own: positions and normals (v, 3)
    float32; materials (v, 3) uint8, both and the weight of the second; quads (q, 13) float32, four positions and the
    material."""

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]
    materials: NDArray[np.uint8]
    quads: NDArray[np.float32]

    @classmethod
    def of(
        cls,
        positions: NDArray[np.float32],
        normals: NDArray[np.float32],
        materials: NDArray[np.uint8],
        quads: NDArray[np.uint32],
        quad_materials: NDArray[np.uint32],
    ) -> Self:
        order = np.lexsort(positions.T)
        corners = positions[quads].reshape(-1, 12)
        table = np.concatenate([corners, quad_materials[:, None].astype(np.float32)], axis=1)
        return cls(positions[order], normals[order], materials[order], table[np.lexsort(table.T)])


class NetsRig(Rig):
    """A rig for smooth surfaces."""

    def __init__(
        self,
        ctx: moderngl.Context,
        passes: Passes,
        *,
        capacity: tuple[int, int] = (1 << 16, 1 << 16),
        max_bytes: int = 1 << 28,
    ) -> None:
        super().__init__(ctx, passes)
        self.nets_pass = passes.nets
        self.pool = SmoothPool(ctx, GlFunctions(ctx), capabilities(ctx), max_bytes=max_bytes, capacity=capacity)

    def load(self, world: World) -> None:
        """As Rig.load(). The chunks before those of the world, which may own quads of theirs, have rows too."""
        for x, y, z in world.coords():
            for coord in ((x, y, z), (x - 1, y, z), (x, y - 1, z), (x, y, z - 1)):
                self.rows.setdefault(coord, len(self.rows))
        super().load(world)

    def mesh(self, rows: Iterable[int] | None = None) -> None:
        settings = self.world.settings
        self.pool.mesh(self.nets_pass, self.jobs(rows), self.world.palette.transparent, settings.smoothing)

    def header(self) -> NDArray[np.void]:
        """What the GPU says of the pool."""
        return np.frombuffer(self.pool._state.read(), NETS_HEADER, 1)[0]

    def state(self) -> NDArray[np.void]:
        """(n_rows,) NETS_ROW."""
        return np.frombuffer(self.pool._state.read(), NETS_ROW, offset=NETS_HEADER.itemsize)[: self.pool.n_rows]

    def draws(self) -> NDArray[np.void]:
        """(n_rows,) SMOOTH_DRAW."""
        return np.frombuffer(self.pool._draws.read(), SMOOTH_DRAW)[: self.pool.n_rows]

    def surfaces(self) -> dict[Coord, Surface]:
        """The surface of each chunk that has any. What must hold of the records is asserted: slots are right, quads
        have vertices of their own chunk, ranges lie inside the buffers and apart from each other, counts are true."""
        vertices = np.frombuffer(self.pool._vertices.read(), SMOOTH_VERTEX)
        quads = np.frombuffer(self.pool._quads.read(), SMOOTH_QUAD)
        draws, state, header, coords = self.draws(), self.state(), self.header(), list(self.rows)
        assert header["n_quads"] == draws["quad_count"].sum()
        assert [header["vertex_capacity"], header["quad_capacity"]] == self.pool._capacity.tolist()
        taken = np.zeros(len(vertices), int), np.zeros(len(quads), int)
        found: dict[Coord, Surface] = {}
        for row, (draw, own) in enumerate(zip(draws, state, strict=True)):
            first, n = int(own["vertex_offset"]), int(own["n_own"])
            assert n <= own["n_vertices"] <= own["vertex_capacity"]
            assert draw["quad_count"] <= own["quad_capacity"]
            assert own["vertex_capacity"] % NETS_STEP == own["quad_capacity"] % NETS_STEP == 0
            taken[0][first : first + own["vertex_capacity"]] += 1
            taken[1][draw["quad_offset"] : draw["quad_offset"] + own["quad_capacity"]] += 1
            if draw["quad_count"] == 0:
                assert own["n_vertices"] == 0
                continue
            np.testing.assert_array_equal(draw["corner"][:3], np.array(coords[row]) * layout.CHUNK_SIZE)
            part, its_quads = vertices[first : first + n], quads[draw["quad_offset"] :][: draw["quad_count"]]
            assert (part["slot"] == row).all()
            indices = its_quads["vertices"] - own["vertex_offset"]
            assert indices.max() < n
            kinds = self.world.palette.transparent[its_quads["material"]]
            assert draw["flags"] == HAS_OPAQUE * (not kinds.all()) | HAS_TRANSPARENT * bool(kinds.any())
            fields = part["attributes"][:, None] >> np.uint32([0, 8, 16]) & 0xFF
            assert (part["attributes"] >> 24 == 0).all()
            found[coords[row]] = Surface.of(
                part["position"], part["normal"], fields.astype(np.uint8), indices, its_quads["material"]
            )
        assert taken[0].max(initial=0) <= 1 and taken[1].max(initial=0) <= 1
        return found

    def expected(self) -> dict[Coord, Surface]:
        """The same from the CPU's mesher."""
        mesh = finish(mesh_smooth(self.world))
        found: dict[Coord, Surface] = {}
        vertex = quad = 0
        for coord, n, n_quads in zip(mesh.coords.tolist(), mesh.vertex_counts, mesh.quad_counts, strict=True):
            own, its_quads = slice(vertex, vertex + int(n)), slice(quad, quad + int(n_quads))
            vertex, quad = own.stop, its_quads.stop
            materials = np.stack([mesh.materials, mesh.secondary_materials, mesh.blend_weights], axis=1)[own]
            indices = mesh.quads[its_quads] - np.uint32(own.start)
            found[tuple(coord)] = Surface.of(
                mesh.positions[own], mesh.normals[own], materials, indices, mesh.quad_materials[its_quads]
            )
        return found


@pytest.fixture(scope="session")
def _passes(_context: moderngl.Context) -> Iterator[Passes]:
    with _context:
        passes = Passes(_context)
        yield passes
        passes.release()


@pytest.fixture
def make_rig(ctx: moderngl.Context, _passes: Passes) -> Iterator[Callable[..., MeshRig]]:
    """A function that makes a MeshRig, which is released after the test."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(MeshRig(ctx, _passes, **options))


@pytest.fixture
def make_nets_rig(ctx: moderngl.Context, _passes: Passes) -> Iterator[Callable[..., NetsRig]]:
    """A function that makes a NetsRig, which is released after the test."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(NetsRig(ctx, _passes, **options))


@pytest.fixture(params=[False, True], ids=["single", "greedy"])
def rig(make_rig: Callable[..., MeshRig], request: pytest.FixtureRequest) -> MeshRig:
    return make_rig(merge=request.param)


@pytest.fixture(scope="session")
def palette() -> Palette:
    """1–199 opaque blocks, 200–219 blocks of glass, 220–239 smooth, 240–249 smooth glass, the rest as they come."""
    kinds = {
        i: {"opacity": 0.5 if 200 <= i < 220 or 240 <= i < 250 else 1.0, "smooth": i >= 220} for i in range(1, 256)
    }
    return Palette.of({i: Material(f"material {i}", (i, 0, 0), **kind) for i, kind in kinds.items()})
