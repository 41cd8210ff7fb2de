# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of detail: what coarse chunks are made of, which are drawn where, and that nothing is seen between them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend import levels
from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.passes.downsample import DownsamplePass
from voxelwright.gpu_backend.pool import WorldPool
from voxelwright.gpu_backend.records import CHUNK_DRAW, LEVEL_FULL, LEVEL_SMOOTH, UNIFORM_CHUNK
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.gpu_backend.rows import Node
from voxelwright.gpu_backend.views import LEGENDS, View
from voxelwright.gpu_backend.voxel_pages import SLOT_BYTES, VOXEL_BYTES
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import CHUNK_SIZE
from voxelwright.voxel.palette import Palette, linear_to_srgb, srgb_to_linear
from voxelwright.voxel.world import Coord, World, as_chunk, edit_of_chunks, new_world

Make = Callable[..., Any]
Voxels = NDArray[np.uint16]

SIZE = (120, 80)
GLASS, MOSS = 7, 11
LEVELS = range(1, levels.N_LEVELS + 1)


# --- Worlds ----------------------------------------------------------------------------------------------------------


def _world(voxels: Voxels, palette: Palette, low: Coord = (0, 0, 0)) -> World:
    """Of an array of materials, whose edges are whole chunks, from chunk low on."""
    values = np.array([0, *(int(palette.voxel(m)) for m in range(1, 13))], np.uint16)[voxels]
    chunks = {}
    for index in np.ndindex(*(edge // CHUNK_SIZE for edge in voxels.shape)):
        part = values[tuple(slice(i * CHUNK_SIZE, (i + 1) * CHUNK_SIZE) for i in index)]
        chunks[index[0] + low[0], index[1] + low[1], index[2] + low[2]] = as_chunk(np.ascontiguousarray(part))
    return new_world(chunks, palette)


def _terrain(seed: int, n: int = 128) -> Voxels:
    """Hills with holes and thin towers: (n, n, 64) materials."""
    rng = np.random.default_rng(seed)
    x, y = np.mgrid[:n, :n]
    a, b, c = rng.uniform(0, 6, 3)
    height = (
        26 + 12 * np.sin(x / 17 + a) * np.cos(y / 13 + b) + 7 * np.sin((x + y) / 7 + c) + rng.integers(0, 3, (n, n))
    )
    height[rng.integers(0, n, 60), rng.integers(0, n, 60)] += 20
    z = np.arange(64)
    voxels = np.where(z < height[..., None] - 2, 1, np.where(z < height[..., None], 2 + (x[..., None] // 9) % 4, 0))
    for corner in rng.integers(0, n - 20, (6, 2)):
        size = rng.integers(3, 20, 2)
        voxels[corner[0] : corner[0] + size[0], corner[1] : corner[1] + size[1], 8:14] = 0
    return voxels.astype(np.uint16)


def _shattered(seed: int, palette: Palette, low: Coord = (-3, 2, -1)) -> World:
    """4 × 4 × 3 chunks of all kinds, of opaque, transparent and smooth materials."""
    rng = np.random.default_rng(seed)
    voxels = np.zeros((128, 128, 96), np.uint16)
    for chunk in np.ndindex(4, 4, 3):
        place = tuple(slice(c * CHUNK_SIZE, (c + 1) * CHUNK_SIZE) for c in chunk)
        kind = rng.integers(0, 6)
        if kind == 0:
            voxels[place] = rng.choice((0, 1, 2, GLASS, MOSS))
        elif kind < 4:
            coarse = rng.choice((0, 0, 1, 2, GLASS, MOSS), (8, 8, 8))
            voxels[place] = coarse.repeat(4, 0).repeat(4, 1).repeat(4, 2)
        elif kind == 4:
            voxels[place] = rng.integers(0, 9, (32, 32, 32)) * (rng.random((32, 32, 32)) < 0.1)
    return _world(voxels, palette, low)


def _pool(renderer: Renderer, world: World, *, keep: bool = True) -> WorldPool:
    pool = renderer.new_pool()
    finish(pool.bring(world, np.zeros(3), levels=keep))
    return pool


def _edited(world: World, coord: Coord, voxels: Voxels) -> None:
    world.apply(edit_of_chunks(world, {coord: as_chunk(voxels)}))


# --- What coarse chunks are made of ----------------------------------------------------------------------------------


def _halved(finer: Voxels, full: NDArray[np.bool_], seen_through: NDArray[np.bool_]) -> Voxels:
    """The voxels (32, 32, 32) of a coarse chunk, by the rule, from the materials of the eight in it, (64, 64, 64), and
    from which of those are full. Moss alone is smooth."""

    def eights(of: NDArray[Any]) -> NDArray[Any]:
        """(x, y, z, 4 columns, 2 from below)."""
        return of.reshape(32, 2, 32, 2, 32, 2).transpose(0, 2, 4, 1, 3, 5).reshape(32, 32, 32, 4, 2)

    eight = eights(finer)
    opaque = (eight > 0) & ~seen_through[eight]
    counted = np.where(opaque.any(axis=(3, 4), keepdims=True), opaque, eight > 0)
    tops = np.where(counted[..., 1], eight[..., 1], np.where(counted[..., 0], eight[..., 0], 0)).astype(np.int64)
    count = (tops[..., :, None] == tops[..., None, :]).sum(axis=-1) * (tops > 0)
    rank = count * 256 + 255 - tops  # the commonest, of several the lowest
    best = np.take_along_axis(tops, rank.argmax(axis=-1)[..., None], -1)[..., 0]
    bits = eights(full).all(axis=(3, 4)) * LEVEL_FULL + (best == MOSS) * LEVEL_SMOOTH
    return (best << 8 | bits).astype(np.uint16)


def _check_coarse_chunks(pool: WorldPool, world: World) -> None:
    """All coarse chunks have the voxels that follow from those in them."""
    (page,) = pool._pages._pages
    slots = np.frombuffer(page.read(), np.uint16).reshape(-1, *(CHUNK_SIZE,) * 3)
    seen_through = world.palette.transparent

    def finer(level: int, coord: Coord) -> tuple[Voxels, NDArray[np.bool_]]:
        """The materials of a chunk, and which voxels are full."""
        cell = pool._grid.cell(coord, level)
        chunk = np.full((CHUNK_SIZE,) * 3, cell & 0xFFFF, np.uint16)
        if cell and not cell & UNIFORM_CHUNK:
            chunk = slots[cell - 1]
            if level > 0:
                return chunk >> 8, (chunk & LEVEL_FULL) > 0
        return chunk >> 8, (chunk > 0) & ~seen_through[chunk >> 8]

    for node in {(k, tuple(c >> k for c in coord)) for coord in world.coords() for k in LEVELS}:
        level, coord = node
        materials, full = np.zeros((64,) * 3, np.uint16), np.zeros((64,) * 3, np.bool_)
        for octant in np.ndindex(2, 2, 2):
            place = tuple(slice(32 * o, 32 * o + 32) for o in octant)
            child: Coord = tuple(2 * c + o for c, o in zip(coord, octant, strict=True))  # type: ignore[assignment]
            materials[place], full[place] = finer(level - 1, child)
        expected = _halved(materials, full, seen_through)
        cell = pool._grid.cell(coord, level)
        if cell and not cell & UNIFORM_CHUNK:
            np.testing.assert_array_equal(slots[cell - 1], expected)
        else:
            assert (expected & ~np.uint16(LEVEL_FULL) == cell & 0xFFFF).all()
            assert cell == 0 or (expected & LEVEL_FULL > 0).all() != seen_through[expected >> 8].all()


def test_coarse_chunks_are_made_of_those_in_them(renderer: Renderer, palette: Palette) -> None:
    world = _shattered(1, palette)
    pool = _pool(renderer, world)
    _check_coarse_chunks(pool, world)
    assert {level for level, _ in pool._levels._slots} == set(LEVELS)


def _quads(pool: WorldPool) -> dict[Node, list[int]]:
    """The quads of all rows, sorted, without slots."""
    draws = np.frombuffer(pool.quads._draws.read(), CHUNK_DRAW)
    quads = np.frombuffer(pool.quads._quads.read(), np.uint64) & np.uint64(~(0x7FF << 49) & (1 << 64) - 1)
    found = {}
    for node in pool._rows.nodes():
        draw = draws[pool._rows.take(node)]
        first, n = int(draw["quad_offset"]), int(draw["face_counts"].sum())
        if n:
            found[node] = sorted(quads[first : first + n].tolist())
    return found


def test_edits_make_only_the_chunks_above_them_anew(
    renderer: Renderer, palette: Palette, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = _shattered(2, palette)
    pool = _pool(renderer, world)
    counts: list[Any] = []
    run = DownsamplePass.run
    monkeypatch.setattr(DownsamplePass, "run", lambda self, jobs, n, how: (counts.append(n), run(self, jobs, n, how)))
    rng = np.random.default_rng(5)
    corner = world.coords()[0]
    for step, density in enumerate((0.2, 1.0, 0.0, 0.1)):
        voxels = ((rng.random((32, 32, 32)) < density) * int(palette.voxel(3))).astype(np.uint16)
        _edited(world, corner if step < 3 else (9, 9, 9), voxels)
        counts.clear()
        pool.update(world, np.zeros(3), levels=True)
        if step < 3:
            assert counts == [[1] * levels.N_LEVELS]
        finish(pool.bring(world, np.zeros(3), levels=True))
    _check_coarse_chunks(pool, world)
    assert _quads(pool) == _quads(_pool(renderer, world))


# --- Which are drawn where -------------------------------------------------------------------------------------------


def _cameras(world: World, flat: Make) -> list[Camera]:
    """From afar, from near and within, from above, and without perspective."""
    low, high = world.bounds() or ((0, 0, 0), (0, 0, 0))
    middle = (np.array(low) + high) / 2
    aspect = SIZE[0] / SIZE[1]
    far = orbit_camera(low, np.array(high) + 1, 30, 25, aspect)
    near = _with_near_plane(orbit_camera(middle - 20, middle + 20, 130, 50, aspect, 60.0), 1.0)
    above = orbit_camera(low, np.array(high) + 1, 200, 90, aspect, 50.0)
    return [far, near, above, flat(far, 90.0)]


def _with_near_plane(camera: Camera, near: float) -> Camera:
    """The same camera with its near plane at another distance: what is coarse may be nearer than what is not."""
    _, far = camera.depth_range
    projection = camera.projection.copy()
    projection[2, 2], projection[2, 3] = (far + near) / (near - far), 2 * far * near / (near - far)
    return Camera(camera.view, projection)


def _share(camera: Camera, detail: float, level: int, coord: Coord) -> float:
    """What lib/levels.glsl's share_of_level() gives."""
    edge = float(CHUNK_SIZE << level)
    low = np.array(coord) * edge - camera.eye
    distance = np.linalg.norm(np.maximum(np.maximum(low, -(low + edge)), 0))
    w = 1.0 if camera.is_orthographic else distance
    return (w * camera.voxels_per_pixel(SIZE[1]) * detail / 2**level - 1) / 0.25


def test_one_level_shows_at_every_place(renderer: Renderer, palette: Palette, draw_frame: Make, flat: Make) -> None:
    world = _shattered(3, palette)
    pool = _pool(renderer, world)
    n_shown = dict.fromkeys((0, *LEVELS), 0)
    for camera in _cameras(world, flat):
        for detail in (0.7, 3.0, 14.0):
            draw_frame(renderer, [Shown(pool, camera, Look(detail=detail))], *SIZE)
            fades = np.frombuffer(pool.quads._draws.read(), CHUNK_DRAW)["fade"]
            for node in [node for node in pool._rows.nodes() if node[0] == 0]:
                end, shares = np.float32(1e30), []
                for level in (0, *LEVELS):
                    coord: Coord = tuple(c >> level for c in node[1])  # type: ignore[assignment]
                    low, high = fades[pool._rows.take((level, coord))]
                    assert high == end and low <= high
                    end = low
                    shares.append(max(min(high, 1) - max(low, 0), 0))
                    if level:
                        assert high == pytest.approx(_share(camera, detail, level, coord), abs=1e-3, rel=1e-4)
                    n_shown[level] += shares[-1] > 0
                assert end == np.float32(-1e30)
                assert sum(shares) == pytest.approx(1, abs=1e-6)
    assert min(n_shown.values()) > 20


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_seen_between_levels(
    seed: int, renderer: Renderer, palette: Palette, draw_frame: Make, flat: Make
) -> None:
    """A coarse level holds all that a finer one has: so no pixel may show what lies behind that."""
    voxels = _terrain(seed)
    if seed == 2:
        some = voxels[30:100, 20:90]
        some[some > 0] = MOSS
    world = _world(voxels, palette, (-2, -1, 0))
    pool = _pool(renderer, world)
    n_nearer = 0
    for camera in _cameras(world, flat):
        pictures = [
            _distances(draw_frame(renderer, [Shown(pool, camera, Look(detail=d))], *SIZE)) for d in (0, 1.5, 5, 14)
        ]
        for picture in pictures[1:]:
            # Quads are drawn a sixteenth of a pixel larger than they are: full detail too has such pixels.
            behind = picture > pictures[0] + 2.5
            assert behind.sum() <= 2
            n_nearer += int((picture < pictures[0] - 0.5).sum())
    assert n_nearer > 1000


def _distances(target: Any) -> NDArray[np.float32]:
    found = np.frombuffer(target.distances.read(), np.float32).reshape(SIZE[1], SIZE[0])
    return np.where(found == 0, np.float32(np.inf), found)


def test_a_view_that_moves_shows_what_a_new_one_shows(
    renderer: Renderer, palette: Palette, draw_frame: Make, flat: Make
) -> None:
    """What was seen in the last frame is a guess for this one, which costs no pixel."""
    voxels = _terrain(7)
    voxels[64:96, 32:64, :30] = GLASS
    world = _world(voxels, palette)
    pool = _pool(renderer, world)
    look = Look(detail=4.0, shadows=1.0, occlusion=1.0)
    for camera in _cameras(world, flat):
        pictures = []
        for start in (None, 0, 0xFFFF_FFFF):
            if start is not None:
                pool.commands.seen.write(np.full(pool.commands.seen.size // 4, start, np.uint32).tobytes())
            target = draw_frame(renderer, [Shown(pool, camera, look)], *SIZE)
            pictures.append((target.light.read(), target.layer.light.read(), target.distances.read()))
        assert pictures[0] == pictures[1] == pictures[2]


def test_smooth_voxels_become_blocks_in_the_light_of_a_smooth_surface(
    renderer: Renderer, palette: Palette, flat: Make
) -> None:
    """A slope of 1 : 2 in levels: its normals are those of the slope, and its blocks are drawn alone."""
    x, _, z = np.indices((128, 64, 96))
    voxels = np.where(z < 16 + x // 2, MOSS, 0).astype(np.uint16)
    world = _world(voxels, palette)
    camera = flat(orbit_camera((24, 8, 28), (104, 56, 68), 300, 50, SIZE[0] / SIZE[1]), 12.0)
    pixel = camera.voxels_per_pixel(SIZE[1])
    expected = np.array((-1, 0, 2)) / np.sqrt(5)
    for level in LEVELS[:3]:
        look = Look(View.NORMALS, sky=False, detail=1.3 * 2**level / pixel)
        picture = renderer.render(world, camera, *SIZE, look, samples=1)[20:60, 30:90, :3]
        normals = srgb_to_linear(picture / 255) * 2 - 1
        mean = normals.reshape(-1, 3).mean(axis=0)
        assert np.arccos(mean @ expected / np.linalg.norm(mean)) < np.radians(8)
        assert (normals @ expected > 0.8).mean() > 0.9
        seen = renderer.render(world, camera, *SIZE, replace(look, view=View.LEVELS), samples=1)[20:60, 30:90, :3]
        assert np.ptp(seen.astype(int), axis=(0, 1)).max() <= 1


# --- Off, and without room -------------------------------------------------------------------------------------------


def _everything(target: Any) -> bytes:
    return b"".join(texture.read() for texture in (target.light, target.distances, target.surfaces))


def test_off_they_cost_nothing(renderer: Renderer, palette: Palette, draw_frame: Make, flat: Make) -> None:
    world = _world(_terrain(5), palette)
    plain, kept = _pool(renderer, world, keep=False), _pool(renderer, world)
    camera = _cameras(world, flat)[0]
    pictures = [
        _everything(draw_frame(renderer, [Shown(pool, camera, look)], *SIZE))
        for pool, look in ((plain, Look()), (kept, Look()), (plain, Look(detail=6.0)))
    ]
    assert pictures[0] == pictures[1] == pictures[2]
    n_quads = kept.n_quads
    assert kept.has_levels and n_quads > plain.n_quads
    finish(kept.bring(world, np.zeros(3)))
    finish(kept.bring(world, np.zeros(3)))
    assert not kept.has_levels
    assert _quads(kept) == _quads(plain) and kept._pages.n_used == plain._pages.n_used
    assert kept._grid.nbytes == plain._grid.nbytes


def test_without_room_all_is_in_full_detail(renderer: Renderer, palette: Palette) -> None:
    world = _world(_terrain(6), palette)
    n_slots = sum(not isinstance(world.chunk(coord), int) for coord in world.coords())
    pool = _pool(renderer, world)
    assert pool.has_levels
    most = pool.nbytes
    pool.set_budget(int((n_slots + 2) * SLOT_BYTES / 0.75))
    finish(pool.bring(world, np.zeros(3), levels=True))
    assert not pool.has_levels and pool.notice is None
    pool.set_budget(1 << 30)
    finish(pool.bring(world, np.zeros(3), levels=True))
    assert pool.has_levels and pool.nbytes <= most + VOXEL_BYTES


def test_quads_without_room_make_levels_go_first(renderer: Renderer, palette: Palette) -> None:
    noise = np.random.default_rng(8).random((96, 96, 64)) < 0.1
    world = _world(noise.astype(np.uint16), palette)
    plain = _pool(renderer, world, keep=False)
    pool = renderer.new_pool()
    quad_bytes = 8 + 4 / 32
    beside = plain.quads.nbytes - plain.quads.capacity * quad_bytes
    pool.quads.max_bytes = int(beside + 1.1 * plain.quads.n_quads * quad_bytes)
    for _ in range(20):
        if pool.update(world, np.zeros(3), levels=True):
            break
        pool._remesh(pool._rows_without_room(pool.quads, wait=True))
    assert not pool.has_levels and pool.notice is None
    assert _quads(pool) == _quads(plain)


def test_the_view_of_levels_has_a_colour_for_each(renderer: Renderer, palette: Palette, flat: Make) -> None:
    world = _world(_terrain(9), palette)
    colors = np.round(255 * linear_to_srgb(np.array([color for color, _ in LEGENDS[View.LEVELS]])))
    camera = _cameras(world, flat)[3]
    pixel = camera.voxels_per_pixel(SIZE[1])
    for level, color in enumerate(colors):
        detail = 1.3 * 2**level / pixel
        picture = renderer.render(world, camera, *SIZE, Look(View.LEVELS, sky=False, detail=detail), samples=1)
        seen = picture[picture[..., :3].any(axis=2)][:, :3].astype(int)
        assert len(seen) > 1000 and np.abs(seen - color).max() <= 3
