# SPDX-License-Identifier: GPL-3.0-or-later
from collections import Counter

import numpy as np
import pytest

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh import lod
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.downsample import halve
from voxelwright.voxel.mesh.lod import levels_by_distance, mesh_lod
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.world import World, new_world


def reference_half(dense):
    """dense, of even size, at half its resolution: one block of eight after another."""
    padded = np.pad(dense, 1)
    half = np.zeros([n // 2 for n in dense.shape], np.uint16)
    for x, y, z in np.ndindex(half.shape):
        solid = []
        for dx, dy, dz in np.ndindex(2, 2, 2):
            i, j, k = 2 * x + dx + 1, 2 * y + dy + 1, 2 * z + dz + 1
            around = padded[[i - 1, i + 1, i, i, i, i], [j, j, j - 1, j + 1, j, j], [k, k, k, k, k - 1, k + 1]]
            if padded[i, j, k]:
                solid.append((int(padded[i, j, k]), bool((around == 0).any())))
        if len(solid) >= 4:
            counts = Counter(voxel for voxel, exposed in solid if exposed) or Counter(voxel for voxel, _ in solid)
            half[x, y, z] = min(counts, key=lambda voxel: (-counts[voxel], voxel))
    return half


@pytest.mark.parametrize("mix", ["blocky", "smooth", "mixed", "dense", "glass"])
def test_halving_equals_the_reference(worlds, mix):
    rng = np.random.default_rng(31)
    for corner in [(-6, 28, 60), (0, 0, 0), (-40, -34, 2)]:
        dense = worlds.random_dense(rng, mix, (12, 10, 8))
        dense[:4, :4, :4] = worlds.earth
        low = [c // 2 for c in corner]
        half = finish(halve(worlds.world_of(dense, corner)))
        assert np.array_equal(
            half.region(low, [a + n // 2 for a, n in zip(low, dense.shape, strict=True)]), reference_half(dense)
        )
        solid = sum(
            np.count_nonzero(half.region([c * 32 for c in at], [c * 32 + 32 for c in at])) for at in half.coords()
        )
        assert solid == np.count_nonzero(reference_half(dense))


def test_uniform_chunks_stay_uniform_and_grass_stays_grass(worlds):
    world = new_world({(x, y, z): worlds.earth for x in (-2, -1) for y in (0, 1) for z in (0, 1)}, worlds.palette)
    half = finish(halve(world))
    assert half.coords() == [(-1, 0, 0)]
    assert half.chunk((-1, 0, 0)) == worlds.earth
    dense = np.full((8, 8, 8), worlds.earth)
    dense[:, :, 7] = worlds.palette.voxel(2)
    top = finish(halve(worlds.world_of(dense))).region((1, 1, 3), (3, 3, 4))
    assert np.all(top == worlds.palette.voxel(2))


def test_an_empty_world_has_no_levels():
    assert finish(mesh_lod(World(), {})) == []
    assert finish(halve(World())).coords() == []


def terrain(worlds, rng, kind, n_chunks, low_chunk, smoothing=0.0):
    """Hills with overhangs and caves: of blocks, smooth voxels, or random patches of both."""
    n = 32 * np.array(n_chunks)
    x, y, z = np.meshgrid(*(np.arange(k) for k in n), indexing="ij")
    height = 0.5 * n[2] + sum(
        rng.uniform(2, 6) * np.sin(x / rng.uniform(4, 14) + rng.uniform(0, 6)) * np.cos(y / rng.uniform(4, 14))
        for _ in range(4)
    )
    solid = (z < height) & (np.sin(x / 5) + np.sin(y / 4) + np.sin(z / 6) < 1.8)
    smooth = {"blocks": False, "smooth": True, "mixed": np.sin(x / 7 + y / 5) + np.sin(z / 3) > 0}[kind]
    dense = np.where(solid, np.where(smooth, worlds.snow, worlds.earth), 0).astype(np.uint16)
    world = worlds.world_of(dense, 32 * np.array(low_chunk))
    world.settings = Settings(smoothing)
    return world


def quads_of(part):
    """(q, 4, 3) float64: a level's quads in voxel space."""
    smooth = part.smooth.world_positions()[part.smooth.quads]
    return np.concatenate([part.blocky.corners().astype(float), smooth]) * part.scale


def leaks(quads, rng, n_rays, axis=0, plane=0):
    """How many rays, slanting down from far away onto places of the border, meet a back face of quads (q, 4, 3) before
    any front face. The border is where the coordinate on an axis is plane."""
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    rim = quads[(np.abs(quads[..., axis] - plane) < 1.5).any(axis=1)].mean(axis=1)
    bad = 0
    for aim in rng.choice(rim, n_rays) + rng.uniform(-1, 1, (n_rays, 3)):
        direction = np.append(rng.normal(size=2), -rng.uniform(0.1, 1))
        direction[axis] *= 2
        # Only triangles near the ray can meet it.
        offset = triangles[:, 0] - aim
        along = (offset @ direction) / (direction @ direction)
        near = triangles[np.linalg.norm(offset - along[:, None] * direction, axis=1) < 64]
        a, e1, e2 = near[:, 0], near[:, 1] - near[:, 0], near[:, 2] - near[:, 0]
        p, s = np.cross(direction, e2), aim - 1000 * direction - a
        determinant = (e1 * p).sum(axis=1)
        inverse = np.divide(1, determinant, out=np.zeros_like(determinant), where=np.abs(determinant) > 1e-12)
        q = np.cross(s, e1)
        u, v, t = inverse * (s * p).sum(axis=1), inverse * (q @ direction), inverse * (e2 * q).sum(axis=1)
        hit = (inverse != 0) & (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9)
        front = determinant > 0
        bad += t[hit & ~front].min(initial=np.inf) < t[hit & front].min(initial=np.inf) - 1e-9
    return bad


SPLITS = {
    "1:1 and 1:2": lambda c: 1 if c[0] < 0 else 0,
    "1:2 and 1:4": lambda c: 2 if c[0] < 0 else 1,
    "1:1 and 1:8": lambda c: 3 if c[0] < 0 else 0,
    "a corner": lambda c: 0 if c[0] >= 0 and c[1] >= 2 else 1,
    "all": lambda c: 3 if c[0] < 0 else (0, 1, 2, 2)[c[1] // 2 if c[0] < 2 else 2],
}


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(("kind", "smoothing"), [("blocks", 0.0), ("smooth", 0.0), ("smooth", 1.0), ("mixed", 0.5)])
def test_no_ray_from_above_passes_between_levels(worlds, kind, smoothing, split):
    rng = np.random.default_rng(32)
    world = terrain(worlds, rng, kind, (4, 4, 2), (-2, 0, 0), smoothing)
    parts = finish(mesh_lod(world, {coord: SPLITS[split](coord) for coord in world.coords()}))
    assert len(parts) > 1
    quads = np.concatenate([quads_of(part) for part in parts])
    assert leaks(quads, rng, 80) == 0
    if split in ("a corner", "all"):
        assert leaks(quads, rng, 80, axis=1, plane=64) == 0


def test_the_ray_test_sees_cracks(worlds):
    rng = np.random.default_rng(32)
    world = terrain(worlds, rng, "smooth", (4, 4, 2), (-2, 0, 0))
    half = finish(halve(world))
    fine = finish(mesh_smooth(world, coords=[c for c in world.coords() if c[0] >= 0]))
    coarse = finish(mesh_smooth(half, coords=[c for c in half.coords() if c[0] < 0]))
    quads = [fine.world_positions()[fine.quads], 2 * coarse.world_positions()[coarse.quads]]
    assert leaks(np.concatenate(quads), rng, 80) > 0


@pytest.mark.parametrize("mix", ["smooth", "mixed", "sparse", "dense"])
@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_every_level_is_a_closed_body_before_hidden_walls_are_left_out(worlds, mix, smoothing, monkeypatch):
    monkeypatch.setattr(lod, "_covered", lambda *_: np.zeros((32, 32), np.bool_))
    rng = np.random.default_rng(33)
    dense = np.zeros((96, 64, 64), np.uint16)
    dense[20:76, 20:44, 20:44] = worlds.random_dense(rng, mix, (56, 24, 24))
    dense[20:76, 20:44, 20:32] = np.where(rng.random((56, 24, 12)) < 0.9, worlds.snow, worlds.earth)
    world = worlds.world_of(dense, (-64, 0, 0))
    world.settings = Settings(smoothing)
    levels = {coord: 1 if coord[0] < 0 else 0 for coord in world.coords()}
    parts = finish(mesh_lod(world, levels, merge=False))
    assert [part.level for part in parts] == [0, 1]
    for part in parts:
        assert worlds.open_edges(quads_of(part) / part.scale) == 0
        assert np.abs(quads_of(part)[..., 0] * (1 if part.level == 0 else -1)).min() == 0  # up to the plane, no further
        assert (quads_of(part)[..., 0] * (1 if part.level == 0 else -1)).min() == 0


def test_hidden_walls_are_left_out(worlds):
    dense = np.full((128, 64, 60), worlds.snow)
    dense[:, :32] = worlds.earth
    world = worlds.world_of(dense, (-64, 0, 0))
    parts = finish(mesh_lod(world, {coord: 1 if coord[0] < 0 else 0 for coord in world.coords()}, merge=False))
    for part in parts:
        quads = quads_of(part)
        wall = quads[(quads[..., 0] == 0).all(axis=1)]
        assert 0 < len(wall) < 0.35 * 64 * 60 / part.scale**2
        # What is left lies at the rim, since both sides are solid alike.
        y, z = wall[..., 1].mean(axis=1), wall[..., 2].mean(axis=1)
        assert np.all((y < 5) | (y > 59) | (z < 5) | (z > 55))


def test_water_has_no_walls_within(worlds):
    world = worlds.world_of(np.full((128, 64, 60), worlds.glass), (-64, 0, 0))
    parts = finish(mesh_lod(world, {coord: 1 if coord[0] < 0 else 0 for coord in world.coords()}))
    for part in parts:
        assert not (quads_of(part)[..., 0] == 0).all(axis=1).any()


def test_light_goes_on_across_the_border(worlds):
    dense = np.zeros((128, 64, 64), np.uint16)
    for x in range(128):
        dense[x, :, : 8 + x // 4] = worlds.snow
    world = worlds.world_of(dense, (-64, 0, 0))
    world.settings = Settings(1.0)
    for part in finish(mesh_lod(world, {coord: 1 if coord[0] < 0 else 0 for coord in world.coords()})):
        points, normals = part.smooth.world_positions() * part.scale, part.smooth.normals
        rim = (points[:, 0] == 0) & (points[:, 2] > 22) & (points[:, 1] > 12) & (points[:, 1] < 52)
        assert rim.sum() > 20 / part.scale
        np.testing.assert_allclose(points[rim, 2], 24 - 0.375, atol=0.5 * part.scale)
        assert np.all(normals[rim] @ (-0.2425, 0, 0.9701) > 0.97)


def test_level_0_alone_is_the_plain_mesh(worlds):
    world = terrain(worlds, np.random.default_rng(34), "mixed", (2, 2, 2), (-1, -1, 0), 0.5)
    (part,) = finish(mesh_lod(world, {}))
    blocky, smooth = finish(mesh_blocky(world, merge=True)), finish(mesh_smooth(world))
    assert (part.level, part.scale) == (0, 1)
    assert np.array_equal(part.blocky.quads, blocky.quads)
    assert np.array_equal(part.smooth.positions, smooth.positions)
    assert np.array_equal(part.smooth.quads, smooth.quads)


def test_levels_by_distance_fit_together(worlds):
    world = new_world({(x, y, 0): worlds.earth for x in range(-9, 9) for y in range(-9, 9)}, worlds.palette)
    rng = np.random.default_rng(35)
    for eye in rng.uniform(-400, 400, (5, 3)):
        levels = levels_by_distance(world, eye, (80.0, 160.0, 300.0))
        parts = finish(mesh_lod(world, levels))
        assert [part.level for part in parts] == sorted(set(levels.values()))
        near = min(levels, key=lambda c: float(np.linalg.norm(np.array(c) * 32 + 16 - eye)))
        assert levels[near] == min(levels.values())
    assert set(levels_by_distance(world, (0, 0, 0), (1e4, 2e4, 3e4)).values()) == {0}


def test_levels_that_do_not_fit_are_refused(worlds):
    world = new_world({(0, 0, 0): worlds.earth, (1, 0, 0): worlds.earth}, worlds.palette)
    with pytest.raises(
        VoxelwrightError, match=r"All chunks within a block of 2 chunks must have the level of detail 1"
    ):
        finish(mesh_lod(world, {(0, 0, 0): 1}))
    with pytest.raises(VoxelwrightError, match=r"from 0 to 3, not 4"):
        finish(mesh_lod(world, {(0, 0, 0): 4}))
