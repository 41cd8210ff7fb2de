# SPDX-License-Identifier: GPL-3.0-or-later
"""Patches of a baked surface that lie in boxes: what decals become in a bake.

A box is the cube from −1 to 1 along its own axes. Polygons are clipped at its six sides one after another
(I. Sutherland and G. Hodgman, "Reentrant polygon clipping", 1974), many of them at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..jobs import Job, Progress
from .topology import IndexedMesh, WeldedMeshes

OFFSET = 1 / 64
"""Voxels between a surface and the patch on it, and from that to one on top."""

ANY_COSINE = -2.0
"""Less than any."""

_SOFT_ANGLE = 1e-6
"""A cosine as little above the least counts as that."""


@dataclass(frozen=True, eq=False)
class PatchBox:
    """to_box (4, 4) float64 takes voxel space into the box. Surfaces whose normal has a cosine of least_cosine or less
    to the box's Z axis have no patch; on_blocks and on_smooth say which kinds have any."""

    to_box: NDArray[np.float64]
    least_cosine: float = ANY_COSINE
    on_blocks: bool = True
    on_smooth: bool = True


@dataclass(frozen=True, eq=False)
class Patches:
    """Polygons as in IndexedMesh, all with normals. boxes (p,) int32 says which box each is of; uvs are 0 to 1 within
    it."""

    positions: NDArray[np.float32]
    starts: NDArray[np.int32]
    corners: NDArray[np.int32]
    boxes: NDArray[np.int32]
    uvs: NDArray[np.float32]
    normals: NDArray[np.float32]


def patches(meshes: WeldedMeshes, boxes: Sequence[PatchBox], transparent: NDArray[np.bool_]) -> Job[Patches | None]:
    """The patches of all boxes, those of later ones above those of earlier ones that they may meet; None where there
    are none. Materials that one sees through, transparent (256,) bool, have none."""
    surfaces = [
        (_Surface(mesh, transparent), kind)
        for kind, mesh in (("blocks", meshes.blocks), ("smooth", meshes.smooth))
        if mesh is not None and boxes
    ]
    levels = _levels([box.to_box for box in boxes])
    found = []
    for index, box in enumerate(boxes):
        yield Progress(index / len(boxes), "Cutting out decals")
        for surface, kind in surfaces:
            if getattr(box, f"on_{kind}"):
                found += [(index, piece) for piece in surface.cut(box, OFFSET * levels[index])]
    return _joined(found) if found else None


class _Surface:
    """Polygons of one mesh, sorted by where they begin along X, by their number of corners."""

    def __init__(self, mesh: IndexedMesh, transparent: NDArray[np.bool_]) -> None:
        ends = np.append(mesh.starts[1:], mesh.corners.size)
        sizes = ends - mesh.starts
        kept = ~transparent[mesh.materials]
        self._groups = []
        for size in np.unique(sizes[kept]).tolist():
            corners = mesh.corners[mesh.starts[kept & (sizes == size)][:, None] + np.arange(size)]
            if mesh.normals is not None and size == 4:
                # They may be bent; halves are not.
                corners = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
            points = mesh.positions[corners].astype(np.float64)
            flat = _polygon_normals(points)
            normals = mesh.normals[corners].astype(np.float64) if mesh.normals is not None else None
            self._groups.append(_Group.of(points, flat, normals))

    def cut(self, box: PatchBox, offset: float) -> list[NDArray[np.float64]]:
        """Polygons (k, n, 8): places, lifted off by offset, normals and UVs."""
        return [piece for group in self._groups for piece in group.cut(box, offset)]


@dataclass(frozen=True, eq=False)
class _Group:
    """points (n, k, 3), flat (n, 3) unit normals of the polygons, normals (n, k, 3) of their corners. low, high (n, 3)
    are sorted by low's x; reach is the largest extent along X."""

    points: NDArray[np.float64]
    flat: NDArray[np.float64]
    normals: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    reach: float

    @classmethod
    def of(
        cls, points: NDArray[np.float64], flat: NDArray[np.float64], normals: NDArray[np.float64] | None
    ) -> "_Group":
        order = np.argsort(points[..., 0].min(axis=1), kind="stable")
        points, flat = points[order], flat[order]
        at_corners = np.repeat(flat[:, None], points.shape[1], axis=1) if normals is None else normals[order]
        low, high = points.min(axis=1), points.max(axis=1)
        return cls(points, flat, at_corners, low, high, float((high - low)[:, 0].max(initial=0.0)))

    def cut(self, box: PatchBox, offset: float) -> list[NDArray[np.float64]]:
        chosen = self._near(box.to_box)
        axis = box.to_box[2, :3] / np.linalg.norm(box.to_box[2, :3])
        chosen = chosen[self.flat[chosen] @ axis > box.least_cosine + _SOFT_ANGLE]
        points = self.points[chosen]
        local = points @ box.to_box[:3, :3].T + box.to_box[:3, 3]
        polygons = np.concatenate([local, points, self.normals[chosen]], axis=2)
        made = []
        for clipped in _clipped(polygons):
            local, places, normals = clipped[..., :3], clipped[..., 3:6], clipped[..., 6:]
            normals = normals / np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-12)
            corners = np.concatenate([places + offset * normals, normals, local[..., :2] / 2 + 0.5], axis=2)
            made.append(_small(corners))
        return made

    def _near(self, to_box: NDArray[np.float64]) -> NDArray[np.intp]:
        """Polygons that may meet the box."""
        from_box = np.linalg.inv(to_box)
        half = np.abs(from_box[:3, :3]).sum(axis=1)
        low, high = from_box[:3, 3] - half, from_box[:3, 3] + half
        first = np.searchsorted(self.low[:, 0], low[0] - self.reach)
        last = np.searchsorted(self.low[:, 0], high[0], side="right")
        meets = (self.low[first:last] <= high) & (self.high[first:last] >= low)
        return first + np.flatnonzero(meets.all(axis=1))


def _clipped(polygons: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Convex polygons (n, k, d), whose first three numbers are places in the box, cut off at its sides: an array for
    each number of corners. The other numbers go along with the places."""
    counts = np.full(len(polygons), polygons.shape[1])
    for axis in range(3):
        for side in (-1.0, 1.0):
            if not len(polygons):
                return []
            polygons, counts = _cut_off(polygons, counts, axis, side)
    return [polygons[counts == size][:, :size] for size in np.unique(counts).tolist()]


def _cut_off(
    polygons: NDArray[np.float64], counts: NDArray[np.intp], axis: int, side: float
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """What of polygons, of which the first counts (n,) corners are there, lies within one of the box's sides."""
    place = np.arange(polygons.shape[1])
    there = place < counts[:, None]
    following = np.where(place + 1 < counts[:, None], place + 1, 0)
    depth = 1.0 - side * polygons[..., axis]
    next_depth = np.take_along_axis(depth, following, axis=1)
    is_in, next_is_in = depth >= 0, next_depth >= 0
    # Always from the inner corner to the outer one, so that two polygons cut the edge that they share at one place.
    inner_depth = np.where(is_in, depth, next_depth)
    crosses = there & (is_in != next_is_in) & (inner_depth > 0)
    share = np.where(crosses, inner_depth / np.where(crosses, np.abs(depth - next_depth), 1.0), 0.0)[..., None]
    after = np.take_along_axis(polygons, following[..., None], axis=1)
    inner, outer = np.where(is_in[..., None], polygons, after), np.where(is_in[..., None], after, polygons)
    cut = inner + share * (outer - inner)
    cut[..., axis] = side
    corners = np.stack([polygons, cut], axis=2).reshape(len(polygons), -1, polygons.shape[2])
    kept = np.stack([there & is_in, crosses], axis=2).reshape(len(polygons), -1)
    counts = kept.sum(axis=1)
    first = np.argsort(~kept, axis=1, kind="stable")[:, : max(int(counts.max()), 3)]
    left = counts >= 3
    return np.take_along_axis(corners, first[..., None], axis=1)[left], counts[left]


def _small(polygons: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convex polygons (n, k, d) of at most four corners: tangents, which normal maps need, are known of no others."""
    size = polygons.shape[1]
    if size <= 4:
        return polygons
    fan = [(0, corner, corner + 1) for corner in range(1, size - 1)]
    return polygons[:, fan].reshape(-1, 3, polygons.shape[2])


def _polygon_normals(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 3) unit normals of polygons (n, k, 3), also where corners lie on a line."""
    from_first = points - points[:, :1]
    areas = np.cross(from_first[:, 1:-1], from_first[:, 2:]).sum(axis=1)
    return areas / np.maximum(np.linalg.norm(areas, axis=1, keepdims=True), 1e-12)


def _levels(to_boxes: Sequence[NDArray[np.float64]]) -> NDArray[np.int64]:
    """(n,) from 1 on: above all earlier boxes that a box may overlap."""
    matrices = np.linalg.inv(np.array(to_boxes).reshape(-1, 4, 4))
    half = np.abs(matrices[:, :3, :3]).sum(axis=2)
    low, high = matrices[:, :3, 3] - half, matrices[:, :3, 3] + half
    levels = np.zeros(len(matrices), np.int64)
    for index in range(len(matrices)):
        meets = ((low[:index] <= high[index]) & (high[:index] >= low[index])).all(axis=1)
        levels[index] = 1 + levels[:index][meets].max(initial=0)
    return levels


def _joined(found: Sequence[tuple[int, NDArray[np.float64]]]) -> Patches:
    """Pieces (k, n, 8) of boxes as one mesh; corners of one box that have the same place and normal share a vertex."""
    sizes = np.concatenate([np.full(len(piece), piece.shape[1]) for _, piece in found])
    boxes = np.concatenate([np.full(len(piece), index) for index, piece in found])
    corners = np.concatenate([piece.reshape(-1, 8) for _, piece in found])
    keys = np.concatenate([np.repeat(boxes, sizes)[:, None], corners[:, :6] + 0.0], axis=1)  # −0.0 becomes 0.0
    _, first, vertices = np.unique(
        np.ascontiguousarray(keys).view(f"V{keys.shape[1] * 8}").reshape(-1), return_index=True, return_inverse=True
    )
    return Patches(
        corners[first, :3].astype(np.float32),
        (np.cumsum(sizes) - sizes).astype(np.int32),
        vertices.astype(np.int32),
        boxes.astype(np.int32),
        corners[:, 6:].astype(np.float32),
        corners[first, 3:6].astype(np.float32),
    )
