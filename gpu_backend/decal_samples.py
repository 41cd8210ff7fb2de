# SPDX-License-Identifier: GPL-3.0-or-later
"""Decals to begin with, drawn by code: a picture each, and of those that are not flat a height, from which comes a
normal map."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .decal_images import EDGE

Field = NDArray[np.floating[Any]]
"""(512, 512), row 0 at the bottom."""

_MIDDLES = ((np.arange(EDGE, dtype=np.float32) + 0.5) / EDGE) * 2 - 1
_X, _Y = np.meshgrid(_MIDDLES, _MIDDLES)


class Sample(NamedTuple):
    """pixels and normals (512, 512, 4) float32, row 0 at the bottom: sRGB with straight alpha, and a normal map or
    None. size is how wide and how high it is made, in voxels."""

    pixels: NDArray[np.float32]
    normals: NDArray[np.float32] | None
    size: tuple[float, float]


@cache
def sample(name: str) -> Sample:
    """One of SAMPLES, by its key."""
    return SAMPLES[name]()


# --- The samples -----------------------------------------------------------------------------------------------------


_BRANCHES = ((-0.55, 1.3, 0.5, 1), (-0.05, -1.6, 0.62, -1), (0.3, 1.1, 0.45, 1), (0.55, -0.9, 0.3, -1))
"""Of the crack: where each leaves it, its slope, how far it reaches, and whether up or down."""


def _crack() -> Sample:
    bend = 0.16 * _octaves(4, 1, 4)
    main = np.abs(_Y + 0.25 * np.sin(2.2 * _X + 0.4) + bend)
    taper = np.clip(1.05 - np.abs(_X), 0.0, 1.0)
    depth = np.clip(1.0 - main / (0.06 * taper + 1e-3), 0.0, 1.0)
    for x, slope, reach, side in _BRANCHES:
        start = -(0.25 * np.sin(2.2 * x + 0.4))
        along = side * (_Y - start)
        off = np.abs(_X - x - (along / slope) * np.sign(slope) * 0.6 + 0.8 * bend)
        thin = np.clip(1.0 - along / reach, 0.0, 1.0)
        branch = np.where(along > -0.05, np.clip(1.0 - off / (0.034 * thin + 1e-3), 0.0, 1.0), 0.0)
        depth = np.maximum(depth, branch * (thin > 0))
    alpha = np.clip(depth * 2.2, 0.0, 1.0) * np.clip((1.0 - np.abs(_X)) / 0.1, 0.0, 1.0)
    dust = 0.06 + 0.03 * _octaves(24, 2, 2)
    color = np.stack([dust, dust * 0.95, dust * 0.88], axis=2) + 0.10 * (1 - depth)[..., None]
    return Sample(_picture(color, 0.92 * alpha), _normals(-0.5 * depth * alpha, 10.0), (10.0, 10.0))


def _puddle() -> Sample:
    radius = np.hypot(_X, _Y * 1.15) + 0.22 * _octaves(5, 11, 3)
    inside = _rise(0.74, 0.60, radius)
    rim = _rise(0.80, 0.66, radius) * (1 - inside)
    ripples = 0.02 * _octaves(9, 12, 2)
    sky = 0.16 + 0.05 * (1 + _Y) / 2 + ripples
    color = np.stack([sky * 0.72, sky * 0.95, sky * 1.25], axis=2)
    wet = np.stack([np.full_like(sky, 0.10), np.full_like(sky, 0.085), np.full_like(sky, 0.07)], axis=2)
    color = np.where((inside > rim)[..., None], color, wet)
    return Sample(_picture(color, 0.86 * inside + 0.5 * rim), _normals(0.05 * ripples, 4.0, inside), (12.0, 12.0))


def _moss() -> Sample:
    clumps = _octaves(6, 21, 4)
    tufts = _octaves(40, 22, 2)
    cover = _rise(-0.02, 0.22, 0.42 - 0.62 * np.hypot(_X, _Y) ** 2 + 0.55 * clumps + 0.12 * tufts)
    tone = np.clip(0.5 + 0.8 * tufts + 0.5 * clumps, 0.0, 1.0)[..., None]
    color = (1 - tone) * np.array((0.10, 0.17, 0.05)) + tone * np.array((0.36, 0.47, 0.13))
    cover = cover * _border(0.06)
    return Sample(_picture(color, cover), _normals(0.12 * tufts + 0.1 * cover, 6.0, cover), (10.0, 10.0))


def _arrow() -> Sample:
    head = (_Y >= 0.1) & (np.abs(_X) <= 0.62 * (0.88 - _Y) / 0.78)
    shaft = (_Y > -0.88) & (_Y <= 0.11) & (np.abs(_X) <= 0.22)
    return Sample(_paint(_soft(head | shaft), (0.93, 0.92, 0.88), 31), None, (6.0, 10.0))


def _line() -> Sample:
    edge = 0.56 + 0.02 * _octaves(16, 42, 2)
    stripe = _rise(edge + 0.015, edge - 0.015, np.abs(_X))
    return Sample(_paint(stripe, (0.95, 0.78, 0.16), 41), None, (2.0, 24.0))


SAMPLES: dict[str, Callable[[], Sample]] = {
    "crack": _crack,
    "puddle": _puddle,
    "moss": _moss,
    "arrow": _arrow,
    "line": _line,
}


# --- What they are made of -------------------------------------------------------------------------------------------


def _paint(shape: Field, color: tuple[float, float, float], seed: int) -> NDArray[np.float32]:
    """Paint on rough ground, worn in places."""
    worn = _octaves(7, seed, 3) + 0.8 * _octaves(60, seed + 1, 2)
    alpha = shape * _rise(-0.62, -0.35, worn)
    tone = 1.0 + 0.08 * _octaves(20, seed + 2, 3)
    return _picture(np.array(color, np.float32) * tone[..., None], 0.95 * alpha)


def _picture(color: NDArray[np.floating[Any]], alpha: Field) -> NDArray[np.float32]:
    return np.clip(np.concatenate([color, alpha[..., None]], axis=2), 0.0, 1.0).astype(np.float32)


def _normals(height: Field, strength: float, where: Field | float = 1.0) -> NDArray[np.float32]:
    """The normal map of a height in halves of the image's edge; flat where it does not count."""
    up, across = np.gradient(height, 2 / EDGE)
    tilted = np.stack([-across * where * strength / 10, -up * where * strength / 10, np.ones_like(height)], axis=2)
    unit = tilted / np.linalg.norm(tilted, axis=2, keepdims=True)
    return np.concatenate([unit / 2 + 0.5, np.ones_like(height)[..., None]], axis=2).astype(np.float32)


def _rise(low: float | Field, high: float | Field, value: Field) -> Field:
    """From 0 at low to 1 at high, smoothly; high may be the lower one."""
    t = np.clip((value - low) / (high - low), 0.0, 1.0)
    return np.asarray(t * t * (3 - 2 * t), np.float32)


def _soft(shape: NDArray[np.bool_]) -> Field:
    """A shape with an edge of about two texels."""
    field: Field = shape.astype(np.float32)
    for axis in (0, 1):
        field = (np.roll(field, 1, axis) + 2 * field + np.roll(field, -1, axis)) / 4
    return field


def _border(width: float) -> Field:
    """1 but at the image's border."""
    return _rise(0.0, width, 1 - np.maximum(np.abs(_X), np.abs(_Y)))


def _octaves(cells: int, seed: int, n: int) -> Field:
    """Noise about 0, of about −½ … ½, of n octaves from so many cells along an edge on."""
    total: Field = np.zeros((EDGE, EDGE), np.float32)
    weight = 1.0
    for octave in range(n):
        total += weight * _noise(cells << octave, seed + 100 * octave)
        weight /= 2
    return total / (2 - 2 * weight)


def _noise(cells: int, seed: int) -> Field:
    """Random numbers of −½ … ½ on a lattice, and smooth between."""
    lattice = np.random.default_rng(seed).random((cells + 1, cells + 1), np.float32) - 0.5
    place = (np.arange(EDGE, dtype=np.float32) + 0.5) / EDGE * cells
    low = np.minimum(place.astype(np.intp), cells - 1)
    part = place - low
    part = part * part * (3 - 2 * part)
    rows = lattice[low] + part[:, None] * (lattice[low + 1] - lattice[low])
    return rows[:, low] + part * (rows[:, low + 1] - rows[:, low])
