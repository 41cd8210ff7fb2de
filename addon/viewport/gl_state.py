# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenGL's state as Blender left it, kept while we draw into its context, and put back after."""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_INT, _UINT, _FLOAT = ctypes.c_int, ctypes.c_uint, ctypes.c_float

_ACTIVE_TEXTURE, _TEXTURE0 = 0x84E0, 0x84C0
_CAPABILITIES = {
    "blend": 0x0BE2, "cull face": 0x0B44, "depth test": 0x0B71, "scissor test": 0x0C11, "stencil test": 0x0B90,
    "polygon offset": 0x8037, "primitive restart": 0x8F9D, "primitive restart, fixed": 0x8D69, "sRGB": 0x8DB9,
    "multisample": 0x809D, "depth clamp": 0x864F, "color logic": 0x0BF2, "rasterizer discard": 0x8C89,
    "program point size": 0x8642,
}  # fmt: skip
_TEXTURE_TARGETS = {0x0DE1: 0x8069, 0x8C1A: 0x8C1D}
"""What textures are bound to, 2D and 2D array, and the query of each."""

N_TEXTURE_UNITS, N_STORAGE, N_UNIFORM, N_IMAGES = 8, 16, 2, 8
"""How many of each kind we use."""


State = dict[str, tuple[Any, ...]]
"""Numbers by names of our own."""


class GlState:
    """Reads and sets what drawing changes. load finds OpenGL's functions."""

    def __init__(self, load: Callable[[str], int]) -> None:
        def function(name: str, result: Any, *arguments: Any) -> Any:
            return ctypes.CFUNCTYPE(result, *arguments)(load(name))

        self._get_integer = function("glGetIntegerv", None, _UINT, ctypes.c_void_p)
        self._get_integer_at = function("glGetIntegeri_v", None, _UINT, _UINT, ctypes.c_void_p)
        self._get_integer64_at = function("glGetInteger64i_v", None, _UINT, _UINT, ctypes.c_void_p)
        self._get_float = function("glGetFloatv", None, _UINT, ctypes.c_void_p)
        self._is_enabled = function("glIsEnabled", ctypes.c_ubyte, _UINT)
        one, two, three, four = ([_UINT] * n for n in (1, 2, 3, 4))
        calls = {
            "glEnable": one, "glDisable": one, "glActiveTexture": one, "glUseProgram": one, "glBindVertexArray": one,
            "glDepthFunc": one, "glCullFace": one, "glFrontFace": one, "glProvokingVertex": one,
            "glPrimitiveRestartIndex": one, "glBindTexture": two, "glBindSampler": two, "glBindFramebuffer": two,
            "glBindBuffer": two, "glPixelStorei": two, "glBlendEquationSeparate": two, "glPolygonMode": two,
            "glBindBufferBase": three, "glBlendFuncSeparate": four,
        }  # fmt: skip
        self._call = {name: function(name, None, *arguments) for name, arguments in calls.items()}
        self._call["glDepthMask"] = function("glDepthMask", None, ctypes.c_ubyte)
        self._call["glColorMask"] = function("glColorMask", None, *[ctypes.c_ubyte] * 4)
        for name in ("glViewport", "glScissor"):
            self._call[name] = function(name, None, *[_INT] * 4)
        self._call["glLineWidth"] = function("glLineWidth", None, _FLOAT)
        self._call["glPolygonOffset"] = function("glPolygonOffset", None, _FLOAT, _FLOAT)
        self._call["glBindBufferRange"] = function(
            "glBindBufferRange", None, _UINT, _UINT, _UINT, ctypes.c_int64, ctypes.c_int64
        )
        self._call["glBindImageTexture"] = function(
            "glBindImageTexture", None, _UINT, _UINT, _INT, ctypes.c_ubyte, _INT, _UINT, _UINT
        )

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Whatever is done inside, the state is afterwards what it was before."""
        before = self.read()
        try:
            yield
        finally:
            self.restore(before)

    def viewport(self) -> tuple[int, int, int, int]:
        """x, y, width and height."""
        x, y, width, height = self._integers(*_INTEGERS["viewport"])
        return x, y, width, height

    def read(self) -> State:
        """The state."""
        state: State = {name: (self._is_enabled(number),) for name, number in _CAPABILITIES.items()}
        for name, (query, n) in _INTEGERS.items():
            state[name] = self._integers(query, n)
        state["line width"] = self._floats(0x0B21, 1)
        state["polygon offset factor"] = self._floats(0x8038, 1) + self._floats(0x2A00, 1)
        for unit in range(N_TEXTURE_UNITS):
            self._call["glActiveTexture"](_TEXTURE0 + unit)
            for target, query in _TEXTURE_TARGETS.items():
                state[f"texture {unit} {target:x}"] = self._integers(query, 1)
            state[f"sampler {unit}"] = self._integers(0x8919, 1)
        self._call["glActiveTexture"](state["active texture"][0])
        for kind, target, base, n in _BUFFER_KINDS:
            for index in range(n):
                place = [self._at64(query, index) for query in (base + 1, base + 2)]
                state[f"{kind} {index}"] = (target, index, self._at(base, index), *place)
        for index in range(N_IMAGES):
            state[f"image {index}"] = (index, *(self._at(query, index) for query in _IMAGE_QUERIES))
        return state

    def restore(self, state: State) -> None:
        """Set the state that read() gave."""
        call = self._call
        for name, number in _CAPABILITIES.items():
            call["glEnable" if state[name][0] else "glDisable"](number)
        for unit in range(N_TEXTURE_UNITS):
            call["glActiveTexture"](_TEXTURE0 + unit)
            for target in _TEXTURE_TARGETS:
                call["glBindTexture"](target, state[f"texture {unit} {target:x}"][0])
            call["glBindSampler"](unit, state[f"sampler {unit}"][0])
        for kind, _, _, n in _BUFFER_KINDS:
            for index in range(n):
                target, slot, buffer, start, size = state[f"{kind} {index}"]
                if buffer and size:
                    call["glBindBufferRange"](target, slot, buffer, start, size)
                else:
                    call["glBindBufferBase"](target, slot, buffer)
        for index in range(N_IMAGES):
            _, texture, level, layered, layer, access, form = state[f"image {index}"]
            # A unit that has none says a format that is not one for images.
            call["glBindImageTexture"](index, texture, level, layered, layer, access, form if texture else 0x8229)
        call["glBindFramebuffer"](0x8CA9, state["draw framebuffer"][0])
        call["glBindFramebuffer"](0x8CA8, state["read framebuffer"][0])
        call["glUseProgram"](state["program"][0])
        call["glBindVertexArray"](state["vertex array"][0])
        for name, target in _BUFFERS.items():
            call["glBindBuffer"](target, state[name][0])
        for name, parameter in _PIXEL_STORES.items():
            call["glPixelStorei"](parameter, state[name][0])
        for name, function in _SETTERS.items():
            call[function](*state[name])
        call["glBlendFuncSeparate"](*(state[n][0] for n in ("blend src", "blend dst", "blend src a", "blend dst a")))
        call["glBlendEquationSeparate"](state["blend equation"][0], state["blend equation a"][0])
        call["glPolygonMode"](0x0408, state["polygon mode"][0])
        call["glActiveTexture"](state["active texture"][0])

    def _integers(self, query: int, n: int) -> tuple[int, ...]:
        values = (_INT * 16)()
        self._get_integer(query, values)
        return tuple(values[:n])

    def _floats(self, query: int, n: int) -> tuple[float, ...]:
        values = (_FLOAT * 4)()
        self._get_float(query, values)
        return tuple(values[:n])

    def _at(self, query: int, index: int) -> int:
        value = _INT()
        self._get_integer_at(query, index, ctypes.byref(value))
        return value.value

    def _at64(self, query: int, index: int) -> int:
        value = ctypes.c_int64()
        self._get_integer64_at(query, index, ctypes.byref(value))
        return value.value


_INTEGERS = {
    "active texture": (_ACTIVE_TEXTURE, 1), "program": (0x8B8D, 1), "vertex array": (0x85B5, 1),
    "draw framebuffer": (0x8CA6, 1), "read framebuffer": (0x8CAA, 1), "viewport": (0x0BA2, 4), "scissor": (0x0C10, 4),
    "depth function": (0x0B74, 1), "depth mask": (0x0B72, 1), "color mask": (0x0C23, 4), "cull mode": (0x0B45, 1),
    "front face": (0x0B46, 1), "blend src": (0x80C9, 1), "blend dst": (0x80C8, 1), "blend src a": (0x80CB, 1),
    "blend dst a": (0x80CA, 1), "blend equation": (0x8009, 1), "blend equation a": (0x883D, 1),
    "polygon mode": (0x0B40, 1), "provoking vertex": (0x8E4F, 1), "restart index": (0x8F9E, 1),
    "array buffer": (0x8894, 1), "indirect buffer": (0x8F43, 1), "pack buffer": (0x88ED, 1),
    "unpack buffer": (0x88EF, 1), "storage buffer": (0x90D3, 1), "uniform buffer": (0x8A28, 1),
    "unpack alignment": (0x0CF5, 1), "pack alignment": (0x0D05, 1), "unpack row length": (0x0CF2, 1),
}  # fmt: skip
_BUFFERS = {
    "array buffer": 0x8892, "indirect buffer": 0x8F3F, "pack buffer": 0x88EB, "unpack buffer": 0x88EC,
    "storage buffer": 0x90D2, "uniform buffer": 0x8A11,
}  # fmt: skip
_PIXEL_STORES = {"unpack alignment": 0x0CF5, "pack alignment": 0x0D05, "unpack row length": 0x0CF2}
_SETTERS = {
    "viewport": "glViewport", "scissor": "glScissor", "depth function": "glDepthFunc", "depth mask": "glDepthMask",
    "color mask": "glColorMask", "cull mode": "glCullFace", "front face": "glFrontFace",
    "provoking vertex": "glProvokingVertex", "restart index": "glPrimitiveRestartIndex", "line width": "glLineWidth",
    "polygon offset factor": "glPolygonOffset",
}  # fmt: skip
_BUFFER_KINDS = (("storage", 0x90D2, 0x90D3, N_STORAGE), ("uniform", 0x8A11, 0x8A28, N_UNIFORM))
"""Name, target, and the query of the buffer bound at an index; those of where it starts and its size follow it."""
_IMAGE_QUERIES = (0x8F3A, 0x8F3B, 0x8F3C, 0x8F3D, 0x8F3E, 0x906E)
