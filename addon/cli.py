# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: `voxelwright …` from a shell, `blender --command voxelwright …` from Blender; one parser for both.

Works without Blender's module as far as it is not needed: only bake and demo import it.
"""

import argparse
import io
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ..gpu_backend.views import DESCRIPTIONS, View
from ..voxel.errors import VoxelwrightError
from ..voxel.jobs import Job, Progress, finish
from ..voxel.limits import MAX_WORLD_FILE_BYTES
from ..voxel.palette import Palette
from ..voxel.settings import Recipe
from ..voxel.storage import world_from_bytes, world_to_bytes
from ..voxel.world import World
from . import idnames, presets, topings, worlds
from .files import check_suffix, check_writable, read_file, write_file
from .picture import Picture
from .progress_bar import ProgressBar

if TYPE_CHECKING:
    from ..voxel.mesh.topology import WeldedMeshes

BAKE_SUFFIXES = (".glb", ".blend", ".obj")
DEFAULT_HEIGHT = 256
DEFAULT_VIEW = (30.0, 30.0)
_DEFAULTS = worlds.ImportOptions()


def main(arguments: Sequence[str] | None = None, enable_extension: Callable[[], None] | None = None) -> int:
    """Run one command; returns the exit code. Whatever the user did wrong is one sentence on stderr and the code 1.

    enable_extension is called before the first use of Blender, where it has not been done as Blender does it.
    """
    try:
        options = _parser().parse_args(arguments)
        options.enable_extension = enable_extension
        options.run(options)
    except VoxelwrightError as error:
        print(f"voxelwright: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("voxelwright: stopped.", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        print(
            f"voxelwright: this is a mistake of ours, please report it: {type(error).__name__}: {error}",
            file=sys.stderr,
        )
        return 1
    return 0


class _Parser(argparse.ArgumentParser):
    """argparse whose errors are ours: one sentence, exit code 1."""

    def error(self, message: str) -> NoReturn:
        raise VoxelwrightError(f"{message}; `{self.prog} --help` tells more.")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=idnames.CLI_COMMAND,
        description="Make voxel worlds, look at them, and bake them to meshes. A world is kept in a .vxw file.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], None], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run)
        return sub

    def output(sub: argparse.ArgumentParser, what: str, metavar: str = "FILE") -> None:
        sub.add_argument("-o", "--output", type=Path, required=True, metavar=metavar, help=what)

    sub = command("generate", _generate, "Generate a world from a preset.")
    sub.add_argument("preset", metavar="PRESET", help=f"one of: {', '.join(presets.world_preset_names())}")
    sub.add_argument(
        "--size",
        type=int,
        nargs="+",
        default=[192, 192],
        metavar="N",
        help=f"X Y [Z] in voxels, exactly (default 192 192; Z {DEFAULT_HEIGHT})",
    )
    sub.add_argument("--seed", type=int, default=1, metavar="N", help="another seed, another terrain (default 1)")
    sub.add_argument("--phase", type=float, default=0.0, metavar="N", help="moves the noise, a turn a unit (default 0)")
    output(sub, "the .vxw file to write")

    sub = command("import", _import, "Import a MagicaVoxel file (.vox) or a heightmap (.png) as a world.")
    sub.add_argument("file", type=Path, metavar="FILE", help="a .vox or .png file")
    sub.add_argument(
        "--frame", type=int, default=_DEFAULTS.frame, metavar="N", help=".vox: the frame of an animation (default 0)"
    )
    heightmap = (
        ("--min-height", _DEFAULTS.min_height, "the height in voxels of the lowest sample"),
        ("--max-height", _DEFAULTS.max_height, "the height in voxels of the highest sample"),
        ("--scale", _DEFAULTS.scale, "voxels a sample, sideways"),
    )
    for flag, default, text in heightmap:
        sub.add_argument(flag, type=float, default=default, metavar="N", help=f".png: {text} (default {default:g})")
    sub.add_argument(
        "--full-range",
        action="store_true",
        help=".png: measure heights from black to white, not from the lowest to the highest sample",
    )
    output(sub, "the .vxw file to write")

    sub = command("info", _info, "Tell what is in a world.")
    sub.add_argument("file", type=Path, metavar="FILE.vxw")
    sub.add_argument("--json", action="store_true", help="as JSON; min and max are the lowest and the highest voxel")

    sub = command("render", _render, "Draw a picture of a world.")
    sub.add_argument("file", type=Path, metavar="FILE.vxw")
    sub.add_argument(
        "--size", type=int, nargs=2, default=[1280, 720], metavar=("W", "H"), help="in pixels (default 1280 720)"
    )
    sub.add_argument(
        "--view",
        type=float,
        nargs=2,
        default=list(DEFAULT_VIEW),
        metavar=("AZIMUTH", "ELEVATION"),
        help="in degrees: azimuth 0 looks from -Y and grows counter-clockwise seen from above, "
        f"elevation 0 is level and 90 straight down (default {DEFAULT_VIEW[0]:g} {DEFAULT_VIEW[1]:g})",
    )
    sub.add_argument(
        "--show",
        choices=[view.name.lower() for view in View],
        default="lit",
        help="; ".join(f"{view.name.lower()}: {text}" for view, text in DESCRIPTIONS.items()) + " (default lit)",
    )
    sub.add_argument(
        "--shadows", type=float, default=1.0, metavar="STRENGTH", help="of the sun's, from 0, none, to 1 (default 1)"
    )
    sub.add_argument(
        "--occlusion",
        type=float,
        default=1.0,
        metavar="STRENGTH",
        help="how much corners that little of the sky's light reaches are darkened, from 0 to 1 (default 1)",
    )
    sub.add_argument(
        "--sun-size",
        type=float,
        default=0.0,
        metavar="DEGREES",
        help="the sun's diameter: the larger, the softer its shadows (default 0, which is sharp)",
    )
    sub.add_argument(
        "--detail",
        type=float,
        default=0.0,
        metavar="PIXELS",
        help="how many pixels a voxel may cover that stands for several: far ones are put together (default 0: none)",
    )
    sub.add_argument("--stats", action="store_true", help="print what drawing took")
    output(sub, "the .png file to write")

    sub = command("bake", _bake, "Bake a world to meshes with materials.")
    sub.add_argument("file", type=Path, metavar="FILE.vxw")
    sub.add_argument(
        "--mesh",
        choices=tuple(worlds.MESH_KINDS),
        default="greedy",
        help="; ".join(f"{name}: {text[0].lower()}{text[1:]}" for name, (_, text) in worlds.MESH_KINDS.items()),
    )
    sub.add_argument(
        "--ambient-occlusion", action="store_true", help="darken the corners of blocks in the colour attribute"
    )
    sub.add_argument(
        "--level", type=int, choices=range(4), default=0, help="of detail: voxels are 2, 4, 8 times as large at 1, 2, 3"
    )
    sub.add_argument(
        "--crack-free", action="store_true", help="no corner of a face on another's edge; faces are n-gons"
    )
    sub.add_argument(
        "--topings",
        choices=tuple(topings.MODES),
        default="none",
        help="; ".join(f"{name}: {text[0].lower()}{text[1:]}" for name, (_, text) in topings.MODES.items())
        + " (default none, since they make large files)",
    )
    output(sub, f"the file to write, ending in {', '.join(BAKE_SUFFIXES)}")

    sub = command("demo", _demo, "Make a 192×192 world, its picture, its Blender file and its glTF file.")
    output(sub, "the folder to write to; made if missing", "DIR")
    return parser


# --- Commands ---------------------------------------------------------------------------------------------------


def _generate(options: argparse.Namespace) -> None:
    check_suffix(options.output, (".vxw",))
    check_writable(options.output)
    if len(options.size) not in (2, 3):
        raise VoxelwrightError("--size takes two numbers, X Y, or three, X Y Z.")
    size = (*options.size, DEFAULT_HEIGHT)[:3]
    recipe = Recipe(presets.world_text(options.preset), size, options.seed, options.phase)
    world = _run(worlds.generate(recipe))
    write_file(options.output, world_to_bytes(world))


def _import(options: argparse.Namespace) -> None:
    check_suffix(options.output, (".vxw",))
    check_writable(options.output)
    how = worlds.ImportOptions(options.frame, options.min_height, options.max_height, options.scale, options.full_range)
    world, notes = _run(worlds.import_file(options.file, how))
    write_file(options.output, world_to_bytes(world))
    for note in notes:
        print(note, file=sys.stderr)


def _info(options: argparse.Namespace) -> None:
    info = world_info(_read_world(options.file))
    if options.json:
        print(json.dumps(info))
        return
    print(f"voxels  {info['voxels']:,}")
    print(f"chunks  {info['chunks']:,}")
    if info["voxels"]:
        print(f"min     {' '.join(map(str, info['min']))}")
        print(f"max     {' '.join(map(str, info['max']))}")
    for material in info["materials"]:
        print(f"{material['voxels']:>12,}  {material['name']}")


def _render(options: argparse.Namespace) -> None:
    check_suffix(options.output, (".png",))
    check_writable(options.output)
    world = _read_world(options.file)
    light = {"shadows": options.shadows, "occlusion": options.occlusion, "sun_size": options.sun_size}
    picture = Picture(tuple(options.size), tuple(options.view), options.show, options.detail, **light)
    write_file(options.output, _run(picture.drawing(world)))
    if picture.reduced is not None:
        print(picture.reduced, file=sys.stderr)
    if options.stats:
        print(picture.figures.text())


def _bake(options: argparse.Namespace) -> None:
    suffix = check_suffix(options.output, BAKE_SUFFIXES)
    check_writable(options.output)
    world = _read_world(options.file)
    how = worlds.BakeOptions(options.mesh, options.ambient_occlusion, options.crack_free, options.level)
    meshes, welded = _run(worlds.mesh_for_bake(world, how))
    blender = _Blender(options.enable_extension)
    mode = options.topings if options.level == 0 else "none"
    grown = _run(topings.grow(world, meshes.smooth, mode, {}))
    objects = blender.bake(options.file.stem, world, meshes.palette, welded) + blender.bake_topings(grown, mode)
    if suffix == ".blend":
        blender.save(options.output)
    else:
        blender.export(objects, options.output)


def _demo(options: argparse.Namespace) -> None:
    folder = options.output
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise VoxelwrightError(f"The folder {folder} cannot be made: {error.strerror}.") from None
    start = time.monotonic()
    recipe = Recipe(presets.world_text(presets.DEFAULT_WORLD_PRESET), (192, 192, DEFAULT_HEIGHT), 1)
    world = _run(worlds.generate(recipe))
    write_file(folder / "preview.png", _run(Picture((1280, 720), DEFAULT_VIEW).drawing(world)))
    meshes = _run(worlds.mesh(world, "greedy"))
    welded = _run(worlds.weld(meshes))
    grown = _run(topings.grow(world, meshes.smooth, "points", {}))
    with ProgressBar() as bar:
        bar.show(Progress(0.0, "Baking"))
        blender = _Blender(options.enable_extension)
        objects = blender.bake("Rolling hills", world, meshes.palette, welded)
        blender.bake_topings(grown, "points")
        bar.show(Progress(0.5, "Exporting"))
        blender.export(objects, folder / "terrain.glb")
        blender.save(folder / "world.blend")
        bar.show(Progress(1.0, "Exporting"))
    n_voxels = world_info(world)["voxels"]
    print(f"voxels     {n_voxels:,}")
    print(f"quads      {meshes.n_quads:,}")
    print(f"triangles  {2 * meshes.n_quads:,}")
    print(f"seconds    {time.monotonic() - start:.1f}")
    for name in ("preview.png", "world.blend", "terrain.glb"):
        print(folder / name)


# --- What they share --------------------------------------------------------------------------------------------


def world_info(world: World) -> dict[str, Any]:
    """What `info --json` prints: counts of voxels that are not air, the lowest and the highest voxel (None for an empty
    world), and the materials in use with their counts."""
    counts = world.material_counts()
    low, high = world.bounds() or (None, None)
    return {
        "voxels": int(counts[1:].sum()),
        "chunks": len(world.coords()),
        "min": low,
        "max": high,
        "materials": [
            {"id": i, "name": m.name, "voxels": int(counts[i])} for i, m in world.palette.items() if counts[i]
        ],
    }


def _read_world(path: Path) -> World:
    check_suffix(path, (".vxw",))
    loaded = world_from_bytes(read_file(path, MAX_WORLD_FILE_BYTES))
    if loaded.damaged:
        print(loaded.damage, file=sys.stderr)
    return loaded.world


class _Blender:
    """Blender as a library: an empty file with our extension enabled."""

    def __init__(self, enable_extension: Callable[[], None] | None) -> None:
        try:
            import bpy
        except ImportError as error:
            raise VoxelwrightError(
                f"Baking needs Blender's Python module, bpy, which cannot be loaded: {error}."
            ) from None
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        if enable_extension is not None:
            enable_extension()

    def bake(self, name: str, world: World, palette: Palette, welded: "WeldedMeshes") -> list[Any]:
        import bpy

        from . import session
        from .bake.objects import bake_world

        self._owner, self._palette = session.new_world_object(bpy.context, name, world), palette
        return bake_world(
            self._owner.name, session.world_id(self._owner), welded, palette, self._owner, bpy.context.scene
        )

    def bake_topings(self, grown: topings.GrownTopings | None, mode: str) -> list[Any]:
        """Those of the world that was baked last."""
        import bpy

        from . import session
        from .bake.topings import bake_topings

        owner = self._owner
        of_world = owner.name, session.world_id(owner)
        return bake_topings(*of_world, grown, mode, {}, self._palette, owner, bpy.context.scene)

    def export(self, objects: list[Any], path: Path) -> None:
        from .bake.export import export_objects

        # The exporters chat, and report as errors libraries that this Blender lacks and that are not used.
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            export_objects(objects, path)

    def save(self, path: Path) -> None:
        import bpy

        from .bake.export import blender_reason

        check_writable(path)
        try:
            bpy.ops.wm.save_as_mainfile(filepath=str(path.absolute()), check_existing=False, compress=True)
        except RuntimeError as error:
            raise VoxelwrightError(f"{path} cannot be written: {blender_reason(error)}") from None


def _run(job: Job[Any]) -> Any:
    """Run a job with its progress on stderr."""
    with ProgressBar() as bar:
        return finish(job, bar.show)
