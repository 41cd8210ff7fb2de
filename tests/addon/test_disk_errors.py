# SPDX-License-Identifier: GPL-3.0-or-later
"""The disk fails at the n-th operation, for every n: once, as with a bad cable, or from then on, as when it is full."""

import errno
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voxelwright.addon import files, journal_files, session
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.storage import world_to_bytes
from voxelwright.voxel.world import as_chunk, edit_of_chunks, new_world

PALETTE = Palette.of({1: Material("stone", (120, 120, 120))})
N_MOST = 200


class Disk:
    """Counts the operations with files that Python is asked for, and lets some fail."""

    def __init__(self, patch: pytest.MonkeyPatch, fails_at: int, *, for_good: bool) -> None:
        self.n, self._fails_at, self._for_good = 0, fails_at, for_good
        removing = [] if for_good else [(os, "unlink")]  # a full disk lets that be done
        others = [(os, "replace"), (os, "chmod"), (os, "fsync"), (os, "mkdir"), (tempfile, "mkstemp"), (Path, "touch")]
        for module, name in (*removing, *others):
            patch.setattr(module, name, self._operation(getattr(module, name)))
        for module, name in ((os, "fdopen"), (Path, "open")):
            patch.setattr(module, name, self._opening(getattr(module, name)))

    @property
    def has_failed(self) -> bool:
        return self.n > self._fails_at

    def step(self) -> None:
        """One operation. Raises OSError where its turn has come."""
        self.n += 1
        if self.n == self._fails_at + 1 or (self._for_good and self.n > self._fails_at):
            raise OSError(errno.ENOSPC, "No space left on device")

    def _operation(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def operation(*arguments: Any, **options: Any) -> Any:
            self.step()
            return real(*arguments, **options)

        return operation

    def _opening(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def opening(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
            if "w" in mode or "x" in mode:
                self.step()
                return _File(self, real(file, mode, *arguments, **options))
            return real(file, mode, *arguments, **options)

        return opening


class _File:
    def __init__(self, disk: Disk, real: Any) -> None:
        self._disk, self._real = disk, real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __enter__(self) -> "_File":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, data: bytes) -> int:
        try:
            self._disk.step()
        except OSError:
            self._real.write(data[: len(data) // 2])
            self._real.flush()
            raise
        return int(self._real.write(data))

    def flush(self) -> None:
        self._disk.step()
        self._real.flush()

    def close(self) -> None:
        self._real.close()
        self._disk.step()


@pytest.mark.parametrize("for_good", [False, True])
@pytest.mark.parametrize("before", [b"old", None])
def test_a_file_is_the_old_one_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, for_good: bool, before: bytes | None
) -> None:
    data = world_to_bytes(new_world({(0, 0, 0): PALETTE.voxel(1)}, PALETTE))
    for fails_at in range(N_MOST):
        folder = tmp_path / str(fails_at)
        folder.mkdir()
        path = folder / "world.vxw"
        if before is not None:
            path.write_bytes(before)
        with monkeypatch.context() as patch:
            disk = Disk(patch, fails_at, for_good=for_good)
            try:
                files.write_file(path, data)
            except VoxelwrightError as error:
                assert str(error) == f"{path} cannot be written: No space left on device."
                assert (path.read_bytes() if path.exists() else None) == before
            else:
                assert path.read_bytes() == data
        if not for_good:
            assert set(folder.iterdir()) <= {path}
        if not disk.has_failed:
            break
    assert 5 < fails_at < N_MOST - 1


@pytest.mark.parametrize("for_good", [False, True])
def test_editing_and_saving_go_on_and_a_crash_leaves_what_was_written(
    blender: Any, recording: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, for_good: bool
) -> None:
    """What can be recovered is never older than the saved file, and is the last state where nothing else was told."""
    path = tmp_path / "world.blend"
    for fails_at in range(N_MOST):
        session.recorder.close(keep=False)
        shutil.rmtree(recording)
        blender.ops.wm.read_homefile(use_empty=True)
        with monkeypatch.context() as patch:
            disk = Disk(patch, fails_at, for_good=for_good)
            states, saved, n_operations = _work(blender, path, patch, disk)
        problem = session.recorder.problem
        assert not problem or "No space left on device" in problem
        _crash()
        recovered = _recovered(recording)
        if not problem:
            assert recovered == states[-1], f"at operation {fails_at}"
        if recovered is not None or fails_at >= n_operations:
            assert recovered in states[saved:], f"at operation {fails_at}"
        blender.ops.wm.open_mainfile(filepath=str(path))
        assert world_to_bytes(session.world_of(blender.data.objects["World"])) == states[saved]
        if not disk.has_failed:
            break
    assert 20 < fails_at < N_MOST - 1


def _work(bpy: Any, path: Path, patch: pytest.MonkeyPatch, disk: Disk) -> tuple[list[bytes], int, int]:
    """Edit, save, undo, and let the journal become large: the world after each step; which was saved; and after how
    many operations something else was on the disk."""
    owner = session.new_world_object(bpy.context, "World", new_world({(0, 0, 0): PALETTE.voxel(1)}, PALETTE))
    bpy.ops.ed.undo_push(message="world")
    states = [world_to_bytes(session.world_of(owner))]

    def edit() -> None:
        owner = bpy.data.objects["World"]
        voxels = np.full((32, 32, 32), PALETTE.voxel(1), np.uint16)
        voxels[:, :, len(states)] = 0
        session.commit(owner, edit_of_chunks(session.own_world_of(owner), {(1, 0, 0): as_chunk(voxels)}))
        bpy.ops.ed.undo_push(message="edit")
        states.append(world_to_bytes(session.world_of(owner)))

    edit()
    edit()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    saved = len(states) - 1
    edit()
    session.recorder._sync()
    n_operations = disk.n
    for _ in range(2):
        bpy.ops.ed.undo()
        states.append(world_to_bytes(session.world_of(bpy.data.objects["World"])))
    edit()
    with patch.context() as large:
        large.setattr(journal_files, "LARGE_BYTES", 1)
        edit()
    edit()
    return states, saved, n_operations


def _crash() -> None:
    """End the session's process, as far as its journal can tell."""
    journal, session.recorder._file = session.recorder._file, None
    if journal is not None and journal._file is not None:
        with suppress(OSError):
            journal._file.close()


def _recovered(recording: Path) -> bytes | None:
    """The world that a crash leaves to be recovered."""
    for path in journal_files.crashed(recording):
        for found in journal_files.worlds_of(path).values():
            return world_to_bytes(finish(found.loading()).world)
    return None
