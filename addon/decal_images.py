# SPDX-License-Identifier: GPL-3.0-or-later
"""Which image a new decal shows: one of the samples that come with the extension, or any other."""

from typing import TYPE_CHECKING, Any

import bpy

from ..voxel.errors import VoxelwrightError

if TYPE_CHECKING:
    from ..gpu_backend.decal_samples import Sample

SAMPLE = "voxelwright_sample"
"""On an image: which sample it is, and whether its normal map."""

_LONGER_EDGE = 10.0
"""Voxels, of decals with images that are not samples."""

NONE = "NONE"

ITEMS = [
    ("crack", "Crack", "A branching crack"),
    ("puddle", "Puddle", "Dark water, with a wet rim"),
    ("moss", "Moss", "A patch of moss"),
    ("arrow", "Arrow", "A painted arrow"),
    ("line", "Painted Line", "A painted stripe"),
    (NONE, "None", "Choose an image afterwards"),
]


def chosen(picture: str, name: str) -> tuple[bpy.types.Image | None, bpy.types.Image | None]:
    """The image and the normal map of a new decal: the image of that name, or else a sample. Raises VoxelwrightError
    where there is no such image."""
    if name:
        image: bpy.types.Image | None = bpy.data.images.get(name)
        if image is None:
            raise VoxelwrightError(f'This file has no image "{name}"; open it first.')
        return image, None
    if picture == NONE:
        return None, None
    return _sample_image(picture, is_normal_map=False), _sample_image(picture, is_normal_map=True)


def size_of(image: bpy.types.Image | None) -> tuple[float, float]:
    """How wide and how high a decal of an image is made, in voxels."""
    key = image.get(SAMPLE) if image is not None else None
    if key is not None:
        return _sample(key).size
    size: Any = image.size if image is not None else (1, 1)
    width, height = size
    longer = max(width, height, 1)
    return _LONGER_EDGE * max(width, 1) / longer, _LONGER_EDGE * max(height, 1) / longer


def _sample(key: str) -> "Sample":
    from ..gpu_backend.decal_samples import sample

    return sample(key.partition(" ")[0])


def _sample_image(picture: str, *, is_normal_map: bool) -> bpy.types.Image | None:
    """A sample's image, made and packed into the file when it is first asked for; None where it has no normal map."""
    drawn = _sample(picture)
    pixels = drawn.normals if is_normal_map else drawn.pixels
    if pixels is None:
        return None
    key = f"{picture} normals" if is_normal_map else picture
    for image in bpy.data.images:
        if image.library is None and image.get(SAMPLE) == key:
            return image
    label = next(label for name, label, _ in ITEMS if name == picture)
    height, width, _ = pixels.shape
    image = bpy.data.images.new(f"{label} Normals" if is_normal_map else label, width, height, alpha=True)
    image[SAMPLE] = key
    if is_normal_map:
        image.colorspace_settings.name = "Non-Color"  # type: ignore[assignment] # it is one of the names that there are
    values: Any = image.pixels
    values.foreach_set(pixels.reshape(-1))
    image.pack()
    return image
