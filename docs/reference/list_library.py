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

The four functions that a notebook imports from `aggregation`, and their results, written by `make reference` from the
docstrings. [How to work in a notebook](../how-to/work-in-a-notebook.md) begins with three lines.
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
        sys.exit(f"{PAGE.name} is old. Renew it: make reference")


if __name__ == "__main__":
    main()
