# SPDX-License-Identifier: GPL-3.0-or-later
import tomllib
from pathlib import Path

import build_extension
import pytest
from fetch_wheels import ToolError, Wheel


def test_manifest_gets_platforms_and_wheels() -> None:
    wheels = [Wheel("linux-x64", "cp313", name, "1", f"{name}-1-cp313-cp313-any.whl", "") for name in ("a", "b")]
    manifest = tomllib.loads(build_extension.manifest_text(["linux-x64"], wheels))
    source = tomllib.loads((build_extension.CHECKOUT / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert manifest == source | {
        "platforms": ["linux-x64"],
        "wheels": ["./wheels/a-1-cp313-cp313-any.whl", "./wheels/b-1-cp313-cp313-any.whl"],
    }


def test_staging_folder_holds_the_listed_rooms_and_no_caches(tmp_path: Path) -> None:
    build_extension.stage(tmp_path, ["linux-x64"], [])
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {*build_extension.ROOMS, *build_extension.FILES, "blender_manifest.toml", "wheels"}
    assert (tmp_path / "voxel" / "world.py").is_file()
    assert not list(tmp_path.rglob("__pycache__"))
    assert {path.stat().st_mtime for path in tmp_path.rglob("*")} == {build_extension.EPOCH}


def test_fault_that_blenders_tool_finds_is_reported(tmp_path: Path) -> None:
    (tmp_path / "blender_manifest.toml").write_text('id = "voxelwright"\n')
    with pytest.raises(ToolError, match="refused to validate the extension"):
        build_extension.run_tool("validate", tmp_path)
