"""Items as HTML: titles, the gap, highlighted parts, folds; and the answers that the second pass shows."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aggregation.scoring import is_right_answer
from annotation.campaigns.questions import Question
from annotation.campaigns.questions.question_base import decode_json
from annotation.campaigns.questions.span_questions import describe_span
from annotation.campaigns.stimulus import Extent, Piece
from annotation.label_studio.texts import InterfaceTexts
from annotation.loading.judgements import label_studio_results


@dataclass(frozen=True, kw_only=True)
class RightAnswers:
    """The right answers by question, and the explanation, which only the second pass shows.

    `accepted` are further right answers to the first question.
    """

    golds: Mapping[str, str]
    accepted: Sequence[str] = ()
    explanation: str | None = None


def render_pieces(pieces: Sequence[Piece]) -> str:
    """The pieces one below the other; of two with the same title and text, the first."""
    distinct = {(piece.title, piece.text): piece for piece in reversed(pieces) if piece.text.strip()}
    return "".join(_render_piece(piece) for piece in pieces if distinct.get((piece.title, piece.text)) is piece)


def render_marked_text(piece: Piece) -> str:
    """A text in which spans are marked: the text and its highlights only, so that offsets are those of the text."""
    return _render_highlights(piece.text, [(extent, "mark") for extent in piece.marks])


def render_second_pass(
    questions: Sequence[Question],
    item_options: tuple[str, ...] | None,
    first: Mapping[str, str],
    texts: InterfaceTexts,
    right: RightAnswers,
) -> str:
    """A table of the annotator's first answers and the right ones, and the explanation."""
    rows = "".join(
        _render_row(
            question,
            item_options,
            first.get(question.name),
            right.golds.get(question.name),
            accepted=right.accepted if number == 0 else (),
        )
        for number, question in enumerate(questions)
    )
    heads = "".join(f"<th>{html.escape(head)}</th>" for head in ("", texts("first-answer"), texts("right-answer")))
    table = f'<table class="hr-answers"><tr>{heads}</tr>{rows}</table>' if rows else ""
    explanation = right.explanation
    return table + (
        f'<p class="hr-why"><b>{html.escape(texts("explanation"))}.</b> {_render_lines(explanation)}</p>'
        if explanation
        else ""
    )


def _render_row(
    question: Question,
    item_options: tuple[str, ...] | None,
    first: str | None,
    gold: str | None,
    *,
    accepted: Sequence[str],
) -> str:
    if first is None and gold is None:
        return ""
    agree = ""
    if first is not None and gold is not None:
        is_right = is_right_answer(question.normalisation, first, (gold, *accepted))
        agree = ' class="hr-same"' if is_right else ' class="hr-other"'
    cells = "".join(f"<td>{_render_answer(question, item_options, stored)}</td>" for stored in (first, gold))
    return f"<tr{agree}><th>{html.escape(question.text)}</th>{cells}</tr>"


def _render_answer(question: Question, item_options: tuple[str, ...] | None, stored: str | None) -> str:
    if stored is None:
        return "—"
    option_texts = dict(
        zip(
            label_studio_results.list_option_labels(question, item_options),
            label_studio_results.list_option_texts(question, item_options),
            strict=True,
        )
    )
    value = decode_json(stored) if question.kind in {"choices", "span"} else stored
    values = value if isinstance(value, list) else [value]
    parts = [describe_span(part) if isinstance(part, dict) else str(part) for part in values]
    return ", ".join(_render_lines(option_texts.get(part, part)) for part in parts) or "—"


def _render_piece(piece: Piece) -> str:
    spots = [(extent, "mark") for extent in piece.marks]
    if piece.gap is not None:
        spots.append((piece.gap, "gap"))
    text = f'<div class="hr-words">{_render_highlights(piece.text.rstrip(), spots)}</div>'
    if piece.fold:
        return f"<details open><summary>{html.escape(piece.title or '…')}</summary>{text}</details>"
    title = f'<div class="hr-title">{html.escape(piece.title)}</div>' if piece.title else ""
    return f'<div class="hr-piece">{title}{text}</div>'


def _render_highlights(text: str, spots: Sequence[tuple[Extent, str]]) -> str:
    html_text, position = "", 0
    for (start, end), kind in sorted(spots):
        if start < position or end > len(text):
            continue
        tag = f'<span class="hr-{kind}">{html.escape(text[start:end])}</span>'
        html_text, position = f"{html_text}{html.escape(text[position:start])}{tag}", end
    return (html_text + html.escape(text[position:])).replace("\r", "&#13;")


def _render_lines(text: str) -> str:
    return re.sub(r"\n+", "<br>", html.escape(text))
