# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a virtual environment from pinned requirements, with the checkout in it as the package voxelwright.

Called by tools/setup-environment, which chooses the Python. The environment is stamped when complete, and left alone
as long as the stamp holds.
"""

import argparse
import ctypes
import hashlib
import shlex
import subprocess
import sys
import venv
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
LINK = CHECKOUT / "build" / "dev" / "voxelwright"
STAMP = "voxelwright-stamp"

SYSTEM_LIBRARIES = {
    "libX11.so.6": "libx11-6",
    "libXrender.so.1": "libxrender1",
    "libXfixes.so.3": "libxfixes3",
    "libXi.so.6": "libxi6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libSM.so.6": "libsm6",
    "libXt.so.6": "libxt6",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
}
"""What bpy and EGL load on Linux, and Debian's packages that hold it."""

CONSOLE_SCRIPT = """\
#!/bin/sh
exec {python} -P -c 'from voxelwright.addon.__main__ import run; run()' "$@"
"""


def missing_packages() -> list[str]:
    """Debian's packages for the system libraries that cannot be loaded here."""
    if sys.platform != "linux":
        return []
    packages = [package for library, package in SYSTEM_LIBRARIES.items() if not loads(library)]
    # The drivers are not loaded by a name that could be tried. Only Debian's place for them is known.
    if Path("/etc/debian_version").exists() and not any(Path("/usr/lib").glob("*/dri/*_dri.so")):
        packages.append("libgl1-mesa-dri")
    return packages


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def stamp_of(requirements: list[Path]) -> str:
    """What an environment was made from: equal stamps mean equal environments."""
    digest = hashlib.sha256(f"{sys.version}|{sys.base_prefix}|{CHECKOUT}".encode())
    for path in [Path(__file__), *requirements]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def link_checkout() -> None:
    """Make the folder through which the checkout, whatever its name, is imported as voxelwright."""
    if LINK.is_symlink() and LINK.resolve() == CHECKOUT:
        return
    LINK.parent.mkdir(parents=True, exist_ok=True)
    LINK.unlink(missing_ok=True)
    LINK.symlink_to(CHECKOUT, target_is_directory=True)


def make(folder: Path, requirements: list[Path]) -> None:
    """Make the environment anew, with everything pinned installed."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        sys.exit(f'"{folder}" holds something else than a virtual environment: name another folder as VENV.')
    print(f"Making {folder} with Python {sys.version.split()[0]} …", flush=True)
    venv.create(folder, with_pip=True, clear=True)
    python = str(folder.absolute() / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--only-binary=:all:"]
    subprocess.run([*pip, *(f"--requirement={path}" for path in requirements)], check=True)
    (site_packages,) = (folder / "lib").glob("python3.*/site-packages")
    (site_packages / "voxelwright.pth").write_text(f"{LINK.parent}\n", encoding="utf-8")
    script = folder / "bin" / "voxelwright"
    script.write_text(CONSOLE_SCRIPT.format(python=shlex.quote(python)), encoding="utf-8")
    script.chmod(0o755)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blender", action="store_true", help="check first for the system libraries of bpy and EGL")
    parser.add_argument("folder", type=Path)
    parser.add_argument("requirements", type=Path, nargs="+")
    arguments = parser.parse_args()
    if arguments.blender and (packages := missing_packages()):
        sys.exit(f"System libraries are missing; on Debian install them with: apt-get install {' '.join(packages)}")
    link_checkout()
    stamp, made_from = arguments.folder / STAMP, stamp_of(arguments.requirements)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == made_from:
        return
    try:
        make(arguments.folder, arguments.requirements)
    except subprocess.CalledProcessError:
        sys.exit(f"{arguments.folder} could not be made: pip's message is above.")
    stamp.write_text(made_from, encoding="utf-8")


if __name__ == "__main__":
    main()
