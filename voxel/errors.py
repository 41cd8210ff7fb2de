# SPDX-License-Identifier: GPL-3.0-or-later
"""The one exception that users see."""


class VoxelwrightError(Exception):
    """Something that a user can understand and act on; str() is one clear sentence without a trailing traceback.

    Everything that reads foreign bytes or settings raises this and nothing else for bad input. Programming
    errors stay ValueError, TypeError and the like.
    """


def shown(text: str) -> str:
    """Foreign text as a message can quote it: at most 60 letters, on one line."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:60])
