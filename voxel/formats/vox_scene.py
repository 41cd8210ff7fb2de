# SPDX-License-Identifier: GPL-3.0-or-later
"""A MagicaVoxel scene: models, the graph that places them, and the cells that they fill."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..layout import CHUNK_SHAPE, CHUNK_SHIFT, CHUNK_SIZE, CHUNK_VOXELS, VOXEL_DTYPE
from ..limits import MAX_IMPORT_CHUNKS, MAX_VOX_DEPTH, MAX_VOX_NODES, MAX_VOX_PLACED_VOXELS, MAX_WORLD_EDGE
from ..world import Chunk, Coord, as_chunk

Triple = tuple[int, int, int]

ROOT = 0
"""The id of the scene graph's root node."""

_SLICE = 1 << 20
"""Voxels placed at a time, so that the arrays on the way stay small."""


class Rotation(NamedTuple):
    """A signed permutation matrix: row i holds sign[i] in column axis[i]. Half of the 48 are mirrors."""

    axis: Triple
    sign: Triple

    def apply(self, vector: Triple) -> Triple:
        """The matrix times a vector."""
        (a, b, c), (i, j, k) = self.axis, self.sign
        return i * vector[a], j * vector[b], k * vector[c]


class Transform(NamedTuple):
    """Where a child stands: rotated, then translated. Hidden by itself or by its layer, with all below it."""

    child: int
    layer: int
    hidden: bool
    rotation: Rotation
    translation: Triple


class Group(NamedTuple):
    """Several children; of two that fill one cell the later wins."""

    children: tuple[int, ...]


class Shape(NamedTuple):
    """The model that is shown, by its place in the file."""

    model: int


Node = Transform | Group | Shape


@dataclass(frozen=True, slots=True)
class Model:
    """size in voxels, 1 to 256 an axis; voxels (n, 4) uint8: x, y, z, colour index 1 to 255; a later one wins."""

    size: Triple
    voxels: NDArray[np.uint8]


class Placement(NamedTuple):
    """A model in the world: voxel p fills the cell whose coordinate i is sign[i] · p[axis[i]] + base[i]."""

    model: Model
    rotation: Rotation
    base: Triple


IDENTITY = Rotation((0, 1, 2), (1, 1, 1))


def rotation_of_byte(value: int) -> Rotation | None:
    """The rotation in MagicaVoxel's packed form, or None where the bits are none: columns of rows 0 and 1 in bits
    0–1 and 2–3 (row 2 has the third), signs of the rows in bits 4, 5 and 6 (set is negative)."""
    first, second = value & 3, value >> 2 & 3
    if not 0 <= value < 128 or first == 3 or second == 3 or first == second:
        return None
    signs = (1 - (value >> 3 & 2), 1 - (value >> 4 & 2), 1 - (value >> 5 & 2))
    return Rotation((first, second, 3 - first - second), signs)


def place(model: Model, rotation: Rotation, translation: Triple) -> Placement:
    """A model whose centre, floor(size / 2), stands at translation.

    Voxel p fills the cell floor(R (p + ½ − floor(size / 2)) + t): with d = 2p − 2 floor(size / 2) + 1, always odd,
    that is floor(±d / 2) + t on each axis, p − floor(size / 2) + t or −p + floor(size / 2) − 1 + t.
    """
    base = []
    for axis, sign, t in zip(rotation.axis, rotation.sign, translation, strict=True):
        half = model.size[axis] // 2
        base.append(t - half if sign > 0 else t + half - 1)
    return Placement(model, rotation, (base[0], base[1], base[2]))


def placements(nodes: Mapping[int, Node], models: Sequence[Model], hidden_layers: set[int]) -> list[Placement]:
    """The visible models that have voxels, depth first in the order of the file. Raises VoxelwrightError."""
    out: list[Placement] = []
    for shape, rotation, translation in _visible_shapes(nodes, hidden_layers):
        if not 0 <= shape.model < len(models):
            raise VoxelwrightError(
                f"The .vox file's scene shows model {shape.model}, but the file has {len(models)} models; "
                "save it anew or get another copy."
            )
        model = models[shape.model]
        if len(model.voxels):
            out.append(place(model, rotation, translation))
    return out


def _visible_shapes(nodes: Mapping[int, Node], hidden_layers: set[int]) -> Iterator[tuple[Shape, Rotation, Triple]]:
    """Every way from the root to a shape that no hidden node or layer cuts, with its rotation and translation."""
    stack: list[tuple[int, int, Rotation, Triple]] = [(ROOT, 0, IDENTITY, (0, 0, 0))]
    path: list[int] = []
    on_path: set[int] = set()
    n_visits = 0
    while stack:
        key, depth, rotation, translation = stack.pop()
        on_path.difference_update(path[depth:])
        del path[depth:]
        node = _checked_node(nodes, key, depth, on_path)
        n_visits += 1
        path.append(key)
        on_path.add(key)
        if isinstance(node, Shape):
            yield node, rotation, translation
        elif isinstance(node, Group):
            stack.extend((child, depth + 1, rotation, translation) for child in reversed(node.children))
        elif not node.hidden and node.layer not in hidden_layers:
            stack.append((node.child, depth + 1, *_composed(rotation, translation, node)))
        if n_visits + len(stack) > MAX_VOX_NODES:
            raise VoxelwrightError(
                f"The .vox file's scene has more than {MAX_VOX_NODES} nodes, each counted once a use; "
                "split it into several files."
            )


def _checked_node(nodes: Mapping[int, Node], key: int, depth: int, on_path: set[int]) -> Node:
    node = nodes.get(key)
    if node is None:
        raise VoxelwrightError(
            f"The .vox file's scene names node {key}, which the file lacks; save it anew or get another copy."
        )
    if key in on_path:
        raise VoxelwrightError(
            f"The .vox file's scene is damaged: node {key} contains itself; save it anew or get another copy."
        )
    if depth >= MAX_VOX_DEPTH:
        raise VoxelwrightError(
            f"The .vox file's scene is nested deeper than {MAX_VOX_DEPTH} levels; flatten its groups."
        )
    return node


def _composed(rotation: Rotation, translation: Triple, node: Transform) -> tuple[Rotation, Triple]:
    """The parent's rotation and translation after the node's own: R = Rp R, t = Rp t + tp."""
    moved = rotation.apply(node.translation)
    (a, b, c), inner = rotation.axis, node.rotation
    total = Rotation((inner.axis[a], inner.axis[b], inner.axis[c]), rotation.apply(inner.sign))
    return total, (moved[0] + translation[0], moved[1] + translation[1], moved[2] + translation[2])


def chunks_of_placements(placed: Sequence[Placement], voxel_of_color: NDArray[np.uint16]) -> dict[Coord, Chunk]:
    """The chunks that the placed models fill; a later one wins where two overlap.

    voxel_of_color (256,) uint16: the voxel that stands for each colour index. Raises VoxelwrightError where the
    limits on voxels, coordinates or chunks are passed, before anything of their size is made.
    """
    n_voxels = sum(len(p.model.voxels) for p in placed)
    if n_voxels > MAX_VOX_PLACED_VOXELS:
        raise VoxelwrightError(
            f"The .vox file's scene shows {n_voxels} voxels; the limit is {MAX_VOX_PLACED_VOXELS}: "
            "hide layers or split it into several files."
        )
    grid = _ChunkGrid(*_chunk_bounds(placed))
    touched = np.zeros(grid.size, np.bool_)
    for chunks, _, _ in _slices(placed, grid):
        touched[chunks] = True
    used = np.flatnonzero(touched)
    if len(used) > MAX_IMPORT_CHUNKS:
        raise VoxelwrightError(
            f"The .vox file's scene fills {len(used)} chunks of 32³ voxels; the limit is {MAX_IMPORT_CHUNKS}: "
            "hide layers or split it into several files."
        )
    slot = np.zeros(grid.size, np.int32)
    slot[used] = np.arange(len(used))
    dense = np.zeros((len(used), *CHUNK_SHAPE), VOXEL_DTYPE)
    for chunks, inside, colors in _slices(placed, grid):
        dense.reshape(-1)[slot[chunks] * np.int64(CHUNK_VOXELS) + inside] = voxel_of_color[colors]
    return {coord: as_chunk(dense[i]) for i, coord in enumerate(grid.coords(used))}


class _ChunkGrid(NamedTuple):
    """A box of chunks, numbered with z fastest."""

    low: Triple
    shape: Triple

    @property
    def size(self) -> int:
        return self.shape[0] * self.shape[1] * self.shape[2]

    def coords(self, numbers: NDArray[np.int64]) -> list[Coord]:
        axes = np.unravel_index(numbers, self.shape)
        x, y, z = (axis + low for axis, low in zip(axes, self.low, strict=True))
        return list(zip(x.tolist(), y.tolist(), z.tolist(), strict=True))


def _chunk_bounds(placed: Sequence[Placement]) -> tuple[Triple, Triple]:
    """The lowest chunk and the shape of the box of chunks that holds every placed voxel."""
    bounds: dict[int, tuple[list[int], list[int]]] = {}
    for p in placed:
        if id(p.model) not in bounds:
            xyz = p.model.voxels[:, :3]
            bounds[id(p.model)] = (xyz.min(axis=0).tolist(), xyz.max(axis=0).tolist())
    low, high = [MAX_WORLD_EDGE] * 3, [-MAX_WORLD_EDGE] * 3
    for p in placed:
        first, last = bounds[id(p.model)]
        for i, (axis, sign, base) in enumerate(zip(*p.rotation, p.base, strict=True)):
            ends = (sign * first[axis] + base, sign * last[axis] + base)
            low[i], high[i] = min(low[i], *ends), max(high[i], *ends)
    if min(low) < -MAX_WORLD_EDGE or max(high) > MAX_WORLD_EDGE:
        raise VoxelwrightError(
            f"The .vox file's scene has voxels further than {MAX_WORLD_EDGE} from its origin along an axis; "
            "move its models nearer."
        )
    first_chunk = [c >> CHUNK_SHIFT for c in low]
    shape = [(h >> CHUNK_SHIFT) - f + 1 for f, h in zip(first_chunk, high, strict=True)]
    return (first_chunk[0], first_chunk[1], first_chunk[2]), (shape[0], shape[1], shape[2])


def _slices(
    placed: Sequence[Placement], grid: _ChunkGrid
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]]:
    """All placed voxels in order, a slice at a time: chunk number in the grid, index in the chunk, colour index."""
    for model, rotation, base in placed:
        for start in range(0, len(model.voxels), _SLICE):
            voxels = model.voxels[start : start + _SLICE]
            chunks = inside = np.zeros(len(voxels), np.int64)
            for i, (axis, sign) in enumerate(zip(*rotation, strict=True)):
                cells = voxels[:, axis].astype(np.int64) * sign + (base[i] - grid.low[i] * CHUNK_SIZE)
                chunks = chunks * grid.shape[i] + (cells >> CHUNK_SHIFT)
                inside = inside << CHUNK_SHIFT | cells & CHUNK_SIZE - 1
            yield chunks, inside, voxels[:, 3]
