# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of docs/scripting.md run, in their order."""

import re


def test_the_examples_of_functions_run(project_root):
    text = (project_root / "docs" / "scripting.md").read_text(encoding="utf-8")
    functions = text.partition("\n## Functions\n")[2].partition("\n## ")[0]
    examples = re.findall(r"^```python\n(.*?)^```$", functions, re.MULTILINE | re.DOTALL)
    assert len(examples) > 5
    names = {}
    for example in examples:
        exec(example, names)
