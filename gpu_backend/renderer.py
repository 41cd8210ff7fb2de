# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame: the passes in their order."""

from collections.abc import Sequence

import moderngl

from .context import capabilities
from .decals import Decals, left_out
from .frame import frame_record
from .light import Light
from .owned import Owned
from .passes.casters import CastersPass
from .passes.cull import CullPass, CullQuadsPass
from .passes.decals import DecalsPass
from .passes.draw import Drawn, DrawPass
from .passes.maps import ComputeMapsPass
from .passes.occlusion import DepthTilesPass
from .passes.picture import CopyDepthPass
from .passes.pixels import PixelPass
from .passes.rays import RaysPass
from .pool import WorldPool
from .records import FRAME, UniformBinding
from .target import FrameTarget, ImageBinding
from .views import View
from .world_renderer import DEFAULT_BUDGET, Figures, Look, Shown, WorldRenderer, check_picture_size

__all__ = ["Figures", "Look", "Renderer", "Shown", "check_picture_size"]

_KINDS = ("blocky", "smooth")


class Renderer(WorldRenderer[WorldPool, FrameTarget]):
    """Draws worlds with compute shaders and storage blocks: OpenGL 4.3."""

    def __init__(self, ctx: moderngl.Context, *, merge: bool = True, budget: int = DEFAULT_BUDGET) -> None:
        self._able = capabilities(ctx)
        self._merge = merge
        self._left_out: dict[str, None] = {}
        self._resolves: dict[tuple[tuple[str, int], ...], tuple[PixelPass, PixelPass]] = {}
        super().__init__(ctx, budget)

    def draw(
        self, worlds: Sequence[Shown], width: int, height: int, shift: tuple[float, float] = (0.0, 0.0)
    ) -> FrameTarget:
        self.timers.collect()
        target = self._sized_target(width, height)
        target.bind_images()
        target.view = worlds[0].look.view if worlds else View.LIT
        self._left_out.clear()
        self._frame.bind_to_uniform_block(UniformBinding.FRAME)
        with self.timers.stage("clear"):
            target.clear_depth()
            self._clear(target, first=True)
        for index, shown in enumerate(worlds):
            pool = self._begin(shown, target, shift)
            if index:
                self._clear(target, first=False)
            target.geometry.depth_mask = True
            target.geometry.use()
            self._draw_opaque(shown, pool, target)
            self._shade_world(shown, pool, target, shown.decals)
        if worlds and worlds[0].look.sky:
            self._begin(worlds[0], target, shift)
            with self.timers.stage("sky"):
                self._sky.run(target.size, {"distances": target.distances}, view=target.view)
        self._draw_layer([shown for shown in worlds if shown.has_layer], target, shift)
        return target

    def notices(self) -> list[str]:
        return [left_out(list(self._left_out))] if self._left_out else []

    def release(self) -> None:
        super().release()
        for blocky, smooth in self._resolves.values():
            blocky.release()
            smooth.release()
        self._resolves.clear()

    def _make(self, owned: Owned) -> None:
        ctx = self._ctx
        self._cull = owned.add(CullPass(ctx))
        self._cull_quads = owned.add(CullQuadsPass(ctx))
        self._draw = owned.add(DrawPass(ctx))
        self._depth_tiles = owned.add(DepthTilesPass(ctx))
        self._copy_depth = owned.add(CopyDepthPass(ctx))
        self._clear_pass = owned.add(PixelPass(ctx, "draw/clear.comp"))
        self._rays = owned.add(RaysPass(ctx))
        self._decals = owned.add(DecalsPass(ctx))
        self._maps = owned.add(ComputeMapsPass(ctx, self._shadow_maps))
        self._casters = owned.add(CastersPass(ctx))
        self._shade = owned.add(PixelPass(ctx, "light/shade.comp"))
        self._sky = owned.add(PixelPass(ctx, "light/sky.comp"))
        self._accumulate = owned.add(PixelPass(ctx, "compose/accumulate.comp"))
        self._compose = owned.add(PixelPass(ctx, "compose/compose.comp"))
        self._frame = owned.add(ctx.buffer(reserve=FRAME.itemsize, dynamic=True))

    def _make_pool(self) -> WorldPool:
        return WorldPool(self._ctx, self._gl, self._able, self.timers, merge=self._merge, budget=self._budget)

    def _make_target(self, width: int, height: int) -> FrameTarget:
        return FrameTarget(self._ctx, width, height)

    def _shared_nbytes(self) -> int:
        return self._decals.nbytes

    def _add_to_sum(self, target: FrameTarget, *, first: bool) -> None:
        textures = {"light": target.light, "layer": target.layer.light if target.has_layer else target.light}
        tone_mapped = target.view is View.LIT
        self._accumulate.run(target.size, textures, has_layer=target.has_layer, tone_mapped=tone_mapped, first=first)

    def _compose_sum(self, target: FrameTarget) -> None:
        self._compose.run(target.size, {"sum": target.sum})

    def _begin(self, shown: Shown, target: FrameTarget, shift: tuple[float, float]) -> WorldPool:
        """Bind what a world's passes read; its pool."""
        pool, look = shown.pool, shown.look
        assert isinstance(pool, WorldPool)
        detail = look.detail if _fades(shown, pool) else 0.0
        record = frame_record(shown.camera, *target.size, look.sun_direction, shift, haze=look.haze, detail=detail)
        self._frame.write(record.tobytes())
        self._ctx.front_face = shown.camera.front_face
        pool.bind()
        return pool

    def _clear(self, target: FrameTarget, *, first: bool) -> None:
        self._clear_pass.run(target.size, {}, first=first)
        self._ctx.memory_barrier(moderngl.FRAMEBUFFER_BARRIER_BIT)

    def _draw_opaque(self, shown: Shown, pool: WorldPool, target: FrameTarget) -> None:
        """Draw one world's opaque quads, or all of them as such where it has no layer, over what is there. Only its own
        are in the visibility target then."""
        commands, levels = pool.commands, _fades(shown, pool)
        commands.resize(pool.quads.n_rows, pool.smooth.n_rows, pool.quads.capacity)
        drawn = Drawn.OPAQUE if pool.has_transparency else Drawn.ALL
        with self.timers.stage("cull"):
            self._cull.run(commands, target, second=False)
        with self.timers.stage("cull quads"):
            self._cull_quads.run(commands, target, second=False)
        with self.timers.stage("draw"):
            self._draw.run(commands, drawn, levels=levels)
        with self.timers.stage("cull hidden"):
            self._depth_tiles.run(target)
            self._cull.run(commands, target, second=True)
        with self.timers.stage("cull hidden quads"):
            self._cull_quads.run(commands, target, second=True)
            pool.materials.bind()
        with self.timers.stage("draw newly seen"):
            self._draw.run(commands, drawn, levels=levels)
            if pool.has_transparency and not shown.has_layer:
                self._draw.run(commands, Drawn.TRANSPARENT, levels=levels)

    def _draw_layer(self, worlds: Sequence[Shown], target: FrameTarget, shift: tuple[float, float]) -> None:
        """Draw what one sees through, before what is opaque: of all worlds the nearest in a pixel."""
        target.has_layer = len(worlds) > 0
        if not worlds:
            return
        layer = target.layer
        with self.timers.stage("clear layer"):
            layer.clear_light()
            self._copy_depth.run(target.depth, layer.depth_only)
            layer.light.bind_to_image(ImageBinding.LIGHT, read=True, write=True)
        for shown in worlds:
            pool = self._begin(shown, target, shift)
            self._clear(target, first=False)
            layer.geometry.use()
            with self.timers.stage("draw transparent"):
                self._draw.run(pool.commands, Drawn.TRANSPARENT, levels=_fades(shown, pool))
            self._shade_world(shown, pool, target)

    def _shade_world(self, shown: Shown, pool: WorldPool, target: FrameTarget, decals: Decals | None = None) -> None:
        """From what is seen of one world to its light, with decals on it."""
        look = shown.look
        with self.timers.stage("resolve"):
            seen = {"visibility_target": target.visibility}
            blocky, smooth = self._resolve(pool)
            blocky.run(target.size, seen, view=look.view, blending=look.blending)
            if pool.smooth.n_rows:
                smooth.run(target.size, seen, view=look.view, blending=look.blending)
        to_sun, to_sky = look.shows_shadows, look.shows_occlusion
        if (to_sun or to_sky) and look.light is Light.MAPS:
            self._maps.run(target, self.timers, shown, self._frame, lambda: self._draw_casters(pool))
        elif to_sun or to_sky:
            pool.fields.bind()
            self._rays.run(
                target,
                self.timers,
                has_surfaces=pool.has_smooth_voxels,
                to_sun=to_sun,
                to_sky=to_sky,
                radius=look.occlusion_radius,
                sun_size=look.sun_size,
                shadow_distance=look.shadow_distance,
                half=look.half_occlusion,
            )
        if decals is not None and look.view is View.LIT:
            self._left_out |= dict.fromkeys(self._decals.run(target, self.timers, decals, shown.camera))
        with self.timers.stage("shade"):
            gbuffer = {"distances": target.distances, "colors": target.colors, "surfaces": target.surfaces}
            textures = {**seen, **gbuffer, "occlusion": target.occlusion}
            self._shade.run(target.size, textures, view=look.view, strength=(look.shadows, look.occlusion))

    def _draw_casters(self, pool: WorldPool) -> None:
        commands = self._casters.run(pool.quads.n_rows, pool.smooth.n_rows)
        self._draw.run_casters(self._casters.buffer, *commands)

    def _resolve(self, pool: WorldPool) -> tuple[PixelPass, PixelPass]:
        """The passes for blocks and for smooth surfaces that read voxels as this pool has them."""
        key = tuple(pool.defines.items())
        if key not in self._resolves:
            with Owned() as owned:
                passes = [owned.add(PixelPass(self._ctx, f"resolve/{kind}.comp", pool.defines)) for kind in _KINDS]
                self._resolves[key] = passes[0], passes[1]
                owned.pop_all()
        return self._resolves[key]


def _fades(shown: Shown, pool: WorldPool) -> bool:
    """Whether a world is drawn in several levels of detail."""
    return shown.look.detail > 0 and pool.has_levels
