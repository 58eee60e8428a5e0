"""A project whose item is Markdown: a table, code, formulas, and what must stay text."""

from __future__ import annotations

import json
from pathlib import Path

PROJECT = """\
project: sums
title: Sums
language: en
instructions: Look.
question: {type: choice, text: "Is it right?", options: ["yes", "no"]}
items: {file: items.jsonl, id: id, show: [{field: text, as: markdown}], gold: gold}
overlap: 2
"""
TEXT = r"""# Task

For $x_1 \le 5$ and **find** $\frac{a}{b}$, [rules](https://a.b/c_d_e) and <b onclick="x">it</b>.

| name | long word | a third column of the table | n |
|:-----|:---------:|-----------------------------|--:|
| one | `f(x)` | antidisestablishmentarianism | 1 |
| two | $x^2$ | $\alpha \in \mathbb{R}$ | 22 |

```python
def solve(first_argument, second_argument, third_argument):
    return "<script>alert(1)</script>"
```

$$
x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a} + \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} + \sum_{i=1}^{n} i
$$

3. third: $x_{n+1}$ and $\foo{y}$
   - inner
"""


def write_project(folder: Path, *, project: str = PROJECT, texts: tuple[str, ...] = (TEXT,)) -> Path:
    """Write the project, with an item for each text; the path of its file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sums.yaml").write_text(project, "utf-8")
    rows = [{"id": f"q{number}", "text": text, "gold": "yes"} for number, text in enumerate(texts, start=1)]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder / "sums.yaml"
