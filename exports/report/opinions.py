"""What people think of texts, on the report: shares of points, means with intervals, differences, people, errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aggregation.findings import Finding
from aggregation.opinions.opinions import Opinion
from aggregation.ratings import write_point
from aggregation.scales import read_point
from aggregation.scores.performance import Score
from exports.opinion_tables import Band, ScaleResult, explain_median, list_bands
from exports.pages.display_text import (
    MINUS,
    NO_VALUE,
    POINT_METRIC_NAMES,
    UNIT_NAMES,
    capitalize_first,
    format_count,
    format_level,
    format_percent,
    format_percent_interval,
    shorten_text,
)
from exports.pages.localization import list_findings, localize_number, mark_text, show_finding, translate
from exports.pages.scaffold import Headline, TableRow
from exports.pages.svg import PANEL_WIDTH, AxisScale, Colour, SvgDrawing, draw_axis, draw_heading, format_stamp
from exports.results import DataSetResult

ALL_TEXTS = mark_text("all texts")
MOST_SYSTEMS = 3
"""Cards show the opinion of each system if there are no more."""
MOST_PEOPLE = 30
"""Of more people severity is left to annotators.csv."""
TOP, STEP, BAR = 48, 46, 20
MOST_TICKS = 11
THIN, THICK = 1.2, 3.6
FEWEST_WITH_LABEL = 0.09
"""The share from which a segment of a bar has its number in it."""


@dataclass(frozen=True, kw_only=True)
class OpinionsPart:
    """The part of a data set: `panels` are SVG elements, the rest are rows of tables and sentences."""

    panels: tuple[str, ...]
    share_heads: tuple[str, ...]
    shares: tuple[TableRow, ...]
    means: tuple[TableRow, ...]
    at_least: tuple[TableRow, ...]
    differences: tuple[TableRow, ...]
    gold: tuple[TableRow, ...]
    people: tuple[TableRow, ...]
    notes: tuple[str, ...]


def build_opinions(result: DataSetResult) -> OpinionsPart | None:
    """The part of a data set with the points of a scale; None for others."""
    found = result.scale
    if found is None:
        return None
    bands, has_means = list_bands(found.ratings.names), found.ratings.has_means
    level = format_level(result.options.confidence_level)
    return OpinionsPart(
        panels=(
            _draw_shares(result, found, bands),
            *((_draw_means(result, found, level=level),) if has_means else ()),
        ),
        share_heads=(*(band.name for band in bands), translate("Median"), translate("Answers"), translate("People")),
        shares=tuple(_build_share_row(one, bands) for one in found.opinions),
        means=tuple(_build_mean_row(one, one.mean) for one in found.opinions if one.mean is not None),
        at_least=() if has_means else tuple(row for one in found.opinions for row in _build_at_least_rows(one)),
        differences=_build_difference_rows(found),
        gold=_build_gold_rows(result),
        people=_build_people_rows(found),
        notes=list_findings(*found.notes),
    )


def list_opinion_headlines(result: DataSetResult) -> tuple[Headline, ...]:
    """The cards of a scale: the opinion of each system or of all texts, a single difference, errors against gold."""
    found = result.scale
    if found is None:
        return ()
    level = format_level(result.options.confidence_level)
    of_systems = found.opinions[1:] if 1 < len(found.opinions) <= MOST_SYSTEMS + 1 else found.opinions[:1]
    cards = [_build_card(found, opinion, level) for opinion in of_systems]
    if len(found.differences) == 1:
        pair = found.differences[0]
        name = translate("{one} less {two}", one=pair.one, two=pair.two)
        more = translate("{people} rated both", people=format_count(pair.n_common_people, "person"))
        details = (*_describe_ends(pair.difference, level), more)
        cards.append(Headline(name, format_change(pair.difference.value), details=details))
    together = "mean" if found.ratings.has_means else "median"
    for unit in (unit for unit in result.point_units if unit.unit in ("individual", together)):
        lead = unit.scores[0]
        name = f"{translate(UNIT_NAMES[unit.unit])}: {translate(POINT_METRIC_NAMES[lead.metric])}"
        counted = format_count(unit.total, "answer" if unit.unit == "individual" else "item")
        details = (*_describe_ends(lead, level), translate("{counted} with gold", counted=counted))
        cards.append(Headline(name, format_point(lead.value), details=details))
    return tuple(cards)


def _build_card(found: ScaleResult, opinion: Opinion, level: str) -> Headline:
    """The mean with its interval, or the median with the share at or above the upper middle point."""
    name = opinion.system or translate(ALL_TEXTS)
    counts = translate(
        "{answers} of {people} to {items}",
        answers=format_count(opinion.n_answers, "answer"),
        people=format_count(opinion.n_annotators, "person"),
        items=format_count(opinion.n_items, "item"),
    )
    if opinion.mean is not None:
        low, high = (localize_number(write_point(end).replace("-", MINUS)) for end in found.ratings.ends)
        title = translate("{name}: mean opinion, from {low} to {high}", name=name, low=low, high=high)
        details = (*_describe_ends(opinion.mean, level), counts)
        return Headline(title, format_point(opinion.mean.value), details=details)
    title = translate("{name}: median", name=name)
    shares = opinion.at_least
    middle = shares[len(shares) // 2] if shares else None
    above: tuple[str, ...] = ()
    if middle is not None:
        point = middle.metric.removeprefix("share_at_least_")
        above = (translate("{share} at {point} or above", share=format_percent(middle.value), point=point),)
    return Headline(title, localize_number(opinion.median.text), details=(*above, counts))


def _describe_ends(score: Score, level: str) -> tuple[str, ...]:
    """The interval for new people, else that for these people, else the reason why there is none."""
    if score.ci_low is not None:
        ends = format_ends(score.ci_low, score.ci_high)
        return (translate("{level}: {interval}, new people and new items", level=level, interval=ends),)
    if score.item_only_low is not None:
        ends = format_ends(score.item_only_low, score.item_only_high)
        return (translate("{level}: {interval}, these people and new items", level=level, interval=ends),)
    return list_findings(score.reason)


def format_point(value: float | None) -> str:
    """A number of points: 3.84."""
    return NO_VALUE if value is None else localize_number(f"{value:z.2f}".replace("-", MINUS))


def format_change(value: float | None) -> str:
    """A difference in points with its sign: +0.66."""
    return NO_VALUE if value is None else localize_number(f"{value:+z.2f}".replace("-", MINUS))


def format_ends(low: float | None, high: float | None) -> str:
    """An interval of points: 3.22 to 4.47."""
    if low is None or high is None:
        return NO_VALUE
    return translate("{low} to {high}", low=format_point(low), high=format_point(high))


def _name(opinion: Opinion) -> str:
    return opinion.system or translate(ALL_TEXTS)


def _count_bands(opinion: Opinion, bands: Sequence[Band]) -> list[float]:
    """The share of answers in each band."""
    return [sum(opinion.counts[band.start : band.end]) / opinion.n_answers for band in bands]


def _build_share_row(opinion: Opinion, bands: Sequence[Band]) -> TableRow:
    shares = [format_percent(share) for share in _count_bands(opinion, bands)]
    counts = str(opinion.n_answers), str(opinion.n_annotators)
    return TableRow(
        head=_name(opinion),
        cells=(*shares, localize_number(opinion.median.text), *counts),
        notes=list_findings(explain_median(opinion)),
    )


def _build_mean_row(opinion: Opinion, mean: Score) -> TableRow:
    return TableRow(
        head=_name(opinion),
        cells=(*_list_cells(mean), str(opinion.n_items), str(opinion.n_answers)),
        notes=(*_describe_method(mean), *list_findings(mean.reason, *opinion.warnings)),
    )


def _list_cells(score: Score) -> tuple[str, str, str]:
    """The value, and both intervals."""
    return (
        format_point(score.value),
        format_ends(score.ci_low, score.ci_high),
        format_ends(score.item_only_low, score.item_only_high),
    )


def _describe_method(score: Score) -> tuple[str, ...]:
    return () if score.ci_method == "none" else (capitalize_first(show_finding(score.ci_method)) + ".",)


def _build_at_least_rows(opinion: Opinion) -> tuple[TableRow, ...]:
    return tuple(
        TableRow(
            head=f"{_name(opinion)}: {score.metric.removeprefix('share_at_least_')}",
            cells=(
                format_percent(score.value),
                format_percent_interval(score.ci_low, score.ci_high),
                format_percent_interval(score.item_only_low, score.item_only_high),
            ),
            notes=(*_describe_method(score), *list_findings(score.reason, *opinion.warnings)),
        )
        for score in opinion.at_least
    )


def _build_difference_rows(found: ScaleResult) -> tuple[TableRow, ...]:
    return tuple(
        TableRow(
            head=translate("{one} less {two}", one=pair.one, two=pair.two),
            cells=(
                format_change(pair.difference.value),
                *_list_cells(pair.difference)[1:],
                _format_p(pair.p_holm),
                str(pair.n_common_people),
            ),
            notes=(*_describe_method(pair.difference), *list_findings(pair.difference.reason, *pair.warnings)),
        )
        for pair in found.differences
    )


def _format_p(p: float | None) -> str:
    if p is None:
        return NO_VALUE
    return localize_number("< 0.001" if p < 0.001 else f"{p:.3f}")


def _build_gold_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """One row for each unit and metric; that an ordinal scale has no means is a note of the first."""
    found = result.scale
    rows = []
    for unit in result.point_units:
        for score in unit.scores:
            notes = (*_describe_method(score), *list_findings(score.reason, *unit.warnings))
            if found is not None and not found.ratings.has_means:
                notes = (*notes, show_finding(Finding("no-mean-unit")))
            head = f"{translate(UNIT_NAMES[unit.unit])}: {translate(POINT_METRIC_NAMES[score.metric])}"
            rows.append(TableRow(head=head, cells=(*_list_cells(score), str(unit.total)), notes=notes))
    return tuple(rows)


def _build_people_rows(found: ScaleResult) -> tuple[TableRow, ...]:
    """The severity of each person, the highest first; none of many people, and none if it is refused."""
    people = found.severity.people.sort_values("severity", ascending=False, kind="stable")
    if found.severity.reason or len(people) > MOST_PEOPLE:
        return ()
    columns = ["severity", "severity_low", "severity_high", "spread", "correlation_with_others"]
    numbers = people[columns].to_numpy(dtype=float)
    return tuple(
        TableRow(
            head=str(name),
            cells=(
                str(n),
                format_change(own),
                format_ends(low, high),
                *map(_format_known, others),
            ),
        )
        for name, n, (own, low, high, *others) in zip(people.index, people["n"], numbers, strict=True)
    )


def _format_known(value: float) -> str:
    return format_point(None if np.isnan(value) else value)


def _shade(place: int, total: int) -> tuple[Colour, float]:
    """The colour of a segment: from the lowest point in one colour over the pale middle to the highest in the other."""
    middle = (total - 1) / 2
    if place == middle:
        return "muted", 0.2
    strength = abs(place - middle) / middle
    return ("accent" if place > middle else "second"), 0.15 + 0.5 * strength


def _draw_shares(result: DataSetResult, found: ScaleResult, bands: Sequence[Band]) -> str:
    """Stacked bars: the share of each point, of all texts and of each system."""
    shown = found.opinions[1:] or found.opinions
    legend = _lay_out_legend(bands)
    bottom = TOP + STEP * len(shown)
    height = bottom + 16 * (1 + max(row for row, _ in legend)) + 8
    drawing = SvgDrawing(width=PANEL_WIDTH, height=height)
    subtitle = translate("shares of points, from the lowest to the highest")
    draw_heading(drawing, shorten_text(result.data.name, max_length=30), subtitle, simulated=result.data.simulated)
    described = []
    for number, opinion in enumerate(shown):
        y, x = TOP + STEP * number, 0.0
        drawing.text(shorten_text(_name(opinion), max_length=34), at=(0, y + 10))
        n = format_count(opinion.n_answers, "answer")
        drawing.text(n, at=(PANEL_WIDTH, y + 10), anchor="right", colour="muted")
        shares = _count_bands(opinion, bands)
        for place, share in enumerate(shares):
            colour, opacity = _shade(place, len(bands))
            end = x + share * PANEL_WIDTH
            if share:
                drawing.bar(start=(x, y + 15), end=(end, y + 15 + BAR), colour=colour, opacity=opacity)
            if share >= FEWEST_WITH_LABEL:
                drawing.text(f"{100 * share:.0f}", at=((x + end) / 2, y + 29), size=10.5, anchor="center")
            x = end
        parts = (f"{band.name} {format_percent(share)}" for band, share in zip(bands, shares, strict=True))
        described.append(f"{_name(opinion)}: {', '.join(parts)}")
    for place, (band, (row, x)) in enumerate(zip(bands, legend, strict=True)):
        colour, opacity = _shade(place, len(bands))
        y = bottom + 8 + 16 * row
        drawing.bar(start=(x, y - 8), end=(x + 9, y + 1), colour=colour, opacity=opacity)
        drawing.text(shorten_text(band.name, max_length=24), at=(x + 13, y), colour="muted", size=10.5)
    label = f"{result.data.name}, {subtitle}. {'; '.join(described)}."
    return drawing.to_svg(label=format_stamp(simulated=result.data.simulated) + label)


def _lay_out_legend(bands: Sequence[Band]) -> list[tuple[int, float]]:
    """The row and the pixel of each name below the bars, as wide as letters are about."""
    row, x, places = 0, 0.0, []
    for band in bands:
        width = 26 + 6.2 * len(shorten_text(band.name, max_length=24))
        if x and x + width > PANEL_WIDTH:
            row, x = row + 1, 0.0
        places.append((row, x))
        x += width
    return places


def _draw_means(result: DataSetResult, found: ScaleResult, *, level: str) -> str:
    """A dot for each mean, a thin line for new people, a thick one for these, and the mean of gold across."""
    rows = [(one, one.mean) for one in (found.opinions[1:] or found.opinions) if one.mean is not None]
    golds = _find_gold_means(result, found)
    top, step = 76, 38
    bottom = top + step * len(rows)
    low, high = found.ratings.ends
    scale = AxisScale(left=6, right=PANEL_WIDTH - 14, low=low, high=high)
    drawing = SvgDrawing(width=PANEL_WIDTH, height=bottom + 24)
    subtitle = translate("mean opinion")
    draw_heading(drawing, shorten_text(result.data.name, max_length=30), subtitle, simulated=result.data.simulated)
    drawing.text(translate("{level}, new items:", level=level), at=(0, 50), colour="muted", size=10.5)
    for number, (name, width) in enumerate(((translate("new people"), THIN), (translate("these people"), THICK))):
        x = 124 + 104 * number
        drawing.line(start=(x, 46), end=(x + 16, 46), colour="accent", width=width)
        drawing.text(name, at=(x + 21, 50), colour="muted", size=10.5)
    if golds:
        drawing.line(start=(2, 58), end=(2, 68), colour="second", width=2)
        drawing.text(translate("mean of gold"), at=(10, 67), colour="muted", size=10.5)
    points = found.ratings.points.tolist()
    ticks = points if len(points) <= MOST_TICKS else np.linspace(low, high, 5).tolist()
    draw_axis(drawing, scale, ticks=ticks, top=top, bottom=bottom, percents=False)
    for number, (opinion, mean) in enumerate(rows):
        y = top + step * number + 17
        drawing.text(shorten_text(_name(opinion), max_length=34), at=(scale.left, y))
        drawing.text(format_point(mean.value), at=(PANEL_WIDTH, y), anchor="right", colour="muted")
        lines = ((mean.ci_low, mean.ci_high, THIN), (mean.item_only_low, mean.item_only_high, THICK))
        for start, end, thickness in lines:
            if start is not None and end is not None:
                drawing.line(
                    start=(scale.x(start), y + 11), end=(scale.x(end), y + 11), colour="accent", width=thickness
                )
        if mean.value is not None:
            drawing.dot(at=(scale.x(mean.value), y + 11), colour="accent", size=9)
        if opinion.system in golds:
            mark = scale.x(golds[opinion.system])
            drawing.line(start=(mark, y + 5), end=(mark, y + 17), colour="second", width=2)
    values = "; ".join(
        f"{_name(one)} {format_point(mean.value)} ({format_ends(mean.ci_low, mean.ci_high)})" for one, mean in rows
    )
    label = f"{result.data.name}, {subtitle}: {values}."
    return drawing.to_svg(label=format_stamp(simulated=result.data.simulated) + label)


def _find_gold_means(result: DataSetResult, found: ScaleResult) -> dict[str, float]:
    """The mean gold of the rated items of each system, and of all ("")."""
    gold = dict(zip(result.data.items["item_id"], result.data.list_scoring_gold(), strict=True))
    by_system: dict[str, list[float]] = {}
    for item, system in zip(found.ratings.item_ids, found.ratings.systems, strict=True):
        number = None if gold.get(str(item)) is None else read_point(str(gold[str(item)]))
        if number is not None:
            for name in {"", system}:
                by_system.setdefault(name, []).append(number)
    return {name: float(np.mean(values)) for name, values in by_system.items()}
