# SPDX-License-Identifier: GPL-3.0-or-later
"""A world as a picture, through moderngl. Knows nothing of Blender."""
