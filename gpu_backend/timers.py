# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the GPU and the CPU take for the stages of a frame."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from .gl import GlFunctions

AVERAGED_SECONDS = 5.0
"""Times are averaged over this long."""


class FrameTimers:
    """Milliseconds by stage. GPU times come from time stamps that are read when they are there, a frame or more later,
    so that nothing waits for them."""

    def __init__(self, gl: GlFunctions) -> None:
        self._gl = gl
        self._pending: deque[tuple[str, int, int]] = deque()
        self._gpu: dict[str, deque[tuple[float, float]]] = {}
        self._cpu: dict[str, deque[tuple[float, float]]] = {}

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

    def collect(self) -> None:
        """Read the time stamps that the GPU has passed."""
        while self._pending:
            name, first, last = self._pending[0]
            end = self._gl.nanoseconds(last)
            if end is None:
                return
            start = self._gl.nanoseconds(first)
            self._pending.popleft()
            self._gl.delete_query(first)
            self._gl.delete_query(last)
            _note(self._gpu, name, (end - start) / 1e6 if start is not None else 0.0)

    def gpu_milliseconds(self) -> dict[str, float]:
        """By stage, the average of the last seconds."""
        return _averages(self._gpu)

    def cpu_milliseconds(self) -> dict[str, float]:
        """By stage, the average of the last seconds."""
        return _averages(self._cpu)

    def release(self) -> None:
        """Free the time stamps that were not read."""
        for _, first, last in self._pending:
            self._gl.delete_query(first)
            self._gl.delete_query(last)
        self._pending.clear()


def _note(table: dict[str, deque[tuple[float, float]]], name: str, milliseconds: float) -> None:
    now = time.perf_counter()
    entries = table.setdefault(name, deque())
    entries.append((now, milliseconds))
    while now - entries[0][0] > AVERAGED_SECONDS:
        entries.popleft()


def _averages(table: dict[str, deque[tuple[float, float]]]) -> dict[str, float]:
    return {name: sum(value for _, value in entries) / len(entries) for name, entries in table.items()}
