# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface Nets of the 256³ volumes, on one thread.

Interpolated, microseconds a non-empty chunk, beside bonsairobo/fast-surface-nets-rs. That is Rust and is built
elsewhere: VOXELWRIGHT_NETS_PEER names a program that takes a file of 258³ float32 signed distances (x slowest) and a
number of rounds, meshes the non-empty ones of 8³ chunks with a border of one sample on one thread, and prints
nanoseconds a chunk, chunks, vertices, triangles. Without it, vtk's time in this run stands for the peer's. Ours gets
the same field mirrored on all axes: then an edge belongs to the same chunk as with the peer, and all counts must be
equal. Both start from a chunk's float32 field and make positions, normals and indices; the peer's normals are the
field's gradient, not unit, ours area-weighted and unit.

Binary, milliseconds of the whole mesh_smooth(), from the world, with normals and materials, beside vtkSurfaceNets3D,
which makes neither; a second row has vtkPolyDataNormals after it, so that both sides make normals. Within a process
the best round counts, of both.
"""

import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import peers
import volumes
from numpy.typing import NDArray

from voxelwright.voxel.jobs import finish
from voxelwright.voxel.kernels import kernel
from voxelwright.voxel.layout import FLAG_SMOOTH, MATERIAL_SHIFT
from voxelwright.voxel.mesh.arrays import SmoothMesh
from voxelwright.voxel.mesh.lod import mesh_lod
from voxelwright.voxel.mesh.nets import find_quads, finish_vertices
from voxelwright.voxel.mesh.nets_cells import count_own, find_cells, number_cells
from voxelwright.voxel.mesh.nets_field import place_by_field
from voxelwright.voxel.mesh.nets_tables import BORDER, CELLS, NOWHERE, SAMPLES
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.world import World, as_chunk, new_world

PEER = {"hills": (185.0, 169_405, 310_222), "caves": (226.0, 591_222, 1_081_314)}
"""Microseconds a chunk that the peer took where vtk took peers.VTK_MS; vertices; triangles."""

ROUNDS = 9


def rows() -> list[dict[str, Any]]:
    numba.set_num_threads(1)
    return [row for name in ("hills", "caves") for row in (*_interpolated(name), *_binary(name))]


def _interpolated(name: str) -> list[dict[str, Any]]:
    field = signed_distances(name)
    file = volumes.path(name).with_name(f"{name}_f32_{volumes.SIZE}.raw")
    if not file.exists():
        field.tofile(file)
    chunks = field_chunks(field[::-1, ::-1, ::-1])
    counts = np.zeros((len(chunks), 2), np.int64)
    count_fields(chunks, counts)
    chunks, counts = chunks[counts[:, 0] > 0], counts[counts[:, 0] > 0]
    n_vertices, n_quads = counts.sum(axis=0).tolist()
    out = (
        np.empty((n_vertices, 3), np.float32),
        np.empty((n_vertices, 3), np.float32),
        np.empty((n_quads, 4), np.uint32),
    )
    ours: list[float] = []
    peer: list[list[float]] = []
    mesh_fields(chunks, counts, *out)
    for _ in range(ROUNDS):
        ours.append(_us(lambda: (count_fields(chunks, counts), mesh_fields(chunks, counts, *out))) / len(chunks))
        made = peers.program("VOXELWRIGHT_NETS_PEER", file, "5")
        if made is not None:
            peer.append(made)
    us, vertices, triangles = PEER[name]
    note: str = ""
    peer_us: float | None
    if peer:
        peer_us, (vertices, triangles) = min(run[0] for run in peer) / 1e3, map(int, peer[0][2:4])
    else:
        vtk = peers.vtk_surface_nets_ms(name)
        peer_us = us * vtk / peers.VTK_MS[name] if vtk else None
        note = "fast-surface-nets-rs's times are vtk's in this run by the ratio of targets.md." if vtk else "No peers."
    return [
        _row(f"{name}, interpolated", min(ours), peer_us, 0.35, "µs a chunk", note),
        _row(f"{name}, vertices", n_vertices, vertices, 1.0, "vertices", ""),
        _row(f"{name}, triangles", 2 * n_quads, triangles, 1.0, "triangles", ""),
    ]


def _binary(name: str) -> list[dict[str, Any]]:
    binary, colored = smooth_world(name, one_material=True), smooth_world(name, one_material=False)
    settings = {smoothing: Settings(smoothing) for smoothing in (0.0, 1.0)}

    def mesh(world: World, smoothing: float) -> SmoothMesh:
        world.settings = settings[smoothing]
        return finish(mesh_smooth(world, coords=volumes.CHUNKS))

    halves = dict.fromkeys(colored.coords(), 1)
    jobs: dict[str, Callable[[], object]] = {
        "binary": lambda: mesh(binary, 0.0),
        "binary, 5 materials": lambda: mesh(colored, 0.0),
        "smoothed": lambda: mesh(binary, 1.0),
        "level of detail 1:2": lambda: finish(mesh_lod(binary, halves)),
    }
    times: dict[str, list[float]] = {job: [] for job in jobs}
    vtk: list[float] = []
    with_normals: list[float] = []
    for work in jobs.values():
        work()
    for _ in range(ROUNDS):
        for job, work in jobs.items():
            times[job].append(_us(work) / 1e3)
        made = peers.vtk_surface_nets_and_normals_ms(name)
        if made is not None:
            vtk.append(made[0])
            with_normals.append(sum(made))
    peer = min(vtk) if vtk else None
    note = "" if vtk else "vtk is not installed."
    return [
        _row(
            f"{name}, {job}",
            min(times[job]),
            peer if job == "binary" else None,
            0.15 if job == "binary" else None,
            "ms",
            note,
        )
        for job in jobs
    ] + [
        _row(
            f"{name}, binary, vtk with normals too",
            min(times["binary"]),
            min(with_normals) if with_normals else None,
            None,
            "ms",
            note,
        )
    ]


def smooth_world(name: str, *, one_material: bool) -> World:
    """A world with the volume's voxels as smooth ones; beyond its border it goes on as at the border."""
    materials = np.pad(volumes.materials(name), 31, mode="edge").astype(np.uint16)
    voxels = np.where(
        materials > 0, (np.minimum(materials, 1) if one_material else materials) << MATERIAL_SHIFT | FLAG_SMOOTH, 0
    )
    voxels = voxels.astype(np.uint16)
    chunks = {
        (x - 1, y - 1, z - 1): as_chunk(voxels[32 * x : 32 * x + 32, 32 * y : 32 * y + 32, 32 * z : 32 * z + 32])
        for x, y, z in np.ndindex(10, 10, 10)
    }
    return new_world(chunks, Palette.of({i: Material(f"material {i}", (9, 9, 9), smooth=True) for i in range(1, 7)}))


def signed_distances(name: str) -> NDArray[np.float32]:
    """(258, 258, 258) float32, negative inside: solid voxels blurred, with the signs of the voxels."""
    solid = volumes.materials(name) > 0
    share = solid.astype(np.float32)
    for axis in range(3):
        low, high = np.roll(share, 1, axis), np.roll(share, -1, axis)
        share = (low + 2 * share + high) / 4
    return np.where(solid, -np.maximum(2 * share - 1, 1 / 64), np.maximum(1 - 2 * share, 1 / 64)).astype(np.float32)


def field_chunks(field: NDArray[np.float32]) -> NDArray[np.float32]:
    """(512, 36, 36, 36) float32: the chunks of a field of 258³, its outermost layer repeated once."""
    wide = np.pad(field, 1, mode="edge")
    return np.stack(
        [
            wide[32 * x : 32 * x + SAMPLES, 32 * y : 32 * y + SAMPLES, 32 * z : 32 * z + SAMPLES]
            for x, y, z in volumes.CHUNKS
        ]
    )


@kernel
def inside_rows(field, rows):
    """Write rows (36, 36) int64 of bits along z, those where field (36, 36, 36) float32 is negative."""
    for x in range(SAMPLES):
        for y in range(SAMPLES):
            row, values = np.int64(0), field[x, y]
            for z in range(SAMPLES):
                row |= np.int64(values[z] < 0) << z
            rows[x, y] = row


@kernel
def count_fields(fields, counts):
    """Write counts (n, 2) int64, vertices and quads, of fields (n, 36, 36, 36) float32."""
    rows = np.empty((SAMPLES, SAMPLES), np.int64)
    edges, cells = np.empty((3, SAMPLES, SAMPLES), np.int64), np.empty((CELLS, CELLS), np.int64)
    for i in range(len(fields)):
        inside_rows(fields[i], rows)
        find_cells(rows, rows, edges, cells)
        counts[i, 0], counts[i, 1] = count_own(edges, cells)


@kernel
def mesh_fields(fields, counts, positions, normals, quads):
    """Write positions and normals (v, 3) float32 and quads (q, 4) uint32 of fields (n, 36, 36, 36) float32."""
    most = counts[:, 0].max() + CELLS**3 - (CELLS - 2 * (BORDER - 1)) ** 3
    rows = np.empty((SAMPLES, SAMPLES), np.int64)
    edges, cells = np.empty((3, SAMPLES, SAMPLES), np.int64), np.empty((CELLS, CELLS), np.int64)
    numbers, corners = np.empty(CELLS * CELLS * SAMPLES, np.uint16), np.empty(most, np.uint8)
    points, areas = np.empty((most, 4), np.int32), np.empty((most, 4), np.int32)
    samples, centred = np.empty(counts[:, 1].max(), np.uint16), np.zeros((CELLS, CELLS), np.int64)
    vertex, quad = np.int64(0), np.int64(0)
    for i in range(len(fields)):
        inside_rows(fields[i], rows)
        find_cells(rows, rows, edges, cells)
        n = number_cells(rows, cells, centred, NOWHERE, counts[i, 0], numbers, corners, points)
        place_by_field(fields[i], corners, n, points)
        areas[:n] = 0
        find_quads(rows, edges, numbers, points, vertex, areas, quads[quad:], samples)
        finish_vertices(points, areas, counts[i, 0], positions[vertex:], normals[vertex:])
        vertex += counts[i, 0]
        quad += counts[i, 1]


def _us(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e6


def _row(name: str, ours: float, peer: float | None, target: float | None, unit: str, note: str) -> dict[str, Any]:
    ratio = ours / peer if peer else None
    return {"name": name, "ours": ours, "peer": peer, "ratio": ratio, "target": target, "unit": unit, "note": note}
