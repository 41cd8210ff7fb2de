# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields over the columns of a world, and what each column is made of."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jobs import Job, Progress
from ..kernels import kernel, parallel_kernel, prange
from ..palette import Palette
from .preset import ROCK, Preset
from .program import Program, values_in_boxes

TILE = 64
_GREATEST = np.float32(1e6)
_TILES_A_SLICE = 16
_ROWS_A_SLICE = 256

_STRATUM = np.dtype(
    [
        ("below", "f4"), ("field", "i8"), ("at_least", "f4"), ("at_most", "f4"), ("surface", "u2"), ("soil", "u2"),
        ("depth", "i4"), ("steep", "f4"), ("cliff", "u2"),
    ],
    align=True,
)  # fmt: skip
"""A stratum for the kernel. field is the place of its node's field, −1 for none; a voxel of 0 means the rock."""


class Fields(NamedTuple):
    """Values at columns, (m, nx, ny) float32; the first are the heights, place gives those of nodes by name."""

    values: NDArray[np.float32]
    place: Mapping[str, int]

    @property
    def heights(self) -> NDArray[np.float32]:
        """(nx, ny) float32, in voxels."""
        return self.values[0]

    def of(self, node: str) -> NDArray[np.float32]:
        """(nx, ny) float32: a node's values."""
        return self.values[self.place[node]]


class Columns(NamedTuple):
    """What columns are made of: the first air voxel above the ground int32, surface and soil voxels uint16 (0 for the
    rock), the soil's depth int32, and the ground's rise a voxel float32. All (nx, ny)."""

    top: NDArray[np.int32]
    surface: NDArray[np.uint16]
    soil: NDArray[np.uint16]
    depth: NDArray[np.int32]
    slope: NDArray[np.float32]


def flat_fields(
    program: Program, roots: NDArray[np.int64], low: int, shape: tuple[int, int]
) -> Job[NDArray[np.float32]]:
    """The values of a flat program's roots at the columns from (low, low) on: (roots, nx, ny) float32."""
    nx, ny = shape
    fields = np.empty((len(roots), nx, ny), np.float32)
    corners = [(x, y) for x in range(0, nx, TILE) for y in range(0, ny, TILE)]
    for start in range(0, len(corners), _TILES_A_SLICE):
        batch = corners[start : start + _TILES_A_SLICE]
        tiles = [(low + x, low + y, 0, min(TILE, nx - x), min(TILE, ny - y), 1) for x, y in batch]
        _, starts, values = values_in_boxes(program, roots, np.array(tiles, np.int64))
        for (x, y), (*_, across, along, _), first in zip(batch, tiles, starts.tolist(), strict=True):
            n = len(roots) * across * along
            tile = values[first : first + n].reshape(len(roots), across, along)
            fields[:, x : x + across, y : y + along] = tile
        yield Progress(min(start + _TILES_A_SLICE, len(corners)) / len(corners), "Shaping the ground")
    return fields


def classify(fields: Fields, preset: Preset, palette: Palette) -> Job[Columns]:
    """What the columns of fields are made of, but those on the border, which serve the slopes."""
    table = _strata_table(preset, fields, palette)
    waver = fields.place.get(preset.waver, -1)
    nx, ny = fields.heights.shape[0] - 2, fields.heights.shape[1] - 2
    columns = Columns(
        np.empty((nx, ny), np.int32),
        np.empty((nx, ny), np.uint16),
        np.empty((nx, ny), np.uint16),
        np.empty((nx, ny), np.int32),
        np.empty((nx, ny), np.float32),
    )
    for start in range(0, nx, _ROWS_A_SLICE):
        end = min(start + _ROWS_A_SLICE, nx)
        _classify_rows(fields.values, waver, table, start, end, columns)
        yield Progress(end / nx, "Laying the soil")
    return columns


def _strata_table(preset: Preset, fields: Fields, palette: Palette) -> NDArray[np.void]:
    table = np.zeros(len(preset.strata), _STRATUM)
    for row, stratum in zip(table, preset.strata, strict=True):
        row["field"] = fields.place[stratum.node] if stratum.node else -1
        for key in ("below", "at_least", "at_most", "depth", "steep"):
            row[key] = getattr(stratum, key)
        for key in ("surface", "soil", "cliff"):
            row[key] = voxel_of(getattr(stratum, key) or ROCK, palette)
    return table


def voxel_of(material: str, palette: Palette) -> int:
    """The voxel of a material's name; 0 for the rock."""
    return 0 if material == ROCK else palette.voxel(palette.index_of(material))


def highest_tops(top: NDArray[np.int32], boxes: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) int64: the highest of Columns.top among the columns of each of boxes (n, 6) int64, corner and size."""
    highest = np.empty(len(boxes), np.int64)
    _find_highest(top, boxes, highest)
    return highest


@parallel_kernel
def _find_highest(top, boxes, highest):
    for i in prange(len(boxes)):
        x, y, nx, ny = boxes[i, 0], boxes[i, 1], boxes[i, 3], boxes[i, 4]
        highest[i] = top[x : x + nx, y : y + ny].max()


@kernel
def bounded(value):
    """A float32 that fits an int32: what a preset's numbers make may be infinite, or no number at all."""
    if value >= _GREATEST:
        return _GREATEST
    return value if value >= -_GREATEST else -_GREATEST


@parallel_kernel
def _classify_rows(fields, waver, strata, start, end, columns):
    """Write columns of the rows start … end − 1; see classify()."""
    for x in prange(start, end):
        _classify_row(fields, waver, strata, x, columns)


@kernel
def _classify_row(fields, waver, strata, x, columns):
    for y in range(fields.shape[2] - 2):
        height = bounded(fields[0, x + 1, y + 1])
        rise_x = abs(fields[0, x + 2, y + 1] - fields[0, x, y + 1])
        rise_y = abs(fields[0, x + 1, y + 2] - fields[0, x + 1, y])
        slope = max(rise_x, rise_y) * np.float32(0.5)
        altitude = height + (fields[waver, x + 1, y + 1] if waver >= 0 else np.float32(0.0))
        which = 0
        while which < len(strata) - 1:
            s = strata[which]
            if altitude < s.below:
                if s.field < 0:
                    break
                value = fields[s.field, x + 1, y + 1]
                if s.at_least <= value and value <= s.at_most:
                    break
            which += 1
        s = strata[which]
        steep = slope > s.steep
        columns.top[x, y] = max(np.int32(np.floor(height)), 1)
        columns.surface[x, y] = s.cliff if steep else s.surface
        columns.soil[x, y] = s.cliff if steep else s.soil
        columns.depth[x, y] = s.depth
        columns.slope[x, y] = slope
