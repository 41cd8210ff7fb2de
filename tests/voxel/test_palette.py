# SPDX-License-Identifier: GPL-3.0-or-later
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.palette import (
    MAX_TOPING_PRIORITY,
    TEXTURES,
    TOPINGS,
    Material,
    Palette,
    material_from_table,
    material_to_table,
    palette_from_table,
    srgb_to_linear,
)

RANGES = {
    "roughness": (0, 1),
    "metallic": (0, 1),
    "emission": (0, 1000),
    "opacity": (0, 1),
    "ior": (1, 4),
    "texture_scale": (0.25, 256),
    "texture_contrast": (0, 1),
    "toping_height": (0.1, 4),
    "toping_density": (0, 1),
    "toping_wind": (0, 1),
    "toping_distance": (8, 4096),
}
STONE = Material("stone", (128, 126, 124))
MOSS = Material("moss", (60, 90, 40), smooth=True)
GLASS = Material("glass", (180, 200, 220), opacity=0.3)

materials = st.builds(
    Material,
    name=st.text(min_size=1, max_size=60).filter(str.isprintable),
    color=st.tuples(*[st.integers(0, 255)] * 3),
    smooth=st.booleans(),
    bleeds=st.booleans(),
    resists=st.booleans(),
    texture=st.sampled_from(TEXTURES),
    toping=st.sampled_from(TOPINGS),
    toping_priority=st.integers(0, MAX_TOPING_PRIORITY),
    toping_tinted=st.booleans(),
    toping_color=st.tuples(*[st.integers(0, 255)] * 3),
    **{key: st.floats(low, high) | st.integers(math.ceil(low), high) for key, (low, high) in RANGES.items()},
)


def is_one_sentence(error):
    text = str(error.value)
    return text.endswith(".") and text[0].isupper() and "\n" not in text and len(text) < 400


def table(**changes):
    return {"name": "stone", "color": [128, 126, 124], **changes}


# --- Materials -------------------------------------------------------------------------------------------------


@given(materials)
def test_materials_survive_json(material):
    again = material_from_table(json.loads(json.dumps(material_to_table(material))))
    assert again == material
    assert hash(again) == hash(material)


@given(materials)
def test_equal_materials_are_equal_as_text(material):
    # 1 equals 1.0 and 0.0 equals −0.0; what files hold of equal materials must be equal, too.
    numbers = {key: getattr(material, key) for key in RANGES}
    written_otherwise = {key: 1 if value == 1 else -value if value == 0 else value for key, value in numbers.items()}
    other = replace(material, **written_otherwise)
    assert other == material
    assert json.dumps(material_to_table(other)) == json.dumps(material_to_table(material))


@pytest.mark.parametrize("key", RANGES)
def test_numbers_go_from_least_to_greatest(key):
    low, high = RANGES[key]
    for value in (low, high, float(low), float(high)):
        kept = getattr(material_from_table(table(**{key: value})), key)
        assert kept == value
        assert type(kept) is float
    beyond = (math.nextafter(low, -math.inf), math.nextafter(high, math.inf), math.nan, math.inf, -math.inf, 10**400)
    for value in (*beyond, True, "1", None, [1], {}):
        with pytest.raises(VoxelwrightError, match=f'"stone": {key} must be a number from') as error:
            material_from_table(table(**{key: value}))
        assert is_one_sentence(error)


@pytest.mark.parametrize("key", ["smooth", "toping_tinted", "bleeds", "resists"])
@pytest.mark.parametrize("value", [0, 1, 1.0, "true", None, []])
def test_switches_are_true_or_false(key, value):
    with pytest.raises(VoxelwrightError, match=f'"stone": {key} must be true or false') as error:
        material_from_table(table(**{key: value}))
    assert is_one_sentence(error)


@pytest.mark.parametrize("toping", ["", "shrubs", 3, None, ["grass"], True])
def test_topings_are_known_ones(toping):
    with pytest.raises(VoxelwrightError, match="toping must be one of none, stone, pebbles, snow") as error:
        material_from_table(table(toping=toping))
    assert is_one_sentence(error)


@pytest.mark.parametrize("priority", [-1, 16, 1.0, True, "1", None])
def test_priorities_of_topings_are_small_whole_numbers(priority):
    with pytest.raises(VoxelwrightError, match="toping_priority must be a whole number from 0 to 15") as error:
        material_from_table(table(toping_priority=priority))
    assert is_one_sentence(error)


@pytest.mark.parametrize("color", [[1, 2], [1, 2, 256], [1.0, 2, 3], None, 3, "red"])
def test_colors_of_topings_are_three_bytes(color):
    with pytest.raises(VoxelwrightError, match=r"three (whole )?numbers from 0 to 255") as error:
        material_from_table(table(toping_color=color))
    assert is_one_sentence(error)


def test_topings_have_the_materials_color_or_their_own():
    grass, snow = Material("a", (10, 20, 30), toping="grass"), (0, 128, 255)
    palette = Palette.of({1: grass, 2: replace(grass, toping_color=snow), 3: replace(grass, toping_tinted=False)})
    body, petals = palette.linear_toping_colors[:, 0], palette.linear_toping_colors[:, 1]
    assert (body[1:3] == palette.linear_colors[1:3]).all()
    assert (body[3] == 1).all()
    np.testing.assert_allclose(petals[2], srgb_to_linear(np.array(snow) / 255), atol=1e-6)


@pytest.mark.parametrize("texture", ["", "stone", "Grain", 3, None, ["grass"], True])
def test_textures_are_known_ones(texture):
    with pytest.raises(VoxelwrightError, match="texture must be one of plain, grain, grass, soil") as error:
        material_from_table(table(texture=texture))
    assert is_one_sentence(error)


def test_materials_without_a_texture_are_of_grain():
    assert material_from_table(table()).texture == "grain"


@pytest.mark.parametrize(
    "color",
    [[1, 2], [1, 2, 3, 4], [1, 2, 256], [-1, 2, 3], [1.0, 2, 3], [True, 2, 3], ["1", 2, 3], [math.nan, 1, 2], []],
)
def test_colors_are_three_bytes(color):
    with pytest.raises(VoxelwrightError, match='"stone": color must be three whole numbers from 0 to 255') as error:
        material_from_table(table(color=color))
    assert is_one_sentence(error)


@pytest.mark.parametrize("changes", [{"color": None}, {"color": "123"}, {"color": {0: 1}}, {"name": 7}, {"name": None}])
def test_name_and_color_are_needed(changes):
    with pytest.raises(VoxelwrightError, match="needs a name and a color") as error:
        material_from_table(table(**changes))
    assert is_one_sentence(error)


@pytest.mark.parametrize("name", ["", "x" * 61, "two\nlines", "nul\0", "half a pair \ud83d"])
def test_names_are_short_and_printable(name):
    with pytest.raises(VoxelwrightError, match="a name of 1 to 60 printable letters") as error:
        material_from_table(table(name=name))
    assert is_one_sentence(error)


@pytest.mark.parametrize("key", ["colour", "index", "k" * 10_000])
def test_unknown_keys_are_refused(key):
    with pytest.raises(VoxelwrightError, match=f'"stone": the key "{key[:60]}" is unknown') as error:
        material_from_table(table(**{key: 1}))
    assert is_one_sentence(error)


def test_flags_of_a_placed_voxel():
    assert STONE.voxel(3) == 0x0300
    assert MOSS.voxel(5) == 0x0510
    assert GLASS.voxel(255) == 0xFF20
    assert Material("lamp", (1, 2, 3), emission=0.5).voxel(1) == 0x0140
    assert Material("jelly", (1, 2, 3), emission=1, opacity=0, smooth=True).voxel(2) == 0x0270
    assert type(MOSS.voxel(5)) is int


# --- Palettes --------------------------------------------------------------------------------------------------


def test_a_palette_holds_its_materials_by_index():
    palette = Palette.of({1: STONE, 255: MOSS})
    assert palette.items() == [(1, STONE), (255, MOSS)]
    assert palette.materials[0] is None
    assert palette.index_of("moss") == 255
    assert palette.voxel(255) == 0xFF10
    assert palette == Palette.of({255: MOSS, 1: STONE})
    assert Palette.of({}) == Palette()


@pytest.mark.parametrize("index", [0, -1, 256])
def test_indices_outside_1_to_255_are_refused(index):
    with pytest.raises(VoxelwrightError, match=f"Material index {index} is outside 1 to 255") as error:
        Palette.of({index: STONE})
    assert is_one_sentence(error)


def test_what_a_palette_lacks_is_named():
    palette = Palette.of({1: STONE, 2: MOSS})
    with pytest.raises(VoxelwrightError, match='no material "gold"; it has stone, moss') as error:
        palette.index_of("gold")
    assert is_one_sentence(error)
    for index in (0, 3):
        with pytest.raises(VoxelwrightError, match=f"no material {index}") as error:
            palette.voxel(index)
        assert is_one_sentence(error)


def test_transparent_materials():
    transparent = Palette.of({1: STONE, 7: GLASS}).transparent
    assert transparent.shape == (256,)
    assert np.flatnonzero(transparent).tolist() == [7]


def test_linear_colors():
    colors = Palette.of({1: Material("a", (0, 10, 11)), 2: Material("b", (128, 188, 255))}).linear_colors
    assert colors.shape == (256, 3)
    assert colors.dtype == np.float32
    # From a table of sRGB; 10 lies on the straight piece of the curve, 11 on the power.
    assert np.allclose(colors[1], [0, 0.0030352698, 0.0033465358], rtol=1e-6, atol=0)
    assert np.allclose(colors[2], [0.2158605001, 0.5028864580, 1], rtol=1e-6, atol=0)
    assert not colors[3:].any()


def test_the_srgb_curve_is_monotone_and_inverts():
    values = np.linspace(0, 1, 1001)
    linear = srgb_to_linear(values)
    assert np.all(np.diff(linear) > 0)
    back = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    assert np.allclose(back, values, atol=1e-6)


def test_palettes_from_tables_count_from_1():
    palette = palette_from_table({"materials": [table(), table(name="moss", smooth=True)]})
    assert palette.items() == [(1, STONE), (2, Material("moss", (128, 126, 124), smooth=True))]
    assert len(palette_from_table({"materials": [table()] * 255}).items()) == 255


@pytest.mark.parametrize(
    ("hostile", "message"),
    [
        ({}, 'list "materials" of 1 to 255'),
        ({"materials": []}, 'list "materials" of 1 to 255'),
        ({"materials": {}}, 'list "materials" of 1 to 255'),
        ({"materials": [table()] * 256}, 'list "materials" of 1 to 255'),
        ({"materials": [table(), 3]}, "must be a table"),
        ({"materials": [table(), [table()]]}, "must be a table"),
        ({"materials": [table()], "name": "mine"}, 'unknown key "name"'),
        ({"materials": [table(ior=0)]}, "ior must be a number"),
    ],
)
def test_hostile_palettes_are_refused(hostile, message):
    with pytest.raises(VoxelwrightError, match=message) as error:
        palette_from_table(hostile)
    assert is_one_sentence(error)


def test_a_palette_of_another_length_is_a_mistake_of_ours():
    for entries in ((None,) * 255, (STONE,) + (None,) * 255):
        with pytest.raises(ValueError, match="256 entries"):
            Palette(entries)
