# SPDX-License-Identifier: GPL-3.0-or-later
"""What was copied last: one clipboard for all worlds and files of a session."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..voxel.edit.clipboard import Clip

_clips: "list[Clip]" = []


def clip() -> "Clip | None":
    """What was copied last."""
    return _clips[0] if _clips else None


def put(clip: "Clip") -> None:
    """Have this copied."""
    _clips[:] = [clip]
