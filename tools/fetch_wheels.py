# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetches the wheels that the extension brings along, as pinned with their hashes in tools/wheels.lock.

python tools/fetch_wheels.py            fetch what is missing in build/wheels, and check everything
python tools/fetch_wheels.py --update   write the lock anew for the versions in requirements/bundle.txt
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
LOCK = TOOLS / "wheels.lock"
PINS = TOOLS.parent / "requirements" / "bundle.txt"
WHEELS = TOOLS.parent / "build" / "wheels"

PLATFORM_TAGS = {
    "linux-x64": "manylinux_2_28_x86_64",
    "windows-x64": "win_amd64",
    "macos-arm64": "macosx_12_0_arm64",
}
"""Blender's platforms, and the newest wheel tag that each one's oldest system can load."""

PYTHONS = ("cp311", "cp313", "cp314")
"""The Pythons of Blender's own builds, and of those that distributions make."""

HEADER = """\
# Written by tools/fetch_wheels.py --update: the wheels that the extension brings along.
"""


class ToolError(Exception):
    """Something that stops a tool; str() is one sentence."""


@dataclass(frozen=True, order=True)
class Wheel:
    """One entry of the lock. platform is one of Blender's, python a wheel's tag such as cp313."""

    platform: str
    python: str
    name: str
    version: str
    filename: str
    sha256: str


def read_lock(path: Path = LOCK) -> list[Wheel]:
    return [Wheel(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["wheel"]]


def lock_text(wheels: Iterable[Wheel]) -> str:
    """The lock file that read_lock reads."""
    entries = ("".join(f'{key} = "{value}"\n' for key, value in asdict(wheel).items()) for wheel in sorted(wheels))
    return HEADER + "".join(f"\n[[wheel]]\n{entry}" for entry in entries)


def read_pins(path: Path = PINS) -> dict[str, str]:
    """Versions by name, from lines of the form name==version."""
    lines = (line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return dict(line.split("==") for line in lines if line)


def select(wheels: Iterable[Wheel], platforms: Iterable[str], pythons: Iterable[str]) -> list[Wheel]:
    """The wheels for all of these platforms and Pythons. Raises ToolError where the lock has none for a pair."""
    wheels = list(wheels)
    selected = []
    for platform in platforms:
        for python in pythons:
            found = [wheel for wheel in wheels if (wheel.platform, wheel.python) == (platform, python)]
            if not found:
                raise ToolError(f"tools/wheels.lock has no wheels for {python} on {platform}.")
            selected += found
    return selected


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download(platform: str, python: str, pins: dict[str, str], folder: Path) -> None:
    """Let pip bring the wheels of some packages for a platform and a Python into a folder."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", f"--dest={folder}", f"--platform={PLATFORM_TAGS[platform]}"]
    command += ["--implementation=cp", f"--python-version={python.removeprefix('cp')}", f"--abi={python}"]
    command += [f"{name}=={version}" for name, version in pins.items()]
    if subprocess.run(command, check=False).returncode:
        raise ToolError(f"The wheels for {python} on {platform} could not be downloaded: pip's message is above.")


def fetch(wheels: Iterable[Wheel], folder: Path = WHEELS) -> None:
    """Bring wheels into folder, keeping those that are there with the right hash.

    Raises ToolError where one cannot be had, or is not the file that was locked; such a file is removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wheels = sorted(wheels)
    missing = [wheel for wheel in wheels if not is_right(folder / wheel.filename, wheel)]
    for wheel in missing:
        (folder / wheel.filename).unlink(missing_ok=True)
    for (platform, python), group in groupby(missing, key=lambda wheel: (wheel.platform, wheel.python)):
        download(platform, python, {wheel.name: wheel.version for wheel in group}, folder)
    for wheel in missing:
        path = folder / wheel.filename
        if not path.exists():
            raise ToolError(f"The index no longer serves {wheel.filename}: run tools/fetch_wheels.py --update.")
        if not is_right(path, wheel):
            path.unlink()
            raise ToolError(f"{wheel.filename} is not the file that was locked: its hash differs, so it was removed.")


def is_right(path: Path, wheel: Wheel) -> bool:
    return path.exists() and sha256_of(path) == wheel.sha256


def update(lock: Path = LOCK) -> None:
    """Write the lock anew, from what the index serves now for the pinned versions."""
    wheels = []
    for platform in PLATFORM_TAGS:
        for python in PYTHONS:
            with tempfile.TemporaryDirectory() as folder:
                download(platform, python, read_pins(), Path(folder))
                for path in Path(folder).iterdir():
                    name, version, *_ = path.name.split("-")
                    wheels.append(Wheel(platform, python, name, version, path.name, sha256_of(path)))
    lock.write_text(lock_text(wheels), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the lock anew")
    arguments = parser.parse_args()
    try:
        if arguments.update:
            update()
        fetch(read_lock())
    except ToolError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
