"""Tasks for Label Studio, and what comes back, as answers: pure, no server needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.campaigns.project import ProjectFile
from annotation.campaigns.questions import Choice, Edit, Material, Question
from annotation.label_studio import annotation_results, item_html, passes
from annotation.label_studio.texts import words
from annotation.loading.drafts import as_text
from annotation.store.models import Item
from annotation.workflow.lifecycle import campaign_reader

OUR_ID = "hromada"
"""The data key of the assignment's id: Label Studio knows no ids but its own."""


def task(
    definition: ProjectFile,
    item: Item,
    *,
    assignment_id: int,
    option_order: Mapping[str, Sequence[int]] | None = None,
    first: Mapping[str, str] | None = None,
    gold: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """A task of the first pass or, where `first` (her stored answers by question) is given, of the second.

    `option_order` holds the order shown by question. `gold` are the right answers by question; without `first` they
    would give the answer away and are refused. What was stored of a person stays out of it, and so does every field
    that is not shown.
    """
    if gold is not None and first is None:
        raise ValueError("gold belongs to the second pass: give her first answers too")
    second_pass = first is not None
    asked = passes.questions(definition, second_pass=second_pass)
    fields = passes.marked(definition, second_pass=second_pass)
    told = set((gold or {}).values())
    pieces = [
        piece
        for piece in campaign_reader.pieces(item, definition)
        if piece.step == 1 or (second_pass and piece.text not in told)  # the table of answers has it
    ]
    data: dict[str, Any] = {OUR_ID: assignment_id, "item": item.external_id}
    data[passes.SHOWN] = item_html.shown([piece for piece in pieces if piece.field not in fields])
    data |= {passes.text_key(piece.field): item_html.marked(piece) for piece in pieces if piece.field in fields}
    keys = passes.hotkeys(definition)
    for question in asked:
        if isinstance(question, Edit):
            data[passes.edit_key(question)] = (first or {}).get(question.name) or as_text(item.data.get(question.field))
        if passes.moving(question):
            order = (option_order or {}).get(question.name)
            data[passes.options_key(question)] = _options(question, item, order, keys[question.name])
    if first is not None:
        own = None if item.options is None else tuple(item.options)
        right = item_html.Right(golds=gold or {}, explanation=item.explanation if gold is not None else None)
        data[passes.SECOND] = item_html.second(definition.asked, own, first, words(definition.language), right)
    return {"data": data, "meta": {"project": definition.project, "revision": item.revision}}


def answers(
    definition: ProjectFile,
    item: Item,
    result: Sequence[Mapping[str, Any]],
    *,
    first: Mapping[str, str] | None = None,
) -> Mapping[str, object]:
    """The raw answers by question of an annotation's result, as `questions.answers.parsed` takes them.

    In the second pass `first` are her stored first answers, which stay where they are not asked again. Answers to
    questions that were hidden when she was done are left out. Raises BadInput for a control or an option that there
    is not, and for several texts of which nobody can say which one was meant.
    """
    asked = passes.questions(definition, second_pass=first is not None)
    fields = {name: as_text(value) for name, value in item.data.items()}
    material = Material(options=None if item.options is None else tuple(item.options), fields=fields)
    given = annotation_results.read(definition, asked, result, material, first=first or {})
    return annotation_results.visible(definition.asked, {**(first or {}), **given}, material)


def _options(question: Question, item: Item, order: Sequence[int] | None, keys: Sequence[str]) -> list[dict[str, str]]:
    """The options as shown; an option's key is that of its place, and the one that abstains has always the last."""
    own = None if item.options is None else tuple(item.options)
    options, labels = passes.texts(question, own), passes.labels(question, own)
    shown = list(range(len(options)) if order is None else order)
    abstains = isinstance(question, Choice) and question.abstain is not None
    found = []
    for place, index in enumerate(shown):
        one = {"value": options[index], "alias": labels[index]}
        last = abstains and index == len(options) - 1
        key = keys[-1:] if last else keys[place : min(place + 1, len(keys) - abstains)]
        found.append(one | ({"hotkey": key[0]} if key else {}))
    return found
