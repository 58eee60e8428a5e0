"""The tables of a paper: human baselines by data set, agreement, people, and models beside people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aggregation.agreement.table import Coefficient
from aggregation.agreement.two_populations import NEW_PEOPLE, THESE_PEOPLE, describe_coverage
from aggregation.comparison.model_differences import ALL, ModelDifference
from aggregation.errors import HromadaError
from aggregation.scores.performance import Unit
from exports.inputs import DataSet
from exports.model_comparison import ComparedModels
from exports.pages.display_text import COEFFICIENT_NAMES, capitalize_first, get_metric_name
from exports.paper.formats import NO_VALUE, Footnotes, PaperTable
from exports.paper.sentences import count_noun
from exports.release_state import ReleaseState
from exports.results import DataSetResult
from exports.task_means import ProgrammeScores, score_tasks

RESULT_HEADS = (
    "Data set", "Items", "People", "Answers", "Random", "Single answers", "New people", "These people", "Majority",
    "Ceiling",
)  # fmt: skip
AGREEMENT_HEADS = (
    "Data set", "Coefficient", "Value", capitalize_first(THESE_PEOPLE), capitalize_first(NEW_PEOPLE), "Items", "People",
)  # fmt: skip
PEOPLE_HEADS = ("Data set", "People", "Answers each", "Qualified", "Excluded", "Seconds per item")
MODEL_HEADS = (
    "Model", "Unit of people", "Metric", "Model’s score", "People less model", "New people", "p (Holm)", "Above",
)  # fmt: skip
AGREEMENT_ROWS = ("gwet_ac1", "percent_agreement", "exact_sets")
AGREEMENT_ROWS_OF_SCALES = ("gwet_ac2_linear", "gwet_ac2_quadratic", "percent_agreement")
"""What the table of agreement has beside the headline coefficient."""
MEAN = "Mean over tasks"
UNPAIRED = "A published score: which items it has right is not known, so nothing is paired."
LEAST_P = 0.001
"""Smaller ones are written as <0.001."""


def build_tables(state: ReleaseState, *, stamp: str = "") -> tuple[PaperTable, ...]:
    """Build the tables of a release; that of models where results of models were given."""
    mark = f"{stamp}. " if stamp else ""
    tables = [_build_results(state, mark), _build_agreement(state, mark), _build_people(state, mark)]
    is_compared = any(compared.comparison.differences for compared in state.comparisons.values())
    return (*tables, *([_build_models(state, mark)] if is_compared else []))


def _build_results(state: ReleaseState, mark: str) -> PaperTable:
    notes = Footnotes()
    rows = [_describe_result(result, notes) for result in state.results]
    return PaperTable(
        name="results",
        of=state.facts.name,
        caption=f"{mark}Human baselines of {state.facts.name}: the share of right single answers in percent, with 95 %"
        " intervals for new people and new items and for these people and new items, and the"
        " share of items that the majority has right; each of m tied answers counts 1/m, a skip is wrong.",
        heads=RESULT_HEADS,
        titles=("{0} (items: {1}, people: {2}, answers: {3})",),
        rows=(*rows, *_describe_mean(state, notes)),
        notes=notes.notes,
    )


def _describe_result(result: DataSetResult, notes: Footnotes) -> tuple[str, ...]:
    data, scores = result.data, result.performance
    counted = data.list_counted_answers()
    counts = (str(len(data.items)), str(counted["annotator"].nunique()), str(len(counted)))
    if scores is None:
        gap = notes.explain(NO_VALUE, result.no_performance)
        return (data.name, *counts, NO_VALUE, gap, *[NO_VALUE] * 4)
    unit, majority = scores["individual"], result.majority
    score = unit.primary
    metric = "" if score.metric == "accuracy" else f", {get_metric_name(score.metric, data)}"
    review = result.ceiling
    ceiling, no_ceiling = (review.ceiling.value, review.reason) if review else (None, "The gold was not reviewed.")
    warned = notes.mark(" ".join(unit.warnings)) if unit.warnings else ""
    return (
        f"{data.name}{metric}",
        *counts,
        notes.explain(format_share(scores.random_exact), "Nothing is chosen from options."),
        format_share(score.value) + warned,
        notes.explain(format_interval(score.ci_low, score.ci_high), score.reason or score.ci_method),
        notes.explain(format_interval(score.item_only_low, score.item_only_high), score.reason or score.ci_method),
        notes.explain(
            format_share(None if majority is None else majority.primary.value), scores.refused.get("majority", "")
        )
        + _mark_majority(majority, notes)
        + _mark_sample(result, notes),
        notes.explain(format_share(ceiling), no_ceiling),
    )


def _mark_majority(unit: Unit | None, notes: Footnotes) -> str:
    """The mark of a note with the votes of a majority and its score if ties are wrong; empty without a tie."""
    wrong = None if unit is None else unit.primary.value_ties_wrong
    if unit is None or wrong is None:
        return ""
    return notes.mark(f"{capitalize_first(unit.title)}: {unit.n_ties} ties, {format_share(wrong)} if they are wrong.")


def _mark_sample(result: DataSetResult, notes: Footnotes) -> str:
    """The mark of a note that a number rests on the overlap sample; empty without one."""
    sample = result.data.sample
    return "" if sample is None else notes.mark(f"{capitalize_first(sample.words)}.")


def find_task_means(state: ReleaseState) -> ProgrammeScores | None:
    """The mean over the first questions of a programme; None of a single project, and where some task has no score."""
    if not state.facts.is_programme or len(state.facts.projects) < 2:
        return None
    try:
        return score_tasks(_list_first_data_sets(state))
    except HromadaError:
        return None


def _list_first_data_sets(state: ReleaseState) -> list[DataSet]:
    """The data set of the first question of each project."""
    return [results[0].data for project in state.facts.projects if (results := state.list_results(project))]


def _describe_mean(state: ReleaseState, notes: Footnotes) -> Iterator[tuple[str, ...]]:
    scores = find_task_means(state)
    if scores is None:
        return
    mean, majority = scores.means["individual"], scores.means["majority"]
    first = _list_first_data_sets(state)
    counted = [data.list_counted_answers() for data in first]
    people = {name for rows in counted for name in rows["annotator"]}
    answers, items = sum(map(len, counted)), sum(len(data.items) for data in first)
    yield (
        MEAN,
        str(items),
        str(len(people)),
        str(answers),
        NO_VALUE,
        format_share(mean.value),
        notes.explain(format_interval(mean.fresh_panel.low, mean.fresh_panel.high), mean.reason),
        notes.explain(format_interval(mean.this_panel.low, mean.this_panel.high), mean.reason),
        format_share(majority.value),
        NO_VALUE,
    )


def _build_agreement(state: ReleaseState, mark: str) -> PaperTable:
    notes = Footnotes()
    rows = [row for result in state.results for row in _list_agreement(result, notes)]
    return PaperTable(
        name="agreement",
        of=state.facts.name,
        caption=f"{mark}Agreement between people in {state.facts.name}: each coefficient with the share of equal pairs"
        f" of answers beside it; 95 % intervals for {THESE_PEOPLE}, and for {NEW_PEOPLE}. {describe_coverage()}",
        heads=AGREEMENT_HEADS,
        wide=1,
        rows=tuple(rows),
        notes=notes.notes,
    )


def _list_agreement(result: DataSetResult, notes: Footnotes) -> Iterator[tuple[str, ...]]:
    rows: Sequence[Coefficient] = () if result.agreement is None else result.agreement.headline
    beside = AGREEMENT_ROWS if result.data.measurement_level == "nominal" else AGREEMENT_ROWS_OF_SCALES
    chosen = [row for row in rows if row.name in (result.data.headline_coefficient, *beside) and not row.of]
    if not chosen:
        yield (result.data.name, notes.explain(NO_VALUE, "No two people answered the same item."), *[NO_VALUE] * 5)
    for row in chosen:
        value = NO_VALUE if row.value is None else f"{row.value:z.3f}"
        yield (
            result.data.name,
            COEFFICIENT_NAMES[row.name] + _mark_sample(result, notes),
            notes.explain(value, row.reason),
            notes.explain(format_ends(row.low, row.high), row.reason),
            notes.explain(format_ends(row.new_people_low, row.new_people_high), row.new_people_reason or row.reason),
            str(row.n_items),
            str(row.n_annotators),
        )


def format_ends(low: float | None, high: float | None) -> str:
    """An interval of a coefficient."""
    return NO_VALUE if low is None or high is None else f"{low:z.3f} to {high:z.3f}"


def _build_people(state: ReleaseState, mark: str) -> PaperTable:
    notes = Footnotes()
    rows = []
    for result in state.results:
        data, project = result.data, state.facts.get_project(result.data.name)
        counted = data.list_counted_answers()
        each = counted.groupby("annotator").size()
        seconds = counted["seconds"].dropna().astype(float)
        stage, pay = project.qualification, project.stated.get("pay")
        by_rule = data.responses.loc[data.responses["by_rule"].eq(other=True)]
        rows.append(
            (
                data.name + notes.mark(f"Pay as declared: {pay}" if pay else "The pay is not declared."),
                str(len(each)),
                f"{each.min():g} / {each.median():g} / {each.max():g}" if len(each) else NO_VALUE,
                notes.explain(NO_VALUE, "There was no qualification, or it is not known.")
                if stage is None
                else f"{stage.n_passed} of {stage.n_tried}",
                f"{count_noun(len(data.removed_annotators), 'person')}, {count_noun(len(by_rule), 'answer')}",
                f"{seconds.median():.1f}" if len(seconds) else notes.explain(NO_VALUE, "No times are known."),
            )
        )
    return PaperTable(
        name="people",
        of=state.facts.name,
        caption=f"{mark}The people of {state.facts.name}: those with an answer that counts, how many answers each gave"
        " (least, median, most), who qualified, what rules excluded, and the median time of an answer.",
        heads=PEOPLE_HEADS,
        rows=tuple(rows),
        notes=notes.notes,
    )


def _build_models(state: ReleaseState, mark: str) -> PaperTable:
    notes = Footnotes()
    rows = []
    for name, compared in state.comparisons.items():
        for row in compared.comparison.differences:
            if row.kind != ALL or row.metric != compared.comparison.primary:
                continue
            rows.append(
                (
                    (row.model if len(state.comparisons) == 1 else f"{row.model}, {name}")
                    + ("" if row.is_paired else notes.mark(UNPAIRED))
                    + (notes.mark(_count_items(row, compared)) if row.n_items != compared.n_scored else ""),
                    row.unit_title + (notes.mark(_describe_ties(row)) if row.n_ties else ""),
                    row.metric,
                    format_share(row.value),
                    format_points(row.difference),
                    notes.explain(format_points_interval(row.ci_low, row.ci_high), row.reason),
                    notes.explain(_format_p(row.p_holm), row.reason),
                    notes.explain(NO_VALUE, row.reason) if row.p_holm is None else row.above or "neither",
                )
            )
    return PaperTable(
        name="models",
        of=state.facts.name,
        caption=f"{mark}Models beside people in {state.facts.name} on the same items, by the same scorer: the model’s"
        " score in percent, and by how many points people are better, with the paired 95 % interval for new people and"
        " new items, Holm’s p, and who is above by it.",
        heads=MODEL_HEADS,
        titles=("{0} ({2})",),
        wide=1,
        rows=tuple(rows),
        notes=notes.notes,
    )


def _describe_ties(row: ModelDifference) -> str:
    return (
        f"{row.n_ties} ties are shared; if they count as wrong, the difference is"
        f" {format_points(row.difference_ties_wrong)}. Somebody is above only if both show it."
    )


def _count_items(row: ModelDifference, compared: ComparedModels) -> str:
    return f"On {row.n_items} items; people are scored on {compared.n_scored}."


def _format_p(p: float | None) -> str:
    return NO_VALUE if p is None else "<0.001" if p < LEAST_P else f"{p:.3f}"


def format_share(share: float | None) -> str:
    """A share in percent."""
    return NO_VALUE if share is None else f"{100 * share:z.1f}"


def format_interval(low: float | None, high: float | None) -> str:
    """An interval of a share in percent."""
    return NO_VALUE if low is None or high is None else f"{100 * low:z.1f}–{100 * high:z.1f}"


def format_points(share: float | None) -> str:
    """A difference of shares in points."""
    return NO_VALUE if share is None else f"{100 * share:+z.1f}".replace("-", "−")


def format_points_interval(low: float | None, high: float | None) -> str:
    """An interval of a difference in points."""
    return NO_VALUE if low is None or high is None else f"{format_points(low)} to {format_points(high)}"
