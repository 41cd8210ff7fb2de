# SPDX-License-Identifier: GPL-3.0-or-later
"""One picture of everything, from voxels to pixels, held to one that was looked at: golden/<renderer>.png.

To accept a new one, look at the picture that a failing or skipped run names and copy it there.
"""

import re
import struct
import zlib
from pathlib import Path

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import orbit_camera
from voxelwright.gpu_backend.context import capabilities
from voxelwright.gpu_backend.renderer import Renderer
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, chunks_of_cells, new_world

GOLDEN = Path(__file__).parent / "golden"

MEAN_TOLERANCE = 0.5
"""Of 255, over all pixels."""

PIXEL_TOLERANCE, OUTLIERS = 6, 0.001
"""This share of the pixels may differ by more."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def _island() -> World:
    """48 × 48 × 28 voxels: sand, grass and stone in steps, a smooth snowy top, water, a lamp and a golden block."""
    palette = Palette.of(
        {
            1: Material("grass", (98, 146, 58)),
            2: Material("sand", (222, 200, 142)),
            3: Material("stone", (128, 126, 124), roughness=0.8),
            4: Material("snow", (240, 244, 250), roughness=0.6, smooth=True),
            5: Material("water", (52, 118, 158), roughness=0.15, opacity=0.6),
            6: Material("lamp", (255, 150, 50), emission=3.0),
            7: Material("gold", (255, 200, 90), roughness=0.3, metallic=1.0),
        }
    )
    x, y, z = np.indices((48, 48, 28))
    height = 3 + 23 * np.exp(-((x - 22.0) ** 2 + (y - 25.0) ** 2) / 260) + ((x * 7 + y * 13) % 5 == 0)
    material = np.where(z < height, np.select([height > 20, height > 13, height > 7], [4, 3, 1], 2), 0)
    material[(material == 0) & (z < 5)] = 5
    material[6:10, 8:12, 12:16] = 6
    material[38:42, 8:12, 12:16] = 7
    cells = np.argwhere(material > 0) - (24, 24, 0)
    voxels = np.array([palette.voxel(int(i)) if i else 0 for i in range(8)], np.uint16)[material[material > 0]]
    return new_world(chunks_of_cells(cells, voxels, 100), palette)


def test_the_island_looks_as_it_did(ctx: moderngl.Context, renderer: Renderer, tmp_path: Path) -> None:
    name = re.sub(r"[^a-z0-9]+", "-", capabilities(ctx).renderer.lower()).strip("-")
    golden, made = GOLDEN / f"{name}.png", tmp_path / f"{name}.png"
    world = _island()
    renderer.load(finish(mesh_blocky(world, merge=True)), finish(mesh_smooth(world)), world.palette)
    picture = renderer.render(orbit_camera((-24, -24, 0), (24, 24, 26), 32, 24, 16 / 9), 480, 270)
    _write_png(made, picture)
    if not golden.is_file():
        pytest.skip(f"there is no golden picture for this renderer; {made} would be its first")
    difference = np.abs(picture.astype(int) - _read_png(golden)).max(axis=2)
    assert difference.mean() <= MEAN_TOLERANCE, f"look at {made}"
    assert (difference > PIXEL_TOLERANCE).mean() <= OUTLIERS, f"look at {made}"


def _write_png(path: Path, picture: NDArray[np.uint8]) -> None:
    height, width, _ = picture.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), picture.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    ]
    path.write_bytes(_SIGNATURE + b"".join(parts))


def _read_png(path: Path) -> NDArray[np.uint8]:
    """A picture that _write_png wrote: RGBA, one IDAT, no filters."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    (length,) = struct.unpack(">I", data[33:37])
    rows = np.frombuffer(zlib.decompress(data[41 : 41 + length]), np.uint8).reshape(height, 1 + 4 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 4)
