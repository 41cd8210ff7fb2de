# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the icons of the toolbar, addon/tools/icons/*.dat, in the format of Blender's own: triangles with a colour a
corner, on a square from 0 to 255.

    python tools/make_tool_icons.py
"""

from collections.abc import Sequence
from math import atan2, cos, pi, sin
from pathlib import Path

ICONS = Path(__file__).resolve().parent.parent / "addon" / "tools" / "icons"

Point = tuple[float, float]
Color = tuple[int, int, int]
Polygon = tuple[Sequence[Point], Color]
"""A convex polygon."""

LIGHT, MIDDLE, DARK = (235, 235, 235), (185, 185, 185), (130, 130, 130)
ACCENT, ACCENT_MIDDLE, ACCENT_DARK = (255, 176, 72), (222, 138, 40), (176, 102, 22)
GREYS, ACCENTS = (LIGHT, MIDDLE, DARK), (ACCENT, ACCENT_MIDDLE, ACCENT_DARK)


def cube(x: float, y: float, edge: float, colors: Sequence[Color] = GREYS, height: float = 1.0) -> list[Polygon]:
    """A cube seen from above and the front, the middle of its top at (x, y); height in edges."""
    across, up, down = edge * 0.87, edge * 0.5, edge * height
    right, left, front, back = (x + across, y), (x - across, y), (x, y - up), (x, y + up)
    top, left_color, right_color = colors
    return [
        ((left, front, right, back), top),
        ((left, (left[0], left[1] - down), (front[0], front[1] - down), front), left_color),
        ((front, (front[0], front[1] - down), (right[0], right[1] - down), right), right_color),
    ]


def bar(start: Point, end: Point, width: float, color: Color) -> Polygon:
    """A thick line."""
    angle = atan2(end[1] - start[1], end[0] - start[0]) + pi / 2
    x, y = cos(angle) * width / 2, sin(angle) * width / 2
    (ax, ay), (bx, by) = start, end
    return ((ax + x, ay + y), (ax - x, ay - y), (bx - x, by - y), (bx + x, by + y)), color


def arrow(x: float, low: float, high: float, color: Color) -> list[Polygon]:
    """An arrow that points up."""
    return [bar((x, low), (x, high - 30), 18, color), (((x - 28, high - 34), (x + 28, high - 34), (x, high)), color)]


def disc(x: float, y: float, radius: float, color: Color) -> Polygon:
    angles = [2 * pi * i / 16 for i in range(16)]
    return [(x + radius * cos(a), y + radius * sin(a)) for a in angles], color


def corners(low: float, high: float, length: float, width: float, color: Color) -> list[Polygon]:
    """The corners of a square."""
    found = []
    for x, dx in ((low, length), (high, -length)):
        for y, dy in ((low, length), (high, -length)):
            found += [bar((x, y), (x + dx, y), width, color), bar((x, y), (x, y + dy), width, color)]
    return found


def rhombus(x: float, y: float, edge: float, color: Color) -> Polygon:
    """A flat square, seen from above and the front."""
    across, up = edge * 0.87, edge * 0.5
    return ((x - across, y), (x, y - up), (x + across, y), (x, y + up)), color


DRAWINGS: dict[str, list[Polygon]] = {
    "sculpt": [*cube(128, 150, 40, height=2.2), *cube(80, 92, 36), *cube(176, 92, 36), *arrow(128, 168, 245, ACCENT)],
    "build": [
        *cube(110, 150, 76),
        bar((200, 160), (200, 246), 20, ACCENT),
        bar((157, 203), (243, 203), 20, ACCENT),
    ],
    "paint": [*cube(104, 138, 72, (ACCENT, MIDDLE, ACCENT_DARK)), bar((150, 150), (236, 236), 24, LIGHT)],
    "box": [*cube(128, 158, 100, height=0.55), *cube(128, 196, 34, ACCENTS, 0.6)],
    "line": [
        polygon
        for i in range(4)
        for polygon in cube(206 - 52 * i, 226 - 44 * i, 32, ACCENTS if i in {0, 3} else GREYS)
    ],
    "fill": [
        *cube(128, 104, 96, (ACCENT, MIDDLE, DARK), 0.45),
        disc(128, 182, 34, LIGHT),
        (((100, 198), (156, 198), (128, 250)), LIGHT),
    ],
    "extrude": [*cube(128, 72, 84, height=0.35), rhombus(128, 150, 84, ACCENT), *arrow(128, 150, 246, LIGHT)],
    "stamp": [
        bar((128, 150), (128, 226), 44, LIGHT),
        disc(128, 222, 30, LIGHT),
        *cube(128, 132, 76, height=0.3),
        bar((52, 34), (204, 34), 20, ACCENT),
    ],
    "select": [*corners(24, 232, 60, 16, ACCENT), *cube(128, 160, 66)],
    "pick": [
        bar((58, 58), (150, 150), 30, ACCENT),
        bar((130, 196), (196, 130), 22, DARK),
        bar((150, 150), (208, 208), 52, LIGHT),
        disc(214, 214, 28, LIGHT),
    ],
}  # fmt: skip


def icon(polygons: Sequence[Polygon]) -> bytes:
    """The file of a drawing; what is later lies above."""
    places, colors = bytearray(), bytearray()
    for points, color in polygons:
        fan = [(points[0], points[i], points[i + 1]) for i in range(1, len(points) - 1)]
        for triangle in fan:
            for x, y in triangle:
                places += bytes(min(max(round(c), 0), 255) for c in (x, y))
                colors += bytes((*color, 255))
    return b"VCO\x00" + bytes((255, 255, 0, 0)) + places + colors


if __name__ == "__main__":
    ICONS.mkdir(exist_ok=True)
    for name, polygons in DRAWINGS.items():
        (ICONS / f"{name}.dat").write_bytes(icon(polygons))
