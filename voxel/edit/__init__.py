# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that people make to worlds, each as an Edit."""
