# SPDX-License-Identifier: GPL-3.0-or-later
"""What a tool does between the mouse and the graphics card, in Blender as a module, on a generated world of
512 × 512 × 256 voxels of blocks: time of this one thread.

A dab: the ray of the mouse, the dab, its edit shown over the world, and the chunks brought to the card (its time
excluded; but commands to a software renderer take this thread longer than those to a graphics card). A cursor: the ray,
and the outline of the brush where it is put. Medians, and of a stroke of 2,000 samples the 99th percentile.
"""

import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import bpy
import numba
import numpy as np

from voxelwright.addon import brushes, cursor, picking, presets, registration, session, tool_properties
from voxelwright.gpu_backend.context import create_context
from voxelwright.gpu_backend.renderer import Renderer
from voxelwright.voxel.edit.symmetry import Symmetry
from voxelwright.voxel.generate import terrain
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import FLAG_SMOOTH
from voxelwright.voxel.world import World, edit_of_chunks

SIZE = (512, 512, 256)
N_DABS = 40
DAB_TARGETS_MS = {8: 2, 64: 30}
CURSOR_TARGET_MS = 16
ACTIONS = {"ADD": "build", "REMOVE": "build", "PAINT": "paint", "RAISE": "sculpt", "SMOOTH": "sculpt"}


def rows() -> list[dict[str, Any]]:
    """The table's rows. The target is of ours, there is no peer."""
    numba.set_num_threads(1)
    registration.register()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    owner = session.new_world_object(bpy.context, "World", _world())
    with Renderer(create_context()) as renderer:
        pool = renderer.new_pool()
        finish(pool.bring(session.world_of(owner), np.zeros(3)))
        return [*_dabs(owner, pool), *_stroke(owner, pool), *_cursors(owner)]


def _world() -> World:
    preset = presets.world_preset("rolling_hills")
    world = finish(terrain.generate(preset, presets.palette(preset.palette), SIZE, 1))
    blocks = {coord: world.chunk(coord) & ~np.uint16(FLAG_SMOOTH) for coord in world.coords()}
    world.apply(edit_of_chunks(world, {c: int(v) if np.ndim(v) == 0 else v for c, v in blocks.items()}))
    return world


def _settings(action: str, radius: float) -> Any:
    settings = tool_properties.of_tool(bpy.context.scene, ACTIONS[action])
    settings.action, settings.radius, settings.falloff = action if action != "REMOVE" else "ADD", radius, "SMOOTH"
    return settings


class _Operator:
    """What a stroke's operator has of its settings."""

    def __init__(self, settings: Any, action: str) -> None:
        tool_properties.copy_settings(settings, self, tool_properties.BRUSH_KEYS)
        self.action, self.seed, self.material = action, 1, "1"


def _rays() -> list[picking.Ray]:
    """From above, a little slanted, onto places away from the world's sides."""
    places = np.random.default_rng(1).uniform(90, SIZE[0] - 90, (N_DABS, 2))
    return [picking.Ray(np.array((x, y, 400.0)), np.array((0.2, 0.1, -1.0))) for x, y in places]


def _begun(owner: bpy.types.Object, settings: Any, action: str, ray: picking.Ray) -> tuple[Any, Any]:
    first = brushes.aim(owner, ray, settings, action)
    assert first is not None
    operator: Any = _Operator(settings, action)
    made = brushes.action_of(operator, owner, first)
    shape = brushes.shape_of(operator, action, first.face)
    return brushes.stroke_of(session.world_of(owner), operator, made, shape, Symmetry(), None), shape


def _dabs(owner: bpy.types.Object, pool: Any) -> list[dict[str, Any]]:
    made = []
    for radius, target in DAB_TARGETS_MS.items():
        for action in ACTIONS:
            settings = _settings(action, radius)
            times = []
            for ray in _rays():
                stroke, shape = _begun(owner, settings, action, ray)

                times.append(_ms(partial(_dab_at, owner, pool, stroke, shape, settings, action, ray)))
                session.uncover(owner)
                pool.update(session.world_of(owner), np.zeros(3))
            made.append(_row(f"dab of radius {radius}, mouse to card: {action.lower()}", median(times), target))
    return made


def _dab_at(
    owner: bpy.types.Object, pool: Any, stroke: Any, shape: Any, settings: Any, action: str, ray: picking.Ray
) -> None:
    found = brushes.aim(owner, ray, settings, action)
    if found is not None:
        session.show(owner, stroke.to(found.point, 1.0, shape))
        pool.update(session.world_of(owner), np.zeros(3))


def _stroke(owner: bpy.types.Object, pool: Any) -> list[dict[str, Any]]:
    turns = np.linspace(0, 6 * np.pi, 2000)
    places = np.column_stack([256 + 150 * np.cos(turns), 256 + 150 * np.sin(turns)])
    rays = [picking.Ray(np.array((x, y, 400.0)), np.array((0.0, 0.0, -1.0))) for x, y in places]
    settings = _settings("RAISE", 8)
    stroke, shape = _begun(owner, settings, "RAISE", rays[0])
    times = [_ms(partial(_dab_at, owner, pool, stroke, shape, settings, "RAISE", ray)) for ray in rays]
    released = _ms(lambda: (session.uncover(owner), session.commit(owner, stroke.edit())))
    name = "stroke of 2,000 samples, radius 8"
    return [
        _row(f"{name}: a sample, median", median(times), 2),
        _row(f"{name}: a sample, 99th percentile", float(np.percentile(times, 99)), None),
        _row(f"{name}: the release", released, None),
    ]


def _cursors(owner: bpy.types.Object) -> list[dict[str, Any]]:
    made = []
    for radius in (8, 64):
        settings = _settings("ADD", radius)

        def show(ray: picking.Ray, settings: Any = settings) -> None:
            found = brushes.aim(owner, ray, settings, "ADD")
            assert found is not None
            shape = brushes.shape_of(settings, "ADD", found.face)
            cursor.brush_parts(owner, shape.at(found.point, brushes.is_between(settings)))

        first, *others = _rays()
        made.append(_row(f"cursor of radius {radius}: first", _ms(partial(show, first)), None))
        times = [_ms(partial(show, ray)) for ray in others]
        made.append(_row(f"cursor of radius {radius}: following", median(times), CURSOR_TARGET_MS))
    return made


def _ms(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    return (time.thread_time() - start) * 1e3


def _row(name: str, ours: float, target: float | None) -> dict[str, Any]:
    return {"name": name, "ours": ours, "peer": None, "ratio": None, "target": target, "unit": "ms"}
