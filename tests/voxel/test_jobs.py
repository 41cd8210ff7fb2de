# SPDX-License-Identifier: GPL-3.0-or-later
import pytest

from voxelwright.voxel.jobs import Progress, finish, stage


def job(log, n=2, result="done"):
    try:
        for i in range(n):
            yield Progress((i + 1) / n, f"slice {i + 1}")
        return result
    finally:
        log.append("closed")


def test_finish_gives_the_result_and_reports_each_slice():
    seen = []
    assert finish(job([]), seen.append) == "done"
    assert seen == [(0.5, "slice 1"), (1.0, "slice 2")]
    assert seen[0].fraction == 0.5
    assert seen[0].what == "slice 1"


def test_finish_needs_nobody_who_listens():
    assert finish(job([])) == "done"
    assert finish(job([], n=0, result=None)) is None


def test_a_stage_maps_progress_and_passes_the_result_on():
    seen = []
    assert finish(stage(job([]), 0.2, 0.6), seen.append) == "done"
    assert seen == [(pytest.approx(0.4), "slice 1"), (pytest.approx(0.6), "slice 2")]


def test_stages_follow_one_another_and_nest():
    def both():
        first = yield from stage(job([], result=1), 0.0, 0.5)
        second = yield from stage(stage(job([], result=2), 0.0, 0.5), 0.5, 1.0)
        return first + second

    seen = []
    assert finish(both(), seen.append) == 3
    assert [progress.fraction for progress in seen] == [0.25, 0.5, 0.625, 0.75]


def test_nothing_runs_before_the_first_slice_is_asked_for():
    log = []
    outer = stage(job(log), 0.0, 1.0)
    assert log == []
    outer.close()
    assert log == []


def test_closing_a_stage_closes_its_job():
    log = []
    outer = stage(job(log), 0.0, 1.0)
    next(outer)
    outer.close()
    assert log == ["closed"]


def test_errors_pass_through():
    def failing():
        yield Progress(0.5, "half")
        raise ValueError("from within")

    with pytest.raises(ValueError, match="from within"):
        finish(stage(failing(), 0.0, 1.0))
