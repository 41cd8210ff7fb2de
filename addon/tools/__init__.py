# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools in the toolbar of 3D viewports, a file each."""
