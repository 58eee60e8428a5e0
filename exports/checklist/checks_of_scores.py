"""The checks of lines on scores of people and models: units, intervals, agreement, differences, plans."""

from __future__ import annotations

from aggregation.agreement.table import Coefficient
from aggregation.agreement.two_populations import NEW_PEOPLE, THESE_PEOPLE
from exports.checklist.checks_of_people import FEW_PEOPLE
from exports.checklist.declared_facts import check_declared
from exports.checklist.verdicts import (
    Subject,
    Verdict,
    check_each,
    check_scored,
    contradictory,
    incomplete,
    met,
    not_applicable,
    not_scored,
    not_seen,
    unmet,
)
from exports.inputs import DataSet
from exports.pages.display_text import format_count, format_percent
from exports.pages.localization import localize_number, show_finding, show_findings, translate
from exports.results import NO_VOTES, DataSetResult


def check_equal_items(subject: Subject) -> Verdict:
    """R04: people and models on the same items."""
    if not subject.models:
        return check_nothing(subject)
    compared = {name: subject.state.comparisons[name] for name in subject.models}
    bare = [name for name, models in compared.items() if not models.statuses]
    if bare:
        return unmet(
            "Of models only published scores are given, on items that nobody knows: {names}.",
            translate("Give their answers to single items: `--models`."),
            names=", ".join(bare),
        )
    unequal = [name for name in subject.models if not subject.state.comparisons[name].has_equal_items]
    if unequal:
        return unmet(
            "A model is not compared on all items of people: {names}; model_items.csv has them.",
            translate("Run the models on every item that people answered."),
            names=", ".join(unequal),
        )
    notes = show_findings(dict.fromkeys(note for models in compared.values() for note in models.notes))
    words = translate(
        "Every model answered all items of people, matched by id: {names}.", names=", ".join(subject.models)
    )
    return met(f"{words} {notes}".strip())


def check_differences(subject: Subject) -> Verdict:
    """R34: differences between people and models, with paired intervals and tests."""
    if not subject.models:
        return check_nothing(subject)
    differences = [row for name in subject.models for row in subject.state.comparisons[name].comparison.differences]
    without_gold = [one for name in subject.models if not (one := subject.state.comparisons[name]).n_scored]
    judges = [judge for compared in without_gold for judge in compared.judges if judge.scores]
    if not differences and judges:
        return met(
            "No item has gold; the agreement of judges with people is compared with people’s own ({n}).", n=len(judges)
        )
    if not differences:
        return unmet("No model could be compared.", translate("Give results of models on items of people."))
    paired = [row for row in differences if row.is_paired]
    if not paired:
        return unmet(
            "None of {differences} is paired: of published scores nobody knows which items were right.",
            translate("Give the models' answers to single items: `--models`."),
            differences=format_count(len(differences), "difference"),
        )
    n_intervals = sum(row.ci_low is not None for row in paired)
    if not n_intervals:
        reasons = show_findings(dict.fromkeys(row.reason for row in paired))
        words = " ".join([translate("No difference has an interval."), reasons]).strip()
        return unmet(words, translate("Ask more people, or items of more groups."))
    tests = sum(len(subject.state.comparisons[name].comparison.mcnemar) for name in subject.models)
    return met(
        "{differences}, {paired} of them paired, {known} of these with an interval; {tests} of the majority.",
        differences=format_count(len(differences), "difference"),
        paired=len(paired),
        known=n_intervals,
        tests=format_count(tests, "McNemar test"),
    )


def check_scorer(subject: Subject) -> Verdict:
    """R35: the same scorer for people and models."""
    if not subject.scored:
        return not_scored(subject)
    benchmark = subject.state.benchmark
    if benchmark is None:
        return _judge_without_benchmark(subject)
    tasks = benchmark.manifest["tasks"].values()
    own = [task for task in tasks if task["dataset"].partition("/")[0] == subject.project.name]
    scorers = sorted({str(task["scorer"]) for task in own})
    if not scorers:
        return not_applicable(
            "Models cannot be asked these questions as people were; benchmark/manifest.json says why."
        )
    if not all(scorers):
        return incomplete("A task of the benchmark names no scorer.")
    names = ", ".join(scorers)
    version = benchmark.manifest["versions"]["hromada"]
    if subject.state.facts.harness:
        return met(
            "People were replayed through lm-eval {harness} by the scorer of models ({names}, hromada {version});"
            " benchmark/results has both.",
            harness=subject.state.facts.harness,
            names=names,
            version=version,
        )
    return met(
        "People are scored by the file that scores models ({names}, hromada {version}, in benchmark/lm_eval);"
        " they were not replayed by the harness.",
        names=names,
        version=version,
    )


def _judge_without_benchmark(subject: Subject) -> Verdict:
    if not subject.models:
        return not_applicable("Models cannot be asked: {reason}", reason=show_finding(subject.state.no_benchmark))
    version = subject.state.facts.versions.get("hromada", translate("of unknown version"))
    return met("People and models are scored from their answers by the same code (hromada {version}).", version=version)


def check_nothing(subject: Subject) -> Verdict:
    """A line on models where there are none."""
    return not_applicable("No results of models were given for {project} (`--models`).", project=subject.project.name)


LEAST_CLUSTERS = 5


@check_scored
def check_units(_subject: Subject, result: DataSetResult) -> Verdict:
    """R01: what number is claimed."""
    units = [unit.unit for unit in result.performance.units] if result.performance else []
    if "individual" not in units:
        return incomplete("There is no score of single answers.")
    value = result.performance["individual"].primary.value if result.performance else None
    words = translate("none") if value is None else format_percent(value)
    return met(
        "Headline: single answers (individual), {words}; beside it {others}.",
        words=words,
        others=", ".join(map(translate, units[1:])) or translate("nothing"),
    )


def check_plan(subject: Subject) -> Verdict:
    """R07: the precision planned before the start."""
    project = subject.project
    if project.imported:
        return not_seen("what precision was planned is not known.")
    if project.plan is None:
        return unmet(
            "No plan was frozen: the project was not started.", translate("Start the project; it freezes the plan.")
        )
    if project.rules_fixed_before is False:
        return unmet("The plan was made after the first answer.", translate("Say so; nothing can be done afterwards."))
    if project.plan.half_width is None:
        words = translate("Planned: {plan}", plan=show_finding(project.plan.words))
        if not subject.scored:
            return met("{words}; no score is claimed.", words=words)
        return unmet(
            "{words}; no half-width.",
            translate("Write `kind: baseline`, so that `hromada start` plans one."),
            words=words,
        )
    reached = [width for result in subject.scored if (width := _get_half_width(result)) is not None]
    widths = ", ".join(localize_number(f"{100 * width:.1f}") for width in reached)
    achieved = (
        translate("reached ± {widths} points", widths=widths) if reached else translate("no interval was reached")
    )
    return met(
        "Planned: ± {width} points at {share} right; {achieved}.",
        width=localize_number(f"{100 * project.plan.half_width:.1f}"),
        share=localize_number(f"{project.plan.share:.0%}"),
        achieved=achieved,
    )


def _get_half_width(result: DataSetResult) -> float | None:
    score = None if result.performance is None else result.performance["individual"].primary
    if score is None or score.ci_low is None or score.ci_high is None:
        return None
    return (score.ci_high - score.ci_low) / 2


@check_scored
def check_intervals(_subject: Subject, result: DataSetResult) -> Verdict:
    """R30: an interval over people and items."""
    unit = result.performance["individual"] if result.performance else None
    if unit is None:
        return incomplete("There is no score of single answers.")
    score = unit.primary
    low, high = score.ci_low, score.ci_high
    if low is None or high is None:
        return unmet(show_finding(score.reason), translate("Ask more people, or items of more groups."))
    if score.item_only_low is None or score.item_only_high is None:
        return incomplete("The interval over items alone is missing beside it.")
    few = translate(" Only {n} people.", n=unit.n_annotators) if unit.n_annotators < FEW_PEOPLE else ""
    own = translate(
        "; these people and new items {low}–{high}",
        low=localize_number(f"{100 * score.item_only_low:.1f}"),
        high=localize_number(f"{100 * score.item_only_high:.1f}"),
    )
    interval = translate(
        "[{low}–{high}, new people and new items{own}]",
        low=localize_number(f"{100 * low:.1f}"),
        high=localize_number(f"{100 * high:.1f}"),
        own=own,
    )
    value = translate("undefined") if score.value is None else format_percent(score.value)
    return met(f"{value} {interval}: {show_finding(score.ci_method)}.{few}")


@check_scored
def check_clusters(subject: Subject, result: DataSetResult) -> Verdict:
    """R31: items of one source are counted as a cluster."""
    data = subject.first_places[result.data.name]
    answered = data.items["item_id"].isin(data.responses.loc[data.exclusion_kinds().isna(), "item_id"])
    items = data.items.loc[data.list_scoring_gold().notna() & answered]
    groups = items["group"].nunique()
    score = result.performance["individual"].primary if result.performance else None
    if groups < LEAST_CLUSTERS and score is not None and score.ci_low is not None:
        return unmet(
            "An interval over {groups} alone.",
            translate("Ask items of more groups."),
            groups=format_count(groups, "group"),
        )
    return met(
        "{items} with gold in {groups}, which are resampled whole.",
        items=format_count(len(items), "answered item"),
        groups=format_count(groups, "group"),
    )


@check_scored
def check_majority(_subject: Subject, result: DataSetResult) -> Verdict:
    """R33: how votes become one answer, and what a tie is."""
    if result.majority is None:
        return incomplete(show_finding(result.missing_units.get("majority", "")) or translate("There is no majority."))
    return met(
        "Plurality of the votes; ties are shared; {ties}. Models are compared one by one, without an ensemble.",
        ties=format_count(result.majority.n_ties or 0, "tie"),
    )


@check_each
def check_agreement(_subject: Subject, result: DataSetResult) -> Verdict:
    """R36: agreement between people, with its interval, and the plain share beside it."""
    if result.agreement is None or not result.agreement.rows:
        return unmet(
            "No agreement: {reason}", translate("Collect or import answers first."), reason=show_finding(NO_VOTES)
        )
    rows = [row for row in result.agreement.headline if not row.of]
    missing = [name for name in _list_needed(result.data) if not any(row.name.startswith(name) for row in rows)]
    if missing:
        return incomplete("No {names} among the coefficients.", names=", ".join(missing))
    defined = [row for row in rows if row.value is not None]
    if not defined:
        return met(
            "Undefined: {reason}", reason=show_finding(rows[0].reason) if rows else translate("no coefficient fits")
        )
    without = [row.name for row in defined if row.low is None and not row.reason]
    if without:
        return contradictory("No interval and no reason: {names}.", names=", ".join(without))
    shown = [row for row in defined if row.name.startswith(_list_needed(result.data))] or defined[:4]
    words = "; ".join(map(_describe_coefficient, shown))
    words += "" if result.data.sample is None else f"; {show_finding(result.data.sample.words)}"
    return met(words + translate("; {n} coefficients in agreement.json.", n=len(rows)))


def _list_needed(data: DataSet) -> tuple[str, ...]:
    """The beginnings of the names of coefficients without which labels of declared classes are not reported."""
    has_classes = data.counted_classes is not None and not data.classes_are_positions
    return ("percent_agreement", data.headline_coefficient, "gwet_ac") if has_classes else ()


def _describe_coefficient(row: Coefficient) -> str:
    ends = ((row.low, row.high, THESE_PEOPLE), (row.new_people_low, row.new_people_high, NEW_PEOPLE))
    intervals = [
        f" [{localize_number(f'{low:z.3f}, {high:z.3f}')}] {show_finding(population)}"
        for low, high, population in ends
        if low is not None and high is not None
    ]
    return translate(
        "{coefficient} ({items}, {people})",
        coefficient=f"{row.name} {localize_number(f'{row.value:z.3f}')}{','.join(intervals)}",
        items=format_count(row.n_items, "item"),
        people=format_count(row.n_annotators, "person"),
    )


def check_bundle(subject: Subject) -> Verdict:
    """R40: trivial baselines, the licence, and everything in one folder with a manifest."""
    licence = check_declared(subject, "licence")
    if licence.status != "met":
        return licence
    table = subject.state.tables.trivial
    rows = {name for name in table["dataset"] if str(name).partition("/")[0] == subject.project.name}
    needed = [result.data.name for result in subject.scored if result.data.option_items]
    missing = [name for name in needed if name not in rows]
    if missing:
        return incomplete("No trivial baselines of {names}.", names=", ".join(missing))
    baselines = (
        translate("trivial baselines of {names}", names=", ".join(sorted(map(str, rows))))
        if rows
        else translate("nothing is chosen from options")
    )
    return met(
        "Manifest with sha256 of every file; answers of single people; {baselines}. Licence {declared}",
        baselines=baselines,
        declared=licence.evidence,
    )
