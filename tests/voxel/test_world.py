# SPDX-License-Identifier: GPL-3.0-or-later
"""The world held to plain dictionaries of cells, and its rules one by one."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import CHUNK_SHAPE
from voxelwright.voxel.limits import MAX_CHUNK_COORD, MAX_WORLD_CHUNKS
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.world import (
    ChunkDelta,
    Edit,
    World,
    as_chunk,
    chunk_overlaps,
    chunks_of_cells,
    edit_of_chunks,
    new_world,
    same_chunk,
)

EARTH = Palette.of({1: Material("earth", (120, 80, 40))})
ROCK = Palette.of({1: Material("rock", (120, 120, 120)), 2: Material("moss", (60, 90, 40), smooth=True)})
VALUES = (0, 0x0100, 0x0210, 0xFFFF)

coords = st.tuples(*[st.integers(-2, 1)] * 3)
voxels = st.sampled_from(VALUES)
inside = st.tuples(*[st.sampled_from([0, 1, 15, 30, 31])] * 3)
contents = st.tuples(voxels, st.dictionaries(inside, voxels, max_size=5))
"""A chunk: one value everywhere, and other values in a few cells."""
changes = st.dictionaries(coords, contents, min_size=1, max_size=3)


def chunk_of(content):
    fill, cells = content
    dense = np.full(CHUNK_SHAPE, fill, np.uint16)
    for cell, voxel in cells.items():
        dense[cell] = voxel
    return as_chunk(dense)


def noise_chunk(seed=0):
    return as_chunk(np.random.default_rng(seed).integers(0, 3, CHUNK_SHAPE).astype(np.uint16) << 8)


def state_of(world):
    """All that can be seen of a world, to tell whether it has changed."""
    chunks = {coord: world.chunk(coord) for coord in world.coords()}
    return {
        "chunks": {coord: c if isinstance(c, int) else c.tobytes() for coord, c in chunks.items()},
        "palette": world.palette,
        "version": world.version,
        "changed": sorted(world.changed_since(-1)),
    }


class Model:
    """A world as two dictionaries: what fills a chunk, and the cells that differ from it."""

    def __init__(self, fills=(), cells=(), palette=EARTH):
        self.fills, self.cells, self.palette = dict(fills), dict(cells), palette

    def copy(self):
        return Model(self.fills, self.cells, self.palette)

    def set_chunk(self, coord, fill, cells):
        self.fills[coord] = fill
        self.cells = {cell: v for cell, v in self.cells.items() if tuple(c // 32 for c in cell) != coord}
        self.cells |= {tuple(32 * c + i for c, i in zip(coord, cell, strict=True)): v for cell, v in cells.items()}

    def voxel(self, x, y, z):
        return self.cells.get((x, y, z), self.fills.get((x // 32, y // 32, z // 32), 0))

    def coords(self):
        solid = {coord for coord, fill in self.fills.items() if fill}
        return sorted(solid | {tuple(c // 32 for c in cell) for cell, voxel in self.cells.items() if voxel})

    def counts(self):
        counts = np.zeros(256, int)
        for coord in self.coords():
            counts[self.fills[coord] >> 8] += 32**3
        for cell, voxel in self.cells.items():
            fill_coord = tuple(c // 32 for c in cell)
            if fill_coord in self.coords():
                counts[self.fills[fill_coord] >> 8] -= 1
                counts[voxel >> 8] += 1
        return counts.tolist()

    def bounds(self):
        corners = [cell for cell, voxel in self.cells.items() if voxel]
        for coord, fill in self.fills.items():
            if fill:  # a few other cells cannot clear a whole side of it
                corners += [tuple(32 * c for c in coord), tuple(32 * c + 31 for c in coord)]
        return (
            (tuple(map(min, zip(*corners, strict=True))), tuple(map(max, zip(*corners, strict=True))))
            if corners
            else None
        )


class WorldMachine(RuleBasedStateMachine):
    @initialize()
    def start(self):
        self.world, self.model = World(EARTH), Model()
        self.done, self.undone = [], []  # (edit, model before, model after)
        self.seen_version, self.changed = 0, set()

    def _apply(self, edit, model):
        version = self.world.version
        self.world.apply(edit)
        assert self.world.version == version + 1
        self.changed |= {delta.coord for delta in edit.deltas}
        self.model = model

    @rule(changes=changes, palette=st.sampled_from([None, EARTH, ROCK]))
    def edit(self, changes, palette):
        before, after = self.model.copy(), self.model.copy()
        for coord, content in changes.items():
            after.set_chunk(coord, *content)
        after.palette = palette or before.palette
        edit = edit_of_chunks(self.world, {coord: chunk_of(content) for coord, content in changes.items()}, palette)
        state = state_of(self.world)
        assert not any(same_chunk(delta.before, delta.after) for delta in edit.deltas)
        assert bool(edit) == (bool(edit.deltas) or after.palette != before.palette)
        assert state_of(self.world) == state, "making an edit changes nothing"
        self._apply(edit, after)
        self.done.append((edit, before, after))
        self.undone.clear()

    @precondition(lambda self: self.done)
    @rule()
    def undo(self):
        edit, before, after = self.done.pop()
        self._apply(edit.inverse(), before)
        self.undone.append((edit, before, after))

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self):
        edit, before, after = self.undone.pop()
        self._apply(edit, after)
        self.done.append((edit, before, after))

    @rule(changes=changes, coord=coords, content=contents)
    def stale_edit(self, changes, coord, content):
        """An edit made from another state is refused, and nothing of it is done."""
        other = new_world({c: self.world.chunk(c) for c in self.world.coords()}, self.world.palette)
        other.apply(edit_of_chunks(other, {coord: chunk_of(content)}))
        if same_chunk(other.chunk(coord), self.world.chunk(coord)):
            return
        chunks = {c: chunk_of(other_content) for c, other_content in changes.items()}
        edit = edit_of_chunks(other, chunks | {coord: 0xABCD})
        state = state_of(self.world)
        with pytest.raises(ValueError, match="another content"):
            self.world.apply(edit)
        assert state_of(self.world) == state

    @rule()
    def look(self):
        assert self.world.changed_since(self.seen_version) == self.changed
        self.seen_version, self.changed = self.world.version, set()
        assert self.world.changed_since(self.world.version) == set()

    @rule(low=st.tuples(*[st.integers(-70, 65)] * 3), size=st.tuples(*[st.integers(0, 40)] * 3))
    def region(self, low, size):
        high = tuple(l + s for l, s in zip(low, size, strict=True))  # noqa: E741
        region = self.world.region(low, high)
        assert region.shape == size
        assert region.dtype == np.uint16
        expected = np.zeros(size, np.uint16)
        for coord in self.model.coords():
            span = [slice(max(32 * c - a, 0), max(32 * c + 32 - a, 0)) for c, a in zip(coord, low, strict=True)]
            expected[tuple(span)] = self.model.fills[coord]
        for cell, voxel in self.model.cells.items():
            if all(a <= c < b for a, c, b in zip(low, cell, high, strict=True)):
                expected[tuple(c - a for a, c in zip(low, cell, strict=True))] = voxel
        assert np.array_equal(region, expected)

    @rule(coord=coords, cell=inside)
    def voxel(self, coord, cell):
        at = tuple(32 * c + i for c, i in zip(coord, cell, strict=True))
        assert self.world.voxel(*at) == self.model.voxel(*at)
        assert type(self.world.voxel(*at)) is int

    @invariant()
    def agrees(self):
        world, model = self.world, self.model
        assert world.palette == model.palette
        assert world.coords() == model.coords()
        assert world.bounds() == model.bounds()
        assert world.material_counts().tolist() == model.counts()
        for cell, voxel in model.cells.items():
            assert world.voxel(*cell) == voxel

    @invariant()
    def chunks_are_canonical(self):
        for coord in self.world.coords():
            chunk = self.world.chunk(coord)
            if not isinstance(chunk, int):
                assert chunk.shape == CHUNK_SHAPE
                assert chunk.dtype == np.uint16
                assert not chunk.flags.writeable
                assert chunk.min() != chunk.max()


WorldMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
TestWorldAgainstDictionaries = WorldMachine.TestCase


# --- Chunks ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", VALUES)
def test_uniform_chunks_collapse(value):
    chunk = as_chunk(np.full(CHUNK_SHAPE, value, np.uint16))
    assert chunk == value
    assert type(chunk) is int


@pytest.mark.parametrize("odd_one", [(0, 0, 0), (31, 31, 31), (0, 31, 7)])
def test_one_other_voxel_keeps_a_chunk_an_array(odd_one):
    dense = np.full(CHUNK_SHAPE, 0x0100, np.uint16)
    dense[odd_one] = 0x0101
    chunk = as_chunk(dense)
    dense[:] = 7
    assert chunk[odd_one] == 0x0101, "as_chunk copies"
    assert (chunk == 0x0100).sum() == 32**3 - 1
    with pytest.raises(ValueError, match="read-only"):
        chunk[0, 0, 0] = 1


def test_chunks_are_c_ordered_whatever_they_come_from():
    dense = np.random.default_rng(1).integers(0, 1 << 16, CHUNK_SHAPE).astype(np.uint16)
    for source in (np.asfortranarray(dense), dense.transpose(2, 0, 1), dense[::-1]):
        chunk = as_chunk(source)
        assert chunk.flags.c_contiguous
        assert np.array_equal(chunk, source)


@pytest.mark.parametrize("shape", [(32, 32), (31, 32, 32), (32, 32, 33), (1, 32, 32, 32), (0, 0, 0)])
def test_chunks_of_another_shape_are_a_mistake_of_ours(shape):
    with pytest.raises(ValueError, match="shape"):
        as_chunk(np.zeros(shape, np.uint16))


def test_same_chunk():
    a, b = noise_chunk(1), noise_chunk(2)
    assert same_chunk(a, a)
    assert same_chunk(a, noise_chunk(1))
    assert not same_chunk(a, b)
    assert same_chunk(0x0100, 0x0100)
    assert not same_chunk(0x0100, 0x0101)
    assert not same_chunk(a, 0x0100)
    assert not same_chunk(0, a)


# --- Edits -----------------------------------------------------------------------------------------------------


def test_edits_share_arrays_with_the_world():
    chunk = noise_chunk()
    world = new_world({(0, 0, 0): chunk}, EARTH)
    assert world.chunk((0, 0, 0)) is chunk
    assert edit_of_chunks(world, {(0, 0, 0): 0}).deltas[0].before is chunk


def test_equal_chunks_are_left_out_of_an_edit():
    world = new_world({(0, 0, 0): noise_chunk(), (1, 0, 0): 0x0100}, EARTH)
    edit = edit_of_chunks(world, {(0, 0, 0): noise_chunk(), (1, 0, 0): 0x0100, (5, 5, 5): 0})
    assert not edit
    assert edit == Edit((), EARTH, EARTH, Settings(), Settings())


def test_deltas_are_sorted():
    edit = edit_of_chunks(World(), {(1, 0, 0): 1, (-1, 5, 0): 1, (0, 0, -3): 1})
    assert [delta.coord for delta in edit.deltas] == [(-1, 5, 0), (0, 0, -3), (1, 0, 0)]


def test_a_palette_alone_is_an_edit():
    world = new_world({(0, 0, 0): 0x0100}, EARTH)
    edit = edit_of_chunks(world, {}, ROCK)
    assert edit
    world.apply(edit)
    assert world.palette == ROCK
    assert world.changed_since(1) == set()
    assert world.version == 2
    world.apply(edit.inverse())
    assert world.palette == EARTH


def test_an_edit_from_another_palette_is_refused_whole():
    world = new_world({(0, 0, 0): 0x0100}, EARTH)
    edit = edit_of_chunks(new_world({(0, 0, 0): 0x0100}, ROCK), {(0, 0, 0): 0x0200})
    state = state_of(world)
    with pytest.raises(ValueError, match="another palette"):
        world.apply(edit)
    assert state_of(world) == state


def test_an_edit_that_fits_in_part_is_refused_whole():
    world = new_world({(0, 0, 0): 0x0100}, EARTH)
    deltas = (ChunkDelta((0, 0, 0), 0x0100, 0x0200), ChunkDelta((9, 9, 9), 0x0100, 0x0200))
    state = state_of(world)
    with pytest.raises(ValueError, match="another content"):
        world.apply(Edit(deltas, EARTH, ROCK, Settings(), Settings()))
    assert state_of(world) == state


def test_regions_are_copies():
    world = new_world({(0, 0, 0): noise_chunk()}, EARTH)
    region = world.region((0, 0, 0), (32, 32, 32))
    region[:] = 0
    assert np.array_equal(world.region((0, 0, 0), (32, 32, 32)), noise_chunk())


# --- Limits ----------------------------------------------------------------------------------------------------


def test_uniform_chunks_cost_little_and_their_number_is_bounded():
    spots = [(x, y, 0) for x in range(256) for y in range(256)]
    assert len(spots) == MAX_WORLD_CHUNKS
    tracemalloc.start()
    try:
        full = new_world(dict.fromkeys(spots, 0x0100), EARTH)
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert used / MAX_WORLD_CHUNKS < 400, "an array would take 65,536"

    state = full.version, full.coords()
    one_more = edit_of_chunks(full, {(0, 0, 1): 0x0100, (0, 0, 0): 0x0200})
    with pytest.raises(VoxelwrightError, match=r"at most 65536 chunks; split it into several worlds\.$"):
        full.apply(one_more)
    assert (full.version, full.coords()) == state
    assert full.chunk((0, 0, 0)) == 0x0100

    full.apply(edit_of_chunks(full, {(0, 0, 1): 0x0100, (0, 0, 0): 0}))  # one comes, one goes
    assert len(full.coords()) == MAX_WORLD_CHUNKS


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [-1, 1])
def test_worlds_end_where_files_do(axis, sign):
    farthest = tuple(sign * MAX_CHUNK_COORD * (i == axis) for i in range(3))
    beyond = tuple(sign * (MAX_CHUNK_COORD + 1) * (i == axis) for i in range(3))
    world = new_world({farthest: 0x0100}, EARTH)
    with pytest.raises(VoxelwrightError, match=r"33554432 voxels from its origin; work nearer to it\.$"):
        world.apply(edit_of_chunks(world, {beyond: 0x0100, (0, 0, 0): 0x0100}))
    assert world.coords() == [farthest]


# --- Cells and boxes -------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.tuples(*[st.integers(-70, 70)] * 3), voxels), max_size=30))
def test_chunks_of_cells_against_a_dictionary(pairs):
    cells = np.array([cell for cell, _ in pairs], np.int64).reshape(-1, 3)
    chunks = chunks_of_cells(cells, np.array([voxel for _, voxel in pairs], np.uint16), 1000)
    expected = dict(pairs)  # the later wins
    world = new_world(chunks, EARTH)
    assert set(chunks) == {tuple(c // 32 for c in cell) for cell in expected}
    assert {cell: world.voxel(*cell) for cell in expected} == expected
    assert world.material_counts()[1:].sum() == sum(voxel > 0 for voxel in expected.values())


def test_chunks_of_cells_is_bounded_before_anything_is_allocated():
    cells = np.arange(30_000, dtype=np.int64)[:, None] * np.array([32, 0, 0])
    tracemalloc.start()
    try:
        with pytest.raises(VoxelwrightError, match=r"30000 chunks of 32³ voxels; the limit is 29999\.$"):
            chunks_of_cells(cells, np.ones(30_000, np.uint16), 29_999)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000, "the chunks would be 2 GB"
    finally:
        tracemalloc.stop()


@given(st.tuples(*[st.tuples(st.integers(-100, 100), st.integers(0, 80))] * 3))
def test_overlaps_cover_a_box_once(spans):
    low, high = [a for a, _ in spans], [a + n for a, n in spans]
    covered = np.zeros([n for _, n in spans], int)
    for coord, inside, outside in chunk_overlaps(low, high):
        covered[outside] += 1
        for axis in range(3):
            assert 0 <= inside[axis].start <= inside[axis].stop <= 32
            assert 32 * coord[axis] + inside[axis].start == low[axis] + outside[axis].start
            assert inside[axis].stop - inside[axis].start == outside[axis].stop - outside[axis].start
            assert inside[axis].stop > inside[axis].start or not covered.size, "only chunks that the box meets"
    assert np.all(covered == 1)


def test_an_empty_world():
    world = World()
    assert world.coords() == []
    assert world.bounds() is None
    assert world.voxel(-5, 3, 10**6) == 0
    assert not world.material_counts().any()
    assert not world.region((-3, -3, -3), (3, 3, 3)).any()
