"""Questions answered with options, `choice`, `choices` and `scale`: letters or numbers, buttons, and typed answers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from aggregation import spelling
from annotation.campaigns.questions import ChoicesQuestion, ScaleQuestion
from annotation.campaigns.questions.question_base import count_units
from annotation.errors import BadInput, Stale
from annotation.workflow.assignments import ShownQuestion
from annotation.workflow.conversations.conversation_state import AnswerDraft, AskedQuestion
from bot.conversation import message_layout, prompts
from bot.conversation.inputs.input_base import (
    QuestionInput,
    RefusedInput,
    narrow_question,
    refuse_words_with_number,
    require_text,
)
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts, get_texts, list_languages
from bot.conversation.updates_and_calls import OPTION_INDEX, TICK, ButtonAction, ButtonRows, CallbackData, InlineButton

MAX_BUTTONS = 60
"""Telegram takes 100 buttons and about 10 KB of them; with more options the answer is typed."""
MAX_SCALE_ROW, MAX_POINT_LABEL = 8, 6
"""The most points of a scale in one row of buttons, and the longest point, in UTF-16 units, that is its own label."""
N_QUICK_POINTS = 11
"""How many points of a long scale have buttons: 0, 10, … 100; the others are typed."""
TICKED, EMPTY = "☑", "☐"
MAX_ANSWER_UNITS = 300
"""How much of an answer is repeated to the annotator, in UTF-16 units."""
CYRILLIC, LATIN = "АБВГДЕЖЗИКЛМНПРСТУФХ", "ABCDEFGHIJKLMNOPQRST"
"""The letters of options, without Ґ Є І Ї and letters that look like another letter or a digit."""
CYRILLIC_LANGUAGES = {"uk", "ru", "be", "bg", "mk", "sr", "kk", "ky", "mn", "tg"}
"""The languages whose options have Cyrillic letters; those of all others have Latin ones."""
MAX_FULL_ROWS = 6
"""The most rows of buttons that carry options in full; more options are listed in the message, under letters."""
LONG_LIST_UNITS, MAX_REPEATED_UNITS = 300, 160
"""Below a list longer than this, in UTF-16 units, the question stands once more, cut to so many units."""
_LOOKALIKES = dict(zip("ABEKMHPCTX", "АВЕКМНРСТХ", strict=True))
_SEPARATORS = re.compile(r"[\s,;.()\]\[]+")
_RIGHT_TO_LEFT = {"R", "AL", "RLE", "RLO", "LRO", "LRE", "RLI", "LRI", "FSI"}


class OptionsInput(QuestionInput):
    """Questions answered with one option."""

    def list_names(self, shown: ShownQuestion, language: str) -> tuple[str, ...]:
        """The short names of the options on buttons and in the list."""
        return list_letters(len(shown.options), language)

    def fit_on_buttons(self, shown: ShownQuestion, *, box_units: int = 0) -> bool:
        """Whether the options are so short and few that buttons carry them in full."""
        if not message_layout.are_labels_short(shown.options):
            return False
        longest = max(map(count_units, shown.options), default=0) + box_units
        return -(-len(shown.options) // message_layout.count_columns(longest)) <= MAX_FULL_ROWS

    def list_button_labels(self, shown: ShownQuestion, language: str) -> tuple[str, ...]:
        """The options in full where that fits, else their names; none where there are too many for buttons."""
        if len(shown.options) > MAX_BUTTONS:
            return ()
        if self.fit_on_buttons(shown):
            return tuple(map(isolate_direction, shown.options))
        names = self.list_names(shown, language)
        return (*names[:-1], shown.options[-1]) if has_own_words(shown) else names

    def list_lines(self, shown: ShownQuestion, names: Sequence[str]) -> Sequence[str]:
        """The options in the list, each after its name; the abstention is not there if its button has its words."""
        lines = [f"{name}) {isolate_direction(option)}" for name, option in zip(names, shown.options, strict=True)]
        return lines[:-1] if has_own_words(shown) else lines

    def has_long_list(self, shown: ShownQuestion, language: str) -> bool:
        """Whether the options that buttons do not carry make a long list."""
        if self.fit_on_buttons(shown):
            return False
        return count_units("\n".join(self.list_lines(shown, self.list_names(shown, language)))) > LONG_LIST_UNITS

    def build_blocks(self, asked: AskedQuestion, translate: Texts) -> list[TextBlock]:
        """The question's text (unless the stimulus is the same), its help, and options that buttons do not carry."""
        shown, question = asked.shown, asked.shown.question
        blocks = [message_layout.make_bold_unless_equal(question.text, asked.stimulus), TextBlock(question.help or "")]
        if not self.fit_on_buttons(shown):
            blocks = self.add_options(blocks, shown, self.list_names(shown, asked.language))
        if len(shown.options) > MAX_BUTTONS:
            blocks.append(TextBlock(translate("type-a-number")))
        return blocks

    def add_options(self, blocks: list[TextBlock], shown: ShownQuestion, names: Sequence[str]) -> list[TextBlock]:
        """The blocks with the list of options, right below the question where it has no help.

        Below a long list the question is repeated, so that it is read together with the buttons.
        """
        options = "\n".join(self.list_lines(shown, names))
        is_long = count_units(options) > LONG_LIST_UNITS
        repeated = message_layout.shorten_text(shown.text, MAX_REPEATED_UNITS) if is_long else ""
        return [*_add_list(blocks, options), message_layout.make_bold_block(repeated)]

    def build_buttons(self, asked: AskedQuestion, translate: Texts) -> ButtonRows:  # noqa: ARG002  # options are data
        """A button for each option."""
        labels = self.list_button_labels(asked.shown, asked.language)
        buttons = [
            message_layout.build_button(label, ButtonAction.ANSWER, *asked.address, option)
            for option, label in enumerate(labels)
        ]
        if buttons and has_own_words(asked.shown) and not self.fit_on_buttons(asked.shown):
            return (*self.arrange_options(buttons[:-1]), (buttons[-1],))
        return self.arrange_options(buttons)

    def apply_tap(self, asked: AskedQuestion, callback: CallbackData) -> AnswerDraft | RefusedInput:
        """Choose an option."""
        option = _get_option(asked, callback)
        if callback.action is not ButtonAction.ANSWER:
            raise Stale("This question has no such button.")
        return asked.with_answer(asked.shown.labels[option])

    def apply_text(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Answer with the option that the text names by letter, number or in full."""
        matched = match_options(text, asked.shown.options, asked.language)
        if len(matched) != 1:
            return RefusedInput(text_id="tap-please", offers_commands=True)
        return asked.with_answer(asked.shown.labels[matched[0]])

    def apply_entered(self, asked: AskedQuestion, entered: Any) -> AnswerDraft | RefusedInput:
        """Answer with the option that was typed on the answer page."""
        return self.apply_text(asked, require_text(entered))

    def restore_entry(self, shown: ShownQuestion, stored: str) -> Any:  # noqa: ARG002
        """None: an option is chosen anew."""
        return None

    def format_answer(self, shown: ShownQuestion, stored: str, translate: Texts, *, language: str) -> str:  # noqa: ARG002  # other inputs need it
        """A stored answer as the options say it: «черепаху», «кіт, пес», «4»."""
        texts = dict(zip(shown.labels, shown.options, strict=True))
        parts = [isolate_direction(texts.get(label, label)) for label in shown.question.split_answer(stored)]
        return message_layout.shorten_text(", ".join(parts) or translate("none-of-them"), MAX_ANSWER_UNITS)


class ScaleInput(OptionsInput):
    """Points of a scale in a row of buttons: the points where they are short, else numbers or letters."""

    def list_names(self, shown: ShownQuestion, language: str) -> tuple[str, ...]:
        """Short points; else numbers, or letters where a number could be mistaken for another point."""
        if message_layout.are_labels_short(shown.options, max_units=MAX_POINT_LABEL):
            return shown.options
        numbers = tuple(str(number) for number in range(1, len(shown.options) + 1))
        return super().list_names(shown, language) if set(numbers) & set(shown.options) else numbers

    def fit_on_buttons(self, shown: ShownQuestion, *, box_units: int = 0) -> bool:  # noqa: ARG002  # one row
        """Never: points have one row."""
        return False

    def list_lines(self, shown: ShownQuestion, names: Sequence[str]) -> Sequence[str]:
        """The points, the first and the last with their captions."""
        lines, ends = [*super().list_lines(shown, names)], narrow_question(shown, ScaleQuestion).ends
        if ends:
            lines[0], lines[-1] = f"{lines[0]} — {ends[0]}", f"{lines[-1]} — {ends[1]}"
        return lines

    def build_blocks(self, asked: AskedQuestion, translate: Texts) -> list[TextBlock]:
        """The question, and which numbers can be typed where not every point has a button."""
        question = narrow_question(asked.shown, ScaleQuestion)
        if not question.is_typed:
            return super().build_blocks(asked, translate)
        blocks = [
            message_layout.make_bold_unless_equal(question.text, asked.stimulus),
            TextBlock(question.help or ""),
        ]
        numbers = {"low": question.options[0], "high": question.options[-1]}
        return [
            *self.add_options(blocks, asked.shown, question.options),
            TextBlock(translate("type-a-point", **numbers)),
        ]

    def build_buttons(self, asked: AskedQuestion, translate: Texts) -> ButtonRows:
        """A button for each point, or for some of a long scale."""
        question = narrow_question(asked.shown, ScaleQuestion)
        if not question.is_typed:
            return super().build_buttons(asked, translate)
        last = len(question.options) - 1
        points = [round(last * number / (N_QUICK_POINTS - 1)) for number in range(N_QUICK_POINTS)]
        buttons = [
            message_layout.build_button(question.options[point], ButtonAction.ANSWER, *asked.address, point)
            for point in points
        ]
        return self.arrange_options(buttons)

    def apply_text(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Answer with the number that was typed, or as any option is named."""
        question = narrow_question(asked.shown, ScaleQuestion)
        point = question.find_point(text.strip())
        if point is None and not question.is_typed:
            return super().apply_text(asked, text)
        if point is None:
            numbers = {"low": question.options[0], "high": question.options[-1]}
            return refuse_words_with_number(text) or RefusedInput(
                text_id="number-outside", arguments=numbers, offers_commands=True
            )
        return asked.with_answer(point)

    def restore_entered(self, asked: AskedQuestion, stored: str | None) -> str | None:
        """The number that is to be changed, where numbers are typed."""
        if not narrow_question(asked.shown, ScaleQuestion).is_typed:
            return None
        entry = asked.draft.entry
        return asked.shown.labels[entry] if isinstance(entry, int) and entry < len(asked.shown.labels) else stored

    def restore_entry(self, shown: ShownQuestion, stored: str) -> int | None:
        """The index of the stored number on a typed scale; None on other scales, whose points are tapped again."""
        is_typed = narrow_question(shown, ScaleQuestion).is_typed
        return shown.labels.index(stored) if is_typed and stored in shown.labels else None

    def add_options(self, blocks: list[TextBlock], shown: ShownQuestion, names: Sequence[str]) -> list[TextBlock]:
        """The list of the points; of points that buttons carry only the captions of both ends."""
        if names != shown.options:
            return super().add_options(blocks, shown, names)
        ends = narrow_question(shown, ScaleQuestion).ends
        return [*blocks, TextBlock(f"{names[0]} — {ends[0]}\n{names[-1]} — {ends[1]}" if ends else "")]

    @staticmethod
    def arrange_options(buttons: Sequence[InlineButton]) -> ButtonRows:
        """As few rows as Telegram allows, all of about the same length."""
        n_rows = -(-len(buttons) // MAX_SCALE_ROW)
        row_limits = [len(buttons) * number // n_rows for number in range(n_rows + 1)] if buttons else []
        return tuple(tuple(buttons[start:end]) for start, end in pairwise(row_limits))


class ChoicesInput(OptionsInput):
    """Any number of boxes; the entry is the list of the indices of the ticked boxes, as shown."""

    def fit_on_buttons(self, shown: ShownQuestion, *, box_units: int = len(f"{TICKED} ")) -> bool:
        """Whether buttons carry the options with their boxes."""
        return super().fit_on_buttons(shown, box_units=box_units)

    def build_buttons(self, asked: AskedQuestion, translate: Texts) -> ButtonRows:
        """A button for each box, and one to take those that are ticked."""
        question, ticked = narrow_question(asked.shown, ChoicesQuestion), asked.draft.entry or []
        boxes = [
            message_layout.build_button(
                f"{TICKED if option in ticked else EMPTY} {label}",
                ButtonAction.TOGGLE,
                *asked.address,
                option,
                int(option not in ticked),
            )
            for option, label in enumerate(self.list_button_labels(asked.shown, asked.language))
        ]
        done = translate("done") if ticked or question.least else translate("none-of-them")
        done_button = message_layout.build_button(done, ButtonAction.DONE, *asked.address)
        return (*self.arrange_options(boxes), (done_button,))

    def apply_tap(self, asked: AskedQuestion, callback: CallbackData) -> AnswerDraft | RefusedInput:
        """Tick or clear a box as the button says, or take the ticked boxes as the answer."""
        ticked = asked.draft.entry or []
        if callback.action is ButtonAction.DONE:
            return _apply_boxes(asked, ticked)
        option = _get_option(asked, callback)
        if callback.action is not ButtonAction.TOGGLE:
            raise Stale("This question has no such button.")
        return _tick_boxes(asked, {*ticked, option} if callback.get_number(TICK) else {*ticked} - {option})

    def apply_text(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Tick or clear the boxes that the text names, or take the ticked ones by the words of their last button."""
        ticked = asked.draft.entry or []
        text = text.strip().lstrip(f"{TICKED}{EMPTY}")  # a label is typed with its box
        matched = match_options(text, asked.shown.options, asked.language)
        if not matched and _normalise(text) in _list_done_words(ticked=bool(ticked)):
            return _apply_boxes(asked, ticked)
        result = _tick_boxes(asked, {*ticked} ^ {*matched})
        is_refused = matched or isinstance(result, RefusedInput)
        return result if is_refused else RefusedInput(text_id="tap-please", offers_commands=True)

    def apply_entered(self, asked: AskedQuestion, entered: Any) -> AnswerDraft | RefusedInput:
        """Take the boxes with these indices as the answer."""
        places = range(len(asked.shown.labels))
        if not isinstance(entered, list) or not all(type(box) is int and box in places for box in entered):
            raise BadInput("These are not boxes.")
        return _apply_boxes(asked, sorted(set(entered)))

    def restore_entered(self, asked: AskedQuestion, stored: str | None) -> Any:
        """The indices of the ticked boxes."""
        return asked.draft.entry or ([] if stored is None else self.restore_entry(asked.shown, stored))

    def restore_entry(self, shown: ShownQuestion, stored: str) -> list[int]:
        """The indices of the boxes that were ticked."""
        labels = shown.question.split_answer(stored)
        return [index for index, label in enumerate(shown.labels) if label in labels]


def has_own_words(shown: ShownQuestion) -> bool:
    """Whether the last option is the abstention, and a button carries its words in full beside the letters."""
    abstention = shown.question.abstention
    is_last = abstention is not None and shown.labels[-1:] == (abstention,)
    return is_last and message_layout.are_labels_short(shown.options[-1:]) and len(shown.options) <= MAX_BUTTONS


def _get_option(asked: AskedQuestion, callback: CallbackData) -> int:
    """The index of the option that a button names; raises Stale where there is none."""
    option = callback.get_number(OPTION_INDEX)
    if option >= len(asked.shown.options):
        raise Stale("There is no such option.")
    return option


def _tick_boxes(asked: AskedQuestion, ticked: Collection[int]) -> AnswerDraft | RefusedInput:
    """The draft with these boxes ticked, unless they are too many."""
    most = narrow_question(asked.shown, ChoicesQuestion).most
    if most is not None and len(ticked) > most:
        return RefusedInput(text_id="choose-at-most", arguments={"most": most})
    return asked.with_entry(sorted(ticked))


def _add_list(blocks: list[TextBlock], options: str) -> list[TextBlock]:
    """The blocks with the list of options, which stands right below the question where it has no help."""
    question, help_block = blocks
    if help_block.text or not question.text:
        return [*blocks, TextBlock(options)]
    return [replace(question, text=f"{question.text}\n{options}")]


def _list_done_words(*, ticked: bool) -> set[str]:
    """What may be typed, in every language, to take the ticked boxes, or none where none is ticked, as the answer."""
    text_ids = ("done",) if ticked else ("done", "none-of-them")
    return {_normalise(get_texts(language)(text_id)) for language in list_languages() for text_id in text_ids}


def _apply_boxes(asked: AskedQuestion, ticked: list[int]) -> AnswerDraft | RefusedInput:
    """The draft with these boxes as the answer, unless they are too few or too many."""
    question, labels = narrow_question(asked.shown, ChoicesQuestion), asked.shown.labels
    if len(ticked) < question.least:
        return RefusedInput(text_id="choose-at-least", arguments={"least": question.least})
    if question.most is not None and len(ticked) > question.most:
        return RefusedInput(text_id="choose-at-most", arguments={"most": question.most})
    return asked.with_answer([labels[option] for option in ticked])


def list_letters(count: int, language: str) -> tuple[str, ...]:
    """The letters for so many options; numbers where there are more options than letters."""
    alphabet = CYRILLIC if language in CYRILLIC_LANGUAGES else LATIN
    return tuple(alphabet[:count]) if count <= len(alphabet) else tuple(str(number) for number in range(1, count + 1))


def match_options(text: str, options: Sequence[str], language: str) -> tuple[int, ...]:
    """The indices of the options that a typed text names, by letter, number or in full; empty where it names others.

    Numbers count the options from 1, but for options among which is a number: there a number means the option. Yes and
    no in another language name the option that alone begins so. Latin letters that look like Cyrillic ones are accepted
    for them, and the other way round; within an option, where one option remains. So are letters without their accents.
    """
    typed, normalised = _normalise(text), [_normalise(option) for option in options]
    if normalised.count(typed) == 1:
        return (normalised.index(typed),)
    letters, has_numbers = list_letters(len(options), language), any(map(_is_number, normalised))
    indices = [
        normalised.index(word) if normalised.count(word) == 1 else _find_letter(word, letters, numbered=not has_numbers)
        for word in _SEPARATORS.split(typed)
        if word
    ]
    matched = [index for index in indices if index is not None]
    if matched and len(matched) == len(indices):
        return tuple(dict.fromkeys(matched))
    meant = prompts.find_yes_or_no(text, options)
    if meant is not None:
        return (meant,)
    key = spelling.build_typed_key(text)
    alike = [index for index, option in enumerate(options) if spelling.build_typed_key(option) == key]
    return tuple(alike) if len(alike) == 1 else ()


def isolate_direction(text: str) -> str:
    """The text; one with right-to-left characters between marks, so that the text around it keeps its direction."""
    has_direction = any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text)
    if not has_direction:
        return text
    unclosed = sum(character in "\u202a\u202b\u202d\u202e" for character in text) - text.count("\u202c")
    return "\u2068" + text + "\u202c" * max(0, unclosed) + "\u2069"


def _normalise(text: str) -> str:
    return " ".join(spelling.build_key(text).split()).casefold()


def _is_number(text: str) -> bool:
    return text.replace(",", ".").replace(".", "", 1).lstrip("-−+").isdecimal()


def _find_letter(word: str, letters: Sequence[str], *, numbered: bool) -> int | None:
    """The index of the option with this letter, or with this number counted from 1; None where there is none."""
    if word.isdecimal():
        if not numbered:
            return None
        return int(word) - 1 if len(word) < 5 and 1 <= int(word) <= len(letters) else None
    upper = word.upper()
    reverse = {lookalike: letter for letter, lookalike in _LOOKALIKES.items()}
    for letter in (upper, _LOOKALIKES.get(upper), reverse.get(upper)):
        if letter is not None and letter in letters:
            return letters.index(letter)
    return None
