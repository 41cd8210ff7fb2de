# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of docs/scripting.md for Blender run, in their order."""

import re


def test_the_examples_of_operators_run(blender, project_root):
    text = (project_root / "docs" / "scripting.md").read_text(encoding="utf-8")
    operators = text.partition("\n## Operators\n")[2].partition("\n## ")[0]
    examples = re.findall(r"^```python\n(.*?)^```$", operators, re.MULTILINE | re.DOTALL)
    assert len(examples) >= 3
    names = {}
    for example in examples:
        exec(example, names)
