# SPDX-License-Identifier: GPL-3.0-or-later
import re

import moderngl
import numpy as np
import pytest

from voxelwright.gpu_backend.shader import build_program, compose, generated_sources, load_program, shader_sources
from voxelwright.voxel import layout
from voxelwright.voxel.errors import VoxelwrightError

SOURCES = {
    "main.vert": '// one\n#include "lib/a.glsl"\n// three\n#include "lib/b.glsl"\nvoid main() { gl_Position = ONE; }\n',
    "lib/a.glsl": '#include "lib/b.glsl"\nconst vec4 ONE = vec4(HALF * 2.0);\n',
    "lib/b.glsl": "// b one\nconst float HALF = 0.5;\n",
}
FRAGMENT = compose("main.frag", {"main.frag": "out vec4 color;\nvoid main() { color = vec4(1.0); }\n"})


def test_every_include_comes_once_and_defines_come_first() -> None:
    shader = compose("main.vert", SOURCES, {"SAMPLES": 4})
    assert shader.files == ("main.vert", "lib/a.glsl", "lib/b.glsl")
    assert shader.text.count("HALF = 0.5") == 1
    assert shader.text.startswith("#version 430 core\n#define SAMPLES 4\n")
    assert "#include" not in shader.text


def test_every_line_is_known_by_its_file_and_line() -> None:
    shader = compose("main.vert", SOURCES)
    following, seen = 0, []
    for line in shader.text.splitlines():
        if match := re.fullmatch(r"#line (\d+)", line):
            following = int(match[1])
            continue
        if following:
            file, number = shader.locate(f"0:{following}(1): error").split("(")[0].split(":")
            assert SOURCES[file].splitlines()[int(number) - 1] == line
            seen.append((file, int(number)))
            following += 1
    includes = sum(line.startswith("#include") for text in SOURCES.values() for line in text.splitlines())
    assert len(seen) == sum(len(text.splitlines()) for text in SOURCES.values()) - includes


def test_circular_includes_end() -> None:
    sources = {"a.glsl": '#include "b.glsl"\n// a\n', "b.glsl": '#include "a.glsl"\n// b\n'}
    assert compose("a.glsl", sources).files == ("a.glsl", "b.glsl")


def test_an_unknown_include_names_who_asks_for_it() -> None:
    sources = {"main.vert": '\n#include "lib/a.glsl"\n', "lib/a.glsl": '\n\n#include "lib/none.glsl"\n'}
    with pytest.raises(ValueError, match=r"^lib/a\.glsl:3: .*lib/none\.glsl"):
        compose("main.vert", sources)


@pytest.mark.parametrize("log", ["0:10002(5): error: no", "0(10002) : error C1008: no", "ERROR: 0:10002: no"])
def test_the_logs_of_all_drivers_are_understood(log: str) -> None:
    assert "lib/a.glsl:2" in compose("main.vert", SOURCES).locate(log)


@pytest.mark.parametrize(
    ("file", "old", "new", "place"),
    [
        ("lib/b.glsl", "// b one", "// b one\n\nfloat broken = nothing;", r"lib/b\.glsl:3"),
        ("lib/a.glsl", "const vec4", "const nothing", r"lib/a\.glsl:2"),
        ("main.vert", "= ONE", "= nothing", r"main\.vert:5"),
    ],
)
def test_compile_errors_name_file_and_line(ctx: moderngl.Context, file: str, old: str, new: str, place: str) -> None:
    sources = {**SOURCES, file: SOURCES[file].replace(old, new)}
    with pytest.raises(VoxelwrightError, match=f"refused a shader: .*{place}") as caught:
        build_program(ctx, {"vertex_shader": compose("main.vert", sources), "fragment_shader": FRAGMENT})
    assert "\n" not in str(caught.value)


def test_link_errors_name_the_files(ctx: moderngl.Context) -> None:
    gives = compose("gives.vert", {"gives.vert": "out vec4 other;\nvoid main() { gl_Position = other = vec4(1.0); }\n"})
    asks = compose("asks.frag", {"asks.frag": "in vec3 other;\nout vec4 c;\nvoid main() { c = vec4(other, 1.0); }\n"})
    with pytest.raises(VoxelwrightError, match=r"other.*gives\.vert, asks\.frag"):
        build_program(ctx, {"vertex_shader": gives, "fragment_shader": asks})


def test_every_pass_loads_from_the_files(ctx: moderngl.Context) -> None:
    for vertex in ("blocky/blocky.vert", "smooth/smooth.vert"):
        load_program(ctx, vertex_shader=vertex, fragment_shader="lib/surface.frag").release()


def test_generated_files_are_not_written_by_hand_too() -> None:
    assert generated_sources().keys() <= shader_sources().keys()
    assert all(shader_sources()[name] == text for name, text in generated_sources().items())
    for name, text in shader_sources().items():
        if name not in generated_sources():
            assert text.startswith("// SPDX-License-Identifier: GPL-3.0-or-later\n"), name


def test_glsl_unpacks_quads_as_numpy_does(ctx: moderngl.Context) -> None:
    quads = np.random.default_rng(2).integers(0, 1 << 64, 1000, np.uint64)
    body = """
    Quad q = unpack_quad(quads[i]);
    uint fields[8] = uint[](q.voxel.x, q.voxel.y, q.voxel.z, q.size.x, q.size.y, q.face, q.material, q.slot);
    for (uint k = 0u; k < 8u; k++) { read_back[i * 8u + k] = fields[k]; }"""
    source = ctx.buffer(quads.tobytes())
    source.bind_to_storage_buffer(0)
    head = '#include "lib/packed_quad.glsl"\nlayout(std430, binding = 0) readonly buffer Quads { uvec2 quads[]; };\n'
    read = _compute(ctx, head, "uint", body, len(quads), 8).view(np.uint32)
    source.release()
    expected = layout.unpack_quads(quads)
    np.testing.assert_array_equal(read, np.stack([expected[f] for f in layout.UNPACKED_QUAD_FIELDS], axis=1))


def test_glsl_has_the_table_of_faces(ctx: moderngl.Context) -> None:
    body = """
    uint face = i / 4u;
    vec2 uv = FACE_CORNERS_UV[i];
    vec3 corner = FACE_ORIGINS[face] + FACE_U[face] * uv.x + FACE_V[face] * uv.y;
    for (uint k = 0u; k < 3u; k++) {
        read_back[i * 7u + k] = corner[k];
        read_back[i * 7u + 3u + k] = FACE_NORMALS[face][k];
    }
    read_back[i * 7u + 6u] = float(QUAD_TRIANGLES[i % 6u]);"""
    read = _compute(ctx, '#include "lib/faces.glsl"\n', "float", body, 24, 7)
    np.testing.assert_array_equal(read[:, :3], layout.quad_corner_offsets().reshape(24, 3))
    np.testing.assert_array_equal(read[:, 3:6], np.repeat(layout.FACE_NORMALS, 4, axis=0))
    np.testing.assert_array_equal(read[:6, 6], layout.QUAD_TRIANGLES)


def _compute(ctx: moderngl.Context, head: str, kind: str, body: str, n: int, per_item: int) -> np.ndarray:
    text = (
        f"{head}layout(local_size_x = 1) in;\n"
        f"layout(std430, binding = 1) writeonly buffer Output {{ {kind} read_back[]; }};\n"
        f"void main() {{\n    uint i = gl_GlobalInvocationID.x;{body}\n}}\n"
    )
    shader = ctx.compute_shader(compose("test", {**shader_sources(), "test": text}).text)
    output = ctx.buffer(reserve=4 * n * per_item)
    output.bind_to_storage_buffer(1)
    shader.run(n)
    ctx.memory_barrier()
    read = np.frombuffer(output.read(), np.float32).reshape(n, per_item)
    output.release()
    shader.release()
    return read
