# SPDX-License-Identifier: GPL-3.0-or-later
"""The points of gestures as operators take them: JSON, which keeps numbers as they are and is easy for scripts.
(Of a collection property Blender wants every value of every item.)"""

import json
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, NamedTuple

from ..voxel.errors import VoxelwrightError
from ..voxel.layout import POS_Z


class Sample(NamedTuple):
    """A point of a stroke: where it is in voxels, the face there that the brush looks at, a pen's pressure from 0 to 1,
    and whether nothing is drawn from the point before to this one."""

    x: float
    y: float
    z: float
    face: int = POS_Z
    pressure: float = 1.0
    jumps: bool = False

    @property
    def point(self) -> tuple[float, float, float]:
        return self.x, self.y, self.z


class Put(NamedTuple):
    """Where a stamp is: the voxel before the face that it stands on, that face, quarter turns about the upright axis,
    and whether it is the mirror image."""

    x: int
    y: int
    z: int
    face: int = POS_Z
    quarters: int = 0
    mirrored: bool = False


def to_json(points: Iterable[Sample | Put]) -> str:
    return json.dumps([list(point) for point in points], separators=(",", ":"))


def samples_of(text: str) -> list[Sample]:
    """The samples of [[x, y, z, face, pressure, jumps], …], of which the last three may be left out. Raises
    VoxelwrightError for anything else."""
    return [Sample(*row) for row in _rows(text, (float, float, float, int, float, bool))]


def puts_of(text: str) -> list[Put]:
    """The places of [[x, y, z, face, quarters, mirrored], …], of which the last three may be left out. Raises
    VoxelwrightError for anything else."""
    return [Put(*row) for row in _rows(text, (int, int, int, int, int, bool))]


def _rows(text: str, kinds: Sequence[type]) -> list[list[Any]]:
    try:
        rows = json.loads(text or "[]")
    except (ValueError, RecursionError):
        rows = None
    if not isinstance(rows, list) or not all(isinstance(row, list) and _is_row(row, kinds) for row in rows):
        raise VoxelwrightError("Points must be given as JSON: a list of lists of x, y, z in voxels and what follows.")
    if not rows:
        raise VoxelwrightError("At least one point is needed; give it as JSON: a list of lists of x, y, z in voxels.")
    return rows


def _is_row(row: list[Any], kinds: Sequence[type]) -> bool:
    if not 3 <= len(row) <= len(kinds):
        return False
    for value, kind in zip(row, kinds, strict=False):
        if isinstance(value, bool) != (kind is bool) or not isinstance(value, int | float):
            return False
        if not isfinite(value) or (kind is int and value != int(value)) or abs(value) > _FARTHEST:
            return False
    return len(row) == 3 or 0 <= row[3] <= 5


_FARTHEST = float(1 << 24)
"""Beyond any world; but numbers of a thousand digits would not get even there."""
