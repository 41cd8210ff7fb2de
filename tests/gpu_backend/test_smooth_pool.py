# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth surfaces on the GPU: where their records lie, and how they are drawn."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import moderngl
import numpy as np
import pytest

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.records import HAS_OPAQUE, HAS_TRANSPARENT, SMOOTH_DRAW, SMOOTH_QUAD, SMOOTH_VERTEX
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.gpu_backend.smooth_pool import Ranges, SmoothPool, vertex_records
from voxelwright.gpu_backend.views import View
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import CHUNK_SIZE, N_MATERIALS
from voxelwright.voxel.mesh.arrays import SmoothMesh
from voxelwright.voxel.palette import Palette

Make = Callable[..., Any]

OPAQUE = np.zeros(N_MATERIALS, bool)


def _mesh(points: Sequence[Sequence[float]], quads: Sequence[Sequence[int]], materials: Sequence[int]) -> SmoothMesh:
    """Vertices in voxel space, chunk after chunk, whose normals point up; all quads are the first chunk's."""
    table = np.array(points, np.float64).reshape(-1, 3)
    coords, chunk, counts = np.unique(
        np.floor(table / CHUNK_SIZE).astype(np.int64), axis=0, return_inverse=True, return_counts=True
    )
    quad_counts = np.zeros(len(coords), np.uint32)
    quad_counts[:1] = len(quads)
    positions = (table - coords[chunk.reshape(-1)] * CHUNK_SIZE).astype(np.float32)
    return SmoothMesh(
        coords.astype(np.int32),
        counts.astype(np.uint32),
        quad_counts,
        positions,
        np.tile(np.float32([0, 0, 1]), (len(table), 1)),
        *np.zeros((3, len(table)), np.uint8),
        np.array(quads, np.uint32).reshape(-1, 4),
        np.array(materials, np.uint8),
    )


def _square(x: float, y: float, z: float, material: int, size: float = 4.0) -> SmoothMesh:
    return _mesh([(x, y, z), (x + size, y, z), (x + size, y + size, z), (x, y + size, z)], [(0, 1, 2, 3)], [material])


# --- Records ---------------------------------------------------------------------------------------------------------


def test_ranges_fill_gaps_and_join_them() -> None:
    ranges = Ranges()
    assert [ranges.take(n) for n in (3, 0, 5, 2)] == [0, 3, 3, 8]
    ranges.give_back(3, 5)
    assert ranges.take(4) == 3
    assert ranges.take(1) == 7
    assert ranges.take(1) == 10
    for start, n in ((0, 3), (7, 1), (3, 4)):
        ranges.give_back(start, n)
    assert ranges.take(8) == 0
    ranges.give_back(8, 2)
    ranges.give_back(0, 8)
    ranges.give_back(10, 1)
    assert ranges.end == 0


def test_ranges_never_overlap() -> None:
    rng = np.random.default_rng(1)
    ranges, taken = Ranges(), np.zeros(100_000, bool)
    runs: list[tuple[int, int]] = []
    for _ in range(1500):
        if runs and rng.random() < 0.48:
            start, n = runs.pop(rng.integers(len(runs)))
            assert taken[start : start + n].all()
            taken[start : start + n] = False
            ranges.give_back(start, n)
        else:
            n = int(rng.integers(0, 40))
            start = ranges.take(n)
            assert not taken[start : start + n].any()
            taken[start : start + n] = True
            runs.append((start, n))
        assert not taken[ranges.end :].any()
    for start, n in runs:
        ranges.give_back(start, n)
    assert ranges.end == 0


@pytest.fixture
def pool(ctx: moderngl.Context) -> Iterator[SmoothPool]:
    made = SmoothPool(ctx)
    yield made
    made.release()


def _corners(pool: SmoothPool) -> dict[tuple[float, ...], int]:
    """The corners in voxel space of every quad that is drawn, flattened, and its material; as the shaders read them."""
    draws = np.frombuffer(pool._draws.read(), np.uint8)
    draws = draws[: len(draws) // SMOOTH_DRAW.itemsize * SMOOTH_DRAW.itemsize].view(SMOOTH_DRAW)[: pool.n_rows]
    quads = np.frombuffer(pool._quads.read(), np.uint8)
    quads = quads[: len(quads) // SMOOTH_QUAD.itemsize * SMOOTH_QUAD.itemsize].view(SMOOTH_QUAD)
    vertices = np.frombuffer(pool._vertices.read(), np.uint8)
    vertices = vertices[: len(vertices) // SMOOTH_VERTEX.itemsize * SMOOTH_VERTEX.itemsize].view(SMOOTH_VERTEX)
    found = {}
    for row, draw in enumerate(draws):
        for quad in quads[draw["quad_offset"] : draw["quad_offset"] + draw["quad_count"]]:
            corners = vertices[quad["vertices"]]
            assert (corners["slot"] == row).all()
            found[tuple((corners["position"] + draw["corner"][:3]).ravel().tolist())] = int(quad["material"])
    return found


def test_chunks_are_replaced_one_by_one(pool: SmoothPool) -> None:
    squares = {(i, 0, 0): _square(32 * i + 3, 2, 5, 1 + i) for i in range(40)}
    expected = {
        coord: {tuple(mesh.world_positions()[mesh.quads[0]].ravel().tolist()): int(mesh.quad_materials[0])}
        for coord, mesh in squares.items()
    }
    there: dict[Any, dict[tuple[float, ...], int]] = {}
    rng = np.random.default_rng(5)
    for _ in range(150):
        coord = (int(rng.integers(40)), 0, 0)
        if coord in there and rng.random() < 0.5:
            pool.replace([coord], _mesh([], [], []), OPAQUE)
            del there[coord]
        else:
            pool.replace([coord, (99, 9, 9)], squares[coord], OPAQUE)
            there[coord] = expected[coord]
        assert pool.n_quads == len(there)
    assert _corners(pool) == {k: v for table in there.values() for k, v in table.items()}
    pool.clear()
    assert pool.n_quads == 0
    assert _corners(pool) == {}


def test_rows_say_what_they_have(pool: SmoothPool) -> None:
    transparent = OPAQUE.copy()
    transparent[7] = True
    both = _mesh([(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], [(0, 1, 2, 3)] * 2, [1, 7])
    meshes = [_square(0, 0, 3, 1), _square(32, 0, 3, 7)]
    for i, mesh in enumerate([*meshes, replace(both, coords=np.int32([[2, 0, 0]]))]):
        pool.replace([(i, 0, 0)], mesh, transparent)
    draws = np.frombuffer(pool._draws.read()[: 3 * SMOOTH_DRAW.itemsize], SMOOTH_DRAW)
    assert draws["flags"].tolist() == [HAS_OPAQUE, HAS_TRANSPARENT, HAS_OPAQUE | HAS_TRANSPARENT]
    np.testing.assert_array_equal(draws["corner"][:, :3], [(0, 0, 0), (32, 0, 0), (64, 0, 0)])


def test_records_hold_both_materials_and_their_blend() -> None:
    mesh = _square(0, 0, 0, 6)
    materials, seconds, weights = np.uint8([[1, 2, 255, 0], [3, 4, 254, 0], [5, 128, 0, 0]])
    mesh = replace(mesh, materials=materials, secondary_materials=seconds, blend_weights=weights)
    records = vertex_records(mesh, slice(0, 4), 9)
    assert records["attributes"].tolist() == [0x050301, 0x800402, 0x00FEFF, 0]
    assert records["slot"].tolist() == [9] * 4


# --- Pictures --------------------------------------------------------------------------------------------------------


@pytest.fixture
def picture_of(renderer: Renderer, make_world: Make, draw_frame: Make) -> Make:
    """A function that gives the light (64, 64, 3), row 0 at the top, of blocks with a smooth surface beside them."""

    def picture(cells: Any, mesh: SmoothMesh, camera: Camera, look: Look | None = None) -> Any:
        pool = renderer.new_pool()
        world = make_world(cells)
        finish(pool.bring(world, camera.eye))
        pool.smooth.replace([], mesh, world.palette.transparent)
        target = draw_frame(renderer, [Shown(pool, camera, look or Look(sky=False))], 64, 64)
        light = np.frombuffer(target.light.read(), np.float16).reshape(64, 64, 4)[::-1, :, :3].astype(float)
        seen = np.frombuffer(target.distances.read(), np.float32).reshape(64, 64)[::-1] > 0
        return np.where(seen[..., None], light, 0.0)

    return picture


def test_a_surface_shows_from_its_front_only(picture_of: Make, material_in: Make) -> None:
    for elevation in (90, -90):
        camera = orbit_camera((2, 2, 3), (6, 6, 5), 0, elevation, 1.0)
        picture = picture_of([], _square(2, 2, 4, 2), camera)
        assert material_in(picture[20:44, 20:44]) == 2 if elevation > 0 else not picture.any()


def test_surfaces_have_no_gap_between_chunks(renderer: Renderer, make_world: Make) -> None:
    slab = make_world([(x, y, 0, 11) for x in range(-6, 6) for y in range(-6, 6)])
    for azimuth, elevation in ((0, 90), (30, 50)):
        camera = orbit_camera((-4, -4, 0), (4, 4, 1), azimuth, elevation, 1.0)
        picture = renderer.render(slab, camera, 128, 128, Look(sky=False), samples=1)
        assert (picture[32:96, 32:96, 1] > 40).all()


@pytest.mark.parametrize("azimuth", [20, 160, 245])
@pytest.mark.parametrize("elevation", [10, 40, 85])
@pytest.mark.parametrize("orthographic", [False, True])
def test_a_smooth_surface_wins_where_it_lies_on_a_block(
    orthographic: bool, elevation: int, azimuth: int, picture_of: Make, flat: Make
) -> None:
    """Told by its normal: the material is the block's, on which it lies."""
    floor = [(x, y, 3, 1) for x in range(8) for y in range(8)]
    camera = orbit_camera((0, 0, 3), (8, 8, 5), azimuth, elevation, 1.0)
    camera = flat(camera, 5.0) if orthographic else camera
    tilted = np.float32([0.6, 0.0, 0.8])
    mesh = replace(_square(0, 0, 4, 2, 8.0), normals=np.tile(tilted, (4, 1)))
    picture = picture_of(floor, mesh, camera, Look(View.NORMALS, sky=False))
    alone = picture_of([], mesh, camera, Look(View.NORMALS, sky=False)).any(axis=2)
    inside = np.zeros_like(alone)  # blocks are drawn a little larger than they are
    inside[1:-1, 1:-1] = alone[1:-1, 1:-1] & alone[2:, 1:-1] & alone[:-2, 1:-1] & alone[1:-1, 2:] & alone[1:-1, :-2]
    assert inside.sum() > 100
    np.testing.assert_allclose(picture[inside], np.broadcast_to(tilted * 0.5 + 0.5, (inside.sum(), 3)), atol=0.01)


@pytest.mark.parametrize("behind", [False, True])
def test_blocks_and_smooth_surfaces_hide_each_other(behind: bool, picture_of: Make, material_in: Make) -> None:
    block = [(x, y, 2 if behind else 8, 1) for x in range(8) for y in range(8)]
    picture = picture_of(block, _square(0, 0, 5, 2, 8.0), orbit_camera((0, 0, 0), (8, 8, 9), 0, 90, 1.0))
    assert material_in(picture[28:36, 28:36]) == (2 if behind else 1)


def test_normals_are_those_of_the_vertices(picture_of: Make) -> None:
    mesh = _square(0, 0, 4, 2, 8.0)
    tilted = np.float32([0.6, 0.0, 0.8])
    mesh = replace(mesh, normals=np.tile(tilted, (4, 1)))
    camera = orbit_camera((0, 0, 3), (8, 8, 5), 0, 90, 1.0)
    picture = picture_of([], mesh, camera, Look(View.NORMALS, sky=False))
    np.testing.assert_allclose(picture[32, 32], tilted * 0.5 + 0.5, atol=0.01)


def test_smooth_voxels_are_meshed_and_seen_from_all_sides(
    renderer: Renderer, make_world: Make, palette: Palette, material_in: Make
) -> None:
    world = make_world([(30 + x, y, z, 11) for x in range(4) for y in range(4) for z in range(4)])
    for azimuth, elevation in ((0, 0), (90, 0), (200, 20), (0, 90), (0, -90)):
        camera = orbit_camera((30, 0, 0), (34, 4, 4), azimuth, elevation, 1.0)
        picture = renderer.render(world, camera, 64, 64, samples=1)
        assert material_in(picture[24:40, 24:40]) == 2
