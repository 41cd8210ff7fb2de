# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished pictures of viewports, and what they show: a picture is drawn again only where that has changed."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from ...gpu_backend.camera import Camera
from ...gpu_backend.decals import Decals
from ...gpu_backend.packed_picture import PackedPicture
from ...gpu_backend.world_renderer import Look, Pool, Shown, WorldRenderer
from ...voxel.world import World


@dataclass(frozen=True)
class Seen:
    """A world in a viewport: camera sees its voxel space, in which its decals are."""

    world_id: str
    world: World
    camera: Camera
    look: Look
    decals: Decals | None = None


class WorldPools:
    """A pool for each world that a renderer was asked for."""

    def __init__(self, renderer: WorldRenderer[Any, Any]) -> None:
        self._renderer = renderer
        self._pools: dict[str, Pool] = {}

    def update(self, seen: Sequence[Seen]) -> tuple[list[Shown], bool]:
        """What is to be drawn, and whether all of it is there. Brings over what changed."""
        shown, complete = [], True
        for item in seen:
            if item.world_id not in self._pools:
                self._pools[item.world_id] = self._renderer.new_pool()
            pool = self._pools[item.world_id]
            complete = pool.update(item.world, item.camera.eye, levels=item.look.detail > 0) and complete
            shown.append(Shown(pool, item.camera, item.look, item.decals))
        return shown, complete

    def has_others(self, world_ids: set[str]) -> bool:
        """Whether there is a pool of another world than these."""
        return bool(self._pools.keys() - world_ids)

    def keep_only(self, world_ids: set[str]) -> None:
        """Free the pools of all other worlds. The renderer's context must be current."""
        for world_id in self._pools.keys() - world_ids:
            self._renderer.drop_pool(self._pools.pop(world_id))

    def notices(self) -> list[str]:
        """What of the worlds and their decals is not shown."""
        return [*(p.notice for p in self._pools.values() if p.notice is not None), *self._renderer.notices()]

    def draw(self, picture: PackedPicture, shown: Sequence[Shown], sample: int) -> None:
        """Draw a frame into a picture, as WorldRenderer.draw_into() does."""
        self._renderer.draw_into(picture, shown, sample)


class Pictures:
    """The last pictures of viewport regions, by what stands for a region, with the key of what each shows: of so many
    regions, as those that are closed say nothing."""

    MAX = 16

    def __init__(self) -> None:
        self._pictures: dict[Hashable, tuple[Hashable, Any]] = {}

    def key_of(self, region: Hashable) -> Hashable:
        """What the region's picture shows; None where there is none, or where it is not all there."""
        return self._pictures[region][0] if region in self._pictures else None

    def __getitem__(self, region: Hashable) -> Any:
        return self._pictures[region][1]

    def get(self, region: Hashable) -> Any | None:
        """The region's picture, where it has one."""
        return self._pictures[region][1] if region in self._pictures else None

    def put(self, region: Hashable, key: Hashable, picture: Any) -> list[Any]:
        """Replace a region's picture; returns those of others that are forgotten for it, the oldest first."""
        self._pictures.pop(region, None)
        self._pictures[region] = key, picture
        oldest = list(self._pictures)[: -self.MAX]
        return [self._pictures.pop(old)[1] for old in oldest]

    def forget_keys(self) -> None:
        """Have all drawn again."""
        self._pictures = {region: (None, picture) for region, (_, picture) in self._pictures.items()}

    def clear(self) -> list[Any]:
        """Forget all, and return them."""
        forgotten = [picture for _, picture in self._pictures.values()]
        self._pictures.clear()
        return forgotten


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
            item.decals,
        )
        for item in seen
    )
