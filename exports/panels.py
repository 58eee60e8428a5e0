"""Panels of a data set: whose answers belong to none, the gold that panels make, and what is too small to publish."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from aggregation.answer_types import build_consensus
from aggregation.comparison.panels import PanelDifference, compare_panels
from aggregation.findings import Finding, get_code
from exports.inputs import DataSet, Panel
from exports.privacy import MIN_CELL, suppress_small_cells
from exports.project_comparison import build_project_answers

EXTRA = "extra"
"""The kind of exclusion of answers of people who are in no panel, or in several."""
NO_ONE_PANEL = ("no-panel", "several-panels")
"""The codes of the reasons why such answers do not count."""
VOTES = "votes"
"""The origin of gold that is made of votes."""


def exclude_others(answers: pd.DataFrame, members: Mapping[str, tuple[str, ...]]) -> pd.DataFrame:
    """The answers with the columns of `DataSet.responses`, where only those of people in one panel count.

    `members` has the panels of each annotator. An answer that does not count for another reason keeps that one.
    """
    is_other = pd.Series([len(members.get(name, ())) != 1 for name in answers["annotator"]], index=answers.index)
    reasons = pd.Series(
        [Finding("several-panels" if members.get(name) else "no-panel") for name in answers["annotator"]],
        index=answers.index,
        dtype=object,
    )
    counted = answers["excluded_kind"].isna()
    changed = {
        "excluded_kind": answers["excluded_kind"].mask(is_other & counted, EXTRA),
        "excluded_reason": answers["excluded_reason"].mask(is_other & counted, reasons),
    }
    for name in ("first_excluded_kind", "assignment_kind"):
        changed[name] = answers[name].mask(is_other & answers[name].isna(), EXTRA)
    first = is_other & answers["first_excluded_kind"].isna()
    changed["first_excluded_reason"] = answers["first_excluded_reason"].mask(first, reasons)
    return answers.assign(**changed)


def fill_panel_gold(data: DataSet) -> DataSet:
    """The data set with gold by the panels that make it: the majority of their votes, where an item has no other gold.

    A tie makes none. Gold that an item has of its own stays.
    """
    makers = frozenset[str]().union(*(panel.people for panel in data.panels.values() if panel.gold))
    own = replace(data, responses=data.responses.loc[data.responses["annotator"].isin(makers)])
    if own.list_counted_answers().empty:
        return data
    labels = build_consensus(own.build_answers(), method="majority", ties="drop").labels["label"]
    made = data.items["item_id"].map(labels).where(data.items["gold"].isna()).astype(object)
    is_made = made.notna()
    names = " + ".join(name for name, panel in data.panels.items() if panel.gold)
    items = data.items.assign(
        gold=data.items["gold"].mask(is_made, made),
        gold_origin=data.items["gold_origin"].mask(is_made, VOTES),
        gold_version=data.items["gold_version"].mask(is_made, f"panel {names}"),
        circular=data.items["circular"].mask(is_made, other=True).astype(object),
    )
    return replace(data, items=items, panel_gold=tuple(data.items.loc[is_made, "item_id"]))


def count_extra(data: DataSet) -> int:
    """How many answers do not count because their annotator is in no panel, or in several."""
    return sum(get_code(reason) in NO_ONE_PANEL for reason in data.responses["excluded_reason"])


def hide_small_panels(data: DataSet) -> DataSet:
    """The data set without the people of panels that would tell what one or two people said of themselves.

    These are panels by profile with fewer than MIN_CELL people, and those from which they follow by subtraction. A
    panel of a cohort may have one person: that they are in it is the organisers' choice, and no answer.
    """
    panels = data.panels
    counts = [len(panel.people) if panel.by_profile else max(len(panel.people), MIN_CELL) for panel in panels.values()]
    shown = suppress_small_cells(counts)
    if all(count is not None for count in shown):
        return data
    hidden = [name for name, count in zip(panels, shown, strict=True) if count is None]
    kept: dict[str, Panel] = {
        name: replace(panel, people=frozenset(), hidden=True) if name in hidden else panel
        for name, panel in panels.items()
    }
    return replace(data, panels=kept)


def compare_data_panels(data: DataSet, *, confidence_level: float) -> tuple[PanelDifference, ...]:
    """The differences between each two panels in which anybody's answers count."""
    kept = {name: data.keep_panel(name) for name, panel in data.panels.items() if panel.people}
    answered = {name: own for name, own in kept.items() if not own.list_counted_answers().empty}
    return compare_panels(
        {name: build_project_answers(own) for name, own in answered.items()}, confidence_level=confidence_level
    )
