# SPDX-License-Identifier: GPL-3.0-or-later
"""The world and everything computed from it: numpy and numba, no Blender, no OpenGL, no files but those handed in."""
