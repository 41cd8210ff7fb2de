# SPDX-License-Identifier: GPL-3.0-or-later
"""Slots hold the chunks that were written to them, and only planes that changed are uploaded."""

from collections.abc import Iterator

import moderngl
import numpy as np
import pytest

from voxelwright.gpu_backend.context import capabilities
from voxelwright.gpu_backend.voxel_pages import VOXEL_BYTES, VoxelPages

PLANE = VOXEL_BYTES // 32


class CountingBuffer:
    """A buffer that counts the bytes written to it."""

    def __init__(self, buffer: moderngl.Buffer) -> None:
        self.buffer, self.n_written = buffer, 0

    def write(self, data: np.ndarray, offset: int) -> None:
        self.n_written += data.nbytes
        self.buffer.write(data, offset=offset)

    def release(self) -> None:
        self.buffer.release()


@pytest.fixture
def pages(ctx: moderngl.Context) -> Iterator[VoxelPages]:
    pages = VoxelPages(ctx, capabilities(ctx), 4)
    pages.reserve(4)
    pages._pages[0] = CountingBuffer(pages._pages[0])
    yield pages
    pages.release()


@pytest.mark.parametrize(
    ("changed", "n_planes"),
    [([], 0), ([0], 1), ([31], 1), ([3, 20], 18), ([0, 31], 32), (list(range(32)), 32)],
)
def test_planes_between_those_that_changed_are_uploaded(pages: VoxelPages, changed: list[int], n_planes: int) -> None:
    rng = np.random.default_rng(1)
    slots = [pages.take() for _ in range(3)]
    chunks = [rng.integers(0, 1 << 16, (32, 32, 32)).astype(np.uint16) for _ in slots]
    for slot, chunk in zip(slots, chunks, strict=True):
        pages.write(slot, chunk)
    page = pages._pages[0]
    assert page.n_written == 3 * VOXEL_BYTES
    after = chunks[1].copy()
    for x in changed:
        after[x, 5, x] += 1
    pages.write(slots[1], after)
    assert page.n_written == 3 * VOXEL_BYTES + n_planes * PLANE
    held = np.frombuffer(page.buffer.read(3 * VOXEL_BYTES), np.uint16).reshape(3, 32, 32, 32)
    np.testing.assert_array_equal(held, [chunks[0], after, chunks[2]])


def test_a_slot_that_was_given_back_holds_nothing(pages: VoxelPages) -> None:
    chunk = np.arange(32**3, dtype=np.uint16).reshape(32, 32, 32)
    slot = pages.take()
    pages.write(slot, chunk)
    pages.give_back(slot)
    assert pages.take() == slot
    pages.write(slot, chunk)
    assert pages._pages[0].n_written == 2 * VOXEL_BYTES
