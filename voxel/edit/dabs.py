# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions done to worlds: by one dab of a brush, along a stroke, or throughout a selection."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..jobs import Job, Progress, finish
from ..layout import FACE_AXIS, VOXEL_DTYPE
from ..limits import MAX_ACTION_TIMES
from ..world import Chunk, Coord, Edit, World, as_chunk
from .actions import Action, Weighted, changed, moment_of
from .draft import CHUNKS_PER_SLICE, Draft
from .moving import MovedSurfaces, Weights, unite
from .sculpt import Move
from .selection import Mask, Selection
from .shapes import Placement, Shape, weights_by_chunk
from .symmetry import Symmetry, images_of

_NO_SYMMETRY = Symmetry()
Point = tuple[float, float, float]


def dab(
    world: World,
    action: Action,
    placements: Placement | Iterable[Placement],
    symmetry: Symmetry = _NO_SYMMETRY,
    within: Selection | None = None,
) -> Edit:
    """The edit that does the action once where the placements are, and where symmetry shows them; of those voxels
    only to the ones in the selection within, where there is one.

    Where placements overlap a voxel has the greatest of their weights. Raises VoxelwrightError where that is too much.
    """
    draft = Draft(world)
    places = [placements] if isinstance(placements, Placement) else list(placements)
    draft.put(_Dabs(draft, action, symmetry, within).dabbed(places))
    return draft.edit()


def touched(
    placements: Placement | Iterable[Placement], symmetry: Symmetry = _NO_SYMMETRY, within: Selection | None = None
) -> Selection:
    """The voxels to which such a dab gives a weight, whether its action changes them or not."""
    places = [placements] if isinstance(placements, Placement) else list(placements)
    shown = [place for _, images in images_of(symmetry, places) for place in images]
    masks: dict[Coord, Mask] = {coord: weights > 0 for coord, weights in weights_by_chunk(shown)}
    found = Selection(masks)
    return found if within is None else found & within


def throughout(world: World, action: Action, selection: Selection, times: int = 1) -> Edit:
    """The edit that does the action, so many times and in full weight, to all voxels of a selection."""
    return finish(doing(world, action, selection, times))


def doing(world: World, action: Action, selection: Selection, times: int = 1) -> Job[Edit]:
    """The job of throughout()."""
    if not 0 <= times <= MAX_ACTION_TIMES:
        raise VoxelwrightError(f"An action may be done 0 to {MAX_ACTION_TIMES} times at once.")
    draft = Draft(world)
    coords = selection.coords()
    for n_before in range(times):
        moment = moment_of(draft, _NO_SYMMETRY, n_before)
        after: dict[Coord, Chunk] = {}
        for first in range(0, len(coords), CHUNKS_PER_SLICE):
            yield Progress((n_before + first / len(coords)) / times, "Changing voxels")
            weights = selection.weights(coords[first : first + CHUNKS_PER_SLICE])
            after.update((coord, as_chunk(voxels)) for coord, _, voxels in changed(draft, action, weights, moment))
        draft.put(after)
    return draft.edit()


class Stroke:
    """Many dabs as one edit.

    Each dab sees what those before it made; but surfaces are moved by the sum of the dabs' weights, and stay as even as
    those are. Without accumulate all see the world as it was at the begin, and each voxel is as that dab leaves it
    which gave it the greatest weight: going over a place twice changes it once.
    spacing is the distance of the dabs along the way, in voxels; between puts their middles on voxels' corners.

    The world is not changed; but it may be, by each edit that dab() and to() return, to show the stroke.
    """

    def __init__(
        self,
        world: World,
        action: Action,
        shape: Shape,
        symmetry: Symmetry = _NO_SYMMETRY,
        within: Selection | None = None,
        *,
        spacing: float = 1.0,
        accumulate: bool = True,
        between: bool = False,
    ) -> None:
        if not spacing >= 0.25:
            raise VoxelwrightError("The spacing of a stroke must be at least a quarter of a voxel.")
        self._draft = Draft(world)
        self._dabs = _Dabs(self._draft, action, symmetry, within, accumulate)
        self._shape, self._spacing, self._between = shape, spacing, between
        self._last: NDArray[np.float64] | None = None
        self._until_next = 0.0

    def dab(self, point: Point, weight: float = 1.0, shape: Shape | None = None) -> Edit:
        """One dab at point, in voxels; the edit from what was before it. weight, 0 to 1, is what all weights are
        multiplied by, and shape takes the place of the stroke's own: so pens' pressure counts."""
        self._dab(point, weight, shape)
        return self._draft.step()

    def to(self, point: Point, weight: float = 1.0, shape: Shape | None = None) -> Edit:
        """The dabs, as dab() makes them, that are due on the straight way from the last point to this one; the first
        is at the stroke's first point. The edit from what was before them."""
        end = np.array(point, np.float64)
        start = end if self._last is None else self._last
        length = float(np.linalg.norm(end - start))
        while self._until_next <= length:
            x, y, z = (start + (end - start) * (self._until_next / max(length, 1e-9))).tolist()
            self._dab((x, y, z), weight, shape)
            self._until_next += self._spacing
        self._until_next -= length
        self._last = end
        return self._draft.step()

    def lift(self) -> None:
        """Begin a new line with the next to(), as with a pen that was lifted."""
        self._last, self._until_next = None, 0.0

    def _dab(self, point: Point, weight: float, shape: Shape | None) -> None:
        place = (shape if shape is not None else self._shape).at(point, self._between)
        self._draft.put(self._dabs.dabbed([place], weight))

    def edit(self) -> Edit:
        """The whole stroke as one edit of the world as it was at the begin."""
        return self._draft.edit()


class _Dabs:
    """What a dab makes of a draft, one dab after the other."""

    def __init__(
        self, draft: Draft, action: Action, symmetry: Symmetry, within: Selection | None, accumulate: bool = True
    ) -> None:
        self._draft, self._action, self._symmetry, self._within = draft, action, symmetry, within
        self._strongest: Weights | None = None if accumulate else {}
        self._moved = MovedSurfaces(draft, symmetry)
        self._n_dabs = 0

    def dabbed(self, places: list[Placement], weight: float = 1.0) -> dict[Coord, Chunk]:
        """The chunks that the next dab changes, its weights multiplied by weight. All images see the same voxels."""
        groups: dict[Action, list[Placement]] = {}
        for image, shown in images_of(self._symmetry, places):
            groups.setdefault(self._action.image(self._symmetry, image), []).extend(shown)
        weighted = {action: self._limited(shown, weight) for action, shown in groups.items()}
        if self._strongest is not None:
            return self._once(weighted, self._strongest)
        if isinstance(self._action, Move):
            extent = min(place.shape.half[FACE_AXIS[self._action.face]] for place in places)
            return self._moved.by(weighted, extent)
        return self._in_turn(weighted)

    def _in_turn(self, weighted: Mapping[Action, Weighted]) -> dict[Coord, Chunk]:
        """The dab does its action to what those before it made."""
        moment = moment_of(self._draft, self._symmetry, self._n_dabs)
        self._n_dabs += 1
        made: dict[Coord, Chunk] = {}
        for action, weights_of_action in weighted.items():
            for coord, _, voxels in changed(self._draft, action, weights_of_action, moment):
                unite(made, coord, self._draft.chunk(coord), voxels)
        return made

    def _once(self, weighted: Mapping[Action, Weighted], strongest: Weights) -> dict[Coord, Chunk]:
        """Each voxel is as that dab makes it of the begin which gives it the greatest weight."""
        begin, moment = self._draft.begin, moment_of(self._draft, self._symmetry)
        made: dict[Coord, Chunk] = {}
        reached: list[tuple[Coord, NDArray[np.float32]]] = []
        for action, weights_of_action in weighted.items():
            for coord, weights, voxels in changed(begin, action, weights_of_action, moment):
                before = self._draft.chunk(coord)
                differs = voxels != begin.chunk(coord)
                reached.append((coord, np.where(differs, weights, np.float32(0))))
                unite(made, coord, before, np.where(differs, voxels, before).astype(VOXEL_DTYPE))
        for coord, weights in reached:
            strongest[coord] = np.maximum(strongest[coord], weights) if coord in strongest else weights
        return made

    def _limited(self, places: list[Placement], weight: float) -> Weighted:
        """The weights within the selection, and where no dab before had as much weight."""
        for coord, weights in weights_by_chunk(places):
            if weight != 1.0:
                np.multiply(weights, np.float32(weight), out=weights)
            if self._within is not None:
                mask = self._within.mask(coord)
                if mask is False:
                    continue
                np.multiply(weights, mask, out=weights)
            if self._strongest is not None and coord in self._strongest:
                weights[weights <= self._strongest[coord]] = 0.0
            yield coord, weights
