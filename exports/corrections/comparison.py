"""Two corrections of one story compared: what their texts have apart, and which changes both made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from aggregation.scoring import edit_distance
from aggregation.text_difference import DiffPart, compute_difference
from exports.corrections.correction import Correction

CONTEXT = 40
"""So many characters of what both texts have are shown on either side of a difference."""
MOST_COMPARED = 6
"""Of one story at most this many pairs of corrections are compared."""


@dataclass(frozen=True, kw_only=True)
class CorrectionComparison:
    """The corrections of two annotators, `one` and `other`, of the same story.

    `apart` is how many words (what stands between blanks) lead from one text to the other, over the length of the
    longer one; `is_same` says that nothing does. Of `changes` different changes to the original, both made `shared`.
    `parts` is the difference from the text of `one` to that of `other`, without what both have far from any difference.
    It is empty if one of them dropped most of the text, since all of the other text would differ.
    """

    one: str
    other: str
    apart: float
    is_same: bool
    shared: int
    changes: int
    parts: tuple[DiffPart, ...]


def compare_corrections(pairs: Sequence[Correction]) -> tuple[CorrectionComparison, ...]:
    """Compare each two corrections of a story, at most MOST_COMPARED; none where fewer than two have a text."""
    chosen = list(combinations(pairs, 2))[:MOST_COMPARED]
    return tuple(_compare(one, other) for one, other in chosen)


def _compare(one: Correction, other: Correction) -> CorrectionComparison:
    texts = one.corrected or "", other.corrected or ""
    words = texts[0].split(), texts[1].split()
    longest = max(map(len, words))
    is_same = texts[0] == texts[1]
    changes = set(_list_changes(one.parts)), set(_list_changes(other.parts))
    is_dropped = any(made.edits is not None and made.edits.most_dropped for made in (one, other))
    parts = () if is_same or is_dropped else compute_difference(*texts)
    return CorrectionComparison(
        one=one.annotator,
        other=other.annotator,
        apart=edit_distance(*words) / longest if longest else 0.0,
        is_same=is_same,
        shared=len(changes[0] & changes[1]),
        changes=len(changes[0] | changes[1]),
        parts=tuple(_shorten_parts(parts)),
    )


def _list_changes(parts: Sequence[DiffPart]) -> Iterator[tuple[int, int, str]]:
    """Each change as where it begins and ends in the original, and what it puts there."""
    position, start, inserted = 0, None, ""
    for part in (*parts, DiffPart("=", "")):
        if part.sign == "=":
            if start is not None:
                yield start, position, inserted
            start, inserted = None, ""
        else:
            start = position if start is None else start
            inserted += part.text if part.sign == "+" else ""
        position += len(part.text) if part.sign != "+" else 0


def _shorten_parts(parts: Sequence[DiffPart]) -> Iterator[DiffPart]:
    """The parts, those that were kept cut to CONTEXT characters beside a change, at a blank."""
    for index, part in enumerate(parts):
        if part.sign != "=":
            yield part
            continue
        before = part.text[:CONTEXT].rsplit(None, 1)[0] if index > 0 else ""
        after = part.text[-CONTEXT:].split(None, 1)[-1] if index < len(parts) - 1 else ""
        is_short = len(part.text) <= 2 * CONTEXT
        yield part if is_short else DiffPart("=", f"{before} … {after}".strip(" "))
