# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip for Linux, installed by Blender into a fresh home and used there with nothing but its own wheels."""

import json
import os
import platform
import struct
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import build_extension
import pytest
from fetch_wheels import ToolError

SESSION = Path(__file__).with_name("extension_session.py")
BUNDLED = ("_moderngl", "glcontext", "llvmlite", "moderngl", "numba")


@pytest.fixture(scope="session")
def extension_zip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension for Linux and the Python that runs this."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the extension is built and installed for linux-x64 only here")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    try:
        (path,) = build_extension.build(["linux-x64"], [python], tmp_path_factory.mktemp("extension"))
    except ToolError as error:
        if "could not be downloaded" not in str(error):
            raise
        pytest.skip(str(error))
    return path


@pytest.fixture(scope="session")
def bpy_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages that come with Blender, and none that the extension should bring."""
    folder = tmp_path_factory.mktemp("packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.startswith(BUNDLED) and path.suffix != ".pth":
            (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A MagicaVoxel file of three voxels."""

    def chunk(name: bytes, content: bytes, children: bytes = b"") -> bytes:
        return name + struct.pack("<ii", len(content), len(children)) + content + children

    voxels = struct.pack("<i12B", 3, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 2)
    model = chunk(b"SIZE", struct.pack("<3i", 2, 2, 2)) + chunk(b"XYZI", voxels)
    path = tmp_path_factory.mktemp("models") / "three.vox"
    path.write_bytes(b"VOX " + struct.pack("<i", 150) + chunk(b"MAIN", b"", model))
    return path


@pytest.fixture(scope="session")
def home(extension_zip: Path, bpy_packages: Path, model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which extension_session.py ran, as its home and for what it made."""
    home = tmp_path_factory.mktemp("home")
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-I", "-S", SESSION, bpy_packages, extension_zip, model, home],
        check=False,
        capture_output=True,
        encoding="utf-8",
        env=kept | {"HOME": str(home), "TMPDIR": str(home)},
        cwd=home,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return home


@pytest.fixture(scope="session")
def seen(home: Path) -> dict[str, Any]:
    """What extension_session.py saw."""
    seen: dict[str, Any] = json.loads((home / "seen.json").read_text(encoding="utf-8"))
    return seen


def test_extension_is_enabled_and_adds_something(seen: dict[str, Any]) -> None:
    assert seen["enabled"]
    assert seen["added"].keys() >= {"classes", "operators", "properties", "handlers", "command-line commands"}


def test_enabling_imports_nothing_heavy(seen: dict[str, Any]) -> None:
    assert seen["imported when enabled"] == []


def test_worlds_are_made_imported_baked_and_exported(seen: dict[str, Any], home: Path) -> None:
    assert seen["failed"] == []
    assert (home / "model.glb").read_bytes()[:4] == b"glTF"
    assert (home / "model.png").read_bytes()[:4] == b"\x89PNG"


def test_wheels_are_the_extensions_own(seen: dict[str, Any], home: Path) -> None:
    files = seen["wheels used from"]
    assert [name for name, file in files.items() if not Path(file).is_relative_to(home)] == []


def test_disabling_leaves_no_trace(seen: dict[str, Any]) -> None:
    assert seen["left after disabling"] == {}


def test_extension_can_be_enabled_again(seen: dict[str, Any]) -> None:
    assert seen["added again"] == seen["added"]
    assert seen["left after disabling again"] == {}
