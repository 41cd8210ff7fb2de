# SPDX-License-Identifier: GPL-3.0-or-later
"""The GPU's copy of one world: what the passes read, in storage buffers."""

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.layout import CHUNK_SIZE, N_FACES, N_MATERIALS, QUAD_SLOT_MASK, QUAD_SLOT_SHIFT
from ..voxel.limits import MAX_DRAWN_CHUNK_COORD, MAX_DRAWN_CHUNKS
from ..voxel.mesh.arrays import BlockyMesh, SmoothMesh
from ..voxel.palette import Palette
from .context import capabilities, check_errors
from .records import (
    BLEND_WEIGHT_SHIFT,
    CHUNK_DRAW,
    INDIRECT_DRAW,
    MATERIAL,
    SECONDARY_MATERIAL_SHIFT,
    SMOOTH_QUAD,
    SMOOTH_VERTEX,
    StorageBinding,
)

VERTICES_PER_QUAD = 6
_MAX_QUADS = (2**31 - 1) // VERTICES_PER_QUAD  # gl_VertexID is a signed 32-bit number


class WorldPool:
    """The buffers of one world.

    A chunk's slot is its row in the ChunkDraw buffer; a chunk that both meshes have has one row. commands holds
    n_draws indirect draws of blocky quads. has_transparency says whether any material is seen through.
    """

    def __init__(self, ctx: moderngl.Context, blocky: BlockyMesh, smooth: SmoothMesh, palette: Palette) -> None:
        """Upload the meshes. Raises VoxelwrightError where the world is beyond what the context can hold."""
        chunk_draws, blocky_slots, smooth_slots = chunk_draw_records(blocky, smooth)
        commands = indirect_draw_records(chunk_draws)
        arrays = {
            StorageBinding.QUADS: slotted_quads(blocky, blocky_slots),
            StorageBinding.CHUNK_DRAWS: chunk_draws,
            StorageBinding.MATERIALS: material_records(palette),
            StorageBinding.SMOOTH_VERTICES: smooth_vertex_records(smooth, smooth_slots),
            StorageBinding.SMOOTH_QUADS: smooth_quad_records(smooth),
        }
        _check_limits(arrays, capabilities(ctx).max_storage_block_bytes)
        self.n_draws = len(commands)
        self.n_smooth_quads = len(smooth.quads)
        self.has_transparency = bool(palette.transparent.any())
        self._storage = {binding: _buffer(ctx, array) for binding, array in arrays.items()}
        self.commands = _buffer(ctx, commands)
        try:
            check_errors(ctx, f"this world's meshes ({self.nbytes / 2**20:.0f} MiB)")
        except VoxelwrightError:
            self.release()
            raise

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory that the buffers take."""
        return self.commands.size + sum(buffer.size for buffer in self._storage.values())

    def bind(self) -> None:
        """Bind every storage block to its binding point."""
        for binding, buffer in self._storage.items():
            buffer.bind_to_storage_buffer(binding)

    def release(self) -> None:
        """Free the buffers."""
        self.commands.release()
        for buffer in self._storage.values():
            buffer.release()


def chunk_draw_records(
    blocky: BlockyMesh, smooth: SmoothMesh
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """(n,) CHUNK_DRAW for all chunks of both meshes, and the slot of each row of blocky.coords and smooth.coords."""
    both = np.concatenate([blocky.coords, smooth.coords])
    if both.size and np.abs(both).max() > MAX_DRAWN_CHUNK_COORD:
        raise VoxelwrightError(
            f"Chunks further than {MAX_DRAWN_CHUNK_COORD * CHUNK_SIZE} voxels from the origin cannot be drawn; "
            "move the world nearer."
        )
    coords, slots = np.unique(both, axis=0, return_inverse=True)
    slots = slots.reshape(-1)  # numpy 2.0 gave it another shape than 1.26 and 2.1
    blocky_slots, smooth_slots = np.split(slots, [len(blocky.coords)])
    counts = blocky.face_counts.astype(np.int64)
    totals = counts.sum(axis=1)
    records = np.zeros(len(coords), CHUNK_DRAW)
    records["corner"][:, :3] = coords * CHUNK_SIZE
    records["slot"] = np.arange(len(coords))
    records["quad_offset"][blocky_slots] = np.cumsum(totals) - totals
    records["face_offsets"][blocky_slots] = np.cumsum(counts, axis=1) - counts
    records["face_counts"][blocky_slots] = counts
    return records, blocky_slots, smooth_slots


def indirect_draw_records(chunk_draws: NDArray[Any]) -> NDArray[Any]:
    """(6n,) INDIRECT_DRAW, one a chunk and face; those without quads have no instance."""
    counts = chunk_draws["face_counts"]
    commands = np.zeros(counts.shape, INDIRECT_DRAW)
    commands["count"] = counts * VERTICES_PER_QUAD
    commands["instance_count"] = counts > 0
    commands["first"] = (chunk_draws["quad_offset"][:, None] + chunk_draws["face_offsets"]) * VERTICES_PER_QUAD
    commands["base_instance"] = np.arange(len(chunk_draws))[:, None]
    return commands.reshape(N_FACES * len(chunk_draws))


def slotted_quads(blocky: BlockyMesh, slots: NDArray[np.int64]) -> NDArray[np.uint64]:
    """(q,) uint64: the mesh's PackedQuads with their chunk's slot in place of 0."""
    low_bits = (slots & QUAD_SLOT_MASK).astype(np.uint64)[blocky.chunk_of_quad]
    return blocky.quads | low_bits << np.uint64(QUAD_SLOT_SHIFT)


def smooth_vertex_records(smooth: SmoothMesh, slots: NDArray[np.int64]) -> NDArray[Any]:
    """(v,) SMOOTH_VERTEX."""
    records = np.zeros(len(smooth.positions), SMOOTH_VERTEX)
    records["position"] = smooth.positions
    second, weight = smooth.secondary_materials.astype(np.uint32), smooth.blend_weights.astype(np.uint32)
    records["attributes"] = smooth.materials | second << SECONDARY_MATERIAL_SHIFT | weight << BLEND_WEIGHT_SHIFT
    records["normal"] = smooth.normals
    records["slot"] = slots[smooth.chunk_of_vertex]
    return records


def smooth_quad_records(smooth: SmoothMesh) -> NDArray[Any]:
    """(q,) SMOOTH_QUAD."""
    records = np.zeros(len(smooth.quads), SMOOTH_QUAD)
    records["vertices"] = smooth.quads
    records["material"] = smooth.quad_materials
    return records


def material_records(palette: Palette) -> NDArray[Any]:
    """(256,) MATERIAL; entries that are not in use are black and opaque."""
    records = np.zeros(N_MATERIALS, MATERIAL)
    records["color"] = palette.linear_colors
    records["opacity"] = 1.0
    for index, material in palette.items():
        for name in ("opacity", "roughness", "metallic", "emission"):
            records[name][index] = getattr(material, name)
    return records


def _check_limits(arrays: dict[StorageBinding, NDArray[Any]], max_block_bytes: int) -> None:
    if len(arrays[StorageBinding.CHUNK_DRAWS]) > MAX_DRAWN_CHUNKS:
        raise VoxelwrightError(
            f"This world has surfaces in {len(arrays[StorageBinding.CHUNK_DRAWS])} chunks, and at most "
            f"{MAX_DRAWN_CHUNKS} can be drawn; use a smaller world."
        )
    for binding, array in arrays.items():
        quads = binding in (StorageBinding.QUADS, StorageBinding.SMOOTH_QUADS)
        if array.nbytes > max_block_bytes or (quads and len(array) > _MAX_QUADS):
            name = binding.name.lower().replace("_", " ")
            raise VoxelwrightError(
                f"This world's {len(array)} {name} take {array.nbytes / 2**20:.0f} MiB, and this graphics driver draws "
                f"at most {max_block_bytes / 2**20:.0f} MiB at once; use a smaller world."
            )


def _buffer(ctx: moderngl.Context, array: NDArray[Any]) -> moderngl.Buffer:
    # OpenGL has no buffers of 0 bytes: an empty array becomes one record of zeros.
    return ctx.buffer(array.tobytes()) if len(array) else ctx.buffer(reserve=array.dtype.itemsize)
