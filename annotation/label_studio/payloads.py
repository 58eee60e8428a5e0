"""Tasks for Label Studio from items, and answers from its annotations; pure functions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import ChoiceQuestion, EditQuestion, Question, QuestionContent
from annotation.label_studio import item_html, passes
from annotation.label_studio.texts import load_texts
from annotation.loading.drafts import format_value
from annotation.loading.judgements import label_studio_results
from annotation.store.models import Item
from annotation.workflow.lifecycle import campaign_reader


def build_task(
    definition: ProjectFile,
    item: Item,
    *,
    assignment_id: int,
    option_order: Mapping[str, Sequence[int]] | None = None,
    first: Mapping[str, str] | None = None,
    gold: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """A task of the first pass or, where `first` (the annotator's stored answers by question) is given, of the second.

    `option_order` is the order shown by question. `gold` are the right answers by question; without `first` they would
    reveal the answer and are refused. A task holds no personal data and no column that is not shown.
    """
    if gold is not None and first is None:
        raise ValueError("gold belongs to the second pass: give the first answers too")
    second_pass = first is not None
    questions = passes.list_questions(definition, second_pass=second_pass)
    fields = passes.list_marked_columns(definition, second_pass=second_pass)
    gold_texts = set((gold or {}).values())
    data: dict[str, Any] = {
        label_studio_results.ASSIGNMENT_KEY: assignment_id,
        label_studio_results.ITEM_KEY: item.external_id,
    }
    data |= build_item_data(definition, item, fields, second_pass=second_pass, hidden_texts=gold_texts)
    keys = passes.assign_hotkeys(definition)
    for question in questions:
        if isinstance(question, EditQuestion):
            data[passes.get_edit_key(question)] = (first or {}).get(question.name) or format_value(
                item.data.get(question.field)
            )
        if passes.has_task_options(question):
            order = (option_order or {}).get(question.name)
            data[passes.get_options_key(question)] = build_options(question, item, order, keys[question.name])
    if first is not None:
        item_options = None if item.options is None else tuple(item.options)
        right = (
            item_html.RightAnswers(golds=gold, accepted=tuple(item.accepted or ()), explanation=item.explanation)
            if gold is not None
            else item_html.RightAnswers(golds={})
        )
        data[label_studio_results.SECOND_PASS_KEY] = item_html.render_second_pass(
            definition.all_questions, item_options, first, load_texts(definition.language), right
        )
    return {"data": data, "meta": {"project": definition.project, "revision": item.revision}}


def build_item_data(
    definition: ProjectFile,
    item: Item,
    marked_columns: Sequence[str],
    *,
    second_pass: bool = False,
    hidden_texts: Collection[str] = (),
) -> dict[str, str]:
    """What is shown of an item: its HTML, and by column the texts in which spans are marked.

    Parts of later steps are shown in the second pass only, without those that are `hidden_texts`.
    """
    pieces = [
        piece
        for piece in campaign_reader.get_pieces(item, definition)
        if piece.step == 1 or (second_pass and piece.text not in hidden_texts)  # it is in the table of answers
    ]
    shown = item_html.render_pieces([piece for piece in pieces if piece.field not in marked_columns])
    return {passes.ITEM_HTML_KEY: shown} | {
        passes.get_text_key(piece.field): item_html.render_marked_text(piece)
        for piece in pieces
        if piece.field in marked_columns
    }


def read_answers(
    definition: ProjectFile,
    item: Item,
    result: Sequence[Mapping[str, Any]],
    *,
    first: Mapping[str, str] | None = None,
) -> Mapping[str, object]:
    """The raw answers by question of an annotation of an item; see `label_studio_results.read_answers`."""
    fields = {name: format_value(value) for name, value in item.data.items()}
    content = QuestionContent(options=None if item.options is None else tuple(item.options), fields=fields)
    return label_studio_results.read_answers(definition.all_questions, result, content, first=first)


def build_options(
    question: Question, item: Item, order: Sequence[int] | None, keys: Sequence[str]
) -> list[dict[str, str]]:
    """The options as shown; the hotkey of an option is that of its position, the abstain option always has the last."""
    item_options = None if item.options is None else tuple(item.options)
    options, labels = (
        label_studio_results.list_option_texts(question, item_options),
        label_studio_results.list_option_labels(question, item_options),
    )
    shown = list(range(len(options)) if order is None else order)
    abstains = isinstance(question, ChoiceQuestion) and question.abstain is not None
    shown_options = []
    for place, index in enumerate(shown):
        one = {"value": options[index], "alias": labels[index]}
        last = abstains and index == len(options) - 1
        key = keys[-1:] if last else keys[place : min(place + 1, len(keys) - abstains)]
        shown_options.append(one | ({"hotkey": key[0]} if key else {}))
    return shown_options
