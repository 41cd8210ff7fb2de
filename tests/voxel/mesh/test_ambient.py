# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from voxelwright.voxel import layout
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.arrays import BlockyMesh
from voxelwright.voxel.mesh.blocky import mesh_blocky

GLASSES = (3, 4)


def opaque(dense, at):
    """Whether the voxel at a place relative to dense is opaque; outside there is air."""
    if any(c < 0 or c >= n for c, n in zip(at, dense.shape, strict=True)):
        return False
    material = int(dense[tuple(at)]) >> 8
    return material != 0 and material not in GLASSES


def reference_light(dense, face, at):
    """{(right, upper): light} of one voxel face, by the rule, voxel by voxel."""
    outside = np.array(at) + layout.FACE_NORMALS[face]
    u, v = np.eye(3, dtype=int)[[layout.FACE_U_AXIS[face], layout.FACE_V_AXIS[face]]]
    light = {}
    for right in (0, 1):
        for upper in (0, 1):
            beside_u = opaque(dense, outside + (2 * right - 1) * u)
            beside_v = opaque(dense, outside + (2 * upper - 1) * v)
            between = opaque(dense, outside + (2 * right - 1) * u + (2 * upper - 1) * v)
            light[right, upper] = 0 if beside_u and beside_v else 3 - beside_u - beside_v - between
    return light


def lit_faces(mesh, corner):
    """(face, voxel, quad's row, place of the voxel in the quad, size of the quad) of every voxel face."""
    fields = layout.unpack_quads(mesh.quads)
    lows = np.stack([fields["x"], fields["y"], fields["z"]], axis=1) + mesh.coords[mesh.chunk_of_quad] * 32
    for i, low in enumerate(lows - corner):
        face = int(fields["face"][i])
        for u in range(fields["width"][i]):
            for v in range(fields["height"][i]):
                at = low.copy()
                at[layout.FACE_U_AXIS[face]] += u
                at[layout.FACE_V_AXIS[face]] += v
                yield face, at, i, (u, v), (fields["width"][i], fields["height"][i])


@pytest.mark.parametrize("merge", [False, True], ids=["simple", "greedy"])
@pytest.mark.parametrize("mix", ["blocky", "glass", "mixed", "sparse"])
def test_light_is_that_of_each_voxel_face(worlds, mix, merge):
    rng = np.random.default_rng(1)
    merged = 0
    for i in range(40):
        dense = worlds.random_dense(rng, mix, rng.integers(1, 6, 3))
        if i % 2:
            dense = dense.repeat(2, 0).repeat(2, 1)
        corner = worlds.corners[i % 4]
        world = worlds.world_of(dense, corner)
        mesh = finish(mesh_blocky(world, merge=merge, ambient_occlusion=True))
        assert mesh.corner_light.shape == (len(mesh.quads), 4)
        assert worlds.quad_faces(mesh) == worlds.reference_faces(dense, corner)
        for face, at, row, (u, v), (width, height) in lit_faces(mesh, corner):
            merged += width * height > 1
            light = {
                tuple(place): int(value)
                for place, value in zip(layout.FACE_CORNERS_UV[face].tolist(), mesh.corner_light[row], strict=True)
            }
            for (right, upper), expected in reference_light(dense, face, at).items():
                x, y = (u + right) / width, (v + upper) / height
                bilinear = (
                    light[0, 0] * (1 - x) * (1 - y)
                    + light[1, 0] * x * (1 - y)
                    + light[0, 1] * (1 - x) * y
                    + light[1, 1] * x * y
                )
                assert abs(bilinear - expected) < 1e-9
            # Any split into triangles shows the same, where the quad is not a single face.
            assert width * height == 1 or light[0, 0] + light[1, 1] == light[1, 0] + light[0, 1]
    assert (merged > 0) == merge


def test_faces_of_constant_light_still_merge(worlds):
    world = worlds.world_of(np.full((20, 10, 5), worlds.earth, np.uint16))
    mesh = finish(mesh_blocky(world, merge=True, ambient_occlusion=True))
    assert len(mesh.quads) == 6
    assert (mesh.corner_light == 3).all()


def test_a_run_along_a_wall_merges_and_keeps_its_gradient(worlds):
    dense = np.zeros((3, 8, 2), np.uint16)
    dense[:, :, 0] = worlds.earth
    dense[0, :, 1] = worlds.earth
    mesh = finish(mesh_blocky(worlds.world_of(dense), merge=True, ambient_occlusion=True))
    fields = layout.unpack_quads(mesh.quads)
    ground = (fields["face"] == layout.POS_Z) & (fields["z"] == 0)
    sizes = zip(fields["width"][ground].tolist(), fields["height"][ground].tolist(), strict=True)
    # Beside the wall the first and the last face have less at one corner, because the wall ends there.
    assert list(zip(sizes, mesh.corner_light[ground].tolist(), strict=True)) == [
        ((1, 1), [2, 3, 3, 1]),
        ((1, 8), [3, 3, 3, 3]),
        ((1, 6), [1, 3, 3, 1]),
        ((1, 1), [1, 3, 3, 2]),
    ]


def test_without_light_there_is_none(worlds):
    mesh = finish(mesh_blocky(worlds.world_of(np.full((2, 2, 2), worlds.earth, np.uint16)), merge=True))
    assert mesh.corner_light is None
    assert not mesh.splits_along_1_3().any()


def test_an_empty_world_has_light_of_no_quads(worlds):
    mesh = finish(mesh_blocky(worlds.world_of(np.zeros((1, 1, 1), np.uint16)), merge=True, ambient_occlusion=True))
    assert mesh.corner_light.shape == (0, 4)


@pytest.mark.parametrize(
    ("light", "splits"),
    [
        ((3, 3, 3, 3), False),
        ((2, 3, 3, 3), True),  # a dark corner 0 is cut off by the diagonal 1–3
        ((3, 2, 3, 3), False),
        ((3, 3, 2, 3), True),
        ((3, 3, 3, 2), False),
        ((1, 1, 3, 3), False),
        ((0, 3, 0, 3), True),
        ((3, 0, 3, 0), False),
    ],
)
def test_the_diagonal_with_more_light_splits_a_quad(light, splits):
    mesh = BlockyMesh(
        np.zeros((1, 3), np.int32),
        np.array([[1, 0, 0, 0, 0, 0]], np.uint32),
        np.zeros(1, np.uint64),
        np.array([light], np.uint8),
    )
    assert mesh.splits_along_1_3().tolist() == [splits]
