# SPDX-License-Identifier: GPL-3.0-or-later
"""Getting an OpenGL context, what it can do, and the one gate at which its errors are read."""

import sys
from dataclasses import dataclass
from typing import Any

import moderngl

from ..voxel.errors import VoxelwrightError

COMPUTE_VERSION = 430
"""OpenGL and GLSL from which on there are compute shaders and storage blocks."""

LEAST_VERSION = 410
"""The oldest OpenGL that anything is drawn with: macOS has no newer one. 3.3 would not do: GLSL has bitfieldExtract
and precise, which keeps places far from the origin still, from 4.00 on."""

_MAX_ERRORS = 16
"""OpenGL keeps one error of each kind; a context that is lost gives the same for ever."""

DEBIAN_PACKAGES = "libegl1 libgl1 libgl1-mesa-dri"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a context can do. version is 430 for OpenGL 4.3; sizes are in bytes, edges in pixels. Without
    storage blocks their sizes and numbers are 0."""

    version: int
    renderer: str
    max_storage_block_bytes: int
    max_vertex_storage_blocks: int
    max_compute_storage_blocks: int
    max_texture_edge: int
    max_samples: int

    @property
    def has_compute(self) -> bool:
        """Whether there are compute shaders and storage blocks. The version tells: drivers list extensions that their
        context then does not serve."""
        return self.version >= COMPUTE_VERSION


def create_context() -> moderngl.Context:
    """A new stand-alone context without a window, made current: of OpenGL 4.3 or newer where that can be had, else of
    4.1. Raises VoxelwrightError where there is none to have."""
    options: dict[str, Any] = {}
    if sys.platform == "linux":
        # Named in full: left to itself, moderngl asks ldconfig or a compiler, which a small system may lack.
        options = {"backend": "egl", "libegl": "libEGL.so.1", "libgl": "libGL.so.1"}
    try:
        # Asked for the newer one first: a driver may give just what it is asked for.
        return moderngl.create_context(require=COMPUTE_VERSION, standalone=True, **options)
    except Exception:  # glcontext raises bare Exceptions
        try:
            return moderngl.create_context(require=LEAST_VERSION, standalone=True, **options)
        except Exception as error:
            raise VoxelwrightError(_refusal(str(error))) from error


def attach_context(loader: Any) -> moderngl.Context:
    """The context that is current already, whose functions loader finds (load(name) gives an address); it stays its
    owner's. Raises VoxelwrightError where it is older than OpenGL 4.3."""
    try:
        return moderngl.create_context(require=COMPUTE_VERSION, context=loader)
    except Exception as error:  # moderngl raises several kinds
        raise VoxelwrightError(f"Blender's OpenGL context cannot be used: {error}.") from error


def capabilities(ctx: moderngl.Context) -> Capabilities:
    """What this context can do."""
    info = ctx.info
    return Capabilities(
        version=ctx.version_code,
        renderer=info["GL_RENDERER"],
        max_storage_block_bytes=info.get("GL_MAX_SHADER_STORAGE_BLOCK_SIZE", 0),
        max_vertex_storage_blocks=info.get("GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS", 0),
        max_compute_storage_blocks=info.get("GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS", 0),
        max_texture_edge=info["GL_MAX_TEXTURE_SIZE"],
        max_samples=min(info["GL_MAX_COLOR_TEXTURE_SAMPLES"], info["GL_MAX_DEPTH_TEXTURE_SAMPLES"]),
    )


def check_errors(ctx: moderngl.Context, what: str) -> None:
    """Read the context's error, and raise VoxelwrightError where there is one; what names the work just done.

    moderngl raises nothing when an allocation fails, so this is called after every allocation.
    """
    error = ctx.error
    if error == "GL_OUT_OF_MEMORY":
        raise VoxelwrightError(f"The graphics memory is too small for {what}; use a smaller world or picture.")
    if error != "GL_NO_ERROR":
        raise VoxelwrightError(f"The graphics driver reported {error} for {what}; update the driver or report this.")


def forget_errors(ctx: moderngl.Context) -> None:
    """Read the errors that others left in a context that we share, so that they are not taken for ours."""
    for _ in range(_MAX_ERRORS):
        if ctx.error == "GL_NO_ERROR":
            return


def _refusal(reason: str) -> str:
    if sys.platform == "linux" and "not loaded" in reason:
        return f"Drawing needs the EGL and OpenGL libraries ({reason}); on Debian install {DEBIAN_PACKAGES}."
    hint = f" (on Debian: {DEBIAN_PACKAGES})" if sys.platform == "linux" else ""
    return f"Drawing needs OpenGL 4.1, and no such context could be made: {reason}; install a newer driver{hint}."
