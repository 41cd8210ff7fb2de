# SPDX-License-Identifier: GPL-3.0-or-later
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest

from voxelwright.addon import files, registration, session
from voxelwright.addon.operators import recover_worlds
from voxelwright.addon.recorder import Recorder


@pytest.fixture(scope="session")
def _enabled():
    """The extension's classes and handlers, registered once for all tests of this process."""
    if not registration.is_registered():
        registration.register()


@pytest.fixture
def blender(_enabled):
    """bpy with an empty file and the extension enabled."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return bpy


@pytest.fixture
def small_world(blender):
    """The empty of a small generated world, after a first undo step as an open window would have pushed it."""
    blender.ops.ed.undo_push(message="start")
    blender.ops.voxelwright.new_world("EXEC_DEFAULT", True, preset="rolling_hills", size=(40, 33, 100), seed=2)
    return blender.context.active_object


@pytest.fixture
def recording(blender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the journals of a session that records."""
    monkeypatch.setattr(files, "user_folder", lambda name: tmp_path / name)
    recorder = Recorder()
    recorder.is_on = True
    monkeypatch.setattr(session, "recorder", recorder)
    (tmp_path / "journals").mkdir()
    recover_worlds._crashed.clear()
    yield tmp_path / "journals"
    recorder.close(keep=False)
    recover_worlds._crashed.clear()
