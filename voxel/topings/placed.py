# SPDX-License-Identifier: GPL-3.0-or-later
"""Where each instance's mesh stands: as matrices, and as one mesh of all."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..jobs import Job, Progress
from ..layout import CHUNK_SIZE
from ..limits import MAX_TOPING_TRIANGLES
from ..palette import Palette
from .kinds import KINDS, meshes_of
from .records import N_ALTERNATES, N_VARIANTS, PETALS_U, UNORM, Meshes, TopingMesh, Topings, height_factors


@dataclass(frozen=True)
class PlacedTopings:
    """positions (v, 3) float32 in voxel space; normals (v, 3) float32, unit; uvs (v, 2) float32. triangles (t, 3)
    int32; materials (t,) uint8: the palette's index of what each grows on; petals (t,) bool."""

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]
    uvs: NDArray[np.float32]
    triangles: NDArray[np.int32]
    materials: NDArray[np.uint8]
    petals: NDArray[np.bool_]


def meshes_by_type(palette: Palette, own: Mapping[int, Meshes]) -> dict[int, Meshes]:
    """The meshes of every material that has some, by its index; own are those of materials whose toping is an object
    of the user's (own_meshes())."""
    entries = [
        (index, m) for index, m in palette.items() if m.toping in KINDS or (m.toping == "object" and index in own)
    ]
    return {index: own[index] if m.toping == "object" else meshes_of(m.toping) for index, m in entries}


def own_meshes(by_variant: Mapping[int, TopingMesh], other: TopingMesh) -> Meshes:
    """Meshes of the user's: by_variant where there is one, else other, which is turned by a quarter from one alternate
    to the next."""
    turned = tuple(_turned(other, k) for k in range(N_ALTERNATES))
    given = {variant: (mesh,) * N_ALTERNATES for variant, mesh in by_variant.items()}
    return tuple(given.get(variant, turned) for variant in range(N_VARIANTS))


def _turned(mesh: TopingMesh, quarters: int) -> TopingMesh:
    cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarters]
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]], np.float32)
    vertices = mesh.vertices.copy()
    for field in ("position", "normal"):
        vertices[field] = vertices[field] @ turn.T
    return TopingMesh(vertices, mesh.triangles)


def matrices(topings: Topings, palette: Palette) -> NDArray[np.float32]:
    """(i, 4, 4) float32, row-major: from a mesh's own space into voxel space. Heights are multiplied by the material's
    factor and, of plants, by the seed's; what stands on a slope is sheared along it, and stays upright."""
    heights = np.array([m.toping_height if m is not None else 1 for m in palette.materials], np.float32)
    plants = np.array([m is not None and m.toping in KINDS and KINDS[m.toping].plant for m in palette.materials])
    types = topings.types
    out = np.zeros((len(types), 4, 4), np.float32)
    out[:, 0, 0] = out[:, 1, 1] = out[:, 3, 3] = 1
    out[:, 2, :2] = topings.slopes
    out[:, 2, 2] = heights[types] * np.where(plants[types], height_factors(topings.seeds), 1)
    out[:, :3, 3] = topings.instances["position"] + topings.coords[topings.chunk_of_instance] * CHUNK_SIZE
    return out


def groups(topings: Topings) -> Iterator[tuple[int, int, int, NDArray[np.int64]]]:
    """(type, variant, alternate, the instances of that mesh (k,) ascending) for all that occur, ascending."""
    keys = (topings.types.astype(np.int64) * N_VARIANTS + topings.variants) * N_ALTERNATES + topings.alternates
    order = np.argsort(keys, kind="stable")
    found, first = np.unique(keys[order], return_index=True)
    for key, instances in zip(found.tolist(), np.split(order, first[1:]), strict=False):
        yield key // (N_VARIANTS * N_ALTERNATES), key // N_ALTERNATES % N_VARIANTS, key % N_ALTERNATES, instances


def place(topings: Topings, palette: Palette, meshes: Mapping[int, Meshes]) -> Job[PlacedTopings]:
    """All topings whose type is in meshes as one mesh, group after group. Raises VoxelwrightError where it would be
    too large."""
    found = [
        (index, meshes[index][variant][alternate], instances)
        for index, variant, alternate, instances in groups(topings)
        if index in meshes
    ]
    n_triangles = sum(len(mesh.triangles) * len(instances) for _, mesh, instances in found)
    n_vertices = sum(len(mesh.vertices) * len(instances) for _, mesh, instances in found)
    if n_triangles > MAX_TOPING_TRIANGLES:
        raise VoxelwrightError(
            f"As one mesh the topings would have {n_triangles:,} triangles, more than {MAX_TOPING_TRIANGLES:,}; bake "
            "them as points, or lower their density."
        )
    placed = PlacedTopings(
        np.empty((n_vertices, 3), np.float32),
        np.empty((n_vertices, 3), np.float32),
        np.empty((n_vertices, 2), np.float32),
        np.empty((n_triangles, 3), np.int32),
        np.empty(n_triangles, np.uint8),
        np.empty(n_triangles, np.bool_),
    )
    every = matrices(topings, palette)
    vertex = triangle = 0
    for index, mesh, instances in found:
        yield Progress(triangle / max(n_triangles, 1), "Placing topings")
        n, n_own = len(instances) * len(mesh.vertices), len(mesh.vertices)
        linear, offsets = every[instances, :3, :3], every[instances, None, :3, 3]
        # Normals go by the inverse, transposed: these matrices are lower triangular, with ones in the first two rows.
        across = linear.copy()
        across[:, :2, 2] = -linear[:, 2, :2] / linear[:, 2, 2:]
        across[:, 2] = 0
        across[:, 2, 2] = 1 / linear[:, 2, 2]
        positions = mesh.vertices["position"] @ linear.transpose(0, 2, 1) + offsets
        normals = mesh.vertices["normal"] @ across.transpose(0, 2, 1)
        normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-12)
        placed.positions[vertex : vertex + n] = positions.reshape(-1, 3)
        placed.normals[vertex : vertex + n] = normals.reshape(-1, 3)
        placed.uvs[vertex : vertex + n] = np.tile(mesh.vertices["uv"] / np.float32(UNORM), (len(instances), 1))
        firsts = vertex + n_own * np.arange(len(instances))
        end = triangle + len(instances) * len(mesh.triangles)
        placed.triangles[triangle:end] = (mesh.triangles + firsts[:, None, None]).reshape(-1, 3)
        placed.materials[triangle:end] = index
        placed.petals[triangle:end] = np.tile(petals_of(mesh), len(instances))
        vertex, triangle = vertex + n, end
    return placed


def petals_of(mesh: TopingMesh) -> NDArray[np.bool_]:
    """(t,) bool: which triangles are petals."""
    return (mesh.vertices["uv"][:, 0] >= PETALS_U * UNORM)[mesh.triangles].all(axis=1)
