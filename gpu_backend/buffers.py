# SPDX-License-Identifier: GPL-3.0-or-later
"""Buffers that are there, or an error that says so."""

import moderngl

from ..voxel.errors import VoxelwrightError
from .context import check_errors


def new_buffer(ctx: moderngl.Context, size: int) -> moderngl.Buffer:
    """A buffer of size bytes, of no particular content. Raises VoxelwrightError where graphics memory is short."""
    buffer = ctx.buffer(reserve=size)
    try:
        check_errors(ctx, f"a buffer of {size / 2**20:.0f} MiB")
    except VoxelwrightError:
        buffer.release()
        raise
    return buffer


def grown(ctx: moderngl.Context, buffer: moderngl.Buffer, size: int) -> moderngl.Buffer:
    """A buffer of size bytes that begins with what is in this one, which is released. Raises VoxelwrightError where
    graphics memory is short, and then this one stays."""
    if buffer.size >= size:
        return buffer
    larger = new_buffer(ctx, size)
    copy(ctx, larger, buffer)
    buffer.release()
    return larger


def copy(ctx: moderngl.Context, to: moderngl.Buffer, source: moderngl.Buffer) -> None:
    """Copy all of a buffer to the beginning of another one, and wait for that: NVIDIA's driver lets what is written
    afterwards overtake a copy into a new buffer, which then undoes it."""
    ctx.copy_buffer(to, source, source.size)
    ctx.finish()
