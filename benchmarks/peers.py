# SPDX-License-Identifier: GPL-3.0-or-later
"""Peers that several groups measure against."""

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import volumes

VTK_MS = {"hills": 54.0, "caves": 152.0}
"""What vtkSurfaceNets3D took for the volumes where the peers that are not built here were measured."""


def program(variable: str, *arguments: str | Path) -> list[float] | None:
    """The numbers that the program named by an environment variable prints, or None where it names none."""
    name = os.environ.get(variable)
    if not name:
        return None
    done = subprocess.run([name, *map(str, arguments)], check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]


def vtk_surface_nets_ms(name: str) -> float | None:
    """Milliseconds of vtkSurfaceNets3D for one volume, binary, one thread; None where vtk is not installed."""
    nets = _vtk_surface_nets(name)
    return None if nets is None else _vtk_ms(nets)


def vtk_surface_nets_and_normals_ms(name: str) -> tuple[float, float] | None:
    """The same, and milliseconds of vtkPolyDataNormals for the mesh: normals of vertices, nothing else."""
    nets = _vtk_surface_nets(name)
    if nets is None:
        return None
    from vtkmodules.vtkFiltersCore import vtkPolyDataNormals

    normals = vtkPolyDataNormals()
    normals.SetInputData(nets.GetOutput())
    normals.SplittingOff()
    normals.ConsistencyOff()
    return _vtk_ms(nets), _vtk_ms(normals)


def _vtk_surface_nets(name: str) -> Any:
    """vtkSurfaceNets3D with one volume, run once; None where vtk is not installed."""
    try:
        from vtkmodules.util.numpy_support import numpy_to_vtk
        from vtkmodules.vtkCommonCore import vtkSMPTools
        from vtkmodules.vtkCommonDataModel import vtkImageData
        from vtkmodules.vtkFiltersCore import vtkSurfaceNets3D
    except ImportError:
        return None
    vtkSMPTools.SetBackend("Sequential")
    solid = (volumes.materials(name)[1:-1, 1:-1, 1:-1] > 0).astype("u1")
    image = vtkImageData()
    image.SetDimensions(solid.shape[::-1])
    # A copy, because vtk would not keep the array alive.
    image.GetPointData().SetScalars(numpy_to_vtk(solid.ravel(), deep=True))
    nets = vtkSurfaceNets3D()
    nets.SetInputData(image)
    nets.SetLabel(0, 1)
    nets.SmoothingOff()
    nets.Update()
    return nets


def _vtk_ms(algorithm: Any) -> float:
    """Milliseconds of running one of vtk's algorithms anew, the median of three."""
    times = []
    for _ in range(3):
        algorithm.Modified()
        start = time.perf_counter()
        algorithm.Update()
        times.append(time.perf_counter() - start)
    return sorted(times)[1] * 1e3
