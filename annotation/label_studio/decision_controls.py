"""The controls of adjudication and review in Label Studio: their names, their choices, and what a result holds of them.

Every name has a colon, which names of questions have not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.campaigns.questions import ChoicesQuestion, EditQuestion, Question, SpanQuestion, TextQuestion
from annotation.errors import BadInput, Where
from annotation.loading.judgements.label_studio_json import PUSH_AGAIN_REMEDY

TASK_KEY = "decision"
"""The data key of our number of the task."""
ANSWERS_KEY = "answers"
"""The data key of the HTML of the candidates, or of the answer that is reviewed."""
VERDICTS_KEY = "verdicts"
"""The data key of the choices of an adjudicator."""
OTHERS_KEY = "others"
"""The data key of the candidates that may be right as well."""
ANSWERS_OBJECT = "decision:answers"
VERDICT, OTHERS, REASON = "decision:verdict", "decision:others", "decision:reason"
BROKEN, OWN, OWN_MARKS, ACCEPT, REJECT = "broken", "own", "marked", "accept", "reject"
N_BEGINNINGS = 6
"""How many texts one can begin a correction from: the original, and as many candidates as are left."""


def name_candidate(answer: str) -> str:
    """The alias of a candidate: it means the same answer wherever the candidate stands, and whatever comes later."""
    return hashlib.sha256(answer.encode()).hexdigest()[:16]


def get_beginning_control(number: int) -> str:
    """The name of the text field that begins with a candidate (from 1), or with nothing or the original (0)."""
    return f"decision:text:{number}"


def get_beginning_key(number: int) -> str:
    """The data key of the text with which a field begins."""
    return f"begin_{number}"


def name_beginning(number: int) -> str:
    """The alias of the choice that opens a text field."""
    return f"edit{number}"


def name_reason(number: int) -> str:
    """The alias of the choice that rejects an answer for a declared reason (from 1)."""
    return f"{REJECT}{number}"


def list_own_choices(question: Question, n_candidates: int) -> tuple[str, ...]:
    """The aliases of the choices by which an adjudicator gives an answer that is no candidate."""
    match question:
        case EditQuestion():
            return tuple(name_beginning(number) for number in (*range(1, n_candidates + 1), 0) if number < N_BEGINNINGS)
        case SpanQuestion():
            return (OWN_MARKS,)
        case TextQuestion() | ChoicesQuestion():
            return (OWN,)
    return ()


def read_controls(result: Sequence[Mapping[str, Any]], known: Sequence[str]) -> dict[str, list[Any]]:
    """The values in a result by control; raises BadInput for a control that is not known."""
    values: dict[str, list[Any]] = {}
    for region in result:
        name = str(region.get("from_name"))
        if name not in known:
            raise BadInput(
                f"Label Studio has an answer of {name!r}, which is not asked.",
                where=Where(field=name),
                remedy=PUSH_AGAIN_REMEDY,
            )
        values.setdefault(name, []).append(region.get("value"))
    return values


def read_choices(values: Sequence[Any]) -> list[str]:
    """The aliases that were chosen, each once."""
    chosen: list[str] = []
    for value in values:
        listed = value.get("choices") if isinstance(value, Mapping) else None
        for one in listed if isinstance(listed, list) else [listed]:
            alias = one[0] if isinstance(one, list) and one else one
            if isinstance(alias, str):
                chosen.append(alias)
    return list(dict.fromkeys(chosen))


def read_texts(values: Sequence[Any]) -> list[str]:
    """The texts that were written, each once: a TextArea gives one or a list."""
    written: list[str] = []
    for value in values:
        inner = value.get("text") if isinstance(value, Mapping) else value
        written += [str(text) for text in (inner if isinstance(inner, list) else [inner]) if text]
    return list(dict.fromkeys(text for text in written if text.strip()))
