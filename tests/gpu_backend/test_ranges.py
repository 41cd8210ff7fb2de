# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of a shared buffer."""

import numpy as np

from voxelwright.gpu_backend.ranges import Ranges


def test_ranges_fill_gaps_and_join_them() -> None:
    ranges = Ranges()
    assert [ranges.take(n) for n in (3, 0, 5, 2)] == [0, 3, 3, 8]
    ranges.give_back(3, 5)
    assert ranges.take(4) == 3
    assert ranges.take(1) == 7
    assert ranges.take(1) == 10
    for start, n in ((0, 3), (7, 1), (3, 4)):
        ranges.give_back(start, n)
    assert ranges.take(8) == 0
    ranges.give_back(8, 2)
    ranges.give_back(0, 8)
    ranges.give_back(10, 1)
    assert ranges.end == 0


def test_ranges_never_overlap() -> None:
    rng = np.random.default_rng(1)
    ranges, taken = Ranges(), np.zeros(100_000, bool)
    runs: list[tuple[int, int]] = []
    for _ in range(1500):
        if runs and rng.random() < 0.48:
            start, n = runs.pop(rng.integers(len(runs)))
            assert taken[start : start + n].all()
            taken[start : start + n] = False
            ranges.give_back(start, n)
        else:
            n = int(rng.integers(0, 40))
            start = ranges.take(n)
            assert not taken[start : start + n].any()
            taken[start : start + n] = True
            runs.append((start, n))
        assert not taken[ranges.end :].any()
    for start, n in runs:
        ranges.give_back(start, n)
    assert ranges.end == 0
