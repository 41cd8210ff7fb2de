# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables and bits of voxel/layout.py against the document's own words, written down here a second time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxelwright.voxel import layout
from voxelwright.voxel.palette import Material

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
FACES = {
    # number: outward normal, U, V, corners (U, V) counter-clockwise from outside
    0: (X, Y, Z, [(0, 0), (1, 0), (1, 1), (0, 1)]),
    1: ((-1, 0, 0), Y, Z, [(0, 0), (0, 1), (1, 1), (1, 0)]),
    2: (Y, X, Z, [(0, 0), (0, 1), (1, 1), (1, 0)]),
    3: ((0, -1, 0), X, Z, [(0, 0), (1, 0), (1, 1), (0, 1)]),
    4: (Z, X, Y, [(0, 0), (1, 0), (1, 1), (0, 1)]),
    5: ((0, 0, -1), X, Y, [(0, 0), (0, 1), (1, 1), (1, 0)]),
}
QUAD_BITS = {"x": 0, "y": 6, "z": 12, "width": 18, "height": 24, "face": 30, "material": 33, "slot": 49}
QUAD_WIDTHS = {"x": 6, "y": 6, "z": 6, "width": 6, "height": 6, "face": 3, "material": 8, "slot": 11}

each_face = pytest.mark.parametrize("face", range(6))


def quad(**fields):
    """One PackedQuad, fields that are not given 0, as a Python int."""
    return int(layout.pack_quads({name: np.array([fields.get(name, 0)]) for name in QUAD_BITS})[0])


# --- Faces -----------------------------------------------------------------------------------------------------


def test_names_of_faces():
    names = (layout.POS_X, layout.NEG_X, layout.POS_Y, layout.NEG_Y, layout.POS_Z, layout.NEG_Z)
    assert names == (0, 1, 2, 3, 4, 5)


@each_face
def test_face_tables_are_the_documents(face):
    normal, u, v, corners = FACES[face]
    assert tuple(layout.FACE_NORMALS[face]) == normal
    assert normal[layout.FACE_AXIS[face]] == layout.FACE_SIGN[face]
    assert u[layout.FACE_U_AXIS[face]] == 1
    assert v[layout.FACE_V_AXIS[face]] == 1
    assert [tuple(corner) for corner in layout.FACE_CORNERS_UV[face].tolist()] == corners


@each_face
def test_u_cross_v_is_outward_on_faces_0_3_and_4_alone(face):
    axes = np.eye(3, dtype=int)
    cross = np.cross(axes[layout.FACE_U_AXIS[face]], axes[layout.FACE_V_AXIS[face]])
    assert np.array_equal(cross, layout.FACE_NORMALS[face] * (1 if face in (0, 3, 4) else -1))


@each_face
def test_corners_lie_on_the_face_and_turn_counter_clockwise(face):
    corners = layout.quad_corner_offsets()[face]
    axis = layout.FACE_AXIS[face]
    assert len({tuple(corner) for corner in corners.tolist()}) == 4
    assert set(corners[:, axis]) == {1 if layout.FACE_SIGN[face] > 0 else 0}
    assert set(np.delete(corners, axis, axis=1).ravel()) == {0, 1}
    for a, b, c in layout.QUAD_TRIANGLES.reshape(2, 3):
        normal = np.cross(corners[b] - corners[a], corners[c] - corners[a])
        assert np.array_equal(normal, layout.FACE_NORMALS[face])


def test_a_quads_two_triangles_cover_it_once():
    assert sorted(layout.QUAD_TRIANGLES.tolist()) == [0, 0, 1, 2, 2, 3]  # each corner, the diagonal's twice


# --- Voxels and chunks -----------------------------------------------------------------------------------------


def test_a_chunk_is_32_cubed():
    assert layout.CHUNK_SIZE == 1 << layout.CHUNK_SHIFT == 32
    assert layout.CHUNK_SHAPE == (32, 32, 32)
    assert layout.CHUNK_VOXELS * layout.VOXEL_DTYPE.itemsize == 64 * 1024


def test_a_chunks_bytes_have_the_columns_contiguous():
    chunk = np.zeros(layout.CHUNK_SHAPE, layout.VOXEL_DTYPE)
    chunk[3, 5, 7] = 0xABCD
    data = chunk.tobytes()
    at = 2 * ((3 * 32 + 5) * 32 + 7)
    assert data[at : at + 2] == b"\xcd\xab"
    assert data.count(0) == len(data) - 2


@pytest.mark.parametrize(
    ("material", "index", "data"),
    [
        (Material("stone", (1, 2, 3)), 3, b"\x00\x03"),
        (Material("snow", (1, 2, 3), smooth=True), 5, b"\x10\x05"),
        (Material("glass", (1, 2, 3), opacity=0.5), 255, b"\x20\xff"),
        (Material("lamp", (1, 2, 3), emission=2), 1, b"\x40\x01"),
        (Material("all", (1, 2, 3), smooth=True, opacity=0, emission=1), 0x7F, b"\x70\x7f"),
    ],
)
def test_voxels_by_hand(material, index, data):
    assert np.array([material.voxel(index)], layout.VOXEL_DTYPE).tobytes() == data


def test_voxel_fields_fill_16_bits_without_overlap():
    flags = (layout.FLAG_SMOOTH, layout.FLAG_TRANSPARENT, layout.FLAG_EMISSIVE, layout.FLAG_CUSTOM)
    assert flags == (1 << 4, 1 << 5, 1 << 6, 1 << 7)
    fields = [*flags, layout.METADATA_MASK, (layout.N_MATERIALS - 1) << layout.MATERIAL_SHIFT]
    assert sum(fields) == 0xFFFF
    assert np.bitwise_or.reduce(fields) == 0xFFFF


# --- PackedQuad ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "data"),
    [
        # 1 | 2«6 | 3«12 | 4«18 | 5«24 | low two bits of face 5 «30; its third bit | 0xAB«1 | 0x2CD«17
        (
            {"x": 1, "y": 2, "z": 3, "width": 4, "height": 5, "face": 5, "material": 0xAB, "slot": 0x2CD},
            b"\x81\x30\x10\x45\x57\x01\x9a\x05",
        ),
        # 31 | 31«6 | 31«12 | 32«18 | 32«24 | face 3 «30; nothing | 255«1 | 2047«17
        (
            {"x": 31, "y": 31, "z": 31, "width": 32, "height": 32, "face": 3, "material": 255, "slot": 2047},
            b"\xdf\xf7\x81\xe0\xfe\x01\xfe\x0f",
        ),
    ],
)
def test_quads_by_hand(fields, data):
    packed = layout.pack_quads({name: np.array([value]) for name, value in fields.items()})
    assert packed.dtype == layout.QUAD_DTYPE
    assert packed.tobytes() == data
    unpacked = layout.unpack_quads(np.frombuffer(data, layout.QUAD_DTYPE))
    assert {name: values.tolist() for name, values in unpacked.items()} == {n: [v] for n, v in fields.items()}


@pytest.mark.parametrize("name", QUAD_BITS)
def test_every_bit_of_a_quad(name):
    for bit in range(QUAD_WIDTHS[name]):
        value = 1 << QUAD_BITS[name] + bit
        assert quad(**{name: 1 << bit}) == value
        unpacked = layout.unpack_quads(np.array([value], np.uint64))
        assert {n: int(v[0]) for n, v in unpacked.items()} == {n: (1 << bit if n == name else 0) for n in QUAD_BITS}


def test_the_kept_bits_of_a_quad_are_free():
    kept = [*range(41, 49), *range(60, 64)]
    unpacked = layout.unpack_quads(np.array([sum(1 << bit for bit in kept)], np.uint64))
    assert not any(values.any() for values in unpacked.values())
    assert sum(QUAD_WIDTHS.values()) + len(kept) == 64


def test_a_slot_keeps_its_low_11_bits():
    assert quad(slot=2048 + 5) == 5 << 49


@given(
    st.lists(st.tuples(*(st.integers(0, (1 << width) - 1) for width in QUAD_WIDTHS.values())), min_size=1, max_size=20)
)
def test_quads_survive_packing(rows):
    fields = dict(zip(QUAD_WIDTHS, np.array(rows).T, strict=True))
    packed = layout.pack_quads(fields)
    assert tuple(fields) == layout.UNPACKED_QUAD_FIELDS
    for name, values in layout.unpack_quads(packed).items():
        assert np.array_equal(values, fields[name])
        assert values.dtype == np.int64
    assert np.array_equal(layout.pack_quads(layout.unpack_quads(packed)), packed)
