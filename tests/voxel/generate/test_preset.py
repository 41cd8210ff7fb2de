# SPDX-License-Identifier: GPL-3.0-or-later
import re

import pytest

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.generate.preset import (
    Caves,
    Fractal,
    Heightmap,
    Preset,
    Stratum,
    parse_toml,
    preset_from_toml,
    strata_from_toml,
)

HEAD = 'name = "Test"\ndescription = "A test"\npalette = "default"\nrock = "stone"\n'
HEIGHTMAP = "[heightmap]\nbase = 10\namplitude = 5.5\nwavelength = 40\n"
CAVES = "[caves]\nthreshold = 0.1\nwavelength = 20\n"
STRATA = (
    '[[strata]]\nbelow = 5\nsurface = "sand"\nsoil = "sand"\n'
    '[[strata]]\nbelow = 9.5\nsurface = "grass"\nsoil = "dirt"\ndepth = 2\nsteep = 1\ncliff = "stone"\n'
    '[[strata]]\nsurface = "snow"\nsoil = "ice"\n'
)
WHOLE = HEAD + HEIGHTMAP + CAVES + STRATA
INF = float("inf")


def refused(text, key=None):
    with pytest.raises(VoxelwrightError) as error:
        preset_from_toml(text, "worlds/test.toml")
    message = str(error.value)
    assert "worlds/test.toml" in message
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 300
    if key is not None:
        assert f'"{key}"' in message
    return message


def test_a_whole_preset():
    assert preset_from_toml(WHOLE, "x") == Preset(
        name="Test",
        description="A test",
        palette="default",
        rock="stone",
        heightmap=Heightmap(base=10.0, amplitude=5.5, fractal=Fractal(40.0, 5, 2.0, 0.5), sharpness=1.0),
        strata=(
            Stratum(below=5.0, surface="sand", soil="sand", depth=3, steep=INF, cliff=""),
            Stratum(below=9.5, surface="grass", soil="dirt", depth=2, steep=1.0, cliff="stone"),
            Stratum(below=INF, surface="snow", soil="ice"),
        ),
        caves=Caves(threshold=0.1, fractal=Fractal(20.0), floor=4),
    )


def test_caves_are_optional_and_fractals_are_read_in_full():
    text = HEAD + HEIGHTMAP + "octaves = 7\nlacunarity = 2.5\ngain = 0.25\nsharpness = 2\n" + STRATA
    preset = preset_from_toml(text, "x")
    assert preset.caves is None
    assert preset.heightmap == Heightmap(10.0, 5.5, Fractal(40.0, 7, 2.5, 0.25), 2.0)


def test_whole_numbers_become_floats_where_floats_are_meant():
    # Kernels are compiled anew for every combination of types.
    text = HEAD + HEIGHTMAP + "lacunarity = 2\ngain = 1\nsharpness = 2\n" + CAVES.replace("0.1", "1") + STRATA
    preset = preset_from_toml(text, "x")
    numbers = [preset.heightmap.base, preset.heightmap.sharpness, preset.caves.threshold, preset.strata[0].below]
    for fractal in (preset.heightmap.fractal, preset.caves.fractal):
        numbers += [fractal.wavelength, fractal.lacunarity, fractal.gain]
        assert type(fractal.octaves) is int
    assert {type(number) for number in numbers} == {float}
    assert type(preset.strata[1].depth) is int
    assert type(preset.caves.floor) is int


RANGES = [
    # section, key, least, greatest, and whether it is a whole number
    ("heightmap", "base", 0, 4096, False),
    ("heightmap", "amplitude", 0, 4096, False),
    ("heightmap", "sharpness", 0.25, 8, False),
    ("heightmap", "wavelength", 2, 100_000, False),
    ("heightmap", "octaves", 1, 12, True),
    ("heightmap", "lacunarity", 1, 4, False),
    ("heightmap", "gain", 0, 1, False),
    ("caves", "threshold", 0, 1, False),
    ("caves", "wavelength", 2, 100_000, False),
    ("caves", "octaves", 1, 12, True),
    ("caves", "floor", 0, 4096, True),
    ("strata", "depth", 0, 4096, True),
    ("strata", "steep", 0, 1000, False),
    ("strata", "below", 0, 4096, False),
]
each_number = pytest.mark.parametrize(
    ("section", "key", "low", "high", "whole"), RANGES, ids=lambda value: value if isinstance(value, str) else ""
)


def with_value(section, key, value):
    """WHOLE with one value of a section (of the second stratum) given or replaced."""
    parts = {"heightmap": HEIGHTMAP, "caves": CAVES, "strata": STRATA}
    if section == "strata":
        first, second, third = parts["strata"].split("[[strata]]\n")[1:]
        second = re.sub(rf"^{key} = .*\n", "", second, flags=re.MULTILINE) + f"{key} = {value}\n"
        # The lowest one makes room for every height.
        parts["strata"] = "".join(
            "[[strata]]\n" + part for part in ([second, third] if key == "below" else [first, second, third])
        )
    else:
        parts[section] = re.sub(rf"^{key} = .*\n", "", parts[section], flags=re.MULTILINE) + f"{key} = {value}\n"
    return HEAD + parts["heightmap"] + parts["caves"] + parts["strata"]


@each_number
def test_numbers_go_from_least_to_greatest(section, key, low, high, whole):
    for value in (low, high):
        preset_from_toml(with_value(section, key, value), "x")
    wrong = [low - 1, high + 1, 10**18, -(10**18), "0x" + "f" * 6000]
    if not whole:
        wrong += ["inf", "-inf", "nan", "-nan", "1e999"]
    for value in wrong:
        if key == "below" and value in ("inf", "1e999"):
            continue  # as high as the last one: an error of order
        assert refused(with_value(section, key, value), f"{section}.{key}").endswith(f"must be from {low} to {high}.")


@each_number
def test_numbers_are_numbers(section, key, low, high, whole):
    wrong = ['"1"', "true", "[1]", "{a = 1}", "2020-01-01", "12:30:00"]
    if whole:
        wrong += ["1.0", "inf", "nan"]
    for value in wrong:
        message = refused(with_value(section, key, value), f"{section}.{key}")
        assert f"must be a {'whole ' if whole else ''}number." in message


@pytest.mark.parametrize("key", ["name", "description", "palette", "rock"])
@pytest.mark.parametrize("value", ['""', "3", "true", "[]", None])
def test_texts_are_texts(key, value):
    line = f"{key} = {value}\n" if value is not None else ""
    refused(re.sub(rf"^{key} = .*\n", line, WHOLE, flags=re.MULTILINE), key)


@pytest.mark.parametrize("key", ["surface", "soil", "cliff"])
@pytest.mark.parametrize("value", ['""', "3", "[]"])
def test_materials_are_texts(key, value):
    assert "missing or not a text" in refused(with_value("strata", key, value), key)


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ("heightmap", "base"),
        ("heightmap", "amplitude"),
        ("heightmap", "wavelength"),
        ("caves", "threshold"),
        ("caves", "wavelength"),
        ("strata", "surface"),
        ("strata", "soil"),
        ("strata", "below"),
    ],
)
def test_what_has_no_default_is_needed(section, key):
    text = re.sub(rf"(\[{section}\]\]?\n(?:(?!\[).*\n)*?){key} = .*\n", r"\1", WHOLE, count=1)
    assert text != WHOLE
    assert "is missing" in refused(text, f"{section}.{key}")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (WHOLE.replace(HEAD, HEAD + "colour = 3\n"), "colour"),
        (WHOLE + "[water]\nlevel = 3\n", "water"),
        (with_value("heightmap", "height", 3), "heightmap.height"),
        (with_value("heightmap", "threshold", 0.1), "heightmap.threshold"),
        (with_value("caves", "base", 3), "caves.base"),
        (with_value("caves", "fractal", 3), "caves.fractal"),
        (with_value("strata", "above", 3), "strata.above"),
        (with_value("strata", "wavelength", 3), "strata.wavelength"),
    ],
)
def test_unknown_keys_are_refused(text, key):
    message = refused(text, key)
    assert "is unknown; known are" in message


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (HEAD + STRATA, "heightmap"),
        ("heightmap = 3\n" + HEAD + STRATA, "heightmap"),
        (HEAD + "[[heightmap]]\nbase = 1\n" + STRATA, "heightmap"),
        ("caves = true\n" + HEAD + HEIGHTMAP + STRATA, "caves"),
        (HEAD + HEIGHTMAP, "strata"),
        ("strata = []\n" + HEAD + HEIGHTMAP, "strata"),
        ("strata = [1, 2]\n" + HEAD + HEIGHTMAP, "strata"),
        ('strata = "sand"\n' + HEAD + HEIGHTMAP, "strata"),
        (HEAD + HEIGHTMAP + '[strata]\nsurface = "sand"\nsoil = "sand"\n', "strata"),
    ],
)
def test_sections_have_their_shape(text, key):
    refused(text, key)


def stratum(below=None, more=""):
    return "[[strata]]\n" + (f"below = {below}\n" if below is not None else "") + 'surface = "a"\nsoil = "b"\n' + more


@pytest.mark.parametrize("belows", [(5, 5, None), (9, 5, None), (5, 9, 8.5, None), ("inf", None)])
def test_strata_ascend(belows):
    text = HEAD + HEIGHTMAP + "".join(map(stratum, belows))
    assert 'must ascend by "below"' in refused(text, "strata")


def test_the_last_stratum_takes_all_that_is_left():
    assert 'must end with a table without "below"' in refused(HEAD + HEIGHTMAP + stratum(5) + stratum(9), "strata")
    assert 'must end with a table without "below"' in refused(HEAD + HEIGHTMAP + stratum(5) + stratum("inf"), "strata")
    assert preset_from_toml(HEAD + HEIGHTMAP + stratum(), "x").strata == (Stratum(INF, "a", "b"),)


@pytest.mark.parametrize("more", ["steep = 1\n", 'cliff = "stone"\n'])
def test_steep_and_cliff_come_together(more):
    assert 'must give "steep" and "cliff" together' in refused(HEAD + HEIGHTMAP + stratum(None, more), "strata")


@pytest.mark.parametrize(
    "text",
    [
        "name = ",
        "name",
        "[heightmap",
        "a = 1\na = 2\n",
        "a = 1\n[a]\n",
        'name = "open\n',
        "\0",
        "a = " + "9" * 5000,
        "a = 2020-13-45\n",
        "a = " + "[" * 100_000,
        "a = " + "{b = " * 100_000,
    ],
)
def test_toml_that_is_none_is_refused(text):
    refused(text)


def test_a_mistake_in_toml_is_placed():
    assert refused(HEAD + "base == 3\n").startswith("worlds/test.toml is not valid TOML: ")
    assert "line 5" in refused(HEAD + "base == 3\n")
    with pytest.raises(VoxelwrightError, match=r"^palettes/x\.toml is not valid TOML"):
        parse_toml("=", "palettes/x.toml")


def test_strata_alone():
    text = 'palette = "default"\nrock = "stone"\n' + STRATA
    palette, rock, strata = strata_from_toml(text, "x")
    assert (palette, rock) == ("default", "stone")
    assert strata == preset_from_toml(WHOLE, "x").strata


@pytest.mark.parametrize(
    "text", [STRATA, 'palette = "a"\n' + STRATA, 'palette = "a"\nrock = "b"\nname = "c"\n' + STRATA]
)
def test_strata_alone_have_a_palette_and_a_rock(text):
    with pytest.raises(VoxelwrightError, match=r'^strata/x\.toml: "(palette|rock|name)" is .*\.$'):
        strata_from_toml(text, "strata/x.toml")
