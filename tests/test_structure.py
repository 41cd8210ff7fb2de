# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of docs/architecture.md that can be read off the sources."""

import ast
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {
    "voxel": {"numpy", "numba", "llvmlite", "zstandard"},
    "gpu_backend": {"voxel", "numpy", "moderngl"},
    "addon": {"voxel", "gpu_backend", "numpy", "bpy", "bmesh", "blf", "gpu", "bpy_extras", "mathutils"},
}
"""Each room, and what it may import besides itself and the standard library."""

MAX_LINES = 400
SPDX = "SPDX-License-Identifier: GPL-3.0-or-later"


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


PACKAGE = [ROOT / "__init__.py", *python_files(*ROOMS)]
OUTSIDE = python_files("tests", "tools", "benchmarks")
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in [*PACKAGE, *OUTSIDE]}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


package_file = pytest.mark.parametrize("path", PACKAGE, ids=name_of)
addon_file = pytest.mark.parametrize("path", python_files("addon"), ids=name_of)


def module_of(path: Path) -> tuple[str, ...]:
    """The module's name below the package: ("voxel", "mesh", "blocky")."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


MODULES = {module_of(path) for path in PACKAGE}


def absolute_imports(path: Path) -> Iterator[str]:
    """The modules that a file imports by their absolute names, wherever in the file."""
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module
            yield node.module


def relative_imports(path: Path) -> Iterator[tuple[str, ...]]:
    """The modules of the package that a file imports, wherever in the file."""
    package = module_of(path) if path.name == "__init__.py" else module_of(path)[:-1]
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = package[: len(package) - node.level + 1]
            base = above + tuple(node.module.split(".") if node.module else ())
            for alias in node.names:
                yield (*base, alias.name) if (*base, alias.name) in MODULES else base


@package_file
def test_imports_go_one_way(path: Path) -> None:
    room = module_of(path)[0] if module_of(path) else ""
    allowed = ROOMS.get(room, {"addon"}) | {room}
    imported = {name.split(".")[0] for name in absolute_imports(path)} - sys.stdlib_module_names
    imported |= {module[0] if module else "" for module in relative_imports(path)}
    assert imported <= allowed


def test_no_room_has_circular_imports() -> None:
    graph = {module_of(path): set(relative_imports(path)) for path in PACKAGE}
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("path", [*PACKAGE, *OUTSIDE], ids=name_of)
def test_rooms_are_never_imported_by_absolute_names(path: Path) -> None:
    forbidden = {*ROOMS, "voxelwright"} if path in PACKAGE else set(ROOMS)
    assert not forbidden & {name.split(".")[0] for name in absolute_imports(path)}


@pytest.mark.parametrize("path", python_files("voxel"), ids=name_of)
def test_voxel_uses_numba_through_kernels_only_and_opens_no_files(path: Path) -> None:
    if module_of(path) == ("voxel", "kernels"):
        return
    of_numba = {name for name in absolute_imports(path) if name.split(".")[0] in ("numba", "llvmlite")}
    # Intrinsics may be made anywhere: they are single instructions, which kernels cannot spell.
    assert not of_numba or "numba.extending" in of_numba
    assert of_numba <= {"llvmlite", "numba", "numba.core", "numba.extending"}
    assert not [node for node in ast.walk(TREES[path]) if isinstance(node, ast.Name) and node.id in ("njit", "jit")]
    calls = [node.func for node in ast.walk(TREES[path]) if isinstance(node, ast.Call)]
    names = {f.id if isinstance(f, ast.Name) else f.attr for f in calls if isinstance(f, ast.Name | ast.Attribute)}
    assert not names & {"open", "read_bytes", "read_text", "write_bytes", "write_text", "fromfile", "tofile"}


@package_file
def test_nothing_that_blenders_platform_forbids(path: Path) -> None:
    """Extensions may not touch sys.path and sys.modules, nor leave threads or processes running."""
    imported = {name.split(".")[0] for name in absolute_imports(path)}
    assert not imported & {"_thread", "asyncio", "concurrent", "multiprocessing", "subprocess", "threading"}
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sys":
            assert node.attr not in {"path", "modules", "meta_path", "path_hooks"}, f"line {node.lineno}"
        if isinstance(node, ast.ImportFrom) and node.module == "sys":
            pytest.fail(f"line {node.lineno}: import sys as a whole, so that this test sees what is used of it")


@pytest.mark.parametrize("path", [*PACKAGE, *OUTSIDE], ids=name_of)
def test_licence_line_comes_first(path: Path) -> None:
    assert path.read_text(encoding="utf-8").partition("\n")[0] == f"# {SPDX}"


@pytest.mark.parametrize("path", sorted((ROOT / "shaders").rglob("*.glsl")), ids=name_of)
def test_shaders_have_a_licence_line(path: Path) -> None:
    assert f"// {SPDX}" in path.read_text(encoding="utf-8").splitlines()[:2]


@package_file
def test_modules_stay_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < MAX_LINES


# --- Names of Blender's classes ---------------------------------------------------------------------------------

IDNAME = re.compile(r"voxelwright\.[a-z_]+|VOXELWRIGHT_(?:[A-Z]{2}|GGT)_[a-z_]+")
IDNAMES = ROOT / "addon" / "idnames.py"


def test_idnames_are_distinct_constants_with_telling_prefixes() -> None:
    statements = ast.parse(IDNAMES.read_text(encoding="utf-8")).body
    assignments = [node for node in statements if not isinstance(node, ast.Expr)]
    idnames = []
    for node in assignments:
        assert isinstance(node, ast.Assign), f"line {node.lineno}: only NAME = text belongs here"
        assert isinstance(node.value, ast.Constant), f"line {node.lineno}: only NAME = text belongs here"
        name, value = ast.unparse(node.targets[0]), str(node.value.value)
        if re.match(r"(?:[A-Z]{2}|GGT)_", name):
            prefix = "voxelwright." if name.startswith("OT_") else f"VOXELWRIGHT_{name.partition('_')[0]}_"
            assert IDNAME.fullmatch(value), f"line {node.lineno}"
            assert value.startswith(prefix), f"line {node.lineno}"
            idnames.append(value)
    assert idnames
    assert len(idnames) == len(set(idnames))


@addon_file
def test_idnames_are_spelled_in_one_module_only(path: Path) -> None:
    if path == IDNAMES:
        return
    texts = [node for node in ast.walk(TREES[path]) if isinstance(node, ast.Constant)]
    assert [f"line {node.lineno}: {node.value}" for node in texts if IDNAME.fullmatch(str(node.value))] == []


@addon_file
def test_classes_take_their_idnames_from_that_module(path: Path) -> None:
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Assign) and any(ast.unparse(target) == "bl_idname" for target in node.targets):
            # The preferences of an extension are found by its package's name, which Blender gives.
            assert ast.unparse(node.value).startswith("idnames.") or "__package__" in ast.unparse(node.value), (
                f"line {node.lineno}"
            )


@addon_file
def test_classes_are_named_as_blender_asks(path: Path) -> None:
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.ClassDef) and any("bpy.types." in ast.unparse(base) for base in node.bases):
            assert re.fullmatch(r"VOXELWRIGHT_(?:[A-Z]{2}|GGT)_[a-z_]+", node.name), f"line {node.lineno}"


# --- Without Blender ----------------------------------------------------------------------------------------------

WITHOUT_BLENDER = """
    import sys

    class Blocker:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in {"bpy", "_bpy", "blf", "bmesh", "gpu", "mathutils"}:
                raise ModuleNotFoundError(f"{name} is blocked by this test", name=name)

    sys.meta_path.insert(0, Blocker())
"""


def run_without_blender(code: str, *arguments: str | Path) -> None:
    source = textwrap.dedent(WITHOUT_BLENDER) + textwrap.dedent(code)
    command = [sys.executable, "-P", "-c", source, *arguments]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8", cwd=ROOT.parent)
    assert done.returncode == 0, done.stderr


def test_package_is_imported_without_blender_and_without_heavy_modules() -> None:
    run_without_blender(
        """
        import voxelwright, voxelwright.addon, voxelwright.addon.cli
        heavy = {"numba", "llvmlite", "moderngl", "glcontext", "zstandard"} & set(sys.modules)
        assert not heavy, f"imported before first use: {heavy}"
        """
    )


def test_command_line_generates_and_renders_without_blender(tmp_path: Path) -> None:
    preset = min((ROOT / "presets" / "worlds").glob("*.toml")).stem
    world, picture = tmp_path / "world.vxw", tmp_path / "picture.png"
    run_without_blender(
        """
        from voxelwright.addon.cli import main
        preset, world, picture = sys.argv[1:]
        assert main(["generate", preset, "--size", "40", "33", "--seed", "3", "-o", world]) == 0
        assert main(["render", world, "-o", picture, "--size", "64", "48"]) == 0
        """,
        preset,
        world,
        picture,
    )
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
