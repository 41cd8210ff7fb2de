# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share. Kernels are cached in build/, and Blender's user folders are temporary ones."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from voxelwright.voxel import kernels

ROOT = Path(__file__).resolve().parent.parent

# Both count only if they are set before the first kernel is compiled and before bpy is imported.
kernels.use_cache(ROOT / "build" / "kernel-cache")
_blender_user = tempfile.TemporaryDirectory(prefix="voxelwright-tests-")
os.environ["BLENDER_USER_RESOURCES"] = _blender_user.name


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Sample files that lie beside the checkout, too large to be part of it."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the sample files are not there: {folder}")
    return folder


@pytest.fixture(scope="session")
def validate_gltf() -> Callable[[Path], dict[str, Any]]:
    """A function that gives the Khronos validator's report on a .glb file."""
    node = shutil.which("node")
    if node is None or not (ROOT / "node_modules" / "gltf-validator").is_dir():
        pytest.skip("the glTF validator is not installed: it needs node and `npm ci`")

    def validate(path: Path) -> dict[str, Any]:
        done = subprocess.run(
            [node, ROOT / "tools" / "validate_gltf.js", path], check=False, capture_output=True, encoding="utf-8"
        )
        assert done.stdout, done.stderr
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    return validate


@pytest.fixture(scope="session", autouse=True)
def _remove_blender_user_folder() -> Iterator[None]:
    yield
    _blender_user.cleanup()
