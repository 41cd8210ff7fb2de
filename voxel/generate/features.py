# SPDX-License-Identifier: GPL-3.0-or-later
"""Where features stand. The plane is cut into squares; each has one place, by hash, that a feature may take. Whether it
does depends on that column alone, so a feature on a chunk's border is whole and no order of chunks matters."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jobs import Job, Progress
from ..layout import CHUNK_SIZE
from ..palette import Palette
from .columns import Columns, Fields, voxel_of
from .preset import Feature, Preset
from .program import node_seed
from .stamps import Stamp

_SQUARES_A_SLICE = 25_000


class Stamps(NamedTuple):
    """Every stamp in its four directions, 4·stamp + quarter turns: where its voxels begin (n,) int64, its size along
    x, y, z (n, 3) int64, and all voxels uint16 one after the other in C order."""

    starts: NDArray[np.int64]
    shapes: NDArray[np.int64]
    voxels: NDArray[np.uint16]


class Candidates(NamedTuple):
    """Places that features would take, in the order in which they are placed: columns x, y, the stamp in its
    direction, how far it is sunk, and which of the column's floors it takes (−1 the topmost, else this one of those
    below, modulo how many there are). All (n,) int64."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    stamp: NDArray[np.int64]
    sink: NDArray[np.int64]
    floor: NDArray[np.int64]


def stamp_names(features: Sequence[Feature]) -> list[str]:
    """The stamps that features use, each once."""
    return list(dict.fromkeys(name for feature in features for name in feature.stamps))


def stamp_arrays(features: Sequence[Feature], stamps: Mapping[str, Stamp], palette: Palette) -> Stamps:
    """The arrays of the stamps that features use, in the order of stamp_names()."""
    models = [
        np.ascontiguousarray(np.rot90(stamps[name].voxels(palette), turns))
        for name in stamp_names(features)
        for turns in range(4)
    ]
    starts = np.cumsum([0, *(model.size for model in models)])[: len(models)]
    shapes = np.array([model.shape for model in models], np.int64).reshape(-1, 3)
    voxels = np.concatenate([np.zeros(0, np.uint16), *(model.reshape(-1) for model in models)])
    return Stamps(starts.astype(np.int64), shapes, voxels)


def candidates(
    preset: Preset, fields: Fields, columns: Columns, stamps: Stamps, water: int, palette: Palette, seed: int
) -> Job[Candidates]:
    """The places that a preset's features would take on the ground of these columns, above the level of the water.

    Columns begin at column (0, 0), fields one column before. What would stand out at a side of the world is left out.
    """
    features = preset.features
    names = stamp_names(features)
    nx, ny = columns.top.shape
    found = []
    for number, feature in enumerate(features):
        rows = np.arange(0, (nx - 1) // feature.spacing + 1)
        across = np.arange(0, (ny - 1) // feature.spacing + 1)
        n_rows = max(_SQUARES_A_SLICE // len(across), 1)
        for start in range(0, len(rows), n_rows):
            places = _places(feature, rows[start : start + n_rows], across, names, node_seed(seed, f"feature {number}"))
            places = _within(places, stamps, nx, ny)
            found.append(_suitable(places, feature, preset.waver, fields, columns, water, palette))
            yield Progress((number + (start + n_rows) / (len(rows) + n_rows)) / len(features), "Planting")
    return Candidates(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _places(
    feature: Feature, rows: NDArray[np.int64], across: NDArray[np.int64], names: list[str], seed: int
) -> Candidates:
    """The places in these squares that chance takes."""
    square_x, square_y = (a.reshape(-1) for a in np.meshgrid(rows, across, indexing="ij"))
    numbers = [_random_bits(square_x, square_y, seed + i) for i in range(4)]
    taken = (numbers[0] >> np.uint64(32)).astype(np.float64) < feature.chance * 2.0**32
    x, y = (square * feature.spacing + (n % np.uint64(feature.spacing)).astype(np.int64) for square, n in
            zip((square_x, square_y), numbers[1:], strict=False))  # fmt: skip
    stamp_of = np.array([names.index(name) for name in feature.stamps], np.int64)
    choice = ((numbers[3] >> np.uint64(8)) % np.uint64(len(stamp_of))).astype(np.int64)
    turns = (numbers[3] & np.uint64(3)).astype(np.int64)
    sink = np.full(len(x), feature.sink, np.int64)
    floor = (numbers[0] & np.uint64(0xFFFF)).astype(np.int64) if feature.place == "inside" else np.full_like(x, -1)
    return _of(Candidates(x, y, stamp_of[choice] * 4 + turns, sink, floor), taken)


def _of(places: Candidates, mask: NDArray[np.bool_]) -> Candidates:
    return Candidates(*(part[mask] for part in places))


def _within(places: Candidates, stamps: Stamps, nx: int, ny: int) -> Candidates:
    """Those places whose stamps keep within nx × ny columns."""
    shapes = stamps.shapes[places.stamp]
    low_x, low_y = places.x - shapes[:, 0] // 2, places.y - shapes[:, 1] // 2
    inside = (low_x >= 0) & (low_y >= 0) & (low_x + shapes[:, 0] <= nx) & (low_y + shapes[:, 1] <= ny)
    return _of(places, inside)


def _random_bits(x: NDArray[np.int64], y: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """(n,) uint64 by SplitMix64's mixing of two coordinates and a seed."""
    z = np.full(len(x), seed & 0xFFFF_FFFF_FFFF_FFFF, np.uint64)
    for number in (x, y):
        z = (z ^ number.astype(np.uint64)) * np.uint64(0x9E37_79B9_7F4A_7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58_476D_1CE4_E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D0_49BB_1331_11EB)
        z ^= z >> np.uint64(31)
    return z


def _suitable(
    places: Candidates, feature: Feature, waver: str, fields: Fields, columns: Columns, water: int, palette: Palette
) -> Candidates:
    """Those places whose column the feature stands on."""
    at = places.x, places.y
    altitude = fields.heights[1:-1, 1:-1][at]
    if waver:
        altitude = altitude + fields.of(waver)[1:-1, 1:-1][at]
    good = (altitude >= feature.above) & (altitude < feature.below)
    good &= (columns.top[at] > water) | (places.floor >= 0)
    good &= columns.slope[at] <= feature.flat
    good &= np.isin(columns.surface[at], [voxel_of(name, palette) for name in feature.on])
    if feature.node:
        value = fields.of(feature.node)[1:-1, 1:-1][at]
        good &= (value >= feature.at_least) & (value <= feature.at_most)
    return _of(places, good)


def by_chunk(corners: NDArray[np.int64], shapes: NDArray[np.int64], coords: NDArray[np.int64]) -> tuple[
    NDArray[np.int64], NDArray[np.int64]
]:  # fmt: skip
    """Which boxes meet which chunks: for chunk i of coords (n, 3) the boxes numbers[starts[i] : starts[i + 1]], in
    ascending order. corners and shapes are (m, 3) int64, in voxels, no box longer than a chunk."""
    n_chunks = coords.max(axis=0) + 1
    index = np.full(tuple(n_chunks), -1, np.int64)
    index[tuple(coords.T)] = np.arange(len(coords))
    chunks, boxes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    low, high = corners // CHUNK_SIZE, (corners + shapes - 1) // CHUNK_SIZE
    for corner in range(8):
        far = np.array([corner >> axis & 1 for axis in range(3)], bool)
        chunk = np.where(far, high, low)
        # A box within one chunk along an axis meets it once.
        meets = ((high > low) | ~far).all(axis=1) & (chunk >= 0).all(axis=1) & (chunk < n_chunks).all(axis=1)
        chunks.append(index[tuple(chunk[meets].T)])
        boxes.append(np.flatnonzero(meets))
    chunk_of, box_of = np.concatenate(chunks), np.concatenate(boxes)
    order = np.lexsort((box_of, chunk_of))
    order = order[chunk_of[order] >= 0]
    starts = np.searchsorted(chunk_of[order], np.arange(len(coords) + 1)).astype(np.int64)
    return starts, box_of[order].astype(np.int64)
