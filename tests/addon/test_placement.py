# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a clip goes while it follows the mouse."""

import numpy as np
import pytest

from voxelwright.addon.placement import Placement
from voxelwright.voxel.edit.clipboard import Clip
from voxelwright.voxel.edit.orientation import Orientation, of_turns
from voxelwright.voxel.layout import FACE_NORMALS
from voxelwright.voxel.world import World

LOW, HIGH = (10, 20, 30), (12, 24, 36)


@pytest.fixture
def placement():
    """A box of 3 × 5 × 7."""
    return Placement(Clip(World(), LOW, HIGH), Orientation())


def test_at_first_it_is_where_it_was_copied(placement):
    assert placement.at() == LOW
    assert np.array_equal(placement.matrix(), np.eye(4))
    placement.turn(1)
    assert placement.at() == (9, 21, 30)
    placement.axis = 0
    placement.turn(1)
    placement.turn(-1)
    assert placement.at() == (9, 21, 30)


@pytest.mark.parametrize("face", range(6))
@pytest.mark.parametrize("turns", [(0, 0, 0), (1, 0, 0), (0, 3, 2)])
@pytest.mark.parametrize("lift", [0, 2, -1])
def test_it_stands_on_the_face_with_its_middle_before_it(placement, face, turns, lift):
    placement.orientation = of_turns((False, True, False), turns)
    placement.voxel, placement.face, placement.lift = (-4, 5, 6), face, lift
    low, high = placement.orientation.box(LOW, HIGH)
    size = np.array(high) - low + 1
    axis, normal = face // 2, FACE_NORMALS[face]
    at = np.array(placement.at())
    before = np.array(placement.voxel) + normal * (1 + lift)
    assert (at[axis] if normal[axis] > 0 else at[axis] + size[axis] - 1) == before[axis]
    sideways = [a for a in range(3) if a != axis]
    assert np.array_equal(at[sideways] + (size[sideways] - 1) // 2, before[sideways])


def test_the_matrix_brings_the_box_there(placement):
    placement.voxel = (0, 0, 0)
    placement.axis = 0
    placement.turn(1)
    placement.mirror()
    corners = np.array([[*LOW, 1], [*(c + 1 for c in HIGH), 1]]) @ placement.matrix().T
    low = corners[:, :3].min(axis=0)
    assert tuple(low) == placement.at()
    assert tuple(corners[:, :3].max(axis=0) - low) == (3, 7, 5)
