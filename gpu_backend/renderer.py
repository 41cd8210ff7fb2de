# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame: the passes in their order."""

from typing import Any

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.limits import MAX_PICTURE_EDGE
from ..voxel.mesh.arrays import BlockyMesh, SmoothMesh
from ..voxel.palette import Palette
from .camera import Camera
from .context import capabilities, check_errors
from .passes.blocky import BlockyPass
from .passes.compose import ComposePass
from .passes.sky import SkyPass
from .passes.smooth import SmoothPass
from .pool import WorldPool
from .records import FRAME, UniformBinding
from .target import FrameTarget

SUN_DIRECTION = (-0.35, -0.65, 0.8)
"""Towards the sun, in voxel space: from the front left, so that the front view shows a lit and an unlit side."""

_SAMPLES = 4


def check_picture_size(width: int, height: int) -> None:
    """Raise VoxelwrightError where a picture of this size, in pixels, is not drawn."""
    if not (1 <= width <= MAX_PICTURE_EDGE and 1 <= height <= MAX_PICTURE_EDGE):
        raise VoxelwrightError(
            f"A picture is 1 to {MAX_PICTURE_EDGE} pixels along each edge; {width} × {height} was asked for."
        )


class Renderer:
    """Draws one world off screen. The context must be current in every call; release() frees all that it made."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._samples = min(_SAMPLES, capabilities(ctx).max_samples)
        self._blocky = BlockyPass(ctx)
        self._smooth = SmoothPass(ctx)
        self._sky = SkyPass(ctx)
        self._compose = ComposePass(ctx, self._samples)
        self._frame = ctx.buffer(reserve=FRAME.itemsize, dynamic=True)
        check_errors(ctx, "the frame's settings")
        self._pool: WorldPool | None = None
        self._target: FrameTarget | None = None

    def __enter__(self) -> "Renderer":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    @property
    def pool_nbytes(self) -> int:
        """Bytes of graphics memory that the loaded world takes."""
        return self._pool.nbytes if self._pool is not None else 0

    def load(self, blocky: BlockyMesh, smooth: SmoothMesh, palette: Palette) -> None:
        """Replace the world that is drawn. Raises VoxelwrightError where it is too large; nothing is loaded then."""
        self._unload()
        self._pool = WorldPool(self._ctx, blocky, smooth, palette)

    def render(
        self, camera: Camera, width: int, height: int, sun_direction: ArrayLike = SUN_DIRECTION
    ) -> NDArray[np.uint8]:
        """(height, width, 4) uint8: the picture in sRGB, opaque, its row 0 at the top.

        sun_direction points from the world to the sun, in voxel space; its length does not matter. Raises
        VoxelwrightError where the size is beyond limits.MAX_PICTURE_EDGE or beyond the context.
        """
        check_picture_size(width, height)
        self._frame.write(frame_record(camera, height, sun_direction).tobytes())
        target = self._sized_target(width, height)
        # moderngl binds the framebuffer in use again whenever it makes one: ours must not stay in use once freed.
        previous = self._ctx.detect_framebuffer()
        try:
            self._frame.bind_to_uniform_block(UniformBinding.FRAME)
            self._draw_scene(target)
            self._compose.draw(target)
            pixels = np.frombuffer(target.picture.read(components=4, alignment=1), np.uint8)
        finally:
            previous.use()
        check_errors(self._ctx, f"drawing a picture of {width} × {height} pixels")
        return np.ascontiguousarray(pixels.reshape(height, width, 4)[::-1])

    def release(self) -> None:
        """Free everything on the GPU; the renderer is of no use after that."""
        self._unload()
        if self._target is not None:
            self._target.release()
            self._target = None
        for item in (self._blocky, self._smooth, self._sky, self._compose, self._frame):
            item.release()

    def _draw_scene(self, target: FrameTarget) -> None:
        target.scene.depth_mask = True
        target.scene.use()
        target.scene.clear(depth=1.0)
        if self._pool is not None:
            self._pool.bind()
            self._blocky.draw(self._pool, transparent=False)
            self._smooth.draw(self._pool, transparent=False)
        self._sky.draw()
        if self._pool is not None and self._pool.has_transparency:
            self._blocky.draw(self._pool, transparent=True)
            self._smooth.draw(self._pool, transparent=True)

    def _sized_target(self, width: int, height: int) -> FrameTarget:
        if self._target is not None and self._target.size != (width, height):
            self._target.release()
            self._target = None
        if self._target is None:
            self._target = FrameTarget(self._ctx, width, height, self._samples)
        return self._target

    def _unload(self) -> None:
        if self._pool is not None:
            self._pool.release()
            self._pool = None


def frame_record(camera: Camera, height: int, sun_direction: ArrayLike) -> NDArray[Any]:
    """() FRAME: what all passes share. The eye is split into a voxel and a fraction, both exact or nearly so in
    float32, so that nothing trembles far from the origin. Raises VoxelwrightError for a sun without a direction."""
    sun = np.asarray(sun_direction, np.float64)
    length = np.linalg.norm(sun)
    if sun.shape != (3,) or not 0 < length < np.inf:
        raise VoxelwrightError("The sun's direction must be three numbers that are not all zero.")
    rotation = np.eye(4)
    rotation[:3, :3] = camera.view[:3, :3]
    clip_from_eye = camera.projection @ rotation
    eye = camera.eye
    frame = np.zeros((), FRAME)
    frame["clip_from_eye"] = clip_from_eye.T
    frame["eye_from_clip"] = np.linalg.inv(clip_from_eye).T
    near, far = camera.depth_range
    frame["eye_voxel"] = *np.floor(eye), near
    frame["eye_fraction"] = *(eye - np.floor(eye)), 2.0 / (camera.projection[1, 1] * height)
    frame["sun_direction"] = *(sun / length), far - near
    return frame
