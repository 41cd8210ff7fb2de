# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a group of benchmarks, prints its table and writes it to build/bench/GROUP.json.

A group is a file beside this one with a function rows(), which measures ours and the peer by turns on one thread and
returns a list of dicts: name, ours, peer (None where there is none), ratio, target, unit, and, if something is to be
said about how the peer's figure came about, note. rows() is run in several processes, one after another, because the
same code takes a different time in each; the figures are the medians.

    python benchmarks/run.py greedy [--processes 5]
"""

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build" / "bench"
Row = dict[str, Any]


def measure(group: str) -> list[Row]:
    """The rows of one group, in this process."""
    from voxelwright.voxel import kernels

    kernels.use_cache(ROOT / "build" / "kernel-cache")
    rows: list[Row] = importlib.import_module(group).rows()
    return rows


def measure_in_process(group: str) -> list[Row]:
    """The same in a new process, which never sees Blender's settings of the user."""
    with tempfile.TemporaryDirectory(prefix="voxelwright-bench-") as folder:
        environment = {**os.environ, "BLENDER_USER_RESOURCES": folder}
        result = Path(folder) / "rows.json"
        command = [sys.executable, __file__, group, "--into", str(result)]
        # What Blender prints is not part of the table.
        done = subprocess.run(
            command, check=False, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\nThe benchmarks of {group} failed: what they printed is above.")
        rows: list[Row] = json.loads(result.read_text(encoding="utf-8"))
        return rows


def summarise(runs: list[list[Row]]) -> list[Row]:
    """One row of medians for the rows of the same place in each run."""
    rows = []
    for same in zip(*runs, strict=True):
        ours = median(row["ours"] for row in same)
        peer = median(row["peer"] for row in same) if same[0]["peer"] is not None else None
        # Of the ratios, not of the figures: both sides of one ratio saw the same machine.
        ratio = median(row["ratio"] for row in same) if peer else None
        rows.append({**same[0], "ours": ours, "peer": peer, "ratio": ratio, "machine": machine()})
    return rows


def machine() -> str:
    """The processor's name, and how many of them there are."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    python = f"Python {platform.python_version()}"
    return f"{name}, {os.cpu_count()} processors, {platform.system()}, {python}"


def table(rows: list[Row]) -> str:
    """The rows as text, in columns."""
    lines = [["", "ours", "peer", "ratio", "target", "unit"]]
    for row in rows:
        numbers = [row["ours"], row["peer"], row["ratio"]]
        target = "" if row["target"] is None else f"≤ {row['target']:g}"
        lines.append([row["name"], *("" if n is None else f"{n:,.4g}" for n in numbers), target, row["unit"]])
    widths = [max(len(line[k]) for line in lines) for k in range(6)]
    text = [
        "  ".join(
            cell.ljust(width) if k in (0, 5) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    notes = dict.fromkeys(row["note"] for row in rows if row.get("note"))
    return "\n".join([*(line.rstrip() for line in text), "", *notes, rows[0]["machine"]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("group", choices=sorted(p.stem for p in Path(__file__).parent.glob("*.py") if is_group(p)))
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.into:
        arguments.into.write_text(json.dumps(measure(arguments.group)), encoding="utf-8")
        return
    rows = summarise([measure_in_process(arguments.group) for _ in range(max(arguments.processes, 1))])
    RESULTS.mkdir(parents=True, exist_ok=True)
    text = json.dumps(rows, indent=1, ensure_ascii=False)
    (RESULTS / f"{arguments.group}.json").write_text(text + "\n", encoding="utf-8")
    print(table(rows))


def is_group(path: Path) -> bool:
    return "def rows(" in path.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
