# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes that benchmarks share: hills and caves, 256³ voxels and a border of one.

They are those of ../shared/bench/gen_world.py. Where that is missing they are made here, by the same arithmetic. Either
way they are kept in build/bench.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, as_chunk, new_world

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "bench" / "gen_world.py"
SIZE = 258
CHUNKS = [(x, y, z) for x in range(8) for y in range(8) for z in range(8)]
"""The chunks within the border."""

FACES = {"hills": 155_202, "caves": 540_519}
"""The exposed faces of those chunks."""

PALETTE = Palette.of({i: Material(f"material {i}", (40 * i, 20 * i, 10 * i)) for i in range(1, 7)})


def path(name: str) -> Path:
    """The file of "hills" or "caves": uint8 materials [x, y, z]."""
    folder = ROOT / "build" / "bench"
    file = folder / f"{name}_u8_{SIZE}.raw"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        if SHARED.exists():
            subprocess.run([sys.executable, SHARED, folder], check=True, stdout=subprocess.DEVNULL)
        else:
            hills, caves = make()
            hills.tofile(folder / f"hills_u8_{SIZE}.raw")
            caves.tofile(folder / f"caves_u8_{SIZE}.raw")
    return file


def materials(name: str) -> NDArray[np.uint8]:
    """(258, 258, 258) uint8: air is 0; voxel (x, y, z) of the world is at [x + 1, y + 1, z + 1]."""
    return np.fromfile(path(name), np.uint8).reshape(SIZE, SIZE, SIZE)


def world(name: str) -> World:
    """A world with the volume's voxels, the border in chunks −1 and 8."""
    padded = np.zeros((320, 320, 320), np.uint16)
    padded[31 : 31 + SIZE, 31 : 31 + SIZE, 31 : 31 + SIZE] = materials(name).astype(np.uint16) << 8
    chunks = {
        (x - 1, y - 1, z - 1): as_chunk(padded[32 * x : 32 * x + 32, 32 * y : 32 * y + 32, 32 * z : 32 * z + 32])
        for x, y, z in np.ndindex(10, 10, 10)
    }
    return new_world(chunks, PALETTE)


def large_world() -> World:
    """The world that a graphics card is measured with: 512 × 512 × 256 voxels, hills over caves; blocks alone."""
    size, height, tile = 512, 256, 128
    steps = np.arange(size, dtype=np.float32)
    x, y = np.meshgrid(steps, steps, indexing="ij")
    top = np.floor(128 + _fractal([x / 96 + 0.37, y / 96 + 0.11], 5, 1) * 110).astype(np.int32)[:, :, None]
    z = np.arange(height)[None, None, :]
    voxels = np.where(z <= top, np.uint8(3), np.uint8(0))
    voxels[(z <= top) & (z > top - 4)] = 2
    voxels[z == top] = 1
    voxels[(z == top) & (top < 112)] = 4
    voxels[(z == top) & (top > 158)] = 5
    # Tiles are mirrored, so that they meet without a seam.
    place = np.arange(tile, dtype=np.float32) / 40 + 0.5
    field = _fractal(list(np.meshgrid(place, place, place, indexing="ij")), 3, 50)
    for axis in range(3):
        field = np.concatenate([field, np.flip(field, axis)], axis)
    caves = np.tile(field, (size // (2 * tile), size // (2 * tile), height // (2 * tile)))
    voxels[(caves > 0.16) & (z < top - 2)] = 0
    voxels[(voxels == 3) & (caves < -0.22)] = 6
    chunks = {
        (x, y, z): as_chunk(
            voxels[32 * x : 32 * x + 32, 32 * y : 32 * y + 32, 32 * z : 32 * z + 32].astype(np.uint16) << 8
        )
        for x, y, z in np.ndindex(size // 32, size // 32, height // 32)
    }
    return new_world(chunks, PALETTE)


def mirrored(world: World, n: int) -> World:
    """A world n times as wide along x and y, of copies that meet without a seam; world begins at chunk (0, 0, 0)."""
    nx, ny, _ = np.array(world.coords()).max(axis=0) + 1
    chunks = {}
    for x, y, z in world.coords():
        chunk = world.chunk((x, y, z))
        flipped = {
            (i, j): chunk if isinstance(chunk, int) else as_chunk(chunk[:: 1 - 2 * i, :: 1 - 2 * j])
            for i, j in np.ndindex(2, 2)
        }
        for i, j in np.ndindex(n, n):
            at = i * nx + (nx - 1 - x if i % 2 else x), j * ny + (ny - 1 - y if j % 2 else y), z
            chunks[int(at[0]), int(at[1]), z] = flipped[i % 2, j % 2]
    return new_world(chunks, world.palette)


def make() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Hills and caves: relief 94–176 with five materials by depth and altitude; the same with caves and ore."""
    steps = np.arange(SIZE, dtype=np.float32)
    x, y = np.meshgrid(steps, steps, indexing="ij")
    top = np.floor(128 + _fractal([x / 96 + 0.37, y / 96 + 0.11], 5, 1) * 110).astype(np.int32)[:, :, None]
    z = np.arange(SIZE)[None, None, :]
    grass, dirt, stone, sand, snow, ore = 1, 2, 3, 4, 5, 6
    hills = np.where(z <= top, np.uint8(stone), np.uint8(0))
    hills[(z <= top) & (z > top - 4)] = dirt
    hills[z == top] = grass
    hills[(z == top) & (top < 112)] = sand
    hills[(z == top) & (top > 158)] = snow
    field = np.empty((SIZE, SIZE, SIZE), np.float32)
    for start in range(0, SIZE, 43):
        part = steps[start : start + 43]
        a, b, c = np.broadcast_arrays(part[:, None, None], steps[None, :, None], steps[None, None, :])
        field[start : start + 43] = _fractal([a / 40 + 0.5, b / 40 + 0.5, c / 40 + 0.5], 3, 50)
    caves = hills.copy()
    caves[(field > 0.16) & (z < top - 2)] = 0
    caves[(caves == stone) & (field < -0.22)] = ore
    return hills, caves


def _fractal(places: list[NDArray[np.float32]], octaves: int, seed: int) -> NDArray[np.float32]:
    total, weights, amplitude, frequency = 0, 0.0, 1.0, 1.0
    for octave in range(octaves):
        total = total + amplitude * _perlin([place * frequency for place in places], seed + octave)
        weights += amplitude
        amplitude, frequency = amplitude / 2, frequency * 2
    return total / weights


def _perlin(places: list[NDArray[np.float32]], seed: int) -> NDArray[np.float32]:
    period, n = 256, len(places)
    random = np.random.default_rng(seed)
    order = np.tile(random.permutation(period).astype(np.int32), 3)
    gradients = random.normal(size=(period, n))
    gradients = (gradients / np.linalg.norm(gradients, axis=1, keepdims=True)).astype(np.float32)
    cells = [np.floor(place).astype(np.int32) for place in places]
    within = [(place - cell).astype(np.float32) for place, cell in zip(places, cells, strict=True)]
    eased = [f * f * f * (f * (f * 6 - 15) + 10) for f in within]
    total = 0
    for corner in range(1 << n):
        hashed, weight, slope = 0, 1, 0
        offsets = [corner >> axis & 1 for axis in range(n)]
        for axis in range(n):
            hashed = order[(hashed + cells[axis] + offsets[axis]) % period]
        for axis in range(n):
            slope = slope + gradients[hashed, axis] * (within[axis] - offsets[axis])
            weight = weight * (eased[axis] if offsets[axis] else 1 - eased[axis])
        total = total + weight * slope
    return total
