# SPDX-License-Identifier: GPL-3.0-or-later
from collections.abc import Callable, Iterator
from dataclasses import replace

import moderngl
import numpy as np
import pytest

from voxelwright.gpu_backend import materials
from voxelwright.gpu_backend.materials import PaletteMaterials, material_records, texture_names
from voxelwright.gpu_backend.textures import texture_layer
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.palette import Material, Palette

STONE = Material("stone", (255, 0, 188), 0.25, 1.0, 3.0, texture="rock", texture_scale=6.0, texture_contrast=0.75)
GLASS = Material("glass", (1, 2, 3), opacity=0.5, texture="plain", bleeds=False, resists=True)
PALETTE = Palette.of({20: STONE, 21: GLASS, 255: Material("more stone", (9, 9, 9), texture="rock")})


@pytest.fixture
def made(ctx: moderngl.Context) -> Iterator[PaletteMaterials]:
    made = PaletteMaterials(ctx)
    yield made
    made.release()


def test_layers_are_shared_and_plain_is_the_first() -> None:
    assert texture_names(PALETTE) == ["plain", "rock"]
    assert texture_names(Palette()) == ["plain"]


def test_material_records() -> None:
    records = material_records(PALETTE)
    stone, glass, unused = records[20], records[21], records[0]
    np.testing.assert_allclose(stone["color"], (1, 0, 0.50289), atol=1e-5)
    assert (stone["roughness"], stone["metallic"], stone["emission"], stone["opacity"]) == (0.25, 1, 3, 1)
    assert (stone["texture_contrast"], stone["texture_layer"], stone["tiles_per_period"]) == (0.75, 1, 683)
    assert (stone["bleeds"], stone["resists"]) == (1, 0)
    assert (glass["opacity"], glass["texture_layer"], glass["bleeds"], glass["resists"]) == (0.5, 0, 0, 1)
    assert (unused["opacity"], unused["bleeds"]) == (1, 0)


@pytest.mark.parametrize(("scale", "tiles"), [(0.25, 16384), (4.0, 1024), (256, 16), (3.0, 1365)])
def test_a_period_has_a_whole_number_of_tiles(scale: float, tiles: int) -> None:
    palette = Palette.of({1: replace(STONE, texture_scale=scale)})
    assert material_records(palette)["tiles_per_period"][1] == tiles


def test_bytes_are_those_of_buffer_and_mip_levels(made: PaletteMaterials) -> None:
    made.update(PALETTE)
    assert made.nbytes == 256 * 48 + 2 * 2 * sum(4**level for level in range(9))


def test_mip_levels_are_there_and_keep_the_mean(ctx: moderngl.Context, made: PaletteMaterials) -> None:
    made.update(PALETTE)
    made.bind()
    text = (
        "#version 430\nlayout(local_size_x = 1) in;\nlayout(binding = 0) uniform sampler2DArray textures;\n"
        "layout(std430, binding = 1) writeonly buffer Output { vec2 seen[]; };\n"
        "void main() { seen[0] = texelFetch(textures, ivec3(0, 0, 1), 8).rg;\n"
        "seen[1] = vec2(textureSize(textures, 8).xy); seen[2] = texelFetch(textures, ivec3(37, 200, 1), 0).rg; }\n"
    )
    shader = ctx.compute_shader(text)
    output = ctx.buffer(reserve=24)
    output.bind_to_storage_buffer(1)
    shader.run()
    ctx.memory_barrier()
    smallest, size, texel = np.frombuffer(output.read(), np.float32).reshape(3, 2)
    output.release()
    shader.release()
    assert size.tolist() == [1, 1]
    np.testing.assert_allclose(smallest * 255, 128, atol=5)  # drivers round each level up or down
    np.testing.assert_allclose(texel * 255, texture_layer("rock")[200, 37], atol=1e-3)


def test_update_tells_of_transparency(made: PaletteMaterials) -> None:
    assert not made.has_transparency
    assert made.update(PALETTE)
    assert made.has_transparency
    assert not made.update(Palette.of(dict(PALETTE.items())))
    recoloured = Palette.of({**dict(PALETTE.items()), 20: replace(STONE, color=(1, 1, 1), texture="sand")})
    assert not made.update(recoloured)
    assert made.update(Palette.of({20: STONE}))
    assert not made.has_transparency


def test_replaced_textures_are_freed(
    ctx: moderngl.Context, made: PaletteMaterials, count_objects: Callable[[], dict[str, int]]
) -> None:
    made.update(PALETTE)
    before = count_objects()
    made.update(Palette.of({1: replace(STONE, texture="sand"), 2: replace(STONE, texture="snow")}))
    assert count_objects() == before


def test_a_palette_that_finds_no_memory_leaves_the_one_before(
    made: PaletteMaterials, monkeypatch: pytest.MonkeyPatch, count_objects: Callable[[], dict[str, int]]
) -> None:
    def fail(*_: object) -> None:
        raise VoxelwrightError("no memory")

    made.update(PALETTE)
    before, nbytes = count_objects(), made.nbytes
    monkeypatch.setattr(materials, "check_errors", fail)
    other = Palette.of({1: replace(STONE, texture="snow")})
    for _ in range(2):
        with pytest.raises(VoxelwrightError, match="no memory"):
            made.update(other)
    assert count_objects() == before
    assert made.nbytes == nbytes
    assert made.has_transparency
    assert not made.update(PALETTE)
