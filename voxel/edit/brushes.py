# SPDX-License-Identifier: GPL-3.0-or-later
"""How brushes are set, as TOML presets say it. No kernels here, so that Blender's properties can be made of it."""

from dataclasses import dataclass, fields

from ..errors import VoxelwrightError
from ..generate.reading import Reader, parse_toml
from ..limits import MAX_BRUSH_RADIUS

ACTIONS = {
    "sculpt": ("raise", "lower", "smooth", "flatten", "grow", "erode", "noise"),
    "build": ("add", "remove", "replace"),
    "paint": ("paint",),
}
"""What each tool can do."""

SHAPES = ("sphere", "cube", "cylinder", "cone", "disc", "stamp")

FALLOFFS = ("constant", "linear", "smooth", "sharp", "round")
"""How the weight falls from 1 in the middle (t = 0) to the border (t = 1): 1 throughout; 1 − t; (1 − t)²(1 + 2t);
(1 − t)²; √(1 − t²)."""

LOCKS = ("none", "plane", "height")
"""What a stroke keeps to after its first dab: nothing, the plane of the face that it hit, or the height."""

PATTERNS = ("only", "mix", "height", "noise")
"""What is placed: one material, or several at random, by height or by noise."""


@dataclass(frozen=True, slots=True)
class Brush:
    """A brush's settings. radius and wavelength are in voxels, spacing in radii, snap in voxels (1 is none), strength
    from 0 to 1. pressure_radius and pressure_strength say what a pen's pressure changes. wavelength is the size of
    noise, of the action's or the pattern's. Raises VoxelwrightError for what cannot be."""

    tool: str
    action: str
    shape: str = "sphere"
    radius: float = 8.0
    strength: float = 1.0
    falloff: str = "smooth"
    spacing: float = 0.25
    accumulate: bool = True
    pressure_radius: bool = False
    pressure_strength: bool = False
    snap: int = 1
    lock: str = "none"
    pattern: str = "only"
    wavelength: float = 8.0

    def __post_init__(self) -> None:
        for key, choices in _CHOICES.items():
            _check_choice(key, getattr(self, key), choices)
        _check_choice("action", self.action, ACTIONS[self.tool])
        for key, (low, high) in RANGES.items():
            value, whole = getattr(self, key), key == "snap"
            if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
                raise VoxelwrightError(f"A brush's {key} must be a {'whole ' if whole else ''}number.")
            if not low <= value <= high:
                raise VoxelwrightError(f"A brush's {key} must be from {low} to {high}.")
            # Equal brushes are written to files as equal text.
            object.__setattr__(self, key, value if whole else float(value) + 0.0)
        for key in ("accumulate", "pressure_radius", "pressure_strength"):
            if not isinstance(getattr(self, key), bool):
                raise VoxelwrightError(f"A brush's {key} must be true or false.")


_CHOICES = {"tool": tuple(ACTIONS), "shape": SHAPES, "falloff": FALLOFFS, "lock": LOCKS, "pattern": PATTERNS}

RANGES: dict[str, tuple[float, float]] = {
    "radius": (0.5, MAX_BRUSH_RADIUS),
    "strength": (0, 1),
    "spacing": (0.05, 2),
    "snap": (1, MAX_BRUSH_RADIUS),
    "wavelength": (2, 1000),
}
"""The least and the greatest value of each number."""


def brush_from_toml(text: str, file_name: str) -> Brush:
    """The brush of a TOML file. Raises VoxelwrightError, one sentence that names the file and the key."""
    table = parse_toml(text, file_name)
    reader = Reader(file_name)
    reader.only(table, [f.name for f in fields(Brush)])
    for key in ("tool", "action"):
        if key not in table:
            raise reader.error(key, "is missing")
    try:
        return Brush(**table)
    except VoxelwrightError as error:
        raise VoxelwrightError(f"{file_name}: {error}") from None


def brush_to_toml(brush: Brush) -> str:
    """The inverse of brush_from_toml."""
    return "".join(f"{f.name} = {_as_toml(getattr(brush, f.name))}\n" for f in fields(Brush))


def _as_toml(value: str | bool | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _check_choice(key: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise VoxelwrightError(f"A brush's {key} must be one of {', '.join(choices)}.")
