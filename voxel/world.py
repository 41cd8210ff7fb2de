# SPDX-License-Identifier: GPL-3.0-or-later
"""A world: a sparse map of 32³ chunks and a palette. World.apply(edit) is the only way to change it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import VoxelwrightError
from .layout import (
    AIR,
    CHUNK_SHAPE,
    CHUNK_SHIFT,
    CHUNK_SIZE,
    CHUNK_VOXELS,
    FLAG_SMOOTH,
    MATERIAL_SHIFT,
    N_MATERIALS,
    VOXEL_DTYPE,
)
from .limits import MAX_CHUNK_COORD, MAX_WORLD_CHUNKS
from .palette import Palette
from .settings import Settings

Coord = tuple[int, int, int]
"""A chunk's coordinates, in chunks."""

Chunk = int | NDArray[np.uint16]
"""A chunk's voxels: one 16-bit value where all are equal, else a read-only (32, 32, 32) uint16 array."""


@dataclass(frozen=True, slots=True)
class ChunkDelta:
    """One chunk before and after a change. The arrays are shared with the world, never copied, never written."""

    coord: Coord
    before: Chunk
    after: Chunk


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a world: what undo, remeshing, upload and saving live on."""

    deltas: tuple[ChunkDelta, ...]
    palette_before: Palette
    palette_after: Palette
    settings_before: Settings
    settings_after: Settings

    def inverse(self) -> "Edit":
        """The edit that takes this one back."""
        deltas = tuple(ChunkDelta(d.coord, d.after, d.before) for d in self.deltas)
        return Edit(deltas, self.palette_after, self.palette_before, self.settings_after, self.settings_before)

    def __bool__(self) -> bool:
        """Whether anything changes."""
        before, after = (self.palette_before, self.settings_before), (self.palette_after, self.settings_after)
        return bool(self.deltas) or before != after


class World:
    """Voxels, their palette, and settings.

    version counts the changes since the world was made in this session, undo and redo included; who draws or
    bakes remembers the version that it has seen and asks changed_since().
    """

    def __init__(self, palette: Palette | None = None, settings: Settings | None = None) -> None:
        self.palette = palette if palette is not None else Palette()
        self.settings = settings if settings is not None else Settings()
        self.version = 0
        self._chunks: dict[Coord, Chunk] = {}
        self._changed_at: dict[Coord, int] = {}

    def chunk(self, coord: Coord) -> Chunk:
        """The chunk's voxels; air where there is none."""
        return self._chunks.get(coord, AIR)

    @property
    def n_chunks(self) -> int:
        """How many chunks are not all air."""
        return len(self._chunks)

    def coords(self) -> list[Coord]:
        """The coordinates of all chunks that are not all air, sorted."""
        return sorted(self._chunks)

    def voxel(self, x: int, y: int, z: int) -> int:
        """The 16-bit voxel at (x, y, z)."""
        chunk = self.chunk((x >> CHUNK_SHIFT, y >> CHUNK_SHIFT, z >> CHUNK_SHIFT))
        if isinstance(chunk, int):
            return chunk
        return int(chunk[x % CHUNK_SIZE, y % CHUNK_SIZE, z % CHUNK_SIZE])

    def region(self, low: Coord, high: Coord) -> NDArray[np.uint16]:
        """A copy of the voxels from low to high (exclusive), as one uint16 array indexed [x, y, z]."""
        out = np.zeros([b - a for a, b in zip(low, high, strict=True)], VOXEL_DTYPE)
        for coord, inside, outside in chunk_overlaps(low, high):
            chunk = self.chunk(coord)
            out[outside] = chunk if isinstance(chunk, int) else chunk[inside]
        return out

    def apply(self, edit: Edit) -> None:
        """Make the change, or raise with nothing changed: ValueError where the edit was not made from this state of
        the world, VoxelwrightError where the world would become too large."""
        for delta in edit.deltas:
            if not same_chunk(self.chunk(delta.coord), delta.before):
                raise ValueError(f"the edit expects another content of chunk {delta.coord}")
        if edit.palette_before != self.palette or edit.settings_before != self.settings:
            raise ValueError("the edit expects another palette or other settings")
        if any(abs(c) > MAX_CHUNK_COORD for delta in edit.deltas for c in delta.coord):
            raise VoxelwrightError(
                f"A world reaches {MAX_CHUNK_COORD * CHUNK_SIZE} voxels from its origin; work nearer to it."
            )
        grown = sum(same_chunk(d.before, AIR) for d in edit.deltas) - sum(same_chunk(d.after, AIR) for d in edit.deltas)
        if len(self._chunks) + grown > MAX_WORLD_CHUNKS:
            raise VoxelwrightError(f"A world holds at most {MAX_WORLD_CHUNKS} chunks; split it into several worlds.")
        self.version += 1
        self.palette = edit.palette_after
        self.settings = edit.settings_after
        for delta in edit.deltas:
            if same_chunk(delta.after, AIR):
                self._chunks.pop(delta.coord, None)
            else:
                self._chunks[delta.coord] = delta.after
            self._changed_at[delta.coord] = self.version

    def changed_since(self, version: int) -> set[Coord]:
        """The chunks whose voxels changed after that version."""
        return {coord for coord, at in self._changed_at.items() if at > version}

    def material_counts(self) -> NDArray[np.int64]:
        """(256,) int64: how many voxels each material has, air (only of stored chunks) included."""
        counts = np.zeros(N_MATERIALS, np.int64)
        for chunk in self._chunks.values():
            if isinstance(chunk, int):
                counts[chunk >> MATERIAL_SHIFT] += CHUNK_VOXELS
            else:
                counts += np.bincount(chunk.ravel() >> MATERIAL_SHIFT, minlength=N_MATERIALS)
        return counts

    def has_smooth_voxels(self) -> bool:
        """Whether any voxel is meshed as a smooth surface."""
        return any(
            bool(chunk & FLAG_SMOOTH) if isinstance(chunk, int) else bool((chunk & FLAG_SMOOTH).any())
            for chunk in self._chunks.values()
        )

    def bounds(self) -> tuple[Coord, Coord] | None:
        """The lowest and highest (inclusive) voxel that is not air, or None for an empty world."""
        if not self._chunks:
            return None
        low = np.full(3, np.iinfo(np.int64).max)
        high = np.full(3, np.iinfo(np.int64).min)
        for coord, chunk in self._chunks.items():
            corner = np.array(coord, np.int64) * CHUNK_SIZE
            if isinstance(chunk, int):
                first, last = np.zeros(3, np.int64), np.full(3, CHUNK_SIZE - 1)
            else:
                solid = chunk != AIR
                spans = [np.flatnonzero(solid.any(axis=others)) for others in ((1, 2), (0, 2), (0, 1))]
                first, last = np.array([s[0] for s in spans]), np.array([s[-1] for s in spans])
            low, high = np.minimum(low, corner + first), np.maximum(high, corner + last)
        return tuple(low.tolist()), tuple(high.tolist())


def same_chunk(a: Chunk, b: Chunk) -> bool:
    """Whether two chunks hold the same voxels."""
    if a is b:
        return True
    if isinstance(a, int) or isinstance(b, int):
        return isinstance(a, int) and isinstance(b, int) and a == b
    return np.array_equal(a, b)


def as_chunk(voxels: NDArray[np.uint16]) -> Chunk:
    """A chunk from a (32, 32, 32) uint16 array, which is copied: one value where all are equal."""
    if voxels.shape != CHUNK_SHAPE:
        raise ValueError(f"a chunk has the shape {CHUNK_SHAPE}, not {voxels.shape}")
    first = voxels[0, 0, 0]
    if (voxels == first).all():
        return int(first)
    chunk = np.array(voxels, VOXEL_DTYPE, order="C")
    chunk.flags.writeable = False
    return chunk


def edit_of_chunks(
    world: World, chunks: Mapping[Coord, Chunk], palette: Palette | None = None, settings: Settings | None = None
) -> Edit:
    """The edit that replaces whole chunks, and palette and settings where they are given. Equal chunks are left out."""
    deltas = tuple(
        ChunkDelta(coord, world.chunk(coord), after)
        for coord, after in sorted(chunks.items())
        if not same_chunk(world.chunk(coord), after)
    )
    palette_after = palette if palette is not None else world.palette
    settings_after = settings if settings is not None else world.settings
    return Edit(deltas, world.palette, palette_after, world.settings, settings_after)


def new_world(chunks: Mapping[Coord, Chunk], palette: Palette, settings: Settings | None = None) -> World:
    """A world of these chunks."""
    world = World(palette, settings)
    world.apply(edit_of_chunks(world, chunks))
    return world


def content(world: World) -> Edit:
    """The edit that makes an empty, new world into a copy of this one. The copies share their chunks' arrays."""
    chunks = {coord: world.chunk(coord) for coord in world.coords()}
    return edit_of_chunks(World(), chunks, world.palette, world.settings)


def chunk_overlaps(low: Iterable[int], high: Iterable[int]) -> list[tuple[Coord, tuple[slice, ...], tuple[slice, ...]]]:
    """Every chunk that meets the box from low to high (exclusive): its coordinates, the part of the chunk, and the
    same part as slices of an array that starts at low."""
    axes = []
    for first, end in zip(low, high, strict=True):
        spans = []
        for c in range(first >> CHUNK_SHIFT, (end - 1 >> CHUNK_SHIFT) + 1):
            corner = c * CHUNK_SIZE
            start, stop = max(first, corner), min(end, corner + CHUNK_SIZE)
            spans.append((c, slice(start - corner, stop - corner), slice(start - first, stop - first)))
        axes.append(spans)
    return [
        ((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])) for x in axes[0] for y in axes[1] for z in axes[2]
    ]


def chunks_of_cells(cells: NDArray[np.int64], voxels: NDArray[np.uint16], limit: int) -> dict[Coord, Chunk]:
    """Chunks that hold the given voxels and air elsewhere; of two voxels in one cell the later wins.

    cells is (n, 3) int64, voxels (n,) uint16. Raises VoxelwrightError where more than limit chunks are touched.
    """
    coords, which = np.unique(cells >> CHUNK_SHIFT, axis=0, return_inverse=True)
    if len(coords) > limit:
        raise VoxelwrightError(f"This would fill {len(coords)} chunks of 32³ voxels; the limit is {limit}.")
    inside = cells & (CHUNK_SIZE - 1)
    flat = ((which.reshape(-1) * CHUNK_SIZE + inside[:, 0]) * CHUNK_SIZE + inside[:, 1]) * CHUNK_SIZE + inside[:, 2]
    dense = np.zeros((len(coords), *CHUNK_SHAPE), VOXEL_DTYPE)
    dense.reshape(-1)[flat] = voxels
    return {tuple(coord): as_chunk(dense[i]) for i, coord in enumerate(coords.tolist())}
