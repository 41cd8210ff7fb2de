# SPDX-License-Identifier: GPL-3.0-or-later
"""How well viewports show worlds."""

from dataclasses import dataclass, replace

from ..gpu_backend.light import Light

LEAST_RESOLUTION = 0.25
NO_LIGHT = "NONE"


@dataclass(frozen=True)
class Quality:
    """How well viewports show worlds.

    resolution is the share of the viewport's pixels along each edge; blending lets materials run into each other. light
    is the name of a Light, which finds shadows and ambient occlusion, or NO_LIGHT for neither; half_occlusion sends the
    rays of the latter from one of four pixels. Far voxels are put together where that makes none larger than so many of
    the viewport's pixels as detail says, and not at all where that is 0. A picture at rest is refined until it is the
    average of samples.
    """

    resolution: float = 1.0
    blending: bool = True
    light: str = Light.RAYS.name
    half_occlusion: bool = False
    detail: float = 0.0
    samples: int = 1


QUALITIES = {
    "LOW": (
        "Low",
        "Half the resolution, without shadows, and with less detail far away, for weak graphics cards",
        Quality(0.5, blending=False, light=NO_LIGHT, detail=3.0),
    ),
    "MEDIUM": (
        "Medium",
        "With shadows; ambient occlusion is coarser, far detail less, and materials do not run into each other",
        Quality(blending=False, half_occlusion=True, detail=2.0),
    ),
    "HIGH": ("High", "In full detail, and materials run into each other", Quality()),
    "ULTRA": ("Ultra", "And a view at rest becomes smooth at all edges", Quality(samples=8)),
}
"""Label, description and settings of each preset."""


def steps(quality: Quality) -> tuple[Quality, ...]:
    """What a viewport that moves may be drawn at, the best first: all of the quality but its samples, then with fewer
    rays, then with fewer pixels too, at last without light."""
    whole = replace(quality, samples=1)
    fewer_rays = replace(whole, half_occlusion=quality.half_occlusion or quality.light == Light.RAYS.name)
    coarser, coarse = (replace(fewer_rays, resolution=_share(quality.resolution, share)) for share in (0.7, 0.5))
    return tuple(dict.fromkeys((whole, fewer_rays, coarser, coarse, replace(coarse, light=NO_LIGHT))))


def _share(resolution: float, share: float) -> float:
    return max(resolution * share, LEAST_RESOLUTION)
