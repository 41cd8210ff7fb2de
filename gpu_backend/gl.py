# SPDX-License-Identifier: GPL-3.0-or-later
"""The few OpenGL calls that moderngl has no words for: fences and time stamps."""

import ctypes
from typing import Any

import moderngl

_SYNC_GPU_COMMANDS_COMPLETE = 0x9117
_ALREADY_SIGNALED, _CONDITION_SATISFIED = 0x911A, 0x911C
_FLUSH_COMMANDS = 0x1
_TIMESTAMP = 0x8E28
_QUERY_RESULT, _QUERY_RESULT_AVAILABLE = 0x8866, 0x8867

_uint, _uint64, _pointer = ctypes.c_uint, ctypes.c_uint64, ctypes.c_void_p


class GlFunctions:
    """OpenGL functions of a context, found by the loader that moderngl found its own with."""

    def __init__(self, ctx: moderngl.Context) -> None:
        load = ctx.mglo._context.load

        def function(name: str, result: Any, *arguments: Any) -> Any:
            return ctypes.CFUNCTYPE(result, *arguments)(load(name))

        self._fence_sync = function("glFenceSync", _pointer, _uint, _uint)
        self._client_wait_sync = function("glClientWaitSync", _uint, _pointer, _uint, _uint64)
        self._delete_sync = function("glDeleteSync", None, _pointer)
        self._gen_queries = function("glGenQueries", None, ctypes.c_int, _pointer)
        self._delete_queries = function("glDeleteQueries", None, ctypes.c_int, _pointer)
        self._query_counter = function("glQueryCounter", None, _uint, _uint)
        self._get_query_uint = function("glGetQueryObjectuiv", None, _uint, _uint, _pointer)
        self._get_query_uint64 = function("glGetQueryObjectui64v", None, _uint, _uint, _pointer)

    def fence(self) -> int:
        """A fence behind all commands given so far."""
        return int(self._fence_sync(_SYNC_GPU_COMMANDS_COMPLETE, 0))

    def passed(self, fence: int) -> bool:
        """Whether the GPU is past a fence; never waits."""
        return self._client_wait_sync(fence, _FLUSH_COMMANDS, 0) in (_ALREADY_SIGNALED, _CONDITION_SATISFIED)

    def delete_fence(self, fence: int) -> None:
        """Free a fence."""
        self._delete_sync(fence)

    def time_stamp(self) -> int:
        """A query for the time at which the GPU has done all commands given so far."""
        query = _uint()
        self._gen_queries(1, ctypes.byref(query))
        self._query_counter(query.value, _TIMESTAMP)
        return query.value

    def nanoseconds(self, query: int) -> int | None:
        """What a time stamp says, or None where the GPU is not there yet."""
        available = _uint()
        self._get_query_uint(query, _QUERY_RESULT_AVAILABLE, ctypes.byref(available))
        if not available.value:
            return None
        result = _uint64()
        self._get_query_uint64(query, _QUERY_RESULT, ctypes.byref(result))
        return result.value

    def delete_query(self, query: int) -> None:
        """Free a time stamp."""
        self._delete_queries(1, ctypes.byref(_uint(query)))
