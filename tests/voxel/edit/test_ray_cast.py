# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays against blocks, held to a plain walk from voxel to voxel and to all faces one by one."""

from functools import cache
from math import ceil, floor, inf, isinf, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxelwright.voxel import layout
from voxelwright.voxel.edit.ray_cast import MAX_ORIGIN, NO_FACE, RayCaster
from voxelwright.voxel.limits import MAX_CHUNK_COORD
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, chunks_of_cells, edit_of_chunks, new_world

PALETTE = Palette.of(
    {
        1: Material("earth", (120, 80, 40)),
        2: Material("glass", (200, 220, 255), opacity=0.4),
        3: Material("tinted glass", (90, 200, 120), opacity=0.4),
    }
)
EARTH, GLASS, TINTED = (PALETTE.voxel(i) for i in (1, 2, 3))
SPARSE, DENSE = [0.97, 0.01, 0.01, 0.01], [0.2, 0.4, 0.2, 0.2]
CORNERS = [(29, 30, 28), (-3, -2, -4), (0, -3, 61), (-35, 3, -70)]


def random_world(rng, weights, corner=(0, 0, 0), size=(12, 9, 14)):
    dense = rng.choice(np.array([0, EARTH, GLASS, TINTED], np.uint16), size, p=weights)
    return dense, world_of(dense, corner)


def world_of(dense, corner):
    cells = np.argwhere(dense > 0)
    return new_world(chunks_of_cells(cells + np.array(corner), dense[dense > 0], 1000), PALETTE)


def shows_face(voxel, other):
    see_through = other >> 8 in (2, 3) and other >> 8 != voxel >> 8
    return voxel != 0 and (other == 0 or see_through)


def unit(direction):
    """As the caster does it, to the last bit."""
    largest = max(abs(d) for d in direction)
    scaled = [d / largest for d in direction]
    length = sqrt(scaled[0] ** 2 + scaled[1] ** 2 + scaled[2] ** 2)
    return [d / length for d in scaled]


def reference(dense, corner, origin, direction, max_distance=inf):
    """(voxel, face, distance) of the first visible face, from one voxel to the next; None."""
    direction = unit(direction)
    cell = [ceil(o) - 1 if d > 0 else floor(o) for o, d in zip(origin, direction, strict=True)]

    def voxel_at(place):
        inside = [p - c for p, c in zip(place, corner, strict=True)]
        return int(dense[tuple(inside)]) if all(0 <= i < n for i, n in zip(inside, dense.shape, strict=True)) else 0

    before = voxel_at(cell)
    while True:
        ahead = [
            inf if d == 0 else ((c + 1 if d > 0 else c) - o) / d
            for o, d, c in zip(origin, direction, cell, strict=True)
        ]
        distance = min(ahead)
        if distance > max_distance:
            return None
        axis = ahead.index(distance)
        up = direction[axis] > 0
        cell[axis] += 1 if up else -1
        voxel = voxel_at(cell)
        if shows_face(voxel, before):
            return tuple(cell), 2 * axis + up, distance
        before = voxel
        low, n = corner[axis], dense.shape[axis]
        if (up and cell[axis] >= low + n) or (not up and cell[axis] < low):
            return None


def check(caster, dense, corner, origin, direction, max_distance=inf):
    hit = caster.cast(origin, direction, max_distance)
    found = None if hit is None else (hit.voxel, hit.face, hit.distance)
    assert found == reference(dense, corner, origin, direction, max_distance), (origin, direction, max_distance)
    if hit is not None:
        axis, up = hit.face // 2, hit.face % 2 == 0
        assert hit.point[axis] == hit.voxel[axis] + up
        assert np.allclose(hit.point, np.add(origin, np.multiply(unit(direction), hit.distance)), atol=1e-9)
        assert hit.normal == tuple(layout.FACE_NORMALS[hit.face].astype(float).tolist())
    return hit


@pytest.mark.parametrize("weights", [SPARSE, DENSE], ids=["sparse", "dense"])
@pytest.mark.parametrize("corner", CORNERS, ids=str)
def test_random_rays_go_as_a_walk_from_voxel_to_voxel(weights, corner):
    rng = np.random.default_rng(1)
    dense, world = random_world(rng, weights, corner)
    caster = RayCaster(world)
    n_hits = 0
    for _ in range(400):
        origin = np.array(corner) + rng.uniform(-1, 2, 3) * dense.shape
        direction = np.array(corner) + rng.uniform(0, 1, 3) * dense.shape - origin
        n_hits += check(caster, dense, corner, origin.tolist(), direction.tolist()) is not None
    assert n_hits > 100


@pytest.mark.parametrize("weights", [SPARSE, DENSE], ids=["sparse", "dense"])
@pytest.mark.parametrize("corner", CORNERS, ids=str)
def test_rays_on_planes_edges_and_corners(weights, corner):
    """Origins and directions of halves and quarters: zeros, ties, rays within planes and through corners."""
    rng = np.random.default_rng(2)
    dense, world = random_world(rng, weights, corner)
    caster = RayCaster(world)
    for _ in range(600):
        origin = (np.array(corner) + rng.integers(-8, 60, 3) / 4).tolist()
        direction = rng.choice([-2.0, -1.0, -1.0, 0.0, -0.0, 0.0, 1.0, 1.0, 3.0], 3).tolist()
        if any(direction):
            check(caster, dense, corner, origin, direction, float(rng.choice([inf, 0.0, 5.0, 9.25])))


numbers = st.floats(-60, 60) | st.sampled_from([0.0, -0.0, 1e-300, -5e-324, 1.0, -1.0, 1 + 2**-52, 31.999999999999996])


@settings(max_examples=400, deadline=None)
@given(st.tuples(numbers, numbers, numbers), st.tuples(numbers, numbers, numbers).filter(any), st.floats(0, 100))
def test_any_ray_goes_as_a_walk_from_voxel_to_voxel(origin, direction, max_distance):
    dense, caster = shared_world()
    check(caster, dense, (-3, -2, -4), origin, direction, max_distance)


@pytest.mark.parametrize("slope", [5e-324, 1e-300, 1e-30, 1e-17])
def test_rays_that_would_enter_a_world_far_beyond_all_numbers(slope):
    caster = RayCaster(new_world({(0, 0, 0): EARTH}, PALETTE))
    for along in (1.0, -1.0):
        assert caster.cast((16.5, -40.0, 16.5), (along, slope, 0)) is None
        assert caster.cast((16.5, 40.0, 16.5), (along, -slope, slope)) is None
        assert caster.cast((16.0 - 40 * along, 31.5, 16.5), (along, slope, -slope)).distance == 24.0


@cache
def shared_world():
    dense, world = random_world(np.random.default_rng(3), SPARSE, (-3, -2, -4), (40, 12, 37))
    return dense, RayCaster(world)


def all_faces(dense, corner):
    """(faces (n,), cells (n, 3)) of all visible faces of dense."""
    padded = np.pad(dense, 1).astype(int)
    material = padded >> 8
    faces, cells = [], []
    for face in range(6):
        other = np.roll(material, -layout.FACE_NORMALS[face], (0, 1, 2))
        visible = (material > 0) & ((other == 0) | ((other >= 2) & (other != material)))
        at = np.argwhere(visible) - 1 + np.array(corner)
        faces.append(np.full(len(at), face))
        cells.append(at)
    return np.concatenate(faces), np.concatenate(cells)


def nearest_face(faces, cells, origin, direction):
    """Distance, face and cell of the first of all faces that a ray meets from outside, by brute force."""
    axis, sign = layout.FACE_AXIS[faces], layout.FACE_SIGN[faces]
    plane = cells[np.arange(len(cells)), axis] + (sign > 0)
    distance = (plane - origin[axis]) / direction[axis]
    at = origin + distance[:, None] * direction
    inside = (at >= cells) & (at <= cells + 1)
    inside[np.arange(len(cells)), axis] = True
    hit = inside.all(axis=1) & (distance >= 0) & (direction[axis] * sign < 0)
    distance[~hit] = inf
    k = int(np.argmin(distance))
    return distance[k], faces[k], tuple(cells[k].tolist())


@pytest.mark.parametrize("weights", [SPARSE, DENSE], ids=["sparse", "dense"])
def test_the_hit_is_the_nearest_of_all_drawn_faces(weights):
    rng = np.random.default_rng(4)
    corner = (25, -20, 3)
    dense, world = random_world(rng, weights, corner, (20, 40, 30))
    faces, cells = all_faces(dense, corner)
    origins = np.array(corner) + rng.uniform(-1, 2, (600, 3)) * dense.shape
    directions = np.array(corner) + rng.uniform(0, 1, (600, 3)) * dense.shape - origins
    hits = RayCaster(world).cast_many(origins, directions)
    assert (hits.faces >= 0).sum() > 200
    for i, direction in enumerate(directions):
        distance, face, cell = nearest_face(faces, cells, origins[i], direction / np.linalg.norm(direction))
        assert (hits.faces[i] == NO_FACE) == isinf(distance)
        if not isinf(distance):
            assert hits.distances[i] == pytest.approx(distance, abs=1e-9)
            assert (hits.faces[i], tuple(hits.voxels[i])) == (face, cell)


def test_many_rays_are_those_that_are_cast_one_by_one():
    rng = np.random.default_rng(5)
    _, world = random_world(rng, SPARSE)
    caster = RayCaster(world)
    origins, directions = rng.uniform(-10, 30, (300, 3)), rng.normal(size=(300, 3))
    origins[7], directions[9] = nan, 0
    hits = caster.cast_many(origins, directions, 15.0)
    for i in range(300):
        hit = caster.cast(origins[i], directions[i], 15.0)
        if hit is None:
            assert hits.faces[i] == NO_FACE and hits.distances[i] == inf
            assert not hits.voxels[i].any() and not hits.points[i].any() and not hits.normals[i].any()
        else:
            same = hits.voxels[i], hits.faces[i], hits.distances[i], hits.points[i], hits.normals[i]
            for one, many in zip((hit.voxel, hit.face, hit.distance, hit.point, hit.normal), same, strict=True):
                assert np.array_equal(one, many)
    with pytest.raises(ValueError, match="rays"):
        caster.cast_many(origins[:5], directions)


def test_uniform_chunks_and_what_is_inside_them():
    world = new_world({(0, 0, 0): EARTH, (1, 0, 0): EARTH, (2, 0, 0): GLASS, (5, 0, 0): TINTED}, PALETTE)
    caster = RayCaster(world)
    hit = caster.cast((-100, 5.5, 5.5), (1, 0, 0))
    assert (hit.voxel, hit.face, hit.distance) == ((0, 5, 5), layout.NEG_X, 100.0)
    # From within the earth: glass shows no face towards earth, nor inside itself; the next is the tinted chunk.
    hit = caster.cast((40.5, 5.5, 5.5), (1, 0, 0))
    assert (hit.voxel, hit.distance) == ((160, 5, 5), 119.5)
    # The other way the ray comes from glass to earth, which shows its face there.
    hit = caster.cast((70.5, 5.5, 5.5), (-3, 0, 0))
    assert (hit.voxel, hit.face, hit.distance) == ((63, 5, 5), layout.POS_X, 6.5)
    assert caster.cast((5, 5, 5), (0, 0, 1)) is None


def test_a_surface_at_the_origin_is_met_from_either_side():
    caster = RayCaster(world_of(np.full((1, 1, 1), EARTH, np.uint16), (4, 4, 4)))
    assert caster.cast((4, 4.5, 4.5), (1, 0, 0), 0.0).face == layout.NEG_X
    assert caster.cast((5, 4.5, 4.5), (-1, 0, 0), 0.0).face == layout.POS_X
    assert caster.cast((5, 4.5, 4.5), (1, 0, 0)) is None
    assert str(caster.cast((4, 4.5, 4.5), (1, 0, 0)).distance) == "0.0"


def test_what_is_no_ray_meets_nothing():
    caster = RayCaster(new_world({(0, 0, 0): EARTH}, PALETTE))
    assert caster.cast((16, 16, 40), (0, 0, -1)) is not None
    for bad in (nan, inf, -inf):
        assert caster.cast((16, bad, 40), (0, 0, -1)) is None
        assert caster.cast((16, 16, 40), (0, bad, -1)) is None
    assert caster.cast((16, 16, 40), (0, 0, 0)) is None
    for distance in (nan, -1.0, -inf, 7.999):
        assert caster.cast((16, 16, 40), (0, 0, -1), distance) is None
    assert caster.cast((16, 16, 40), (0, 0, -1), 8.0).voxel == (16, 16, 31)
    assert caster.cast((16, 16, 2 * MAX_ORIGIN), (0, 0, -1)) is None
    assert caster.cast((16, 16, MAX_ORIGIN), (0, 0, -1)).voxel == (16, 16, 31)
    for size in (5e-324, 1e-200, 1e200, 1.7e308):
        assert caster.cast((16.5, 16.5, 40), (0, size, -size)).distance == pytest.approx(8 * sqrt(2))
    assert RayCaster(World()).cast((0, 0, 0), (1, 1, 1)) is None


@pytest.mark.parametrize("coord", [MAX_CHUNK_COORD, -MAX_CHUNK_COORD])
def test_at_the_ends_of_a_world(coord):
    """The same rays, moved by whole voxels: everything that is computed is exact there too."""
    rng = np.random.default_rng(6)
    _, world = random_world(rng, SPARSE, (5, 6, 7), (20, 20, 20))
    moved = new_world({(coord, coord, -coord): world.chunk((0, 0, 0)), (0, 0, 0): EARTH}, PALETTE)
    offset = np.array([coord, coord, -coord]) * 32
    near, far = RayCaster(world), RayCaster(moved)
    origins, directions = rng.integers(-8 * 32, 8 * 64, (500, 3)) / 16, rng.normal(size=(500, 3))
    there = (origins > 0).all(axis=1) | (np.abs(origins).max(axis=1) < 200)
    a, b = (
        near.cast_many(origins[there], directions[there], 100),
        far.cast_many(origins[there] + offset, directions[there], 100),
    )
    assert (a.faces >= 0).sum() > 30
    hit = a.faces >= 0
    assert np.array_equal(a.faces, b.faces) and np.array_equal(a.distances, b.distances)
    assert np.array_equal(a.voxels[hit] + offset, b.voxels[hit])
    # From there to the chunk at the origin, through a million empty chunks.
    target = np.array([16.25, 16.5, 16.75])
    hit = far.cast(offset * 2.0 + 16, target - (offset * 2.0 + 16))
    assert hit is not None and hit.distance < np.linalg.norm(offset * 2.0)


def random_edit(rng, world):
    chunks = {}
    for coord in rng.integers(-2, 3, (rng.integers(1, 4), 3)).tolist():
        kind = rng.integers(4)
        if kind == 0:
            chunks[tuple(coord)] = int(rng.choice([0, EARTH, GLASS]))
        else:
            voxels = rng.choice(np.array([0, EARTH, TINTED], np.uint16), (32, 32, 32), p=[0.99, 0.005, 0.005])
            voxels[rng.random((32, 32, 32)) < 0.5] = 0
            voxels.flags.writeable = False
            chunks[tuple(coord)] = voxels
    return edit_of_chunks(world, chunks)


def test_a_caster_that_follows_edits_is_as_good_as_a_new_one():
    rng = np.random.default_rng(7)
    world = World(PALETTE)
    caster = RayCaster(world)
    done = []
    for _ in range(40):
        if done and rng.random() < 0.3:
            world.apply(done.pop().inverse())
        else:
            done.append(random_edit(rng, world))
            world.apply(done[-1])
        origins, directions = rng.uniform(-90, 120, (200, 3)), rng.normal(size=(200, 3))
        followed, new = caster.cast_many(origins, directions), RayCaster(world).cast_many(origins, directions)
        for name in ("voxels", "faces", "distances", "points", "normals"):
            assert np.array_equal(getattr(followed, name), getattr(new, name))


def test_only_changed_chunks_are_read_again(monkeypatch):
    world = new_world({(x, 0, 0): np.full((32, 32, 32), EARTH, np.uint16) for x in range(9)}, PALETTE)
    caster = RayCaster(world)
    caster.cast((0, 0, 50), (0, 0, -1))
    read = []
    put = caster._blocks.put
    monkeypatch.setattr(caster._blocks, "put", lambda coord, chunk: read.append(coord) or put(coord, chunk))
    caster.cast((0, 0, 50), (0, 0, -1))
    assert read == []
    world.apply(edit_of_chunks(world, {(3, 0, 0): 0, (4, 0, 1): GLASS}))
    caster.cast((0, 0, 50), (0, 0, -1))
    assert sorted(read) == [(3, 0, 0), (4, 0, 1)]


def test_glass_that_becomes_opaque_hides_what_is_behind():
    cells = np.zeros((2, 1, 1), np.uint16)
    cells[:, 0, 0] = GLASS, EARTH
    world = world_of(cells, (0, 0, 0))
    caster = RayCaster(world)
    assert caster.cast((0.5, 0.5, 0.5), (1, 0, 0)).voxel == (1, 0, 0)
    opaque = Palette.of({**dict(PALETTE.items()), 2: Material("glass", (200, 220, 255))})
    world.apply(edit_of_chunks(world, {}, opaque))
    assert caster.cast((0.5, 0.5, 0.5), (1, 0, 0)) is None


def test_memory_of_a_world_of_blocks():
    chunk = np.full((32, 32, 32), EARTH, np.uint16)
    chunk[5] = 0
    world = new_world({(x, y, z): chunk for x in range(16) for y in range(16) for z in range(8)}, PALETTE)
    caster = RayCaster(world)
    caster.cast((0, 0, 500), (0, 0, -1))
    assert caster.n_bytes <= 2048 * 60
