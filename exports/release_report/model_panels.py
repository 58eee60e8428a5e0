"""Models beside people: by how many points people are better, with paired intervals."""

from __future__ import annotations

import math

from aggregation.model_rows import ALL, ModelDifference
from exports.model_comparison import ComparedModels
from exports.pages.axis import AxisScale, draw_axis
from exports.pages.display_text import NO_VALUE, format_percent, format_points, shorten_text
from exports.pages.reasons import translate_reason
from exports.pages.scaffold import TableRow
from exports.pages.svg import PANEL_WIDTH, SvgDrawing, draw_heading, format_stamp
from exports.pages.translation import localize_number, mark_text, translate
from exports.release_state import ReleaseState
from exports.report.chapters import Chapter, ChapterTable

TOP, STEP = 58, 38
HOW = mark_text(
    "People's score less the model's, on the items that both answered, by the same scorer: right of the line people"
    " are better. The lines are paired 95 % intervals for new people on new items; p is Holm's over the models. The"
    " files in models/ have both units, every metric, the intervals for this panel, and McNemar's test of the majority."
)
UNITS = {"individual": mark_text("single answers"), "majority": mark_text("the majority")}


def build_model_chapter(state: ReleaseState) -> Chapter:
    """A panel and a table of each data set that is compared with models."""
    panels, tables = [], []
    for number, compared in enumerate(state.comparisons.values()):
        rows = [
            row
            for row in compared.comparison.differences
            if row.kind == ALL and row.metric == compared.comparison.primary and row.difference is not None
        ]
        if rows:
            panels.append(_draw_panel(compared, [row for row in rows if row.unit == "individual"] or rows, number))
            tables.append(
                ChapterTable(
                    translate("{name}: people less the model, in points", name=compared.data.name),
                    (
                        translate("Model and unit of people"),
                        translate("Model"),
                        translate("Difference"),
                        translate("Fresh panel"),
                        translate("p (Holm)"),
                    ),
                    tuple(map(_build_row, rows)),
                )
            )
    return Chapter(
        id="models",
        title=translate("Models beside people"),
        how=translate(HOW),
        panels=tuple(panels),
        tables=tuple(tables),
    )


def _draw_panel(compared: ComparedModels, rows: list[ModelDifference], number: int) -> str:
    bottom = TOP + STEP * len(rows)
    drawing = SvgDrawing(width=PANEL_WIDTH, height=bottom + 24)
    data = compared.data
    draw_heading(
        drawing,
        shorten_text(data.name, max_length=30),
        translate("single answers less the model, points"),
        simulated=data.simulated,
    )
    ends = [value for row in rows for value in (row.ci_low, row.ci_high, row.difference) if value is not None]
    reach = 10 * math.ceil(10 * max(0.1, *(abs(value) for value in ends)))  # in points
    scale = AxisScale(left=22, right=PANEL_WIDTH - 22, low=-reach, high=reach)
    ticks = [reach * part for part in (-1, -0.5, 0, 0.5, 1)]
    draw_axis(drawing, scale, ticks=ticks, top=TOP, bottom=bottom, percents=False)
    drawing.line(start=(scale.x(0), TOP - 4), end=(scale.x(0), bottom), colour="second", width=1.3)
    for place, row in enumerate(rows):
        y = TOP + STEP * place + 17
        drawing.text(shorten_text(row.model, max_length=34), at=(0, y))
        drawing.text(format_points(row.difference), at=(PANEL_WIDTH, y), anchor="right", colour="muted")
        if row.ci_low is not None and row.ci_high is not None:
            start, end = (scale.x(100 * row.ci_low), y + 11), (scale.x(100 * row.ci_high), y + 11)
            drawing.line(start=start, end=end, colour="accent", width=1.6)
        drawing.dot(at=(scale.x(100 * (row.difference or 0.0)), y + 11), colour="accent")
    content = "; ".join(f"{row.model} {format_points(row.difference)}" for row in rows)
    label = translate("{name}, people less models: {differences}.", name=data.name, differences=content)
    return drawing.to_svg(prefix=f"models-{number}", label=format_stamp(simulated=data.simulated) + label)


def _build_row(row: ModelDifference) -> TableRow:
    interval = (
        NO_VALUE
        if row.ci_low is None or row.ci_high is None
        else translate("{low} to {high}", low=format_points(row.ci_low), high=format_points(row.ci_high))
    )
    return TableRow(
        head=f"{row.model}, {_name_unit(row)}",
        cells=(
            format_percent(row.value),
            format_points(row.difference),
            interval,
            NO_VALUE if row.p_holm is None else _format_p(row.p_holm),
        ),
        remark=" ".join(filter(None, [translate_reason(row.reason), _describe_ties(row)])),
    )


def _name_unit(row: ModelDifference) -> str:
    if row.unit == "individual" or row.fewest_votes is None:
        return translate(UNITS[row.unit])
    return translate("the majority of {n}", n=row.unit_title.removeprefix("majority of "))


def _describe_ties(row: ModelDifference) -> str:
    """The difference if every tie counts as wrong; empty without a tie."""
    if not row.n_ties:
        return ""
    return translate("With ties wrong: {values}.", values=format_points(row.difference_ties_wrong))


def _format_p(p: float) -> str:
    return localize_number("< 0.001" if p < 0.001 else f"{p:.3f}")
