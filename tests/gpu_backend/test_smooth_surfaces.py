# SPDX-License-Identifier: GPL-3.0-or-later
"""How smooth surfaces are drawn."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.records import HAS_OPAQUE, SMOOTH_DRAW, SMOOTH_QUAD, SMOOTH_VERTEX
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.gpu_backend.smooth_pool import SmoothPool
from voxelwright.gpu_backend.views import View
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import CHUNK_SIZE
from voxelwright.voxel.mesh.arrays import SmoothMesh
from voxelwright.voxel.palette import Palette

Make = Callable[..., Any]


def _mesh(points: Sequence[Sequence[float]], quads: Sequence[Sequence[int]], materials: Sequence[int]) -> SmoothMesh:
    """Vertices in voxel space, chunk after chunk, whose normals point up; all quads are the first chunk's."""
    table = np.array(points, np.float64).reshape(-1, 3)
    coords, chunk, counts = np.unique(
        np.floor(table / CHUNK_SIZE).astype(np.int64), axis=0, return_inverse=True, return_counts=True
    )
    quad_counts = np.zeros(len(coords), np.uint32)
    quad_counts[:1] = len(quads)
    positions = (table - coords[chunk.reshape(-1)] * CHUNK_SIZE).astype(np.float32)
    return SmoothMesh(
        coords.astype(np.int32),
        counts.astype(np.uint32),
        quad_counts,
        positions,
        np.tile(np.float32([0, 0, 1]), (len(table), 1)),
        *np.zeros((3, len(table)), np.uint8),
        np.array(quads, np.uint32).reshape(-1, 4),
        np.array(materials, np.uint8),
    )


def _square(x: float, y: float, z: float, material: int, size: float = 4.0) -> SmoothMesh:
    return _mesh([(x, y, z), (x + size, y, z), (x + size, y + size, z), (x, y + size, z)], [(0, 1, 2, 3)], [material])


def _put(pool: SmoothPool, mesh: SmoothMesh) -> None:
    """Put opaque surfaces that no voxels have into an empty pool."""
    vertices, quads = np.zeros(len(mesh.positions), SMOOTH_VERTEX), np.zeros(len(mesh.quads), SMOOTH_QUAD)
    draws = np.zeros(len(mesh.coords), SMOOTH_DRAW)
    vertices["position"], vertices["normal"] = mesh.positions, mesh.normals
    vertices["slot"] = np.repeat(np.arange(len(draws)), mesh.vertex_counts)
    quads["vertices"], quads["material"] = mesh.quads, mesh.quad_materials
    draws["corner"][:, :3], draws["flags"] = mesh.coords * CHUNK_SIZE, HAS_OPAQUE
    draws["quad_count"] = mesh.quad_counts
    draws["quad_offset"] = np.cumsum(mesh.quad_counts) - mesh.quad_counts
    for buffer, records in ((pool._vertices, vertices), (pool._quads, quads), (pool._draws, draws)):
        buffer.write(records.tobytes())
    pool.n_rows = len(draws)


@pytest.fixture
def picture_of(renderer: Renderer, make_world: Make, draw_frame: Make) -> Make:
    """A function that gives the light (64, 64, 3), row 0 at the top, of blocks with a smooth surface beside them."""

    def picture(cells: Any, mesh: SmoothMesh, camera: Camera, look: Look | None = None) -> Any:
        pool = renderer.new_pool()
        world = make_world(cells)
        finish(pool.bring(world, camera.eye))
        _put(pool.smooth, mesh)
        target = draw_frame(renderer, [Shown(pool, camera, look or Look(sky=False))], 64, 64)
        light = np.frombuffer(target.light.read(), np.float16).reshape(64, 64, 4)[::-1, :, :3].astype(float)
        seen = np.frombuffer(target.distances.read(), np.float32).reshape(64, 64)[::-1] > 0
        return np.where(seen[..., None], light, 0.0)

    return picture


def test_a_surface_shows_from_its_front_only(picture_of: Make, material_in: Make) -> None:
    for elevation in (90, -90):
        camera = orbit_camera((2, 2, 3), (6, 6, 5), 0, elevation, 1.0)
        picture = picture_of([], _square(2, 2, 4, 2), camera)
        assert material_in(picture[20:44, 20:44]) == 2 if elevation > 0 else not picture.any()


def test_surfaces_have_no_gap_between_chunks(renderer: Renderer, make_world: Make) -> None:
    slab = make_world([(x, y, 0, 11) for x in range(-6, 6) for y in range(-6, 6)])
    for azimuth, elevation in ((0, 90), (30, 50)):
        camera = orbit_camera((-4, -4, 0), (4, 4, 1), azimuth, elevation, 1.0)
        picture = renderer.render(slab, camera, 128, 128, Look(sky=False), samples=1)
        assert (picture[32:96, 32:96, 1] > 40).all()


@pytest.mark.parametrize("azimuth", [20, 160, 245])
@pytest.mark.parametrize("elevation", [10, 40, 85])
@pytest.mark.parametrize("orthographic", [False, True])
def test_a_smooth_surface_wins_where_it_lies_on_a_block(
    orthographic: bool, elevation: int, azimuth: int, picture_of: Make, flat: Make
) -> None:
    """Told by its normal: the material is the block's, on which it lies."""
    floor = [(x, y, 3, 1) for x in range(8) for y in range(8)]
    camera = orbit_camera((0, 0, 3), (8, 8, 5), azimuth, elevation, 1.0)
    camera = flat(camera, 5.0) if orthographic else camera
    tilted = np.float32([0.6, 0.0, 0.8])
    mesh = replace(_square(0, 0, 4, 2, 8.0), normals=np.tile(tilted, (4, 1)))
    picture = picture_of(floor, mesh, camera, Look(View.NORMALS, sky=False))
    alone = picture_of([], mesh, camera, Look(View.NORMALS, sky=False)).any(axis=2)
    inside = np.zeros_like(alone)  # blocks are drawn a little larger than they are
    inside[1:-1, 1:-1] = alone[1:-1, 1:-1] & alone[2:, 1:-1] & alone[:-2, 1:-1] & alone[1:-1, 2:] & alone[1:-1, :-2]
    assert inside.sum() > 100
    np.testing.assert_allclose(picture[inside], np.broadcast_to(tilted * 0.5 + 0.5, (inside.sum(), 3)), atol=0.01)


@pytest.mark.parametrize("behind", [False, True])
def test_blocks_and_smooth_surfaces_hide_each_other(behind: bool, picture_of: Make, material_in: Make) -> None:
    block = [(x, y, 2 if behind else 8, 1) for x in range(8) for y in range(8)]
    picture = picture_of(block, _square(0, 0, 5, 2, 8.0), orbit_camera((0, 0, 0), (8, 8, 9), 0, 90, 1.0))
    assert material_in(picture[28:36, 28:36]) == (2 if behind else 1)


def test_normals_are_those_of_the_vertices(picture_of: Make) -> None:
    mesh = _square(0, 0, 4, 2, 8.0)
    tilted = np.float32([0.6, 0.0, 0.8])
    mesh = replace(mesh, normals=np.tile(tilted, (4, 1)))
    camera = orbit_camera((0, 0, 3), (8, 8, 5), 0, 90, 1.0)
    picture = picture_of([], mesh, camera, Look(View.NORMALS, sky=False))
    np.testing.assert_allclose(picture[32, 32], tilted * 0.5 + 0.5, atol=0.01)


def test_smooth_voxels_are_meshed_and_seen_from_all_sides(
    renderer: Renderer, make_world: Make, palette: Palette, material_in: Make
) -> None:
    world = make_world([(30 + x, y, z, 11) for x in range(4) for y in range(4) for z in range(4)])
    for azimuth, elevation in ((0, 0), (90, 0), (200, 20), (0, 90), (0, -90)):
        camera = orbit_camera((30, 0, 0), (34, 4, 4), azimuth, elevation, 1.0)
        picture = renderer.render(world, camera, 64, 64, samples=1)
        assert material_in(picture[24:40, 24:40]) == 2
