# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives Blender's window as a person would. Blender runs this file, and it runs one of the scripts beside it.

A script has a function steps(): an iterator that yields wherever Blender shall go on, handle what was simulated and
draw. Between two steps lie STEP_SECONDS at least. What is recorded, and a traceback where a step failed, goes to
results.json in the output folder, photographs too.

Arguments: the script's name, and the output folder.
"""

import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import addon_utils
import bpy

EXTENSION = "bl_ext.user_default.voxelwright"
STEP_SECONDS = 0.05
"""Simulated events that follow each other sooner are taken for one, or lost."""

SETTLE_STEPS = 10
"""The steps after which what a script did is seen: every two have a redraw between them, and regions fade in."""

Steps = Iterator[None]

_results: dict[str, Any] = {}
_mouse = (0, 0)


def record(name: str, value: Any) -> None:
    """Note something for the test: numbers, texts, lists and dicts of them."""
    _results[name] = value


def enable_extension() -> float:
    """Enable the extension, as Blender does, and return the seconds that it took. Viewports keep their quality while
    they move: a graphics card in software is always too slow."""
    start = time.perf_counter()
    module = addon_utils.enable(EXTENSION, default_set=True)
    seconds = time.perf_counter() - start
    assert module is not None, "the extension could not be enabled; Blender's output says why"
    bpy.context.preferences.addons[EXTENSION].preferences.automatic = False
    return seconds


# --- The window ---------------------------------------------------------------------------------------------------


def window() -> bpy.types.Window:
    """The first window."""
    return bpy.context.window_manager.windows[0]


def viewport() -> bpy.types.Area:
    """The only 3D viewport."""
    (area,) = (area for area in window().screen.areas if area.type == "VIEW_3D")
    return area


def region(kind: str = "WINDOW") -> bpy.types.Region:
    """A region of the 3D viewport: WINDOW is the picture, of which a quad view has four, UI the sidebar."""
    return next(region for region in viewport().regions if region.type == kind)


def context() -> Any:
    """The context of the 3D viewport, for a with block that does not yield: a timer's own has no window."""
    return bpy.context.temp_override(window=window(), area=viewport(), region=region())


def rectangle(kind: str = "WINDOW") -> list[int]:
    """Left, bottom, width and height of a region in the window, in pixels from the bottom left."""
    found = region(kind)
    return [found.x, found.y, found.width, found.height]


def viewport_rectangle() -> list[int]:
    """Left, bottom, width and height of the whole 3D viewport in the window, headers included."""
    area = viewport()
    return [area.x, area.y, area.width, area.height]


def position(u: float = 0.5, v: float = 0.5, kind: str = "WINDOW") -> tuple[int, int]:
    """The window coordinates of a place in a region: (0, 0) is its bottom left, (1, 1) its top right."""
    left, bottom, width, height = rectangle(kind)
    return left + round(u * (width - 1)), bottom + round(v * (height - 1))


# --- Events and time ----------------------------------------------------------------------------------------------


def settle() -> Steps:
    """Wait until what was done is seen.

    Blender 5.2 crashes after some 600 redraws with Vulkan in software, whatever it draws: so no more than are needed.
    """
    for step in range(SETTLE_STEPS):
        if step % 2 == 0:
            viewport().tag_redraw()
        yield


def until(condition: Callable[[], bool], what: str, seconds: float = 30.0) -> Steps:
    """Wait for something, and fail after some seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds:.0f} s in vain for this: {what}"
        yield


def simulate(kind: str, value: str, **modifiers: bool) -> Steps:
    """One event where the mouse is. modifiers are shift, ctrl, alt."""
    x, y = _mouse
    window().event_simulate(type=kind, value=value, x=x, y=y, **modifiers)
    yield


def move(place: tuple[int, int]) -> Steps:
    """Move the mouse to window coordinates."""
    global _mouse  # noqa: PLW0603
    _mouse = place
    yield from simulate("MOUSEMOVE", "NOTHING")


def press(key: str, **modifiers: bool) -> Steps:
    """Press and release a key or a button of the mouse."""
    yield from simulate(key, "PRESS", **modifiers)
    yield from simulate(key, "RELEASE", **modifiers)


def drag(*places: tuple[int, int], button: str = "LEFTMOUSE", **modifiers: bool) -> Steps:
    """Move the mouse along window coordinates, with a button held down from the first to the last."""
    yield from move(places[0])
    yield from simulate(button, "PRESS", **modifiers)
    for place in places[1:]:
        yield from move(place)
    yield from simulate(button, "RELEASE", **modifiers)


def photograph(name: str) -> Steps:
    """Take a photograph of the whole window, once what was done is seen: NAME.png in the output folder."""
    yield from settle()
    # bpy.ops.screen.screenshot gives black pictures on a virtual screen.
    command = ["import", "-window", "root", "-depth", "8", f"{_output}/{name}.png"]
    subprocess.run(command, check=True, timeout=30)


# --- Running a script ---------------------------------------------------------------------------------------------


def run(steps: Callable[[], Steps]) -> None:
    """Run a script's steps when Blender's window is up, and end Blender after them."""
    bpy.context.preferences.view.show_splash = False
    remaining = steps()

    def step() -> float:
        try:
            next(remaining)
        except StopIteration:
            leave()
        except BaseException:
            record("traceback", traceback.format_exc())
            leave()
        return STEP_SECONDS

    bpy.app.timers.register(step, first_interval=1.0, persistent=True)


def leave() -> None:
    """Write the results and end Blender, at once: with simulated events it does not always end by itself."""
    (_output / "results.json").write_text(json.dumps(_results, indent=1), encoding="utf-8")
    os._exit(0)


if __name__ == "__main__":
    # Scripts import this file by its name, and must find this module, not a second one.
    sys.modules["driver"] = sys.modules["__main__"]
    sys.path.append(str(Path(__file__).parent))
    _script, _folder = sys.argv[-2:]
    _output = Path(_folder)
    run(import_module(_script).steps)
