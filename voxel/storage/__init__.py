# SPDX-License-Identifier: GPL-3.0-or-later
"""A world as bytes: what .vxw files, .blend files and journals hold. docs/formats/world.md specifies it to the byte.

Reading is bounded and sceptical: every claimed size is checked before anything is allocated, and whatever is wrong
becomes one VoxelwrightError. A damaged chunk is left out and told, and the others load.
"""

from typing import NamedTuple

from ..errors import VoxelwrightError
from ..jobs import Job, finish
from ..limits import MAX_WORLD_FILE_BYTES
from ..world import Coord, World
from .version_0 import read_version_0
from .version_1 import MAGIC, MAJOR, read_version_1, write_version_1


class Loaded(NamedTuple):
    """A world that was read, and the coordinates of chunks that were damaged and are left out of it."""

    world: World
    damaged: tuple[Coord, ...]

    @property
    def damage(self) -> str:
        """One sentence for the user on the damaged chunks; empty where there are none."""
        if not self.damaged:
            return ""
        n = len(self.damaged)
        which = ", ".join(str(coord) for coord in self.damaged[:3]) + (", …" if n > 3 else "")
        return (
            f"{n} of the world's chunks {'is' if n == 1 else 'are'} damaged and left out, at {which}, in chunks of 32 "
            "voxels; restore the file from a backup if you have one."
        )


def writing(world: World) -> Job[bytes]:
    """The world as a .vxw file's bytes. Equal worlds give equal bytes, with the same zstd."""
    return write_version_1(world)


def reading(data: bytes | memoryview) -> Job[Loaded]:
    """The world in a .vxw file's bytes, of any version there was. Raises VoxelwrightError where they are not one, of
    a newer version, or damaged in what all chunks need.

    Voxels without a material become plain air, whatever their other bits. Voxels whose material the palette lacks are
    kept: an edit of the palette can still give them one.
    """
    if bytes(data[: len(MAGIC)]) != MAGIC or len(data) < 12:
        raise VoxelwrightError("This is not a Voxelwright world (.vxw) file.")
    if len(data) > MAX_WORLD_FILE_BYTES:
        raise VoxelwrightError(
            f"This file is larger than {MAX_WORLD_FILE_BYTES >> 30} GiB, the most that a world takes; "
            "restore it from a backup."
        )
    major, minor = (int.from_bytes(data[at : at + 2], "little") for at in (8, 10))
    if major > MAJOR:
        raise VoxelwrightError(
            f"This world has format version {major}.{minor} and this Voxelwright reads up to {MAJOR}; "
            "update Voxelwright."
        )
    if major == 0:
        return Loaded(read_version_0(bytes(data)), ())
    return Loaded(*(yield from read_version_1(data)))


def world_to_bytes(world: World) -> bytes:
    """writing() in one go."""
    return finish(writing(world))


def world_from_bytes(data: bytes | memoryview) -> Loaded:
    """reading() in one go."""
    return finish(reading(data))
