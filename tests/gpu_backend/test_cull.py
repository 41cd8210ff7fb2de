# SPDX-License-Identifier: GPL-3.0-or-later
"""Which chunks and faces are drawn: the commands that the GPU writes against numpy, and nothing visible is missing."""

from collections.abc import Callable, Iterator
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.frame import frame_record
from voxelwright.gpu_backend.passes.cull import CullPass, DrawCommands
from voxelwright.gpu_backend.passes.occlusion import DepthTilesPass
from voxelwright.gpu_backend.records import (
    CHUNK_DRAW,
    HAS_OPAQUE,
    HAS_TRANSPARENT,
    INDIRECT_DRAW,
    MESH_HEADER,
    MESH_ROW,
    SMOOTH_DRAW,
    StorageBinding,
    UniformBinding,
)
from voxelwright.gpu_backend.renderer import Renderer, Shown
from voxelwright.gpu_backend.target import FrameTarget
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import CHUNK_SIZE, FACE_AXIS, FACE_NORMALS, FACE_SIGN
from voxelwright.voxel.palette import Palette
from voxelwright.voxel.world import new_world

Make = Callable[..., Any]
Draws = NDArray[np.void]

WIDTH, HEIGHT = 200, 120


class Rig:
    """The cull pass and what it reads: rows of blocks and as many of smooth surfaces at the same corners."""

    def __init__(self, ctx: moderngl.Context, coords: NDArray[np.int64]) -> None:
        self._ctx, self.n = ctx, len(coords)
        rng = np.random.default_rng(9)
        self.chunks = np.zeros(self.n, CHUNK_DRAW)
        self.chunks["corner"] = np.pad(coords * CHUNK_SIZE, ((0, 0), (0, 1)), constant_values=1)
        self.chunks["face_counts"] = rng.integers(0, 4, (self.n, 6))
        self.chunks["face_offsets"] = np.cumsum(self.chunks["face_counts"], axis=1) - self.chunks["face_counts"]
        self.chunks["quad_offset"] = 32 * np.arange(self.n)
        self.rows = np.zeros(self.n, MESH_ROW)
        self.rows["flags"] = rng.integers(0, 4, self.n) | 0x170  # with blocks in use
        self.smooth = np.zeros(self.n, SMOOTH_DRAW)
        self.smooth["corner"] = self.chunks["corner"]
        self.smooth["quad_offset"], self.smooth["quad_count"] = 5 * np.arange(self.n), rng.integers(0, 5, self.n)
        self.smooth["flags"] = rng.integers(0, 4, self.n)
        self.commands = DrawCommands(ctx)
        self.commands.resize(self.n, self.n, 32 * self.n)
        self.target = FrameTarget(ctx, WIDTH, HEIGHT)
        self._pass, self._tiles = CullPass(ctx), DepthTilesPass(ctx)
        state = np.zeros((), MESH_HEADER).tobytes() + self.rows.tobytes()
        self._buffers = [ctx.buffer(data) for data in (self.chunks.tobytes(), state, self.smooth.tobytes())]
        self.set_depth(np.ones((HEIGHT, WIDTH), np.float32))
        self.set_seen(np.zeros(2 * self.n, bool))

    def set_depth(self, depth: NDArray[np.float32]) -> None:
        self.target.depth.write(np.ascontiguousarray(depth, np.float32).tobytes())
        self._tiles.run(self.target)

    def set_seen(self, seen: NDArray[np.bool_]) -> None:
        self.commands.seen.write(seen.astype(np.uint32).tobytes())

    def seen(self) -> NDArray[np.bool_]:
        return np.frombuffer(self.commands.seen.read(), np.uint32)[: 2 * self.n] != 0

    def run(self, camera: Camera, *, second: bool) -> tuple[Draws, Draws, Draws, Draws]:
        """Opaque and transparent commands of blocks, (n,) and (n, 6), then those of smooth surfaces, (n,) each."""
        frame = self._ctx.buffer(frame_record(camera, WIDTH, HEIGHT).tobytes())
        frame.bind_to_uniform_block(UniformBinding.FRAME)
        bindings = (StorageBinding.CHUNK_DRAWS, StorageBinding.MESH_STATE, StorageBinding.SMOOTH_DRAWS)
        for binding, buffer in zip(bindings, self._buffers, strict=True):
            buffer.bind_to_storage_buffer(binding)
        self._pass.run(self.commands, self.target, second=second)
        self._ctx.memory_barrier()
        frame.release()
        commands = np.frombuffer(self.commands.buffer.read(), INDIRECT_DRAW)

        def part(span: tuple[int, int]) -> Draws:
            return commands[span[0] : span[0] + span[1]]

        blocky, smooth = self.commands.blocky, self.commands.smooth
        return (
            part(blocky(transparent=False)),
            part(blocky(transparent=True)).reshape(self.n, 6),
            part(smooth(transparent=False)),
            part(smooth(transparent=True)),
        )

    def release(self) -> None:
        for item in (*self._buffers, self.commands, self.target, self._pass, self._tiles):
            item.release()


@pytest.fixture
def make_rig(ctx: moderngl.Context) -> Iterator[Callable[[NDArray[np.int64]], Rig]]:
    made: list[Rig] = []

    def make(coords: NDArray[np.int64]) -> Rig:
        made.append(Rig(ctx, coords))
        return made[-1]

    yield make
    for rig in made:
        rig.release()


def _cameras(flat: Make) -> list[Camera]:
    """Perspective, orthographic, scaled; from outside the chunks and from among them; and one far from the origin."""
    rng = np.random.default_rng(5)
    cameras = []
    for i in range(12):
        low = rng.integers(-120, 60, 3)
        camera = orbit_camera(low, low + rng.integers(10, 90), 360 * rng.random(), rng.uniform(-90, 90), WIDTH / HEIGHT)
        if i % 3 == 1:
            camera = flat(camera, rng.uniform(10, 60))
        if i % 4 == 3:
            s = rng.uniform(0.2, 4)
            camera = Camera(np.diag([s, s, s, 1]) @ camera.view, camera.projection @ np.diag([1 / s, 1 / s, 1 / s, 1]))
        cameras.append(camera)
    return cameras


COORDS = np.array(list(np.ndindex(8, 8, 8))) - 4


def _in_sight(
    corners: NDArray[np.float64], camera: Camera, margin: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(n,) whether boxes are not wholly outside one plane of the frustum, and whether float32 must agree."""
    matrix = camera.projection @ camera.view
    planes = np.concatenate([matrix[3] + matrix[:3], matrix[3] - matrix[:3]])
    middles = np.concatenate([corners + CHUNK_SIZE / 2, np.ones((len(corners), 1))], axis=1)
    reach = (CHUNK_SIZE / 2 + margin) * np.abs(planes[:, :3]).sum(axis=1)
    inside = (middles @ planes.T + reach) / np.linalg.norm(planes[:, :3], axis=1)
    return (inside >= 0).all(axis=1), (np.abs(inside) > 1e-2).all(axis=1)


def _faces_eye(corners: NDArray[np.float64], camera: Camera) -> NDArray[np.bool_]:
    """(n, 6): whether the eye is on the outer side of some face of a group."""
    if camera.is_orthographic:
        return np.broadcast_to(FACE_NORMALS @ camera.direction < 0, (len(corners), 6))
    beyond = camera.eye[FACE_AXIS] - corners[:, FACE_AXIS]
    return np.where(FACE_SIGN > 0, beyond > 0, beyond < CHUNK_SIZE)


def test_commands_are_those_that_numpy_writes(make_rig: Make, flat: Make) -> None:
    rig = make_rig(COORDS)
    corners = rig.chunks["corner"][:, :3].astype(float)
    culled = 0
    for camera in _cameras(flat):
        rig.set_seen(np.zeros(2 * rig.n, bool))
        opaque, transparent, smooth_opaque, smooth_transparent = rig.run(camera, second=True)
        sighted, sure = _in_sight(corners, camera, 0.0)
        faces = _faces_eye(corners, camera)
        culled += (~sighted).sum() + (~faces).sum()
        counts, first = rig.chunks["face_counts"], rig.chunks["quad_offset"]
        flags, rows = rig.rows["flags"], np.arange(rig.n)
        drawn = sighted[:, None] & faces & ((flags & HAS_TRANSPARENT) != 0)[:, None] & (counts > 0)
        np.testing.assert_array_equal(transparent["instance_count"][sure], drawn[sure])
        np.testing.assert_array_equal(transparent["count"], 6 * counts)
        np.testing.assert_array_equal(transparent["base_vertex"], 4 * (first[:, None] + rig.chunks["face_offsets"]))
        np.testing.assert_array_equal(transparent["base_instance"], rows[:, None].repeat(6, 1))
        drawn = sighted & ((flags & HAS_OPAQUE) != 0) & (counts.sum(axis=1) > 0)
        np.testing.assert_array_equal(opaque["instance_count"][sure], drawn[sure])
        np.testing.assert_array_equal(opaque["count"], 6 * counts.sum(axis=1))
        np.testing.assert_array_equal(opaque["base_vertex"], 4 * first)
        np.testing.assert_array_equal(opaque["base_instance"], rows)
        assert not (opaque["first_index"].any() or transparent["first_index"].any())
        sighted, sure = _in_sight(corners, camera, 1.0)
        for commands, flag in ((smooth_opaque, HAS_OPAQUE), (smooth_transparent, HAS_TRANSPARENT)):
            drawn = sighted & ((rig.smooth["flags"] & flag) != 0) & (rig.smooth["quad_count"] > 0)
            np.testing.assert_array_equal(commands["instance_count"][sure], drawn[sure])
            np.testing.assert_array_equal(commands["count"], 6 * rig.smooth["quad_count"])
            np.testing.assert_array_equal(commands["base_vertex"], 4 * rig.smooth["quad_offset"])
            np.testing.assert_array_equal(commands["base_instance"], np.arange(rig.n))
    assert culled > 1000


@pytest.mark.parametrize("far_away", [0, 30_000])
def test_nothing_that_is_in_the_picture_is_culled(far_away: int, make_rig: Make, flat: Make) -> None:
    """Points on all planes that faces of a chunk lie in, seen from their front and within the picture."""
    rig = make_rig(COORDS + far_away)
    rig.chunks["face_counts"] = 1
    corners = rig.chunks["corner"][:, :3].astype(float)
    rng = np.random.default_rng(3)
    n_visible = 0
    for camera in _cameras(flat):
        view = camera.view.copy()
        view[:3, 3] -= view[:3, :3] @ np.full(3, far_away * CHUNK_SIZE)
        moved = Camera(view, camera.projection)
        rig.set_seen(np.zeros(2 * rig.n, bool))
        opaque, transparent, *_ = rig.run(moved, second=True)
        drawn = (opaque["instance_count"] > 0)[:, None] | (transparent["instance_count"] > 0)
        can = ((rig.rows["flags"] & 3) != 0)[:, None] & (transparent["count"] > 0)
        for face in range(6):
            inside = rng.uniform(0, CHUNK_SIZE, (40, rig.n, 3))
            plane = rng.integers(0, CHUNK_SIZE, (40, rig.n)) + (FACE_SIGN[face] > 0)
            inside[..., FACE_AXIS[face]] = plane
            points = corners + inside
            towards = -moved.direction if moved.is_orthographic else moved.eye - points
            front = towards @ FACE_NORMALS[face] > 0
            clip = np.concatenate([points, np.ones((40, rig.n, 1))], axis=-1) @ (moved.projection @ moved.view).T
            in_picture = (np.abs(clip[..., :3]) < clip[..., 3:]).all(axis=-1)
            visible = (front & in_picture).any(axis=0) & can[:, face]
            n_visible += visible.sum()
            assert drawn[visible, face].all()
    assert n_visible > 300


def test_every_chunk_in_sight_is_drawn_once_a_frame(make_rig: Make, flat: Make) -> None:
    rig = make_rig(COORDS)
    rng = np.random.default_rng(6)
    for camera in _cameras(flat):
        rig.set_seen(np.ones(2 * rig.n, bool))
        everything = rig.run(camera, second=False)
        before = rng.random(2 * rig.n) < 0.5
        rig.set_seen(before)
        first, second = rig.run(camera, second=False), rig.run(camera, second=True)
        for part in (0, 2):
            counts = [c[part]["instance_count"] for c in (everything, first, second)]
            assert counts[1].any() or not counts[0].any()
            # Of blocks, those quads are drawn again that were not listed before.
            np.testing.assert_array_equal(counts[0], counts[1] + counts[2] if part == 2 else counts[2])
        for part in (1, 3):  # what one sees through is drawn at the end, whatever was seen before
            assert not first[part]["instance_count"].any()
        sighted, sure = _in_sight(rig.chunks["corner"][:, :3].astype(float), camera, 0.0)
        np.testing.assert_array_equal(rig.seen()[: rig.n][sure], sighted[sure])


def test_only_what_lies_behind_the_depth_is_hidden(make_rig: Make, flat: Make) -> None:
    """Pictures of depth with steps: a chunk that is left out has all of its box behind all of its pixels."""
    rig = make_rig(COORDS)
    corners = rig.chunks["corner"][:, :3].astype(float)
    rng = np.random.default_rng(7)
    box = np.array(list(np.ndindex(2, 2, 2))) * CHUNK_SIZE
    n_hidden = 0
    for camera in _cameras(flat):
        matrix = camera.projection @ camera.view
        clip = np.concatenate([corners[:, None] + box, np.ones((rig.n, 8, 1))], axis=-1) @ matrix.T
        sighted, sure = _in_sight(corners, camera, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            place = clip[..., :3] / clip[..., 3:]
        middle = np.median(place[..., 2][sighted[:, None] & (clip[..., 3] > 0)]) * 0.5 + 0.5
        depth = np.ones((HEIGHT, WIDTH), np.float32)
        for _ in range(4):
            y, x = rng.integers(0, HEIGHT - 40), rng.integers(0, WIDTH - 60)
            depth[y : y + rng.integers(30, HEIGHT), x : x + rng.integers(40, WIDTH)] = middle
        rig.set_depth(depth)
        rig.set_seen(np.zeros(2 * rig.n, bool))
        rig.run(camera, second=True)
        for row in np.flatnonzero(sighted & sure & ~rig.seen()[: rig.n]):
            n_hidden += 1
            assert (clip[row, :, 3] > 0).all()
            low, high = place[row, :, :2].min(axis=0) * 0.5 + 0.5, place[row, :, :2].max(axis=0) * 0.5 + 0.5
            x0, y0 = np.maximum(np.floor(low * (WIDTH, HEIGHT)), 0).astype(int)
            x1, y1 = np.ceil(high * (WIDTH, HEIGHT)).astype(int)
            assert depth[y0:y1, x0:x1].max(initial=0.0) < place[row, :, 2].min() * 0.5 + 0.5
    assert n_hidden > 20


def test_a_wall_hides_all_that_is_behind_it(make_rig: Make, flat: Make) -> None:
    rig = make_rig(COORDS)
    box = np.array(list(np.ndindex(2, 2, 2))) * (CHUNK_SIZE + 2) - 1
    points = np.concatenate([rig.chunks["corner"][:, None, :3] + box, np.ones((rig.n, 8, 1))], axis=-1)
    rig.set_depth(np.zeros((HEIGHT, WIDTH), np.float32))
    n_behind = 0
    for camera in _cameras(flat):
        clip = points @ (camera.projection @ camera.view).T
        behind = ((clip[..., 3] > 0.01) & (clip[..., 2] > -0.999 * clip[..., 3])).all(axis=1)
        n_behind += behind.sum()
        rig.set_seen(np.zeros(2 * rig.n, bool))
        for part in rig.run(camera, second=True):
            assert not part["instance_count"].reshape(rig.n, -1)[behind].any()
    assert n_behind > 300


@pytest.mark.parametrize(("before", "after"), [((100, 0), (0, 700)), ((0, 700), (100, 0)), ((3, 3), (900, 900))])
def test_there_is_room_for_all_rows(ctx: moderngl.Context, before: tuple[int, int], after: tuple[int, int]) -> None:
    commands = DrawCommands(ctx)
    for n_rows, n_smooth_rows in (before, after):
        commands.resize(n_rows, n_smooth_rows, 64 * n_rows)
        first, count = commands.smooth(transparent=True)
        assert commands.buffer.size >= (first + count) * INDIRECT_DRAW.itemsize
        assert commands.seen.size >= 4 * (n_rows + n_smooth_rows + 2 * n_rows)
        assert commands.quads.size >= 4 * 64 * n_rows
    commands.release()


def test_a_view_that_moves_shows_what_a_new_one_shows(renderer: Renderer, palette: Palette, draw_frame: Make) -> None:
    """What was seen in the last frame is a guess for this one, which costs no pixel."""
    rng = np.random.default_rng(4)
    voxels = np.zeros((32, 32, 32), np.uint16)
    voxels[8:24, 8:24] = palette.voxel(1)
    voxels[0:4, 0:4, 0:4] = palette.voxel(7)
    voxels[28:, 28:, 20:24] = palette.voxel(11)
    coords = [c for c in np.ndindex(6, 6, 2) if rng.random() < 0.8]
    world = new_world({c: voxels if rng.random() < 0.3 else int(palette.voxel(2)) for c in coords}, palette)
    pool = renderer.new_pool()
    finish(pool.bring(world, np.zeros(3)))
    seen_counts = set()
    for step in range(6):
        camera = orbit_camera((0, 0, 0), (192, 192, 64), 70 * step, 5 + 6 * step, 1.5, 20 + 5 * (step % 3))
        pictures = []
        for start in (None, 0, 0xFFFF_FFFF):
            if start is not None:
                pool.commands.seen.write(np.full(pool.commands.seen.size // 4, start, np.uint32).tobytes())
            target = draw_frame(renderer, [Shown(pool, camera)], 216, 144)
            pictures.append((target.light.read(), target.surfaces.read(), target.distances.read()))
        assert pictures[0] == pictures[1] == pictures[2]
        seen_counts.add(int(np.frombuffer(pool.commands.seen.read(), np.uint8).sum()))
    assert len(seen_counts) > 2
