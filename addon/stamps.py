# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips that the Stamp tool puts: from the clipboard, or from a file, turned and mirrored."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy

from ..voxel.errors import VoxelwrightError
from ..voxel.jobs import finish
from . import clipboard, worlds
from .files import check_suffix

if TYPE_CHECKING:
    from ..voxel.edit.clipboard import Clip

_SUFFIXES = (".vox", ".vxw")

_files: "dict[Path, tuple[int, Clip | VoxelwrightError]]" = {}
"""The file read last, or why it cannot be, with the time of its last change: cursors ask at every redraw."""


def clip_of(settings: Any) -> "Clip":
    """What a tool's or an operator's settings say, as it is. Raises VoxelwrightError where there is none."""
    if settings.source == "FILE":
        return _of_file(settings.filepath)
    clip = clipboard.clip()
    if clip is None:
        raise VoxelwrightError("There is nothing to stamp; copy a selection, or choose a file in the tool's settings.")
    return clip


def turned(clip: "Clip", quarters: int, mirrored: bool) -> "Clip":
    """A clip mirrored along x, and then turned about the upright axis."""
    if mirrored:
        clip = clip.mirrored(0)
    return clip.turned(2, quarters) if quarters else clip


def _of_file(name: str) -> "Clip":
    if not name:
        raise VoxelwrightError("Choose the file to stamp in the tool's settings.")
    path = Path(bpy.path.abspath(name))
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise VoxelwrightError(f"{path.name} cannot be read ({error.strerror}); choose another file.") from None
    if path not in _files or _files[path][0] != changed:
        _files.clear()
        try:
            _files[path] = changed, _read(path)
        except VoxelwrightError as error:
            _files[path] = changed, error
    found = _files[path][1]
    if isinstance(found, VoxelwrightError):
        raise found
    return found


def _read(path: Path) -> "Clip":
    from ..voxel.edit.clipboard import Clip

    check_suffix(path, _SUFFIXES)
    world, _ = finish(worlds.import_file(path, worlds.ImportOptions()))
    bounds = world.bounds()
    if bounds is None:
        raise VoxelwrightError(f"{path.name} has no voxels; choose another file.")
    return Clip(world, *bounds)
