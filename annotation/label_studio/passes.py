"""The questions, data keys and keyboard shortcuts of both passes: the first is blind, the second shows the answers of
the first and the right ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from annotation.campaigns.project_file import ItemsSection, ProjectFile
from annotation.campaigns.questions import (
    ChoiceQuestion,
    ChoicesQuestion,
    EditQuestion,
    Question,
    SpanQuestion,
)
from annotation.loading.judgements.label_studio_json import get_none_control, list_option_texts, list_pass_questions

ITEM_HTML_KEY = "shown"
"""The data key of the item's HTML, without the texts in which spans are marked."""
ITEM_OBJECT = "item:shown"
"""The name of the object that shows the item; questions have no colon in their names."""


def list_questions(definition: ProjectFile, *, second_pass: bool) -> tuple[Question, ...]:
    """The questions of a pass: those of step 1; in the second pass those of later steps, or else all."""
    return list_pass_questions(definition.all_questions, second_pass=second_pass)


def may_stay_empty(question: Question) -> bool:
    """Whether nothing is an answer to a question that is asked: it is optional, or no box has to be ticked."""
    return not question.required or (isinstance(question, ChoicesQuestion) and question.least == 0)


def allows_empty_answer(definition: ProjectFile, *, second_pass: bool) -> bool:
    """Whether a pass can be answered with nothing at all: every question may stay empty, or is not asked of everybody.

    Label Studio has one switch for the whole project (`enable_empty_annotation`), without which nothing is submitted.
    """
    questions = list_questions(definition, second_pass=second_pass)
    return all(may_stay_empty(question) or question.show_if is not None for question in questions)


def list_marked_columns(definition: ProjectFile, *, second_pass: bool) -> tuple[str, ...]:
    """The columns in which a pass marks spans, in the order in which they are shown."""
    questions = list_questions(definition, second_pass=second_pass)
    fields = {question.field for question in questions if isinstance(question, SpanQuestion)}
    parts = definition.items.shown_columns if isinstance(definition.items, ItemsSection) else ()
    return tuple(dict.fromkeys(part.field for part in parts if part.field in fields))


def has_task_options(question: Question) -> bool:
    """Whether the options are part of the task, because they or their order differ from item to item."""
    return isinstance(question, ChoiceQuestion | ChoicesQuestion) and (question.options is None or question.shuffle)


def get_options_key(question: Question) -> str:
    """The data key of a question's options."""
    return f"options_{_escape_key(question.name)}"


def get_edit_key(question: EditQuestion) -> str:
    """The data key of the text to correct."""
    return f"edit_{_escape_key(question.name)}"


def get_text_key(column: str) -> str:
    """The data key of a text in which spans are marked."""
    return f"text_{_escape_key(column)}"


def get_text_object(column: str) -> str:
    """The name of the object that shows a text in which spans are marked."""
    return f"text:{_escape_key(column)}"


def assign_hotkeys(definition: ProjectFile) -> Mapping[str, tuple[str, ...]]:
    """The hotkeys of the options of every question by position, the same in both passes and in every language.

    Options in the task get the digits, the abstain option the last of them. Options beyond the last key have none.
    Label Studio itself uses r, u and h.
    """
    keys_left = list(ALL_HOTKEYS)
    hotkeys: dict[str, tuple[str, ...]] = {}
    for question in sorted(definition.all_questions, key=lambda question: not has_task_options(question)):
        count = len(DIGIT_HOTKEYS) if has_task_options(question) else len(list_option_texts(question))
        count = 1 if isinstance(question, SpanQuestion) else count
        hotkeys[question.name], keys_left = tuple(keys_left[:count]), keys_left[count:]
        if isinstance(question, SpanQuestion) and question.none is not None:
            hotkeys[get_none_control(question)], keys_left = tuple(keys_left[:1]), keys_left[1:]
    return hotkeys


DIGIT_HOTKEYS = "1234567890"
ALL_HOTKEYS = f"{DIGIT_HOTKEYS}qwetyiopasdfgjklzxcvbnm"


def _escape_key(name: str) -> str:
    """Label Studio reads letters, digits and `_` after a `$`; any other character is replaced by its code."""
    return re.sub(r"[^A-Za-z0-9_]", lambda match: f"_{ord(match[0]):x}", name)
