# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by test_crashes.py in a process of its own: is warm once, then forks children that paint or save until they are
killed, and judges what they left.

Arguments: "painting" or "saving", the number of children, a seed, and a folder. Prints a line of JSON: the kills, and
what was wrong.
"""

import hashlib
import json
import os
import random
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from voxelwright.addon import files, journal_files, registration, session
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.storage import world_to_bytes
from voxelwright.voxel.world import Edit, World, as_chunk, edit_of_chunks, new_world

PALETTE = Palette.of({1: Material("stone", (120, 120, 120)), 2: Material("grass", (60, 160, 60))})
N_EDITS = 400
LARGE_BYTES = 100_000
"""Some twenty edits, after which a journal is begun anew."""


def digest(world: World) -> str:
    return hashlib.sha256(world_to_bytes(world)).hexdigest()[:16]


def edit(world: World, number: int) -> Edit:
    """The edit of this number: a chunk of noise in the place of another."""
    noise = np.random.default_rng(number).choice(np.array([0, PALETTE.voxel(1)], np.uint16), (32, 32, 32))
    return edit_of_chunks(world, {(number % 7, number % 3, 0): as_chunk(noise)})


def paint(say: Any, _folder: Path) -> None:
    """Edit, and say the number of each edit once it is done."""
    owner = bpy.data.objects["World"]
    for number in range(N_EDITS):
        session.commit(owner, edit(session.own_world_of(owner), number))
        say(number)


def save(say: Any, folder: Path) -> None:
    """Edit and save by turns, and say the number of each edit once it is saved."""
    owner = bpy.data.objects["World"]
    for number in range(N_EDITS):
        session.commit(owner, edit(session.own_world_of(owner), number))
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / "world.blend"))
        say(number)


def expected_states() -> dict[str, int]:
    """The number of the last edit by the world's digest; −1 before the first."""
    world = first_world()
    states = {digest(world): -1}
    for number in range(N_EDITS):
        world.apply(edit(world, number))
        states[digest(world)] = number
    return states


def first_world() -> World:
    return new_world({(0, 0, 1): PALETTE.voxel(1)}, PALETTE)


def killed_child(work: Any, folder: Path, seconds: float) -> tuple[int, bool]:
    """Fork a child that works, kill it some time after its first word; the last number that it said, and whether it
    was killed at all."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            session.recorder.close(keep=False)
            session.recorder.is_on = True
            session.new_world_object(bpy.context, "World", first_world())
            os.write(write, b"-1\n")
            work(lambda number: os.write(write, b"%d\n" % number), folder)
            time.sleep(60)  # until it is killed
        finally:
            os._exit(0)
    os.close(write)
    select.select([read], [], [], 60)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    said = b""
    while part := os.read(read, 1 << 16):
        said += part
    os.close(read)
    return int(said.split()[-1]), os.WIFSIGNALED(status)


def judge_journal(folder: Path, last: int, states: dict[str, int]) -> str:
    """What is wrong with what a crash left, or ""."""
    paths = journal_files.crashed(folder / "journals")
    if not 1 <= len(paths) <= 2:  # two where it was just begun anew
        return f"{len(paths)} journals"
    found = next(world for path in paths for world in journal_files.worlds_of(path).values())
    number = states.get(digest(finish(found.loading()).world))
    for path in paths:
        journal_files.remove(path)
    if number is None:
        return "a world that never was"
    return "" if number in (last, last + 1) else f"edit {number} where {last} was done"


def judge_file(folder: Path, last: int, states: dict[str, int]) -> str:
    """What is wrong with the saved file, or ""."""
    # Blender renames the old file before it puts the new one into its place.
    path = next((p for p in (folder / "world.blend", folder / "world.blend1") if p.exists()), None)
    if path is None:
        return "" if last < 0 else "no file"
    bpy.ops.wm.open_mainfile(filepath=str(path))
    number = states.get(digest(session.world_of(bpy.data.objects["World"])))
    bpy.ops.wm.read_homefile(use_empty=True)
    if number is None:
        return "a world that never was"
    return "" if number in (last, last + 1) else f"edit {number} where {last} was saved"


def main() -> None:
    what, n_children, seed, name = sys.argv[1:]
    folder, rng = Path(name), random.Random(int(seed))
    files.user_folder = lambda part: folder / part
    journal_files.LARGE_BYTES = LARGE_BYTES
    registration.register()
    bpy.ops.wm.read_homefile(use_empty=True)
    states = expected_states()
    n_killed, wrong, numbers = 0, [], []
    for n in range(int(n_children)):
        for left in (*(folder / "journals").glob("*"), *folder.glob("world.blend*")):
            left.unlink()
        last, was_killed = killed_child(paint if what == "painting" else save, folder, rng.uniform(0.0, 0.4))
        n_killed += was_killed
        numbers.append(last)
        fault = judge_file(folder, last, states) if what == "saving" else judge_journal(folder, last, states)
        if fault:
            wrong.append(f"child {n}: {fault}")
    sys.stdout.write(json.dumps({"killed": n_killed, "numbers": numbers, "wrong": wrong}) + "\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
