# SPDX-License-Identifier: GPL-3.0-or-later
"""A context for the tests of this room, worlds of a few voxels, and how their pictures are read."""

import ctypes
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.context import create_context
from voxelwright.gpu_backend.renderer import Renderer, Shown
from voxelwright.gpu_backend.shader import compose, shader_sources
from voxelwright.gpu_backend.target import FrameTarget
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, chunks_of_cells, new_world

Cells = Sequence[tuple[int, int, int, int]]
"""x, y, z in voxel space, and the material."""

HUES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1)]
"""Which channels are strong in the palette's materials 1, 2, …"""


# --- The context -----------------------------------------------------------------------------------------------------


class DebugLog:
    """What the driver says of errors and of undefined behaviour (KHR_debug); nothing where it has no such log."""

    _ENABLED, _SYNCHRONOUS, _ANY, _COMPILER = 0x92E0, 0x8242, 0x1100, 0x8248
    _ERROR, _UNDEFINED = 0x824C, 0x824E

    def __init__(self, ctx: moderngl.Context) -> None:
        self.supported = "GL_KHR_debug" in ctx.extensions
        if not self.supported:
            return
        load, uint, pointer = ctx.mglo._context.load, ctypes.c_uint, ctypes.c_void_p
        enable = ctypes.CFUNCTYPE(None, uint)(load("glEnable"))
        control = ctypes.CFUNCTYPE(None, uint, uint, uint, ctypes.c_int, pointer, ctypes.c_ubyte)(
            load("glDebugMessageControl")
        )
        self._get = ctypes.CFUNCTYPE(uint, uint, ctypes.c_int, *[pointer] * 6)(load("glGetDebugMessageLog"))
        enable(self._ENABLED)
        enable(self._SYNCHRONOUS)
        # The log is short, and what it has no room for is lost: nothing else may fill it.
        control(self._ANY, self._ANY, self._ANY, 0, None, 0)
        for kind in (self._ERROR, self._UNDEFINED):
            control(self._ANY, kind, self._ANY, 0, None, 1)
            control(self._COMPILER, kind, self._ANY, 0, None, 0)  # these are raised as exceptions too

    def take(self) -> list[str]:
        """The messages since the last call."""
        messages: list[str] = []
        text = ctypes.create_string_buffer(1 << 14)
        while self.supported and self._get(1, len(text), None, None, None, None, None, text):
            messages.append(text.value.decode(errors="replace"))
        return messages


@pytest.fixture(scope="session")
def _context() -> Iterator[moderngl.Context]:
    try:
        ctx = create_context()
    except VoxelwrightError as error:
        pytest.skip(str(error))
    yield ctx
    ctx.release()


@pytest.fixture(scope="session")
def debug_log(_context: moderngl.Context) -> DebugLog:
    with _context:
        return DebugLog(_context)


@pytest.fixture
def ctx(_context: moderngl.Context, debug_log: DebugLog) -> Iterator[moderngl.Context]:
    """A current context; the test fails where it leaves an OpenGL error behind, or the driver speaks of one."""
    with _context:
        assert _context.error == "GL_NO_ERROR"
        debug_log.take()
        yield _context
        assert _context.error == "GL_NO_ERROR"
        assert debug_log.take() == []


@pytest.fixture
def renderer(ctx: moderngl.Context) -> Iterator[Renderer]:
    with Renderer(ctx) as made:
        yield made


@pytest.fixture
def count_objects(ctx: moderngl.Context) -> Callable[[], dict[str, int]]:
    """A function that counts the OpenGL objects alive in the context, by kind."""
    if sys.platform != "linux":
        pytest.skip("OpenGL is asked through libGL.so.1, which only Linux has")
    gl = ctypes.CDLL("libGL.so.1")
    kinds = {
        kind: f"{kind}s" for kind in ("Buffer", "Texture", "Framebuffer", "Renderbuffer", "VertexArray", "Sampler")
    }
    kinds["Query"] = "Queries"

    def fresh(kind: str) -> int:
        """A name that was free."""
        if kind in ("Program", "Shader"):
            name = gl.glCreateProgram()
            gl.glDeleteProgram(name)
            return int(name)
        made = ctypes.c_uint()
        getattr(gl, f"glGen{kinds[kind]}")(1, ctypes.byref(made))
        getattr(gl, f"glDelete{kinds[kind]}")(1, ctypes.byref(made))
        return made.value

    def alive(kind: str, name: int) -> bool:
        if not getattr(gl, f"glIs{kind}")(name) & 0xFF:
            return False
        deleted = ctypes.c_int()
        if kind in ("Program", "Shader"):  # the one in use lives on with its shaders, marked for deletion
            getattr(gl, f"glGet{kind}iv")(name, 0x8B80, ctypes.byref(deleted))
        return not deleted.value

    def count() -> dict[str, int]:
        # Mesa gives no name twice, so that they grow with every test; other drivers fill gaps first.
        names = {kind: range(1, fresh(kind) + 1000) for kind in (*kinds, "Program", "Shader")}
        return {kind: sum(alive(kind, name) for name in some) for kind, some in names.items()}

    return count


@pytest.fixture
def run_glsl(ctx: moderngl.Context) -> Callable[..., NDArray[np.uint32]]:
    """A function that runs GLSL once for each item, and gives the words that it wrote.

    In the text, word(k) is the k-th 32-bit word of the item, real(k) the same as a float, and put(k, value) writes the
    k-th word of the result, a uint or a float.
    """

    def run(
        head: str, body: str, items: NDArray[np.generic], n_words: int, defines: Mapping[str, object] | None = None
    ) -> NDArray[np.uint32]:
        words = np.ascontiguousarray(items).view(np.uint32).reshape(len(items), -1)
        text = f"""
{head}
layout(local_size_x = 1) in;
layout(std430, binding = 14) readonly buffer Items {{ uint item_words[]; }};
layout(std430, binding = 15) writeonly buffer Results {{ uint result_words[]; }};
uint word(uint k) {{ return item_words[gl_GlobalInvocationID.x * {words.shape[1]}u + k]; }}
float real(uint k) {{ return uintBitsToFloat(word(k)); }}
vec3 real3(uint k) {{ return vec3(real(k), real(k + 1u), real(k + 2u)); }}
void put(uint k, uint value) {{ result_words[gl_GlobalInvocationID.x * {n_words}u + k] = value; }}
void put(uint k, float value) {{ put(k, floatBitsToUint(value)); }}
void put(uint k, vec3 value) {{ put(k, value.x); put(k + 1u, value.y); put(k + 2u, value.z); }}
void main() {{
{body}
}}
"""
        shader = ctx.compute_shader(compose("test", {**shader_sources(), "test": text}, defines).text)
        source, result = ctx.buffer(words.tobytes()), ctx.buffer(reserve=4 * len(words) * n_words)
        source.bind_to_storage_buffer(14)
        result.bind_to_storage_buffer(15)
        shader.run(len(words))
        ctx.memory_barrier()
        read = np.frombuffer(result.read(), np.uint32).reshape(len(words), n_words)
        for made in (source, result, shader):
            made.release()
        return read

    return run


@pytest.fixture
def draw_frame(ctx: moderngl.Context) -> Callable[..., FrameTarget]:
    """A function that draws worlds as Renderer.draw() does, and puts the framebuffer in use back."""

    def draw(renderer: Renderer, shown: Sequence[Shown], width: int, height: int) -> FrameTarget:
        previous = ctx.detect_framebuffer()
        target = renderer.draw(shown, width, height)
        previous.use()
        ctx.memory_barrier()
        return target

    return draw


# --- Worlds and pictures ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def palette() -> Palette:
    """1–6 opaque in six clear colours, 7 blue glass, 8 and 9 a dark red, without and with emission, 10 as 8, 11 as 2
    but smooth, 12 reddish glass. All are plain and let nothing in."""
    colors = [(220, 30, 30), (30, 220, 30), (30, 30, 220), (220, 220, 30), (30, 220, 220), (220, 30, 220)]
    materials = {i: Material(f"color {i}", color) for i, color in enumerate(colors, 1)}
    materials[7] = Material("glass", (40, 60, 220), opacity=0.4)
    materials[8] = Material("ember", (120, 20, 20))
    materials[9] = Material("lamp", (120, 20, 20), emission=3.0)
    materials[10] = Material("cinder", (120, 20, 20))
    materials[11] = Material("moss", (30, 220, 30), smooth=True)
    materials[12] = Material("ruby", (220, 30, 30), opacity=0.4)
    return Palette.of({i: replace(m, texture="plain", resists=True) for i, m in materials.items()})


@pytest.fixture(scope="session")
def make_world(palette: Palette) -> Callable[..., World]:
    """A function that makes a world of a few cells, of the palette above or of another one."""

    def make(cells: Cells, of: Palette = palette) -> World:
        table = np.array(cells, np.int64).reshape(-1, 4)
        voxels = np.array([of.voxel(material) for material in table[:, 3].tolist()], np.uint16)
        return new_world(chunks_of_cells(table[:, :3], voxels, 1000), of)

    return make


@pytest.fixture(scope="session")
def front() -> Camera:
    """From −Y at the voxels 0 … 8 on each axis; for square pictures."""
    return orbit_camera((0, 0, 0), (8, 8, 8), 0, 0, 1.0)


@pytest.fixture(scope="session")
def flat() -> Callable[..., Camera]:
    """A function that gives an orthographic camera in the place of another one: half voxels are seen to each side."""

    def make(camera: Camera, half: float) -> Camera:
        near, far = camera.depth_range
        projection = np.diag([1 / half, 1 / half, -2 / (far - near), 1.0])
        projection[2, 3] = -(far + near) / (far - near)
        return Camera(camera.view, projection)

    return make


@pytest.fixture(scope="session")
def project() -> Callable[..., NDArray[np.float64]]:
    """A function that gives the pixels (…, 2), x to the right and y down, of points (…, 3) in voxel space."""

    def pixels(camera: Camera, points: NDArray[np.float64], width: int, height: int) -> NDArray[np.float64]:
        clip = np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1) @ (camera.projection @ camera.view).T
        ndc = clip[..., :2] / clip[..., 3:]
        return (ndc * (1, -1) + 1) / 2 * (width, height)

    return pixels


@pytest.fixture(scope="session")
def material_in() -> Callable[[NDArray[np.generic]], int]:
    """A function that tells which of the palette's materials 1 – 6 pixels (…, 3 or 4) show on average, else 0."""

    def material(pixels: NDArray[np.generic]) -> int:
        mean = pixels[..., :3].reshape(-1, 3).mean(axis=0)
        hue = tuple((mean > mean.max() * 0.72).astype(int).tolist())
        return HUES.index(hue) + 1 if hue in HUES else 0

    return material


@dataclass(frozen=True)
class Met:
    """What the rays of all pixels meet first, (height, width), row 0 at the bottom as in textures. distance is 0 and
    material 0 where that is nothing; sure says where a ray a tenth of a pixel beside meets the same face."""

    material: NDArray[np.int64]
    face: NDArray[np.int64]
    distance: NDArray[np.float64]
    sure: NDArray[np.bool_]


@pytest.fixture(scope="session")
def cast_rays() -> Callable[..., Met]:
    """A function that gives what is met of cells, each a cube, in a camera's picture."""

    def cast(cells: Cells, camera: Camera, width: int, height: int) -> Met:
        table = np.array(cells)
        (cell, face, distance), *beside = (_cast(table[:, :3], camera, width, height, o) for o in _OFFSETS)
        sure = np.all([(cell == c) & (face == f) for c, f, _ in beside], axis=0)
        return Met(np.where(cell < 0, 0, table[cell, 3]), face, distance, sure)

    return cast


_OFFSETS = [(0.0, 0.0), (0.1, 0.1), (0.1, -0.1), (-0.1, 0.1), (-0.1, -0.1)]


def _cast(
    cells: NDArray[np.int64], camera: Camera, width: int, height: int, offset: tuple[float, float]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The index of the cell that is met, −1 for none, its face, and the distance."""
    origins, directions = pixel_rays(camera, width, height, offset)
    low = cells[:, None, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        ways = np.stack([(low - origins) / directions, (low + 1 - origins) / directions])
    enters, leaves = ways.min(axis=0), ways.max(axis=0).min(axis=-1)
    axis, enter = enters.argmax(axis=-1), enters.max(axis=-1)
    enter = np.where((enter < leaves) & (enter > 0), enter, np.inf)
    nearest = enter.argmin(axis=0)[None]
    distance = np.take_along_axis(enter, nearest, 0)[0]
    axis = np.take_along_axis(axis, nearest, 0)[0]
    backwards = np.take_along_axis(directions, axis[..., None], -1)[..., 0] > 0
    met = np.isfinite(distance)
    return np.where(met, nearest[0], -1), np.where(met, 2 * axis + backwards, 0), np.where(met, distance, 0.0)


def pixel_rays(
    camera: Camera, width: int, height: int, offset: tuple[float, float] = (0.0, 0.0)
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the rays of pixels begin, in voxel space: the eye, or the near plane of an orthographic view; and their
    directions. Both (height, width, 3)."""
    y, x = np.mgrid[:height, :width] + 0.5
    clip = np.ones((2, height, width, 4))
    clip[..., 0] = (x + offset[0]) / width * 2 - 1
    clip[..., 1] = (y + offset[1]) / height * 2 - 1
    clip[0, ..., 2] = -1
    points = clip @ np.linalg.inv(camera.projection @ camera.view).T
    near, far = points[..., :3] / points[..., 3:]
    origins = near if camera.is_orthographic else np.broadcast_to(camera.eye, near.shape)
    directions = far - origins
    return origins, directions / np.linalg.norm(directions, axis=-1, keepdims=True)


@pytest.fixture(scope="session")
def rays_of() -> Callable[..., tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """pixel_rays()."""
    return pixel_rays
