# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work as an iterator of slices, so that whoever runs it can show progress and stop it.

A job is a generator: it yields Progress after each slice of work and returns its result. Nothing outside the
job changes before it has returned, so a job that is closed halfway leaves everything as it was.
"""

from collections.abc import Callable, Generator
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Progress(NamedTuple):
    """How far a job is: a fraction from 0 to 1, and what is being done, in the user's words."""

    fraction: float
    what: str


Job = Generator[Progress, None, T]


def finish(job: Job[T], report: Callable[[Progress], None] | None = None) -> T:
    """Run a job to its end and return its result; report is called with each Progress."""
    while True:
        try:
            progress = next(job)
        except StopIteration as end:
            return end.value
        if report is not None:
            report(progress)


def stage(job: Job[T], start: float, end: float) -> Job[T]:
    """The same job as one stage of a larger one, its progress mapped to start … end."""
    while True:
        try:
            progress = next(job)
        except StopIteration as stop:
            return stop.value
        yield Progress(start + (end - start) * progress.fraction, progress.what)
