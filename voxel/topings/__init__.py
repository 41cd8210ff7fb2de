# SPDX-License-Identifier: GPL-3.0-or-later
"""What grows on exposed tops, or edges them: meshes, and where they stand (docs/topings.md)."""
