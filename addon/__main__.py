# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line outside Blender: `python -m voxelwright.addon …`, and the script `voxelwright`."""

import os
import sys
from typing import NoReturn

from . import cli

_blender_version: tuple[int, int, int] | None = None


def main() -> int:
    return cli.main(enable_extension=_enable_extension)


def run() -> NoReturn:
    """main() as the whole of a process."""
    code = main()
    if _blender_version is not None and _blender_version < (5, 0, 0):
        # As a Python module Blender 4.5 crashes or hangs on leaving once numba and its glTF exporter have been used.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _enable_extension() -> None:
    import bpy

    from . import registration

    global _blender_version
    _blender_version = bpy.app.version
    # Registering again would fail; a process runs one command, but tests run several.
    if not registration.is_registered():
        registration.register()


if __name__ == "__main__":
    run()
