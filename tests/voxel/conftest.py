# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds to compare and to break, and what every refusal looks like."""

import hashlib
import random
import time
from pathlib import Path

import numpy as np
import pytest

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import CHUNK_SHAPE
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.settings import Recipe, Settings
from voxelwright.voxel.world import as_chunk, new_world

MAX_SECONDS = 5.0
"""The longest that any bytes may take; all take less than one on a machine with nothing else to do."""


def _same_world(a, b):
    return (
        (a.palette, a.settings) == (b.palette, b.settings)
        and a.coords() == b.coords()
        and all(np.array_equal(a.chunk(coord), b.chunk(coord)) for coord in a.coords())
    )


def _world_hash(world):
    digest = hashlib.blake2b(repr((world.palette, world.settings)).encode())
    for coord in world.coords():
        chunk = world.chunk(coord)
        digest.update(repr(coord).encode())
        digest.update(repr(chunk).encode() if isinstance(chunk, int) else chunk.tobytes())
    return digest.hexdigest()


def _outcome(read, data):
    """What read(data) returns, or the sentence of its refusal; whatever else happens is a failure."""
    start = time.process_time()
    try:
        return read(data)
    except VoxelwrightError as error:
        sentence = str(error)
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert len(sentence) < 400
        return sentence
    finally:
        assert time.process_time() - start < MAX_SECONDS


def _memory(key):
    """Bytes of this process, by Linux: VmRSS is what it holds now, VmHWM the most since the last reset."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(key))
    return int(line.split()[1]) << 10


def _peak_memory(call):
    """How many bytes call() takes at most, those that no Python object holds too; and what it returns."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # the peak is measured from now on
    except OSError:
        pytest.skip("this system does not tell a process's peak of memory")
    before = _memory("VmRSS")
    result = call()
    return _memory("VmHWM") - before, result


_SHARP = (
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\x80",
    b"\1\0\0\0",
    b"\0\0\1\0",
    b"NaN",
    b"{}",
    b"[",
    b"1e999",
)


def _mutated(rng, data):
    """Some bytes of data changed, left out, repeated, put in or cut off."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data))
        kind = rng.randrange(6)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.randrange(256)
        elif kind == 2:
            sharp = rng.choice(_SHARP)
            data[at : at + len(sharp)] = sharp
        elif kind == 3:
            del data[at : at + rng.choice([1, 4, 20, 100])]
        elif kind == 4:
            data[at:at] = data[at : at + rng.choice([1, 20, 40])]
        elif rng.random() < 0.2:
            del data[at:]
        if not data:
            return b"\0"
    return bytes(data)


def _random_chunk(rng):
    """A chunk of one of the forms that files have: uniform, few voxels, few values, many values."""
    kind = rng.randrange(5)
    if kind == 0:
        return rng.randrange(0x0100, 0x10000)
    dense = np.zeros(CHUNK_SHAPE, np.uint16)
    if kind == 1:
        dense[rng.randrange(32), rng.randrange(32), rng.randrange(32)] = rng.randrange(0x0100, 0x10000)
    elif kind == 2:
        dense[:, :, : rng.randrange(1, 32)] = rng.randrange(0x0100, 0x10000)
    else:
        noise = np.random.default_rng(rng.randrange(1 << 32))
        n_values = rng.choice([2, 3, 5, 17]) if kind == 3 else 300
        values = noise.integers(0x0100, 0x10000, n_values).astype(np.uint16)
        low, high = sorted(rng.sample(range(33), 2))
        dense[low:high, :, low:high] = values[noise.integers(0, n_values, (high - low, 32, high - low))]
    return as_chunk(dense)


@pytest.fixture(scope="session")
def same_world():
    """same_world(a, b): whether two worlds have the same voxels, palette and settings."""
    return _same_world


@pytest.fixture(scope="session")
def world_hash():
    """world_hash(world): one text for all that a world is."""
    return _world_hash


@pytest.fixture(scope="session")
def outcome():
    """outcome(read, data): the result, or the sentence of a refusal, held to what a sentence must be and to time."""
    return _outcome


@pytest.fixture(scope="session")
def peak_memory():
    """peak_memory(call): the bytes that it takes at most, and what it returns."""
    return _peak_memory


@pytest.fixture(scope="session")
def mutated():
    """mutated(rng, data): other bytes, from one to three changes."""
    return _mutated


@pytest.fixture(scope="session")
def random_chunk():
    """random_chunk(rng): a chunk, uniform or not."""
    return _random_chunk


@pytest.fixture(scope="session")
def sample_world():
    """What the sample files hold: every form of a chunk, and settings of every kind."""
    index = np.arange(32**3).reshape(CHUNK_SHAPE)
    chunks = {(0, 0, 0): 0x0100, (-1, -2, -3): 0xFFF5}
    for i, n_values in enumerate((2, 3, 10, 200, 700)):
        voxels = 0x0100 + 89 * (index * 7919 // 64 % n_values)
        chunks[i, 5, -i] = as_chunk(voxels.astype(np.uint16))
    point = np.zeros(CHUNK_SHAPE, np.uint16)
    point[3, 5, 7] = 0x0210
    chunks[1 << 20, 0, -(1 << 20)] = as_chunk(point)
    glass = Material("glass · Glas · 玻璃", (180, 200, 220), 0.25, 0.5, 2.0, 0.25, 1.5, True, "ice", 2.0, 0.1, "grass")
    palette = Palette.of({1: Material("stone", (128, 126, 124), roughness=0.8), 2: glass})
    recipe = Recipe('name = "Hügel"\n', (100, 60, 256), -7, 0.5, (("nodes.hills.wavelength", 90.0),))
    return new_world(chunks, palette, Settings(0.25, recipe))


@pytest.fixture(scope="session")
def small_world():
    """Eight chunks that take some 15 KB of a file, to be broken in every place."""
    rng = random.Random(5)
    dense = {(x, -1, 2 * x): _random_chunk(rng) for x in range(6)}
    thin = np.zeros(CHUNK_SHAPE, np.uint16)
    thin[:, ::3, 4:9] = 0x0100
    thin[3, 5] = 0x0230
    thin[20:, 5] = 0x0310
    return new_world(
        {**dense, (-4, 0, 0): 0x0100, (-3, 0, 0): as_chunk(thin)}, Palette.of({1: Material("a", (1, 2, 3))})
    )
