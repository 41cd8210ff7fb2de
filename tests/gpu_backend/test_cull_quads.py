# SPDX-License-Identifier: GPL-3.0-or-later
"""Which quads of the chunks that are drawn culling lists: those that numpy finds, each once a frame."""

from collections.abc import Callable, Iterator
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.frame import frame_record
from voxelwright.gpu_backend.passes.cull import CullQuadsPass, DrawCommands
from voxelwright.gpu_backend.passes.occlusion import DepthTilesPass
from voxelwright.gpu_backend.records import CHUNK_DRAW, INDIRECT_DRAW, QUAD_BLOCK, StorageBinding, UniformBinding
from voxelwright.gpu_backend.target import FrameTarget
from voxelwright.voxel.layout import CHUNK_SIZE, FACE_NORMALS, pack_quads, quad_corner_offsets

Make = Callable[..., Any]
Flags = NDArray[np.bool_]

WIDTH, HEIGHT = 200, 120
N_CHUNKS, ROOM = 27, 32 * 20


class Rig:
    """Chunks around the origin with random quads, none to more than a work group has threads, and their commands."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        rng = np.random.default_rng(2)
        chunks = np.zeros(N_CHUNKS, CHUNK_DRAW)
        chunks["corner"][:, :3] = (np.array(list(np.ndindex(3, 3, 3))) - 1) * CHUNK_SIZE
        chunks["corner"][:, 3] = 1
        chunks["quad_offset"] = ROOM * np.arange(N_CHUNKS)
        self.n_quads = rng.integers(0, ROOM + 1, N_CHUNKS)
        self.n_quads[:2] = 0, ROOM
        self.there = np.arange(ROOM) < self.n_quads[:, None]
        fields = {axis: rng.integers(0, CHUNK_SIZE, (N_CHUNKS, ROOM)) for axis in "xyz"}
        self.faces = rng.integers(0, 6, (N_CHUNKS, ROOM))
        same = {"width": 1, "height": 1, "material": 1, "slot": 0}
        every = fields | {"face": self.faces} | {name: np.full_like(self.faces, value) for name, value in same.items()}
        voxels = np.stack([fields[axis] for axis in "xyz"], axis=-1) + chunks["corner"][:, None, :3]
        self.corners = voxels[:, :, None] + quad_corner_offsets()[self.faces]  # (N_CHUNKS, ROOM, 4, 3)
        self.commands = DrawCommands(ctx)
        self.commands.resize(N_CHUNKS, 0, N_CHUNKS * ROOM)
        self.target = FrameTarget(ctx, WIDTH, HEIGHT)
        self._pass, self._tiles = CullQuadsPass(ctx), DepthTilesPass(ctx)
        quads = pack_quads({name: values.reshape(-1) for name, values in every.items()})
        self._buffers = ctx.buffer(chunks.tobytes()), ctx.buffer(quads.tobytes())
        self.set_depth(1.0)

    def set_depth(self, depth: float) -> None:
        self.target.depth.write(np.full((HEIGHT, WIDTH), depth, np.float32).tobytes())
        self._tiles.run(self.target)

    def set_seen(self, seen: Flags) -> None:
        self.commands.seen.write(np.packbits(seen, bitorder="little").tobytes(), offset=4 * N_CHUNKS)

    def seen(self) -> Flags:
        bits = np.frombuffer(self.commands.seen.read(N_CHUNKS * ROOM // 8, offset=4 * N_CHUNKS), np.uint8)
        return np.unpackbits(bits, bitorder="little").astype(bool).reshape(N_CHUNKS, ROOM)

    def listed(self, camera: Camera, drawn: Flags, *, second: bool) -> Flags:
        """(N_CHUNKS, ROOM): which quads are listed when chunks (N_CHUNKS,) are drawn, each once and in their order."""
        commands = np.zeros(N_CHUNKS, INDIRECT_DRAW)
        commands["count"], commands["instance_count"] = 6 * self.n_quads, drawn & (self.n_quads > 0)
        commands["base_vertex"], commands["base_instance"] = 4 * ROOM * np.arange(N_CHUNKS), np.arange(N_CHUNKS)
        self.commands.buffer.write(commands.tobytes())
        frame = self._ctx.buffer(frame_record(camera, WIDTH, HEIGHT).tobytes())
        frame.bind_to_uniform_block(UniformBinding.FRAME)
        for binding, buffer in zip((StorageBinding.CHUNK_DRAWS, StorageBinding.QUADS), self._buffers, strict=True):
            buffer.bind_to_storage_buffer(binding)
        self._pass.run(self.commands, self.target, second=second)
        self._ctx.memory_barrier()
        frame.release()
        after = np.frombuffer(self.commands.buffer.read(commands.nbytes), INDIRECT_DRAW)
        quads = np.frombuffer(self.commands.quads.read(), np.uint32)
        listed = np.zeros(N_CHUNKS * ROOM, bool)
        for row, command in enumerate(after):
            n = command["count"] // 6
            mine = quads[ROOM * row : ROOM * row + n].astype(np.int64)
            assert command["instance_count"] == (n > 0)
            assert (mine // ROOM == row).all()
            assert (np.diff(mine) > 0).all()
            listed[mine] = True
        for field in ("first_index", "base_vertex", "base_instance"):
            np.testing.assert_array_equal(after[field], commands[field])
        return listed.reshape(N_CHUNKS, ROOM)

    def clip(self, camera: Camera) -> NDArray[np.float64]:
        """(N_CHUNKS, ROOM, 4, 4) of all corners."""
        ones = np.ones((*self.corners.shape[:3], 1))
        return np.concatenate([self.corners, ones], axis=-1) @ (camera.projection @ camera.view).T

    def release(self) -> None:
        for item in (*self._buffers, self.commands, self.target, self._pass, self._tiles):
            item.release()


@pytest.fixture
def rig(ctx: moderngl.Context) -> Iterator[Rig]:
    rig = Rig(ctx)
    yield rig
    rig.release()


@pytest.fixture
def cameras(flat: Make) -> list[Camera]:
    """From outside the chunks and from among them, perspective and orthographic."""
    rng = np.random.default_rng(5)
    boxes = [((-32,) * 3, (64,) * 3), ((-4, 0, 3), (9, 20, 30))]
    made = [orbit_camera(*box, 360 * rng.random(), rng.uniform(-90, 90), WIDTH / HEIGHT) for box in boxes * 4]
    return [*made, *(flat(camera, 60) for camera in made[:4])]


def test_the_first_run_lists_what_was_seen_in_the_last_frame(rig: Rig, cameras: list[Camera]) -> None:
    rng = np.random.default_rng(3)
    drawn, before = rng.random(N_CHUNKS) < 0.7, rng.random((N_CHUNKS, ROOM)) < 0.4
    rig.set_seen(before)
    listed = rig.listed(cameras[0], drawn, second=False)
    np.testing.assert_array_equal(listed, before & drawn[:, None] & rig.there)
    blocks = np.arange(ROOM) // QUAD_BLOCK * QUAD_BLOCK < rig.n_quads[:, None]
    np.testing.assert_array_equal(rig.seen() & blocks, listed)
    assert listed.sum() > 1000


def test_the_second_run_lists_all_others_that_look_to_the_eye(rig: Rig, cameras: list[Camera]) -> None:
    rng = np.random.default_rng(4)
    n_listed = 0
    for camera in cameras:
        rig.set_seen(rng.random((N_CHUNKS, ROOM)) < 0.4)
        first = rig.listed(camera, rng.random(N_CHUNKS) < 0.7, second=False)
        drawn = rng.random(N_CHUNKS) < 0.7
        second = rig.listed(camera, drawn, second=True)
        towards = -camera.direction if camera.is_orthographic else camera.eye - rig.corners[:, :, 0]
        facing = (towards * FACE_NORMALS[rig.faces]).sum(axis=-1)
        clip = rig.clip(camera)
        beyond = (clip[..., 2] > 0.999 * clip[..., 3]).all(axis=2)  # the depth of nothing hides that
        sure = (np.abs(facing) > 1e-3) & ~beyond
        visible = (facing > 0) & rig.there & drawn[:, None]
        np.testing.assert_array_equal(second[sure], (visible & ~first)[sure])
        decided = sure & rig.there & drawn[:, None]
        np.testing.assert_array_equal(rig.seen()[decided], visible[decided])
        undrawn = rig.there & ~drawn[:, None]
        np.testing.assert_array_equal(rig.seen()[undrawn], first[undrawn])
        n_listed += second.sum()
    assert n_listed > 1000


def test_quads_behind_the_depth_are_not_listed(rig: Rig, cameras: list[Camera]) -> None:
    n_behind = n_listed = 0
    for camera in cameras:
        clip = rig.clip(camera)
        z = clip[..., 2] / clip[..., 3]
        wall = float(np.median(z[(clip[..., 3] > 0) & (np.abs(z) < 1)]))
        rig.set_depth(wall * 0.5 + 0.5)
        rig.set_seen(np.zeros((N_CHUNKS, ROOM), bool))
        listed = rig.listed(camera, np.ones(N_CHUNKS, bool), second=True)
        # Drawn are quads a little larger than these.
        behind = ((clip[..., 3] > 0.01) & (z > wall + 0.02)).all(axis=2)
        before = ((clip[..., 3] > 0.01) & (z < wall - 0.02)).any(axis=2) & (clip[..., 3] > 0).all(axis=2)
        towards = -camera.direction if camera.is_orthographic else camera.eye - rig.corners[:, :, 0]
        facing = (towards * FACE_NORMALS[rig.faces]).sum(axis=-1) > 1e-3
        assert not (listed & behind).any()
        assert listed[before & facing & rig.there].all()
        n_behind, n_listed = n_behind + (behind & facing & rig.there).sum(), n_listed + listed.sum()
    assert n_behind > 1000
    assert n_listed > 1000
