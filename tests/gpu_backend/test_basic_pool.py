# SPDX-License-Identifier: GPL-3.0-or-later
"""Without compute shaders too a world's quads on the GPU follow the world, a part at a time."""

from collections.abc import Iterator
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend import basic_pool, buffers
from voxelwright.gpu_backend.basic_pool import BasicPool
from voxelwright.gpu_backend.basic_quads import BLOCKY_INSTANCE, SMOOTH_INSTANCE, QuadInstances
from voxelwright.gpu_backend.basic_renderer import BasicRenderer
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import CHUNK_SIZE
from voxelwright.voxel.mesh import blocky
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.world import AIR, Coord, World, as_chunk, edit_of_chunks, new_world

PALETTE = Palette.of(
    {
        1: Material("red", (200, 40, 40)),
        2: Material("green", (40, 200, 40)),
        3: Material("glass", (40, 40, 200), opacity=0.5),
        4: Material("snow", (240, 240, 250), smooth=True),
    }
)
ORIGIN = np.zeros(3)


@pytest.fixture
def basic(ctx: moderngl.Context) -> Iterator[BasicRenderer]:
    with BasicRenderer(ctx) as made:
        yield made


@pytest.fixture
def pool(basic: BasicRenderer) -> BasicPool:
    return basic.new_pool()


@pytest.fixture
def meshed(monkeypatch: pytest.MonkeyPatch) -> list[Coord]:
    """The chunks that were meshed so far, in this order."""
    found: list[Coord] = []
    mesh = blocky.mesh_blocky

    def noted(world: World, *, merge: bool, coords: list[Coord]) -> Any:
        found.extend(coords)
        return mesh(world, merge=merge, coords=coords)

    monkeypatch.setattr(blocky, "mesh_blocky", noted)
    return found


def _chunk(seed: int, materials: tuple[int, ...] = (0, 0, 1, 2, 3)) -> NDArray[np.uint16]:
    """Cubes of 4³ voxels."""
    voxels = np.array([PALETTE.voxel(m) if m else 0 for m in materials], np.uint16)
    cubes = voxels[np.random.default_rng(seed).integers(0, len(materials), (8, 8, 8))]
    return cubes.repeat(4, 0).repeat(4, 1).repeat(4, 2)


def _world(coords: list[Coord], materials: tuple[int, ...] = (0, 0, 1, 2, 3)) -> World:
    return new_world({coord: as_chunk(_chunk(i, materials)) for i, coord in enumerate(coords)}, PALETTE)


def _change(world: World, coord: Coord, chunk: int | NDArray[np.uint16]) -> None:
    after = chunk if isinstance(chunk, int) else as_chunk(chunk)
    world.apply(edit_of_chunks(world, {coord: after}))


def _on_gpu(quads: QuadInstances, layout: Any, is_freed: Any) -> list[bytes]:
    """The records that are drawn."""
    records = np.frombuffer(quads._buffer.read(), layout)[: quads._ranges.end]
    return sorted(record.tobytes() for record in records[~is_freed(records)])


def _assert_follows(pool: BasicPool, world: World) -> None:
    mesh = finish(mesh_blocky(world, merge=True))
    expected = np.zeros(len(mesh.quads), BLOCKY_INSTANCE)
    expected["words"] = mesh.quads.view("<u4").reshape(-1, 2)
    expected["chunk_corner"] = mesh.coords[mesh.chunk_of_quad] * CHUNK_SIZE
    found = _on_gpu(pool.blocky, BLOCKY_INSTANCE, lambda r: ~r["words"].any(axis=1))
    slots = np.frombuffer(b"".join(found), BLOCKY_INSTANCE)
    assert len(slots) == len(expected) == pool.blocky.n
    for name in ("words", "chunk_corner"):
        np.testing.assert_array_equal(np.sort(slots[name], axis=0), np.sort(expected[name], axis=0))
    smooth = _on_gpu(pool.smooth, SMOOTH_INSTANCE, lambda r: r["quad_material"] == 0)
    assert len(smooth) == pool.smooth.n == len(finish(mesh_smooth(world)).quads)
    assert pool.n_quads == pool.blocky.n + pool.smooth.n
    assert pool.notice is None


def test_edits_of_every_kind_are_followed(pool: BasicPool) -> None:
    world = _world([(x, y, 0) for x in range(3) for y in range(2)])
    finish(pool.bring(world, ORIGIN))
    _assert_follows(pool, world)
    changes: list[tuple[Coord, int | NDArray[np.uint16]]] = [
        ((1, 0, 0), _chunk(50)),
        ((1, 0, 0), _chunk(50, (0, 0, 0, 0, 1))),  # fewer quads, where the others were
        ((1, 0, 0), AIR),
        ((1, 0, 0), int(PALETTE.voxel(3))),
        ((9, 9, 9), _chunk(51)),
        ((9, 9, 9), AIR),
        ((1, 0, 0), _chunk(52, (0, 1, 4))),  # some of it smooth
        ((2, 1, 0), _chunk(53, (0, 1, 1, 2))),
        ((1, 0, 0), _chunk(54, (0, 1))),  # nothing smooth any more
    ]
    for coord, chunk in changes:
        _change(world, coord, chunk)
        finish(pool.bring(world, ORIGIN))
        _assert_follows(pool, world)
    world.apply(edit_of_chunks(world, dict.fromkeys(world.coords(), AIR)))
    finish(pool.bring(world, ORIGIN))
    assert pool.n_quads == pool.n_chunks == pool.n_draws == 0


def test_an_edit_meshes_only_what_depends_on_it(pool: BasicPool, meshed: list[Coord]) -> None:
    world = _world([(x, y, z) for x in range(4) for y in range(4) for z in range(2)], (0, 1))
    finish(pool.bring(world, ORIGIN))
    assert len(meshed) == len(set(meshed)) >= 32
    for chunk, n in ((_chunk(99, (0, 1)), 7), (_chunk(98, (0, 4)), 27), (AIR, 27)):
        meshed.clear()
        _change(world, (1, 1, 0), chunk)
        finish(pool.bring(world, ORIGIN))
        assert len(meshed) == len(set(meshed)) == n
    meshed.clear()
    assert pool.update(world, ORIGIN)
    assert meshed == []


def test_palettes_and_settings_are_followed(pool: BasicPool, meshed: list[Coord]) -> None:
    world = _world([(0, 0, 0), (1, 0, 0)], (0, 1, 4))
    finish(pool.bring(world, ORIGIN))
    materials = dict(PALETTE.items())
    painted = Palette.of({**materials, 1: Material("grass", (220, 20, 20))})
    seen_through = Palette.of({**materials, 1: Material("stone", (128, 126, 124), opacity=0.5)})
    smooth = pool.smooth._buffer.read()
    for palette, settings, meshes in ((painted, None, False), (seen_through, None, True), (None, Settings(1.0), True)):
        meshed.clear()
        world.apply(edit_of_chunks(world, {}, palette, settings))
        finish(pool.bring(world, ORIGIN))
        assert bool(meshed) == meshes
        _assert_follows(pool, world)
    assert pool.smooth._buffer.read() != smooth


def test_an_update_is_bounded_and_begins_near_the_eye(
    pool: BasicPool, meshed: list[Coord], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(basic_pool, "MESH_SECONDS", 0.0)
    monkeypatch.setattr(basic_pool, "MESH_CHUNKS", 4)
    world = _world([(x, 0, 0) for x in range(20)])
    eye = np.array((10.5, 0.5, 0.5)) * CHUNK_SIZE
    n_updates = 1
    while not pool.update(world, eye):
        assert len(meshed) == 4 * n_updates
        n_updates += 1
    assert n_updates > 5
    assert meshed[0] == (10, 0, 0)
    away = [abs(x - 10) + abs(y) + abs(z) for x, y, z in meshed]
    assert max(away[:4]) <= 1 and away[-1] >= 9
    _assert_follows(pool, world)


def test_an_edit_comes_before_what_is_still_missing(
    pool: BasicPool, meshed: list[Coord], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(basic_pool, "MESH_SECONDS", 0.0)
    world = _world([(x, 0, 0) for x in range(40)])
    assert not pool.update(world, ORIGIN)
    _change(world, (39, 0, 0), _chunk(7))
    meshed.clear()
    assert not pool.update(world, ORIGIN)
    assert (39, 0, 0) in meshed
    finish(pool.bring(world, ORIGIN))
    _assert_follows(pool, world)


def test_another_world_takes_the_place(pool: BasicPool) -> None:
    finish(pool.bring(_world([(0, 0, 0), (1, 0, 0)], (0, 1, 4)), ORIGIN))
    other = _world([(5, 5, 5)])
    finish(pool.bring(other, ORIGIN))
    _assert_follows(pool, other)


def test_a_world_beyond_memory_is_refused_and_drawn_once_there_is_room(
    pool: BasicPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise VoxelwrightError("no memory")

    rng = np.random.default_rng(1)
    dense = np.where(rng.random((CHUNK_SIZE,) * 3) < 0.5, PALETTE.voxel(1), 0).astype(np.uint16)
    world = new_world({(0, 0, 0): dense}, PALETTE)
    with monkeypatch.context() as patch:
        patch.setattr(buffers, "check_errors", fail)
        with pytest.raises(VoxelwrightError, match="no memory"):
            pool.update(world, ORIGIN)
    assert pool.n_quads == 0
    finish(pool.bring(world, ORIGIN))
    _assert_follows(pool, world)


def test_bytes_are_those_of_the_buffers(pool: BasicPool) -> None:
    finish(pool.bring(_world([(x, 0, 0) for x in range(12)], (0, 1, 4)), ORIGIN))
    assert pool.nbytes == pool.blocky._buffer.size + pool.smooth._buffer.size + pool.materials.nbytes
    assert pool.blocky._buffer.size >= pool.blocky.n * BLOCKY_INSTANCE.itemsize
    assert pool.smooth._buffer.size >= pool.smooth.n * SMOOTH_INSTANCE.itemsize


def test_every_world_has_a_pool_of_its_own(basic: BasicRenderer) -> None:
    worlds = [_world([(0, 0, 0)]), _world([(1, 0, 0), (2, 0, 0)])]
    pools = [basic.new_pool() for _ in worlds]
    for pool, world in zip(pools, worlds, strict=True):
        finish(pool.bring(world, ORIGIN))
    for pool, world in zip(pools, worlds, strict=True):
        _assert_follows(pool, world)
    assert basic.figures().quads == sum(pool.n_quads for pool in pools)
    basic.drop_pool(pools[0])
    assert basic.figures().quads == pools[1].n_quads
