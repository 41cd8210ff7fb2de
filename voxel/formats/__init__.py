# SPDX-License-Identifier: GPL-3.0-or-later
"""Foreign bytes to worlds. Every reader is bounded, sceptical and never recursive, and raises VoxelwrightError."""
