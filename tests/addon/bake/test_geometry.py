# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in Blender's mesh data after a bake."""

import numpy as np
import pytest

from voxelwright.voxel.layout import unpack_quads
from voxelwright.voxel.mesh.topology import weld_blocky, weld_smooth

bpy = pytest.importorskip("bpy")

from voxelwright.addon.bake.geometry import fill_mesh  # noqa: E402 (it needs bpy)


@pytest.fixture
def filled(scene, bakes):
    """A function that gives (mesh arrays, Blender's mesh data) of one part of a mix."""

    def fill(mix, part):
        blocky, smooth = bakes.meshes_of(bakes.world_of(mix))
        mesh = weld_blocky(blocky, bakes.palette.transparent) if part == "blocks" else weld_smooth(smooth)
        data = bpy.data.meshes.new("test")
        fill_mesh(data, mesh, np.arange(256, dtype=np.int32))
        return mesh, data

    return fill


PARTS = [("kinds", "blocks"), ("mixed", "blocks"), ("smooth", "smooth"), ("mixed", "smooth")]
every_part = pytest.mark.parametrize(("mix", "part"), PARTS)


@every_part
def test_mesh_data_is_valid_as_it_is(filled, mix, part):
    _, data = filled(mix, part)
    assert not data.validate(verbose=True)


@every_part
def test_polygons_edges_and_materials(filled, bakes, mix, part):
    mesh, data = filled(mix, part)
    n_polygons = len(mesh.starts)
    n_sides = len(mesh.corners) // n_polygons
    np.testing.assert_array_equal(bakes.get(data.vertices, "co", (len(mesh.positions), 3)), mesh.positions)
    vertices = bakes.get(data.loops, "vertex_index", (n_polygons, n_sides), np.int32)
    np.testing.assert_array_equal(vertices.ravel(), mesh.corners)
    np.testing.assert_array_equal(bakes.get(data.polygons, "loop_total", n_polygons, np.int32), n_sides)
    np.testing.assert_array_equal(bakes.get(data.polygons, "material_index", n_polygons, np.int32), mesh.materials)
    edges = bakes.get(data.edges, "vertices", (len(data.edges), 2), np.int32)
    edge_of_corner = bakes.get(data.loops, "edge_index", (n_polygons, n_sides), np.int32)
    ends = np.stack([vertices, np.roll(vertices, -1, axis=1)], axis=2)
    np.testing.assert_array_equal(np.sort(edges[edge_of_corner], axis=2), np.sort(ends, axis=2))
    assert len(np.unique(np.sort(edges, axis=1), axis=0)) == len(edges)


def test_edges_of_closed_blocks_have_two_or_four_faces(scene, bakes):
    blocky, _ = bakes.meshes_of(bakes.world_of("blocky"), merge=False)
    data = bpy.data.meshes.new("test")
    fill_mesh(data, weld_blocky(blocky, np.zeros(256, np.bool_)), np.zeros(256, np.int32))
    uses = np.bincount(bakes.get(data.loops, "edge_index", len(data.loops), np.int32), minlength=len(data.edges))
    assert set(uses.tolist()) == {2, 4}


@every_part
def test_uvs_and_white_colors_are_the_active_ones(filled, bakes, mix, part):
    mesh, data = filled(mix, part)
    assert [layer.name for layer in data.uv_layers] == ["UVMap"]
    assert data.uv_layers.active.active_render
    np.testing.assert_array_equal(bakes.get(data.uv_layers.active.uv, "vector", mesh.uvs.shape), mesh.uvs)
    colors = data.color_attributes
    assert colors.active_color.name == colors[colors.render_color_index].name == "Color"
    assert (colors.active_color.domain, colors.active_color.data_type) == ("CORNER", "BYTE_COLOR")
    assert (bakes.get(colors.active_color.data, "color", (len(data.loops), 4)) == 1).all()


def test_blocks_are_flat(filled, bakes):
    mesh, data = filled("kinds", "blocks")
    assert bakes.get(data.attributes["sharp_face"].data, "value", len(data.polygons), np.bool_).all()
    normals = bakes.get(data.corner_normals, "vector", (len(mesh.corners), 3))
    faces = bakes.get(data.polygons, "normal", (len(data.polygons), 3))
    np.testing.assert_allclose(normals, np.repeat(faces, 4, axis=0), atol=1e-6)


def test_smooth_surfaces_have_the_meshers_normals(filled, bakes):
    mesh, data = filled("mixed", "smooth")
    normals = bakes.get(data.corner_normals, "vector", (len(mesh.corners), 3))
    np.testing.assert_allclose(normals, mesh.normals[mesh.corners], atol=1e-6)


def test_polygons_face_outwards(scene, bakes):
    """Blocks by the face that the mesher named; smooth surfaces by the volume that they enclose."""
    blocky, _ = bakes.meshes_of(bakes.world_of("kinds"))
    data = bpy.data.meshes.new("blocks")
    fill_mesh(data, weld_blocky(blocky, bakes.palette.transparent), np.zeros(256, np.int32))
    face = unpack_quads(blocky.quads)["face"]
    outward = np.concatenate([[sign * axis for sign in (1, -1)] for axis in np.eye(3)])
    np.testing.assert_allclose(bakes.get(data.polygons, "normal", (len(face), 3)), outward[face], atol=1e-6)

    world = bakes.world_of("smooth")
    _, smooth = bakes.meshes_of(world)
    data = bpy.data.meshes.new("smooth")
    fill_mesh(data, weld_smooth(smooth), np.zeros(256, np.int32))
    n = len(data.polygons)
    normals, centers = bakes.get(data.polygons, "normal", (n, 3)), bakes.get(data.polygons, "center", (n, 3))
    volume = ((normals * centers).sum(axis=1) * bakes.get(data.polygons, "area", n)).sum() / 3
    n_voxels = world.material_counts()[1:].sum()
    assert 0.3 * n_voxels < volume < 1.2 * n_voxels


def test_filling_again_leaves_nothing_of_before(filled, scene, bakes):
    _, data = filled("mixed", "smooth")
    data.uv_layers.new(name="other")
    blocky, _ = bakes.meshes_of(bakes.world_of("blocky"))
    mesh = weld_blocky(blocky, bakes.palette.transparent)
    fill_mesh(data, mesh, np.zeros(256, np.int32))
    assert (len(data.vertices), len(data.polygons)) == (len(mesh.positions), len(mesh.starts))
    assert not data.has_custom_normals
    assert [layer.name for layer in data.uv_layers] == ["UVMap"]
    assert not data.validate(verbose=True)
