# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials and the palette of a world. Both are immutable: a change makes a new palette, and edits hold both."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import VoxelwrightError, shown
from .layout import FLAG_EMISSIVE, FLAG_SMOOTH, FLAG_TRANSPARENT, MATERIAL_SHIFT, N_MATERIALS


@dataclass(frozen=True, slots=True)
class Material:
    """One palette entry.

    color is sRGB, a byte a channel. roughness, metallic and opacity go from 0 to 1; emission is a strength, in
    multiples of the colour; ior is the index of refraction (glass 1.45). smooth says with which flag voxels of
    this material are placed: smooth ones are meshed by Surface Nets, others as blocks. texture names the pattern,
    texture_scale is voxels a tile of it, texture_contrast 0 to 1. bleeds and resists say whether the material runs
    into its neighbours' faces and whether it keeps them out of its own.

    toping names what grows on exposed tops (topings/kinds.py); "object" is a mesh of the user's, which the world does
    not hold. toping_height multiplies its height, toping_density is the share of tops that have one, the one of higher
    toping_priority keeps the edge where two meet. Its colour is the material's where toping_tinted is true, else
    toping_color, sRGB, which is that of flowers' petals in any case. toping_wind, 0 to 1, says how far it sways;
    beyond toping_distance voxels from the eye it is not drawn.
    """

    name: str
    color: tuple[int, int, int]
    roughness: float = 0.9
    metallic: float = 0.0
    emission: float = 0.0
    opacity: float = 1.0
    ior: float = 1.45
    smooth: bool = False
    texture: str = "grain"
    texture_scale: float = 4.0
    texture_contrast: float = 0.3
    toping: str = "none"
    toping_height: float = 1.0
    toping_density: float = 1.0
    toping_priority: int = 0
    toping_tinted: bool = True
    toping_color: tuple[int, int, int] = (255, 255, 255)
    toping_wind: float = 1.0
    toping_distance: float = 128.0
    bleeds: bool = True
    resists: bool = False

    def __post_init__(self) -> None:
        if not 1 <= len(self.name) <= 60 or not self.name.isprintable():
            raise VoxelwrightError("A material needs a name of 1 to 60 printable letters.")
        for key in ("color", "toping_color"):
            color = getattr(self, key)
            if len(color) != 3 or not all(type(c) is int and 0 <= c <= 255 for c in color):
                raise VoxelwrightError(f'Material "{self.name}": {key} must be three whole numbers from 0 to 255.')
        for key, low, high in _RANGES:
            value = getattr(self, key)
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise VoxelwrightError(f'Material "{self.name}": {key} must be a number from {low} to {high}.')
            # Equal materials are written to files as equal text: neither 1 beside 1.0, nor −0.0 beside 0.0.
            object.__setattr__(self, key, float(value) + 0.0)
        if type(self.toping_priority) is not int or not 0 <= self.toping_priority <= MAX_TOPING_PRIORITY:
            raise VoxelwrightError(
                f'Material "{self.name}": toping_priority must be a whole number from 0 to {MAX_TOPING_PRIORITY}.'
            )
        for key in ("smooth", "toping_tinted", "bleeds", "resists"):
            if not isinstance(getattr(self, key), bool):
                raise VoxelwrightError(f'Material "{self.name}": {key} must be true or false.')
        for key, names in (("texture", TEXTURES), ("toping", TOPINGS)):
            if getattr(self, key) not in names:
                raise VoxelwrightError(f'Material "{self.name}": {key} must be one of {", ".join(names)}.')

    @property
    def transparent(self) -> bool:
        return self.opacity < 1.0

    @property
    def emissive(self) -> bool:
        return self.emission > 0.0

    def voxel(self, index: int) -> int:
        """The 16-bit voxel that places this material, entry index of its palette."""
        flags = FLAG_SMOOTH * self.smooth | FLAG_TRANSPARENT * self.transparent | FLAG_EMISSIVE * self.emissive
        return index << MATERIAL_SHIFT | flags


TEXTURES = (
    "plain",
    "grain",
    "grass",
    "soil",
    "rock",
    "gravel",
    "sand",
    "snow",
    "ice",
    "water",
    "bark",
    "leaves",
    "wood",
    "bricks",
    "metal",
)
TOPINGS = ("none", "stone", "pebbles", "snow", "moss", "flowers", "grass", "object")
"""In their order where they meet: of two with the same priority the later one keeps the edge."""

MAX_TOPING_PRIORITY = 15
_RANGES = (
    ("roughness", 0, 1),
    ("metallic", 0, 1),
    ("emission", 0, 1000),
    ("opacity", 0, 1),
    ("ior", 1, 4),
    ("texture_scale", 0.25, 256),
    ("texture_contrast", 0, 1),
    ("toping_height", 0.1, 4),
    ("toping_density", 0, 1),
    ("toping_wind", 0, 1),
    ("toping_distance", 8, 4096),
)


def material_from_table(table: Mapping[str, Any]) -> Material:
    """A material from a mapping of its fields, as TOML and JSON give it. Raises VoxelwrightError."""
    known = {f.name for f in fields(Material)}
    name = table.get("name")
    colors: dict[str, Any] = {"color": table.get("color")}
    if "toping_color" in table:
        colors["toping_color"] = table["toping_color"]
    if not isinstance(name, str) or not all(isinstance(color, list | tuple) for color in colors.values()):
        raise VoxelwrightError("A material needs a name and a color of three numbers from 0 to 255.")
    unknown = sorted(set(table) - known)
    if unknown:
        raise VoxelwrightError(
            f'Material "{shown(name)}": the key "{shown(unknown[0])}" is unknown; known are {", ".join(sorted(known))}.'
        )
    return Material(**{**table, **{key: tuple(color) for key, color in colors.items()}})


def material_to_table(material: Material) -> dict[str, Any]:
    """The inverse of material_from_table."""
    table = {f.name: getattr(material, f.name) for f in fields(Material)}
    return {**table, "color": list(material.color), "toping_color": list(material.toping_color)}


@dataclass(frozen=True)
class Palette:
    """Up to 255 materials by index 1–255; index 0 is air and always None."""

    materials: tuple[Material | None, ...] = field(default=(None,) * N_MATERIALS)

    def __post_init__(self) -> None:
        if len(self.materials) != N_MATERIALS or self.materials[0] is not None:
            raise ValueError("a palette has 256 entries, and entry 0 is air")

    @classmethod
    def of(cls, materials: Mapping[int, Material]) -> "Palette":
        """A palette from materials by their index."""
        for index in materials:
            if not 1 <= index < N_MATERIALS:
                raise VoxelwrightError(f"Material index {index} is outside 1 to {N_MATERIALS - 1}.")
        return cls(tuple(materials.get(i) for i in range(N_MATERIALS)))

    def items(self) -> list[tuple[int, Material]]:
        """(index, material) of every entry in use."""
        return [(i, m) for i, m in enumerate(self.materials) if m is not None]

    def index_of(self, name: str) -> int:
        """The index of the material of that name. Raises VoxelwrightError where there is none."""
        for index, material in self.items():
            if material.name == name:
                return index
        names = ", ".join(m.name for _, m in self.items())
        raise VoxelwrightError(f'The palette has no material "{name}"; it has {names}.')

    def voxel(self, index: int) -> int:
        """The 16-bit voxel that places entry index."""
        material = self.materials[index]
        if material is None:
            raise VoxelwrightError(f"The palette has no material {index}.")
        return material.voxel(index)

    @cached_property
    def transparent(self) -> NDArray[np.bool_]:
        """(256,) bool: which materials one sees through."""
        return np.array([m is not None and m.transparent for m in self.materials])

    @cached_property
    def linear_colors(self) -> NDArray[np.float32]:
        """(256, 3) float32: the colours in linear light, as shaders and Blender's sockets want them."""
        return _linear([m.color if m is not None else (0, 0, 0) for m in self.materials])

    @cached_property
    def linear_toping_colors(self) -> NDArray[np.float32]:
        """(256, 2, 3) float32: what topings are coloured, all of them but petals, and petals; in linear light."""
        own = [m.toping_color if m is not None else (0, 0, 0) for m in self.materials]
        tinted = np.array([m is None or m.toping_tinted for m in self.materials])
        petals = _linear(own)
        return np.stack([np.where(tinted[:, None], self.linear_colors, petals), petals], axis=1)


def _linear(colors: list[tuple[int, int, int]]) -> NDArray[np.float32]:
    """(n, 3) float32: sRGB bytes in linear light."""
    return srgb_to_linear(np.array(colors, np.float64) / 255.0).astype(np.float32)


def srgb_to_linear(srgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """Linear light from sRGB values of 0 … 1 (IEC 61966-2-1)."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def linear_to_srgb(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of srgb_to_linear."""
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def palette_from_table(table: Mapping[str, Any]) -> Palette:
    """A palette from a mapping with a list "materials", in the order of their indices from 1.

    Raises VoxelwrightError where it is anything else.
    """
    unknown = sorted(set(table) - {"materials"})
    if unknown:
        raise VoxelwrightError(f'A palette has the unknown key "{shown(unknown[0])}"; it has "materials" alone.')
    entries = table.get("materials")
    if not isinstance(entries, list) or not 1 <= len(entries) < N_MATERIALS:
        raise VoxelwrightError(f'A palette needs a list "materials" of 1 to {N_MATERIALS - 1} entries.')
    if not all(isinstance(entry, Mapping) for entry in entries):
        raise VoxelwrightError('Every entry of a palette\'s "materials" must be a table.')
    return Palette.of({i + 1: material_from_table(entry) for i, entry in enumerate(entries)})
