# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush presets: what is read, written and refused."""

import math
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxelwright.voxel.edit.brushes import (
    ACTIONS,
    FALLOFFS,
    LOCKS,
    PATTERNS,
    RANGES,
    SHAPES,
    Brush,
    brush_from_toml,
    brush_to_toml,
)
from voxelwright.voxel.errors import VoxelwrightError

CHOICES = {"shape": SHAPES, "falloff": FALLOFFS, "lock": LOCKS, "pattern": PATTERNS}
SWITCHES = ("accumulate", "pressure_radius", "pressure_strength")
BRUSH = Brush("sculpt", "raise")

brushes = st.sampled_from([(tool, action) for tool in ACTIONS for action in ACTIONS[tool]]).flatmap(
    lambda pair: st.builds(
        Brush,
        st.just(pair[0]),
        st.just(pair[1]),
        snap=st.integers(*RANGES["snap"]),
        **{key: st.floats(*limits) for key, limits in RANGES.items() if key != "snap"},
        **{key: st.sampled_from(choices) for key, choices in CHOICES.items()},
        **{key: st.booleans() for key in SWITCHES},
    )
)


@given(brushes)
def test_brushes_survive_toml(brush):
    assert brush_from_toml(brush_to_toml(brush), "a.toml") == brush


def test_what_is_not_given_has_its_default():
    assert brush_from_toml('tool = "paint"\naction = "paint"', "a.toml") == Brush("paint", "paint")
    assert brush_to_toml(replace(BRUSH, radius=12)) == brush_to_toml(replace(BRUSH, radius=12.0))


@pytest.mark.parametrize("key", RANGES)
def test_numbers_go_from_least_to_greatest(key):
    low, high = RANGES[key]
    for value in (low, high):
        assert getattr(replace(BRUSH, **{key: value}), key) == value
    steps = (low - 1, high + 1) if key == "snap" else (math.nextafter(low, -1), math.nextafter(high, 1e9), math.nan)
    for value in steps:
        with pytest.raises(VoxelwrightError, match=f"A brush's {key} must be from {low} to {high}\\.$"):
            replace(BRUSH, **{key: value})
    for value in (True, "1", None, *([2.0] if key == "snap" else [])):
        with pytest.raises(VoxelwrightError, match=f"A brush's {key} must be a (whole )?number\\.$"):
            replace(BRUSH, **{key: value})


@pytest.mark.parametrize("key", [*CHOICES, "tool", "action"])
def test_texts_are_of_those_there_are(key):
    for value in ("", "Sphere", 3, None, ["sphere"], {}):
        with pytest.raises(VoxelwrightError, match=f"A brush's {key} must be one of "):
            replace(BRUSH, **{key: value})


def test_a_tool_does_its_own_actions_only():
    with pytest.raises(VoxelwrightError, match=r"action must be one of add, remove, replace\.$"):
        Brush("build", "raise")


@pytest.mark.parametrize("key", SWITCHES)
def test_switches_are_true_or_false(key):
    with pytest.raises(VoxelwrightError, match=f"A brush's {key} must be true or false"):
        replace(BRUSH, **{key: 1})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('tool = "paint"', r'^a\.toml: "action" is missing\.$'),
        ('action = "paint"', r'^a\.toml: "tool" is missing\.$'),
        ('tool = "paint"\naction = "paint"\nsize = 3', r'^a\.toml: "size" is unknown; known are tool, action, .*\.$'),
        ('tool = "paint"\naction = "paint"\nradius = "3"', r"^a\.toml: A brush's radius must be a number\.$"),
        ('tool = ["paint"]\naction = "paint"', r"^a\.toml: A brush's tool must be one of sculpt, build, paint\.$"),
        ("tool = ", r"^a\.toml is not valid TOML: "),
    ],
)
def test_a_bad_file_is_one_sentence(text, sentence):
    with pytest.raises(VoxelwrightError, match=sentence):
        brush_from_toml(text, "a.toml")


def test_every_setting_can_be_read_and_written():
    assert [line.split(" = ")[0] for line in brush_to_toml(BRUSH).splitlines()] == [f.name for f in fields(Brush)]
