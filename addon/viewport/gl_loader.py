# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenGL's functions of the context that Blender has made current."""

import ctypes
import sys
from typing import Any

from ...voxel.errors import VoxelwrightError


class CurrentContext:
    """What moderngl asks for when it is to use a context that is there: it finds functions, and makes nothing current.

    moderngl's own loaders look for a context at their first call in a process only, and another extension may have
    made that call.
    """

    standalone = False

    def __init__(self) -> None:
        self._find = _finder()

    def load(self, name: str) -> int:
        """The address of a function, 0 where there is none."""
        return int(self._find(name.encode()) or 0)

    load_opengl_function = load

    def release(self) -> None:
        """Nothing was made."""

    def __enter__(self) -> "CurrentContext":
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _finder() -> Any:
    if sys.platform == "win32":
        return _windows_finder()
    if sys.platform == "darwin":
        library = ctypes.CDLL("/System/Library/Frameworks/OpenGL.framework/OpenGL")
        return lambda name: ctypes.cast(getattr(library, name.decode(), None), ctypes.c_void_p).value
    egl = shared_library("libEGL.so.1")
    if egl is not None and _call(egl.eglGetCurrentContext):
        find = egl.eglGetProcAddress
    else:
        glx = shared_library("libGL.so.1")
        if glx is None or not _call(glx.glXGetCurrentContext):
            raise VoxelwrightError("Blender has made no OpenGL context current.")
        find = glx.glXGetProcAddressARB
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    return find


def _windows_finder() -> Any:
    library = ctypes.WinDLL("opengl32")  # type: ignore[attr-defined]
    find = library.wglGetProcAddress
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_char_p]

    def found(name: bytes) -> int | None:
        # Functions of OpenGL 1.1 are the library's own.
        address = find(name)
        own = getattr(library, name.decode(), None) if not address else None
        return address or (ctypes.cast(own, ctypes.c_void_p).value if own is not None else None)

    return found


def shared_library(name: str) -> ctypes.CDLL | None:
    """A library by its name, where there is one."""
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def _call(function: Any) -> int | None:
    function.restype = ctypes.c_void_p
    result: int | None = function()
    return result
