# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

from voxelwright.voxel.edit.ray_tree import NOTHING, ChunkTree, find_chunk
from voxelwright.voxel.limits import MAX_CHUNK_COORD


def find(tree, coord):
    return find_chunk(tree.children, tree.place, *coord)


def test_rows_are_found_and_empty_space_is_as_wide_as_said():
    rng = np.random.default_rng(1)
    tree, rows, most = ChunkTree(), {}, 0
    for _ in range(3000):
        coord = tuple(rng.integers(-20, 30, 3).tolist())
        if rng.random() < 0.6:
            assert tree.add(coord) == rows.setdefault(coord, tree.add(coord))
        else:
            coord = list(rows)[rng.integers(len(rows))] if rows else coord
            assert tree.remove(coord) == rows.pop(coord, None)
        most = max(most, len(rows))
        assert len(set(rows.values())) == len(rows)
    assert tree.rows == rows
    assert most > 300
    assert max(rows.values()) < most
    low = tree.place[:3]
    for coord in [*rows, *map(tuple, rng.integers(-25, 35, (3000, 3)).tolist())]:
        row, shift = find(tree, coord)
        assert row == rows.get(coord, NOTHING)
        if row == NOTHING and shift > 0:
            first = [((c - a) >> shift << shift) + a for c, a in zip(coord, low.tolist(), strict=True)]
            assert not any(all(f <= c < f + (1 << shift) for c, f in zip(other, first, strict=True)) for other in rows)


def test_chunks_at_all_ends_of_a_world_take_few_nodes():
    ends = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    ends = [tuple(c * (MAX_CHUNK_COORD + 1) for c in end) for end in ends]
    tree = ChunkTree()
    rows = {end: tree.add(end) for end in ends}
    assert all(find(tree, end)[0] == row for end, row in rows.items())
    row, shift = find(tree, (0, 0, 0))
    assert row == NOTHING and shift >= 16
    assert len(tree.children) <= 256
