# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Blender with a window, in the rig of tools/window_rig.py, driven by the scripts in scripts/."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import build_extension
import numpy as np
import pytest
import window_rig
from fetch_wheels import ToolError
from numpy.typing import NDArray

from voxelwright.voxel.formats.png import read_png

DRIVER = Path(__file__).parent / "scripts" / "driver.py"


@dataclass(frozen=True)
class Seen:
    """What a script left: its results, and the folder of its photographs."""

    folder: Path
    results: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.results[name]

    def photograph(self, name: str, rectangle: list[int] | None = None) -> NDArray[np.uint8]:
        """A photograph, (height, width, 3) uint8 with row 0 on top, or a rectangle of it as the driver gives them."""
        samples = read_png((self.folder / f"{name}.png").read_bytes()).samples[:, :, :3]
        if rectangle is None:
            return samples
        left, bottom, width, height = rectangle
        top = len(samples) - bottom - height
        return samples[top : top + height, left : left + width]


Window = Callable[..., Seen]


@pytest.fixture(scope="session")
def rig() -> None:
    """The window rig; tests that need it are skipped where there is none."""
    try:
        window_rig.check_rig()
    except window_rig.NoRigError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def extension_zip(rig: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension for the rig's Blender."""
    python = f"cp{window_rig.PYTHON.replace('.', '')}"
    try:
        (path,) = build_extension.build(["linux-x64"], [python], tmp_path_factory.mktemp("extension"))
    except ToolError as error:
        if "could not be downloaded" not in str(error):
            raise
        pytest.skip(str(error))
    return path


@pytest.fixture(scope="session")
def session_folder(extension_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that all windows share. Its home has the extension installed, and keeps the kernels once compiled."""
    folder = tmp_path_factory.mktemp("window")
    (folder / extension_zip.name).hardlink_to(extension_zip)
    install = ["blender", "--command", "extension", "install-file", "-r", "user_default", "-e", extension_zip.name]
    done = window_rig.run(*install, session=folder, timeout=120)
    assert done.returncode == 0, done.stdout
    return folder


@pytest.fixture(scope="session")
def window(session_folder: Path) -> Window:
    """A function that runs a script in a Blender with a window, and gives what the script left."""

    def run(script: str, backend: str, timeout: float) -> Seen:
        """script is a name in scripts/, backend opengl or vulkan; after timeout seconds everything is ended."""
        name = f"{script}-{backend}"
        folder = session_folder / name
        folder.mkdir()
        try:
            done = window_rig.run_window(DRIVER, script, name, backend=backend, session=session_folder, timeout=timeout)
        except subprocess.TimeoutExpired as error:
            pytest.fail(f"{name} did not end within {timeout:.0f} s:\n{error.stdout}", pytrace=False)
        assert (folder / "results.json").exists(), done.stdout
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        if "traceback" in results:
            pytest.fail(f"{results['traceback']}\nBlender's output:\n{done.stdout}", pytrace=False)
        return Seen(folder, results)

    return run
