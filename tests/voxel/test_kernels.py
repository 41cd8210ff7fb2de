# SPDX-License-Identifier: GPL-3.0-or-later
"""Where compiled kernels are kept, tried on a small room with a copy of kernels.py."""

import importlib.util
import shutil
import subprocess
import sys
import textwrap

import numba
import pytest

from voxelwright.voxel import kernels


@pytest.fixture
def room(tmp_path):
    """A folder with a copy of kernels.py and other sources."""
    folder = tmp_path / "room"
    (folder / "mesh").mkdir(parents=True)
    shutil.copy(kernels.__file__, folder / "kernels.py")
    (folder / "__init__.py").touch()
    (folder / "mesh" / "helper.py").write_text("ANSWER = 1\n")
    return folder


@pytest.fixture
def copied(room):
    """The copy of kernels.py as a module of its own, without a cache yet."""
    spec = importlib.util.spec_from_file_location("copied_kernels", room / "kernels.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def numba_cache_dir(monkeypatch):
    """Another extension's setting of numba's process-wide folder."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "/somebody/else")
    return "/somebody/else"


def numba_setting():
    return numba.config.CACHE_DIR


def test_the_folder_is_made_and_kept_in_mind(copied, tmp_path):
    assert copied.cache_folder() is None
    folder = copied.use_cache(tmp_path / "not" / "there" / "yet")
    assert folder.is_dir()
    assert folder.parent == tmp_path / "not" / "there" / "yet"
    assert copied.cache_folder() == folder
    assert copied.use_cache(folder.parent) == folder, "the same sources, the same folder"


def change(room):
    (room / "mesh" / "helper.py").write_text("ANSWER = 2\n")


def add(room):
    (room / "mesh" / "other.py").touch()


def remove(room):
    (room / "mesh" / "helper.py").unlink()


def rename(room):
    (room / "mesh" / "helper.py").rename(room / "helper.py")


@pytest.mark.parametrize("touch", [change, add, remove, rename])
def test_the_folder_changes_with_the_sources(copied, room, tmp_path, touch):
    before = copied.use_cache(tmp_path / "cache")
    (before / "compiled").touch()
    touch(room)
    after = copied.use_cache(tmp_path / "cache")
    assert after != before
    assert (before / "compiled").exists(), "another Blender may be using it"


def test_the_folder_does_not_depend_on_where_the_room_lies(copied, room, tmp_path):
    before = copied.use_cache(tmp_path / "cache")
    moved = room.rename(tmp_path / "moved")
    copied.__file__ = str(moved / "kernels.py")
    assert copied.use_cache(tmp_path / "cache") == before


@pytest.mark.parametrize("of", ["python", "numba"])
def test_the_folder_changes_with_the_versions(copied, tmp_path, monkeypatch, of):
    before = copied.use_cache(tmp_path)
    if of == "numba":
        monkeypatch.setattr(numba, "__version__", "another")
    else:
        monkeypatch.setattr(sys, "version", "another")
    assert copied.use_cache(tmp_path) != before


def test_kernels_are_cached_there_and_numbas_own_setting_is_put_back(copied, tmp_path, numba_cache_dir):
    folder = copied.use_cache(tmp_path / "cache")

    @copied.kernel
    def half(x):
        return x / 2

    assert numba_setting() == numba_cache_dir
    assert half(3) == 1.5
    assert list(folder.rglob("*.nbi")), "an index of compiled kernels"
    assert numba_setting() == numba_cache_dir


def test_without_a_folder_kernels_work_and_are_not_kept(copied, tmp_path, numba_cache_dir):
    @copied.kernel
    def half(x):
        return x / 2

    assert half(3) == 1.5
    assert numba_setting() == numba_cache_dir
    assert not list(tmp_path.rglob("*.nbi"))


def test_numbas_setting_is_put_back_after_a_kernel_that_cannot_be_decorated(copied, tmp_path, numba_cache_dir):
    copied.use_cache(tmp_path)
    with pytest.raises(TypeError):
        copied.kernel("no function")
    assert numba_setting() == numba_cache_dir


def test_division_follows_numpy(copied):
    @copied.kernel
    def divide(a, b):
        return a / b

    assert divide(1.0, 0.0) == float("inf")


def test_a_changed_callee_never_leaves_a_stale_result(room, tmp_path):
    # numba alone looks at the file of the caller only, and would go on returning 1.
    (room / "helper.py").write_text(
        textwrap.dedent("""
            from .kernels import kernel

            @kernel
            def answer():
                return 1
        """)
    )
    (room / "caller.py").write_text(
        textwrap.dedent("""
            from .helper import answer
            from .kernels import kernel

            @kernel
            def asked():
                return answer()
        """)
    )
    script = textwrap.dedent(f"""
        from pathlib import Path
        from room import kernels
        kernels.use_cache(Path({str(tmp_path / "cache")!r}))
        from room.caller import asked
        print(asked(), sum(asked.stats.cache_hits.values()))
    """)

    def run():
        done = subprocess.run(
            [sys.executable, "-c", script], check=True, capture_output=True, encoding="utf-8", cwd=tmp_path
        )
        return done.stdout.split()

    assert run() == ["1", "0"]
    assert run() == ["1", "1"], "kept between processes"
    (room / "helper.py").write_text((room / "helper.py").read_text().replace("return 1", "return 2"))
    assert run() == ["2", "0"]


def test_this_project_keeps_its_kernels():
    # Else every run of the tests compiles everything anew.
    assert kernels.cache_folder() is not None
