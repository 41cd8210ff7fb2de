# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension is enabled, and its tab in the sidebar is shown beside another one."""

import driver


def steps() -> driver.Steps:
    driver.viewport().spaces.active.show_region_ui = True
    yield from driver.settle()
    driver.record("seconds to enable", driver.enable_extension())
    yield from driver.settle()
    for tab in ("Tool", "Voxelwright"):
        driver.region("UI").active_panel_category = tab
        yield from driver.photograph(tab)
        driver.record(tab, driver.region("UI").active_panel_category)
    driver.record("sidebar", driver.rectangle("UI"))
