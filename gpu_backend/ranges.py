# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in a buffer that many share."""

from bisect import insort


class Ranges:
    """Places for runs of records in one buffer: the first gap that a run fits into, else the end."""

    def __init__(self) -> None:
        self.end = 0
        self._gaps: list[tuple[int, int]] = []  # (start, end), sorted, none touching another

    def take(self, n: int) -> int:
        """The first place of a run of n."""
        for index, (start, end) in enumerate(self._gaps):
            if end - start >= n:
                self._gaps[index : index + 1] = [(start + n, end)] if end - start > n else []
                return start
        start = self.end
        self.end += n
        return start

    def give_back(self, start: int, n: int) -> None:
        """Free a run that was taken."""
        if n == 0:
            return
        insort(self._gaps, (start, start + n))
        at = self._gaps.index((start, start + n))
        low, high = max(at - 1, 0), min(at + 2, len(self._gaps))
        merged: list[tuple[int, int]] = []
        for gap in self._gaps[low:high]:
            if merged and merged[-1][1] == gap[0]:
                merged[-1] = merged[-1][0], gap[1]
            else:
                merged.append(gap)
        self._gaps[low:high] = merged
        if self._gaps[-1][1] == self.end:
            self.end = self._gaps.pop()[0]
