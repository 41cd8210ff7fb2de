# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays against smooth surfaces, held to all triangles of the whole world's mesh and all faces of its blocks."""

from math import inf

import numpy as np
import pytest

from voxelwright.voxel import layout
from voxelwright.voxel.edit import ray_cast
from voxelwright.voxel.edit.ray_cast import NO_FACE, RayCaster
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.limits import MAX_CHUNK_COORD
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.world import World, chunks_of_cells, edit_of_chunks, new_world

PALETTE = Palette.of(
    {
        1: Material("earth", (120, 80, 40)),
        2: Material("glass", (200, 220, 255), opacity=0.4),
        3: Material("snow", (250, 250, 250), smooth=True),
        4: Material("jelly", (90, 200, 120), opacity=0.4, smooth=True),
    }
)
EARTH, GLASS, SNOW, JELLY = (PALETTE.voxel(i) for i in (1, 2, 3, 4))
VALUES = np.array([0, EARTH, GLASS, SNOW, JELLY], np.uint16)
MIXES = {
    "smooth": [0.7, 0, 0, 0.3, 0],
    "sparse": [0.93, 0.01, 0.01, 0.04, 0.01],
    "mixed": [0.4, 0.2, 0.1, 0.2, 0.1],
    "dense": [0.05, 0.4, 0.1, 0.4, 0.05],
}
SIZE = (13, 9, 11)


def random_world(rng, mix, corner, smoothing, size=SIZE):
    dense = rng.choice(VALUES, size, p=MIXES[mix])
    cells = np.argwhere(dense > 0)
    chunks = chunks_of_cells(cells + np.array(corner), dense[dense > 0], 1000)
    return new_world(chunks, PALETTE, Settings(smoothing))


def all_triangles(world):
    """Of all that is drawn: (n, 3, 3) corners, (n, 3, 3) normals, (n,) whether they are of a smooth surface."""
    blocky, smooth = finish(mesh_blocky(world, merge=False)), finish(mesh_smooth(world))
    block_corners = blocky.corners().astype(float)
    points, normals = smooth.world_positions()[smooth.quads], smooth.normals.astype(float)[smooth.quads]
    block_normals = layout.FACE_NORMALS[layout.unpack_quads(blocky.quads)["face"]].astype(float)
    block_normals = np.repeat(block_normals[:, None], 4, axis=1)
    corners = np.concatenate([block_corners, points])
    normals = np.concatenate([block_normals, normals])
    is_smooth = np.repeat([False, True], [len(block_corners), len(points)])
    halves = layout.QUAD_TRIANGLES.reshape(2, 3)
    return (
        np.concatenate([corners[:, half] for half in halves]),
        np.concatenate([normals[:, half] for half in halves]),
        np.tile(is_smooth, 2),
    )


def hits_of(triangles, normals, origin, direction):
    """(distances (n,), infinite for misses, normals (n, 3)) of a ray with every triangle's visible side: Möller and
    Trumbore."""
    a, e1, e2 = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    p = np.cross(direction, e2)
    determinant = (e1 * p).sum(axis=1)
    inverse = np.divide(1, determinant, out=np.zeros_like(determinant), where=determinant > 1e-12)
    s = origin - a
    q = np.cross(s, e1)
    u, v, t = inverse * (s * p).sum(axis=1), inverse * (q @ direction), inverse * (e2 * q).sum(axis=1)
    hit = (inverse != 0) & (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (t >= 0)
    normal = (1 - u - v)[:, None] * normals[:, 0] + u[:, None] * normals[:, 1] + v[:, None] * normals[:, 2]
    return np.where(hit, t, inf), normal


def is_ground(voxel):
    return voxel != 0 and (bool(voxel & layout.FLAG_SMOOTH) or voxel >> 8 != 2)


def check(world, origins, directions):
    """Cast the rays and hold them to everything that is drawn; returns how many hit a smooth surface."""
    hits = RayCaster(world).cast_many(origins, directions)
    triangles, normals, is_smooth = all_triangles(world)
    n_smooth = 0
    for i, direction in enumerate(directions / np.linalg.norm(directions, axis=1)[:, None]):
        distances, normal = hits_of(triangles, normals, origins[i], direction)
        k = int(np.argmin(distances))
        assert hits.distances[i] == pytest.approx(distances[k], abs=1e-8), (origins[i], directions[i])
        assert (hits.faces[i] == NO_FACE) == (distances[k] == inf)
        if distances[k] == inf:
            continue
        assert np.allclose(hits.points[i], origins[i] + distances[k] * direction, atol=1e-8)
        if np.partition(distances, 1)[1] < distances[k] + 1e-7:
            continue  # on an edge that two share, either may be hit
        assert np.allclose(hits.normals[i], normal[k] / np.linalg.norm(normal[k]), atol=1e-6)
        voxel = tuple(hits.voxels[i].tolist())
        solid, ahead = world.voxel(*voxel), world.voxel(*(hits.voxels[i] + layout.FACE_NORMALS[hits.faces[i]]).tolist())
        assert bool(solid & layout.FLAG_SMOOTH) == bool(is_smooth[k])
        if is_smooth[k]:
            n_smooth += 1
            assert is_ground(solid) and not is_ground(ahead)
            # The quad lies in the four cells about the middle of the face.
            middle = hits.voxels[i] + 0.5 + layout.FACE_NORMALS[hits.faces[i]] / 2
            reach = np.where(layout.FACE_NORMALS[hits.faces[i]] != 0, 0.5, 1.0)
            assert (np.abs(triangles[k] - middle) <= reach).all()
    return n_smooth


def random_rays(rng, corner, n):
    origins = np.array(corner) + rng.uniform(-0.7, 1.7, (n, 3)) * SIZE
    return origins, np.array(corner) + rng.uniform(0, 1, (n, 3)) * SIZE - origins


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("corner", [(25, 28, 27), (-5, -4, -6), (0, 0, 0)], ids=str)
def test_the_hit_is_the_nearest_of_all_that_is_drawn(corner, mix, smoothing):
    rng = np.random.default_rng(1)
    world = random_world(rng, mix, corner, smoothing)
    assert check(world, *random_rays(rng, corner, 250)) > 15


@pytest.mark.parametrize("mix", ["smooth", "mixed"])
def test_rays_along_the_axes_and_through_vertices(mix):
    rng = np.random.default_rng(2)
    corner = (26, 27, -5)
    world = random_world(rng, mix, corner, 0.0)
    directions = rng.integers(-1, 2, (400, 3)).astype(float)
    origins = np.array(corner) + rng.integers(-4, 40, (400, 3)) / 4
    some = directions.any(axis=1)
    hits = RayCaster(world).cast_many(origins[some], directions[some])
    triangles, normals, _ = all_triangles(world)
    for i, (origin, direction) in enumerate(zip(origins[some], directions[some], strict=True)):
        distances, _ = hits_of(triangles, normals, origin, direction / np.linalg.norm(direction))
        # Whether an edge that the ray only touches is hit is open, and so is a smooth surface at the very origin.
        inner, _ = hits_of(shrunk(triangles), normals, origin, direction / np.linalg.norm(direction))
        assert distances.min() - 1e-8 <= hits.distances[i] <= inner[inner > 1e-9].min() + 1e-8


def shrunk(triangles):
    middle = triangles.mean(axis=1, keepdims=True)
    return middle + (triangles - middle) * (1 - 1e-6)


def test_no_ray_slips_through_a_closed_surface():
    """Straight down on quads' corners, edges and middles, at all angles: a slab has no holes."""
    slab = {(x, y, 0): SNOW for x in range(-2, 2) for y in range(-2, 2)}
    world = new_world(slab, PALETTE)
    caster = RayCaster(world)
    places = np.array([(x / 4, y / 4, 32.0) for x in range(-80, 81) for y in range(-80, 81)])
    for direction in [(0, 0, -1), (1, 0, -1), (1, 1, -1), (0.3, -0.2, -0.9), (-1, 1 / 3, -1 / 7)]:
        unit = np.array(direction) / np.linalg.norm(direction)
        hits = caster.cast_many(places - 20 * unit, np.tile(unit, (len(places), 1)))
        assert np.allclose(hits.distances, 20)
        assert (hits.faces == layout.POS_Z).all() and (hits.voxels[:, 2] == 31).all()


def test_a_flat_top_is_hit_where_its_voxels_are():
    dense = np.zeros((20, 20, 5), np.uint16)
    dense[:] = SNOW
    world = new_world(chunks_of_cells(np.argwhere(dense) + 22, dense[dense > 0], 100), PALETTE)
    rng = np.random.default_rng(3)
    caster = RayCaster(world)
    for x, y in rng.uniform(25, 39, (200, 2)).tolist():
        hit = caster.cast((x, y, 60), (0, 0, -1))
        assert (hit.voxel, hit.face, hit.distance) == ((int(x), int(y), 26), layout.POS_Z, 33.0)
        assert hit.point == (x, y, 27.0)
        assert caster.cast((x, y, 24.5), (0, 0, 1)) is None  # from inside


def random_edit(rng, world):
    chunks = {}
    for coord in rng.integers(-1, 2, (2, 3)).tolist():
        if rng.random() < 0.3:
            chunks[tuple(coord)] = int(rng.choice([0, SNOW, SNOW, EARTH]))
        else:
            voxels = np.zeros((32, 32, 32), np.uint16)
            for _ in range(5):
                low = rng.integers(0, 28, 3)
                voxels[tuple(slice(a, a + rng.integers(1, 12)) for a in low)] = rng.choice(VALUES)
            voxels.flags.writeable = False
            chunks[tuple(coord)] = voxels
    smoothing = float(rng.choice([0.0, 1.0])) if rng.random() < 0.3 else world.settings.smoothing
    return edit_of_chunks(world, chunks, settings=Settings(smoothing))


def test_a_caster_that_follows_edits_is_as_good_as_a_new_one():
    rng = np.random.default_rng(4)
    world = World(PALETTE)
    caster = RayCaster(world)
    done = []
    n_hits = 0
    for _ in range(40):
        if done and rng.random() < 0.3:
            world.apply(done.pop().inverse())
        else:
            done.append(random_edit(rng, world))
            world.apply(done[-1])
        origins = rng.uniform(-60, 90, (60, 3))
        directions = rng.uniform(-32, 64, (60, 3)) - origins
        followed, new = caster.cast_many(origins, directions), RayCaster(world).cast_many(origins, directions)
        for name in ("voxels", "faces", "distances", "points", "normals"):
            assert np.array_equal(getattr(followed, name), getattr(new, name))
        n_hits += (followed.faces >= 0).sum()
    assert n_hits > 400


def test_only_chunks_near_a_change_are_meshed_again(monkeypatch):
    chunk = np.zeros((32, 32, 32), np.uint16)
    chunk[:, :, :9] = SNOW
    world = new_world({(x, y, 0): chunk for x in range(8) for y in range(8)}, PALETTE)
    caster = RayCaster(world)
    places = np.array([(32 * x + 16.0, 32 * y + 16.0, 50.0) for x in range(8) for y in range(8)])
    down = np.tile([0.0, 0.0, -1.0], (64, 1))
    meshed = []
    mesh = caster._surfaces.mesh
    monkeypatch.setattr(caster._surfaces, "mesh", lambda world, coords: meshed.extend(coords) or mesh(world, coords))
    assert (caster.cast_many(places, down).distances == 41).all()
    assert sorted(meshed) == [(x, y, 0) for x in range(8) for y in range(8)]
    meshed.clear()
    higher = chunk.copy()
    higher[4:, 4:, :12] = SNOW
    world.apply(edit_of_chunks(world, {(3, 5, 0): higher}))
    distances = caster.cast_many(places, down).distances
    assert distances[3 * 8 + 5] == 38 and (np.delete(distances, 3 * 8 + 5) == 41).all()
    assert sorted(meshed) == [(x, y, 0) for x in (2, 3, 4) for y in (4, 5, 6)]


def test_a_changed_material_or_smoothing_is_seen():
    dense = np.zeros((8, 8, 8), np.uint16)
    dense[:, :, :4], dense[:, :, 4:] = SNOW, EARTH
    world = new_world(chunks_of_cells(np.argwhere(dense) + 4, dense[dense > 0], 9), PALETTE)
    caster = RayCaster(world)
    ray = (8.3, 8.4, 9.5), (0, 0, -1)
    assert caster.cast(*ray) is None
    glassy = Palette.of({**dict(PALETTE.items()), 1: Material("earth", (120, 80, 40), opacity=0.5)})
    world.apply(edit_of_chunks(world, {}, glassy))
    assert caster.cast(*ray).voxel == (8, 8, 7)
    corner = (0, 0, 0), (1, 1, 0.6)
    before = caster.cast(*corner).distance
    world.apply(edit_of_chunks(world, {}, settings=Settings(1.0)))
    assert caster.cast(*corner).distance != before
    assert caster.cast(*corner) == RayCaster(world).cast(*corner)


@pytest.mark.parametrize("coord", [MAX_CHUNK_COORD, -MAX_CHUNK_COORD])
def test_at_the_ends_of_a_world(coord):
    rng = np.random.default_rng(5)
    world = random_world(rng, "smooth", (7, 9, 8), 1.0)
    moved = new_world({(coord, -coord, coord): world.chunk((0, 0, 0)), (0, 0, 0): SNOW}, PALETTE, Settings(1.0))
    offset = np.array([coord, -coord, coord]) * 32
    origins = rng.integers(0, 16 * 30, (300, 3)) / 16
    directions = rng.uniform((7, 9, 8), np.add((7, 9, 8), SIZE), (300, 3)) - origins
    a = RayCaster(world).cast_many(origins, directions, 90.0)
    b = RayCaster(moved).cast_many(origins + offset, directions, 90.0)
    hit = a.faces != NO_FACE
    assert hit.sum() > 100
    assert np.array_equal(a.faces, b.faces) and np.array_equal(a.distances, b.distances)
    assert np.array_equal(a.voxels[hit] + offset, b.voxels[hit])


def test_meshes_are_forgotten_beyond_the_limit(monkeypatch):
    rng = np.random.default_rng(6)
    world = random_world(rng, "smooth", (25, 28, 27), 0.0)
    caster = RayCaster(world)
    rays = random_rays(rng, (25, 28, 27), 50)
    first = caster.cast_many(*rays)
    kept = caster.n_bytes
    monkeypatch.setattr(ray_cast, "MAX_SURFACE_BYTES", 1000)
    assert np.array_equal(caster.cast_many(*rays).distances, first.distances)
    assert caster.n_bytes == kept
    assert caster.cast((0, 0, 90), (0, 0, 1)) is None
    assert caster.n_bytes < kept - 1000
