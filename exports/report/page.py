"""The report page: a section of tables for each data set, made of a release, and the plots over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from aggregation.agreement.table import Coefficient
from aggregation.agreement.two_populations import describe_coverage
from aggregation.findings import Finding, get_code, split_findings
from aggregation.judges.records import JudgeResult
from aggregation.scores.performance import Performance, Unit
from exports.adjudicated_gold import describe_ceiling
from exports.gold_tables import get_positions_mark
from exports.inputs import DataSet
from exports.pages.display_text import (
    COEFFICIENT_MEANINGS,
    COEFFICIENT_NAMES,
    METRIC_NAMES,
    NO_ANSWERS,
    NO_COMPARISON,
    NO_VALUE,
    UNIT_NAMES,
    capitalize_first,
    format_coefficient,
    format_coefficient_interval,
    format_count,
    format_percent,
    format_percent_interval,
    get_unit_name,
)
from exports.pages.localization import list_findings, localize_number, show_finding, translate
from exports.pages.scaffold import (
    DataSetSection,
    TableRow,
    build_pages,
    get_section_fields,
    list_excluded,
    render_page,
)
from exports.report.headlines import list_cautions, list_headlines
from exports.report.judges import JudgesPart, build_judges_part
from exports.report.methods import describe_methods
from exports.report.opinions import OpinionsPart, build_opinions
from exports.report.panel_rows import build_panel_difference_rows, build_panel_rows
from exports.report.plots import draw_agreement_panels, draw_score_panels
from exports.report.preferences import build_preference_part
from exports.report.rows import (
    ConfusionTable,
    build_class_rows,
    build_confusion_tables,
    build_metric_rows,
    build_order_rows,
    build_other_metric_rows,
    build_trivial_rows,
    build_variant_rows,
    draw_order_panels,
    list_best_people,
)
from exports.results import NO_VOTES, UNITS, DataSetResult
from exports.tables import Release


class ChapterTable(NamedTuple):
    """A table of a chapter: its caption, its heads, and its rows."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]


class VerbatimText(NamedTuple):
    """A text as people read it: its heading, its language, and its words."""

    heading: str
    language: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A chapter: `id` is unique on the page, `how` says how its numbers were made, `panels` are SVG elements."""

    id: str
    title: str
    how: str
    panels: tuple[str, ...] = ()
    tables: tuple[ChapterTable, ...] = ()
    texts: tuple[VerbatimText, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.panels or self.tables or self.texts)


class CheckedRow(NamedTuple):
    """A line of the release checklist: its id, what must be stated, status, level, and evidence."""

    id: str
    must_state: str
    status: str
    level: str
    evidence: str


@dataclass(frozen=True, kw_only=True)
class ReleaseMarks:
    """The stamp (SIMULATED, SECONDARY, DRAFT, or empty), the status of the gate, its lines, warnings, and chapters."""

    stamp: str = ""
    status: str = ""
    lines: tuple[CheckedRow, ...] = ()
    warnings: tuple[str, ...] = ()
    chapters: tuple[Chapter, ...] = ()

    @property
    def is_draft(self) -> bool:
        """Whether the release is a draft, which no gate has passed."""
        return "DRAFT" in self.stamp

    @property
    def is_secondary(self) -> bool:
        """Whether some lines are not evidenced, because people worked elsewhere."""
        return "SECONDARY" in self.stamp

    @property
    def rows(self) -> tuple[TableRow, ...]:
        """The rows of the table of the gate."""
        return tuple(
            TableRow(
                head=line.id,
                cells=(translate(line.status), translate(line.level)),
                remark=f"{line.must_state}. {line.evidence}",
            )
            for line in self.lines
        )


@dataclass(frozen=True, kw_only=True)
class ReportSection(DataSetSection):
    """One data set in the report: its rows in each table, and the sentences about its methods.

    `opinions`, `preferences` and `judges` are what was found of points, of compared texts and of model judges, each
    shown by a template of its name right after the headlines; None if there is nothing of the kind.
    """

    counts: tuple[str, ...]
    excluded: str
    guessing: str
    baselines: tuple[TableRow, ...]
    metrics: tuple[TableRow, ...]
    other_metrics: tuple[TableRow, ...]
    variants: tuple[TableRow, ...]
    panels: tuple[TableRow, ...]
    panel_differences: tuple[TableRow, ...]
    order: tuple[TableRow, ...]
    trivial: tuple[TableRow, ...]
    classes: tuple[TableRow, ...]
    confusions: tuple[ConfusionTable, ...]
    agreement: tuple[TableRow, ...]
    annotators: tuple[TableRow, ...]
    methods: tuple[str, ...]
    opinions: OpinionsPart | None = None
    preferences: object | None = None
    judges: JudgesPart | None = None


def _name_report(results: Sequence[DataSetResult]) -> str:
    """The title of a report that has none of its own: baselines are named where anybody is scored."""
    if any(result.performance is not None for result in results):
        return translate("People’s answers: agreement and human baselines")
    return translate("People’s answers: agreement")


def render_report(
    release: Release,
    *,
    title: str = "",
    marks: ReleaseMarks | None = None,
    judges: Mapping[str, Sequence[JudgeResult]] = MappingProxyType({}),
) -> str:
    """Render the report of a release as one HTML document that needs nothing from outside.

    Where any data set is simulated the page and its plots say SIMULATED. `marks` add the gate and stamp of a release.
    There is a title where none is given; `judges` are what was measured of models, by data set.
    """
    results, options = release.results, release.options
    measured = {row.name for result in results if result.agreement is not None for row in result.agreement.rows}
    return render_page(
        "report.html.j2",
        package="exports.report",
        name="report",
        title=title or _name_report(results),
        marks=marks,
        sections=[_build_section(result, judges=judges.get(result.data.name, ())) for result in results],
        confidence_level=options.confidence_level,
        score_panels=draw_score_panels(results, confidence_level=options.confidence_level),
        agreement_panels=draw_agreement_panels(results, confidence_level=options.confidence_level),
        ceilings=[
            (result.data.name, show_finding(describe_ceiling(result.ceiling))) for result in results if result.ceiling
        ],
        order_panels=draw_order_panels(results, confidence_level=options.confidence_level),
        best=list_best_people(results),
        without_scores=[
            (result.data.name, show_finding(result.no_performance)) for result in results if result.performance is None
        ],
        agreement_covered=show_finding(describe_coverage()),
        overconfidence=show_finding(Finding("overconfident")) if any(_has_posterior(one) for one in results) else "",
        options=options,
        metrics=[translate(name) for name in METRIC_NAMES.values()],
        meanings=[
            (translate(COEFFICIENT_NAMES[name]), translate(COEFFICIENT_MEANINGS[name]))
            for name in COEFFICIENT_NAMES
            if name in measured
        ],
    )


def _has_posterior(result: DataSetResult) -> bool:
    """Whether the sentences about a data set name its mean posterior."""
    return result.iaa is not None and result.iaa.value is not None


def build_report_pages(release: Release) -> dict[str, str]:
    """The report in every language: file name → page."""
    return build_pages("report", lambda: render_report(release))


def _build_section(result: DataSetResult, *, judges: Sequence[JudgeResult]) -> ReportSection:
    return ReportSection(
        **get_section_fields(result.data),
        headlines=list_headlines(result),
        no_headlines=translate(NO_COMPARISON if len(result.votes.frame) else NO_ANSWERS),
        cautions=list_cautions(result),
        counts=_list_counts(result),
        excluded=list_excluded(result.data),
        guessing=_describe_guessing(result.performance),
        baselines=_build_baseline_rows(result),
        metrics=build_metric_rows(result),
        other_metrics=build_other_metric_rows(result),
        variants=build_variant_rows(result),
        panels=build_panel_rows(result),
        panel_differences=build_panel_difference_rows(result),
        order=build_order_rows(result),
        trivial=build_trivial_rows(result),
        classes=build_class_rows(result),
        confusions=build_confusion_tables(result),
        agreement=_build_agreement_rows(result),
        annotators=_build_annotator_rows(result.performance),
        methods=describe_methods(result),
        opinions=build_opinions(result),
        preferences=build_preference_part(result),
        judges=build_judges_part(result.data, judges),
    )


def _list_counts(result: DataSetResult) -> tuple[str, ...]:
    """The cells of the table "Counts by data set", in the order of its columns."""
    data, votes = result.data, result.votes.frame
    counts = (
        len(data.items), votes["item"].nunique(), int(data.items["gold"].notna().sum()), votes["annotator"].nunique(),
        len(votes), len(data.list_excluded_responses()),
    )  # fmt: skip
    planned = show_finding(data.planned_words) or NO_VALUE
    return (*(str(count) for count in counts), planned, _format_answers_per_item(result))


def _format_answers_per_item(result: DataSetResult) -> str:
    """The least, median and largest number of answers of an item: 3, or 3–5 (median 3)."""
    sizes = result.votes.frame["item"].value_counts()
    if sizes.empty or sizes.min() == sizes.max():
        return NO_VALUE if sizes.empty else str(sizes.min())
    return translate(
        "{least}–{most} (median {median})",
        least=sizes.min(),
        most=sizes.max(),
        median=localize_number(f"{sizes.median():g}"),
    )


def _build_baseline_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """The units that have a score, then those that have none, with the reason."""
    scores = result.reported
    if scores is None and (result.scale is not None or result.preference is not None) and not _has_gold(result):
        return ()  # what people think or prefer is what was found
    if scores is None:
        return (TableRow(head=translate("Not scored"), cells=("",) * 5, notes=(show_finding(result.no_performance),)),)
    missing, on_card = result.missing_units, list_cautions(result)
    units = (*scores.units, *scores.fresh_majorities)
    rows = [_build_unit_row(unit, data=result.data, on_card=on_card) for unit in units]
    rows += [
        TableRow(head=translate(UNIT_NAMES[unit]), cells=(NO_VALUE,) * 5, notes=(show_finding(missing[unit]),))
        for unit in UNITS
        if unit in missing
    ]
    return tuple(rows)


def _has_gold(result: DataSetResult) -> bool:
    return bool(result.data.items["gold"].notna().any())


def _build_unit_row(unit: Unit, *, data: DataSet, on_card: tuple[str, ...]) -> TableRow:
    """The row of a unit; what the card of its data set warns of is not said again."""
    noun = "answer" if unit.unit == "individual" else "item"
    n_right = unit.total - (unit.wrong or 0) - (unit.n_ties or 0)
    return TableRow(
        head=get_unit_name(unit),
        cells=(
            format_percent(unit.primary.value),
            format_percent_interval(unit.primary.ci_low, unit.primary.ci_high),
            format_percent_interval(unit.primary.item_only_low, unit.primary.item_only_high),
            NO_VALUE if unit.wrong is None else _format_part(n_right, format_count(unit.total, noun)),
            NO_VALUE if unit.unit == "individual" else _format_ties(unit),
        ),
        notes=(
            _describe_subsets(unit),
            _describe_interval(unit, data),
            *(note for note in list_findings(*_list_warnings(unit)) if note not in on_card),
            *list_findings(*_list_reasons(unit)),
            _describe_people(unit),
        ),
    )


def _describe_subsets(unit: Unit) -> str:
    """What a majority of k fresh people averages over; empty for other units."""
    k = unit.unit.removeprefix("majority of ")
    if k == unit.unit:
        return ""
    return translate("Mean over all choices of {k} of these {n} people.", k=k, n=unit.n_annotators)


def _format_ties(unit: Unit) -> str:
    """How many items tie, and the score if each of them counts as wrong; a majority of k people ties in some draws."""
    if unit.primary.value_ties_wrong is None:
        return str(unit.n_ties or 0)
    n_ties = translate("in some draws") if unit.n_ties is None else unit.n_ties
    return translate(
        "{n}; {value} if every tie counts as wrong", n=n_ties, value=format_percent(unit.primary.value_ties_wrong)
    )


def _format_part(part: int, whole: object) -> str:
    return translate("{part} of {whole}", part=part, whole=whole)


def _list_warnings(unit: Unit) -> list[str]:
    """What makes a score doubtful; that people are few is the reason already if it has no interval for new ones."""
    is_told = unit.primary.ci_low is None
    return [text for text in unit.warnings if not (is_told and get_code(text) in ("few-people", "one-person"))]


def _list_reasons(unit: Unit) -> list[str]:
    """Why a score lacks an interval, or how it was made otherwise, without what its method says already."""
    return [reason for reason in split_findings(unit.primary.reason) if get_code(reason) != "is-of-share"]


def _describe_interval(unit: Unit, data: DataSet) -> str:
    """How the interval was made, with the mark of classes that are positions; empty where there is none."""
    method = unit.primary.ci_method
    return (
        capitalize_first(show_finding(method) + show_finding(get_positions_mark(data))) + "."
        if method != "none"
        else ""
    )


def _describe_people(unit: Unit) -> str:
    """The quartiles of annotators' own scores, and their extremes, if any; empty for a unit that has none."""
    quartiles = [share for share in (unit.ann_q1, unit.ann_median, unit.ann_q3) if share is not None]
    if not quartiles:
        return ""
    values = localize_number(f"{', '.join(f'{100 * share:.1f}' for share in quartiles)} %")
    sentence = translate("Quartiles of annotators’ own scores: {values}.", values=values)
    if unit.ann_min is None:
        return sentence
    ends = format_percent_interval(unit.ann_min, unit.ann_max)
    extremes = translate("Lowest–highest with 20 answers or more: {ends}.", ends=ends)
    return f"{sentence} {extremes}"


def _describe_guessing(scores: Performance | None) -> str:
    """What guessing scores on the items that are scored, and as it is published; empty if nothing is chosen."""
    if scores is None or scores.random_exact is None:
        return ""
    return translate(
        "random: {exact}; as published, 1 / mean number of options: {random}",
        exact=format_percent(scores.random_exact),
        random=format_percent(scores.random),
    )


def _build_agreement_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    if result.agreement is None:
        return (TableRow(head=translate("Not measured"), cells=("",) * 7, notes=list_findings(NO_VOTES)),)
    return tuple(
        TableRow(
            head=translate(COEFFICIENT_NAMES[row.name]) + _describe_row_basis(row, result.data),
            cells=(
                translate(row.level),
                format_coefficient(row.name, row.value),
                format_coefficient_interval(row.name, row.new_people_low, row.new_people_high),
                format_coefficient_interval(row.name, row.low, row.high),
                str(row.n_items),
                str(row.n_votes),
                str(row.n_annotators),
            ),
            notes=list_findings(*row.explanations),
        )
        for row in result.agreement.rows
        if not row.of or row.value is not None or row.reason != result.agreement.rows[0].reason
    )


def _describe_row_basis(row: Coefficient, data: DataSet) -> str:
    """What a coefficient is of, in brackets: its box, classes that are positions, all votes pooled; else empty."""
    places = translate("columns") if data.answer_type.compares_texts else translate("positions")
    parts = [row.of] if row.of else []
    parts += [places] if row.positions else []
    parts += [translate("all answers pooled")] if row.basis == "pooled" else []
    parts += [translate("overlap sample")] if row.basis == "sample" else []
    return f" ({', '.join(parts)})" if parts else ""


def _build_annotator_rows(scores: Performance | None) -> tuple[TableRow, ...]:
    if scores is None:
        return ()
    counts = scores.annotators[["n", "right"]].to_numpy(dtype=int)
    shares = scores.annotators[["accuracy", "independent_low", "independent_high"]].to_numpy(dtype=float)
    return tuple(
        TableRow(
            head=str(name),
            cells=(_format_part(right, n), format_percent(value), format_percent_interval(low, high)),
        )
        for name, (n, right), (value, low, high) in zip(scores.annotators.index, counts, shares, strict=True)
    )
