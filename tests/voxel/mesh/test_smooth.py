# SPDX-License-Identifier: GPL-3.0-or-later
import itertools
from collections import Counter

import numpy as np
import pytest

from voxelwright.voxel import layout
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.world import new_world

TRANSPARENT = {3, 4}

N_WORLDS = 400
"""Random worlds a mix; five mixes make two thousand."""


def is_smooth(voxel):
    return voxel != 0 and bool(voxel & layout.FLAG_SMOOTH)


def is_ground(voxel):
    return voxel != 0 and (is_smooth(voxel) or voxel >> 8 not in TRANSPARENT)


def shows_face(voxel, other):
    blocky = voxel != 0 and not is_smooth(voxel)
    return blocky and (other == 0 or (other >> 8 in TRANSPARENT and other >> 8 != voxel >> 8))


def reference_surface(dense):
    """({sorted corner key: (corners, material)}, {vertex key: normal}) by the rules, one edge after another."""
    padded = np.pad(dense, 3).astype(int)
    edges = [
        (a, b)
        for a, b in itertools.combinations(itertools.product((0, 1), repeat=3), 2)
        if np.abs(np.subtract(a, b)).sum() == 1
    ]

    def vertex(cell):
        corner = {o: int(padded[tuple(np.add(cell, o))]) for o in itertools.product((0, 1), repeat=3)}
        if any(shows_face(corner[a], corner[b]) or shows_face(corner[b], corner[a]) for a, b in edges):
            return np.array(cell) + 1.0
        middles = [np.add(a, b) / 2 for a, b in edges if is_ground(corner[a]) != is_ground(corner[b])]
        return np.array(cell) + 0.5 + np.round(np.mean(middles, axis=0) * 4096) / 4096

    quads, normals = Counter(), {}
    for point in itertools.product(*(range(1, n - 2) for n in padded.shape)):
        for axis in range(3):
            step = np.eye(3, dtype=int)[axis]
            low, high = int(padded[point]), int(padded[tuple(point + step)])
            if is_ground(low) == is_ground(high) or not is_smooth(low if is_ground(low) else high):
                continue
            u, v = np.eye(3, dtype=int)[(axis + 1) % 3], np.eye(3, dtype=int)[(axis + 2) % 3]
            ring = [vertex(np.array(point) - i * u - j * v) for i, j in ((1, 1), (0, 1), (0, 0), (1, 0))]
            if is_ground(high):
                ring.reverse()
            corners = [tuple((p - 3).tolist()) for p in ring]
            first = corners.index(min(corners))
            material = (low if is_ground(low) else high) >> 8
            quads[(tuple(corners[first:] + corners[:first]), material)] += 1
            area = np.cross(ring[2] - ring[0], ring[3] - ring[1])
            for p in corners:
                normals[p] = normals.get(p, 0) + area
    return quads, normals


def mesh_quads(mesh, corner):
    """The quads of a SmoothMesh in the form of reference_surface."""
    positions = mesh.world_positions() - corner
    quads = Counter()
    for ring, material in zip(positions[mesh.quads].tolist(), mesh.quad_materials.tolist(), strict=True):
        corners = [tuple(p) for p in ring]
        first = corners.index(min(corners))
        quads[(tuple(corners[first:] + corners[:first]), material)] += 1
    return quads


@pytest.mark.parametrize("mix", ["smooth", "mixed", "sparse", "dense", "glass"])
def test_quads_equal_the_reference(worlds, mix):
    rng = np.random.default_rng(11)
    for i in range(N_WORLDS):
        dense = worlds.random_dense(rng, mix, rng.integers(1, 4, 3))
        if mix == "glass":
            dense[rng.random(dense.shape) < 0.3] = worlds.snow
        corner = worlds.corners[i % len(worlds.corners)]
        mesh = finish(mesh_smooth(worlds.world_of(dense, corner)))
        assert mesh_quads(mesh, corner) == reference_surface(dense)[0]


def test_normals_are_area_weighted_and_point_outwards(worlds):
    dense = worlds.random_dense(np.random.default_rng(12), "smooth", (5, 5, 5))
    mesh = finish(mesh_smooth(worlds.world_of(dense, (-2, 30, 29))))
    _, normals = reference_surface(dense)
    keys = [tuple(p) for p in (mesh.world_positions() - (-2, 30, 29)).tolist()]
    for key, normal in zip(keys, mesh.normals, strict=True):
        if np.linalg.norm(normals[key]) > 1e-6:
            np.testing.assert_allclose(normal, normals[key] / np.linalg.norm(normals[key]), atol=1e-5)


def vertex_cells(mesh):
    """(v, 3) the cell of each vertex: half a voxel below it, and one voxel where the vertex is the cell's centre."""
    positions = mesh.world_positions()
    cells = np.floor(positions - 0.5)
    on_grid = np.all(positions == np.round(positions), axis=1)
    cells[on_grid] = positions[on_grid] - 1
    return cells


@pytest.mark.parametrize("mix", ["smooth", "mixed", "sparse", "dense"])
def test_triangles_wind_outwards(worlds, mix):
    # The four cells of a quad share the coordinate along the crossed edge; seen along it, towards the solid end,
    # both triangles must be counter-clockwise. Which end is solid is what the reference test holds.
    dense = worlds.random_dense(np.random.default_rng(18), mix, (40, 20, 20))
    mesh = finish(mesh_smooth(worlds.world_of(dense, (-20, 3, 25))))
    axes = np.ptp(vertex_cells(mesh)[mesh.quads], axis=1).argmin(axis=1)
    corners = mesh.world_positions()[mesh.quads]
    rows = np.arange(len(corners))
    whole = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])[rows, axes]
    assert len(corners) > 1000
    for a, b, c in layout.QUAD_TRIANGLES.reshape(2, 3):
        cross = np.cross(corners[:, b] - corners[:, a], corners[:, c] - corners[:, a])[rows, axes]
        assert np.all(cross * np.sign(whole) > 0)


def test_both_sides_of_a_border_have_the_same_bits(worlds):
    dense = worlds.random_dense(np.random.default_rng(13), "mixed", (40, 40, 40))
    mesh = finish(mesh_smooth(worlds.world_of(dense, (-20, -20, -20))))
    positions = mesh.world_positions()
    cells = vertex_cells(mesh)  # one vertex a cell, so equal cells must be equal vertices
    order = np.lexsort(cells.T)
    same = np.all(cells[order][1:] == cells[order][:-1], axis=1)
    assert same.sum() > 100
    assert np.array_equal(positions[order][1:][same], positions[order][:-1][same])
    assert np.array_equal(mesh.normals[order][1:][same], mesh.normals[order][:-1][same])
    assert np.array_equal(mesh.materials[order][1:][same], mesh.materials[order][:-1][same])


def test_smooth_surfaces_are_closed(worlds):
    rng = np.random.default_rng(14)
    for i in range(400):
        dense = worlds.random_dense(rng, "smooth", rng.integers(1, 7, 3))
        mesh = finish(mesh_smooth(worlds.world_of(dense, worlds.corners[i % 4])))
        assert worlds.open_edges(mesh.world_positions()[mesh.quads]) == 0


@pytest.mark.parametrize("mix", ["mixed", "sparse", "dense"])
def test_blocks_and_smooth_surfaces_close_each_other(worlds, mix):
    rng = np.random.default_rng(15)
    for i in range(400):
        world = worlds.world_of(worlds.random_dense(rng, mix, rng.integers(1, 7, 3)), worlds.corners[i % 4])
        blocky, smooth = finish(mesh_blocky(world, merge=False)), finish(mesh_smooth(world))
        quads = np.concatenate([blocky.corners(), smooth.world_positions()[smooth.quads]])
        assert worlds.open_edges(quads) == 0


@pytest.mark.parametrize("merge", [False, True], ids=["simple", "greedy"])
def test_no_ray_from_outside_meets_a_back_face_first(worlds, merge):
    rng = np.random.default_rng(16)
    for i in range(60):
        mix = ("mixed", "smooth", "dense")[i % 3]
        world = worlds.world_of(worlds.random_dense(rng, mix, (6, 6, 6)), worlds.corners[i % 4])
        blocky, smooth = finish(mesh_blocky(world, merge=merge)), finish(mesh_smooth(world))
        quads = np.concatenate([blocky.corners(), smooth.world_positions()[smooth.quads]])
        assert worlds.back_faces_first(quads, rng, 50) == 0


def test_a_flat_top_lies_on_the_voxels_top(worlds):
    world = new_world({(x, y, 0): worlds.snow for x in range(3) for y in range(3)}, worlds.palette)
    mesh = finish(mesh_smooth(world))
    top = mesh.world_positions()[:, 2] > 16
    inner = np.all((mesh.world_positions()[:, :2] > 2) & (mesh.world_positions()[:, :2] < 94), axis=1)
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


def test_blocks_alone_have_no_smooth_surface(worlds):
    dense = worlds.random_dense(np.random.default_rng(17), "blocky", (9, 9, 9))
    mesh = finish(mesh_smooth(worlds.world_of(dense)))
    assert len(mesh.quads) == len(mesh.positions) == 0
