# SPDX-License-Identifier: GPL-3.0-or-later
"""Indexed meshes into Blender's mesh data, in bulk through attributes."""

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...voxel.mesh.topology import IndexedMesh, unique_edges

UV_MAP = "UVMap"
COLOR_ATTRIBUTE = "Color"

DARKEST = 0.35
"""The colour attribute, linear, where ambient light does not reach."""


def fill_mesh(data: bpy.types.Mesh, mesh: IndexedMesh, slots: NDArray[np.int32]) -> None:
    """Replace the geometry of data, in object mode, by mesh; its material slots stay.

    slots (256,) int32 is the material slot of each palette index. The colour attribute is white, or as dark as ambient
    light makes it: exporters multiply it into the colour of the material.
    """
    edges, corner_edges = unique_edges(mesh.starts, mesh.corners, len(mesh.positions))
    n_polygons = len(mesh.starts)
    data.clear_geometry()
    data.vertices.add(len(mesh.positions))
    data.edges.add(len(edges))
    data.loops.add(mesh.corners.size)
    data.polygons.add(n_polygons)
    _set(data, "position", "vector", mesh.positions)
    _set(data, ".edge_verts", "value", edges)
    _set(data, ".corner_vert", "value", mesh.corners)
    _set(data, ".corner_edge", "value", corner_edges)
    data.polygons.foreach_set("loop_start", mesh.starts)
    data.attributes.new("material_index", "INT", "FACE")
    _set(data, "material_index", "value", slots[mesh.materials])
    data.attributes.new(UV_MAP, "FLOAT2", "CORNER")
    _set(data, UV_MAP, "vector", mesh.uvs)
    # A new colour attribute is white.
    data.attributes.new(COLOR_ATTRIBUTE, "BYTE_COLOR", "CORNER")
    if mesh.light is not None:
        shade = DARKEST + (1 - DARKEST) * mesh.light
        _set(data, COLOR_ATTRIBUTE, "color", np.stack([shade, shade, shade, np.ones_like(shade)], axis=1))
    data.color_attributes.active_color_name = COLOR_ATTRIBUTE
    data.color_attributes.render_color_index = data.color_attributes.active_color_index
    if mesh.normals is None:
        data.attributes.new("sharp_face", "BOOLEAN", "FACE")
        _set(data, "sharp_face", "value", np.ones(n_polygons, np.bool_))
    else:
        data.attributes.new("custom_normal", "FLOAT_VECTOR", "POINT")
        _set(data, "custom_normal", "vector", mesh.normals)
    data.update()


def _set(data: bpy.types.Mesh, name: str, field: str, values: NDArray[Any]) -> None:
    attribute: Any = data.attributes[name]  # which class it has depends on its type of data
    # Blender copies in one piece only from contiguous arrays of the attribute's own type.
    attribute.data.foreach_set(field, np.ascontiguousarray(values).reshape(-1))
