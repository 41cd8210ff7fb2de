# SPDX-License-Identifier: GPL-3.0-or-later
import itertools
from collections import Counter
from dataclasses import fields

import numpy as np
import pytest

from voxelwright.voxel import layout
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh import chunk_bits
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.world import new_world

TRANSPARENT = {3, 4}


def is_smooth(voxel):
    return voxel != 0 and bool(voxel & layout.FLAG_SMOOTH)


def is_ground(voxel):
    return voxel != 0 and (is_smooth(voxel) or voxel >> 8 not in TRANSPARENT)


def shows_face(voxel, other):
    blocky = voxel != 0 and not is_smooth(voxel)
    return blocky and (other == 0 or (other >> 8 in TRANSPARENT and other >> 8 != voxel >> 8))


CUBE = tuple(itertools.product((0, 1), repeat=3))
EDGES = tuple((a, b) for a, b in itertools.combinations(CUBE, 2) if np.abs(np.subtract(a, b)).sum() == 1)


def reference_depths(padded, smoothing):
    """How deep each sample lies on its side of the surface, as the docstrings of nets_field.py say."""
    inside = np.vectorize(is_ground, otypes=[bool])(padded)
    share = inside.astype(float)
    taps = np.convolve(np.ones(5), np.ones(5)) / 25
    for axis in range(3):
        share = np.apply_along_axis(np.convolve, axis, share, taps, "same")
    thin = np.zeros(padded.shape, bool)
    for axis in range(3):
        thin |= (np.roll(inside, 1, axis) != inside) & (np.roll(inside, -1, axis) != inside)
    blurred = np.maximum(np.where(inside, 2 * share - 1, 1 - 2 * share), np.where(thin, 1 / 2, 1 / 64))
    return smoothing * blurred + (1 - smoothing) / 5


def reference_surface(dense, smoothing=0.0):
    """({corners from the lowest on, material: count}, {cell: point}, {cell: area}) by the rules, one edge after
    another; cells and points are relative to dense."""
    margin = 7
    padded = np.pad(dense, margin).astype(int)
    depths = reference_depths(padded, smoothing) if smoothing else np.ones(padded.shape)

    def vertex(cell):
        at = [tuple(np.add(cell, o)) for o in CUBE]
        corner = {o: int(padded[p]) for o, p in zip(CUBE, at, strict=True)}
        if any(shows_face(corner[a], corner[b]) or shows_face(corner[b], corner[a]) for a, b in EDGES):
            return np.array(cell) + 1.0
        depth = {o: depths[p] for o, p in zip(CUBE, at, strict=True)}
        crossings = [
            np.add(a, np.subtract(b, a) * depth[a] / (depth[a] + depth[b]))
            for a, b in EDGES
            if is_ground(corner[a]) != is_ground(corner[b])
        ]
        return np.array(cell) + 0.5 + np.round(np.mean(crossings, axis=0) * 4096) / 4096

    quads, points, areas = Counter(), {}, {}
    for point in itertools.product(*(range(margin - 2, n - margin + 1) for n in padded.shape)):
        for axis in range(3):
            step = np.eye(3, dtype=int)[axis]
            low, high = int(padded[point]), int(padded[tuple(point + step)])
            if is_ground(low) == is_ground(high) or not is_smooth(low if is_ground(low) else high):
                continue
            u, v = np.eye(3, dtype=int)[(axis + 1) % 3], np.eye(3, dtype=int)[(axis + 2) % 3]
            ring = [tuple((np.array(point) - i * u - j * v).tolist()) for i, j in ((1, 1), (0, 1), (0, 0), (1, 0))]
            if is_ground(high):
                ring.reverse()
            corners = [vertex(cell) - margin for cell in ring]
            cells = [tuple(c - margin for c in cell) for cell in ring]
            first = cells.index(min(cells))
            material = (low if is_ground(low) else high) >> 8
            quads[(tuple(cells[first:] + cells[:first]), material)] += 1
            area = np.cross(corners[2] - corners[0], corners[3] - corners[1])
            for cell, corner in zip(cells, corners, strict=True):
                points[cell] = corner
                areas[cell] = areas.get(cell, 0) + area
    return quads, points, areas


def vertex_cells(mesh):
    """(v, 3) the cell of each vertex, which lies between the centres of its samples."""
    return np.floor(mesh.world_positions() - 0.5).astype(int)


def mesh_quads(mesh, corner):
    """The quads of a SmoothMesh in the form of reference_surface."""
    quads = Counter()
    cells = (vertex_cells(mesh) - corner)[mesh.quads]
    for corners, material in zip(cells.tolist(), mesh.quad_materials.tolist(), strict=True):
        ring = [tuple(cell) for cell in corners]
        first = ring.index(min(ring))
        quads[(tuple(ring[first:] + ring[:first]), material)] += 1
    return quads


def meshed(world, smoothing=0.0, **options):
    world.settings = Settings(smoothing)
    return finish(mesh_smooth(world, **options))


SMOOTHINGS = pytest.mark.parametrize("smoothing", [0.0, 0.5, 1.0])


@SMOOTHINGS
@pytest.mark.parametrize("mix", ["smooth", "mixed", "sparse", "dense", "glass"])
def test_the_mesh_equals_the_reference(worlds, mix, smoothing):
    rng = np.random.default_rng(11)
    for i in range(30):
        dense = worlds.random_dense(rng, mix, rng.integers(1, 5, 3))
        if mix == "glass":
            dense[rng.random(dense.shape) < 0.3] = worlds.snow
        corner = worlds.corners[i % len(worlds.corners)]
        mesh = meshed(worlds.world_of(dense, corner), smoothing)
        quads, points, areas = reference_surface(dense, smoothing)
        assert mesh_quads(mesh, corner) == quads
        cells = [tuple(cell) for cell in (vertex_cells(mesh) - corner).tolist()]
        # Single precision and rounding to 2⁻¹² of a voxel; of the binary field both are exact.
        np.testing.assert_allclose(
            mesh.world_positions() - corner,
            np.reshape([points[cell] for cell in cells], (-1, 3)),
            atol=2**-12 if smoothing else 0,
        )
        assert np.array_equal(mesh.world_positions() * 4096, np.round(mesh.world_positions() * 4096))
        area = np.reshape([areas[cell] for cell in cells], (-1, 3))
        length = np.linalg.norm(area, axis=1)
        clear = length > 0.1
        np.testing.assert_allclose(
            mesh.normals[clear], area[clear] / length[clear, None], atol=0.01 if smoothing else 1e-6
        )


def test_a_large_world_equals_small_ones(worlds, monkeypatch):
    # Chunks of every kind (solid, of one value, of 255 materials) and so many that the pool of chunks is reused.
    rng = np.random.default_rng(19)
    dense = rng.integers(0, 256, (70, 66, 130)).astype(np.uint16) << 8
    dense[dense > 0] |= layout.FLAG_SMOOTH
    dense[rng.random(dense.shape) < 0.8] = 0
    dense[:, :, 64:] = worlds.snow
    world = worlds.world_of(dense, (-40, 7, -64))
    whole = finish(mesh_smooth(world))
    monkeypatch.setattr(chunk_bits, "BATCH_CHUNKS", 3)
    piecewise = finish(mesh_smooth(world))
    for field in fields(whole):
        assert np.array_equal(getattr(whole, field.name), getattr(piecewise, field.name)), field.name
    assert len(whole.coords) > 20
    assert len(set(whole.quad_materials.tolist())) == 255


def test_single_chunks_are_meshed_as_in_the_whole(worlds):
    dense = worlds.random_dense(np.random.default_rng(20), "mixed", (40, 40, 20))
    world = worlds.world_of(dense, (-20, -20, 3))
    whole = finish(mesh_smooth(world))
    row = whole.coords.tolist().index([-1, 0, 0])
    part = finish(mesh_smooth(world, coords=[(-1, 0, 0), (7, 7, 7)]))
    assert part.coords.tolist() == [[-1, 0, 0]]
    first, n = int(whole.vertex_counts[:row].sum()), int(whole.vertex_counts[row])
    assert np.array_equal(part.positions, whole.positions[first : first + n])
    assert np.array_equal(part.normals, whole.normals[first : first + n])
    quads = whole.quads[int(whole.quad_counts[:row].sum()) :][: whole.quad_counts[row]]
    assert np.array_equal(part.quads + first, quads)


@SMOOTHINGS
@pytest.mark.parametrize("mix", ["smooth", "mixed", "sparse", "dense"])
def test_triangles_wind_outwards(worlds, mix, smoothing):
    # The four cells of a quad share the coordinate along the crossed edge; seen along it, towards the solid end,
    # both triangles must be counter-clockwise. Which end is solid is what the reference test holds.
    dense = worlds.random_dense(np.random.default_rng(18), mix, (40, 20, 20))
    mesh = meshed(worlds.world_of(dense, (-20, 3, 25)), smoothing)
    axes = np.ptp(vertex_cells(mesh)[mesh.quads], axis=1).argmin(axis=1)
    corners = mesh.world_positions()[mesh.quads]
    rows = np.arange(len(corners))
    whole = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])[rows, axes]
    assert len(corners) > 1000
    for a, b, c in layout.QUAD_TRIANGLES.reshape(2, 3):
        cross = np.cross(corners[:, b] - corners[:, a], corners[:, c] - corners[:, a])[rows, axes]
        assert np.all(cross * np.sign(whole) > 0)


@SMOOTHINGS
def test_both_sides_of_a_border_have_the_same_bits(worlds, smoothing):
    dense = worlds.random_dense(np.random.default_rng(13), "mixed", (40, 40, 40))
    mesh = meshed(worlds.world_of(dense, (-20, -20, -20)), smoothing)
    positions = mesh.world_positions()
    cells = vertex_cells(mesh)  # one vertex a cell, so equal cells must be equal vertices
    order = np.lexsort(cells.T)
    same = np.all(cells[order][1:] == cells[order][:-1], axis=1)
    assert same.sum() > 100
    assert np.array_equal(positions[order][1:][same], positions[order][:-1][same])
    assert np.array_equal(mesh.normals[order][1:][same], mesh.normals[order][:-1][same])
    for values in (mesh.materials, mesh.secondary_materials, mesh.blend_weights):
        assert np.array_equal(values[order][1:][same], values[order][:-1][same])


def many_worlds(worlds, rng, mix, n):
    """One world of n random small ones, far enough from each other not to touch, in every position about borders."""
    edge = int(np.ceil(n ** (1 / 3)))
    dense = np.zeros((20 * edge,) * 3, np.uint16)
    for i in range(n):
        size = rng.integers(1, 7, 3)
        low = 20 * np.array([i // edge**2, i // edge % edge, i % edge]) + rng.integers(0, 5, 3)
        x, y, z = (slice(a, a + b) for a, b in zip(low, size, strict=True))
        dense[x, y, z] = worlds.random_dense(rng, mix, size)
    return worlds.world_of(dense, worlds.corners[3])


@SMOOTHINGS
def test_smooth_surfaces_are_closed(worlds, smoothing):
    mesh = meshed(many_worlds(worlds, np.random.default_rng(14), "smooth", 400), smoothing)
    assert len(mesh.quads) > 10_000
    assert worlds.open_edges(mesh.world_positions()[mesh.quads]) == 0


@SMOOTHINGS
@pytest.mark.parametrize("mix", ["mixed", "sparse", "dense"])
def test_blocks_and_smooth_surfaces_close_each_other(worlds, mix, smoothing):
    world = many_worlds(worlds, np.random.default_rng(15), mix, 400)
    blocky, smooth = finish(mesh_blocky(world, merge=False)), meshed(world, smoothing)
    quads = np.concatenate([blocky.corners(), smooth.world_positions()[smooth.quads]])
    assert min(len(blocky.quads), len(smooth.quads)) > 1000
    assert worlds.open_edges(quads) == 0


@SMOOTHINGS
@pytest.mark.parametrize("merge", [False, True], ids=["simple", "greedy"])
def test_no_ray_from_outside_meets_a_back_face_first(worlds, merge, smoothing):
    rng = np.random.default_rng(16)
    for i in range(60):
        mix = ("mixed", "smooth", "dense")[i % 3]
        world = worlds.world_of(worlds.random_dense(rng, mix, (6, 6, 6)), worlds.corners[i % 4])
        blocky, smooth = finish(mesh_blocky(world, merge=merge)), meshed(world, smoothing)
        quads = np.concatenate([blocky.corners(), smooth.world_positions()[smooth.quads]])
        assert worlds.back_faces_first(quads, rng, 50) == 0


@SMOOTHINGS
def test_a_flat_top_lies_on_the_voxels_top(worlds, smoothing):
    world = new_world({(x, y, 0): worlds.snow for x in range(3) for y in range(3)}, worlds.palette)
    mesh = meshed(world, smoothing)
    top = mesh.world_positions()[:, 2] > 16
    inner = np.all((mesh.world_positions()[:, :2] > 6) & (mesh.world_positions()[:, :2] < 90), axis=1)
    assert np.all(mesh.world_positions()[top & inner, 2] == 32)
    assert np.all(mesh.normals[top & inner] == (0, 0, 1))


def test_flat_ground_of_blocks_and_snow_is_flush(worlds):
    dense = np.full((12, 12, 3), worlds.earth)
    dense[6:] = worlds.snow
    mesh = finish(mesh_smooth(worlds.world_of(dense)))
    positions = mesh.world_positions()
    inner = np.all((positions > (5.5, 2, 2)) & (positions < (10, 10, 9)), axis=1)
    assert np.all(positions[inner, 2] == 3)
    assert positions[inner, 0].min() == 6  # starts where the blocks end


def test_a_vertex_has_the_commonest_smooth_material(worlds):
    dense = np.zeros((4, 4, 2), np.uint16)
    dense[:] = worlds.palette.voxel(6)
    dense[:2] = worlds.snow
    mesh = finish(mesh_smooth(worlds.world_of(dense)))
    left = mesh.world_positions()[:, 0] < 2
    assert set(mesh.materials[left].tolist()) == {5}
    assert set(mesh.materials[mesh.world_positions()[:, 0] > 2].tolist()) == {6}


@pytest.mark.parametrize("mix", ["smooth", "mixed"])
def test_materials_and_their_blend_equal_the_reference(worlds, mix):
    rng = np.random.default_rng(21)
    dense = worlds.random_dense(rng, mix, (12, 12, 12))
    other = (rng.integers(5, 9, dense.shape).astype(np.uint16) << 8) | layout.FLAG_SMOOTH
    dense = np.where(dense & layout.FLAG_SMOOTH, other, dense)
    mesh = finish(mesh_smooth(worlds.world_of(dense, (27, -5, 30))))
    padded = np.pad(dense, 1)
    rows = zip(
        (vertex_cells(mesh) - (27, -5, 30) + 1).tolist(),
        mesh.materials.tolist(),
        mesh.secondary_materials.tolist(),
        mesh.blend_weights.tolist(),
        strict=True,
    )
    n_blended = 0
    for (x, y, z), material, second, weight in rows:
        about = Counter(int(v) >> 8 for v in padded[x : x + 2, y : y + 2, z : z + 2].flat if is_smooth(int(v)))
        (best, n), *rest = sorted(about.items(), key=lambda item: (-item[1], item[0]))
        other, m = rest[0] if rest else (best, 0)
        assert (material, second, weight) == (best, other, int(255 * m / (n + m) + 0.5))
        n_blended += m > 0
    assert n_blended > 100


def test_smoothing_makes_a_slope_of_terraces(worlds):
    # A staircase that rises by one voxel in five: its middle must lie near the plane through the middles of the steps.
    dense = np.zeros((60, 24, 20), np.uint16)
    for x in range(60):
        dense[x, :, : 8 + x // 5] = worlds.snow
    world = worlds.world_of(dense)

    def roughness(smoothing):
        points = meshed(world, smoothing).world_positions()
        inner = (
            (points[:, 0] > 10) & (points[:, 0] < 50) & (points[:, 1] > 8) & (points[:, 1] < 16) & (points[:, 2] > 1)
        )
        return np.abs(points[inner, 2] - (8 + (points[inner, 0] - 2.5) / 5)).max()

    binary, half, full = roughness(0.0), roughness(0.5), roughness(1.0)
    assert binary > 0.25
    assert 0.3 * binary < half < 0.7 * binary
    assert full < 0.15 * binary


@pytest.mark.parametrize("size", [(1, 1, 1), (1, 1, 9), (9, 9, 1), (2, 2, 2)])
def test_smoothing_keeps_what_is_thin(worlds, size):
    mesh = meshed(worlds.world_of(np.full(size, worlds.snow)), 1.0)
    binary = meshed(worlds.world_of(np.full(size, worlds.snow)), 0.0)
    assert np.all(np.ptp(mesh.world_positions(), axis=0) > 0.5 * np.ptp(binary.world_positions(), axis=0))


def test_blocks_alone_have_no_smooth_surface(worlds):
    dense = worlds.random_dense(np.random.default_rng(17), "blocky", (9, 9, 9))
    mesh = finish(mesh_smooth(worlds.world_of(dense)))
    assert len(mesh.quads) == len(mesh.positions) == 0
