"""panels.csv: the scores, the agreement and the consensus of each panel, and the differences between panels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, Literal

import pandas as pd

from aggregation.comparison.panels import SAME_CONSENSUS, PanelDifference
from aggregation.findings import Finding, join_findings
from exports.pages.display_text import COEFFICIENT_NAMES
from exports.pages.localization import mark_text
from exports.privacy import MIN_CELL
from exports.results import NO_VOTES, DataSetResult
from exports.rounding import format_fixed, round_row

RowKind = Literal["score", "agreement", "consensus"]
"""What a row of a panel is about: a score of a unit, a coefficient of agreement, or the consensus."""
DIFFERENCE = "difference"
"""The kind of a row about two panels."""
PANEL_COLUMNS = (
    "dataset", "panel", "other", "kind", "unit", "metric", "value", "other_value", "difference", "ci_low", "ci_high",
    "se", "item_only_low", "item_only_high", "ci_method", "n_items", "n_answers", "n_people", "n_ties", "votes", "gold",
    "reason",
)  # fmt: skip
_NUMBERS = ("value", "other_value", "difference", "ci_low", "ci_high", "se", "item_only_low", "item_only_high")
_INTERVALS = ("ci_low", "ci_high", "se", "item_only_low", "item_only_high", "ci_method")

MEASURE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "accuracy": mark_text("Single answers"),
        "majority_accuracy": mark_text("Majority"),
        SAME_CONSENSUS: mark_text("Items with the same majority"),
        **COEFFICIENT_NAMES,
    }
)
"""The readable names of the measures by which two panels are compared."""

PanelRow = dict[str, Any]


def build_panel_table(result: DataSetResult) -> pd.DataFrame:
    """One row for each panel and figure, then one for each two panels and measure, with the columns PANEL_COLUMNS.

    Numbers are fractions with four decimals. No rows where the project has no panels.
    """
    rows = [row for kind in _LISTS for row in list_panel_rows(result, kind)]
    rows += [row for kind in _LISTS for row in list_differences(result, kind)]
    frame = pd.DataFrame(rows, columns=list(PANEL_COLUMNS), dtype=object)
    for name in _NUMBERS:
        frame[name] = pd.Series([format_fixed(value, 4) for value in frame[name]], index=frame.index, dtype=object)
    return frame.assign(dataset=result.data.name)


def describe_panels(result: DataSetResult, kind: RowKind) -> dict[str, Any]:
    """The rows of this kind, and of differences in it, as JSON by key; nothing where the project has no panels."""
    if not result.data.panels:
        return {}
    empty = dict.fromkeys(PANEL_COLUMNS[1:])
    return {
        "panels": [round_row(empty | row) for row in list_panel_rows(result, kind)],
        "panel_differences": [round_row(empty | row) for row in list_differences(result, kind)],
    }


def list_panel_rows(result: DataSetResult, kind: RowKind, *, primary_only: bool = False) -> list[PanelRow]:
    """The rows of this kind of each panel, with some of the columns PANEL_COLUMNS.

    With `primary_only` of each unit's scores the first one, the share of right answers.
    """
    rows: list[PanelRow] = []
    for name, panel in result.data.panels.items():
        known = {"panel": name, "kind": kind, "votes": panel.votes, "gold": panel.gold}
        own = result.panels.get(name)
        if own is None or not own.has_votes:
            reason = Finding("panel-hidden", least=MIN_CELL) if panel.hidden else NO_VOTES
            rows.append(known | {"reason": reason})
        else:
            rows += [known | row for row in _LISTS[kind](own)]
    if not primary_only or kind != "score":
        return rows
    first = {(row["panel"], row.get("unit")): row for row in reversed(rows)}
    return [row for row in rows if first[row["panel"], row.get("unit")] is row]


def list_differences(result: DataSetResult, kind: RowKind) -> list[PanelRow]:
    """The differences between each two panels in measures of this kind."""
    return [row for row in map(_describe_difference, result.panel_differences) if _get_kind(row["metric"]) == kind]


def list_headline_rows(result: DataSetResult) -> list[PanelRow]:
    """Of each panel the share of right answers of each unit, and the headline coefficient of agreement."""
    kinds: tuple[RowKind, ...] = ("score", "agreement")
    headline, order = result.data.headline_coefficient, list(result.data.panels)
    rows = [row for kind in kinds for row in list_panel_rows(result, kind, primary_only=True)]
    shown = [row for row in rows if row["kind"] == "score" or (row.get("metric") == headline and not row["unit"])]
    return sorted(shown, key=lambda row: order.index(row["panel"]))


def list_headline_differences(result: DataSetResult) -> list[PanelRow]:
    """The differences between each two panels in scores, the headline coefficient, and the consensus."""
    shown = ("accuracy", "majority_accuracy", SAME_CONSENSUS, result.data.headline_coefficient)
    return [row for kind in _LISTS for row in list_differences(result, kind) if row["metric"] in shown]


def _get_kind(measure: str) -> RowKind:
    kinds: Mapping[str, RowKind] = {
        "accuracy": "score", "majority_accuracy": "score", SAME_CONSENSUS: "consensus",
    }  # fmt: skip
    return kinds.get(measure, "agreement")


def _list_scores(result: DataSetResult) -> Iterator[PanelRow]:
    """The scores of each unit of a panel, or why it has none."""
    if result.performance is None:
        makes_gold = result.data.has_circular_gold_alone
        yield {"reason": Finding("panel-makes-gold") if makes_gold else result.no_performance}
        return
    for unit in result.performance.units:
        for score in unit.scores:
            yield {
                "unit": unit.unit,
                "metric": score.metric,
                "value": score.value,
                **{name: getattr(score, name) for name in _INTERVALS},
                "n_items": unit.n_items,
                "n_answers": unit.total if unit.unit == "individual" else None,
                "n_people": unit.n_annotators,
                "n_ties": unit.n_ties,
                "reason": join_findings(*unit.warnings, score.reason) or None,
            }


def _list_agreement(result: DataSetResult) -> Iterator[PanelRow]:
    """The coefficients of agreement of a panel's people, by the rows to report."""
    for row in () if result.agreement is None else result.agreement.headline:
        yield {
            "unit": row.of or None,
            "metric": row.name,
            "value": row.value,
            "ci_low": row.new_people_low,
            "ci_high": row.new_people_high,
            "item_only_low": row.low,
            "item_only_high": row.high,
            "ci_method": row.how,
            "n_items": row.n_items,
            "n_answers": row.n_votes,
            "n_people": row.n_annotators,
            "reason": join_findings(*dict.fromkeys((row.reason, row.new_people_reason))) or None,
        }


def _list_consensus(result: DataSetResult) -> Iterator[PanelRow]:
    """How many labels a panel makes, how many tie, and their mean confidence."""
    consensus = result.consensus
    if consensus is not None:
        labels, votes = consensus.labels, result.votes.frame
        yield {
            "unit": consensus.method,
            "metric": "mean_confidence",
            "value": float(labels["confidence"].mean()),
            "n_items": len(labels),
            "n_answers": len(votes),
            "n_people": int(votes["annotator"].nunique()),
            "n_ties": int(labels["tie"].sum()),
            "reason": result.fallback or None,
        }


def _describe_difference(difference: PanelDifference) -> PanelRow:
    row = asdict(difference)
    return {
        "panel": difference.panel,
        "other": difference.other,
        "kind": DIFFERENCE,
        "metric": difference.measure,
        "value": difference.first,
        "other_value": difference.second,
        **{name: row[name] for name in ("difference", *_INTERVALS, "n_items", "n_answers", "n_people")},
        "reason": difference.reason or None,
    }


_LISTS: Mapping[RowKind, Callable[[DataSetResult], Iterator[PanelRow]]] = {
    "score": _list_scores,
    "agreement": _list_agreement,
    "consensus": _list_consensus,
}
