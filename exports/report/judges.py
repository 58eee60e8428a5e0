"""What the report says of models as judges in people's place: a verdict on each, a plot, and a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from aggregation.judges.records import JudgeResult, JudgeScore
from exports.inputs import DataSet
from exports.pages.display_text import MINUS, NO_VALUE, capitalize_first, shorten_text
from exports.pages.localization import list_findings, localize_number, mark_text, show_finding, translate
from exports.pages.scaffold import TableRow
from exports.pages.svg import PANEL_WIDTH, AxisScale, SvgDrawing, draw_axis, draw_heading, format_stamp

TOP, STEP = 58, 38
OTHERS = {
    "swap_consistency": mark_text("equal in both orders"),
    "length_slope": mark_text("length slope, judge less people"),
    "corrected_mean": mark_text("mean of all items"),
}
"""The numbers that not every judge has, as the table of others names them."""
EQUIVALENCE = {None: mark_text("not tested"), True: mark_text("yes"), False: mark_text("not shown")}
PASSING = {None: "", True: mark_text("passes"), False: mark_text("does not pass")}
"""What is said of the equivalence test, and of the alternative annotator test."""


@dataclass(frozen=True, kw_only=True)
class JudgesPart:
    """Judges in the section of a data set: verdicts by judge, an SVG element, and the rows of its tables."""

    verdicts: tuple[tuple[str, str], ...]
    panel: str
    rows: tuple[TableRow, ...]
    tests: tuple[TableRow, ...]
    others: tuple[TableRow, ...]


def build_judges_part(data: DataSet, judges: Sequence[JudgeResult]) -> JudgesPart | None:
    """The part of a data set, None without judges."""
    if not judges:
        return None
    measured = [judge for judge in judges if "difference" in judge.by_statistic]
    return JudgesPart(
        verdicts=tuple((judge.judge, show_finding(judge.verdict)) for judge in judges),
        panel=_draw_panel(data, [judge.by_statistic["difference"] for judge in measured]) if measured else "",
        rows=tuple(map(_build_row, measured)),
        tests=tuple(map(_build_test_row, measured)),
        others=tuple(
            _build_other_row(score) for judge in judges for score in judge.scores if score.statistic in OTHERS
        ),
    )


def _draw_panel(data: DataSet, rows: Sequence[JudgeScore]) -> str:
    """A dot and an interval for each judge's difference, with a line at 0 and at both ends of the margin."""
    bottom = TOP + STEP * len(rows)
    drawing = SvgDrawing(width=PANEL_WIDTH, height=bottom + 24)
    subtitle = translate("judge–person less person–person agreement")
    draw_heading(drawing, shorten_text(data.name, max_length=30), subtitle, simulated=data.simulated)
    margins = [row.margin for row in rows if row.margin is not None]
    ends = [abs(value) for row in rows for value in (*_choose_ends(row), row.value) if value is not None]
    step = 10.0 ** math.floor(math.log10(max(0.01, *ends, *margins)))
    reach = step * math.ceil(max(0.01, *ends, *margins) / step)
    scale = AxisScale(left=22, right=PANEL_WIDTH - 22, low=-reach, high=reach)
    ticks = [round(reach * part, 6) for part in (-1, -0.5, 0, 0.5, 1)]
    draw_axis(drawing, scale, ticks=ticks, top=TOP, bottom=bottom, percents=False)
    drawing.line(start=(scale.x(0), TOP - 4), end=(scale.x(0), bottom), colour="second", width=1.3)
    for end in {sign * margin for margin in margins for sign in (-1, 1)}:
        drawing.line(start=(scale.x(end), TOP - 4), end=(scale.x(end), bottom), colour="second", dashes=(3, 3))
    for place, row in enumerate(rows):
        y = TOP + STEP * place + 17
        drawing.text(shorten_text(row.judge, max_length=34), at=(0, y))
        drawing.text(_format(row.value), at=(PANEL_WIDTH, y), anchor="right", colour="muted")
        low, high = _choose_ends(row)
        if low is not None and high is not None:
            drawing.line(start=(scale.x(low), y + 11), end=(scale.x(high), y + 11), colour="accent", width=1.6)
        drawing.dot(at=(scale.x(row.value or 0.0), y + 11), colour="accent")
    content = "; ".join(f"{row.judge} {_format(row.value)}" for row in rows)
    label = translate("{name}, judges beside people: {differences}.", name=data.name, differences=content)
    return drawing.to_svg(label=format_stamp(simulated=data.simulated) + label)


def _choose_ends(row: JudgeScore) -> tuple[float | None, float | None]:
    """The interval for new people, or else that for these."""
    return (row.item_only_low, row.item_only_high) if row.ci_low is None else (row.ci_low, row.ci_high)


def _build_row(judge: JudgeResult) -> TableRow:
    scores = judge.by_statistic
    row = scores["difference"]
    return TableRow(
        head=judge.judge,
        cells=(
            _format(row.value),
            _format_ends(row.ci_low, row.ci_high),
            _format_ends(row.item_only_low, row.item_only_high),
            _format_margin(row),
            *(_format(scores[name].value, signed=False) for name in ("judge_person", "person_person")),
            str(row.n_items),
            str(row.n_annotators),
        ),
        notes=list_findings(row.reason),
    )


def _build_test_row(judge: JudgeResult) -> TableRow:
    scores = judge.by_statistic
    row, rate = scores["advantage_probability"], scores["winning_rate"]
    alphas = [scores[name].value if name in scores else None for name in ("alpha_people", "alpha_with_judge")]
    return TableRow(
        head=judge.judge,
        cells=(
            _format(row.value, signed=False),
            _format_ends(row.ci_low, row.ci_high, signed=False),
            _format_ends(row.item_only_low, row.item_only_high, signed=False),
            _format_rate(rate),
            *(_format(value, signed=False) for value in alphas),
            str(row.n_annotators),
        ),
        notes=list_findings(row.reason, *judge.notes),
    )


def _build_other_row(score: JudgeScore) -> TableRow:
    return TableRow(
        head=f"{score.judge}: {translate(OTHERS[score.statistic])} {score.of}".strip(),
        cells=(
            _format(score.value, signed=score.statistic == "length_slope"),
            _format_ends(score.ci_low, score.ci_high, signed=score.statistic == "length_slope"),
            _format_ends(score.item_only_low, score.item_only_high, signed=score.statistic == "length_slope"),
            str(score.n_items),
        ),
        notes=(
            *list_findings(score.reason),
            *([capitalize_first(show_finding(score.ci_method)) + "."] if score.ci_method else []),
        ),
    )


def _format(value: float | None, *, signed: bool = True) -> str:
    if value is None:
        return NO_VALUE
    return localize_number((f"{value:+z.3f}" if signed else f"{value:z.3f}").replace("-", MINUS))


def _format_ends(low: float | None, high: float | None, *, signed: bool = True) -> str:
    if low is None or high is None:
        return NO_VALUE
    return translate("{low} to {high}", low=_format(low, signed=signed), high=_format(high, signed=signed))


def _format_rate(rate: JudgeScore) -> str:
    if rate.value is None or rate.epsilon is None:
        return NO_VALUE
    epsilon = localize_number(f"{rate.epsilon:g}")
    return f"{_format(rate.value, signed=False)}, ε {epsilon}: {translate(PASSING[rate.passes])}"


def _format_margin(row: JudgeScore) -> str:
    """What the equivalence test says, and whether its margin is post hoc."""
    if row.margin is None:
        return NO_VALUE
    parts = [translate(EQUIVALENCE[row.passes]), localize_number(f"± {row.margin:g}")]
    return ", ".join([*parts, translate("post hoc")] if row.post_hoc else parts)
