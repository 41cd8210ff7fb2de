# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share. Kernels are cached in build/, and Blender's user folders are temporary ones."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from voxelwright.voxel import kernels

ROOT = Path(__file__).resolve().parent.parent

# Both count only if they are set before the first kernel is compiled and before bpy is imported.
kernels.use_cache(ROOT / "build" / "kernel-cache")
_blender_user = tempfile.TemporaryDirectory(prefix="voxelwright-tests-")
os.environ["BLENDER_USER_RESOURCES"] = _blender_user.name

EXIT_STATUS = pytest.StashKey[int]()
FIRST_SEED = pytest.StashKey[int]()
LAST_SEED = pytest.StashKey[int]()


# --- Random tests: how often, by which seeds ----------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--soak",
        action="store_true",
        help="run only the tests that repeat something random, many more times and with seeds of their own",
    )
    parser.addoption("--first-seed", type=int, help="where the seeds of random tests begin")


def pytest_configure(config: pytest.Config) -> None:
    first = config.getoption("--first-seed")
    if first is None:
        first = random.SystemRandom().randrange(1 << 48) if config.getoption("--soak") else 0
    config.stash[FIRST_SEED] = first


def pytest_report_header(config: pytest.Config) -> str:
    return f"seeds from {config.stash[FIRST_SEED]} (--first-seed)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--soak"):
        repeating = [item for item in items if {"repeats", "seeds"} & set(getattr(item, "fixturenames", ()))]
        config.hook.pytest_deselected(items=[item for item in items if item not in repeating])
        items[:] = repeating


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and LAST_SEED in item.stash:
        file, seed = _seed_file(item), item.stash[LAST_SEED]
        report.sections.append(("Seed", f"{seed}; to try it first from now on: echo {seed} >> {file}"))
    return report


def _seed_file(item: pytest.Item) -> Path:
    """Where the seeds are kept, one a line, with which a test has failed once."""
    room = Path("tests", *item.path.relative_to(ROOT / "tests").parts[:1])
    return room / "regressions" / f"{getattr(item, 'originalname', item.name)}.txt"


@pytest.fixture(scope="session")
def repeats(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """repeats(usual, soak): how often to do something random, which `make soak` does more often."""
    return lambda usual, soak: soak if request.config.getoption("--soak") else usual


@pytest.fixture
def seeds(request: pytest.FixtureRequest, repeats: Callable[[int, int], int]) -> Callable[[int, int], Iterator[int]]:
    """seeds(usual, soak): as many seeds, after those with which the test has failed before. The one at work when a test
    fails is printed."""

    def all_seeds(usual: int, soak: int) -> Iterator[int]:
        first = request.config.stash[FIRST_SEED]
        kept = ROOT / _seed_file(request.node)
        before = [int(line) for line in kept.read_text(encoding="utf-8").split()] if kept.exists() else []
        for seed in (*before, *range(first, first + repeats(usual, soak))):
            request.node.stash[LAST_SEED] = seed
            yield seed
        del request.node.stash[LAST_SEED]

    return all_seeds


# --- Files and tools ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Sample files that lie beside the checkout, too large to be part of it."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the sample files are not there: {folder}")
    return folder


@pytest.fixture(scope="session")
def validate_gltf() -> Callable[[Path], dict[str, Any]]:
    """A function that gives the Khronos validator's report on a .glb file."""
    node = shutil.which("node")
    if node is None or not (ROOT / "node_modules" / "gltf-validator").is_dir():
        pytest.skip("the glTF validator is not installed: it needs node and `npm ci`")

    def validate(path: Path) -> dict[str, Any]:
        done = subprocess.run(
            [node, ROOT / "tools" / "validate_gltf.js", path], check=False, capture_output=True, encoding="utf-8"
        )
        assert done.stdout, done.stderr
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    return validate


def pytest_unconfigure(config: pytest.Config) -> None:
    _blender_user.cleanup()
    bpy = sys.modules.get("bpy")
    if bpy is not None and bpy.app.version < (5, 0):
        # bpy 4.5 can wait forever for a thread of its own when a process that has exported glTF ends in the usual way.
        shutil.rmtree(bpy.app.tempdir, ignore_errors=True)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[EXIT_STATUS])


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[EXIT_STATUS] = exitstatus
