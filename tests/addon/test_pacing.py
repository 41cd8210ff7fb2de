# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxelwright.addon.quality import LEAST_RESOLUTION, NO_LIGHT, QUALITIES, Quality, steps
from voxelwright.addon.viewport.pacing import (
    EASY_FRAMES,
    EASY_SHARE,
    LONGEST_FRAME,
    REST_SECONDS,
    SLOW_FRAMES,
    Governor,
    Pacer,
    Pacers,
)

NOISE = 0.1
"""By what part frames of the same work take shorter or longer."""

N_STEPS = 5
works = st.lists(st.floats(0.05, 1.0), min_size=N_STEPS, max_size=N_STEPS).map(lambda w: sorted(w, reverse=True))
"""The work of a frame at each step, as shares of the most."""

loads = st.floats(0.01, 2000.0)
"""Milliseconds of the most work."""

noises = st.lists(st.floats(1 - NOISE, 1 + NOISE), min_size=60, max_size=60)


def _trace(governor: Governor, work: list[float], load: float, noise: list[float]) -> list[int]:
    """The steps at which frames are drawn."""
    trace = []
    for factor in noise:
        trace.append(governor.step)
        governor.note(load * work[governor.step] * factor)
    return trace


@given(works, loads, noises)
def test_under_a_load_that_stays_steps_go_one_way_and_come_to_rest(work, load, noise) -> None:
    governor = Governor(N_STEPS)
    trace = _trace(governor, work, load, noise)
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(trace))
    # Where the time is near the limit a step may come late.
    assert trace[-1] == N_STEPS - 1 or load * work[trace[-1]] * (1 - NOISE) <= LONGEST_FRAME
    for step in range(trace[-1]):
        assert load * work[step] * (1 + NOISE) > LONGEST_FRAME  # none was left without need


@given(works, st.lists(st.tuples(loads, noises), min_size=2, max_size=4))
def test_whatever_the_load_does_steps_stay_within_bounds_and_calm(work, phases) -> None:
    governor = Governor(N_STEPS)
    for load, noise in phases:
        trace = _trace(governor, work, load, noise)
        assert set(trace) <= set(range(N_STEPS))
        # A load that changes may lead one way, and what was seen before it may mislead once; but never on and on.
        changes = [later - earlier for earlier, later in pairwise(trace) if later != earlier]
        assert sum(a != b for a, b in pairwise(changes)) <= 1


@given(works, loads, noises)
def test_the_best_step_comes_back_with_an_easy_load(work, load, noise) -> None:
    governor = Governor(N_STEPS)
    _trace(governor, work, load, noise)
    # What growth was seen may be off by the noise on both sides.
    easy = 0.9 * EASY_SHARE * LONGEST_FRAME * ((1 - NOISE) / (1 + NOISE)) ** 2
    _trace(governor, work, min(load, easy / work[0]), noise)
    assert governor.step == 0


def test_one_slow_frame_means_nothing_and_two_are_enough() -> None:
    governor = Governor(N_STEPS)
    for _ in range(20):
        governor.note(400.0)
        assert governor.step == 0
        governor.note(10.0)
    for n in range(1, SLOW_FRAMES + 1):
        governor.note(30.0)
        assert governor.step == n // SLOW_FRAMES


def test_a_step_that_helps_is_kept_while_the_one_before_would_be_slow() -> None:
    governor = Governor(N_STEPS)
    for _ in range(SLOW_FRAMES):
        governor.note(60.0)
    for _ in range(100):
        governor.note(6.0)  # ten times as long before
    assert governor.step == 1
    for _ in range(EASY_FRAMES):
        governor.note(1.4)
    assert governor.step == 0


def test_a_whole_picture_that_was_easy_gives_all_steps_back() -> None:
    governor = Governor(N_STEPS)
    for _ in range(4):
        governor.note(100.0)
    assert governor.step == 2
    governor.note_whole(EASY_SHARE * LONGEST_FRAME + 1)
    assert governor.step == 2
    governor.note_whole(EASY_SHARE * LONGEST_FRAME - 1)
    assert governor.step == 0


# --- A viewport -------------------------------------------------------------------------------------------------

QUALITY = Quality(samples=8)


class Viewport:
    """A viewport whose frames take so many milliseconds of the GPU."""

    def __init__(self, milliseconds: float, quality: Quality = QUALITY) -> None:
        self.pacer, self.milliseconds = Pacer(quality), milliseconds
        self.now, self.n_frames = 100.0, 0

    def draw(self, key: str, after: float = 0.02, *, playing: bool = False) -> Quality:
        self.now += after
        quality = self.pacer.begin(key, self.now, playing=playing)
        self.now += 0.001
        self.n_frames += 1
        self.pacer.end(self.now, self.n_frames)
        self.pacer.measure({self.n_frames - 1: self.milliseconds})  # a frame late
        return quality


def test_a_fast_viewport_moves_at_its_whole_quality_and_is_refined_at_rest() -> None:
    viewport = Viewport(5.0)
    assert {viewport.draw(f"view {n}") for n in range(50)} == {Quality(samples=1)}
    assert viewport.draw("view 49") == Quality(samples=1)
    assert viewport.draw("view 49", viewport.pacer.rests_in(viewport.now)) == QUALITY
    assert viewport.draw("view 50") == Quality(samples=1)


def test_a_slow_viewport_is_lowered_while_it_moves_and_whole_at_rest() -> None:
    viewport = Viewport(80.0)
    drawn = [viewport.draw(f"view {n}") for n in range(50)]
    assert drawn[0] == Quality(samples=1)
    assert drawn[-1] == steps(QUALITY)[-1]
    assert drawn == sorted(drawn, key=steps(QUALITY).index)
    assert viewport.draw("view 49", viewport.pacer.rests_in(viewport.now)) == QUALITY
    assert viewport.draw("view 49") == QUALITY
    assert viewport.draw("view 50") == drawn[-1]


def test_nothing_rests_while_an_animation_is_playing() -> None:
    viewport = Viewport(5.0)
    assert {viewport.draw("view", 1.0, playing=True) for _ in range(5)} == {Quality(samples=1)}
    assert viewport.draw("view", 1.0) == QUALITY


def test_time_that_drawing_takes_is_no_rest() -> None:
    pacer = Pacer(QUALITY)
    pacer.begin("view", 10.0, playing=False)
    pacer.end(13.0, None)
    assert pacer.rests_in(13.0) == REST_SECONDS
    pacer.begin("view", 13.1, playing=False)
    pacer.end(13.2, None)
    assert pacer.rests_in(13.2) == pytest.approx(REST_SECONDS - 0.2)
    pacer.begin("next view", 20.0, playing=False)
    pacer.end(20.1, 1)
    pacer.measure({1: 700.0})
    assert pacer.rests_in(20.1) == pytest.approx(REST_SECONDS + 0.7)


def test_long_draws_count_as_much_as_long_frames() -> None:
    pacer = Pacer(QUALITY)
    for n in range(2 * SLOW_FRAMES):
        pacer.begin(n, float(n), playing=False)
        pacer.end(n + 0.04, n)
        pacer.measure({n: 1.0})
    assert pacer.begin("next", 10.0, playing=False) == steps(QUALITY)[2]


def test_viewports_that_move_share_the_time() -> None:
    pacers = Pacers()
    for region in range(3):
        pacers.of(region, QUALITY).begin("view", 5.0, playing=False)
    assert pacers.longest_frame(5.0) == LONGEST_FRAME / 3
    assert pacers.longest_frame(6.0) == LONGEST_FRAME


def test_each_viewport_has_a_pacer_of_its_own_for_one_quality() -> None:
    pacers = Pacers()
    first = pacers.of(0, QUALITY)
    assert pacers.of(1, QUALITY) is not first
    assert pacers.of(0, QUALITY) is first
    assert pacers.of(0, Quality()) is not first
    other = pacers.of(1, QUALITY)
    for region in range(2, Pacers.MAX + 2):
        pacers.of(region, QUALITY)
    assert pacers.of(1, QUALITY) is not other  # the longest unused was forgotten


# --- Steps ------------------------------------------------------------------------------------------------------

qualities = st.builds(
    Quality,
    st.floats(LEAST_RESOLUTION, 1.0),
    st.booleans(),
    st.sampled_from(["RAYS", "MAPS", NO_LIGHT]),
    st.booleans(),
    st.sampled_from([0.0, 2.0]),
    st.integers(1, 32),
) | st.sampled_from([quality for _, _, quality in QUALITIES.values()])


@given(qualities)
def test_steps_take_more_and_more_and_never_give(quality) -> None:
    found = steps(quality)
    assert found[0] == replace(quality, samples=1)
    assert found[-1].light == NO_LIGHT
    for better, worse in pairwise(found):
        assert worse != better
        assert LEAST_RESOLUTION <= worse.resolution <= better.resolution
        assert worse.light in (better.light, NO_LIGHT)
        assert (worse.blending, worse.detail, worse.samples) == (quality.blending, quality.detail, 1)
