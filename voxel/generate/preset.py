# SPDX-License-Identifier: GPL-3.0-or-later
"""World presets: what a generator is told, read from TOML tables and checked.

A preset file looks like presets/worlds/rolling_hills.toml. Altitudes, depths and wavelengths are in voxels.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

from ..errors import VoxelwrightError
from ..limits import MAX_WORLD_EDGE


@dataclass(frozen=True, slots=True)
class Fractal:
    """A fractal sum of noise: wavelength of the coarsest octave, and how the others follow."""

    wavelength: float
    octaves: int = 5
    lacunarity: float = 2.0
    gain: float = 0.5


@dataclass(frozen=True, slots=True)
class Heightmap:
    """Ground level: base plus amplitude times a 2D fractal; sharpness above 1 flattens valleys and steepens peaks."""

    base: float
    amplitude: float
    fractal: Fractal
    sharpness: float = 1.0


@dataclass(frozen=True, slots=True)
class Caves:
    """Tunnels where a 3D fractal is nearer to zero than threshold; at least floor voxels remain at the bottom."""

    threshold: float
    fractal: Fractal
    floor: int = 4


@dataclass(frozen=True, slots=True)
class Stratum:
    """What lies where the ground is lower than below: surface on top, soil under it down to depth, then the rock.

    Where the ground rises or falls more than steep voxels a voxel, cliff takes the place of surface and soil.
    """

    below: float
    surface: str
    soil: str
    depth: int = 3
    steep: float = float("inf")
    cliff: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A world's recipe. strata ascend by below; the last one's is infinite."""

    name: str
    description: str
    palette: str
    rock: str
    heightmap: Heightmap
    strata: tuple[Stratum, ...]
    caves: Caves | None = None


_RANGES = {
    "wavelength": (2, 100_000),
    "octaves": (1, 12),
    "lacunarity": (1, 4),
    "gain": (0, 1),
    "base": (0, MAX_WORLD_EDGE),
    "amplitude": (0, MAX_WORLD_EDGE),
    "sharpness": (0.25, 8),
    "threshold": (0, 1),
    "floor": (0, MAX_WORLD_EDGE),
    "depth": (0, MAX_WORLD_EDGE),
    "steep": (0, 1000),
    "below": (0, MAX_WORLD_EDGE),
}
"""The least and the greatest value of every number, by its key."""


def preset_from_toml(text: str, file_name: str) -> Preset:
    """Read a world preset. Raises VoxelwrightError with a sentence that names the file and the key."""
    table = parse_toml(text, file_name)
    where = _Where(file_name)
    heightmap = where.table(table, "heightmap")
    caves = where.table(table, "caves") if "caves" in table else None
    where.only(table, ("name", "description", "palette", "rock", "heightmap", "caves", "strata"))
    return Preset(
        name=where.text(table, "name"),
        description=where.text(table, "description"),
        palette=where.text(table, "palette"),
        rock=where.text(table, "rock"),
        heightmap=where.read(Heightmap, heightmap, "heightmap"),
        strata=_strata(where, table),
        caves=where.read(Caves, caves, "caves") if caves is not None else None,
    )


def parse_toml(text: str, file_name: str) -> dict[str, Any]:
    """A TOML file's table; a mistake in it becomes a VoxelwrightError that names the file and the place."""
    try:
        return tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError, and plainly this for numbers of thousands of digits
        raise VoxelwrightError(f"{file_name} is not valid TOML: {error}.") from None
    except RecursionError:
        raise VoxelwrightError(f"{file_name} is nested too deeply; a preset has two levels.") from None


def strata_from_toml(text: str, file_name: str) -> tuple[str, str, tuple[Stratum, ...]]:
    """Read a file of strata alone, for heightmaps: (palette name, rock, strata)."""
    table, where = parse_toml(text, file_name), _Where(file_name)
    where.only(table, ("palette", "rock", "strata"))
    return where.text(table, "palette"), where.text(table, "rock"), _strata(where, table)


def _strata(where: "_Where", table: Mapping[str, Any]) -> tuple[Stratum, ...]:
    entries = table.get("strata")
    if not isinstance(entries, list) or not entries:
        raise where.error("strata", "must be a list of at least one table")
    strata = []
    for i, entry in enumerate(entries):
        last = i == len(entries) - 1
        if not isinstance(entry, Mapping):
            raise where.error("strata", "must be a list of tables")
        if last and "below" in entry:
            raise where.error("strata", 'must end with a table without "below", for all ground above')
        stratum = where.read(Stratum, {**entry, "below": float("inf")} if last else entry, "strata")
        if (stratum.steep < float("inf")) != bool(stratum.cliff):
            raise where.error("strata", 'must give "steep" and "cliff" together')
        strata.append(stratum)
    if any(a.below >= b.below for a, b in pairwise(strata)):
        raise where.error("strata", 'must ascend by "below"')
    return tuple(strata)


class _Where:
    """Reads values of one file's tables; its errors name the file and the key."""

    def __init__(self, file_name: str) -> None:
        self.file_name = file_name

    def error(self, key: str, problem: str) -> VoxelwrightError:
        return VoxelwrightError(f'{self.file_name}: "{key}" {problem}.')

    def only(self, table: Mapping[str, Any], known: tuple[str, ...], prefix: str = "") -> None:
        for key in table:
            if key not in known:
                raise self.error(prefix + key, f"is unknown; known are {', '.join(known)}")

    def table(self, table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        if not isinstance(table.get(key), Mapping):
            raise self.error(key, "is missing or not a table")
        return table[key]

    def text(self, table: Mapping[str, Any], key: str) -> str:
        value = table.get(key)
        if not isinstance(value, str) or not value:
            raise self.error(key, "is missing or not a text")
        return value

    def read(self, kind: type, table: Mapping[str, Any], path: str) -> Any:
        """A dataclass from a table with its fields' names; a field of type Fractal reads the same table."""
        own = {f.name: f for f in fields(kind) if f.type is not Fractal}
        noise = {f.name: f for f in fields(Fractal)} if len(own) < len(fields(kind)) else {}
        self.only(table, (*own, *noise), f"{path}.")
        values = {
            name: self._value(table, name, f.type, path) for name, f in own.items() if self._given(table, f, path)
        }
        if noise:
            given = {n: self._value(table, n, f.type, path) for n, f in noise.items() if self._given(table, f, path)}
            values["fractal"] = Fractal(**given)
        return kind(**values)

    def _given(self, table: Mapping[str, Any], field: Any, path: str) -> bool:
        required = field.default is field.default_factory  # both are dataclasses.MISSING
        if required and field.name not in table:
            raise self.error(f"{path}.{field.name}", "is missing")
        return field.name in table

    def _value(self, table: Mapping[str, Any], name: str, kind: Any, path: str) -> Any:
        value, key = table[name], f"{path}.{name}"
        if kind is str:
            return self.text(table, name)
        low, high = _RANGES[name]
        if isinstance(value, bool) or not isinstance(value, int if kind is int else int | float):
            raise self.error(key, f"must be a {'whole ' if kind is int else ''}number")
        if not low <= value <= high and not (name == "below" and value == float("inf")):
            raise self.error(key, f"must be from {low} to {high}")
        return float(value) if kind is float else value
