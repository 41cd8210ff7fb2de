# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators, one file a family. An operator's execute does the whole job; invoke is for interaction."""
