# SPDX-License-Identifier: GPL-3.0-or-later
"""How a renderer finds what lies in the shade."""

from enum import IntEnum


class Light(IntEnum):
    """RAYS march through the voxels, exactly, and need compute shaders; MAPS are pictures that the sun sees (cascaded
    shadow maps), with ambient occlusion from what the picture itself shows."""

    RAYS = 0
    MAPS = 1


DESCRIPTIONS = {
    Light.RAYS: "Ray-marched",
    Light.MAPS: "Shadow maps",
}
