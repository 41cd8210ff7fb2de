# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading presets: every key by the table of keys, and every mistake one sentence that names the file and the key."""

from dataclasses import MISSING, fields

import pytest

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.generate import preset as preset_module
from voxelwright.voxel.generate.keys import CHOICE, NODE_KINDS, NUMBER, REQUIRED, SECTIONS, WHOLE
from voxelwright.voxel.generate.preset import Layer, Stratum, missing_stamps, preset_from_toml, strata_from_toml
from voxelwright.voxel.generate.reading import parse_toml

INF = float("inf")
TOP = {"name": "Test", "description": "A test", "palette": "default", "heights": "ground", "rock": "stone"}
GROUND = {"type": "perlin", "wavelength": 40}
STRATUM = {"surface": "grass", "soil": "dirt"}
STAMP = {"layers": ["a.\n.b", "..\n.b"], "materials": {"a": "bark", "b": "leaves"}}
FEATURE = {"stamps": ["bush"], "spacing": 5, "on": ["grass"]}
WHOLE_PRESET = {
    **TOP,
    "nodes": {"ground": GROUND},
    "strata": [STRATUM],
    "water": {"level": 5, "material": "water"},
    "caves": [{"threshold": 0.1, "wavelength": 20}],
    "erosion": [{"kind": "thermal"}],
    "features": [FEATURE],
    "stamps": {"bush": STAMP},
}


def toml_value(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{k}" = {toml_value(v)}' for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\n", "\\n") + '"'
    return repr(value)


def toml(table):
    return "".join(f"{key} = {toml_value(value)}\n" for key, value in table.items())


def read(**changes):
    table = {key: value for key, value in {**WHOLE_PRESET, **changes}.items() if value is not None}
    return preset_from_toml(toml(table), "worlds/test.toml")


def refused(key, **changes):
    with pytest.raises(VoxelwrightError) as error:
        read(**changes)
    message = str(error.value)
    assert message.startswith((f'worlds/test.toml: "{key}" ', f'worlds/test.toml: "{key}.')), message
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 400
    return message


def test_a_whole_preset():
    preset = read()
    assert preset.name == "Test"
    assert preset.layers == (Layer("stone", 1),)
    assert preset.strata == (Stratum("grass", "dirt", below=INF, depth=3, steep=INF, cliff=""),)
    assert preset.nodes["ground"].kind == "perlin"
    assert preset.nodes["ground"].values["octaves"] == 5
    assert preset.stamps["bush"].shape == (2, 2, 2)
    assert preset.file_name == "worlds/test.toml"


@pytest.mark.parametrize("section", ["layers", "water", "strata", "caves", "erosion", "features"])
def test_dataclasses_and_keys_agree(section):
    kind = {"layers": "Layer", "water": "Water", "strata": "Stratum", "caves": "Cave", "features": "Feature"}
    own = fields(getattr(preset_module, kind.get(section, "Erosion")))
    assert {f.name: REQUIRED if f.default is MISSING else f.default for f in own} == {
        key.name: key.default for key in SECTIONS[section]
    }


# --- Numbers and choices, section by section -----------------------------------------------------------------------

NUMBERS = [
    (section, key)
    for section in ("water", "layers", "strata", "caves", "erosion", "features")
    for key in SECTIONS[section]
    if key.type in (NUMBER, WHOLE)
]
NODE_NUMBERS = [(kind, key) for kind, (_, keys) in NODE_KINDS.items() for key in keys if key.type in (NUMBER, WHOLE)]
MORE = {
    "layers": {"material": "stone", "thickness": 2},
    "strata": STRATUM,
    "caves": {"threshold": 0.1, "wavelength": 2000},
    "erosion": {"kind": "thermal"},
    "features": FEATURE,
}


def with_value(section, name, value):
    """Changes of WHOLE_PRESET with one value of a section."""
    if section == "water":
        return {"water": {"level": 5, "material": "water", name: value}}
    changed = {**MORE[section], name: value}
    if section == "strata":
        if name in ("steep", "cliff"):
            changed = {"steep": 1, "cliff": "stone", **changed}
        if name in ("at_least", "at_most"):
            changed = {"node": "ground", **changed}
        return {"strata": [changed, STRATUM]} if name in ("below", "at_least", "at_most") else {"strata": [changed]}
    if section == "features" and name in ("at_least", "at_most"):
        changed["node"] = "ground"
    rock = {"rock": None} if section == "layers" else {}
    return {section: [changed], **rock}


def path(section, name):
    return f"{section}.{name}" if section == "water" else f"{section}.0.{name}"


def check_number(key, where, changes_with):
    for value in (key.low, key.high):
        read(**changes_with(value))
    for value in (key.low - 1, key.high + 1, 10**18, -(10**18)):
        assert refused(where, **changes_with(value)).endswith(f"must be from {key.low} to {key.high}.")
    for value in ("1", True, [1], {"a": 1}, *((1.5,) if key.type == WHOLE else ())):
        whole = "whole " if key.type == WHOLE else ""
        assert refused(where, **changes_with(value)).endswith(f"must be a {whole}number.")
    if key.type == NUMBER:
        for value in (INF, -INF, float("nan")):
            assert "must be from" in refused(where, **changes_with(value))


@pytest.mark.parametrize(("section", "key"), NUMBERS, ids=[f"{s}.{k.name}" for s, k in NUMBERS])
def test_numbers_go_from_least_to_greatest(section, key):
    check_number(key, path(section, key.name), lambda value: with_value(section, key.name, value))


@pytest.mark.parametrize(("kind", "key"), NODE_NUMBERS, ids=[f"{s}.{k.name}" for s, k in NODE_NUMBERS])
def test_numbers_of_nodes(kind, key):
    def changes(value):
        base = {"type": kind, "wavelength": 5000, "value": 1, "of": ["ground"], "step": 2, "by": "ground"}
        known = {k.name for k in NODE_KINDS[kind][1]} | {"type"}
        node = {name: given for name, given in base.items() if name in known}
        if kind == "mix":
            node["of"] = ["ground", "ground"]
        return {"nodes": {"ground": GROUND, "other": {**node, key.name: value}}}

    check_number(key, f"nodes.other.{key.name}", changes)


def test_whole_numbers_become_floats_where_floats_are_meant():
    # Kernels are compiled anew for every combination of types.
    preset = read(strata=[{**STRATUM, "below": 5}, STRATUM], caves=[{"threshold": 1, "wavelength": 20, "octaves": 2}])
    assert type(preset.strata[0].below) is float
    assert type(preset.caves[0].wavelength) is float
    assert type(preset.caves[0].octaves) is int


@pytest.mark.parametrize("section", ["caves", "erosion", "features"])
def test_choices(section):
    for key in SECTIONS[section]:
        if key.type == CHOICE:
            for choice in key.choices:
                read(**with_value(section, key.name, choice))
            for value in ("", 3, "none"):
                refused(path(section, key.name), **with_value(section, key.name, value))


# --- Nodes -----------------------------------------------------------------------------------------------------------


def nodes(**others):
    return {"nodes": {"ground": GROUND, **others}}


def test_nodes_come_after_those_that_they_take():
    preset = read(
        nodes={
            "ground": {"type": "mix", "of": ["a", "b"], "by": "c"},
            "b": {"type": "terrace", "of": ["a"], "step": 3},
            "c": {"type": "add", "of": ["a", "b"]},
            "a": GROUND,
        }
    )
    order = list(preset.nodes)
    assert all(order.index(i) < order.index(name) for name, node in preset.nodes.items() for i in node.inputs)


@pytest.mark.parametrize(
    ("circle", "names"),
    [
        ({"a": {"type": "add", "of": ["a"]}}, {"a"}),
        ({"a": {"type": "add", "of": ["b"]}, "b": {"type": "add", "of": ["ground", "a"]}}, {"a", "b"}),
        ({"a": {"type": "mix", "of": ["ground", "ground"], "by": "a"}}, {"a"}),
    ],
)
def test_circles_are_refused(circle, names):
    with pytest.raises(
        VoxelwrightError, match=r'^worlds/test\.toml: "nodes\.[ab]" goes in a circle, .* → .*\.$'
    ) as error:
        read(**nodes(**circle))
    assert names <= set(str(error.value).split("circle, ")[1].split(";")[0].split(" → "))


@pytest.mark.parametrize(
    ("node", "key"),
    [
        ({"type": "add", "of": ["nothing"]}, "of"),
        ({"type": "mix", "of": ["ground", "ground"], "by": "nothing"}, "by"),
        ({"type": "mix", "of": ["ground"], "by": "ground"}, "of"),
        ({"type": "terrace", "of": ["ground", "ground"], "step": 1}, "of"),
        ({"type": "add", "of": []}, "of"),
        ({"type": "add", "of": "ground"}, "of"),
        ({"type": "add"}, "of"),
        ({"type": "perlin"}, "wavelength"),
        ({"type": "noise"}, "type"),
        ({}, "type"),
        ({"type": "perlin", "wavelength": 20, "of": ["ground"]}, "of"),
        ({"type": "perlin", "wavelength": 20, "height": 3}, "height"),
        ({"type": "perlin", "wavelength": 20, "space": "curved"}, "space"),
        ({"type": "perlin", "wavelength": 20, "space": "solid", "warp": 3}, "warp"),
        ({"type": "perlin", "wavelength": 20, "stretch_y": 0.05}, "stretch_y"),
        ({"type": "cellular", "wavelength": 20, "octaves": 3}, "octaves"),
        ({"type": "cellular", "wavelength": 20, "measure": "f3"}, "measure"),
    ],
)
def test_wrong_nodes_are_refused(node, key):
    refused(f"nodes.other.{key}", **nodes(other=node))


@pytest.mark.parametrize(
    "curve",
    [
        [],
        [[0, 1]],
        [[0, 1], [0, 2]],
        [[1, 1], [0, 2]],
        [[0, 1], [1]],
        [[0, 1], [1, 2, 3]],
        [[0, 1], [1, "2"]],
        [[0, 1], [1, True]],
        [[0, 1], [1, INF]],
        [[0, 1], 2],
        [[0, 1], [1, 1e9]],
        [[i, i] for i in range(17)],
        3,
    ],
)
def test_wrong_curves_are_refused(curve):
    refused("nodes.other.curve", **nodes(other={**GROUND, "curve": curve}))


def test_references_are_known_and_flat():
    solid = {**GROUND, "space": "solid"}
    assert read(density="other", **nodes(other=solid)).density == "other"
    for key in ("heights", "density", "tilt", "waver"):
        assert "no node" in refused(key, **{key: "nothing"})
        if key != "density":
            assert "must be flat" in refused(key, **{key: "other"}, **nodes(other=solid))
            inner = {"type": "add", "of": ["other"]}
            assert "must be flat" in refused(key, **{key: "inner"}, **nodes(other=solid, inner=inner))
    assert "no node" in refused("strata.0.node", strata=[{**STRATUM, "node": "nothing"}, STRATUM])
    assert "no node" in refused("features.0.node", features=[{**FEATURE, "node": "nothing"}])


def test_there_are_limits():
    assert "limit is 64" in refused("nodes", nodes={f"n{i}": GROUND for i in range(65)})
    assert "limit is 32" in refused("strata", strata=[{**STRATUM, "below": i} for i in range(33)])


# --- The rest --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["name", "description", "palette", "heights"])
@pytest.mark.parametrize("value", ["", 3, True, [], None])
def test_texts_are_texts(key, value):
    refused(key, **{key: value})


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"colour": 3}, "colour"),
        ({"nodes": None}, "nodes"),
        ({"nodes": 3}, "nodes"),
        ({"nodes": {"ground": 3}}, "nodes.ground"),
        ({"strata": None}, "strata"),
        ({"strata": []}, "strata"),
        ({"strata": [1]}, "strata"),
        ({"strata": "sand"}, "strata"),
        ({"strata": [{**STRATUM, "above": 3}]}, "strata.0.above"),
        ({"strata": [{"soil": "dirt"}]}, "strata.0.surface"),
        ({"strata": [{**STRATUM, "steep": 1}]}, "strata.0"),
        ({"strata": [{**STRATUM, "cliff": "stone"}]}, "strata.0"),
        ({"strata": [STRATUM, STRATUM]}, "strata.0"),
        ({"strata": [{**STRATUM, "below": 5}]}, "strata"),
        ({"rock": None}, "rock"),
        ({"layers": [{"material": "stone", "thickness": 1}]}, "rock"),
        ({"water": [1]}, "water"),
        ({"water": {"level": 3}}, "water.material"),
        ({"caves": {"threshold": 0.1}}, "caves"),
        ({"caves": [{"threshold": 0.1, "wavelength": 20, "flatness": 30}]}, "caves.0.flatness"),
        ({"caves": [{"wavelength": 20}]}, "caves.0.threshold"),
        ({"erosion": [{}]}, "erosion.0.kind"),
        ({"features": [{**FEATURE, "stamps": ["tree"]}]}, "features.0.stamps"),
        ({"features": [{**FEATURE, "stamps": []}]}, "features.0.stamps"),
        ({"features": [{**FEATURE, "on": "grass"}]}, "features.0.on"),
        ({"features": [{**FEATURE, "at_most": 1}]}, "features.0.node"),
        ({"strata": [{**STRATUM, "at_least": 1}]}, "strata.0.node"),
    ],
)
def test_wrong_sections_are_refused(changes, key):
    refused(key, **changes)


@pytest.mark.parametrize(
    ("stamp", "key"),
    [
        ({"layers": ["a"]}, "materials"),
        ({"materials": {"a": "bark"}}, "layers"),
        ({"layers": [], "materials": {"a": "bark"}}, "layers"),
        ({"layers": ["aa", "a"], "materials": {"a": "bark"}}, "layers"),
        ({"layers": ["a\naa"], "materials": {"a": "bark"}}, "layers"),
        ({"layers": ["\n"], "materials": {"a": "bark"}}, "layers"),
        ({"layers": ["ab"], "materials": {"a": "bark"}}, "layers"),
        ({"layers": ["a" * 33], "materials": {"a": "bark"}}, "layers"),
        ({"layers": ["a"] * 33, "materials": {"a": "bark"}}, "layers"),
        ({"layers": ["a"], "materials": {"ab": "bark"}}, "materials"),
        ({"layers": ["a"], "materials": {".": "bark"}}, "materials"),
        ({"layers": ["a"], "materials": {"a": 3}}, "materials"),
        ({"layers": ["a"], "materials": {"a": "bark"}, "size": 3}, "size"),
    ],
)
def test_wrong_stamps_are_refused(stamp, key):
    refused(f"stamps.bush.{key}", stamps={"bush": stamp})


@pytest.mark.parametrize(
    "text",
    [
        "name = ", "name", "[heightmap", "a = 1\na = 2\n", "a = 1\n[a]\n", 'name = "open\n', "\0", "a = " + "9" * 5000,
        "a = 2020-13-45\n", "a = " + "[" * 100_000, "a = " + "{b = " * 100_000,
    ],
)  # fmt: skip
def test_toml_that_is_none_is_refused(text):
    with pytest.raises(VoxelwrightError, match=r"^worlds/test\.toml [^\n]*\.$"):
        preset_from_toml(text, "worlds/test.toml")


def test_a_mistake_in_toml_is_placed():
    with pytest.raises(VoxelwrightError, match=r"^palettes/x\.toml is not valid TOML: .*line 2"):
        parse_toml("a = 1\nb == 2", "palettes/x.toml")


def test_strata_alone():
    table = {"palette": "default", "rock": "stone", "strata": [{**STRATUM, "below": 0.5}, STRATUM]}
    assert strata_from_toml(toml(table), "x") == (
        "default",
        "stone",
        (Stratum("grass", "dirt", below=0.5), Stratum("grass", "dirt")),
    )
    for wrong in ({"palette": 3}, {"rock": ""}, {"name": "c"}, {"strata": [{**STRATUM, "node": "a"}, STRATUM]}):
        with pytest.raises(VoxelwrightError, match=r'^strata/x\.toml: "[a-z.0-9]+" .*\.$'):
            strata_from_toml(toml({**table, **wrong}), "strata/x.toml")


def test_stamps_that_a_text_lacks_are_found():
    text = toml({**WHOLE_PRESET, "features": [FEATURE, {**FEATURE, "stamps": ["oak", "elm", "bush"]}]})
    assert missing_stamps(text, "x") == ["elm", "oak"]
    assert missing_stamps(toml({"name": "a"}), "x") == []
