# SPDX-License-Identifier: GPL-3.0-or-later
"""How far viewports that move lower their quality, by what their frames take. Nothing here knows Blender."""

from collections import deque
from collections.abc import Hashable, Mapping
from statistics import median
from typing import NamedTuple

from ..quality import Quality, steps

LONGEST_FRAME = 25.0
"""Milliseconds that frames may take: for 30 a second they have 33, and Blender draws too."""

EASY_SHARE = 0.6
"""The share of LONGEST_FRAME below which a better step would be fast enough, however times vary."""

SLOW_FRAMES, EASY_FRAMES = 2, 6
"""So many in a row, all slow or all easy, have a meaning: one slow frame may be a shader that was compiled."""

REST_SECONDS = 0.25
"""A viewport rests when nothing in it has changed for so long."""


class Governor:
    """Which of some steps, 0 the best, frames are drawn at.

    Slow frames lead to the next step. When that was taken it was seen how many times as long frames take at the step
    before; once they would be easy there too it is taken back. So under a load that stays, steps go one way only.
    """

    def __init__(self, n_steps: int) -> None:
        self.step = 0
        self._last = n_steps - 1
        self._recent: deque[float] = deque(maxlen=EASY_FRAMES)
        self._given_up: list[float] = []
        """What frames took at each step before this one, when it was left."""

        self._reached: list[float] = []
        """And at the one after it, at first."""

    def note(self, milliseconds: float, longest: float = LONGEST_FRAME) -> None:
        """Note what a frame took at this step; longest is what it may."""
        self._recent.append(milliseconds)
        slow = list(self._recent)[-SLOW_FRAMES:]
        if self.step < self._last and len(slow) == SLOW_FRAMES and min(slow) > longest:
            self._note_reached(min(self._recent))
            self._given_up.append(min(slow))
            self._go_to(self.step + 1)
        elif self.step and len(self._recent) == EASY_FRAMES:
            self._note_reached(median(self._recent))
            growth = self._given_up[-1] / self._reached[-1]
            if max(self._recent) * max(growth, 1.0) < EASY_SHARE * longest:
                self._given_up.pop()
                self._reached.pop()
                self._go_to(self.step - 1)

    def note_whole(self, milliseconds: float, longest: float = LONGEST_FRAME) -> None:
        """Note what a frame took at the whole quality, while nothing moved."""
        if milliseconds < EASY_SHARE * longest:
            self._given_up.clear()
            self._reached.clear()
            self._go_to(0)

    def _note_reached(self, milliseconds: float) -> None:
        if len(self._reached) < self.step:
            self._reached.append(max(milliseconds, 1e-3))

    def _go_to(self, step: int) -> None:
        if step != self.step:
            self.step = step
            self._recent.clear()


class _Drawn(NamedTuple):
    """A frame; step is None for one of the whole quality, at rest."""

    frame: int
    step: int | None
    cpu_milliseconds: float


class Pacer:
    """Whether a viewport moves, and the quality at which it is drawn meanwhile. Times are in seconds, of any clock."""

    def __init__(self, quality: Quality) -> None:
        self.quality = quality
        """The one at rest."""

        self._steps = steps(quality)
        self._governor = Governor(len(self._steps))
        self._key: Hashable = None
        self._began = self._moved = float("-inf")
        self._gpu_seconds = 0.0
        """What the newest frame took there, as far as that is known."""

        self._step: int | None = None
        self._drawn: deque[_Drawn] = deque(maxlen=8)

    def begin(self, key: Hashable, now: float, *, playing: bool) -> Quality:
        """Drawing begins: the quality to draw at. key stands for all that is seen, however well; while an animation is
        playing nothing rests."""
        self._began = now
        if playing or key != self._key:
            self._key, self._moved = key, now
        self._step = self._governor.step if self.moves(now) else None
        return self.quality if self._step is None else self._steps[self._step]

    def end(self, now: float, frame: int | None) -> None:
        """Drawing has ended. frame is the number of the frame that was drawn; None where there was none, or one that
        says nothing, because more was done."""
        if frame is not None:
            self._drawn.append(_Drawn(frame, self._step, (now - self._began) * 1e3))
        if self._moved == self._began:
            self._moved = now

    def measure(self, frames: Mapping[int, float], longest: float = LONGEST_FRAME) -> None:
        """Take what frames took of the GPU, in milliseconds by their numbers, which is known some frames later. Of that
        and the time that drawing took the longer counts; longest is what it may be."""
        for drawn in [drawn for drawn in self._drawn if drawn.frame in frames]:
            self._drawn.remove(drawn)
            self._gpu_seconds = frames[drawn.frame] / 1e3
            milliseconds = max(drawn.cpu_milliseconds, frames[drawn.frame])
            if drawn.step is None:
                self._governor.note_whole(milliseconds, longest)
            elif drawn.step == self._governor.step:
                self._governor.note(milliseconds, longest)

    def moves(self, now: float) -> bool:
        """Whether anything has changed a short while ago."""
        return self.rests_in(now) > 0

    def rests_in(self, now: float) -> float:
        """The seconds until it rests, if nothing changes; 0 or less where it does. Drawing itself is no rest."""
        return self._moved + self._gpu_seconds + REST_SECONDS - now


class Pacers:
    """Those of viewport regions, by what stands for a region: of so many, as those that are closed say nothing."""

    MAX = 16

    def __init__(self) -> None:
        self._pacers: dict[Hashable, Pacer] = {}

    def of(self, region: Hashable, quality: Quality) -> Pacer:
        """The region's; a new one where the quality is another one than before."""
        pacer = self._pacers.pop(region, None)
        if pacer is None or pacer.quality != quality:
            pacer = Pacer(quality)
        self._pacers[region] = pacer
        for old in list(self._pacers)[: -self.MAX]:
            del self._pacers[old]
        return pacer

    def longest_frame(self, now: float) -> float:
        """The milliseconds that a frame of one viewport may take: those that move share the time."""
        n_moving = sum(pacer.moves(now) for pacer in self._pacers.values())
        return LONGEST_FRAME / max(n_moving, 1)
