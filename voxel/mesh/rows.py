# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of 32 values, and rows of 32 bits: what numba has no words for, in LLVM's instructions.

A comparison of 32 values side by side is one or two vector instructions on any processor, and its outcome is a word:
bit k for the k-th value. Values are given by address, so that chunks can be read where they lie; the caller keeps the
arrays alive. Words are passed on as int64, so that none ever meets an unsigned number (numba makes floats of the two).
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..kernels import kernel

ROW = 32
"""Values of a row, bits of a word."""

_INT32 = ir.IntType(32)


def _vector(bits: int) -> Any:
    return ir.VectorType(ir.IntType(bits), ROW)


def _load(builder: Any, address: Any, bits: int) -> Any:
    """The ROW integers of that many bits at an address that is aligned for one of them."""
    return builder.load(builder.inttoptr(address, _vector(bits).as_pointer()), align=bits // 8)


def _repeat(builder: Any, value: Any) -> Any:
    """A vector of ROW times the value."""
    first = builder.insert_element(ir.Constant(ir.VectorType(value.type, ROW), ir.Undefined), value, _INT32(0))
    return builder.shuffle_vector(first, first, ir.Constant(_vector(32), [0] * ROW))


def _compare(builder: Any, how: str, a: Any, b: Any) -> Any:
    """The outcomes as the bits of an int64."""
    return builder.zext(builder.bitcast(builder.icmp_unsigned(how, a, b), _INT32), ir.IntType(64))


@intrinsic
def row_with_bits(_typing: Any, address: Any, mask: Any) -> Any:
    """Which of 32 uint16 at address (int64) have any of the bits of mask (uint16)."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kept = builder.and_(_load(builder, arguments[0], 16), _repeat(builder, arguments[1]))
        return _compare(builder, "!=", kept, ir.Constant(_vector(16), None))

    return types.int64(types.int64, types.uint16), generate


@intrinsic
def row_equal_to(_typing: Any, address: Any, value: Any) -> Any:
    """Which of 32 bytes at address (int64) are value (uint8)."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _compare(builder, "==", _load(builder, arguments[0], 8), _repeat(builder, arguments[1]))

    return types.int64(types.int64, types.uint8), generate


@intrinsic
def rows_equal(_typing: Any, address: Any, other: Any) -> Any:
    """Which of 32 bytes at address (int64) are equal to those at other (int64)."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _compare(builder, "==", *(_load(builder, argument, 8) for argument in arguments))

    return types.int64(types.int64, types.int64), generate


@intrinsic
def row_not_zero(_typing: Any, address: Any) -> Any:
    """Which of 32 uint32 at address (int64) are not 0."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _compare(builder, "!=", _load(builder, arguments[0], 32), ir.Constant(_vector(32), None))

    return types.int64(types.int64), generate


@intrinsic
def keep_high_bytes(_typing: Any, source: Any, target: Any) -> Any:
    """Write the high bytes of 32 uint16 at source (int64) to the 32 bytes at target (int64)."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        shifted = builder.lshr(_load(builder, arguments[0], 16), ir.Constant(_vector(16), [8] * ROW))
        pointer = builder.inttoptr(arguments[1], _vector(8).as_pointer())
        builder.store(builder.trunc(shifted, _vector(8)), pointer, align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def load_voxel(_typing: Any, address: Any) -> Any:
    """The uint16 at address (int64), as int64."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(16).as_pointer())
        return builder.zext(builder.load(pointer, align=2), ir.IntType(64))

    return types.int64(types.int64), generate


LANES = 40
"""Words that transpose_bits() takes side by side: a row's 32, one beyond each end, and 6 more to fill the vectors of
any processor. Word k of a row lies in lane k + 1."""

N_WORDS = ROW * LANES

TALL = N_WORDS + 2 * LANES
"""Words with a row more before the first and after the last one."""


@kernel
def transpose_bits(source, target):
    """Write bit j of target[k, lane] from bit k of source[j, lane], for 32 × LANES uint32 each, flat; no part of them
    may be the same memory.

    Blocks of 16, 8, 4, 2 and 1 bits are exchanged across the diagonal (Hacker's Delight, 7-3), two sizes at a time
    while four rows are at hand, and all lanes at once: 0.2 µs. (Flat arrays, because LLVM makes vectors of those.)
    """
    for k in range(8):
        for lane in range(LANES):
            i = k * LANES + lane
            a, b, c, d = source[i], source[i + 8 * LANES], source[i + 16 * LANES], source[i + 24 * LANES]
            a, c = _exchange(a, c, 16, 0x0000FFFF)
            b, d = _exchange(b, d, 16, 0x0000FFFF)
            a, b = _exchange(a, b, 8, 0x00FF00FF)
            c, d = _exchange(c, d, 8, 0x00FF00FF)
            target[i], target[i + 8 * LANES], target[i + 16 * LANES], target[i + 24 * LANES] = a, b, c, d
    for k in range(8):
        for lane in range(LANES):
            i = ((k >> 1) * 8 + (k & 1)) * LANES + lane
            a, b, c, d = target[i], target[i + 2 * LANES], target[i + 4 * LANES], target[i + 6 * LANES]
            a, c = _exchange(a, c, 4, 0x0F0F0F0F)
            b, d = _exchange(b, d, 4, 0x0F0F0F0F)
            a, b = _exchange(a, b, 2, 0x33333333)
            c, d = _exchange(c, d, 2, 0x33333333)
            target[i], target[i + 2 * LANES], target[i + 4 * LANES], target[i + 6 * LANES] = a, b, c, d
    for k in range(16):
        for lane in range(LANES):
            i = 2 * k * LANES + lane
            target[i], target[i + LANES] = _exchange(target[i], target[i + LANES], 1, 0x55555555)


@kernel
def _exchange(low, high, shift, mask):
    """Exchange the bits of low above shift with those of high below it, where mask has them."""
    changed = (low >> np.uint32(shift) ^ high) & np.uint32(mask)
    return np.uint32(low ^ changed << np.uint32(shift)), np.uint32(high ^ changed)
