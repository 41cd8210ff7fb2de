# SPDX-License-Identifier: GPL-3.0-or-later
"""Grass and flowers: sheets seen from both sides, rooted where they bend 0."""

import math

from .records import PETALS_U, TopingMesh
from .shape import Random, Shape, along_edge, open_edges

_GRASS, _FLOWERS = 1, 2
_BLADE_TRIANGLES = ((0, 1, 3), (0, 3, 2), (2, 3, 4))
_SPREAD = math.radians(55)
_SLOTS = ((-0.3, -0.25), (0.3, 0.22), (0.05, -0.3), (-0.05, 0.3), (0.3, -0.1), (-0.32, 0.08))
"""Where tufts stand on a top, about."""


def grass(variant: int, alternate: int) -> TopingMesh:
    """Tufts all over the top, and leaning over its open edges."""
    random, shape = Random(_GRASS, alternate), Shape()
    for x, y in _SLOTS:
        _inner_tuft(shape, random, x, y, random.between(0.3, 0.7), random.whole(3, 5))
    for edge in open_edges(variant):
        _edge_tufts(shape, Random(_GRASS, alternate, edge), edge, 4, 0.6)
    return shape.mesh()


def flowers(variant: int, alternate: int) -> TopingMesh:
    """Low grass; on half of the alternates, flowers in it."""
    random, shape = Random(_FLOWERS, alternate), Shape()
    for x, y in _SLOTS[alternate % 2 :: 2]:
        _inner_tuft(shape, random, x, y, random.between(0.25, 0.5), random.whole(3, 4))
    if alternate >= N_WITHOUT_FLOWERS:
        for x, y in _SLOTS[1 - alternate % 2 :: 2][: random.whole(1, 2)]:
            _flower(shape, random, x + random.between(-0.15, 0.15), y + random.between(-0.15, 0.15))
    for edge in open_edges(variant):
        _edge_tufts(shape, Random(_FLOWERS, alternate, edge), edge, 3, 0.45)
    return shape.mesh()


N_WITHOUT_FLOWERS = 2


def _inner_tuft(shape: Shape, random: Random, x: float, y: float, height: float, n_blades: int) -> None:
    place = (x + random.between(-0.14, 0.14), y + random.between(-0.14, 0.14))
    _tuft(shape, random, place, random.between(-math.pi, math.pi), height, random.between(0.3, 1.0), n_blades)


def _edge_tufts(shape: Shape, random: Random, edge: int, n: int, most: float) -> None:
    """n tufts along an edge, most of them near it, that lean outwards."""
    for k in range(n):
        along = (k + random.between(0.15, 0.85)) / n - 0.5
        inset = 0.3 * random.between(0, 1) ** 2
        x, y, _ = along_edge(edge, 0.5 - inset, along)
        out = along_edge(edge, 1, 0)
        angle = math.atan2(out[1], out[0]) + random.between(-0.4, 0.4)
        height = random.between(0.2, most)
        _tuft(shape, random, (x, y), angle, height, random.between(0.8, 1.8), random.whole(3, 6))


def _tuft(
    shape: Shape, random: Random, place: tuple[float, float], angle: float, height: float, lean: float, n: int
) -> None:
    """n blades that lean towards an angle, by lean of 0.3 … 1.8."""
    for _ in range(n):
        x, y = (center + random.between(-0.03, 0.03) for center in place)
        turned = angle + random.between(-_SPREAD, _SPREAD)
        tall = height * random.between(0.65, 1.1)
        _blade(shape, x, y, turned, tall, lean, random.between(0.03, 0.055), random.between(0.08, 0.43))


def _blade(
    shape: Shape, x: float, y: float, angle: float, height: float, lean: float, width: float, bend: float
) -> None:
    """Two segments: half as high the blade has gone the share bend of the way that its tip goes."""
    dx, dy = math.cos(angle), math.sin(angle)
    reach, tip = 0.4 * lean * height, height * (1 - 0.12 * lean)
    points = [(x - sign * width * dy, y + sign * width * dx, 0.0) for sign in (1, -1)]
    for sign in (0.8, -0.8):
        points.append(
            (x + bend * reach * dx - sign * width * dy, y + bend * reach * dy + sign * width * dx, 0.55 * tip)
        )
    points.append((x + reach * dx, y + reach * dy, tip))
    uvs = ((0.1, 0), (0.4, 0), (0.1, 0.55), (0.4, 0.55), (0.25, 1))
    # Wind takes tall blades further; a root stays.
    shape.add(points, _BLADE_TRIANGLES, uvs, [height * v * v for _, v in uvs], lift=0.5)


def _flower(shape: Shape, random: Random, x: float, y: float) -> None:
    """A stem of one blade's form, and five petals that open upwards."""
    angle, height = random.between(-math.pi, math.pi), random.between(0.35, 0.6)
    lean = random.between(0.1, 0.5)
    _blade(shape, x, y, angle, height, lean, 0.014, 0.4)
    reach = 0.4 * lean * height
    x, y, z = x + reach * math.cos(angle), y + reach * math.sin(angle), height * (1 - 0.12 * lean)
    size, cup, n = random.between(0.08, 0.12), random.between(0.15, 0.5), 5
    for k in range(n):
        turn = angle + math.tau * k / n
        points = [(x, y, z - 0.01)]
        for out, side, up in ((0.6, -0.55, 0.5), (1, 0, 1), (0.6, 0.55, 0.5)):
            dx, dy = out * math.cos(turn) - side * math.sin(turn), out * math.sin(turn) + side * math.cos(turn)
            points.append((x + size * dx, y + size * dy, z + size * cup * up))
        u = 0.5 + PETALS_U / 2
        shape.add(points, ((0, 1, 2), (0, 2, 3)), ((u, 0.4), (u, 0.9), (u, 1), (u, 0.9)), [height] * 4, lift=0.3)
