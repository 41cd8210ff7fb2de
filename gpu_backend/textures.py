# SPDX-License-Identifier: GPL-3.0-or-later
"""The patterns on materials: square tiles that repeat without a seam, made of noise on periodic lattices.

A pattern has no colour of its own. Of its two channels the first says how light a place is, the second how high it
lies, which decides where neighbouring materials run into each other. Both are the same everywhere on average, so that
a surface seen from afar has the palette's colour, and no material covers the others altogether.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

SIZE = 256
"""Texels along each edge of a tile."""

Field = NDArray[np.float32]
"""(256, 256) float32, indexed [v, u]: a value for each texel."""
Periods = tuple[int, int]
"""Cells of a lattice along U and along V of a tile."""

MEAN = 128
"""The mean of both channels, as a byte: the brightness that leaves a colour as it is."""

_CONTRAST = 0.19
"""The standard deviation of brightness in every pattern, in parts of its range: the palette says what is made of it."""


@cache
def texture_layer(name: str) -> NDArray[np.uint8]:
    """(256, 256, 2) uint8, indexed [v, u]: brightness and height, read-only. name is one of palette.TEXTURES.

    The mean brightness is MEAN exactly. All heights are equally frequent, but in "plain", which has one height.
    """
    brightness, height = PATTERNS[name]()
    layer = np.stack([_balanced(brightness), _equalized(height)], axis=-1)
    layer.setflags(write=False)
    return layer


# --- Patterns: each gives brightness and height, whatever their range ----------------------------------------------


def _plain() -> tuple[Field, Field]:
    return np.zeros_like(_U), np.zeros_like(_U)


def _grain() -> tuple[Field, Field]:
    clouds = _octaves((12, 12), 1, 3)
    specks = _noise((96, 96), 7)
    return clouds + 0.55 * specks, clouds + 0.2 * specks


def _grass() -> tuple[Field, Field]:
    patches = _octaves((5, 5), 11, 3)
    height, tone, across = _overlaid(((13, 13), 12, 0.25), ((10, 10), 13, 0.45), length=0.8, width=0.13)
    return height + 0.35 * tone + 0.12 * across + 0.28 * patches, height + 0.15 * patches


def _soil() -> tuple[Field, Field]:
    clods = _octaves((7, 7), 21, 4)
    near, far, tone, _, _ = _cells((15, 15), 22)
    crumbs = np.minimum(far - near, 0.45)
    pebbles = np.where(tone > 0.86, np.maximum(0.42 - near, 0.0), 0.0)
    height = 0.8 * clods + 0.9 * crumbs + 1.6 * pebbles
    return 0.9 * clods + 0.55 * crumbs + 1.5 * pebbles + 0.25 * (tone - 0.5), height


def _rock() -> tuple[Field, Field]:
    near, far, tone, along_u, along_v = _cells((5, 5), 31)
    tilt = (tone - 0.5) * along_u + (0.5 - np.abs(tone - 0.5)) * along_v
    cracks = np.minimum((far - near) / 0.10, 1.0)
    bend_u, bend_v = 0.05 * _octaves((6, 6), 33, 3), 0.05 * _octaves((6, 6), 34, 3)
    stones = _bent(0.5 * tone + 0.85 * tilt + 0.45 * cracks, bend_u, bend_v)
    fine = _octaves((12, 12), 32, 4)
    return stones + 0.55 * fine, stones + 0.4 * fine


def _gravel() -> tuple[Field, Field]:
    near, far, tone, along_u, along_v = _cells((11, 11), 41)
    bulge = np.sqrt(np.clip((far - near) / 0.55, 0.0, 1.0))
    bend_u, bend_v = 0.012 * _noise((16, 16), 43), 0.012 * _noise((16, 16), 44)
    fine = _octaves((40, 40), 42, 2)
    pebbles = 0.8 * bulge + 0.75 * (tone - 0.5) + 0.35 * (along_v - along_u)
    return _bent(pebbles, bend_u, bend_v) + 0.12 * fine, _bent(bulge + 0.25 * tone, bend_u, bend_v) + 0.03 * fine


def _sand() -> tuple[Field, Field]:
    bend = 0.055 * _octaves((3, 3), 51, 3)
    ripples = np.sin(2 * np.pi * (7 * (_V + bend) + 2 * _U))
    ripples = ripples - 0.25 * ripples * ripples
    strength = 0.55 + 0.5 * _noise((4, 4), 52)
    grains = _noise((112, 112), 53) + 0.6 * _noise((60, 60), 54)
    return 0.42 * ripples * strength + 0.42 * grains, ripples * strength + 0.35 * grains


def _snow() -> tuple[Field, Field]:
    drifts = _octaves((7, 8), 61, 3)
    crystals = _noise((90, 90), 62)
    glints = np.maximum(_noise((70, 70), 63) - 0.42, 0.0)
    return drifts + 0.3 * crystals + 3.0 * glints, drifts + 0.1 * crystals


def _ice() -> tuple[Field, Field]:
    near, far, tone, _, _ = _cells((5, 5), 71)
    small_near, small_far, _, _, _ = _cells((9, 9), 72)
    cracks = np.exp(-(far - near) / 0.035) + 0.35 * np.exp(-(small_far - small_near) / 0.05)
    bend_u, bend_v = 0.05 * _octaves((5, 5), 74, 2), 0.05 * _octaves((5, 5), 75, 2)
    plates = _bent(0.9 * cracks + 0.25 * tone, bend_u, bend_v)
    clouds = _octaves((6, 6), 73, 3)
    return plates + 0.55 * clouds, clouds - 0.5 * plates


def _water() -> tuple[Field, Field]:
    bend_u, bend_v = 0.06 * _octaves((4, 4), 81, 2), 0.06 * _octaves((4, 4), 82, 2)
    waves = _noise((5, 7), 83) + 0.5 * _noise((9, 13), 84)
    crests = -2.0 * _bent(np.abs(waves), bend_u, bend_v)
    return crests + 0.6 * np.maximum(crests + 0.45, 0.0), crests


def _bark() -> tuple[Field, Field]:
    furrows = np.abs(_noise((12, 3), 92)) / 0.32
    plates = np.abs(_noise((8, 7), 93)) / 0.25
    height = np.sqrt(np.clip(furrows, 0.0, 1.0)) + 0.45 * np.clip(plates, 0.0, 1.0) + 0.3 * _noise((64, 10), 94)
    height = _bent(height, 0.03 * _octaves((4, 5), 91, 3), np.zeros_like(_U))
    return height + 0.12 * _noise((80, 60), 95), height


def _leaves() -> tuple[Field, Field]:
    height, tone, across = _overlaid(((9, 9), 101, 0.2), ((8, 8), 102, 0.6), length=0.64, width=0.34)
    vein = np.exp(-np.abs(across) / 0.10)
    shade = _octaves((8, 8), 103, 2)
    return 0.7 * height + 0.42 * tone + 0.16 * vein + 0.14 * across + 0.15 * shade, height + 0.1 * shade


def _wood() -> tuple[Field, Field]:
    boards = 4
    board = np.floor(_V * boards).astype(np.int64)
    tone, butt = np.random.default_rng(111).random((2, boards)).astype(np.float32)[:, board]
    grain = _noise((2, 28), 112) + 0.6 * _noise((3, 72), 113) + 0.3 * _noise((14, 120), 114)
    grain = _bent(grain, tone, 0.012 * _octaves((3, 8), 115, 2))
    to_edge = 0.5 - np.abs(_V * boards - board - 0.5)
    to_end = np.abs((_U - butt) % 1.0 - 0.5) * boards
    gaps = np.exp(-np.minimum(to_edge, to_end) / 0.02)
    wood = 0.5 * grain + 0.30 * (tone - 0.5)
    return wood - 0.85 * gaps, 0.4 * wood - gaps


def _bricks() -> tuple[Field, Field]:
    rows, columns = 8, 4
    row = np.floor(_V * rows)
    x = _U * columns + 0.5 * (row % 2)
    column = np.floor(x) % columns
    tones = np.random.default_rng(121).random((rows, columns)).astype(np.float32)
    tone = tones[row.astype(np.int64), column.astype(np.int64)]
    wear = 0.05 * _octaves((16, 16), 122, 2)
    edge_u = (0.5 - np.abs(x - np.floor(x) - 0.5)) / columns
    edge_v = (0.5 - np.abs(_V * rows - row - 0.5)) / rows
    face = np.clip((np.minimum(edge_u, edge_v) + 0.12 * wear - 0.005) / 0.007, 0.0, 1.0)
    rough = _octaves((24, 24), 123, 3)
    return face * (0.75 + 0.55 * (tone - 0.5)) + 0.28 * rough, face + 0.2 * rough + 0.1 * tone


def _metal() -> tuple[Field, Field]:
    brushed = _noise((3, 128), 131) + 0.7 * _noise((6, 64), 132) + 0.4 * _noise((2, 24), 133)
    sheen = _octaves((4, 4), 134, 2)
    return 0.5 * brushed + 0.3 * sheen, sheen + 0.3 * brushed


PATTERNS: dict[str, Callable[[], tuple[Field, Field]]] = {
    "plain": _plain,
    "grain": _grain,
    "grass": _grass,
    "soil": _soil,
    "rock": _rock,
    "gravel": _gravel,
    "sand": _sand,
    "snow": _snow,
    "ice": _ice,
    "water": _water,
    "bark": _bark,
    "leaves": _leaves,
    "wood": _wood,
    "bricks": _bricks,
    "metal": _metal,
}
"""By their names in palette.TEXTURES."""


# --- Periodic noise, on lattices of whole cells a tile --------------------------------------------------------------

_V, _U = (np.mgrid[0:SIZE, 0:SIZE].astype(np.float32) + 0.5) / SIZE
_NEAR = (-1, 0, 1)


def _noise(periods: Periods, seed: int) -> Field:
    """Gradient noise (Perlin 2002) of about −0.7 … 0.7."""
    columns, rows = periods
    angles = 2 * np.pi * np.random.default_rng(seed).random((rows, columns))
    total = np.zeros_like(_U)
    for du, dv, (slope_u, slope_v) in _around(np.stack([np.cos(angles), np.sin(angles)]), (0, 1)):
        total += _fade(du) * _fade(dv) * (slope_u * du + slope_v * dv)
    return total


def _fade(way: Field) -> Field:
    """The weight of a lattice point that is so far away: 1 there, 0 at the next one."""
    way = np.abs(way)
    return 1 - way * way * way * (way * (way * 6 - 15) + 10)


def _octaves(periods: Periods, seed: int, n: int) -> Field:
    """A sum of n octaves of gradient noise, each twice as fine and half as strong."""
    columns, rows = periods
    total = _noise(periods, seed)
    for octave in range(1, n):
        total += _noise((columns << octave, rows << octave), seed + 1000 * octave) / np.float32(2**octave)
    return total


def _cells(periods: Periods, seed: int) -> tuple[Field, Field, Field, Field, Field]:
    """Cellular noise (Worley 1996): the distances to the nearest and the second nearest point, in cells, the nearest
    one's random tone of 0 … 1, and the way from it along U and along V."""
    columns, rows = periods
    nearest, second, tone, along_u, along_v = np.zeros((5, SIZE, SIZE), np.float32)
    nearest[:], second[:] = np.inf, np.inf
    points = np.random.default_rng(seed).random((3, rows, columns))
    for du, dv, (point_u, point_v, point_tone) in _around(points, _NEAR):
        du, dv = du - point_u, dv - point_v  # noqa: PLW2901
        distance = du * du + dv * dv
        nearer = distance < nearest
        second = np.minimum(second, np.maximum(nearest, distance))
        for field, value in ((nearest, distance), (tone, point_tone), (along_u, du), (along_v, dv)):
            np.copyto(field, value, where=nearer)
    return np.sqrt(nearest), np.sqrt(second), tone, along_u, along_v


def _sprites(periods: Periods, seed: int, length: float, width: float) -> tuple[Field, Field, Field]:
    """Pointed leaves at random angles, one a cell; length and width are half-axes in cells.

    Gives the height of the uppermost one, 0 where there is none, rising towards its tip; its random tone of 0 … 1;
    and the place across it, −1 … 1.
    """
    columns, rows = periods
    random = np.random.default_rng(seed).random((5, rows, columns))
    cosines, sines = np.cos(2 * np.pi * random[4]), np.sin(2 * np.pi * random[4])
    top, tone, side = np.zeros((3, SIZE, SIZE), np.float32)
    for du, dv, (u, v, lift, its_tone, cosine, sine) in _around(np.stack([*random[:4], cosines, sines]), _NEAR):
        du, dv = du - u, dv - v  # noqa: PLW2901
        along = (du * cosine + dv * sine) / np.float32(length)
        taper = 1 - along * along
        across = (dv * cosine - du * sine) / np.float32(width) + np.float32(0.35) * (1 - taper)
        height = np.float32(0.3) * along + np.float32(0.45) * lift + np.float32(0.25)
        over = (np.abs(across) < taper) & (height > top)
        np.copyto(top, height, where=over)
        np.copyto(tone, its_tone, where=over)
        np.divide(across, taper, out=side, where=over)
    return top, tone, side


def _overlaid(*layers: tuple[Periods, int, float], length: float, width: float) -> tuple[Field, Field, Field]:
    """Layers of sprites (periods, seed, lift), each above those before it: height, tone of −½ … ½, and place across."""
    height, tone, side = np.zeros((3, SIZE, SIZE), np.float32)
    for periods, seed, lift in layers:
        top, its_tone, its_side = _sprites(periods, seed, length, width)
        for field, value in ((height, lift + 0.55 * top), (tone, its_tone - 0.5), (side, its_side)):
            np.copyto(field, value, where=top > 0)
    return height, tone, side


def _around(lattice: NDArray[np.float64], steps: Sequence[int]) -> Iterator[tuple[Field, Field, Field]]:
    """For each of the cells that are so many steps away from a texel's: the way from its low corner along U (1, 256)
    and along V (256, 1), in cells, and its values (k, 256, 256) in a lattice (k, rows, columns)."""
    _, rows, columns = lattice.shape
    (column, place_u), (row, place_v) = _cells_along(columns), _cells_along(rows)
    values = lattice.astype(np.float32)
    for v in steps:
        in_row = values[:, (row + v) % rows]
        for u in steps:
            yield place_u[None, :] - u, place_v[:, None] - v, in_row[:, :, (column + u) % columns]


def _cells_along(period: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """(256,) each: the cell of each texel along an edge of the tile, and the place in it, 0 … 1."""
    position = (np.arange(SIZE) + 0.5) / SIZE * period
    cell = position.astype(np.int64)
    return cell, (position - cell).astype(np.float32)


def _bent(field: Field, bend_u: Field, bend_v: Field) -> Field:
    """The field at places bent away by these ways, in tiles."""
    x, y = (_U + bend_u) * SIZE - 0.5, (_V + bend_v) * SIZE - 0.5
    left, low = np.floor(x), np.floor(y)
    column, row = left.astype(np.intp) % SIZE, low.astype(np.intp) % SIZE
    next_column, next_row = (column + 1) % SIZE, (row + 1) % SIZE
    flat = field.reshape(-1)

    def in_row(row: NDArray[np.intp]) -> Field:
        here, there = flat.take(row * SIZE + column), flat.take(row * SIZE + next_column)
        return here + (x - left) * (there - here)

    below = in_row(row)
    return below + (y - low) * (in_row(next_row) - below)


# --- Bytes -----------------------------------------------------------------------------------------------------------


def _balanced(brightness: Field) -> NDArray[np.uint8]:
    """As bytes whose mean is MEAN, to the last one."""
    deviation = brightness - brightness.mean()
    spread = float(deviation.std())
    values = MEAN + 256 * _CONTRAST / spread * deviation if spread else np.full_like(deviation, MEAN)
    for _ in range(4):
        values = np.clip(values + (MEAN - values.mean()), 0, 255)
    # What clipping and rounding leave is spread evenly over texels that have room for it.
    made = np.rint(values).astype(np.int64).reshape(-1)
    missing = made.size * MEAN - int(made.sum())
    room = np.flatnonzero((made > 0) & (made < 255))
    made[room[np.linspace(0, len(room) - 1, abs(missing)).astype(np.int64)]] += np.sign(missing)
    return made.reshape(SIZE, SIZE).astype(np.uint8)


def _equalized(height: Field) -> NDArray[np.uint8]:
    """As bytes by rank, so that every height is as frequent as any other; one height becomes MEAN."""
    ordered = np.sort(height, axis=None)
    if ordered[0] == ordered[-1]:
        return np.full(height.shape, MEAN, np.uint8)
    steps = ordered[:: ordered.size // 256][1:]
    return np.searchsorted(steps, height.reshape(-1), side="right").reshape(SIZE, SIZE).astype(np.uint8)
