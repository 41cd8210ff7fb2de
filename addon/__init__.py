# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's side: the only room that imports bpy."""
