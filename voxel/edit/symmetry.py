# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirror and radial symmetry of brushes: the images of what one hand does."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..generate.noise import turn_of
from ..kernels import kernel
from ..limits import MAX_RADIAL_IMAGES
from ..world import Coord
from .shapes import Placement


class Image(NamedTuple):
    """One way in which a symmetry shows things: mirrored along axes, then turned about z by a part of a whole turn."""

    mirrors: tuple[int, ...]
    turns: float

    @property
    def quarters(self) -> int:
        """The nearest number of quarter turns: voxels and faces cannot be turned by less."""
        return int(np.floor(4 * self.turns + 0.5)) % 4


@dataclass(frozen=True, slots=True)
class Symmetry:
    """Mirror images along x, y and z, and radial images about the z axis, all about center.

    center is in voxels, each coordinate a multiple of ½: 3.5 is the middle of voxel 3, 3.0 the border between 2 and
    3. With radial images x and y must lie both on a voxel or both between, or quarter turns would not meet voxels.
    """

    mirrors: tuple[bool, bool, bool] = (False, False, False)
    radial: int = 1
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not 1 <= self.radial <= MAX_RADIAL_IMAGES:
            raise VoxelwrightError(f"Radial symmetry must have 1 to {MAX_RADIAL_IMAGES} images.")
        if any(2 * c != np.floor(2 * c) for c in self.center):
            raise VoxelwrightError("The centre of symmetry must lie in the middle of voxels or on their borders.")
        if self.radial > 1 and 2 * (self.center[0] + self.center[1]) % 2:
            raise VoxelwrightError(
                "The centre of radial symmetry must lie on a voxel along both x and y, or between along both."
            )

    @property
    def middle(self) -> Coord:
        """The centre in half voxels."""
        x, y, z = (int(2 * c) for c in self.center)
        return (x, y, z)

    def images(self) -> list[Image]:
        """All ways in which things are shown, first as they are."""
        subsets: list[tuple[int, ...]] = [()]
        for axis in range(3):
            if self.mirrors[axis]:
                subsets += [(*subset, axis) for subset in subsets]
        return [Image(subset, i / self.radial) for i in range(self.radial) for subset in subsets]

    def placement(self, placement: Placement, image: Image) -> Placement:
        """The placement as the image shows it; its middle is rounded to half voxels where turns are no quarters."""
        x, y, z = self.point(placement.middle, image)
        shape = placement.shape
        for axis in image.mirrors:
            shape = shape.mirrored(axis)
        if image.quarters:
            shape = shape.turned(image.quarters)
        # On a voxel or between as it was; quarter turns swap x and y.
        parity = [c % 2 for c in placement.middle]
        if image.quarters % 2:
            parity[0], parity[1] = parity[1], parity[0]
        moved = [2 * int(np.floor((c - p) / 2 + 0.5)) + p for c, p in zip((x, y, z), parity, strict=True)]
        return Placement(shape, (moved[0], moved[1], moved[2]))

    def point(self, point: tuple[float, float, float], image: Image) -> tuple[float, float, float]:
        """A point, in half voxels, as the image shows it."""
        cx, cy, cz = self.middle
        x, y, z = (-d if a in image.mirrors else d for a, d in enumerate((point[0] - cx, point[1] - cy, point[2] - cz)))
        cosine, sine = turn_of(image.turns)
        return (cx + x * cosine - y * sine, cy + x * sine + y * cosine, cz + z)

    def direction(self, direction: tuple[float, float, float], image: Image) -> tuple[float, float, float]:
        """A direction as the image shows it."""
        x, y, z = (-d if a in image.mirrors else d for a, d in enumerate(direction))
        cosine, sine = turn_of(image.turns)
        return (x * cosine - y * sine, x * sine + y * cosine, z)

    def fold(self) -> NDArray[np.int64]:
        """(7,) int64 for folded(): mirrors, exact turns (1, 2 or 4), the centre in half voxels."""
        turns = 4 if self.radial % 4 == 0 else 2 if self.radial % 2 == 0 else 1
        return np.array([*self.mirrors, turns, *self.middle], np.int64)


def images_of(symmetry: Symmetry, placements: list[Placement]) -> Iterator[tuple[Image, list[Placement]]]:
    """Yield each image with what it shows of the placements."""
    for image in symmetry.images():
        yield image, [symmetry.placement(placement, image) for placement in placements]


@kernel
def folded(x, y, z, fold):
    """The same three numbers, in half voxels from the centre, for a voxel and all its images by quarter turns and
    mirrors: what is random by them is symmetric."""
    dx, dy, dz = 2 * x + 1 - fold[4], 2 * y + 1 - fold[5], 2 * z + 1 - fold[6]
    if fold[2]:
        dz = abs(dz)
    if fold[3] == 1:
        return (abs(dx) if fold[0] else dx), (abs(dy) if fold[1] else dy), dz
    if fold[0] or fold[1]:
        dx, dy = abs(dx), abs(dy)
        if fold[3] == 4 and dx < dy:
            dx, dy = dy, dx
        return dx, dy, dz
    if fold[3] == 4:
        while not (dx > 0 and dy >= 0) and not (dx == 0 and dy == 0):
            dx, dy = -dy, dx
        return dx, dy, dz
    if dy < 0 or (dy == 0 and dx < 0):
        dx, dy = -dx, -dy
    return dx, dy, dz


@kernel
def chance_at(x, y, z, seed):
    """A number of 0 … 1 (exclusive) by three whole numbers and a seed: their weighted sum, mixed as in SplitMix64."""
    mixed = np.uint64(seed) * np.uint64(0x9E37_79B9_7F4A_7C15) + np.uint64(x) * np.uint64(0xD134_2543_DE82_EF95)
    mixed += np.uint64(y) * np.uint64(0xAF25_1AF3_B0F0_25B5) + np.uint64(z) * np.uint64(0xDA94_2042_E4DD_58B5)
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58_476D_1CE4_E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D0_49BB_1331_11EB)
    mixed ^= mixed >> np.uint64(31)
    return np.float64(mixed >> np.uint64(11)) * (1.0 / 9007199254740992.0)
