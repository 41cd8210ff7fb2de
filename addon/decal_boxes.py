# SPDX-License-Identifier: GPL-3.0-or-later
"""How boxes stand on surfaces. No bpy here."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

_LEVEL = 0.99
"""The cosine from which on a surface counts as level: Y points away from the front there, else up."""


def placed(location: ArrayLike, normal: ArrayLike, half: ArrayLike) -> NDArray[np.float64]:
    """(4, 4) float64: the cube from −1 to 1 with half-extents (3,) about a place, its Z axis along a normal of any
    length but 0, and its X axis level."""
    z = np.asarray(normal, np.float64)
    z = z / (np.linalg.norm(z) or 1.0)
    x = np.array((1.0, 0.0, 0.0)) if abs(z[2]) > _LEVEL else np.cross((0.0, 0.0, 1.0), z)
    y = np.cross(z, x)
    y /= np.linalg.norm(y)
    made = np.eye(4)
    made[:3, :3] = np.stack([np.cross(y, z), y, z], axis=1) * np.asarray(half, np.float64)
    made[:3, 3] = location
    return made
