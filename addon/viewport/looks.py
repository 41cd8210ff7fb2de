# SPDX-License-Identifier: GPL-3.0-or-later
"""How worlds look: by the settings of their scene, and by the quality."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...gpu_backend.light import Light
from ...gpu_backend.views import View
from ...gpu_backend.world_renderer import Look
from ..light_properties import Sun
from ..properties import VOXELWRIGHT_PG_scene
from ..quality import NO_LIGHT, Quality


def scene_look(settings: VOXELWRIGHT_PG_scene, sun: Sun, matrix: NDArray[np.float64]) -> Look:
    """How a scene shows a world whose matrix (4, 4), which can be inverted, goes from voxel space to Blender's."""
    light = settings.light
    direction = np.linalg.solve(matrix[:3, :3], np.array(sun.direction))
    return Look(
        View[settings.view],
        tuple(direction.tolist()),
        sky=False,
        haze=False,
        shadows=light.use_shadows * light.shadow_strength,
        occlusion=light.use_occlusion * light.occlusion_strength,
        occlusion_radius=light.occlusion_radius,
        sun_size=sun.size,
        shadow_distance=light.shadow_distance,
    )


def at_quality(look: Look, quality: Quality) -> Look:
    """The look as far as the quality has it, for a picture of its resolution."""
    look = replace(
        look,
        blending=quality.blending,
        half_occlusion=quality.half_occlusion,
        detail=quality.detail * quality.resolution,
    )
    if quality.light == NO_LIGHT:
        return replace(look, shadows=0.0, occlusion=0.0)
    return replace(look, light=Light[quality.light])
