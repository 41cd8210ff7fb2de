# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden pictures of scenes in light, golden/<renderer>/light/<scene>-<kind>.png, and what must hold in them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.light import Light
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.smooth import mesh_smooth

from .golden_pictures import GOLDEN, hold_to_golden
from .light_scenes import CASE_CORNERS, CASES, HEIGHT, SCENES, WIDTH, eleven_cases

Make = Callable[..., Any]

KINDS: dict[str, dict[str, Any]] = {
    "shadow": {"shadows": 1.0},
    "occlusion": {"occlusion": 1.0},
    "both": {"shadows": 1.0, "occlusion": 1.0},
    "fallback": {"shadows": 1.0, "occlusion": 1.0, "light": Light.MAPS},
}
SAMPLES = 2


@pytest.mark.parametrize("name", SCENES)
def test_light_looks_as_it_did(name: str, ctx: moderngl.Context, renderer: Renderer, tmp_path: Path) -> None:
    scene = SCENES[name]
    world, camera = scene.world(), scene.camera()
    for kind, strengths in KINDS.items():
        look = Look(sun_direction=scene.sun, **strengths)
        picture = renderer.render(world, camera, WIDTH, HEIGHT, look, samples=SAMPLES)
        hold_to_golden(ctx, picture, f"light/{name}-{kind}", tmp_path)


def test_every_golden_picture_of_light_has_its_scene() -> None:
    made = {f"{name}-{kind}" for name in SCENES for kind in KINDS}
    assert {path.stem for path in GOLDEN.glob("*/light/*.png")} <= made


# --- The eleven cases ------------------------------------------------------------------------------------------------


def _quads() -> NDArray[np.float64]:
    """(n, 4, 3): the corners of all that is drawn of the eleven cases, smooth quads and those of blocks, 1 × 1."""
    world = eleven_cases()
    assert world.coords() == [(0, 0, 0)]
    smooth, blocky = finish(mesh_smooth(world)), finish(mesh_blocky(world, merge=False))
    return np.concatenate([smooth.world_positions()[smooth.quads], blocky.corners()])


def _quads_of(name: str, quads: NDArray[np.float64]) -> NDArray[np.float64]:
    low = np.array(CASE_CORNERS[name]) - 1
    high = low + CASES[name].shape + 2
    return quads[((quads > low) & (quads < high)).all(axis=(1, 2))]


def test_the_cases_lie_apart_and_are_all_there() -> None:
    quads = _quads()
    assert len(CASES) == 11
    assert sum(len(_quads_of(name, quads)) for name in CASES) == len(quads)


@pytest.mark.parametrize("name", CASES)
def test_each_case_is_closed_and_faces_outwards(name: str) -> None:
    """Every edge is passed as often one way as the other, no quad lies on another, and the volume is nearly that of the
    voxels, from outside."""
    quads = _quads_of(name, _quads())
    edges: Counter[tuple[tuple[float, ...], ...]] = Counter()
    for quad in quads.tolist():
        corners = [tuple(corner) for corner in quad]
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            if a != b:
                edges[a, b] += 1
    assert all(edges[b, a] == n for (a, b), n in edges.items())
    assert len({frozenset(map(tuple, quad)) for quad in quads.tolist()}) == len(quads)
    a, b, c, d = np.moveaxis(quads - CASE_CORNERS[name], 1, 0)
    volume = (a * np.cross(b, c) + a * np.cross(c, d)).sum() / 6
    n_voxels = (CASES[name] > 0).sum()
    assert 0.4 * n_voxels < volume <= 1.02 * n_voxels


def _decoded(words: NDArray[np.uint32]) -> NDArray[np.float64]:
    """(…, 3): the normals in the first words of the G-buffer's surfaces."""
    x, y = ((words >> shift & 0xFFF) / 4094 * 2 - 1 for shift in (0, 12))
    normal = np.stack([x, y, 1 - np.abs(x) - np.abs(y)], axis=-1)
    inner = np.maximum(-normal[..., 2:], 0)
    normal[..., :2] -= np.where(normal[..., :2] >= 0, inner, -inner)
    return normal / np.linalg.norm(normal, axis=-1, keepdims=True)


def _outside(background: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What of the background (height, width) hangs together with the picture's edge."""
    found = np.zeros_like(background)
    found[[0, -1]], found[:, [0, -1]] = background[[0, -1]], background[:, [0, -1]]
    while True:
        padded = np.pad(found, 1)
        grown = background & (padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:] | found)
        if (grown == found).all():
            return found
        found = grown


@pytest.mark.parametrize(("azimuth", "elevation"), [(25, 48), (200, 35), (110, -40)])
def test_the_cases_are_drawn_without_holes_and_with_normals(
    azimuth: float, elevation: float, renderer: Renderer, draw_frame: Make, rays_of: Make
) -> None:
    """No background shows through, and what is seen looks towards the eye."""
    size = 400, 300
    camera = replace(SCENES["cases"], azimuth=azimuth, elevation=elevation).camera(*size)
    world, pool = eleven_cases(), renderer.new_pool()
    finish(pool.bring(world, camera.eye))
    target = draw_frame(renderer, [Shown(pool, camera)], *size)
    distances = np.frombuffer(target.distances.read(), np.float32).reshape(size[::-1])
    words = np.frombuffer(target.surfaces.read(), np.uint32).reshape(*size[::-1], 2)
    seen = distances > 0
    assert 0.1 < seen.mean() < 0.6
    assert (_outside(~seen) == ~seen).all()
    _, directions = rays_of(camera, *size)
    towards = -(directions * _decoded(words[..., 0])).sum(axis=2)[seen]
    # Normals are evened over a quad: at an outline a few look away.
    assert np.quantile(towards, 0.001) > -0.3 and (towards > 0).mean() > 0.985
