"""Tasks for Label Studio from items, and answers from its annotations; pure functions."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from aggregation.scoring import is_right_answer
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import Question
from annotation.campaigns.stimulus import Extent, Piece
from annotation.label_studio import passes
from annotation.label_studio.markdown_html import render_markdown
from annotation.label_studio.texts import InterfaceTexts, load_texts
from annotation.label_studio_controls import elements, get_control, results
from annotation.loading.judgements import label_studio_values
from annotation.store.models import ItemRow
from annotation.workflow.lifecycle import campaign_reader
from annotation.workflow.review.cases import build_content

NO_PICTURES: Mapping[str, str] = MappingProxyType({})
EMPTY_PICTURE = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
"""A picture of one transparent pixel."""
BEGINNING = "original"
"""The version of the prediction with which the controls of a task begin."""


@dataclass(frozen=True, kw_only=True)
class RightAnswers:
    """The right answers by question, and the explanation, which only the second pass shows.

    `accepted` are further right answers to the first question.
    """

    golds: Mapping[str, str]
    accepted: Sequence[str] = ()
    explanation: str | None = None


def render_pieces(pieces: Sequence[Piece], texts: InterfaceTexts) -> str:
    """The pieces one below the other, folded ones last; of two with the same title and text, the first.

    Folds are closed unless there is nothing else to see.
    """
    distinct = {(piece.title, piece.text): piece for piece in reversed(pieces) if piece.text.strip()}
    shown = [piece for piece in pieces if distinct.get((piece.title, piece.text)) is piece]
    folds, others = [piece for piece in shown if piece.fold], [piece for piece in shown if not piece.fold]
    is_open, title = not others, texts("fold")
    return "".join([*map(_render_piece, others), *(_render_fold(piece, title, is_open=is_open) for piece in folds)])


def render_marked_text(piece: Piece) -> str:
    """A text in which spans are marked: the text and its highlights only, so that offsets are those of the text."""
    return _render_highlights(piece.text, _list_marks(piece))


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


def render_options(
    question: Question, item_options: tuple[str, ...] | None, order: Sequence[int] | None, texts: InterfaceTexts
) -> str:
    """The item's options for a question of the first pass, as they were shown there; empty without any.

    The second pass asks whether they repeat, and whether several of them are right.
    """
    options = question.get_options(item_options)
    shown = options if order is None else [options[index] for index in order]
    chips = " ".join(f'<span class="hr-option">{_render_lines(option)}</span>' for option in shown)
    return f'<p class="hr-why"><b>{html.escape(texts("options"))}.</b> {chips}</p>' if chips else ""


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
    return ", ".join(map(_render_lines, question.list_parts(stored, item_options))) or "—"


def _render_piece(piece: Piece) -> str:
    title = f'<div class="hr-title">{html.escape(piece.title)}</div>' if piece.title else ""
    return f'<div class="hr-piece">{title}{_render_words(piece)}</div>'


def _render_fold(piece: Piece, title: str, *, is_open: bool) -> str:
    """A text under its title, or else under the given one, that is read after a click unless it is open."""
    summary = f"<summary>{html.escape(piece.title or title)}</summary>"
    return f"<details{' open' * is_open}>{summary}{_render_words(piece)}</details>"


def _render_words(piece: Piece) -> str:
    if piece.markdown:
        return f'<div class="hr-words">{render_markdown(piece.text)}</div>'
    spots = _list_marks(piece)
    if piece.gap is not None:
        spots.append((piece.gap, "gap"))
    return f'<div class="hr-words">{_render_highlights(piece.text.rstrip(), spots)}</div>'


def _list_marks(piece: Piece) -> list[tuple[Extent, str]]:
    """The marks with their classes: the first one looks different from the others, as it does in the chat."""
    return [(extent, "mark hr-further" if number else "mark") for number, extent in enumerate(piece.marks)]


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


def build_task(
    definition: ProjectFile,
    item: ItemRow,
    *,
    assignment_id: int,
    option_order: Mapping[str, Sequence[int]] | None = None,
    first: Mapping[str, str] | None = None,
    gold: Mapping[str, str] | None = None,
    pictures: Mapping[str, str] = NO_PICTURES,
) -> dict[str, Any]:
    """A task of the first pass or, where `first` (the annotator's stored answers by question) is given, of the second.

    `option_order` is the order shown by question. `gold` are the right answers by question; without `first` they would
    reveal the answer and are refused. A task holds no personal data and no column that is not shown. `pictures` are
    `data:` URIs by the name of the picture.
    """
    if gold is not None and first is None:
        raise ValueError("gold belongs to the second pass: give the first answers too")
    second_pass = first is not None
    questions = passes.list_questions(definition, second_pass=second_pass)
    fields = passes.list_marked_columns(definition, second_pass=second_pass)
    gold_texts = set((gold or {}).values())
    data: dict[str, Any] = {
        label_studio_values.ASSIGNMENT_KEY: assignment_id,
        label_studio_values.ITEM_KEY: item.external_id,
    }
    data |= build_item_data(
        definition, item, fields, second_pass=second_pass, hidden_texts=gold_texts, pictures=pictures
    )
    keys, content = passes.assign_hotkeys(definition, second_pass=second_pass), build_content(item)
    texts, regions = load_texts(definition.language), []
    for question in questions:
        control, order = get_control(question), (option_order or {}).get(question.name)
        earlier = (first or {}).get(question.name)
        data |= control.build_data(question, content, earlier, order)
        if (begun := control.build_prediction(question, content, earlier)) is not None:
            regions.append(begun | {"from_name": question.name, "to_name": passes.get_main_object(definition, fields)})
        if elements.has_task_options(question):
            options = control.build_options(question, content, order, keys[question.name], texts)
            types = passes.is_typed(questions)
            data[elements.get_options_key(question)] = elements.drop_letter_keys(options) if types else options
    if first is not None:
        right = (
            RightAnswers(golds=gold, accepted=tuple(item.accepted or ()), explanation=item.explanation)
            if gold is not None
            else RightAnswers(golds={})
        )
        earlier_options = [
            render_options(question, content.options, (option_order or {}).get(question.name), texts)
            for question in definition.all_questions
            if question not in questions and question.takes_item_options and question.fixed_options is None
        ]
        data[label_studio_values.SECOND_PASS_KEY] = "".join(
            [render_second_pass(definition.all_questions, content.options, first, texts, right), *earlier_options]
        )
    task: dict[str, Any] = {"data": data, "meta": {"project": definition.project, "revision": item.revision}}
    return task | ({"predictions": [{"model_version": BEGINNING, "result": regions}]} if regions else {})


def build_item_data(
    definition: ProjectFile,
    item: ItemRow,
    marked_columns: Sequence[str],
    *,
    second_pass: bool = False,
    hidden_texts: Collection[str] = (),
    pictures: Mapping[str, str] = NO_PICTURES,
) -> dict[str, str]:
    """What is shown of an item: its HTML, and by column the texts in which spans are marked, and the pictures.

    Parts of later steps are shown in the second pass only, without those that are `hidden_texts`.
    """
    pieces = [
        piece
        for piece in campaign_reader.get_pieces(item, definition)
        if piece.step == 1 or (second_pass and piece.text not in hidden_texts)  # it is in the table of answers
    ]
    texts = load_texts(definition.language)
    shown = render_pieces([piece for piece in pieces if piece.field not in marked_columns], texts)
    return (
        {passes.ITEM_HTML_KEY: shown}
        | {
            elements.get_text_key(piece.field): render_marked_text(piece)
            for piece in pieces
            if piece.field in marked_columns
        }
        | _build_picture_data(definition, pieces, pictures, second_pass=second_pass)
    )


def _build_picture_data(
    definition: ProjectFile, pieces: Sequence[Piece], pictures: Mapping[str, str], *, second_pass: bool
) -> dict[str, str]:
    """The pictures by column; an item without one has an empty picture, as a task must have what its page shows."""
    images = {piece.field: piece.image for piece in pieces}
    return {
        elements.get_image_key(part.field): pictures.get(images.get(part.field) or "", EMPTY_PICTURE)
        for part in passes.list_pictures(definition, second_pass=second_pass)
    }


def read_answers(
    definition: ProjectFile,
    item: ItemRow,
    result: Sequence[Mapping[str, Any]],
    *,
    first: Mapping[str, str] | None = None,
) -> Mapping[str, object]:
    """The raw answers by question of an annotation of an item; see `results.read_answers`."""
    return results.read_answers(definition.all_questions, result, build_content(item), first=first)
