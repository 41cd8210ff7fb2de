# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface Nets by compute give the CPU mesher's vertices and quads, chunk by chunk."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from voxelwright.voxel.palette import Palette
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.world import Chunk, World, as_chunk, chunks_of_cells, new_world

OPAQUE, OTHER, GLASS, TINTED, SMOOTH, SNOW, SMOOTH_GLASS = 1, 2, 200, 201, 220, 221, 240
SOME = [OPAQUE, OTHER, GLASS, TINTED, SMOOTH, SNOW, SMOOTH_GLASS]
MIXES: dict[str, tuple[list[int], float]] = {
    "one material": ([SMOOTH], 0.5),
    "smooth": (list(range(220, 250)), 0.6),
    "all kinds": (SOME, 0.6),
    "sparse": (SOME, 0.05),
    "dense": ([SMOOTH, SMOOTH, SNOW, OPAQUE], 0.97),
}
SMOOTHINGS = [0.0, 1.0, 0.3]
CORNERS = [(29, 30, 28), (-3, -2, -4), (0, -3, 61), (-35, 3, -70)]
"""Where small worlds are put: across chunk borders, at negative coordinates."""

Make = Callable[..., Any]


@pytest.fixture
def rig(make_nets_rig: Make) -> Any:
    return make_nets_rig()


def world_of(
    palette: Palette, materials: NDArray[np.int64], corner: tuple[int, ...] = (0, 0, 0), smoothing: float = 0.0
) -> World:
    voxels = np.array([palette.voxel(m) if m else 0 for m in range(256)], np.uint16)[materials]
    cells = np.argwhere(voxels > 0) + np.array(corner)
    chunks = chunks_of_cells(cells, voxels[voxels > 0], 10_000)
    return new_world(chunks, palette, settings=Settings(smoothing=smoothing))


def random_materials(rng: np.random.Generator, mix: str, size: tuple[int, ...]) -> NDArray[np.int64]:
    materials, share = MIXES[mix]
    return np.where(rng.random(size) < share, rng.choice(materials, size), 0)


def check(rig: Any, world: World) -> dict[Any, Any]:
    """Mesh a world, compare with the CPU, and give the surfaces."""
    rig.pool.clear()
    rig.load(world)
    rig.mesh()
    rig.settle()
    found: dict[Any, Any] = rig.surfaces()
    expected = rig.expected()
    assert found.keys() == expected.keys()
    for coord, surface in found.items():
        same = expected[coord]
        assert np.array_equal(surface.positions, same.positions), coord
        assert np.array_equal(surface.quads, same.quads), coord
        assert np.array_equal(surface.materials, same.materials), coord
        np.testing.assert_allclose(surface.normals, same.normals, atol=1e-6)
    return found


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    size=st.tuples(*[st.integers(1, 5)] * 3),
    corner=st.sampled_from(CORNERS),
    smoothing=st.sampled_from(SMOOTHINGS),
    data=st.data(),
)
def test_small_worlds(
    rig: Any, palette: Palette, size: Any, corner: Any, smoothing: float, data: st.DataObject
) -> None:
    n = int(np.prod(size))
    materials = data.draw(st.lists(st.sampled_from([0, *SOME]), min_size=n, max_size=n))
    check(rig, world_of(palette, np.array(materials).reshape(size), corner, smoothing))


@pytest.mark.parametrize("smoothing", SMOOTHINGS[:2])
@pytest.mark.parametrize("mix", MIXES)
def test_random_worlds(rig: Any, palette: Palette, mix: str, smoothing: float) -> None:
    rng = np.random.default_rng(7)
    materials = random_materials(rng, mix, (40, 36, 34))
    assert check(rig, world_of(palette, materials, (-3, -2, 28), smoothing))


@pytest.mark.parametrize("smoothing", SMOOTHINGS[:2])
def test_chunks_of_one_value(rig: Any, palette: Palette, smoothing: float) -> None:
    # Uniform chunks of every kind, next to one another and to chunks with a few voxels at their borders.
    rng = np.random.default_rng(9)
    edge = random_materials(rng, "all kinds", (32, 32, 32))
    edge[1:-1, 1:-1, 1:-1] = SMOOTH
    dense = as_chunk(np.array([palette.voxel(m) if m else 0 for m in range(256)], np.uint16)[edge])
    values = [0, *(palette.voxel(m) for m in SOME)]
    for _ in range(3):
        chunks: dict[Any, Chunk] = {
            (x, y, z): int(rng.choice(values)) if rng.random() < 0.7 else dense
            for x in range(-1, 2)
            for y in range(2)
            for z in range(2)
        }
        check(rig, new_world(chunks, palette, settings=Settings(smoothing=smoothing)))


def test_only_the_outside_of_uniform_chunks_has_a_surface(rig: Any, palette: Palette) -> None:
    cube = new_world(dict.fromkeys(np.ndindex(3, 3, 3), palette.voxel(SMOOTH)), palette)
    surfaces = check(rig, cube)
    assert (1, 1, 1) not in surfaces
    assert sum(len(surface.quads) for surface in surfaces.values()) == 54 * 32 * 32


def test_hills_with_blocks_and_water(rig: Any, palette: Palette) -> None:
    x, y, z = np.indices((70, 60, 40))
    top = 18 + 9 * np.sin(x / 7) + 7 * np.cos(y / 9)
    ground = np.where((x + y) % 23 < 7, OPAQUE, np.where(z > top - 1, SNOW, SMOOTH))
    materials = np.where(z > top, np.where(z < 16, GLASS, 0), ground)
    assert len(check(rig, world_of(palette, materials, (-32, 1, -9), 0.7))) > 8


def test_a_checkerboard_has_the_most_quads_a_chunk_can_have(rig: Any, palette: Palette) -> None:
    materials = (np.indices((34, 34, 34)).sum(axis=0) % 2 == 0) * SMOOTH
    surfaces = check(rig, world_of(palette, materials, (-1, -1, -1)))
    assert len(surfaces[0, 0, 0].quads) == 3 * 32**3
    assert len(surfaces[0, 0, 0].positions) == 33**3


def test_vertices_at_a_border_are_the_same_in_both_chunks(rig: Any, palette: Palette) -> None:
    rng = np.random.default_rng(4)
    materials = random_materials(rng, "all kinds", (24, 24, 24))
    surfaces = check(rig, world_of(palette, materials, (20, 20, 20), 1.0))
    seen: dict[Any, Any] = {}
    n_shared = 0
    for coord, surface in surfaces.items():
        places = surface.positions + np.float32(32) * np.array(coord, np.float32)
        records = zip(places.tolist(), surface.normals, surface.materials, strict=True)
        for place, normal, material in records:
            record = normal.tobytes() + material.tobytes()
            n_shared += tuple(place) in seen
            assert seen.setdefault(tuple(place), record) == record
    assert n_shared > 1000


def test_another_order_and_other_rows_give_the_same(rig: Any, palette: Palette) -> None:
    rng = np.random.default_rng(5)
    world = world_of(palette, random_materials(rng, "smooth", (40, 36, 34)), (-3, -2, 28))
    before = check(rig, world)
    for row in reversed(list(rig.rows.values())):
        rig.mesh([row])
    after = rig.surfaces()
    for coord, surface in before.items():
        assert surface.normals.tobytes() == after[coord].normals.tobytes()
        assert surface.quads.tobytes() == after[coord].quads.tobytes()
