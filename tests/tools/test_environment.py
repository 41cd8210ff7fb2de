# SPDX-License-Identifier: GPL-3.0-or-later
import os
import subprocess
from pathlib import Path

import environment
import pytest

SETUP = environment.CHECKOUT / "tools" / "setup-environment"


def setup(**variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SETUP], check=False, capture_output=True, encoding="utf-8", env=os.environ | variables)


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """Something that says it is Python 3.12."""
    path = tmp_path / "a python"
    path.write_text("#!/bin/sh\ncase $2 in *sys*) echo 3.12 ;; esac\n")
    path.chmod(0o755)
    return path


def test_python_without_a_wheel_of_bpy_is_refused(python: Path) -> None:
    done = setup(PYTHON=str(python))
    assert done.returncode == 1
    assert done.stderr.startswith("Python 3.12 cannot be used")
    assert done.stderr.count("\n") == 1


def test_python_that_does_not_run_is_refused(tmp_path: Path) -> None:
    done = setup(PYTHON=str(tmp_path / "nothing"))
    assert done.returncode == 1
    assert "does not run" in done.stderr


def test_blender_that_is_not_pinned_is_refused() -> None:
    done = setup(BPY="4.4.0")
    assert done.returncode == 1
    assert done.stderr == "Blender 4.4.0 is not pinned: take one of 4.5.15 5.0.1 5.2.3.\n"


def test_missing_system_libraries_are_named_by_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(environment, "loads", lambda library: library not in {"libXt.so.6", "libEGL.so.1"})
    assert environment.missing_packages()[:2] == ["libxt6", "libegl1"]


def test_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("")
    with pytest.raises(SystemExit, match="something else than a virtual environment"):
        environment.make(tmp_path, [])
    assert (tmp_path / "thesis.txt").exists()
