"""Items as trivial baselines need them, with their options, and the places of the options that people chose."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from sqlmodel import Session

from aggregation.scores.trivial_baselines import OptionItem
from annotation.campaigns import project_file
from annotation.campaigns.questions import Question
from annotation.store import frames
from annotation.store.models import Project
from annotation.workflow.quality.rules import find_shown_position
from exports.benchmark_items.answer_spaces import ANSWER_SPACES
from exports.inputs import DataSet

PLACE_COLUMNS = ("annotator", "place", "gold_place", "n_options")


@dataclass(frozen=True, kw_only=True, eq=False)
class OptionAnswers:
    """What is answered with one of several options: `items` with gold that somebody answered, and `places`.

    `places` has one row per counted answer with the columns PLACE_COLUMNS (see `comparison.order_effects`), as the
    options were shown; imported answers are taken to have been shown the stored order.
    """

    items: tuple[OptionItem, ...]
    places: pd.DataFrame


@dataclass(frozen=True, kw_only=True, eq=False)
class _Options:
    """A question about options, the items' own options by item, and the items that somebody answered."""

    question: Question
    own: Mapping[str, Sequence[str] | None]
    items: Mapping[str, OptionItem]


def read_option_items(session: Session, project: Project, data: DataSet) -> tuple[OptionItem, ...]:
    """The items of a data set that somebody answered, with gold and options; none where it is not about options."""
    if data.list_scoring_gold().isna().all():
        return ()
    read = _read_options(session, project, data)
    return () if read is None else _list_items_with_gold(read.items)


def read_option_answers(session: Session, project: Project, data: DataSet) -> OptionAnswers | None:
    """Read the options of a data set's items and the places that people chose; None where it is not about options."""
    read = _read_options(session, project, data)
    if read is None:
        return None
    answers = data.list_counted_answers()
    return OptionAnswers(
        items=_list_items_with_gold(read.items),
        places=_find_places(read.question, answers, own=read.own, items=read.items),
    )


def _read_options(session: Session, project: Project, data: DataSet) -> _Options | None:
    definition = project_file.parse_definition(project.definition)
    number = next(n for n, one in enumerate(definition.all_questions) if one.name == data.question)
    question = definition.all_questions[number]
    space = ANSWER_SPACES[question.kind]
    if not data.answer_type.is_label:
        return None
    frame = frames.read_items(session, project, later=data.question if number else None)
    own: dict[str, Sequence[str] | None] = dict(zip(frame["item_id"], frame["options"], strict=True))
    question = space.number_positions(question, own.values())
    shown = frames.read_item_contents(session, project)
    gold = dict(zip(data.items["item_id"], data.list_scoring_gold(), strict=True))
    answered = set(data.list_counted_answers()["item_id"])
    items = {
        item: OptionItem(
            gold=gold[item] or "",
            labels=tuple(label for label, _ in options),
            options=tuple(option for _, option in options),
            text=shown[item][0],
        )
        for item, own_options in own.items()
        if item in answered and (options := space.list_options(question, own_options)) is not None
    }
    return _Options(question=question, own=own, items=items)


def _list_items_with_gold(items: Mapping[str, OptionItem]) -> tuple[OptionItem, ...]:
    return tuple(item for item in items.values() if item.gold in item.labels)


def _find_places(
    question: Question,
    answers: pd.DataFrame,
    *,
    own: Mapping[str, Sequence[str] | None],
    items: Mapping[str, OptionItem],
) -> pd.DataFrame:
    rows = []
    columns = (answers[name] for name in ("item_id", "annotator", "response", "option_order"))
    for item_id, annotator, response, order in zip(*columns, strict=True):
        shown = None if order is None else json.loads(order)
        chosen, gold = (
            find_shown_position(question, label, item_options=own[item_id], option_order=shown)
            for label in (response, items[item_id].gold or None)
        )
        if chosen is not None and response in items[item_id].labels:
            gold_place = None if gold is None else gold + 1
            rows.append((annotator, chosen + 1, gold_place, len(items[item_id].labels)))
    return pd.DataFrame(rows, columns=list(PLACE_COLUMNS))
