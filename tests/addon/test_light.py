# SPDX-License-Identifier: GPL-3.0-or-later
"""The light of a scene: its sun, and how worlds look in it."""

import math
from pathlib import Path

import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from voxelwright.addon.light_properties import Sun, sun_object, sun_of
from voxelwright.addon.properties import of_scene
from voxelwright.addon.quality import NO_LIGHT, Quality
from voxelwright.gpu_backend.frame import MAX_SUN_SIZE, SUN_DIRECTION
from voxelwright.gpu_backend.light import Light

DEFAULT = list(Vector(SUN_DIRECTION).normalized())


def _light(blender, name: str = "Sun", kind: str = "SUN"):
    owner = blender.data.objects.new(name, blender.data.lights.new(name, kind))
    blender.context.scene.collection.objects.link(owner)
    return owner


def _settings(blender):
    return of_scene(blender.context.scene).light


def _sun(blender) -> Sun:
    blender.context.view_layer.update()
    return sun_of(_settings(blender), blender.context.view_layer.depsgraph)


def _direction(blender) -> list[float]:
    return list(_sun(blender).direction)


def test_the_settings_are_the_sun_where_none_is_chosen(blender) -> None:
    assert _direction(blender) == pytest.approx(DEFAULT, abs=1e-6)


@pytest.mark.parametrize(
    ("elevation", "rotation", "direction"),
    [(0, 0, (0, 1, 0)), (0, 90, (1, 0, 0)), (0, 180, (0, -1, 0)), (90, 33, (0, 0, 1)), (-30, 0, (0, 0.866, -0.5))],
)
def test_elevation_and_rotation_are_those_of_the_sky_texture(blender, elevation, rotation, direction) -> None:
    settings = _settings(blender)
    settings.sun_elevation, settings.sun_rotation = math.radians(elevation), math.radians(rotation)
    assert _direction(blender) == pytest.approx(direction, abs=1e-3)


def test_a_chosen_sun_is_followed_wherever_it_shines_from(blender) -> None:
    sun = _light(blender)
    _settings(blender).sun = sun
    assert _direction(blender) == pytest.approx((0, 0, 1))
    sun.rotation_euler = (math.radians(90), 0, 0)  # shines along +Y
    sun.scale = (2, 3, 5)
    assert _direction(blender) == pytest.approx((0, -1, 0), abs=1e-6)
    parent = blender.data.objects.new("Parent", None)
    blender.context.scene.collection.objects.link(parent)
    sun.parent = parent
    parent.rotation_euler = (0, 0, math.radians(90))
    assert _direction(blender) == pytest.approx((1, 0, 0), abs=1e-6)


def test_the_sun_is_as_large_as_the_chosen_one_or_as_the_settings_say(blender) -> None:
    settings, sun = _settings(blender), _light(blender)
    assert _sun(blender).size == 0
    settings.sun_size = math.radians(3)
    assert _sun(blender).size == pytest.approx(3)
    settings.sun_size = math.radians(90)
    assert _sun(blender).size == MAX_SUN_SIZE
    settings.sun = sun
    sun.data.angle = math.radians(2)
    assert _sun(blender).size == pytest.approx(2)
    sun.data.angle = math.radians(180)
    assert _sun(blender).size == MAX_SUN_SIZE


def test_an_animated_sun_is_followed(blender) -> None:
    sun = _light(blender)
    _settings(blender).sun = sun
    for frame, angle in ((1, 0.0), (11, 90.0)):
        sun.rotation_euler = (0, math.radians(angle), 0)
        sun.keyframe_insert("rotation_euler", frame=frame)
    directions = []
    for frame in (1, 6, 11):
        blender.context.scene.frame_set(frame)
        directions.append(_direction(blender))
    assert directions[0] == pytest.approx((0, 0, 1), abs=1e-6)
    assert directions[1] == pytest.approx((0.7071, 0, 0.7071), abs=1e-3)
    assert directions[2] == pytest.approx((1, 0, 0), abs=1e-6)


def test_settings_that_are_animated_are_followed(blender) -> None:
    settings = _settings(blender)
    for frame, angle in ((1, 0.0), (11, 90.0)):
        settings.sun_elevation = math.radians(angle)
        settings.keyframe_insert("sun_elevation", frame=frame)
    blender.context.scene.frame_set(11)
    assert _direction(blender)[2] == pytest.approx(1)


@pytest.mark.parametrize("change", ["deleted", "another kind", "not in the scene", "without a direction"])
def test_a_sun_that_is_none_any_more_gives_way_to_the_settings(blender, change) -> None:
    sun = _light(blender)
    sun.rotation_euler = (0, math.radians(45), 0)
    _settings(blender).sun = sun
    assert _direction(blender) == pytest.approx((0.7071, 0, 0.7071), abs=1e-3)
    if change == "deleted":
        with blender.context.temp_override(selected_objects=[sun]):
            blender.ops.object.delete()
        assert _settings(blender).sun is not None  # a pointer keeps what is deleted
    elif change == "another kind":
        sun.data.type = "POINT"
    elif change == "not in the scene":
        blender.context.scene.collection.objects.unlink(sun)
    else:
        sun.scale = (0, 0, 0)
    assert (sun_object(_settings(blender)) is None) == (change != "without a direction")
    assert _direction(blender) == pytest.approx(DEFAULT, abs=1e-6)


def test_a_sun_that_is_removed_leaves_no_trace(blender) -> None:
    sun = _light(blender)
    _settings(blender).sun = sun
    blender.data.objects.remove(sun)
    assert _settings(blender).sun is None
    assert _direction(blender) == pytest.approx(DEFAULT, abs=1e-6)


def test_light_is_saved_and_undone(blender, tmp_path: Path) -> None:
    blender.ops.ed.undo_push(message="start")
    _settings(blender).sun = _light(blender)
    _settings(blender).shadow_strength = 0.25
    blender.ops.ed.undo_push(message="light")
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "light.blend"))
    blender.ops.ed.undo()
    assert (_settings(blender).sun, _settings(blender).shadow_strength) == (None, 1.0)
    blender.ops.wm.open_mainfile(filepath=str(tmp_path / "light.blend"))
    assert _settings(blender).sun == blender.data.objects["Sun"]
    assert _settings(blender).shadow_strength == 0.25


def test_every_setting_has_a_tooltip(blender) -> None:
    assert all(p.description for p in _settings(blender).bl_rna.properties if p.identifier not in ("rna_type", "name"))


# --- Looks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "matrix",
    [
        Matrix.Identity(4),
        Matrix.LocRotScale(Vector((44, 6, 4)), Euler((0.3, -0.2, 0.8)), Vector((0.6, 0.6, 0.6))),
        Matrix.LocRotScale(Vector((-6, 10, 2)), Euler((0.0, 0.1, -0.3)), Vector((-0.5, 0.7, 0.4))),
        Matrix.Diagonal((-1, 1, 1, 1)),
    ],
    ids=["plain", "turned", "mirrored and stretched", "mirrored"],
)
def test_a_shadow_falls_where_the_sun_throws_it_however_a_world_stands(blender, matrix) -> None:
    """What lies one way towards the sun from a point does so in voxel space too."""
    from voxelwright.addon.viewport.looks import scene_look

    sun = _light(blender)
    sun.rotation_euler = (0.6, 0.2, 1.0)
    _settings(blender).sun = sun
    towards = _direction(blender)
    look = scene_look(
        of_scene(blender.context.scene),
        _sun(blender),
        np.array(matrix),
    )
    point = Vector((3, 5, 7))
    moved = matrix @ (point + Vector(look.sun_direction)) - matrix @ point
    assert list(moved.normalized()) == pytest.approx(towards, abs=1e-5)


def test_looks_follow_the_settings_and_then_the_quality(blender) -> None:
    from voxelwright.addon.viewport.looks import at_quality, scene_look

    def look(quality: Quality):
        made = scene_look(of_scene(blender.context.scene), _sun(blender), np.eye(4))
        return at_quality(made, quality)

    assert (look(Quality()).shadows, look(Quality()).occlusion, look(Quality()).occlusion_radius) == (1, 1, 6)
    dark = look(Quality(blending=False, light=NO_LIGHT))
    assert (dark.shadows, dark.occlusion, dark.blending) == (0, 0, False)
    coarse = look(Quality(0.25, light="MAPS", half_occlusion=True, detail=2.0))
    assert (coarse.shadows, coarse.light, coarse.half_occlusion) == (1, Light.MAPS, True)
    assert coarse.detail == 0.5  # of the picture's pixels, which are four of the viewport's wide
    settings = _settings(blender)
    settings.shadow_strength, settings.occlusion_strength, settings.occlusion_radius = 0.5, 0.25, 12
    assert (look(Quality()).shadows, look(Quality()).occlusion, look(Quality()).occlusion_radius) == (0.5, 0.25, 12)
    settings.sun_size, settings.shadow_distance = math.radians(2), 40
    assert (look(Quality()).sun_size, look(Quality()).shadow_distance) == (pytest.approx(2), 40)
    settings.use_shadows = False
    assert (look(Quality()).shadows, look(Quality()).occlusion) == (0, 0.25)
    settings.use_occlusion = False
    assert look(Quality()).occlusion == 0
