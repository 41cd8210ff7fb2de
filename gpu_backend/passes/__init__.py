# SPDX-License-Identifier: GPL-3.0-or-later
"""The passes of a frame, one file each."""
