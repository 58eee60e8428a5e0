"""The controls of adjudication and review in Label Studio: their names, their choices, and what a result holds of them.

Every name has a colon, which names of questions have not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.errors import BadInput, Where
from annotation.label_studio_controls import elements

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

CHOOSE_REMEDY = "Open the task there, choose, and press Update."

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


def add_card(parent: Element, text: str, *, told: str | None = None, wide: bool = False) -> Element:
    """Add a card with what is asked, and a hint below it."""
    card = elements.add_view(parent, f"question{' hr-wide' * wide}")
    elements.add_header(card, text, name="asks")
    if told:
        elements.add_header(card, told, name="told", size=6)
    return card


def add_condition(parent: Element, alias: str, *, when: str = "choice-selected") -> Element:
    """Add a view that is shown while the verdict with this alias is chosen, or with `choice-unselected` is not."""
    return elements.add_view(parent, "when", visibleWhen=when, whenTagName=VERDICT, whenChoiceValue=alias)


def read_choices(values: Sequence[Any]) -> list[str]:
    """The aliases that were chosen, each once."""
    chosen: list[str] = []
    for value in values:
        listed = value.get("choices") if isinstance(value, Mapping) else None
        for choice in listed if isinstance(listed, list) else [listed]:
            alias = choice[0] if isinstance(choice, list) and choice else choice
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


def read_text(values: Mapping[str, Sequence[Any]], number: int, begun: Sequence[str]) -> str:
    """What a text field holds in the end; Label Studio may give the text that it began with beside it."""
    written = read_texts(values.get(get_beginning_control(number), []))
    initial_texts = {text.strip() for text in begun}
    new_texts = [text for text in written if text.strip() not in initial_texts] or written
    if len(new_texts) > 1:
        raise build_refusal("A field has several texts in Label Studio.")
    return new_texts[0] if new_texts else ""


def build_refusal(problem: str) -> BadInput:
    """The BadInput for a result that decides nothing."""
    return BadInput(problem, where=Where(field=VERDICT), remedy=CHOOSE_REMEDY)
