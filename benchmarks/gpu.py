# SPDX-License-Identifier: GPL-3.0-or-later
"""The renderer's passes over a world of 512 × 512 × 256 voxels, in milliseconds of the graphics card.

Times are differences of time stamps that the card writes itself, read after the work is done; medians over many runs.
There is no peer: targets are the limits of the hardware. A software renderer's figures mean nothing.
"""

import itertools
import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
import volumes

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.cascades import fit_cascades
from voxelwright.gpu_backend.context import create_context
from voxelwright.gpu_backend.gl import GlFunctions
from voxelwright.gpu_backend.light import Light
from voxelwright.gpu_backend.passes.mesh import MeshPass
from voxelwright.gpu_backend.passes.nets import NetsPass
from voxelwright.gpu_backend.records import MESH_JOB, StorageBinding
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.gpu_backend.timers import FrameTimers
from voxelwright.voxel.layout import AIR, FLAG_SMOOTH
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.world import Chunk, World, as_chunk, edit_of_chunks, new_world

RUNS = 50
FAR_BUDGET = 6 << 30
SIZE = 2560, 1440
MIB = 2**20
WARM_UP_S = 0.3
STAGES = (
    "clear",
    "cull",
    "cull quads",
    "draw",
    "cull hidden",
    "cull hidden quads",
    "draw newly seen",
    "resolve",
    "shade",
    "sky",
)

BUSY = """#version 430
layout(local_size_x = 1) in;
layout(std430, binding = 15) buffer Result { uint result; };
void main() {
    uint x = result;
    for (int i = 0; i < 1000000; i++) {
        x = x * 1664525u + 1013904223u;
    }
    result = x;
}
"""
"""Some milliseconds of nothing."""


def rows() -> list[dict[str, Any]]:
    ctx = create_context()
    card = Card(ctx)
    note = f"{ctx.info['GL_RENDERER']}, OpenGL {ctx.info['GL_VERSION']}"
    world = volumes.large_world()
    made = [*_meshing(card, world, merge=False), *_meshing(card, world, merge=True)]
    made += [*_nets(card, world, 0.0), *_nets(card, world, 1.0), *_frames(card, world), *_levels(card, world)]
    return [{**row, "peer": None, "ratio": None, "note": note} for row in made]


class Card:
    """Times work on the graphics card. The card is kept busy before each run, so that all of a run's commands are there
    when it begins: otherwise the time of those who give the commands would be measured too."""

    def __init__(self, ctx: Any) -> None:
        self.ctx, self._gl = ctx, GlFunctions(ctx)
        self._busy = ctx.compute_shader(BUSY)
        self._busy_result = ctx.buffer(reserve=4)

    def warm_up(self, work: Callable[[], object]) -> None:
        """Do it for a while."""
        begun = time.perf_counter()
        while time.perf_counter() - begun < WARM_UP_S:
            work()
            self.ctx.finish()

    def milliseconds(self, work: Callable[[], object], runs: int = RUNS, *, warm: bool = True) -> float:
        """The median of several runs, after some that do not count: a card at rest has a lower clock."""
        if warm:
            self.warm_up(work)
        stamps = []
        for _ in range(runs):
            self._busy_result.bind_to_storage_buffer(StorageBinding.SEEN)
            self._busy.run(1)
            start = self._gl.time_stamp()
            work()
            stamps.append((start, self._gl.time_stamp()))
            self.ctx.finish()
        times = [(self._gl.nanoseconds(end) or 0) - (self._gl.nanoseconds(start) or 0) for start, end in stamps]
        return median(times) / 1e6


def _row(name: str, ours: float, target: float | None, unit: str = "ms") -> dict[str, Any]:
    return {"name": name, "ours": ours, "target": target, "unit": unit}


def _meshing(card: Card, world: World, *, merge: bool) -> list[dict[str, Any]]:
    name, target = ("meshing, greedy", 0.25) if merge else ("meshing, 1 × 1", 0.10)
    with Renderer(card.ctx, merge=merge) as renderer:
        pool = renderer.new_pool()
        _bring(pool, world)
        jobs = np.array([(coord, row) for row, coord in enumerate(world.coords())], MESH_JOB)
        mesh_pass = MeshPass(card.ctx, pool.defines, merge=merge)
        pool.bind()
        pool.quads.mesh(mesh_pass, jobs, world.palette.transparent)
        while len(pool.quads.finish()):  # rows without room for their quads would cost less than others
            pool.quads.mesh(mesh_pass, jobs, world.palette.transparent)
        took = card.milliseconds(lambda: mesh_pass.run(len(jobs), world.palette.transparent))
        mesh_pass.release()
        made = [_row(name, took, target), _row(f"{name}: quads", pool.n_quads, None, "quads")]
        if merge:
            made.append(_row("remeshing after a dab, with upload", _dab(card, pool, world, 5 << 8), 0.15))
            with_levels = _dab(card, pool, world, 5 << 8, levels=True)
            made.append(_row("the same with levels of detail", with_levels, None))
    return made


def _nets(card: Card, blocks: World, smoothing: float) -> list[dict[str, Any]]:
    """Smooth surfaces of a world, all of whose voxels are smooth."""
    name = "Surface Nets, smoothed field" if smoothing else "Surface Nets, world all smooth"
    chunks = {coord: _smooth(blocks.chunk(coord)) for coord in blocks.coords()}
    world = new_world(chunks, blocks.palette, Settings(smoothing=smoothing))
    owners = {(x - dx, y - dy, z - dz) for x, y, z in chunks for dx, dy, dz in _OWNER_OFFSETS}
    jobs = np.array([(coord, row) for row, coord in enumerate(sorted(owners))], MESH_JOB)
    with Renderer(card.ctx) as renderer:
        pool = renderer.new_pool()
        _bring(pool, world)
        dab = _dab(card, pool, world, 5 << 8 | FLAG_SMOOTH)
        pool.smooth.clear()
        nets_pass = NetsPass(card.ctx, pool.defines)
        pool.bind()
        settings = world.palette.transparent, smoothing
        pool.smooth.mesh(nets_pass, jobs, *settings)
        while len(pool.smooth.finish()):
            pool.smooth.mesh(nets_pass, jobs, *settings)
        took = card.milliseconds(lambda: nets_pass.run(len(jobs), *settings))
        nets_pass.release()
        return [
            _row(name, took, None if smoothing else 0.5),
            _row(f"{name}: quads", pool.smooth.n_quads, None, "quads"),
            _row(f"{name}: remeshing after a dab, with upload", dab, None),
            _row(f"{name}: memory", pool.nbytes / MIB, None, "MiB"),
        ]


_OWNER_OFFSETS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
"""Quads lie between a chunk's voxels and the next ones on each axis."""


def _smooth(chunk: Chunk) -> Chunk:
    if isinstance(chunk, int):
        return AIR if chunk == AIR else chunk | FLAG_SMOOTH
    return as_chunk(np.where(chunk == AIR, AIR, chunk | FLAG_SMOOTH).astype(np.uint16))


def _bring(pool: Any, world: World, *, levels: bool = False) -> None:
    for _ in pool.bring(world, np.zeros(3), levels=levels):
        pass


def _dab(card: Card, pool: Any, world: World, voxel: int, *, levels: bool = False) -> float:
    """A sphere of radius 8 where eight chunks meet, put there and taken away."""
    middle = np.array((256, 256, 128))
    coords = [(x, y, z) for x in (7, 8) for y in (7, 8) for z in (3, 4)]
    before = {coord: world.chunk(coord) for coord in coords}
    after = {}
    for coord in coords:
        cells = np.indices((32, 32, 32)) + (np.array(coord) * 32 - middle)[:, None, None, None] + 0.5
        chunk = before[coord]
        voxels = np.full((32, 32, 32), chunk, np.uint16) if isinstance(chunk, int) else chunk.copy()
        voxels[(cells**2).sum(axis=0) < 64] = voxel
        after[coord] = as_chunk(voxels)
    states = [after, before]
    _bring(pool, world, levels=levels)

    def dab() -> None:
        world.apply(edit_of_chunks(world, states[0]))
        states.reverse()
        pool.update(world, np.zeros(3), levels=levels)

    took = card.milliseconds(dab)
    if states[0] is before:
        dab()
    return took


def _view(aspect: float) -> Camera:
    return orbit_camera((0, 0, 0), (512, 512, 256), 30, 30, aspect)


def _frames(card: Card, world: World) -> list[dict[str, Any]]:
    made = []
    with Renderer(card.ctx) as renderer:
        pool = renderer.new_pool()
        _bring(pool, world)
        shown = [Shown(pool, _view(SIZE[0] / SIZE[1]))]
        targets = dict.fromkeys(STAGES) | {"cull": 0.02, "draw": 1.5}
        card.warm_up(lambda: renderer.draw(shown, *SIZE))
        renderer.timers = FrameTimers(GlFunctions(card.ctx))
        took = card.milliseconds(lambda: renderer.draw(shown, *SIZE), warm=False)
        stages = renderer.settled_figures().gpu_milliseconds
        made += [_row(f"{name}, 2560 × 1440", stages[name], target) for name, target in targets.items()]
        made.append(_row("whole frame, 2560 × 1440", took, 3.0))
        made.append(_row("memory of the world", pool.nbytes / MIB, 200, "MiB"))
        made += _light(card, renderer, shown[0])
        made += _maps(card, renderer, pool)
        flat = [replace(shown[0], look=Look(blending=False))]
        made.append(_row("whole frame without blending", card.milliseconds(lambda: renderer.draw(flat, *SIZE)), None))
    return made


def _levels(card: Card, world: World) -> list[dict[str, Any]]:
    """A far view of 2048 × 2048 × 256 voxels, in full detail and in levels whose voxels cover up to so many pixels."""
    made = []
    with Renderer(card.ctx, budget=FAR_BUDGET) as renderer:
        pool = renderer.new_pool()
        _bring(pool, world, levels=True)
        made.append(_row("memory of the world with levels", pool.nbytes / MIB, 200, "MiB"))
        wide = volumes.mirrored(world, 4)
        _bring(pool, wide)
        full = pool.nbytes
        _bring(pool, wide, levels=True)
        made.append(_row("levels of a world 2048 wide: memory", (pool.nbytes - full) / full, None, "of its own"))
        camera = orbit_camera((0, 0, 0), (2048, 2048, 256), 30, 15, SIZE[0] / SIZE[1], 50.0)
        for detail in (0.0, 1.0, 2.0, 4.0):
            name = f"far view, up to {detail:g} pixels" if detail else "far view, full detail"
            shown = [Shown(pool, camera, Look(detail=detail))]
            card.warm_up(lambda shown=shown: renderer.draw(shown, *SIZE))
            renderer.timers = FrameTimers(GlFunctions(card.ctx))
            took = card.milliseconds(lambda shown=shown: renderer.draw(shown, *SIZE), warm=False)
            stages = renderer.settled_figures().gpu_milliseconds
            seen = np.frombuffer(pool.commands.seen.read(), np.uint8)[4 * pool.commands.n_rows :]
            made.append(_row(f"{name}: quads seen", int(np.bitwise_count(seen).sum()), None, "quads"))
            made.append(_row(f"{name}: culling and drawing", sum(stages[stage] for stage in STAGES[1:7]), None))
            made.append(_row(f"{name}: whole frame", took, None))
    return made


def _light(card: Card, renderer: Renderer, shown: Shown) -> list[dict[str, Any]]:
    """Shadow and ambient occlusion: what their stages take, and with both the whole frame."""
    looks = {
        "shadow": Look(shadows=1.0),
        "8 AO rays": Look(occlusion=1.0),
        "shadow and 8 AO rays": Look(shadows=1.0, occlusion=1.0),
    }
    made = []
    for name, look in looks.items():
        lit = [replace(shown, look=look)]
        card.warm_up(lambda lit=lit: renderer.draw(lit, *SIZE))
        renderer.timers = FrameTimers(GlFunctions(card.ctx))
        took = card.milliseconds(lambda lit=lit: renderer.draw(lit, *SIZE), warm=False)
        stages = renderer.settled_figures().gpu_milliseconds
        made.append(_row(f"{name}, 2560 × 1440", stages["rays"], None))
    made[-1]["target"] = 0.5
    made.append(_row("with blur and shading", sum(stages[name] for name in ("rays", "blur", "shade")), 0.8))
    made.append(_row("whole frame with light", took, 3.0))
    return made


def _maps(card: Card, renderer: Renderer, pool: Any) -> list[dict[str, Any]]:
    """Shadow maps and occlusion in the picture, from amid the world: with a camera at rest, and where all maps have to
    be drawn anew because it went far."""
    aspect = SIZE[0] / SIZE[1]
    look = Look(shadows=1.0, occlusion=1.0, light=Light.MAPS)
    places = [[Shown(pool, orbit_camera((x, 200, 100), (x + 100, 300, 180), 30, 25, aspect), look)] for x in (100, 300)]
    card.warm_up(lambda: [renderer.draw(shown, *SIZE) for shown in places])
    renderer.timers = FrameTimers(GlFunctions(card.ctx))
    at_rest = card.milliseconds(lambda: renderer.draw(places[1], *SIZE), warm=False)
    rest = renderer.settled_figures().gpu_milliseconds
    moves = itertools.cycle(places)
    card.milliseconds(lambda: renderer.draw(next(moves), *SIZE), warm=False)
    drawn = renderer.settled_figures().gpu_milliseconds["shadow maps"]
    n = len(fit_cascades(places[0][0].camera, look.sun_direction, *pool.box))
    return [
        _row("a shadow map drawn anew, on average", drawn / n, None),
        _row("light by maps, 2560 × 1440", rest["light by maps"], None),
        _row("light by maps: blur", rest["blur"], None),
        _row("whole frame with light by maps", at_rest, 3.0),
    ]
