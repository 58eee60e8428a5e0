"""Questions that compare texts: the sides under letters, one row of buttons, answers typed in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aggregation import spelling
from aggregation.sides import BOTH_BAD, SIDES, TIE
from annotation.campaigns.questions import compared_texts
from annotation.campaigns.questions.question_base import count_units
from annotation.workflow.assignments import ShownQuestion
from annotation.workflow.conversations.conversation_state import AnswerDraft, AskedQuestion
from bot.conversation import message_layout
from bot.conversation.inputs import options
from bot.conversation.inputs.input_base import RefusedInput
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts, list_words
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, InlineButton

DIVIDER = "———"
"""The line between two sides in one message."""
MAX_ROW_LABEL = 10
"""The longest tie, in UTF-16 units, that no client cuts between the buttons of two sides."""
UP = "↑"
"""What a button says that leads to the message of the first side, before its letter."""
BETTER_TEXTS = {
    "masculine": "side-better-masculine",
    "feminine": "side-better-feminine",
    "neuter": "side-better-neuter",
}
"""The ids of the texts that say that a side is better, by the gender of the question: in Ukrainian they agree."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
"""The lists of words that count a side, as shown. No word of `fillers` denies what is chosen or turns it round."""
_SPLIT = re.compile(r"[\s,;.!()\[\]«»\"“”№#:]+")
_NUMBER = re.compile(r"([1-9])(?:-?(?:ша|га|тя|а|я|й|е))?")


def _list_keys(name: str) -> frozenset[str]:
    """The words of a list as they are compared: equal where they look alike, in whatever alphabet they were typed."""
    return frozenset(map(spelling.build_skeleton, list_words(name)))


class PreferenceInput(options.OptionsInput):
    """The better of several texts, which are read above the question as `А` and `Б`, in the order in which they are
    shown; the answers that choose none of them keep the words of the project file.
    """

    def list_names(self, shown: ShownQuestion, language: str) -> tuple[str, ...]:
        """The letters of the sides as shown; the words of the other answers."""
        letters = iter(options.list_letters(len(shown.labels), language))
        pairs = zip(shown.labels, shown.options, strict=True)
        return tuple(next(letters) if label in SIDES else options.isolate_direction(text) for label, text in pairs)

    def name_options(self, shown: ShownQuestion, translate: Texts, *, language: str) -> tuple[str, ...]:
        """Which side is better, by its letter; the words of the other answers."""
        pairs = zip(shown.labels, self.list_names(shown, language), strict=True)
        better = BETTER_TEXTS[compared_texts.find_gender(shown.text)]
        return tuple(translate(better, letter=name) if label in SIDES else name for label, name in pairs)

    def build_item_blocks(self, shown: ShownQuestion, stimulus: str, language: str) -> list[TextBlock]:
        """The sides, each under its letter: in one message with a line between them, or each in its own."""
        blocks: list[TextBlock] = []
        is_short = _fit_one_message(shown, stimulus)
        for name, text in self.list_sides(shown, language):
            above = f"{DIVIDER}\n" if blocks and is_short else ""
            side = f"{above}{name}\n{options.isolate_direction(text.strip())}"
            bold = (len(above), len(above) + len(name))
            blocks.append(TextBlock(side, (bold,), opens_message=bool(blocks) and not is_short))
        return blocks

    def build_blocks(self, asked: AskedQuestion, translate: Texts) -> list[TextBlock]:
        """The question, its help, and the answer that is changed."""
        question, entry = asked.shown.question, asked.draft.entry
        changed = ""
        if isinstance(entry, int) and entry < len(asked.shown.labels):
            changed = translate("second-first", answer=self.list_names(asked.shown, asked.language)[entry])
        asks = message_layout.make_bold_unless_equal(question.text, asked.stimulus)
        return [asks, TextBlock(question.help or ""), TextBlock(changed)]

    def build_buttons(self, asked: AskedQuestion, translate: Texts) -> ButtonRows:
        """The sides in a row, a short tie in the middle of two; then each other answer; then the way back up."""
        shown, names = asked.shown, self.list_names(asked.shown, asked.language)
        sides = [index for index, label in enumerate(shown.labels) if label in SIDES]
        others = [index for index in range(len(shown.labels)) if index not in sides]

        def build(index: int, label: str) -> InlineButton:
            return message_layout.build_button(label, ButtonAction.ANSWER, *asked.address, index)

        labels = self.name_options(shown, translate, language=asked.language)
        rows = [tuple(build(index, labels[index]) for index in sides)]
        if len(sides) > 2:
            rows = [*message_layout.arrange_buttons([build(index, names[index]) for index in sides])]
        elif others and shown.labels[others[0]] == TIE and count_units(names[others[0]]) <= MAX_ROW_LABEL:
            tie = others.pop(0)
            rows = [(rows[0][0], build(tie, names[tie]), rows[0][1])]
        rows += [(build(index, names[index]),) for index in others]
        if not _fit_one_message(shown, asked.stimulus):
            label = f"{UP} {names[sides[0]]}"
            typed = (label, UP, f"{UP} {options.CYRILLIC[0]}", f"{UP} {options.LATIN[0]}")
            rows.append((message_layout.build_button(label, ButtonAction.UP, asked.draft.assignment_id, typed=typed),))
        return tuple(rows)

    def apply_text(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Answer with the side or the other answer that the text names in any way, if it names just one."""
        meant = match_answer(text, asked.shown, asked.language)
        if meant is None:
            names = self.list_names(asked.shown, asked.language)
            return RefusedInput(text_id="side-please", arguments={"answers": ", ".join(names)}, offers_commands=True)
        return asked.with_answer(asked.shown.labels[meant])

    def restore_entry(self, shown: ShownQuestion, stored: str) -> int | None:
        """The index of the stored answer as shown, which the question names until another one is given."""
        return shown.labels.index(stored) if stored in shown.labels else None

    def format_answer(self, shown: ShownQuestion, stored: str, translate: Texts, *, language: str) -> str:  # noqa: ARG002
        """The letter of the side as this annotator was shown it, or the words of another answer."""
        names = dict(zip(shown.labels, self.list_names(shown, language), strict=True))
        return message_layout.shorten_text(names.get(stored, stored), options.MAX_ANSWER_UNITS)

    def list_sides(self, shown: ShownQuestion, language: str) -> Iterator[tuple[str, str]]:
        """The letters and the texts of the sides, as shown."""
        names = self.list_names(shown, language)
        for name, label, text in zip(names, shown.labels, shown.options, strict=True):
            if label in SIDES:
                yield name, text


def _fit_one_message(shown: ShownQuestion, stimulus: str) -> bool:
    sides = [text for label, text in zip(shown.labels, shown.options, strict=True) if label in SIDES]
    return compared_texts.fit_one_message(sides, [stimulus, shown.text, shown.question.help or ""])


def match_answer(text: str, shown: ShownQuestion, language: str) -> int | None:
    """The index of the answer that a text names: by letter, number, ordinal, word or in full, in any alphabet.

    Numbers count the sides as shown. None where the text names nothing, or may mean several.
    """
    typed = spelling.build_skeleton(text)
    meant = {index for index, option in enumerate(shown.options) if spelling.build_skeleton(option) == typed}
    meant |= _match_words([word for word in _SPLIT.split(text.casefold()) if word], shown, language)
    return meant.pop() if len(meant) == 1 else None


def _match_words(words: Sequence[str], shown: ShownQuestion, language: str) -> set[int]:
    """What every one of the words may mean, apart from those that change nothing."""
    ignored, bad, every, ties = map(_list_keys, ("fillers", "bad", "all", "tie"))
    keys = {key: word for word in words if (key := spelling.build_skeleton(word)) not in ignored}
    if keys.keys() & bad and keys.keys() & every and keys.keys() <= bad | every:
        return {index for index, label in enumerate(shown.labels) if label == BOTH_BAD}
    if keys.keys() & ties and keys.keys() <= ties | every:
        return {index for index, label in enumerate(shown.labels) if label == TIE}
    sides = [index for index, label in enumerate(shown.labels) if label in SIDES]
    letters = options.list_letters(len(sides), language)
    places = [_find_places(key, word, letters) for key, word in keys.items()]
    return {sides[place] for place in set.intersection(*places)} if places else set()


def _find_places(key: str, word: str, letters: Sequence[str]) -> set[int]:
    """The places of the sides that a word may mean; a letter that is shown means that side."""
    if word.upper() in letters:
        return {letters.index(word.upper())}
    number = _NUMBER.fullmatch(word)
    places = (
        {int(number[1]) - 1} if number else {place for place, name in enumerate(ORDINALS) if key in _list_keys(name)}
    )
    if len(word) == 1:
        alike = (place for place, letter in enumerate(letters) if spelling.build_skeleton(letter) == key)
        alphabets = (options.CYRILLIC, options.LATIN)
        places.update(alike, (letters.index(word.upper()) for letters in alphabets if word.upper() in letters))
    return {place for place in places if place < len(letters)}
