# SPDX-License-Identifier: GPL-3.0-or-later
"""The weights of brushes, held to what their shapes are."""

import numpy as np
import pytest

from voxelwright.voxel.edit import shapes
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import FACE_AXIS, FACE_SIGN

LOW = np.array([-40, -40, -40])
SIZE = 80


def weights_of(placements):
    """(80, 80, 80) float32 from LOW on."""
    out = np.zeros((128, 128, 128), np.float32)
    for coord, weights in shapes.weights_by_chunk(placements):
        x, y, z = (np.array(coord) + 2) * 32
        out[x : x + 32, y : y + 32, z : z + 32] = weights
    assert not out[:24].any()
    return out[24:104, 24:104, 24:104]


def offsets(middle):
    """Three (80, 80, 80) arrays: where each voxel's middle is from middle, in voxels."""
    x, y, z = np.meshgrid(*[np.arange(SIZE) + low + 0.5 for low in LOW], indexing="ij")
    return x - middle[0], y - middle[1], z - middle[2]


def depth(shape, middle):
    """(80, 80, 80) float64: 0 in the middle of the shape, 1 at its border, more outside."""
    d = offsets(middle)
    if shape.kind == shapes.SPHERE:
        return np.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2) / shape.half[0]
    if shape.kind == shapes.BOX:
        return np.max([abs(d[a]) / shape.half[a] for a in range(3)], axis=0)
    axis = FACE_AXIS[shape.face]
    u, v = [a for a in range(3) if a != axis]
    radial = np.hypot(d[u], d[v]) / shape.half[u]
    height = d[axis] * FACE_SIGN[shape.face] / shape.half[axis]
    if shape.kind == shapes.CYLINDER:
        return np.where(abs(height) <= 1, radial, 2)
    return np.where(abs(height) <= 1, radial + (height + 1) / 2, 2)


FALLEN = {
    "constant": np.ones_like,
    "linear": lambda t: 1 - t,
    "smooth": lambda t: 1 - 3 * t**2 + 2 * t**3,
    "sharp": lambda t: (1 - t) ** 2,
    "round": lambda t: np.sqrt(1 - np.minimum(t, 1) ** 2),
}
SHAPES = {
    "sphere": lambda falloff: shapes.sphere(9.3, falloff),
    "cube": lambda falloff: shapes.cube(7, falloff),
    "cylinder along x": lambda falloff: shapes.cylinder(6.2, 13, 1, falloff),
    "cylinder along z": lambda falloff: shapes.cylinder(5, 4.2, 4, falloff),
    "disc along y": lambda falloff: shapes.disc(8, 2, falloff),
    "cone up": lambda falloff: shapes.cone(9.1, 12.3, 4, falloff),
    "cone to -x": lambda falloff: shapes.cone(6.7, 15.1, 1, falloff),
}


@pytest.mark.parametrize("falloff", shapes.FALLOFFS)
@pytest.mark.parametrize("name", SHAPES)
def test_weights_are_those_of_the_shape(name, falloff):
    shape = SHAPES[name](falloff)
    for point, between in (((0.2, -3.1, 4.9), False), ((-1.2, 2.1, 0.4), True)):
        placement = shape.at(point, between)
        middle = np.floor(np.array(point) + 0.5) if between else np.floor(point) + 0.5
        if shape.kind in (shapes.CYLINDER, shapes.CONE):
            axis = FACE_AXIS[shape.face]
            is_odd = round(2 * shape.half[axis]) % 2
            middle[axis] = np.floor(point[axis]) + 0.5 if is_odd else np.floor(point[axis] + 0.5)
        assert placement.middle == tuple(2 * middle)
        t = depth(shape, middle)
        expected = np.where(t <= 1, FALLEN[falloff](t), 0)
        sure = abs(t - 1) > 1e-12
        weights = weights_of([placement])
        assert expected.any()
        assert np.allclose(weights[sure], expected[sure], atol=1e-6)
        assert np.array_equal(weights[sure] > 0, expected[sure] > 0)


def test_small_spheres_hold_what_is_within_their_radius():
    assert weights_of([shapes.sphere(0.5).at((3, 3, 3))]).sum() == 1
    assert weights_of([shapes.sphere(1).at((3, 3, 3))]).sum() == 7
    assert weights_of([shapes.sphere(1).at((3, 3, 3), between=True)]).sum() == 8
    assert weights_of([shapes.sphere(5).at((0, 0, 0))])[43, 44, 40] == 1, "3² + 4² is 5²"


def test_a_disc_is_one_layer():
    for between in (False, True):
        layers = weights_of([shapes.disc(4, 5, "linear").at((0, 0, -7), between)]).any(axis=(0, 1))
        assert np.flatnonzero(layers).tolist() == [33]


def test_a_stamp_lies_about_its_middle():
    stamp = np.random.default_rng(1).random((3, 4, 7)) < 0.5
    weights = weights_of([shapes.custom(stamp).at((1.2, 1.8, -0.1))])
    assert np.array_equal(weights[40:43, 40:44, 36:43], stamp)
    assert weights.sum() == stamp.sum()


def test_images_of_shapes():
    stamp = np.random.default_rng(2).random((5, 4, 3)) < 0.5
    for shape in (shapes.custom(stamp), shapes.cone(6, 9, 0), shapes.cone(6, 9, 3), shapes.cylinder(3, 8, 2)):
        x, y, z = (40 if n % 2 == 0 else 39 for n in shape.stamp.shape)
        at = shape.at((0, 0, 0), between=shape.kind != shapes.STAMP)
        original = weights_of([at])
        for axis in range(3):
            mirrored = weights_of([at._replace(shape=shape.mirrored(axis), middle=tuple(
                -c if a == axis else c for a, c in enumerate(at.middle)))])  # fmt: skip
            assert np.array_equal(mirrored, np.flip(original, axis)), (shape.kind, axis, x, y, z)
        turned = weights_of([at._replace(shape=shape.turned(1), middle=(-at.middle[1], at.middle[0], at.middle[2]))])
        assert np.array_equal(turned, np.rot90(original))
        assert np.array_equal(shape.turned(2).stamp, shape.turned(1).turned(1).stamp)


def test_where_placements_overlap_the_greatest_weight_counts():
    one, other = shapes.sphere(8, "linear").at((0, 0, 0)), shapes.cube(5, "smooth").at((6, 2, 1))
    both = weights_of([one, other])
    assert np.array_equal(both, np.maximum(weights_of([one]), weights_of([other])))


def test_boxes_between_voxels():
    for one, other in (((-3, 5, 0), (4, -2, 0)), ((7, 7, 7), (7, 7, 7))):
        weights = weights_of([shapes.box_between(one, other)])
        at = np.argwhere(weights) + LOW
        assert at.min(axis=0).tolist() == np.minimum(one, other).tolist()
        assert at.max(axis=0).tolist() == np.maximum(one, other).tolist()
        assert weights.sum() == np.prod(abs(np.array(one) - other) + 1)


def test_lines_go_from_end_to_end_and_stay_near():
    rng = np.random.default_rng(3)
    for _ in range(50):
        start, end = rng.integers(-30, 30, (2, 3))
        line = shapes.line_voxels(tuple(start.tolist()), tuple(end.tolist()))
        n_steps = abs(end - start).max()
        assert line[0].tolist() == start.tolist()
        assert line[-1].tolist() == end.tolist()
        assert len(line) == n_steps + 1
        assert n_steps == 0 or (abs(np.diff(line, axis=0)).max(axis=1) == 1).all()
        exact = start + np.linspace(0, 1, n_steps + 1)[:, None] * (end - start)
        assert abs(line - exact).max() <= 0.5 + 1e-9


def test_a_thick_line_is_its_shape_along_it():
    line = shapes.line_between(shapes.sphere(2), (-9, 3, 0), (8, -5, 6))
    middles = shapes.line_voxels((-9, 3, 0), (8, -5, 6)) + 0.5
    near = np.min([sum(d**2 for d in offsets(m)) for m in middles], axis=0) <= 4
    assert np.array_equal(weights_of(line) > 0, near)


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: shapes.sphere(5, "steep"), "falloff must be one of constant"),
        (lambda: shapes.sphere(float("nan")), "radius must be a number from 0.5"),
        (lambda: shapes.cone(3, 0.5), "height must be a number from 1"),
        (lambda: shapes.custom(np.ones((2, 0, 2), bool)), "must be 1 to 256 voxels"),
        (lambda: shapes.custom(np.ones((2, 2), bool)), "must be 1 to 256 voxels"),
    ],
)
def test_what_is_no_brush_is_refused(made, sentence):
    with pytest.raises(VoxelwrightError, match=sentence):
        made()
