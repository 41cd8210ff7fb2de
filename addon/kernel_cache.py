# SPDX-License-Identifier: GPL-3.0-or-later
"""Where compiled kernels are kept: a folder of the user's, never the extension's own, which may be read-only and is
wiped on upgrades."""

import os
import sys
from pathlib import Path


def prepare() -> None:
    """Choose the folder, once. Must run before the first import of a module with kernels, which is slow for its own
    reasons (numba): so only when something is about to be computed."""
    from ..voxel import kernels

    if kernels.cache_folder() is None:
        try:
            kernels.use_cache(_folder())
        except OSError as error:
            print(f"Voxelwright compiles its kernels anew in this session, since their cache cannot be kept: {error}")


def _folder() -> Path:
    root_package = __package__.rpartition(".")[0]
    if root_package.startswith("bl_ext."):
        import bpy

        return Path(bpy.utils.extension_path_user(root_package, path="kernels", create=True))
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "voxelwright"
