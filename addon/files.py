# SPDX-License-Identifier: GPL-3.0-or-later
"""Files in and out, with errors that a user understands."""

import os
import sys
import tempfile
from pathlib import Path

from ..voxel.errors import VoxelwrightError


def user_folder(name: str) -> Path:
    """A folder of the user's for what we keep between sessions, never the extension's own, which may be read-only and
    is wiped on upgrades. Raises OSError where it cannot be made."""
    root_package = __package__.rpartition(".")[0]
    if root_package.startswith("bl_ext."):
        import bpy

        return Path(bpy.utils.extension_path_user(root_package, path=name, create=True))
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "voxelwright" / name


def read_file(path: Path, max_bytes: int) -> bytes:
    """A file's bytes; missing, unreadable and oversized ones raise VoxelwrightError."""
    try:
        if path.stat().st_size > max_bytes:
            raise VoxelwrightError(f"{path.name} is larger than {max_bytes >> 20} MiB, the most that is read.")
        return path.read_bytes()
    except OSError as error:
        raise VoxelwrightError(f"{path} cannot be read: {error.strerror}.") from None


def check_writable(path: Path) -> None:
    """Raise VoxelwrightError where a file cannot be written to that path, before the work that makes its content."""
    if not path.parent.is_dir():
        raise VoxelwrightError(f'The folder "{path.parent}" does not exist; make it first or choose another.')
    if path.is_dir():
        raise VoxelwrightError(f'"{path}" is a folder; give the name of a file.')
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise VoxelwrightError(f"{path} cannot be written: it or its folder is write-protected.")


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: an existing one stays as it is until the new bytes are on the disk.

    A link stays a link, and a file keeps its permissions.
    """
    check_writable(path)
    path = path.resolve()
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, mode)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise VoxelwrightError(f"{path} cannot be written: {error.strerror}.") from None


def _umask() -> int:
    """The permissions that new files of this process lack; they can only be read by setting them."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_suffix(path: Path, suffixes: tuple[str, ...]) -> str:
    """The path's ending in lower case, which must be one of suffixes."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        raise VoxelwrightError(f'"{path.name}" must end in {" or ".join(suffixes)}.')
    return suffix
