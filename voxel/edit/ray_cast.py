# SPDX-License-Identifier: GPL-3.0-or-later
"""Which voxel a ray meets first, as it is drawn.

What counts are the surfaces that one sees: the faces of blocks by the rules of mesh/visibility.py, those of transparent
blocks too, and the meshes of smooth voxels, each from its visible side alone. So a ray that starts inside the ground
leaves it without a hit, whatever lies buried around it, and meets the first surface beyond, as the eye would there.

The structure: a tree of chunks over what is not empty, by whose nodes empty space is passed (ray_tree.py); in each
chunk bits for its bricks of 8³ voxels with blocks (ray_blocks.py); and the meshes of those chunks whose smooth surfaces
rays have come near, their quads in bins of 4³ cells (ray_quads.py, ray_smooth.py). The planes that a ray crosses are
computed in such a way that a ray that skips goes through the very same voxels as one that does not (ray_steps.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from ..kernels import kernel
from ..layout import FACE_NORMALS
from ..world import Coord, World
from .ray_blocks import BlockChunks, trace_blocks
from .ray_quads import HIT, NEEDS_MESH, new_scratch, trace_quads
from .ray_smooth import MAX_SURFACE_BYTES, SmoothSurfaces

MAX_ORIGIN = float(1 << 40)
"""From further away than this, along any axis, float64 can tell places apart to less than 2⁻¹² of a voxel."""

NO_FACE = -1


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a ray meets a world.

    voxel is solid: the block whose face is hit, or the smooth voxel that the hit quad of the surface covers. face is
    the voxel's (see layout.py): through it one goes to the place where a voxel would be added. distance is in voxels
    from the ray's origin. point is in voxel space, for blocks on the face's plane exactly. normal is the surface's,
    unit: the face's, or of smooth surfaces the one that they are lit by, which is interpolated between vertices.
    """

    voxel: Coord
    face: int
    distance: float
    point: tuple[float, float, float]
    normal: tuple[float, float, float]


@dataclass(frozen=True)
class Hits:
    """The same for n rays. faces (n,) int64: NO_FACE where the ray meets nothing, and there distances (n,) float64 is
    infinite and the others are 0: voxels (n, 3) int64, points and normals (n, 3) float64."""

    voxels: NDArray[np.int64]
    faces: NDArray[np.int64]
    distances: NDArray[np.float64]
    points: NDArray[np.float64]
    normals: NDArray[np.float64]


class RayCaster:
    """Casts rays into one world, and follows its changes: every cast first takes those chunks that have changed since
    the last one, unless the caster is frozen: then rays meet the world as it was (smooth surfaces that no ray had come
    near before as they are).

    Memory: 24 bytes a chunk that is not air, and a tree of 4 bytes a chunk and up; for chunks near smooth surfaces 36
    more, and meshes of some 50 KB each of those that rays have come near, up to MAX_SURFACE_BYTES in all from one call
    to the next. Voxels are not copied.
    """

    def __init__(self, world: World) -> None:
        self.frozen = False
        self._world = world
        self._version = 0
        self._blocks = BlockChunks()
        self._surfaces = SmoothSurfaces()
        self._meshed_with = world.settings.smoothing, world.palette.transparent

    @property
    def n_bytes(self) -> int:
        """Bytes of the structure, the world's voxels not counted."""
        parts = self._blocks, self._surfaces
        return self._surfaces.n_bytes + sum(part.tree.children.nbytes + part.table.nbytes for part in parts)

    def cast(self, origin: Sequence[float], direction: Sequence[float], max_distance: float = inf) -> Hit | None:
        """The first surface that a ray meets, in voxel space and voxels; None where it meets none up to max_distance.

        direction may have any length. A surface at the origin itself is met at distance 0, a smooth one only as far as
        rounding allows. What is no ray meets nothing: a direction of length 0, numbers that are infinite or not a
        number (max_distance may be infinite), an origin beyond MAX_ORIGIN. Of planes that a ray crosses in one point,
        on a voxel's edge or corner, the one across x comes first, then y, then z; a ray within a plane is in the voxels
        above it.
        """
        origins, directions = np.array([origin], np.float64), np.array([direction], np.float64)
        hits = self.cast_many(origins, directions, max_distance)
        face = int(hits.faces[0])
        if face == NO_FACE:
            return None
        x, y, z = hits.voxels[0].tolist()
        point, normal = tuple(hits.points[0].tolist()), tuple(hits.normals[0].tolist())
        return Hit((x, y, z), face, float(hits.distances[0]), point, normal)

    def cast_many(
        self, origins: NDArray[np.float64], directions: NDArray[np.float64], max_distance: float = inf
    ) -> Hits:
        """cast() for n rays: origins and directions (n, 3) float64."""
        n = len(origins)
        if origins.shape != (n, 3) or directions.shape != (n, 3):
            raise ValueError(f"rays are two arrays of (n, 3), not {origins.shape} and {directions.shape}")
        if not self.frozen:
            self._follow()
        hits = Hits(
            np.zeros((n, 3), np.int64),
            np.full(n, NO_FACE, np.int64),
            np.full(n, inf),
            np.zeros((n, 3)),
            np.zeros((n, 3)),
        )
        waiting = np.ones(n, np.bool_)
        blocks, surfaces = self._blocks, self._surfaces
        while True:
            n_waiting = _cast(
                origins,
                directions,
                float(max_distance),
                blocks.tree.children,
                blocks.tree.place,
                blocks.table,
                self._world.palette.transparent,
                bool(surfaces),
                surfaces.tree.children,
                surfaces.tree.place,
                surfaces.table,
                waiting,
                hits.voxels,
                hits.faces,
                hits.distances,
                hits.points,
                hits.normals,
            )
            if n_waiting == 0:
                return hits
            # Rays that wait have left in the place of a voxel the chunk that they need.
            needed = np.unique(hits.voxels[waiting], axis=0).tolist()
            surfaces.mesh(self._world, [(x, y, z) for x, y, z in needed])

    def _follow(self) -> None:
        """Take what has changed in the world."""
        world, surfaces = self._world, self._surfaces
        if world.version != self._version:
            changed = world.changed_since(self._version)
            surfaces.update(world, {coord: self._blocks.put(coord, world.chunk(coord)) for coord in changed})
            smoothing, transparent = self._meshed_with
            if smoothing != world.settings.smoothing or not np.array_equal(transparent, world.palette.transparent):
                surfaces.forget_meshes()
                self._meshed_with = world.settings.smoothing, world.palette.transparent
            self._version = world.version
        if surfaces.n_bytes > MAX_SURFACE_BYTES:
            surfaces.forget_meshes()


@kernel
def _cast(
    origins,
    directions,
    max_distance,
    block_children,
    block_place,
    block_table,
    transparent,
    has_surfaces,
    surface_children,
    surface_place,
    surface_table,
    waiting,
    voxels,
    faces,
    distances,
    points,
    normals,
):
    """Cast the rays that are waiting (n,) bool, write the arrays of Hits, and return how many rays still wait, because
    a smooth surface must be meshed: of those voxels has the chunk."""
    n_waiting = 0
    scratch = new_scratch()
    ray, cell, face, normal = np.empty((2, 3)), np.empty(3, np.int64), np.empty(1, np.int64), np.empty(3)
    for i in range(len(origins)):
        if not waiting[i] or not _set_ray(origins[i], directions[i], ray):
            waiting[i] = False
            continue
        distance, axis = trace_blocks(ray, max_distance, block_children, block_place, block_table, transparent, cell)
        if distance < np.inf:
            face[0] = 2 * axis + (ray[1, axis] > 0)
            voxels[i] = cell
            normal[:] = FACE_NORMALS[face[0]]
        if has_surfaces:
            furthest = min(max_distance, distance)
            outcome, nearer = trace_quads(
                ray, furthest, surface_children, surface_place, surface_table, scratch, cell, face, normal
            )
            if outcome == NEEDS_MESH:
                voxels[i] = cell
                n_waiting += 1
                continue
            if outcome == HIT:
                distance, axis = nearer, np.int64(-1)
                voxels[i] = cell
        waiting[i] = False
        if distance == np.inf:
            voxels[i] = 0
        else:
            # Of −0.0 it makes 0.0.
            faces[i], distances[i], normals[i] = face[0], distance + 0.0, normal
            points[i] = ray[0] + ray[1] * distance
            if axis >= 0:
                points[i, axis] = voxels[i, axis] + (ray[1, axis] < 0)
    return n_waiting


@kernel
def _set_ray(origin, direction, ray):
    """Write ray (2, 3), the origin and the unit direction; returns whether it is one."""
    largest, valid = 0.0, True
    for axis in range(3):
        valid &= abs(origin[axis]) <= MAX_ORIGIN and abs(direction[axis]) < np.inf
        largest = max(largest, abs(direction[axis]))
    if not valid or largest == 0:
        return False
    length = 0.0
    for axis in range(3):
        ray[0, axis] = origin[axis]
        # Squares of very long or short directions would leave what a float can hold.
        ray[1, axis] = direction[axis] / largest
        length += ray[1, axis] ** 2
    for axis in range(3):
        ray[1, axis] /= np.sqrt(length)
    return True
