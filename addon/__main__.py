# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line outside Blender: `python -m voxelwright.addon …`, and the script `voxelwright`."""

import sys

from . import cli


def main() -> int:
    return cli.main(enable_extension=_enable_extension)


def _enable_extension() -> None:
    # Registering again would fail; a process runs one command, but tests run several.
    from . import registration

    if not registration.is_registered():
        registration.register()


if __name__ == "__main__":
    sys.exit(main())
