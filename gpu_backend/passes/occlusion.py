# SPDX-License-Identifier: GPL-3.0-or-later
"""How deep the picture is, in tiles: what culling hides chunks by."""

import moderngl

from ..shader import load_program
from ..target import FrameTarget, ImageBinding


class DepthTilesPass:
    """Fills a target's depth_tiles from its depth, and depth_blocks from those."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._program = load_program(ctx, compute_shader="cull/depth_tiles.comp")
        self._program["depths"] = 0

    def run(self, target: FrameTarget) -> None:
        """Run after a draw. The materials' textures are not bound after."""
        for source, tiles in ((target.depth, target.depth_tiles), (target.depth_tiles, target.depth_blocks)):
            source.use(0)
            tiles.bind_to_image(ImageBinding.DISTANCES, read=False, write=True)
            self._program.run(*tiles.size)
            self._ctx.memory_barrier(moderngl.TEXTURE_FETCH_BARRIER_BIT)
        target.distances.bind_to_image(ImageBinding.DISTANCES, read=True, write=True)

    def release(self) -> None:
        """Free the program."""
        self._program.release()
