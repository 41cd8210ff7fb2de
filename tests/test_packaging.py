# SPDX-License-Identifier: GPL-3.0-or-later
"""The manifest, the pins and the lock of wheels agree with one another."""

import re
import tomllib
from itertools import product
from pathlib import Path

import fetch_wheels

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
REQUIREMENTS = sorted((ROOT / "requirements").glob("*.txt"))


def test_manifest_has_the_newest_version_of_the_changelog() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", changelog, re.MULTILINE)
    assert versions[0] == MANIFEST["version"]


def test_manifest_keeps_what_is_fixed() -> None:
    assert MANIFEST["id"] == "voxelwright"
    assert MANIFEST["license"] == ["SPDX:GPL-3.0-or-later"]
    assert MANIFEST["platforms"] == list(fetch_wheels.PLATFORM_TAGS)
    assert set(MANIFEST["permissions"]) == {"files"}
    assert "wheels" not in MANIFEST, "the build adds the wheels from their lock"


def test_texts_of_the_manifest_fit_blenders_rules() -> None:
    for text in (MANIFEST["tagline"], *MANIFEST["permissions"].values()):
        assert len(text) <= 64
        assert text[-1].isalnum()


def test_oldest_blender_is_one_that_is_tested() -> None:
    tested = [path.stem.removeprefix("blender-") for path in REQUIREMENTS if path.stem.startswith("blender-")]
    oldest = min(tuple(map(int, version.split("."))) for version in tested)
    assert MANIFEST["blender_version_min"] == f"{oldest[0]}.{oldest[1]}.0"


def test_lock_has_every_pinned_wheel_for_every_platform_and_python() -> None:
    locked = {(wheel.platform, wheel.python, wheel.name, wheel.version) for wheel in fetch_wheels.read_lock()}
    pins = fetch_wheels.read_pins().items()
    wanted = product(fetch_wheels.PLATFORM_TAGS, fetch_wheels.PYTHONS, pins)
    assert locked == {(platform, python, *pin) for platform, python, pin in wanted}


def test_everything_is_pinned_and_to_one_version_per_python() -> None:
    versions: dict[str, set[str]] = {}
    for path in REQUIREMENTS:
        for name, version in fetch_wheels.read_pins(path).items():
            versions.setdefault(name, set()).add(version.partition(";")[0])
    several = {name for name, found in versions.items() if len(found) > 1}
    assert several == {"bpy", "numpy"}
