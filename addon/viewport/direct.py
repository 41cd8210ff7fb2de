# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing in Blender's own OpenGL context: its state is kept, and the picture never leaves the graphics card."""

from collections.abc import Hashable, Sequence

from ...gpu_backend.context import attach_context, capabilities, check_errors, forget_errors
from ...gpu_backend.passes.present import PresentPass, new_packed_picture
from ...gpu_backend.renderer import Renderer
from ...gpu_backend.tiers import why_basic
from ...voxel.errors import VoxelwrightError
from ..preferences import Choices
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

    def draw(self, region: Hashable, seen: Sequence[Seen], size: tuple[int, int], choices: Choices) -> bool:
        """Show worlds in a region of size pixels; whether all of them is there. The region stands for its picture,
        which is drawn again only where something has changed."""
        with self._state.kept():
            forget_errors(self._ctx)
            blender, viewport = self._ctx.detect_framebuffer(), self._state.viewport()
            # moderngl binds the framebuffer in use again whenever it makes one, and that of the last draw may be gone.
            blender.use()
            complete = self._update(region, seen, size)
            blender.use()
            self._ctx.viewport = viewport
            self._present.run(self._pictures[region])
            check_errors(self._ctx, "drawing in the viewport")
        return complete

    def notices(self) -> list[str]:
        """What is not shown, or shown in a simpler way, in sentences."""
        return self.pools.notices()

    def keep_only(self, world_ids: set[str]) -> None:
        """Free what was kept of other worlds."""
        if self.pools.has_others(world_ids):
            with self._state.kept():
                self.pools.keep_only(world_ids)

    def _update(self, region: Hashable, seen: Sequence[Seen], size: tuple[int, int]) -> bool:
        key = picture_key(seen, size)
        if self._pictures.key_of(region) == key:
            return True
        picture = self._pictures.get(region)
        if picture is None or picture.size != size:
            if picture is not None:
                picture.release()
            picture = new_packed_picture(self._ctx, size)
        shown, complete = self.pools.update(seen)
        target = self.pools.draw(shown, size)
        self.renderer.pack(target, picture, seen[0].look.view)
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
