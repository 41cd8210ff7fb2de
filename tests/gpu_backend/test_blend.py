# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures on surfaces and materials that run into each other: the shaders' functions against numpy."""

from collections.abc import Iterator, Sequence
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.materials import PaletteMaterials, material_records
from voxelwright.gpu_backend.records import UNIFORM_CHUNK, WORLD_GRID, StorageBinding, UniformBinding
from voxelwright.gpu_backend.shader import compose, shader_sources
from voxelwright.gpu_backend.textures import SIZE, texture_layer
from voxelwright.voxel.layout import (
    CHUNK_SHAPE,
    CHUNK_SIZE,
    FACE_NORMALS,
    FACE_U_AXIS,
    FACE_V_AXIS,
    MATERIAL_SHIFT,
    N_FACES,
    POS_Z,
)
from voxelwright.voxel.palette import Material, Palette

GRASS, ROCK, SAND, LAMP, GLASS, SHY, STUBBORN = range(1, 8)
PALETTE = Palette.of(
    {
        GRASS: Material("grass", (98, 146, 58), texture="grass", texture_contrast=0.4),
        ROCK: Material("rock", (128, 126, 124), 0.5, texture="rock", texture_scale=6.0, texture_contrast=0.5),
        SAND: Material("sand", (222, 200, 142), texture="sand", texture_scale=2.5, texture_contrast=0.2),
        LAMP: Material("lamp", (200, 160, 40), 0.2, 0.8, 3.0, texture="metal", texture_contrast=1.0),
        GLASS: Material("glass", (90, 90, 240), opacity=0.4, texture="ice"),
        SHY: Material("shy", (200, 20, 20), texture="soil", bleeds=False),
        STUBBORN: Material("stubborn", (20, 20, 200), texture="leaves", resists=True),
    }
)
FULL_CHUNK = (-1, 0, 0)
"""Wholly of SAND; beside it (0, 0, 0) and (0, 0, -1) have slots, and the rest is air."""
AXES = np.eye(3, dtype=np.int64)

Surface = NDArray[np.float64]
"""Colour, roughness, metallic, emission and height: (…, 7)."""


# --- Running GLSL ----------------------------------------------------------------------------------------------------


class Gpu:
    """Runs GLSL with the small pool and the palette bound."""

    def __init__(self, ctx: moderngl.Context, slots: Sequence[NDArray[np.uint16]]) -> None:
        self._ctx = ctx
        self._materials = PaletteMaterials(ctx)
        self._materials.update(PALETTE)
        grid = np.array([[[0], [UNIFORM_CHUNK | SAND << MATERIAL_SHIFT]], [[2], [1]]], "<u4")
        where = np.array([((-1, 0, -1, 0), (2, 1, 2, 0))], WORLD_GRID)
        self._storage = {StorageBinding.GRID: grid, StorageBinding.VOXELS_0: np.stack(slots)}
        self._buffers = {binding: ctx.buffer(array.tobytes()) for binding, array in self._storage.items()}
        self._where = ctx.buffer(where.tobytes())

    def run(
        self, file: str, body: str, items: NDArray[Any], per_item: int, blending: bool | None = None
    ) -> NDArray[np.float32]:
        """(n, per_item): what body writes to out[0] … of each item (a struct of 4-byte words) of items."""
        words = items.view("<u4").reshape(len(items), -1)
        text = f"""
#include "{file}"
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer Input {{ uint words[]; }};
layout(std430, binding = 1) writeonly buffer Output {{ float seen[]; }};
uint at;
int read_int() {{ return int(words[at++]); }}
float read_float() {{ return uintBitsToFloat(words[at++]); }}
ivec3 read_ivec3() {{ ivec3 v; v.x = read_int(); v.y = read_int(); v.z = read_int(); return v; }}
vec3 read_vec3() {{ vec3 v; v.x = read_float(); v.y = read_float(); v.z = read_float(); return v; }}
void main() {{
    at = gl_GlobalInvocationID.x * {words.shape[1]}u;
    float result[{per_item}];
{body}
    for (uint k = 0u; k < {per_item}u; k++) {{ seen[gl_GlobalInvocationID.x * {per_item}u + k] = result[k]; }}
}}
"""
        defines = {"VOXEL_PAGES": 1, "PAGE_SLOTS": 2}
        shader = self._ctx.compute_shader(compose("test", {**shader_sources(), "test": text}, defines).text)
        if blending is not None:
            shader["blending"] = blending
        self._materials.bind()
        for binding, buffer in self._buffers.items():
            buffer.bind_to_storage_buffer(binding)
        self._where.bind_to_uniform_block(UniformBinding.WORLD_GRID)
        source = self._ctx.buffer(np.ascontiguousarray(words).tobytes())
        output = self._ctx.buffer(reserve=4 * len(items) * per_item)
        source.bind_to_storage_buffer(0)
        output.bind_to_storage_buffer(1)
        shader.run(len(items))
        self._ctx.memory_barrier()
        read = np.frombuffer(output.read(), np.float32).reshape(len(items), per_item)
        for made in (source, output, shader):
            made.release()
        return read

    def release(self) -> None:
        for buffer in (*self._buffers.values(), self._where, self._materials):
            buffer.release()


@pytest.fixture(scope="module")
def slots() -> list[NDArray[np.uint16]]:
    """Two chunks with air in two voxels of five, and all materials in the others."""
    rng = np.random.default_rng(3)
    materials = rng.integers(1, len(PALETTE.items()) + 1, (2, *CHUNK_SHAPE))
    return list(np.where(rng.random(materials.shape) < 0.4, 0, materials << MATERIAL_SHIFT).astype("<u2"))


@pytest.fixture
def gpu(ctx: moderngl.Context, slots: list[NDArray[np.uint16]]) -> Iterator[Gpu]:
    made = Gpu(ctx, slots)
    yield made
    made.release()


# --- What numpy says -------------------------------------------------------------------------------------------------

PLACES = np.dtype(
    [
        ("face", "<i4"),
        ("voxel", "<i4", 3),
        ("inside", "<f4", 3),
        ("normal", "<f4", 3),
        ("material", "<u4"),
        ("is_smooth", "<u4"),
    ]
)


def material_at(slots: list[NDArray[np.uint16]], voxel: NDArray[np.int64]) -> int:
    chunk, local = tuple((voxel // CHUNK_SIZE).tolist()), tuple((voxel % CHUNK_SIZE).tolist())
    if chunk == FULL_CHUNK:
        return SAND
    slot = {(0, 0, 0): 0, (0, 0, -1): 1}.get(chunk)
    return 0 if slot is None else int(slots[slot][local]) >> MATERIAL_SHIFT


def opaque_at(slots: list[NDArray[np.uint16]], voxel: NDArray[np.int64]) -> int:
    material = material_at(slots, voxel)
    return 0 if material == GLASS else material


def blended(
    slots: list[NDArray[np.uint16]], place: Any, surfaces: Surface
) -> tuple[Surface, NDArray[np.float64], NDArray[np.float64]]:
    """The surface at a place, and zone and amount along U and V; surfaces holds all materials there. As the
    blending is defined: zone a = sat(e − sat(e′ − 0.80)), bias = ½ − a/2, first along U, then along V."""

    def saturate(x: float) -> float:
        return min(max(x, 0.0), 1.0)

    face, material, voxel = int(place["face"]), int(place["material"]), place["voxel"].astype(np.int64)
    normal = FACE_NORMALS[face]
    if place["is_smooth"] and material != GLASS:
        found = opaque_at(slots, voxel)
        if not found:
            voxel = voxel - normal
            found = opaque_at(slots, voxel)
        material = found or material
    own, zones, amounts = surfaces[material], np.zeros(2), np.zeros(2)
    result = own.copy()
    if material in (GLASS, STUBBORN):
        return result, zones, amounts
    fractions = [float(place["inside"][axes[face]]) for axes in (FACE_U_AXIS, FACE_V_AXIS)]
    edges = [saturate(1 - (0.5 - abs(f - 0.5)) / 0.25) for f in fractions]
    for i, axes in enumerate((FACE_U_AXIS, FACE_V_AXIS)):
        zone = saturate(edges[i] - saturate(edges[1 - i] - 0.80))
        step = AXES[axes[face]] * (-1 if fractions[i] < 0.5 else 1)
        over = [voxel + step + normal, voxel + step, voxel + step - normal]
        candidates = [opaque_at(slots, v) for v in (over if place["is_smooth"] else over[:2])]
        neighbour = next((m for m in candidates if m), 0)
        if zone == 0 or neighbour in (0, material, SHY):
            continue
        bias = 0.5 - zone / 2
        t = saturate(0.5 + 16 * ((surfaces[neighbour][6] - bias) - (own[6] + bias)))
        result += t * (surfaces[neighbour] - result)
        zones[i], amounts[i] = zone, t
    return result, zones, amounts


def random_places(n: int, is_smooth: bool) -> NDArray[Any]:
    """Places in and about the chunks of the pool, most of them near borders and corners of voxels."""
    rng = np.random.default_rng(8 + is_smooth)
    places = np.zeros(n, PLACES)
    places["face"] = rng.integers(0, N_FACES, n)
    places["voxel"] = rng.integers((-3, -1, -12), (12, 12, 12), (n, 3))
    inside = rng.random((n, 3))
    near = rng.random((n, 3)) < 0.6
    inside[near] = np.abs(np.rint(inside[near]) - 0.25 * rng.random(np.count_nonzero(near)))
    places["inside"] = inside
    places["normal"] = FACE_NORMALS[places["face"]]
    places["material"] = rng.integers(1, len(PALETTE.items()) + 1, n)
    places["is_smooth"] = is_smooth
    if is_smooth:
        normals = places["normal"] + 0.5 * rng.normal(size=(n, 3))
        places["normal"] = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    return places


READ_PLACE = """
    int face = read_int();
    ivec3 voxel = read_ivec3();
    vec3 inside = read_vec3();
    vec3 normal = read_vec3();
    uint material = uint(read_int());
    bool is_smooth = read_int() != 0;
"""
SURFACE_COLOR = f"""{READ_PLACE}
    SurfaceColor s = surface_color(face, voxel, inside, normal, material, is_smooth, vec3(0.001), vec3(0.001));
    result = float[](s.color.r, s.color.g, s.color.b, s.roughness, s.metallic, s.emission, s.height,
                     s.zone.x, s.zone.y, s.amount.x, s.amount.y);
"""
ALL_MATERIALS = f"""{READ_PLACE}
    vec3 weights = triplanar_weights(normal);
    for (uint m = 0u; m < 8u; m++) {{
        MaterialSurface s = material_surface(m, TexturePlace(voxel, inside, vec3(0.001), vec3(0.001)), weights);
        float values[7] = float[](s.color.r, s.color.g, s.color.b, s.roughness, s.metallic, s.emission, s.height);
        for (uint k = 0u; k < 7u; k++) {{ result[m * 7u + k] = values[k]; }}
    }}
"""


# --- Blending --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_smooth", [False, True])
def test_blending_is_what_it_is_defined_as(gpu: Gpu, slots: list[NDArray[np.uint16]], is_smooth: bool) -> None:
    places = random_places(3000, is_smooth)
    found = gpu.run("lib/blend.glsl", SURFACE_COLOR, places, 11, blending=True)
    surfaces = gpu.run("lib/blend.glsl", ALL_MATERIALS, places, 56).reshape(-1, 8, 7).astype(np.float64)
    expected = np.array([np.concatenate(blended(slots, *each)) for each in zip(places, surfaces, strict=True)])
    np.testing.assert_allclose(found, expected, atol=2e-4)
    zones, amounts = expected[:, 7:9], expected[:, 9:11]
    # That there was something to compare.
    assert (zones > 0).any(axis=1).mean() > 0.3
    assert (zones > 0).all(axis=1).sum() > 100
    assert (amounts > 0).sum() > 200
    assert ((amounts > 0) & (amounts < 1)).sum() > 30


def test_blending_can_be_turned_off(gpu: Gpu) -> None:
    places = random_places(200, False)
    found = gpu.run("lib/blend.glsl", SURFACE_COLOR, places, 11, blending=False)
    surfaces = gpu.run("lib/blend.glsl", ALL_MATERIALS, places, 56).reshape(-1, 8, 7)
    np.testing.assert_allclose(found[:, :7], surfaces[np.arange(200), places["material"]], atol=1e-6)
    assert not found[:, 7:].any()


def flat_ground(ctx: moderngl.Context, left: int, right: int, **covers: int) -> Gpu:
    """Ground up to z = 4 of two materials that meet at x = 8; covers put a block on (8, y, 4), as y4=material."""
    ground = np.zeros(CHUNK_SHAPE, "<u2")
    ground[:8, :, :4], ground[8:, :, :4] = left << MATERIAL_SHIFT, right << MATERIAL_SHIFT
    for row, material in covers.items():
        ground[8, int(row[1:]), 4] = material << MATERIAL_SHIFT
    return Gpu(ctx, [ground, ground])


def ground_places(x: NDArray[np.float64], y: NDArray[np.float64], material: int, is_smooth: bool = False) -> Any:
    places = np.zeros(len(x), PLACES)
    point = np.stack([x, y, np.full(len(x), 4.0)], axis=1)
    places["face"], places["material"], places["is_smooth"] = POS_Z, material, is_smooth
    places["voxel"] = np.floor(point - (0, 0, 0.001))
    places["inside"] = point - places["voxel"]
    places["normal"] = FACE_NORMALS[POS_Z]
    return places


@pytest.mark.parametrize("is_smooth", [False, True])
@pytest.mark.parametrize(("left", "right"), [(GRASS, ROCK), (ROCK, LAMP), (SAND, GRASS)])
def test_no_seam_on_the_border(ctx: moderngl.Context, left: int, right: int, is_smooth: bool) -> None:
    gpu = flat_ground(ctx, left, right)
    y = np.concatenate([row + np.linspace(0.06, 0.94, 60) for row in range(2, 12)])  # corners are as they are defined
    sides = [(np.full(len(y), 8 - 1e-5), left), (np.full(len(y), 8 + 1e-5), right)]
    at = [gpu.run("lib/blend.glsl", SURFACE_COLOR, ground_places(x, y, m, is_smooth), 11, True) for x, m in sides]
    gpu.release()
    np.testing.assert_allclose(at[0][:, :7], at[1][:, :7], atol=5e-3)
    assert np.ptp(at[0][:, 9]) > 0.9  # now the one, now the other, by height


def test_the_block_that_covers_an_edge_comes_first(ctx: moderngl.Context) -> None:
    gpu = flat_ground(ctx, GRASS, ROCK, y2=SAND, y4=GRASS, y6=SHY, y8=GLASS)
    y = np.array([2.5, 4.5, 6.5, 8.5, 10.5])
    places = ground_places(np.full(5, 7.999), y, GRASS)
    found = gpu.run("lib/blend.glsl", SURFACE_COLOR, places, 11, True)
    of_all = gpu.run("lib/blend.glsl", ALL_MATERIALS, places, 56).reshape(-1, 8, 7)
    gpu.release()
    # Sand runs in; grass, and what does not bleed, hide the rock; glass does not, and nothing covers the last.
    assert (found[:, 7] > 0).tolist() == [True, False, False, True, True]
    for i, neighbour in ((0, SAND), (3, ROCK), (4, ROCK)):
        own, other = of_all[i, GRASS], of_all[i, neighbour]
        np.testing.assert_allclose(found[i, :7], own + found[i, 9] * (other - own), atol=1e-5)


def test_a_smooth_slope_blends_downwards_too(ctx: moderngl.Context) -> None:
    """At a step the surface goes on below the edge; a block's own top ends there."""
    gpu = flat_ground(ctx, ROCK, GRASS, y2=GRASS)
    places = np.concatenate([ground_places(np.array([8.001]), np.array([2.5]), GRASS, smooth) for smooth in (0, 1)])
    places["voxel"][:, 2] = 4  # on the step's top, whose left neighbour is air above and beside it
    found = gpu.run("lib/blend.glsl", SURFACE_COLOR, places, 11, True)
    gpu.release()
    assert (found[:, 7] > 0).tolist() == [False, True]


def test_the_view_of_zones_and_of_faults(ctx: moderngl.Context) -> None:
    gpu = flat_ground(ctx, GRASS, ROCK)
    places = ground_places(np.array([7.999, 7.5, 7.5]), np.array([2.5, 2.5, 2.5]), GRASS)
    places["material"][2] = SAND
    body = f"""{READ_PLACE}
    SurfaceColor s = surface_color(face, voxel, inside, normal, material, is_smooth, vec3(0.0), vec3(0.0));
    vec3 color = blend_view(s, pool_disagrees(voxel, material));
    result = float[](color.r, color.g, color.b);
"""
    zone, none, fault = gpu.run("lib/blend.glsl", body, places, 3)
    gpu.release()
    assert zone.argmax() == 0
    assert 0.3 < zone[0] < 0.6
    assert none.argmax() == 1
    assert none[0] == none[2] == 0
    assert fault.tolist() == [1, 0, 0]


# --- Textures on surfaces --------------------------------------------------------------------------------------------

TILE_PLACES = np.dtype([("voxel", "<i4", 3), ("inside", "<f4", 3), ("tiles", "<u4")])
TILE_PLACE = """
    ivec3 voxel = read_ivec3();
    vec3 inside = read_vec3();
    vec3 tile = tile_place(TexturePlace(voxel, inside, vec3(0.0), vec3(0.0)), uint(read_int()));
    result = float[](tile.x, tile.y, tile.z);
"""


def tile_places(voxels: NDArray[np.int64], inside: NDArray[np.float64], tiles: int) -> NDArray[Any]:
    places = np.zeros(len(voxels), TILE_PLACES)
    places["voxel"], places["inside"], places["tiles"] = voxels, inside, tiles
    return places


@pytest.mark.parametrize("tiles", [16, 683, 1024, 1365, 16384])
def test_tiles_far_away_are_those_nearby(gpu: Gpu, tiles: int) -> None:
    rng = np.random.default_rng(tiles)
    voxels = rng.integers(-4096, 4096, (400, 3))
    inside = rng.random((400, 3)).astype(np.float32)
    near = gpu.run("lib/triplanar.glsl", TILE_PLACE, tile_places(voxels, inside, tiles), 3)
    expected = (voxels * tiles % 4096 + inside.astype(np.float64) * tiles) / 4096
    np.testing.assert_allclose(near, expected, rtol=1e-6, atol=1e-7)
    far = voxels + 4096 * rng.integers(-2500, 2500, (400, 3))
    assert np.abs(far).max() > 10_000_000
    np.testing.assert_array_equal(gpu.run("lib/triplanar.glsl", TILE_PLACE, tile_places(far, inside, tiles), 3), near)
    end = gpu.run("lib/triplanar.glsl", TILE_PLACE, tile_places(far - 1, np.ones((400, 3)), tiles), 3)
    start = gpu.run("lib/triplanar.glsl", TILE_PLACE, tile_places(far, np.zeros((400, 3)), tiles), 3)
    apart = np.abs(end - start)
    np.testing.assert_allclose(apart, np.rint(apart), atol=1e-6)  # whole tiles: no seam between voxels


def test_triplanar_weights(gpu: Gpu) -> None:
    rng = np.random.default_rng(4)
    normals = rng.normal(size=(500, 3))
    normals = np.concatenate([normals / np.linalg.norm(normals, axis=1, keepdims=True), FACE_NORMALS])
    body = "    vec3 w = triplanar_weights(read_vec3());\n    result = float[](w.x, w.y, w.z);"
    found = gpu.run("lib/triplanar.glsl", body, normals.astype(np.float32), 3)
    expected = np.maximum(np.abs(normals) - 0.2, 0) ** 3
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_array_equal(found[500:], np.abs(FACE_NORMALS))


def test_a_material_shows_its_texture(gpu: Gpu) -> None:
    """Near, on every face: bilinear reading of the layer, with U and V along the face's tangents."""
    places = random_places(600, False)
    found = gpu.run("lib/blend.glsl", ALL_MATERIALS, places, 56).reshape(-1, 8, 7)
    records = material_records(PALETTE)
    for index, material in PALETTE.items():
        tile = (places["voxel"] + places["inside"].astype(np.float64)) * records["tiles_per_period"][index] / 4096
        u, v = (tile[np.arange(600), axes[places["face"]]] for axes in (FACE_U_AXIS, FACE_V_AXIS))
        texels = bilinear(texture_layer(material.texture), u, v)
        brightness = 1 + material.texture_contrast * (texels[:, :1] / 128 - 1)
        np.testing.assert_allclose(found[:, index, :3], PALETTE.linear_colors[index] * brightness, atol=0.02)
        np.testing.assert_allclose(found[:, index, 6], texels[:, 1] / 255, atol=0.02)
        numbers = (material.roughness, material.metallic, material.emission)
        np.testing.assert_allclose(found[:, index, 3:6], np.tile(numbers, (600, 1)), rtol=1e-6)


def bilinear(layer: NDArray[np.uint8], u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y = u * SIZE - 0.5, v * SIZE - 0.5
    column, row = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    part_x, part_y = (x - column)[:, None], (y - row)[:, None]

    def at(row: NDArray[np.int64]) -> NDArray[np.float64]:
        here, there = (layer[row % SIZE, (column + i) % SIZE].astype(np.float64) for i in (0, 1))
        return here + part_x * (there - here)

    return at(row) + part_y * (at(row + 1) - at(row))


def test_from_afar_a_material_has_the_palettes_colour(gpu: Gpu) -> None:
    """By the mip levels that gradients of a whole tile choose, and as the mean of what is seen nearby."""
    places = random_places(4000, False)
    places["inside"] = np.random.default_rng(9).random((4000, 3))
    near = gpu.run("lib/blend.glsl", ALL_MATERIALS, places, 56).reshape(-1, 8, 7)
    far = gpu.run("lib/blend.glsl", ALL_MATERIALS.replace("vec3(0.001)", "vec3(9.0)"), places[:200], 56)
    for index, material in PALETTE.items():
        color = PALETTE.linear_colors[index]
        np.testing.assert_allclose(near[:, index, :3].mean(axis=0), color, rtol=0.04 * material.texture_contrast)
        seen = far.reshape(-1, 8, 7)[:, index, :3]
        # Drivers choose between mip levels as they like, and some do not take the smallest one.
        np.testing.assert_allclose(seen, np.tile(color, (200, 1)), rtol=0.12 * material.texture_contrast)
