"""The rows of the report's tables: metrics of every unit, classes, scores as people go on, and trivial baselines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aggregation.findings import get_code, split_findings
from aggregation.scores.labels import NO_LABEL, compute_class_scores
from aggregation.scores.performance import Score
from exports.class_tables import format_shared_count
from exports.order_effects import PLACE, OrderPart, PeopleEffects
from exports.pages.display_text import (
    FAR_FROM_PRIMARY,
    FOR_NEW_PEOPLE,
    METRIC_NAMES,
    MINUS,
    NEW_PEOPLE_HEAD,
    NO_VALUE,
    THESE_PEOPLE_HEAD,
    UNIT_NAMES,
    capitalize_first,
    format_count,
    format_level,
    format_percent,
    format_percent_interval,
    format_points,
    format_score,
    format_ties_wrong,
    get_metric_name,
    get_unit_name,
    shorten_text,
)
from exports.pages.localization import list_findings, localize_number, mark_text, show_finding, translate
from exports.pages.scaffold import TableRow
from exports.pages.svg import PANEL_WIDTH, SIMULATED, AxisScale, SvgDrawing, draw_axis, draw_heading, format_stamp
from exports.results import DataSetResult
from exports.score_variants import describe_variant

MOST_CLASSES = 12
"""A confusion matrix of more classes is not shown; confusion_matrix.csv has it."""


NO_ERROR = mark_text(
    "No item has an error, so the interval holds all that the interval of the share of right answers allows, wherever"
    " errors might fall. It is wider than it need be."
)


@dataclass(frozen=True, kw_only=True)
class ConfusionTable:
    """One confusion matrix: its caption, the heads of its columns, and one row for each class that is gold."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]


def build_class_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """One row for each unit and class: precision, recall, F1, how often it is gold and how often the answer."""
    rows = []
    for unit, confusion in result.confusions.items():
        for name, scores in compute_class_scores(confusion).iterrows():
            shares = (scores[metric] for metric in ("precision", "recall", "f1"))
            cells = [NO_VALUE if share != share else format_percent(share) for share in shares]  # noqa: PLR0124  # nan
            counts = [_format_short(scores[count]) for count in ("support", "answered")]
            rows.append(TableRow(head=f"{translate(UNIT_NAMES[unit])}: {name}", cells=(*cells, *counts)))
    return tuple(rows)


def build_confusion_tables(result: DataSetResult) -> tuple[ConfusionTable, ...]:
    """The confusion matrix of each unit, gold down and answers across; none for many classes."""
    tables = []
    stamp = f"{translate(SIMULATED)} · " if result.data.simulated else ""
    for unit, confusion in result.confusions.items():
        if len(confusion) > MOST_CLASSES:
            continue
        answers = [answer for answer in confusion.columns if answer != NO_LABEL or confusion[NO_LABEL].any()]
        tables.append(
            ConfusionTable(
                caption=stamp
                + translate(
                    "{name}: {unit} (rows: gold, columns: answers)",
                    name=result.data.name,
                    unit=translate(UNIT_NAMES[unit]),
                ),
                heads=(
                    translate("Gold"),
                    *(shorten_text(str(answer), max_length=24) or translate("no label") for answer in answers),
                ),
                rows=tuple(
                    TableRow(
                        head=shorten_text(str(gold), max_length=24),
                        cells=tuple(_format_short(confusion.loc[gold, answer]) for answer in answers),
                    )
                    for gold in confusion.index
                ),
            )
        )
    return tuple(tables)


def _format_short(number: float) -> str:
    """A count for readers: ties can make it a fraction, shown with one decimal."""
    whole = format_shared_count(number)
    return localize_number(f"{number:.1f}") if "." in whole else whole


def build_metric_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """All metrics of every unit, for labels that are classes; the accuracy alone stands in the baselines."""
    scores = result.performance
    units = () if scores is None or not result.data.answer_type.is_label else scores.units
    return tuple(
        TableRow(
            head=get_unit_name(unit),
            cells=tuple(format_score(score) for score in unit.scores),
            notes=(
                *_list_reasons(unit.scores),
                *_describe_ties_wrong([(translate(METRIC_NAMES[score.metric]), score) for score in unit.scores]),
            ),
        )
        for unit in units
        if len(unit.scores) > 1
    )


def build_other_metric_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """One row for each unit and metric of answers that are not labels: boxes, texts, spans."""
    scores = result.performance
    units = () if scores is None or result.data.answer_type.is_label else scores.units
    return tuple(
        TableRow(
            head=f"{get_unit_name(unit)}: {translate(get_metric_name(score.metric, result.data))}",
            cells=(format_score(score),),
            notes=(*list_findings(score.reason), *_describe_ties_wrong([("", score)])),
        )
        for unit in units
        for score in unit.scores
    )


def _list_reasons(scores: Sequence[Score]) -> list[str]:
    """Why metrics lack a value or an interval, each reason once: after their names, unless it is true of all.

    What is true of the share of right answers alone stands below the table of the baselines.
    """
    metrics: dict[str, list[str]] = {}
    for score in scores:
        for reason in _list_score_reasons(score, is_all_right=scores[0].value == 1):
            metrics.setdefault(reason, []).append(translate(METRIC_NAMES[score.metric]))
    return [
        reason if len(names) == len(scores) else f"{', '.join(names)}: {reason}"
        for reason, names in metrics.items()
        if names != [translate(METRIC_NAMES[scores[0].metric])]
    ]


def _list_score_reasons(score: Score, *, is_all_right: bool) -> list[str]:
    """The reasons of a metric; of few errors none may be there, which is said then."""
    return [
        translate(NO_ERROR) if is_all_right and get_code(one).startswith("few-wrong") else show_finding(one)
        for one in split_findings(score.reason)
    ]


def _describe_ties_wrong(named: Sequence[tuple[str, Score]]) -> list[str]:
    """The values of metrics if every tie counts as wrong; nothing without a tie."""
    values = [
        f"{name} {format_ties_wrong(score)}".strip() for name, score in named if score.value_ties_wrong is not None
    ]
    return [translate("With ties wrong: {values}.", values=", ".join(values))] if values else []


def build_variant_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """The accuracy of every score variant, then the variants that have none, with the reason."""
    rows = []
    for name, scores in result.list_variants().items():
        cells = [NO_VALUE, NO_VALUE]
        far = False
        for column, unit in enumerate(scores.units[:2]):
            score = unit.primary
            cells[column] = format_score(score)
            far = far or bool(result.exceeds_half_width(unit, score))
        meaning = f"{capitalize_first(show_finding(name))}: {show_finding(describe_variant(name))}."
        reasons = list_findings(*(unit.primary.reason for unit in scores.units[:2]))
        rows.append(
            TableRow(
                head=capitalize_first(show_finding(name)),
                cells=(*cells, str(scores["individual"].total)),
                notes=(meaning, *([translate(FAR_FROM_PRIMARY)] if far else []), *reasons),
            )
        )
    rows += [
        TableRow(head=capitalize_first(show_finding(name)), cells=(NO_VALUE,) * 3, notes=list_findings(reason))
        for name, reason in sorted(result.missing_variants.items())
    ]
    return tuple(rows)


TOP, STEP = 86, 24
NO_SLOPE = mark_text("No slope")


def list_best_people(results: Sequence[DataSetResult]) -> list[tuple[str, str]]:
    """The data set and a sentence about its best person, for those that have one."""
    return [
        (result.data.name, describe_best(result.people))
        for result in results
        if result.people is not None and result.people.best is not None
    ]


def describe_best(people: PeopleEffects) -> str:
    """The best person, and what choosing them adds, in words."""
    best = people.best
    if best is None:
        return ""
    sentence = translate(
        "the best of {people} people has {value} of {n} answers right. Chosen on one half of the items and scored on"
        " the other half, the best has {held_out}.",
        people=best.people,
        value=format_percent(best.value),
        n=best.n,
        held_out=format_percent(best.held_out),
    )
    why = translate("Most of the gap is likely due to choosing.")
    return f"{sentence} {why}" if best.held_out < best.value else sentence


def build_order_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """The parts of a session and the sessions, and what ten answers change."""
    if result.people is None or not result.people.parts:
        return ()
    rows = [
        TableRow(
            head=capitalize_first(f"{show_finding(part.kind)} {show_finding(part.part)}"),
            cells=(
                format_percent(part.unit.primary.value),
                format_percent_interval(part.unit.primary.ci_low, part.unit.primary.ci_high),
                format_percent_interval(part.unit.primary.item_only_low, part.unit.primary.item_only_high),
                str(part.unit.total),
                str(part.unit.n_annotators),
            ),
            notes=list_findings(part.unit.primary.reason),
        )
        for part in result.people.parts
    ]
    slope = result.people.slope
    head = translate("Change per 10 answers, in points") if slope.value is not None else translate(NO_SLOPE)
    interval = _format_interval(slope.low, slope.high)
    cells = (format_points(slope.value), interval, NO_VALUE, str(slope.n), str(slope.n_people))
    return (*rows, TableRow(head=head, cells=cells, notes=list_findings(slope.reason)))


def draw_order_panels(results: Sequence[DataSetResult], *, confidence_level: float) -> list[str]:
    """Draw one SVG for each data set whose sessions have several parts."""
    panels = []
    for result in results:
        parts = [] if result.people is None else [part for part in result.people.parts if part.kind == PLACE]
        if result.people is not None and parts:
            drawn = _draw_order_panel(result, result.people, parts, confidence_level=confidence_level)
            panels.append(drawn)
    return panels


def _draw_order_panel(
    result: DataSetResult, people: PeopleEffects, parts: Sequence[OrderPart], *, confidence_level: float
) -> str:
    """A dot and a line for each part; all lines are for new people, or all for these where a part has none for new."""
    bottom = TOP + STEP * len(parts)
    drawing = SvgDrawing(width=PANEL_WIDTH, height=bottom + 24)
    scale = AxisScale(left=92, right=PANEL_WIDTH - 52)
    level = format_level(confidence_level)
    slope = _describe_slope(people, level)
    is_for_new = all(part.unit.primary.ci_low is not None for part in parts)
    population = translate(NEW_PEOPLE_HEAD if is_for_new else THESE_PEOPLE_HEAD, level=level)
    draw_heading(drawing, shorten_text(result.data.name, max_length=30), population, simulated=result.data.simulated)
    for number, line in enumerate(slope):
        drawing.text(line, at=(0, 48 + 14 * number), colour="muted", size=11)
    draw_axis(drawing, scale, ticks=(0, 0.25, 0.5, 0.75, 1), top=TOP - 2, bottom=bottom, percents=True)
    for number, part in enumerate(parts):
        y, score = TOP + STEP * (number + 0.5), part.unit.primary
        low, high = (score.ci_low, score.ci_high) if is_for_new else (score.item_only_low, score.item_only_high)
        if low is not None and high is not None:
            drawing.line(start=(scale.x(low), y), end=(scale.x(high), y), colour="accent", width=1.6)
        drawing.text(show_finding(part.part), at=(0, y + 4))
        drawing.text(format_percent(score.value), at=(PANEL_WIDTH, y + 4), anchor="right", colour="muted")
        if score.value is not None:
            drawing.dot(at=(scale.x(score.value), y), colour="accent")
    shares = "; ".join(f"{show_finding(part.part)} {format_percent(part.unit.primary.value)}" for part in parts)
    label = translate(
        "{name}: share right by place in the session: {shares}. {slope}.",
        name=result.data.name,
        shares=shares,
        slope="; ".join(slope),
    )
    return drawing.to_svg(label=format_stamp(simulated=result.data.simulated) + label)


def _describe_slope(people: PeopleEffects, level: str) -> tuple[str, ...]:
    """The change per ten answers and its interval, a line each, or why there is none."""
    slope = people.slope
    if slope.value is None:
        return (f"{translate(NO_SLOPE)}: {format_count(slope.n_people, 'person')}",)
    change = translate("Change per 10 answers: {value} points", value=format_points(slope.value))
    if slope.low is None or slope.high is None:
        return (change,)
    ends = translate("{low} to {high}", low=format_points(slope.low), high=format_points(slope.high))
    return change, translate(FOR_NEW_PEOPLE, level=level, interval=ends)


def _format_interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return NO_VALUE
    return translate("{low}, {high}", low=format_points(low), high=format_points(high))


BASELINE_NAMES = {
    "random": mark_text("Random option"),
    "random_by_class": mark_text("Random class, by its frequency in the gold"),
    "majority_class": mark_text("The most frequent class"),
    "position": mark_text("Most common gold position, from the start"),
    "position_from_end": mark_text("Most common gold position, from the end"),
    "longest_option": mark_text("The longest option"),
    "shortest_option": mark_text("The shortest option"),
    "most_mentioned_option": mark_text("Option mentioned most often in the text"),
}
CEILING_NAME = mark_text("Ceiling: gold that is right and can be decided")


def build_trivial_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """A row for each baseline with a score: what it answers, its metrics, how often it takes by lot; last the ceiling.

    Those that do not apply are in trivial_baselines.csv with the reason. There is no ceiling without a gold review.
    """
    rows = []
    for baseline in result.trivial:
        if baseline.reason:
            continue
        values = [baseline.scores.get(metric) for metric in METRIC_NAMES]
        shown = [_format_number(value) for value in values]
        accuracy = baseline.scores.get("accuracy")
        cells = (show_finding(baseline.answer) or NO_VALUE, format_percent(accuracy), *shown[1:], str(baseline.n_torn))
        rows.append(TableRow(head=translate(BASELINE_NAMES[baseline.name]), cells=cells))
    if rows and result.ceiling is not None and result.ceiling.ceiling.value is not None:
        share = result.ceiling.ceiling
        cells = (NO_VALUE, format_percent(share.value), *[NO_VALUE] * len(METRIC_NAMES))
        interval = format_percent_interval(share.low, share.high)
        remark = translate("Ceiling: {interval} is the interval for items like these.", interval=interval)
        rows.append(TableRow(head=translate(CEILING_NAME), cells=cells, notes=(remark,)))
    return tuple(rows)


def _format_number(value: float | None) -> str:
    """A number with three decimals; none where it is not known."""
    is_defined = value is not None and value == value  # noqa: PLR0124  # only nan differs from itself
    return localize_number(f"{value:z.3f}".replace("-", MINUS)) if is_defined else NO_VALUE
