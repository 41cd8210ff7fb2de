# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading .vox files: real ones, and every feature on hand-made ones."""

import itertools
import struct
import time

import numpy as np
import pytest

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.formats.vox import read_vox
from voxelwright.voxel.formats.vox_palette import default_colors

SAMPLES = [
    "T-Rex.vox",
    "chr_knight.vox",
    "dragon.vox",
    "menger.vox",
    "monu10.vox",
    "monu9.vox",
    "nature.vox",
    "test_groups.vox",
    "test_meta_chunk.vox",
    "test_multiple_model_scene.vox",
]
LEGAL_ROTATIONS = [
    first | second << 2 | signs << 4 for first, second in itertools.permutations(range(3), 2) for signs in range(8)
]


def cells_of(world):
    """{cell: colour index} of a world."""
    low, high = world.bounds()
    region = world.region(low, [h + 1 for h in high]) >> 8
    at = np.argwhere(region)
    cells = (at + low).tolist()
    return dict(zip(map(tuple, cells), region[tuple(at.T)].tolist(), strict=True))


def one_voxel(vox, *chunks, color=1, **kwargs):
    return vox.file(vox.model((1, 1, 1), [(0, 0, 0, color)]), *chunks, **kwargs)


# --- Real files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_have_the_cells_of_the_slow_reader(vox_samples, slow_cells, name):
    start = time.perf_counter()
    world = read_vox(vox_samples[name])
    seconds = time.perf_counter() - start
    expected = slow_cells(vox_samples[name])
    assert cells_of(world) == expected
    assert int(world.material_counts()[1:].sum()) == len(expected)
    assert {index for index, _ in world.palette.items()} == set(expected.values())
    assert seconds < 2.0


def test_every_sample_is_tested(vox_samples):
    assert sorted(vox_samples) == sorted(SAMPLES)


@pytest.mark.parametrize("frame", [3, 7, 100])
def test_frames_of_an_old_animation(vox_samples, slow_cells, frame):
    data = vox_samples["T-Rex.vox"]
    cells = cells_of(read_vox(data, frame=frame))
    assert cells == slow_cells(data, frame)
    assert cells != cells_of(read_vox(data))


@pytest.mark.parametrize(
    ("frame", "low"), [(0, (-43, -20, 0)), (7, (-43, -20, 0)), (15, (-43, -20, 0)), (16, (9, -20, 0))]
)
def test_frames_of_a_moving_model(vox_samples, frame, low):
    world = read_vox(vox_samples["test_meta_chunk.vox"], frame=frame)
    assert world.bounds()[0] == low


# --- Header and chunks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [150, 200])
def test_versions(vox, version):
    assert cells_of(read_vox(one_voxel(vox, version=version))) == {(0, 0, 0): 1}


def test_unknown_chunks_are_skipped_with_their_children(vox):
    unknown = vox.chunk("TDCZ", b"content", vox.model((1, 1, 1), [(0, 0, 0, 9)]))
    data = vox.file(unknown, vox.model((2, 1, 1), [(1, 0, 0, 5)]), unknown)
    assert cells_of(read_vox(data)) == {(1, 0, 0): 5}


def test_content_of_main_and_bytes_after_it_are_skipped(vox):
    children = vox.model((1, 1, 1), [(0, 0, 0, 5)])
    data = b"VOX " + struct.pack("<i", 150) + vox.chunk("MAIN", b"12345", children) + b"\0" * 100
    assert cells_of(read_vox(data)) == {(0, 0, 0): 5}


def test_color_0_is_no_voxel_and_the_later_of_two_voxels_wins(vox):
    voxels = [(0, 0, 0, 3), (1, 0, 0, 0), (2, 0, 0, 4), (0, 0, 0, 7)]
    world = read_vox(vox.file(vox.model((3, 1, 1), voxels)))
    assert cells_of(world) == {(0, 0, 0): 7, (2, 0, 0): 4}


def test_a_model_of_256_voxels_an_edge(vox):
    world = read_vox(vox.file(vox.model((256, 256, 256), [(255, 255, 255, 1), (0, 0, 0, 2)])))
    assert cells_of(world) == {(255, 255, 255): 1, (0, 0, 0): 2}


def test_several_bare_models_are_frames(vox):
    models = [vox.model((4, 1, 1), [(i, 0, 0, i + 1)]) for i in range(3)]
    data = vox.file(vox.chunk("PACK", struct.pack("<i", 3)), *models)
    assert cells_of(read_vox(data)) == {(0, 0, 0): 1}
    assert cells_of(read_vox(data, frame=1)) == {(1, 0, 0): 2}
    assert cells_of(read_vox(data, frame=5)) == {(2, 0, 0): 3}, "the last where there are fewer"


def test_a_negative_frame_is_refused(vox):
    with pytest.raises(VoxelwrightError, match="no frame -1"):
        read_vox(one_voxel(vox), frame=-1)


# --- Scene graph ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(1, 1, 1), (2, 2, 2), (2, 3, 5), (4, 1, 3)])
def test_all_48_rotations(vox, slow_cells, size):
    """Mirrors too, and even and odd edges, which turn about different points."""
    assert len(LEGAL_ROTATIONS) == 48
    voxels = [(*p, i % 255 + 1) for i, p in enumerate(itertools.product(*map(range, size)))]
    for rotation in LEGAL_ROTATIONS:
        data = vox.file(
            vox.model(size, voxels), vox.transform(0, 1, {"_r": rotation, "_t": "3 -5 40"}), vox.shape(1, 0)
        )
        assert cells_of(read_vox(data)) == slow_cells(data)


def test_rotations_and_translations_compose(vox, slow_cells):
    rng = np.random.default_rng(5)
    voxels = [(*p, i + 1) for i, p in enumerate(itertools.product(range(2), range(3), range(5)))]
    for _ in range(100):
        depth = int(rng.integers(2, 6))
        nodes = []
        for i in range(depth):
            place = " ".join(map(str, rng.integers(-60, 60, 3)))
            frame = {"_r": rng.choice(LEGAL_ROTATIONS), "_t": place}
            nodes += [vox.transform(2 * i, 2 * i + 1, frame), vox.group(2 * i + 1, 2 * i + 2)]
        data = vox.file(vox.model((2, 3, 5), voxels), *nodes, vox.shape(2 * depth, 0))
        assert cells_of(read_vox(data)) == slow_cells(data)


def test_a_parents_rotation_turns_its_childs_translation(vox):
    """By hand: rows (0, −1, 0), (1, 0, 0), (0, 0, 1) are a quarter turn about Z, bits 1 | 0 << 2 | 1 << 4."""
    data = vox.file(
        vox.model((1, 1, 1), [(0, 0, 0, 1)]),
        vox.transform(0, 1, {"_r": 17, "_t": "100 0 0"}),
        vox.group(1, 2),
        vox.transform(2, 3, {"_t": "10 0 0"}),
        vox.shape(3, 0),
    )
    # The voxel's centre (10.5, 0.5, 0.5) turns to (−0.5, 10.5, 0.5) and moves to (99.5, 10.5, 0.5).
    assert cells_of(read_vox(data)) == {(99, 10, 0): 1}


def test_a_later_shape_wins_and_models_are_shared(vox):
    models = [vox.model((2, 1, 1), [(0, 0, 0, c), (1, 0, 0, c)]) for c in (1, 2)]
    data = vox.file(
        *models,
        vox.group(0, 10, 20, 30),
        vox.transform(30, 31, {"_t": "2 0 0"}),
        vox.shape(31, 0),
        vox.transform(20, 21, {"_t": "1 0 0"}),
        vox.shape(21, 1),
        vox.transform(10, 31, {"_t": "0 0 0"}),
    )
    assert cells_of(read_vox(data)) == {(-1, 0, 0): 1, (0, 0, 0): 2, (1, 0, 0): 1, (2, 0, 0): 1}


def test_order_is_depth_first(vox):
    models = [vox.model((1, 1, 1), [(0, 0, 0, c)]) for c in (1, 2, 3)]
    shapes = [vox.shape(10 + i, i) for i in range(3)]
    early = vox.file(*models, *shapes, vox.group(0, 1, 12), vox.group(1, 10, 11))
    late = vox.file(*models, *shapes, vox.group(0, 12, 1), vox.group(1, 10, 11))
    assert cells_of(read_vox(early)) == {(0, 0, 0): 3}
    assert cells_of(read_vox(late)) == {(0, 0, 0): 2}


def test_unplaced_models_and_empty_ones_are_not_shown(vox):
    models = [vox.model((1, 1, 1), [(0, 0, 0, c)]) for c in (1, 2)]
    data = vox.file(*models, vox.model((1, 1, 1), []), vox.group(0, 1, 2), vox.shape(1, 1), vox.shape(2, 2))
    assert cells_of(read_vox(data)) == {(0, 0, 0): 2}


@pytest.mark.parametrize("where", ["node", "layer"])
def test_hidden_nodes_and_layers_hide_what_is_below(vox, where):
    hidden = {"_hidden": "1"} if where == "node" else {}
    data = vox.file(
        vox.model((1, 1, 1), [(0, 0, 0, 1)]),
        vox.group(0, 1, 5),
        vox.transform(1, 2, layer=3, **hidden),
        vox.group(2, 3),
        vox.transform(3, 4, {"_t": "5 0 0"}, layer=0),
        vox.transform(5, 4, {"_t": "9 0 0"}, layer=0, _hidden="0"),
        vox.shape(4, 0),
        vox.layer(0, _name="shown", _hidden="0"),
        vox.layer(3, _hidden="1" if where == "layer" else "0"),
    )
    assert cells_of(read_vox(data)) == {(9, 0, 0): 1}


def test_a_shape_of_several_models_shows_one_a_frame(vox):
    models = [vox.model((1, 1, 1), [(0, 0, 0, c)]) for c in (1, 2, 3)]
    numbered = vox.file(*models, vox.shape(0, (0, {"_f": 4}), (2, {"_f": 20}), (1, {"_f": 10})))
    shown = [cells_of(read_vox(numbered, frame=f))[0, 0, 0] for f in (0, 4, 9, 10, 19, 20, 99)]
    assert shown == [1, 1, 1, 2, 2, 3, 3]
    plain = vox.file(*models, vox.shape(0, 2, 1, 0))
    assert [cells_of(read_vox(plain, frame=f))[0, 0, 0] for f in range(5)] == [3, 2, 1, 1, 1]


def test_a_transform_of_several_frames(vox):
    frames = [{"_f": 2, "_t": "1 0 0"}, {"_f": 8, "_t": "5 0 0"}]
    data = vox.file(vox.model((1, 1, 1), [(0, 0, 0, 1)]), vox.transform(0, 1, *frames), vox.shape(1, 0))
    assert [read_vox(data, frame=f).bounds()[0][0] for f in (0, 2, 7, 8, 9)] == [1, 1, 1, 5, 5]


# --- Palette and materials ------------------------------------------------------------------------------------


def test_default_palette(vox, vox_samples):
    """Values as the format's document lists them, 0xAABBGGRR; and a real file that holds them all."""
    known = {1: 0xFFFFFFFF, 2: 0xFFCCFFFF, 7: 0xFFFFCCFF, 37: 0xFFFFFFCC, 215: 0xFF330000, 216: 0xFF0000EE}
    known |= {225: 0xFF000011, 226: 0xFF00EE00, 236: 0xFFEE0000, 246: 0xFFEEEEEE, 255: 0xFF111111}
    for index, value in known.items():
        color = read_vox(one_voxel(vox, color=index)).palette.materials[index].color
        assert color == (value & 255, value >> 8 & 255, value >> 16 & 255)
    data = vox_samples["test_meta_chunk.vox"]
    entries = np.frombuffer(data, np.uint8, 1024, data.index(b"RGBA") + 12).reshape(256, 4)
    np.testing.assert_array_equal(default_colors()[1:], entries[:255, :3])


def test_entry_k_of_the_palette_is_color_k_plus_1(vox):
    entries = [(k, 255 - k, k // 2, 0) for k in range(256)]
    for index in (1, 2, 128, 255):
        material = read_vox(one_voxel(vox, vox.colors(entries), color=index)).palette.materials[index]
        assert material.color == entries[index - 1][:3]
        assert material.name == f"color {index}"


def test_imap_changes_no_voxel(vox):
    plain, mapped = one_voxel(vox, color=9), one_voxel(vox, vox.chunk("IMAP", bytes(range(255, -1, -1))), color=9)
    assert cells_of(read_vox(plain)) == cells_of(read_vox(mapped))
    assert read_vox(plain).palette == read_vox(mapped).palette


MATERIALS = {
    "absent": ({"_rough": "0.1", "_ior": "0.3", "_ri": "1.3", "_d": "0.05"}, {"roughness": 0.9, "ior": 1.45}),
    "diffuse": ({"_type": "_diffuse", "_weight": "1", "_metal": "1"}, {"roughness": 0.9, "metallic": 0.0}),
    "metal": ({"_type": "_metal", "_metal": "0.8", "_rough": "0.25"}, {"metallic": 0.8, "roughness": 0.25}),
    "old metal": ({"_type": "_metal", "_weight": "0.5"}, {"metallic": 0.5, "roughness": 0.1}),
    "glass": ({"_type": "_glass", "_trans": "0.75", "_ri": "1.5"}, {"opacity": 0.25, "ior": 1.5}),
    "old glass": ({"_type": "_glass", "_weight": "0.5", "_ior": "0.4"}, {"opacity": 0.5, "ior": 1.4}),
    "clear glass": ({"_type": "_glass", "_trans": "1"}, {"opacity": 0.1}),
    "emit": ({"_type": "_emit", "_emit": "0.5", "_flux": "3"}, {"emission": 8.0}),
    "weak emit": ({"_type": "_emit", "_emit": "0.5"}, {"emission": 1.0}),
    "blend": ({"_type": "_blend", "_metal": "0.5", "_trans": "0.25"}, {"metallic": 0.5, "opacity": 0.75}),
    "media": ({"_type": "_media", "_trans": "0.5"}, {"opacity": 0.5}),
    "unknown": ({"_type": "_plasma", "_metal": "1"}, {"metallic": 0.0, "roughness": 0.9}),
    "no numbers": ({"_type": "_metal", "_metal": "abc", "_rough": "nan", "_ri": ""}, {"metallic": 1.0, "ior": 1.3}),
    "out of range": ({"_type": "_metal", "_metal": "7", "_rough": "-1e30", "_ri": "99"}, {"metallic": 1.0, "ior": 4.0}),
    "infinite": ({"_type": "_emit", "_emit": "inf", "_flux": "1e308"}, {"emission": 32.0}),
}


@pytest.mark.parametrize("name", MATERIALS)
def test_materials(vox, name):
    settings, expected = MATERIALS[name]
    world = read_vox(one_voxel(vox, vox.material(6, **settings), color=6))
    material = world.palette.materials[6]
    assert material.texture == "plain"
    for key, value in expected.items():
        assert getattr(material, key) == pytest.approx(value)
    assert world.voxel(0, 0, 0) == material.voxel(6), "the voxel's flags are those of its material"


@pytest.mark.parametrize(
    ("kind", "key", "value"), [(0, "metallic", 0), (1, "metallic", 0.5), (2, "opacity", 0.5), (3, "emission", 1)]
)
def test_old_materials(vox, kind, key, value):
    matt = vox.chunk("MATT", struct.pack("<iififff", 6, kind, 0.5, 0b111, 1.0, 0.25, 0.5))
    material = read_vox(one_voxel(vox, matt, color=6)).palette.materials[6]
    assert getattr(material, key) == value
    assert material.roughness == (0.9 if kind == 0 else 0.25)


def test_only_colors_in_use_have_materials(vox):
    world = read_vox(vox.file(vox.model((2, 1, 1), [(0, 0, 0, 4), (1, 0, 0, 200)])))
    assert [index for index, _ in world.palette.items()] == [4, 200]
