# SPDX-License-Identifier: GPL-3.0-or-later
"""Every name under which Blender knows something of ours."""

CATEGORY = "Voxelwright"
"""The sidebar tab."""

CLI_COMMAND = "voxelwright"
PROPERTIES = "voxelwright"
"""The property group on objects and scenes."""

OT_NEW_WORLD = "voxelwright.new_world"
OT_REGENERATE_WORLD = "voxelwright.regenerate_world"
OT_ADJUST_PRESET = "voxelwright.adjust_preset"
OT_SET_SMOOTHING = "voxelwright.set_smoothing"
OT_IMPORT_WORLD = "voxelwright.import_world"
OT_BAKE_WORLD = "voxelwright.bake_world"
OT_RETRY_PREVIEW = "voxelwright.retry_preview"
OT_EXPORT_BAKED = "voxelwright.export_baked"

PT_NEW_WORLD = "VOXELWRIGHT_PT_new_world"
PT_ADJUST = "VOXELWRIGHT_PT_adjust"
PT_WORLD = "VOXELWRIGHT_PT_world"
