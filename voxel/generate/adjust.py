# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of a preset that people turn: which there are, and a preset with other ones."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .keys import NODE_KINDS, NUMBER, SECTIONS, WHOLE, Key
from .preset import Preset, preset_from_table
from .reading import Reader, parse_toml


@dataclass(frozen=True, slots=True)
class Adjustable:
    """A number that a preset gives: where ("nodes.hills.wavelength"), its value, and the key with its range."""

    path: str
    value: float
    key: Key


def adjustables(text: str, file_name: str) -> list[Adjustable]:
    """The numbers that a preset's text gives, in its order."""
    found = []
    for path, table, keys in _sections(parse_toml(text, file_name)):
        for key in keys:
            if key.type in (NUMBER, WHOLE) and key.name in table:
                found.append(Adjustable(f"{path}.{key.name}", table[key.name], key))
    return found


def adjusted_preset(text: str, file_name: str, adjusted: Iterable[tuple[str, float]]) -> Preset:
    """The preset of a text with other numbers at the given paths. Raises VoxelwrightError as preset_from_toml() does,
    and where a path is none of adjustables()."""
    table, reader = parse_toml(text, file_name), Reader(file_name)
    sections = {path: (section, keys) for path, section, keys in _sections(table)}
    for path, value in adjusted:
        place, _, name = path.rpartition(".")
        section, keys = sections.get(place, ({}, ()))
        key = next((key for key in keys if key.name == name and name in section), None)
        if key is None:
            raise reader.error(path, "is adjusted, but the preset gives no such number")
        section[name] = round(value) if key.type == WHOLE else value
    return preset_from_table(table, file_name)


def _sections(table: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], tuple[Key, ...]]]:
    """(path, table, keys) of every part of a preset that may give numbers, as far as it is well formed."""
    nodes = table.get("nodes")
    for name, node in nodes.items() if isinstance(nodes, dict) else ():
        kind = node.get("type") if isinstance(node, dict) else None
        if kind in NODE_KINDS:
            yield f"nodes.{name}", node, NODE_KINDS[kind][1]
    for section, keys in SECTIONS.items():
        value = table.get(section)
        entries = value if isinstance(value, list) else []
        for i, entry in enumerate(entries):
            if isinstance(entry, dict):
                yield f"{section}.{i}", entry, keys
        if isinstance(value, dict):
            yield section, value, keys
