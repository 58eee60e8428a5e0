"""Prompts: messages that wait for a choice, which may be typed as well as tapped.

Typed may be the label of a button, in whatever language of the bot, the number, letter or text of a listed option, and
words for yes, no and back. Where a text is none of these, it may be a word of `COMMAND_WORDS`, as «стоп» is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from aggregation import spelling
from bot.conversation.message_layout import RenderedMessage
from bot.conversation.texts import ORGANISER_LANGUAGES, get_organiser_texts, get_texts, list_languages, list_words
from bot.conversation.updates_and_calls import ButtonRows, InlineButton

YES, NO, BACK, GO_ON, STAY_OUT, AGREE, DISAGREE = "=yes", "=no", "=back", "=go-on", "=stay-out", "=agree", "=disagree"
"""Names of lists of words, by which a button takes all of the words."""
COMMAND_WORDS = ("=pause", "=skip", "=report", "=progress", "=help", "=thanks", "=forget")
"""Lists of words that people type where no button has them; each does what a command does, or is answered."""
MORE = "=more"
"""The words before or after a number that ask for so many more."""
WORD_SETS = frozenset((YES, NO, BACK, GO_ON, STAY_OUT, AGREE, DISAGREE, MORE, *COMMAND_WORDS))
"""All of them. The words of `=yes` are those of `words-yes` in the Fluent files of every language of the bot.

YES and NO are for what is an answer or cannot be undone, GO_ON and STAY_OUT for what leads on or back, AGREE and
DISAGREE for a consent.
"""
LABELS = (
    *("agree", "back", "begin", "case-begin", "case-broken", "case-later", "case-several", "case-stop", "decline"),
    *("decline-warning", "done", "forget-yes", "go-on", "in-my-words", "keep", "leave-open", "more", "none-of-them"),
    *("ask", "is-my-answer", "pause", "report", "task"),
    *(
        "rather-not-say",
        "second-none",
        "session-endless",
        "remind-tomorrow",
        "invite-friend",
        "skip",
        "stay",
        "text-fix",
        "text-save",
    ),
    *("undo", "withdraw-yes", "zone-other", "zone-unsaid"),
)
ORGANISER_LABELS = ("button-add", "button-back", "button-dont", "button-send")
"""The texts that are labels of buttons and of nothing else: each may be typed in any language of the bot."""
MAX_SHORT_NAME = 4
"""The longest letter or number, in characters, that is the label of a button instead of its option."""
_NUMBER = re.compile(r"(?<![\w.,-])[-−]?\d+(?:[.,]\d+)?(?![.,]?\w)")
_LETTERS = str.maketrans("abekmhpctxi", "авекмнрстхі")
_PLAIN = str.maketrans({"’": "'", "ʼ": "'", "ё": "е", "\u2068": None, "\u2069": None, "\u202c": None})
_PUNCTUATION = ' .,;:!?()[]«»“”"‹'


def get_words(name: str) -> frozenset[str]:
    """The words of a list of WORD_SETS in every language of the bot, as `normalise_text` writes them."""
    return _normalise_words(list_words(name.removeprefix("=")))


@cache
def _normalise_words(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(normalise_text, words))


def list_option_words(options: Sequence[str], letters: Sequence[str] = ()) -> tuple[tuple[str, ...], ...]:
    """What chooses each of the listed options: its text, letter and number, and yes or no where it alone begins so.

    Numbers count the options from 1; they are left out where an option is a number itself.
    """
    normalised = [normalise_text(option) for option in options]
    has_numbers = any(option.replace(",", ".").replace(".", "", 1).isdecimal() for option in normalised)
    words = [
        [option, *letters[index : index + 1], *([] if has_numbers else [str(index + 1)])]
        for index, option in enumerate(options)
    ]
    for name in (YES, NO):
        index = _find_option_meant(name, normalised)
        if index is not None:
            words[index].append(name)
    return tuple(map(tuple, words))


def find_yes_or_no(text: str, options: Sequence[str]) -> int | None:
    """The index of the option that a typed yes or no means, in whatever language; None where there is not just one."""
    typed, normalised = normalise_text(text), [normalise_text(option) for option in options]
    return next((_find_option_meant(name, normalised) for name in (YES, NO) if typed in get_words(name)), None)


def _find_option_meant(name: str, normalised: Sequence[str]) -> int | None:
    """The index of the option that alone begins with one of the words for yes, or for no."""
    words = get_words(name)
    beginning = [index for index, option in enumerate(normalised) if _get_first_word(option) in words]
    return beginning[0] if len(beginning) == 1 else None


def get_choice_name(button: InlineButton) -> str:
    """What the annotator chose with a button: its label, or the option for which a letter or number stands there."""
    option = button.typed[0] if button.typed and button.typed[0] not in WORD_SETS else button.label
    return option if len(button.label) <= MAX_SHORT_NAME else button.label


def encode_prompt(message: RenderedMessage) -> dict[str, Any]:
    """A message with buttons as JSON, to be kept until one of them is chosen; empty for a message without buttons."""
    rows = [[[button.label, button.data, list(button.typed)] for button in row] for row in message.buttons]
    return {"html": message.html, "rows": rows} if rows else {}


def decode_prompt(stored: Mapping[str, Any]) -> RenderedMessage:
    """The message that `encode_prompt` made JSON of."""
    rows = tuple(
        tuple(InlineButton(label, data, tuple(typed)) for label, data, typed in row) for row in stored.get("rows", ())
    )
    return RenderedMessage(html=stored.get("html", ""), buttons=rows)


def is_yes_or_no(text: str) -> bool:
    """Whether a text is a word for yes or no."""
    return normalise_text(text) in get_words(YES) | get_words(NO)


def is_stay_out(text: str) -> bool:
    """Whether a text is a word that leads out, such as “no”."""
    return normalise_text(text) in get_words(STAY_OUT)


def find_command_word(text: str) -> str:
    """The list that has a typed text: BACK, or one of COMMAND_WORDS; empty where none has it."""
    typed = normalise_text(text)
    return next((name for name in (BACK, *COMMAND_WORDS) if typed in get_words(name)), "")


def may_be_wish(text: str) -> bool:
    """Whether a text may be meant as an answer or as something else: it is a listed word, or the label of a button."""
    is_label = normalise_text(text) in _list_label_translations(list_languages())
    return is_label or is_yes_or_no(text) or bool(find_command_word(text))


def list_more_words(number: int) -> tuple[str, ...]:
    """What asks for so many more: “10”, “10 more”, «ще 10»."""
    words = sorted(get_words(MORE))
    return (str(number), *(f"{word} {number}" for word in words), *(f"{number} {word}" for word in words))


def find_number(text: str) -> str:
    """The only number in a text that has other words too, as it is written; empty where there is none, or several."""
    numbers = _NUMBER.findall(text)
    return numbers[0] if len(numbers) == 1 and numbers[0] != text.strip() else ""


def find_named_button(text: str, rows: ButtonRows) -> InlineButton | None:
    """The button that a typed text names; None where it names none or several.

    Its whole text comes before a letter, and the label in another language of the bot last.
    """
    buttons = [button for row in rows for button in row if text.strip()]
    own = _find_button(text, buttons)
    if own is not None:
        return own
    others = (
        _find_button(label, buttons)
        for label in _list_label_translations(list_languages()).get(normalise_text(text), ())
    )
    return next((button for button in others if button is not None), None)


def find_labelled_button(text: str, rows: ButtonRows) -> InlineButton | None:
    """The button whose label a typed text is, or that a word for back means; None where it names none or several."""
    labelled = {
        replace(button, typed=tuple(word for word in button.typed if word == BACK)): button
        for row in rows
        for button in row
    }
    matched = find_named_button(text, (tuple(labelled),))
    return None if matched is None else labelled[matched]


@cache
def _list_label_translations(languages: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """The labels of the same button in all languages, by each of them as it is compared, “Back” also by its words."""
    same = [[get_texts(language)(text_id) for language in languages] for text_id in LABELS]
    same += [
        [get_organiser_texts(language)(text_id) for language in ORGANISER_LANGUAGES] for text_id in ORGANISER_LABELS
    ]
    translations: dict[str, dict[str, None]] = {}
    for labels in same:
        for label in labels:
            translations.setdefault(normalise_text(label), {}).update(dict.fromkeys(labels))
    for word in get_words(BACK):
        back = dict.fromkeys(get_texts(language)("back") for language in languages)
        translations.setdefault(word, {}).update(back)
    for label in list(translations):
        translations.setdefault(spelling.strip_accents(label), {}).update(translations[label])
    return {label: tuple(others) for label, others in translations.items()}


def _find_button(text: str, buttons: Sequence[InlineButton]) -> InlineButton | None:
    typed = normalise_text(text)
    in_full = [
        button for button in buttons if typed and typed in map(normalise_text, (button.label, *button.typed[:1]))
    ]
    named = (
        in_full or [button for button in buttons if typed in _expand_words(button.typed)] or _list_alike(typed, buttons)
    )
    return named[0] if len(named) == 1 else None


def _list_alike(typed: str, buttons: Sequence[InlineButton]) -> list[InlineButton]:
    """The buttons whose whole text a typed one is but for look-alike letters and accents, if it is longer than one."""
    key = spelling.build_typed_key(typed)
    if len(key) < 2:
        return []
    names = {button: map(normalise_text, (button.label, *button.typed[:1])) for button in buttons}
    return [button for button in buttons if key in map(spelling.build_typed_key, names[button])]


def normalise_text(text: str) -> str:
    """The text as it is compared: in lower case, without punctuation around it; a single letter as a Cyrillic one."""
    words = " ".join(spelling.build_key(text).split()).casefold().translate(_PLAIN)
    stripped = words.strip(_PUNCTUATION) or words
    return stripped.translate(_LETTERS) if len(stripped) == 1 else stripped


def _expand_words(words: Iterable[str]) -> Iterable[str]:
    for word in words:
        yield from get_words(word) if word in WORD_SETS else [normalise_text(word)]


def _get_first_word(text: str) -> str:
    return text.split(maxsplit=1)[0].strip(_PUNCTUATION) if text else ""
