# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that several shaders share, run on the GPU and held to numpy. Blending has test_blend.py."""

from collections.abc import Callable, Iterator
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.frame import frame_record
from voxelwright.gpu_backend.records import UniformBinding
from voxelwright.voxel import layout
from voxelwright.voxel.palette import srgb_to_linear

Make = Callable[..., Any]
Run = Callable[..., NDArray[np.uint32]]

SURFACE = np.dtype(
    [
        ("color", "<f4", 3),
        ("opacity", "<f4"),
        ("normal", "<f4", 3),
        ("roughness", "<f4"),
        ("metallic", "<f4"),
        ("emission", "<f4"),
        ("material", "<u4"),
        ("face", "<u4"),
        ("is_smooth", "<u4"),
    ]
)
"""The struct of lib/gbuffer.glsl."""


def test_quads_are_unpacked_as_numpy_does(run_glsl: Run) -> None:
    quads = np.random.default_rng(2).integers(0, 1 << 64, 1000, np.uint64)
    body = """
    Quad q = unpack_quad(uvec2(word(0u), word(1u)));
    uint fields[8] = uint[](q.voxel.x, q.voxel.y, q.voxel.z, q.size.x, q.size.y, q.face, q.material, q.slot);
    for (uint k = 0u; k < 8u; k++) { put(k, fields[k]); }"""
    read = run_glsl('#include "lib/packed_quad.glsl"\n', body, quads, 8)
    expected = layout.unpack_quads(quads)
    np.testing.assert_array_equal(read, np.stack([expected[f] for f in layout.UNPACKED_QUAD_FIELDS], axis=1))


def test_packed_colours_come_back_and_are_normal_numbers(run_glsl: Run) -> None:
    rng = np.random.default_rng(8)
    every = np.stack([np.arange(256)] * 4, axis=1)
    items = np.concatenate([rng.integers(0, 256, (4000, 4)), every, np.roll(every, 128, axis=0) * (1, 0, 1, 1)])
    items[:, 3] //= 2
    colors = (items / (255, 255, 255, 127)).astype(np.float32)
    body = """
    float number = pack_color(real3(0u), real(3u));
    vec4 back = unpack_color(number);
    put(0u, back.rgb); put(3u, back.a); put(4u, number);"""
    read = run_glsl('#include "lib/packed_color.glsl"\n', body, colors, 5).view(np.float32)
    np.testing.assert_array_equal(np.round(read[:, :4] * (255, 255, 255, 127)), items)
    numbers = read[:, 4].astype(np.float64)
    assert (np.abs(numbers) >= 2.0**-63).all() and (np.abs(numbers) < 2.0**65).all()
    assert len(np.unique(numbers)) == len(np.unique(items, axis=0))


def test_a_layer_over_display_colours_gives_what_light_would(run_glsl: Run) -> None:
    """Whatever the light: over the ground that it was made for it gives the tone-mapped sum, and is never negative."""
    rng = np.random.default_rng(9)
    layer = rng.uniform(0, 1, (5000, 4)) ** 2 * (2, 2, 2, 1)
    behind = rng.uniform(0, 1, (5000, 3)) ** 3 * 6 * (rng.random((5000, 1)) < 0.8)
    body = """
    vec3 ground = real3(4u);
    vec4 layer = vec4(real3(0u), real(3u));
    vec4 shown = display_layer(layer, ground);
    put(0u, shown.rgb); put(3u, shown.a);
    put(4u, shown.rgb + overlay_from_linear(tone_map(ground)) * (1.0 - shown.a));
    put(7u, overlay_from_linear(tone_map(layer.rgb + ground * (1.0 - layer.a))));"""
    items = np.concatenate([layer, behind], axis=1).astype(np.float32)
    read = run_glsl('#include "lib/display_layer.glsl"\n', body, items, 10).view(np.float32)
    np.testing.assert_allclose(read[:, 4:7], read[:, 7:10], atol=1e-5)
    assert (read[:, :3] >= 0).all() and (read[:, 3] >= items[:, 3] - 1e-6).all() and (read[:, 3] <= 1).all()
    alone = ~behind.any(axis=1)
    np.testing.assert_allclose(read[alone, 3], items[alone, 3])


def test_the_table_of_faces_is_pythons(run_glsl: Run) -> None:
    body = """
    uint i = word(0u);
    uint face = i / 4u;
    vec2 uv = FACE_CORNERS_UV[i];
    put(0u, FACE_ORIGINS[face] + FACE_U[face] * uv.x + FACE_V[face] * uv.y);
    put(3u, FACE_NORMALS[face]);
    put(6u, float(QUAD_TRIANGLES[i % 6u]));"""
    read = run_glsl('#include "lib/faces.glsl"', body, np.arange(24, dtype=np.uint32), 7).view(np.float32)
    np.testing.assert_array_equal(read[:, :3], layout.quad_corner_offsets().reshape(24, 3))
    np.testing.assert_array_equal(read[:, 3:6], np.repeat(layout.FACE_NORMALS, 4, axis=0))
    np.testing.assert_array_equal(read[:6, 6], layout.QUAD_TRIANGLES)


def test_corners_of_quads_are_those_of_the_cpu(run_glsl: Run, frame: Callable[..., None], front: Camera) -> None:
    rng = np.random.default_rng(4)
    fields = {name: rng.integers(0, 32, 200) for name in ("x", "y", "z")}
    fields |= {"width": rng.integers(1, 33, 200), "height": rng.integers(1, 33, 200), "face": np.arange(200) % 6}
    quads = layout.pack_quads({**fields, "material": np.ones(200, np.int64), "slot": np.zeros(200, np.int64)})
    frame(front)
    body = """
    for (uint k = 0u; k < 4u; k++) { put(k * 3u, quad_corner(unpack_quad(uvec2(word(0u), word(1u))), k)); }"""
    read = run_glsl('#include "lib/quad_corner.glsl"', body, quads, 12).view(np.float32).reshape(-1, 4, 3)
    size = np.ones((200, 3), np.int64)
    rows = np.arange(200)
    size[rows, layout.FACE_U_AXIS[fields["face"]]] = fields["width"]
    size[rows, layout.FACE_V_AXIS[fields["face"]]] = fields["height"]
    low = np.stack([fields["x"], fields["y"], fields["z"]], axis=1)
    offsets = layout.quad_corner_offsets()[fields["face"]]
    np.testing.assert_array_equal(read, low[:, None] + offsets * size[:, None])


def _packed(run_glsl: Run, surfaces: NDArray[Any]) -> NDArray[Any]:
    """Surfaces once they have been through the G-buffer, its colours through bytes."""
    body = """
    Surface s = Surface(
        real3(0u), real(3u), real3(4u), real(7u), real(8u), real(9u), word(10u), word(11u), word(12u) != 0u
    );
    vec4 color = floor(packed_color(s) * 255.0 + 0.5) / 255.0;
    s = unpacked_surface(color, packed_surface(s));
    put(0u, s.color); put(3u, s.opacity); put(4u, s.normal); put(7u, s.roughness); put(8u, s.metallic);
    put(9u, s.emission); put(10u, s.material); put(11u, s.face); put(12u, uint(s.is_smooth));"""
    return run_glsl('#include "lib/gbuffer.glsl"', body, surfaces, 13).view(SURFACE)[:, 0]


def test_axis_normals_come_through_the_gbuffer(run_glsl: Run) -> None:
    """Exactly, but for drivers whose divisions are not."""
    surfaces = np.zeros(6, SURFACE)
    surfaces["normal"] = layout.FACE_NORMALS
    np.testing.assert_allclose(_packed(run_glsl, surfaces)["normal"], layout.FACE_NORMALS, rtol=0, atol=1e-7)


def test_surfaces_come_through_the_gbuffer(run_glsl: Run) -> None:
    rng = np.random.default_rng(6)
    surfaces = np.zeros(2000, SURFACE)
    normals = rng.normal(size=(2000, 3))
    surfaces["normal"] = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    for name in ("color", "opacity", "roughness", "metallic"):
        surfaces[name] = rng.random(surfaces[name].shape)
    surfaces["emission"] = np.concatenate([10 ** rng.uniform(-2, 3, 1998), (0, 1000)])
    surfaces["material"], surfaces["face"] = np.arange(2000) % 256, np.arange(2000) % 6
    surfaces["is_smooth"] = np.arange(2000) % 7 < 3
    read = _packed(run_glsl, surfaces)
    angle = np.arccos(np.clip((read["normal"].astype(float) * surfaces["normal"]).sum(axis=1), -1, 1))
    assert angle.max() < 1.5e-3
    np.testing.assert_allclose(np.linalg.norm(read["normal"], axis=1), 1, atol=1e-6)
    for name in ("opacity", "roughness", "metallic"):
        np.testing.assert_allclose(read[name], surfaces[name], atol=0.51 / 255)
    np.testing.assert_allclose(1 + read["emission"], 1 + surfaces["emission"], rtol=0.016)
    assert read["emission"][-2] == 0
    for name in ("material", "face", "is_smooth"):
        np.testing.assert_array_equal(read[name], surfaces[name])


def test_all_256_bytes_of_a_colour_come_through_the_gbuffer(run_glsl: Run) -> None:
    linear = srgb_to_linear(np.arange(256) / 255.0)
    surfaces = np.zeros(256, SURFACE)
    surfaces["normal"] = 0, 0, 1
    surfaces["color"] = linear[:, None]
    np.testing.assert_allclose(_packed(run_glsl, surfaces)["color"], surfaces["color"], atol=2e-6)


def test_what_is_brighter_than_white_is_cut_in_the_gbuffer(run_glsl: Run) -> None:
    surfaces = np.zeros(2, SURFACE)
    surfaces["normal"], surfaces["color"] = (0, 0, 1), [(1.5, -0.5, 1.0), (0, 0, 0)]
    surfaces["emission"] = 1e6, 0
    read = _packed(run_glsl, surfaces)
    np.testing.assert_allclose(read["color"], [(1, 0, 1), (0, 0, 0)], atol=1e-6)
    assert read["emission"][0] > 1000


def test_the_visibility_target_tells_all_quads_apart(run_glsl: Run) -> None:
    quads = np.unique(np.random.default_rng(1).integers(0, 1 << 29, 500, np.uint32))
    quads = np.concatenate([[0, 1, (1 << 29) - 1], quads]).astype(np.uint32)
    body = """
    uint n = word(0u);
    uint seen[3] = uint[](blocky_visibility(n), smooth_visibility(n, 0u), smooth_visibility(n, 1u));
    for (uint k = 0u; k < 3u; k++) {
        put(k * 5u, seen[k]);
        put(k * 5u + 1u, uint(sees_blocky(seen[k])));
        put(k * 5u + 2u, uint(sees_smooth(seen[k])));
        put(k * 5u + 3u, k == 0u ? blocky_quad(seen[k]) : smooth_quad(seen[k]));
        put(k * 5u + 4u, smooth_triangle(seen[k]));
    }
    put(15u, uint(sees_blocky(0u)));
    put(16u, uint(sees_smooth(0u)));"""
    read = run_glsl('#include "lib/visibility.glsl"', body, quads, 17)
    blocky, first, second = np.split(read[:, :15], 3, axis=1)
    for kind, (is_blocky, is_smooth) in ((blocky, (1, 0)), (first, (0, 1)), (second, (0, 1))):
        assert (kind[:, 0] != 0).all()
        np.testing.assert_array_equal(kind[:, 1:4], np.column_stack(np.broadcast_arrays(is_blocky, is_smooth, quads)))
    assert not first[:, 4].any() and second[:, 4].all()
    assert len(np.unique(read[:, [0, 5, 10]])) == 3 * len(np.unique(quads))
    assert not read[:, 15:].any()


@pytest.fixture
def frame(ctx: moderngl.Context) -> Iterator[Callable[..., None]]:
    """A function that binds the record of a frame of 96 × 64 pixels."""
    buffers: list[moderngl.Buffer] = []

    def bind(camera: Camera, shift: tuple[float, float] = (0.0, 0.0)) -> None:
        buffers.append(ctx.buffer(frame_record(camera, 96, 64, shift=shift).tobytes()))
        buffers[-1].bind_to_uniform_block(UniformBinding.FRAME)

    yield bind
    for buffer in buffers:
        buffer.release()


@pytest.mark.parametrize("far_away", [0, 962_560])
@pytest.mark.parametrize("orthographic", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_rays_of_pixels(
    seed: int, orthographic: bool, far_away: int, run_glsl: Run, frame: Make, flat: Make, rays_of: Make
) -> None:
    """In eye space, also where the view is scaled and shifted; and how far along them planes are."""
    rng = np.random.default_rng(seed)
    low = rng.integers(-50, 50, 3) + far_away
    camera = orbit_camera(low, low + 20, 360 * rng.random(), rng.uniform(-90, 90), 1.5)
    camera = flat(camera, 14.0) if orthographic else camera
    scale = rng.uniform(0.3, 3)
    camera = Camera(
        np.diag([scale, scale, scale, 1.0]) @ camera.view, camera.projection @ np.diag([*[1 / scale] * 3, 1])
    )
    frame(camera, (0.25, -0.4))
    origins, directions = rays_of(camera, 96, 64, (-0.25, 0.4))
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    point = rng.uniform(-10, 10, 3)
    y, x = np.mgrid[:64, :96]
    items = np.concatenate([np.stack([x, y], -1), np.broadcast_to((*normal, *point), (64, 96, 6))], axis=-1)
    body = """
    Ray ray = pixel_ray(vec2(real(0u), real(1u)));
    put(0u, ray.origin); put(3u, ray.direction); put(6u, distance_to_plane(ray, real3(2u), real3(5u)));"""
    read = run_glsl('#include "lib/ray.glsl"', body, items.reshape(-1, 8).astype(np.float32), 7)
    read = read.view(np.float32).reshape(64, 96, 7).astype(float)
    relative = origins - camera.eye
    np.testing.assert_allclose(read[..., 3:6], directions, atol=2e-5)
    np.testing.assert_allclose(read[..., :3], relative, atol=1e-5 * max(1.0, np.abs(relative).max()))
    along = directions @ normal
    clear = np.abs(along) > 0.05
    expected = ((point - relative) @ normal / np.where(clear, along, 1.0))[clear]
    np.testing.assert_allclose(read[..., 6][clear], expected, rtol=1e-3, atol=2e-3)


def test_a_ray_along_a_plane_meets_it_far_away(run_glsl: Run, frame: Make, front: Camera) -> None:
    frame(front)
    body = """
    Ray ray = Ray(vec3(0.0), vec3(0.0, 1.0, 0.0));
    put(0u, distance_to_plane(ray, vec3(0.0, 0.0, 1.0), vec3(0.0, 0.0, 2.0)));"""
    read = run_glsl('#include "lib/ray.glsl"', body, np.zeros(1, np.float32), 1).view(np.float32)
    assert np.isfinite(read).all() and read[0, 0] > 1e5


def test_the_largest_face_of_a_normal(run_glsl: Run) -> None:
    normals = np.random.default_rng(8).normal(size=(500, 3)).astype(np.float32)
    body = "put(0u, largest_face(real3(0u)));"
    read = run_glsl('#include "lib/largest_face.glsl"', body, normals, 1)[:, 0]
    np.testing.assert_array_equal(read, (normals @ layout.FACE_NORMALS.T).argmax(axis=1))


def test_tone_mapping_rises_and_srgb_is_the_standards(run_glsl: Run) -> None:
    light = np.concatenate([[0.0], 10 ** np.linspace(-4, 4, 400)]).astype(np.float32)
    body = "put(0u, tone_map(vec3(real(0u))).x); put(1u, srgb_from_linear(vec3(min(real(0u), 1.0))).x);"
    read = run_glsl('#include "lib/tone_map.glsl"', body, light, 2).view(np.float32)
    assert read[0, 0] == 0 and read[-1, 0] == 1
    assert (np.diff(read[:, 0]) >= -1e-6).all()
    np.testing.assert_allclose(srgb_to_linear(read[:, 1].astype(float)), np.minimum(light, 1), atol=1e-5)
