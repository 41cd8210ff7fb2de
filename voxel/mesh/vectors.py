# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors of four int32, three of which are used: what a quad adds to its vertices, and what a vertex becomes, in a
part of the instructions that numba makes of it."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_INT32 = ir.IntType(32)
_FOUR = ir.VectorType(_INT32, 4)
_BYTES = 16


def _pointer(builder: Any, address: Any, row: Any) -> Any:
    """Where row (int64) of an (n, 4) int32 array at address (int64) is."""
    at = builder.add(address, builder.mul(row, ir.Constant(row.type, _BYTES)))
    return builder.inttoptr(at, _FOUR.as_pointer())


def _rotated(builder: Any, vector: Any) -> Any:
    """(y, z, x, w)."""
    return builder.shuffle_vector(vector, vector, ir.Constant(_FOUR, [1, 2, 0, 3]))


def _cross(builder: Any, a: Any, b: Any) -> Any:
    difference = builder.sub(
        builder.mul(a, _rotated(builder, b)),
        builder.mul(_rotated(builder, a), b),
    )
    return _rotated(builder, difference)


@intrinsic
def add_quad_area(_typing: Any, points: Any, areas: Any, a: Any, b: Any, c: Any, d: Any, crosses: Any) -> Any:
    """Add ac × bd to rows a, b, c and d of areas, and write crosses (3, 4): ac × bd, ab × ac and ab × bd. All are
    (n, 4) int32 by address (int64); the fourth number of every point must be 0."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        points, areas, *rows, crosses = arguments
        a, b, c, d = (builder.load(_pointer(builder, points, row), align=4) for row in rows)
        ab, ac, bd = builder.sub(b, a), builder.sub(c, a), builder.sub(d, b)
        area = _cross(builder, ac, bd)
        for row in rows:
            pointer = _pointer(builder, areas, row)
            builder.store(builder.add(builder.load(pointer, align=4), area), pointer, align=4)
        for k, cross in enumerate((area, _cross(builder, ab, ac), _cross(builder, ab, bd))):
            builder.store(cross, _pointer(builder, crosses, ir.Constant(ir.IntType(64), k)), align=4)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(integer, integer, integer, integer, integer, integer, integer), generate


@intrinsic
def is_nearer(_typing: Any, points: Any, a: Any, c: Any, b: Any, d: Any) -> Any:
    """1 where rows a and c of points, (n, 4) int32 by address (int64), are no further from each other than b and d,
    else 0; the fourth number of every point must be 0, and distances below 2¹⁴."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        points, *rows = arguments
        a, c, b, d = (builder.load(_pointer(builder, points, row), align=4) for row in rows)
        ac, bd = builder.sub(c, a), builder.sub(d, b)
        excess = builder.sub(builder.mul(ac, ac), builder.mul(bd, bd))
        total = builder.add(excess, _rotated(builder, excess))
        x, z = (builder.extract_element(vector, _INT32(k)) for vector, k in ((total, 0), (excess, 2)))
        return builder.zext(builder.icmp_signed("<=", builder.add(x, z), _INT32(0)), ir.IntType(64))

    integer = types.int64
    return types.int64(integer, integer, integer, integer, integer), generate


def _floats(builder: Any, address: Any, row: Any) -> Any:
    return builder.sitofp(builder.load(_pointer(builder, address, row), align=4), ir.VectorType(ir.FloatType(), 4))


@intrinsic
def length_squared(_typing: Any, vectors: Any, row: Any) -> Any:
    """The square of the length (float32) of a row (int64) of vectors, (n, 4) int32 by address (int64)."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        vector = _floats(builder, *arguments)
        squares = builder.fmul(vector, vector)
        x, y, z = (builder.extract_element(squares, _INT32(k)) for k in range(3))
        return builder.fadd(builder.fadd(x, y), z)

    return types.float32(types.int64, types.int64), generate


@intrinsic
def write_scaled(_typing: Any, vectors: Any, row: Any, scale: Any, target: Any) -> Any:
    """Write a row (int64) of target, (n, 3) float32, from that of vectors, (n, 4) int32, both by address (int64), times
    scale (float32)."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        vectors, row, scale, target = arguments
        vector = _floats(builder, vectors, row)
        scales = ir.Constant(vector.type, ir.Undefined)
        for k in range(4):
            scales = builder.insert_element(scales, scale, _INT32(k))
        scaled = builder.fmul(vector, scales)
        three = builder.shuffle_vector(scaled, scaled, ir.Constant(ir.VectorType(_INT32, 3), [0, 1, 2]))
        at = builder.add(target, builder.mul(row, ir.Constant(row.type, 12)))
        builder.store(three, builder.inttoptr(at, three.type.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.float32, types.int64), generate
