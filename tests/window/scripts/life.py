# SPDX-License-Identifier: GPL-3.0-or-later
"""What files, scenes, undo and enabling do to previews."""

import resource
from pathlib import Path
from typing import Any

import addon_utils
import bpy
import driver
import scenery

N_ENABLED = 100
"""How often the extension is disabled and enabled again."""


def steps() -> driver.Steps:
    driver.enable_extension()
    watched = _Watched()
    folder = Path("/session") / "life"
    folder.mkdir(exist_ok=True)
    file = str(folder / f"{bpy.app.version_string}.blend")

    yield from watched.see("empty")
    with driver.context():
        bpy.ops.ed.undo_push(message="start")
    scenery.new_world("Steps")
    with driver.context():
        bpy.ops.ed.undo_push(message="world")
    scenery.look_at_steps(driver.viewport().spaces.active)
    yield from watched.see("world")
    yield from _undo_and_redo(watched)
    yield from _objects(watched)
    yield from _scenes(watched)
    yield from _files(watched, file)
    yield from _libraries(watched, file)
    yield from _enabled_again(watched)
    yield from driver.photograph("at last")
    driver.record("window", driver.rectangle())


class _Watched:
    """Counts what is drawn."""

    def __init__(self) -> None:
        self.n_draws = 0
        self.n_worlds = 0
        self._handler: Any = None

    def _follow(self) -> None:
        """Watch the handler; another one where the extension's modules were loaded anew."""
        handler = scenery.ours("addon.viewport.handler")
        if handler is self._handler and hasattr(handler, "watched"):
            return
        self._handler, handler.watched = handler, True
        draw, shown = handler._draw, handler.shown_worlds

        def counted(context: Any) -> None:
            self.n_draws += 1
            self.n_worlds = 0
            draw(context)

        def counted_worlds(context: Any) -> Any:
            owners = shown(context)
            self.n_worlds = len(owners)
            return owners

        handler._draw, handler.shown_worlds = counted, counted_worlds

    def see(self, name: str) -> driver.Steps:
        """Let Blender draw, then note under a name: draws a redraw, worlds shown, pools, way and failure."""
        self._follow()
        yield from driver.settle()
        self.n_draws = self.n_worlds = 0
        with driver.context():
            bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
        preview = scenery.ours("addon.viewport.handler").preview
        n_pools = len(preview._way.pools._pools) if preview._way is not None else 0
        driver.record(
            name,
            {
                "draws": self.n_draws,
                "worlds": self.n_worlds,
                "pools": n_pools,
                "way": preview.way,
                "failure": preview.failure,
            },
        )


def _undo_and_redo(watched: _Watched) -> driver.Steps:
    with driver.context():
        bpy.ops.ed.undo()
    yield from watched.see("undone")
    with driver.context():
        bpy.ops.ed.redo()
    yield from watched.see("redone")


def _objects(watched: _Watched) -> driver.Steps:
    with driver.context():
        bpy.ops.object.duplicate()
        bpy.context.active_object.location.x = 40
    yield from watched.see("duplicated")
    with driver.context():
        bpy.ops.object.delete()
    yield from watched.see("duplicate deleted")
    for name, value in (("hidden", True), ("shown", False)):
        bpy.data.objects["Steps"].hide_set(value)
        yield from watched.see(name)
    bpy.data.objects["Steps"].select_set(True)
    cube = scenery.cube("Other", (0, 0, 40), 2)
    bpy.context.view_layer.update()
    bpy.data.objects["Steps"].select_set(False)
    cube.select_set(True)
    with driver.context():
        bpy.ops.view3d.localview()
    yield from watched.see("another in local view")
    with driver.context():
        bpy.ops.view3d.localview()
    bpy.data.objects["Steps"].select_set(True)
    with driver.context():
        bpy.ops.view3d.localview()
    yield from watched.see("both in local view")
    with driver.context():
        bpy.ops.view3d.localview()
    bpy.data.objects.remove(cube)
    collection = bpy.data.collections.new("Apart")
    bpy.context.scene.collection.children.link(collection)
    owner = bpy.data.objects["Steps"]
    for old in owner.users_collection:
        old.objects.unlink(owner)
    collection.objects.link(owner)
    layer = bpy.context.view_layer.layer_collection.children["Apart"]
    for name, value in (("excluded", True), ("included", False)):
        layer.exclude = value
        yield from watched.see(name)


def _scenes(watched: _Watched) -> driver.Steps:
    first = bpy.context.scene
    driver.window().scene = bpy.data.scenes.new("Another")
    yield from watched.see("another scene")
    driver.window().scene = first
    yield from watched.see("first scene")


def _files(watched: _Watched, file: str) -> driver.Steps:
    with driver.context():
        bpy.ops.wm.save_as_mainfile(filepath=file)
    yield from watched.see("saved")
    bpy.data.objects["Steps"].location.x = 5
    with driver.context():
        bpy.ops.wm.revert_mainfile()
    yield from watched.see("reverted")
    driver.record("reverted to", bpy.data.objects["Steps"].location.x)
    with driver.context():
        bpy.ops.wm.read_homefile(use_empty=False)
    yield from watched.see("new file")
    with driver.context():
        bpy.ops.wm.open_mainfile(filepath=file)
    yield from watched.see("opened")


def _libraries(watched: _Watched, file: str) -> driver.Steps:
    for name, links in (("linked", True), ("appended", False)):
        with driver.context():
            bpy.ops.wm.read_homefile(use_empty=False)
        yield
        with bpy.data.libraries.load(file, link=links) as (_, into):
            into.objects = ["Steps"]
        bpy.context.scene.collection.objects.link(into.objects[0])
        yield from watched.see(name)
        owner = bpy.data.objects["Steps"]
        session, world = scenery.ours("addon.session"), scenery.ours("voxel.world")
        edit = world.edit_of_chunks(session.world_of(owner), {(1, 0, 0): 0x0100})
        try:
            session.commit(owner, edit)
            driver.record(f"{name}, changed", "")
        except Exception as error:
            driver.record(f"{name}, changed", str(error))


def _enabled_again(watched: _Watched) -> driver.Steps:
    with driver.context():
        bpy.ops.wm.read_factory_settings(use_empty=False)
    yield
    driver.enable_extension()
    scenery.new_world("Steps")
    yield from watched.see("factory settings")
    for n in range(N_ENABLED):
        if n == 10:
            driver.record("KiB at first", _kibibytes())
        addon_utils.disable(driver.EXTENSION)
        if n % 10 == 0:
            yield from driver.settle()
        driver.enable_extension()
        if n % 10 == 0:
            yield from driver.settle()
    driver.record("KiB at last", _kibibytes())
    yield from watched.see("enabled again")
    addon_utils.disable(driver.EXTENSION)
    yield from watched.see("disabled")
    driver.enable_extension()
    yield from watched.see("enabled at last")


def _kibibytes() -> int:
    """The memory of this process at its highest."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
