# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays through the occupancy of a world, held to numpy, which meets every voxel by itself."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.renderer import Renderer
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.chunk_bits import bit_batches
from voxelwright.voxel.mesh.nets_field import STRENGTH_STEPS, smoothed_field
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.palette import Palette
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.world import World, edit_of_chunks, new_world

Make = Callable[..., Any]
March = Callable[..., NDArray[np.float32]]

FAR = 1e30
TOLERANCE = 2e-3
"""Voxels by which a ray may pass beside where it should."""

HEAD = '#include "lib/march.glsl"\n'
BODY = """
ivec3 base = ivec3(word(0u), word(1u), word(2u));
Marched start = marched_chunk(base >> CHUNK_SHIFT);
vec3 origin = vec3(base & (CHUNK_SIZE - 1)) + real3(3u), direction = real3(6u);
float reach = min(real(9u), way_to_end(start.coord, origin, direction));
put(0u, march(start, origin, direction, reach, word(10u) != 0u));
"""


@pytest.fixture
def march(renderer: Renderer, run_glsl: Make) -> March:
    """A function that marches rays from points (n, 3), in voxel space, along unit vectors (n, 3)."""

    def run(
        world: World,
        points: NDArray[np.float64],
        directions: NDArray[np.float64],
        reach: float = FAR,
        from_smooth: bool = False,
    ) -> NDArray[np.float32]:
        pool = renderer.new_pool()
        finish(pool.bring(world, np.zeros(3)))
        pool.bind()
        pool.fields.bind()
        items = np.zeros((len(points), 11), np.uint32)
        base = np.floor(points)
        items[:, :3] = base.astype(np.int32).view(np.uint32)
        items[:, 3:6] = (points - base).astype(np.float32).view(np.uint32)
        items[:, 6:9] = directions.astype(np.float32).view(np.uint32)
        items[:, 9] = np.float32(reach).view(np.uint32)
        items[:, 10] = from_smooth
        return run_glsl(HEAD, BODY, items, 1, {"SURFACES": int(world.has_smooth_voxels())}).view(np.float32)[:, 0]

    return run


def first_met(
    voxels: NDArray[np.int64], points: NDArray[np.float64], directions: NDArray[np.float64], grown: float = 0.0
) -> NDArray[np.float64]:
    """(n,): how far away the first of the voxels (m, 3) is, each larger by grown on every side; inf for none."""
    met = np.full(len(points), np.inf)
    with np.errstate(divide="ignore"):
        inverse = 1 / directions
    for voxel in voxels:
        ways = np.stack([(voxel - grown - points) * inverse, (voxel + 1 + grown - points) * inverse])
        enter, leave = ways.min(axis=0).max(axis=1), ways.max(axis=0).min(axis=1)
        met = np.where((enter < leave) & (leave > 0), np.minimum(met, np.maximum(enter, 0)), met)
    return met


def _rays(rng: np.random.Generator, n: int, half: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points about the origin and directions, many of them nearly or wholly along an axis or a diagonal."""
    points = rng.uniform(-half, half, (n, 3)).astype(np.float32).astype(np.float64)
    directions = rng.normal(size=(n, 3))
    directions[: n // 4] *= rng.choice([0.0, 1e-4, 1.0], (n // 4, 3))
    directions[n // 4 : n // 2] = rng.choice([-1.0, 1.0], (n // 4, 3))
    directions[(directions == 0).all(axis=1)] = 0, 0, 1
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return points, directions.astype(np.float32).astype(np.float64)


def _hold(
    found: NDArray[np.float32],
    voxels: NDArray[np.int64],
    points: NDArray[np.float64],
    directions: NDArray[np.float64],
    reach: float = np.inf,
) -> None:
    """No ray goes through a voxel, and none is stopped where there is none."""
    latest = first_met(voxels, points, directions, -TOLERANCE)
    earliest = first_met(voxels, points, directions, TOLERANCE)
    hit = found < FAR
    leaks = ~hit & (latest < reach - 1) | hit & (found > latest + 1e-2)
    assert not leaks.any(), np.flatnonzero(leaks)
    stopped = hit & (found < earliest - 1e-2)
    assert not stopped.any(), np.flatnonzero(stopped)


@pytest.mark.parametrize(("half", "n"), [(6, 60), (30, 500), (64, 1500)])
def test_rays_meet_what_numpy_meets(half: int, n: int, march: March, make_world: Make) -> None:
    """Crowded about the origin, then across some chunks, then so thinly that most cells of all sizes are empty."""
    rng = np.random.default_rng(half)
    voxels = np.unique(rng.integers(-half, half, (n, 3)), axis=0)
    points, directions = _rays(rng, 3000, half)
    found = march(make_world([(*voxel, 1) for voxel in voxels.tolist()]), points, directions)
    _hold(found, voxels, points, directions)
    assert 0.05 < (found < FAR).mean() < 0.95


def test_rays_end_at_their_reach(march: March, make_world: Make) -> None:
    rng = np.random.default_rng(4)
    voxels = np.unique(rng.integers(-12, 12, (300, 3)), axis=0)
    points, directions = _rays(rng, 2000, 12)
    found = march(make_world([(*voxel, 1) for voxel in voxels.tolist()]), points, directions, 6.0)
    assert found[found < FAR].max() <= 6
    _hold(found, voxels, points, directions, 6.0)


def test_chunks_of_one_value_stop_rays_or_let_them_through(march: March, palette: Palette) -> None:
    chunks = {(0, 0, 0): 1, (-2, 0, 0): 7, (0, -2, 0): 11}  # of the palette: opaque, glass, smooth
    world = new_world({coord: palette.voxel(material) for coord, material in chunks.items()}, palette)
    points = np.array([(-20.5, 5.5, 5.5), (5.5, -20.5, 5.5), (-20.5, 5.5, 5.5), (5.5, 5.5, 70.5)])
    directions = np.array([(1, 0, 0), (0, -1, 0), (-1, 0, 0), (0, 0, -1)], np.float64)
    found = march(world, points, directions)
    np.testing.assert_allclose(found[[0, 1, 3]], [20.5, 11.5, 38.5])
    assert found[2] == np.float32(FAR)


def test_glass_stops_nothing(march: March, make_world: Make) -> None:
    world = make_world([(2, 0, 0, 7), (5, 0, 0, 2)])
    found = march(world, np.array([(0.5, 0.5, 0.5)]), np.array([(1.0, 0.0, 0.0)]))
    np.testing.assert_allclose(found, 4.5)


@pytest.mark.parametrize("corner", [(0, 0, 0), (-5, -37, 28)])
def test_no_ray_leaves_a_closed_room(corner: tuple[int, int, int], march: March, make_world: Make) -> None:
    """Through no edge and no corner, however exactly it is aimed at them. The walls are one voxel thick."""
    edge = 9
    shell = [cell for cell in np.ndindex(edge, edge, edge) if 0 in cell or edge - 1 in cell]
    cells = np.array(shell) + corner
    rng = np.random.default_rng(7)
    points, directions = _rays(rng, 4000, 3.4)
    aims = np.array([aim for aim in np.ndindex(3, 3, 3) if aim != (1, 1, 1)]) - 1.0
    points = np.concatenate([points, np.zeros((len(aims), 3))]) + np.array(corner) + edge / 2
    directions = np.concatenate([directions, aims / np.linalg.norm(aims, axis=1, keepdims=True)])
    found = march(make_world([(*cell, 1) for cell in cells.tolist()]), points, directions)
    assert (found < edge * np.sqrt(3)).all()


def test_rays_from_smooth_surfaces_leave_the_ground_that_they_begin_in(march: March, make_world: Make) -> None:
    """If it is smooth and ends nearby; what comes after stops them."""
    ground = [(x, 0, 0, 11) for x in range(2)]
    rows = {
        "out": [*ground],
        "gap": [(0, 0, 0, 11), (2, 0, 0, 1)],
        "block": [*ground, (2, 0, 0, 1)],
        "deep": [(x, 0, 0, 11) for x in range(9)],
    }
    point, direction = np.array([(0.5, 0.5, 0.5)]), np.array([(1.0, 0.0, 0.0)])
    found = {name: march(make_world(cells), point, direction, FAR, True)[0] for name, cells in rows.items()}
    assert found["out"] == np.float32(FAR)
    np.testing.assert_allclose([found["gap"], found["block"]], 1.5)
    assert 2 < found["deep"] < 3
    assert march(make_world(ground), point, direction)[0] < 0.5


def test_rays_outside_the_world_meet_nothing(march: March, make_world: Make) -> None:
    points = np.array([(0.5, 0.5, 40.5), (100.5, 0.5, 0.5)])
    directions = np.array([(0.0, 0.0, 1.0), (1.0, 0.0, 0.0)])
    assert (march(make_world([(0, 0, 31, 1)]), points, directions) == np.float32(FAR)).all()


def _triangles(world: World) -> NDArray[np.float64]:
    """(n, 3, 3): the corners of what is drawn of a world, smooth surfaces and the quads of blocks."""
    smooth = finish(mesh_smooth(world))
    quads = np.concatenate([smooth.world_positions()[smooth.quads], finish(mesh_blocky(world, merge=False)).corners()])
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def first_triangle(
    triangles: NDArray[np.float64], points: NDArray[np.float64], directions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(n,): how far away the first of the triangles (m, 3, 3) is; inf for none."""
    a, ab, ac = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    met = np.full(len(points), np.inf)
    for i, (point, direction) in enumerate(zip(points, directions, strict=True)):
        across = np.cross(direction, ac)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = 1 / (ab * across).sum(axis=1)
            u = ((point - a) * across).sum(axis=1) * inverse
            beside = np.cross(point - a, ab)
            v, way = (beside @ direction) * inverse, (beside * ac).sum(axis=1) * inverse
            hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (way > 0)
        met[i] = way[hit].min(initial=np.inf)
    return met


def _smooth_ground(rng: np.random.Generator) -> NDArray[np.int64]:
    """(n, 4): hills about the corner of four chunks, with a wall of blocks through them, and something that hangs."""
    x, y, z = np.indices((40, 40, 16))
    waves = rng.uniform(0.1, 0.35, (3, 2)), rng.uniform(0, 6, 3)
    height = 7 + sum(1.5 * np.sin(u * x + v * y + phase) for (u, v), phase in zip(*waves, strict=True))
    materials = np.where(z < height, 11, 0)
    materials[np.hypot(np.hypot(x - 20, y - 14), z - 12) < 3] = 11
    materials[28:30, 10:30, :11] = 1
    cells = np.argwhere(materials > 0)
    return np.concatenate([cells - (20, 20, 8), materials[materials > 0][:, None]], axis=1)


@pytest.mark.parametrize("smoothing", [0.0, 0.8])
def test_smooth_surfaces_stop_rays_where_they_are_drawn(smoothing: float, march: March, make_world: Make) -> None:
    rng = np.random.default_rng(11)
    blocky = make_world(_smooth_ground(rng).tolist())
    world = new_world({coord: blocky.chunk(coord) for coord in blocky.coords()}, blocky.palette, Settings(smoothing))
    points, directions = _rays(rng, 600, 20)
    points[:, 2] = np.abs(points[:, 2]) / 2 + 6
    found = march(world, points, directions)
    expected = first_triangle(_triangles(world), points, directions)
    hit, expected_hit = found < FAR, np.isfinite(expected)
    assert 0.15 < hit.mean() < 0.5
    assert (hit != expected_hit).mean() < 0.01
    off = np.abs(found - expected)[hit & expected_hit]
    assert np.median(off) < 0.1 and np.quantile(off, 0.95) < 0.5


@pytest.mark.parametrize("smoothing", [0.0, 0.6])
def test_fields_are_those_of_the_mesher(smoothing: float, renderer: Renderer, make_world: Make) -> None:
    """Of all chunks with smooth voxels, after an edit too, which changes those about it."""
    blocky = make_world(_smooth_ground(np.random.default_rng(2)).tolist())
    world = new_world({coord: blocky.chunk(coord) for coord in blocky.coords()}, blocky.palette, Settings(smoothing))
    pool = renderer.new_pool()
    for cell in (None, (0, 0, 3), (-1, -1, -2)):
        if cell is not None:
            chunk = np.array(world.chunk(tuple(c // 32 for c in cell)))
            chunk[tuple(c % 32 for c in cell)] = 0
            world.apply(edit_of_chunks(world, {tuple(c // 32 for c in cell): chunk}))
        finish(pool.bring(world, np.zeros(3)))
        fields = np.frombuffer(pool.fields._buffer.read(), np.uint8).reshape(-1, 34, 34, 36)[..., :34]
        found = 0
        for batch in bit_batches(world):
            for coord, table in zip(batch.coords.tolist(), batch.tables, strict=True):
                place = pool.fields._places.get(tuple(coord))
                if place is None:
                    continue
                expected = np.empty((36, 36, 36), np.float32)
                smoothed_field(batch.planes, table, round(smoothing * STRENGTH_STEPS), expected)
                steps = np.clip((np.abs(expected[1:-1, 1:-1, 1:-1]) + 16000) // 32000, 1, 63)
                signed = np.where(expected[1:-1, 1:-1, 1:-1] < 0, -steps, steps)
                np.testing.assert_array_equal((fields[place] & 0x7F).astype(int) - 64, signed)
                found += 1
        assert found == len(pool.fields._places) >= 4
