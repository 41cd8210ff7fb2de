# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes of topings: wound and lit from outside, closed where they are bodies, the same on every machine."""

import hashlib

import numpy as np
import pytest

from voxelwright.voxel.palette import TOPINGS
from voxelwright.voxel.topings.kinds import KINDS, meshes_of
from voxelwright.voxel.topings.records import N_ALTERNATES, N_VARIANTS, TOPING_INSTANCE, TOPING_VERTEX

BODIES = sorted(name for name, kind in KINDS.items() if not kind.plant)
PLANTS = sorted(name for name, kind in KINDS.items() if kind.plant)
every_kind = pytest.mark.parametrize("name", sorted(KINDS))


def all_of(name):
    """(variant, alternate, mesh) for all meshes of a kind."""
    meshes = meshes_of(name)
    return [(v, a, meshes[v][a]) for v in range(N_VARIANTS) for a in range(N_ALTERNATES)]


def corners(mesh):
    return mesh.vertices["position"].astype(np.float64)[mesh.triangles]


def areas(mesh):
    a, b, c = np.moveaxis(corners(mesh), 1, 0)
    return np.cross(b - a, c - a)


def open_edges_of(mesh):
    """(e, 2, 3): the edges, by the places of their ends, that belong to one triangle in their direction alone."""
    points, number = np.unique(np.round(mesh.vertices["position"], 5), axis=0, return_inverse=True)
    triangles = number.reshape(-1)[mesh.triangles]
    directed = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    directed = directed[directed[:, 0] != directed[:, 1]]
    back = {(b, a): 0 for a, b in directed.tolist()}
    return points[np.array([edge for edge in directed.tolist() if tuple(edge) not in back], np.int64).reshape(-1, 2)]


def test_records_are_those_of_the_layout():
    assert (TOPING_VERTEX.itemsize, TOPING_INSTANCE.itemsize) == (32, 16)
    assert {k: TOPING_VERTEX.fields[k][1] for k in TOPING_VERTEX.names} == {
        "position": 0, "bend": 12, "normal": 16, "uv": 28
    }  # fmt: skip
    assert TOPING_INSTANCE.fields["bits"][1] == 12
    assert set(KINDS) == {*TOPINGS} - {"none", "object"}


@every_kind
def test_triangles_have_an_area_and_face_where_their_normals_do(name):
    for variant, alternate, mesh in all_of(name):
        doubled = areas(mesh)
        normals = mesh.vertices["normal"]
        assert (np.linalg.norm(doubled, axis=1) > 1e-7).all(), (variant, alternate)
        assert np.abs(np.linalg.norm(normals, axis=1) - 1).max(initial=0) < 1e-5
        assert ((doubled[:, None] * normals[mesh.triangles]).sum(axis=-1) > 0).all(), (variant, alternate)


@every_kind
def test_vertices_are_all_used_and_near_their_top(name):
    for _, _, mesh in all_of(name):
        assert set(mesh.triangles.ravel().tolist()) == set(range(len(mesh.vertices)))
        position = mesh.vertices["position"]
        assert np.abs(position[:, :2]).max(initial=0) < 1.0
        assert position[:, 2].min(initial=0) >= -0.5
        assert position[:, 2].max(initial=0) <= 1.0


@pytest.mark.parametrize("name", BODIES)
def test_bodies_are_open_only_where_they_stand_on_their_voxel(name):
    for variant, alternate, mesh in all_of(name):
        ends = open_edges_of(mesh)
        on_voxel = (ends[..., 2] <= 1e-5) & (np.abs(ends[..., :2]) <= 0.5 + 0.031).all(axis=-1)
        assert on_voxel.all(), (variant, alternate, ends[~on_voxel.all(axis=1)])


@pytest.mark.parametrize("name", ["stone", "snow"])
def test_layers_face_outwards(name):
    """By the volume between them and the plane of their top, which is that of a layer, not of a hole."""
    for variant, _, mesh in all_of(name):
        a, b, c = np.moveaxis(corners(mesh), 1, 0)
        volume = (a * np.cross(b, c)).sum() / 6
        assert volume >= 0
        assert (volume > 0.001) == (name == "snow" or variant != 15)


@pytest.mark.parametrize("name", PLANTS)
def test_plants_are_rooted_and_bend_above(name):
    for _, _, mesh in all_of(name):
        root = mesh.vertices["position"][:, 2] == 0
        assert root.any()
        assert (mesh.vertices["bend"][root] == 0).all()
        assert (mesh.vertices["bend"][~root] > 0).all()
        assert mesh.vertices["bend"].max() <= 1


@pytest.mark.parametrize("name", BODIES)
def test_bodies_do_not_bend(name):
    assert all((mesh.vertices["bend"] == 0).all() for *_, mesh in all_of(name))


def test_half_of_the_alternates_flower():
    flowering = {alternate for _, alternate, mesh in all_of("flowers") if (mesh.vertices["uv"][:, 0] > 40000).any()}
    assert flowering == {2, 3}
    assert not any((mesh.vertices["uv"][:, 0] >= 32768).any() for *_, mesh in all_of("grass"))


def profile(mesh, axis, sign):
    """The points on one of the four sides, by place."""
    position = mesh.vertices["position"]
    on = np.abs(position[:, axis] - 0.5 * sign) < 1e-6
    return {tuple(p) for p in np.round(position[on][:, [1 - axis, 2]], 5).tolist()}


@pytest.mark.parametrize("name", ["stone", "snow"])
def test_strips_go_on_over_connected_edges(name):
    """A top open towards −X whose neighbours +Y and −Y are so too: their layers meet point by point."""
    for a in range(N_ALTERNATES):
        for b in range(N_ALTERNATES):
            one, next_one = meshes_of(name)[0b1101][a], meshes_of(name)[0b1101][b]
            assert profile(one, 1, 1) == profile(next_one, 1, -1) != set()


def test_open_edges_alone_have_bevels():
    for variant, _, mesh in all_of("stone"):
        for edge, (axis, sign) in enumerate([(0, 1), (0, -1), (1, 1), (1, -1)]):
            outward = areas(mesh)[:, axis] * sign
            on_side = (np.abs(corners(mesh)[:, :, axis] - 0.5 * sign) < 1e-6).all(axis=1)
            wall = np.linalg.norm(areas(mesh)[on_side & (outward > 0)], axis=1).sum() / 2
            if variant >> edge & 1:
                assert wall < 0.05  # the caps of the strips beside it
            else:
                assert wall > 0.06
    slopes = [m for v, _, m in all_of("stone") if v == 0b1110]
    for mesh in slopes:  # open towards +X: what is no wall and no cap looks in and up
        doubled = areas(mesh)
        slope = np.abs(doubled[:, 2]) > 1e-6
        assert (doubled[slope, 0] < 0).all()
        assert (doubled[slope, 2] > 0).all()


@every_kind
def test_they_are_the_same_on_every_machine(name):
    digest = hashlib.sha256()
    for *_, mesh in all_of(name):
        digest.update(np.round(mesh.vertices["position"] * 1024).astype(np.int32).tobytes() + mesh.triangles.tobytes())
    assert digest.hexdigest()[:12] == HASHES[name]


HASHES = {
    "flowers": "addd5587528b",
    "grass": "168400cc8097",
    "moss": "f77ea3fcb833",
    "pebbles": "9a2590f764d6",
    "snow": "0025f0ce183e",
    "stone": "f567eb5b6371",
}
