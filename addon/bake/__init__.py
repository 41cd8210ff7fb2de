# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh arrays to Blender's objects and materials, and to files."""
