# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that make and mesh worlds, for operators and the command line alike. No bpy here.

The modules with kernels are imported inside the functions: numba takes most of a second to load, and enabling the
extension must not wait for it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..voxel.errors import VoxelwrightError
from ..voxel.jobs import Job, Progress, stage
from ..voxel.palette import Palette
from ..voxel.storage import world_from_bytes
from ..voxel.world import World, content
from . import kernel_cache, presets
from .files import check_suffix, read_file

if TYPE_CHECKING:
    from ..voxel.mesh.arrays import BlockyMesh, SmoothMesh

IMPORT_SUFFIXES = (".vox", ".png", ".vxw")

MESH_KINDS = {
    "greedy": ("Greedy", "Blocks with faces merged to large quads, smooth voxels as smooth surfaces"),
    "simple": ("Simple", "Blocks with a quad for every voxel face, smooth voxels as smooth surfaces"),
    "smooth": ("Smooth", "Everything as smooth surfaces, blocks too"),
}
"""The ways to mesh a world: label and description by name."""


@dataclass(frozen=True)
class ImportOptions:
    """How foreign files are read. Heights are in voxels."""

    frame: int = 0
    min_height: float = 4.0
    max_height: float = 96.0
    scale: float = 1.0
    full_range: bool = False


@dataclass(frozen=True)
class Meshes:
    """Both meshes of one world."""

    blocky: "BlockyMesh"
    smooth: "SmoothMesh"
    palette: Palette

    @property
    def n_quads(self) -> int:
        return len(self.blocky.quads) + len(self.smooth.quads)


def generate(preset_name: str, size: tuple[int, int, int], seed: int) -> Job[World]:
    """A new world from a preset."""
    preset = presets.world_preset(preset_name)
    palette = presets.palette(preset.palette)
    yield Progress(0.0, "Loading")
    kernel_cache.prepare()
    from ..voxel.generate import terrain

    return (yield from terrain.generate(preset, palette, size, seed))


def import_file(path: Path, options: ImportOptions) -> Job[tuple[World, tuple[str, ...]]]:
    """A new world from a file, by its ending, with notes for the user."""
    suffix = check_suffix(path, IMPORT_SUFFIXES)
    yield Progress(0.0, f"Reading {path.name}")
    data = read_file(path)
    kernel_cache.prepare()
    if suffix == ".png":
        return (yield from _import_heightmap(data, options))
    if suffix == ".vox":
        from ..voxel.formats.vox import read_vox

        return read_vox(data, frame=options.frame), ()
    return world_from_bytes(data), ()


def _import_heightmap(data: bytes, options: ImportOptions) -> Job[tuple[World, tuple[str, ...]]]:
    from ..voxel.formats.heightmap import heights, read_heightmap
    from ..voxel.generate import terrain

    heightmap = read_heightmap(data)
    low, high = options.min_height, options.max_height
    columns = heights(heightmap, low=low, high=high, scale=options.scale, full_range=options.full_range)
    palette_name, rock, strata = presets.heightmap_strata()
    job = terrain.ground(columns, strata, rock, presets.palette(palette_name), low, high)
    return (yield from job), heightmap.notes


def mesh(world: World, kind: str) -> Job[Meshes]:
    """Mesh a world, kind by MESH_KINDS. Raises VoxelwrightError for a world without voxels."""
    if not world.coords():
        raise VoxelwrightError("This world has no voxels; generate or import some first.")
    yield Progress(0.0, "Loading")
    kernel_cache.prepare()
    from ..voxel.edit.smoothing import smooth_all
    from ..voxel.mesh.blocky import mesh_blocky
    from ..voxel.mesh.smooth import mesh_smooth

    if kind == "smooth":
        copy = World()
        copy.apply(content(world))
        copy.apply(smooth_all(copy))
        world = copy
    blocky = yield from stage(mesh_blocky(world, merge=kind != "simple"), 0.0, 0.5)
    smooth = yield from stage(mesh_smooth(world), 0.5, 1.0)
    return Meshes(blocky, smooth, world.palette)
