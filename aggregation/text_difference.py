"""The difference of two texts: word by word for readers, and as the numbers that are published."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, NamedTuple

from rapidfuzz.distance import Levenshtein

from aggregation.scoring import chrf, count_ngrams, edit_distance, find_words

_BLANKS_OR_SIGNS = re.compile(r"\s+|\S+")
_ZERO_WIDTH_JOINER = "\u200d"

Sign = Literal["=", "-", "+"]
LEAST_LEFT, FEWEST_DROPPED = 0.5, 20
"""The least share of a text's characters that a correction leaves, and the fewest that it takes away to be noticed."""


class DiffPart(NamedTuple):
    """A part of a text that was kept (=), removed (-) or inserted (+)."""

    sign: Sign
    text: str


def normalize_text(text: str) -> str:
    """The text as texts are compared: in Unicode's composed form, lines ended by "\\n", no blanks at either end."""
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def drops_most(original: str, corrected: str) -> bool:
    """Whether a correction is so much shorter than the original that most of the text is gone; both are normalized."""
    return len(corrected) < LEAST_LEFT * len(original) and len(original) - len(corrected) >= FEWEST_DROPPED


def split_pieces(text: str) -> tuple[str, ...]:
    """Cut a text into words, blanks and all else; joined again the pieces are the text.

    Words are those of `aggregation.scoring`; marks that combine with the character before them stay with it.
    """
    pieces: list[str] = []
    position = 0
    for start, end in (*find_words(text), (len(text), len(text))):
        between = _BLANKS_OR_SIGNS.findall(text[position:start])
        if between and pieces and _is_combining(between[0][0]):
            pieces[-1] += between.pop(0)
        pieces += [*between, text[start:end]]
        position = end
    return tuple(piece for piece in pieces if piece)


def _is_combining(character: str) -> bool:
    return character == _ZERO_WIDTH_JOINER or unicodedata.category(character).startswith("M")


def compute_difference(original: str, corrected: str) -> tuple[DiffPart, ...]:
    """The parts in order: kept and removed ones give the original, kept and inserted ones the corrected text.

    As few pieces (`split_pieces`) as possible are removed and inserted. A blank that was kept between two changes on
    one line counts as part of the change, so that the two read as one.
    """
    old, new = split_pieces(original), split_pieces(corrected)
    parts: list[DiffPart] = []
    for step in Levenshtein.opcodes(old, new):
        removed = "".join(old[step.src_start : step.src_end])
        inserted = "".join(new[step.dest_start : step.dest_end])
        last = step.src_end == len(old) or step.dest_end == len(new)
        between_changes = removed.isspace() and "\n" not in removed and parts and not last
        if step.tag == "equal" and not between_changes:
            parts.append(DiffPart("=", removed))
        else:
            _add_change(parts, removed, inserted)
    return tuple(parts)


def _add_change(parts: list[DiffPart], removed: str, inserted: str) -> None:
    """Append a change to the parts, joined with the change right before it."""
    while parts and parts[-1].sign != "=":
        part = parts.pop()
        if part.sign == "-":
            removed = part.text + removed
        else:
            inserted = part.text + inserted
    parts += [DiffPart(sign, text) for sign, text in (("-", removed), ("+", inserted)) if text]  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class EditMeasures:
    """How far a corrected text is from its original.

    `cer` and `wer` are Levenshtein's distance over the length of the corrected text, in characters (blanks too) and in
    words (what stands between blanks, its punctuation with it); `chrf` is 0 to 1 (Popović 2015). The corrected text is
    the reference of all three. `characters_changed` and `words_changed` are the distances themselves,
    `corrected_characters` and `corrected_words` the lengths. `words_kept` is the share of the original's words that
    stayed in their places, `most_dropped` what `drops_most` says.
    """

    cer: float
    wer: float
    chrf: float
    words_kept: float
    characters_changed: int
    words_changed: int
    corrected_characters: int
    corrected_words: int
    most_dropped: bool


def measure_edits(original: str, corrected: str, parts: tuple[DiffPart, ...]) -> EditMeasures:
    """Compute the measures of a correction; `parts` is its `compute_difference`."""
    old, new = original.split(), corrected.split()
    n_kept = sum(len(find_words(part.text)) for part in parts if part.sign == "=")
    n_words = len(find_words(original))
    characters, words = edit_distance(corrected, original), edit_distance(new, old)
    return EditMeasures(
        cer=characters / len(corrected) if corrected else float(characters > 0),
        wer=words / len(new) if new else float(words > 0),
        chrf=chrf(count_ngrams(corrected), count_ngrams(original)),
        words_kept=n_kept / n_words if n_words else 1.0,
        characters_changed=characters,
        words_changed=words,
        corrected_characters=len(corrected),
        corrected_words=len(new),
        most_dropped=drops_most(original, corrected),
    )
