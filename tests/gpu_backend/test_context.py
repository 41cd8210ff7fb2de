# SPDX-License-Identifier: GPL-3.0-or-later
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import moderngl
import pytest

from voxelwright.gpu_backend.context import capabilities, check_errors, create_context
from voxelwright.voxel.errors import VoxelwrightError


def test_capabilities_are_those_that_opengl_promises(ctx: moderngl.Context) -> None:
    found = capabilities(ctx)
    assert found.version >= 430
    assert found.has_compute
    assert found.max_storage_block_bytes >= 1 << 24  # the least that OpenGL 4.3 allows
    assert found.max_texture_edge >= 16_384
    assert found.renderer
    assert found.max_samples >= 4


@pytest.mark.skipif(sys.platform != "linux", reason="EGL is Linux's")
def test_missing_libraries_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise Exception("libEGL.so.1 not loaded")

    monkeypatch.setattr(moderngl, "create_context", fail)
    with pytest.raises(VoxelwrightError, match=r"^Drawing needs .*libEGL.so.1.* install libegl1 libgl1 .*\.$"):
        create_context()


def test_a_newer_context_is_asked_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def give(*, require: int, **_: object) -> str:
        asked.append(require)
        if require > 410:
            raise Exception("no")
        return "a context"

    monkeypatch.setattr(moderngl, "create_context", give)
    assert create_context() == "a context"
    assert asked == [430, 410]


def _in_an_older_opengl(ctx: moderngl.Context, version: str, code: str) -> str:
    if sys.platform != "linux" or "Mesa" not in ctx.info["GL_VERSION"]:
        pytest.skip("only Mesa can be told to be older")
    older = {"MESA_GL_VERSION_OVERRIDE": version, "MESA_GLSL_VERSION_OVERRIDE": version.replace(".", "") + "0"}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **older}, capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout


def test_opengl_3_3_is_refused_in_one_sentence(ctx: moderngl.Context) -> None:
    code = (
        "from voxelwright.gpu_backend.context import create_context\n"
        "from voxelwright.voxel.errors import VoxelwrightError\n"
        "try: create_context()\n"
        "except VoxelwrightError as error: print(error)"
    )
    said = _in_an_older_opengl(ctx, "3.3", code)
    assert said.startswith("Drawing needs OpenGL 4.1")
    assert said.count("\n") == 1


def test_opengl_4_1_is_known_to_have_no_compute_shaders(ctx: moderngl.Context) -> None:
    code = (
        "from voxelwright.gpu_backend.context import capabilities, create_context\n"
        "ctx = create_context()\n"
        "able = capabilities(ctx)\n"
        "print(able.version, able.has_compute, able.max_compute_storage_blocks, ctx.error)"
    )
    assert _in_an_older_opengl(ctx, "4.1", code) == "410 False 0 GL_NO_ERROR\n"


def test_the_gate_says_what_failed() -> None:
    check_errors(SimpleNamespace(error="GL_NO_ERROR"), "a picture")
    with pytest.raises(VoxelwrightError, match="too small for a picture"):
        check_errors(SimpleNamespace(error="GL_OUT_OF_MEMORY"), "a picture")
    with pytest.raises(VoxelwrightError, match="GL_INVALID_OPERATION for a picture"):
        check_errors(SimpleNamespace(error="GL_INVALID_OPERATION"), "a picture")


def test_the_gate_sees_a_failed_allocation(ctx: moderngl.Context, debug_log: Any) -> None:
    if "llvmpipe" not in ctx.info["GL_RENDERER"]:
        pytest.skip("other drivers promise any size and allocate at first use")
    buffer = ctx.buffer(reserve=1 << 45)
    with pytest.raises(VoxelwrightError, match="graphics memory is too small for a test"):
        check_errors(ctx, "a test")
    buffer.release()
    debug_log.take()
