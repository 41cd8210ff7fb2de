# SPDX-License-Identifier: GPL-3.0-or-later
"""Decals on the surfaces of a world, between what is seen of it and its light."""

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..buffers import new_buffer
from ..camera import Camera
from ..decal_textures import DecalTextures
from ..decals import Decals, decal_buffer
from ..owned import Owned
from ..records import StorageBinding
from ..target import FrameTarget
from ..timers import FrameTimers
from .pixels import PixelPass


class DecalsPass:
    """Changes colours and normals in a target's G-buffer where its visibility shows anything of the world. tiled looks
    in tiles of the picture at those decals alone that they may show; the picture is the same."""

    def __init__(self, ctx: moderngl.Context, *, tiled: bool = True) -> None:
        self._ctx, self._tiled = ctx, tiled
        self._buffer: moderngl.Buffer | None = None
        with Owned() as owned:
            self._pass = owned.add(PixelPass(ctx, "decals/decals.comp"))
            self._textures = owned.add(DecalTextures(ctx))
            self._owned = owned.pop_all()

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self._textures.nbytes + (self._buffer.size if self._buffer is not None else 0)

    def run(self, target: FrameTarget, timers: FrameTimers, decals: Decals, camera: Camera) -> list[str]:
        """Lay on the decals of a world's voxel space, seen by camera; nothing is run where none of them is seen. The
        names of those left out, as too many are seen. Raises VoxelwrightError where graphics memory is short."""
        chosen, others = decals.choose(camera)
        if len(chosen):
            with timers.stage("decals"):
                self._prepare(target, decals, camera, chosen)
                seen = {"visibility_target": target.visibility, "distances": target.distances}
                self._pass.run(target.size, {**seen, "decal_images": self._textures.array})
        return [decals.items[index].name for index in others.tolist()]

    def release(self) -> None:
        """Free everything."""
        if self._buffer is not None:
            self._buffer.release()
            self._buffer = None
        self._owned.close()

    def _prepare(self, target: FrameTarget, decals: Decals, camera: Camera, chosen: NDArray[np.intp]) -> None:
        shown = [decals.items[index] for index in chosen.tolist()]
        layer_of = self._textures.bring([image for item in shown for image in (item.image, item.normal_map)])
        records = decals.frame_records(chosen, layer_of, np.floor(camera.eye))
        masks = decals.tile_masks(chosen, camera, *target.size) if self._tiled else None
        content = decal_buffer(records, masks)
        if self._buffer is None or self._buffer.size < len(content):
            larger = new_buffer(self._ctx, len(content))
            if self._buffer is not None:
                self._buffer.release()
            self._buffer = larger
        self._buffer.write(content)
        self._buffer.bind_to_storage_buffer(StorageBinding.JOBS)
