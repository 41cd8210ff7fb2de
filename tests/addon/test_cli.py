# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line, in this process."""

import json
import struct

import numpy as np
import pytest

from voxelwright.addon import __main__ as command
from voxelwright.addon import cli
from voxelwright.voxel.formats.png import read_png, write_png
from voxelwright.voxel.storage import world_from_bytes


@pytest.fixture
def run(_enabled, capsys, monkeypatch):
    """Run one command; returns (exit code, stdout, stderr)."""

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["voxelwright", *map(str, arguments)])
        try:
            code = command.main()
        except SystemExit as end:  # --help
            code = end.code
        output = capsys.readouterr()
        return code, output.out, output.err

    return run


@pytest.fixture
def world_file(run, tmp_path):
    path = tmp_path / "hills.vxw"
    assert run("generate", "rolling_hills", "--size", 50, 40, 90, "--seed", 2, "-o", path)[0] == 0
    return path


def test_generate_crops_to_the_size_in_voxels(world_file, run):
    code, out, _ = run("info", world_file, "--json")
    info = json.loads(out)
    assert code == 0
    assert info["min"] == [0, 0, 0]
    assert info["max"][:2] == [49, 39]
    assert info["voxels"] == sum(material["voxels"] for material in info["materials"])
    assert info["chunks"] == len(world_from_bytes(world_file.read_bytes()).world.coords())


def test_generate_is_256_high_by_default_and_depends_on_the_seed_alone(run, tmp_path):
    paths = [tmp_path / f"{i}.vxw" for i in range(3)]
    for path, seed in zip(paths, (5, 5, 6), strict=True):
        assert run("generate", "alpine", "--size", 33, 20, "--seed", seed, "-o", path)[0] == 0
    assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()


def test_info_for_people(world_file, run):
    code, out, _ = run("info", world_file)
    assert code == 0
    assert out.splitlines()[2].split() == ["min", "0", "0", "0"]
    assert "grass" in out


def test_import_of_a_heightmap_with_options(run, tmp_path):
    image = tmp_path / "map.png"
    image.write_bytes(write_png(np.tile(np.arange(20, dtype=np.uint8), (10, 1))))
    world = tmp_path / "map.vxw"
    code, _, err = run("import", image, "--min-height", 2, "--max-height", 30, "--scale", 2, "-o", world)
    assert code == 0
    assert "256 levels" in err
    assert json.loads(run("info", world, "--json")[1])["max"] == [39, 19, 29]


def test_render_draws_a_picture_of_the_asked_size(world_file, run, tmp_path):
    path = tmp_path / "picture.png"
    code, out, err = run("render", world_file, "-o", path, "--size", 160, 90, "--view", -30, -12.5, "--stats")
    if "OpenGL" in err or "EGL" in err:
        pytest.skip(err)
    assert code == 0, err
    image = read_png(path.read_bytes())
    assert image.samples.shape == (90, 160, 3)
    assert image.samples.std() > 10
    if "simple way" not in err:
        assert {"rays", "blur"} <= {line.split()[0] for line in out.splitlines()}  # of shadows and ambient occlusion


@pytest.mark.parametrize("kind", ["greedy", "simple", "smooth"])
def test_bake_writes_glb(world_file, run, tmp_path, kind):
    path = tmp_path / "world.glb"
    assert run("bake", world_file, "--mesh", kind, "-o", path)[0] == 0
    data = path.read_bytes()
    assert struct.unpack_from("<4sII", data) == (b"glTF", 2, len(data))


@pytest.mark.parametrize(
    "flags",
    [
        ("--ambient-occlusion",),
        ("--crack-free",),
        ("--topings", "mesh"),
        ("--level", "2"),
        ("--level", "3", "--crack-free", "--topings", "points"),
    ],
    ids=" ".join,
)
def test_bake_with_options(world_file, run, tmp_path, flags):
    plain, path = tmp_path / "plain.glb", tmp_path / "world.glb"
    assert run("bake", world_file, "-o", plain)[0] == 0
    assert run("bake", world_file, *flags, "-o", path)[0] == 0
    sizes = path.stat().st_size, plain.stat().st_size
    assert sizes[0] < sizes[1] if "--level" in flags else sizes[0] > sizes[1]


def test_less_detail_covers_the_same_space(world_file):
    from voxelwright.addon import worlds
    from voxelwright.voxel.jobs import finish

    world = world_from_bytes(world_file.read_bytes()).world
    boxes = []
    for level in (0, 2):
        _, welded = finish(worlds.mesh_for_bake(world, worlds.BakeOptions(level=level)))
        points = welded.blocks.positions
        boxes.append((points.min(axis=0), points.max(axis=0)))
    assert np.abs(np.array(boxes[0]) - boxes[1]).max() <= 4


def test_bake_writes_obj_and_a_blend_that_holds_the_world(world_file, run, tmp_path, blender):
    from voxelwright.addon import session

    assert run("bake", world_file, "-o", tmp_path / "world.obj")[0] == 0
    assert (tmp_path / "world.obj").read_text().count("\nf ") > 100
    assert run("bake", world_file, "-o", tmp_path / "world.blend")[0] == 0
    blender.ops.wm.open_mainfile(filepath=str(tmp_path / "world.blend"))
    owner = next(o for o in blender.data.objects if o.type == "EMPTY")
    expected = world_from_bytes(world_file.read_bytes()).world
    assert session.world_of(owner).coords() == expected.coords()
    assert any(o.type == "MESH" and len(o.data.polygons) > 100 for o in blender.data.objects)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "COMMAND"),
        (["frobnicate"], "frobnicate"),
        (["generate", "nowhere", "-o", "w.vxw"], 'no preset "nowhere"'),
        (["generate", "alpine", "--size", "0", "5", "-o", "w.vxw"], "1 to 4096"),
        (["generate", "alpine", "--size", "4096", "4096", "4096", "-o", "w.vxw"], "limit"),
        (["generate", "alpine", "--size", "5", "-o", "w.vxw"], "--size"),
        (["generate", "alpine", "--seed", "x", "-o", "w.vxw"], "--seed"),
        (["generate", "alpine", "--size", "5", "5", "-o", "w.png"], ".vxw"),
        (["generate", "alpine", "--size", "5", "5", "-o", "missing/w.vxw"], "does not exist"),
        (["info", "missing.vxw"], "cannot be read"),
        (["info", "bad.vxw"], "not a Voxelwright world"),
        (["import", "bad.vox", "-o", "w.vxw"], "vox"),
        (["import", "bad.png", "-o", "w.vxw"], "PNG"),
        (["import", "folder.png", "-o", "w.vxw"], "cannot be read"),
        (["import", "bad.txt", "-o", "w.vxw"], "must end in"),
        (["render", "empty.vxw", "-o", "p.png"], "no voxels"),
        (["render", "good.vxw", "-o", "p.png", "--view", "0", "100"], "elevation"),
        (["render", "good.vxw", "-o", "p.png", "--size", "0", "100"], "pixels"),
        (["render", "good.vxw", "-o", "p.png", "--shadows", "2"], "from 0 to 1"),
        (["render", "good.vxw", "-o", "p.png", "--sun-size", "90"], "45 degrees"),
        (["render", "good.vxw", "-o", "p.png", "--detail", "-1"], "detail"),
        (["bake", "good.vxw", "-o", "w.stp"], "must end in"),
        (["bake", "good.vxw", "-o", "missing/w.glb"], "missing"),
        (["bake", "good.vxw", "--mesh", "round", "-o", "w.glb"], "round"),
        (["demo", "-o", "bad.txt"], "cannot be made"),
    ],
    ids=" ".join,
)
def test_a_mistake_is_one_sentence_and_the_code_1(run, world_file, tmp_path, monkeypatch, arguments, sentence):
    from voxelwright.voxel.storage import world_to_bytes
    from voxelwright.voxel.world import World

    monkeypatch.chdir(tmp_path)
    for name in ("bad.vxw", "bad.vox", "bad.png", "bad.txt"):
        (tmp_path / name).write_text("this is not what its name says")
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "empty.vxw").write_bytes(world_to_bytes(World()))
    world_file.rename(tmp_path / "good.vxw")
    before = sorted(tmp_path.iterdir())
    code, out, err = run(*arguments)
    message = err.splitlines()[-1]
    assert code == 1
    assert message.startswith("voxelwright: ")
    assert sentence in message
    assert "Traceback" not in err + out
    assert sum(line.startswith("voxelwright:") for line in err.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


def test_help_names_every_command(run):
    code, out, _ = run("--help")
    assert code == 0
    for name in ("generate", "import", "info", "render", "bake", "demo"):
        assert name in out
        assert run(name, "--help")[0] == 0


def test_a_link_stays_a_link_and_a_file_keeps_its_permissions(tmp_path):
    from voxelwright.addon.files import write_file

    path, link = tmp_path / "w.vxw", tmp_path / "link.vxw"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_file(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_write_protected_file_is_left_alone(tmp_path, monkeypatch):
    from voxelwright.addon import files

    path = tmp_path / "w.vxw"
    path.write_bytes(b"old")
    monkeypatch.setattr(files.os, "access", lambda *_: False)  # root may write to any
    with pytest.raises(cli.VoxelwrightError, match="write-protected"):
        files.write_file(path, b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("suffix", [".vox", ".png"])
def test_a_giant_foreign_file_is_refused_before_it_is_read(run, tmp_path, suffix):
    path = tmp_path / f"giant{suffix}"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    code, _, err = run("import", path, "-o", tmp_path / "w.vxw")
    assert code == 1
    assert "larger than 128 MiB" in err
