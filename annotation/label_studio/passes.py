"""What is asked and shown in which pass: first blind, then with her own answer and the right one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from annotation.campaigns.project import ItemsSection, ProjectFile
from annotation.campaigns.questions import Choice, Choices, Edit, Question, Scale, SpanOf

SHOWN = "shown"
"""The data key of what an item shows, as HTML, less the texts in which parts are marked."""
SECOND = "second"
"""The data key of what only a second look shows: her first answers, the right one, the explanation."""
SHOWN_OBJECT = "item:shown"
"""The name of the object that shows it; no question can have a name with a colon."""


def questions(definition: ProjectFile, *, second_pass: bool) -> tuple[Question, ...]:
    """The questions of a pass: the first step; then the later steps, or all again without any."""
    later = tuple(one for one in definition.asked if one.step > 1)
    if not second_pass:
        return tuple(one for one in definition.asked if one.step == 1)
    return later or definition.asked


def marked(definition: ProjectFile, *, second_pass: bool) -> tuple[str, ...]:
    """The columns in which a pass marks parts, in the order in which they are shown."""
    asked = {one.field for one in questions(definition, second_pass=second_pass) if isinstance(one, SpanOf)}
    parts = definition.items.parts if isinstance(definition.items, ItemsSection) else ()
    return tuple(dict.fromkeys(part.field for part in parts if part.field in asked))


def moving(question: Question) -> bool:
    """Whether the options come with the task: they differ from item to item, or their order does."""
    return isinstance(question, Choice | Choices) and (question.options is None or question.shuffle)


def texts(question: Question, own: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The options that people read, in the order of the file."""
    if isinstance(question, Choice | Choices):
        return question.options_of(own)
    return question.options if isinstance(question, Scale) else ()


def labels(question: Question, own: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """Under what those options are stored; Label Studio stores the same, as their aliases."""
    return question.labels_of(own) if isinstance(question, Choice) else texts(question, own)


def options_key(question: Question) -> str:
    """The data key of a question's options."""
    return f"options_{_key(question.name)}"


def edit_key(question: Edit) -> str:
    """The data key of the text that is filled in to be corrected."""
    return f"edit_{_key(question.name)}"


def text_key(column: str) -> str:
    """The data key of a text in which parts are marked."""
    return f"text_{_key(column)}"


def text_object(column: str) -> str:
    """The name of the object that shows such a text."""
    return f"text:{_key(column)}"


def none_control(question: SpanOf) -> str:
    """The name of the box that says that there is nothing to mark."""
    return f"{question.name}:none"


def hotkeys(definition: ProjectFile) -> Mapping[str, tuple[str, ...]]:
    """The keys of every question's options by their places, the same in both passes and in every language.

    Options that come with the task take the row of digits, and one that abstains its last. Where the keys run out,
    options have none. Label Studio itself uses r, u and h.
    """
    left = list(KEYS)
    found: dict[str, tuple[str, ...]] = {}
    for question in sorted(definition.asked, key=lambda one: not moving(one)):
        count = len(DIGITS) if moving(question) else len(texts(question))
        count = 1 if isinstance(question, SpanOf) else count
        found[question.name], left = tuple(left[:count]), left[count:]
        if isinstance(question, SpanOf) and question.none is not None:
            found[none_control(question)], left = tuple(left[:1]), left[1:]
    return found


DIGITS = "1234567890"
KEYS = f"{DIGITS}qwetyiopasdfgjklzxcvbnm"


def _key(name: str) -> str:
    """Label Studio reads letters, digits and `_` behind a `$`; whatever else there is becomes its number."""
    return re.sub(r"[^A-Za-z0-9_]", lambda found: f"_{ord(found[0]):x}", name)
