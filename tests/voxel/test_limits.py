# SPDX-License-Identifier: GPL-3.0-or-later
"""Each limit of worlds, presets and files at its value and one beyond."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
import zstandard

from voxelwright.addon.worlds import ImportOptions, import_file
from voxelwright.voxel import limits, storage
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.formats.heightmap import Heightmap, heights
from voxelwright.voxel.generate.keys import CURVE, REQUIRED, TEXTS, Key
from voxelwright.voxel.generate.nodes import read_nodes
from voxelwright.voxel.generate.reading import Reader
from voxelwright.voxel.generate.stamps import read_stamps
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Palette
from voxelwright.voxel.settings import Recipe
from voxelwright.voxel.storage import world_from_bytes, world_to_bytes
from voxelwright.voxel.world import World, edit_of_chunks

SETTINGS = b'{"smoothing": 0.0, "recipe": null}'
HEAD = b'{"palette": {}, "settings": ' + SETTINGS + b"}"


def world_file(head=HEAD, n_chunks=0, n_more_sections=0):
    columns = np.zeros((5, n_chunks), "<u4")
    columns[0], columns[4] = np.arange(n_chunks), 0x0100
    sections = {b"HEAD": head, b"TABL": zstandard.compress(columns.tobytes()), b"VOXL": b""}
    sections |= {b"X%03d" % i: b"" for i in range(n_more_sections)}
    rows = b"".join(struct.pack("<4sQI", tag, len(body), zlib.crc32(body)) for tag, body in sections.items())
    header = b"VOXELWRT\1\0\0\0" + struct.pack("<I", len(sections))
    return header + struct.pack("<I", zlib.crc32(header + rows)) + rows + b"".join(sections.values())


def heights_of(**changes):
    n_samples = changes.pop("n_samples", 2)
    return heights(Heightmap(np.zeros((n_samples, 1), np.uint8), ()), **{"low": 0, "high": 1, "scale": 1, **changes})


def nested(depth):
    """A head whose objects and lists lie that deep; it is no palette, which is told otherwise than the depth."""
    return b'{"settings": ' + SETTINGS + b', "palette": {}, "more": ' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


def sparse_file(folder, n_bytes):
    path = folder / "model.vox"
    with path.open("wb") as file:
        file.truncate(n_bytes)
    return path


def applied(chunks):
    world = World()
    world.apply(edit_of_chunks(world, chunks))


def preset_value(kind, value):
    Reader("x.toml").value({"key": value}, Key("key", kind, REQUIRED, ""), "")


def stamp(*shape):
    rows = ["L" * shape[0]] * shape[1]
    return {"layers": ["\n".join(rows)] * shape[2], "materials": {"L": "leaves"}}


NODE = {"type": "constant", "value": 1}
CASES = {
    "MAX_WORLD_EDGE, columns": lambda n: heights_of(n_samples=n),
    "MAX_WORLD_EDGE, heights": lambda n: heights_of(high=n),
    "MAX_WORLD_CHUNKS, made": lambda n: applied({(x, 0, 0): 0x0100 for x in range(n)}),
    "MAX_WORLD_CHUNKS, read": lambda n: world_from_bytes(world_file(n_chunks=n)),
    "MAX_CHUNK_COORD": lambda n: applied({(0, -n, 0): 0x0100}),
    "MAX_WORLD_HEAD_BYTES": lambda n: world_from_bytes(world_file(HEAD + b" " * (n - len(HEAD)))),
    "MAX_WORLD_SECTIONS": lambda n: world_from_bytes(world_file(n_more_sections=n - 3)),
    "MAX_RECIPE_LETTERS": lambda n: Recipe("x" * n, (1, 1, 1), 0),
    "MAX_RECIPE_NUMBERS": lambda n: Recipe("", (1, 1, 1), 0, 0.0, (("a", 1.0),) * n),
    "MAX_RECIPE_PATH_LETTERS": lambda n: Recipe("", (1, 1, 1), 0, 0.0, (("a" * n, 1.0),)),
    "MAX_PRESET_NODES": lambda n: read_nodes(Reader("x.toml"), {f"n{i}": NODE for i in range(n)}),
    "MAX_CURVE_POINTS": lambda n: preset_value(CURVE, [[i, 0] for i in range(n)]),
    "MAX_STAMP_EDGE": lambda n: read_stamps(Reader("x.toml"), {"bush": stamp(1, n, 2)}),
    "MAX_STAMPS, of a preset": lambda n: read_stamps(Reader("x.toml"), {f"s{i}": stamp(1, 1, 1) for i in range(n)}),
    "MAX_STAMPS, of a feature": lambda n: preset_value(TEXTS, ["bush"] * n),
    "MAX_FEATURES": lambda n: Reader("x.toml").tables({"features": [{}] * n}, "features", limits.MAX_FEATURES),
}
SHOWN = {"MAX_CHUNK_COORD": 32 << 20, "MAX_WORLD_HEAD_BYTES": "", "MAX_WORLD_SECTIONS": ""}
"""What the message says where it is not the limit itself. Files beyond these two limits were never written."""


@pytest.mark.parametrize("name", CASES)
def test_at_the_limit_and_one_beyond(name):
    key = name.partition(",")[0]
    limit = getattr(limits, key)
    CASES[name](limit)
    with pytest.raises(VoxelwrightError) as error:
        CASES[name](limit + 1)
    sentence = str(error.value)
    assert str(SHOWN.get(key, limit)) in sentence
    assert sentence.endswith(".")
    assert ". " not in sentence


def test_scales_of_images_at_the_limits_and_beyond():
    low, high = limits.IMAGE_SCALE_RANGE
    assert heights_of(scale=low).shape == (1, 1)
    assert heights_of(scale=high).shape == (200, 100)
    for beyond in (np.nextafter(low, 0), np.nextafter(high, 1000)):
        with pytest.raises(VoxelwrightError, match=r"must be a number from 0\.01 to 100"):
            heights_of(scale=float(beyond))


def test_depth_of_a_head_at_the_limit_and_beyond(monkeypatch):
    looked = []
    monkeypatch.setattr(storage.head.json, "loads", lambda data: looked.append(data) or {})
    for depth in (limits.MAX_JSON_DEPTH, limits.MAX_JSON_DEPTH + 1):
        with pytest.raises(VoxelwrightError, match="restore it from a backup"):
            world_from_bytes(world_file(nested(depth)))
    assert looked == [nested(limits.MAX_JSON_DEPTH)], "deeper ones never reach the parser, which recurses"


def test_bytes_of_a_world_at_the_limit_and_beyond(monkeypatch):
    data = world_to_bytes(World(Palette()))
    monkeypatch.setattr(storage, "MAX_WORLD_FILE_BYTES", len(data))
    assert world_from_bytes(data).damaged == ()
    with pytest.raises(VoxelwrightError, match="larger than 0 GiB, the most that a world takes; restore it"):
        world_from_bytes(data + b"\0")


def test_the_largest_world_may_be_read():
    most_a_chunk = 2 + 65536 + 1024  # what does not pack takes some bytes more
    needed = limits.MAX_WORLD_CHUNKS * (most_a_chunk + 20) + limits.MAX_WORLD_HEAD_BYTES
    assert needed < limits.MAX_WORLD_FILE_BYTES


def test_bytes_of_a_foreign_file_at_the_limit_and_beyond(tmp_path):
    with pytest.raises(VoxelwrightError, match="not a MagicaVoxel file"):
        finish(import_file(sparse_file(tmp_path, limits.MAX_IMPORT_FILE_BYTES), ImportOptions()))
    with pytest.raises(VoxelwrightError, match="larger than 128 MiB"):
        finish(import_file(sparse_file(tmp_path, limits.MAX_IMPORT_FILE_BYTES + 1), ImportOptions()))


def test_every_limit_is_named_in_a_test():
    # MAX_DRAWN_CHUNKS is so by this line alone: a capacity, twice what a world can have.
    text = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert [name for name in vars(limits) if name.isupper() and name not in text] == []
