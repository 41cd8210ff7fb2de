# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged, lying and foreign .vox files: one sentence each, soon and in little memory, or a world."""

import re
import struct

import numpy as np
import pytest

from voxelwright.voxel.formats.vox import read_vox
from voxelwright.voxel.world import World

MAX_BYTES = 256 << 20


def full_model(vox, edge):
    voxels = np.argwhere(np.ones((edge,) * 3, np.bool_))
    return vox.model((edge,) * 3, np.hstack([voxels, np.ones((len(voxels), 1), np.int64)]))


def grid_of_instances(vox, n, step):
    """A model of one voxel, n times, step apart."""
    places = (f"{step * (i % 60)} {step * (i // 60 % 60)} {step * (i // 3600)}" for i in range(n))
    transforms = [vox.transform(i + 2, 1, {"_t": place}) for i, place in enumerate(places)]
    return vox.file(point(vox), vox.group(0, *range(2, n + 2)), vox.shape(1, 0), *transforms)


def point(vox):
    return vox.model((1, 1, 1), [(0, 0, 0, 1)])


def lying(name, n_content, n_children, content=b""):
    return name + struct.pack("<ii", n_content, n_children) + content


# What is wrong with each file, and words of the sentence that it gets.
BAD_FILES = {
    "empty": (lambda vox: b"", "not a MagicaVoxel file"),
    "text": (lambda vox: b"Not a model, but a letter to a friend.", "not a MagicaVoxel file"),
    "only the magic": (lambda vox: b"VOX ", "cut short"),
    "SLAB6": (lambda vox: struct.pack("<III", 4, 5, 6) + bytes(120 + 768), "SLAB6"),
    "version 151": (lambda vox: vox.file(point(vox), version=151), "version 151"),
    "no MAIN": (lambda vox: b"VOX " + struct.pack("<i", 150) + point(vox), "MAIN"),
    "no chunks": (lambda vox: vox.file(), "shows no voxel"),
    "cut within a chunk": (lambda vox: vox.file(point(vox))[:-2], "cut short"),
    "MAIN longer than the file": (
        lambda vox: b"VOX \x96\0\0\0" + lying(b"MAIN", 0, 0x7FFFFFFF, point(vox)),
        "claims 2147483647 bytes",
    ),
    "MAIN with negative content": (lambda vox: b"VOX \x96\0\0\0" + lying(b"MAIN", -8, 0), "claims -8 bytes"),
    "content longer than the file": (
        lambda vox: vox.file(lying(b"XYZI", 0x7FFFFFF0, 0, b"1234")),
        "claims 2147483632 bytes",
    ),
    "negative content": (lambda vox: vox.file(lying(b"junk", -12, 0)), "claims -12 bytes"),
    "negative children": (lambda vox: vox.file(lying(b"junk", 0, -12)), "claims -12 bytes"),
    "more voxels than bytes": (
        lambda vox: vox.file(vox.size(1, 1, 1), vox.chunk("XYZI", struct.pack("<i", 0x40000000))),
        "claims 1073741824 entries",
    ),
    "a negative number of voxels": (
        lambda vox: vox.file(vox.size(1, 1, 1), vox.chunk("XYZI", struct.pack("<i", -1))),
        "claims -1 entries",
    ),
    "no size": (lambda vox: vox.file(vox.voxels([(0, 0, 0, 1)])), "without the size"),
    "size 0": (lambda vox: vox.file(vox.model((4, 0, 4), [(0, 0, 0, 1)])), "4×0×4"),
    "size 257": (lambda vox: vox.file(vox.model((4, 4, 257), [(0, 0, 0, 1)])), "4×4×257"),
    "a negative size": (lambda vox: vox.file(vox.model((-4, 4, 4), [(0, 0, 0, 1)])), "-4×4×4"),
    "a short size": (lambda vox: vox.file(vox.chunk("SIZE", bytes(8))), "cut short"),
    "a voxel outside its size": (lambda vox: vox.file(vox.model((4, 4, 4), [(3, 4, 3, 1)])), "outside its size"),
    "a model of 0 voxels": (lambda vox: vox.file(vox.model((4, 4, 4), [])), "shows no voxel"),
    "only voxels of color 0": (lambda vox: vox.file(vox.model((4, 4, 4), [(0, 0, 0, 0)])), "shows no voxel"),
    "all hidden": (
        lambda vox: vox.file(point(vox), vox.transform(0, 1, _hidden="1"), vox.shape(1, 0)),
        "shows no voxel",
    ),
    "a short palette": (lambda vox: vox.file(point(vox), vox.chunk("RGBA", bytes(1020))), "cut short"),
    "a short MATT": (
        lambda vox: vox.file(point(vox), vox.chunk("MATT", struct.pack("<iifi", 1, 0, 1, 2))),
        "cut short",
    ),
    "a key longer than its chunk": (
        lambda vox: vox.file(point(vox), vox.chunk("MATL", struct.pack("<iiii", 1, 1, 0x7FFFFFFF, 0))),
        "claims 2147483647 bytes",
    ),
    "a negative length of a key": (
        lambda vox: vox.file(point(vox), vox.chunk("MATL", struct.pack("<iiii", 1, 1, -1, 0))),
        "claims -1 bytes",
    ),
    "no root": (lambda vox: vox.file(point(vox), vox.shape(1, 0)), "node 0, which the file lacks"),
    "a missing node": (lambda vox: vox.file(point(vox), vox.transform(0, 7)), "node 7, which the file lacks"),
    "a missing model": (lambda vox: vox.file(point(vox), vox.shape(0, 3)), "model 3"),
    "a negative model": (lambda vox: vox.file(point(vox), vox.shape(0, -1)), "model -1"),
    "a shape of no models": (lambda vox: vox.file(point(vox), vox.shape(0)), "without a model"),
    "a repeated node": (lambda vox: vox.file(point(vox), vox.shape(0, 0), vox.shape(0, 0)), "two nodes"),
    "a node in itself": (lambda vox: vox.file(point(vox), vox.transform(0, 0)), "node 0 contains itself"),
    "a cycle": (
        lambda vox: vox.file(point(vox), vox.group(0, 3, 1), vox.group(1, 2), vox.transform(2, 1), vox.shape(3, 0)),
        "node 1 contains itself",
    ),
    "deep": (lambda vox: vox.file(point(vox), *(vox.transform(i, i + 1) for i in range(300))), "deeper than 256"),
    "exponential": (
        lambda vox: vox.file(point(vox), *(vox.group(i, i + 1, i + 1) for i in range(200)), vox.shape(200, 0)),
        "more than 65536 nodes",
    ),
    "wide": (lambda vox: vox.file(point(vox), vox.group(0, *[1] * 70_000), vox.shape(1, 0)), "more than 65536 nodes"),
    "many nodes": (lambda vox: vox.file(point(vox), *(vox.group(i) for i in range(70_000))), "more than 65536 nodes"),
    "many models": (lambda vox: vox.file(point(vox) * 70_000), "more than 65536 models"),
    "many chunks": (lambda vox: vox.file(lying(b"junk", 0, 0) * 1_000_000), "more than 524288 chunks"),
    "many settings": (
        lambda vox: vox.file(vox.chunk("MATL", struct.pack("<ii", 1, 1_000_000) + bytes(8_000_000))),
        "more than 524288",
    ),
    "many frames": (
        lambda vox: vox.file(vox.chunk("nTRN", struct.pack("<6i", 0, 0, 1, -1, -1, 1_000_000) + bytes(4_000_000))),
        "more than 524288",
    ),
    "many voxels": (
        lambda vox: vox.file(full_model(vox, 64), vox.group(0, *[1] * 600), vox.shape(1, 0)),
        "157286400 voxels",
    ),
    "many chunks of a world": (lambda vox: grid_of_instances(vox, 17_000, 33), "17000 chunks"),
    "far": (lambda vox: vox.file(point(vox), vox.transform(0, 1, {"_t": "0 4097 0"}), vox.shape(1, 0)), "than 4096"),
    "farther": (
        lambda vox: vox.file(point(vox), vox.transform(0, 1, {"_t": f"0 -{'9' * 30} 0"}), vox.shape(1, 0)),
        "than 4096",
    ),
    "a position of letters": (lambda vox: vox.file(point(vox), vox.transform(0, 1, {"_t": "a b c"})), "a position"),
    "a position of two": (lambda vox: vox.file(point(vox), vox.transform(0, 1, {"_t": "1 2"})), "a position"),
    "a long position": (lambda vox: vox.file(point(vox), vox.transform(0, 1, {"_t": "9" * 100_000})), "a position"),
    "rotation 0": (lambda vox: vox.file(point(vox), vox.transform(0, 1, {"_r": "0"})), "a rotation"),
    "rotation 132": (lambda vox: vox.file(point(vox), vox.transform(0, 1, {"_r": "132"})), "a rotation"),
    "a rotation of letters": (lambda vox: vox.file(point(vox), vox.transform(0, 1, {"_r": "x"})), "a rotation"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_get_one_sentence_soon(vox, outcome, peak_memory, name):
    build, words = BAD_FILES[name]
    data = build(vox)
    n_bytes, sentence = peak_memory(lambda: outcome(read_vox, data))
    assert words in sentence
    assert re.fullmatch(r"[A-Z][^\n]{20,240}\.", sentence)
    assert n_bytes < MAX_BYTES


# --- Mutated files --------------------------------------------------------------------------------------------

HOSTILE_NUMBERS = (-(2**31), -1, 0, 1, 3, 255, 256, 257, 65536, 2**24, 2**31 - 1)


def mutated(data, rng):
    """The file changed in its raw bytes, or within whole chunks whose lengths stay true, so that readers go on."""
    if rng.integers(0, 2):
        return changed(data, rng)
    chunks = []
    at = 20
    while at < len(data):
        end = at + 12 + sum(struct.unpack_from("<ii", data, at + 4))
        chunks.append((data[at : at + 4], data[at + 12 : end]))
        at = end
    for _ in range(rng.integers(1, 4)):
        k, other = rng.integers(0, len(chunks), 2)
        match rng.integers(0, 8):
            case 0:
                chunks[k], chunks[other] = chunks[other], chunks[k]
            case 1:
                chunks.insert(k, chunks[other])
            case 2 if len(chunks) > 1:
                del chunks[k]
            case _:
                chunks[k] = chunks[k][0], changed(chunks[k][1], rng)
    body = b"".join(name + struct.pack("<ii", len(content), 0) + content for name, content in chunks)
    return data[:16] + struct.pack("<i", len(body)) + body


def changed(data, rng):
    """One to three changes: bytes, digits, 32-bit numbers, pieces cut out, doubled or put in, the end cut off."""
    data = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(0, len(data) + 1))
        n = int(rng.integers(1, 65))
        match rng.integers(0, 8):
            case 0 if at < len(data):
                data[at] ^= 1 << int(rng.integers(0, 8))
            case 1:
                data[at : at + n] = rng.bytes(n)
            case 2 | 3:
                at -= at % 4
                data[at : at + 4] = struct.pack("<i", int(rng.choice(HOSTILE_NUMBERS)))
            case 4:
                del data[at : at + n]
            case 5:
                data[at:at] = data[at : at + n] if rng.integers(0, 2) else rng.bytes(n)
            case 6:
                del data[at:]
            case 7:
                digits = [i for i, byte in enumerate(data[:4096]) if byte in b"0123456789"]
                if digits:
                    data[int(rng.choice(digits))] = rng.choice(list(b"0123456789-. e"))
    return bytes(data)


def hand_made(vox):
    """A small file with every kind of chunk that is read."""
    return vox.file(
        vox.model((3, 4, 5), [(0, 0, 0, 1), (2, 3, 4, 2), (1, 1, 1, 255)]),
        vox.model((1, 2, 3), [(0, 1, 2, 3)]),
        vox.transform(0, 1),
        vox.group(1, 2, 4, 6),
        vox.transform(2, 3, {"_r": "17", "_t": "-4 5 60", "_f": "0"}, {"_t": "1 2 3", "_f": "9"}, layer=0, _name="a"),
        vox.shape(3, (0, {"_f": "0"}), (1, {"_f": "5"})),
        vox.transform(4, 5, {"_r": "68"}, layer=1),
        vox.shape(5, 1),
        vox.transform(6, 3, layer=0, _hidden="1"),
        vox.layer(0, _name="shown"),
        vox.layer(1, _hidden="0", _color="255 0 0"),
        vox.colors([(k, k, k, 255) for k in range(256)]),
        vox.material(1, _type="_metal", _metal="0.5", _rough="0.3"),
        vox.material(2, _type="_glass", _trans="0.5", _ri="1.5"),
        vox.chunk("MATT", struct.pack("<iififf", 3, 3, 0.5, 6, 0.5, 0.25)),
        vox.chunk("IMAP", bytes(range(256))),
        version=200,
    )


def worlds_of_mutations(data, seeds, outcome):
    """How many of the mutations by these seeds are worlds; all others must be refused."""
    n_worlds = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        frame = int(rng.integers(0, 12))
        n_worlds += isinstance(
            outcome(lambda data, frame=frame: read_vox(data, frame=frame), mutated(data, rng)), World
        )
    return n_worlds


MUTATIONS = {
    "chr_knight.vox": 1600,
    "T-Rex.vox": 800,
    "test_groups.vox": 800,
    "test_multiple_model_scene.vox": 600,
    "monu9.vox": 400,
    "dragon.vox": 200,
    "test_meta_chunk.vox": 200,
    "nature.vox": 200,
    "monu10.vox": 100,
    "menger.vox": 100,
}


def test_the_mutations_are_5000():
    assert sum(MUTATIONS.values()) == 5000


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutated_samples_are_worlds_or_refused(vox_samples, seeds, outcome, name):
    usual = MUTATIONS[name]
    n_worlds = worlds_of_mutations(vox_samples[name], seeds(usual, 20 * usual), outcome)
    assert n_worlds > 0


def test_mutated_hand_made_files_are_worlds_or_refused(vox, seeds, outcome):
    """Small files, in which nearly every change hits something that is read."""
    data = hand_made(vox)
    assert read_vox(data).material_counts()[1:].sum() == 4
    assert worlds_of_mutations(data, seeds(3000, 100_000), outcome) > 100
