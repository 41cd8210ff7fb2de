# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's palette and settings as JSON, the same in every version."""

import json
import re

import numpy as np

from ..errors import VoxelwrightError
from ..limits import MAX_JSON_DEPTH, MAX_WORLD_HEAD_BYTES
from ..palette import Palette, material_from_table, material_to_table
from ..settings import Settings, settings_from_table, settings_to_table

# The closing quote may lack, and nothing is tried twice, so that the search takes linear time on any bytes.
_TEXTS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)


def damaged() -> VoxelwrightError:
    """The error for bytes that cannot have been written so."""
    return VoxelwrightError("This world file is damaged, its parts do not fit together; restore it from a backup.")


def head_to_bytes(palette: Palette, settings: Settings) -> bytes:
    """Palette and settings as text; equal ones give equal bytes."""
    table = {str(i): material_to_table(m) for i, m in palette.items()}
    return json.dumps({"palette": table, "settings": settings_to_table(settings)}).encode()


def head_from_bytes(data: bytes, max_bytes: int = MAX_WORLD_HEAD_BYTES) -> tuple[Palette, Settings]:
    """The inverse of head_to_bytes. Raises VoxelwrightError for anything else."""
    if len(data) > max_bytes or _depth(data) > MAX_JSON_DEPTH:
        raise damaged()
    try:
        head = json.loads(data)
        if set(head) != {"palette", "settings"}:
            raise damaged()
        table, settings = head["palette"], settings_from_table(head["settings"])
        materials = {int(index): material_from_table(entry) for index, entry in table.items()}
    except (ValueError, AttributeError, TypeError):
        raise damaged() from None
    if [str(index) for index in materials] != list(table):  # " 1" and "01" would be a second 1
        raise damaged()
    return Palette.of(materials), settings


def _depth(data: bytes) -> int:
    """How deep objects and lists lie within each other, at most: what the JSON reader would recurse into."""
    signs = np.frombuffer(_TEXTS.sub(b"", data), np.uint8)
    opening = (signs == ord("{")) | (signs == ord("["))
    closing = (signs == ord("}")) | (signs == ord("]"))
    return int(np.cumsum(opening.astype(np.int64) - closing).max(initial=0))
