# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 at random moments: of painting, where the journal must have all that was done, and of saving, where the file
must be the old one or the new one."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("crash_session.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
@pytest.mark.parametrize("what", ["painting", "saving"])
def test_nothing_that_was_done_is_lost(
    what: str, tmp_path: Path, repeats: Callable[[int, int], int], seeds: Callable[[int, int], Iterator[int]]
) -> None:
    n, seed = repeats(20, 200), next(seeds(1, 1))
    command = [sys.executable, "-P", str(SCRIPT), what, str(n), str(seed), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60 + 20 * n, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["wrong"] == []
    assert found["killed"] == n
    assert len(set(found["numbers"])) > min(n, 40) / 4  # at different moments, of which slow machines have few
