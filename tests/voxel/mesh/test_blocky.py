# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxelwright.voxel import layout
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.world import new_world

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
