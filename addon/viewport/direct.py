# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing in Blender's own OpenGL context: its state is kept, and the picture never leaves the graphics card."""

from collections.abc import Hashable, Sequence

from ...gpu_backend.context import attach_context, capabilities, check_errors, forget_errors
from ...gpu_backend.passes.present import PresentPass
from ...gpu_backend.renderer import Renderer
from ...gpu_backend.tiers import why_basic
from ...voxel.errors import VoxelwrightError
from .gl_loader import CurrentContext
from .gl_state import GlState
from .pictures import Pictures, Seen, WorldPools, picture_key


class DirectWay:
    """Must be made and used inside a draw handler, where Blender's context is current."""

    name = "direct"

    def __init__(self) -> None:
        loader = CurrentContext()
        self._state = GlState(loader.load)
        with self._state.kept():
            self._ctx = attach_context(loader)
            forget_errors(self._ctx)
            reason = why_basic(capabilities(self._ctx))
            if reason is not None:
                raise VoxelwrightError(reason)
            self.renderer = Renderer(self._ctx)
            self.pools = WorldPools(self.renderer)
            self._present = PresentPass(self._ctx)
        self._pictures = Pictures()
        self.figures = self.renderer.figures()
        """Of the last frame. Whoever shows them has no context of ours."""

    def draw(self, region: Hashable, seen: Sequence[Seen], size: tuple[int, int], samples: int = 1) -> bool:
        """Show worlds in a region; whether all of them is there.

        The region stands for its picture, which is drawn again only where something has changed. Where nothing has, and
        the picture is the average of less than samples frames, one more is added. size is the picture's, in pixels: the
        region's, or smaller and so coarser.
        """
        with self._state.kept():
            forget_errors(self._ctx)
            blender, viewport = self._ctx.detect_framebuffer(), self._state.viewport()
            # moderngl binds the framebuffer in use again whenever it makes one, and that of the last draw may be gone.
            blender.use()
            complete = self._update(region, seen, size, samples)
            blender.use()
            self._ctx.viewport = viewport
            self._present.run(self._pictures[region])
            check_errors(self._ctx, "drawing in the viewport")
        return complete

    def notices(self) -> list[str]:
        """What is not shown, or shown in a simpler way, in sentences."""
        return self.pools.notices()

    def n_samples(self, region: Hashable) -> int:
        """Of how many frames a region's picture is the average."""
        picture = self._pictures.get(region)
        return picture.n_samples if picture is not None else 0

    def set_budget(self, nbytes: int) -> None:
        """Let each world take so many bytes of graphics memory."""
        self.renderer.set_budget(nbytes)
        self._pictures.forget_keys()

    def keep_only(self, world_ids: set[str]) -> None:
        """Free what was kept of other worlds."""
        if self.pools.has_others(world_ids):
            with self._state.kept():
                self.pools.keep_only(world_ids)

    def _update(self, region: Hashable, seen: Sequence[Seen], size: tuple[int, int], samples: int) -> bool:
        key = picture_key(seen, size)
        picture = self._pictures.get(region)
        is_there = self._pictures.key_of(region) == key
        if is_there and picture.n_samples >= samples:
            return True
        if picture is None or picture.size != size:
            if picture is not None:
                picture.release()
            picture = self.renderer.new_picture(size)
        shown, complete = self.pools.update(seen)
        self.pools.draw(picture, shown, picture.n_samples if is_there else 0)
        self.figures = self.renderer.figures()
        for forgotten in self._pictures.put(region, key if complete else None, picture):
            forgotten.release()
        return complete

    def release(self) -> None:
        """Free everything; inside a draw handler too."""
        with self._state.kept():
            for picture in self._pictures.clear():
                picture.release()
            self._present.release()
            self.renderer.release()
