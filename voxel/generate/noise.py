# SPDX-License-Identifier: GPL-3.0-or-later
"""Seeded gradient noise after K. Perlin, "Improving noise", SIGGRAPH 2002, and fractal sums of it, over whole grids.

A grid's noise is made by removing one axis after the other. The gradients of a lattice line that runs along the last
axis are hashed once and interpolated along it; what remains is linear in the other coordinates, so a line gives one row
of numbers for each coefficient. Two lines blended along x give two rows, two of those blended along y give the noise:
a few multiplications and additions of whole rows, with no hash and no table in the inner loop.

The same on every machine: integer permutations, and + − × ÷ in an order that does not depend on where a grid begins.
Positions are float64, what follows from them is float32. In two dimensions the noise lies within −1 … 1 (to
rounding), in three, as Perlin left it, within −1.0363 … 1.0363; at lattice points it is 0.

A phase turns the gradients about the z axis, half of them one way and half the other: the noise flows in place, and
after a whole turn it is as it was.
"""

import numpy as np
from numpy.typing import NDArray

from ..kernels import kernel
from .keys import FINEST_WAVELENGTH

_PERIOD = 256

PLAIN, RIDGED, BILLOW = range(3)
"""What becomes of an octave v before it is summed: v; (1 − |v|)²; |v|."""

OCTAVE_SHIFT = 19.19
"""Octaves are moved against each other, so that their lattice points (where all are 0) do not coincide."""

FINEST_FREQUENCY = 1.0 / FINEST_WAVELENGTH
"""Octaves with more than this many lattice cells a voxel are left out: voxels cannot show them."""


def permutation(seed: int) -> NDArray[np.int64]:
    """(512,) int64: a shuffle of 0 … 255 by the seed, twice over, so that sums of two entries need no wrapping.

    Fisher and Yates' shuffle on SplitMix64 numbers, which no library can change under us.
    """
    entries = np.arange(_PERIOD)
    _shuffle(np.uint64(seed & 0xFFFF_FFFF_FFFF_FFFF), entries)
    return np.tile(entries, 2)


@kernel
def _shuffle(state, entries):
    """Shuffle entries (n,) int64 by SplitMix64's numbers from state (uint64) on."""
    for i in range(len(entries) - 1, 0, -1):
        state += np.uint64(0x9E37_79B9_7F4A_7C15)
        z = (state ^ state >> np.uint64(30)) * np.uint64(0xBF58_476D_1CE4_E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D0_49BB_1331_11EB)
        j = np.int64((z ^ z >> np.uint64(31)) % np.uint64(i + 1))
        entries[i], entries[j] = entries[j], entries[i]


def turn_of(phase: float) -> tuple[float, float]:
    """(cosine, sine) of a phase in turns, by + − × ÷ alone; exactly (1, 0) for whole turns."""
    quarters = (phase - phase // 1.0) * 4.0
    quarter = int(quarters)
    angle = (quarters - quarter) * 1.5707963267948966
    cosine = sine = 0.0
    term = 1.0
    for i in range(20):  # Taylor's series: below a quarter turn the last term is less than 10⁻¹⁴
        if i % 2 == 0:
            cosine += term if i % 4 == 0 else -term
        else:
            sine += term if i % 4 == 1 else -term
        term = term * angle / (i + 1)
    for _ in range(quarter):
        cosine, sine = -sine, cosine
    return cosine, sine


# Perlin's 12 edges of a cube, four of them twice; and eight directions about a circle, √2 long, which makes the
# greatest value in the middle of a square 1.
GRADIENTS_3D = np.array(
    [
        (1, 1, 0), (-1, 1, 0), (1, -1, 0), (-1, -1, 0), (1, 0, 1), (-1, 0, 1), (1, 0, -1), (-1, 0, -1),
        (0, 1, 1), (0, -1, 1), (0, 1, -1), (0, -1, -1), (1, 1, 0), (-1, 1, 0), (0, -1, 1), (0, -1, -1),
    ],
    np.float64,
)  # fmt: skip
_ROOT_2 = 1.4142135623730951
GRADIENTS_2D = np.array(
    [(_ROOT_2, 0), (-_ROOT_2, 0), (0, _ROOT_2), (0, -_ROOT_2), (1, 1), (-1, 1), (1, -1), (-1, -1)], np.float64
)

_ONE = np.float32(1.0)
_SIX = np.float32(6.0)
_TEN = np.float32(10.0)
_FIFTEEN = np.float32(15.0)


@kernel
def fade(t):
    """Perlin's quintic step of a float32 from 0 to 1."""
    return t * t * t * (t * (t * _SIX - _FIFTEEN) + _TEN)


@kernel
def shaped(value, shape):
    """What becomes of an octave's value, float32."""
    if shape == PLAIN:
        return value
    value = abs(value)
    return value if shape == BILLOW else (_ONE - value) * (_ONE - value)


@kernel
def gradient2(i, j, table, cosine, sine):
    """(x, y) float32 of the gradient at a lattice point, turned."""
    hashed = table[table[i & (_PERIOD - 1)] + (j & (_PERIOD - 1))]
    x, y = GRADIENTS_2D[hashed & 7, 0], GRADIENTS_2D[hashed & 7, 1]
    sine = sine if hashed & 8 else -sine
    return np.float32(x * cosine - y * sine), np.float32(x * sine + y * cosine)


@kernel
def gradient3(i, j, k, table, cosine, sine):
    """(x, y, z) float32 of the gradient at a lattice point, turned about z."""
    line = table[table[i & (_PERIOD - 1)] + (j & (_PERIOD - 1))]
    hashed = table[line + (k & (_PERIOD - 1))]
    x, y, z = GRADIENTS_3D[hashed & 15, 0], GRADIENTS_3D[hashed & 15, 1], GRADIENTS_3D[hashed & 15, 2]
    sine = sine if hashed & 16 else -sine
    return np.float32(x * cosine - y * sine), np.float32(x * sine + y * cosine), np.float32(z)


@kernel
def _axis(start, n, frequency, shift):
    """The lattice along one axis of n voxels from start: its first cell, then for each voxel its cell (counted from
    the first) int64, and its place in the cell and that place faded, float32."""
    cells, places, fades = np.empty(n, np.int64), np.empty(n, np.float32), np.empty(n, np.float32)
    first = np.int64(np.floor(start * frequency + shift))
    for t in range(n):
        position = (start + t) * frequency + shift
        cell = np.int64(np.floor(position))
        cells[t] = cell - first
        places[t] = np.float32(position - cell)
        fades[t] = fade(places[t])
    return first, cells, places, fades


@kernel
def _add_rows(out, amplitude, shape, constant, linear, cells, places, fades):
    """Add amplitude · shaped(noise) to out (m, n) float32, row after row.

    Row r is a blend of the lattice lines cells[r] and the next, each constant + linear · distance from that line;
    both are (lines, n) float32.
    """
    n = out.shape[1]
    for r in range(out.shape[0]):
        line, place = cells[r], places[r]
        a1 = fades[r]
        a0 = _ONE - a1
        b0, b1 = a0 * place, a1 * (place - _ONE)
        if shape == PLAIN:
            # The amplitude goes into the weights, which are few.
            a0, a1, b0, b1 = a0 * amplitude, a1 * amplitude, b0 * amplitude, b1 * amplitude
            for t in range(n):
                near = constant[line, t] * a0 + linear[line, t] * b0
                far = constant[line + 1, t] * a1 + linear[line + 1, t] * b1
                out[r, t] += near + far
        else:
            for t in range(n):
                near = constant[line, t] * a0 + linear[line, t] * b0
                far = constant[line + 1, t] * a1 + linear[line + 1, t] * b1
                out[r, t] += amplitude * shaped(near + far, shape)


@kernel
def _add_octave2(out, x0, y0, frequency_x, frequency_y, shift, amplitude, shape, table, cosine, sine):
    """Add one octave at the columns from (x0, y0) on to out (nx, ny) float32."""
    nx, ny = out.shape
    first_i, cells_x, places_x, fades_x = _axis(x0, nx, frequency_x, shift)
    first_j, cells_y, places_y, fades_y = _axis(y0, ny, frequency_y, shift)
    ni, nj = cells_x[nx - 1] + 2, cells_y[ny - 1] + 2
    along_x, along_y = np.empty(nj, np.float32), np.empty(nj, np.float32)
    constant, linear = np.empty((ni, ny), np.float32), np.empty((ni, ny), np.float32)
    for i in range(ni):
        for j in range(nj):
            along_x[j], along_y[j] = gradient2(first_i + i, first_j + j, table, cosine, sine)
        for y in range(ny):
            j, place, blend = cells_y[y], places_y[y], fades_y[y]
            before, after = along_y[j] * place, along_y[j + 1] * (place - _ONE)
            constant[i, y] = before + blend * (after - before)
            linear[i, y] = along_x[j] + blend * (along_x[j + 1] - along_x[j])
    _add_rows(out, amplitude, shape, constant, linear, cells_x, places_x, fades_x)


@kernel
def _add_octave3(out, x0, y0, z0, frequency_x, frequency_y, frequency_z, shift, amplitude, shape, table, cosine, sine):
    """Add one octave at the voxels from (x0, y0, z0) on to out (nx, ny, nz) float32."""
    nx, ny, nz = out.shape
    first_i, cells_x, places_x, fades_x = _axis(x0, nx, frequency_x, shift)
    first_j, cells_y, places_y, fades_y = _axis(y0, ny, frequency_y, shift)
    first_k, cells_z, places_z, fades_z = _axis(z0, nz, frequency_z, shift)
    ni, nj, nk = cells_x[nx - 1] + 2, cells_y[ny - 1] + 2, cells_z[nz - 1] + 2
    lines = np.empty((ni, nj, 3, nz), np.float32)
    gradients = np.empty((3, nk), np.float32)
    for i in range(ni):
        for j in range(nj):
            for k in range(nk):
                gradients[0, k], gradients[1, k], gradients[2, k] = gradient3(
                    first_i + i, first_j + j, first_k + k, table, cosine, sine
                )
            for z in range(nz):
                k, place, blend = cells_z[z], places_z[z], fades_z[z]
                before, after = gradients[2, k] * place, gradients[2, k + 1] * (place - _ONE)
                lines[i, j, 0, z] = before + blend * (after - before)
                lines[i, j, 1, z] = gradients[0, k] + blend * (gradients[0, k + 1] - gradients[0, k])
                lines[i, j, 2, z] = gradients[1, k] + blend * (gradients[1, k + 1] - gradients[1, k])
    constant, linear = np.empty((nj, nz), np.float32), np.empty((nj, nz), np.float32)
    for x in range(nx):
        i, place = cells_x[x], places_x[x]
        a1 = fades_x[x]
        a0 = _ONE - a1
        b0, b1 = a0 * place, a1 * (place - _ONE)
        for j in range(nj):
            for z in range(nz):
                near = lines[i, j, 0, z] * a0 + lines[i, j, 1, z] * b0
                far = lines[i + 1, j, 0, z] * a1 + lines[i + 1, j, 1, z] * b1
                constant[j, z] = near + far
                linear[j, z] = lines[i, j, 2, z] * a0 + lines[i + 1, j, 2, z] * a1
        _add_rows(out[x], amplitude, shape, constant, linear, cells_y, places_y, fades_y)


@kernel
def sum_of_gains(octaves, gain):
    """What a fractal sum of octaves is divided by, so that it stays in the bounds of one octave."""
    total, amplitude = 0.0, 1.0
    for _ in range(octaves):
        total += amplitude
        amplitude *= gain
    return total


@kernel
def fractal2(out, x0, y0, frequency_x, frequency_y, octaves, shown, lacunarity, gain, shape, table, cosine, sine):
    """Write a fractal sum of octaves at the columns from (x0, y0) on to out (nx, ny) float32.

    frequency_x and frequency_y are lattice cells a voxel. Each octave is lacunarity times finer and gain times
    weaker than the one before; only the first shown are summed, and none finer than FINEST_FREQUENCY but the first.
    shape is PLAIN, RIDGED or BILLOW; table is from permutation(), cosine and sine are from turn_of().
    """
    out[:] = 0.0
    amplitude = 1.0 / sum_of_gains(octaves, gain)
    for octave in range(min(octaves, shown)):
        if octave > 0 and max(frequency_x, frequency_y) > FINEST_FREQUENCY:
            break
        shift = octave * OCTAVE_SHIFT
        _add_octave2(
            out, x0, y0, frequency_x, frequency_y, shift, np.float32(amplitude), shape, table, cosine, sine
        )  # fmt: skip
        amplitude *= gain
        frequency_x *= lacunarity
        frequency_y *= lacunarity


@kernel
def fractal3(
    out, x0, y0, z0, frequency_x, frequency_y, frequency_z, octaves, shown, lacunarity, gain, shape, table, cosine, sine
):
    """Write a fractal sum of octaves at the voxels from (x0, y0, z0) on to out (nx, ny, nz) float32, as fractal2."""
    out[:] = 0.0
    amplitude = 1.0 / sum_of_gains(octaves, gain)
    for octave in range(min(octaves, shown)):
        if octave > 0 and max(frequency_x, frequency_y, frequency_z) > FINEST_FREQUENCY:
            break
        shift = octave * OCTAVE_SHIFT
        _add_octave3(
            out, x0, y0, z0, frequency_x, frequency_y, frequency_z, shift, np.float32(amplitude), shape,
            table, cosine, sine,
        )  # fmt: skip
        amplitude *= gain
        frequency_x *= lacunarity
        frequency_y *= lacunarity
        frequency_z *= lacunarity
