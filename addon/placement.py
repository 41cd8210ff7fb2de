# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a clip goes while it follows the mouse. No bpy here."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..voxel.layout import FACE_AXIS, FACE_NORMALS, FACE_SIGN, POS_Z
from ..voxel.world import Coord

if TYPE_CHECKING:
    from ..voxel.edit.clipboard import Clip
    from ..voxel.edit.orientation import Orientation


@dataclass
class Placement:
    """A clip on a face of a voxel, turned, and lifted off it by some voxels. Where there is no face yet it is where it
    was copied."""

    clip: "Clip"
    orientation: "Orientation"
    axis: int = 2
    """About which turn() turns, and along which mirror() mirrors."""

    voxel: Coord | None = None
    face: int = POS_Z
    lift: int = 0

    def turn(self, quarters: int) -> None:
        """Turn it about the axis."""
        from ..voxel.edit.orientation import turn

        self.orientation = self.orientation.then(turn(self.axis, quarters))

    def mirror(self) -> None:
        """Mirror it along the axis."""
        from ..voxel.edit.orientation import mirror

        self.orientation = self.orientation.then(mirror(self.axis))

    def at(self) -> Coord:
        """Where the lowest voxel of the turned box goes: its middle before the face, its side on it."""
        low, high = self.orientation.box(self.clip.low, self.clip.high)
        size = np.array(high) - low + 1
        axis, sign = int(FACE_AXIS[self.face]), int(FACE_SIGN[self.face])
        if self.voxel is None:
            at = (np.array(self.clip.low) + self.clip.high + 1 - size) // 2
        else:
            at = self.voxel - size // 2
            at[axis] = self.voxel[axis] + (1 if sign > 0 else -int(size[axis]))
        x, y, z = (at + FACE_NORMALS[self.face] * self.lift).tolist()
        return x, y, z

    def matrix(self) -> NDArray[np.float64]:
        """(4, 4) float64: from the clip's own place to where it goes, in voxels."""
        low, _ = self.orientation.box(self.clip.low, self.clip.high)
        made = np.eye(4)
        made[:3, :3] = self.orientation.matrix()
        made[:3, 3] = np.array(self.at()) - low
        return made
