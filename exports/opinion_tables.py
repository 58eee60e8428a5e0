"""opinions.csv, opinion_differences.csv and opinion_items.csv: what points say of texts and of systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from aggregation.findings import Finding
from aggregation.opinions.opinions import Opinion, OpinionDifference, compare_systems, measure_opinions
from aggregation.opinions.people import (
    FEWEST_RATINGS,
    ItemOpinions,
    Severity,
    list_item_opinions,
    measure_severity,
)
from aggregation.ratings import Ratings, read_ratings
from aggregation.scores.performance import Score
from exports.inputs import DataSet
from exports.rounding import VALUE_COLUMNS, format_column, format_fields, format_fixed
from exports.score_variants import PRIMARY

OPINION_COLUMNS = ("dataset", "subset", "system", "statistic", *VALUE_COLUMNS)
DIFFERENCE_COLUMNS = ("dataset", "one", "two", *VALUE_COLUMNS, "p_value", "p_holm", "n_common_people")
ITEM_OPINION_COLUMNS = ("dataset", "item_id", "system", "n", "mean", "median", "sd", "adjusted", "z")
SEVERITY_COLUMNS = ("severity", "severity_low", "severity_high", "spread", "correlation_with_others")


@dataclass(frozen=True, kw_only=True, eq=False)
class ScaleResult:
    """All that the points of a data set say: opinions (the first one of all texts), differences, people, items."""

    ratings: Ratings
    opinions: tuple[Opinion, ...]
    differences: tuple[OpinionDifference, ...]
    severity: Severity
    items: ItemOpinions

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, and why."""
        refused = self.items.refused
        left_out = any(refused.values())
        of_z = Finding("z-refused", least=FEWEST_RATINGS, **refused) if left_out else ""
        return tuple(note for note in (self.severity.reason, of_z) if note)


def measure_scale(data: DataSet, *, confidence_level: float) -> ScaleResult | None:
    """What the points of a data set say; None if its answers are no points of a scale, or nobody answered."""
    ratings = read_ratings(data.build_votes(), data.systems)
    if ratings is None or not len(ratings.items):
        return None
    severity = measure_severity(ratings, confidence_level=confidence_level)
    return ScaleResult(
        ratings=ratings,
        opinions=measure_opinions(ratings, confidence_level=confidence_level),
        differences=compare_systems(ratings, confidence_level=confidence_level),
        severity=severity,
        items=list_item_opinions(ratings, severity),
    )


def build_opinion_table(name: str, found: ScaleResult | None) -> pd.DataFrame:
    """One row for each system and statistic, with the columns OPINION_COLUMNS; all texts have an empty system."""
    rows = [
        {"dataset": name, "subset": PRIMARY, "system": opinion.system or None, **row}
        for opinion in (() if found is None else found.opinions)
        for row in _list_statistics(opinion)
    ]
    return pd.DataFrame(rows, columns=list(OPINION_COLUMNS), dtype=object)


def _list_statistics(opinion: Opinion) -> Iterator[dict[str, Any]]:
    """The rows of a system: shares of points, shares at or above each, the median, the mean if there is one."""
    counts = {
        "n_items": opinion.n_items,
        "n_annotators": opinion.n_annotators,
        "n_answers": opinion.n_answers,
        "warning": " ".join(opinion.warnings),
    }
    for score in (*opinion.shares, *opinion.at_least):
        yield {"statistic": score.metric, **format_score_fields(score), **counts}
    yield {"statistic": "median", "value": opinion.median.text, "reason": explain_median(opinion), **counts}
    if opinion.mean is not None:
        yield {"statistic": "mean", **format_score_fields(opinion.mean), **counts}


def explain_median(opinion: Opinion) -> str:
    """That a median lies between two points; empty if it does not."""
    if not opinion.median.tied:
        return ""
    has_words = " – " in opinion.median.text
    return Finding("median-between-words" if has_words else "median-between")


def format_score_fields(score: Score) -> dict[str, Any]:
    """The cells of a value with its intervals."""
    return {**format_fields(score, VALUE_COLUMNS[:7]), "ci_method": score.ci_method, "reason": score.reason}


def build_difference_table(name: str, found: ScaleResult | None) -> pd.DataFrame:
    """One row for each two systems, with the columns DIFFERENCE_COLUMNS."""
    rows = [
        {
            "dataset": name,
            "one": pair.one,
            "two": pair.two,
            **format_score_fields(pair.difference),
            "n_items": pair.n_items,
            "n_annotators": pair.n_annotators,
            "n_answers": pair.n_answers,
            "warning": " ".join(pair.warnings),
            "p_value": format_fixed(pair.p_value, 6),
            "p_holm": format_fixed(pair.p_holm, 6),
            "n_common_people": pair.n_common_people,
        }
        for pair in (() if found is None else found.differences)
    ]
    return pd.DataFrame(rows, columns=list(DIFFERENCE_COLUMNS), dtype=object)


def build_item_opinion_table(name: str, found: ScaleResult | None) -> pd.DataFrame:
    """One row for each item with answers, with the columns ITEM_OPINION_COLUMNS."""
    if found is None:
        return pd.DataFrame(columns=list(ITEM_OPINION_COLUMNS), dtype=object)
    table = found.items.items.astype(object).rename_axis("item_id").reset_index()
    table["system"] = pd.Series([one or None for one in table["system"]], dtype=object)
    for column in ("mean", "sd", "adjusted", "z"):
        table[column] = format_column(table[column], digits=4)
    return table.assign(dataset=name).loc[:, list(ITEM_OPINION_COLUMNS)].astype(object)


def list_severities(found: ScaleResult | None, annotators: pd.Index[str]) -> pd.DataFrame:
    """The columns SEVERITY_COLUMNS of these annotators, as text; empty without points."""
    if found is None:
        return pd.DataFrame(dict.fromkeys(SEVERITY_COLUMNS), index=annotators, dtype=object)
    people = found.severity.people.reindex(annotators)
    return pd.DataFrame(
        {name: [format_fixed(value, 4) for value in people[name]] for name in SEVERITY_COLUMNS},
        index=annotators,
        dtype=object,
    )


class Band(NamedTuple):
    """Neighbouring points that are shown together: their name, and the places of the first and behind the last."""

    name: str
    start: int
    end: int


MOST_BANDS = 11
"""A scale of more points is shown in FEW_BANDS."""
FEW_BANDS = 5


def list_bands(names: Sequence[str]) -> tuple[Band, ...]:
    """The points of a scale, or, of one with many, neighbours together: 0–19, 20–39."""
    if len(names) <= MOST_BANDS:
        return tuple(Band(name, place, place + 1) for place, name in enumerate(names))
    edges = [len(names) * number // FEW_BANDS for number in range(FEW_BANDS + 1)]
    return tuple(Band(f"{names[start]}–{names[end - 1]}", start, end) for start, end in pairwise(edges))
