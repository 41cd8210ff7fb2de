# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the GPU and the CPU take for the stages of a frame."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from .gl import GlFunctions

AVERAGED_SECONDS = 5.0
"""Times are averaged over this long."""

KEPT_FRAMES = 32
"""Of so many frames it is kept what they took."""

_Name = TypeVar("_Name", str, int)


class FrameTimers:
    """Milliseconds by stage. GPU times come from time stamps that are read when they are there, a frame or more later,
    so that nothing waits for them."""

    def __init__(self, gl: GlFunctions) -> None:
        self._gl = gl
        self._pending: deque[tuple[str, int, int]] = deque()
        self._gpu: dict[str, deque[tuple[float, float]]] = {}
        self._cpu: dict[str, deque[tuple[float, float]]] = {}
        self._pending_frames: deque[tuple[int, int, int]] = deque()
        self.n_frames = 0
        """How many frames were drawn, as far as the CPU is done with them."""

        self.frames: dict[int, float] = {}
        """What the newest of them took of the GPU, in milliseconds, by their numbers, which begin at 1."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what is done inside, on both sides. Stages do not nest."""
        began = time.perf_counter()
        first = self._gl.time_stamp()
        try:
            yield
        finally:
            self._pending.append((name, first, self._gl.time_stamp()))
            _note(self._cpu, name, (time.perf_counter() - began) * 1e3)

    @contextmanager
    def frame(self) -> Iterator[None]:
        """Time the frame that is drawn inside, with all its stages."""
        first = self._gl.time_stamp()
        try:
            yield
        finally:
            self.n_frames += 1
            self._pending_frames.append((self.n_frames, first, self._gl.time_stamp()))

    def collect(self) -> None:
        """Read the time stamps that the GPU has passed."""
        for name, milliseconds in self._read(self._pending):
            _note(self._gpu, name, milliseconds)
        for number, milliseconds in self._read(self._pending_frames):
            self.frames[number] = milliseconds
        for old in list(self.frames)[:-KEPT_FRAMES]:
            del self.frames[old]

    def gpu_milliseconds(self) -> dict[str, float]:
        """By stage, the average of the last seconds."""
        return _averages(self._gpu)

    def cpu_milliseconds(self) -> dict[str, float]:
        """By stage, the average of the last seconds."""
        return _averages(self._cpu)

    def release(self) -> None:
        """Free the time stamps that were not read."""
        for pending in (self._pending, self._pending_frames):
            for _, first, last in pending:
                self._gl.delete_query(first)
                self._gl.delete_query(last)
            pending.clear()

    def _read(self, pending: deque[tuple[_Name, int, int]]) -> Iterator[tuple[_Name, float]]:
        """Take away what the GPU is done with; milliseconds by what was timed."""
        while pending:
            name, first, last = pending[0]
            end = self._gl.nanoseconds(last)
            if end is None:
                return
            start = self._gl.nanoseconds(first)
            pending.popleft()
            self._gl.delete_query(first)
            self._gl.delete_query(last)
            yield name, (end - start) / 1e6 if start is not None else 0.0


def _note(table: dict[str, deque[tuple[float, float]]], name: str, milliseconds: float) -> None:
    now = time.perf_counter()
    entries = table.setdefault(name, deque())
    entries.append((now, milliseconds))
    while now - entries[0][0] > AVERAGED_SECONDS:
        entries.popleft()


def _averages(table: dict[str, deque[tuple[float, float]]]) -> dict[str, float]:
    return {name: sum(value for _, value in entries) / len(entries) for name, entries in table.items()}
