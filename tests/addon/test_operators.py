# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators as scripts and the redo panel call them, in a real Blender without a window."""

import json

import numpy as np
import pytest

from voxelwright.addon import idnames, presets, properties, session, worlds
from voxelwright.addon.operators.job_operator import JobOperator
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.formats.png import write_png
from voxelwright.voxel.jobs import Progress, finish
from voxelwright.voxel.settings import Recipe
from voxelwright.voxel.storage import world_to_bytes


def heightmap_file(folder):
    path = folder / "slope.png"
    path.write_bytes(write_png(np.tile(np.arange(40, dtype=np.uint16) * 100, (30, 1))))
    return path


def test_new_world_makes_the_same_world_as_the_generator(blender, small_world):
    direct = finish(worlds.generate(Recipe(presets.world_text("rolling_hills"), (40, 33, 100), 2)))
    assert world_to_bytes(session.world_of(small_world)) == world_to_bytes(direct)
    assert small_world.type == "EMPTY"
    assert blender.context.view_layer.objects.active == small_world


def test_new_world_beyond_the_limit_is_refused_and_changes_nothing(blender):
    with pytest.raises(RuntimeError, match="65536"):
        blender.ops.voxelwright.new_world(preset="alpine", size=(4096, 4096, 4096))
    assert not blender.data.objects


def test_import_of_a_heightmap(blender, tmp_path):
    path = heightmap_file(tmp_path)
    blender.ops.voxelwright.import_world(filepath=str(path), min_height=5, max_height=20)
    owner = blender.context.active_object
    assert owner.name == "slope"
    assert session.world_of(owner).bounds() == ((0, 0, 0), (39, 29, 19))


def test_import_into_the_active_world_is_one_edit_at_the_cursor(blender, small_world, tmp_path):
    small_world.location = (10, 0, 0)
    small_world.scale = (2, 2, 2)
    blender.context.view_layer.update()
    blender.context.scene.cursor.location = (10 + 2 * 100.5, 0, -2 * 10.5)
    before = world_to_bytes(session.world_of(small_world))
    revision = small_world.voxelwright.revision
    blender.ops.voxelwright.import_world(
        filepath=str(heightmap_file(tmp_path)), into="ACTIVE", min_height=5, max_height=20
    )
    assert small_world.voxelwright.revision == revision + 1
    assert session.world_of(small_world).bounds()[0] == (0, 0, -11)
    assert session.world_of(small_world).bounds()[1][0] == 100 + 39
    session.commit(small_world, session._entries[small_world.voxelwright.world_id].applied[-1].edit.inverse())
    assert world_to_bytes(session.world_of(small_world)) == before


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.vox", b"", "a.vox|MagicaVoxel"),
        ("a.png", b"just text", "PNG"),
        ("a.vxw", b"just text", "vxw"),
        ("a.txt", b"just text", "must end in"),
    ],
)
def test_a_bad_file_is_one_sentence_and_changes_nothing(blender, tmp_path, name, content, sentence):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(RuntimeError, match=sentence):
        blender.ops.voxelwright.import_world(filepath=str(path))
    assert not blender.data.objects
    assert not blender.data.texts


def test_a_missing_file_is_one_sentence(blender, tmp_path):
    with pytest.raises(RuntimeError, match="cannot be read: No such file"):
        blender.ops.voxelwright.import_world(filepath=str(tmp_path / "none.vox"))


def test_bake_makes_objects_below_the_empty_and_export_writes_them(blender, small_world, tmp_path):
    small_world.location = (3, 4, 5)
    blender.ops.voxelwright.bake_world("EXEC_DEFAULT", True)
    baked = [o for o in blender.data.objects if o.type == "MESH"]
    assert baked
    assert all(o.parent == small_world and o.matrix_basis.is_identity for o in baked)
    path = tmp_path / "world.glb"
    blender.ops.voxelwright.export_baked(filepath=str(path))
    assert path.read_bytes()[:4] == b"glTF"


def test_export_before_a_bake_says_what_to_do(blender, small_world, tmp_path):
    with pytest.raises(RuntimeError, match="press Bake first"):
        blender.ops.voxelwright.export_baked(filepath=str(tmp_path / "world.glb"))


def test_the_world_of_a_baked_object_is_the_active_world(blender, small_world):
    blender.ops.voxelwright.bake_world()
    blender.ops.voxelwright.new_world(preset="alpine", size=(20, 20, 40))
    baked = next(o for o in blender.context.view_layer.objects if o.type == "MESH")
    blender.context.view_layer.objects.active = baked
    assert session.active_world_object(blender.context) == small_world


def test_operators_need_a_world(blender):
    for name in (idnames.OT_BAKE_WORLD, idnames.OT_EXPORT_BAKED):
        assert not getattr(blender.ops.voxelwright, name.partition(".")[2]).poll()


def test_every_property_has_a_tooltip(blender):
    for idname in (idnames.OT_NEW_WORLD, idnames.OT_IMPORT_WORLD, idnames.OT_BAKE_WORLD, idnames.OT_EXPORT_BAKED):
        operator = getattr(blender.ops.voxelwright, idname.partition(".")[2]).get_rna_type()
        assert operator.description
        own = [
            p
            for p in operator.properties
            if p.identifier not in ("rna_type", "filter_glob", "check_existing", "filepath")
        ]
        assert all(p.description for p in own), [p.identifier for p in own if not p.description]


class FakeContext:
    """As much of a context as a modal job uses; there is no window here."""

    def __init__(self):
        self.window_manager = self.workspace = self
        self.window, self.shown, self.open_timers = None, [], 0

    def progress_begin(self, *_): ...
    def progress_update(self, _): ...
    def progress_end(self): ...
    def modal_handler_add(self, _): ...

    def event_timer_add(self, _seconds, window):
        self.open_timers += 1
        return object()

    def event_timer_remove(self, _):
        self.open_timers -= 1

    def status_text_set(self, text):
        self.shown.append(text)


class Event:
    def __init__(self, kind, value="NOTHING"):
        self.type, self.value = kind, value


class SlowJob(JobOperator):
    bl_label = "Slow"

    def __init__(self, fail_at=None):
        self.closed, self.finished, self.reports, self.fail_at = False, None, [], fail_at

    def start(self, _context):
        def job():
            try:
                for i in range(4):
                    if i == self.fail_at:
                        raise VoxelwrightError("It broke.")
                    import time

                    time.sleep(0.06)
                    yield Progress(i / 4, "Working")
                return "result"
            finally:
                self.closed = True

        return job()

    def finish(self, _context, result):
        self.finished = result

    def report(self, kind, text):
        self.reports.append((kind, text))


def test_a_modal_job_runs_in_slices_to_its_end():
    context, operator = FakeContext(), SlowJob()
    assert operator.invoke(context, None) == {"RUNNING_MODAL"}
    results = [operator.modal(context, Event("TIMER")) for _ in range(5)]
    assert results == [{"RUNNING_MODAL"}] * 4 + [{"FINISHED"}]
    assert operator.finished == "result"
    assert context.open_timers == 0
    assert context.shown[-1] is None


class ShortJob(SlowJob):
    def seconds_at_once(self):
        return 10.0


def test_a_short_job_ends_at_once():
    context, operator = FakeContext(), ShortJob()
    assert operator.invoke(context, None) == {"FINISHED"}
    assert operator.finished == "result"
    assert context.shown == []
    failing = ShortJob(fail_at=2)
    assert failing.invoke(context, None) == {"CANCELLED"}
    assert failing.reports == [({"ERROR"}, "It broke.")]


def test_esc_cancels_a_modal_job():
    context, operator = FakeContext(), SlowJob()
    operator.invoke(context, None)
    operator.modal(context, Event("TIMER"))
    assert operator.modal(context, Event("MOUSEMOVE")) == {"RUNNING_MODAL"}
    assert operator.modal(context, Event("ESC", "PRESS")) == {"CANCELLED"}
    assert operator.closed
    assert operator.finished is None
    assert context.open_timers == 0
    assert context.shown[-1] is None


def test_an_error_in_a_modal_job_is_reported_and_ends_it():
    context, operator = FakeContext(), SlowJob(fail_at=1)
    operator.invoke(context, None)
    operator.modal(context, Event("TIMER"))
    assert operator.modal(context, Event("TIMER")) == {"CANCELLED"}
    assert operator.reports == [({"ERROR"}, "It broke.")]
    assert context.open_timers == 0


def test_regenerate_replaces_the_voxels_as_one_step(blender, small_world):
    name, before = small_world.name, world_to_bytes(session.world_of(small_world))
    blender.ops.voxelwright.regenerate_world("EXEC_DEFAULT", True, preset="alpine", size=(20, 20, 200), seed=3)
    made = session.world_of(blender.data.objects[name])
    expected = finish(worlds.generate(Recipe(presets.world_text("alpine"), (20, 20, 200), 3)))
    assert world_to_bytes(made) == world_to_bytes(expected)
    blender.ops.ed.undo()
    assert world_to_bytes(session.world_of(blender.data.objects[name])) == before


def test_a_presets_numbers_can_be_turned(blender):
    settings = blender.context.scene.voxelwright
    settings.preset = "alpine"
    blender.ops.voxelwright.adjust_preset()
    assert len(settings.parameters) > 5
    parameter = next(p for p in settings.parameters if p.name.endswith(".wavelength"))
    parameter.value *= 2
    changed = properties.adjusted(settings)
    assert json.loads(changed) == [[parameter.name, pytest.approx(parameter.value)]]
    blender.ops.voxelwright.new_world(preset="alpine", size=(40, 40, 200))
    blender.ops.voxelwright.new_world(preset="alpine", size=(40, 40, 200), adjusted=changed)
    plain, turned = (session.world_of(o) for o in blender.data.objects if o.type == "EMPTY")
    assert world_to_bytes(plain) != world_to_bytes(turned)
    assert [path for path, _ in turned.settings.recipe.adjusted] == [parameter.name]
    settings.preset = "rolling_hills"
    assert not settings.parameters


@pytest.mark.parametrize("adjusted", ["nonsense", "[1]", '[["nodes.none.scale", 1]]', '[["", 1]]'])
def test_a_number_that_the_preset_has_not_is_refused(blender, adjusted):
    with pytest.raises(RuntimeError, match=r"JSON list|gives no such number"):
        blender.ops.voxelwright.new_world(preset="alpine", size=(20, 20, 40), adjusted=adjusted)
    assert not blender.data.objects


def test_smoothing_is_an_edit_of_the_world(blender, small_world):
    name = small_world.name
    blender.ops.voxelwright.set_smoothing("EXEC_DEFAULT", True, smoothing=0.5)
    assert session.world_of(blender.data.objects[name]).settings.smoothing == 0.5
    blender.ops.ed.undo()
    assert session.world_of(blender.data.objects[name]).settings.smoothing == 0.0
