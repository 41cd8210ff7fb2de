# SPDX-License-Identifier: GPL-3.0-or-later
"""An empty scene for every test, small worlds with every kind of material, and a reader of .glb files."""

import json
import struct
from types import SimpleNamespace

import numpy as np
import pytest

from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import chunks_of_cells, new_world

bpy = pytest.importorskip("bpy")

PALETTE = Palette.of(
    {
        1: Material("earth", (120, 80, 40), roughness=0.95),
        2: Material("gold", (255, 200, 60), roughness=0.25, metallic=1.0),
        3: Material("glass", (200, 220, 255), opacity=0.4, ior=1.5, roughness=0.05),
        4: Material("water", (40, 90, 160), opacity=0.6, ior=1.33),
        5: Material("snow", (250, 250, 250), smooth=True),
        6: Material("clay", (180, 140, 120), smooth=True),
        7: Material("lamp", (255, 180, 90), emission=5.0),
        8: Material("ember", (200, 40, 10), emission=0.5),
    }
)
EARTH, GOLD, GLASS, WATER, SNOW, CLAY, LAMP, EMBER = (PALETTE.voxel(i) for i in range(1, 9))
MIXES = {
    "blocky": (EARTH, GOLD),
    "kinds": (EARTH, GOLD, GLASS, WATER, LAMP, EMBER),
    "treasure": (GOLD, GLASS),
    "smooth": (SNOW, CLAY),
    "mixed": (EARTH, GOLD, GLASS, SNOW, CLAY),
}


def world_of(mix, seed=1, corner=(29, -3, 30), size=(9, 10, 8)):
    """A random world of a mix, half of it air, across chunk borders and at negative coordinates."""
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random(size) < 0.5, 0, rng.choice(np.array(MIXES[mix], np.uint16), size)).astype(np.uint16)
    cells = np.argwhere(dense > 0)
    return new_world(chunks_of_cells(cells + np.array(corner), dense[dense > 0], 1000), PALETTE)


def meshes_of(world, merge=True):
    return finish(mesh_blocky(world, merge=merge)), finish(mesh_smooth(world))


def get(collection, name, shape, dtype=np.float32):
    """A property of all items of one of Blender's collections, as an array of that shape."""
    values = np.empty(int(np.prod(shape)), dtype)
    collection.foreach_get(name, values)
    return values.reshape(shape)


def read_glb(path):
    """A .glb as (its JSON, a function that gives an accessor's values as an array)."""
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    gltf = json.loads(data[20 : 20 + length])
    binary = data[28 + length :]
    types = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
    widths = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}

    def accessor(index):
        a = gltf["accessors"][index]
        view = gltf["bufferViews"][a["bufferView"]]
        start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        width, dtype = widths[a["type"]], np.dtype(types[a["componentType"]])
        # Blender's exporter leaves gaps between elements only where it says so.
        stride = view.get("byteStride", width * dtype.itemsize)
        return np.ndarray((a["count"], width), dtype, binary, start, (stride, dtype.itemsize))

    return gltf, accessor


@pytest.fixture
def scene():
    """An empty scene, in Blender's factory settings."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return bpy.context.scene


@pytest.fixture(scope="session")
def bakes():
    """The helpers of this file."""
    return SimpleNamespace(
        palette=PALETTE,
        mixes=tuple(MIXES),
        world_of=world_of,
        meshes_of=meshes_of,
        get=get,
        read_glb=read_glb,
    )
