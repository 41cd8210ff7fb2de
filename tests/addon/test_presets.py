# SPDX-License-Identifier: GPL-3.0-or-later
"""The files in presets/: all of them read, and true to each other."""

import pytest

from voxelwright.addon import presets
from voxelwright.voxel.edit.brushes import ACTIONS
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.generate.keys import CHOICE, NODE_KINDS, NUMBER, SECTIONS, WHOLE
from voxelwright.voxel.generate.preset import preset_from_toml
from voxelwright.voxel.generate.reading import parse_toml
from voxelwright.voxel.generate.recipe import check_materials
from voxelwright.voxel.limits import MAX_RECIPE_LETTERS

NAMES = presets.world_preset_names()


def test_there_are_presets():
    assert set(NAMES) >= {
        "alpine", "caverns", "dunes", "floating_islands", "islands", "mesas", "rolling_hills", "terraces",
    }  # fmt: skip
    assert NAMES[0] == presets.DEFAULT_WORLD_PRESET
    assert list(NAMES[1:]) == sorted(NAMES[1:])
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_world_presets_name_only_materials_of_their_palette(name):
    preset = presets.world_preset(name)
    check_materials(preset, presets.palette(preset.palette))
    assert preset.name
    assert preset.description
    assert preset.file_name == f"worlds/{name}.toml"


@pytest.mark.parametrize("name", NAMES)
def test_world_presets_have_no_idle_parts(name):
    preset = presets.world_preset(name)
    used = {preset.heights, preset.density, preset.tilt, preset.waver}
    used |= {s.node for s in preset.strata} | {f.node for f in preset.features}
    for node in reversed(list(preset.nodes)):
        if node in used:
            used |= set(preset.nodes[node].inputs)
    assert set(preset.nodes) <= used
    assert set(preset.stamps) == {stamp for feature in preset.features for stamp in feature.stamps}


@pytest.mark.parametrize("name", NAMES)
def test_a_worlds_text_needs_no_other_file(name):
    text = presets.world_text(name)
    assert len(text) <= MAX_RECIPE_LETTERS
    assert preset_from_toml(text, f"worlds/{name}.toml") == presets.world_preset(name)


def test_smooth_and_blocky_materials_are_used():
    surfaces = {s.surface for name in NAMES for s in presets.world_preset(name).strata}
    smooth = {m.name for _, m in presets.palette("default").items() if m.smooth}
    assert len(surfaces & smooth) >= 4
    assert len(surfaces - smooth) >= 6


def test_titles_are_told_apart():
    assert len({presets.world_preset(name).name for name in NAMES}) == len(NAMES)


def test_heightmap_strata_name_only_materials_of_their_palette():
    palette, rock, strata = presets.heightmap_strata()
    known = {material.name for _, material in presets.palette(palette).items()}
    assert {rock} | {part for s in strata for part in (s.surface, s.soil, s.cliff) if part} <= known
    assert all(0 < s.below < 1 for s in strata[:-1]), "fractions of the range of heights"


def test_every_file_is_one_of_these(project_root):
    files = {
        path.relative_to(project_root / "presets") for path in (project_root / "presets").rglob("*") if path.is_file()
    }
    assert {path.parts[0] for path in files} == {"worlds", "palettes", "strata", "stamps", "brushes"}
    assert {path.suffix for path in files} == {".toml"}
    for path in files:
        if path.parts[0] == "palettes":
            assert presets.palette(path.stem).items()


def test_every_stamp_file_holds_the_stamp_of_its_name(project_root):
    used = {stamp for name in NAMES for stamp in presets.world_preset(name).stamps}
    for path in (project_root / "presets" / "stamps").glob("*.toml"):
        assert list(parse_toml(path.read_text("utf-8"), path.name)["stamps"]) == [path.stem]
        assert path.stem in used


def test_the_default_palette():
    palette = presets.palette("default")
    blocky, smooth = ["grass", "dirt", "stone", "sand"], ["snow", "smooth stone"]
    assert [(i, material.name) for i, material in palette.items()][:6] == list(enumerate(blocky + smooth, start=1))
    assert [palette.voxel(i) for i in range(1, 7)] == [0x0100, 0x0200, 0x0300, 0x0400, 0x0510, 0x0610]


def test_every_name_is_used_once_in_a_palette(project_root):
    for path in (project_root / "presets" / "palettes").glob("*.toml"):
        names = [material.name for _, material in presets.palette(path.stem).items()]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ["", "hills", "../palettes/default", "alpine.toml", "Alpine"])
def test_presets_that_are_not_there(name):
    with pytest.raises(VoxelwrightError, match=rf'^There is no preset "{name}"; there are {", ".join(NAMES)}\.$'):
        presets.world_preset(name)


def test_brushes_are_for_every_tool_and_told_apart():
    names = presets.brush_names()
    brushes = [presets.brush(name) for name in names]
    assert {brush.tool for brush in brushes} == set(ACTIONS)
    assert len(set(brushes)) == len(names) >= 8


def test_a_brush_that_is_not_there():
    with pytest.raises(VoxelwrightError, match=r'^There is no brush "none"; there are bands, boulder, '):
        presets.brush("none")


def test_a_file_that_is_gone_is_one_sentence():
    with pytest.raises(VoxelwrightError, match=r"palettes/gone\.toml is missing or unreadable; install the extension"):
        presets.palette("gone")


def test_the_documentation_has_every_key_and_its_range(project_root):
    text = (project_root / "docs" / "generation.md").read_text("utf-8")
    tables = [*SECTIONS.values(), *(keys for _, keys in NODE_KINDS.values())]
    for key in (key for keys in tables for key in keys if keys is not SECTIONS["stamps"]):
        row = f"| `{key.name}` | {key.type}"
        if key.type in (NUMBER, WHOLE):
            row += f", {key.low:g} to {key.high:g} |"
        if key.type == CHOICE:
            row = f"| `{key.name}` | {' or '.join(f'`{choice}`' for choice in key.choices)} |"
        assert row in text
        assert key.text in text
    assert all(f"| `{kind}` | {meaning} |" in text for kind, (meaning, _) in NODE_KINDS.items())


def test_the_documentations_example_is_a_preset(project_root):
    text = (project_root / "docs" / "generation.md").read_text("utf-8")
    lines = [line[4:] for line in text.split("## How a world is made")[0].splitlines() if line.startswith("    ")]
    stamps = [(project_root / "presets" / "stamps" / f"{name}.toml").read_text("utf-8") for name in ("oak_1", "oak_2")]
    check_materials(preset_from_toml("\n".join([*lines, *stamps]), "example.toml"), presets.palette("default"))
