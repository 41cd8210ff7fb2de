# SPDX-License-Identifier: GPL-3.0-or-later
"""Small worlds in which light shows what it can do, and how they are looked at."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.voxel.palette import Palette, palette_from_table
from voxelwright.voxel.world import World, chunks_of_cells, new_world

_PALETTE_FILE = Path(__file__).parent.parent.parent / "presets" / "palettes" / "default.toml"
PALETTE = palette_from_table(tomllib.loads(_PALETTE_FILE.read_text(encoding="utf-8")))

WIDTH, HEIGHT = 320, 180


@dataclass(frozen=True)
class LightScene:
    """A world, the direction to the sun, and the box of voxels that an orbiting camera frames."""

    world: Callable[[], World]
    sun: tuple[float, float, float]
    azimuth: float
    elevation: float
    low: tuple[float, float, float]
    high: tuple[float, float, float]

    def camera(self, width: int = WIDTH, height: int = HEIGHT) -> Camera:
        """What sees it."""
        return orbit_camera(self.low, self.high, self.azimuth, self.elevation, width / height)


def world_of(materials: NDArray[np.int64], palette: Palette = PALETTE) -> World:
    """Materials [x, y, z] from the origin on; 0 is air."""
    voxels = np.array([palette.voxel(i) if palette.materials[i] else 0 for i in range(256)], np.uint16)
    return new_world(chunks_of_cells(np.argwhere(materials > 0), voxels[materials[materials > 0]], 500), palette)


def _indices(*names: str) -> list[int]:
    return [PALETTE.index_of(name) for name in names]


# --- The eleven cases ------------------------------------------------------------------------------------------------

PAIRS = (
    ("smooth stone", "grass"),
    ("smooth stone", "dirt"),
    ("smooth stone", "sand"),
    ("smooth stone", "stone"),
    ("snow", "grass"),
    ("snow", "sand"),
    ("sand", "dirt"),
    ("grass", "dirt"),
)
"""What lies beside what: first the pairs of a smooth material and a block, then two of blocks for comparison."""


def _case_of_pair(one: str, other: str) -> NDArray[np.int64]:
    """(6, 6, 3): two materials side by side, each level with the other, higher and lower in one place."""
    a, b = _indices(one, other)
    room = np.zeros((6, 6, 3), np.int64)
    room[:3, :, 0], room[3:, :, 0] = a, b
    room[1:3, 0:2, 1] = a
    room[3:5, 4:6, 1] = b
    room[4, 4, 2] = b
    return room


def _staircase() -> NDArray[np.int64]:
    (stone,) = _indices("smooth stone")
    room = np.zeros((6, 6, 6), np.int64)
    for x in range(6):
        room[x, :4, : x // 2 + 1] = stone  # steps two voxels deep
    for y in range(4, 6):
        room[:, y, : 2 * (6 - y)] = stone  # and steep ones at its side
    return room


def _ringed_patch() -> NDArray[np.int64]:
    stone, grass = _indices("smooth stone", "grass")
    room = np.zeros((6, 6, 2), np.int64)
    room[..., 0] = grass
    room[1:5, 1:5, 0] = stone
    room[2, 2, 1] = stone
    return room


def _lone_block() -> NDArray[np.int64]:
    return np.full((2, 2, 2), _indices("smooth stone")[0])


CASES: Mapping[str, NDArray[np.int64]] = {
    **{f"{one} beside {other}": _case_of_pair(one, other) for one, other in PAIRS},
    "smooth staircase": _staircase(),
    "smooth patch ringed by grass": _ringed_patch(),
    "smooth block alone": _lone_block(),
}
"""Materials [x, y, z] of each case by its name."""

CASE_CORNERS = {name: (1 + i % 4 * 8, 1 + i // 4 * 10, 8) for i, name in enumerate(CASES)}
"""Where each lies in the chunk: nothing touches what is another's."""


def eleven_cases() -> World:
    """All cases in one chunk, in the air."""
    room = np.zeros((32, 32, 32), np.int64)
    for name, case in CASES.items():
        x, y, z = CASE_CORNERS[name]
        room[x : x + case.shape[0], y : y + case.shape[1], z : z + case.shape[2]] = case
    return world_of(room)


# --- Landscapes ------------------------------------------------------------------------------------------------------


def canyon() -> World:
    """Two walls of terraces, and a floor of sand between them that winds."""
    x, y = np.indices((48, 64))
    off = np.abs(x - 24 - 5 * np.sin(y / 9)) - 5
    height = 2 + np.clip(np.floor(off / 3) * 7, 0, 21)
    height += np.where(height > 2, (np.sin(x * 1.3) + np.sin(y * 0.7) > 0.9) * 2, 0)
    sand, red, ochre = _indices("sand", "red rock", "ochre rock")
    z = np.arange(28)
    rock = np.where(z // 4 % 2 == 0, red, ochre)
    return world_of(np.where(z < height[..., None], np.where(z < 2, sand, rock), 0))


def cave_mouth() -> World:
    """A hole into a hillside, with a smooth floor."""
    x, y, z = np.indices((40, 40, 24))
    hill = z < 6 + np.clip((y - 8) * 0.9, 0, 16)
    hole = ((x - 20) / 7.0) ** 2 + ((z - 6) / 7.5) ** 2 < 1 - (y / 30.0) ** 4
    stone, grass, floor = _indices("stone", "grass", "smooth stone")
    materials = np.where(hill & ~(hole & (z >= 5)), stone, 0)
    covered = np.roll(materials, -1, axis=2) != 0
    covered[..., -1] = False
    materials[(materials == stone) & ~covered] = grass
    materials[(z < 5) & hole & (materials > 0)] = floor
    return world_of(materials)


def overhang() -> World:
    """A shelf on a leg above smooth ground, with a step beneath it."""
    stone, snow, grass = _indices("stone", "snow", "grass")
    room = np.zeros((24, 20, 14), np.int64)
    room[..., 0] = snow
    room[:8, :, 1] = snow
    room[9:13, 8:12, 1:9] = stone
    room[4:20, 4:16, 9:11] = stone
    room[4:20, 4:16, 11] = grass
    return world_of(room)


def hill_beside_wall() -> World:
    """A smooth hill that leans against a wall of blocks with a battlement."""
    x, y, z = np.indices((40, 40, 20))
    hill = z < 2 + 11 * np.exp(-(((x - 22) / 9.0) ** 2) - ((y - 20) / 10.0) ** 2)
    stone, smooth = _indices("stone", "smooth stone")
    materials = np.where(hill, smooth, 0)
    materials[26:29, :, :13] = stone
    materials[26:29, ::4, 13:15] = stone
    materials[26:29, 1::4, 13:15] = stone
    return world_of(materials)


def thin_forest() -> World:
    """Trunks of one voxel with crowns of a few, on smooth and blocky ground."""
    grass, snow, bark, leaves = _indices("grass", "snow", "bark", "leaves")
    room = np.zeros((36, 36, 14), np.int64)
    room[:18, :, :2], room[18:, :, :2] = grass, snow
    rng = np.random.default_rng(8)
    for column in np.ndindex(7, 7):
        x, y = 3 + 5 * np.array(column) + rng.integers(-1, 2, 2)
        top = int(rng.integers(6, 11))
        room[x, y, 2:top] = bark
        for dx, dy, dz in ((0, 0, 0), (1, 0, -1), (-1, 0, -1), (0, 1, -1), (0, -1, -1), (0, 0, 1), (1, 0, -3)):
            room[x + dx, y + dy, top + dz] = leaves
    return world_of(room)


def interior() -> World:
    """A room that is open to the viewer, with a window to the sun, a table and a smooth heap."""
    stone, plank, snow = _indices("pale rock", "bark", "snow")
    room = np.zeros((28, 22, 16), np.int64)
    room[:, :, 0] = plank
    room[:, :, 15] = stone
    room[[0, 27]] = stone
    room[:, 21] = stone
    room[0, 6:14, 5:12] = 0
    room[0, 10, 5:12] = stone
    room[12:18, 8:13, 4] = plank
    for x, y in ((12, 8), (17, 8), (12, 12), (17, 12)):
        room[x, y, 1:4] = plank
    x, y = np.indices((28, 22))
    heap = 4.5 - 0.5 * np.hypot(x - 22, y - 16)
    room[:, :, 1:6] = np.where((room[:, :, 1:6] == 0) & (np.arange(5) < heap[..., None]), snow, room[:, :, 1:6])
    return world_of(room)


SCENES = {
    "cases": LightScene(eleven_cases, (-0.5, -0.35, 0.5), 25, 42, (3, 3, 8), (29, 25, 11)),
    "canyon": LightScene(canyon, (-1.0, -0.5, 0.4), 15, 38, (4, 8, 0), (44, 56, 24)),
    "cave-mouth": LightScene(cave_mouth, (-0.5, -0.8, 0.55), 12, 12, (9, 2, 1), (31, 32, 17)),
    "overhang": LightScene(overhang, (-0.6, -0.5, 0.9), 30, 18, (2, 2, 0), (22, 18, 12)),
    "hill-beside-wall": LightScene(hill_beside_wall, (-0.3, 0.8, 0.35), 305, 25, (4, 6, 0), (32, 34, 14)),
    "thin-forest": LightScene(thin_forest, (-0.6, -0.35, 0.5), 20, 32, (2, 2, 0), (34, 34, 12)),
    "interior": LightScene(interior, (-1.0, -0.25, 0.55), 350, 8, (1, 4, 1), (27, 20, 14)),
}
"""By the names of their pictures."""
