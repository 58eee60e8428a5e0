"""How long answers took, what was planned beside what was reached, and how sure the labels are."""

from __future__ import annotations

from exports.pages.display_text import NO_VALUE
from exports.pages.scaffold import TableRow
from exports.pages.svg import draw_bars
from exports.release_state import ReleaseState
from exports.report.chapters import Chapter, ChapterTable
from exports.results import DataSetResult
from exports.sensitivity import CUTS, draw_cut_panels, measure_cuts

LIMITS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""The ends of the bars, in seconds; each is twice the one before."""
HOW_TIMES = (
    "The time from showing an item to its last answer, of answers that count; imported votes without times are left"
    " out. time.csv has the quartiles of each person, and the share of answers under a quarter of the median."
)
HOW_PLAN = (
    "What was frozen when the project started, before anybody had answered, beside what the answers gave. A half width"
    " is half of a 95 % interval for new people on new items, in points."
)
HOW_CONFIDENCE = (
    "The share of votes for the most frequent answer is the confidence of a label. The first picture shows how many are"
    " left if only those of at least that confidence are kept, the second how many of these are right where gold is"
    " known, control items among them. `hromada sensitivity` has other methods, and the rules of quality beside them."
)


def build_time_chapter(state: ReleaseState) -> Chapter:
    """A panel of the seconds of each data set that has any."""
    panels = [panel for number, result in enumerate(state.results) if (panel := _draw_times(result, number))]
    return Chapter(id="times", title="How long an answer took", how=HOW_TIMES, panels=tuple(panels))


def _draw_times(result: DataSetResult, number: int) -> str:
    counted = result.data.list_counted_answers()
    seconds = counted["seconds"].dropna().astype(float)
    if seconds.empty:
        return ""
    bars, before = [], 0.0
    for limit in (*LIMITS, float("inf")):
        count = int(((seconds >= before) & (seconds < limit)).sum())
        name = (
            f"under {limit:g} s"
            if not before
            else f"{before:g} s or more"
            if limit > LIMITS[-1]
            else f"{before:g}–{limit:g} s"
        )
        bars.append((name, count, f"{count} ({100 * count / len(seconds):.0f} %)"))
        before = limit
    while bars and not bars[-1][1]:
        bars.pop()
    return draw_bars(
        bars,
        title=result.data.name,
        subtitle=f"median {seconds.median():.1f} s, {len(seconds)} answers",
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
                    NO_VALUE if project.plan.half_width is None else f"± {100 * project.plan.half_width:.1f}",
                    NO_VALUE if low is None or high is None else f"± {50 * (high - low):.1f}",
                ),
            )
        )
    heads = ("Project", "Items planned", "Items", "Answers planned", "Answers, least–most", "Planned", "Reached")
    tables = (ChapterTable("What was planned, and what was reached", heads, tuple(rows)),) if rows else ()
    return Chapter(id="plan", title="Planned and reached", how=HOW_PLAN, tables=tables)


def _describe_places(result: DataSetResult) -> str:
    data = result.data
    counted = data.responses.loc[data.exclusion_kinds().isna(), "item_id"]
    per_item = counted.value_counts().reindex(data.items["item_id"], fill_value=0)
    return f"{per_item.min()}–{per_item.max()}" if len(per_item) else NO_VALUE


def build_confidence_chapter(state: ReleaseState) -> Chapter:
    """Two panels of each data set of labels that has votes."""
    panels = [panel for number, result in enumerate(state.results) for panel in _draw_cuts(result, number)]
    return Chapter(id="confidence", title="Confidence of the labels", how=HOW_CONFIDENCE, panels=tuple(panels))


def _draw_cuts(result: DataSetResult, number: int) -> list[str]:
    if result.data.kind != "label" or result.consensus is None:
        return []
    cuts = measure_cuts(result.data, method="majority", cuts=CUTS)
    return draw_cut_panels(result.data, cuts, prefix=f"cut-{number}-")
