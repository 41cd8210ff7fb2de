# SPDX-License-Identifier: GPL-3.0-or-later
import hashlib
from pathlib import Path

import fetch_wheels
import pytest
from fetch_wheels import ToolError, Wheel

Index = list[tuple[str, str, dict[str, str]]]


def wheel(content: bytes = b"wheel", platform: str = "linux-x64", python: str = "cp313") -> Wheel:
    filename = f"numba-1.0-{python}-{python}-any.whl"
    return Wheel(platform, python, "numba", "1.0", filename, hashlib.sha256(content).hexdigest())


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Index:
    """An index that serves every wheel with the content b"wheel", and notes what was asked for."""
    asked: Index = []

    def download(platform: str, python: str, pins: dict[str, str], folder: Path) -> None:
        asked.append((platform, python, pins))
        (folder / wheel(platform=platform, python=python).filename).write_bytes(b"wheel")

    monkeypatch.setattr(fetch_wheels, "download", download)
    return asked


def test_lock_is_read_as_it_was_written(tmp_path: Path) -> None:
    wheels = [wheel(python="cp311"), wheel(python="cp313"), wheel(platform="windows-x64")]
    (tmp_path / "lock").write_text(fetch_wheels.lock_text(reversed(wheels)))
    assert fetch_wheels.read_lock(tmp_path / "lock") == wheels


def test_pins_are_read_without_comments(tmp_path: Path) -> None:
    (tmp_path / "pins").write_text("# these\na==1.0\n\nb-c==2  # that\n")
    assert fetch_wheels.read_pins(tmp_path / "pins") == {"a": "1.0", "b-c": "2"}


def test_select_takes_what_is_asked_for_and_refuses_what_is_not_locked() -> None:
    wheels = [wheel(python="cp311"), wheel(python="cp313"), wheel(platform="windows-x64")]
    assert fetch_wheels.select(wheels, ["linux-x64"], ["cp313"]) == [wheels[1]]
    with pytest.raises(ToolError, match="cp311 on windows-x64"):
        fetch_wheels.select(wheels, ["linux-x64", "windows-x64"], ["cp311"])


def test_fetch_brings_missing_and_broken_wheels_and_keeps_the_others(tmp_path: Path, index: Index) -> None:
    missing, broken, there = wheel(python="cp311"), wheel(python="cp313"), wheel(python="cp314")
    (tmp_path / broken.filename).write_bytes(b"half a whe")
    (tmp_path / there.filename).write_bytes(b"wheel")
    fetch_wheels.fetch([missing, broken, there], tmp_path)
    assert index == [("linux-x64", "cp311", {"numba": "1.0"}), ("linux-x64", "cp313", {"numba": "1.0"})]
    assert (tmp_path / broken.filename).read_bytes() == b"wheel"


def test_fetch_refuses_and_removes_a_wheel_with_another_hash(tmp_path: Path, index: Index) -> None:
    other = wheel(b"what was locked")
    with pytest.raises(ToolError, match="not the file that was locked"):
        fetch_wheels.fetch([other], tmp_path)
    assert index
    assert list(tmp_path.iterdir()) == []


def test_fetch_says_when_the_index_serves_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch_wheels, "download", lambda *_: None)
    with pytest.raises(ToolError, match="no longer serves numba"):
        fetch_wheels.fetch([wheel()], tmp_path)
