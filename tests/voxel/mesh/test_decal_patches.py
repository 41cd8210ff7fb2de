# SPDX-License-Identifier: GPL-3.0-or-later
"""Patches cut out of surfaces, held to a plain clipper in fractions and to areas that are known."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.decal_patches import OFFSET, PatchBox, Patches, patches
from voxelwright.voxel.mesh.topology import IndexedMesh, WeldedMeshes

OPAQUE = np.zeros(256, np.bool_)


def mesh_of(polygons: Any, normals: Any = None, materials: Any = None) -> IndexedMesh:
    """A mesh of polygons that share no vertices."""
    sizes = [len(polygon) for polygon in polygons]
    points = np.concatenate([np.array(polygon, np.float32) for polygon in polygons])
    return IndexedMesh(
        points,
        (np.cumsum(sizes) - sizes).astype(np.int32),
        np.arange(len(points), dtype=np.int32),
        np.array(materials if materials is not None else [1] * len(sizes), np.uint8),
        np.zeros((len(points), 2), np.float32),
        None if normals is None else np.array(normals, np.float32),
    )


def cut(mesh: IndexedMesh, *boxes: PatchBox, smooth: bool = False, transparent: Any = OPAQUE) -> Patches | None:
    welded = WeldedMeshes(None, mesh) if smooth else WeldedMeshes(mesh, None)
    return finish(patches(welded, boxes, transparent))


def box(half: Any = (1, 1, 1), at: Any = (0, 0, 0), turn: Any = None, **options: Any) -> PatchBox:
    matrix = np.eye(4)
    matrix[:3, :3] = (np.eye(3) if turn is None else turn) * half
    matrix[:3, 3] = at
    return PatchBox(np.linalg.inv(matrix), **options)


def polygons_of(made: Patches) -> list[NDArray[np.float64]]:
    return [piece.astype(np.float64) for piece in np.split(made.positions[made.corners], made.starts[1:])]


def area(polygon: Any) -> float:
    points = np.asarray(polygon, np.float64)
    sums = np.cross(points[1:-1] - points[0], points[2:] - points[0]).sum(axis=0)
    return float(np.linalg.norm(sums)) / 2


def plain_clip(polygon: Any, to_box: NDArray[np.float64]) -> list[tuple[Fraction, ...]]:
    """The part of a convex polygon in the box, exactly, in the box's own space."""
    matrix = [[Fraction(value) for value in row] for row in to_box.tolist()]
    points = [
        tuple(sum((matrix[r][c] * Fraction(float(p[c])) for c in range(3)), matrix[r][3]) for r in range(3))
        for p in polygon
    ]
    for axis in range(3):
        for side in (-1, 1):
            kept = []
            for a, b in zip(points, points[1:] + points[:1], strict=True):
                da, db = 1 - side * a[axis], 1 - side * b[axis]
                if da >= 0:
                    kept.append(a)
                if (da > 0 and db < 0) or (da < 0 and db > 0):
                    t = da / (da - db)
                    kept.append(tuple(u + t * (v - u) for u, v in zip(a, b, strict=True)))
            points = kept
            if len(points) < 3:
                return []
    return points


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000))
def test_pieces_are_those_of_a_plain_clipper(seed: int) -> None:
    """Triangles, and boxes turned, stretched and mirrored."""
    rng = np.random.default_rng(seed)
    triangles = rng.integers(-8, 9, (6, 3, 3)) / 4
    triangles = triangles[[area(t) > 0 for t in triangles]]
    if not len(triangles):
        return
    made_box = box(
        rng.uniform(0.4, 2, 3) * rng.choice((-1, 1), 3),
        rng.normal(size=3) / 2,
        np.linalg.qr(rng.normal(size=(3, 3)))[0],
    )
    made = cut(mesh_of(triangles), made_box)
    expected = [plain_clip(t, made_box.to_box) for t in triangles]
    from_box = np.linalg.inv(made_box.to_box)
    areas = [area(np.array(p, float) @ from_box[:3, :3].T) for p in expected if p]
    found = [area(p) for p in polygons_of(made)] if made is not None else []
    assert sum(found) == pytest.approx(sum(areas), abs=1e-5)
    assert made is None or np.diff(made.starts).max(initial=0) <= 4


def test_a_floor_has_a_patch_as_large_as_the_box_with_its_uvs() -> None:
    floor = [
        [(x, y, 0), (x + 4, y, 0), (x + 4, y + 4, 0), (x, y + 4, 0)] for x in range(-8, 8, 4) for y in range(-8, 8, 4)
    ]
    made = cut(mesh_of(floor), box((3, 2, 1)))
    assert made is not None
    assert sum(map(area, polygons_of(made))) == pytest.approx(24)
    corners = made.positions[made.corners]
    np.testing.assert_allclose(made.uvs, corners[:, :2] / (6, 4) + 0.5, atol=1e-6)
    np.testing.assert_allclose(corners[:, 2], OFFSET, atol=1e-6)
    assert (made.normals == (0, 0, 1)).all()
    # Every polygon is seen from above, and no vertex is there twice: 4 × 4 polygons that share theirs.
    assert len(made.starts) == 4
    assert len(made.positions) == 9 == len(np.unique(made.positions, axis=0))


CUBE = [
    [(1, -1, -1), (1, 1, -1), (1, 1, 1), (1, -1, 1)],
    [(-1, -1, -1), (-1, -1, 1), (-1, 1, 1), (-1, 1, -1)],
    [(-1, 1, -1), (-1, 1, 1), (1, 1, 1), (1, 1, -1)],
    [(-1, -1, -1), (1, -1, -1), (1, -1, 1), (-1, -1, 1)],
    [(-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)],
    [(-1, -1, -1), (-1, 1, -1), (1, 1, -1), (1, -1, -1)],
]


@pytest.mark.parametrize(("degrees", "expected"), [(180, 24), (135, 20), (100, 20), (90, 4), (30, 4)])
def test_faces_beyond_the_angle_have_no_patch(degrees: float, expected: float) -> None:
    least = -2.0 if degrees == 180 else np.cos(np.radians(degrees))
    made = cut(mesh_of(CUBE), box((5, 5, 5), least_cosine=least))
    assert made is not None
    assert sum(map(area, polygons_of(made))) == pytest.approx(expected)


def test_faces_in_a_side_of_the_box_belong_to_it() -> None:
    made = cut(mesh_of(CUBE), box((0.5, 0.5, 1.0), least_cosine=0.0))
    assert made is not None
    assert sum(map(area, polygons_of(made))) == pytest.approx(1)


def test_nothing_in_the_box_is_no_patch() -> None:
    assert cut(mesh_of(CUBE), box((0.5, 0.5, 0.5))) is None
    assert cut(mesh_of(CUBE), box(at=(50, 0, 0))) is None
    assert cut(mesh_of(CUBE)) is None
    glass = OPAQUE.copy()
    glass[1] = True
    assert cut(mesh_of(CUBE), box((5, 5, 5)), transparent=glass) is None


def test_kinds_of_surfaces_are_told_apart() -> None:
    corners = np.concatenate(CUBE)
    assert cut(mesh_of(CUBE), box((5, 5, 5), on_blocks=False)) is None
    assert cut(mesh_of(CUBE, corners), box((5, 5, 5), on_smooth=False), smooth=True) is None
    assert cut(mesh_of(CUBE, corners), box((5, 5, 5), on_blocks=False), smooth=True) is not None


def test_bent_quads_are_cut_as_two_triangles_with_normals_of_their_corners() -> None:
    quad = [(0, 0, 0), (2, 0, 0.5), (2, 2, 0), (0, 2, 0.5)]
    normals = np.array([(0.1, 0, 1), (0, 0.1, 1), (-0.1, 0, 1), (0, -0.1, 1)])
    made = cut(mesh_of([quad], normals), box((9, 9, 9)), smooth=True)
    assert made is not None
    assert len(made.starts) == 2 and len(made.positions) == 4
    unit = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    expected = np.array(quad) + OFFSET * unit
    order = np.lexsort(made.positions.T), np.lexsort(expected.T)
    np.testing.assert_allclose(made.positions[order[0]], expected[order[1]], atol=1e-6)
    np.testing.assert_allclose(made.normals[order[0]], unit[order[1]], atol=1e-6)


def test_later_boxes_lie_above_those_that_they_may_meet() -> None:
    floor = mesh_of([[(-50, -50, 0), (50, -50, 0), (50, 50, 0), (-50, 50, 0)]])
    made = cut(floor, box(), box(at=(1.5, 0, 0)), box(at=(20, 0, 0)), box(at=(2.5, 0, 0)))
    assert made is not None
    heights = [made.positions[piece[0]][2] for piece in np.split(made.corners, made.starts[1:])]
    assert heights == pytest.approx([OFFSET, 2 * OFFSET, OFFSET, 3 * OFFSET])
    assert made.boxes.tolist() == [0, 1, 2, 3]


def test_neighbours_share_the_corners_where_an_edge_is_cut() -> None:
    """Each polygon goes along the edge from another end."""
    low, high = (0.1, -3.3, 0.0), (0.37, 2.9, 0.0)
    made = cut(mesh_of([[low, high, (-4, 0.2, 0)], [high, low, (5, 0.3, 0)]]), box((1, 1, 1)))
    assert made is not None
    first, second = np.split(made.corners, made.starts[1:])
    assert len({*first.tolist()} & {*second.tolist()}) == 2
    assert sum(map(area, polygons_of(made))) == pytest.approx(4)
