# SPDX-License-Identifier: GPL-3.0-or-later
"""What a world knows of itself besides voxels and palette. Immutable: an edit holds both the old and the new."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from .errors import VoxelwrightError
from .limits import MAX_RECIPE_LETTERS, MAX_RECIPE_NUMBERS, MAX_RECIPE_PATH_LETTERS


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a world was generated, so that it can be generated again with other numbers.

    preset is a preset's whole text, so that a world does not depend on the files that came with the extension; size is
    in voxels; phase moves the noise, one turn a unit; adjusted are numbers other than the preset's, by their path in
    it, such as ("nodes.hills.wavelength", 90). Raises VoxelwrightError for what cannot be saved.
    """

    preset: str
    size: tuple[int, int, int]
    seed: int
    phase: float = 0.0
    adjusted: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.preset, str) or len(self.preset) > MAX_RECIPE_LETTERS:
            raise VoxelwrightError(
                f"A world keeps a preset's text of at most {MAX_RECIPE_LETTERS} letters; shorten the preset."
            )
        if len(self.size) != 3 or not all(type(n) is int for n in (*self.size, self.seed)):
            raise VoxelwrightError("A world's recipe needs a size of three whole numbers and a whole seed.")
        if not _is_number(self.phase):
            raise VoxelwrightError("A world's recipe needs a number as its phase.")
        if len(self.adjusted) > MAX_RECIPE_NUMBERS:
            raise VoxelwrightError(
                f"A recipe changes at most {MAX_RECIPE_NUMBERS} numbers of its preset; change the preset itself."
            )
        if not all(_is_adjustment(pair) for pair in self.adjusted):
            raise VoxelwrightError(
                f"What a recipe changes are pairs of a path of at most {MAX_RECIPE_PATH_LETTERS} letters and a number."
            )
        # Equal recipes are written to files as equal text, as materials are.
        object.__setattr__(self, "phase", float(self.phase) + 0.0)
        adjusted = tuple((path, float(value) + 0.0) for path, value in self.adjusted)
        object.__setattr__(self, "adjusted", adjusted)


@dataclass(frozen=True, slots=True)
class Settings:
    """smoothing: from 0 to 1, how much smooth surfaces round off the steps of their voxels. recipe: None for worlds
    that were not generated."""

    smoothing: float = 0.0
    recipe: Recipe | None = None

    def __post_init__(self) -> None:
        if not _is_number(self.smoothing) or not 0 <= self.smoothing <= 1:
            raise VoxelwrightError("A world's smoothing must be a number from 0 to 1.")
        object.__setattr__(self, "smoothing", float(self.smoothing) + 0.0)


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
    if not isinstance(table, Mapping) or set(table) != {f.name for f in fields(Recipe)}:
        raise VoxelwrightError("A world's recipe is a preset's text, its size, seed and phase, and adjusted numbers.")
    size, adjusted = table["size"], table["adjusted"]
    if not isinstance(size, list | tuple) or not isinstance(adjusted, list | tuple):
        raise VoxelwrightError("A world's recipe gives its size and its adjusted numbers as lists.")
    return Recipe(table["preset"], tuple(size), table["seed"], table["phase"], tuple(adjusted))


def _is_adjustment(pair: Any) -> bool:
    return (
        isinstance(pair, list | tuple)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and len(pair[0]) <= MAX_RECIPE_PATH_LETTERS
        and _is_number(pair[1])
    )


def _is_number(value: Any) -> bool:
    """Whether it is a finite number that a float holds."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e300
