# SPDX-License-Identifier: GPL-3.0-or-later
"""MagicaVoxel's .vox files: chunks of bytes to a world. docs/formats/vox.md says what is read and how it is mapped."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from ..errors import VoxelwrightError
from ..layout import N_MATERIALS, VOXEL_DTYPE
from ..limits import MAX_VOX_ITEMS, MAX_VOX_NODES
from ..palette import Material, Palette
from ..world import World, new_world
from .binary import Reader
from .vox_palette import MATT_TYPES, default_colors, vox_material
from .vox_scene import (
    IDENTITY,
    Group,
    Model,
    Node,
    Placement,
    Rotation,
    Shape,
    Transform,
    Triple,
    chunks_of_placements,
    placements,
    rotation_of_byte,
)

_VERSIONS = (150, 200)
_MAX_EDGE = 256
_MAX_NUMBER_LENGTH = 32
_MAX_POSITION_LENGTH = 128
_GET_ANOTHER = "save it anew or get another copy."

T = TypeVar("T")

Dictionary = dict[bytes, bytes]
"""Settings as the file has them: keys and values are text."""


def read_vox(data: bytes, *, frame: int = 0) -> World:
    """A new world from the bytes of a MagicaVoxel .vox file; the palette keeps the file's colour indices.

    frame chooses what animations show: the key frame with the highest number up to it, of a file of bare models
    the model of that number (the last where there are fewer). Raises VoxelwrightError.
    """
    if frame < 0:
        raise VoxelwrightError(f"There is no frame {frame}; frames count from 0.")
    contents = _Contents(frame)
    contents.read(data)
    placed = contents.visible()
    if not placed:
        raise VoxelwrightError(
            "The .vox file shows no voxel: its models are empty or hidden; show a layer that has voxels and save it."
        )
    palette = contents.palette(placed)
    voxel_of_color = np.zeros(N_MATERIALS, VOXEL_DTYPE)
    for index, material in palette.items():
        voxel_of_color[index] = material.voxel(index)
    return new_world(chunks_of_placements(placed, voxel_of_color), palette)


class _Contents:
    """What a file holds, gathered chunk by chunk; of animations only the chosen frame."""

    def __init__(self, frame: int) -> None:
        self.frame = frame
        self.models: list[Model] = []
        self.nodes: dict[int, Node] = {}
        self.hidden_layers: set[int] = set()
        self.colors = default_colors()
        self.properties: dict[int, Dictionary] = {}
        self._size: Triple | None = None
        self._n_items = 0

    def read(self, data: bytes) -> None:
        """Take in a whole file."""
        _check_magic(data)
        file = Reader(data, "The .vox file", start=4)
        version = file.i32()
        if version not in _VERSIONS:
            raise VoxelwrightError(
                f"The .vox file has version {version}, but only 150 and 200 can be read; save it with MagicaVoxel 0.99."
            )
        main = file.bytes(4)
        n_content, n_children = file.i32(), file.i32()
        if main != b"MAIN":
            raise VoxelwrightError(f"The .vox file does not begin with its chunk MAIN; {_GET_ANOTHER}")
        file.skip(n_content)
        chunks = file.part(n_children, "The .vox file")
        while chunks.left:
            self._spend(1)
            name = chunks.bytes(4)
            n_content, n_children = chunks.i32(), chunks.i32()
            handler = _HANDLERS.get(name)
            if handler is None:
                chunks.skip(n_content)
            else:
                handler(self, chunks.part(n_content, f"Chunk {name.decode()} of the .vox file"))
            chunks.skip(n_children)

    def visible(self) -> list[Placement]:
        """The models that are shown, in the order in which they overwrite each other."""
        if self.nodes:
            return placements(self.nodes, self.models, self.hidden_layers)
        # Without a scene graph the models are the frames of an animation, and stand with a corner at the origin.
        model = self.models[min(self.frame, len(self.models) - 1)] if self.models else None
        return [Placement(model, IDENTITY, (0, 0, 0))] if model is not None and len(model.voxels) else []

    def palette(self, placed: list[Placement]) -> Palette:
        """A material for every colour index that the placed models use."""
        used = np.zeros(N_MATERIALS, np.bool_)
        for model in {id(p.model): p.model for p in placed}.values():
            used[model.voxels[:, 3]] = True
        materials: dict[int, Material] = {}
        for index in np.flatnonzero(used).tolist():
            r, g, b = self.colors[index].tolist()
            materials[index] = vox_material(f"color {index}", (r, g, b), self.properties.get(index, {}))
        return Palette.of(materials)

    def _spend(self, n: int) -> None:
        self._n_items += n
        if self._n_items > MAX_VOX_ITEMS:
            raise VoxelwrightError(
                f"The .vox file has more than {MAX_VOX_ITEMS} chunks, nodes and settings; split it into several files."
            )

    # --- Chunks -----------------------------------------------------------------------------------------------

    def _read_size(self, chunk: Reader) -> None:
        size = chunk.i32(), chunk.i32(), chunk.i32()
        if not all(1 <= edge <= _MAX_EDGE for edge in size):
            raise VoxelwrightError(
                f"The .vox file has a model of {size[0]}×{size[1]}×{size[2]} voxels, "
                f"but each edge must be 1 to {_MAX_EDGE}; {_GET_ANOTHER}"
            )
        self._size = size

    def _read_voxels(self, chunk: Reader) -> None:
        size, self._size = self._size, None
        if size is None:
            raise VoxelwrightError(f"The .vox file has voxels without the size of their model; {_GET_ANOTHER}")
        if len(self.models) >= MAX_VOX_NODES:
            raise VoxelwrightError(f"The .vox file has more than {MAX_VOX_NODES} models; split it into several files.")
        voxels = chunk.array(np.uint8, 4 * chunk.count(4)).reshape(-1, 4)
        if len(voxels) and (voxels[:, :3].max(axis=0) >= size).any():
            raise VoxelwrightError(
                f"The .vox file's model {len(self.models)} has a voxel outside its size of "
                f"{size[0]}×{size[1]}×{size[2]}; {_GET_ANOTHER}"
            )
        if len(voxels) and not voxels[:, 3].all():
            voxels = voxels[voxels[:, 3] != 0]
        self.models.append(Model(size, voxels))

    def _read_colors(self, chunk: Reader) -> None:
        # The file's entry k is colour index k + 1, its last entry belongs to no index.
        self.colors[1:] = chunk.array(np.uint8, 1024).reshape(256, 4)[:255, :3]

    def _read_material(self, chunk: Reader) -> None:
        index = chunk.i32()
        self.properties[index] = self._dictionary(chunk)

    def _read_old_material(self, chunk: Reader) -> None:
        index, kind, weight, bits = chunk.i32(), chunk.i32(), chunk.f32(), chunk.i32()
        properties = {b"_weight": b"%r" % weight}
        if 0 <= kind < len(MATT_TYPES):
            properties[b"_type"] = MATT_TYPES[kind]
        if bits & 1:
            chunk.skip(4)
        if bits & 2:
            properties[b"_rough"] = b"%r" % chunk.f32()
        self.properties[index] = properties

    def _read_layer(self, chunk: Reader) -> None:
        layer = chunk.i32()
        if _hidden(self._dictionary(chunk)):
            self.hidden_layers.add(layer)

    def _read_transform(self, chunk: Reader) -> None:
        key, attributes = chunk.i32(), self._dictionary(chunk)
        child, _reserved, layer = chunk.i32(), chunk.i32(), chunk.i32()
        frames = (self._dictionary(chunk) for _ in range(self._count(chunk, 4)))
        settings = self._chosen((settings, settings) for settings in frames) or {}
        rotation, translation = _rotation(key, settings), _translation(key, settings)
        self._add_node(key, Transform(child, layer, _hidden(attributes), rotation, translation))

    def _read_group(self, chunk: Reader) -> None:
        key, attributes = chunk.i32(), self._dictionary(chunk)
        children = chunk.array("<i4", self._count(chunk, 4)).tolist()
        self._add_node(key, Group(() if _hidden(attributes) else tuple(children)))

    def _read_shape(self, chunk: Reader) -> None:
        key, attributes = chunk.i32(), self._dictionary(chunk)
        frames = ((chunk.i32(), self._dictionary(chunk)) for _ in range(self._count(chunk, 8)))
        model = self._chosen((settings, model) for model, settings in frames)
        if model is None:
            raise VoxelwrightError(f"The .vox file's node {key} is a shape without a model; {_GET_ANOTHER}")
        self._add_node(key, Group(()) if _hidden(attributes) else Shape(model))

    def _add_node(self, key: int, node: Node) -> None:
        if key in self.nodes:
            raise VoxelwrightError(f"The .vox file has two nodes with the number {key}; {_GET_ANOTHER}")
        if len(self.nodes) >= MAX_VOX_NODES:
            raise VoxelwrightError(
                f"The .vox file's scene has more than {MAX_VOX_NODES} nodes; split it into several files."
            )
        self.nodes[key] = node

    def _chosen(self, frames: Iterable[tuple[Dictionary, T]]) -> T | None:
        """What the key frame with the highest number up to the chosen frame shows, or the first one where all come
        later; None where there are none. A key frame's number is its _f, else its place in the list."""
        numbered = (
            (_integer(settings.get(b"_f", b""), place), shown) for place, (settings, shown) in enumerate(frames)
        )
        best = max(numbered, key=lambda f: (f[0] <= self.frame, -abs(f[0] - self.frame)), default=None)
        return best[1] if best is not None else None

    def _dictionary(self, chunk: Reader) -> Dictionary:
        out: Dictionary = {}
        for _ in range(self._count(chunk, 8)):
            key = chunk.bytes(chunk.i32())
            out[key] = chunk.bytes(chunk.i32())
        return out

    def _count(self, chunk: Reader, size: int) -> int:
        n = chunk.count(size)
        self._spend(n)
        return n


_HANDLERS: dict[bytes, Callable[[_Contents, Reader], None]] = {
    b"SIZE": _Contents._read_size,
    b"XYZI": _Contents._read_voxels,
    b"RGBA": _Contents._read_colors,
    b"MATL": _Contents._read_material,
    b"MATT": _Contents._read_old_material,
    b"LAYR": _Contents._read_layer,
    b"nTRN": _Contents._read_transform,
    b"nGRP": _Contents._read_group,
    b"nSHP": _Contents._read_shape,
}


def _check_magic(data: bytes) -> None:
    if data[:4] == b"VOX ":
        return
    if len(data) >= 12:
        # SLAB6 puts three sizes at the start, then a byte a voxel and a palette of 768 bytes.
        sizes = [int(edge) for edge in np.frombuffer(data, "<u4", 3)]
        if len(data) == 12 + sizes[0] * sizes[1] * sizes[2] + 768:
            raise VoxelwrightError(
                "This .vox file was made by SLAB6, not by MagicaVoxel; convert it before importing it."
            )
    raise VoxelwrightError('This is not a MagicaVoxel file: it does not begin with "VOX "; choose a file that is one.')


def _hidden(attributes: Dictionary) -> bool:
    return attributes.get(b"_hidden") == b"1"


def _integer(text: bytes, default: int) -> int:
    """The number that a text gives, else the default."""
    try:
        return int(text[:_MAX_NUMBER_LENGTH])
    except ValueError:
        return default


def _rotation(key: int, settings: Dictionary) -> Rotation:
    text = settings.get(b"_r")
    if text is None:
        return IDENTITY
    rotation = rotation_of_byte(_integer(text, -1))
    if rotation is None:
        raise VoxelwrightError(f"The .vox file's node {key} has a rotation that is none; {_GET_ANOTHER}")
    return rotation


def _translation(key: int, settings: Dictionary) -> Triple:
    text = settings.get(b"_t")
    if text is None:
        return 0, 0, 0
    try:
        x, y, z = (int(part) for part in text[:_MAX_POSITION_LENGTH].split())
    except ValueError:
        raise VoxelwrightError(f"The .vox file's node {key} has a position that is none; {_GET_ANOTHER}") from None
    return x, y, z
