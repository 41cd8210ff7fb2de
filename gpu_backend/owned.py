# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the GPU that are freed together."""

from contextlib import ExitStack
from typing import Any, TypeVar

T = TypeVar("T", bound=Any)


class Owned(ExitStack):
    """What was made last is freed first. At the end of a with block all is freed, unless pop_all() took it over: a
    constructor calls that last, and so leaves nothing behind where it fails."""

    def add(self, item: T) -> T:
        """Own an object that has release()."""
        self.callback(item.release)
        return item
