# SPDX-License-Identifier: GPL-3.0-or-later
"""Which voxels are selected in each world. Where none are, tools and operators work everywhere.

Selections live in memory, each under a number that is given once. Objects carry the number, which Blender's undo and
redo set back; copies of an object share it, because selections never change. A number that is not known means that
nothing is selected: it came with a file, or with the oldest undo steps.
"""

from collections.abc import Iterator
from itertools import count
from random import SystemRandom
from typing import TYPE_CHECKING

import bpy

from .guarding import guarded
from .properties import of_object

if TYPE_CHECKING:
    from ..voxel.edit.selection import Selection

MAX_KEPT, MAX_BYTES = 256, 512 << 20
"""Selections that are kept for undo, and the bytes of all. Those that objects carry are kept whatever they take."""

MODES = {
    "SET": ("Set", "Select these voxels, and no others"),
    "ADD": ("Extend", "Select these voxels too"),
    "SUBTRACT": ("Subtract", "Deselect these voxels"),
    "INTERSECT": ("Intersect", "Of these voxels leave those selected that were it before"),
}
"""What becomes of the selection before: label and description by name."""


def _numbers() -> Iterator[int]:
    # A file may hold numbers of another session, which must not be taken for ours.
    return count(SystemRandom().randrange(1, 1 << 30))


_number = _numbers()
_kept: "dict[int, Selection]" = {}


def selection_of(owner: bpy.types.Object) -> "Selection | None":
    """The selected voxels of the object's world; None where nothing is selected."""
    return _kept.get(of_object(owner).selection)


def number_of(owner: bpy.types.Object) -> int:
    """The number of the object's selection, by which to know whether it is another one; 0 where nothing is selected."""
    number = of_object(owner).selection
    return number if number in _kept else 0


def select(owner: bpy.types.Object, selection: "Selection | None") -> None:
    """Select voxels of the object's world; None or an empty selection for none. The caller's operator pushes the undo
    step."""
    if selection == selection_of(owner):
        return
    if not selection:
        of_object(owner).selection = 0
        return
    number = of_object(owner).selection = next(_number)
    _kept[number] = selection
    _forget_oldest()


def combined(before: "Selection | None", found: "Selection", mode: str) -> "Selection | None":
    """What is selected after some voxels were, by one of MODES."""
    if mode == "SET":
        return found
    if before is None:
        return found if mode == "ADD" else None
    return {"ADD": before.__or__, "SUBTRACT": before.__sub__, "INTERSECT": before.__and__}[mode](found)


def _forget_oldest() -> None:
    """Keep no more than the limits allow."""
    carried = {of_object(owner).selection for owner in bpy.data.objects}
    n_bytes = sum(selection.n_bytes for selection in _kept.values())
    for number in [number for number in _kept if number not in carried]:
        if len(_kept) <= MAX_KEPT and n_bytes <= MAX_BYTES:
            break
        n_bytes -= _kept.pop(number).n_bytes


def _forget() -> None:
    _kept.clear()


HANDLERS = {"load_post": guarded(_forget)}
"""Our handlers by the name of their list in bpy.app.handlers."""
