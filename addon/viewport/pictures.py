# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished pictures of viewports, and what they show: a picture is drawn again only where that has changed."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from ...gpu_backend.camera import Camera
from ...gpu_backend.pool import WorldPool
from ...gpu_backend.renderer import Look, Renderer, Shown
from ...gpu_backend.target import FrameTarget
from ...voxel.world import World


@dataclass(frozen=True)
class Seen:
    """A world in a viewport: camera sees its voxel space."""

    world_id: str
    world: World
    camera: Camera
    look: Look


class WorldPools:
    """A pool for each world that a renderer was asked for."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._pools: dict[str, WorldPool] = {}

    def update(self, seen: Sequence[Seen]) -> tuple[list[Shown], bool]:
        """What is to be drawn, and whether all of it is there. Brings over what changed."""
        shown, complete = [], True
        for item in seen:
            if item.world_id not in self._pools:
                self._pools[item.world_id] = self._renderer.new_pool()
            pool = self._pools[item.world_id]
            complete = pool.update(item.world, item.camera.eye) and complete
            shown.append(Shown(pool, item.camera, item.look))
        return shown, complete

    def keep_only(self, world_ids: set[str]) -> None:
        """Free the pools of all other worlds."""
        for world_id in self._pools.keys() - world_ids:
            self._renderer.drop_pool(self._pools.pop(world_id))

    def notices(self) -> list[str]:
        """What the pools have to say."""
        return [pool.notice for pool in self._pools.values() if pool.notice is not None]

    def draw(self, shown: Sequence[Shown], size: tuple[int, int]) -> FrameTarget:
        """Draw a frame."""
        return self._renderer.draw(shown, *size)


def picture_key(seen: Sequence[Seen], size: tuple[int, int]) -> Hashable:
    """What a picture depends on: equal keys, equal pictures."""
    return size, tuple(
        (
            item.world_id,
            id(item.world),
            item.world.version,
            item.camera.view.tobytes(),
            item.camera.projection.tobytes(),
            item.look,
        )
        for item in seen
    )
