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


def _size(builder: Any, vector: Any) -> Any:
    """The absolute value of each number."""
    negative = builder.icmp_signed("<", vector, ir.Constant(_FOUR, None))
    return builder.select(negative, builder.neg(vector), vector)


def _lies_between(builder: Any, part: Any, whole: Any) -> Any:
    """For each number of part, whether it lies between 0 and that of whole, both excluded."""
    twice = builder.sub(builder.add(part, part), whole)
    return builder.icmp_signed("<", _size(builder, twice), _size(builder, whole))


@intrinsic
def add_quad(_typing: Any, points: Any, areas: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Add ac × bd to rows a, b, c and d of areas; both are (n, 4) int32 by address (int64), and the fourth number of
    every point must be 0, distances below 2¹⁴.

    Returns a bit for each axis (int64): whether the quad, seen along it, is to be split along bd. Both triangles must
    face the side that the whole does, which one of the two splits always gives seen along the quad's edge; where both
    do, the shorter.
    """

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        points, areas, *rows = arguments
        a, b, c, d = (builder.load(_pointer(builder, points, row), align=4) for row in rows)
        ab, ac, bd = builder.sub(b, a), builder.sub(c, a), builder.sub(d, b)
        area = _cross(builder, ac, bd)
        for row in rows:
            pointer = _pointer(builder, areas, row)
            builder.store(builder.add(builder.load(pointer, align=4), area), pointer, align=4)
        ac_holds = _lies_between(builder, _cross(builder, ab, ac), area)
        bd_holds = _lies_between(builder, _cross(builder, ab, bd), area)
        # ac² − bd² is (ac − bd) · (ac + bd).
        excess = builder.mul(builder.sub(ac, bd), builder.add(ac, bd))
        second = _rotated(builder, excess)
        total = builder.add(builder.add(excess, second), _rotated(builder, second))
        bd_shorter = builder.icmp_signed(">", total, ir.Constant(_FOUR, None))
        # In vectors to the end, or LLVM makes a branch of it, which nobody can guess.
        split = builder.or_(builder.not_(ac_holds), builder.and_(bd_holds, bd_shorter))
        return builder.zext(builder.bitcast(split, ir.IntType(4)), ir.IntType(64))

    integer = types.int64
    return types.int64(integer, integer, integer, integer, integer, integer), generate


@intrinsic
def write_quad(_typing: Any, quads: Any, row: Any, turn: Any, first: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Write first + a, first + b, first + c and first + d, int64 each, as a row (int64) of quads, (n, 4) uint32 by
    address (int64); if turn (int64) is 1 instead of 0, b comes first and a last."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        quads, row, turn, first, *corners = arguments
        vector, firsts, turns = (ir.Constant(_FOUR, ir.Undefined) for _ in range(3))
        minus_turn = builder.neg(builder.trunc(turn, _INT32))
        for k, corner in enumerate(corners):
            vector = builder.insert_element(vector, builder.trunc(corner, _INT32), _INT32(k))
            firsts = builder.insert_element(firsts, builder.trunc(first, _INT32), _INT32(k))
            turns = builder.insert_element(turns, minus_turn, _INT32(k))
        vector = builder.add(vector, firsts)
        turned = builder.shuffle_vector(vector, vector, ir.Constant(_FOUR, [1, 2, 3, 0]))
        vector = builder.xor(vector, builder.and_(builder.xor(vector, turned), turns))
        builder.store(vector, _pointer(builder, quads, row), align=4)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(*[integer] * 8), generate


@intrinsic
def write_point(_typing: Any, points: Any, row: Any, shifts: Any, shift: Any, x: Any, y: Any, z: Any) -> Any:
    """Write (x, y, z, 0), int64 each, plus a row (int64) of shifts as a row (int64) of points; both are (n, 4) int32 by
    address (int64)."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        points, row, shifts, shift, *position = arguments
        vector = ir.Constant(_FOUR, None)
        for k, number in enumerate(position):
            vector = builder.insert_element(vector, builder.trunc(number, _INT32), _INT32(k))
        vector = builder.add(vector, builder.load(_pointer(builder, shifts, shift), align=4))
        builder.store(vector, _pointer(builder, points, row), align=4)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(integer, integer, integer, integer, integer, integer, integer), generate


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
