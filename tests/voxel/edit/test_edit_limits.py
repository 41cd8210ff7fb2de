# SPDX-License-Identifier: GPL-3.0-or-later
"""Each limit of edits by hand at its value and one beyond."""

import numpy as np
import pytest

from voxelwright.voxel import limits
from voxelwright.voxel.edit import connected as connected_module
from voxelwright.voxel.edit import patterns, sculpt, shapes
from voxelwright.voxel.edit.actions import add
from voxelwright.voxel.edit.connected import connected, extrude
from voxelwright.voxel.edit.dabs import Stroke
from voxelwright.voxel.edit.draft import Draft
from voxelwright.voxel.edit.selection import box
from voxelwright.voxel.edit.symmetry import Symmetry
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, new_world

PALETTE = Palette.of({1: Material("stone", (128, 126, 124))})
SMALL = new_world({(0, 0, 0): 0x0100}, PALETTE)


def swept(n):
    """Placements of one sphere that go over n voxels, counted whole."""
    for _ in range(n // 128**3):
        yield shapes.sphere(64).at((0, 0, 0))
    for _ in range(n % 128**3):
        yield shapes.Placement(shapes.Shape(shapes.SPHERE, (0.5,) * 3), (1, 1, 1))


CASES = {
    "MAX_BRUSH_RADIUS": shapes.sphere,
    "MAX_BRUSH_RADIUS, height": lambda n: shapes.cone(3, 2 * n),
    "MAX_BRUSH_RADIUS, stamp": lambda n: shapes.custom(np.ones((2 * n, 1, 1), bool)),
    "MAX_LINE_POINTS": lambda n: shapes.line_voxels((5, 5, 5), (5, 4 + n, 9)),
    "MAX_WORLD_EDGE": lambda n: shapes.box_between((1, 0, 0), (0, n - 1, 0)),
    "MAX_EDIT_CHUNKS, box": lambda n: box((0, 0, 0), (32 * n - 1, 0, 0)),
    "MAX_EDIT_CHUNKS, put": lambda n: Draft(SMALL).put({(x, 0, 0): 0x0100 for x in range(n)}),
    "MAX_SCULPT_STEP": sculpt.lower,
    "MAX_RADIAL_IMAGES": lambda n: Symmetry(radial=n),
    "MAX_SELECTION_STEPS": lambda n: box((0, 0, 0), (0, 0, 0)).shrunk(n),
    "MAX_EXTRUSION": lambda n: extrude(SMALL, (0, 0, 31), 4, n),
    "MAX_EXTRUSION, in": lambda n: extrude(SMALL, (0, 0, 31), 4, -n),
    "MAX_PATTERN_MATERIALS": lambda n: patterns.mix(dict.fromkeys(range(1, n + 1), 1.0)),
}
SHOWN = {"MAX_BRUSH_RADIUS, height": 256, "MAX_BRUSH_RADIUS, stamp": 256}


@pytest.mark.parametrize("name", CASES)
def test_at_the_limit_and_one_beyond(name):
    limit = getattr(limits, name.partition(",")[0])
    CASES[name](limit)
    with pytest.raises(VoxelwrightError) as error:
        CASES[name](limit + 1)
    sentence = str(error.value)
    assert str(SHOWN.get(name, limit)) in sentence
    assert sentence.endswith(".")
    assert ". " not in sentence


def test_voxels_swept_at_the_limit_and_beyond(monkeypatch):
    monkeypatch.setattr(shapes, "MAX_SWEPT_VOXELS", 128**3 + 5)
    assert len(list(shapes.weights_by_chunk(swept(128**3 + 5)))) > 50
    with pytest.raises(VoxelwrightError, match=f"more than {128**3 + 5} voxels at once; make it smaller"):
        list(shapes.weights_by_chunk(swept(128**3 + 6)))
    assert limits.MAX_SWEPT_VOXELS == limits.MAX_EDIT_CHUNKS * 32**3, "the largest box may be filled"


def test_connected_voxels_at_the_limit_and_beyond(monkeypatch):
    monkeypatch.setattr(connected_module, "MAX_CONNECTED_VOXELS", 32**3)
    assert connected(SMALL, (0, 0, 0), "material", limit=1 << 60).count == 32**3
    monkeypatch.setattr(connected_module, "MAX_CONNECTED_VOXELS", 32**3 - 1)
    with pytest.raises(VoxelwrightError, match="More than 32767 voxels"):
        connected(SMALL, (0, 0, 0), "material", limit=1 << 60)
    assert limits.MAX_CONNECTED_VOXELS > 512 * 512 * 200


def test_a_stroke_that_grows_too_large_keeps_what_it_had(monkeypatch):
    from voxelwright.voxel.edit import draft

    monkeypatch.setattr(draft, "MAX_EDIT_CHUNKS", 3)
    stroke = Stroke(World(PALETTE), add(patterns.only(1)), shapes.sphere(2), spacing=4)
    stroke.to((16, 16, 16))
    stroke.to((80, 16, 16))
    with pytest.raises(VoxelwrightError, match="touch 4 chunks of 32³ voxels; do it in parts of at most 3"):
        stroke.to((112, 16, 16))
    assert [delta.coord for delta in stroke.edit().deltas] == [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
