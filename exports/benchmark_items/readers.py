"""Reads an answer out of what a model wrote: a choice, boxes, a typed text, quoted parts of a text.

A build copies this file next to `scoring.py`; it needs nothing else than the standard library and that file. Every
reader gives two readings. The strict one takes a reply that is the answer and nothing more, apart from its case,
quotes around it and a full stop. The lenient one also takes an answer that is announced, explained, formatted or
written out. Neither guesses: a reply that can be read in two ways has no reading. docs/reference/readers.md lists
replies with their readings.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from aggregation import scoring

READERS_VERSION = "1"
"""Changes whenever any reply gets another reading."""

T = TypeVar("T")


@dataclass(frozen=True)
class Reading(Generic[T]):
    """The two readings of a reply, each None if no answer can be read."""

    strict: T | None
    lenient: T | None


_REASONING_NAMES = "think|thinking|thought|reasoning|reflection"
_REASONING_START = re.compile(rf"<(?:{_REASONING_NAMES})>|\[THINK\]|<\|channel\|>analysis<\|message\|>", re.IGNORECASE)
_REASONING_END = re.compile(rf"</(?:{_REASONING_NAMES})>|\[/THINK\]|<\|channel\|>final<\|message\|>", re.IGNORECASE)
_END_TOKEN = re.compile(r"(?:\s*(?:<\|\w+\|>|</s>|<end_of_turn>))+\s*\Z")

_QUOTES = "«»“”„‟‘’‚‹›\"'`"
_LEAD = "[\\s*_`#>•·–—\\-(\\[«»“”„‘’‚‹›\"'$]*"
_ANNOUNCED = re.compile(
    r"(?P<final>\b(?:final|остаточн\w+|окончательн\w+|итогов\w+|фінальн\w+)\s+)?"
    r"\b(?:answer|option|choice|відповідь|варіант|ответ|вариант|odpowied[zź])[\s*_]*(?:\([^()\n]*\)[\s*_]*)?"
    r"(?:[:=]|\b(?:is|would be|є)\b\s*:?|[–—-]+\s*(?:(?:це|это|is)\b)?|\b(?:це|это)\b|(?<=\n))[\s*_]*",
    re.IGNORECASE,
)
"""The words before an answer: `The answer is`, `Правильна відповідь:`, `Итоговый ответ –`."""
_FRAMES = (
    re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}"),
    re.compile(r"<answer>(.*?)</answer>", re.IGNORECASE | re.DOTALL),
)
_TEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}|\$")
_FENCE = re.compile(r"```[\w-]*\n(.*?)\n?\s*```", re.DOTALL)
_ANSWER_KEYS = frozenset({"answer", "answers", "final_answer", "choice", "option", "label", "відповідь", "ответ"})

_MARK = re.compile(
    rf"{_LEAD}(?:(?:option|choice|answer|letter|number|no\.?|#|варіант|літера|номер|вариант|буква|под номером|"
    rf"під номером)\s*(?:№|no\.?)?{_LEAD})?(?P<mark>[0-9]{{1,3}}|[^\W\d_])(?!_?[^\W_]|['’]\w)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_KEYCAP = re.compile("[\ufe0f\u20e3]")
_CLOSED = re.compile(rf"[\s*_`)\]{_QUOTES}$]*[.:;,!]?[\s*_`)\]{_QUOTES}$]*\Z")
_DELIMITER = re.compile(
    rf"[*_`{_QUOTES}]*(?P<sign>[)\]:]+[.:]?|[.,;]|\s+[–—-]+(?=\s)|[ \t]*\n|\s+\()[*_`{_QUOTES}]*\s*"
)
_REASON = re.compile(
    r"[\s,*_]*(?:because|since|as|оскільки|бо|тому що|адже|потому что|поскольку|так как)\b|"
    r"\s+is\s+(?:the\s+)?(?:right|correct|best|answer)\b",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    rf"(?:(?:and|or|both|and/or|і|й|та|або|чи|и|или)\s+|[/&+,\s]*){_LEAD}(?P<mark>[0-9]{{1,3}}|[^\W\d_])"
    rf"(?=\s*(?:[).,:;/\]*]|\Z|\n))",
    re.IGNORECASE,
)
_JOINED = re.compile(
    rf"\s*(?:[/&+,-]|and\b|or\b|і\b|й\b|та\b|або\b|чи\b|и\b|или\b)\s*{_LEAD}(?:[0-9]+|[^\W\d_])(?!\w)", re.IGNORECASE
)
_CORRECTION = re.compile(
    r"\b(?:wait|actually|rather|correction|sorry|hmm|on second thought|насправді|точніше|стоп|вибачте|на самом деле|"
    r"вернее|точнее|извините|простите)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|none|neither|never|except|wrong|incorrect|false|не|ні|ані|жод\w+|крім|окрім|нет|ни|кроме|"
    r"неправильн\w*|невірн\w*|хибн\w*|неверн\w*|ошибочн\w*|ложн\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"[,.;:!](?=\s)|\s[–—-]+\s|\s?\(|\n|\s+(?=because\b|since\b|оскільки\b|бо\b|тому\b|потому\b|поскольку\b)",
    re.IGNORECASE,
)
_CYRILLIC_TWINS = str.maketrans("АВЕКМНОРСТХІЈЅ", "ABEKMHOPCTXIJS")
_MOST_WORDS = 12
"""How many words besides an option a sentence may have that names it."""
_FEWEST_LETTERS = 4
"""How long an option must be to be read out of a sentence; так and no are words of many sentences."""


def strip_reasoning(reply: str) -> str | None:
    """The reply after its reasoning; None if the reasoning does not end, so that there is no answer."""
    ends = [match.end() for match in _REASONING_END.finditer(reply)]
    answer = reply[ends[-1] :] if ends else reply
    if _REASONING_START.search(answer):
        return None
    return _END_TOKEN.sub("", answer).strip()


def read_choice(reply: str, *, marks: Sequence[str], texts: Sequence[str], cue: str = "") -> Reading[int]:
    """The index of the option that a reply chooses.

    `marks` are the letters or numbers under which the options were listed; without any, options are asked by their
    `texts`. `cue` is the last line of the prompt, which a reply may repeat.
    """
    options = _Options(marks=tuple(marks), texts=tuple(texts))
    return Reading(strict=options.read_strictly(reply), lenient=_read_leniently(reply, options, cue))


@dataclass(frozen=True)
class _Options:
    """The options of an item, by which single phrases are read."""

    marks: tuple[str, ...]
    texts: tuple[str, ...]

    def read_strictly(self, reply: str) -> int | None:
        """The option of which a reply is the mark or, without marks, the text."""
        bare = _strip_quotes(reply.strip().removesuffix(".")).strip().removesuffix(".")
        names = self.marks or self.texts
        for key in (_compose, _fold_case):
            found = [number for number, name in enumerate(names) if key(name.strip().removesuffix(".")) == key(bare)]
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def find_mark(self, written: str) -> int | None:
        """The option with this mark, whatever its case or the alphabet of a letter that looks the same."""
        for key in (_compose, _fold_case, _fold_alphabet):
            found = [number for number, mark in enumerate(self.marks) if key(mark) == key(written)]
            if found:
                return found[0] if len(found) == 1 and not (written in "Bb" and "Б" in self.marks) else None
        return None

    def find_text(self, written: str) -> int | None:
        """The option with this text, whatever the case, quotes and punctuation."""
        for key in (_compose, _fold_case, _build_key):
            wanted = key(written)
            found = [number for number, text in enumerate(self.texts) if key(text) == wanted] if wanted else []
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def list_named(self, phrase: str) -> set[int]:
        """The options named in a phrase; one that is part of a longer one that is named there is not."""
        words, named = _build_key(phrase).split(), set()
        keys = [_build_key(text).split() for text in self.texts]
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
        words = _build_key(rest)
        if not words:
            return False
        if self.find_text(rest) is not None:
            return self.find_text(rest) == number
        holders = [other for other, text in enumerate(self.texts) if f" {words} " in f" {_build_key(text)} "]
        starts = f"{words} ".startswith(f"{_build_key(self.texts[number])} ") and bool(_build_key(self.texts[number]))
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
        return announced and is_exact and len(_build_key(tail).split()) > 2  # no initial before a name

    def _starts_with_another(self, number: int, tail: str) -> bool:
        """Whether the rest after a mark begins with the text of another option."""
        words = f"{_build_key(tail)} "
        starts = [key for text in self.texts if (key := _build_key(text)) and words.startswith(f"{key} ")]
        return bool(starts) and max(starts, key=len) != _build_key(self.texts[number])

    def _read_text(self, phrase: str) -> int | None:
        """The option whose text a phrase is, begins with, or names in a short sentence, if it names no other one."""
        whole = self.find_text(phrase)
        if whole is not None:
            return whole
        named = self.list_named(phrase)
        if len(named) != 1 or _CORRECTION.search(phrase):
            return None
        (number,) = named
        if any(self.find_text(phrase[: stop.start()]) == number for stop in _BREAK.finditer(phrase)):
            return number
        own = _build_key(self.texts[number])
        others = f" {_build_key(phrase)} ".replace(f" {own} ", " ", 1)
        is_short = "\n" not in phrase.strip() and len(others.split()) <= _MOST_WORDS
        is_plain = not _NEGATION.search(others) and "?" not in phrase
        marked = [other for word in phrase.split() if (other := self._find_plain_mark(word)) is not None]
        is_alone = all(other == number for other in marked)
        return number if is_short and is_plain and is_alone and len(own) >= _FEWEST_LETTERS else None

    def _find_plain_mark(self, word: str) -> int | None:
        """The option of a word that is its mark and can be no word of a sentence."""
        bare = word.strip(f".,:;()[]*{_QUOTES}")
        return self.marks.index(bare) if bare in self.marks and bare != "I" and (bare != "A" or bare != word) else None


def _read_leniently(reply: str, options: _Options, cue: str) -> int | None:
    text = strip_reasoning(reply)
    if not text:
        return None
    if cue and text.startswith(cue.strip()):
        text = text[len(cue.strip()) :].strip()
    framed = list_framed(text)
    if framed is not None:
        return _take_only({options.read_phrase(part, announced=True) for part in framed})
    lines = [line for line in text.splitlines() if line.strip()]
    by_line = [options.read_line(line) for line in lines]
    announced = {options.read_phrase(part, announced=True) for part in list_announced(text)} - {None}
    if announced:
        first = {by_line[0]} - {None} if len(_build_key(lines[0]).split()) == 1 else set()
        return _take_only(announced | first)
    readings = {options.read_phrase(text, announced=False), *by_line} - {None}
    ends = {options.read_phrase(text, announced=False), by_line[0], by_line[-1]} - {None} if lines else set()
    return _take_only(readings) if ends else None


def list_framed(text: str) -> list[str] | None:
    r"""The answers in JSON, in `\boxed{}` or in answer tags; None if a text has none of these.

    JSON is the whole text or its only block of code: an object with one answer, or a list.
    """
    blocks = _FENCE.findall(text)
    for candidate in (text, *(blocks if len(blocks) == 1 else ())):
        if candidate.strip()[:1] in ("{", "["):
            try:
                return _list_json(json.loads(candidate))
            except ValueError:
                continue
    for frame in _FRAMES:
        if found := frame.findall(text):
            return [_TEX.sub(r"\1", part).strip() for part in found]
    if len(blocks) == 1 and _FENCE.fullmatch(text.strip()):
        return [blocks[0].strip()]
    return None


def _list_json(content: Any) -> list[str]:
    """The only answer of an object, or the parts of a list as one text; nothing for what is no answer."""
    if isinstance(content, dict):
        found = [value for key, value in content.items() if str(key).strip().lower() in _ANSWER_KEYS]
        if len(found) != 1:
            return []
        (content,) = found
    parts = content if isinstance(content, list) else [content]
    if not all(isinstance(part, str | int) and not isinstance(part, bool) for part in parts):
        return []
    return [", ".join(map(str, parts))]


def list_announced(text: str) -> list[str]:
    """What follows each announcement of an answer, up to the next one; only final answers if there are any."""
    matches = list(_ANNOUNCED.finditer(text))
    ends = [*(match.start() for match in matches[1:]), len(text)]
    parts = [(match["final"], text[match.end() : end].strip()) for match, end in zip(matches, ends, strict=False)]
    return [part for final, part in parts if final] or [part for _, part in parts]


def _take_only(readings: set[int | None]) -> int | None:
    """The only reading; None if there are several."""
    return next(iter(readings)) if len(readings) == 1 else None


def _compose(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _fold_case(text: str) -> str:
    return re.sub(rf"[{scoring.APOSTROPHES}]", "'", _compose(text)).casefold()


def _fold_alphabet(letter: str) -> str:
    """A letter as it looks: А, В, С of the Cyrillic alphabet are A, B, C."""
    return _compose(letter).upper().translate(_CYRILLIC_TWINS)


def _build_key(text: str) -> str:
    """A text as texts of options are compared: words without case, punctuation, formatting and stress marks."""
    return scoring.normalise_answer("words", re.sub("(?<=[Ѐ-ӿ])\u0301", "", _compose(text)))


def _strip_quotes(text: str) -> str:
    """A text without the quotes around it."""
    bare = text.strip()
    return bare[1:-1] if len(bare) > 1 and bare[0] in _QUOTES and bare[-1] in _QUOTES else bare
