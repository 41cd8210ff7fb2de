# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a clip goes while it follows the mouse. No bpy here."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..voxel.layout import FACE_NORMALS, POS_Z
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
        from ..voxel.edit.stamps import on_face

        if self.voxel is None:
            at = self.orientation.in_place(self.clip.low, self.clip.high)
        else:
            low, high = self.orientation.box(self.clip.low, self.clip.high)
            i, j, k = (b - a + 1 for a, b in zip(low, high, strict=True))
            at = on_face((i, j, k), self._off_the_face(self.voxel, 1), self.face)
        return self._off_the_face(at, self.lift)

    def _off_the_face(self, voxel: Coord, n_voxels: int) -> Coord:
        x, y, z = (c + n_voxels * n for c, n in zip(voxel, FACE_NORMALS[self.face].tolist(), strict=True))
        return x, y, z

    def matrix(self) -> NDArray[np.float64]:
        """(4, 4) float64: from the clip's own place to where it goes, in voxels."""
        low, _ = self.orientation.box(self.clip.low, self.clip.high)
        made = np.eye(4)
        made[:3, :3] = self.orientation.matrix()
        made[:3, 3] = np.array(self.at()) - low
        return made
