# SPDX-License-Identifier: GPL-3.0-or-later
import re

import moderngl
import pytest

from voxelwright.gpu_backend.context import COMPUTE_VERSION, LEAST_VERSION, capabilities
from voxelwright.gpu_backend.records import MAX_VOXEL_PAGES
from voxelwright.gpu_backend.shader import build_program, compose, generated_sources, load_program, shader_sources
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


ENTRIES = ("vert", "frag", "comp")

DRAWS: list[tuple[int, dict[str, str]]] = [
    (COMPUTE_VERSION, {"vertex_shader": "draw/blocky.vert", "fragment_shader": "draw/visibility.frag"}),
    (COMPUTE_VERSION, {"vertex_shader": "draw/smooth.vert", "fragment_shader": "draw/visibility.frag"}),
    (LEAST_VERSION, {"vertex_shader": "viewport/present.vert", "fragment_shader": "viewport/present.frag"}),
    (LEAST_VERSION, {"vertex_shader": "basic/blocky.vert", "fragment_shader": "basic/surface.frag"}),
    (LEAST_VERSION, {"vertex_shader": "basic/smooth.vert", "fragment_shader": "basic/surface.frag"}),
    *(
        (LEAST_VERSION, {"vertex_shader": "compose/picture.vert", "fragment_shader": f"{name}.frag"})
        for name in (
            *(f"basic/{name}" for name in ("clear", "shade", "sky", "accumulate", "compose")),
            *(f"compose/{name}" for name in ("add_opaque", "add_layer", "pack_opaque", "pack_layer")),
            *(f"light/{name}" for name in ("blur", "maps")),
            "draw/copy_depth",
        )
    ),
]
PAGED = [
    "mesh/downsample.comp",
    "mesh/greedy.comp",
    "mesh/nets.comp",
    "mesh/occupancy.comp",
    "mesh/single.comp",
    "resolve/blocky.comp",
    "resolve/smooth.comp",
]
"""Compute shaders that read voxels, in one buffer or several."""

PLAIN = [
    "compose/accumulate.comp",
    "compose/compose.comp",
    "cull/cull.comp",
    "cull/depth_tiles.comp",
    "cull/quads.comp",
    "decals/decals.comp",
    "draw/clear.comp",
    "light/blur.comp",
    "light/casters.comp",
    "light/field.comp",
    "light/field_bricks.comp",
    "light/maps.comp",
    "light/rays.comp",
    "light/shade.comp",
    "light/sky.comp",
    "mesh/compact.comp",
    "mesh/free.comp",
    "mesh/nets_compact.comp",
]


@pytest.mark.parametrize(
    ("version", "stages"), DRAWS, ids=lambda v: "+".join(v.values()) if isinstance(v, dict) else ""
)
def test_every_draw_compiles(ctx: moderngl.Context, version: int, stages: dict[str, str]) -> None:
    load_program(ctx, version=version, **stages).release()


@pytest.mark.parametrize("file", PLAIN)
def test_every_compute_pass_compiles(ctx: moderngl.Context, file: str) -> None:
    for surfaces in range(2):
        load_program(ctx, {"SURFACES": surfaces}, compute_shader=file).release()


@pytest.mark.parametrize("pages", range(1, MAX_VOXEL_PAGES + 1))
@pytest.mark.parametrize("file", PAGED)
def test_every_pass_compiles_with_voxels_in_several_buffers(ctx: moderngl.Context, file: str, pages: int) -> None:
    if pages + 7 > capabilities(ctx).max_compute_storage_blocks:
        pytest.skip("this driver has too few storage blocks")
    load_program(ctx, {"VOXEL_PAGES": pages, "PAGE_SLOTS": 100}, compute_shader=file).release()


def test_surface_nets_compile_for_a_smoothed_field(ctx: moderngl.Context) -> None:
    defines = {"VOXEL_PAGES": 1, "PAGE_SLOTS": 100, "SMOOTHED": 1}
    load_program(ctx, defines, compute_shader="mesh/nets.comp").release()


def test_soft_shadows_compile(ctx: moderngl.Context) -> None:
    load_program(ctx, {"SOFT_SUN": 1}, compute_shader="light/maps.comp").release()
    files = {"vertex_shader": "compose/picture.vert", "fragment_shader": "light/maps.frag"}
    load_program(ctx, {"SOFT_SUN": 1}, version=LEAST_VERSION, **files).release()


def test_no_shader_file_is_left_out() -> None:
    """A new one belongs into the lists above; and what is included somewhere needs no more."""
    covered = {file for _, stages in DRAWS for file in stages.values()} | {*PAGED, *PLAIN}
    assert {name for name in shader_sources() if name.rsplit(".")[-1] in ENTRIES} == covered
    sources = shader_sources()
    included = {file for name in covered for file in compose(name, sources).files}
    assert set(sources) == included


def test_generated_files_are_not_written_by_hand_too() -> None:
    assert generated_sources().keys() <= shader_sources().keys()
    assert all(shader_sources()[name] == text for name, text in generated_sources().items())
    for name, text in shader_sources().items():
        if name not in generated_sources():
            assert text.startswith("// SPDX-License-Identifier: GPL-3.0-or-later\n"), name
