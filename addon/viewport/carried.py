# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing in an OpenGL context of our own, and carrying the picture into Blender's viewport: for Vulkan and Metal, and
wherever drawing in Blender's own context fails."""

import ctypes
import sys
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import gpu
import numpy as np

from ...gpu_backend.context import capabilities, check_errors, create_context
from ...gpu_backend.passes.present import new_packed_picture
from ...gpu_backend.renderer import Renderer
from ...gpu_backend.shader import shader_sources
from ...gpu_backend.tiers import why_basic
from ...voxel.errors import VoxelwrightError
from ..preferences import Choices
from .gl_loader import shared_library
from .pictures import Pictures, Seen, WorldPools, picture_key


class CarriedWay:
    """Must be used inside a draw handler."""

    name = "carried"

    def __init__(self) -> None:
        with _blender_put_aside():
            self._ctx = create_context()
            reason = why_basic(capabilities(self._ctx))
            if reason is not None:
                self._ctx.release()
                raise VoxelwrightError(reason)
            self.renderer = Renderer(self._ctx)
            self.pools = WorldPools(self.renderer)
        self._packed: Any = None
        self._pictures = Pictures()
        self._shader = _present_shader()
        form = gpu.types.GPUVertFormat()
        form.attr_add(id="corner", comp_type="F32", len=2, fetch_mode="FLOAT")
        corners = gpu.types.GPUVertBuf(form, 3)
        corners.attr_fill("corner", [(0.0, 0.0), (2.0, 0.0), (0.0, 2.0)])
        self._triangle = gpu.types.GPUBatch(type="TRIS", buf=corners)

    def draw(self, region: Hashable, seen: Sequence[Seen], size: tuple[int, int], choices: Choices) -> bool:
        """As DirectWay.draw()."""
        key = picture_key(seen, size)
        complete = True
        if self._pictures.key_of(region) != key:
            pixels, complete = self._drawn(seen, size)
            buffer = gpu.types.Buffer("FLOAT", pixels.shape, pixels)
            texture = gpu.types.GPUTexture(size, format="RG32F", data=buffer)
            self._pictures.put(region, key if complete else None, texture)
        self._put(self._pictures[region])
        return complete

    def notices(self) -> list[str]:
        """As DirectWay.notices()."""
        return self.pools.notices()

    def keep_only(self, world_ids: set[str]) -> None:
        """As DirectWay.keep_only()."""
        if self.pools.has_others(world_ids):
            with _blender_put_aside(), self._ctx:
                self.pools.keep_only(world_ids)

    def _drawn(self, seen: Sequence[Seen], size: tuple[int, int]) -> tuple[Any, bool]:
        """(height · width · 2,) float32, as shaders/compose/pack.comp says, and whether all of the worlds is there."""
        with _blender_put_aside(), self._ctx:
            if self._packed is None or self._packed.size != size:
                if self._packed is not None:
                    self._packed.release()
                self._packed = new_packed_picture(self._ctx, size)
            shown, complete = self.pools.update(seen)
            target = self.pools.draw(shown, size)
            self.renderer.pack(target, self._packed, seen[0].look.view)
            pixels = np.empty(size[0] * size[1] * 2, np.float32)
            self._packed.read_into(pixels, alignment=1)
            check_errors(self._ctx, "drawing for the viewport")
        return pixels, complete

    def _put(self, texture: Any) -> None:
        gpu.state.depth_test_set("LESS_EQUAL")
        gpu.state.depth_mask_set(True)
        gpu.state.blend_set("NONE")
        self._shader.bind()
        self._shader.uniform_sampler("packed_picture", texture)
        self._triangle.draw(self._shader)
        gpu.state.depth_test_set("NONE")
        gpu.state.depth_mask_set(False)

    def release(self) -> None:
        """Free everything."""
        self._pictures.clear()
        with _blender_put_aside(), self._ctx:
            if self._packed is not None:
                self._packed.release()
            self.renderer.release()
        self._ctx.release()


def _present_shader() -> Any:
    info = gpu.types.GPUShaderCreateInfo()
    info.sampler(0, "FLOAT_2D", "packed_picture")
    info.vertex_in(0, "VEC2", "corner")
    between = gpu.types.GPUStageInterfaceInfo("voxelwright_place")
    between.smooth("VEC2", "place")
    info.vertex_out(between)
    info.fragment_out(0, "VEC4", "color")
    info.depth_write("ANY")
    info.vertex_source("void main() { place = corner; gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0); }")
    info.fragment_source(shader_sources()["viewport/present.glsl"])
    return gpu.shader.create_from_info(info)


@contextmanager
def _blender_put_aside() -> Iterator[None]:
    """Make none of Blender's contexts current while ours is: with one of GLX current, a context of EGL silently is that
    one. Afterwards Blender's is current again."""
    if sys.platform != "linux" or gpu.platform.backend_type_get() != "OPENGL":
        yield
        return
    put_back = _glx_put_aside() or _egl_put_aside()
    try:
        yield
    finally:
        if put_back is not None:
            put_back()


def _glx_put_aside() -> Any:
    glx = shared_library("libGL.so.1")
    if glx is None:
        return None
    for name in ("glXGetCurrentContext", "glXGetCurrentDisplay", "glXGetCurrentDrawable", "glXGetCurrentReadDrawable"):
        getattr(glx, name).restype = ctypes.c_void_p
    glx.glXMakeContextCurrent.argtypes = [ctypes.c_void_p] * 4
    context, display = glx.glXGetCurrentContext(), glx.glXGetCurrentDisplay()
    if not context:
        return None
    drawables = glx.glXGetCurrentDrawable(), glx.glXGetCurrentReadDrawable()
    glx.glXMakeContextCurrent(display, None, None, None)

    def put_back() -> None:
        # A context that was just made is still current, and GLX refuses one beside it by ending the process.
        _egl_put_aside()
        glx.glXMakeContextCurrent(display, *drawables, context)

    return put_back


def _egl_put_aside() -> Any:
    egl = shared_library("libEGL.so.1")
    if egl is None:
        return None
    for name in ("eglGetCurrentContext", "eglGetCurrentDisplay", "eglGetCurrentSurface"):
        getattr(egl, name).restype = ctypes.c_void_p
    egl.eglMakeCurrent.argtypes = [ctypes.c_void_p] * 4
    context, display = egl.eglGetCurrentContext(), egl.eglGetCurrentDisplay()
    if not context:
        return None
    draw, read = egl.eglGetCurrentSurface(0x3059), egl.eglGetCurrentSurface(0x305A)
    egl.eglMakeCurrent(display, None, None, None)
    return lambda: egl.eglMakeCurrent(display, draw, read, context)
