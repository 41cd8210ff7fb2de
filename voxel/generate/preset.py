# SPDX-License-Identifier: GPL-3.0-or-later
"""World presets: what a generator is told, read from TOML and checked. keys.py says what a file may hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..limits import MAX_FEATURES, MAX_STAMPS
from .keys import FINEST_WAVELENGTH, INFINITE, MATERIAL, REQUIRED, SECTIONS, TEXT, Key
from .nodes import Node, read_nodes
from .reading import Reader, parse_toml
from .stamps import Stamp, read_stamps

ROCK = "rock"
"""What strata name where they mean whatever lies deep."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of rock, thickness voxels thick."""

    material: str
    thickness: int


@dataclass(frozen=True, slots=True)
class Water:
    """Fills what is open to the sky below its level."""

    level: int
    material: str


@dataclass(frozen=True, slots=True)
class Stratum:
    """What lies where its conditions hold: surface on top, soil under it down to depth, then the rock.

    Where the ground rises or falls more than steep voxels a voxel, cliff takes the place of surface and soil.
    """

    surface: str
    soil: str
    below: float = INFINITE
    node: str = ""
    at_least: float = -INFINITE
    at_most: float = INFINITE
    depth: int = 3
    steep: float = INFINITE
    cliff: str = ""

    @property
    def everywhere(self) -> bool:
        """Whether it has no conditions."""
        return self.below == INFINITE and not self.node


@dataclass(frozen=True, slots=True)
class Cave:
    """One kind of cave; keys.py says what the fields mean."""

    threshold: float
    wavelength: float
    kind: str = "tunnels"
    octaves: int = 5
    lacunarity: float = 2.0
    gain: float = 0.5
    flatness: float = 1.0
    floor: int = 4
    cover: float = 0.0
    mouths: float = 1.0


@dataclass(frozen=True, slots=True)
class Erosion:
    """One stage of erosion over the whole field of heights."""

    kind: str
    amount: float = 1.0
    strength: float = 0.5
    talus: float = 1.0


@dataclass(frozen=True, slots=True)
class Feature:
    """One kind of thing that stands on the ground."""

    stamps: tuple[str, ...]
    spacing: int
    on: tuple[str, ...]
    chance: float = 1.0
    above: float = 0.0
    below: float = INFINITE
    flat: float = INFINITE
    node: str = ""
    at_least: float = -INFINITE
    at_most: float = INFINITE
    place: str = "top"
    sink: int = 0


@dataclass(frozen=True, slots=True)
class Preset:
    """A world's recipe. nodes are in an order in which each comes after those that it takes; strata are tried from
    the first, and the last holds everywhere."""

    name: str
    description: str
    palette: str
    heights: str
    nodes: Mapping[str, Node]
    layers: tuple[Layer, ...]
    strata: tuple[Stratum, ...]
    density: str = ""
    tilt: str = ""
    waver: str = ""
    cave_floor: str = ""
    water: Water | None = None
    caves: tuple[Cave, ...] = ()
    erosion: tuple[Erosion, ...] = ()
    features: tuple[Feature, ...] = ()
    stamps: Mapping[str, Stamp] = field(default_factory=dict)
    file_name: str = "The preset"


_STAMPS = next(key for key in SECTIONS["features"] if key.name == "stamps")
_TABLES = ("nodes", "layers", "water", "strata", "caves", "erosion", "features", "stamps")


def preset_from_toml(text: str, file_name: str) -> Preset:
    """Read a world preset. Raises VoxelwrightError with a sentence that names the file and the key."""
    return preset_from_table(parse_toml(text, file_name), file_name)


def preset_from_table(table: Mapping[str, Any], file_name: str) -> Preset:
    """The preset in a TOML file's table, as preset_from_toml()."""
    reader = Reader(file_name)
    top = {key: value for key, value in table.items() if key not in _TABLES}
    for key in top:
        if key not in {k.name for k in SECTIONS[""]}:
            reader.only(top, (*(k.name for k in SECTIONS[""]), *_TABLES))
    values = reader.values(top, SECTIONS[""], "")
    nodes = read_nodes(reader, reader.table(table.get("nodes"), "nodes"))
    stamps = read_stamps(reader, reader.table(table.get("stamps", {}), "stamps"))
    water = table.get("water")
    preset = Preset(
        nodes=nodes,
        layers=_layers(reader, table, values.pop("rock")),
        strata=_strata(reader, table),
        water=Water(**_values(reader, reader.table(water, "water"), "water")) if water is not None else None,
        caves=_caves(reader, table),
        erosion=tuple(Erosion(**v) for v in _entries(reader, table, "erosion")),
        features=tuple(Feature(**v) for v in _entries(reader, table, "features")),
        stamps=stamps,
        file_name=file_name,
        **values,
    )
    _check_references(reader, preset)
    return preset


def missing_stamps(text: str, file_name: str) -> list[str]:
    """The stamps that a world preset's features name and the text does not hold, sorted; each has a file of its own,
    which is meant to be put at the end of the text."""
    table, reader = parse_toml(text, file_name), Reader(file_name)
    features = reader.tables(table, "features", MAX_FEATURES)
    names = {name for feature in features for name in reader.value(feature, _STAMPS, "features.")}
    return sorted(names - set(reader.table(table.get("stamps", {}), "stamps")))


def strata_from_toml(text: str, file_name: str) -> tuple[str, str, tuple[Stratum, ...]]:
    """Read a file of strata alone, for heightmaps: (palette name, rock, strata)."""
    table, reader = parse_toml(text, file_name), Reader(file_name)
    palette, rock = Key("palette", TEXT, REQUIRED, ""), Key("rock", MATERIAL, REQUIRED, "")
    reader.only(table, ("palette", "rock", "strata"))
    strata = _strata(reader, table)
    for i, stratum in enumerate(strata):
        if stratum.node:
            raise reader.error(f"strata.{i}.node", "has no meaning here: a heightmap has no nodes")
    return reader.value(table, palette, ""), reader.value(table, rock, ""), strata


def _values(reader: Reader, table: Mapping[str, Any], section: str, path: str = "") -> dict[str, Any]:
    return reader.values(table, SECTIONS[section], path or f"{section}.")


def _entries(reader: Reader, table: Mapping[str, Any], section: str) -> list[dict[str, Any]]:
    """The values of every entry of a section that is a list of tables."""
    limit = MAX_STAMPS if section == "layers" else MAX_FEATURES
    entries = reader.tables(table, section, limit)
    return [_values(reader, entry, section, f"{section}.{i}.") for i, entry in enumerate(entries)]


def _caves(reader: Reader, table: Mapping[str, Any]) -> tuple[Cave, ...]:
    caves = tuple(Cave(**v) for v in _entries(reader, table, "caves"))
    for i, cave in enumerate(caves):
        if cave.wavelength < FINEST_WAVELENGTH * cave.flatness:
            raise reader.error(f"caves.{i}.flatness", f"must leave caves at least {FINEST_WAVELENGTH} voxels high")
    return caves


def _layers(reader: Reader, table: Mapping[str, Any], rock: str) -> tuple[Layer, ...]:
    layers = tuple(Layer(**v) for v in _entries(reader, table, "layers"))
    if bool(layers) == bool(rock):
        raise reader.error("rock", "or a list of layers must be given, not both")
    return layers or (Layer(rock, 1),)


def _strata(reader: Reader, table: Mapping[str, Any]) -> tuple[Stratum, ...]:
    strata = tuple(Stratum(**v) for v in _entries(reader, table, "strata"))
    if not strata:
        raise reader.error("strata", "must be a list of at least one table")
    for i, stratum in enumerate(strata):
        last = i == len(strata) - 1
        if (stratum.steep < INFINITE) != bool(stratum.cliff):
            raise reader.error(f"strata.{i}", 'must give "steep" and "cliff" together')
        if not last and stratum.everywhere:
            raise reader.error(f"strata.{i}", "holds everywhere, so those after it never come; only the last one may")
        if last and not stratum.everywhere:
            raise reader.error("strata", 'must end with a table without "below" and "node", for all that is left')
    return strata


def _check_references(reader: Reader, preset: Preset) -> None:
    conditions: dict[str, Stratum | Feature] = {f"strata.{i}": s for i, s in enumerate(preset.strata)}
    conditions |= {f"features.{i}": f for i, f in enumerate(preset.features)}
    for key, entry in conditions.items():
        if not entry.node and (entry.at_least > -INFINITE or entry.at_most < INFINITE):
            raise reader.error(f"{key}.node", 'is missing; "at_least" and "at_most" are about it')
    references = {key: getattr(preset, key) for key in ("heights", "density", "tilt", "waver")}
    references |= {f"strata.{i}.node": s.node for i, s in enumerate(preset.strata)}
    references |= {f"features.{i}.node": f.node for i, f in enumerate(preset.features)}
    for key, name in references.items():
        if name and name not in preset.nodes:
            raise reader.error(key, f'names "{name[:80]}", which is no node of this preset')
        if name and key != "density" and preset.nodes[name].solid:
            raise reader.error(key, f'names "{name[:80]}", which differs from altitude to altitude; it must be flat')
    for i, feature in enumerate(preset.features):
        for name in feature.stamps:
            if name not in preset.stamps:
                raise reader.error(f"features.{i}.stamps", f'names "{name[:80]}", which is no stamp of this preset')
