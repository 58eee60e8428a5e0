"""Reads options out of a reply: one of several by its letter, number or text, or any number of boxes.

A build copies this file next to `replies.py`, which it imports.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from exports.benchmark_items import replies

_MARK = re.compile(
    rf"{replies.LEAD}(?:(?:option|choice|answer|letter|number|no\.?|#|варіант|літера|номер|вариант|буква|под номером|"
    rf"під номером)\s*(?:№|no\.?)?{replies.LEAD})?(?P<mark>[0-9]{{1,3}}|[^\W\d_])(?!_?[^\W_]|['’]\w)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_KEYCAP = re.compile("[\ufe0f\u20e3]")
_CLOSED = re.compile(rf"[\s*_`)\]{replies.QUOTES}$]*[.:;,!]?[\s*_`)\]{replies.QUOTES}$]*\Z")
_DELIMITER = re.compile(
    rf"[*_`{replies.QUOTES}]*(?P<sign>[)\]:]+[.:]?|[.,;]|\s+[–—-]+(?=\s)|[ \t]*\n|\s+\()[*_`{replies.QUOTES}]*\s*"
)
_REASON = re.compile(
    r"[\s,*_]*(?:because|since|as|оскільки|бо|тому що|адже|потому что|поскольку|так как)\b|"
    r"\s+is\s+(?:the\s+)?(?:right|correct|best|answer)\b",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    rf"(?:(?:and|or|both|and/or|і|й|та|або|чи|и|или)\s+|[/&+,\s]*){replies.LEAD}(?P<mark>[0-9]{{1,3}}|[^\W\d_])"
    rf"(?=\s*(?:[).,:;/\]*]|\Z|\n))",
    re.IGNORECASE,
)
_JOINED = re.compile(
    rf"\s*(?:[/&+,-]|and\b|or\b|і\b|й\b|та\b|або\b|чи\b|и\b|или\b)\s*{replies.LEAD}(?:[0-9]+|[^\W\d_])(?!\w)",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"(?:\A|[.!?…,;:)\n–—-])\s*(?:(?:or|and|but|або|или|but no)\s+)?(?:(?:wait|actually|rather|correction|sorry|hmm+|"
    r"on second thought|насправді|точніше|стоп|вибачте|на самом деле|вернее|точнее|извините|простите)\b|"
    r"(?:no|ні|нет)\s*[,:–—-])",
    re.IGNORECASE,
)
"""Where a reply takes back what it said."""
_BREAK = re.compile(
    r"[,.;:!](?=\s)|\s[–—-]+\s|\s?\(|\n|\s+(?=(?:because|since|оскільки|бо|тому|потому|поскольку)\b)", re.IGNORECASE
)
_MOST_WORDS = 12
"""How many words besides an option a sentence may have that names it."""
_FEWEST_LETTERS = 4
"""How long an option must be to be read out of a sentence; так and no are words of many sentences."""


def read_choice(reply: str, *, marks: Sequence[str], texts: Sequence[str], cue: str = "") -> replies.Reading[int]:
    """The index of the option that a reply chooses.

    `marks` are the letters or numbers under which the options were listed; without any, options are asked by their
    `texts`. `cue` is the last line of the prompt, which a reply may repeat.
    """
    options = _Options(marks=tuple(marks), texts=tuple(texts))
    strict = options.read_strictly(reply)
    return replies.Reading(strict=strict, lenient=_read_leniently(reply, options, cue) if strict is None else strict)


@dataclass(frozen=True)
class _Options:
    """The options of an item, by which single phrases are read."""

    marks: tuple[str, ...]
    texts: tuple[str, ...]

    def read_strictly(self, reply: str) -> int | None:
        """The option of which a reply is the mark or, without marks, the text."""
        for key in (replies.compose, replies.fold_case, replies.fold_ends):
            wanted = key(reply)
            found = [number for number, name in enumerate(self.marks or self.texts) if key(name) == wanted]
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def find_mark(self, written: str) -> int | None:
        """The option with this mark, whatever its case or the alphabet of a letter that looks the same."""
        for key in (replies.compose, replies.fold_case, replies.fold_alphabet):
            found = [number for number, mark in enumerate(self.marks) if key(mark) == key(written)]
            if found:
                return found[0] if len(found) == 1 and not (written in "Bb" and "Б" in self.marks) else None
        return None

    def find_text(self, written: str) -> int | None:
        """The option with this text, whatever the case, quotes and punctuation."""
        for key in (replies.compose, replies.fold_case, replies.build_key):
            wanted = key(written)
            found = [number for number, text in enumerate(self.texts) if key(text) == wanted] if wanted else []
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def list_named(self, phrase: str) -> set[int]:
        """The options named in a phrase; one that is part of a longer one that is named there is not."""
        words, named = replies.build_key(phrase).split(), set()
        keys = [replies.build_key(text).split() for text in self.texts]
        for number in sorted(range(len(keys)), key=lambda number: -len(keys[number])):
            own, size = keys[number], len(keys[number])
            places = [start for start in range(len(words) - size + 1) if own and words[start : start + size] == own]
            for start in places:
                words[start : start + size] = [""] * size
            if places:
                named |= {other for other, key in enumerate(keys) if key == own}
        return named

    def read_line(self, line: str) -> int | None:
        """The option of which a line is the mark, the text, or both."""
        match = self.match_mark(line)
        if match is None:
            return self.find_text(line)
        number, rest = self.find_mark(match["mark"]), match["rest"]
        if number is None or _CLOSED.match(rest):
            return number if number is not None else self.find_text(line)
        return number if self._agrees(number, rest) else None

    def match_mark(self, phrase: str) -> re.Match[str] | None:
        """The mark at the start of a phrase, if the options have marks."""
        return _MARK.match(_KEYCAP.sub("", unicodedata.normalize("NFKC", phrase))) if self.marks else None

    def _agrees(self, number: int, rest: str) -> bool:
        """Whether what follows a mark is the text of the same option, or a part of no other's."""
        words = replies.build_key(rest)
        if not words:
            return False
        if self.find_text(rest) is not None:
            return self.find_text(rest) == number
        holders = [other for other, text in enumerate(self.texts) if f" {words} " in f" {replies.build_key(text)} "]
        starts = f"{words} ".startswith(f"{replies.build_key(self.texts[number])} ") and bool(
            replies.build_key(self.texts[number])
        )
        return holders == [number] or (starts and self.list_named(rest) == {number})

    def read_phrase(self, phrase: str, *, announced: bool) -> int | None:
        """The option that a phrase begins with, and that nothing in the rest of it takes back."""
        match = self.match_mark(phrase)
        if match is not None and (number := self.find_mark(match["mark"])) is not None:
            if self._is_chosen(number, match["mark"], match["rest"], announced=announced):
                return number
            is_word = match["mark"] != self.marks[number] and _DELIMITER.match(match["rest"]) is None
            return self._read_text(phrase) if is_word else self.find_text(phrase)
        return self._read_text(phrase)

    def _is_chosen(self, number: int, mark: str, rest: str, *, announced: bool) -> bool:
        """Whether the mark with which a phrase begins is its answer, and no word, and no part of a list."""
        if _CLOSED.match(rest) or self._agrees(number, rest):
            return True
        another = _JOINED.match(rest)
        if another or _CORRECTION.search(rest):
            return False
        is_exact = mark == self.marks[number]
        delimiter = _DELIMITER.match(rest)
        if delimiter is None:
            is_word = not mark.isdigit() and mark in "AIАВІОУСКЗЯИЙ"
            return is_exact and bool(_REASON.match(rest)) and (announced or not is_word or mark.isascii())
        tail = rest[delimiter.end() :]
        if _ANOTHER.match(tail) or self._starts_with_another(number, tail):
            return False
        if delimiter["sign"] != "." or mark.isdigit() or _REASON.match(tail):
            return True
        return announced and is_exact and len(replies.build_key(tail).split()) > 2  # no initial before a name

    def _starts_with_another(self, number: int, tail: str) -> bool:
        """Whether the rest after a mark begins with the text of another option."""
        words = f"{replies.build_key(tail)} "
        starts = [key for text in self.texts if (key := replies.build_key(text)) and words.startswith(f"{key} ")]
        return bool(starts) and max(starts, key=len) != replies.build_key(self.texts[number])

    def _read_text(self, phrase: str) -> int | None:
        """The option whose text a phrase is, begins with, or names in a short sentence, if it names no other one."""
        whole = self.find_text(phrase)
        if whole is not None:
            return whole
        named = self.list_named(phrase)
        if len(named) != 1:
            return None
        (number,) = named
        longest = 2 * len(self.texts[number]) + _MOST_WORDS
        for stop in _BREAK.finditer(phrase, 0, longest):
            if self.find_text(phrase[: stop.start()]) == number:
                return None if _CORRECTION.search(phrase[stop.start() :]) else number
        own = replies.build_key(self.texts[number])
        others = f" {replies.build_key(phrase)} ".replace(f" {own} ", " ", 1)
        is_short = "\n" not in phrase.strip() and len(others.split()) <= _MOST_WORDS
        is_plain = not replies.NEGATION.search(others) and not _CORRECTION.search(phrase) and "?" not in phrase
        marked = [other for word in phrase.split() if (other := self._find_plain_mark(word)) is not None]
        is_alone = all(other == number for other in marked)
        return number if is_short and is_plain and is_alone and len(own) >= _FEWEST_LETTERS else None

    def _find_plain_mark(self, word: str) -> int | None:
        """The option of a word that is its mark and can be no word of a sentence."""
        bare = word.strip(f".,:;()[]*{replies.QUOTES}")
        return self.marks.index(bare) if bare in self.marks and bare != "I" and (bare != "A" or bare != word) else None


def _read_leniently(reply: str, options: _Options, cue: str) -> int | None:
    text = replies.clean_reply(reply, cue)
    if text is None:
        return None
    framed = replies.list_framed(text)
    if framed is not None:
        return replies.take_only({options.read_phrase(part, announced=True) for part in framed})
    lines = [line for line in text.splitlines() if line.strip()]
    by_line = [options.read_line(line) for line in lines]
    announced = {options.read_phrase(part, announced=True) for part in replies.list_announced(text)} - {None}
    if announced:
        first = {by_line[0]} - {None} if len(replies.build_key(lines[0]).split()) == 1 else set()
        return replies.take_only(announced | first)
    readings = {options.read_phrase(text, announced=False), *by_line} - {None}
    ends = {options.read_phrase(text, announced=False), by_line[0], by_line[-1]} - {None} if lines else set()
    return replies.take_only(readings) if ends else None


def read_boxes_reply(reply: str, *, texts: Sequence[str], cue: str = "") -> replies.Reading[tuple[int, ...]]:
    """The indices of the options that a reply ticks by their numbers (from 1) or texts; 0 ticks none of them."""
    boxes = _Boxes(texts=tuple(map(_fold_line, texts)))
    strict = boxes.read_strictly(reply)
    return replies.Reading(
        strict=strict, lenient=_read_boxes_leniently(reply, boxes, cue) if strict is None else strict
    )


_NUMBERS = re.compile(r"[0-9]{1,4}(?:\s*[,;]\s*[0-9]{1,4})*")
_BETWEEN = re.compile(
    rf"(?:[\s,;/&+#>•·\[\]{replies.QUOTES}]|(?<!\S)[–—-](?=\s)|"
    r"\b(?:and|as well as|also|і|й|та|а також|також|и|да|а также|также)\b)*"
)
_NUMBERED = re.compile(
    r"\(?(?:(?:option|options|number|numbers|no\.?|варіант|варіанти|номер|номери|вариант|варианты|номера)\s*)?№?\s*"
    r"(?P<number>[0-9]{1,3})(?![0-9]|\.[0-9]|[ \t]*[–—-][ \t]*[0-9])(?!\w)(?P<end>\)?(?:[.:](?=\s*(?:\n|\Z)))?)[).:]*"
)
_EXPLAINED = re.compile(
    r"\s*(?:\Z|[.;:()!\n]|[–—-]+\s|,?\s*(?:because|since|but|бо|оскільки|але|а не|потому|поскольку|так как|но)\b)"
)
_CLAUSE = re.compile(r"[,.;:()\n]|\b(?:and|but|і|та|але|и|но)\b")
_NONE_OF_THEM = frozenset(
    (
        *("none", "none of them", "none of the above", "none of these"),
        *("жоден", "жодного", "жоден з них", "немає таких", "таких немає"),
        *("ни один", "ни одного", "ни один из них", "нет таких", "таких нет"),
    )
)


@dataclass(frozen=True)
class _Boxes:
    """The options of an item with boxes, folded by `_fold_line`."""

    texts: tuple[str, ...]

    def read_strictly(self, reply: str) -> tuple[int, ...] | None:
        """The options of a reply that has numbers and commas only."""
        bare = replies.fold_ends(reply)
        return self._choose(set(map(int, re.findall("[0-9]+", bare)))) if _NUMBERS.fullmatch(bare) else None

    def _choose(self, numbers: set[int]) -> tuple[int, ...] | None:
        """The indices of numbers; None if one is too large, or 0 is not the only one."""
        if not numbers or max(numbers) > len(self.texts) or (0 in numbers and len(numbers) > 1):
            return None
        return tuple(sorted(number - 1 for number in numbers if number))

    def read_phrase(self, phrase: str) -> tuple[int, ...] | None:
        """The options that a phrase lists before anything else, if what follows names others only to deny them."""
        text = _fold_line(phrase)
        if replies.build_key(text) in _NONE_OF_THEM:
            return ()
        numbers: set[int] = set()
        place = 0
        while (found := self._read_item(text, start := _match_end(_BETWEEN, text, place))) is not None:
            number, place = found
            numbers.add(number)
            if start == place:
                return None
        rest = text[place:]
        if not numbers or not _EXPLAINED.match(rest) or _CORRECTION.search(rest):
            return None
        return self._choose(numbers) if self._denies(rest) else None

    def _read_item(self, text: str, start: int) -> tuple[int, int] | None:
        """The number of the option at this place, and where it ends: a number, a text, or both if they agree."""
        match = _NUMBERED.match(text, start)
        named, end = self._find_text(text, start)
        if match is None or (named is not None and end > match.end()):
            return None if named is None else (named, end)
        number = int(match["number"])
        own, own_end = self._find_text(text, _match_end(_BETWEEN, text, match.end()))
        is_next_line = "\n" in text[match.end() : own_end]
        if own is None or is_next_line or match[0][-1].isdigit():
            return (number, match.end("end")) if number <= len(self.texts) or named is None else (named, end)
        return (number, own_end) if own == number else (len(self.texts) + 1, own_end)

    def _find_text(self, text: str, start: int) -> tuple[int | None, int]:
        """The number of the longest option whose text is at this place, and where that ends."""
        fits = [
            (len(option), number)
            for number, option in enumerate(self.texts, start=1)
            if option and text.startswith(option, start) and not re.match(r"\w", text[start + len(option) :])
        ]
        size, number = max(fits, default=(0, 0))
        same = sum(len(self.texts[other - 1]) == size for _, other in fits)
        return (number, start + size) if fits and same == 1 else (None, start)

    def _denies(self, rest: str) -> bool:
        """Whether each clause of an explanation that has the number or the text of an option denies it."""
        for clause in _CLAUSE.split(rest):
            words = f" {replies.build_key(clause)} "
            numbers = [int(number) for number in re.findall(r"\b[0-9]{1,3}\b", clause)]
            names = [text for text in self.texts if (key := replies.build_key(text)) and f" {key} " in words]
            if (names or any(number <= len(self.texts) for number in numbers)) and not replies.NEGATION.search(clause):
                return False
        return True


def _read_boxes_leniently(reply: str, boxes: _Boxes, cue: str) -> tuple[int, ...] | None:
    text = replies.clean_reply(reply, cue)
    if text is None:
        return None
    framed = replies.list_framed(text)
    if framed is not None:
        return replies.take_only({boxes.read_phrase(part) if part else () for part in framed})
    announced = {boxes.read_phrase(part) for part in replies.list_announced(text)} - {None}
    if announced:
        return replies.take_only(announced)
    whole = boxes.read_phrase(text)
    lines = [line for line in text.splitlines() if line.strip()]
    if whole is not None or len(lines) < 2:
        return whole
    by_line = [boxes.read_phrase(line) for line in lines]
    return by_line[-1] if by_line[-1] is not None and by_line[:-1] == [None] * (len(lines) - 1) else None


def _fold_line(text: str) -> str:
    """A text without case, formatting and stress marks, on the lines that it has."""
    bare = re.sub(r"[*`]+|(?<!\w)_+|_+(?!\w)", "", replies.fold_case(text))
    return re.sub("(?<=[Ѐ-ӿ])\u0301", "", re.sub(r"[^\S\n]+", " ", bare)).strip().removesuffix(".")


def _match_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return start if match is None else match.end()
