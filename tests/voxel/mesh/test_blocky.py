# SPDX-License-Identifier: GPL-3.0-or-later
import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxelwright.voxel import layout
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.packing import BATCH_CHUNKS
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import as_chunk, new_world

N_WORLDS = 400
"""Random worlds a mix; four mixes and two meshers make thousands."""


@pytest.mark.parametrize("merge", [False, True], ids=["simple", "greedy"])
@pytest.mark.parametrize("mix", ["blocky", "glass", "mixed", "sparse"])
def test_quads_cover_exactly_the_visible_faces(worlds, mix, merge):
    rng = np.random.default_rng(1)
    for i in range(N_WORLDS):
        dense = worlds.random_dense(rng, mix, rng.integers(1, 6, 3))
        corner = worlds.corners[i % len(worlds.corners)]
        mesh = finish(mesh_blocky(worlds.world_of(dense, corner), merge=merge))
        assert worlds.quad_faces(mesh) == worlds.reference_faces(dense, corner), (mix, i)
        if not merge:
            assert len(mesh.quads) == worlds.reference_faces(dense, corner).total()


def test_simple_quads_are_closed(worlds):
    rng = np.random.default_rng(2)
    for i in range(N_WORLDS):
        dense = worlds.random_dense(rng, "blocky", rng.integers(1, 8, 3))
        mesh = finish(mesh_blocky(worlds.world_of(dense, worlds.corners[i % 4]), merge=False))
        assert worlds.open_edges(mesh.corners()) == 0


def test_greedy_quads_are_closed_when_split_at_lattice_points(worlds):
    # Splitting at lattice points makes unit faces of the quads, and then every edge of them must have its opposite.
    rng = np.random.default_rng(3)
    for i in range(100):
        dense = worlds.random_dense(rng, "blocky", rng.integers(1, 8, 3))
        mesh = finish(mesh_blocky(worlds.world_of(dense, worlds.corners[i % 4]), merge=True))
        units = []
        offsets = layout.quad_corner_offsets()
        for face, _material, x, y, z in worlds.quad_faces(mesh).elements():
            units.append(offsets[face] + np.array([x, y, z]))
        assert not units or worlds.open_edges(np.array(units)) == 0


@pytest.mark.parametrize("merge", [False, True], ids=["simple", "greedy"])
def test_quads_wind_outwards(worlds, merge):
    dense = worlds.random_dense(np.random.default_rng(4), "blocky", (20, 20, 20))
    mesh = finish(mesh_blocky(worlds.world_of(dense, (20, -10, 25)), merge=merge))
    corners = mesh.corners().astype(np.float64)
    normals = layout.FACE_NORMALS[layout.unpack_quads(mesh.quads)["face"]]
    for a, b, c in layout.QUAD_TRIANGLES.reshape(2, 3):
        cross = np.cross(corners[:, b] - corners[:, a], corners[:, c] - corners[:, a])
        assert np.all(np.sign(cross) == normals)


def greedy_reference(visible, materials):
    """Rectangles (u, v, width, height, material) of one slice in the canonical order, by plain loops.

    visible and materials are indexed [u, v].
    """
    visible, out = visible.copy(), []
    n_u, n_v = visible.shape
    for v in range(n_v):
        for u in range(n_u):
            if not visible[u, v]:
                continue
            width = 1
            while u + width < n_u and visible[u + width, v] and materials[u + width, v] == materials[u, v]:
                width += 1
            height = 1
            while v + height < n_v and all(
                visible[k, v + height] and materials[k, v + height] == materials[u, v] for k in range(u, u + width)
            ):
                height += 1
            visible[u : u + width, v : v + height] = False
            out.append((u, v, width, height, int(materials[u, v])))
    return out


def test_greedy_merges_in_the_canonical_order(worlds):
    dense = worlds.random_dense(np.random.default_rng(5), "blocky", (32, 32, 32))
    dense[:16] = np.repeat(np.repeat(dense[:16:4, ::4, ::4], 4, 0), 4, 1).repeat(4, 2)  # larger rectangles too
    mesh = finish(mesh_blocky(worlds.world_of(dense), merge=True))
    fields = layout.unpack_quads(mesh.quads)
    padded = np.pad(dense, 1)
    expected = []
    for face in range(6):
        axis, u_axis, v_axis = layout.FACE_AXIS[face], layout.FACE_U_AXIS[face], layout.FACE_V_AXIS[face]
        hidden = np.roll(padded, -layout.FACE_SIGN[face], axis=axis)[1:-1, 1:-1, 1:-1] > 0
        visible = np.moveaxis((dense > 0) & ~hidden, (axis, u_axis, v_axis), (0, 1, 2))
        materials = np.moveaxis(dense >> 8, (axis, u_axis, v_axis), (0, 1, 2))
        for s in range(32):
            for u, v, width, height, material in greedy_reference(visible[s], materials[s]):
                at = [0, 0, 0]
                at[axis], at[u_axis], at[v_axis] = s, u, v
                expected.append((*at, width, height, face, material, 0))
    assert list(zip(*(fields[name].tolist() for name in layout.UNPACKED_QUAD_FIELDS), strict=True)) == expected


def test_a_full_slab_becomes_six_quads_a_chunk_side(worlds):
    world = new_world({(x, 0, 0): worlds.earth for x in range(3)}, worlds.palette)
    mesh = finish(mesh_blocky(world, merge=True))
    assert mesh.face_counts.tolist() == [[0, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1], [1, 0, 1, 1, 1, 1]]
    assert set(layout.unpack_quads(mesh.quads)["width"].tolist()) == {32}


def test_quads_are_sorted_by_face_and_counted(worlds):
    mesh = finish(
        mesh_blocky(worlds.world_of(worlds.random_dense(np.random.default_rng(6), "mixed", (40, 9, 40))), merge=True)
    )
    faces, chunks = layout.unpack_quads(mesh.quads)["face"], mesh.chunk_of_quad
    order = chunks * 6 + faces
    assert np.all(np.diff(order) >= 0)
    assert np.array_equal(np.bincount(order, minlength=6 * len(mesh.coords)).reshape(-1, 6), mesh.face_counts)


def checkerboard(n):
    return (np.indices((n, n, n)).sum(axis=0) % 2 == 0).astype(np.uint16)


@pytest.mark.parametrize("merge", [False, True], ids=["simple", "greedy"])
def test_a_checkerboard_has_the_most_quads_a_chunk_can_have(worlds, merge):
    world = worlds.world_of(checkerboard(34) * worlds.earth, (-1, -1, -1))
    mesh = finish(mesh_blocky(world, merge=merge))
    (full,) = np.flatnonzero((mesh.coords == 0).all(axis=1))
    assert mesh.face_counts[full].tolist() == [16384] * 6
    assert (layout.unpack_quads(mesh.quads)["width"] == 1).all()
    assert len(np.unique(mesh.corners(), axis=0)) == len(mesh.quads) == 6 * 34**3 // 2


def test_chunks_of_one_value_meet_each_other_and_others(worlds):
    # Uniform chunks of every kind, next to one another and to chunks with a few voxels at their borders.
    rng = np.random.default_rng(7)
    edge = worlds.random_dense(rng, "glass", (32, 32, 32))
    edge[1:-1, 1:-1, 1:-1] = worlds.earth
    values = [worlds.earth, worlds.glass, worlds.glass + 256, worlds.snow, 0]
    for _ in range(6):
        chunks = {
            (x, y, z): (int(rng.choice(values)) if rng.random() < 0.7 else as_chunk(edge))
            for x in range(-1, 2)
            for y in range(2)
            for z in range(2)
        }
        world = new_world(chunks, worlds.palette)
        mesh = finish(mesh_blocky(world, merge=True))
        assert np.array_equal(face_rows(mesh), reference_rows(world))


def face_rows(mesh):
    """(n, 8) of every voxel face: chunk, face, voxel in the chunk, material; sorted."""
    fields = layout.unpack_quads(mesh.quads)
    area = fields["width"] * fields["height"]
    quad = np.repeat(np.arange(len(area)), area)
    place = np.arange(len(quad)) - np.repeat(np.cumsum(area) - area, area)
    voxels = np.stack([fields[axis][quad] for axis in "xyz"], axis=1)
    faces, rows = fields["face"][quad], np.arange(len(quad))
    voxels[rows, layout.FACE_U_AXIS[faces]] += place % fields["width"][quad]
    voxels[rows, layout.FACE_V_AXIS[faces]] += place // fields["width"][quad]
    chunks = mesh.coords[mesh.chunk_of_quad][quad]
    return sorted_rows(np.column_stack([chunks, faces, voxels, fields["material"][quad]]))


def reference_rows(world):
    """The same by the rules, with numpy."""
    found = []
    transparent = world.palette.transparent
    for chunk in world.coords():
        low = np.array(chunk) * 32
        voxels = world.region(tuple(low - 1), tuple(low + 33))
        inner = voxels[1:-1, 1:-1, 1:-1]
        for face in range(6):
            start = 1 + layout.FACE_NORMALS[face]
            beyond = voxels[tuple(slice(s, s + 32) for s in start)] >> 8
            shown = (inner > 0) & (inner & layout.FLAG_SMOOTH == 0)
            shown &= (beyond == 0) | (transparent[beyond] & (beyond != inner >> 8))
            at = np.argwhere(shown)
            found.append(np.column_stack([np.tile((*chunk, face), (len(at), 1)), at, inner[shown] >> 8]))
    return sorted_rows(np.concatenate(found))


def sorted_rows(rows):
    return rows[np.lexsort(rows.T[::-1])]


@pytest.mark.parametrize("at", [(0, 0, 0), (31, 31, 31), (0, 31, 17), (15, 16, 31)])
@pytest.mark.parametrize("hollow", [False, True], ids=["of earth in air", "of air in earth"])
def test_single_voxels(worlds, hollow, at):
    outside, inside = (worlds.earth, 0) if hollow else (0, worlds.earth)
    dense = np.full((32, 32, 32), outside, np.uint16)
    dense[at] = inside
    world = new_world({**dict.fromkeys(np.ndindex(3, 3, 3), outside), (1, 1, 1): as_chunk(dense)}, worlds.palette)
    mesh = finish(mesh_blocky(world, merge=True))
    low = np.array(at) + 32
    corners = mesh.corners()
    here = ((corners >= low) & (corners <= low + 1)).all(axis=(1, 2))
    assert here.sum() == 6
    assert (~here).sum() == (6 * 9 if hollow else 0)  # the outer faces of 3³ chunks


def test_255_materials_keep_apart():
    palette = Palette.of({i: Material(f"m{i}", (i, i, i), opacity=0.5 if i % 5 == 0 else 1.0) for i in range(1, 256)})
    rng = np.random.default_rng(8)
    dense = rng.integers(0, 256, (32, 32, 32)).astype(np.uint16)
    dense[8:24] = rng.integers(1, 256, (16, 1, 32))  # runs along y
    world = new_world({(0, -1, 2): as_chunk(dense << 8), (0, 0, 2): as_chunk(dense[:, ::-1] << 8)}, palette)
    for merge in (False, True):
        assert np.array_equal(face_rows(finish(mesh_blocky(world, merge=merge))), reference_rows(world))


def test_some_chunks_are_meshed_as_among_all(worlds):
    rng = np.random.default_rng(9)
    world = worlds.world_of(worlds.random_dense(rng, "glass", (70, 70, 70)), (-20, -20, -20))
    whole = finish(mesh_blocky(world, merge=True))
    asked = [(0, 0, 0), (0, 1, 0), (-1, 0, 1), (9, 9, 9)]
    part = finish(mesh_blocky(world, merge=True, coords=asked))
    assert part.coords.tolist() == [[-1, 0, 1], [0, 0, 0], [0, 1, 0]]
    rows = [whole.coords.tolist().index(coord) for coord in part.coords.tolist()]
    assert np.array_equal(part.face_counts, whole.face_counts[rows])
    assert np.array_equal(part.quads, np.concatenate([whole.quads[whole.chunk_of_quad == row] for row in rows]))


def test_more_chunks_than_one_batch(worlds):
    # A tall world: neighbours above and below are in another batch than their chunk, and columns too.
    rng = np.random.default_rng(10)
    patterns = [
        as_chunk(worlds.random_dense(rng, "mixed", (32, 32, 32)) * (rng.random((32, 1, 1)) < 0.2)) for _ in "ab"
    ]
    chunks = {(x, 0, z): patterns[(x + z * z) % 2] for x in range(3) for z in range(-40, BATCH_CHUNKS - 20)}
    world = new_world(chunks, worlds.palette)
    assert np.array_equal(face_rows(finish(mesh_blocky(world, merge=True))), reference_rows(world))


def test_two_jobs_at_once_do_not_mix(worlds):
    rng = np.random.default_rng(11)
    dense = [worlds.random_dense(rng, "blocky", (32, 32, 32)) * (rng.random((32, 32, 1)) < 0.03) for _ in "ab"]
    made = [new_world({(0, 0, z): as_chunk(d) for z in range(2 * BATCH_CHUNKS)}, worlds.palette) for d in dense]
    alone = [finish(mesh_blocky(world, merge=True)).quads for world in made]
    jobs = [mesh_blocky(world, merge=True) for world in made]
    for job in jobs:
        next(job)
    for job, expected in zip(jobs, alone, strict=True):
        assert np.array_equal(finish(job).quads, expected)


def test_threads_do_not_matter(worlds):
    world = worlds.world_of(worlds.random_dense(np.random.default_rng(12), "glass", (80, 80, 80)))
    several = finish(mesh_blocky(world, merge=True, ambient_occlusion=True))
    n = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        one = finish(mesh_blocky(world, merge=True, ambient_occlusion=True))
    finally:
        numba.set_num_threads(n)
    for name in ("coords", "face_counts", "quads", "corner_light"):
        assert np.array_equal(getattr(one, name), getattr(several, name))


def test_progress_rises_to_1(worlds):
    chunk = as_chunk(worlds.random_dense(np.random.default_rng(13), "sparse", (32, 32, 32)))
    world = new_world({(0, 0, z): chunk for z in range(BATCH_CHUNKS + 1)}, worlds.palette)
    fractions = [progress.fraction for progress in mesh_blocky(world, merge=True)]
    assert fractions == [BATCH_CHUNKS / (BATCH_CHUNKS + 1), 1.0]


def test_an_empty_world_has_no_quads(worlds):
    mesh = finish(mesh_blocky(new_world({}, worlds.palette), merge=True))
    assert len(mesh.quads) == len(mesh.coords) == 0
    assert mesh.corners().shape == (0, 4, 3)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.tuples(*[st.integers(-70, 70)] * 3))
def test_any_corner_gives_the_same_faces(worlds, seed, corner):
    dense = worlds.random_dense(np.random.default_rng(seed), "glass", (4, 5, 3))
    mesh = finish(mesh_blocky(worlds.world_of(dense, corner), merge=True))
    assert worlds.quad_faces(mesh) == worlds.reference_faces(dense, corner)
