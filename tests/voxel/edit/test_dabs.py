# SPDX-License-Identifier: GPL-3.0-or-later
"""Strokes, and symmetry."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxelwright.voxel.edit import actions, patterns, sculpt, shapes
from voxelwright.voxel.edit.dabs import Stroke, dab, throughout, touched
from voxelwright.voxel.edit.selection import Selection, box
from voxelwright.voxel.edit.symmetry import Symmetry
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.world import World

LOW, HIGH = (-20, -20, -20), (20, 20, 20)
SNOW = patterns.only(2)
SPRAY = actions.paint(patterns.mix({1: 1, 2: 1, 3: 1, 5: 1}, seed=5), strength=0.6, seed=3)
ACTIONS = {
    "add": actions.add(SNOW),
    "spray": SPRAY,
    "noise pattern": actions.replace(patterns.by_noise([1, 2, 5], 5)),
    "raise": sculpt.raise_(1.4),
    "lower": sculpt.lower(2.0),
    "raise to x": sculpt.raise_(1.6, face=0),
    "lower to -y": sculpt.lower(1.6, face=3),
    "flatten": sculpt.flatten((1.3, 2.2, 0.4), strength=3),
    "flatten tilted": sculpt.flatten((1.3, 2.2, 0.4), (0.5, 0.2, 0.3), strength=3),
    "roughen": sculpt.roughen(3, 6, seed=2),
    "smooth": sculpt.smooth(),
    "grow": sculpt.grow(0.7),
    "erode": sculpt.erode(0.7),
}
POINTS = [(0.3, 1.2, 0.1), (4.9, -3.2, 2.0), (5.2, 6.6, -1.4), (-3.1, 7.0, -1.0)]


def walked(world, stroke, points=POINTS):
    for point in points:
        stroke.to(point)
    return stroke.edit()


@pytest.mark.parametrize("name", ["add", "noise pattern", "smooth"])
def test_a_stroke_is_its_dabs_one_after_the_other(name, world_of, blobs, applied):
    """Surfaces that are moved, and the chances of each dab, are a stroke's own: actions without these."""
    action = ACTIONS[name]
    shape = shapes.sphere(4)
    world, other = (world_of(blobs(np.random.default_rng(1))) for _ in range(2))
    stroke = Stroke(world, action, shape)
    for point in POINTS:
        stroke.dab(point)
        other.apply(dab(other, action, shape.at(point)))
    assert np.array_equal(applied(world, stroke.edit(), LOW, HIGH), other.region(LOW, HIGH))


def test_fractions_of_voxels_add_up(world_of):
    ground = np.zeros((24, 24, 24), np.uint16)
    ground[:, :, :12] = 0x0100
    world = world_of(ground)
    heights = []
    for n_dabs in range(1, 9):
        stroke = Stroke(world, sculpt.raise_(0.375), shapes.cube(5))
        for _ in range(n_dabs):
            stroke.dab((0, 0, 0))
        edit = stroke.edit()
        world.apply(edit)
        heights.append(int(np.count_nonzero(world.region((0, 0, -12), (1, 1, 12)))) - 12)
        world.apply(edit.inverse())
    assert heights == [int(np.floor(0.375 * n + 0.5)) for n in range(1, 9)]


@pytest.mark.parametrize("accumulate", [True, False])
@pytest.mark.parametrize("name", ACTIONS)
def test_a_stroke_may_be_shown_while_it_is_made(name, accumulate, world_of, blobs):
    shown, hidden = (world_of(blobs(np.random.default_rng(2))) for _ in range(2))
    before = shown.region(LOW, HIGH)
    strokes = [
        Stroke(world, ACTIONS[name], shapes.sphere(4, "smooth"), Symmetry((True, False, False)), accumulate=accumulate)
        for world in (shown, hidden)
    ]
    for point in POINTS:
        shown.apply(strokes[0].to(point))
        strokes[1].to(point)
    assert np.array_equal(hidden.region(LOW, HIGH), before)
    whole = strokes[0].edit()
    hidden.apply(strokes[1].edit())
    assert np.array_equal(hidden.region(LOW, HIGH), shown.region(LOW, HIGH))
    assert not np.array_equal(shown.region(LOW, HIGH), before)
    shown.apply(whole.inverse())
    assert np.array_equal(shown.region(LOW, HIGH), before)


def test_a_surface_that_a_stroke_raises_is_as_even_as_the_brush(palette):
    world = World(palette)
    world.apply(dab(world, actions.add(patterns.only(1)), shapes.box_between((-24, -24, -8), (23, 23, -1))))
    stroke = Stroke(world, sculpt.raise_(0.9), shapes.cylinder(6, 24, falloff="smooth"))
    places = [x + 0.5 for x in np.arange(-12, 12, 1.5)]
    x, y = np.indices((48, 48)) - 24
    expected = np.zeros((48, 48))
    for z in (0, 4, 7, 9):  # a person's brush follows the surface
        for place in places:
            world.apply(stroke.dab((place, 0.5, z)))
            t = np.hypot(x - np.floor(place), y) / 6
            expected += np.where(t <= 1, 0.9 * (1 - t) ** 2 * (1 + 2 * t), 0)
        heights = np.count_nonzero(world.region((-24, -24, 0), (24, 24, 64)), axis=2)
        away = np.abs(heights - expected)
        # Beyond what the brush reached at first a voxel has not had all the weights.
        assert away.max() < (0.5001 if expected.max() < 12 - 2 else 1.01)
    assert expected.max() > 12


def test_without_accumulate_a_place_changes_once(world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(3)))
    for action in (sculpt.raise_(2), sculpt.smooth(), sculpt.grow(0.5), SPRAY):
        once = dab(world, action, shapes.sphere(6, "linear").at((1, 1, 1)))
        stroke = Stroke(world, action, shapes.sphere(6, "linear"), accumulate=False)
        for _ in range(4):
            stroke.dab((1, 1, 1))
        assert np.array_equal(applied(world, stroke.edit(), LOW, HIGH), applied(world, once, LOW, HIGH))


def test_without_accumulate_the_order_of_dabs_does_not_matter(world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(4)))
    results = []
    for points in (POINTS, POINTS[::-1]):
        stroke = Stroke(world, sculpt.raise_(4), shapes.sphere(7.1, "linear"), accumulate=False)
        for point in points:
            stroke.dab(point)
        results.append(applied(world, stroke.edit(), LOW, HIGH))
    # Only where two dabs give a voxel the same weight it is the first that counts, and raising does not depend on it.
    assert np.array_equal(*results)


def test_dabs_are_spaced_along_the_way(palette):
    for spacing in (0.5, 1, 2.5, 7):
        world = World(palette)
        stroke = Stroke(world, actions.add(SNOW), shapes.sphere(0.5), spacing=spacing)
        path = [(0.5, 0.5, 0.5), (10.5, 0.5, 0.5), (10.5, 6.75, 0.5), (10.5, 6.75, 4.5)]
        world.apply(walked(world, stroke, path))
        along = np.arange(0, 10 + 6.25 + 4 + 1e-9, spacing)
        expected = set()
        for s in along:
            x, y, z = min(s, 10), np.clip(s - 10, 0, 6.25), max(0, s - 16.25)
            expected.add((int(np.floor(x + 0.5)), int(np.floor(y + 0.5)), int(np.floor(z + 0.5))))
        found = {tuple(at) for at in (np.argwhere(world.region((-2, -2, -2), (14, 14, 14))) - 2).tolist()}
        assert found == expected


def test_pressure_weighs_dabs_and_may_change_their_shape(world_of):
    ground = np.zeros((24, 24, 24), np.uint16)
    ground[:, :, :12] = 0x0100
    world = world_of(ground)
    stroke = Stroke(world, sculpt.raise_(4), shapes.cube(2), spacing=10)
    stroke.dab((-8, 0, 0))
    stroke.dab((0, 0, 0), 0.5)
    stroke.to((8, 0, 0), 0.5, shapes.cube(1))
    edit = stroke.edit()
    world.apply(edit)
    heights = np.count_nonzero(world.region((-12, -12, -12), (12, 12, 12)), axis=2) - 12
    assert heights[2:7, 10:15].tolist() == [[3] * 5] * 5, "4 voxels, of which the brush reaches 3"
    assert heights[10:15, 10:15].tolist() == [[2] * 5] * 5
    assert heights[19:22, 11:14].tolist() == [[2] * 3] * 3
    assert np.count_nonzero(heights) == 25 + 25 + 9


def test_touched_voxels_are_those_that_a_dab_fills(palette, cells_of):
    world = World(palette)
    symmetry, within = Symmetry((True, False, True), 2), box((-9, -9, -9), (5, 9, 9))
    places = shapes.line_between(shapes.sphere(3), (3, 4, 5), (9, 1, 2))
    world.apply(dab(world, actions.fill(SNOW), places, symmetry, within))
    filled = {tuple(at) for at in (np.argwhere(world.region(LOW, HIGH)) - 20).tolist()}
    assert cells_of(touched(places, symmetry, within)) == filled
    assert cells_of(touched(places[0], symmetry)) > cells_of(touched(places[0]))


def test_a_stroke_holds_touched_chunks_alone(palette):
    world = World(palette)
    stroke = Stroke(world, actions.add(SNOW), shapes.sphere(3), spacing=2)
    stroke.to((16, 16, 16))
    stroke.to((400, 16, 16))
    assert [delta.coord for delta in stroke.edit().deltas] == [(x, 0, 0) for x in range(13)]


def test_a_stroke_keeps_to_the_selection(world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(5)))
    before = world.region(LOW, HIGH)
    within = box((-5, -5, -5), (1, 2, 3))
    stroke = Stroke(world, actions.fill(SNOW), shapes.sphere(4), Symmetry((True, True, False), 2), within)
    after = applied(world, walked(world, stroke), LOW, HIGH)
    outside = np.ones(before.shape, bool)
    outside[15:22, 15:23, 15:24] = False
    assert np.array_equal(after[outside], before[outside])
    assert np.count_nonzero(after[~outside] == 0x0210) > 50
    assert not Stroke(world, actions.fill(SNOW), shapes.sphere(4), within=Selection()).dab((0, 0, 0))


def test_an_action_throughout_a_selection_is_a_dab_of_its_shape(world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(6)))
    for action in ACTIONS.values():
        by_dab = dab(world, action, shapes.box_between((-7, -3, -9), (8, 9, 2)))
        by_selection = throughout(world, action, box((8, -3, 2), (-7, 9, -9)))
        assert np.array_equal(applied(world, by_dab, LOW, HIGH), applied(world, by_selection, LOW, HIGH))


# --- Symmetry -------------------------------------------------------------------------------------------------------


def images(voxels, mirrors, radial):
    """What a symmetric array must be equal to."""
    return [np.flip(voxels, axis) for axis in range(3) if mirrors[axis]] + [
        np.rot90(voxels, 4 // radial) for _ in range(radial > 1)
    ]


def symmetric(voxels, mirrors, radial):
    """The array made symmetric: each voxel is the greatest of its images."""
    for axis in range(3):
        if mirrors[axis]:
            voxels = np.maximum(voxels, np.flip(voxels, axis))
    turned = [np.rot90(voxels, i * 4 // radial) for i in range(radial)]
    return np.maximum.reduce(turned)


@given(
    st.sampled_from(sorted(ACTIONS)),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
    st.sampled_from([1, 2, 4]),
    st.tuples(st.booleans(), st.booleans()),
    st.tuples(*[st.integers(-3, 3)] * 3),
    st.lists(st.tuples(*[st.floats(-9, 9)] * 3), min_size=1, max_size=3),
    st.sampled_from(["sphere", "cone", "stamp"]),
    st.booleans(),
    st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_a_symmetric_stroke_over_a_symmetric_world_leaves_it_symmetric(
    world_of, blobs, name, mirrors, radial, on_voxel, corner, points, kind, accumulate, seed
):
    rng = np.random.default_rng(seed)
    center = (corner[0] + on_voxel[0] / 2, corner[1] + on_voxel[0] / 2, corner[2] + on_voxel[1] / 2)
    sizes = [24 + on_voxel[0], 24 + on_voxel[0], 24 + on_voxel[1]]
    voxels = symmetric(blobs(rng, 25)[: sizes[0], : sizes[1], : sizes[2]], mirrors, radial)
    low = [int(np.floor(c - 12)) for c in center]
    world = world_of(voxels, low)
    shape = {
        "sphere": shapes.sphere(5, "smooth"),
        "cone": shapes.cone(4.5, 8, 2),
        "stamp": shapes.custom(rng.random((5, 4, 7)) < 0.7),
    }[kind]
    stroke = Stroke(world, ACTIONS[name], shape, Symmetry(mirrors, radial, center), accumulate=accumulate)
    for point in points:
        stroke.dab(point)
    world.apply(stroke.edit())
    wide = world.region([c - 20 for c in low], [c + n + 20 for c, n in zip(low, sizes, strict=True)])
    for image in images(wide, mirrors, radial):
        assert np.array_equal(wide, image)


def test_where_images_meet_it_does_not_matter_which_is_first(world_of):
    voxels = np.zeros((9, 9, 1), np.uint16)
    voxels[5, 5], voxels[6, 4] = 0x0540, 0x0100
    world = world_of(symmetric(voxels, (False, False, False), 4), (-4, -4, 0))
    symmetry = Symmetry(radial=4, center=(0.5, 0.5, 0.5))
    world.apply(dab(world, sculpt.raise_(1, face=0), shapes.cube(4).at((0, 0, 0)), symmetry))
    wide = world.region((-9, -9, 0), (10, 10, 1))
    assert wide[9 + 2, 9 + 1] == 0x0100, "from (2, 0) along y rather than from (1, 1) along x"
    assert np.array_equal(wide, np.rot90(wide))


def test_images_are_where_they_should_be(palette):
    world = World(palette)
    symmetry = Symmetry((True, False, True), 1, (2.5, 0, 0))
    world.apply(dab(world, actions.add(SNOW), shapes.sphere(0.5).at((4, 1, 2)), symmetry))
    assert (np.argwhere(world.region(LOW, HIGH)) - 20).tolist() == [[0, 1, -3], [0, 1, 2], [4, 1, -3], [4, 1, 2]]


@pytest.mark.parametrize("radial", [3, 5, 6, 7, 12])
def test_radial_images_lie_on_a_circle(radial, palette):
    world = World(palette)
    symmetry = Symmetry(radial=radial, center=(0.5, 0.5, 0))
    world.apply(dab(world, actions.add(SNOW), shapes.sphere(0.5).at((15, 0, 0)), symmetry))
    at = np.argwhere(world.region(LOW, HIGH)) - 20
    assert len(at) == radial
    assert abs(np.hypot(at[:, 0], at[:, 1]) - 15).max() < 0.75
    angles = np.sort(np.arctan2(at[:, 1], at[:, 0]))
    assert abs(np.diff(angles) - 2 * np.pi / radial).max() < 0.1


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: Symmetry(radial=0), "must have 1 to 64 images"),
        (lambda: Symmetry(center=(0.25, 0, 0)), "in the middle of voxels or on their borders"),
        (lambda: Symmetry(radial=4, center=(0.5, 1.0, 0)), "along both x and y"),
        (lambda: Stroke(World(), SPRAY, shapes.sphere(2), spacing=0.1), "at least a quarter of a voxel"),
    ],
)
def test_what_is_no_stroke_is_refused(made, sentence):
    with pytest.raises(VoxelwrightError, match=sentence):
        made()
