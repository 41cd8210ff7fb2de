# SPDX-License-Identifier: GPL-3.0-or-later
"""Points with an instance at each, by geometry nodes."""

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from . import tags

SHAPE, TRANSFORM = "toping_shape", "toping_transform"
"""Attributes of the points: the number of the instanced object in its collection, by name, and how it is scaled and
sheared at its point."""


def fill_points(data: bpy.types.ID | None, matrices: NDArray[np.float32], shapes: NDArray[np.int32]) -> None:
    """Replace a mesh by points at matrices (n, 4, 4), of shapes (n,)."""
    assert isinstance(data, bpy.types.Mesh)
    data.clear_geometry()
    data.vertices.add(len(matrices))
    linear = matrices.copy()
    linear[:, :3, 3] = 0
    for name, kind, field, values in (
        ("position", "FLOAT_VECTOR", "vector", matrices[:, :3, 3]),
        (SHAPE, "INT", "value", shapes),
        # Blender's matrices lie in memory column by column.
        (TRANSFORM, "FLOAT4X4", "value", linear.transpose(0, 2, 1)),
    ):
        attribute: Any = data.attributes.get(name) or data.attributes.new(name, kind, "POINT")  # type: ignore[arg-type]
        attribute.data.foreach_set(field, np.ascontiguousarray(values).reshape(-1))
    data.update()


def points_modifier(
    obj: bpy.types.Object, shapes: bpy.types.Collection, world: str, world_key: str
) -> bpy.types.NodesModifier:
    """The modifier that instances the objects of shapes at the points of obj, as an earlier bake has made it or new."""
    nodes: Any = tags.find(bpy.data.node_groups, world_key)
    if nodes is None:
        nodes = bpy.data.node_groups.new(f"Topings ({world})", "GeometryNodeTree")
        nodes.is_modifier = True
        tags.tag(nodes, world_key)
    if not {_COLLECTION, _REALIZE} <= set(nodes.nodes.keys()):  # new, or changed beyond use
        nodes.nodes.clear()
        nodes.interface.clear()
        _build(nodes, shapes)
    nodes.nodes[_COLLECTION].inputs["Collection"].default_value = shapes
    modifier: Any = toping_modifier(obj)
    if modifier is None:
        modifier = obj.modifiers.new("Topings", "NODES")
        modifier.node_group = nodes
    return modifier


def toping_modifier(obj: bpy.types.Object) -> Any:
    """The modifier of an object of points; None of any other."""
    modifier: Any
    for modifier in obj.modifiers:
        if modifier.type == "NODES" and modifier.node_group is not None and tags.WORLD in modifier.node_group:
            return modifier
    return None


def n_triangles(obj: bpy.types.Object) -> int:
    """How many the instances at an object's points have together."""
    shapes: Any = toping_modifier(obj).node_group.nodes[_COLLECTION].inputs["Collection"].default_value
    data: Any = obj.data
    attribute = data.attributes[SHAPE]
    chosen = np.empty(len(attribute.data), np.int32)
    attribute.data.foreach_get("value", chosen)
    # Shapes are made of triangles alone.
    sizes = [len(shape.data.polygons) for shape in sorted(shapes.objects, key=lambda shape: shape.name)]
    return int(np.array(sizes, np.int64)[chosen].sum())


def realize(modifier: Any, is_realized: bool) -> None:
    """Turn instances into a mesh, or back."""
    modifier.node_group.nodes[_REALIZE].inputs["Selection"].default_value = is_realized


_COLLECTION, _REALIZE = "Toping Shapes", "Realize"
"""Names of nodes."""


def _build(tree: Any, shapes: bpy.types.Collection) -> None:
    interface = tree.interface
    interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes = {}
    for column, names in enumerate(
        (
            ("NodeGroupInput", "GeometryNodeInputPosition", "GeometryNodeCollectionInfo"),
            ("GeometryNodeInputNamedAttribute", "GeometryNodeInputNamedAttribute.001", "FunctionNodeCombineTransform"),
            ("GeometryNodeInstanceOnPoints", "FunctionNodeMatrixMultiply"),
            ("GeometryNodeSetInstanceTransform",),
            ("GeometryNodeRealizeInstances",),
            ("NodeGroupOutput",),
        )
    ):
        for row, name in enumerate(names):
            nodes[name] = tree.nodes.new(name.partition(".")[0])
            nodes[name].location = (220 * column, -220 * row)
    group, collection = nodes["NodeGroupInput"], nodes["GeometryNodeCollectionInfo"]
    collection.name = _COLLECTION
    collection.inputs["Collection"].default_value = shapes
    collection.inputs["Separate Children"].default_value = True
    collection.inputs["Reset Children"].default_value = True
    shape, transform = nodes["GeometryNodeInputNamedAttribute"], nodes["GeometryNodeInputNamedAttribute.001"]
    for node, name, kind in ((shape, SHAPE, "INT"), (transform, TRANSFORM, "FLOAT4X4")):
        node.data_type = kind
        node.inputs["Name"].default_value = name
    instance, place = nodes["GeometryNodeInstanceOnPoints"], nodes["FunctionNodeCombineTransform"]
    instance.inputs["Pick Instance"].default_value = True
    product, put = nodes["FunctionNodeMatrixMultiply"], nodes["GeometryNodeSetInstanceTransform"]
    realized, out = nodes["GeometryNodeRealizeInstances"], nodes["NodeGroupOutput"]
    realized.name = _REALIZE
    realized.inputs["Selection"].default_value = False
    link = tree.links.new
    link(group.outputs["Geometry"], instance.inputs["Points"])
    link(collection.outputs["Instances"], instance.inputs["Instance"])
    link(shape.outputs["Attribute"], instance.inputs["Instance Index"])
    link(nodes["GeometryNodeInputPosition"].outputs["Position"], place.inputs["Translation"])
    link(place.outputs["Transform"], product.inputs[0])
    link(transform.outputs["Attribute"], product.inputs[1])
    link(instance.outputs["Instances"], put.inputs["Instances"])
    link(product.outputs["Matrix"], put.inputs["Transform"])
    link(put.outputs["Instances"], realized.inputs["Geometry"])
    link(realized.outputs["Geometry"], out.inputs["Geometry"])
