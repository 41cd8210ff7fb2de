# SPDX-License-Identifier: GPL-3.0-or-later
"""Voxelwright: author, preview and bake voxel worlds in Blender.

This file stays importable without Blender, so that the rooms below it (voxel, gpu_backend) can be used and
tested on their own. Blender calls register() and unregister().
"""


def register() -> None:
    from .addon import registration

    registration.register()


def unregister() -> None:
    from .addon import registration

    registration.unregister()
