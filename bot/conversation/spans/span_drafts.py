"""What an annotator has chosen so far of the spans in a text, what they are asked now, and what their buttons mean."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from annotation.campaigns.questions.question_base import find_occurrences

Extent = tuple[int, int]
"""The start and end of a part of the text."""
_ABBREVIATIONS = """
акад алг англ арх бл буд вул гр грн див доп доц зб зв ім ін інж кв кг км коп куб лат літ млн млрд напр наук нім обл оз
пл прим пров просп проф розд рр руб рус сек селищ сер ст стор табл тел тис укр ул упоряд фр хв шт гг гос др им колл корп
мин наб нач нем отд пер респ сб след см соч ср тж тов тыс худ экз яз
approx apr aug ave capt cf corp dec dept dr ed eds eg esp etc fig figs feb gov ie inc jan jr ltd messrs mr mrs nos nov
oct pp prof rev sept sgt sr st univ vol vs"""
ABBREVIATIONS = frozenset(_ABBREVIATIONS.split())
"""Words after which a full stop ends no sentence, in any case; those that also are words, as «вид», are left out."""
SHORT_ABBREVIATIONS = frozenset("бвгдзклмнпрстхч")
"""Small single letters after which it ends none: «м. Київ», «1798 р.»; «я» ends one. A capital letter is an initial."""
_SENTENCE_END = re.compile(r"[.!?…]+[»”“\"'’)\]]*(?=\s)|\n+")
_LAST_TOKEN = re.compile(r"[^\W\d_]+\Z")
_SYMBOLS_IN_WORDS = "%‰#&@*§_"
"""Punctuation by Unicode that belongs to a word: «100%», «R&D»."""
_JOINTS = "-\u2010\u2011'’`´"
"""What joins two halves of one word."""
_NUMBER_JOINTS = ".,:/–"
"""What joins two halves of a number: «3,14», «10:30», «1990–2000»."""


MAX_PART = 4096
"""The longest typed part that is looked for, in characters: one message."""
_ALIKE = ("'’ʼ‘`´", '"“”„«»', "-\u2010\u2011‐–—−")
"""Characters that phones type one for another."""


@dataclass(frozen=True, kw_only=True)
class TextSegments:
    """A text with its sentences and words, in their order; every word is in one sentence."""

    text: str
    sentences: tuple[Extent, ...]
    words: tuple[Extent, ...]

    def list_sentence_words(self, sentence: int) -> range:
        """The indices of the words of a sentence."""
        start, end = self.sentences[sentence]
        return range(*(bisect_left(self.words, position, key=get_start) for position in (start, end)))

    def find_sentence(self, position: int) -> int:
        """The index of the sentence at a position; of the one before, for white space between two."""
        return max(0, bisect_right(self.sentences, position, key=get_start) - 1)


def get_start(extent: Extent) -> int:
    """Where a part begins."""
    return extent[0]


def get_end(extent: Extent) -> int:
    """Where a part ends."""
    return extent[1]


def split_text(text: str) -> TextSegments:
    """Split a text into sentences and words. Sentences without a word, as a line of dashes, are left out."""
    words = tuple(_find_words(text))
    sentences = tuple(extent for extent in _find_sentences(text) if any(map(_is_word_character, text[slice(*extent)])))
    return TextSegments(text=text, sentences=sentences, words=words)


def find_typed_part(typed: str, text: str) -> tuple[Extent, ...]:
    """Where a typed part stands in the text: exactly so, or else but for case, apostrophes, quotes, dashes and spaces.

    Empty where it stands nowhere.
    """
    part = typed.strip()
    if not part or len(part) > MAX_PART:
        return ()
    exact = tuple((start, start + len(part)) for start in find_occurrences(part, text))
    return exact or tuple(_find_alike(part, text))


def _find_sentences(text: str) -> Iterator[Extent]:
    """The sentences without white space around them."""
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if _ends_sentence(text, match):
            yield from _strip_extent(text, start, match.end())
            start = match.end()
    yield from _strip_extent(text, start, len(text))


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    """Whether a sentence ends here: at a new line, and at a mark that is no abbreviation's, before no small letter."""
    if match[0].startswith("\n"):
        return True
    following = next((character for character in text[match.end() : match.end() + 20] if character.isalnum()), "")
    if following.islower():
        return False
    if match[0] != ".":
        return True
    token = _LAST_TOKEN.search(text, max(0, match.start() - 20), match.start())
    if token is None:
        return True
    word = token[0]
    if len(word) > 1:
        return word.casefold() not in ABBREVIATIONS
    follows_point = text[token.start() - 1 : token.start()] == "."
    return not (word.isupper() or word in SHORT_ABBREVIATIONS or follows_point)


def _strip_extent(text: str, start: int, end: int) -> Iterator[Extent]:
    stripped = text[start:end].strip()
    if stripped:
        begin = start + text[start:end].index(stripped[0])
        yield begin, begin + len(stripped)


def _find_words(text: str) -> Iterator[Extent]:
    start: int | None = None
    for position, character in enumerate(text):
        inside = _is_word_character(character) or _joins_word(text, position)
        if inside and start is None:
            start = position
        elif not inside and start is not None:
            yield start, position
            start = None
    if start is not None:
        yield start, len(text)


def _is_word_character(character: str) -> bool:
    """Letters with their accents, digits and symbols; no punctuation, white space or control character."""
    if character.isalnum() or character in _SYMBOLS_IN_WORDS:
        return True
    return unicodedata.category(character)[0] in "MSN" and character not in "`´"


def _joins_word(text: str, position: int) -> bool:
    """Whether a mark stands between two halves of one word or number, or is the minus of a number."""
    character, before, after = text[position], text[position - 1 : position], text[position + 1 : position + 2]
    if character == "\u200d":
        return True
    if character in "-–" and after.isdigit() and (not before or before.isspace() or before in "(["):
        return True
    if not before or not after:
        return False
    if character in _JOINTS:
        return _is_word_character(before) and _is_word_character(after)
    return character in _NUMBER_JOINTS and before.isdigit() and after.isdigit()


def _find_alike(part: str, text: str) -> Iterator[Extent]:
    pattern = r"\s+".join("".join(map(_build_class, word)) for word in part.split())
    for match in re.finditer(pattern, text, re.IGNORECASE):
        yield match.span()


def _build_class(character: str) -> str:
    alike = next((group for group in _ALIKE if character in group), "")
    return f"[{re.escape(alike)}]" if alike else re.escape(character)


class SpanStep(IntEnum):
    """What the annotator is asked now."""

    SENTENCE = 0
    FIRST_WORD = 1
    LAST_WORD = 2
    MATCH = 3
    CONFIRM = 4


class SpanTap(IntEnum):
    """What a button does; the numbers stand in the data of buttons and never change their meaning.

    CHOOSE takes the sentence, word or match with an index, PAGE shows a page, BACK returns to the step before, MOVE_…
    moves an end of the span by a word, ADD keeps the span and begins another, REMOVE drops it, SAVE answers with all
    spans, and NONE that there is no such part.
    """

    CHOOSE = 0
    PAGE = 1
    BACK = 2
    MOVE_START_BACK = 3
    MOVE_START_ON = 4
    MOVE_END_BACK = 5
    MOVE_END_ON = 6
    ADD = 7
    REMOVE = 8
    SAVE = 9
    NONE = 10


@dataclass(frozen=True, kw_only=True)
class SpanDraft:
    """What was chosen so far.

    `kept` are the spans that are chosen already, `current` is the one that is shown to be confirmed. Where there is no
    `current` one, `sentence` is the index of the chosen sentence, `first` that of the first word, and `matches` are the
    places of typed words that stand in the text several times. `page` is the shown page of numbers, from 0.
    """

    kept: tuple[Extent, ...] = ()
    current: Extent | None = None
    sentence: int | None = None
    first: int | None = None
    matches: tuple[Extent, ...] = ()
    page: int = 0

    @property
    def spans(self) -> tuple[Extent, ...]:
        """All chosen spans, in the order of the text."""
        return tuple(sorted((*self.kept, *((self.current,) if self.current else ()))))

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that tell this draft from others: a button applies only to its own draft."""
        return hashlib.sha256(json.dumps(self.to_json()).encode()).hexdigest()[:8]

    def to_json(self) -> dict[str, Any]:
        """The draft as JSON, without what is empty."""
        values: dict[str, Any] = {
            "kept": [list(span) for span in self.kept],
            "now": self.current and list(self.current),
            "in": self.sentence,
            "from": self.first,
            "at": [list(span) for span in self.matches],
            "page": self.page or None,
        }
        return {key: value for key, value in values.items() if value is not None and value != []}


def parse_draft(data: Mapping[str, Any]) -> SpanDraft:
    """The draft of `SpanDraft.to_json`."""
    current = data.get("now")
    return SpanDraft(
        kept=tuple((start, end) for start, end in data.get("kept", ())),
        current=None if current is None else (current[0], current[1]),
        sentence=data.get("in"),
        first=data.get("from"),
        matches=tuple((start, end) for start, end in data.get("at", ())),
        page=data.get("page", 0),
    )
