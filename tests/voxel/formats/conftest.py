# SPDX-License-Identifier: GPL-3.0-or-later
"""Hand-made .vox files, and a slow reader of them that shares nothing with the importer."""

import math
import struct

import numpy as np
import pytest


class VoxBuilder:
    """Writes chunks of .vox files; text goes in as str, settings as dicts."""

    def chunk(self, name, content=b"", children=b""):
        return name.encode() + struct.pack("<ii", len(content), len(children)) + content + children

    def file(self, *chunks, version=150):
        return b"VOX " + struct.pack("<i", version) + self.chunk("MAIN", b"", b"".join(chunks))

    def text(self, text):
        return struct.pack("<i", len(text.encode())) + text.encode()

    def settings(self, settings):
        pairs = (self.text(key) + self.text(str(value)) for key, value in settings.items())
        return struct.pack("<i", len(settings)) + b"".join(pairs)

    def size(self, *edges):
        return self.chunk("SIZE", struct.pack("<iii", *edges))

    def voxels(self, voxels):
        data = np.asarray(voxels, np.uint8).reshape(-1, 4)
        return self.chunk("XYZI", struct.pack("<i", len(data)) + data.tobytes())

    def model(self, size, voxels):
        return self.size(*size) + self.voxels(voxels)

    def transform(self, key, child, *frames, layer=-1, **attributes):
        frames = frames or ({},)
        head = struct.pack("<i", key) + self.settings(attributes) + struct.pack("<iiii", child, -1, layer, len(frames))
        return self.chunk("nTRN", head + b"".join(self.settings(frame) for frame in frames))

    def group(self, key, *children):
        counted = struct.pack(f"<i{len(children)}i", len(children), *children)
        return self.chunk("nGRP", struct.pack("<i", key) + self.settings({}) + counted)

    def shape(self, key, *models):
        """models are numbers, or (number, settings)."""
        pairs = [model if isinstance(model, tuple) else (model, {}) for model in models]
        shown = b"".join(struct.pack("<i", model) + self.settings(settings) for model, settings in pairs)
        head = struct.pack("<i", key) + self.settings({}) + struct.pack("<i", len(pairs))
        return self.chunk("nSHP", head + shown)

    def layer(self, key, **attributes):
        return self.chunk("LAYR", struct.pack("<i", key) + self.settings(attributes) + struct.pack("<i", -1))

    def material(self, key, **settings):
        return self.chunk("MATL", struct.pack("<i", key) + self.settings(settings))

    def colors(self, entries):
        """entries (256, 4): the chunk's own order, so that entry k is colour index k + 1."""
        return self.chunk("RGBA", np.asarray(entries, np.uint8).tobytes())


@pytest.fixture(scope="session")
def vox():
    """A builder of .vox files."""
    return VoxBuilder()


@pytest.fixture(scope="session")
def vox_samples(shared_data):
    """The real files, {name: bytes}."""
    return {path.name: path.read_bytes() for path in sorted((shared_data / "vox").glob("*.vox"))}


@pytest.fixture(scope="session")
def slow_cells():
    """read(data, frame=0) -> {cell: colour index}: what a .vox file shows, voxel by voxel in floats."""
    return _cells


def _cells(data, frame=0):
    models, nodes, hidden_layers = _parse(data)
    cells = {}
    if not nodes:
        for x, y, z, color in models[min(frame, len(models) - 1)][1]:
            cells[x, y, z] = color
        return cells

    def walk(key, matrix):
        kind, attributes, rest = nodes[key]
        if kind == "nTRN":
            child, layer, frames = rest
            if attributes.get("_hidden") == "1" or layer in hidden_layers:
                return
            walk(child, matrix @ _matrix(_at_frame(frames, frame)))
        elif kind == "nGRP":
            for child in rest:
                walk(child, matrix)
        else:
            size, voxels = models[_at_frame(rest, frame)["model"]]
            rows = matrix.tolist()
            pivot = [edge // 2 for edge in size]
            for x, y, z, color in voxels:
                a, b, c = x + 0.5 - pivot[0], y + 0.5 - pivot[1], z + 0.5 - pivot[2]
                cell = tuple(math.floor(r[0] * a + r[1] * b + r[2] * c + r[3]) for r in rows[:3])
                cells[cell] = color

    walk(0, np.eye(4))
    return cells


def _parse(data):
    models, nodes, hidden_layers, size = [], {}, set(), None
    at = 20

    def number():
        nonlocal at
        at += 4
        return struct.unpack_from("<i", data, at - 4)[0]

    def text():
        nonlocal at
        n = number()
        at += n
        return data[at - n : at].decode()

    def settings():
        return {text(): text() for _ in range(number())}

    while at < len(data):
        name = data[at : at + 4].decode()
        n_content, n_children = struct.unpack_from("<ii", data, at + 4)
        end = at + 12 + n_content + n_children
        at += 12
        if name == "SIZE":
            size = number(), number(), number()
        elif name == "XYZI":
            n = number()
            models.append((size, list(struct.iter_unpack("4B", data[at : at + 4 * n]))))
        elif name == "LAYR":
            key = number()
            if settings().get("_hidden") == "1":
                hidden_layers.add(key)
        elif name == "nTRN":
            key, attributes, child, _, layer = number(), settings(), number(), number(), number()
            nodes[key] = name, attributes, (child, layer, [settings() for _ in range(number())])
        elif name == "nGRP":
            key, attributes = number(), settings()
            nodes[key] = name, attributes, [number() for _ in range(number())]
        elif name == "nSHP":
            key, attributes = number(), settings()
            nodes[key] = name, attributes, [{"model": number(), **settings()} for _ in range(number())]
        at = end
    return models, nodes, hidden_layers


def _at_frame(frames, frame):
    numbers = [int(settings.get("_f", i)) for i, settings in enumerate(frames)]
    reached = [n for n in numbers if n <= frame]
    return frames[numbers.index(max(reached) if reached else min(numbers))]


def _matrix(settings):
    byte = int(settings.get("_r", 4))
    matrix = np.zeros((4, 4))
    columns = [byte & 3, byte >> 2 & 3]
    columns += [({0, 1, 2} - set(columns)).pop()]
    for row, column in enumerate(columns):
        matrix[row, column] = -1.0 if byte >> (4 + row) & 1 else 1.0
    matrix[:3, 3] = [float(part) for part in settings.get("_t", "0 0 0").split()]
    matrix[3, 3] = 1.0
    return matrix
