"""Reads options out of a reply: one of several by its letter, number or text, or any number of boxes.

A build copies this file next to `replies.py`, which it imports.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from exports.benchmark_items import replies

_MARK = re.compile(
    rf"{replies.LEAD}(?:(?:option|choice|answer|letter|number|no\.?|#|варіант|літера|номер|вариант|буква|под номером|"
    rf"під номером)\s*(?:№|no\.?)?{replies.LEAD})?(?P<mark>[0-9]{{1,3}}|[^\W\d_])(?!_?[^\W_]|['’]\w)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_KEYCAP = re.compile("[\ufe0f\u20e3]")
_CLOSED = re.compile(rf"[\s*_`)\]{replies.QUOTES}$]*[.:;,!]?[\s*_`)\]{replies.QUOTES}$]*\Z")
_DELIMITER = re.compile(
    rf"[*_`{replies.QUOTES}]*(?P<sign>[)\]:]+[.:]?|[.,;](?!\w)|\s+[–—-]+(?=\s)|[ \t]*\n|\s+\()[*_`{replies.QUOTES}]*\s*"
)
_REASON = re.compile(
    r"[\s,*_]*(?:because|since|as|оскільки|бо|тому що|адже|потому что|поскольку|так как|explanation|reason|"
    r"пояснення|объяснение|обґрунтування)\b|"
    r"[\s*_]+is\s+(?:the\s+)?(?:right|correct|best|better|answer)\b",
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
_OR = re.compile(r"(?:or|або|чи|или)\b", re.IGNORECASE)
_CORRECTION = re.compile(
    r"(?:\A|[.!?…,;:)\n–—-])\s*(?:(?:or|and|but|або|или|no|oh)\s+)*(?:(?:wait|actually|rather|correction|sorry|hmm+|"
    r"on second thought|насправді|точніше|стоп|вибачте|на самом деле|вернее|точнее|извините|простите)\b|"
    r"(?:no|ні|нет)\s*[,:–—-])",
    re.IGNORECASE,
)
"""Where a reply takes back what it said."""
_BREAK = re.compile(
    r"[,.;:!](?=\s)|\s[–—-]+\s|\s?\(|\n|\s+(?=(?:because|since|оскільки|бо|тому|потому|поскольку)\b)", re.IGNORECASE
)
_WORDS = "АВІОУСКЗЯИЙ"
"""Letters that are words, with which a sentence can begin."""
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
        if number is None:
            return self.find_text(line)
        if _CLOSED.match(rest):
            return None if self._is_doubtful(number, match["mark"], line) else number
        return number if self._agrees(number, rest) else None

    def _is_doubtful(self, number: int, mark: str, phrase: str) -> bool:
        """Whether a phrase is the text of another option, and no mark of this one but only looks like it."""
        is_mark = replies.fold_case(mark) == replies.fold_case(self.marks[number])
        return not is_mark and self.find_text(phrase) not in (None, number)

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
        own = replies.build_key(self.texts[number])
        return holders == [number] or (f"{words} ".startswith(f"{own} ") and self.list_named(rest) == {number})

    def read_phrase(self, phrase: str, *, announced: bool) -> int | None:
        """The option that a phrase begins with, and that nothing in the rest of it takes back."""
        match = self.match_mark(phrase)
        if match is not None and (number := self.find_mark(match["mark"])) is not None:
            if _CLOSED.match(match["rest"]):
                return None if self._is_doubtful(number, match["mark"], phrase) else number
            if self.find_text(phrase) not in (None, number):
                return self.find_text(phrase) if _DELIMITER.match(match["rest"]) is None else None
            if self._is_chosen(number, match["mark"], match["rest"], announced=announced):
                return number
            is_word = match["mark"] != self.marks[number] and _DELIMITER.match(match["rest"]) is None
            return self._read_text(phrase) if is_word else self.find_text(phrase)
        return self._read_text(phrase)

    def read_announced(self, part: str) -> int | None:
        """The option that follows an announcement, if only its reason or other lines come after it."""
        number = self.read_phrase(part, announced=True)
        line, _, rest = part.partition("\n")
        return self.read_line(line) if number is None and not _CORRECTION.search(f"\n{rest}") else number

    def _is_chosen(self, number: int, mark: str, rest: str, *, announced: bool) -> bool:
        """Whether the mark with which a phrase begins is its answer, and no word, and no part of a list."""
        if self._agrees(number, rest):
            return True
        if _JOINED.match(rest) or _CORRECTION.search(rest):
            return False
        is_exact, delimiter = mark == self.marks[number], _DELIMITER.match(rest)
        if delimiter is None:
            return is_exact and bool(_REASON.match(rest)) and (announced or mark not in _WORDS)
        sign, tail = delimiter["sign"].strip(" \t"), rest[delimiter.end() :]
        is_another = bool(_ANOTHER.match(tail) or _OR.match(tail)) or self._starts_with_another(number, tail)
        is_list = not announced and any(self._begins_item(line, but=number) for line in tail.splitlines())
        if tail[:1].isdigit() or is_another or is_list:
            return False
        if announced:
            is_long = len(replies.build_key(tail).split()) > 2  # what is shorter can be a name after its initial
            return "\n" in sign or bool(_REASON.match(tail)) or (is_exact and (sign not in ".:" or is_long))
        is_choice = not mark.isdigit() and sign not in ".:" and (sign != "," or mark not in _WORDS)
        return "\n" in sign or (is_exact and (is_choice or bool(_REASON.match(tail))))

    def _begins_item(self, line: str, *, but: int) -> bool:
        """Whether a line begins with the mark of another option, as those of a list do."""
        match = self.match_mark(line)
        if match is None or _DELIMITER.match(match["rest"]) is None:
            return False
        return self.find_mark(match["mark"]) not in (None, but)

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
                return number if self._follows(number, phrase, stop) else None
        own = replies.build_key(self.texts[number])
        others = f" {replies.build_key(phrase)} ".replace(f" {own} ", " ", 1)
        is_short = "\n" not in phrase.strip() and len(others.split()) <= _MOST_WORDS
        is_plain = not replies.NEGATION.search(others) and not _CORRECTION.search(phrase) and "?" not in phrase
        marked = [other for word in phrase.split() if (other := self._find_plain_mark(word)) is not None]
        is_alone = all(other == number for other in marked)
        return number if is_short and is_plain and is_alone and len(own) >= _FEWEST_LETTERS else None

    def _follows(self, number: int, phrase: str, stop: re.Match[str]) -> bool:
        """Whether what follows the text of an option can explain it: no mark of another one, nothing taken back."""
        another = _ANOTHER.match(phrase, stop.end())
        other = None if another is None else self.find_mark(another["mark"])
        return other in (None, number) and not _CORRECTION.search(phrase[stop.start() :])

    def _find_plain_mark(self, word: str) -> int | None:
        """The option of a word that is its mark and can be no word of a sentence."""
        bare = word.strip(f".,:;()[]*{replies.QUOTES}")
        return self.marks.index(bare) if bare in self.marks and bare != "I" and (bare != "A" or bare != word) else None


def _read_leniently(reply: str, options: _Options, cue: str) -> int | None:
    text = replies.clean_reply(reply, cue)
    if text is None:
        return None
    framed = replies.list_framed(text)
    text = replies.strip_tex(text)
    if framed is not None:
        return replies.take_only({options.read_phrase(part, announced=True) for part in framed})
    lines = [line for line in text.splitlines() if line.strip()]
    by_line = [options.read_line(line) for line in lines]
    announced = {options.read_announced(part) for part in _list_announced(text, options.texts)} - {None}
    if announced:
        is_bare = len(lines[0].split()) == 1 and not replies.list_announced(lines[0])
        return replies.take_only(announced | ({by_line[0]} - {None} if is_bare else set()))
    readings = {options.read_phrase(text, announced=False), *by_line} - {None}
    if len(lines) > 1 and lines[-2].rstrip().endswith(":") and replies.NEGATION.search(lines[-2]):
        by_line.pop()  # it lists what the line before it denies
    ends = {options.read_phrase(text, announced=False), by_line[0], by_line[-1]} - {None} if lines else set()
    return replies.take_only(readings) if ends else None


def _list_announced(text: str, options: Sequence[str]) -> list[str]:
    """What a reply announces; if an option has such words itself, only what the first words of the reply announce."""
    announced = replies.list_announced(text)
    if any(replies.list_announced(f"{option}\n") for option in options):
        key = f"{replies.build_key(text)} "
        is_option = any(key.startswith(f"{replies.build_key(option)} ") for option in options)
        return announced if len(announced) == 1 and replies.starts_announced(text) and not is_option else []
    return announced


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
_GAP = re.compile(r"[ \t]*(?:[–—-][ \t]+)?")
_DIGITS = re.compile("[0-9]")
_IN_WORD = re.compile(r"\w")
_EXPLAINED = re.compile(
    r"\s*(?:\Z|[.;:()!\n]|[–—-]+\s|(?:are|is) (?:right|correct)\b|(?:верн|вірн|правильн)\w+|"
    r",?\s*(?:because|since|but|бо|оскільки|але|а не|потому|поскольку|так как|но)\b)"
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
        numbers: dict[int, str] = {}
        place = 0
        while (found := self._read_item(text, start := _match_end(_BETWEEN, text, place))) is not None:
            number, place, form = found
            numbers[number] = form
            if start == place:
                return None
        rest = text[place:]
        if {"number", "text"} <= set(numbers.values()) or not _EXPLAINED.match(rest) or _CORRECTION.search(rest):
            return None
        return self._choose(set(numbers)) if self._denies(rest) else None

    def _read_item(self, text: str, start: int) -> tuple[int, int, str] | None:
        """The number of the option at this place, where it ends, and what names it: its number, its text, or both."""
        match = _NUMBERED.match(text, start)
        named, end = self._find_text(text, start)
        if match is None or (named is not None and end > match.end()):
            return None if named is None else (named, end, "text")
        number = int(match["number"])
        if number > len(self.texts) and named is not None:
            return named, end, "text"
        own, own_end = self._find_text(text, _match_end(_GAP, text, match.end()))
        if own is None or (own != number and match[0][-1].isdigit()):
            return number, match.end("end"), "number"
        return number if own == number else len(self.texts) + 1, own_end, "both"

    @cached_property
    def _are_named(self) -> bool:
        """Whether every option has a text that is told from what is between the parts of a list."""
        return all(option and _match_end(_BETWEEN, option, 0) == 0 for option in self.texts)

    def _find_text(self, text: str, start: int) -> tuple[int | None, int]:
        """The number of the longest option whose text is at this place, and where that ends."""
        fits = [
            (len(option), number)
            for number, option in enumerate(self.texts if self._are_named else (), start=1)
            if text.startswith(option, start) and _IN_WORD.match(text, start + len(option)) is None
        ]
        size, number = max(fits, default=(0, 0))
        same = sum(other == size for other, _ in fits)
        return (number, start + size) if same == 1 else (None, start)

    def _denies(self, rest: str) -> bool:
        """Whether each clause of an explanation that has the number or the text of an option denies it."""
        keys = sorted(filter(None, map(replies.build_key, self.texts)), key=len, reverse=True)
        clauses = [f" {replies.build_key(clause)} " for clause in _CLAUSE.split(rest)]
        whole = f" {replies.build_key(rest)} "
        attached = next((words for words in clauses if words.strip()), "")
        if replies.NEGATION.search(attached) and not (
            _DIGITS.search(attached) or any(f" {k} " in attached for k in keys)
        ):
            return False  # it denies what was listed last
        for words in clauses:
            others = words
            for key in keys:
                others = others.replace(f" {key} ", " ")
            has_number = any(int(number) <= len(self.texts) for number in re.findall(r"\b[0-9]{1,3}\b", words))
            if (has_number or others != words) and not replies.NEGATION.search(others):
                return False
        return not any(f" {key} " in whole and all(f" {key} " not in words for words in clauses) for key in keys)


def _read_boxes_leniently(reply: str, boxes: _Boxes, cue: str) -> tuple[int, ...] | None:
    text = replies.clean_reply(reply, cue)
    if text is None:
        return None
    framed = replies.list_framed(text)
    if framed is not None:
        return replies.take_only({boxes.read_phrase(part) if part else () for part in framed})
    announced = {boxes.read_phrase(part) for part in _list_announced(text, boxes.texts)} - {None}
    if announced:
        return replies.take_only(announced)
    whole = boxes.read_phrase(text)
    lines = [line for line in text.splitlines() if line.strip()]
    if whole is not None or len(lines) < 2:
        return whole
    *others, last = (boxes.read_phrase(line) for line in lines)
    is_list = any(_NUMBERED.match(line, _match_end(_BETWEEN, line, 0)) for line in lines[:-1])
    return last if not is_list and others == [None] * len(others) else None


def _fold_line(text: str) -> str:
    """A text without case, formatting and stress marks, on the lines that it has."""
    bare = re.sub(r"[*`«»“”„‟‚‹›\"]+|(?<!\w)_+|_+(?!\w)", "", replies.fold_case(text))
    return re.sub("(?<=[Ѐ-ӿ])\u0301", "", re.sub(r"[^\S\n]+", " ", bare)).strip().removesuffix(".")


def _match_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return start if match is None else match.end()
