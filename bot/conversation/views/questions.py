"""A question of an item: its options in full, with letters or numbers, and the buttons that answer it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise

from annotation.campaigns.questions import ChoicesQuestion, ScaleQuestion
from annotation.workflow.assignments import ShownQuestion
from bot.conversation.callbacks import ButtonAction
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonRows, InlineButton
from bot.conversation.views import message_layout
from bot.conversation.views.message_layout import TextBlock

MAX_BUTTONS = 60
"""Telegram takes 100 buttons and about 10 KB of them; with more options the answer is typed."""
MAX_SCALE_ROW, MAX_POINT_LABEL = 8, 6
"""The most points of a scale in one row of buttons, and the longest point, in UTF-16 units, that is its own label."""
TICKED, EMPTY = "☑", "☐"
MAX_ANSWER_UNITS = 300
"""How much of an answer is repeated to the annotator, in UTF-16 units."""
CYRILLIC, LATIN = "АБВГДЕЖЗИКЛМНПРСТУФХ", "ABCDEFGHIJKLMNOPQRST"
"""The letters of options, without Ґ Є І Ї and letters that look like another letter or a digit."""
CYRILLIC_LANGUAGES = {"uk", "ru", "be", "bg", "mk", "sr", "kk", "ky", "mn", "tg"}
"""The languages whose options have Cyrillic letters; those of all others have Latin ones."""
_LOOKALIKES = dict(zip("ABEKMHPCTX", "АВЕКМНРСТХ", strict=True))
_SEPARATORS = re.compile(r"[\s,;.()\]\[]+")
_RIGHT_TO_LEFT = {"R", "AL", "RLE", "RLO", "LRO", "LRE", "RLI", "LRI", "FSI"}


def list_option_names(shown: ShownQuestion, language: str) -> tuple[str, ...]:
    """The short names of the options on buttons and in the list: letters; for a scale its points, if they are short.

    Long points of a scale are numbered; they get letters where a number could be mistaken for another point.
    """
    letters = list_letters(len(shown.options), language)
    if not isinstance(shown.question, ScaleQuestion):
        return letters
    if message_layout.are_labels_short(shown.options, max_units=MAX_POINT_LABEL):
        return shown.options
    numbers = tuple(str(number) for number in range(1, len(shown.options) + 1))
    return letters if set(numbers) & set(shown.options) else numbers


def build_question_blocks(shown: ShownQuestion, language: str, *, stimulus: str = "") -> tuple[TextBlock, ...]:
    """The question's text (unless the stimulus is the same text), its help, and every option in full."""
    question = shown.question
    blocks = [message_layout.make_bold_unless_equal(question.text, stimulus), TextBlock(question.help or "")]
    names = list_option_names(shown, language)
    if isinstance(question, ScaleQuestion) and names == shown.options:
        ends = question.ends
        blocks.append(TextBlock(f"{names[0]} — {ends[0]}\n{names[-1]} — {ends[1]}" if ends else ""))
    else:
        blocks.append(TextBlock("\n".join(_list_option_lines(shown, names))))
    return tuple(blocks)


def _list_option_lines(shown: ShownQuestion, names: Sequence[str]) -> Iterable[str]:
    ends = shown.question.ends if isinstance(shown.question, ScaleQuestion) else None
    end_texts = {0: ends[0], len(names) - 1: ends[1]} if ends else {}
    for index, (name, option) in enumerate(zip(names, shown.options, strict=True)):
        suffix = f" — {end_texts[index]}" if index in end_texts else ""
        yield f"{name}) {isolate_direction(option)}{suffix}"


def build_question_buttons(
    shown: ShownQuestion,
    translate: Texts,
    *,
    language: str,
    assignment_id: int,
    revision: int,
    index: int,
    ticked: Sequence[int],
    is_only: bool,
) -> ButtonRows:
    """The buttons that answer the question at an index of the item; `ticked` are the indices of its ticked boxes.

    The only question of an item (`is_only`) has no button to leave it without an answer: the item can be skipped.
    """
    numbers = (revision, index)  # the first numbers in the data of every button
    labels = _list_button_labels(shown, language)
    question, is_multiple = shown.question, isinstance(shown.question, ChoicesQuestion)
    option_buttons: list[InlineButton] = []
    for option, label in enumerate(labels if len(labels) <= MAX_BUTTONS else ()):
        if is_multiple:
            box, tick = (TICKED, 0) if option in ticked else (EMPTY, 1)
            option_buttons.append(
                message_layout.build_button(
                    f"{box} {label}", ButtonAction.TOGGLE, assignment_id, *numbers, option, tick
                )
            )
        else:
            option_buttons.append(
                message_layout.build_button(label, ButtonAction.ANSWER, assignment_id, *numbers, option)
            )
    rows = (
        _arrange_scale(option_buttons)
        if option_buttons and isinstance(question, ScaleQuestion)
        else message_layout.arrange_buttons(option_buttons)
    )
    if isinstance(question, ChoicesQuestion):
        done = translate("done") if ticked or question.least else translate("none-of-them")
        rows = (*rows, (message_layout.build_button(done, ButtonAction.DONE, assignment_id, *numbers),))
    if not (shown.question.required or is_only):
        rows = (
            *rows,
            (
                message_layout.build_button(
                    translate("leave-open"), ButtonAction.LEAVE_UNANSWERED, assignment_id, *numbers
                ),
            ),
        )
    return rows


def _arrange_scale(buttons: Sequence[InlineButton]) -> ButtonRows:
    """The buttons of a scale in as few rows as Telegram allows, all of about the same length."""
    n_rows = -(-len(buttons) // MAX_SCALE_ROW)
    row_limits = [len(buttons) * number // n_rows for number in range(n_rows + 1)]
    return tuple(tuple(buttons[start:end]) for start, end in pairwise(row_limits))


def _list_button_labels(shown: ShownQuestion, language: str) -> tuple[str, ...]:
    """The names of the options, each followed by its option where all of them are short enough for buttons."""
    names = list_option_names(shown, language)
    if isinstance(shown.question, ScaleQuestion):
        return names
    labels = tuple(f"{name} · {isolate_direction(option)}" for name, option in zip(names, shown.options, strict=True))
    return labels if message_layout.are_labels_short(labels) else names


def format_answer(shown: ShownQuestion, stored: str, translate: Texts, *, language: str) -> str:
    """A stored answer with the names of the options on buttons: «А черепаху», «А кіт, В пес», «4»."""
    labels = json.loads(stored) if isinstance(shown.question, ChoicesQuestion) else [stored]
    names, parts = list_option_names(shown, language), []
    for label in labels:
        index = shown.labels.index(label) if label in shown.labels else None
        if index is None:
            parts.append(label)
        elif names[index] == shown.options[index]:
            parts.append(names[index])
        else:
            parts.append(f"{names[index]} {isolate_direction(shown.options[index])}")
    return message_layout.shorten_text(", ".join(parts) or translate("none-of-them"), MAX_ANSWER_UNITS)


def list_letters(count: int, language: str) -> tuple[str, ...]:
    """The letters for so many options; numbers where there are more options than letters."""
    alphabet = CYRILLIC if language in CYRILLIC_LANGUAGES else LATIN
    return tuple(alphabet[:count]) if count <= len(alphabet) else tuple(str(number) for number in range(1, count + 1))


def match_options(text: str, options: Sequence[str], language: str) -> tuple[int, ...]:
    """The indices of the options that a typed text names, by letter, number or in full; empty where it names others.

    Latin letters that look like Cyrillic ones are accepted for them, and the other way round.
    """
    typed = _normalise(text)
    exact = [index for index, option in enumerate(options) if _normalise(option) == typed]
    if len(exact) == 1:
        return tuple(exact)
    letters = list_letters(len(options), language)
    indices = [_find_letter(word, letters) for word in _SEPARATORS.split(typed) if word]
    found = [index for index in indices if index is not None]
    return tuple(dict.fromkeys(found)) if found and len(found) == len(indices) else ()


def isolate_direction(text: str) -> str:
    """The text; one with right-to-left characters between marks, so that the text around it keeps its direction."""
    has_direction = any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text)
    if not has_direction:
        return text
    unclosed = sum(character in "\u202a\u202b\u202d\u202e" for character in text) - text.count("\u202c")
    return "\u2068" + text + "\u202c" * max(0, unclosed) + "\u2069"


def _normalise(text: str) -> str:
    return " ".join(text.split()).casefold()


def _find_letter(word: str, letters: Sequence[str]) -> int | None:
    """The index of the option with this letter, or with this number counted from 1; None where there is none."""
    if word.isdecimal():
        return int(word) - 1 if len(word) < 5 and 1 <= int(word) <= len(letters) else None
    upper = word.upper()
    reverse = {lookalike: letter for letter, lookalike in _LOOKALIKES.items()}
    for letter in (upper, _LOOKALIKES.get(upper), reverse.get(upper)):
        if letter is not None and letter in letters:
            return letters.index(letter)
    return None
