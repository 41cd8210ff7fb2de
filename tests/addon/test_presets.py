# SPDX-License-Identifier: GPL-3.0-or-later
"""The files in presets/: all of them read, and true to each other."""

import pytest

from voxelwright.addon import presets
from voxelwright.voxel.errors import VoxelwrightError

NAMES = presets.world_preset_names()


def test_there_are_presets():
    assert set(NAMES) >= {"alpine", "rolling_hills"}
    assert NAMES[0] == presets.DEFAULT_WORLD_PRESET
    assert list(NAMES[1:]) == sorted(NAMES[1:])
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_world_presets_name_only_materials_of_their_palette(name):
    preset = presets.world_preset(name)
    known = {material.name for _, material in presets.palette(preset.palette).items()}
    used = {preset.rock} | {part for s in preset.strata for part in (s.surface, s.soil, s.cliff) if part}
    assert used <= known
    assert preset.name
    assert preset.description


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
    assert {path.parts[0] for path in files} == {"worlds", "palettes", "strata"}
    assert {path.suffix for path in files} == {".toml"}
    for path in files:
        if path.parts[0] == "palettes":
            assert presets.palette(path.stem).items()


def test_the_default_palette():
    palette = presets.palette("default")
    blocky, smooth = ["grass", "dirt", "stone", "sand"], ["snow", "smooth stone"]
    assert [(i, material.name) for i, material in palette.items()] == list(enumerate(blocky + smooth, start=1))
    assert [palette.voxel(i) for i in range(1, 7)] == [0x0100, 0x0200, 0x0300, 0x0400, 0x0510, 0x0610]


def test_every_name_is_used_once_in_a_palette(project_root):
    for path in (project_root / "presets" / "palettes").glob("*.toml"):
        names = [material.name for _, material in presets.palette(path.stem).items()]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ["", "hills", "../palettes/default", "alpine.toml", "Alpine"])
def test_presets_that_are_not_there(name):
    with pytest.raises(VoxelwrightError, match=rf'^There is no preset "{name}"; there are {", ".join(NAMES)}\.$'):
        presets.world_preset(name)


def test_a_file_that_is_gone_is_one_sentence():
    with pytest.raises(VoxelwrightError, match=r"palettes/gone\.toml is missing or unreadable; install the extension"):
        presets.palette("gone")
