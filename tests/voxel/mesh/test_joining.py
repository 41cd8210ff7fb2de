# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from voxelwright.voxel.mesh.joining import joined


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int64])
@pytest.mark.parametrize("shape", [(), (3,)])
def test_parts_are_joined_as_numpy_does(dtype, shape):
    rng = np.random.default_rng(3)
    # Of no length, of one, and longer than what a thread copies at once.
    parts = [rng.integers(0, 200, (n, *shape)).astype(dtype) for n in (5, 0, 1, 300_000, 7)]
    for n in range(1, len(parts) + 1):
        made = joined(parts[:n])
        assert made.dtype == dtype
        assert np.array_equal(made, np.concatenate(parts[:n]))
