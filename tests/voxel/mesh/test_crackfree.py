# SPDX-License-Identifier: GPL-3.0-or-later
from collections import Counter, defaultdict

import numpy as np
import pytest

from voxelwright.voxel import layout
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.arrays import BlockyMesh
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.crackfree import crack_free
from voxelwright.voxel.mesh.smooth import mesh_smooth


def polygons_of(mesh, extra=None):
    made = crack_free(mesh, extra)
    return [made.corners[a:b] for a, b in zip(made.offsets[:-1], made.offsets[1:], strict=True)]


def edges(polygons):
    """Every directed edge as a pair of points."""
    for polygon in polygons:
        points = list(map(tuple, np.asarray(polygon).tolist()))
        yield from zip(points, points[1:] + points[:1], strict=True)


def t_junctions(polygons):
    """How many vertices lie within an edge, each edge tried with each vertex on its line."""
    lines = defaultdict(set)
    for a, _ in edges(polygons):
        for axis in range(3):
            lines[axis, a[:axis] + a[axis + 1 :]].add(a[axis])
    found = 0
    for a, b in edges(polygons):
        (axis,) = np.flatnonzero(np.array(a) != np.array(b))
        low, high = sorted((a[axis], b[axis]))
        found += sum(low < place < high for place in lines[axis, a[:axis] + a[axis + 1 :]])
    return found


def unbalanced(polygons):
    balance = Counter()
    for a, b in edges(polygons):
        balance[min(a, b), max(a, b)] += 1 if a < b else -1
    return sum(map(abs, balance.values()))


def area_vector(polygon):
    points = polygon.astype(np.float64) - polygon[0]
    return np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0) / 2


@pytest.mark.parametrize("mix", ["blocky", "glass", "sparse"])
def test_no_vertex_lies_within_an_edge(worlds, mix):
    rng = np.random.default_rng(1)
    before = 0
    for i in range(60):
        dense = worlds.random_dense(rng, mix, rng.integers(1, 10, 3))
        mesh = finish(mesh_blocky(worlds.world_of(dense, worlds.corners[i % 4]), merge=True))
        before += t_junctions(mesh.corners())
        polygons = polygons_of(mesh)
        assert t_junctions(polygons) == 0
        fields = layout.unpack_quads(mesh.quads)
        for quad, polygon, face, area in zip(
            mesh.corners(), polygons, fields["face"], fields["width"] * fields["height"], strict=True
        ):
            assert np.array_equal(polygon[0], quad[0])
            assert {*map(tuple, quad.tolist())} <= {*map(tuple, polygon.tolist())}
            assert np.array_equal(area_vector(polygon), area * layout.FACE_NORMALS[face])
    assert before > 0  # or the worlds are no test


def test_opaque_worlds_are_closed(worlds):
    rng = np.random.default_rng(2)
    for i in range(60):
        dense = worlds.random_dense(rng, "blocky", rng.integers(1, 10, 3))
        mesh = finish(mesh_blocky(worlds.world_of(dense, worlds.corners[i % 4]), merge=True))
        assert unbalanced(polygons_of(mesh)) == 0


def test_far_fewer_faces_than_voxel_faces(worlds):
    ground = np.zeros((64, 64, 12), np.uint16)
    heights = 6 + (4 * np.sin(np.arange(64) / 9)[:, None] * np.cos(np.arange(64) / 7)[None]).astype(int)
    ground[np.arange(12) < heights[..., None]] = worlds.earth
    world = worlds.world_of(ground)
    polygons = polygons_of(finish(mesh_blocky(world, merge=True)))
    assert t_junctions(polygons) == unbalanced(polygons) == 0
    assert len(polygons) < len(finish(mesh_blocky(world, merge=False)).quads) / 8


@pytest.mark.parametrize("mix", ["mixed", "dense"])
def test_blocks_and_smooth_surfaces_close_each_other(worlds, mix):
    rng = np.random.default_rng(3)
    for i in range(30):
        world = worlds.world_of(worlds.random_dense(rng, mix, rng.integers(2, 9, 3)), worlds.corners[i % 4])
        smooth = finish(mesh_smooth(world))
        points = smooth.world_positions()
        lattice = points[(points == np.floor(points)).all(axis=1)].astype(np.int32)
        blocks = polygons_of(finish(mesh_blocky(world, merge=True)), lattice)
        assert unbalanced([*(block.astype(np.float64) for block in blocks), *points[smooth.quads]]) == 0


def test_an_extra_point_is_taken_in_where_it_lies_on_an_edge(worlds):
    world = worlds.world_of(np.full((4, 4, 4), worlds.earth, np.uint16))
    extra = np.array([(2, 0, 0), (2, 2, 0), (9, 0, 0), (0, 0, 0)], np.int32)
    polygons = polygons_of(finish(mesh_blocky(world, merge=True)), extra)
    assert sorted(map(len, polygons)) == [4, 4, 4, 4, 5, 5]


def test_nothing_gives_no_polygons(worlds):
    made = crack_free(finish(mesh_blocky(worlds.world_of(np.zeros((1, 1, 1), np.uint16)), merge=True)))
    assert made.offsets.tolist() == [0]
    assert made.corners.shape == (0, 3)


def test_a_mesh_too_large_is_refused(worlds):
    mesh = finish(mesh_blocky(worlds.world_of(np.full((1, 1, 1), worlds.earth, np.uint16)), merge=True))
    far = mesh.coords + np.int32(1 << 16)
    both = BlockyMesh(np.concatenate([mesh.coords, far]), np.tile(mesh.face_counts, (2, 1)), np.tile(mesh.quads, 2))
    with pytest.raises(VoxelwrightError, match="2097152 voxels"):
        crack_free(both)
