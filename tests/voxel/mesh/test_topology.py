# SPDX-License-Identifier: GPL-3.0-or-later
"""Welding, edges and texture coordinates, against numpy's own sorting and the meshers' corners."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxelwright.voxel import layout
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.limits import MAX_BAKED_CHUNK_COORD
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.numbering import number_keys
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.mesh.topology import unique_edges, weld, weld_blocky, weld_smooth

OPAQUE = np.zeros(256, np.bool_)


def meshes(worlds, mix, seed=1, corner=(29, -3, 30), merge=False):
    dense = worlds.random_dense(np.random.default_rng(seed), mix, (9, 10, 8))
    world = worlds.world_of(dense, corner)
    return finish(mesh_blocky(world, merge=merge)), finish(mesh_smooth(world))


def sorted_reference(keys):
    """first and index of number_keys(), by sorting."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.reshape(-1)]


@settings(deadline=None)  # the first call may compile
@given(st.lists(st.one_of(st.integers(0, 12), st.integers(0, 2**62)), max_size=60))
def test_weld_numbers_keys_in_the_order_of_their_first_occurrence(values):
    keys = np.array(values, np.int64)
    first, index = number_keys(keys)
    expected_first, expected_index = sorted_reference(keys)
    np.testing.assert_array_equal(first, expected_first)
    np.testing.assert_array_equal(index, expected_index)


def rows(mesh, values=None):
    """The corners of a mesh, or values of theirs, a row a polygon; all have as many."""
    values = mesh.corners if values is None else values
    return values.reshape(len(mesh.starts), -1, *values.shape[1:]) if len(values) else values


def edges_of(mesh):
    """The unique edges, and those of the corners a row a polygon."""
    edges, corner_edges = unique_edges(mesh.starts, mesh.corners, len(mesh.positions))
    return edges, rows(mesh, corner_edges)


@pytest.mark.parametrize("step", [1, 2**20, 2**32, 2**40 + 1])
def test_weld_grows_with_regular_keys(step):
    """Keys that differ in few bits only, far more than the first table holds."""
    keys = np.random.default_rng(2).permutation(np.repeat(np.arange(20_000) * step, 3))
    first, index = number_keys(keys)
    assert len(first) == 20_000
    np.testing.assert_array_equal(keys[first][index], keys)


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("mix", ["blocky", "glass", "mixed"])
def test_blocks_keep_every_corner_and_share_vertices(worlds, mix, merge):
    blocky, _ = meshes(worlds, mix, merge=merge)
    mesh = weld_blocky(blocky, OPAQUE)
    np.testing.assert_array_equal(mesh.positions[rows(mesh)], blocky.corners())
    np.testing.assert_array_equal(mesh.materials, layout.unpack_quads(blocky.quads)["material"])
    assert len(np.unique(mesh.positions, axis=0)) == len(mesh.positions)


def test_block_uvs_are_voxel_coordinates_along_the_faces_axes(worlds):
    blocky, _ = meshes(worlds, "blocky", merge=True)
    mesh = weld_blocky(blocky, OPAQUE)
    for corners, uvs, face in zip(
        blocky.corners(), rows(mesh, mesh.uvs), layout.unpack_quads(blocky.quads)["face"], strict=True
    ):
        np.testing.assert_array_equal(uvs[:, 0], corners[:, layout.FACE_U_AXIS[face]])
        np.testing.assert_array_equal(uvs[:, 1], corners[:, layout.FACE_V_AXIS[face]])


def test_kinds_of_glass_that_touch_share_no_vertices(worlds):
    """Both show a face where they touch; polygons with the same vertices would make the mesh invalid."""
    blocky, _ = meshes(worlds, "glass")
    mesh = weld_blocky(blocky, worlds.palette.transparent)
    np.testing.assert_array_equal(mesh.positions[rows(mesh)], blocky.corners())
    vertex_sets = Counter(frozenset(polygon) for polygon in rows(mesh).tolist())
    assert max(vertex_sets.values()) == 1
    merged = weld_blocky(blocky, OPAQUE)
    assert max(Counter(frozenset(polygon) for polygon in rows(merged).tolist()).values()) == 2


@pytest.mark.parametrize("mix", ["smooth", "mixed", "sparse"])
def test_smooth_surfaces_keep_every_corner_and_share_vertices(worlds, mix):
    _, smooth = meshes(worlds, mix)
    mesh = weld_smooth(smooth)
    expected = smooth.quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    np.testing.assert_array_equal(mesh.positions[rows(mesh)], smooth.world_positions()[expected])
    assert mesh.normals is not None
    np.testing.assert_array_equal(mesh.normals[rows(mesh)], smooth.normals[expected])
    np.testing.assert_array_equal(mesh.materials, np.repeat(smooth.quad_materials, 2))
    assert len(np.unique(mesh.positions, axis=0)) == len(mesh.positions) < len(smooth.positions)


def test_smooth_uvs_lie_in_the_plane_that_the_triangle_faces(worlds):
    _, smooth = meshes(worlds, "smooth")
    mesh = weld_smooth(smooth)
    points = mesh.positions[rows(mesh)].astype(np.float64)
    normals = np.abs(np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]))
    seen = set()
    for corners, uvs, normal in zip(points, rows(mesh, mesh.uvs), normals, strict=True):
        axis = int(np.argmax(normal))
        seen.add(axis)
        np.testing.assert_array_equal(uvs[:, 0], corners[:, (1, 0, 0)[axis]])
        np.testing.assert_array_equal(uvs[:, 1], corners[:, (2, 2, 1)[axis]])
    assert seen == {0, 1, 2}


def test_edges_of_one_voxel(worlds):
    blocky = finish(mesh_blocky(worlds.world_of(np.array([[[worlds.earth]]], np.uint16)), merge=False))
    mesh = weld_blocky(blocky, OPAQUE)
    edges, corner_edges = edges_of(mesh)
    assert (len(mesh.positions), len(edges)) == (8, 12)
    assert np.bincount(corner_edges.ravel()).tolist() == [2] * 12


@pytest.mark.parametrize("mix", ["blocky", "smooth"])
def test_edges_join_the_corners_and_closed_meshes_use_each_evenly(worlds, mix):
    blocky, smooth = meshes(worlds, mix, corner=(0, 0, 0))
    mesh = weld_blocky(blocky, OPAQUE) if mix == "blocky" else weld_smooth(smooth)
    edges, corner_edges = edges_of(mesh)
    ends = np.stack([rows(mesh), np.roll(rows(mesh), -1, axis=1)], axis=2)
    np.testing.assert_array_equal(edges[corner_edges], np.sort(ends, axis=2))
    assert len(np.unique(edges, axis=0)) == len(edges)
    forward = rows(mesh) == edges[corner_edges][:, :, 0]
    ways = np.bincount(corner_edges.ravel(), np.where(forward, 1, -1).ravel())
    assert not ways.any()


def test_empty_meshes(worlds):
    blocky, smooth = meshes(worlds, "smooth")[0], meshes(worlds, "blocky")[1]
    for mesh in (weld_blocky(blocky, OPAQUE), weld_smooth(smooth)):
        assert mesh.starts.shape == mesh.corners.shape == (0,)
        edges, corner_edges = unique_edges(mesh.starts, mesh.corners, 0)
        assert edges.shape == (0, 2)
        assert corner_edges.shape == (0,)


@pytest.mark.parametrize("sign", [1, -1])
def test_worlds_are_baked_up_to_a_distance(worlds, sign):
    blocky, smooth = meshes(worlds, "mixed", corner=(0, 0, 0))
    for mesh, welded in ((blocky, lambda m: weld_blocky(m, OPAQUE)), (smooth, weld_smooth)):
        edge = (
            mesh.coords
            + np.int32(sign * MAX_BAKED_CHUNK_COORD)
            - (mesh.coords.max(0) if sign > 0 else mesh.coords.min(0))
        )
        shifted = welded(replace(mesh, coords=edge.astype(np.int32)))
        at_origin = welded(mesh)
        shift = (edge[0] - mesh.coords[0]) * layout.CHUNK_SIZE
        np.testing.assert_array_equal(shifted.corners, at_origin.corners)
        np.testing.assert_allclose(shifted.positions, at_origin.positions + shift, atol=2**-7)
        with pytest.raises(VoxelwrightError, match="131008"):
            welded(replace(mesh, coords=(edge + sign).astype(np.int32)))


@pytest.mark.parametrize("light", [False, True])
@pytest.mark.parametrize("mix", ["blocky", "mixed"])
def test_a_crack_free_world_is_closed_edge_by_edge(worlds, mix, light):
    """Every edge of the polygons of blocks and of the smooth triangles is met by as many in the other direction."""
    world = worlds.world_of(worlds.random_dense(np.random.default_rng(7), mix, (12, 11, 10)), (27, -5, 30))
    blocky = finish(mesh_blocky(world, merge=True, ambient_occlusion=light))
    smooth = finish(mesh_smooth(world))
    welded = finish(weld(blocky, smooth, OPAQUE, crack_free=True))
    balance = Counter()
    for mesh in (welded.blocks, welded.smooth):
        if mesh is None:
            continue
        ends = [*mesh.starts[1:].tolist(), len(mesh.corners)]
        for start, end in zip(mesh.starts.tolist(), ends, strict=True):
            ring = [tuple(p) for p in mesh.positions[mesh.corners[start:end]].tolist()]
            for a, b in zip(ring, [*ring[1:], ring[0]], strict=True):
                balance[a, b] += 1
                balance[b, a] -= 1
    assert not any(balance.values())
    assert welded.blocks is not None
    assert len(welded.blocks.starts) == len(blocky.quads)


def test_light_goes_with_its_corner(worlds):
    """The light of every corner point of every quad is the mesher's, however the corners are turned."""
    world = worlds.world_of(worlds.random_dense(np.random.default_rng(8), "blocky", (9, 9, 9)))
    blocky = finish(mesh_blocky(world, merge=True, ambient_occlusion=True))
    for crack_free in (False, True):
        mesh = finish(weld(blocky, finish(mesh_smooth(world)), OPAQUE, crack_free=crack_free)).blocks
        ends = [*mesh.starts[1:].tolist(), len(mesh.corners)]
        for i, (start, end) in enumerate(zip(mesh.starts.tolist(), ends, strict=True)):
            points = [tuple(p) for p in mesh.positions[mesh.corners[start:end]].tolist()]
            found = dict(zip(points, mesh.light[start:end].tolist(), strict=True))
            for point, light in zip(blocky.corners()[i].tolist(), blocky.corner_light[i].tolist(), strict=True):
                assert found[tuple(point)] == pytest.approx(light / 3)
