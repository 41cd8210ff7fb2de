# SPDX-License-Identifier: GPL-3.0-or-later
"""A graph of nodes as flat arrays of numbers, and the kernel that evaluates them over a box of voxels.

Each node has a register, an array over the box; nodes are evaluated one after the other. Flat nodes have the same
value at all altitudes; a program of flat nodes alone is evaluated over boxes that are one voxel high.
"""

import zlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels import get_num_threads, kernel, parallel_kernel, prange
from ..queue import take
from .curves import curve_rows, on_curve
from .nodes import Node
from .noise import BILLOW, PLAIN, RIDGED, fractal2, fractal3, permutation, turn_of
from .point_noise import BORDER, F1, F2, cellular2_at, cellular3_at, point_fractal2, simplex_fractal3

REDUCED_OCTAVES = 2
"""Octaves that are shown while a world is animated."""

_WARP_OCTAVES = 2

_GRADIENT, _SIMPLEX, _CELLULAR, _CONSTANT, _ALTITUDE, _DEPTH = range(6)
_ADD, _MULTIPLY, _MINIMUM, _MAXIMUM, _MIX, _TERRACE = range(6, 12)
_KINDS = {
    "perlin": (_GRADIENT, PLAIN), "ridged": (_GRADIENT, RIDGED), "billow": (_GRADIENT, BILLOW),
    "simplex": (_SIMPLEX, PLAIN), "cellular": (_CELLULAR, 0), "constant": (_CONSTANT, 0),
    "altitude": (_ALTITUDE, 0), "depth": (_DEPTH, 0), "add": (_ADD, 0), "multiply": (_MULTIPLY, 0),
    "minimum": (_MINIMUM, 0), "maximum": (_MAXIMUM, 0), "mix": (_MIX, 0), "terrace": (_TERRACE, 0),
}  # fmt: skip
"""Each kind's operation and variant."""

_MEASURES = {"f1": F1, "f2": F2, "border": BORDER}

_OPERATION = np.dtype(
    [
        ("kind", "i8"), ("variant", "i8"), ("solid", "i8"), ("first_input", "i8"), ("n_inputs", "i8"), ("by", "i8"),
        ("table", "i8"), ("first_point", "i8"), ("n_points", "i8"), ("octaves", "i8"), ("shown", "i8"),
        ("frequency_x", "f8"), ("frequency_y", "f8"), ("frequency_z", "f8"), ("lacunarity", "f8"), ("gain", "f8"),
        ("warp", "f8"), ("warp_frequency", "f8"), ("value", "f8"), ("ramp", "f8"), ("scale", "f4"), ("offset", "f4"),
    ],
    align=True,
)  # fmt: skip
"""One node. solid: its noise fills space; inputs are places in Program.inputs, points rows of Program.curves."""


class Program(NamedTuple):
    """Nodes as arrays: (n,) of _OPERATION; (m,) int64 registers; (t, 512) int64 permutations; (p, 3) float32 curve
    points; (2,) float64 cosine and sine of the phase."""

    operations: NDArray[np.void]
    inputs: NDArray[np.int64]
    tables: NDArray[np.int64]
    curves: NDArray[np.float32]
    turn: NDArray[np.float64]


def node_seed(seed: int, name: str) -> int:
    """The seed of a node's noise: another for each name, so that a new node changes no other."""
    return seed + zlib.crc32(name.encode()) * 0x9E37_79B9_7F4A_7C15


def compile_nodes(
    nodes: Mapping[str, Node], roots: Sequence[str], seed: int, phase: float, reduced: bool
) -> tuple[Program, NDArray[np.int64]]:
    """The program of all that roots need, and the register of each root, int64.

    nodes come in an order in which each is after those that it takes. reduced shows REDUCED_OCTAVES of each fractal.
    """
    needed = _needed(nodes, roots)
    place = {name: i for i, name in enumerate(needed)}
    operations = np.zeros(len(needed), _OPERATION)
    inputs: list[int] = []
    tables: list[NDArray[np.int64]] = [permutation(seed)]
    curves: list[tuple[float, float, float]] = [(0.0, 0.0, 0.0)]
    for name, row in zip(needed, operations, strict=True):
        node = nodes[name]
        values = node.values
        row["kind"], row["variant"] = _KINDS[node.kind]
        row["first_input"], row["n_inputs"] = len(inputs), len(values.get("of", ()))
        inputs += [place[other] for other in values.get("of", ())]
        row["by"] = place[values["by"]] if "by" in values else 0
        row["first_point"], row["n_points"] = len(curves), len(values.get("curve", ()))
        curves += curve_rows(values.get("curve", ()))
        row["scale"], row["offset"] = values.get("scale", 1.0), values.get("offset", 0.0)
        row["value"], row["ramp"] = values.get("value", values.get("step", 0.0)), values.get("ramp", 0.0)
        if "wavelength" in values:
            row["table"] = len(tables)
            # The second table is that of the warp.
            tables += [permutation(node_seed(seed, name)), permutation(node_seed(seed, name + " warp"))]
            _noise_numbers(row, node, reduced)
    arrays = np.array(inputs or [0], np.int64), np.array(tables), np.array(curves, np.float32)
    return Program(operations, *arrays, np.array(turn_of(phase))), np.array([place[root] for root in roots], np.int64)


def _needed(nodes: Mapping[str, Node], roots: Sequence[str]) -> list[str]:
    wanted = set(roots)
    for name in reversed(list(nodes)):
        if name in wanted:
            wanted |= set(nodes[name].inputs)
    return [name for name in nodes if name in wanted]


def _noise_numbers(row: np.void, node: Node, reduced: bool) -> None:
    values = node.values
    for axis in "xyz":
        row[f"frequency_{axis}"] = 1.0 / (values["wavelength"] * values[f"stretch_{axis}"])
    row["solid"] = values["space"] == "solid"
    row["octaves"] = values.get("octaves", 1)
    row["shown"] = min(row["octaves"], REDUCED_OCTAVES) if reduced else row["octaves"]
    row["lacunarity"], row["gain"] = values.get("lacunarity", 2.0), values.get("gain", 0.5)
    row["warp"], row["warp_frequency"] = values["warp"], 1.0 / values["warp_wavelength"]
    if "measure" in values:
        row["variant"] = _MEASURES[values["measure"]]


class Boxes(NamedTuple):
    """Values over boxes of voxels: boxes (n, 6) int64 are each one's lowest voxel and its size along x, y, z; from
    starts[i] on, values (float32) holds box i's of one root after the other, in C order. A start of −1: no box."""

    boxes: NDArray[np.int64]
    starts: NDArray[np.int64]
    values: NDArray[np.float32]


NO_HEIGHTS = np.zeros((0, 0), np.float32)


def values_in_boxes(
    program: Program,
    roots: NDArray[np.int64],
    boxes: NDArray[np.int64],
    heights: NDArray[np.float32] = NO_HEIGHTS,
    room: NDArray[np.float32] | None = None,
) -> Boxes:
    """The values of a program's roots over boxes (n, 6) int64; those of no size get none.

    heights (nx, ny) float32 are the ground's, for nodes of the kind depth. Values are written to room where that is
    given, because fresh memory costs time too; there must be enough of it. What a box holds does not depend on the
    others, nor a voxel's value on its box.
    """
    sizes = boxes[:, 3:].prod(axis=1)
    filled = sizes > 0
    starts = np.where(filled, np.cumsum(sizes * len(roots)) - sizes * len(roots), -1)
    n_values = int(sizes.sum()) * len(roots)
    values = np.empty(n_values, np.float32) if room is None else room[:n_values]
    if filled.any():
        _evaluate_boxes(get_num_threads(), program, roots, boxes[filled], starts[filled], heights, values)
    return Boxes(boxes, starts, values)


# --- Kernels ---------------------------------------------------------------------------------------------------


@parallel_kernel
def _evaluate_boxes(n_threads, program, roots, boxes, starts, heights, values):
    """Write the roots' values over boxes (n, 6) int64, corner and size, to values from starts (n,) on; see Boxes."""
    queue = np.zeros(1, np.int64)
    n, most = len(program.operations), (boxes[:, 3] * boxes[:, 4] * boxes[:, 5]).max()
    for _ in prange(n_threads):
        scratch = np.empty(n * most, np.float32)
        following = take(queue)
        while following < len(boxes):
            i, following = following, take(queue)
            nx, ny, nz = boxes[i, 3], boxes[i, 4], boxes[i, 5]
            size = nx * ny * nz
            registers = scratch[: n * size].reshape((n, nx, ny, nz))
            _evaluate(program, boxes[i, 0], boxes[i, 1], boxes[i, 2], heights, registers)
            for r in range(len(roots)):
                values[starts[i] + r * size : starts[i] + (r + 1) * size] = registers[roots[r]].reshape(-1)


@kernel
def _evaluate(program, x0, y0, z0, heights, registers):
    """Write every node's values over the box of voxels from (x0, y0, z0) to registers (nodes, nx, ny, nz) float32."""
    _, nx, ny, nz = registers.shape
    flat = np.empty((nx, ny), np.float32)
    for n in range(len(program.operations)):
        o = program.operations[n]
        out = registers[n]
        if o.kind <= _CELLULAR:
            if o.solid:
                _solid_noise(program, o, x0, y0, z0, out)
            else:
                _flat_noise(program, o, x0, y0, flat)
                for x in range(nx):
                    for y in range(ny):
                        out[x, y, :] = flat[x, y]
        elif o.kind == _CONSTANT:
            out[:] = np.float32(o.value)
        elif o.kind <= _DEPTH:
            for x in range(nx):
                for y in range(ny):
                    top = np.float64(heights[x0 + x, y0 + y])
                    for z in range(nz):
                        middle = z0 + z + 0.5
                        out[x, y, z] = np.float32(middle if o.kind == _ALTITUDE else top - middle)
        else:
            _combine(program, o, registers.reshape(len(registers), -1), n)
        values = out.reshape(-1)
        if o.n_points > 0:
            points = program.curves[o.first_point : o.first_point + o.n_points]
            for i in range(len(values)):
                values[i] = on_curve(values[i], points)
        if o.scale != 1.0 or o.offset != 0.0:
            for i in range(len(values)):
                values[i] = values[i] * o.scale + o.offset


@kernel
def _flat_noise(program, o, x0, y0, out):
    """Write a node's noise at the columns from (x0, y0) on to out (nx, ny) float32."""
    table = program.tables[o.table]
    cosine, sine = program.turn[0], program.turn[1]
    if o.kind == _GRADIENT and o.warp == 0.0:
        fractal2(
            out, x0, y0, o.frequency_x, o.frequency_y, o.octaves, o.shown, o.lacunarity, o.gain, o.variant,
            table, cosine, sine,
        )  # fmt: skip
        return
    nx, ny = out.shape
    moved_x, moved_y = np.zeros((nx, ny), np.float32), np.zeros((nx, ny), np.float32)
    if o.warp > 0.0:
        octaves = np.int64(_WARP_OCTAVES)  # typed as in the call above: numba compiles literals once more
        for moved, apart in ((moved_x, 0), (moved_y, 1 << 16)):
            f = o.warp_frequency
            fractal2(
                moved, x0 + apart, y0, f, f, octaves, octaves, 2.0, 0.5, np.int64(PLAIN),
                program.tables[o.table + 1], cosine, sine,
            )  # fmt: skip
    xs, ys = np.empty((nx, ny), np.float64), np.empty((nx, ny), np.float64)
    for x in range(nx):
        for y in range(ny):
            xs[x, y] = (x0 + x + o.warp * moved_x[x, y]) * o.frequency_x
            ys[x, y] = (y0 + y + o.warp * moved_y[x, y]) * o.frequency_y
    if o.kind == _CELLULAR:
        for x in range(nx):
            for y in range(ny):
                out[x, y] = cellular2_at(xs[x, y], ys[x, y], o.variant, table, cosine, sine)
    else:
        point_fractal2(
            out.reshape(-1), xs.reshape(-1), ys.reshape(-1), o.octaves, o.shown, o.lacunarity, o.gain,
            o.kind == _SIMPLEX, o.variant, table, cosine, sine,
        )  # fmt: skip


@kernel
def _solid_noise(program, o, x0, y0, z0, out):
    """Write a node's noise at the voxels from (x0, y0, z0) on to out (nx, ny, nz) float32."""
    table = program.tables[o.table]
    cosine, sine = program.turn[0], program.turn[1]
    if o.kind == _GRADIENT:
        fractal3(
            out, x0, y0, z0, o.frequency_x, o.frequency_y, o.frequency_z, o.octaves, o.shown, o.lacunarity, o.gain,
            o.variant, table, cosine, sine,
        )  # fmt: skip
    elif o.kind == _SIMPLEX:
        simplex_fractal3(
            out, x0, y0, z0, o.frequency_x, o.frequency_y, o.frequency_z, o.octaves, o.shown, o.lacunarity, o.gain,
            table, cosine, sine,
        )  # fmt: skip
    else:
        for x in range(out.shape[0]):
            for y in range(out.shape[1]):
                for z in range(out.shape[2]):
                    px, py, pz = (x0 + x) * o.frequency_x, (y0 + y) * o.frequency_y, (z0 + z) * o.frequency_z
                    out[x, y, z] = cellular3_at(px, py, pz, o.variant, table, cosine, sine)


@kernel
def _combine(program, o, registers, n):
    """Write what becomes of a node's inputs to its register; registers (nodes, size) float32."""
    out = registers[n]
    first = registers[program.inputs[o.first_input]]
    if o.kind == _MIX:
        second, by = registers[program.inputs[o.first_input + 1]], registers[o.by]
        for i in range(len(out)):
            share = min(max(by[i], np.float32(0.0)), np.float32(1.0))
            out[i] = first[i] + (second[i] - first[i]) * share
        return
    if o.kind == _TERRACE:
        step, ramp = np.float32(o.value), np.float32(o.ramp)
        for i in range(len(out)):
            out[i] = terraced(first[i], step, ramp)
        return
    for i in range(len(out)):
        out[i] = first[i]
    for k in range(1, o.n_inputs):
        other = registers[program.inputs[o.first_input + k]]
        for i in range(len(out)):
            if o.kind == _ADD:
                out[i] += other[i]
            elif o.kind == _MULTIPLY:
                out[i] *= other[i]
            elif o.kind == _MINIMUM:
                out[i] = min(out[i], other[i])
            else:
                out[i] = max(out[i], other[i])


@kernel
def terraced(value, step, ramp):
    """A float32 in steps: level for 1 − ramp of each, then rising to the next."""
    steps = value / step
    whole = np.floor(steps)
    rest = steps - whole
    flat = np.float32(1.0) - ramp
    rise = np.float32(0.0) if rest <= flat else (rest - flat) / ramp
    return (whole + rise) * step
