# SPDX-License-Identifier: GPL-3.0-or-later
"""Moss and pebbles: low domes on the ground."""

import math

from .records import TopingMesh
from .shape import Random, Shape, along_edge, open_edges

_MOSS, _PEBBLES = 3, 4
_SINK = 0.03
"""How far domes reach into the ground, so that no light falls below them."""

_OFF = 0.03
"""How far from the side what hangs is."""


def moss(variant: int, alternate: int) -> TopingMesh:
    """Cushions that touch each other, and hang over open edges."""
    random, shape = Random(_MOSS, alternate), Shape()
    for x, y, size in ((-0.17, -0.12, 0.4), (0.2, 0.2, 0.34), (0.25, -0.27, 0.26), (-0.25, 0.3, 0.24)):
        place = (x + random.between(-0.08, 0.08), y + random.between(-0.08, 0.08))
        _dome(shape, random, place, size * random.between(0.75, 1.05), random.between(0.035, 0.08), 8, hangs=True)
    for edge in open_edges(variant):
        own = Random(_MOSS, alternate, edge)
        for along in (-0.25, 0.25):
            x, y, _ = along_edge(edge, own.between(0.36, 0.46), along + own.between(-0.12, 0.12))
            _dome(shape, own, (x, y), own.between(0.16, 0.28), own.between(0.035, 0.07), 8, hangs=True)
    return shape.mesh()


def pebbles(variant: int, alternate: int) -> TopingMesh:
    """A few stones, one of them the largest, and small ones along open edges."""
    random, shape = Random(_PEBBLES, alternate), Shape()
    for k in range(random.whole(2, 4)):
        size = random.between(0.09, 0.15) if k == 0 else random.between(0.035, 0.08)
        place = (random.between(-0.32, 0.32), random.between(-0.32, 0.32))
        _dome(shape, random, place, size, size * random.between(0.55, 0.95), 6, flat=True)
    for edge in open_edges(variant):
        own = Random(_PEBBLES, alternate, edge)
        x, y, _ = along_edge(edge, own.between(0.36, 0.43), own.between(-0.38, 0.38))
        size = own.between(0.03, 0.06)
        _dome(shape, own, (x, y), size, size * own.between(0.6, 0.9), 5, flat=True)
    return shape.mesh()


def _dome(
    shape: Shape,
    random: Random,
    place: tuple[float, float],
    radius: float,
    height: float,
    n: int,
    *,
    flat: bool = False,
    hangs: bool = False,
) -> None:
    """Two rings of n points below a top one; what hangs follows the side of the voxel down."""
    stretch, turn = random.between(0.75, 1.0), random.between(0, math.tau)
    points, uvs = [], []
    for out, z, v in ((1.0, -_SINK, 0.0), (0.72, 0.68 * height, 0.6)):
        for k in range(n):
            angle = turn + math.tau * k / n
            r = out * radius * random.between(0.85, 1.1)
            x, y = r * math.cos(angle), stretch * r * math.sin(angle)
            x, y = (
                place[0] + x * math.cos(turn) - y * math.sin(turn),
                place[1] + x * math.sin(turn) + y * math.cos(turn),
            )
            points.append((x, y, z - (1.6 * max(abs(x) - 0.5, abs(y) - 0.5, 0.0) if hangs else 0.0)))
            uvs.append((0.25, v))
    points.append((place[0], place[1], height * random.between(0.95, 1.1)))
    uvs.append((0.25, 1.0))
    triangles = []
    for k in range(n):
        a, b = k, (k + 1) % n
        triangles += [(a, b, n + b), (a, n + b, n + a), (n + a, n + b, 2 * n)]
    shape.add([_hanging(*point) for point in points] if hangs else points, triangles, uvs, flat=flat)


def _hanging(x: float, y: float, z: float) -> tuple[float, float, float]:
    """What reaches beyond an edge hangs down along the voxel's side."""
    over = max(abs(x), abs(y)) - 0.5
    if over <= 0:
        return (x, y, z)
    reach = 0.5 + min(over, _OFF)
    return (max(-reach, min(reach, x)), max(-reach, min(reach, y)), z - 0.7 * over)
