"""Items as trivial baselines need them, with their options, and the places of the options that people chose."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pandas as pd

from aggregation.scores.trivial_baselines import OptionItem
from annotation.campaigns.questions import Question
from annotation.workflow.quality.rules import find_shown_position
from exports.benchmark_items.answer_spaces import ANSWER_SPACES
from exports.inputs import DataSet

PLACE_COLUMNS = ("annotator", "place", "gold_place", "n_options")
OwnOptions = Mapping[str, Sequence[str] | None]
"""The items' own options by item_id, None where the question has fixed ones."""


def build_option_items(
    data: DataSet, question: Question, own: OwnOptions, texts: Mapping[str, str]
) -> dict[str, OptionItem]:
    """The items that somebody answered, with options and gold, by item_id; `texts` is what each shows.

    An abstention is not among the options; the gold is empty where there is none.
    """
    gold = dict(zip(data.items["item_id"], data.list_scoring_gold(), strict=True))
    answered, space = set(data.list_counted_answers()["item_id"]), ANSWER_SPACES[question.kind]
    return {
        item: OptionItem(
            gold=gold[item] or "",
            labels=tuple(label for label, _ in options),
            options=tuple(option for _, option in options),
            text=texts[item],
        )
        for item, own_options in own.items()
        if item in answered and (options := space.list_options(question, own_options)) is not None
    }


def list_items_with_gold(items: Mapping[str, OptionItem]) -> tuple[OptionItem, ...]:
    """Those of the items on which people are scored."""
    return tuple(item for item in items.values() if item.gold in item.labels)


def find_places(data: DataSet, question: Question, own: OwnOptions, items: Mapping[str, OptionItem]) -> pd.DataFrame:
    """One row per counted answer with the columns PLACE_COLUMNS (see `aggregation.comparison.order_effects`).

    Places are those of the options as they were shown; imported answers are taken to have been shown the stored order,
    but for sides that change their places.
    """
    rows = []
    answers, space = data.list_counted_answers(), ANSWER_SPACES[question.kind]
    columns = (answers[name] for name in ("item_id", "annotator", "response", "option_order"))
    for item_id, annotator, response, order in zip(*columns, strict=True):
        if order is None and question.balances_order and question.is_shuffled:
            continue
        shown = None if order is None else space.read_order(question, json.loads(order))
        chosen, gold = (
            find_shown_position(question, label, item_options=own[item_id], option_order=shown)
            for label in (response, items[item_id].gold or None)
        )
        if chosen is not None and response in items[item_id].labels:
            gold_place = None if gold is None else gold + 1
            rows.append((annotator, chosen + 1, gold_place, len(items[item_id].labels)))
    return pd.DataFrame(rows, columns=list(PLACE_COLUMNS))
