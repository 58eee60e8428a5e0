"""Reads an answer out of what a model wrote: a choice, boxes, a typed text, a corrected text, quoted parts of a text.

A build copies this file next to `scoring.py`; it needs nothing else than the standard library and the files copied with
it. Every reader gives two readings. The strict one takes a reply that is the answer and nothing more, apart from its
case, quotes around it and a full stop. The lenient one also takes an answer that is announced, explained, formatted or
written out. Neither guesses: a reply that can be read in two ways has no reading. docs/reference/readers.md lists
replies with their readings.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache

from aggregation import scoring
from exports.benchmark_items import option_replies, replies

READERS_VERSION = "1"
"""Changes whenever any reply gets another reading."""

Reading = replies.Reading
strip_reasoning = replies.strip_reasoning
read_choice = option_replies.read_choice
read_boxes_reply = option_replies.read_boxes_reply


def read_typed(reply: str, *, rule: str | None = "words", cue: str = "") -> Reading[str]:
    """The text that a reply answers; the strict reading is the same, or None if anything around it was left out.

    Texts compared by the normalisations `words` and `number` have no announcement and no formatting. With any other
    `rule` every character counts, so that only reasoning, a frame and a repeated cue are left out.
    """
    answer, is_framed = _read_framed(reply, cue)
    if answer and not is_framed and rule in ("words", "number"):
        answer = _EMPHASIS.sub(r"\2", scoring.strip_announcement(answer).strip())
    return _build_text_reading(reply, answer)


def read_edited(reply: str, *, text: str, cue: str = "") -> Reading[str]:
    """The corrected version of `text` in a reply, without words that announce it; the strict one as of `read_typed`."""
    answer, is_framed = _read_framed(reply, cue)
    announced = _CORRECTED.match(answer) if answer else None
    if answer and announced and not is_framed and not text.startswith(announced[0].strip()):
        answer = answer[announced.end() :]
    return _build_text_reading(reply, answer)


_EMPHASIS = re.compile(r"\A(\*{1,3}|_{1,3}|`)(?=\S)([^*_`]+)(?<=\S)\1\Z")
_CORRECTED = re.compile(
    r"[\s*_#]*(?:(?:here is|here's|ось|вот)\s+)?(?:(?:the|your)\s+)?(?:corrected|revised|edited|fixed|виправлен\w+|"
    r"відредагован\w+|исправленн\w+|отредактированн\w+)(?:\s+(?:text|version|story|текст|версія|версия|вариант|"
    r"варіант|рассказ|оповідання))?[\s*_]*:[\s*_]+",
    re.IGNORECASE,
)


def _read_framed(reply: str, cue: str) -> tuple[str | None, bool]:
    """A reply without reasoning, a repeated cue and a frame, or None if these have several; whether it has a frame."""
    text = replies.clean_reply(reply, cue)
    framed = None if text is None else replies.list_framed(text)
    if framed is None:
        return text, False
    return replies.take_only(set(framed)) or None, True


def _build_text_reading(reply: str, answer: str | None) -> Reading[str]:
    lenient = answer.strip() or None if answer else None
    return Reading(strict=lenient if lenient == reply.strip() else None, lenient=lenient)


Ends = tuple[int, int]


def read_quoted_parts(reply: str, *, text: str, no_answer: str | None = None, cue: str = "") -> Reading[list[Ends]]:
    """The starts and ends of the parts of `text` that a reply quotes, sorted; [] for the words of `no_answer`.

    Parts are words of the text, one a line, or several in quotes on a line. They can also be a JSON list of
    {start, end}. Of several equal places in the text the first is meant.
    """
    strict = _read_parts(reply.strip(), text, no_answer)
    if strict is not None:
        return Reading(strict=strict, lenient=strict)
    answer, _ = _read_framed(reply, cue)
    if answer is None:
        return Reading(strict=None, lenient=None)
    parts = replies.list_announced(answer)
    readings = [_read_parts(part, text, no_answer, explained=True) for part in parts]
    told: list[list[Ends] | None] = [reading for reading in readings if reading is not None]
    if not told:
        told = [_read_parts(answer, text, no_answer, explained=True)]
    return Reading(strict=None, lenient=told[0] if told.count(told[0]) == len(told) else None)


_BULLET = re.compile(r"\s*(?:[-*•·–—]|[0-9]{1,2}[.)])\s+")
_QUOTED = re.compile('«([^«»]+)»|“([^“”]+)”|„([^„“”]+)[“”]|"([^"]+)"')


def _read_parts(reply: str, text: str, no_answer: str | None, *, explained: bool = False) -> list[Ends] | None:
    """The parts of a reply; `explained` ones can have bullets, formatting, and lines around them that quote nothing."""
    if reply.startswith("[{"):
        return _read_ends(reply, text)
    if no_answer and scoring.is_right_answer("words", reply, [no_answer]):
        return []
    found: list[Ends] = []
    for line in dict.fromkeys(filter(str.strip, reply.splitlines())):
        if no_answer and scoring.is_right_answer("words", line, [no_answer]):
            return None
        ends = _read_part_line(line, text, explained=explained)
        if ends is None and not explained:
            return None
        found += ends or ()
    return sorted(set(found)) or None


def _read_part_line(line: str, text: str, *, explained: bool) -> list[Ends] | None:
    """The parts of a line: the line is one, or, where a reply can explain, it has nothing but quoted ones."""
    bare = line.strip()
    forms = [bare, _strip_ends(bare)]
    if explained:
        plain = re.sub(r"[*`]+|(?<!\w)_+|_+(?!\w)", "", _BULLET.sub("", line, count=1)).strip()
        forms += [plain, _strip_ends(plain)]
    for form in forms:
        if (ends := _find_part(form, text)) is not None:
            return [ends]
    if not explained:
        return None
    quoted = [next(filter(None, match.groups())) for match in _QUOTED.finditer(plain)]
    places = [_find_part(part, text) for part in quoted]
    around = re.sub(r"\b(?:and|і|й|та|и)\b", "", _QUOTED.sub("", plain))
    if re.search(r"\w", around) and (len(quoted) > 1 or replies.NEGATION.search(around)):
        return None
    return [ends for ends in places if ends is not None] if quoted and None not in places else None


def _strip_ends(part: str) -> str:
    """A part without quotes and a full stop around it."""
    return part.removesuffix(".").strip().strip(replies.QUOTES).strip().removesuffix(".")


def _find_part(part: str, text: str) -> Ends | None:
    """Where a part stands first in a text, as whole words: as it is written, or else whatever the case and signs."""
    for fold in (str, _fold_signs):
        for form in (part, unicodedata.normalize("NFC", part), unicodedata.normalize("NFD", part)):
            wanted, within = fold(form), fold(text)
            start = within.find(wanted) if wanted.strip() else -1
            while start >= 0:
                if _is_whole(within, start, start + len(wanted)):
                    return start, start + len(wanted)
                start = within.find(wanted, start + 1)
    return None


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word of the text goes on before or after a part of it."""
    before, after = text[max(start - 1, 0) : start + 1], text[end - 1 : end + 1]
    return not (start and before.isalnum()) and not (len(after) > 1 and after.isalnum())


@lru_cache(maxsize=64)
def _fold_signs(text: str) -> str:
    """A text of the same length without differences of case, white space, apostrophes, quotes and dashes."""
    return "".join(
        "'"
        if sign in scoring.APOSTROPHES
        else '"'
        if sign in replies.QUOTES
        else "-"
        if sign in "‐‑‒–—−"
        else " "
        if sign.isspace()
        else sign.lower()
        if len(sign.lower()) == 1
        else sign
        for sign in text
    )


def _read_ends(reply: str, text: str) -> list[Ends] | None:
    """The ends of a JSON list of {start, end} within the text."""
    try:
        ends = [(int(part["start"]), int(part["end"])) for part in json.loads(reply)]
    except (ValueError, KeyError, TypeError):
        return None
    return ends if all(0 <= start < end <= len(text) for start, end in ends) else None
