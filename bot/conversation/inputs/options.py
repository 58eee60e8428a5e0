"""Questions answered with options, `choice`, `choices` and `scale`: letters or numbers, buttons, and typed answers."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise

from annotation.campaigns.questions import ChoicesQuestion, ScaleQuestion
from annotation.errors import Stale
from annotation.workflow.assignments import ShownQuestion
from annotation.workflow.conversations.conversation_state import AnswerDraft, AskedQuestion
from bot.conversation import message_layout
from bot.conversation.callbacks import OPTION_INDEX, TICK, ButtonAction, CallbackData
from bot.conversation.inputs.input_base import QuestionInput, RefusedInput
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonRows, InlineButton

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


class OptionsInput(QuestionInput):
    """One option, or any number of boxes; the entry is the list of the indices of the ticked boxes, as shown."""

    def build_blocks(self, asked: AskedQuestion, translate: Texts) -> list[TextBlock]:
        """The question's text (unless the stimulus is the same text), its help, and every option in full."""
        shown, question = asked.shown, asked.shown.question
        blocks = [message_layout.make_bold_unless_equal(question.text, asked.stimulus), TextBlock(question.help or "")]
        names = list_option_names(shown, asked.language)
        if isinstance(question, ScaleQuestion) and names == shown.options:
            ends = question.ends
            blocks.append(TextBlock(f"{names[0]} — {ends[0]}\n{names[-1]} — {ends[1]}" if ends else ""))
        else:
            blocks.append(TextBlock("\n".join(_list_option_lines(shown, names))))
        if len(shown.options) > MAX_BUTTONS:
            blocks.append(TextBlock(translate("type-a-number")))
        return blocks

    def build_buttons(self, asked: AskedQuestion, translate: Texts) -> ButtonRows:
        """A button for each option, and for boxes one to take those that are ticked."""
        question, ticked = asked.shown.question, asked.draft.entry or []
        labels = _list_button_labels(asked.shown, asked.language)
        labels = labels if len(labels) <= MAX_BUTTONS else ()
        if isinstance(question, ChoicesQuestion):
            boxes = [
                message_layout.build_button(
                    f"{TICKED if option in ticked else EMPTY} {label}",
                    ButtonAction.TOGGLE,
                    *asked.address,
                    option,
                    int(option not in ticked),
                )
                for option, label in enumerate(labels)
            ]
            done = translate("done") if ticked or question.least else translate("none-of-them")
            done_button = message_layout.build_button(done, ButtonAction.DONE, *asked.address)
            return (*message_layout.arrange_buttons(boxes), (done_button,))
        buttons = [
            message_layout.build_button(label, ButtonAction.ANSWER, *asked.address, option)
            for option, label in enumerate(labels)
        ]
        if buttons and isinstance(question, ScaleQuestion):
            return _arrange_scale(buttons)
        return message_layout.arrange_buttons(buttons)

    def apply_tap(self, asked: AskedQuestion, callback: CallbackData) -> AnswerDraft | RefusedInput:
        """Choose an option, tick or clear a box as the button says, or take the ticked boxes as the answer."""
        shown, ticked = asked.shown, asked.draft.entry or []
        is_multiple = isinstance(shown.question, ChoicesQuestion)
        if callback.action is ButtonAction.DONE and is_multiple:
            return _apply_boxes(asked, ticked)
        option = callback.get_number(OPTION_INDEX)
        if option >= len(shown.options):
            raise Stale("There is no such option.")
        if callback.action is ButtonAction.ANSWER and not is_multiple:
            return asked.with_answer(shown.labels[option])
        if callback.action is not ButtonAction.TOGGLE or not isinstance(shown.question, ChoicesQuestion):
            raise Stale("This question has no such button.")
        ticked = {*ticked, option} if callback.get_number(TICK) else {*ticked} - {option}
        if shown.question.most is not None and len(ticked) > shown.question.most:
            return RefusedInput(text_id="choose-at-most", arguments={"most": shown.question.most})
        return asked.with_entry(sorted(ticked))

    def apply_text(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Answer with the options that the text names by letter, number or in full."""
        matched = match_options(text, asked.shown.options, asked.language)
        if isinstance(asked.shown.question, ChoicesQuestion):
            draft = _apply_boxes(asked, sorted(matched)) if matched else None
        else:
            draft = asked.with_answer(asked.shown.labels[matched[0]]) if len(matched) == 1 else None
        return draft if isinstance(draft, AnswerDraft) else RefusedInput(text_id="tap-please", repeats_item=True)

    def restore_entry(self, shown: ShownQuestion, stored: str) -> list[int] | None:
        """The indices of the boxes that were ticked; None where one option was chosen."""
        if not isinstance(shown.question, ChoicesQuestion):
            return None
        labels = json.loads(stored)
        return [index for index, label in enumerate(shown.labels) if label in labels]

    def format_answer(self, shown: ShownQuestion, stored: str, translate: Texts, *, language: str) -> str:
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


def _apply_boxes(asked: AskedQuestion, ticked: list[int]) -> AnswerDraft | RefusedInput:
    """The draft with these boxes as the answer, unless they are too few or too many."""
    question, labels = asked.shown.question, asked.shown.labels
    if not isinstance(question, ChoicesQuestion):
        raise Stale("There are no boxes.")
    if len(ticked) < question.least:
        return RefusedInput(text_id="choose-at-least", arguments={"least": question.least})
    if question.most is not None and len(ticked) > question.most:
        return RefusedInput(text_id="choose-at-most", arguments={"most": question.most})
    return asked.with_answer([labels[option] for option in ticked])


def _list_option_lines(shown: ShownQuestion, names: Sequence[str]) -> Iterable[str]:
    ends = shown.question.ends if isinstance(shown.question, ScaleQuestion) else None
    end_texts = {0: ends[0], len(names) - 1: ends[1]} if ends else {}
    for index, (name, option) in enumerate(zip(names, shown.options, strict=True)):
        suffix = f" — {end_texts[index]}" if index in end_texts else ""
        yield f"{name}) {isolate_direction(option)}{suffix}"


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
