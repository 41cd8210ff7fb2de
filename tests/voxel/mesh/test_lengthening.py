# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from voxelwright.voxel.mesh.lengthening import Lengthening


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int64])
@pytest.mark.parametrize("shape", [(), (3,)])
@pytest.mark.parametrize("done", [(0.5, 0.6, 0.7, 0.9, 1.0), (1e-9, 1e-9, 1e-9, 1e-9, 1.0), (1.0,) * 5])
def test_parts_lie_one_after_another_however_much_was_foretold(dtype, shape, done):
    rng = np.random.default_rng(3)
    # Of no length, of one, and longer than what a thread copies at once.
    parts = [rng.integers(0, 200, (n, *shape)).astype(dtype) for n in (5, 0, 1, 300_000, 7)]
    made = Lengthening(dtype, shape)
    for n, (part, share) in enumerate(zip(parts, done, strict=True), 1):
        rows = made.add(len(part), share)
        assert rows.shape == part.shape
        rows[:] = part
        assert made.all().dtype == dtype
        assert np.array_equal(made.all(), np.concatenate(parts[:n]))


def test_what_comes_as_foretold_is_written_once():
    made = Lengthening(np.uint16)
    first = made.add(100, 0.25)
    for done in (0.5, 0.75, 1.0):
        made.add(100, done)
    assert np.shares_memory(first, made.all())


def test_nothing_at_all():
    made = Lengthening(np.float32, (3,))
    assert made.all().shape == made.add(0, 1.0).shape == (0, 3)
