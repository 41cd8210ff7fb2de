# SPDX-License-Identifier: GPL-3.0-or-later
"""The shadow maps of worlds, which live from frame to frame."""

import moderngl

from .cascades import MAP_EDGE, Cascade, MapPlace
from .context import check_errors
from .owned import Owned


class ShadowMaps:
    """So many maps of one world, one above the other in a texture of depths."""

    def __init__(self, ctx: moderngl.Context, n: int) -> None:
        with Owned() as owned:
            self.depths = owned.add(ctx.depth_texture((MAP_EDGE, n * MAP_EDGE)))
            check_errors(ctx, "shadow maps")
            self.depths.filter = moderngl.NEAREST, moderngl.NEAREST
            self.depths.compare_func = ""
            self._framebuffer = owned.add(ctx.framebuffer(depth_attachment=self.depths))
            self._owned = owned.pop_all()
        self._drawn: list[tuple[MapPlace, int] | None] = [None] * n

    @property
    def n(self) -> int:
        """How many there is room for."""
        return len(self._drawn)

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return 4 * self.depths.width * self.depths.height

    def stale(self, cascades: list[Cascade], n_changes: int) -> list[int]:
        """The maps that show something else than these cascades of a world after so many changes."""
        return [i for i, cascade in enumerate(cascades) if self._drawn[i] != (cascade.place, n_changes)]

    def begin(self, index: int) -> None:
        """Use the framebuffer for one map, which is cleared; drawn() says when it is whole."""
        viewport = 0, index * MAP_EDGE, MAP_EDGE, MAP_EDGE
        self._framebuffer.clear(depth=1.0, viewport=viewport)
        self._framebuffer.viewport = viewport
        self._framebuffer.use()
        self._drawn[index] = None

    def drawn(self, index: int, place: MapPlace, n_changes: int) -> None:
        """Note what a map shows."""
        self._drawn[index] = place, n_changes

    def release(self) -> None:
        """Free everything."""
        self._owned.close()


class WorldMaps:
    """The maps of each world, by its pool."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._maps: dict[object, ShadowMaps] = {}

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return sum(maps.nbytes for maps in self._maps.values())

    def of(self, pool: object, n: int) -> ShadowMaps:
        """A world's maps, at least n. Raises VoxelwrightError where graphics memory is short."""
        maps = self._maps.get(pool)
        if maps is None or maps.n < n:
            self.forget(pool)
            maps = self._maps[pool] = ShadowMaps(self._ctx, n)
        return maps

    def forget(self, pool: object) -> None:
        """Free a world's maps."""
        if pool in self._maps:
            self._maps.pop(pool).release()

    def release(self) -> None:
        """Free everything."""
        for pool in list(self._maps):
            self.forget(pool)
