# SPDX-License-Identifier: GPL-3.0-or-later
"""Where compiled kernels are kept: a folder of the user's, never the extension's own, which may be read-only and is
wiped on upgrades."""

from collections.abc import Callable
from pathlib import Path

from ..voxel.jobs import Job, Progress
from . import files


def prepare() -> None:
    """Choose the folder, once. Must run before the first import of a module with kernels, which is slow for its own
    reasons (numba): so only when something is about to be computed."""
    from ..voxel import kernels

    if kernels.cache_folder() is None:
        try:
            kernels.use_cache(files.user_folder("kernels"))
        except OSError as error:
            print(f"Voxelwright compiles its kernels anew in this session, since their cache cannot be kept: {error}")


def compiling(group: str, small_job: Callable[[], Job[object]]) -> Job[None]:
    """A job that compiles a group of kernels by running small_job's, at the group's first use with this cache, and says
    so; else it does nothing. Every stage of the small job is a slice, so that Esc works between two of them."""
    if is_compiled(group):
        return
    yield Progress(0.0, "Compiling, at first use only")
    for progress in small_job():
        yield Progress(0.0, f"Compiling, at first use only: {progress.what}")
    _compiled.add(group)
    mark = _mark(group)
    if mark is not None:
        mark.touch()


def is_compiled(group: str) -> bool:
    """Whether a group of kernels needs no compiling."""
    mark = _mark(group)
    return group in _compiled or (mark is not None and mark.exists())


def _mark(group: str) -> Path | None:
    """The file that says that a group is in the cache."""
    from ..voxel import kernels

    folder = kernels.cache_folder()
    return folder / f"{group}.compiled" if folder is not None else None


_compiled: set[str] = set()
"""The groups that this process has compiled."""
