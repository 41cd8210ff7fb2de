# SPDX-License-Identifier: GPL-3.0-or-later
"""Exported files, judged by the Khronos validator and by what Blender reads back."""

import numpy as np
import pytest
from mathutils import Matrix

from voxelwright.addon import presets
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.generate.terrain import generate
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.topology import weld_smooth

bpy = pytest.importorskip("bpy")

from voxelwright.addon.bake import export  # noqa: E402 (they need bpy)
from voxelwright.addon.bake.objects import bake_world  # noqa: E402


def exported(objects, path):
    export.export_objects(objects, path)
    return path


@pytest.fixture
def bake(scene, bakes):
    """A function that bakes a mix and gives its objects."""

    def run(mix="mixed", parent=None, **options):
        blocky, smooth = bakes.meshes_of(bakes.world_of(mix, **options))
        return bake_world("World", "key", bakes.weld(blocky, smooth, bakes.palette), bakes.palette, parent, scene)

    return run


def bounds(objects):
    """The lowest and highest world coordinates of objects' vertices, (2, 3)."""
    bpy.context.view_layer.update()
    points = np.array([obj.matrix_world @ v.co for obj in objects if obj.type == "MESH" for v in obj.data.vertices])
    return np.array([points.min(axis=0), points.max(axis=0)])


def n_triangles(objects):
    return sum(len(p.vertices) - 2 for obj in objects if obj.type == "MESH" for p in obj.data.polygons)


def assert_clean(report):
    issues = report["issues"]
    assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), issues["messages"]


@pytest.mark.parametrize("mix", ["blocky", "kinds", "smooth", "mixed"])
def test_the_validator_finds_nothing(bake, bakes, validate_gltf, tmp_path, mix):
    objects = bake(mix)
    report = validate_gltf(exported(objects, tmp_path / "world.glb"))
    assert_clean(report)
    assert report["info"]["totalTriangleCount"] == n_triangles(objects)


def test_the_validator_finds_nothing_in_generated_terrain(scene, bakes, validate_gltf, tmp_path):
    preset = presets.world_preset("rolling_hills")
    palette = presets.palette(preset.palette)
    blocky, smooth = bakes.meshes_of(finish(generate(preset, palette, (192, 192, 256), 1)))
    objects = bake_world("Hills", "key", bakes.weld(blocky, smooth, palette), palette, None, scene)
    assert not any(obj.data.validate(verbose=True) for obj in objects)
    report = validate_gltf(exported(objects, tmp_path / "hills.glb"))
    assert_clean(report)
    assert report["info"]["totalTriangleCount"] == 2 * (len(blocky.quads) + len(smooth.quads)) > 10_000


def test_a_glb_holds_the_palettes_materials(bake, bakes, tmp_path):
    gltf, _ = bakes.read_glb(exported(bake("kinds"), tmp_path / "world.glb"))
    materials = {material["name"].removesuffix(" (World)"): material for material in gltf["materials"]}
    assert set(materials) == {"earth", "gold", "glass", "water", "lamp", "ember"}
    for name, material in materials.items():
        index = bakes.palette.index_of(name)
        entry, linear = bakes.palette.materials[index], bakes.palette.linear_colors[index]
        surface = material["pbrMetallicRoughness"]
        factor = surface["baseColorFactor"]
        np.testing.assert_allclose(factor, (*linear, entry.opacity), atol=1e-6)
        assert surface.get("metallicFactor", 1) == pytest.approx(entry.metallic)
        assert surface.get("roughnessFactor", 1) == pytest.approx(entry.roughness)
        assert material.get("alphaMode", "OPAQUE") == ("BLEND" if entry.transparent else "OPAQUE")
        strength = material.get("extensions", {}).get("KHR_materials_emissive_strength", {}).get("emissiveStrength", 1)
        emitted = np.array(material.get("emissiveFactor", (0, 0, 0))) * strength
        np.testing.assert_allclose(emitted, linear * entry.emission, rtol=1e-5)


def test_a_glb_holds_white_colors_uvs_and_the_meshers_normals(bake, bakes, tmp_path):
    objects = bake("smooth")
    gltf, accessor = bakes.read_glb(exported(objects, tmp_path / "world.glb"))
    mesh = weld_smooth(bakes.meshes_of(bakes.world_of("smooth"))[1])
    by_place = {}
    for place, normal in zip(mesh.positions.tolist(), mesh.normals, strict=True):
        by_place[tuple(place)] = normal
    n_vertices = 0
    for primitive in gltf["meshes"][0]["primitives"]:
        attributes = primitive["attributes"]
        assert set(attributes) == {"POSITION", "NORMAL", "TEXCOORD_0", "COLOR_0"}
        colors = accessor(attributes["COLOR_0"])
        assert (colors == (1 if colors.dtype.kind == "f" else np.iinfo(colors.dtype).max)).all()
        # glTF is Y-up: (x, y, z) there is (x, −z, y) here.
        positions = accessor(attributes["POSITION"])[:, [0, 2, 1]] * (1, -1, 1)
        normals = accessor(attributes["NORMAL"])[:, [0, 2, 1]] * (1, -1, 1)
        uvs = accessor(attributes["TEXCOORD_0"]) * (1, -1) + (0, 1)
        for position, normal, uv in zip(positions, normals, uvs, strict=True):
            # The exporter rounds normals to four digits.
            np.testing.assert_allclose(normal, by_place[tuple(position.tolist())], atol=1e-4)
            pairs = position[[[1, 2], [0, 2], [0, 1]]]
            assert (np.abs(pairs - uv).max(axis=1) < 1e-4).any()
        n_vertices += len(positions)
    assert n_vertices >= len(mesh.positions)


@pytest.mark.parametrize("suffix", [".glb", ".gltf", ".obj", ".fbx", ".ply", ".stl"])
def test_what_is_read_back_is_as_large_and_has_as_many_triangles(bake, scene, tmp_path, suffix):
    empty = bpy.data.objects.new("World", None)
    scene.collection.objects.link(empty)
    empty.matrix_basis = Matrix.LocRotScale((10, -20, 30), Matrix.Rotation(0.5, 3, "Z"), (2, 2, 2))
    objects = bake(parent=empty)
    expected, triangles = bounds(objects), n_triangles(objects)
    path = exported(objects, tmp_path / f"world{suffix}")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    module, importer = {
        ".glb": ("import_scene", "gltf"),
        ".gltf": ("import_scene", "gltf"),
        ".obj": ("wm", "obj_import"),
        ".fbx": ("import_scene", "fbx"),
        ".ply": ("wm", "ply_import"),
        ".stl": ("wm", "stl_import"),
    }[suffix]
    getattr(getattr(bpy.ops, module), importer)(filepath=str(path))
    found = list(bpy.data.objects)
    assert n_triangles(found) == triangles
    np.testing.assert_allclose(bounds(found), expected, atol=1e-3)


def test_usd_is_written(bake, tmp_path):
    assert exported(bake(), tmp_path / "world.usdc").stat().st_size > 1000


def test_endings_in_capitals_are_understood(bake, tmp_path):
    path = exported(bake(), tmp_path / "WORLD.GLB")
    assert path.read_bytes()[:4] == b"glTF"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", list(export.EXPORTERS))
def test_only_the_objects_are_exported_and_the_users_scene_stays_as_it_is(bake, scene, tmp_path, suffix):
    """Right after the bake, before Blender has updated anything, and with the active object in Edit Mode."""
    bpy.ops.mesh.primitive_monkey_add()
    other = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    objects = bake()
    path = exported(objects, tmp_path / f"world{suffix}")
    assert bpy.context.scene == bpy.context.window.scene == scene
    assert list(bpy.data.scenes) == [scene]
    assert bpy.context.view_layer.objects.active == other
    assert bpy.context.selected_objects == [other]
    assert other.mode == "EDIT"
    if suffix == ".glb":
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.ops.import_scene.gltf(filepath=str(path))
        assert {obj.name for obj in bpy.data.objects} == {"World Blocks", "World Smooth"}


def test_the_users_view_layer_stays_the_active_one(bake, scene, tmp_path):
    layer = scene.view_layers.new("second")
    bpy.context.window.view_layer = layer
    export.export_objects(bake(), tmp_path / "world.glb")
    assert bpy.context.window.view_layer == layer


@pytest.mark.parametrize("suffix", [".glb", ".obj", ".stl"])
def test_hidden_and_unselectable_objects_are_exported(bake, bakes, scene, tmp_path, suffix):
    blocks, surface = objects = bake()
    shown = exported(objects, tmp_path / f"shown{suffix}").stat().st_size
    blocks.hide_viewport = True
    blocks.hide_select = surface.hide_select = True
    bpy.context.view_layer.layer_collection.children["World Baked"].exclude = True
    assert exported(objects, tmp_path / f"hidden{suffix}").stat().st_size == pytest.approx(shown, rel=0.01)
    assert [(obj.hide_viewport, obj.hide_select) for obj in objects] == [(True, True), (False, True)]


def test_modifiers_are_exported(bake, tmp_path):
    objects = bake("blocky")
    plain = exported(objects, tmp_path / "plain.glb").stat().st_size
    objects[0].modifiers.new("array", "ARRAY").count = 3
    assert exported(objects, tmp_path / "array.glb").stat().st_size > 2 * plain


def test_wrong_paths_and_nothing_to_export_are_sentences(bake, tmp_path):
    objects = bake("blocky")
    with pytest.raises(VoxelwrightError, match=r'"world.xyz" must end in one of \.glb'):
        export.export_objects(objects, tmp_path / "world.xyz")
    with pytest.raises(VoxelwrightError, match="does not exist"):
        export.export_objects(objects, tmp_path / "missing" / "world.glb")
    with pytest.raises(VoxelwrightError, match="nothing to export"):
        export.export_objects([], tmp_path / "world.glb")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", list(export.EXPORTERS))
def test_a_file_that_cannot_be_written_is_a_sentence(bake, scene, tmp_path, suffix):
    path = tmp_path / f"world{suffix}"
    path.mkdir()
    with pytest.raises(VoxelwrightError, match="is a folder") as raised:
        export.export_objects(bake("blocky"), path)
    assert "\n" not in str(raised.value)
    assert list(bpy.data.scenes) == [scene]


def test_the_cause_of_an_exporters_failure_is_told(bake, tmp_path, monkeypatch):
    # As on a full disk: the exporter itself fails, and Blender wraps its error in a traceback and a place.
    monkeypatch.setattr("builtins.open", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(VoxelwrightError, match=r"could not write .*No space left on device$") as raised:
        export.export_objects(bake("blocky"), tmp_path / "world.glb")
    assert "\n" not in str(raised.value)


def test_an_exporter_that_is_not_there_is_a_sentence(bake, tmp_path, monkeypatch):
    missing = export.EXPORTERS[".fbx"]._replace(name="no_such_exporter")
    monkeypatch.setitem(export.EXPORTERS, ".fbx", missing)
    with pytest.raises(VoxelwrightError, match="FBX exporter is missing"):
        export.export_objects(bake("blocky"), tmp_path / "world.fbx")
