# SPDX-License-Identifier: GPL-3.0-or-later
"""What a world knows of itself besides its voxels and its palette. Immutable: an edit holds both the old and the new."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from .errors import VoxelwrightError

MAX_RECIPE_LETTERS = 100_000


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a world was generated, so that it can be generated again with other numbers.

    preset is a preset file's whole text, so that a world does not depend on the files that came with the extension;
    size is in voxels; phase moves the noise, one turn a unit.
    """

    preset: str
    size: tuple[int, int, int]
    seed: int
    phase: float = 0.0


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
        if (
            isinstance(preset, str)
            and len(preset) <= MAX_RECIPE_LETTERS
            and isinstance(size, list | tuple)
            and len(size) == 3
            and all(type(n) is int for n in (*size, seed))
            and _is_number(phase)
            and abs(phase) < float("inf")
        ):
            return Recipe(preset, (size[0], size[1], size[2]), seed, float(phase))
    raise VoxelwrightError("A world's recipe is a preset's text, a size of three whole numbers, a seed and a phase.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
