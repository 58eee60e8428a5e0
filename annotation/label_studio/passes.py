"""The questions, data keys and keyboard shortcuts of both passes: the first is blind, the second shows the answers of
the first and the right ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.campaigns.project_file import ItemsSection, ProjectFile, ShownColumn
from annotation.campaigns.questions import Question
from annotation.label_studio_controls import elements, get_control
from annotation.label_studio_controls.results import SEEN_CONTROL, list_pass_questions

ITEM_HTML_KEY = "shown"
"""The data key of the item's HTML, without the texts in which spans are marked."""
ITEM_OBJECT = "item:shown"
"""The name of the object that shows the item; questions have no colon in their names."""
SEEN_HOTKEY = "m"
"""The hotkey of the box by which the right answers are confirmed to have been seen, where letters are hotkeys."""


def list_questions(definition: ProjectFile, *, second_pass: bool) -> tuple[Question, ...]:
    """The questions of a pass: those of step 1; in the second pass those of later steps, or else all."""
    return list_pass_questions(definition.all_questions, second_pass=second_pass)


def is_typed(questions: Sequence[Question]) -> bool:
    """Whether texts are typed on the page of these questions."""
    return any(get_control(question).is_typed for question in questions)


def list_marked_columns(definition: ProjectFile, *, second_pass: bool) -> tuple[str, ...]:
    """The columns in which a pass marks spans, in the order in which they are shown."""
    questions = list_questions(definition, second_pass=second_pass)
    fields = {question.text_column for question in questions if question.marks_parts}
    parts = definition.items.shown_columns if isinstance(definition.items, ItemsSection) else ()
    return tuple(dict.fromkeys(part.field for part in parts if part.field in fields))


def list_pictures(definition: ProjectFile, *, second_pass: bool = False) -> tuple[ShownColumn, ...]:
    """The columns of pictures that a pass shows, in the order in which they are shown."""
    parts = definition.items.shown_columns if isinstance(definition.items, ItemsSection) else ()
    return tuple(part for part in parts if part.is_picture and (second_pass or part.step == 1))


def has_shown_parts(definition: ProjectFile, fields: Sequence[str]) -> bool:
    """Whether columns are shown other than the texts with spans, and than pictures."""
    if not isinstance(definition.items, ItemsSection):
        return True
    return any(part.field not in fields and not part.is_picture for part in definition.items.shown_columns)


def get_main_object(definition: ProjectFile, fields: Sequence[str]) -> str:
    """The object to which controls refer: the item's HTML, a text in which spans are marked, a picture, or a text to
    compare; the first of these that there is.
    """
    if has_shown_parts(definition, fields):
        return ITEM_OBJECT
    if fields:
        return elements.get_text_object(fields[0])
    pictures = list_pictures(definition)
    return elements.get_image_object(pictures[0].field) if pictures else elements.get_side_object(1)


def assign_hotkeys(definition: ProjectFile, *, second_pass: bool) -> Mapping[str, tuple[str, ...]]:
    """The hotkeys of a pass: those of every control's options by position, and that of SEEN_CONTROL.

    They are the same in every language, and a question that both passes ask keeps them. Options in the task get the
    digits, the abstain option the last of them. Options beyond the last key have none. Label Studio itself uses r, u
    and h.

    Where something is typed, only digits are hotkeys: else words that are typed while the cursor is not in the field
    would choose options. A question for which the digits do not suffice gets combinations that nobody presses.
    """
    questions = list_questions(definition, second_pass=second_pass)
    types = is_typed(questions)
    keys_left = list(elements.DIGIT_HOTKEYS if types else ALL_HOTKEYS)
    unused = list(elements.UNUSED_HOTKEYS)
    hotkeys: dict[str, tuple[str, ...]] = {}
    for question in sorted(questions, key=lambda question: not elements.has_task_options(question)):
        counts = get_control(question).count_hotkeys(question)
        keys = unused if types and sum(counts.values()) > len(keys_left) else keys_left
        for name, count in counts.items():
            hotkeys[name] = tuple(keys[:count])
            del keys[:count]
    seen = (keys_left or unused) if types else [SEEN_HOTKEY]
    return hotkeys | {SEEN_CONTROL: tuple(seen[-1:])}


ALL_HOTKEYS = f"{elements.DIGIT_HOTKEYS}qwetyiopasdfgjklzxcvbn"
