"""What commands print of the points of a scale: opinions, differences of systems, severity, points against gold."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bot.commands import data_sets, terminal_output
from bot.commands.terminal_output import Cell, format_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aggregation.opinions.opinions import Opinion
    from aggregation.scores.performance import Score, Unit
    from exports.opinion_tables import ScaleResult
    from exports.results import DataSetResult

INTERVALS = ("new people, 95 %", "these people, 95 %")
EXPLANATION = "Intervals: for new people and new items (a fresh panel), and for these people and new items."
ALL = "all texts"
SEVERITY = (
    "Severity: how far above (+) or below (-) the others this person rates the same items, by least squares, drawn"
    " towards 0 as far as its error is large. Spread: standard deviation of their ratings. With others: correlation"
    " with the mean of the others."
)
MOST_PEOPLE = 30
"""A table of severity of more people is left to annotators.csv."""


def print_opinions(result: DataSetResult) -> None:
    """Print shares of points first, then means or shares at or above points, differences, and people; by system."""
    found = result.scale
    if found is None:
        return
    title = data_sets.format_title
    terminal_output.print_table(
        title(result.data, "opinions: shares of points"),
        ("texts", "items", "answers", "people", *_name_bands(found), "median"),
        [_list_shares(found, opinion) for opinion in found.opinions],
        notes=[f"{_name(one)}: {reason}" for one in found.opinions for reason in _explain_median(one)],
    )
    scores = [
        (_name(one), score.metric.removeprefix("share_at_least_"), score)
        for one in found.opinions
        for score in _list_scores(found, one)
    ]
    warnings = [(_name(one), warning) for one in found.opinions for warning in one.warnings]
    at_least = () if found.ratings.has_means else ("at least",)
    terminal_output.print_table(
        title(result.data, "mean opinion" if found.ratings.has_means else "share at or above a point"),
        ("texts", *at_least, "value", *INTERVALS),
        [(name, *(point for _ in at_least), score.value, *_format_ends(score)) for name, point, score in scores],
        notes=[EXPLANATION, *_describe(scores, warnings), *found.notes],
    )
    _print_differences(result, found)
    _print_people(result, found)


def _list_scores(found: ScaleResult, opinion: Opinion) -> Sequence[Score]:
    return opinion.at_least if opinion.mean is None or not found.ratings.has_means else (opinion.mean,)


def _print_differences(result: DataSetResult, found: ScaleResult) -> None:
    if not found.differences:
        return
    named = [(f"{pair.one} less {pair.two}", pair) for pair in found.differences]
    terminal_output.print_table(
        data_sets.format_title(result.data, "differences of mean opinion"),
        ("systems", "difference", *INTERVALS, "p (Holm)", "people of both"),
        [
            (
                name,
                pair.difference.value,
                *_format_ends(pair.difference),
                terminal_output.shorten_p(pair.p_holm),
                pair.n_common_people,
            )
            for name, pair in named
        ],
        notes=_describe(
            [(name, "", pair.difference) for name, pair in named],
            [(name, warning) for name, pair in named for warning in pair.warnings],
        ),
    )


def _print_people(result: DataSetResult, found: ScaleResult) -> None:
    people = found.severity.people
    if found.severity.reason or len(people) > MOST_PEOPLE:
        return
    rows: list[tuple[Cell, ...]] = [
        (str(name), int(row["n"]), _number(row["severity"]),
         format_interval(_number(row["severity_low"]), _number(row["severity_high"])),
         _number(row["spread"]), _number(row["correlation_with_others"]))
        for name, row in people.iterrows()
    ]  # fmt: skip
    terminal_output.print_table(
        data_sets.format_title(result.data, "severity of people"),
        ("annotator", "ratings", "severity", "95 %", "spread", "with others"),
        rows,
        notes=[SEVERITY],
    )


def print_points(result: DataSetResult) -> None:
    """Print the points against gold points, as single ratings, means and medians."""
    units = result.point_units
    if not units:
        return
    named = [(unit.unit, score.metric, score) for unit in units for score in unit.scores]
    warnings = [(unit.unit, warning) for unit in units for warning in unit.warnings]
    terminal_output.print_table(
        data_sets.format_title(result.data, "points against gold points"),
        ("unit", "metric", "value", *INTERVALS, "n"),
        [
            (unit.unit, score.metric, score.value, *_format_ends(score), unit.total)
            for unit in units
            for score in unit.scores
        ],
        notes=[EXPLANATION, *_describe(named, warnings), *_explain_level(result.scale)],
    )


def _explain_level(found: ScaleResult | None) -> list[str]:
    """That an ordinal scale has no means of items."""
    from aggregation.findings import Finding

    return [] if found is None or found.ratings.has_means else [Finding("no-mean-unit")]


def describe_opinions(result: DataSetResult) -> dict[str, Any]:
    """The opinions as JSON; nothing for answers that are no points."""
    found = result.scale
    if found is None:
        return {}
    from exports.rounding import round_row

    people = found.severity.people.rename_axis("annotator").reset_index().to_dict("records")
    return {
        "opinions": [asdict(opinion) for opinion in found.opinions],
        "opinion_differences": [asdict(pair) for pair in found.differences],
        "severity": [round_row({str(key): value for key, value in row.items()}) for row in people],
        "opinion_notes": list(found.notes),
        "points_against_gold": [asdict(unit) for unit in result.point_units],
    }


def list_point_rows(units: Iterable[Unit], unit: str) -> list[tuple[str, Cell]]:
    """The metrics of one unit as rows of a table with a name and a value."""
    return [(score.metric, score.value) for one in units if one.unit == unit for score in one.scores]


def _name(opinion: Opinion) -> str:
    return opinion.system or ALL


def _name_bands(found: ScaleResult) -> list[str]:
    from exports.opinion_tables import list_bands

    return [band.name for band in list_bands(found.ratings.names)]


def _list_shares(found: ScaleResult, opinion: Opinion) -> tuple[Cell, ...]:
    from exports.opinion_tables import list_bands

    counts = [sum(opinion.counts[band.start : band.end]) for band in list_bands(found.ratings.names)]
    cells = [f"{100 * count / opinion.n_answers:.0f} %" for count in counts]
    return (_name(opinion), opinion.n_items, opinion.n_answers, opinion.n_annotators, *cells, opinion.median.text)


def _explain_median(opinion: Opinion) -> list[str]:
    from exports.opinion_tables import explain_median

    reason = explain_median(opinion)
    return [reason] if reason else []


def _format_ends(score: Score) -> tuple[str, str]:
    return format_interval(score.ci_low, score.ci_high), format_interval(score.item_only_low, score.item_only_high)


def _number(value: float) -> float | None:
    return None if value != value else float(value)  # noqa: PLR0124  # nan


def _describe(named: Sequence[tuple[str, str, Score]], warnings: Sequence[tuple[str, str]]) -> list[str]:
    """How intervals were made, what is doubtful and why something is missing, each once, after what it is true of.

    `named` are scores with the name of their texts or unit, and of the metric, if there are several of each.
    """
    metrics: dict[str, list[str]] = {}
    for name, metric, _ in named:
        metrics.setdefault(name, []).append(metric)
    told: dict[str, dict[str, list[str]]] = {}
    for name, metric, score in named:
        method = "" if score.ci_method == "none" else f"Intervals: {score.ci_method}."
        for reason in filter(None, (method, score.reason)):
            told.setdefault(reason, {}).setdefault(name, []).append(metric)
    for name, warning in warnings:
        told.setdefault(warning, {})[name] = metrics.get(name, [])
    notes = []
    for reason, names in told.items():
        parts = [
            name if own == metrics.get(name) or not any(own) else f"{name} ({', '.join(own)})"
            for name, own in names.items()
        ]
        notes.append(reason if names == metrics else f"{', '.join(parts)}: {reason}")
    return notes
