# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that the dabs of a stroke move together."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..layout import VOXEL_DTYPE
from ..world import Chunk, Coord, as_chunk
from .actions import Action, Weighted, changed, moment_of
from .draft import Draft
from .sculpt import Move
from .symmetry import Symmetry

Weights = dict[Coord, NDArray[np.float32]]
"""The weights (32, 32, 32) of voxels, by chunk."""


class MovedSurfaces:
    """Surfaces moved by the sum of the weights that dabs gave them.

    If each dab moved them by whole voxels of its own, a gentle slope would become a heap of columns, as fractions add
    up in another way beside each other. So they are moved from where they were by the sum, rounded. When they have
    gone a quarter as far as the brush reaches, what they have gone is taken off the sums and counting begins anew from
    where they are: a voxel further away has not been given the weights of the first dabs. (Which can be seen: a surface
    that has gone further than the brush reached at first is a voxel off here and there.)
    """

    def __init__(self, draft: Draft, symmetry: Symmetry) -> None:
        self._draft, self._symmetry = draft, symmetry
        self._base = _Base(draft)
        self._sums: dict[Move, Weights] = {}
        self._gone = 0
        self._changed: set[Coord] = set()
        """The chunks that dabs have reached since counting began."""

    def by(self, weighted: Mapping[Action, Weighted], extent: float) -> dict[Coord, Chunk]:
        """The chunks that the next dab changes, whose brush reaches extent voxels along the way."""
        if self._gone > max(1.0, extent / 4):
            self._begin_anew()
        reached: set[Coord] = set()
        for action, weights_of_action in weighted.items():
            assert isinstance(action, Move)
            sums = self._sums.setdefault(action, {})
            for coord, weights in weights_of_action:
                sums[coord] = sums[coord] + weights if coord in sums else weights.copy()
                reached.add(coord)
        self._changed |= reached
        moment, made = moment_of(self._draft, self._symmetry), dict[Coord, Chunk]()
        for action, sums in self._sums.items():
            here = {coord: sums[coord] for coord in sorted(reached & sums.keys())}
            moving = action.up_to(max((float(weights.max()) for weights in here.values()), default=0.0))
            for coord, _, voxels in changed(self._base, moving, here.items(), moment):
                unite(made, coord, self._base.chunk(coord), voxels)
            self._gone = max(self._gone, *moving.margin)
        return made

    def _begin_anew(self) -> None:
        for action, sums in self._sums.items():
            for coord in self._changed & sums.keys():
                self._base.take(coord)
                sums[coord] = action.left_of(sums[coord])
        self._gone = 0
        self._changed.clear()


class _Base:
    """A draft as it was when counting began."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._taken: dict[Coord, Chunk] = {}

    def take(self, coord: Coord) -> None:
        self._taken[coord] = self._draft.chunk(coord)

    def chunk(self, coord: Coord) -> Chunk:
        taken = self._taken.get(coord)
        return self._draft.begin.chunk(coord) if taken is None else taken


def unite(made: dict[Coord, Chunk], coord: Coord, before: Chunk, voxels: NDArray[np.uint16]) -> None:
    """Put what an image makes of a chunk to what others made of it. Where both change a voxel it does not matter which
    comes first."""
    if coord in made:
        one = made[coord]
        both = np.where(one == before, voxels, np.where(voxels == before, one, np.minimum(one, voxels)))
        voxels = both.astype(VOXEL_DTYPE)
    made[coord] = as_chunk(voxels)
