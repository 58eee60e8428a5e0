"""How long answers took, what was planned and reached, how sure the labels are, and what other rules would change."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from aggregation.comparison.model_differences import ALL, ModelDifference
from exports.facts import ProjectFacts
from exports.inputs import DataSet
from exports.model_comparison import ComparedModels
from exports.pages.display_text import NO_VALUE, format_count, format_level, format_percent, format_points, shorten_text
from exports.pages.localization import localize_number, mark_text, show_finding, translate
from exports.pages.scaffold import TableRow
from exports.pages.svg import PANEL_WIDTH, AxisScale, SvgDrawing, draw_axis, draw_bars, draw_heading, format_stamp
from exports.release_state import ReleaseState
from exports.report.page import Chapter, ChapterTable, VerbatimText
from exports.results import DataSetResult
from exports.sensitivity import SettingResult
from exports.sensitivity.page import build_setting_rows, draw_cut_panels, draw_setting_panels, list_setting_heads

LIMITS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""The ends of the bars, in seconds; each is twice the one before."""
HOW_TIMES = mark_text(
    "The time from showing an item to its last answer, of answers that count; imported votes without times are left"
    " out. time.csv has the quartiles of each person, and the share of answers under a quarter of the median."
)
HOW_PLAN = mark_text(
    "What was frozen when the project started, before anybody had answered, beside what the answers gave. A half-width"
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
    panels = [panel for result in state.results if (panel := _draw_times(result))]
    return Chapter(id="times", title=translate("Time per answer"), how=translate(HOW_TIMES), panels=tuple(panels))


def _draw_times(result: DataSetResult) -> str:
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
                    show_finding(results[0].data.planned_words) or str(project.plan.overlap),
                    _describe_places(results[0]),
                    NO_VALUE
                    if project.plan.half_width is None
                    else localize_number(f"± {100 * project.plan.half_width:.1f}"),
                    NO_VALUE if low is None or high is None else localize_number(f"± {50 * (high - low):.1f}"),
                ),
            )
        )
    heads = tuple(map(translate, PLAN_HEADS))
    tables = (ChapterTable(translate("Planned and achieved precision"), heads, tuple(rows)),) if rows else ()
    return Chapter(id="plan", title=translate("Planned and reached"), how=translate(HOW_PLAN), tables=tables)


def _describe_places(result: DataSetResult) -> str:
    per_item = result.data.count_places()
    return f"{per_item.min()}–{per_item.max()}" if len(per_item) else NO_VALUE


def build_confidence_chapter(state: ReleaseState) -> Chapter:
    """Two panels of each data set of labels that has votes."""
    panels = [
        panel
        for result in state.results
        if result.data.name in state.confidence_cuts
        for panel in draw_cut_panels(result.data, state.confidence_cuts[result.data.name])
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
    for data, results in state.rule_settings:
        panels += draw_setting_panels(data, results)
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


HOW_COUNTED = mark_text(
    "From every answer that was given, those that do not count are taken away, kind by kind; on what is left every"
    " number here rests. exclusions.csv has the reasons in words, human_responses.csv each answer. The second picture"
    " counts people: who was invited, agreed, began, finished, and gave an answer that counts."
)
HOW_TEXTS = mark_text(
    "The texts as people read them, each version with the number of people who worked under it or agreed to it. Each"
    " answer in human_responses.csv names its version by the hash; texts/ has the same as files."
)
NAMES = {
    "instructions": mark_text("Instructions"),
    "consent": mark_text("Consent"),
    "content_warning": mark_text("Content warning"),
}


def build_flow_chapter(state: ReleaseState) -> Chapter:
    """A panel of the answers of each data set, and one of the people of each project that asked people here."""
    panels = [_draw_flow(result) for result in state.results if len(result.data.responses)]
    for project in state.facts.projects:
        steps = list(_list_steps(project, state))
        if steps:
            panels.append(
                draw_bars(
                    [(name, count, str(count)) for name, count in steps],
                    title=project.name,
                    subtitle=translate("people, from the invitation to the end"),
                    simulated=state.simulated,
                )
            )
    return Chapter(
        id="flow",
        title=translate("From all answers to those that count"),
        how=translate(HOW_COUNTED),
        panels=tuple(panels),
    )


def _draw_flow(result: DataSetResult) -> str:
    data = result.data
    kinds = Counter(str(kind) for kind in data.exclusion_kinds().dropna())
    bars = [(translate("all answers"), len(data.responses), str(len(data.responses)))]
    bars += [
        (translate("less: {kind}", kind=translate(kind)), count, f"−{count}") for kind, count in sorted(kinds.items())
    ]
    skips, counted = len(data.list_counted_skips()), len(data.list_counted_answers())
    bars += [(translate("skips that count as wrong"), skips, str(skips))] if skips else []
    bars.append((translate("answers that count"), counted, str(counted)))
    return draw_bars(
        bars,
        title=data.name,
        subtitle=translate("answers, by kind of exclusion"),
        simulated=data.simulated,
    )


def _list_steps(project: ProjectFacts, state: ReleaseState) -> Iterator[tuple[str, int]]:
    """The steps that are counted; none of imported votes."""
    if project.imported or project.started is None:
        return
    steps = (
        (translate("invited"), project.invited),
        (translate("invited by friends"), project.invited_by_friends),
        (translate("consented"), project.consented),
        (translate("started"), project.started),
        (translate("finished"), project.finished),
    )
    for name, count in steps:
        if count is not None:
            yield name, count
    counted = [result.data.list_counted_answers()["annotator"] for result in state.list_results(project)]
    yield translate("gave an answer that counts"), len({person for column in counted for person in column})


def build_text_chapter(state: ReleaseState) -> Chapter:
    """Every version of the texts, equal ones of several projects once."""
    projects: dict[tuple[str, str], list[str]] = {}
    headings: dict[tuple[str, str], VerbatimText] = {}
    for project in state.facts.projects:
        for text in project.texts:
            if not text.text:
                continue
            key = (text.kind, text.sha256)
            projects.setdefault(key, []).append(project.name)
            version = translate(", version {version}", version=text.version) if text.version else ""
            people = f", {format_count(text.n_people, 'person')}" if text.n_people else ""
            name = translate(NAMES[text.kind]) if text.kind in NAMES else text.kind
            heading = f"{name}{version} ({text.sha256[:12]}{people})"
            headings.setdefault(key, VerbatimText(heading, project.language, text.text))
    texts = tuple(
        own if len(state.facts.projects) == 1 else own._replace(heading=f"{own.heading}: {', '.join(projects[key])}")
        for key, own in headings.items()
    )
    return Chapter(id="texts", title=translate("Texts shown to annotators"), how=translate(HOW_TEXTS), texts=texts)


TOP, STEP = 58, 38
HOW_COMPARED = mark_text(
    "People's score less the model's, on the items that both answered, by the same scorer: right of the line people"
    " are better. The lines are paired 95 % intervals for new people on new items; p is Holm's over the models. The"
    " files in models/ have both units, every metric, the intervals for these people and new items, and McNemar's test"
    " of the majority."
)
UNITS = {"individual": mark_text("single answers"), "majority": mark_text("the majority")}


def build_model_chapter(state: ReleaseState) -> Chapter:
    """A panel and a table of each data set that is compared with models."""
    panels, tables = [], []
    for compared in state.comparisons.values():
        rows = [
            row
            for row in compared.comparison.differences
            if row.kind == ALL and row.metric == compared.comparison.primary and row.difference is not None
        ]
        level = format_level(compared.comparison.confidence_level)
        if rows:
            panels.append(_draw_panel(compared, [row for row in rows if row.unit == "individual"] or rows))
            tables.append(
                ChapterTable(
                    translate("{name}: people less the model, in points", name=compared.data.name),
                    (
                        translate("Model and unit of people"),
                        translate("Model"),
                        translate("Difference"),
                        translate("{level}, new people and new items", level=level),
                        translate("p (Holm)"),
                    ),
                    tuple(map(_build_row, rows)),
                )
            )
    return Chapter(
        id="models",
        title=translate("Models beside people"),
        how=translate(HOW_COMPARED),
        panels=tuple(panels),
        tables=tuple(tables),
    )


def _draw_panel(compared: ComparedModels, rows: list[ModelDifference]) -> str:
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
    return drawing.to_svg(label=format_stamp(simulated=data.simulated) + label)


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
        notes=(show_finding(row.reason), _describe_ties(row)),
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
