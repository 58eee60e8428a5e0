"""What an item shows, as HTML: titles, the gap, highlighted parts, folds; and what only a second look shows."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.campaigns.questions import Question
from annotation.campaigns.questions.base import as_json
from annotation.campaigns.stimulus import Extent, Piece
from annotation.label_studio import passes
from annotation.label_studio.texts import Words


@dataclass(frozen=True, kw_only=True)
class Right:
    """What a second look gives away: the right answers by question, and why."""

    golds: Mapping[str, str]
    explanation: str | None = None


def shown(pieces: Sequence[Piece]) -> str:
    """The pieces one under the other; of two with the same title and text, the first."""
    distinct = {(piece.title, piece.text): piece for piece in reversed(pieces) if piece.text.strip()}
    return "".join(_piece(piece) for piece in pieces if distinct.get((piece.title, piece.text)) is piece)


def marked(piece: Piece) -> str:
    """A text to mark parts in: nothing but the text and its highlights, so that offsets are those of the text."""
    return _highlighted(piece.text, [(extent, "mark") for extent in piece.marks])


def second(
    asked: Sequence[Question], own: tuple[str, ...] | None, first: Mapping[str, str], say: Words, right: Right
) -> str:
    """Her first answers beside the right ones, in a table, and the explanation."""
    rows = "".join(_row(one, own, first.get(one.name), right.golds.get(one.name)) for one in asked)
    heads = "".join(f"<th>{html.escape(one)}</th>" for one in ("", say("first-answer"), say("right-answer")))
    table = f'<table class="hr-answers"><tr>{heads}</tr>{rows}</table>' if rows else ""
    told = right.explanation
    return table + (f'<p class="hr-why"><b>{html.escape(say("explanation"))}.</b> {_lines(told)}</p>' if told else "")


def _row(question: Question, own: tuple[str, ...] | None, first: str | None, gold: str | None) -> str:
    if first is None and gold is None:
        return ""
    agree = "" if None in (first, gold) else ' class="hr-same"' if first == gold else ' class="hr-other"'
    cells = "".join(f"<td>{_answer(question, own, one)}</td>" for one in (first, gold))
    return f"<tr{agree}><th>{html.escape(question.text)}</th>{cells}</tr>"


def _answer(question: Question, own: tuple[str, ...] | None, stored: str | None) -> str:
    if stored is None:
        return "—"
    worded = dict(zip(passes.labels(question, own), passes.texts(question, own), strict=True))
    found = as_json(stored) if question.kind in {"choices", "span"} else stored
    several = found if isinstance(found, list) else [found]
    said = [one["text"] if isinstance(one, dict) else str(one) for one in several]
    return ", ".join(_lines(worded.get(one, one)) for one in said) or "—"


def _piece(piece: Piece) -> str:
    spots = [(extent, "mark") for extent in piece.marks]
    if piece.gap is not None:
        spots.append((piece.gap, "gap"))
    text = f'<div class="hr-words">{_highlighted(piece.text.rstrip(), spots)}</div>'
    if piece.fold:
        return f"<details open><summary>{html.escape(piece.title or '…')}</summary>{text}</details>"
    title = f'<div class="hr-title">{html.escape(piece.title)}</div>' if piece.title else ""
    return f'<div class="hr-piece">{title}{text}</div>'


def _highlighted(text: str, spots: Sequence[tuple[Extent, str]]) -> str:
    written, at = "", 0
    for (start, end), kind in sorted(spots):
        if start < at or end > len(text):
            continue
        tag = f'<span class="hr-{kind}">{html.escape(text[start:end])}</span>'
        written, at = f"{written}{html.escape(text[at:start])}{tag}", end
    return (written + html.escape(text[at:])).replace("\r", "&#13;")


def _lines(text: str) -> str:
    return re.sub(r"\n+", "<br>", html.escape(text))
