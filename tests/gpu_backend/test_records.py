# SPDX-License-Identifier: GPL-3.0-or-later
"""Every record is held to layouts.md, and its mirror in GLSL to the record."""

import struct

import moderngl
import numpy as np
import pytest

from voxelwright.gpu_backend import records
from voxelwright.gpu_backend.records import (
    CHUNK_DRAW,
    DECAL,
    DECAL_HEADER,
    FRAME,
    INDIRECT_DRAW,
    LEVEL_JOB,
    MATERIAL,
    MESH_ROW,
    NETS_HEADER,
    NETS_ROW,
    SMOOTH_DRAW,
    SMOOTH_QUAD,
    SMOOTH_VERTEX,
)
from voxelwright.gpu_backend.shader import compose, shader_sources

LAYOUTS = {
    "CHUNK_DRAW": (80, {"corner": 0, "quad_offset": 16, "slot": 20, "face_offsets": 24, "face_counts": 48, "fade": 72}),
    "INDIRECT_DRAW": (20, {"count": 0, "instance_count": 4, "first_index": 8, "base_vertex": 12, "base_instance": 16}),
    "SMOOTH_VERTEX": (32, {"position": 0, "attributes": 12, "normal": 16, "slot": 28}),
    "SMOOTH_QUAD": (20, {"vertices": 0, "material": 16}),
    "MATERIAL": (
        48,
        {
            "color": 0,
            "opacity": 12,
            "roughness": 16,
            "metallic": 20,
            "emission": 24,
            "texture_contrast": 28,
            "texture_layer": 32,
            "tiles_per_period": 36,
            "bleeds": 40,
            "resists": 44,
        },
    ),
    "FRAME": (
        208,
        {
            "clip_from_eye": 0,
            "eye_from_clip": 64,
            "eye_voxel": 128,
            "eye_fraction": 144,
            "sun_direction": 160,
            "view_direction": 176,
            "picture": 192,
        },
    ),
    "SMOOTH_DRAW": (32, {"corner": 0, "quad_offset": 16, "quad_count": 20, "flags": 24}),
    "MESH_HEADER": (32, {"top": 0, "capacity": 4, "n_without_room": 8, "n_quads": 12}),
    "MESH_ROW": (8, {"capacity": 0, "flags": 4}),
    "DECAL": (
        112,
        {
            "world_to_local": 0,
            "tint": 64,
            "color_mix": 76,
            "image_layer": 80,
            "normal_layer": 84,
            "normal_mix": 88,
            "layers": 92,
            "fades": 96,
        },
    ),
    "DECAL_HEADER": (16, {"count": 0, "grid": 4, "tile": 12}),
    "NETS_HEADER": (
        32,
        {
            "vertex_top": 0,
            "vertex_capacity": 4,
            "quad_top": 8,
            "quad_capacity": 12,
            "n_without_room": 16,
            "n_quads": 20,
        },
    ),
    "NETS_ROW": (
        32,
        {
            "vertex_offset": 0,
            "n_vertices": 4,
            "n_own": 8,
            "vertex_capacity": 12,
            "quad_capacity": 16,
            "wanted_vertices": 20,
            "wanted_quads": 24,
        },
    ),
    "MESH_JOB": (16, {"coord": 0, "row": 12}),
    "FIELD_JOB": (16, {"coord": 0, "field": 12}),
    "LEVEL_JOB": (36, {"slot": 0, "children": 4}),
}

STRUCTS = {
    "ChunkDraw": CHUNK_DRAW,
    "Decal": DECAL,
    "DecalHeader": DECAL_HEADER,
    "IndirectDraw": INDIRECT_DRAW,
    "LevelJob": LEVEL_JOB,
    "MeshRow": MESH_ROW,
    "NetsHeader": NETS_HEADER,
    "NetsRow": NETS_ROW,
    "SmoothDraw": SMOOTH_DRAW,
    "SmoothVertex": SMOOTH_VERTEX,
    "SmoothQuad": SMOOTH_QUAD,
    "Material": MATERIAL,
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_sizes_and_offsets(name: str) -> None:
    dtype = getattr(records, name)
    itemsize, offsets = LAYOUTS[name]
    assert dtype.itemsize == itemsize
    found = {field: dtype.fields[field][1] for field in dtype.names if field != "padding"}
    assert found == offsets


def test_records_by_hand() -> None:
    chunk = np.array([((32, -64, 0, 0), 7, 2, (0, 1, 3, 6, 10, 15), (1, 2, 3, 4, 5, 6), (0, 0))], CHUNK_DRAW)
    assert chunk.tobytes() == struct.pack("<4f16I", 32, -64, 0, 0, 7, 2, 0, 1, 3, 6, 10, 15, 1, 2, 3, 4, 5, 6, 0, 0)
    assert np.array([(6, 1, 42, 3, 0)], INDIRECT_DRAW).tobytes() == struct.pack("<5I", 6, 1, 42, 3, 0)
    vertex = np.array([((1.5, 2, 3), 0x01800502, (0, 0, 1), 9)], SMOOTH_VERTEX)
    assert vertex.tobytes() == struct.pack("<3fI3fI", 1.5, 2, 3, 0x01800502, 0, 0, 1, 9)
    assert np.array([((4, 5, 6, 7), 255)], SMOOTH_QUAD).tobytes() == struct.pack("<5I", 4, 5, 6, 7, 255)
    material = np.array([((1, 0.5, 0.25), 0.75, 0.9, 0, 2, 0.3, 7, 1024, 1, 0)], MATERIAL)
    assert material.tobytes() == struct.pack("<8f4I", 1, 0.5, 0.25, 0.75, 0.9, 0, 2, 0.3, 7, 1024, 1, 0)


@pytest.mark.parametrize("name", STRUCTS)
def test_the_glsl_struct_reads_what_numpy_wrote(ctx: moderngl.Context, name: str) -> None:
    dtype = STRUCTS[name]
    written = _random_records(dtype, 37)
    head = f'#include "lib/records.glsl"\nlayout(std430, binding = 0) readonly buffer Input {{ {name} records[]; }};\n'
    words = _words(dtype, "records[gl_GlobalInvocationID.x]")
    buffer = ctx.buffer(written.tobytes())
    buffer.bind_to_storage_buffer(0)
    read = _run(ctx, head, words, len(written))
    buffer.release()
    assert read.tobytes() == written.tobytes()


def test_the_frame_block_reads_what_numpy_wrote(ctx: moderngl.Context) -> None:
    written = _random_records(FRAME, 1)
    buffer = ctx.buffer(written.tobytes())
    buffer.bind_to_uniform_block(records.UniformBinding.FRAME)
    read = _run(ctx, '#include "lib/frame.glsl"\n', _words(FRAME, "frame"), 1)
    buffer.release()
    assert read.tobytes() == written.tobytes()


def _random_records(dtype: np.dtype, n: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    made = np.zeros(n, dtype)
    for name in dtype.names:
        shape = made[name].shape
        is_float = made[name].dtype.kind == "f"
        made[name] = rng.normal(size=shape) * 1000 if is_float else rng.integers(0, 1 << 32, shape, np.uint32)
    return made


def _words(dtype: np.dtype, record: str) -> list[str]:
    """A GLSL expression for each 32-bit word of the record, in the order of the dtype."""
    words = []
    for name in dtype.names:
        base, shape = dtype.fields[name][0].base, dtype.fields[name][0].shape
        for index in np.ndindex(shape):
            place = f"{record}.{name}" + "".join(f"[{i}]" for i in index)
            words.append(f"floatBitsToUint({place})" if base.kind == "f" else place)
    return words


def _run(ctx: moderngl.Context, head: str, words: list[str], n: int) -> np.ndarray:
    start = f"gl_GlobalInvocationID.x * {len(words)}"
    stores = "\n".join(f"    read_back[{start} + {i}] = {word};" for i, word in enumerate(words))
    body = (
        "layout(local_size_x = 1) in;\n"
        "layout(std430, binding = 1) writeonly buffer Output { uint read_back[]; };\n"
        f"void main() {{\n{stores}\n}}\n"
    )
    shader = ctx.compute_shader(compose("test", {**shader_sources(), "test": head + body}).text)
    output = ctx.buffer(reserve=4 * len(words) * n)
    output.bind_to_storage_buffer(1)
    shader.run(n)
    ctx.memory_barrier()
    read = np.frombuffer(output.read(), np.uint32)
    output.release()
    shader.release()
    return read
