# SPDX-License-Identifier: GPL-3.0-or-later
"""A preset's graph of nodes: read, checked, and put in order."""

from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from ..limits import MAX_PRESET_NODES
from .keys import CHOICE, FINEST_WAVELENGTH, NODE_KINDS, REQUIRED, Key
from .reading import Reader

_KIND = Key("type", CHOICE, REQUIRED, "the kind of node", choices=tuple(NODE_KINDS))


@dataclass(frozen=True, slots=True)
class Node:
    """One node: its kind and its keys' values (keys.NODE_KINDS). solid: it differs from altitude to altitude."""

    kind: str
    values: Mapping[str, Any]
    solid: bool

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the nodes that it takes."""
        return node_inputs(self.values)


def node_inputs(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the nodes that a node with these values takes."""
    by = (values["by"],) if "by" in values else ()
    return (*values.get("of", ()), *by)


def read_nodes(reader: Reader, table: Mapping[str, Any]) -> dict[str, Node]:
    """All nodes of a preset by name, each after those that it takes. Raises VoxelwrightError."""
    if len(table) > MAX_PRESET_NODES:
        raise reader.error("nodes", f"has {len(table)} nodes; the limit is {MAX_PRESET_NODES}")
    kinds: dict[str, str] = {}
    values: dict[str, dict[str, Any]] = {}
    for name, entry in table.items():
        path = f"nodes.{name}"
        node = reader.table(entry, path)
        kind = reader.value(node, _KIND, f"{path}.")
        rest = {key: value for key, value in node.items() if key != "type"}
        kinds[name] = kind
        values[name] = reader.values(rest, NODE_KINDS[kind][1], f"{path}.")
        _check(reader, kind, values[name], path)
    nodes: dict[str, Node] = {}
    for name in _order(reader, values):
        own = kinds[name] in ("altitude", "depth") or values[name].get("space") == "solid"
        solid = own or any(nodes[other].solid for other in node_inputs(values[name]))
        nodes[name] = Node(kinds[name], values[name], solid)
    return nodes


def _check(reader: Reader, kind: str, values: Mapping[str, Any], path: str) -> None:
    if values.get("space") == "solid" and values["warp"] > 0:
        raise reader.error(f"{path}.warp", "moves flat noise only; leave it out, or the space")
    for axis in "xyz" if "wavelength" in values else "":
        if values["wavelength"] * values[f"stretch_{axis}"] < FINEST_WAVELENGTH:
            raise reader.error(
                f"{path}.stretch_{axis}", f"must leave a wavelength of at least {FINEST_WAVELENGTH} voxels"
            )
    if kind == "mix" and len(values["of"]) != 2:
        raise reader.error(f"{path}.of", f"must name two nodes, not {len(values['of'])}")
    if kind == "terrace" and len(values["of"]) != 1:
        raise reader.error(f"{path}.of", f"must name one node, not {len(values['of'])}")


def _order(reader: Reader, values: Mapping[str, Mapping[str, Any]]) -> list[str]:
    graph = {name: node_inputs(v) for name, v in values.items()}
    for name, inputs in graph.items():
        for i, other in enumerate(inputs):
            if other not in graph:
                key = "of" if i < len(values[name].get("of", ())) else "by"
                raise reader.error(f"nodes.{name}.{key}", f'names "{other[:80]}", which is no node of this preset')
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle = error.args[1]
        raise reader.error(
            f"nodes.{circle[0]}", f"goes in a circle, {' → '.join(reversed(circle))}; a node cannot take what needs it"
        ) from None
