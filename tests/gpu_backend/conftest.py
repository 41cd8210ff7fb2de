# SPDX-License-Identifier: GPL-3.0-or-later
"""A context for the tests of this room, and meshes written by hand."""

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.context import create_context
from voxelwright.gpu_backend.renderer import Renderer
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import CHUNK_SIZE, pack_quads
from voxelwright.voxel.mesh.arrays import BlockyMesh, SmoothMesh
from voxelwright.voxel.palette import Material, Palette

QuadRow = tuple[int, int, int, int, int, int, int]
"""x, y, z of the lowest voxel in voxel space, width, height, face, material."""


@pytest.fixture(scope="session")
def _context() -> Iterator[moderngl.Context]:
    try:
        ctx = create_context()
    except VoxelwrightError as error:
        pytest.skip(str(error))
    yield ctx
    ctx.release()


@pytest.fixture
def ctx(_context: moderngl.Context) -> Iterator[moderngl.Context]:
    """A current context; the test fails where it leaves an OpenGL error behind."""
    with _context:
        assert _context.error == "GL_NO_ERROR"
        yield _context
        assert _context.error == "GL_NO_ERROR"


@pytest.fixture
def renderer(ctx: moderngl.Context) -> Iterator[Renderer]:
    with Renderer(ctx) as made:
        yield made


@pytest.fixture(scope="session")
def make_blocky() -> Callable[[Sequence[QuadRow]], BlockyMesh]:
    """A function that makes a BlockyMesh from quads in voxel space."""

    def make(rows: Sequence[QuadRow]) -> BlockyMesh:
        table = np.array(rows, np.int64).reshape(-1, 7)
        coords, chunk = np.unique(table[:, :3] // CHUNK_SIZE, axis=0, return_inverse=True)
        chunk = chunk.reshape(-1)
        order = np.lexsort((table[:, 5], chunk))
        table, chunk = table[order], chunk[order]
        counts = np.zeros((len(coords), 6), np.uint32)
        np.add.at(counts, (chunk, table[:, 5]), 1)
        inside = table[:, :3] - coords[chunk] * CHUNK_SIZE
        names = ("x", "y", "z", "width", "height", "face", "material")
        fields = dict(zip(names, np.concatenate([inside, table[:, 3:]], axis=1).T, strict=True))
        fields["slot"] = np.zeros(len(table), np.int64)
        return BlockyMesh(coords.astype(np.int32), counts, pack_quads(fields))

    return make


@pytest.fixture(scope="session")
def no_blocky() -> BlockyMesh:
    return BlockyMesh(np.zeros((0, 3), np.int32), np.zeros((0, 6), np.uint32), np.zeros(0, np.uint64))


@pytest.fixture(scope="session")
def no_smooth(make_smooth: Callable[..., SmoothMesh]) -> SmoothMesh:
    return make_smooth([], [], [])


@pytest.fixture(scope="session")
def make_smooth() -> Callable[..., SmoothMesh]:
    """A function that makes a SmoothMesh from vertices in voxel space, quads of their indices, and quad materials.

    All normals point up. Vertices must be given chunk after chunk, and every quad belongs to the first chunk.
    """

    def make(
        vertices: Sequence[Sequence[float]], quads: Sequence[Sequence[int]], materials: Sequence[int]
    ) -> SmoothMesh:
        points = np.array(vertices, np.float64).reshape(-1, 3)
        coords, chunk, counts = np.unique(
            np.floor(points / CHUNK_SIZE).astype(np.int64), axis=0, return_inverse=True, return_counts=True
        )
        quad_counts = np.zeros(len(coords), np.uint32)
        quad_counts[:1] = len(quads)
        return SmoothMesh(
            coords.astype(np.int32),
            counts.astype(np.uint32),
            quad_counts,
            (points - coords[chunk.reshape(-1)] * CHUNK_SIZE).astype(np.float32),
            np.tile(np.float32([0, 0, 1]), (len(points), 1)),
            *np.zeros((3, len(points)), np.uint8),
            np.array(quads, np.uint32).reshape(-1, 4),
            np.array(materials, np.uint8),
        )

    return make


@pytest.fixture(scope="session")
def palette() -> Palette:
    """1–6 opaque in six clear colours, 7 blue glass, 8 and 9 a dark red, without and with emission."""
    colors = [(220, 30, 30), (30, 220, 30), (30, 30, 220), (220, 220, 30), (30, 220, 220), (220, 30, 220)]
    materials = {i: Material(f"color {i}", color) for i, color in enumerate(colors, 1)}
    materials[7] = Material("glass", (40, 60, 220), opacity=0.4)
    materials[8] = Material("ember", (120, 20, 20))
    materials[9] = Material("lamp", (120, 20, 20), emission=3.0)
    return Palette.of(materials)


@pytest.fixture(scope="session")
def front() -> Camera:
    """From −Y at the voxels 0 … 8 on each axis; for square pictures."""
    return orbit_camera((0, 0, 0), (8, 8, 8), 0, 0, 1.0)


@pytest.fixture(scope="session")
def project() -> Callable[..., NDArray[np.float64]]:
    """A function that gives the pixels (…, 2), x to the right and y down, of points (…, 3) in voxel space."""

    def pixels(camera: Camera, points: NDArray[np.float64], width: int, height: int) -> NDArray[np.float64]:
        clip = np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1) @ (camera.projection @ camera.view).T
        ndc = clip[..., :2] / clip[..., 3:]
        return (ndc * (1, -1) + 1) / 2 * (width, height)

    return pixels


@pytest.fixture
def count_objects(ctx: moderngl.Context) -> Callable[[], dict[str, int]]:
    """A function that counts the OpenGL objects alive in the context, by kind."""
    if sys.platform != "linux":
        pytest.skip("OpenGL is asked through libGL.so.1, which only Linux has")
    gl = ctypes.CDLL("libGL.so.1")
    kinds = ("Buffer", "Texture", "Framebuffer", "Renderbuffer", "Program", "Shader", "VertexArray", "Query", "Sampler")

    def alive(kind: str, name: int) -> bool:
        if not getattr(gl, f"glIs{kind}")(name) & 0xFF:
            return False
        deleted = ctypes.c_int()
        if kind == "Program":  # the one in use lives on, marked for deletion
            gl.glGetProgramiv(name, 0x8B80, ctypes.byref(deleted))
        return not deleted.value

    def count() -> dict[str, int]:
        return {kind: sum(alive(kind, name) for name in range(1, 1000)) for kind in kinds}

    return count
