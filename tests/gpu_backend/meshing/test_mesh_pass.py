# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshing by compute gives the CPU mesher's set of quads, chunk by chunk, and occupancy is what plain numpy says."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from voxelwright.gpu_backend import records
from voxelwright.gpu_backend.passes.occupancy import transparent_words
from voxelwright.voxel.layout import FLAG_SMOOTH
from voxelwright.voxel.palette import Palette
from voxelwright.voxel.world import Chunk, World, as_chunk, chunks_of_cells, new_world

OPAQUE, OTHER, GLASS, TINTED, SMOOTH, SMOOTH_GLASS = 1, 2, 200, 201, 220, 240
SOME = [OPAQUE, OTHER, GLASS, TINTED, SMOOTH, SMOOTH_GLASS]
MIXES: dict[str, tuple[list[int], float]] = {
    "blocky": ([OPAQUE, OTHER], 0.5),
    "glass": ([GLASS, TINTED, OPAQUE], 0.6),
    "all kinds": (SOME, 0.6),
    "sparse": (SOME, 0.05),
    "dense": (SOME, 0.97),
    "255 materials": (list(range(1, 256)), 0.7),
    "full": ([OPAQUE, OTHER], 1.0),
}
CORNERS = [(29, 30, 28), (-3, -2, -4), (0, -3, 61), (-35, 3, -70)]
"""Where small worlds are put: across chunk borders, at negative coordinates."""


def voxels_of(palette: Palette, materials: NDArray[np.int64], low_bits: NDArray[np.int64] | int = 0) -> NDArray[Any]:
    """uint16 voxels, smooth where the palette says so, the other low bits as given: they must not matter."""
    smooth = np.array([m is not None and m.smooth for m in palette.materials])
    voxels = materials << 8 | low_bits & ~FLAG_SMOOTH | FLAG_SMOOTH * smooth[materials]
    return np.where(materials > 0, voxels, 0).astype(np.uint16)


def random_materials(rng: np.random.Generator, mix: str, size: tuple[int, ...]) -> NDArray[np.int64]:
    materials, share = MIXES[mix]
    return np.where(rng.random(size) < share, rng.choice(materials, size), 0)


def world_of(palette: Palette, voxels: NDArray[np.uint16], corner: tuple[int, ...] = (0, 0, 0)) -> World:
    cells = np.argwhere(voxels > 0) + np.array(corner)
    return new_world(chunks_of_cells(cells, voxels[voxels > 0], 10_000), palette)


def check(rig: Any, world: World) -> dict[Any, set[int]]:
    """Mesh a world, compare with the CPU, and give the quads."""
    rig.pool.clear()
    rig.load(world)
    rig.mesh()
    rig.settle()
    quads: dict[Any, set[int]] = rig.quads()
    assert quads == rig.expected()
    return quads


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    size=st.tuples(*[st.integers(1, 5)] * 3),
    corner=st.sampled_from(CORNERS),
    data=st.data(),
    low_bits=st.sampled_from([0, 0x20, 0xEF]),
)
def test_small_worlds(rig: Any, palette: Palette, size: Any, corner: Any, data: st.DataObject, low_bits: int) -> None:
    n = int(np.prod(size))
    materials = data.draw(st.lists(st.sampled_from([0, *SOME]), min_size=n, max_size=n))
    check(rig, world_of(palette, voxels_of(palette, np.array(materials).reshape(size), low_bits), corner))


@pytest.mark.parametrize("mix", MIXES)
def test_random_worlds(rig: Any, palette: Palette, mix: str) -> None:
    rng = np.random.default_rng(7)
    materials = random_materials(rng, mix, (40, 36, 34))
    assert check(rig, world_of(palette, voxels_of(palette, materials), (-3, -2, 28)))


@pytest.mark.parametrize("mix", ["blocky", "all kinds"])
def test_worlds_of_large_parts(rig: Any, palette: Palette, mix: str) -> None:
    rng = np.random.default_rng(8)
    materials = random_materials(rng, mix, (9, 8, 10)).repeat(7, 0).repeat(9, 1).repeat(5, 2)
    check(rig, world_of(palette, voxels_of(palette, materials), (-30, -40, 5)))


def test_hills(rig: Any, palette: Palette) -> None:
    x, y, z = np.indices((70, 60, 40))
    top = 18 + 9 * np.sin(x / 7) + 7 * np.cos(y / 9)
    materials = np.where(z > top, np.where(z < 16, GLASS, 0), np.where(z > top - 1, 3, 1))
    quads = check(rig, world_of(palette, voxels_of(palette, materials), (-32, 1, -9)))
    assert len(quads) > 8


def test_chunks_of_one_value(rig: Any, palette: Palette) -> None:
    # Uniform chunks of every kind, next to one another and to chunks with a few voxels at their borders.
    rng = np.random.default_rng(9)
    edge = random_materials(rng, "all kinds", (32, 32, 32))
    edge[1:-1, 1:-1, 1:-1] = OPAQUE
    dense = as_chunk(voxels_of(palette, edge))
    values = [0, *(palette.voxel(m) for m in SOME)]
    for _ in range(4):
        chunks: dict[Any, Chunk] = {
            (x, y, z): int(rng.choice(values)) if rng.random() < 0.7 else dense
            for x in range(-1, 2)
            for y in range(2)
            for z in range(2)
        }
        check(rig, new_world(chunks, palette))


def test_only_the_outside_of_uniform_chunks_has_faces(rig: Any, palette: Palette) -> None:
    cube = new_world(dict.fromkeys(np.ndindex(3, 3, 3), palette.voxel(OPAQUE)), palette)
    quads = check(rig, cube)
    assert (1, 1, 1) not in quads
    assert sum(map(len, quads.values())) == (54 if rig.merge else 54 * 32 * 32)


@pytest.mark.parametrize("material", [OPAQUE, GLASS])
def test_a_checkerboard_has_the_most_quads_a_chunk_can_have(rig: Any, palette: Palette, material: int) -> None:
    materials = (np.indices((34, 34, 34)).sum(axis=0) % 2 == 0) * material
    quads = check(rig, world_of(palette, voxels_of(palette, materials), (-1, -1, -1)))
    assert len(quads[0, 0, 0]) == 6 * 16384


def test_255_materials_in_a_row(rig: Any, palette: Palette) -> None:
    materials = np.tile(np.arange(256), 128).reshape(32, 32, 32)
    check(rig, world_of(palette, voxels_of(palette, materials)))


def test_what_kinds_of_quads_a_chunk_has(rig: Any, palette: Palette) -> None:
    chunks = {}
    for i, materials in enumerate([[OPAQUE], [GLASS], [OPAQUE, GLASS], [SMOOTH]]):
        voxels = np.zeros((32, 32, 32), np.uint16)
        voxels[: len(materials), 0, 0] = voxels_of(palette, np.array(materials))
        chunks[2 * i, 0, 0] = as_chunk(voxels)
    check(rig, new_world(chunks, palette))
    kinds = [int(flags) & 3 for flags in rig.state()["flags"][:4]]
    assert kinds == [records.HAS_OPAQUE, records.HAS_TRANSPARENT, records.HAS_OPAQUE | records.HAS_TRANSPARENT, 0]


def test_occupancy(rig: Any, palette: Palette) -> None:
    rng = np.random.default_rng(10)
    chunks: dict[Any, Chunk] = {}
    for i, mix in enumerate(["blocky", "all kinds", "255 materials"]):
        materials = random_materials(rng, mix, (32, 32, 32))
        materials[:, :, : 3 * i] = 0  # empty cells
        chunks[i, 0, 0] = as_chunk(voxels_of(palette, materials, rng.integers(0, 256, (32, 32, 32))))
    empty_but_one = np.zeros((32, 32, 32), np.uint16)
    empty_but_one[31, 0, 17] = palette.voxel(OPAQUE)
    chunks[3, 0, 0] = as_chunk(empty_but_one)
    rig.load(new_world(chunks, palette))
    found = rig.occupancy()
    for coord, slot in rig.slots.items():
        np.testing.assert_array_equal(found[slot], occupancy_reference(chunks[coord], palette))


def occupancy_reference(voxels: Chunk, palette: Palette) -> NDArray[np.uint32]:
    """The occupancy record, by plain numpy."""
    assert not isinstance(voxels, int)
    material = voxels >> 8
    opaque = (material > 0) & ~palette.transparent[material]
    blocky = (material > 0) & (voxels & FLAG_SMOOTH == 0)
    record = np.zeros(records.OCCUPANCY_WORDS, np.uint32)

    def put(start: int, bits: NDArray[np.bool_]) -> None:
        words = np.packbits(bits, bitorder="little")
        words = np.pad(words, (0, -len(words) % 4)).view(np.uint32)
        record[start : start + len(words)] = words

    parts = {records.OCCUPANCY_OPAQUE: opaque, records.OCCUPANCY_BLOCKY: blocky}
    for axis in range(3):
        alike = np.zeros((32, 32, 32), bool)
        first, second = (np.moveaxis(material, axis, 0)[s] for s in (slice(None, -1), slice(1, None)))
        np.moveaxis(alike, axis, 0)[:-1] = first == second
        parts[records.OCCUPANCY_ALIKE + 1024 * axis] = alike
    for part, bits in parts.items():
        put(records.OCCUPANCY_X_ROWS + part, bits.transpose(1, 2, 0))
        put(records.OCCUPANCY_Y_ROWS + part, bits.transpose(0, 2, 1))
    put(records.OCCUPANCY_BRICKS, opaque.reshape(8, 4, 8, 4, 8, 4).transpose(0, 2, 4, 5, 3, 1))
    smooth = (material > 0) & ~blocky
    put(records.OCCUPANCY_SMOOTH, smooth.transpose(1, 2, 0))
    record[records.OCCUPANCY_FLAGS] = (blocky & ~opaque).any() | smooth.any() << 1 | blocky.any() << 2
    return record


def test_transparent_materials_are_a_bit_each() -> None:
    transparent = np.zeros(256, bool)
    transparent[[1, 33, 255]] = True
    assert transparent_words(transparent) == (2, 2, 0, 0, 0, 0, 0, 1 << 31)
