"""What was changed between two texts: word by word to be read, and in the numbers that are published."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, NamedTuple

from rapidfuzz.distance import Levenshtein

from aggregation.scoring import chrf, distance, ngrams, token_spans

_PIECE = re.compile(r"\s+|\S+")
_JOINER = "\u200d"

Sign = Literal["=", "-", "+"]


class Part(NamedTuple):
    """A stretch of text that stayed (=), went (-) or came (+)."""

    sign: Sign
    text: str


def plain(text: str) -> str:
    """The text as texts are compared: in Unicode's composed form, lines ended by "\\n", no blanks at either end."""
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def pieces(text: str) -> tuple[str, ...]:
    """A text cut into words, blanks and all else, so that they give the text again when joined.

    A word is one as `aggregation.scoring` cuts it; marks that combine with what stands before them stay with it.
    """
    cut: list[str] = []
    at = 0
    for start, end in (*token_spans(text), (len(text), len(text))):
        between = _PIECE.findall(text[at:start])
        if between and cut and _combines(between[0][0]):
            cut[-1] += between.pop(0)
        cut += [*between, text[start:end]]
        at = end
    return tuple(piece for piece in cut if piece)


def _combines(sign: str) -> bool:
    return sign == _JOINER or unicodedata.category(sign).startswith("M")


def difference(original: str, corrected: str) -> tuple[Part, ...]:
    """The parts in order: those that stayed and went give the original, those that stayed and came the corrected text.

    The fewest words, blanks and signs change that can. A blank that stayed between two changes on one line is told as
    changed with them, so that they read as one.
    """
    old, new = pieces(original), pieces(corrected)
    found: list[Part] = []
    for step in Levenshtein.opcodes(old, new):
        gone = "".join(old[step.src_start : step.src_end])
        come = "".join(new[step.dest_start : step.dest_end])
        last = step.src_end == len(old) or step.dest_end == len(new)
        between = gone.isspace() and "\n" not in gone and found and not last
        if step.tag == "equal" and not between:
            found.append(Part("=", gone))
        else:
            _change(found, gone, come)
    return tuple(found)


def _change(found: list[Part], gone: str, come: str) -> None:
    """Add a change, joined with the one right before it."""
    while found and found[-1].sign != "=":
        part = found.pop()
        if part.sign == "-":
            gone = part.text + gone
        else:
            come = part.text + come
    found += [Part(sign, text) for sign, text in (("-", gone), ("+", come)) if text]  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Edits:
    """How far a corrected text is from its original.

    `cer` and `wer` are Levenshtein's distance over the length of the corrected text, in characters (blanks too) and in
    words (what stands between blanks, its punctuation with it); `chrf` is 0 to 1 (Popović 2015). The corrected text is
    the reference of all three. `characters` and `words` are the distances themselves, `long_characters` and
    `long_words` what they were divided by. `kept` is the share of the original's words that stayed in their places.
    """

    cer: float
    wer: float
    chrf: float
    kept: float
    characters: int
    words: int
    long_characters: int
    long_words: int


def edits(original: str, corrected: str, parts: tuple[Part, ...]) -> Edits:
    """The numbers of a correction; `parts` is its `difference`."""
    old, new = original.split(), corrected.split()
    stayed = sum(len(token_spans(part.text)) for part in parts if part.sign == "=")
    had = len(token_spans(original))
    characters, words = distance(corrected, original), distance(new, old)
    return Edits(
        cer=characters / len(corrected) if corrected else float(characters > 0),
        wer=words / len(new) if new else float(words > 0),
        chrf=chrf(ngrams(corrected), ngrams(original)),
        kept=stayed / had if had else 1.0,
        characters=characters,
        words=words,
        long_characters=len(corrected),
        long_words=len(new),
    )
