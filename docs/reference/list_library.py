"""Write library.md, the reference of what a notebook imports, from the docstrings of `aggregation.library`.

python docs/reference/list_library.py [--check]: with --check nothing is written, and a page that is old is an error.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aggregation.library.answer_scores import AnswerScores, score_answers
from aggregation.library.found_labels import FoundLabels, find_consensus
from aggregation.library.measured_agreement import MeasuredAgreement, measure_agreement
from aggregation.library.score_differences import ScoreDifferences, compare_scores

PAGE = Path(__file__).with_name("library.md")
FUNCTIONS = (
    (measure_agreement, MeasuredAgreement),
    (find_consensus, FoundLabels),
    (score_answers, AnswerScores),
    (compare_scores, ScoreDifferences),
)
INTRODUCTION = """\
# The library

Measure agreement, find labels and score people in a notebook, without a project and without a database. Three lines lead to Krippendorff's α with its
intervals:

```python
import pandas as pd
from aggregation import measure_agreement
measure_agreement(pd.read_csv("votes.csv"))
```

`votes.csv` has one vote per row and the columns of crowd-kit, `task`, `worker` and `label`, or those of hromada, `item`, `annotator` and `answer`.
[A notebook](../how-to/votes-to-report.ipynb) leads from votes to a report. The page is written by `make commands` from the docstrings.

| function | question | command with the same numbers |
|---|---|---|
| `measure_agreement` | How far do annotators agree? | `hromada agreement` |
| `find_consensus` | Which label has each item? | `hromada aggregate` |
| `score_answers` | How often are people right, by the gold? | `hromada baseline` |
| `compare_scores` | Are people better than a model? | `hromada compare` |

Every result has `to_frame()`, `plot()` (axes of matplotlib) and a table for notebook and terminal. Every score and coefficient has two intervals, and the name
of each says its population: *these people and new items*, or *new people and new items*. If one is missing, `reason` says why.

## Frames of other tools

- Other columns are ignored. If a frame has columns of both conventions, the complete one counts; if both are complete, drop one.
- Levels of the index with these names count as columns.
- Labels and ids can be texts, numbers, truth values or categories. Results give them back as they came. `1.0` is the label `1`.
- Texts are compared in Unicode's form NFC, without blanks around them. Labels that only look alike stay different, with a note.
- The categories of a categorical column are the labels that people could choose, also those that nobody chose. An ordered one has an order for
  `level="ordinal"`; so have numbers. For other labels give `labels=[…]` from the lowest.
- An empty cell is an error that names the column and the row. Leave out votes without an answer: `votes.dropna(subset=["label"])`.
- If one annotator voted twice on an item, the first vote counts, with a note; `repeats="all"` counts all, as crowd-kit does.
- Texts, marked parts and several boxes per answer need [a project](../how-to/bring-your-votes.md).

## Names of packages

hromada installs four packages: `aggregation`, `annotation`, `bot` and `exports`. A file of yours with one of these names, such as `bot.py` next to
the notebook, hides the package: `python -m bot.cli` then ends with "No module named" or "`__path__` attribute not found". The installed program `hromada`
finds its own packages in any folder, so use it, in a notebook as `!hromada`. For `from aggregation import …` rename a file of yours called
`aggregation.py`.
"""


def list_members(result: type) -> Iterator[tuple[str, str]]:
    """The public properties and methods of a result that have a docstring, as they are called, with the docstring."""
    for name, member in vars(result).items():
        if name.startswith("_") and name != "__getitem__":
            continue
        if isinstance(member, property):
            yield name, inspect.getdoc(member.fget) or ""
        elif inspect.isfunction(member):
            called = "result[NAME]" if name == "__getitem__" else f"{name}()"
            yield called, inspect.getdoc(member) or ""


def format_docstring(text: str) -> str:
    """A docstring as Markdown, with its example in a block of its own."""
    before, prompt, example = text.partition(">>> ")
    return before.rstrip() + (f"\n\n```python\n{prompt}{example.rstrip()}\n```" if prompt else "")


def format_signature(function: Any) -> str:
    """The signature with a parameter per line."""
    parameters = inspect.signature(function).parameters.values()
    lines, has_star = [], False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not has_star:
            lines.append("*")
            has_star = True
        lines.append(re.sub(r": '([^']*)'", r": \1", str(parameter)))
    return f"{function.__name__}(\n" + "".join(f"    {line},\n" for line in lines) + ")"


def write_page() -> str:
    """The text of the page."""
    parts = [INTRODUCTION]
    for function, result in FUNCTIONS:
        parts.append(f"\n## {function.__name__}\n\n```python\n{format_signature(function)}\n```\n")
        parts.append(f"\n{format_docstring(inspect.getdoc(function) or '')}\n")
        parts.append(f"\n### {result.__name__}\n\n{inspect.getdoc(result)}\n\n")
        parts += [f"- `{name}`: {' '.join(text.split())}\n" for name, text in list_members(result)]
    return "".join(parts)


def main() -> None:
    """Renew the page, or say that it is old."""
    renewed = write_page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(renewed, "utf-8")
    elif not PAGE.is_file() or renewed != PAGE.read_text("utf-8"):
        sys.exit(f"{PAGE.name} is old. Renew it: make commands")


if __name__ == "__main__":
    main()
