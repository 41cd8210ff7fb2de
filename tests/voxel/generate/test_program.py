# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of node, evaluated over boxes, held to plain Python at each voxel."""

from itertools import pairwise, product

import numpy as np
import pytest

from voxelwright.voxel.generate.curves import curve_rows, on_curve
from voxelwright.voxel.generate.keys import NODE_KINDS
from voxelwright.voxel.generate.nodes import read_nodes
from voxelwright.voxel.generate.program import compile_nodes, node_seed, values_in_boxes
from voxelwright.voxel.generate.reading import Reader

SEED = 5
TABLE = {
    "hills": {"type": "perlin", "wavelength": 13, "octaves": 2, "stretch_y": 2.0, "scale": 8, "offset": 1},
    "crests": {"type": "ridged", "wavelength": 9, "octaves": 2},
    "folds": {"type": "billow", "wavelength": 9, "octaves": 1, "scale": 3},
    "smooth": {"type": "simplex", "wavelength": 11, "octaves": 2},
    "warped": {"type": "perlin", "wavelength": 10, "octaves": 2, "warp": 4, "warp_wavelength": 12},
    "cells": {"type": "cellular", "wavelength": 7, "measure": "border", "warp": 2, "warp_wavelength": 9},
    "rock": {"type": "perlin", "wavelength": 8, "octaves": 2, "space": "solid", "stretch_z": 0.5},
    "foam": {"type": "simplex", "wavelength": 8, "octaves": 2, "space": "solid"},
    "pores": {"type": "cellular", "wavelength": 6, "measure": "f1", "space": "solid"},
    "three": {"type": "constant", "value": 3},
    "up": {"type": "altitude", "scale": 0.5},
    "down": {"type": "depth"},
    "sum": {"type": "add", "of": ["hills", "folds", "three"]},
    "product": {"type": "multiply", "of": ["hills", "rock"]},
    "least": {"type": "minimum", "of": ["down", "hills", "up"]},
    "most": {"type": "maximum", "of": ["hills", "three"]},
    "blend": {"type": "mix", "of": ["hills", "three"], "by": "smooth"},
    "steps": {"type": "terrace", "of": ["hills"], "step": 2, "ramp": 0.4},
    "bent": {"type": "add", "of": ["hills"], "curve": [[-3, 5], [0, 1], [4, 1], [9, -2]], "scale": 2},
}
HEIGHTS = np.linspace(0, 30, 40 * 40, dtype=np.float32).reshape(40, 40)


class Plain:
    """The same graph, point by point."""

    def __init__(self, plain, nodes):
        self.plain, self.nodes = plain, nodes
        self.tables = {}

    def table(self, name):
        return self.tables.setdefault(name, self.plain.permutation(node_seed(SEED, name)))

    def noise(self, name, values, kind, x, y, z):
        table, plain = self.table(name), self.plain
        if values["warp"]:
            warp, f = self.table(name + " warp"), 1 / values["warp_wavelength"]
            moves = [
                plain.fractal(lambda p: plain.perlin(p, warp), ((x + apart) * f, y * f), 2, 2.0, 0.5, finest=0.5 / f)
                for apart in (0, 65536)
            ]
            x, y = x + values["warp"] * moves[0], y + values["warp"] * moves[1]
        wavelength = values["wavelength"]
        position = tuple(v / (wavelength * values[f"stretch_{a}"]) for a, v in zip("xyz", (x, y, z), strict=True))
        if values["space"] == "flat":
            position = position[:2]
        if kind == "cellular":
            return plain.cellular(position, values["measure"], table)
        base = plain.simplex if kind == "simplex" else plain.perlin
        shape = kind if kind in ("ridged", "billow") else "plain"
        how = values["octaves"], values["lacunarity"], values["gain"], shape
        return plain.fractal(lambda p: base(p, table), position, *how)

    def value(self, name, x, y, z):
        node = self.nodes[name]
        values, kind = node.values, node.kind
        of = [self.value(other, x, y, z) for other in values.get("of", ())]
        if kind == "terrace":
            whole, rest = divmod(of[0] / values["step"], 1)
            rise = max(rest - (1 - values["ramp"]), 0) / values["ramp"]
            result = (whole + rise) * values["step"]
        elif kind == "mix":
            share = min(max(self.value(values["by"], x, y, z), 0), 1)
            result = of[0] + (of[1] - of[0]) * share
        elif kind == "depth":
            result = float(HEIGHTS[x, y]) - z - 0.5
        elif "wavelength" in values:
            result = self.noise(name, values, kind, x, y, z)
        else:
            simple = {"add": sum, "multiply": np.prod, "minimum": min, "maximum": max}
            result = z + 0.5 if kind == "altitude" else values["value"] if kind == "constant" else simple[kind](of)
        if values.get("curve"):
            result = np.float64(on_curve(np.float32(result), np.array(curve_rows(values["curve"]), np.float32)))
        return result * values.get("scale", 1) + values.get("offset", 0)


@pytest.fixture(scope="module")
def nodes():
    return read_nodes(Reader("x"), TABLE)


def test_every_kind_is_here():
    assert {node["type"] for node in TABLE.values()} == set(NODE_KINDS)


@pytest.mark.parametrize("name", TABLE)
def test_nodes_equal_plain_python(plain, nodes, name):
    program, roots = compile_nodes(nodes, [name, "hills"], SEED, 0.0, False)
    boxes = np.array([(0, 0, 0, 4, 3, 5), (9, 9, 9, 0, 1, 1), (31, 7, 30, 2, 5, 3)], np.int64)
    _, starts, values = values_in_boxes(program, roots, boxes, HEIGHTS)
    reader = Plain(plain, nodes)
    assert starts[1] == -1
    for start, (*corner, nx, ny, nz) in zip(starts[[0, 2]], boxes[[0, 2]].tolist(), strict=True):
        box = values[start : start + 2 * nx * ny * nz].reshape(2, nx, ny, nz)
        for root, of in enumerate((name, "hills")):
            for at in product(range(nx), range(ny), range(nz)):
                position = [c + a for c, a in zip(corner, at, strict=True)]
                assert box[root][at] == pytest.approx(reader.value(of, *position), abs=2e-4), (of, position)


def test_only_what_roots_need_is_compiled(nodes):
    program, _ = compile_nodes(nodes, ["sum"], SEED, 0.0, False)
    assert len(program.operations) == 4
    assert len(program.tables) == 1 + 2 * 2


def test_a_new_node_changes_no_other(nodes):
    box = np.array([(0, 0, 0, 9, 9, 1)], np.int64)
    more = read_nodes(Reader("x"), {"another": TABLE["hills"], **TABLE})
    made = [values_in_boxes(*compile_nodes(n, ["sum"], SEED, 0.0, False), box).values for n in (nodes, more)]
    assert np.array_equal(*made)
    other = values_in_boxes(*compile_nodes(more, ["another"], SEED, 0.0, False), box).values
    assert not np.array_equal(other, values_in_boxes(*compile_nodes(more, ["hills"], SEED, 0.0, False), box).values)


def test_reduced_programs_show_two_octaves():
    fine = read_nodes(Reader("x"), {"a": {"type": "perlin", "wavelength": 20, "octaves": 3, "gain": 0.9}})
    box = np.array([(0, 0, 0, 30, 30, 1)], np.int64)
    whole, reduced = (values_in_boxes(*compile_nodes(fine, ["a"], SEED, 0.0, r), box).values for r in (False, True))
    # What is left out is the third octave, and only that: the others stay as strong as they were.
    assert 0.05 < np.abs(whole - reduced).max() < 0.81 / 2.71 * 1.01


# --- Curves ------------------------------------------------------------------------------------------------------


def curve(points, values):
    rows = np.array(curve_rows(points), np.float32)
    return np.array([on_curve(np.float32(value), rows) for value in values])


def test_curves_pass_through_their_points_and_are_level_beyond():
    points = [(-1, 3), (0, 3), (0.5, 7), (2, -4), (2.5, -4.5)]
    assert curve(points, [x for x, _ in points]).tolist() == [y for _, y in points]
    assert curve(points, [-9, 9]).tolist() == [3, -4.5]


def test_curves_never_overshoot():
    rng = np.random.default_rng(1)
    for _ in range(50):
        xs = np.cumsum(rng.uniform(0.05, 3, 6))
        points = list(zip(xs.tolist(), rng.uniform(-5, 5, 6).tolist(), strict=True))
        for (x0, y0), (x1, y1) in pairwise(points):
            values = curve(points, np.linspace(x0, x1, 40))
            assert values.min() >= min(y0, y1) - 1e-5
            assert values.max() <= max(y0, y1) + 1e-5
            assert (np.diff(values) * np.sign(y1 - y0) >= -1e-5).all()


def test_points_on_a_line_make_a_line():
    values = np.linspace(0, 10, 50)
    assert curve([(0, 1), (3, 7), (10, 21)], values) == pytest.approx(1 + 2 * values, abs=1e-5)
