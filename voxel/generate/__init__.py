# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds from numbers: noise, terrain, presets."""
