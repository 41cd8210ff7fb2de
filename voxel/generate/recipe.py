# SPDX-License-Identifier: GPL-3.0-or-later
"""From a preset, a size and a seed to all that chunks are filled from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..jobs import Job, Progress, stage
from ..layout import CHUNK_SIZE, VOXEL_DTYPE
from ..palette import Palette
from .columns import Columns, Fields, classify, flat_fields, highest_tops, voxel_of
from .erosion import erode
from .features import Candidates, Stamps, by_chunk, candidates, stamp_arrays
from .fill import CAVE, Ground, Placements, fill, opens
from .nodes import Node
from .preset import ROCK, Cave, Preset
from .program import Boxes, Program, compile_nodes, node_seed, values_in_boxes

Size = tuple[int, int, int]
Rooms = tuple[NDArray[np.float32], NDArray[np.float32]]
"""For the values of density and of caves."""

_DENSITY_REACH = 64
"""How far above the ground's height features look for ground that density makes."""

_PLACES_A_SLICE = 1000

_HEADROOM = 8
"""Features that stand inside need this many voxels of air."""

_FOOTING = 3
"""This many voxels of ground below a feature must not be in a cave."""


@dataclass(frozen=True)
class Made:
    """All that chunks are made from; and the corners (n, 3) and stamps (n,) int64 of what stands on the ground.

    density and caves are programs with the registers of their roots; they have no operations where there is none.
    """

    ground: Ground
    columns: Columns
    density: tuple[Program, NDArray[np.int64]]
    caves: tuple[Program, NDArray[np.int64]]
    stamps: Stamps
    corners: NDArray[np.int64]
    standing: NDArray[np.int64]

    def placements(self, coords: NDArray[np.int64]) -> Placements:
        """What stands in the chunks coords (n, 3) int64."""
        shapes = self.stamps.shapes[self.standing]
        return Placements(self.corners, self.standing, *by_chunk(self.corners, shapes, coords))

    def fill(
        self,
        placements: Placements,
        coords: NDArray[np.int64],
        out: NDArray[np.uint16],
        uniform: NDArray[np.int64],
        rooms: Rooms,
    ) -> None:
        """Write the chunks coords, for which placements are; see fill.fill()."""
        density, caves = self._boxes(coords, rooms)
        fill(self.ground, self.columns, density, caves, placements, self.stamps, coords, out, uniform)

    def rooms(self, n: int) -> Rooms:
        """Room for what n chunks take at most; the system gives memory to what is written only."""
        n_columns, high = n * CHUNK_SIZE**2, CHUNK_SIZE + self.ground.margin
        (_, dense), (_, hollow) = self.density, self.caves
        return (
            np.empty(n_columns * high * len(dense), np.float32),
            np.empty(n_columns * CHUNK_SIZE * len(hollow), np.float32),
        )

    def _boxes(self, coords: NDArray[np.int64], rooms: Rooms) -> tuple[Boxes, Boxes]:
        """The values of density and of caves where chunks need them."""
        ground = self.ground
        corners = coords * CHUNK_SIZE
        boxes = np.concatenate([corners, np.minimum(ground.size - corners, CHUNK_SIZE)], axis=1)
        dense, hollow = boxes.copy(), boxes.copy()
        dense[:, 5] = CHUNK_SIZE + ground.margin if ground.dense else 0
        if len(ground.caves):
            high = boxes[:, 2] + boxes[:, 5]
            if not ground.dense:
                high = np.minimum(high, highest_tops(self.columns.top, boxes))
            hollow[:, 2] = np.maximum(boxes[:, 2], ground.caves["floor"].min())
            hollow[:, 5] = np.maximum(high - hollow[:, 2], 0)
        else:
            hollow[:, 5] = 0
        return (
            values_in_boxes(*self.density, dense, ground.heights, rooms[0]),
            values_in_boxes(*self.caves, hollow, room=rooms[1]),
        )


def make(preset: Preset, palette: Palette, size: Size, seed: int, phase: float, reduced: bool) -> Job[Made]:
    """A preset's ground and features. reduced leaves out fine octaves, caves, erosion and features."""
    if reduced:
        preset = replace(preset, caves=(), erosion=(), features=())
    names = _flat_nodes(preset)
    program, roots = compile_nodes(preset.nodes, names, seed, phase, reduced)
    shape = size[0] + 2, size[1] + 2
    values = yield from stage(flat_fields(program, roots, -1, shape), 0.0, 0.3)
    if preset.erosion:
        values[0] = yield from stage(erode(values[0], preset.erosion, node_seed(seed, "erosion")), 0.3, 0.8)
    fields = Fields(values, {name: i for i, name in enumerate(names)})
    return (yield from stage(on_fields(preset, palette, size, fields, seed, phase, reduced), 0.8, 1.0))


def _flat_nodes(preset: Preset) -> list[str]:
    """The flat nodes that a preset's columns need, the height first, each once."""
    asked = [preset.heights, preset.waver, preset.tilt]
    asked += [s.node for s in preset.strata] + [f.node for f in preset.features]
    return list(dict.fromkeys(name for name in asked if name))


def on_fields(
    preset: Preset, palette: Palette, size: Size, fields: Fields, seed: int, phase: float, reduced: bool
) -> Job[Made]:
    """A preset's ground over given fields, which reach one column beyond size on each side."""
    columns = yield from stage(classify(fields, preset, palette), 0.0, 0.5)
    layers = [voxel_of(layer.material, palette) for layer in preset.layers for _ in range(layer.thickness)]
    tilt = fields.of(preset.tilt) if preset.tilt else np.zeros_like(fields.heights)
    ground = Ground(
        size=np.array(size, np.int64),
        heights=np.ascontiguousarray(fields.heights[1:-1, 1:-1]),
        tilt=np.ascontiguousarray(tilt[1:-1, 1:-1]),
        layers=np.array(layers, VOXEL_DTYPE),
        water_level=preset.water.level if preset.water else 0,
        water=voxel_of(preset.water.material, palette) if preset.water else 0,
        caves=_cave_table(preset.caves),
        dense=bool(preset.density),
        margin=max(s.depth for s in preset.strata) + 1,
        cave_floor=voxel_of(preset.cave_floor, palette) if preset.cave_floor else 0,
    )
    density_roots = [preset.density] if preset.density else []
    cave_nodes = {f"cave {i}": _cave_node(cave) for i, cave in enumerate(preset.caves)}
    made = Made(
        ground,
        columns,
        compile_nodes(preset.nodes, density_roots, seed, phase, reduced),
        compile_nodes(cave_nodes, list(cave_nodes), seed, phase, reduced),
        stamp_arrays(preset.features, preset.stamps, palette),
        np.zeros((0, 3), np.int64),
        np.zeros(0, np.int64),
    )
    if not preset.features:
        return made
    places = yield from stage(
        candidates(preset, fields, columns, made.stamps, ground.water_level, palette, seed), 0.5, 0.8
    )
    altitudes = np.empty(len(places.x), np.int64)
    for start in range(0, len(altitudes), _PLACES_A_SLICE):
        part = slice(start, start + _PLACES_A_SLICE)
        altitudes[part] = _standing_altitudes(made, Candidates(*(values[part] for values in places)))
        yield Progress(0.8 + 0.2 * start / len(altitudes), "Planting")
    stands = altitudes >= 0
    shapes = made.stamps.shapes[places.stamp]
    corners = np.stack([places.x - shapes[:, 0] // 2, places.y - shapes[:, 1] // 2, altitudes - places.sink], axis=1)
    return replace(made, corners=corners[stands], standing=places.stamp[stands])


def _cave_table(caves: tuple[Cave, ...]) -> NDArray[np.void]:
    table = np.zeros(len(caves), CAVE)
    for row, cave in zip(table, caves, strict=True):
        row["cavern"] = cave.kind == "caverns"
        for key in ("threshold", "floor", "cover", "mouths"):
            row[key] = getattr(cave, key)
    return table


def _cave_node(cave: Cave) -> Node:
    """The noise of a cave, as a node."""
    keys: Mapping[str, object] = {key: getattr(cave, key) for key in ("wavelength", "octaves", "lacunarity", "gain")}
    stretch = {"stretch_x": 1.0, "stretch_y": 1.0, "stretch_z": 1.0 / cave.flatness}
    return Node("perlin", {**keys, **stretch, "space": "solid", "warp": 0.0, "warp_wavelength": 2.0}, solid=True)


def _standing_altitudes(made: Made, places: Candidates) -> NDArray[np.int64]:
    """(n,) int64: the altitude of the air above the ground at these places; −1 where there is none, or a cave."""
    ground = made.ground
    top = made.columns.top[places.x, places.y]
    altitudes = top.astype(np.int64)
    ones = np.ones_like(altitudes)
    if ground.dense:
        boxes = np.stack([places.x, places.y, 0 * ones, ones, ones, altitudes + _DENSITY_REACH], axis=1)
        _, starts, values = values_in_boxes(*made.density, boxes, ground.heights)
        ends = starts + boxes[:, 5]
        for i, (start, end, which) in enumerate(
            zip(starts.tolist(), ends.tolist(), places.floor.tolist(), strict=True)
        ):
            altitudes[i] = _floor_of(values[start:end] > 0, which, ground.water_level)
    low = np.maximum(altitudes - _FOOTING, 0)
    boxes = np.stack([places.x, places.y, low, ones, ones, np.maximum(altitudes - low, 0)], axis=1)
    if len(ground.caves):
        opens(ground, top, values_in_boxes(*made.caves, boxes), low, altitudes)
    return altitudes


def _floor_of(solid: NDArray[np.bool_], which: int, water_level: int) -> int:
    """The altitude of the air above a floor of one column, solid (n,) bool from 0 up; see Candidates.floor. −1 for
    none."""
    floors = np.flatnonzero(solid[:-1] & ~solid[1:]) + 1
    if which < 0 or len(floors) < 2:
        return int(floors[-1]) if which < 0 and len(floors) else -1
    floor = int(floors[which % (len(floors) - 1)])
    return floor if floor >= water_level and not solid[floor : floor + _HEADROOM].any() else -1


def check_materials(preset: Preset, palette: Palette) -> None:
    """Raise VoxelwrightError where the palette lacks a material that the preset names."""
    named = {"cave_floor": preset.cave_floor, "water.material": preset.water.material if preset.water else ""}
    named |= {f"layers.{i}.material" if len(preset.layers) > 1 else "rock": layer.material for i, layer in
              enumerate(preset.layers)}  # fmt: skip
    for i, stratum in enumerate(preset.strata):
        named |= {f"strata.{i}.{key}": getattr(stratum, key) for key in ("surface", "soil", "cliff")}
    for i, feature in enumerate(preset.features):
        named |= {f"features.{i}.on, number {n}": name for n, name in enumerate(feature.on)}
    for name, stamp in preset.stamps.items():
        named |= {f"stamps.{name}.materials.{letter}": material for letter, material in stamp.materials.items()}
    known = {material.name for _, material in palette.items()}
    for key, name in named.items():
        if name and name != ROCK and name not in known:
            raise VoxelwrightError(
                f'{preset.file_name}: "{key[:80]}": the palette has no material "{name[:60]}"; '
                f"it has {', '.join(sorted(known))}."
            )
