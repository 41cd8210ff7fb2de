# SPDX-License-Identifier: GPL-3.0-or-later
"""Random small worlds, and what a plain reading of the rules says about them."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from voxelwright.voxel import layout
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import chunks_of_cells, new_world

PALETTE = Palette.of(
    {
        1: Material("earth", (120, 80, 40)),
        2: Material("rock", (120, 120, 120)),
        3: Material("glass", (200, 220, 255), opacity=0.4),
        4: Material("tinted glass", (90, 200, 120), opacity=0.4),
        5: Material("snow", (250, 250, 250), smooth=True),
        6: Material("clay", (180, 140, 120), smooth=True),
    }
)
EARTH, ROCK, GLASS, TINTED, SNOW, CLAY = (PALETTE.voxel(i) for i in range(1, 7))
MIXES = {
    "blocky": {0: 0.5, EARTH: 0.3, ROCK: 0.2},
    "glass": {0: 0.4, EARTH: 0.2, GLASS: 0.2, TINTED: 0.2},
    "smooth": {0: 0.6, SNOW: 0.2, CLAY: 0.2},
    "mixed": {0: 0.4, EARTH: 0.2, ROCK: 0.1, SNOW: 0.2, CLAY: 0.1},
    "sparse": {0: 0.9, EARTH: 0.03, SNOW: 0.07},
    "dense": {0: 0.05, EARTH: 0.45, SNOW: 0.5},
}
CORNERS = np.array([(29, 30, 28), (-3, -2, -4), (0, -3, 61), (-35, 3, -70)])
"""Where small worlds are put: across chunk borders, at negative coordinates."""


def random_dense(rng, mix, size):
    values, weights = np.array(list(MIXES[mix]), np.uint16), np.array(list(MIXES[mix].values()))
    return rng.choice(values, p=weights / weights.sum(), size=size)


def world_of(dense, corner=(0, 0, 0)):
    """A world with dense's voxels from corner on."""
    cells = np.argwhere(dense > 0)
    return new_world(chunks_of_cells(cells + np.array(corner), dense[dense > 0], 10_000), PALETTE)


def reference_faces(dense, corner):
    """Counter of (face, material, x, y, z) of every visible blocky face, by the rules of visibility, one by one."""
    padded = np.pad(dense, 1)
    faces = Counter()
    for x, y, z in np.argwhere(dense > 0):
        voxel = int(dense[x, y, z])
        if voxel & layout.FLAG_SMOOTH:
            continue
        for face in range(6):
            nx, ny, nz = np.array([x, y, z]) + 1 + layout.FACE_NORMALS[face]
            other = int(padded[nx, ny, nz])
            see_through = other >> 8 in (3, 4) and other >> 8 != voxel >> 8
            if other == 0 or see_through:
                faces[(face, voxel >> 8, x + corner[0], y + corner[1], z + corner[2])] += 1
    return faces


def quad_faces(mesh):
    """The same Counter from a BlockyMesh, every quad taken apart into the voxel faces that it covers."""
    fields = layout.unpack_quads(mesh.quads)
    lows = np.stack([fields["x"], fields["y"], fields["z"]], axis=1) + mesh.coords[mesh.chunk_of_quad] * 32
    faces = Counter()
    for i, low in enumerate(lows):
        face = int(fields["face"][i])
        for u in range(fields["width"][i]):
            for v in range(fields["height"][i]):
                at = low.copy()
                at[layout.FACE_U_AXIS[face]] += u
                at[layout.FACE_V_AXIS[face]] += v
                faces[(face, int(fields["material"][i]), *at.tolist())] += 1
    return faces


def open_edges(quads):
    """How many directed edges of (n, 4, 3) quads have no opposite; corners are compared at 2⁻¹² of a voxel."""
    keys = np.round(quads * 4096).astype(np.int64).reshape(-1, 3)
    _, ids = np.unique(keys, axis=0, return_inverse=True)
    ids = ids.reshape(-1, 4)
    start, end = ids.ravel(), np.roll(ids, -1, axis=1).ravel()
    balance = Counter()
    for a, b in zip(start.tolist(), end.tolist(), strict=True):
        if a != b:
            balance[(min(a, b), max(a, b))] += 1 if a < b else -1
    return sum(abs(n) for n in balance.values())


def back_faces_first(quads, rng, n_rays):
    """How many random rays from outside onto (n, 4, 3) quads meet a back face before any front face."""
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    origins = rng.normal(size=(n_rays, 3))
    origins *= 3 * np.linalg.norm(high - low) / np.linalg.norm(origins, axis=1, keepdims=True)
    directions = rng.uniform(low, high, (n_rays, 3)) - (low + high) / 2 - origins
    origins += (low + high) / 2
    a, e1, e2 = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    normals = np.cross(e1, e2)
    bad = 0
    for origin, direction in zip(origins, directions, strict=True):
        # Möller and Trumbore, all triangles at once.
        p = np.cross(direction, e2)
        determinant = (e1 * p).sum(axis=1)
        inverse = np.divide(1, determinant, out=np.zeros_like(determinant), where=np.abs(determinant) > 1e-12)
        s = origin - a
        q = np.cross(s, e1)
        u, v, t = inverse * (s * p).sum(axis=1), inverse * (q @ direction), inverse * (e2 * q).sum(axis=1)
        hit = (inverse != 0) & (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (t > 0)
        front = normals @ direction < 0
        bad += t[hit & ~front].min(initial=np.inf) < t[hit & front].min(initial=np.inf) - 1e-9
    return bad


@pytest.fixture(scope="session")
def worlds():
    """The helpers of this file."""
    return SimpleNamespace(
        palette=PALETTE,
        mixes=tuple(MIXES),
        corners=CORNERS,
        random_dense=random_dense,
        world_of=world_of,
        reference_faces=reference_faces,
        quad_faces=quad_faces,
        open_edges=open_edges,
        back_faces_first=back_faces_first,
        earth=EARTH,
        glass=GLASS,
        snow=SNOW,
    )
