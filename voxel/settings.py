# SPDX-License-Identifier: GPL-3.0-or-later
"""What a world knows of itself besides voxels and palette. Immutable: an edit holds both the old and the new."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from .errors import VoxelwrightError

MAX_RECIPE_LETTERS = 100_000
MAX_ADJUSTED = 1000


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a world was generated, so that it can be generated again with other numbers.

    preset is a preset's whole text, so that a world does not depend on the files that came with the extension; size is
    in voxels; phase moves the noise, one turn a unit; adjusted are numbers other than the preset's, by their path in
    it, such as ("nodes.hills.wavelength", 90).
    """

    preset: str
    size: tuple[int, int, int]
    seed: int
    phase: float = 0.0
    adjusted: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """smoothing: from 0 to 1, how much smooth surfaces round off the steps of their voxels. recipe: None for worlds
    that were not generated."""

    smoothing: float = 0.0
    recipe: Recipe | None = None

    def __post_init__(self) -> None:
        if not _is_number(self.smoothing) or not 0 <= self.smoothing <= 1:
            raise VoxelwrightError("A world's smoothing must be a number from 0 to 1.")


def settings_to_table(settings: Settings) -> dict[str, Any]:
    """The settings as JSON can hold them."""
    return asdict(settings)


def settings_from_table(table: Mapping[str, Any]) -> Settings:
    """The inverse of settings_to_table. Raises VoxelwrightError for anything else."""
    if not isinstance(table, Mapping) or set(table) != {f.name for f in fields(Settings)}:
        raise VoxelwrightError("A world's settings are smoothing and recipe.")
    recipe = table["recipe"]
    return Settings(table["smoothing"], _recipe(recipe) if recipe is not None else None)


def _recipe(table: Any) -> Recipe:
    if isinstance(table, Mapping) and set(table) == {f.name for f in fields(Recipe)}:
        preset, size, seed, phase = table["preset"], table["size"], table["seed"], table["phase"]
        adjusted = table["adjusted"]
        if (
            isinstance(preset, str)
            and len(preset) <= MAX_RECIPE_LETTERS
            and isinstance(size, list | tuple)
            and len(size) == 3
            and all(type(n) is int for n in (*size, seed))
            and _is_number(phase)
            and abs(phase) < float("inf")
            and isinstance(adjusted, list | tuple)
            and len(adjusted) <= MAX_ADJUSTED
            and all(_is_adjustment(pair) for pair in adjusted)
        ):
            pairs = tuple((path, value) for path, value in adjusted)
            return Recipe(preset, (size[0], size[1], size[2]), seed, float(phase), pairs)
    raise VoxelwrightError("A world's recipe is a preset's text, a size of three whole numbers, a seed and a phase.")


def _is_adjustment(pair: Any) -> bool:
    return isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str) and _is_number(pair[1])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
