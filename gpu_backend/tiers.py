# SPDX-License-Identifier: GPL-3.0-or-later
"""Which renderer a context can take."""

import moderngl

from .basic_renderer import BasicRenderer
from .context import Capabilities, capabilities
from .renderer import Renderer

REQUIRED_VERTEX_STORAGE_BLOCKS = 4
"""Storage blocks that the vertex shader of smooth surfaces reads. OpenGL 4.3 itself promises none to vertex shaders."""

REQUIRED_COMPUTE_STORAGE_BLOCKS = 8
"""Storage blocks of the meshing pass with one page of voxels; OpenGL 4.3 promises as many."""


def create_renderer(ctx: moderngl.Context) -> tuple[Renderer | BasicRenderer, str | None]:
    """The best renderer for a context, and a sentence why where that is the basic one."""
    reason = why_basic(capabilities(ctx))
    return (Renderer(ctx), None) if reason is None else (BasicRenderer(ctx), reason)


def why_basic(able: Capabilities) -> str | None:
    """What a context lacks for Renderer, as a sentence; None where it lacks nothing."""
    if not able.has_compute:
        major, minor = divmod(able.version // 10, 10)
        return _sentence(able, f"has OpenGL {major}.{minor}, and compute shaders come with 4.3")
    for stage, n, required in (
        ("vertex", able.max_vertex_storage_blocks, REQUIRED_VERTEX_STORAGE_BLOCKS),
        ("compute", able.max_compute_storage_blocks, REQUIRED_COMPUTE_STORAGE_BLOCKS),
    ):
        if n < required:
            return _sentence(able, f"has {n} storage blocks in {stage} shaders, and {required} are needed")
    return None


def _sentence(able: Capabilities, what: str) -> str:
    return (
        f"Worlds are drawn the simple way, without blending of materials and with shadow maps: {able.renderer} {what}."
    )
