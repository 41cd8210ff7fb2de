# SPDX-License-Identifier: GPL-3.0-or-later
def test_worlds_are_seen_without_compute_shaders(window) -> None:
    seen = window("basic", "vulkan", timeout=300)
    way, failure, (notice,) = seen["drawn"]
    assert (way, failure) == ("carried", "")
    assert notice.startswith("Worlds are drawn the simple way")
    picture = seen.photograph("basic", seen["window"]).astype(int)
    green = (picture[..., 1] > picture[..., 0] + 40) & (picture[..., 1] > picture[..., 2] + 40)
    assert green.mean() > 0.05
