# SPDX-License-Identifier: GPL-3.0-or-later
"""Selections: sets of voxels, by chunk."""

from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..jobs import Job, Progress, finish
from ..kernels import kernel
from ..layout import AIR, CHUNK_SHAPE, CHUNK_SHIFT, CHUNK_SIZE, CHUNK_VOXELS, MATERIAL_SHIFT
from ..limits import MAX_SELECTION_STEPS
from ..world import Chunk, ChunkDelta, Coord, Edit, World, as_chunk, chunk_overlaps, same_chunk
from .draft import check_chunks, window
from .orientation import Orientation

_N = CHUNK_SIZE

Mask = bool | NDArray[np.bool_]
"""Which voxels of a chunk are selected: all, none, or a read-only (32, 32, 32) bool array."""


class Selection:
    """A set of voxels. It never changes; | & - make others.

    Chunks of which all voxels are selected take no memory, others 32 KiB.
    """

    __slots__ = ("_masks",)

    def __init__(self, masks: Mapping[Coord, Mask] | None = None) -> None:
        """Of the masks of chunks. Arrays are kept, not copied, and made read-only."""
        self._masks = {coord: _as_mask(mask) for coord, mask in (masks or {}).items()}
        self._masks = {coord: mask for coord, mask in self._masks.items() if mask is not False}

    def mask(self, coord: Coord) -> Mask:
        return self._masks.get(coord, False)

    def coords(self) -> list[Coord]:
        """The chunks with selected voxels, sorted."""
        return sorted(self._masks)

    def weights(self, coords: Iterable[Coord]) -> Iterator[tuple[Coord, NDArray[np.float32]]]:
        """Yield (chunk, (32, 32, 32) float32 that is 1 where selected) for some chunks; the array is the same each
        time."""
        weights = np.empty(CHUNK_SHAPE, np.float32)
        for coord in coords:
            weights[...] = self.mask(coord)
            yield coord, weights

    @property
    def count(self) -> int:
        """How many voxels are selected."""
        return sum(CHUNK_VOXELS if mask is True else int(np.count_nonzero(mask)) for mask in self._masks.values())

    @property
    def n_bytes(self) -> int:
        """Bytes of its arrays."""
        return sum(CHUNK_VOXELS for mask in self._masks.values() if mask is not True)

    def bounds(self) -> tuple[Coord, Coord] | None:
        """The lowest and highest (inclusive) voxel, or None where nothing is selected."""
        if not self._masks:
            return None
        lows, highs = [], []
        for coord, mask in self._masks.items():
            full = np.broadcast_to(mask, CHUNK_SHAPE)
            spans = [np.flatnonzero(full.any(axis=others)) for others in ((1, 2), (0, 2), (0, 1))]
            lows.append([c * _N + int(span[0]) for c, span in zip(coord, spans, strict=True)])
            highs.append([c * _N + int(span[-1]) for c, span in zip(coord, spans, strict=True)])
        low, high = np.min(lows, axis=0).tolist(), np.max(highs, axis=0).tolist()
        return (low[0], low[1], low[2]), (high[0], high[1], high[2])

    def __contains__(self, voxel: Coord) -> bool:
        mask = self.mask((voxel[0] >> CHUNK_SHIFT, voxel[1] >> CHUNK_SHIFT, voxel[2] >> CHUNK_SHIFT))
        x, y, z = (c % CHUNK_SIZE for c in voxel)
        return bool(mask if isinstance(mask, bool) else mask[x, y, z])

    def __bool__(self) -> bool:
        return bool(self._masks)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Selection) or self._masks.keys() != other._masks.keys():
            return False
        return all(np.array_equal(mask, other._masks[coord]) for coord, mask in self._masks.items())

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: "Selection") -> "Selection":
        return self._joined(other, self._masks.keys() | other._masks.keys(), np.logical_or)

    def __and__(self, other: "Selection") -> "Selection":
        return self._joined(other, self._masks.keys() & other._masks.keys(), np.logical_and)

    def __sub__(self, other: "Selection") -> "Selection":
        return self._joined(other, self._masks.keys(), np.greater)

    def _joined(self, other: "Selection", coords: Iterable[Coord], rule: np.ufunc) -> "Selection":
        joined: dict[Coord, Mask] = {}
        for coord in coords:
            one, two = self.mask(coord), other.mask(coord)
            both = rule(one, two)
            joined[coord] = bool(both) if np.ndim(both) == 0 else both
        return Selection(joined)

    def shifted(self, offset: Coord) -> "Selection":
        """The selection moved by offset, in voxels."""
        pieces: dict[Coord, NDArray[np.bool_]] = {}
        whole: dict[Coord, Mask] = {}
        for coord, mask in self._masks.items():
            low = [c * _N + o for c, o in zip(coord, offset, strict=True)]
            for target, inside, outside in chunk_overlaps(low, [c + _N for c in low]):
                if all(o % _N == 0 for o in offset):
                    whole[target] = mask
                    continue
                piece = mask if mask is True else mask[outside]  # type: ignore[index]
                if piece is True or np.any(piece):
                    pieces.setdefault(target, np.zeros(CHUNK_SHAPE, np.bool_))[inside] = piece
        return Selection(whole or pieces)

    def oriented(self, orientation: Orientation) -> "Selection":
        """The selection turned and mirrored about the grid's origin."""
        return Selection(
            {
                orientation.place(coord): mask
                if isinstance(mask, bool)
                else np.ascontiguousarray(orientation.chunk(mask))
                for coord, mask in self._masks.items()
            }
        )

    def grown(self, n_voxels: int) -> "Selection":
        """With all voxels that are at most n_voxels steps through faces away."""
        return finish(self.spreading(n_voxels, True))

    def shrunk(self, n_voxels: int) -> "Selection":
        """Without the voxels that are at most n_voxels steps through faces from one that is not selected."""
        return finish(self.spreading(n_voxels, False))

    def spreading(self, n_voxels: int, value: bool) -> "Job[Selection]":
        """The job of grown(), or with value False of shrunk()."""
        if not 0 <= n_voxels <= MAX_SELECTION_STEPS:
            raise VoxelwrightError(f"A selection grows or shrinks by 0 to {MAX_SELECTION_STEPS} voxels at once.")
        now = self
        for step in range(n_voxels):
            yield Progress(step / n_voxels, "Moving the selection's border")
            now = now._spread_once(value)
        return now

    def _spread_once(self, value: bool) -> "Selection":
        """Every voxel beside one that is (or, with value False, is not) selected becomes so too."""
        source = _AsVoxels(self)
        spread: dict[Coord, Mask] = {}
        for coord in sorted({near for selected in self._masks for near in _with_neighbours(selected)}):
            x, y, z = (c * _N for c in coord)
            voxels = window(source, (x - 1, y - 1, z - 1), (x + _N + 1, y + _N + 1, z + _N + 1))
            if isinstance(voxels, int):
                spread[coord] = bool(voxels)
            else:
                mask = np.empty(CHUNK_SHAPE, np.bool_)
                _spread_mask(voxels, value, mask)
                spread[coord] = mask
        return Selection(spread)


class _AsVoxels:
    """A selection read like voxels of 0 and 1."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._chunks: dict[Coord, Chunk] = {}

    def chunk(self, coord: Coord) -> Chunk:
        if coord not in self._chunks:
            mask = self._selection.mask(coord)
            self._chunks[coord] = int(mask) if isinstance(mask, bool) else mask.astype(np.uint16)
        return self._chunks[coord]


def box(one: Coord, other: Coord) -> Selection:
    """All voxels of the box of which one and other are opposite corner voxels, both in it."""
    low = [min(a, b) for a, b in zip(one, other, strict=True)]
    high = [max(a, b) + 1 for a, b in zip(one, other, strict=True)]
    check_chunks(int(np.prod([float((b - 1) // _N - a // _N + 1) for a, b in zip(low, high, strict=True)])))
    masks: dict[Coord, Mask] = {}
    for coord, inside, _ in chunk_overlaps(low, high):
        mask = np.zeros(CHUNK_SHAPE, np.bool_)
        mask[inside] = True
        masks[coord] = mask
    return Selection(masks)


def solid(world: World) -> Selection:
    """All voxels of the world that are not air."""
    return _where(world, lambda materials: materials != AIR)


def everywhere(world: World) -> Selection:
    """All voxels, air too, of the chunks that are not all air, and of those that touch them: where what is done
    throughout a world may also add something."""
    beside = list(np.ndindex(3, 3, 3))
    return Selection({(x + i - 1, y + j - 1, z + k - 1): True for x, y, z in world.coords() for i, j, k in beside})


def by_material(world: World, *materials: int) -> Selection:
    """All voxels of these materials, by their indices; air is not selected."""
    wanted = [material for material in materials if material != AIR]
    return _where(world, lambda there: np.isin(there, wanted))


def between_heights(selection: Selection, low: float, high: float) -> Selection:
    """Of a selection the voxels whose middles lie from low to high."""
    masks: dict[Coord, Mask] = {}
    for coord in selection.coords():
        middles = coord[2] * _N + np.arange(_N) + 0.5
        there = (low <= middles) & (middles <= high)
        masks[coord] = np.broadcast_to(there, CHUNK_SHAPE) & selection.mask(coord)
    return Selection(masks)


def inverted(world: World, selection: Selection) -> Selection:
    """The world's voxels that are not air and not selected."""
    return solid(world) - selection


def surface(world: World, selection: Selection | None = None) -> Selection:
    """The voxels with air at one of their faces, of the world or of a selection."""
    masks: dict[Coord, Mask] = {}
    for coord in world.coords() if selection is None else selection.coords():
        exposed = exposed_mask(world, coord)
        masks[coord] = False if exposed is None else exposed
    found = Selection(masks)
    return found if selection is None else found & selection


def exposed_mask(world: World, coord: Coord) -> NDArray[np.bool_] | None:
    """(32, 32, 32) bool: the chunk's solid voxels with air at a face; None where there are none."""
    x, y, z = (c * _N for c in coord)
    voxels = window(world, (x - 1, y - 1, z - 1), (x + _N + 1, y + _N + 1, z + _N + 1))
    if isinstance(voxels, int):
        return None
    is_air = (voxels >> MATERIAL_SHIFT == AIR).astype(np.uint16)
    beside_air = np.empty(CHUNK_SHAPE, np.bool_)
    _spread_mask(is_air, True, beside_air)
    return beside_air & (is_air[1:-1, 1:-1, 1:-1] == 0)


def limited(edit: Edit, selection: Selection) -> Edit:
    """The same edit, but of selected voxels only."""
    deltas = []
    for delta in edit.deltas:
        mask = selection.mask(delta.coord)
        if mask is not False:
            kept = np.broadcast_to(np.where(mask, delta.after, delta.before), CHUNK_SHAPE).astype(np.uint16)
            deltas.append(ChunkDelta(delta.coord, delta.before, as_chunk(kept)))
    changed = tuple(delta for delta in deltas if not same_chunk(delta.before, delta.after))
    palette_after = edit.palette_after if changed else edit.palette_before
    return Edit(changed, edit.palette_before, palette_after, edit.settings_before, edit.settings_after)


def _where(world: World, rule: Callable[[NDArray[np.uint16]], NDArray[np.bool_]]) -> Selection:
    masks: dict[Coord, Mask] = {}
    for coord in world.coords():
        found = rule(np.asarray(world.chunk(coord), np.uint16) >> np.uint16(MATERIAL_SHIFT))
        masks[coord] = bool(found) if np.ndim(found) == 0 else found
    return Selection(masks)


def _as_mask(mask: Mask) -> Mask:
    if isinstance(mask, bool):
        return mask
    if mask.shape != CHUNK_SHAPE or mask.dtype != np.bool_:
        raise ValueError(f"a mask is a bool or a bool array of the shape {CHUNK_SHAPE}")
    if not mask.any():
        return False
    if mask.all():
        return True
    mask.flags.writeable = False
    return mask


def _with_neighbours(coord: Coord) -> list[Coord]:
    x, y, z = coord
    beside = [(x - 1, y, z), (x + 1, y, z), (x, y - 1, z), (x, y + 1, z), (x, y, z - 1), (x, y, z + 1)]
    return [coord, *beside]


@kernel
def _spread_mask(voxels, value, mask):
    """Fill mask (32, 32, 32) bool: whether a voxel, or one beside it, is 1 in voxels (34, 34, 34) uint16 (value True),
    or is and has none beside it that is 0 (value False)."""
    wanted = 1 if value else 0
    for x in range(_N):
        for y in range(_N):
            for z in range(_N):
                found = (
                    (voxels[x + 1, y + 1, z + 1] == wanted)
                    | (voxels[x, y + 1, z + 1] == wanted)
                    | (voxels[x + 2, y + 1, z + 1] == wanted)
                    | (voxels[x + 1, y, z + 1] == wanted)
                    | (voxels[x + 1, y + 2, z + 1] == wanted)
                    | (voxels[x + 1, y + 1, z] == wanted)
                    | (voxels[x + 1, y + 1, z + 2] == wanted)
                )
                mask[x, y, z] = found == value
