# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects to files, through Blender's own exporters."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ...voxel.errors import VoxelwrightError
from ...voxel.limits import MAX_TOPING_TRIANGLES
from ..files import check_writable
from . import toping_points


class Exporter(NamedTuple):
    """An operator of Blender's, bpy.ops.<module>.<name>, and the options that make it export what is selected."""

    title: str
    module: str
    name: str
    options: dict[str, Any]


_GLTF_OPTIONS = {
    "use_selection": True,
    "use_active_scene": True,
    "export_apply": True,
    # The materials do not read the white colour attribute, so by default it would be left out.
    "export_vertex_color": "ACTIVE",
    "export_all_vertex_colors": False,
    "export_animations": False,
}

EXPORTERS = {
    ".glb": Exporter("glTF", "export_scene", "gltf", {**_GLTF_OPTIONS, "export_format": "GLB"}),
    ".gltf": Exporter("glTF", "export_scene", "gltf", {**_GLTF_OPTIONS, "export_format": "GLTF_SEPARATE"}),
    ".obj": Exporter("OBJ", "wm", "obj_export", {"export_selected_objects": True}),
    ".fbx": Exporter("FBX", "export_scene", "fbx", {"use_selection": True}),
    ".ply": Exporter("PLY", "wm", "ply_export", {"export_selected_objects": True}),
    ".stl": Exporter("STL", "wm", "stl_export", {"export_selected_objects": True}),
    ".usdc": Exporter("USD", "wm", "usd_export", {"selected_objects_only": True}),
}
"""By the ending of the file's name, in lower case."""


def export_objects(objects: Sequence[bpy.types.Object], path: Path) -> None:
    """Write objects, with their modifiers and in their places in the world, to a file of the kind that path's ending
    names.

    Objects that are hidden or cannot be selected are written too. The user's scene, selection and active object stay
    as they are. Raises VoxelwrightError where the file cannot be written.
    """
    exporter = _exporter(path)
    if not objects:
        raise VoxelwrightError("There is nothing to export; bake the world first.")
    check_writable(path)
    n = sum(toping_points.n_triangles(obj) for obj in objects if toping_points.toping_modifier(obj) is not None)
    if n > MAX_TOPING_TRIANGLES:
        raise VoxelwrightError(
            f"The topings would have {n:,} triangles in the file, more than {MAX_TOPING_TRIANGLES:,}; bake them as "
            "objects, or without, before exporting."
        )
    # The exporters change or add to an ending that is not in lower case.
    written = path.with_suffix(path.suffix.lower())
    operator: Callable[..., set[str]] = getattr(getattr(bpy.ops, exporter.module), exporter.name)
    options = exporter.options
    if exporter.name == "gltf":
        options = {**options, "export_tangents": any(map(_has_normal_map, objects))}
    with _export_scene(objects):
        try:
            operator(filepath=str(written), check_existing=False, **options)
            if written != path:
                os.replace(written, path)
        except (RuntimeError, OSError) as error:
            raise VoxelwrightError(f'Blender could not write "{path}": {blender_reason(error)}') from error


def blender_reason(error: Exception) -> str:
    """The cause in an operator's error, which may come with a traceback and the place in the source."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("Location:", "Traceback", "File "))]
    return lines[-1].removeprefix("Error: ") if lines else "no reason was given."


def _has_normal_map(obj: bpy.types.Object) -> bool:
    """Whether any of its materials has one: files say then which way it lies on the mesh."""
    trees = [slot.material.node_tree for slot in obj.material_slots if slot.material is not None]
    return any(node.type == "NORMAL_MAP" for tree in trees if tree is not None for node in tree.nodes)


def _exporter(path: Path) -> Exporter:
    exporter = EXPORTERS.get(path.suffix.lower())
    if exporter is None:
        known = ", ".join(EXPORTERS)
        raise VoxelwrightError(f'"{path.name}" must end in one of {known}, so that its format is known.')
    if exporter.name not in dir(getattr(bpy.ops, exporter.module)):
        raise VoxelwrightError(
            f"Blender's {exporter.title} exporter is missing; enable its add-on in the preferences "
            "or choose another format."
        )
    return exporter


@contextmanager
def _export_scene(objects: Sequence[bpy.types.Object]) -> Iterator[None]:
    """Within it the active scene is a temporary one with the objects and their ancestors, the objects selected.

    In the user's own scene objects may be hidden, not selectable, or in excluded collections, and what the exporters
    do there (they leave Edit Mode, and change the active object) would have to be undone.
    """
    window = bpy.context.window
    user_scene, user_layer = window.scene, window.view_layer
    # Blender adds objects that were linked just now to the layer late, and as selected if they are so elsewhere then.
    user_layer.update()
    scene = bpy.data.scenes.new(f"{user_scene.name} Export")
    unlocked, realized = [], []
    try:
        scene.frame_current = user_scene.frame_current
        scene.unit_settings.scale_length = user_scene.unit_settings.scale_length
        # An exporter may look for objects from their topmost ancestor on.
        for obj in _with_ancestors(objects):
            scene.collection.objects.link(obj)
            for lock in ("hide_viewport", "hide_select"):
                if getattr(obj, lock):
                    unlocked.append((obj, lock))
                    setattr(obj, lock, False)
        window.scene = scene
        for obj in objects:
            obj.update_from_editmode()
            # Exporters write meshes, not what geometry nodes instance.
            modifier = toping_points.toping_modifier(obj)
            if modifier is not None:
                realized.append(modifier)
                toping_points.realize(modifier, True)
            obj.select_set(True)
        yield
    finally:
        for modifier in realized:
            toping_points.realize(modifier, False)
        for obj, lock in unlocked:
            setattr(obj, lock, True)
        window.scene = user_scene
        window.view_layer = user_layer
        bpy.data.scenes.remove(scene)


def _with_ancestors(objects: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    found: dict[bpy.types.Object, None] = {}
    for obj in objects:
        ancestor: bpy.types.Object | None = obj
        while ancestor is not None:
            found[ancestor] = None
            ancestor = ancestor.parent
    return list(found)
