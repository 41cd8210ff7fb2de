# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way worlds come into viewports, why, and what becomes of a way that fails."""

import time
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gpu

from ..preferences import Choices
from .pacing import Pacers

if TYPE_CHECKING:
    from ...gpu_backend.renderer import Figures
    from .pictures import Seen

RETRY_SECONDS = 0.02
"""After which a viewport is drawn again where its picture was not finished."""


class Preview:
    """What is kept between draws. Everything but retry() and the texts must be called inside a draw handler."""

    def __init__(self) -> None:
        self._way: Any = None
        self._budget_mib = 0
        self._wanted = ""
        self._direct_failed = ""
        self._pacers = Pacers()
        self.failure = ""
        """Why nothing is drawn any more, or ""."""

        self.reason = ""
        """Why it is the way it is, a sentence."""

    @property
    def way(self) -> str:
        """ "direct", "carried", or "" while nothing is drawn."""
        return self._way.name if self._way is not None else ""

    @property
    def notices(self) -> list[str]:
        """What of the worlds is not shown, and in what simpler way they are, in sentences."""
        return self._way.notices() if self._way is not None else []

    def figures(self) -> "Figures | None":
        """What was drawn last, and how long the last frames took."""
        return self._way.figures if self._way is not None else None

    def draw(
        self, region: Hashable, seen: Sequence["Seen"], size: tuple[int, int], choices: Choices, *, playing: bool
    ) -> float | None:
        """Show worlds in a region of size pixels, while an animation is playing or not; the seconds after which there
        is more to be drawn, None where the picture is finished. The looks are those of the whole quality."""
        if not choices.automatic:
            return None if self._draw(region, seen, size, choices) else RETRY_SECONDS
        from .pictures import picture_key

        pacer = self._pacers.of(region, choices.quality)
        quality = pacer.begin(picture_key(seen, size), time.monotonic(), playing=playing)
        n_frames = self._n_frames
        is_finished = self._draw(region, seen, size, replace(choices, quality=quality))
        now = time.monotonic()
        pacer.end(now, self._n_frames if is_finished and self._n_frames != n_frames else None)
        pacer.measure(self._way.renderer.timers.frames, self._pacers.longest_frame(now))
        if not is_finished:
            return RETRY_SECONDS
        return max(pacer.rests_in(now), 0.0) if quality != choices.quality else None

    @property
    def _n_frames(self) -> int:
        return self._way.renderer.timers.n_frames if self._way is not None else 0

    def _draw(self, region: Hashable, seen: Sequence["Seen"], size: tuple[int, int], choices: Choices) -> bool:
        """Draw at the quality of the choices; whether the picture is finished."""
        if choices.way != self._wanted:
            self.release()
            self._wanted, self._direct_failed = choices.way, ""
        try:
            return self._draw_by_way(region, seen, size, choices)
        except Exception as error:  # whatever it is, the other way does without Blender's context
            if self.way != "direct":
                raise
            self._note_direct_failure(error)
            self.release()
            return self._draw_by_way(region, seen, size, choices)

    def _draw_by_way(self, region: Hashable, seen: Sequence["Seen"], size: tuple[int, int], choices: Choices) -> bool:
        from .looks import at_quality

        if self._way is None:
            self._way, self._budget_mib = self._made_way(choices.way), 0
        if choices.budget_mib != self._budget_mib:
            self._way.set_budget(choices.budget_mib << 20)
            self._budget_mib = choices.budget_mib
        quality = choices.quality
        shown = [replace(item, look=at_quality(item.look, quality)) for item in seen]
        width, height = (max(round(edge * quality.resolution), 1) for edge in size)
        is_there = self._way.draw(region, shown, (width, height), quality.samples)
        return is_there and self._way.n_samples(region) >= quality.samples

    def keep_only(self, world_ids: set[str]) -> None:
        """Free what is kept of other worlds; everything where there are none."""
        if not world_ids:
            self.release()
        elif self._way is not None:
            self._way.keep_only(world_ids)

    def retry(self) -> None:
        """Draw again after a failure, the first way first."""
        self.failure = self._wanted = ""

    def fail(self, error: Exception) -> None:
        """Draw no more, and say so once."""
        self.failure = str(error) or repr(error)
        print(f"Voxelwright shows no worlds in the viewport any more: {error!r}", flush=True)

    def release(self) -> None:
        """Free everything."""
        way, self._way, self.reason = self._way, None, ""
        if way is not None:
            way.release()

    def _made_way(self, wanted: str) -> Any:
        backend = gpu.platform.backend_type_get()
        if wanted == "CARRIED":
            self.reason = "The preferences say so."
        elif backend != "OPENGL":
            self.reason = f"Blender draws with {backend.title()} here, not with OpenGL."
        elif self._direct_failed:
            self.reason = f"Drawing directly failed: {self._direct_failed}"
        else:
            from .direct import DirectWay

            try:
                way = DirectWay()
            except Exception as error:
                self._note_direct_failure(error)
                return self._made_way(wanted)
            self.reason = "Blender draws with OpenGL."
            return way
        from .carried import CarriedWay

        return CarriedWay()

    def _note_direct_failure(self, error: Exception) -> None:
        self._direct_failed = str(error) or repr(error)
        print(
            f"Voxelwright carries its pictures into the viewport, since drawing directly failed: {error!r}", flush=True
        )
