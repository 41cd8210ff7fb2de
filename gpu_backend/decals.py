# SPDX-License-Identifier: GPL-3.0-or-later
"""Decals: images that boxes project onto surfaces along their local −Z. Which of them a frame shows, and their records.

A box is the cube from −1 to 1 along its own axes; its matrix makes its half-extents of that.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..voxel.errors import VoxelwrightError
from .camera import Camera
from .decal_images import DecalImage
from .records import ANY_SLOPE, DECAL, DECAL_HEADER, LEVEL_SLOPE, MAX_DECALS

TILE = 16
"""Pixels along each edge of a screen tile."""

_LEAST_W = 1e-4
"""Clip w up to which a corner is not projected."""

_ALL_LAYERS = 0xFFFFFF
_SLOPE_SHIFT = 24
_CORNERS = np.array([(x, y, z, 1) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
_NAMED = 3


@dataclass(frozen=True, eq=False)
class Decal:
    """One decal. from_box (4, 4) float64 takes its box into the space that decals are given in. tint is linear; it
    and color_mix are for the image, normal_mix for the normal map. Lengths of fades are shares of the half-extent along
    Z; from distance_begin on it fades within distance_length, for ever seen where that is 0. max_angle is between its Z
    axis and a surface's normal, in radians: what is steeper shows nothing; π for no limit."""

    name: str
    from_box: NDArray[np.float64]
    image: DecalImage | None = None
    normal_map: DecalImage | None = None
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    color_mix: float = 1.0
    normal_mix: float = 1.0
    upper_fade: float = 0.0
    lower_fade: float = 0.0
    distance_begin: float = 0.0
    distance_length: float = 0.0
    max_angle: float = np.pi
    layers: int = _ALL_LAYERS

    @property
    def shows(self) -> bool:
        """Whether it could change anything."""
        return self.color_mix > 0 and (self.image is not None or (self.normal_map is not None and self.normal_mix > 0))


@dataclass(frozen=True, eq=False)
class Decals:
    """Decals in one space, in the order in which they are laid on, the last on top. Equal only to itself.

    from_box, to_box (n, 4, 4) float64. records (n,) DECAL, but for their matrices and the layers of their images.
    """

    items: tuple[Decal, ...]
    from_box: NDArray[np.float64]
    to_box: NDArray[np.float64]
    records: NDArray[Any]

    @classmethod
    def of(cls, items: Iterable[Decal]) -> Self:
        """Those that show anything. Raises VoxelwrightError where a matrix cannot be inverted."""
        kept = tuple(item for item in items if item.shows)
        from_box = np.array([item.from_box for item in kept], np.float64).reshape(-1, 4, 4)
        flat = flat_boxes(from_box)
        if flat.any():
            raise VoxelwrightError(no_extent([item.name for item, is_flat in zip(kept, flat, strict=True) if is_flat]))
        return cls(kept, from_box, np.linalg.inv(from_box), _records(kept))

    def __len__(self) -> int:
        return len(self.items)

    def seen_from(self, matrix: NDArray[np.float64]) -> Self:
        """The same decals in the space that matrix (4, 4) takes into theirs. Distances become those there."""
        records = self.records.copy()
        records["fades"][:, 2:] /= abs(np.linalg.det(matrix[:3, :3])) ** (1 / 3)
        return replace(
            self, from_box=np.linalg.inv(matrix) @ self.from_box, to_box=self.to_box @ matrix, records=records
        )

    def choose(self, camera: Camera, most: int = MAX_DECALS) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Which decals a frame shows, in their order, and which are left out: of those whose boxes may be seen the ones
        nearest to the eye are shown."""
        distances = self._distances(camera.eye)
        begin, length = self.records["fades"][:, 2:].T
        gone = (length > 0) & (distances >= begin + length)
        seen = np.flatnonzero(self._in_view(camera) & ~gone)
        by_distance = seen[np.argsort(distances[seen], kind="stable")]
        return np.sort(by_distance[:most]), np.sort(by_distance[most:])

    def frame_records(
        self, chosen: NDArray[np.intp], layer_of: Mapping[DecalImage | None, int], origin: NDArray[np.float64]
    ) -> NDArray[Any]:
        """(k,) DECAL of those that were chosen. Places are told to shaders relative to origin (3,), which keeps what is
        far from 0 as exact as what is near."""
        records = self.records[chosen]
        to_box = self.to_box[chosen]
        to_box[:, :3, 3] += to_box[:, :3, :3] @ origin
        records["world_to_local"] = to_box.transpose(0, 2, 1)
        shown = [self.items[index] for index in chosen.tolist()]
        records["image_layer"] = [layer_of[item.image] for item in shown]
        records["normal_layer"] = [layer_of[item.normal_map] for item in shown]
        return records

    def tile_masks(self, chosen: NDArray[np.intp], camera: Camera, width: int, height: int) -> NDArray[np.uint64]:
        """(rows, columns) uint64, row 0 below: which of those chosen, by bit, a tile of the picture may show."""
        corners = (camera.projection @ camera.view @ self.from_box[chosen]) @ _CORNERS.T
        w = corners[:, 3]
        bits = np.uint64(1) << np.arange(len(chosen), dtype=np.uint64)
        everywhere = (w <= _LEAST_W).any(axis=1)
        along = []
        for axis, size in ((0, width), (1, height)):
            pixels = (corners[:, axis] / np.maximum(w, _LEAST_W) * 0.5 + 0.5) * size
            n = -(-size // TILE)
            low = np.floor(pixels.min(axis=1) / TILE) - 1
            high = np.floor(pixels.max(axis=1) / TILE) + 1
            tiles = np.arange(n)[:, None]
            covered = ((tiles >= low) & (tiles <= high)) | everywhere
            along.append(np.bitwise_or.reduce(np.where(covered, bits, np.uint64(0)), axis=1))
        # A box of tiles is where both of its edges say so: 64 of them at once, as bits of a word.
        columns, rows = along
        return rows[:, None] & columns[None, :]

    def _in_view(self, camera: Camera) -> NDArray[np.bool_]:
        """(n,): whether a box is not wholly beyond one of the view's six planes."""
        clip = camera.projection @ camera.view
        planes = np.concatenate([clip[3] + clip[:3], clip[3] - clip[:3]])
        in_box = planes @ self.from_box
        return np.asarray((in_box[..., 3] + np.abs(in_box[..., :3]).sum(axis=-1) >= 0).all(axis=1))

    def _distances(self, eye: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,): from the eye to the nearest place of a box, or about so where it is sheared."""
        nearest = np.ones((len(self), 4, 1))
        nearest[:, :3, 0] = np.clip((self.to_box @ (*eye, 1.0))[:, :3], -1, 1)
        return np.asarray(np.linalg.norm((self.from_box @ nearest)[:, :3, 0] - eye, axis=1))


def decal_buffer(records: NDArray[Any], masks: NDArray[np.uint64] | None) -> bytes:
    """What shaders/lib/decals.glsl reads: DECAL_HEADER, MAX_DECALS records, and tile_masks(); None has every decal
    tested at every pixel, to the same picture. All zeros where there are no records."""
    header, padded = np.zeros((), DECAL_HEADER), np.zeros(MAX_DECALS, DECAL)
    padded[: len(records)] = records
    if not len(records):
        return header.tobytes() + padded.tobytes()
    grid = (0, 0) if masks is None else masks.shape[::-1]
    header["count"], header["grid"], header["tile"] = len(records), grid, TILE
    return header.tobytes() + padded.tobytes() + (b"" if masks is None else masks.astype("<u8").tobytes())


def flat_boxes(from_box: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(n,): which matrices (n, 4, 4) cannot be inverted, as where a scale is 0."""
    finite = np.isfinite(from_box).all(axis=(1, 2))
    axes = np.where(finite[:, None, None], from_box[:, :3, :3], 0.0)
    lengths = np.linalg.norm(axes, axis=1).prod(axis=1)
    return np.asarray(np.abs(np.linalg.det(axes)) <= 1e-9 * lengths)


def no_extent(names: Sequence[str]) -> str:
    """A sentence about decals whose matrices cannot be inverted."""
    if len(names) == 1:
        return f"The decal {listed(names)} has no extent; give its empty another scale than 0."
    return f"The decals {listed(names)} have no extent; give their empties another scale than 0."


def listed(names: Sequence[str]) -> str:
    """Names for a sentence, of many the first ones and how many more."""
    quoted = [f'"{name}"' for name in names[:_NAMED]]
    if len(names) > _NAMED:
        return f"{', '.join(quoted)} and {len(names) - _NAMED:,} more"
    return " and ".join([*([", ".join(quoted[:-1])] if len(quoted) > 1 else []), *quoted[-1:]])


def left_out(names: Sequence[str]) -> str:
    """A sentence about decals beyond what a frame shows."""
    return f"A view shows the {MAX_DECALS} nearest decals; left out: {listed(names)}."


def _records(items: Sequence[Decal]) -> NDArray[Any]:
    records = np.zeros(len(items), DECAL)
    numbers = np.array(
        [
            (
                *item.tint,
                item.color_mix,
                item.normal_mix,
                item.upper_fade,
                item.lower_fade,
                item.distance_begin,
                item.distance_length,
                item.max_angle,
            )
            for item in items
        ],
        np.float64,
    ).reshape(-1, 10)
    records["tint"], records["color_mix"], records["normal_mix"] = numbers[:, :3], numbers[:, 3], numbers[:, 4]
    records["fades"] = numbers[:, 5:9]
    layers = np.array([item.layers & _ALL_LAYERS for item in items], np.uint32)
    records["layers"] = layers | _slope_numbers(numbers[:, 9]) << _SLOPE_SHIFT
    return records


def _slope_numbers(max_angles: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Steepest slopes as DECAL has them: 8 bits of the cosine, exact for a right angle."""
    numbers = np.rint((np.cos(max_angles) + 1) / 2 * LEVEL_SLOPE)
    return np.where(max_angles >= np.pi, ANY_SLOPE, numbers).astype(np.uint32)
