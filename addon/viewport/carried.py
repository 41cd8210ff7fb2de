# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing in an OpenGL context of our own, and carrying the picture into Blender's viewport: for Vulkan and Metal, and
wherever drawing in Blender's own context fails."""

import ctypes
import sys
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import gpu
import numpy as np

from ...gpu_backend.context import check_errors, create_context
from ...gpu_backend.packed_picture import PackedPicture
from ...gpu_backend.shader import shader_sources
from ...gpu_backend.tiers import create_renderer
from .gl_loader import shared_library
from .pictures import Pictures, Seen, WorldPools, picture_key


class CarriedWay:
    """Must be used inside a draw handler. reduced says why the context cannot do all, if so."""

    name = "carried"

    def __init__(self) -> None:
        with _blender_put_aside():
            self._ctx = create_context()
            self.renderer, self.reduced = create_renderer(self._ctx)
            self.pools = WorldPools(self.renderer)
            self.figures = self.renderer.figures()
            self._no_framebuffer = self._ctx.detect_framebuffer()
        self._pictures = Pictures()
        self._shader = _present_shader()
        form = gpu.types.GPUVertFormat()
        form.attr_add(id="corner", comp_type="F32", len=2, fetch_mode="FLOAT")
        corners = gpu.types.GPUVertBuf(form, 3)
        corners.attr_fill("corner", [(0.0, 0.0), (2.0, 0.0), (0.0, 2.0)])
        self._triangle = gpu.types.GPUBatch(type="TRIS", buf=corners)

    def draw(self, region: Hashable, seen: Sequence[Seen], size: tuple[int, int], samples: int = 1) -> bool:
        """As DirectWay.draw()."""
        key = picture_key(seen, size)
        carried = self._pictures.get(region)
        complete, is_there = True, self._pictures.key_of(region) == key
        if not is_there or carried.picture.n_samples < samples:
            before = carried.picture if carried is not None else None
            carried, complete = self._drawn(before, seen, size, before.n_samples if is_there else 0)
            self._release(self._pictures.put(region, key if complete else None, carried))
        self._put(carried.textures)
        return complete

    def notices(self) -> list[str]:
        """As DirectWay.notices()."""
        return [*([self.reduced] if self.reduced is not None else []), *self.pools.notices()]

    def n_samples(self, region: Hashable) -> int:
        """As DirectWay.n_samples()."""
        carried = self._pictures.get(region)
        return carried.picture.n_samples if carried is not None else 0

    def set_budget(self, nbytes: int) -> None:
        """As DirectWay.set_budget()."""
        self.renderer.set_budget(nbytes)
        self._pictures.forget_keys()

    def keep_only(self, world_ids: set[str]) -> None:
        """As DirectWay.keep_only()."""
        if self.pools.has_others(world_ids):
            with self._current():
                self.pools.keep_only(world_ids)

    def _drawn(
        self, picture: PackedPicture | None, seen: Sequence[Seen], size: tuple[int, int], sample: int
    ) -> tuple["_Carried", bool]:
        """A picture, drawn into the one before where that has its size, and whether all of the worlds is there."""
        with self._current():
            if picture is None or picture.size != size:
                if picture is not None:
                    picture.release()
                picture = self.renderer.new_picture(size)
            shown, complete = self.pools.update(seen)
            self.pools.draw(picture, shown, sample)
            pixels: list[Any] = [np.empty(size[0] * size[1] * 2, np.float32) for _ in picture.images]
            for image, texels in zip(picture.images, pixels, strict=True):
                image.texels.read_into(texels, alignment=1)
            self.figures = self.renderer.figures()
            check_errors(self._ctx, "drawing for the viewport")
        buffers = [gpu.types.Buffer("FLOAT", texels.shape, texels) for texels in pixels]
        return _Carried(picture, [gpu.types.GPUTexture(size, format="RG32F", data=b) for b in buffers]), complete

    def _put(self, textures: Sequence[Any]) -> None:
        """As PresentPass does."""
        gpu.state.depth_test_set("LESS_EQUAL")
        self._shader.bind()
        for index, texture in enumerate(textures):
            gpu.state.blend_set("ALPHA_PREMULT" if index else "NONE")
            gpu.state.depth_mask_set(index == 0)
            self._shader.uniform_sampler("packed_picture", texture)
            self._triangle.draw(self._shader)
        gpu.state.blend_set("NONE")
        gpu.state.depth_test_set("NONE")
        gpu.state.depth_mask_set(False)

    def _release(self, forgotten: Sequence["_Carried"]) -> None:
        if forgotten:
            with self._current():
                for carried in forgotten:
                    carried.picture.release()

    def release(self) -> None:
        """Free everything."""
        self._release(self._pictures.clear())
        with self._current():
            self.renderer.release()
        self._ctx.release()

    @contextmanager
    def _current(self) -> Iterator[None]:
        """Our context is current inside, with no framebuffer in use: moderngl binds the one in use again whenever it
        makes one, and that of the last draw may be gone."""
        with _blender_put_aside(), self._ctx:
            self._no_framebuffer.use()
            yield


@dataclass(frozen=True)
class _Carried:
    """A picture in our context, and what of it is in Blender's: a texture for each of its images."""

    picture: PackedPicture
    textures: list[Any]


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
    sources = shader_sources()
    info.fragment_source(sources["lib/packed_color.glsl"] + sources["viewport/present.glsl"])
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
