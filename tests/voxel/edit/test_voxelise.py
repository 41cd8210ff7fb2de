# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes made of voxels, held to numpy that asks every voxel, and to volumes that are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxelwright.voxel.edit import voxelise as module
from voxelwright.voxel.edit.voxelise import voxelise
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Material, Palette

PALETTE = Palette.of({i: Material(f"m{i}", (10 * i, 0, 0)) for i in range(1, 20)})
LOW, HIGH = (-16, -16, -16), (16, 16, 16)
MIDDLES = np.stack(np.meshgrid(*[np.arange(-16, 16) + 0.5] * 3, indexing="ij"), axis=-1)


def made(triangles, materials=None, shell=False):
    triangles = np.asarray(triangles, np.float64)
    materials = np.ones(len(triangles), np.int64) if materials is None else np.asarray(materials)
    return finish(voxelise(triangles, materials, PALETTE, shell=shell))


def region(world):
    low, high = world.bounds()
    assert all(a >= b for a, b in zip(low, LOW, strict=True))
    assert all(a < b for a, b in zip(high, HIGH, strict=True))
    return world.region(LOW, HIGH) >> 8


def cube(low, high):
    """The twelve triangles of a box, outwards."""
    corners = np.array(list(np.ndindex(2, 2, 2)))
    quads = [(4, 6, 7, 5), (0, 1, 3, 2), (2, 3, 7, 6), (0, 4, 5, 1), (1, 5, 7, 3), (0, 2, 6, 4)]
    faces = [(a, b, c) for a, b, c, _ in quads] + [(a, c, d) for a, _, c, d in quads]
    return corners[np.array(faces)] * (np.array(high, float) - low) + low


def grid_mesh(point_at, n_u, n_v, closed_v):
    """The triangles of a surface over a grid of angles u and v, outwards where point_at turns that way."""
    u, v = np.meshgrid(np.linspace(0, 1, n_u + 1), np.linspace(0, 1, n_v + 1), indexing="ij")
    points = point_at(u, v)
    points[-1] = points[0]
    if closed_v:
        points[:, -1] = points[:, 0]
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    return np.concatenate([np.stack(t, axis=2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])


def sphere(radius, middle, n=24):
    def point_at(u, v):
        sine = np.where((v == 0) | (v == 1), 0, np.sin(np.pi * v))
        return radius * np.stack(
            [sine * np.cos(2 * np.pi * u), sine * np.sin(2 * np.pi * u), -np.cos(np.pi * v)], axis=-1
        ) + np.array(middle)

    return grid_mesh(point_at, 2 * n, n, closed_v=False)


def torus(large, small, middle, n=48):
    def point_at(u, v):
        a, b = 2 * np.pi * u, 2 * np.pi * v
        ring = large + small * np.cos(b)
        return np.stack([ring * np.cos(a), ring * np.sin(a), small * np.sin(b)], axis=-1) + np.array(middle)

    return grid_mesh(point_at, 2 * n, n, closed_v=True)


def turned(triangles, seed):
    """Triangles after a random rotation."""
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return triangles @ (q * np.sign(np.linalg.det(q)))


def inside(triangles):
    """Whether a mesh goes round each of MIDDLES, by its triangles' solid angles (van Oosterom, Strackee 1983)."""
    total = np.zeros(MIDDLES.shape[:3])
    for triangle in triangles:
        a, b, c = (corner - MIDDLES for corner in triangle)
        la, lb, lc = (np.linalg.norm(e, axis=-1) for e in (a, b, c))
        above = (a * np.cross(b, c)).sum(-1)
        below = la * lb * lc + (a * b).sum(-1) * lc + (b * c).sum(-1) * la + (c * a).sum(-1) * lb
        total += 2 * np.arctan2(above, below)
    return np.abs(total) > 2 * np.pi


@pytest.mark.parametrize("seed", range(2))
def test_solids_have_the_voxels_whose_middles_lie_inside(seed):
    triangles = turned(np.concatenate([sphere(9.3, (3, 2, 1), 5), cube((-9, -7, -5), (2, 6, 4))]), seed)
    assert np.array_equal(region(made(triangles)) != 0, inside(triangles))


def test_faces_that_look_the_wrong_way_do_no_harm():
    triangles = turned(torus(9, 4, (0, 0, 0), 6), 1)
    expected = inside(triangles)
    flipped = triangles.copy()
    which = np.random.default_rng(1).random(len(flipped)) < 0.3
    flipped[which] = flipped[which, ::-1]
    assert np.array_equal(region(made(flipped)) != 0, expected)
    assert np.array_equal(region(made(triangles[:, ::-1])) != 0, expected)


def test_a_house_without_floor_is_filled():
    walls = cube((-5.2, -6.1, -7.3), (8.1, 9.4, 10.2))
    assert np.array_equal(region(made(np.delete(walls, [5, 11], axis=0))), region(made(walls)))


def test_volumes_are_those_of_geometry():
    ball = made(sphere(60, (5.1, -7.2, 0.3), 96)).material_counts()[1:].sum()
    assert ball == pytest.approx(4 / 3 * np.pi * 60**3, rel=2e-3)
    ring = made(turned(torus(40, 15, (0, 0, 0), 96), 1)).material_counts()[1:].sum()
    assert ring == pytest.approx(2 * np.pi**2 * 40 * 15**2, rel=3e-3)
    assert made(cube((-3, 2, 40), (97, 42, 61))).material_counts()[1] == 100 * 40 * 21


@given(st.tuples(*[st.integers(-24, 12)] * 3), st.tuples(*[st.integers(1, 24)] * 3))
@settings(max_examples=30)
def test_boxes_on_halves_share_no_voxel_and_leave_none(corner, size):
    """Two boxes side by side whose common face goes through the voxels' middles: each middle is in one of them."""
    low, high = np.array(corner) / 2, (np.array(corner) + size) / 2
    middle = np.array([high[0] + 4.5, *high[1:]])
    one, two = cube(low, high), cube((high[0], *low[1:]), middle)
    both = cube(low, middle)
    parts = []
    for mesh in (one, two, both):
        try:
            world = made(mesh)
        except VoxelwrightError as error:
            assert "encloses no voxels" in str(error)
            parts.append(np.zeros((64, 64, 64), np.int64))
        else:
            parts.append(world.region((-32,) * 3, (32,) * 3).astype(np.int64))
    assert np.array_equal(parts[0] + parts[1], parts[2])


def clipped(triangle, low):
    """The corners of the part of a triangle in the unit cube from low on (I. Sutherland, G. Hodgman 1974)."""
    polygon = list(triangle)
    for axis in range(3):
        for sign, limit in ((1, low[axis]), (-1, -(low[axis] + 1))):
            kept = []
            for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True):
                dp, dq = sign * p[axis] - limit, sign * q[axis] - limit
                if dp > 0:
                    kept.append(p)
                if (dp > 0) != (dq > 0):
                    kept.append(p + (q - p) * (dp / (dp - dq)))
            polygon = kept
    return polygon


@pytest.mark.parametrize("seed", range(3))
def test_shells_have_the_voxels_that_triangles_reach_into(seed):
    triangles = np.random.default_rng(seed).uniform(-9, 9, (2, 3, 3))
    expected = np.zeros((32, 32, 32), bool)
    for at in np.ndindex(20, 20, 20):
        low = np.array(at) - 10
        expected[tuple(low + 16)] = any(len(clipped(triangle, low)) > 2 for triangle in triangles)
    found = region(made(triangles, shell=True)) != 0
    # The triangles are laid on a grid of 2⁻¹² voxels, and moved by as much.
    assert np.count_nonzero(found != expected) <= 2
    assert np.count_nonzero(expected) > 50


def test_the_shell_of_a_box_is_its_outermost_layer():
    expected = np.zeros((32, 32, 32), bool)
    expected[14:23, 18:24, 16:25] = True
    expected[15:22, 19:23, 17:24] = False
    assert np.array_equal(region(made(cube((-2, 2, 0), (7, 8, 9)), shell=True)) != 0, expected)


def test_shells_of_what_is_flat_or_a_line():
    flat = region(made(cube((-3, -3, 2.5), (3, 3, 2.5)), shell=True))
    assert np.argwhere(flat).min(0).tolist() == [13, 13, 18]
    assert np.count_nonzero(flat) == 36
    line = np.array([[[-3.5, 0.5, 0.5], [3.5, 0.5, 0.5], [0.2, 0.5, 0.5]]])
    assert np.count_nonzero(region(made(line, shell=True))) == 8


def square_of(triangle, points):
    """Squared distances of points (n, 3) from a triangle, by many points on it."""
    s, t = np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 1, 60))
    s, t = s[s + t <= 1], t[s + t <= 1]
    on_it = triangle[0] + s[:, None] * (triangle[1] - triangle[0]) + t[:, None] * (triangle[2] - triangle[0])
    return ((points[:, None] - on_it) ** 2).sum(-1).min(1)


@pytest.mark.parametrize("shell", [False, True])
def test_voxels_have_the_material_of_the_nearest_triangle(shell):
    triangles = turned(sphere(8, (0, 0, 0), 3), 2)
    materials = 1 + np.arange(len(triangles)) % 19
    found = region(made(triangles, materials, shell))
    at = np.argwhere(found)
    squares = np.stack([square_of(triangle, at - 15.5) for triangle in triangles])
    is_near = squares.min(0) < 0.9
    own = np.where(materials[:, None] == found[tuple(at.T)], squares, np.inf).min(0)
    assert np.all(np.sqrt(own[is_near]) < np.sqrt(squares.min(0)[is_near]) + 0.15)
    assert is_near.sum() > 500


def test_what_lies_deep_is_of_the_nearest_triangle_above_or_below():
    triangles = cube((-10, -10, -10), (10, 10, 10))
    top = (triangles[:, :, 2] == 10).all(1)
    found = region(made(triangles, np.where(top, 2, 1)))
    assert (found[8:24, 8:24, 16:26] == 2).all()
    assert (found[8:24, 8:24, 6:16] == 1).all()


def test_what_is_too_large_or_no_mesh_is_one_sentence(monkeypatch):
    unit = cube((0, 0, 0), (10, 10, 10))
    with pytest.raises(VoxelwrightError, match="has no faces"):
        made(np.zeros((0, 3, 3)))
    with pytest.raises(VoxelwrightError, match="encloses no voxels"):
        made(unit[:1])
    for triangles in (unit * 410, unit * [410, 1, 1], unit * np.nan, unit * 1e30):
        with pytest.raises(VoxelwrightError, match="at most 4096 voxels on each axis; make it smaller"):
            made(triangles)
    with pytest.raises(VoxelwrightError, match=r"The mesh's box has 3\d{4} chunks"):
        made(unit * 100)
    for name in ("MAX_MESH_TRIANGLES", "MAX_MESH_PAIRS"):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, 11)
            with pytest.raises(VoxelwrightError, match=r"11 can be used|the limit is 11\."):
                made(unit, 1 + np.arange(12))
    monkeypatch.setattr("voxelwright.voxel.edit.triangle_columns.MAX_MESH_COLUMNS", 100)
    with pytest.raises(VoxelwrightError, match=r"columns of voxels, all together; the limit is 100\."):
        made(unit)


def test_far_from_the_origin_a_mesh_is_as_near_it():
    triangles = turned(sphere(8, (0, 0, 0), 6), 3)
    offset = np.array([2**24, -(2**23), 2**20])
    far, near = made(triangles + offset), made(triangles)
    low, high = near.bounds()
    assert np.array_equal(
        far.region((low + offset).tolist(), (high + offset + 1).tolist()), near.region(low, [h + 1 for h in high])
    )
