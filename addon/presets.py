# SPDX-License-Identifier: GPL-3.0-or-later
"""The preset files that come with the extension."""

from functools import cache
from pathlib import Path

from ..voxel.edit.brushes import Brush, brush_from_toml
from ..voxel.errors import VoxelwrightError
from ..voxel.generate.adjust import Adjustable, adjustables
from ..voxel.generate.preset import Preset, Stratum, missing_stamps, preset_from_toml, strata_from_toml
from ..voxel.generate.reading import Reader, parse_toml
from ..voxel.generate.stamps import Stamp, read_stamps
from ..voxel.palette import Palette, palette_from_table

DEFAULT_WORLD_PRESET = "rolling_hills"

_FOLDER = Path(__file__).parent.parent / "presets"


@cache
def world_preset_names() -> tuple[str, ...]:
    """The world presets by their file's name, the default one first, the others sorted."""
    others = {path.stem for path in (_FOLDER / "worlds").glob("*.toml")} - {DEFAULT_WORLD_PRESET}
    return (DEFAULT_WORLD_PRESET, *sorted(others))


@cache
def world_preset(name: str) -> Preset:
    """The world preset of that name. Raises VoxelwrightError where there is none, or its file is wrong."""
    return preset_from_toml(world_text(name), f"worlds/{name}.toml")


@cache
def world_text(name: str) -> str:
    """A world preset's whole text: its file, and the files of the stamps that it uses but does not hold.

    Whoever keeps it can make the world again without these files. Raises VoxelwrightError where there is none.
    """
    if name not in world_preset_names():
        raise VoxelwrightError(f'There is no preset "{name}"; there are {", ".join(world_preset_names())}.')
    text, file_name = _read("worlds", name)
    stamps = missing_stamps(text, file_name)
    return "\n".join([text, *(_read("stamps", stamp)[0] for stamp in stamps)])


def world_adjustables(name: str) -> list[Adjustable]:
    """The numbers of a world preset that can be turned."""
    return adjustables(world_text(name), f"worlds/{name}.toml")


@cache
def palette(name: str) -> Palette:
    """The palette of that name."""
    text, file_name = _read("palettes", name)
    return palette_from_table(parse_toml(text, file_name))


@cache
def heightmap_strata() -> tuple[str, str, tuple[Stratum, ...]]:
    """What imported heightmaps are made of: (palette name, rock, strata by fractions of their range)."""
    return strata_from_toml(*_read("strata", "heightmap"))


@cache
def stamp_names() -> tuple[str, ...]:
    """The stamps by their file's name, sorted. Those whose names end alike but for a number are of one kind."""
    return tuple(sorted(path.stem for path in (_FOLDER / "stamps").glob("*.toml")))


@cache
def stamp(name: str) -> Stamp:
    """The stamp of that name, of materials of the default palette. Raises VoxelwrightError where its file is wrong."""
    text, file_name = _read("stamps", name)
    return read_stamps(Reader(file_name), parse_toml(text, file_name)["stamps"])[name]


@cache
def brush_names() -> tuple[str, ...]:
    """The brush presets by their file's name, sorted."""
    return tuple(sorted(path.stem for path in (_FOLDER / "brushes").glob("*.toml")))


@cache
def brush(name: str) -> Brush:
    """The brush preset of that name. Raises VoxelwrightError where there is none, or its file is wrong."""
    if name not in brush_names():
        raise VoxelwrightError(f'There is no brush "{name}"; there are {", ".join(brush_names())}.')
    return brush_from_toml(*_read("brushes", name))


def _read(folder: str, name: str) -> tuple[str, str]:
    path = _FOLDER / folder / f"{name}.toml"
    try:
        return path.read_text("utf-8"), f"{folder}/{path.name}"
    except (OSError, UnicodeDecodeError):
        raise VoxelwrightError(
            f"The preset file {folder}/{name}.toml is missing or unreadable; install the extension again."
        ) from None
