# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the command line's jobs are."""

import sys
from typing import Self

from ..voxel.jobs import Progress


class ProgressBar:
    """On a terminal a bar that redraws itself, elsewhere a line a stage."""

    def __init__(self) -> None:
        self._redraws = sys.stderr.isatty()
        self._stage = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._redraws and self._stage:
            print(file=sys.stderr)

    def show(self, progress: Progress) -> None:
        """Show how far a job is."""
        if self._redraws:
            filled = round(30 * progress.fraction)
            bar = "█" * filled + "·" * (30 - filled)
            print(f"\r{bar} {progress.fraction:4.0%} {progress.what:<26}", end="", file=sys.stderr)
        elif progress.what != self._stage:
            print(f"{progress.what} …", file=sys.stderr)
        self._stage = progress.what
