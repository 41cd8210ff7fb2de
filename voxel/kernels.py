# SPDX-License-Identifier: GPL-3.0-or-later
"""How numba kernels are compiled, and where their compiled code is kept.

Every kernel is decorated with @kernel or @parallel_kernel, never with numba's own decorators, so that the
options have one home: no fastmath and no contraction (results must be equal on every machine), numpy's rules
for division, the cache folder.

numba checks only the file of a kernel itself when it decides whether a cached compilation is still valid, not
the files of the functions that the kernel calls. So the cache folder carries a hash of all sources of this
room and of the versions of Python and numba. use_cache() must be called before any module with kernels is
imported; without it kernels work but are compiled anew in every process.
"""

import hashlib
import sys
from pathlib import Path
from typing import Any

import numba
from numba import config, get_num_threads, prange

__all__ = ["cache_folder", "get_num_threads", "kernel", "parallel_kernel", "prange", "use_cache"]

_cache: Path | None = None


def use_cache(parent: Path) -> Path:
    """Keep compiled kernels in a folder below parent (made if missing), keyed by the sources; return that folder.

    Folders of other versions of the sources are left alone: another Blender may be using them.
    """
    global _cache
    digest = hashlib.sha256(f"{sys.version}|{numba.__version__}".encode())
    room = Path(__file__).parent
    for source in sorted(room.rglob("*.py")):
        digest.update(source.relative_to(room).as_posix().encode())
        digest.update(source.read_bytes())
    _cache = parent / f"kernels-{digest.hexdigest()[:16]}"
    _cache.mkdir(parents=True, exist_ok=True)
    return _cache


def cache_folder() -> Path | None:
    """The folder that use_cache() chose, or None."""
    return _cache


def _compile(function: Any, parallel: bool) -> Any:
    # The cache folder is a process-wide setting of numba, read when a function is decorated. Another extension
    # may use numba too, so it is put back at once.
    previous = config.CACHE_DIR
    config.CACHE_DIR = str(_cache) if _cache is not None else previous
    try:
        return numba.njit(cache=_cache is not None, error_model="numpy", parallel=parallel)(function)
    finally:
        config.CACHE_DIR = previous


def kernel(function: Any) -> Any:
    """Compile function with numba, for one thread."""
    return _compile(function, parallel=False)


def parallel_kernel(function: Any) -> Any:
    """Compile function with numba; its prange loops run on all threads. Call it from the main thread only."""
    return _compile(function, parallel=True)
