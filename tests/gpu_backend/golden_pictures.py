# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures are held to ones that were looked at: golden/<renderer>/<name>.png.

To accept a new one, look at the picture that a failing or skipped run names and copy it there.
"""

import re
from pathlib import Path

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.context import capabilities
from voxelwright.voxel.formats.png import read_png, write_png

GOLDEN = Path(__file__).parent / "golden"

MEAN_TOLERANCE = 0.5
"""Of 255, over all pixels."""

PIXEL_TOLERANCE, OUTLIERS = 6, 0.002
"""This share of the pixels may differ by more."""


def hold_to_golden(ctx: moderngl.Context, picture: NDArray[np.uint8], name: str, tmp_path: Path) -> None:
    """Fail where a picture (height, width, 4) differs from the golden one of this name; skip where there is none."""
    folder = GOLDEN / re.sub(r"[^a-z0-9]+", "-", capabilities(ctx).renderer.lower()).strip("-")
    golden, made = folder / f"{name}.png", tmp_path / f"{name.replace('/', '-')}.png"
    picture = np.ascontiguousarray(picture[..., :3])
    made.write_bytes(write_png(picture))
    if not golden.is_file():
        pytest.skip(f"there is no golden picture of this renderer; {made} would be its first")
    difference = np.abs(picture.astype(int) - read_png(golden.read_bytes()).samples).max(axis=2)
    assert difference.mean() <= MEAN_TOLERANCE, f"look at {made}"
    assert (difference > PIXEL_TOLERANCE).mean() <= OUTLIERS, f"look at {made}"
