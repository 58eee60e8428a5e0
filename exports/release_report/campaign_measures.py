"""How long answers took, what was planned and reached, how sure the labels are, and what other rules would change."""

from __future__ import annotations

from exports.inputs import DataSet
from exports.pages.display_text import NO_VALUE, format_count
from exports.pages.scaffold import TableRow
from exports.pages.svg import draw_bars
from exports.pages.translation import localize_number, mark_text, translate
from exports.release_state import ReleaseState
from exports.report.chapters import Chapter, ChapterTable
from exports.results import DataSetResult
from exports.sensitivity import (
    SettingResult,
    build_setting_rows,
    draw_cut_panels,
    draw_setting_panels,
    list_setting_heads,
)

LIMITS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""The ends of the bars, in seconds; each is twice the one before."""
HOW_TIMES = mark_text(
    "The time from showing an item to its last answer, of answers that count; imported votes without times are left"
    " out. time.csv has the quartiles of each person, and the share of answers under a quarter of the median."
)
HOW_PLAN = mark_text(
    "What was frozen when the project started, before anybody had answered, beside what the answers gave. A half width"
    " is half of a 95 % interval for new people on new items, in points."
)
HOW_CONFIDENCE = mark_text(
    "The share of votes for the most frequent answer is the confidence of a label. The first picture shows how many are"
    " left if only those of at least that confidence are kept, the second how many of these are right where gold is"
    " known, control items among them. `hromada sensitivity` has other methods, and the rules of quality beside them."
)

HOW_SENSITIVITY = mark_text(
    "Each rule is applied afterwards to all answers, those that rules of the campaign left out among them: people need"
    " more than that share of their control items right, an answer must have taken so long. Where the numbers hardly"
    " move, the result does not hang on the rule that was chosen. The lines are intervals for these people on new"
    " items. `hromada sensitivity` tries other rules."
)

PLAN_HEADS = (
    mark_text("Project"), mark_text("Items planned"), mark_text("Items"), mark_text("Answers planned"),
    mark_text("Answers, least–most"), mark_text("Planned"), mark_text("Reached"),
)  # fmt: skip


def build_time_chapter(state: ReleaseState) -> Chapter:
    """A panel of the seconds of each data set that has any."""
    panels = [panel for number, result in enumerate(state.results) if (panel := _draw_times(result, number))]
    return Chapter(
        id="times", title=translate("How long an answer took"), how=translate(HOW_TIMES), panels=tuple(panels)
    )


def _draw_times(result: DataSetResult, number: int) -> str:
    counted = result.data.list_counted_answers()
    seconds = counted["seconds"].dropna().astype(float)
    if seconds.empty:
        return ""
    bars, before = [], 0.0
    for limit in (*LIMITS, float("inf")):
        count = int(((seconds >= before) & (seconds < limit)).sum())
        name = (
            translate("under {seconds} s", seconds=f"{limit:g}")
            if not before
            else translate("{seconds} s or more", seconds=f"{before:g}")
            if limit > LIMITS[-1]
            else translate("{low}–{high} s", low=f"{before:g}", high=f"{limit:g}")
        )
        bars.append((name, count, localize_number(f"{count} ({100 * count / len(seconds):.0f} %)")))
        before = limit
    while bars and not bars[-1][1]:
        bars.pop()
    return draw_bars(
        bars,
        title=result.data.name,
        subtitle=translate(
            "median {median} s, {answers}",
            median=localize_number(f"{seconds.median():.1f}"),
            answers=format_count(len(seconds), "answer"),
        ),
        prefix=f"times-{number}",
        simulated=result.data.simulated,
    )


def build_plan_chapter(state: ReleaseState) -> Chapter:
    """A table with a row for each project that had a plan."""
    rows = []
    for project in state.facts.projects:
        results = state.list_results(project)
        if project.plan is None or not results:
            continue
        score = None if results[0].performance is None else results[0].performance["individual"].primary
        low, high = (None, None) if score is None else (score.ci_low, score.ci_high)
        rows.append(
            TableRow(
                head=project.name,
                cells=(
                    str(project.plan.n_items),
                    str(len(results[0].data.items)),
                    str(project.plan.overlap),
                    _describe_places(results[0]),
                    NO_VALUE
                    if project.plan.half_width is None
                    else localize_number(f"± {100 * project.plan.half_width:.1f}"),
                    NO_VALUE if low is None or high is None else localize_number(f"± {50 * (high - low):.1f}"),
                ),
            )
        )
    heads = tuple(map(translate, PLAN_HEADS))
    tables = (ChapterTable(translate("What was planned, and what was reached"), heads, tuple(rows)),) if rows else ()
    return Chapter(id="plan", title=translate("Planned and reached"), how=translate(HOW_PLAN), tables=tables)


def _describe_places(result: DataSetResult) -> str:
    data = result.data
    counted = data.responses.loc[data.exclusion_kinds().isna(), "item_id"]
    per_item = counted.value_counts().reindex(data.items["item_id"], fill_value=0)
    return f"{per_item.min()}–{per_item.max()}" if len(per_item) else NO_VALUE


def build_confidence_chapter(state: ReleaseState) -> Chapter:
    """Two panels of each data set of labels that has votes."""
    panels = [
        panel
        for number, result in enumerate(state.results)
        if result.data.name in state.confidence_cuts
        for panel in draw_cut_panels(result.data, state.confidence_cuts[result.data.name], prefix=f"cut-{number}-")
    ]
    return Chapter(
        id="confidence",
        title=translate("Confidence of the labels"),
        how=translate(HOW_CONFIDENCE),
        panels=tuple(panels),
    )


def build_sensitivity_chapter(state: ReleaseState) -> Chapter:
    """Panels and a table of each data set with control items or times; empty where no rule could change anything."""
    panels: list[str] = []
    tables = []
    for number, (data, results) in enumerate(state.rule_settings):
        panels += draw_setting_panels(data, results, prefix=f"rules-{number}-")
        tables.append(_build_setting_table(data, results))
    return Chapter(
        id="sensitivity",
        title=translate("Sensitivity to the rules of quality"),
        how=translate(HOW_SENSITIVITY),
        panels=tuple(panels),
        tables=tuple(tables),
    )


def _build_setting_table(data: DataSet, results: tuple[SettingResult, ...]) -> ChapterTable:
    caption = translate("{name}: under other rules", name=data.name)
    return ChapterTable(caption, list_setting_heads(results), build_setting_rows(results))
