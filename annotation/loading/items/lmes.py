"""Items as Eval-UA-tion's LMES tasks: {name, instances: [{question, correctAnswer, …, additionalMetadata: {…}}]}.

Nested metadata become columns joined by `_` (`additionalMetadata_all_options`), as in the published copies of these
sets; a truth value becomes так or ні, as their authors' own scorer has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation import files
from annotation.errors import BadInput
from annotation.loading.items import nested

ANSWER = "correctAnswer"
YES_NO = {True: "так", False: "ні"}


def rows(path: Path) -> Iterator[files.Row]:
    """One row an instance; raises BadInput for one without question or answer."""
    for row in nested.rows(path, under="instances"):
        for key in ("question", ANSWER):
            if key not in row.values:
                raise BadInput(
                    f"The instance has no {key!r}.",
                    where=row.where(key),
                    remedy="Is this an LMES file? Leave `format` out if it is not.",
                )
        values = nested.flat(row.values, row=row)
        answer = values.get(ANSWER)
        yield files.Row(path, row.line, values | ({ANSWER: YES_NO[answer]} if isinstance(answer, bool) else {}))
