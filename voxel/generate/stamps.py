# SPDX-License-Identifier: GPL-3.0-or-later
"""Stamps: small models of features, written as text, one letter a voxel."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..limits import MAX_STAMP_EDGE, MAX_STAMPS
from ..palette import Palette
from .keys import SECTIONS
from .reading import Reader

_EMPTY = " ."


@dataclass(frozen=True, slots=True)
class Stamp:
    """A model: for each layer from the bottom up, for each y from 0, for each x a letter; and what letters mean."""

    layers: tuple[tuple[str, ...], ...]
    materials: Mapping[str, str]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Its size along x, y and z, in voxels."""
        return (len(self.layers[0][0]), len(self.layers[0]), len(self.layers))

    def voxels(self, palette: Palette) -> NDArray[np.uint16]:
        """(x, y, z) uint16, 0 where it is empty. Raises VoxelwrightError where the palette lacks a material."""
        of_letter = {letter: palette.voxel(palette.index_of(name)) for letter, name in self.materials.items()}
        of_letter |= dict.fromkeys(_EMPTY, 0)
        array = np.array([[[of_letter[c] for c in row] for row in layer] for layer in self.layers], np.uint16)
        return np.ascontiguousarray(array.transpose(2, 1, 0))


def read_stamps(reader: Reader, table: Mapping[str, Any]) -> dict[str, Stamp]:
    """All stamps of a preset by name. Raises VoxelwrightError."""
    if len(table) > MAX_STAMPS:
        raise reader.error("stamps", f"has {len(table)} stamps; the limit is {MAX_STAMPS}")
    return {name: _stamp(reader, reader.table(entry, f"stamps.{name}"), f"stamps.{name}.") for name, entry in
            table.items()}  # fmt: skip


def _stamp(reader: Reader, table: Mapping[str, Any], path: str) -> Stamp:
    layers_key, materials_key = SECTIONS["stamps"]
    reader.only(table, (layers_key.name, materials_key.name), path)
    materials = reader.table(table.get("materials"), f"{path}materials")
    for letter, name in materials.items():
        if len(letter) != 1 or letter in _EMPTY or not isinstance(name, str) or not name:
            raise reader.error(f"{path}materials", "must give each letter, one that is not empty, a material's name")
    layers = tuple(_rows(text) for text in reader.value(table, layers_key, path))
    sizes = {(len(rows), len(row)) for rows in layers for row in rows}
    if len(sizes) != 1 or (0 in next(iter(sizes))):
        raise reader.error(f"{path}layers", "must all have the same number of lines, and all lines the same length")
    n_rows, n_letters = sizes.pop()
    if max(n_rows, n_letters, len(layers)) > MAX_STAMP_EDGE:
        raise reader.error(f"{path}layers", f"must make at most {MAX_STAMP_EDGE} voxels on each axis")
    unknown = {letter for rows in layers for row in rows for letter in row} - set(_EMPTY) - set(materials)
    if unknown:
        raise reader.error(f"{path}layers", f'has the letter "{min(unknown)}", which materials does not explain')
    return Stamp(layers, dict(materials))


def _rows(text: str) -> tuple[str, ...]:
    """The lines of a layer from y = 0 on; a text shows it as seen from above, so its last line is y = 0."""
    return tuple(reversed(text.strip("\n").split("\n")))
