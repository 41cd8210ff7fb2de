# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Blender with a window, for tests: the module bpy has no windows, and so no panels, tools and draw handlers.

Run as a script it makes the rig where there is none yet, and prints what is in it: a Debian of its own, in the folder
$VOXELWRIGHT_RIG, else ~/.cache/voxelwright/window-rig. Where it cannot be made, one sentence says why, and the exit
status is 69 (EX_UNAVAILABLE). It is entered with namespaces of its own, so that neither mounts nor processes stay on
this machine, and without a network.
"""

import fcntl
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

CHECKOUT = Path(__file__).resolve().parent.parent

SUITE = "sid"
PACKAGES = (
    *("blender", "python3-numpy", "python3-cattr", "python3-requests", "python3-zstandard"),
    *("xvfb", "xauth", "xdotool", "imagemagick"),
    *("libgl1", "libegl1", "libgl1-mesa-dri", "mesa-vulkan-drivers"),
)
"""Without its four Python packages Blender starts, but has no numpy and no extensions."""

BLENDER, PYTHON = "5.2", "3.14"
"""What Debian's suite must carry: the tests are written for this Blender, and the wheels are built for this Python."""

SETTINGS = {
    # A mirror may be days behind what its own Release file promises.
    "etc/apt/apt.conf.d/window-rig": 'Acquire::Check-Valid-Until "false";\nAPT::Install-Recommends "false";\n',
    # A root that is not finished is thrown away, so nothing needs to reach the disk in between.
    "etc/dpkg/dpkg.cfg.d/window-rig": "force-unsafe-io\npath-exclude=/usr/share/doc/*\npath-exclude=/usr/share/man/*\n"
    "path-exclude=/usr/share/locale/*\n",
}
"""Files of the root, and what is in them."""

SCREEN = (1000, 700)
"""Width and height of the screen, which Blender's window fills, in pixels."""

CHECKOUT_INSIDE, SESSION_INSIDE = Path("/checkout"), Path("/session")
"""Where programs in the rig see the checkout, read-only, and the folder of their session."""

# Arguments: the root; options, a folder and its place in the root, any number of times; "--"; the command.
ENTER = """\
set -e
root=$1
shift
mount -t proc proc "$root/proc"
mount --bind /sys "$root/sys"
mount --bind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
while [ "$1" != -- ]; do
    mount --bind -o "$1" "$2" "$root$3"
    shift 3
done
shift
# The command must not be the first process of its namespace, to which Xvfb does not say that it is ready.
status=0
chroot "$root" "$@" || status=$?
exit $status
"""


class NoRigError(Exception):
    """There is no rig; str() is one sentence that says why."""


def folder() -> Path:
    """Where the rig is, or will be."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("VOXELWRIGHT_RIG") or Path(cache) / "voxelwright" / "window-rig").absolute()


def root() -> Path:
    """The rig's own Debian."""
    return folder() / SUITE


def stamp() -> Path:
    """The file that is written when the rig is complete."""
    return folder() / "stamp"


def made_from() -> str:
    """What a rig is made from, as the stamp holds it: another text means that the rig is made anew."""
    return "\n".join([SUITE, *PACKAGES, BLENDER, PYTHON, *SETTINGS.values()])


def is_made() -> bool:
    return stamp().exists() and stamp().read_text(encoding="utf-8") == made_from()


def check_rig() -> None:
    """Raises NoRigError where nothing can be run in a rig here."""
    check_machine()
    if not is_made():
        raise NoRigError(f"There is no window rig in {folder()}: `make test-window` makes it.")


def check_machine() -> None:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise NoRigError("The window rig is made for Linux on x86-64 only.")
    if os.geteuid() != 0:
        raise NoRigError("The window rig needs root, to make a Debian of its own and to enter it.")
    if shutil.which("apt-get") is None:
        raise NoRigError("The window rig needs apt-get, to get debootstrap: make it on a Debian.")


# --- Entering -----------------------------------------------------------------------------------------------------


def entered(*command: str | Path, mounts: Sequence[tuple[str, Path, Path]] = ()) -> list[str | Path]:
    """The command that runs a command in the root. mounts are options, a folder, and its place in the root.

    All processes that it starts end with it, and all mounts.
    """
    unshare = ["unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child"]
    flat = [argument for mount in mounts for argument in mount]
    return [*unshare, "sh", "-c", ENTER, "enter", root(), *flat, "--", *command]


def run(
    *command: str | Path, session: Path, timeout: float, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in the rig without a network, with session/home as its home; stdout and stderr come together.

    session is the folder that the command sees as SESSION_INSIDE. Raises NoRigError, and subprocess.TimeoutExpired
    after timeout seconds; by then all that it had started has ended.
    """
    check_rig()
    (session / "home").mkdir(exist_ok=True)
    variables = {
        "PATH": "/usr/bin:/usr/sbin",
        "LANG": "C.UTF-8",
        "HOME": f"{SESSION_INSIDE}/home",
        **(environment or {}),
    }
    mounts = [("ro", CHECKOUT, CHECKOUT_INSIDE), ("rw", session.absolute(), SESSION_INSIDE)]
    return subprocess.run(
        ["unshare", "--net", *entered("env", f"--chdir={SESSION_INSIDE}", *command, mounts=mounts)],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env=variables,
        timeout=timeout,
    )


def run_window(
    script: Path, *arguments: str, backend: str, session: Path, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run a Python script, a file below the checkout, in a Blender with a window. backend is opengl or vulkan."""
    width, height = map(str, SCREEN)
    server = f"-screen 0 {width}x{height}x24 +extension GLX"
    blender = ["blender", "--factory-startup", "--gpu-backend", backend, "--enable-event-simulate"]
    blender += ["--window-geometry", "0", "0", width, height, "--python-exit-code", "1"]
    inside = CHECKOUT_INSIDE / script.relative_to(CHECKOUT)
    command = ["xvfb-run", "-a", "-s", server, *blender, "--python", str(inside), "--", *arguments]
    return run(*command, session=session, timeout=timeout, environment={"PYTHONDONTWRITEBYTECODE": "1"})


def versions() -> str:
    """Versions of what the rig holds, a line each."""
    query = ["dpkg-query", "--show", "--showformat=${Package} ${Version}\n", *PACKAGES, "python3"]
    done = subprocess.run(entered(*query), check=True, stdout=subprocess.PIPE, encoding="utf-8")
    return done.stdout


# --- Making -------------------------------------------------------------------------------------------------------


def make() -> None:
    """Make the rig where it is not made yet. Raises NoRigError where that cannot be."""
    check_machine()
    folder().mkdir(parents=True, exist_ok=True)
    with (folder() / "lock").open("w") as lock, (folder() / "log").open("a") as log:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_made():
            log.truncate(0)
            make_root(log)
            stamp().write_text(made_from(), encoding="utf-8")


def make_root(log: IO[str]) -> None:
    """Make the root anew, whatever is left of one."""
    print(f"Making the window rig in {folder()}: some minutes, 1.4 GB …", flush=True)
    stamp().unlink(missing_ok=True)
    # Should something be mounted in it, that is left alone.
    step(log, "rm", "-rf", "--one-file-system", root())
    if shutil.which("debootstrap") is None:
        step(log, "apt-get", "-qq", "update")
        step(log, "apt-get", "-qq", "-y", "install", "--no-install-recommends", "debootstrap")
    # It mounts things and does not always take them away again.
    step(log, "unshare", "--mount", "debootstrap", "--variant=minbase", SUITE, root())
    for name, text in SETTINGS.items():
        (root() / name).write_text(text, encoding="utf-8")
    for place in (CHECKOUT_INSIDE, SESSION_INSIDE):
        (root() / place.relative_to("/")).mkdir()
    step(log, *entered("apt-get", "-qq", "update"))
    check_suite()
    step(log, *entered("apt-get", "-qq", "-y", "install", *PACKAGES))
    step(log, *entered("apt-get", "clean"))


def check_suite() -> None:
    """Raises NoRigError where Debian has moved on to another Blender or Python, before all that is downloaded."""
    for package, wanted in (("blender", BLENDER), ("python3", PYTHON)):
        command = entered("apt-cache", "show", "--no-all-versions", package)
        # Where apt-get could not reach the mirror it still says that all is well, and nothing is shown.
        shown = subprocess.run(command, check=False, stdout=subprocess.PIPE, encoding="utf-8").stdout
        version = next((line.split()[1] for line in shown.splitlines() if line.startswith("Version:")), "none")
        if not version.startswith(f"{wanted}."):
            raise NoRigError(f"The window rig needs {package} {wanted}, and Debian {SUITE} carries {version}.")


def step(log: IO[str], *command: str | Path) -> None:
    """Run one command of the making. Raises NoRigError where it fails."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        command, check=False, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=environment
    )
    if done.returncode:
        name = next(str(word) for word in command if str(word) in ("rm", "debootstrap", "apt-get"))
        raise NoRigError(f"The window rig could not be made: {name} failed, and {log.name} says why.")


def main() -> None:
    try:
        make()
        print(versions(), end="")
    except NoRigError as error:
        print(error, file=sys.stderr)
        sys.exit(os.EX_UNAVAILABLE)


if __name__ == "__main__":
    main()
