# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures held to ones that were looked at."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.decals import Decals
from voxelwright.gpu_backend.legend import with_legend
from voxelwright.gpu_backend.renderer import Look, Renderer
from voxelwright.gpu_backend.views import View
from voxelwright.voxel.palette import Material, Palette, palette_from_table
from voxelwright.voxel.world import World, chunks_of_cells, new_world

from . import decal_scenes
from .golden_pictures import GOLDEN, hold_to_golden

PALETTE_FILE = Path(__file__).parent.parent.parent / "presets" / "palettes" / "default.toml"

WIDTH, HEIGHT = 400, 225
SAMPLES = 2

DEFAULT = palette_from_table(tomllib.loads(PALETTE_FILE.read_text(encoding="utf-8")))
PALETTE = Palette.of(
    {
        **dict(DEFAULT.items()),
        100: Material("lamp", (255, 190, 110), emission=3.0, texture="plain"),
        101: Material("ember", (255, 70, 20), emission=1.0, texture="rock"),
        102: Material("beacon", (60, 160, 255), emission=20.0, texture="plain"),
        103: Material("glass", (200, 225, 230), 0.05, opacity=0.2, texture="plain"),
        104: Material("ruby", (210, 30, 40), 0.1, opacity=0.55, texture="plain"),
    }
)
"""The default palette, with materials of the other kinds."""


@dataclass(frozen=True)
class Scene:
    """A picture; half_height voxels are seen above and below its middle where it is orthographic."""

    world: Callable[[], World]
    azimuth: float = 32
    elevation: float = 26
    look: Look = field(default_factory=Look)
    half_height: float | None = None
    decals: Callable[[], Decals] | None = None


# --- Worlds ----------------------------------------------------------------------------------------------------------


def _world(materials: NDArray[np.int64], palette: Palette = PALETTE) -> World:
    """Materials [x, y, z] about the origin; 0 is air."""
    voxels = np.array([palette.voxel(i) if palette.materials[i] else 0 for i in range(256)], np.uint16)
    cells = np.argwhere(materials > 0)
    half = np.array(materials.shape[:2]) // 2
    return new_world(chunks_of_cells(cells - (*half, 0), voxels[materials[materials > 0]], 500), palette)


def _indices(*names: str) -> list[int]:
    return [PALETTE.index_of(name) for name in names]


def _blocks() -> World:
    """Single blocks, most of them apart, some touching by an edge."""
    room = np.zeros((20, 12, 6), np.int64)
    grass, stone, sand = _indices("grass", "stone", "sand")
    for i, x in enumerate(range(1, 20, 4)):
        room[x, 2 + 4 * (i % 2), i % 3] = (grass, stone, sand)[i % 3]
    room[4, 9, 0] = room[5, 10, 0] = stone
    room[12, 9, 0] = room[13, 10, 1] = sand
    return _world(room)


def _heights() -> NDArray[np.float64]:
    x, y = np.indices((96, 64)) / 96
    waves = [(1.1, 2.3, 0.0, 8), (3.7, -1.9, 1.0, 5), (-2.9, 5.3, 2.0, 3), (9.1, 6.7, 4.0, 1.2)]
    return 16 + sum(a * np.sin(2 * np.pi * (u * x + v * y) + p) for u, v, p, a in waves)


def _hills() -> World:
    height = _heights()
    z = np.arange(40)
    sand, grass, stone, snow, water = _indices("sand", "grass", "stone", "snow", "water")
    top = np.select([height > 28, height > 22, height > 10], [snow, stone, grass], sand)
    materials = np.where(z < height[..., None], top[..., None], 0)
    materials[(materials == 0) & (z < 9)] = water
    return _world(materials)


def _wide() -> World:
    """Mountains by a lake."""
    x, y = np.indices((192, 192)) / 32
    waves = np.sin(x + np.sin(1.3 * y)) * np.cos(1.1 * y) + 0.5 * np.sin(2.3 * x + y) + 0.2 * np.sin(5.1 * y - 3.7 * x)
    height = np.clip(18 + 14 * waves, 3, 50).astype(int)[..., None]
    z = np.arange(52)
    sand, grass, stone, snow, water, soil = _indices("sand", "grass", "stone", "snow", "water", "dirt")
    top = np.select([height > 36, height > 29, height > 10], [snow, stone, grass], sand)
    materials = np.where((z < height) & (z > height - 8), np.where(z < height - 1, soil, top), 0)
    materials[(z >= height) & (z < 9)] = water
    return _world(materials)


def _caves() -> World:
    x, y, z = np.indices((64, 48, 40)) / 14
    waves = np.sin(2.1 * x + np.sin(1.7 * y)) + np.sin(1.9 * y + np.sin(2.3 * z)) + np.sin(2.7 * z + np.sin(1.3 * x))
    stone, soil, lamp = _indices("stone", "dirt", "ember")
    materials = np.where(np.abs(waves) < 0.5, 0, np.where(waves > 0, stone, soil))
    materials[(materials == 0) & (np.roll(materials, 1, axis=2) != 0) & (waves > 0.42)] = lamp
    materials[:, 0:6] = 0
    return _world(materials)


def _materials() -> World:
    """A block 3 voxels wide of each material of the default palette, in rows."""
    indices = [index for index, _ in DEFAULT.items()]
    room = np.zeros((4 * 8, 4 * -(-len(indices) // 8), 3), np.int64)
    for i, index in enumerate(indices):
        x, y = i % 8 * 4, i // 8 * 4
        room[x : x + 3, y : y + 3] = index
    return _world(room)


def _steps() -> World:
    """Materials that meet on one level, at steps up and down, and at a corner of three."""
    grass, stone, sand, soil = _indices("grass", "stone", "sand", "dirt")
    room = np.zeros((12, 8, 5), np.int64)
    room[..., 0] = soil
    room[0:4, 0:4, 1], room[0:4, 4:8, 1] = grass, sand
    room[4:8, 0:4, 1:3], room[4:8, 4:8, 1] = stone, grass
    room[8:12, :, 1:4] = sand
    room[9:11, 2:5, 4] = stone
    return _world(room)


def _smooth_steps() -> World:
    """The same, smooth."""
    world = _steps()
    palette = Palette.of({i: replace(m, smooth=True) for i, m in world.palette.items()})
    low, high = world.bounds() or ((0, 0, 0), (0, 0, 0))
    voxels = world.region(low, tuple(c + 1 for c in high)).astype(np.int64) >> 8
    return _world(voxels, palette)


def _transparent() -> World:
    """Glass, ice and water before, on and in front of each other and of opaque blocks."""
    stone, grass, *seen_through = _indices("stone", "grass", "glass", "ruby", "water", "ice")
    room = np.zeros((24, 12, 6), np.int64)
    room[:, 6:10, 0] = stone
    room[1:23:4, 8, 1:4] = grass
    for i, x in enumerate(range(0, 24, 6)):
        room[x : x + 5, 4, 1:5] = seen_through[i]
        room[x + 1 : x + 4, 6, 1:3] = seen_through[i - 1]
    return _world(room)


def _emissive() -> World:
    (stone,) = _indices("stone")
    glowing = _indices("lamp", "ember", "beacon")
    room = np.zeros((20, 10, 5), np.int64)
    room[..., 0] = stone
    for i, x in enumerate(range(2, 19, 4)):
        room[x : x + 2, 3:5, 1:3] = glowing[i % len(glowing)]
        room[x, 7, 1:4] = stone
    return _world(room)


def _cliff() -> World:
    """Stone above a floor, with a step before it and grass on top."""
    stone, grass, soil = _indices("stone", "grass", "dirt")
    room = np.zeros((28, 16, 9), np.int64)
    room[..., 0] = soil
    room[:, 5:, :6] = stone
    room[:, 5:, 6] = grass
    room[:10, 4:5, :4] = stone
    return _world(room)


def _floor() -> World:
    (stone,) = _indices("stone")
    return _world(np.full((26, 20, 1), stone))


def _stair() -> World:
    """A floor, and steps of one voxel beyond its middle."""
    sand, stone = _indices("sand", "stone")
    room = np.zeros((26, 20, 5), np.int64)
    room[..., 0] = stone
    for step in range(1, 4):
        room[:, 8 + 2 * step :, step] = sand
    return _world(room)


def _smooth_ground() -> World:
    """Waves of dirt."""
    x, y = np.indices((30, 22))
    height = 3 + 1.4 * np.sin(x / 4) + 1.2 * np.cos(y / 3.2)
    (soil,) = _indices("dirt")
    palette = Palette.of({i: replace(m, smooth=True) for i, m in DEFAULT.items()})
    return _world(np.where(np.arange(7) < height[..., None], soil, 0), palette)


LIGHT = Look(shadows=1.0, occlusion=1.0)
DETAIL = 6.0
_VIEWS_OF_HILLS = [view for view in View if view not in (View.LIT, View.LEVELS)]

SCENES = {
    "blocks-by-direction": Scene(_blocks, look=Look(View.FACES)),
    "blocks-by-direction-from-below": Scene(_blocks, 212, -30, Look(View.FACES)),
    "hills": Scene(_hills),
    "hills-orthographic": Scene(_hills, 45, 35.26, half_height=36),
    "hills-at-dusk": Scene(_hills, 80, 12, Look(sun_direction=(-1, 0.4, 0.12))),
    "caves": Scene(_caves, 15, 20),
    "materials": Scene(_materials, 0, 50),
    "steps": Scene(_steps, 30, 45),
    "steps-unblended": Scene(_steps, 30, 45, Look(blending=False)),
    "steps-smooth": Scene(_smooth_steps, 30, 45),
    "transparent": Scene(_transparent, 20, 22),
    "emissive": Scene(_emissive, 20, 30, Look(sun_direction=(0.2, 0.1, -0.4))),
    "hills-in-low-sun": Scene(_hills, 350, 30, Look(sun_direction=(-1, 0.4, 0.35), shadows=1.0)),
    "hills-occluded": Scene(_hills, look=Look(occlusion=1.0)),
    "caves-in-light": Scene(_caves, 15, 20, LIGHT),
    "steps-in-light": Scene(_steps, 30, 45, LIGHT),
    "steps-smooth-in-light": Scene(_smooth_steps, 30, 45, LIGHT),
    "transparent-in-light": Scene(_transparent, 20, 22, LIGHT),
    "wide": Scene(_wide, 40, 12),
    "wide-in-levels": Scene(_wide, 40, 12, Look(detail=DETAIL)),
    "view-levels": Scene(_wide, 40, 12, Look(View.LEVELS, detail=DETAIL)),
    **{f"view-{view.name.lower()}": Scene(_hills, look=Look(view)) for view in _VIEWS_OF_HILLS},
    "decals-over-a-cliff": Scene(_cliff, 12, 38, LIGHT, decals=decal_scenes.over_a_cliff),
    "decals-overlapping": Scene(_floor, 0, 50, decals=decal_scenes.overlapping),
    "decals-on-smooth-ground": Scene(_smooth_ground, 20, 45, decals=decal_scenes.on_smooth_ground),
    "decals-tinted-and-faded": Scene(_stair, 0, 45, decals=decal_scenes.tinted_and_faded),
    "view-blend-steps": Scene(_steps, 30, 45, Look(View.BLEND)),
    "view-normals-smooth": Scene(_smooth_steps, 30, 45, Look(View.NORMALS)),
}


# --- The test --------------------------------------------------------------------------------------------------------


def _camera(scene: Scene, world: World) -> Camera:
    low, high = world.bounds() or ((0, 0, 0), (0, 0, 0))
    camera = orbit_camera(low, np.array(high) + 1, scene.azimuth, scene.elevation, WIDTH / HEIGHT)
    if scene.half_height is None:
        return camera
    near, far = camera.depth_range
    half = scene.half_height
    projection = np.diag([HEIGHT / WIDTH / half, 1 / half, -2 / (far - near), 1.0])
    projection[2, 3] = -(far + near) / (far - near)
    return Camera(camera.view, projection)


@pytest.mark.parametrize("name", SCENES)
def test_it_looks_as_it_did(name: str, ctx: moderngl.Context, renderer: Renderer, tmp_path: Path) -> None:
    scene = SCENES[name]
    world = scene.world()
    camera, decals = _camera(scene, world), scene.decals() if scene.decals is not None else None
    picture = renderer.render(world, camera, WIDTH, HEIGHT, scene.look, samples=SAMPLES, decals=decals)
    hold_to_golden(ctx, with_legend(picture, scene.look.view), name, tmp_path)


def test_every_golden_picture_has_its_scene() -> None:
    assert {path.stem for path in GOLDEN.glob("*/*.png")} <= set(SCENES)
