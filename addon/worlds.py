# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that make and mesh worlds, for operators and the command line alike. No bpy here.

The modules with kernels are imported inside the functions: numba takes most of a second to load, and enabling the
extension must not wait for it.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..voxel.errors import VoxelwrightError
from ..voxel.jobs import Job, Progress, finish, stage
from ..voxel.layout import AIR
from ..voxel.limits import MAX_IMPORT_FILE_BYTES, MAX_WORLD_FILE_BYTES
from ..voxel.palette import Material, Palette
from ..voxel.settings import Recipe, Settings
from ..voxel.storage import reading
from ..voxel.world import Chunk, Coord, Edit, World, content, edit_of_chunks, new_world
from . import kernel_cache, presets
from .files import check_suffix, read_file

if TYPE_CHECKING:
    from ..voxel.generate.preset import Preset
    from ..voxel.mesh.arrays import BlockyMesh, SmoothMesh
    from ..voxel.mesh.topology import WeldedMeshes

IMPORT_SUFFIXES = (".vox", ".png", ".vxw")

MESH_KINDS = {
    "greedy": ("Greedy", "Blocks with faces merged to large quads, smooth voxels as smooth surfaces"),
    "simple": ("Simple", "Blocks with a quad for every voxel face, smooth voxels as smooth surfaces"),
    "smooth": ("Smooth", "Everything as smooth surfaces, blocks too; only what one sees through stays blocks"),
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
    scale: int = 1
    """The voxels of the world that one of the meshes' is wide: 2 for half the detail, and so on."""

    @property
    def n_quads(self) -> int:
        return len(self.blocky.quads) + len(self.smooth.quads)


def paste_file(path: Path, options: ImportOptions, target: World, offset: Coord) -> Job[tuple[Edit, tuple[str, ...]]]:
    """The edit that puts a file's voxels into a world, the file's origin at offset; with notes for the user."""
    world, notes = yield from stage(import_file(path, options), 0.0, 0.5)
    yield Progress(0.5, "Putting the voxels into the world")
    from ..voxel.edit.paste import paste

    return paste(target, world, offset), notes


def generate(recipe: Recipe) -> Job[World]:
    """A new world by a recipe, which its settings then hold."""
    yield Progress(0.0, "Loading")
    kernel_cache.prepare()
    from ..voxel.generate import terrain

    preset = _preset_of(recipe)
    palette = presets.palette(preset.palette)
    yield from kernel_cache.compiling("generate", lambda: terrain.generate(preset, palette, (40, 8, 64), 1))
    world = yield from terrain.generate(preset, palette, recipe.size, recipe.seed, recipe.phase)
    world.apply(edit_of_chunks(world, {}, settings=replace(world.settings, recipe=recipe)))
    return world


def generate_anew(world: World, recipe: Recipe) -> Job[Edit]:
    """The edit that replaces all of a world by what a recipe gives."""
    made = yield from generate(recipe)
    return edit_to(world, made, replace(world.settings, recipe=recipe))


def edit_to(world: World, wanted: World, settings: Settings) -> Edit:
    """The edit that gives a world another's voxels and palette, and settings."""
    chunks: dict[Coord, Chunk] = dict.fromkeys(world.coords(), AIR)
    chunks.update((coord, wanted.chunk(coord)) for coord in wanted.coords())
    return edit_of_chunks(world, chunks, wanted.palette, settings)


def generate_frame(world: World, phase: float, reduced: bool) -> Job[Edit]:
    """The edit from a world, as it is seen, to what its recipe gives at another phase; without what takes long where it
    is reduced. Its settings must hold a recipe."""
    recipe = world.settings.recipe
    assert recipe is not None
    yield Progress(0.0, "Loading")
    kernel_cache.prepare()
    from ..voxel.generate import terrain

    preset = _preset_of(recipe)
    return (yield from terrain.regenerate(world, preset, recipe.size, recipe.seed, phase, reduced))


def _preset_of(recipe: Recipe) -> "Preset":
    from ..voxel.generate.adjust import adjusted_preset

    return adjusted_preset(recipe.preset, "The preset", recipe.adjusted)


def import_file(path: Path, options: ImportOptions) -> Job[tuple[World, tuple[str, ...]]]:
    """A new world from a file, by its ending, with notes for the user."""
    suffix = check_suffix(path, IMPORT_SUFFIXES)
    yield Progress(0.0, f"Reading {path.name}")
    data = read_file(path, MAX_WORLD_FILE_BYTES if suffix == ".vxw" else MAX_IMPORT_FILE_BYTES)
    kernel_cache.prepare()
    if suffix == ".png":
        return (yield from _import_heightmap(data, options))
    if suffix == ".vox":
        from ..voxel.formats.vox import read_vox

        return read_vox(data, frame=options.frame), ()
    loaded = yield from reading(data)
    return loaded.world, (loaded.damage,) if loaded.damaged else ()


def _import_heightmap(data: bytes, options: ImportOptions) -> Job[tuple[World, tuple[str, ...]]]:
    from ..voxel.formats.heightmap import heights, read_heightmap
    from ..voxel.generate import terrain

    heightmap = read_heightmap(data)
    low, high = options.min_height, options.max_height
    columns = heights(heightmap, low=low, high=high, scale=options.scale, full_range=options.full_range)
    palette_name, rock, strata = presets.heightmap_strata()
    job = terrain.ground(columns, strata, rock, presets.palette(palette_name), low, high)
    return (yield from job), heightmap.notes


def mesh(world: World, kind: str, ambient_occlusion: bool = False) -> Job[Meshes]:
    """Mesh a world, kind by MESH_KINDS. Raises VoxelwrightError for a world without voxels."""
    check_voxels(world)
    yield Progress(0.0, "Loading")
    kernel_cache.prepare()
    from ..voxel.edit.smoothing import smooth_all

    group = "mesh with light" if ambient_occlusion else "mesh"
    yield from kernel_cache.compiling(group, lambda: _meshes(_sample_world(), kind, ambient_occlusion))
    if kind == "smooth":
        copy = World()
        copy.apply(content(world))
        copy.apply(smooth_all(copy))
        world = copy
    return (yield from _meshes(world, kind, ambient_occlusion))


def prepare_drawing(world: World, *, meshes_blocks: bool) -> Job[None]:
    """Compile what drawing a world needs; meshes_blocks where the graphics card does not mesh blocks itself."""
    if meshes_blocks:
        yield Progress(0.0, "Loading")
        kernel_cache.prepare()
        yield from kernel_cache.compiling("mesh", lambda: _meshes(_sample_world(), "greedy"))
    elif world.has_smooth_voxels():
        yield from prepare_smooth_surfaces()


def prepare_smooth_surfaces() -> Job[None]:
    """Compile what smooth surfaces are meshed with."""
    yield Progress(0.0, "Loading")
    kernel_cache.prepare()
    from ..voxel.mesh.smooth import mesh_smooth

    yield from kernel_cache.compiling("smooth", lambda: mesh_smooth(_sample_world()))


RAYS = "rays"
"""The group of kernels that rays are cast with."""


def prepare_viewport() -> Job[None]:
    """Compile what viewports need to show a world, and to find what is under the mouse."""
    yield from prepare_smooth_surfaces()
    yield from prepare_rays()


def prepare_rays() -> Job[None]:
    """Compile what rays are cast with."""
    yield Progress(0.0, "Loading")
    kernel_cache.prepare()
    from ..voxel.edit.ray_cast import RayCaster

    def cast() -> Job[None]:
        palette = Palette.of({1: Material("block", (0, 0, 0))})
        for name, world in (
            ("rays", new_world({(0, 0, 0): palette.voxel(1)}, palette)),
            ("smooth", _sample_world()),
        ):
            yield Progress(0.0, name)
            RayCaster(world).cast((1.0, 1.0, 40.0), (0.5, 0.5, -1.0))

    yield from kernel_cache.compiling(RAYS, cast)


SELECTING = "selecting"
"""The group of kernels that selections need: made, drawn, and worked on."""


def prepare_selecting() -> Job[None]:
    """Compile what selections need."""
    kernel_cache.prepare()
    if kernel_cache.is_compiled(SELECTING):
        return
    yield Progress(0.0, "Loading")
    from ..voxel.edit import actions, connected, outline, patterns, selection
    from ..voxel.edit.dabs import throughout

    def select() -> Job[None]:
        world = _sample_world()
        part = selection.box((0, 0, 0), (40, 3, 3))
        yield Progress(0.0, "selections")
        connected.connected(world, (0, 0, 0), "surface")
        outline.outline(part.grown(1) & selection.surface(world))
        yield Progress(0.0, "changes")
        throughout(world, actions.paint(patterns.only(2)), part)

    yield from kernel_cache.compiling(SELECTING, select)


EDITING = "editing"
"""The group of kernels that tools change worlds with, and draw their cursors."""


def prepare_editing() -> Job[None]:
    """Compile what tools need."""
    yield from prepare_rays()
    yield from prepare_selecting()
    from ..voxel.edit import actions, patterns, sculpt
    from ..voxel.edit.dabs import Stroke
    from ..voxel.edit.shapes import sphere

    def edit() -> Job[None]:
        world, ball = _sample_world(), sphere(2.0, "smooth")
        for name, action in (
            ("add", actions.add(patterns.only(1))),
            ("patterns", actions.paint(patterns.by_noise([1, 2], 8.0))),
            ("raise", sculpt.raise_(1.0)),
            ("smooth", sculpt.smooth()),
            ("grow", sculpt.grow()),
        ):
            yield Progress(0.0, name)
            Stroke(world, action, ball).dab((8.0, 8.0, 31.0))

    yield from kernel_cache.compiling(EDITING, edit)


def _meshes(world: World, kind: str, ambient_occlusion: bool = False) -> Job[Meshes]:
    from ..voxel.mesh.blocky import mesh_blocky
    from ..voxel.mesh.smooth import mesh_smooth

    job = mesh_blocky(world, merge=kind != "simple", ambient_occlusion=ambient_occlusion)
    blocky = yield from stage(job, 0.0, 0.5)
    smooth = yield from stage(mesh_smooth(world), 0.5, 1.0)
    return Meshes(blocky, smooth, world.palette)


def check_voxels(world: World) -> None:
    """Raise VoxelwrightError for a world without voxels."""
    if not world.coords():
        raise VoxelwrightError("This world has no voxels; generate or import some first.")


def _sample_world() -> World:
    """A block beside a smooth chunk: as little as makes every mesher do something."""
    palette = Palette.of({1: Material("block", (0, 0, 0)), 2: Material("smooth", (0, 0, 0), smooth=True)})
    return new_world({(0, 0, 0): palette.voxel(1), (1, 0, 0): palette.voxel(2)}, palette)


def weld(meshes: Meshes, crack_free: bool = False) -> "Job[WeldedMeshes]":
    """A world's meshes joined to what a bake turns into objects."""
    from ..voxel.mesh import topology

    def welded(meshes: Meshes) -> "Job[WeldedMeshes]":
        transparent = meshes.palette.transparent
        return topology.weld(meshes.blocky, meshes.smooth, transparent, meshes.scale, crack_free=crack_free)

    group = "weld crack-free" if crack_free else "weld"
    yield from kernel_cache.compiling(group, lambda: welded(finish(_meshes(_sample_world(), "greedy"))))
    return (yield from welded(meshes))


@dataclass(frozen=True)
class BakeOptions:
    """How a world is baked: kind by MESH_KINDS; ambient_occlusion darkens corners in the colour attribute; crack_free
    leaves no corner of one polygon on another's edge."""

    kind: str = "greedy"
    ambient_occlusion: bool = False
    crack_free: bool = False
    level: int = 0
    """0 is full detail, 1 to 3 have voxels of 2, 4 and 8."""


def mesh_for_bake(world: World, options: BakeOptions) -> "Job[tuple[Meshes, WeldedMeshes]]":
    """Mesh and weld a world."""
    if options.level:
        meshes = yield from stage(_mesh_level(world, options), 0.0, 0.7)
    else:
        meshes = yield from stage(mesh(world, options.kind, options.ambient_occlusion), 0.0, 0.7)
    return meshes, (yield from stage(weld(meshes, options.crack_free), 0.7, 1.0))


def _mesh_level(world: World, options: BakeOptions) -> Job[Meshes]:
    """A world's meshes in less detail."""
    if options.kind == "smooth" or options.ambient_occlusion:
        raise VoxelwrightError(
            "Less detail goes with greedy and simple meshes without ambient occlusion; choose those."
        )
    check_voxels(world)
    yield Progress(0.0, "Loading")
    kernel_cache.prepare()
    from ..voxel.mesh.lod import mesh_lod

    merge = options.kind == "greedy"
    sample = _sample_world()
    yield from kernel_cache.compiling(
        "levels", lambda: mesh_lod(sample, dict.fromkeys(sample.coords(), 1), merge=merge)
    )
    (level,) = yield from mesh_lod(world, dict.fromkeys(world.coords(), options.level), merge=merge)
    return Meshes(level.blocky, level.smooth, world.palette, level.scale)
