"""sensitivity.html: scores under each setting of the quality rules, and what each cut of confidence leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from exports.inputs import DataSet
from exports.pages.display_text import (
    COEFFICIENT_NAMES,
    format_coefficient,
    format_count,
    format_percent,
    format_percent_interval,
)
from exports.pages.localization import localize_number, mark_text, show_finding, translate
from exports.pages.scaffold import DataSetSection, Headline, TableRow, get_section_fields, render_page
from exports.pages.svg import PANEL_WIDTH, AxisScale, SvgDrawing, draw_axis, draw_heading, format_stamp
from exports.sensitivity.rule_grid import CutResult, SettingResult

ROW_STEP, TOP = 34, 56
CONFIDENCE_LEVEL = 0.95
SCORES = ((mark_text("Single answers"), "single"), (mark_text("Majority"), "majority"))
"""The scores of a setting: the name on the page, and the field."""
OVER_SETTINGS = mark_text("as collected; the range is over the rules below and no interval")


class PlottedRow(NamedTuple):
    """A row of a panel: its name, a share with its interval, and how many are left as text."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    note: str


@dataclass(frozen=True, kw_only=True)
class SensitivitySection(DataSetSection):
    """The data set: `panels` are SVGs, `settings` and `cuts` the rows of the tables, whose heads stand before them."""

    panels: tuple[str, ...]
    setting_heads: tuple[str, ...]
    settings: tuple[TableRow, ...]
    cuts: tuple[TableRow, ...]
    cut_heads: tuple[str, ...]


def render_sensitivity(data: DataSet, results: Sequence[SettingResult], cuts: Sequence[CutResult]) -> str:
    """Render the page as one HTML document that needs nothing from outside; simulated data is stamped."""
    section = SensitivitySection(
        **get_section_fields(data),
        headlines=_list_headlines(results),
        panels=(*draw_setting_panels(data, results), *draw_cut_panels(data, cuts)),
        setting_heads=list_setting_heads(results),
        settings=build_setting_rows(results),
        cuts=tuple(_build_cut_row(cut) for cut in cuts),
        cut_heads=(
            translate("Confidence at least"),
            translate("Labels kept"),
            translate("Right where known"),
            translate("{level}, new items", level=_format_level()),
            *(data.counted_classes or ()),
        ),
    )
    return render_page(
        "sensitivity.html.j2",
        package="exports.sensitivity",
        name="sensitivity",
        title=translate("Effect of quality rules and confidence cuts"),
        sections=[section],
        confidence_level=CONFIDENCE_LEVEL,
    )


def _list_headlines(results: Sequence[SettingResult]) -> tuple[Headline, ...]:
    """What the scores and the size of gold are as collected, and between what they vary over the settings."""
    headlines = []
    for title, name in SCORES:
        scores = [None if (score := getattr(result, name)) is None else score.value for result in results]
        shares = [value for value in scores if value is not None]
        if shares:
            note = translate("from {low} to {high}", low=format_percent(min(shares)), high=format_percent(max(shares)))
            headlines.append(Headline(translate(title), format_percent(scores[0]), note, (translate(OVER_SETTINGS),)))
    sizes = [result.n_gold for result in results]
    note = translate("from {low} to {high}", low=min(sizes), high=max(sizes))
    return (*headlines, Headline(translate("Items with a majority"), str(sizes[0]), note))


def draw_setting_panels(data: DataSet, results: Sequence[SettingResult]) -> list[str]:
    """The panels of the scores of single answers and of the majority under each setting, where there is gold."""
    panels = []
    for title, name in SCORES:
        scores = [(result, getattr(result, name)) for result in results]
        rows = [
            PlottedRow(
                show_finding(result.name),
                score.value,
                score.item_only_low,
                score.item_only_high,
                format_count(result.n_answers, "answer"),
            )
            for result, score in scores
            if score is not None
        ]
        if rows:
            panels.append(
                draw_share_panel(
                    data,
                    rows,
                    title=translate(title),
                    subtitle=translate("share right, {level}: these people, new items", level=_format_level()),
                )
            )
    return panels


def draw_cut_panels(data: DataSet, cuts: Sequence[CutResult]) -> list[str]:
    """The panels of what each cut of confidence keeps and, where gold is known, of how many of these are right."""
    kept = [PlottedRow(_name_cut(cut), cut.kept, None, None, _format_part(cut.n_kept, cut.n_items)) for cut in cuts]
    panels = [
        draw_share_panel(
            data,
            kept,
            title=translate("Labels kept"),
            subtitle=translate("by the least confidence"),
        )
    ]
    right = [
        PlottedRow(_name_cut(cut), cut.right, cut.right_low, cut.right_high, _format_part(cut.n_right, cut.n_known))
        for cut in cuts
        if cut.n_known
    ]
    if right:
        title, subtitle = (
            translate("Right labels among them"),
            translate("items of known gold, {level} for new items", level=_format_level()),
        )
        panels.append(draw_share_panel(data, right, title=title, subtitle=subtitle))
    return panels


def draw_share_panel(data: DataSet, rows: Sequence[PlottedRow], *, title: str, subtitle: str) -> str:
    """A dot a row on an axis of shares, which begins where the least of them is."""
    bottom = TOP + ROW_STEP * len(rows)
    drawing = SvgDrawing(width=PANEL_WIDTH, height=bottom + 24)
    draw_heading(drawing, title, subtitle, simulated=data.simulated)
    least = min([value for row in rows for value in (row.value, row.low) if value is not None], default=0.0)
    low = max(0.0, int(10 * least) / 10 - 0.1 * (int(10 * least) == 10))
    scale = AxisScale(left=6, right=PANEL_WIDTH - 14, low=low)
    ticks = [round(low + (1 - low) * number / 4, 3) for number in range(5)]
    draw_axis(drawing, scale, ticks=ticks, top=TOP, bottom=bottom, percents=True)
    for number, row in enumerate(rows):
        y = TOP + ROW_STEP * number + 15
        drawing.text(row.name, at=(scale.left, y))
        drawing.text(f"{format_percent(row.value)} · {row.note}", at=(PANEL_WIDTH, y), anchor="right", colour="muted")
        if row.low is not None and row.high is not None:
            drawing.line(start=(scale.x(row.low), y + 10), end=(scale.x(row.high), y + 10), colour="accent", width=1.6)
        if row.value is not None:
            drawing.dot(at=(scale.x(row.value), y + 10), colour="accent")
    content = "; ".join(f"{row.name}: {format_percent(row.value)}, {row.note}" for row in rows)
    stamp = format_stamp(simulated=data.simulated)
    return drawing.to_svg(label=f"{stamp}{title}, {subtitle}: {content}.")


def list_setting_heads(results: Sequence[SettingResult]) -> tuple[str, ...]:
    """The heads of the table of settings; the last one names the coefficient of agreement, where there is one."""
    fresh = translate("{level}, new people and new items", level=_format_level())
    names = [translate(COEFFICIENT_NAMES[result.agreement_name]) for result in results if result.agreement_name]
    return (
        translate("Setting"),
        translate("Answers"),
        translate("People"),
        translate("Items with a majority"),
        translate("Single answers"),
        fresh,
        translate("Majority"),
        fresh,
        translate("Agreement") + (f", {names[0]}" if names else ""),
    )


def build_setting_rows(results: Sequence[SettingResult]) -> tuple[TableRow, ...]:
    """The rows of the table of settings."""
    return tuple(map(_build_setting_row, results))


def _build_setting_row(result: SettingResult) -> TableRow:
    cells = [str(result.n_answers), str(result.n_people), _format_part(result.n_gold, result.n_items)]
    for score in (result.single, result.majority):
        value = None if score is None else score.value
        cells += [format_percent(value), "" if score is None else format_percent_interval(score.ci_low, score.ci_high)]
    agreement = "–" if result.agreement is None else format_coefficient(result.agreement_name, result.agreement)
    return TableRow(head=show_finding(result.name), cells=(*cells, agreement))


def _format_level() -> str:
    return localize_number(f"{100 * CONFIDENCE_LEVEL:g} %")


def _name_cut(cut: CutResult) -> str:
    return localize_number(f"≥ {cut.cut:g}")


def _format_part(part: float, whole: int) -> str:
    return translate("{part} of {whole}", part=localize_number(f"{part:g}"), whole=whole)


def _build_cut_row(cut: CutResult) -> TableRow:
    return TableRow(
        head=localize_number(f"{cut.cut:g}"),
        cells=(
            f"{cut.n_kept} ({format_percent(cut.kept)})",
            _format_part(cut.n_right, cut.n_known) if cut.n_known else "–",
            format_percent_interval(cut.right_low, cut.right_high) if cut.n_known else "–",
            *(format_percent(share) for share in cut.balance.values()),
        ),
    )
