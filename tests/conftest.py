# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share. Kernels are cached in build/, and Blender's user folders are temporary ones."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voxelwright.voxel import kernels

ROOT = Path(__file__).resolve().parent.parent

# Both count only if they are set before the first kernel is compiled and before bpy is imported.
kernels.use_cache(ROOT / "build" / "kernel-cache")
_blender_user = tempfile.TemporaryDirectory(prefix="voxelwright-tests-")
os.environ["BLENDER_USER_RESOURCES"] = _blender_user.name

EXIT_STATUS = pytest.StashKey[int]()


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


def pytest_unconfigure(config: pytest.Config) -> None:
    _blender_user.cleanup()
    bpy = sys.modules.get("bpy")
    if bpy is not None and bpy.app.version < (5, 0):
        # bpy 4.5 can wait forever for a thread of its own when a process that has exported glTF ends in the usual way.
        shutil.rmtree(bpy.app.tempdir, ignore_errors=True)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[EXIT_STATUS])


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[EXIT_STATUS] = exitstatus
