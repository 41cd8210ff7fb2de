# SPDX-License-Identifier: GPL-3.0-or-later
"""First use: kernels compile before the work, are shown as such, and are kept."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
from voxelwright.addon import presets, worlds
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.settings import Recipe

stages = []
recipe = Recipe(presets.world_text(presets.DEFAULT_WORLD_PRESET), (40, 40, 100), 1)
world = finish(worlds.generate(recipe), lambda progress: stages.append(progress.what))
finish(worlds.mesh_for_bake(world, worlds.BakeOptions()), lambda progress: stages.append(progress.what))
print(*stages, sep=chr(10))
"""


def stages_of_a_process(cache: Path) -> list[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT], check=True, capture_output=True, encoding="utf-8", env=environment
    )
    return list(dict.fromkeys(done.stdout.splitlines()))


def test_compiling_is_told_at_the_first_use_and_never_again(tmp_path):
    first, second = stages_of_a_process(tmp_path), stages_of_a_process(tmp_path)
    compiling = [stage for stage in first if stage.startswith("Compiling, at first use only")]
    assert len(compiling) >= 6
    assert first.index("Compiling, at first use only: Filling chunks") < first.index("Filling chunks")
    assert first.index("Compiling, at first use only: Meshing blocks") < first.index("Meshing blocks")
    assert second == [stage for stage in first if stage not in compiling]
