# SPDX-License-Identifier: GPL-3.0-or-later
"""Bevels along open edges: a wall outside, a slope inside, mitred where two meet, capped where a strip ends."""

from .records import TopingMesh
from .shape import EDGES, Random, Shape, along_edge, open_edges

_STONE = 5
_HEIGHT, _WIDTH = 0.1, 0.2
"""At both ends of an edge, so that the strips of neighbours meet."""

_STATIONS = (-0.26, -0.02, 0.23)
"""Where, about, an edge is chipped."""


def stone(variant: int, alternate: int) -> TopingMesh:
    shape, opened = Shape(), open_edges(variant)
    for edge in opened:
        _bevel(shape, Random(_STONE, alternate, edge), edge, [_beside(edge, side) in opened for side in (-1, 1)])
    return shape.mesh()


def _beside(edge: int, side: int) -> int:
    """The edge at that end of an edge: −1 where it begins, 1 where it ends, counter-clockwise seen from above."""
    x, y = EDGES[edge]
    return EDGES.index((-side * y, side * x))


def _bevel(shape: Shape, random: Random, edge: int, mitred: list[bool]) -> None:
    """The wedge along one edge; mitred says at which of its ends another one meets it."""
    # The inner foot of a mitred end lies on the diagonal.
    ends = [0.5 - _WIDTH if meets else 0.5 for meets in mitred]
    profiles = [(-0.5, -ends[0], _HEIGHT, _WIDTH)]
    for station in _STATIONS:
        along = station + random.between(-0.07, 0.07)
        foot = max(-ends[0], min(ends[1], along))
        profiles.append((along, foot, _HEIGHT * random.between(0.7, 1.25), _WIDTH * random.between(0.75, 1.2)))
    profiles.append((0.5, ends[1], _HEIGHT, _WIDTH))
    bottom = [along_edge(edge, 0.5, along) for along, *_ in profiles]
    top = [along_edge(edge, 0.5, along, height) for along, _, height, _ in profiles]
    inner = [along_edge(edge, 0.5 - width, at) for _, at, _, width in profiles]
    us = [(along + 0.5) / 2 for along, *_ in profiles]
    shape.strip([bottom, top], [(u, v) for v in (0, 1) for u in us])
    shape.strip([top, inner], [(u, v) for v in (1, 0.3) for u in us])
    for k, meets in zip((0, -1), mitred, strict=True):
        if not meets:
            corners = (bottom[k], inner[k], top[k]) if k else (inner[k], bottom[k], top[k])
            shape.add(corners, ((0, 1, 2),), ((0, 0.2), (0.4, 0.2), (0.2, 1)))
