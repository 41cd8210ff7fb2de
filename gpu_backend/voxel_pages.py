# SPDX-License-Identifier: GPL-3.0-or-later
"""Voxels on the GPU: slots of one chunk each, in a few large buffers, with bits of what is solid beside them."""

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.layout import CHUNK_SIZE, CHUNK_VOXELS, VOXEL_DTYPE
from .buffers import grown, new_buffer
from .context import Capabilities
from .records import MAX_VOXEL_PAGES, OCCUPANCY_WORDS, StorageBinding

VOXEL_BYTES = CHUNK_VOXELS * VOXEL_DTYPE.itemsize
OCCUPANCY_BYTES = 4 * OCCUPANCY_WORDS
SLOT_BYTES = VOXEL_BYTES + OCCUPANCY_BYTES
_PLANE_BYTES = VOXEL_BYTES // CHUNK_SIZE

_MAX_PAGE_BYTES = 1 << 30
_OTHER_BLOCKS = 7
"""Storage blocks that a program needs beside the pages."""
_FIRST_SLOTS = 64


class VoxelPages:
    """Slots 0 … capacity − 1, at most max_slots. Pages are made when they are needed, and the newest one grows by
    copying on the GPU."""

    def __init__(self, ctx: moderngl.Context, able: Capabilities, max_slots: int) -> None:
        self._ctx, self._able = ctx, able
        self.page_slots = min(able.max_storage_block_bytes, _MAX_PAGE_BYTES) // VOXEL_BYTES
        self.n_pages, self.max_slots = self._limits(max_slots)
        self.capacity = 0
        self._pages: list[moderngl.Buffer] = []
        self._occupancy = ctx.buffer(reserve=OCCUPANCY_BYTES)
        self._held: dict[int, NDArray[np.uint16]] = {}  # what was uploaded last, by slot
        self._free: list[int] = []
        self._n_used = 0

    @property
    def defines(self) -> dict[str, int]:
        """What shaders that read the voxels must know."""
        return {"VOXEL_PAGES": self.n_pages, "PAGE_SLOTS": self.page_slots}

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self._occupancy.size + sum(page.size for page in self._pages)

    @property
    def n_used(self) -> int:
        """Slots that are taken."""
        return self._n_used - len(self._free)

    def limit(self, max_slots: int) -> bool:
        """Have at most so many slots from now on; False, and nothing done, where these buffers are too large for that
        or shaders would have to know of other pages."""
        n_pages, most = self._limits(max_slots)
        if n_pages != self.n_pages or self.capacity > most:
            return False
        self.max_slots = most
        return True

    def reserve(self, n_slots: int) -> None:
        """Make room for n_slots, at most max_slots. Raises VoxelwrightError where graphics memory is short; the slots
        that were there stay as they are."""
        if n_slots <= self.capacity:
            return
        wanted = min(max(n_slots, self.capacity + self.capacity // 8, _FIRST_SLOTS), self.max_slots)
        self._occupancy = grown(self._ctx, self._occupancy, wanted * OCCUPANCY_BYTES)
        while self.capacity < wanted:
            first = self.capacity // self.page_slots * self.page_slots
            n = min(wanted - first, self.page_slots)
            if first == self.capacity:
                self._pages.append(new_buffer(self._ctx, n * VOXEL_BYTES))
            else:
                self._pages[-1] = grown(self._ctx, self._pages[-1], n * VOXEL_BYTES)
            self.capacity = first + n

    def take(self) -> int:
        """A free slot; reserve() must have made room for it."""
        if self._free:
            return self._free.pop()
        slot = self._n_used
        if slot >= self.capacity:
            raise ValueError("no slot is free")
        self._n_used += 1
        return slot

    def give_back(self, slot: int) -> None:
        """Free a slot. What is in it stays until another chunk takes it."""
        self._held.pop(slot, None)
        self._free.append(slot)

    def write(self, slot: int, voxels: NDArray[np.uint16]) -> None:
        """Upload a chunk (32, 32, 32), which stays as it is, as it lies: from the first plane of x to the last one that
        differ from what the slot holds."""
        held = self._held.get(slot)
        differs = np.ones(CHUNK_SIZE, bool) if held is None else (voxels != held).any(axis=(1, 2))
        planes = np.flatnonzero(differs)
        if len(planes):
            page, index = divmod(slot, self.page_slots)
            offset = index * VOXEL_BYTES + int(planes[0]) * _PLANE_BYTES
            self._pages[page].write(voxels[planes[0] : planes[-1] + 1], offset=offset)
        self._held[slot] = voxels

    def bind(self) -> None:
        """Bind the pages and the occupancy to their binding points; a page that is not there is bound as the first."""
        self._occupancy.bind_to_storage_buffer(StorageBinding.OCCUPANCY)
        for index in range(self.n_pages):
            page = self._pages[index] if index < len(self._pages) else (self._pages or [self._occupancy])[0]
            page.bind_to_storage_buffer(StorageBinding.VOXELS_0 + index)

    def release(self) -> None:
        """Free the buffers."""
        for buffer in (self._occupancy, *self._pages):
            buffer.release()

    def _limits(self, max_slots: int) -> tuple[int, int]:
        """How many pages are bound for so many slots, and how many slots there can be."""
        bindable = min(MAX_VOXEL_PAGES, self._able.max_compute_storage_blocks - _OTHER_BLOCKS)
        n_pages = max(1, min(bindable, -(-max_slots // self.page_slots)))
        most = min(n_pages * self.page_slots, self._able.max_storage_block_bytes // OCCUPANCY_BYTES)
        return n_pages, min(max_slots, most)
