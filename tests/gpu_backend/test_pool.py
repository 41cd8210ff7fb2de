# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's copy on the GPU follows the world, a part at a time, within its budget."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend import pool as pool_module
from voxelwright.gpu_backend.context import capabilities
from voxelwright.gpu_backend.gl import GlFunctions
from voxelwright.gpu_backend.pool import WorldPool
from voxelwright.gpu_backend.records import CHUNK_DRAW
from voxelwright.gpu_backend.residency import chunks_in_reach, nearest_chunks
from voxelwright.gpu_backend.timers import FrameTimers
from voxelwright.gpu_backend.voxel_pages import SLOT_BYTES, VOXEL_BYTES
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import CHUNK_SIZE, QUAD_SLOT_MASK, QUAD_SLOT_SHIFT
from voxelwright.voxel.limits import MAX_GRID_CELLS
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.world import Coord, World, as_chunk, edit_of_chunks, new_world

PALETTE = Palette.of(
    {
        1: Material("red", (200, 40, 40)),
        2: Material("green", (40, 200, 40)),
        3: Material("glass", (40, 40, 200), opacity=0.5),
        4: Material("snow", (240, 240, 250), smooth=True),
    }
)
ORIGIN = np.zeros(3)

Make = Callable[..., WorldPool]


@pytest.fixture
def make_pool(ctx: moderngl.Context) -> Iterator[Make]:
    """A function that makes a pool; all are released after the test."""
    gl = GlFunctions(ctx)
    timers = FrameTimers(gl)
    made: list[WorldPool] = []

    def make(**options: object) -> WorldPool:
        made.append(WorldPool(ctx, gl, capabilities(ctx), timers, **options))
        return made[-1]

    yield make
    for pool in made:
        pool.release()
    timers.release()


def _random_chunk(seed: int, materials: tuple[int, ...] = (0, 1, 2, 3)) -> NDArray[np.uint16]:
    voxels = np.array([PALETTE.voxel(m) if m else 0 for m in materials], np.uint16)
    return voxels[np.random.default_rng(seed).integers(0, len(materials), (CHUNK_SIZE,) * 3)]


def _world(coords: list[Coord], materials: tuple[int, ...] = (0, 1, 2, 3)) -> World:
    return new_world({coord: as_chunk(_random_chunk(i, materials)) for i, coord in enumerate(coords)}, PALETTE)


def _quads(pool: WorldPool) -> dict[Coord, list[int]]:
    """The quads on the GPU by chunk, sorted, without slots."""
    draws = np.frombuffer(pool.quads._draws.read(), CHUNK_DRAW)[: pool.quads.n_rows]
    quads = np.frombuffer(pool.quads._quads.read(), np.uint64) & ~np.uint64(QUAD_SLOT_MASK << QUAD_SLOT_SHIFT)
    found = {}
    for draw in draws:
        n = int(draw["face_counts"].sum())
        if n:
            x, y, z = (draw["corner"][:3] // CHUNK_SIZE).astype(int).tolist()
            found[x, y, z] = sorted(quads[draw["quad_offset"] : draw["quad_offset"] + n].tolist())
    return found


def _expected(world: World, *, merge: bool = True) -> dict[Coord, list[int]]:
    mesh = finish(mesh_blocky(world, merge=merge))
    parts = np.split(mesh.quads, np.cumsum(mesh.face_counts.sum(axis=1, dtype=np.int64))[:-1])
    return {(x, y, z): sorted(q.tolist()) for (x, y, z), q in zip(mesh.coords.tolist(), parts, strict=True)}


def _bring(pool: WorldPool, world: World, eye: NDArray[np.float64] = ORIGIN) -> None:
    finish(pool.bring(world, eye))


def _change(world: World, coord: Coord, chunk: int | NDArray[np.uint16]) -> None:
    after = chunk if isinstance(chunk, int) else as_chunk(chunk)
    world.apply(edit_of_chunks(world, {coord: after}))


@pytest.mark.parametrize("merge", [False, True])
def test_the_gpu_has_the_quads_of_the_cpu(make_pool: Make, merge: bool) -> None:
    world = _world([(0, 0, 0), (1, 0, 0), (-1, -1, -1), (0, 0, 5)])
    for coord, chunk in (((0, 1, 0), PALETTE.voxel(1)), ((0, 2, 0), PALETTE.voxel(3)), ((3, 3, 3), PALETTE.voxel(2))):
        _change(world, coord, chunk)
    pool = make_pool(merge=merge)
    _bring(pool, world)
    expected = _expected(world, merge=merge)
    assert _quads(pool) == expected
    assert pool.n_quads == sum(map(len, expected.values()))


def test_edits_of_every_kind_are_followed(make_pool: Make) -> None:
    world = _world([(x, y, 0) for x in range(3) for y in range(2)])
    pool = make_pool()
    _bring(pool, world)
    changes: list[tuple[Coord, int | NDArray[np.uint16]]] = [
        ((1, 0, 0), _random_chunk(50)),
        ((1, 0, 0), 0),  # air
        ((1, 0, 0), PALETTE.voxel(1)),
        ((1, 0, 0), PALETTE.voxel(3)),
        ((9, 9, 9), _random_chunk(51)),  # far outside the grid's box
        ((-9, 0, 2), PALETTE.voxel(2)),
        ((9, 9, 9), 0),
        ((1, 0, 0), _random_chunk(52, (0, 1, 4))),  # some of it smooth
    ]
    for coord, chunk in changes:
        _change(world, coord, chunk)
        _bring(pool, world)
        assert _quads(pool) == _expected(world)
        assert pool.smooth.n_quads == len(finish(mesh_smooth(world)).quads)


def test_an_edit_uploads_and_meshes_only_what_it_touches(make_pool: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    world = _world([(x, y, z) for x in range(4) for y in range(4) for z in range(2)], (0, 1))
    pool = make_pool()
    _bring(pool, world)
    uploaded: list[int] = []
    meshed: list[Coord] = []
    monkeypatch.setattr(pool._pages, "write", lambda slot, _: uploaded.append(slot))
    mesh = pool.quads.mesh
    monkeypatch.setattr(
        pool.quads, "mesh", lambda how, jobs, t: (meshed.extend(map(tuple, jobs["coord"].tolist())), mesh(how, jobs, t))
    )
    _change(world, (1, 1, 0), _random_chunk(99, (0, 1)))
    _bring(pool, world)
    assert uploaded == [pool._slots[1, 1, 0]]
    assert set(meshed) == {(1, 1, 0), (0, 1, 0), (2, 1, 0), (1, 0, 0), (1, 2, 0), (1, 1, 1)}
    uploaded.clear()
    meshed.clear()
    assert pool.update(world, ORIGIN)
    assert not uploaded and not meshed


def test_only_surfaces_that_an_edit_reaches_are_meshed(make_pool: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    coords = [(x, y, 0) for x in range(6) for y in range(2)]
    world = new_world({coord: as_chunk(_random_chunk(i, (0, 4))) for i, coord in enumerate(coords)}, PALETTE)
    pool = make_pool()
    _bring(pool, world)
    meshed: list[Coord] = []
    mesh = pool.smooth.mesh
    monkeypatch.setattr(
        pool.smooth,
        "mesh",
        lambda how, jobs, *s: (meshed.extend(map(tuple, jobs["coord"].tolist())), mesh(how, jobs, *s)),
    )
    _change(world, (4, 0, 0), _random_chunk(98, (0, 4)))
    _bring(pool, world)
    owners = {
        (x - dx, y - dy, z - dz) for x, y, z in coords for dx, dy, dz in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    }
    around = {(4 + x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)}
    assert sorted(meshed) == sorted(owners & around)
    # The last smooth voxels go, and with them rows and ranges.
    for coord in coords:
        _change(world, coord, _random_chunk(1, (0, 1)))
    _bring(pool, world)
    assert pool.smooth.n_quads == 0
    meshed.clear()
    _change(world, (0, 0, 0), _random_chunk(2, (0, 1)))
    _bring(pool, world)
    assert not meshed


def test_surfaces_beyond_the_budget_make_far_chunks_leave(make_pool: Make) -> None:
    world = new_world({(x, 0, 0): as_chunk(_random_chunk(x, (0, 4))) for x in range(4)}, PALETTE)
    pool = make_pool(budget=int(3_000_000 / 0.165))
    _bring(pool, world)
    assert pool.notice is not None
    assert pool.smooth.n_quads > 0
    assert 3 * pool.quads.nbytes + 2 * pool.smooth.nbytes <= 3 * 3_000_000


def test_one_update_uploads_a_bounded_part(
    ctx: moderngl.Context, make_pool: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "UPLOAD_BYTES", 4 * VOXEL_BYTES)
    world = _world([(x, 0, 0) for x in range(10)], (0, 1))
    pool = make_pool()
    n_updates = 1
    while not pool.update(world, ORIGIN):
        n_updates += 1
        assert n_updates < 20
        ctx.finish()
    assert n_updates >= 3
    _bring(pool, world)
    assert _quads(pool) == _expected(world)


def test_uniform_chunks_take_no_slot_and_buried_ones_no_row(make_pool: Make) -> None:
    stone = PALETTE.voxel(1)
    block = {(x, y, z): stone for x in range(3) for y in range(3) for z in range(3)}
    world = new_world(block, PALETTE)
    pool = make_pool()
    _bring(pool, world)
    assert pool._pages.capacity == 0
    assert pool.n_chunks == 26
    assert _quads(pool) == _expected(world)


def test_another_palette_and_another_world_are_followed(make_pool: Make) -> None:
    world = _world([(0, 0, 0), (1, 0, 0)])
    pool = make_pool()
    _bring(pool, world)
    materials = dict(PALETTE.items())
    materials[1] = replace(materials[1], opacity=0.5)
    world.apply(edit_of_chunks(world, {}, palette=Palette.of(materials)))
    _bring(pool, world)
    assert _quads(pool) == _expected(world)
    other = _world([(5, 5, 5)])
    _bring(pool, other)
    assert _quads(pool) == _expected(other)


def test_another_smoothing_meshes_smooth_surfaces_again(make_pool: Make) -> None:
    world = new_world({(0, 0, 0): as_chunk(_random_chunk(3, (0, 4)))}, PALETTE)
    pool = make_pool()
    _bring(pool, world)
    before = pool.smooth._vertices.read()
    world.apply(edit_of_chunks(world, {}, settings=Settings(smoothing=1.0)))
    _bring(pool, world)
    assert pool.smooth._vertices.read() != before


def test_beyond_the_budget_the_nearest_chunks_are_shown_and_a_notice_says_so(make_pool: Make) -> None:
    sparse = _random_chunk(1, (0,) * 299 + (1,))
    world = new_world({(x, 0, 0): as_chunk(sparse) for x in range(12)}, PALETTE)
    pool = make_pool(budget=6 * SLOT_BYTES * 4 // 3 + 4)
    _bring(pool, world)
    assert set(_quads(pool)) == {(x, 0, 0) for x in range(6)}
    assert pool.notice is not None and pool.notice.startswith("6 far chunks are not shown")
    _bring(pool, world, np.array((12.0 * CHUNK_SIZE, 0, 0)))
    assert set(_quads(pool)) == {(x, 0, 0) for x in range(6, 12)}
    for x in range(4, 12):
        _change(world, (x, 0, 0), 0)
    _bring(pool, world)
    assert pool.notice is None
    assert _quads(pool) == _expected(world)


def test_another_budget_is_followed_at_the_next_update(make_pool: Make) -> None:
    sparse = _random_chunk(1, (0,) * 299 + (1,))
    world = new_world({(x, 0, 0): as_chunk(sparse) for x in range(12)}, PALETTE)
    small, large, all_of_it = (n * SLOT_BYTES * 4 // 3 + 4 for n in (3, 6, 200))
    pool = make_pool(budget=large)
    _bring(pool, world)
    for budget, n in ((small, 3), (large, 6), (all_of_it, 12), (large, 6), (all_of_it, 12), (small, 3)):
        pool.set_budget(budget)
        _bring(pool, world)
        assert set(_quads(pool)) == {(x, 0, 0) for x in range(n)}
        if n == 12:
            assert pool.notice is None
        else:
            assert pool.notice is not None and pool.notice.startswith(f"{12 - n} far chunks")
            assert pool._pages.capacity <= n
    _change(world, (0, 0, 0), _random_chunk(7))
    pool.set_budget(all_of_it)
    _bring(pool, world)
    assert _quads(pool) == _expected(world)


def test_a_larger_budget_keeps_what_is_there(make_pool: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    world = new_world({(x, 0, 0): as_chunk(_random_chunk(x, (0, 0, 0, 1))) for x in range(4)}, PALETTE)
    pool = make_pool(budget=3 * SLOT_BYTES * 4 // 3 + 4)
    pool.quads.max_bytes = 1 << 28
    _bring(pool, world)
    written: list[int] = []
    write = pool._pages.write
    monkeypatch.setattr(pool._pages, "write", lambda slot, voxels: (written.append(slot), write(slot, voxels)))
    pool.set_budget(1 << 26)
    _bring(pool, world)
    assert len(written) == 1
    assert _quads(pool) == _expected(world)
    pool.set_budget(1 << 27)
    assert pool.update(world, ORIGIN)
    assert len(written) == 1


def test_a_budget_that_takes_more_pages_makes_all_anew(make_pool: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voxelwright.gpu_backend.voxel_pages._MAX_PAGE_BYTES", 4 * VOXEL_BYTES)
    world = _world([(x, 0, 0) for x in range(6)], (0, 1))
    pool = make_pool(budget=3 * SLOT_BYTES * 4 // 3 + 4)
    pool.quads.max_bytes = 1 << 28
    _bring(pool, world)
    assert pool.defines["VOXEL_PAGES"] == 1
    pool.set_budget(1 << 29)
    _bring(pool, world)
    assert pool.defines["VOXEL_PAGES"] > 1
    assert _quads(pool) == _expected(world)


def test_quads_beyond_the_budget_make_far_chunks_leave(make_pool: Make) -> None:
    world = _world([(x, 0, 0) for x in range(8)], (0, 1))
    pool = make_pool()
    pool.quads.max_bytes = 2_000_000
    _bring(pool, world)
    shown = _quads(pool)
    assert pool.notice is not None
    assert 1 <= len(shown) < 8 and set(shown) == {(x, 0, 0) for x in range(len(shown))}
    assert pool.quads.nbytes <= 2_000_000


def test_bytes_are_those_of_the_buffers(ctx: moderngl.Context, make_pool: Make) -> None:
    """Every buffer of the pool is counted: what it says is what OpenGL was asked for."""
    sizes: dict[int, int] = {}
    make, release, orphan = moderngl.Context.buffer, moderngl.Buffer.release, moderngl.Buffer.orphan

    def counted(self: moderngl.Context, *args: object, **options: object) -> moderngl.Buffer:
        made = make(self, *args, **options)
        sizes[made.glo] = made.size
        return made

    def orphaned(self: moderngl.Buffer, size: int) -> None:
        orphan(self, size)
        sizes[self.glo] = size

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moderngl.Context, "buffer", counted)
        patch.setattr(moderngl.Buffer, "orphan", orphaned)
        patch.setattr(moderngl.Buffer, "release", lambda self: (sizes.pop(self.glo, None), release(self))[1])
        pool = make_pool()
        _bring(pool, _world([(0, 0, 0), (1, 1, 1)], (0, 1, 4)))
    textures = pool.materials.nbytes - pool.materials._records.size
    work_lists = pool._occupancy_pass._slots.nbytes
    assert pool.nbytes - textures + work_lists == sum(sizes.values())


def test_a_failed_allocation_is_one_sentence(make_pool: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise VoxelwrightError("The graphics memory is too small for a test.")

    pool = make_pool()
    monkeypatch.setattr("voxelwright.gpu_backend.buffers.check_errors", fail)
    world = _world([(0, 0, 0)])
    with pytest.raises(VoxelwrightError, match="too small"):
        pool.update(world, ORIGIN)
    monkeypatch.undo()
    _bring(pool, world)
    assert _quads(pool) == _expected(world)


def test_the_nearest_chunks_come_first() -> None:
    coords = [(x, 0, 0) for x in range(-3, 4)]
    assert nearest_chunks(coords, np.array((40.0, 16, 16)), 3) == [(1, 0, 0), (0, 0, 0), (2, 0, 0)]
    assert nearest_chunks([], ORIGIN, 3) == []


def test_chunks_too_far_apart_for_one_grid_are_left_out() -> None:
    near, far = [(0, 0, 0), (5, 5, 5)], (1 << 15, 1 << 15, 1 << 15)
    assert chunks_in_reach(near, ORIGIN) == set(near)
    assert chunks_in_reach([*near, far], ORIGIN) == set(near)
    assert chunks_in_reach([*near, far], np.array(far) * CHUNK_SIZE) == {far}
    assert MAX_GRID_CELLS >= 256**3
