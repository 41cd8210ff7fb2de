# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the zips that Blender installs, one a platform, and validates them; both with Blender's own tool.

The zips are made from a staging folder, to which the rooms listed here are copied, all with one date: equal sources
give equal zips but for the date of the manifest and the order of the files, which Blender's tool chooses.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

from fetch_wheels import LOCK, PLATFORM_TAGS, PYTHONS, WHEELS, ToolError, Wheel, fetch, read_lock, select

CHECKOUT = Path(__file__).resolve().parent.parent
ROOMS = ("addon", "gpu_backend", "presets", "shaders", "voxel")
FILES = ("LICENSE", "__init__.py")
MANIFEST = "blender_manifest.toml"
DEFAULT_PYTHONS = ("cp311", "cp313")
EPOCH = 315_619_200
"""2 January 1980 in UTC: about the earliest date that a zip can hold."""


def blender_tool() -> Path:
    """Blender's command-line tool for extensions, in the bpy wheel of this environment."""
    spec = importlib.util.find_spec("bpy")
    for folder in (spec and spec.submodule_search_locations) or ():
        for path in Path(folder).glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"):
            return path
    raise ToolError("bpy, which brings Blender's tool for extensions, is missing here: run this by `make extension`.")


def manifest_text(platforms: Sequence[str], wheels: Sequence[Wheel]) -> str:
    """The manifest of the checkout, narrowed to these platforms, with its list of wheels."""
    text = (CHECKOUT / MANIFEST).read_text(encoding="utf-8")
    (line,) = (line for line in text.splitlines() if line.startswith("platforms = "))
    lists = [
        "platforms = [" + ", ".join(f'"{platform}"' for platform in platforms) + "]",
        "wheels = [",
        *(f'    "./wheels/{wheel.filename}",' for wheel in wheels),
        "]",
    ]
    return text.replace(line, "\n".join(lists))


def stage(folder: Path, platforms: Sequence[str], wheels: Sequence[Wheel]) -> None:
    """Fill an empty folder with what goes into the zips, all of one date."""
    for room in ROOMS:
        shutil.copytree(CHECKOUT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    for name in FILES:
        shutil.copyfile(CHECKOUT / name, folder / name)
    (folder / MANIFEST).write_text(manifest_text(platforms, wheels), encoding="utf-8")
    (folder / "wheels").mkdir()
    for wheel in wheels:
        shutil.copyfile(WHEELS / wheel.filename, folder / "wheels" / wheel.filename)
    for path in folder.rglob("*"):
        os.utime(path, (EPOCH, EPOCH))
        path.chmod(0o755 if path.is_dir() else 0o644)


def run_tool(*arguments: str | Path) -> None:
    """Run Blender's tool, showing what it says only where it fails."""
    # A zip holds local times.
    environment = os.environ | {"TZ": "UTC"}
    command = [sys.executable, blender_tool(), *arguments]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8", env=environment)
    if done.returncode:
        raise ToolError(
            f"Blender's tool refused to {arguments[0]} the extension: {(done.stdout + done.stderr).strip()}"
        )


def build(platforms: Sequence[str], pythons: Sequence[str], output: Path) -> list[Path]:
    """Build and validate one zip a platform in the folder output, and return their paths.

    Older zips of ours in that folder are removed. Raises ToolError where a wheel cannot be had, or where Blender's tool
    finds fault.
    """
    wheels = select(read_lock(LOCK), platforms, pythons)
    fetch(wheels)
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob("voxelwright-*.zip"):
        old.unlink()
    with tempfile.TemporaryDirectory(dir=output) as staging:
        stage(Path(staging), platforms, wheels)
        run_tool("build", "--split-platforms", "--source-dir", staging, "--output-dir", output)
    zips = sorted(output.glob("voxelwright-*.zip"))
    for path in zips:
        run_tool("validate", path)
    return zips


def main() -> None:
    all_platforms = tomllib.loads((CHECKOUT / MANIFEST).read_text(encoding="utf-8"))["platforms"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platforms", nargs="+", choices=PLATFORM_TAGS, default=all_platforms)
    parser.add_argument("--pythons", nargs="+", choices=PYTHONS, default=DEFAULT_PYTHONS)
    arguments = parser.parse_args()
    try:
        for path in build(arguments.platforms, arguments.pythons, CHECKOUT / "build" / "extension"):
            print(f"{path} {path.stat().st_size / 1e6:.1f} MB")
    except ToolError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
