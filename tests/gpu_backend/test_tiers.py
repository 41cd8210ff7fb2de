# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import replace

import moderngl
import pytest

from voxelwright.gpu_backend import tiers
from voxelwright.gpu_backend.basic_renderer import BasicRenderer
from voxelwright.gpu_backend.context import capabilities
from voxelwright.gpu_backend.renderer import Renderer
from voxelwright.gpu_backend.tiers import create_renderer

SHORTAGES = [
    ({"version": 410}, "has OpenGL 4.1, and compute shaders come with 4.3"),
    ({"max_vertex_storage_blocks": 0}, "has 0 storage blocks in vertex shaders, and 4 are needed"),
    ({"max_compute_storage_blocks": 7}, "has 7 storage blocks in compute shaders, and 8 are needed"),
]


def test_a_context_that_can_do_everything_gets_the_renderer(ctx: moderngl.Context) -> None:
    made, reason = create_renderer(ctx)
    with made:
        assert isinstance(made, Renderer)
        assert reason is None


@pytest.mark.parametrize(("shortage", "why"), SHORTAGES)
def test_what_a_context_lacks_is_said_in_one_sentence(
    shortage: dict[str, int], why: str, ctx: moderngl.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    able = replace(capabilities(ctx), **shortage)
    monkeypatch.setattr(tiers, "capabilities", lambda _: able)
    made, reason = create_renderer(ctx)
    with made:
        assert isinstance(made, BasicRenderer)
    assert reason is not None
    assert reason.startswith("Worlds are drawn the simple way")
    assert reason.endswith(f"{able.renderer} {why}.")
