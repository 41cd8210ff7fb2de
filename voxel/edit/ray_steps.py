# SPDX-License-Identifier: GPL-3.0-or-later
"""A ray from grid cell to grid cell, whatever the cells' sizes.

After J. Amanatides and A. Woo, "A fast voxel traversal algorithm for ray tracing", Eurographics 1987, but nothing is
summed up: where a ray crosses a plane is always computed from the plane alone. So a ray that skips a large cell goes on
through the very voxels that it would have reached in single steps, and however far it goes it does not drift.

A ray is (2, 3) float64, origin and unit direction; cell (3,) int64 is the unit cell that it is in, which the functions
move. Of planes that are crossed at the same distance x comes before y, and y before z. A ray that starts on a plane
comes from behind it; one that runs within a plane is in the cells above it.
"""

import numpy as np

from ..kernels import kernel

INSIDE = -1


@kernel
def crossing(ray, axis, plane):
    """The distance at which the ray meets a plane of the grid; it must not run along it."""
    return (plane - ray[0, axis]) / ray[1, axis]


@kernel
def cell_after(ray, axis, distance, there):
    """The ray's cell on one axis, after all its crossings before a distance, and at it too if there is set."""
    direction = ray[1, axis]
    if direction == 0:
        return np.int64(np.floor(ray[0, axis]))
    # Close to the cell, but rounded; what counts are the crossings.
    cell = np.int64(np.floor(ray[0, axis] + direction * distance))
    forward, backward = (1, 0) if direction > 0 else (0, 1)
    while _is_before(crossing(ray, axis, cell + forward), distance, there):
        cell += forward - backward
    while not _is_before(crossing(ray, axis, cell + backward), distance, there):
        cell -= forward - backward
    return cell


@kernel
def _is_before(crossed, distance, there):
    return crossed < distance or (there and crossed == distance)


@kernel
def enter_box(ray, low, size, cell):
    """Move cell to where the ray first is in the box of size cells a side from low (3,) int64 on. Returns the distance,
    infinite where it misses the box, and the axis of the plane it comes through, INSIDE where it starts in the box."""
    distance, entered, furthest = 0.0, np.int64(INSIDE), np.inf
    for axis in range(3):
        cell[axis] = cell_after(ray, axis, 0.0, False)
        below, above = cell[axis] < low[axis], cell[axis] >= low[axis] + size
        direction = ray[1, axis]
        if direction == 0:
            if below or above:
                return np.inf, entered
            continue
        first, last = (low[axis], low[axis] + size) if direction > 0 else (low[axis] + size, low[axis])
        furthest = min(furthest, crossing(ray, axis, last))
        if below or above:
            crossed = crossing(ray, axis, first)
            if entered == INSIDE or crossed >= distance:
                distance, entered = crossed, np.int64(axis)
    # Also keeps distances out that are so large that no cell has a number there.
    if distance < 0 or distance > furthest:
        return np.inf, entered
    if entered == INSIDE:
        return distance, entered
    for axis in range(3):
        if axis == entered:
            cell[axis] = low[axis] if ray[1, axis] > 0 else low[axis] + size - 1
        else:
            cell[axis] = cell_after(ray, axis, distance, axis < entered)
    return (distance if is_in_box(low, size, cell) else np.inf), entered


@kernel
def is_in_box(low, size, cell):
    """Whether a cell is in the box of size cells a side from low (3,) int64 on."""
    inside = True
    for axis in range(3):
        inside &= low[axis] <= cell[axis] < low[axis] + size
    return inside


@kernel
def leave_cell(ray, low, shift, cell):
    """Move cell to the first one beyond the cell of 2 ** shift unit cells a side, counted from low (3,) int64 on, that
    it lies in. Returns the distance and the axis of the plane that is crossed."""
    distance, crossed, beyond = np.inf, np.int64(0), np.int64(0)
    for axis in range(3):
        direction = ray[1, axis]
        if direction != 0:
            first = ((cell[axis] - low[axis]) >> shift << shift) + low[axis]
            plane = first + (np.int64(1) << shift) if direction > 0 else first
            at = crossing(ray, axis, plane)
            if at < distance:
                distance, crossed, beyond = at, np.int64(axis), plane if direction > 0 else plane - 1
    cell[crossed] = beyond
    if shift > 0:
        for axis in range(3):
            if axis != crossed:
                cell[axis] = cell_after(ray, axis, distance, axis < crossed)
    return distance, crossed
