# SPDX-License-Identifier: GPL-3.0-or-later
"""Shaders from the files in shaders/: includes, defines, generated tables, and errors that name file and line.

A shader file has no #version. `#include "lib/name.glsl"`, on a line of its own, brings a file in where it first
stands and nothing after that. A few includes are generated from Python's tables (generated_sources).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, overload

import moderngl
import numpy as np

from ..voxel import layout
from ..voxel.errors import VoxelwrightError
from . import cascades, records
from .context import COMPUTE_VERSION
from .records import StorageBinding, UniformBinding
from .views import View

SHADER_FOLDER = Path(__file__).parent.parent / "shaders"

_INCLUDE = re.compile(r'\s*#include\s+"([^"]+)"\s*$')
_LOCATION = re.compile(r"\b0(?::(\d+)|\((\d+)\))")  # Mesa 0:12(5), NVIDIA 0(12), AMD, Intel and Apple 0:12
_LINES_PER_FILE = 10_000
"""#line carries the file's index times this plus the line: Mesa drops the number of the source string."""


@dataclass(frozen=True)
class ComposedShader:
    """The text for the driver, and the files that went into it in the order of their first line."""

    text: str
    files: tuple[str, ...]

    def locate(self, log: str) -> str:
        """A driver's log with its line numbers replaced by file:line."""

        def place(match: re.Match[str]) -> str:
            index, line = divmod(int(match[1] or match[2]), _LINES_PER_FILE)
            return f"{self.files[index]}:{line}" if index < len(self.files) else match[0]

        return _LOCATION.sub(place, log)


def compose(
    name: str,
    sources: Mapping[str, str],
    defines: Mapping[str, object] | None = None,
    version: int = COMPUTE_VERSION,
) -> ComposedShader:
    """The shader file name with its includes resolved. Raises ValueError where an included file is not in sources.

    Files that serve contexts without compute shaders too ask for __VERSION__ where the language is another there.
    """
    files: list[str] = []
    lines = [f"#version {version} core", *(f"#define {key} {value}" for key, value in (defines or {}).items())]

    def add(file: str) -> None:
        base = len(files) * _LINES_PER_FILE
        files.append(file)
        lines.append(f"#line {base + 1}")
        own = sources[file].splitlines()
        for number, line in enumerate(own, 1):
            match = _INCLUDE.match(line)
            if match is None:
                lines.append(line)
                continue
            if match[1] not in sources:
                raise ValueError(f"{file}:{number}: there is no shader file {match[1]}")
            if match[1] not in files:
                add(match[1])
            if number < len(own):  # NVIDIA's compiler refuses a #line that nothing follows
                lines.append(f"#line {base + number + 1}")

    add(name)
    return ComposedShader("\n".join(lines) + "\n", tuple(files))


@overload
def load_program(
    ctx: moderngl.Context, defines: Mapping[str, object] | None = None, *, compute_shader: str
) -> moderngl.ComputeShader: ...


@overload
def load_program(
    ctx: moderngl.Context,
    defines: Mapping[str, object] | None = None,
    *,
    version: int = COMPUTE_VERSION,
    vertex_shader: str,
    fragment_shader: str,
) -> moderngl.Program: ...


def load_program(
    ctx: moderngl.Context,
    defines: Mapping[str, object] | None = None,
    *,
    version: int = COMPUTE_VERSION,
    **stages: str,
) -> moderngl.Program | moderngl.ComputeShader:
    """A program from files of shaders/; stages are vertex_shader="folder/file", fragment_shader=… as moderngl has them.

    Raises VoxelwrightError with the first error's file and line where the driver refuses it.
    """
    sources = shader_sources()
    return build_program(ctx, {stage: compose(file, sources, defines, version) for stage, file in stages.items()})


def build_program(
    ctx: moderngl.Context, stages: Mapping[str, ComposedShader]
) -> moderngl.Program | moderngl.ComputeShader:
    """A program from composed shaders, as load_program makes it."""
    texts: dict[str, Any] = {stage: shader.text for stage, shader in stages.items()}
    try:
        return ctx.compute_shader(texts["compute_shader"]) if "compute_shader" in texts else ctx.program(**texts)
    except moderngl.Error as error:
        raise VoxelwrightError(f"The graphics driver refused a shader: {_first_error(str(error), stages)}.") from error


@cache
def shader_sources() -> dict[str, str]:
    """Every shader file by its path below shaders/, and the generated ones."""
    files = sorted(path for path in SHADER_FOLDER.rglob("*") if path.suffix in (".glsl", ".vert", ".frag", ".comp"))
    sources = {path.relative_to(SHADER_FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in files}
    return {**sources, **generated_sources()}


def generated_sources() -> dict[str, str]:
    """The includes made from Python's tables: lib/faces.glsl, lib/quad_bits.glsl, lib/pool_layout.glsl,
    lib/bindings.glsl, lib/view_numbers.glsl, lib/decal_numbers.glsl, lib/map_numbers.glsl."""
    u_axes, v_axes = np.eye(3)[layout.FACE_U_AXIS], np.eye(3)[layout.FACE_V_AXIS]
    faces = [
        f"const int CHUNK_SIZE = {layout.CHUNK_SIZE};",
        _vectors("FACE_NORMALS", layout.FACE_NORMALS),
        _vectors("FACE_U", u_axes),
        _vectors("FACE_V", v_axes),
        _vectors("FACE_ORIGINS", layout.quad_corner_offsets().min(axis=1)),
        _vectors("FACE_CORNERS_UV", layout.FACE_CORNERS_UV.reshape(-1, 2)),
        f"const int QUAD_TRIANGLES[6] = int[]({', '.join(map(str, layout.QUAD_TRIANGLES))});",
    ]
    shifts = ("Y", "Z", "WIDTH", "HEIGHT", "FACE", "MATERIAL", "SLOT")
    bits = [f"const int QUAD_{name}_SHIFT = {getattr(layout, f'QUAD_{name}_SHIFT')};" for name in shifts]
    bits.append(f"const uint QUAD_SLOT_MASK = {layout.QUAD_SLOT_MASK}u;")
    pool = [
        f"const int CHUNK_SHIFT = {layout.CHUNK_SHIFT};",
        f"const int MATERIAL_SHIFT = {layout.MATERIAL_SHIFT};",
        f"const uint FLAG_SMOOTH = {layout.FLAG_SMOOTH}u;",
        f"const uint UNIFORM_CHUNK = {records.UNIFORM_CHUNK}u;",
        f"const int VOXEL_WORDS = {records.VOXEL_WORDS};",
        f"const uint HAS_OPAQUE = {records.HAS_OPAQUE}u;",
        f"const uint HAS_TRANSPARENT = {records.HAS_TRANSPARENT}u;",
        f"const uint QUAD_BLOCK = {records.QUAD_BLOCK}u;",
        f"const uint NETS_STEP = {records.NETS_STEP}u;",
        f"const int MESH_USED_SHIFT = {records.MESH_USED_SHIFT};",
        f"const int MESH_WANTED_SHIFT = {records.MESH_WANTED_SHIFT};",
        f"const int MESH_LEVEL_SHIFT = {records.MESH_LEVEL_SHIFT};",
        f"const uint LEVEL_FULL = {records.LEVEL_FULL}u;",
        f"const uint LEVEL_SMOOTH = {records.LEVEL_SMOOTH}u;",
        *(f"const uint {name} = {getattr(records, name)}u;" for name in vars(records) if name.startswith("OCCUPANCY_")),
        f"const int FIELD_SAMPLES = {records.FIELD_SAMPLES};",
        f"const uint FIELD_ROW_BYTES = {records.FIELD_ROW_BYTES}u;",
        f"const uint FIELD_WORDS = {records.FIELD_WORDS}u;",
        f"const uint FIELD_VALUE_MASK = {records.FIELD_VALUE_MASK}u;",
        f"const uint FIELD_SURFACE = {records.FIELD_SURFACE}u;",
        f"const float FIELD_ZERO = {records.FIELD_ZERO}.0;",
        f"const float FIELD_FLAT = {records.FIELD_FLAT}.0;",
    ]
    points = {**StorageBinding.__members__, **UniformBinding.__members__}
    bindings = [f"#define {name}_BINDING {point.value}" for name, point in points.items()]
    # GLSL 4.30 takes a number there and no sum.
    pages = range(1, records.MAX_VOXEL_PAGES)
    bindings += [f"#define VOXELS_{page}_BINDING {StorageBinding.VOXELS_0 + page}" for page in pages]
    maps = [
        f"#define MAX_CASCADES {cascades.MAX_CASCADES}",
        f"const int MAP_EDGE = {cascades.MAP_EDGE};",
    ]
    views = [f"const int VIEW_{view.name} = {view.value};" for view in View]
    decals = [
        f"const int MAX_DECALS = {records.MAX_DECALS};",
        f"const uint ANY_SLOPE = {records.ANY_SLOPE}u;",
        f"const float LEVEL_SLOPE = {records.LEVEL_SLOPE}.0;",
        *(f"const uint DECAL_{layer.name} = {layer.value}u;" for layer in records.DecalLayer),
    ]
    parts = {
        "lib/faces.glsl": faces,
        "lib/quad_bits.glsl": bits,
        "lib/pool_layout.glsl": pool,
        "lib/bindings.glsl": bindings,
        "lib/view_numbers.glsl": views,
        "lib/decal_numbers.glsl": decals,
        "lib/map_numbers.glsl": maps,
    }
    return {name: "\n".join(lines) + "\n" for name, lines in parts.items()}


def _vectors(name: str, rows: Any) -> str:
    kind = f"vec{rows.shape[1]}"
    items = ", ".join(f"{kind}({', '.join(str(float(value)) for value in row)})" for row in rows)
    return f"const {kind} {name}[{len(rows)}] = {kind}[]({items});"


def _first_error(log: str, stages: Mapping[str, ComposedShader]) -> str:
    # moderngl puts the stage's name above a compiler's log; a linker's log has neither stage nor line.
    lines = [line.strip() for line in log.splitlines()]
    stage = next((line for line in lines if line in stages), None)
    error = next((line for line in lines if "error" in line.lower()), lines[0]).rstrip(".")
    if stage is not None:
        return stages[stage].locate(error)
    return f"{error} ({', '.join(shader.files[0] for shader in stages.values())})"
