# SPDX-License-Identifier: GPL-3.0-or-later
"""How well viewports show worlds."""

from dataclasses import dataclass, replace

LEAST_RESOLUTION = 0.25


@dataclass(frozen=True)
class Quality:
    """How well viewports show worlds. resolution is the share of the viewport's pixels along each edge; blending lets
    materials run into each other; light adds shadows and ambient occlusion; a picture at rest is refined until it is
    the average of samples."""

    resolution: float = 1.0
    blending: bool = True
    light: bool = True
    samples: int = 1


QUALITIES = {
    "LOW": ("Low", "Half the resolution, for weak graphics cards", Quality(0.5, blending=False, light=False)),
    "MEDIUM": (
        "Medium",
        "Without shadows, and materials do not run into each other",
        Quality(blending=False, light=False),
    ),
    "HIGH": ("High", "With shadows, and materials run into each other", Quality()),
    "ULTRA": ("Ultra", "And a view at rest becomes smooth at all edges", Quality(samples=8)),
}
"""Label, description and settings of each preset."""


def steps(quality: Quality) -> tuple[Quality, ...]:
    """What a viewport that moves may be drawn at, the best first: all of the quality but its samples, then less and
    less of it."""
    whole = replace(quality, samples=1)
    coarser, coarse = (replace(whole, resolution=_share(quality.resolution, share)) for share in (0.7, 0.5))
    return tuple(dict.fromkeys((whole, coarser, coarse, replace(coarse, light=False))))


def _share(resolution: float, share: float) -> float:
    return max(resolution * share, LEAST_RESOLUTION)
