# SPDX-License-Identifier: GPL-3.0-or-later
"""Values out of TOML tables by the table of keys; every mistake is one sentence that names the file and the key."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..errors import VoxelwrightError
from ..limits import MAX_CURVE_POINTS, MAX_STAMPS
from .keys import CHOICE, CURVE, INFINITE, NODES, NUMBER, REQUIRED, TEXTS, WHOLE, Key


def parse_toml(text: str, file_name: str) -> dict[str, Any]:
    """A TOML file's table; a mistake in it becomes a VoxelwrightError that names the file and the place."""
    try:
        return tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError, and plainly this for numbers of thousands of digits
        raise VoxelwrightError(f"{file_name} is not valid TOML: {error}.") from None
    except RecursionError:
        raise VoxelwrightError(f"{file_name} is nested too deeply; a preset has three levels.") from None


class Reader:
    """Reads one file's tables; its errors name the file and the key."""

    def __init__(self, file_name: str) -> None:
        self.file_name = file_name

    def error(self, key: str, problem: str) -> VoxelwrightError:
        """The one sentence about a key."""
        return VoxelwrightError(f'{self.file_name}: "{key[:80]}" {problem}.')

    def only(self, table: Mapping[str, Any], known: Iterable[str], path: str = "") -> None:
        """Refuse keys that are not known."""
        known = tuple(known)
        for key in table:
            if key not in known:
                raise self.error(path + key, f"is unknown; known are {', '.join(known)}")

    def table(self, value: Any, path: str) -> Mapping[str, Any]:
        """value, which must be a table."""
        if not isinstance(value, Mapping):
            raise self.error(path, "is missing or not a table")
        return value

    def tables(self, table: Mapping[str, Any], key: str, limit: int) -> Sequence[Mapping[str, Any]]:
        """The list of tables of a key, empty where it is not given."""
        entries = table.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
            raise self.error(key, "must be a list of tables")
        if len(entries) > limit:
            raise self.error(key, f"has {len(entries)} entries; the limit is {limit}")
        return entries

    def values(self, table: Mapping[str, Any], keys: Iterable[Key], path: str) -> dict[str, Any]:
        """The values of a table's keys, with the defaults of those that are not given."""
        keys = tuple(keys)
        self.only(table, (key.name for key in keys), path)
        return {key.name: self.value(table, key, path) for key in keys}

    def value(self, table: Mapping[str, Any], key: Key, path: str) -> Any:
        """The value of one key."""
        name = path + key.name
        if key.name not in table:
            if key.default is REQUIRED:
                raise self.error(name, "is missing")
            return key.default
        value = table[key.name]
        if key.type in (NUMBER, WHOLE):
            return self._number(value, key, name)
        if key.type == CURVE:
            return self._curve(value, name)
        if key.type in (NODES, TEXTS):
            if not isinstance(value, list) or not value or not all(isinstance(v, str) and v for v in value):
                raise self.error(name, "must be a list of texts")
            if len(value) > MAX_STAMPS:
                raise self.error(name, f"has {len(value)} entries; the limit is {MAX_STAMPS}")
            return tuple(value)
        if not isinstance(value, str) or not value:
            raise self.error(name, "is not a text")
        if key.type == CHOICE and value not in key.choices:
            raise self.error(name, f"must be one of {', '.join(key.choices)}")
        return value

    def _number(self, value: Any, key: Key, name: str) -> float | int:
        whole = key.type == WHOLE
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            raise self.error(name, f"must be a {'whole ' if whole else ''}number")
        if not key.low <= value <= key.high:
            raise self.error(name, f"must be from {key.low} to {key.high}")
        return value if whole else float(value)

    def _curve(self, value: Any, name: str) -> tuple[tuple[float, float], ...]:
        if not isinstance(value, list) or not 2 <= len(value) <= MAX_CURVE_POINTS:
            raise self.error(name, f"must be a list of 2 to {MAX_CURVE_POINTS} points [value, result]")
        for point in value:
            if (
                not isinstance(point, list)
                or len(point) != 2
                or not all(type(n) in (int, float) and -1e6 <= n <= 1e6 for n in point)
            ):
                raise self.error(name, "must have points of two numbers from −1000000 to 1000000, [value, result]")
        if any(not a[0] + 1e-6 <= b[0] < INFINITE for a, b in pairwise(value)):
            raise self.error(name, "must have points whose first numbers ascend")
        return tuple((float(x), float(y)) for x, y in value)
