# SPDX-License-Identifier: GPL-3.0-or-later
"""Which decals a frame shows, and what the GPU is handed of them, held to plain loops."""

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.decal_images import EDGE, DecalImage, color_image, normal_image
from voxelwright.gpu_backend.decals import TILE, Decal, Decals, decal_buffer, left_out
from voxelwright.gpu_backend.records import DecalLayer
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.palette import srgb_to_linear

IMAGE = DecalImage(np.full((EDGE, EDGE, 4), 255, np.uint8))
LAYERS = {None: -1, IMAGE: 5}
WIDTH, HEIGHT = 200, 120
CAMERA = orbit_camera((-20, -20, 0), (20, 20, 10), 30, 40, WIDTH / HEIGHT)
CORNERS = [(x, y, z, 1.0) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]


def boxes(seed: int, n: int, reach: float = 60.0) -> NDArray[np.float64]:
    """Random boxes, turned, stretched, some mirrored, most of them about where CAMERA looks."""
    rng = np.random.default_rng(seed)
    made = np.tile(np.eye(4), (n, 1, 1))
    made[:, :3, :3] = np.linalg.qr(rng.normal(size=(n, 3, 3)))[0] * rng.uniform(0.1, 6, (n, 1, 3))
    made[:, :3, 3] = rng.normal(size=(n, 3)) * reach / 2
    return made


def decals_in(matrices: NDArray[np.float64], **settings: Any) -> Decals:
    return Decals.of(Decal(f"d{i}", matrix, IMAGE, **settings) for i, matrix in enumerate(matrices))


def test_a_buffer_of_nothing_is_zeros() -> None:
    decals = Decals.of([])
    chosen, others = decals.choose(CAMERA)
    assert len(chosen) == len(others) == 0
    made = decal_buffer(decals.frame_records(chosen, LAYERS, np.zeros(3)), None)
    assert made == bytes(7184)


def test_a_buffer_by_hand() -> None:
    box = np.diag((2.0, 4.0, 0.5, 1.0))
    box[:3, 3] = 10, 20, 30
    item = Decal(
        "d",
        box,
        IMAGE,
        None,
        (1, 0.5, 0.25),
        0.75,
        0.5,
        0.1,
        0.2,
        30,
        40,
        np.pi / 2,
        DecalLayer.SMOOTH | DecalLayer.FAR,
    )
    decals = Decals.of([item])
    masks = np.array([[1, 0, 1 << 40]], np.uint64)
    made = decal_buffer(decals.frame_records(np.array([0]), LAYERS, np.array((8.0, 0, 0))), masks)
    matrix = (0.5, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, 2, 0, -1, -5, -60, 1)  # 8 voxels nearer along x
    record = struct.pack("<16f4f3fI4f", *matrix, 1, 0.5, 0.25, 0.75, 5, -1, 0.5, 127 << 24 | 10, 0.1, 0.2, 30, 40)
    assert made[:16] == struct.pack("<4I", 1, 3, 1, 16)
    assert made[16:128] == record
    assert made[128:7184] == bytes(63 * 112)
    assert made[7184:] == struct.pack("<6I", 1, 0, 0, 0, 0, 1 << 8)


def test_by_default_all_bits_of_the_layers_are_set() -> None:
    decals = decals_in(boxes(0, 1))
    assert decals.records["layers"][0] == 0xFFFFFFFF


@pytest.mark.parametrize("scale", [(1, 0, 1), (0, 0, 0), (1, np.nan, 1), (1, np.inf, 1)])
def test_a_box_without_extent_is_refused(scale: Any) -> None:
    matrix = np.diag((*scale, 1.0))
    with pytest.raises(VoxelwrightError, match=r'decal "flat" has no extent; give its empty another scale'):
        Decals.of([Decal("flat", matrix, IMAGE), Decal("fine", np.eye(4), IMAGE)])


def test_small_and_mirrored_boxes_are_not_without_extent() -> None:
    decals = decals_in(np.stack([np.diag((1e-4, -1e-4, 1e-5, 1)), np.diag((-1e4, 1e-3, 1, 1))]))
    np.testing.assert_allclose(decals.to_box @ decals.from_box, np.tile(np.eye(4), (2, 1, 1)), atol=1e-9)


def test_what_shows_nothing_is_dropped() -> None:
    box = np.eye(4)
    nothing = [Decal("a", box), Decal("b", box, IMAGE, color_mix=0), Decal("c", box, None, IMAGE, normal_mix=0)]
    assert [item.name for item in Decals.of([*nothing, Decal("d", box, None, IMAGE)]).items] == ["d"]


def plain_tiles(box: NDArray[np.float64], camera: Camera) -> set[tuple[int, int]]:
    columns, rows = -(-WIDTH // TILE), -(-HEIGHT // TILE)
    xs, ys = [], []
    for corner in CORNERS:
        clip = camera.projection @ camera.view @ box @ np.array(corner)
        if clip[3] <= 1e-4:
            return {(x, y) for x in range(columns) for y in range(rows)}
        xs.append((clip[0] / clip[3] * 0.5 + 0.5) * WIDTH)
        ys.append((clip[1] / clip[3] * 0.5 + 0.5) * HEIGHT)
    across = range(int(max(np.floor(min(xs) / TILE) - 1, 0)), int(min(np.floor(max(xs) / TILE) + 1, columns - 1)) + 1)
    upwards = range(int(max(np.floor(min(ys) / TILE) - 1, 0)), int(min(np.floor(max(ys) / TILE) + 1, rows - 1)) + 1)
    return {(x, y) for x in across for y in upwards}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 64))
def test_tile_masks_are_those_of_a_plain_loop(seed: int, n: int) -> None:
    decals = decals_in(boxes(seed, n))
    chosen = np.arange(n)
    masks = decals.tile_masks(chosen, CAMERA, WIDTH, HEIGHT)
    assert masks.shape == (8, 13)
    for bit in range(n):
        found = {(x, y) for y, x in np.argwhere(masks >> np.uint64(bit) & np.uint64(1)).tolist()}
        assert found == plain_tiles(decals.from_box[bit], CAMERA)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_the_nearest_of_those_in_view_are_chosen(seed: int) -> None:
    decals = decals_in(boxes(seed, 40, reach=200.0))
    chosen, others = decals.choose(CAMERA, most=6)
    assert len(chosen) == min(6, len(chosen) + len(others))
    assert (np.diff(chosen) > 0).all() and (np.diff(others) > 0).all()
    distance = [_nearest(box, CAMERA.eye) for box in decals.from_box]
    if len(others):
        assert max(distance[i] for i in chosen) <= min(distance[i] for i in others) + 1e-6
    # What has a point in view is seen, whatever else is.
    clip = CAMERA.projection @ CAMERA.view
    for index in set(range(40)) - {*chosen.tolist(), *others.tolist()}:
        points = np.random.default_rng(seed).uniform(-1, 1, (200, 4))
        points[:, 3] = 1
        seen = points @ (clip @ decals.from_box[index]).T
        assert not (np.abs(seen[:, :3]) < seen[:, 3:] - 1e-9).all(axis=1).any()


def _nearest(box: NDArray[np.float64], eye: NDArray[np.float64]) -> float:
    local = np.clip((np.linalg.inv(box) @ (*eye, 1.0))[:3], -1, 1)
    return float(np.linalg.norm(box[:3, :3] @ local + box[:3, 3] - eye))


def test_what_has_faded_with_distance_takes_nobodys_place() -> None:
    near, far = np.eye(4), np.eye(4)
    away = float(np.linalg.norm(CAMERA.eye))
    decals = Decals.of(
        [
            Decal("faded", near, IMAGE, distance_begin=away / 4, distance_length=away / 4),
            Decal("there", far, IMAGE, distance_begin=away / 4, distance_length=away),
        ]
    )
    assert decals.choose(CAMERA)[0].tolist() == [1]


def test_seen_from_a_world_boxes_and_distances_are_that_worlds() -> None:
    matrix = np.diag((-2.0, 2, 2, 1))
    matrix[:3, 3] = 5, 6, 7
    decals = decals_in(boxes(3, 5), distance_begin=10.0, distance_length=4.0)
    seen = decals.seen_from(matrix)
    np.testing.assert_allclose(matrix @ seen.from_box, decals.from_box, atol=1e-9)
    np.testing.assert_allclose(seen.to_box @ seen.from_box, np.tile(np.eye(4), (5, 1, 1)), atol=1e-9)
    np.testing.assert_allclose(seen.records["fades"][:, 2:], [(5, 2)] * 5)


def test_sentences_name_some_and_count_the_rest() -> None:
    assert left_out(["a"]).endswith('left out: "a".')
    assert left_out(["a", "b", "c"]).endswith('left out: "a", "b" and "c".')
    assert left_out([str(i) for i in range(9_936)]).endswith('left out: "0", "1", "2" and 9,933 more.')


# --- Images ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 1), (3, 700), (512, 512), (1500, 1024)])
def test_images_of_any_size_keep_their_mean(shape: tuple[int, int]) -> None:
    pixels = np.random.default_rng(1).random((*shape, 4), np.float32)
    texels = normal_image(pixels).texels
    assert texels.shape == (EDGE, EDGE, 4)
    if min(shape) >= EDGE:
        np.testing.assert_allclose(texels.mean(axis=(0, 1)) / 255, pixels.mean(axis=(0, 1)), atol=2e-3)


def test_an_image_of_the_right_size_is_kept_to_the_byte() -> None:
    texels = np.random.default_rng(2).integers(0, 256, (EDGE, EDGE, 4), np.uint8)
    texels[..., 3] = 255
    assert (color_image((texels / 255).astype(np.float32), linear=False).texels == texels).all()
    assert (normal_image((texels / 255).astype(np.float32)).texels == texels).all()


def test_linear_pixels_become_srgb() -> None:
    pixels = np.full((4, 4, 4), 0.5, np.float32)
    texel = color_image(pixels, linear=True).texels[7, 7] / 255
    np.testing.assert_allclose(srgb_to_linear(texel[:3]), 0.5, atol=5e-3)
    assert texel[3] == pytest.approx(0.5, abs=3e-3)


def test_what_is_not_seen_lends_no_colour_to_what_is() -> None:
    pixels = np.zeros((2 * EDGE, 2 * EDGE, 4), np.float32)
    pixels[..., 1] = 1.0  # green, and nowhere seen
    pixels[::2, :, :] = 1, 0, 0, 1
    texels = color_image(pixels, linear=False).texels
    assert (texels[..., 0] == 255).all() and (texels[..., 1] == 0).all()
    np.testing.assert_allclose(texels[..., 3], 128, atol=1)
