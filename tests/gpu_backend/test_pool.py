# SPDX-License-Identifier: GPL-3.0-or-later
from collections.abc import Callable
from dataclasses import replace

import moderngl
import numpy as np
import pytest

from voxelwright.gpu_backend import pool
from voxelwright.gpu_backend.context import capabilities
from voxelwright.gpu_backend.pool import (
    WorldPool,
    chunk_draw_records,
    indirect_draw_records,
    material_records,
    slotted_quads,
    smooth_quad_records,
    smooth_vertex_records,
)
from voxelwright.gpu_backend.shader import compose
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import unpack_quads
from voxelwright.voxel.mesh.arrays import BlockyMesh, SmoothMesh
from voxelwright.voxel.palette import Material, Palette


@pytest.fixture
def blocky(make_blocky: Callable[..., BlockyMesh]) -> BlockyMesh:
    """Two quads of face 0 and one of face 4 in chunk (-1, 0, 0), three of face 3 in chunk (1, 0, 0)."""
    rows = [(-1, 0, 0, 1, 1, 0, 1), (-2, 5, 5, 2, 3, 0, 2), (-32, 0, 31, 4, 4, 4, 3)]
    return make_blocky([*rows, (32, 0, 0, 1, 1, 3, 4), (40, 0, 0, 1, 1, 3, 4), (50, 1, 2, 1, 1, 3, 5)])


@pytest.fixture
def smooth(make_smooth: Callable[..., SmoothMesh]) -> SmoothMesh:
    """One quad with its vertices in the chunks (0, 0, 0) and (1, 0, 0)."""
    return make_smooth([(31, 1, 1), (31, 2, 1), (33.5, 1, 1), (33, 2, 1)], [(0, 2, 3, 1)], [6])


def test_chunks_of_both_meshes_share_their_records(blocky: BlockyMesh, smooth: SmoothMesh) -> None:
    records, blocky_slots, smooth_slots = chunk_draw_records(blocky, smooth)
    np.testing.assert_array_equal(records["corner"], [(-32, 0, 0, 0), (0, 0, 0, 0), (32, 0, 0, 0)])
    assert blocky_slots.tolist() == [0, 2]
    assert smooth_slots.tolist() == [1, 2]
    assert records["slot"].tolist() == [0, 1, 2]
    assert records["quad_offset"].tolist() == [0, 0, 3]
    np.testing.assert_array_equal(records["face_counts"], [(2, 0, 0, 0, 1, 0), (0,) * 6, (0, 0, 0, 3, 0, 0)])
    assert records["face_offsets"][0].tolist() == [0, 2, 2, 2, 2, 3]


def test_commands_draw_each_group_with_its_record(blocky: BlockyMesh, smooth: SmoothMesh) -> None:
    commands = indirect_draw_records(chunk_draw_records(blocky, smooth)[0])
    assert len(commands) == 18
    used = commands[commands["instance_count"] > 0]
    assert used.tolist() == [(12, 1, 0, 0, 0), (6, 1, 12, 0, 0), (18, 1, 18, 2, 0)]
    assert not commands["count"][commands["instance_count"] == 0].any()


def test_quads_carry_the_low_bits_of_their_slot(blocky: BlockyMesh) -> None:
    fields = unpack_quads(slotted_quads(blocky, np.array([5, 2049])))
    assert fields["slot"].tolist() == [5, 5, 5, 1, 1, 1]
    before = unpack_quads(blocky.quads)
    assert all((fields[name] == before[name]).all() for name in before if name != "slot")


def test_smooth_records_point_to_their_chunk(smooth: SmoothMesh) -> None:
    records = smooth_vertex_records(smooth, np.array([1, 2]))
    assert records["slot"].tolist() == [1, 1, 2, 2]
    assert records["position"].tolist() == [[31, 1, 1], [31, 2, 1], [1.5, 1, 1], [1, 2, 1]]
    (quad,) = smooth_quad_records(smooth)
    assert (quad["vertices"].tolist(), quad["material"]) == ([0, 2, 3, 1], 6)


def test_smooth_records_hold_both_materials_and_their_blend(smooth: SmoothMesh) -> None:
    materials, seconds, weights = np.uint8([[1, 2, 255, 0], [3, 4, 254, 0], [5, 128, 0, 0]])
    mesh = replace(smooth, materials=materials, secondary_materials=seconds, blend_weights=weights)
    records = smooth_vertex_records(mesh, np.array([0, 0]))
    assert records["attributes"].tolist() == [0x050301, 0x800402, 0x00FEFF, 0]


def test_material_records() -> None:
    records = material_records(Palette.of({20: Material("m", (255, 0, 188), 0.25, 1.0, 3.0, 0.5)}))
    m = records[20]
    np.testing.assert_allclose(m["color"], (1, 0, 0.50289), atol=1e-5)
    assert (m["roughness"], m["metallic"], m["emission"], m["opacity"]) == (0.25, 1, 3, 0.5)
    assert records["opacity"][0] == 1


def test_bytes_are_those_of_the_buffers(
    ctx: moderngl.Context, blocky: BlockyMesh, smooth: SmoothMesh, palette: Palette
) -> None:
    made = WorldPool(ctx, blocky, smooth, palette)
    assert made.nbytes == 6 * 8 + 3 * 80 + 256 * 32 + 4 * 32 + 1 * 20 + 18 * 20
    made.release()


def test_a_world_beyond_a_storage_block_is_refused(
    ctx: moderngl.Context,
    make_blocky: Callable[..., BlockyMesh],
    no_smooth: SmoothMesh,
    palette: Palette,
    monkeypatch: pytest.MonkeyPatch,
    count_objects: Callable[[], dict[str, int]],
) -> None:
    small = replace(capabilities(ctx), max_storage_block_bytes=1 << 20)
    monkeypatch.setattr(pool, "capabilities", lambda _: small)
    before = count_objects()
    mesh = make_blocky([(0, 0, 0, 1, 1, 0, 1)])
    full = BlockyMesh(mesh.coords, mesh.face_counts * np.uint32(131_072), np.repeat(mesh.quads, 131_072))
    WorldPool(ctx, full, no_smooth, palette).release()
    over = BlockyMesh(mesh.coords, mesh.face_counts * np.uint32(131_073), np.repeat(mesh.quads, 131_073))
    with pytest.raises(VoxelwrightError, match=r"131073 quads take 1 MiB.*at most 1 MiB.*smaller world"):
        WorldPool(ctx, over, no_smooth, palette)
    assert count_objects() == before


def test_a_failed_allocation_is_reported_and_freed(
    ctx: moderngl.Context,
    blocky: BlockyMesh,
    smooth: SmoothMesh,
    palette: Palette,
    monkeypatch: pytest.MonkeyPatch,
    count_objects: Callable[[], dict[str, int]],
) -> None:
    def fail(*_: object) -> None:
        raise VoxelwrightError("no memory")

    before = count_objects()
    monkeypatch.setattr(pool, "check_errors", fail)
    with pytest.raises(VoxelwrightError, match="no memory"):
        WorldPool(ctx, blocky, smooth, palette)
    assert count_objects() == before


def test_too_many_or_too_distant_chunks_are_refused(
    ctx: moderngl.Context, no_smooth: SmoothMesh, palette: Palette, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts, quads = np.zeros((5, 6), np.uint32), np.zeros(0, np.uint64)
    far = BlockyMesh(np.array([(0, 0, -(1 << 19))] * 5, np.int32), counts, quads)
    with pytest.raises(VoxelwrightError, match="voxels from the origin"):
        WorldPool(ctx, far, no_smooth, palette)
    monkeypatch.setattr(pool, "MAX_DRAWN_CHUNKS", 4)
    row = BlockyMesh(np.array([(i, 0, 0) for i in range(5)], np.int32), counts, quads)
    with pytest.raises(VoxelwrightError, match="5 chunks, and at most 4"):
        WorldPool(ctx, row, no_smooth, palette)


def test_the_driver_offsets_vertices_and_records(ctx: moderngl.Context) -> None:
    """gl_VertexID includes the command's first, and the instanced attribute its baseInstance."""
    text = (
        "layout(std430, binding = 0) writeonly buffer Seen { uint seen[]; };\nin uint chunk_index;\n"
        "void main() { seen[gl_VertexID] = chunk_index; gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }\n"
    )
    vertex = compose("seen.vert", {"seen.vert": text}).text
    program = ctx.program(vertex_shader=vertex, fragment_shader="#version 430\nvoid main() {}\n")
    indices = ctx.buffer(np.arange(100, 110, dtype=np.uint32).tobytes())
    vertices = ctx.vertex_array(program, [(indices, "1u4/i", "chunk_index")])
    seen = ctx.buffer(bytes(4 * 20))
    seen.bind_to_storage_buffer(0)
    commands = np.array([(3, 1, 6, 2, 0), (3, 0, 0, 1, 0), (3, 1, 12, 5, 0)], pool.INDIRECT_DRAW)
    buffer = ctx.buffer(commands.tobytes())
    target = ctx.simple_framebuffer((4, 4))
    previous = ctx.detect_framebuffer()
    target.use()
    vertices.render_indirect(buffer, moderngl.TRIANGLES, count=3)
    ctx.finish()
    previous.use()
    found = np.frombuffer(seen.read(), np.uint32)
    expected = np.zeros(20, np.uint32)
    expected[6:9], expected[12:15] = 102, 105
    for item in (target, buffer, seen, vertices, indices, program):
        item.release()
    np.testing.assert_array_equal(found, expected)
