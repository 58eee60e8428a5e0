"""The checks of lines on scores of people and models: units, intervals, agreement, differences, plans."""

from __future__ import annotations

from aggregation.agreement.table import Coefficient
from exports.checklist.checks_of_people import FEW_PEOPLE, check_declared
from exports.checklist.verdicts import Subject, Verdict, judge_each, met, not_applicable, not_scored, not_seen, unmet
from exports.inputs import DataSet
from exports.pages.display_text import format_count, format_percent
from exports.pages.translation import localize_number, show_finding, show_findings, translate
from exports.results import NO_VOTES, DataSetResult


def check_equal_items(subject: Subject) -> Verdict:
    """R04: people and models on the same items."""
    if not subject.models:
        return check_nothing(subject)
    compared = {name: subject.state.comparisons[name] for name in subject.models}
    bare = [name for name, one in compared.items() if not one.statuses]
    if bare:
        return unmet(
            translate(
                "Of models only published scores are given, on items that nobody knows: {names}.", names=", ".join(bare)
            ),
            translate("Give their answers to single items: `--models`."),
        )
    unequal = [name for name in subject.models if not subject.state.comparisons[name].has_equal_items]
    if unequal:
        return unmet(
            translate(
                "A model is not compared on all items of people: {names}; model_items.csv has them.",
                names=", ".join(unequal),
            ),
            translate("Run the models on every item that people answered."),
        )
    notes = show_findings(dict.fromkeys(note for one in compared.values() for note in one.notes))
    words = translate(
        "Every model answered all items of people, matched by id: {names}.", names=", ".join(subject.models)
    )
    return met(f"{words} {notes}".strip())


def check_differences(subject: Subject) -> Verdict:
    """R34: differences between people and models, with paired intervals and tests."""
    if not subject.models:
        return check_nothing(subject)
    found = [row for name in subject.models for row in subject.state.comparisons[name].comparison.differences]
    if not found:
        return unmet(translate("No model could be compared."), translate("Give results of models on items of people."))
    paired = [row for row in found if row.is_paired]
    if not paired:
        return unmet(
            translate(
                "None of {differences} is paired: of published scores nobody knows which items were right.",
                differences=format_count(len(found), "difference"),
            ),
            translate("Give the models' answers to single items: `--models`."),
        )
    known = sum(row.ci_low is not None for row in paired)
    if not known:
        reasons = show_findings(dict.fromkeys(row.reason for row in paired))
        return unmet(
            " ".join([translate("No difference has an interval."), reasons]).strip(),
            translate("Ask more people, or items of more groups."),
        )
    tests = sum(len(subject.state.comparisons[name].comparison.mcnemar) for name in subject.models)
    return met(
        translate(
            "{differences}, {paired} of them paired, {known} of these with an interval; {tests} of the majority.",
            differences=format_count(len(found), "difference"),
            paired=len(paired),
            known=known,
            tests=format_count(tests, "McNemar test"),
        )
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
            translate("Models cannot be asked these questions as people were; benchmark/manifest.json says why.")
        )
    if not all(scorers):
        return unmet(translate("A task of the benchmark names no scorer."), translate("Release again; report this."))
    names = ", ".join(scorers)
    version = benchmark.manifest["versions"]["hromada"]
    if subject.state.facts.harness:
        return met(
            translate(
                "People were replayed through lm-eval {harness} by the scorer of models ({names}, hromada {version});"
                " benchmark/results has both.",
                harness=subject.state.facts.harness,
                names=names,
                version=version,
            )
        )
    return met(
        translate(
            "People are scored by the file that scores models ({names}, hromada {version}, in benchmark/lm_eval);"
            " they were not replayed by the harness.",
            names=names,
            version=version,
        )
    )


def _judge_without_benchmark(subject: Subject) -> Verdict:
    if not subject.models:
        return not_applicable(
            translate("Models cannot be asked: {reason}", reason=show_finding(subject.state.no_benchmark))
        )
    version = subject.state.facts.versions.get("hromada", translate("of unknown version"))
    return met(
        translate(
            "People and models are scored from their answers by the same code (hromada {version}).", version=version
        )
    )


def check_nothing(subject: Subject) -> Verdict:
    """A line on models where there are none."""
    return not_applicable(
        translate("No results of models were given for {project} (`--models`).", project=subject.project.name)
    )


LEAST_CLUSTERS = 5


def check_units(subject: Subject) -> Verdict:
    """R01: what number is claimed."""
    if not subject.scored:
        return not_scored(subject)

    def judge(result: DataSetResult) -> Verdict:
        units = [unit.unit for unit in result.performance.units] if result.performance else []
        if "individual" not in units:
            return unmet(translate("There is no score of single answers."), translate("Release again; report this."))
        value = result.performance["individual"].primary.value if result.performance else None
        words = translate("none") if value is None else format_percent(value)
        return met(
            translate(
                "Headline: single answers (individual), {words}; beside it {others}.",
                words=words,
                others=", ".join(map(translate, units[1:])) or translate("nothing"),
            )
        )

    return judge_each(subject.scored, judge)


def check_plan(subject: Subject) -> Verdict:
    """R07: the precision planned before the start."""
    project = subject.project
    if project.imported:
        return not_seen(translate("what precision was planned is not known."))
    if project.plan is None:
        return unmet(
            translate("No plan was frozen: the project was not started."),
            translate("Start the project; it freezes the plan."),
        )
    if project.rules_fixed_before is False:
        return unmet(
            translate("The plan was made after the first answer."), translate("Say so; nothing can be done afterwards.")
        )
    if project.plan.half_width is None:
        words = translate("Planned: {plan}", plan=show_finding(project.plan.words))
        if not subject.scored:
            return met(translate("{words}; no score is claimed.", words=words))
        return unmet(
            translate("{words}; no half width.", words=words),
            translate("Write `kind: baseline`, so that `hromada start` plans one."),
        )
    reached = [_get_half_width(result) for result in subject.scored]
    known = [localize_number(f"{100 * one:.1f}") for one in reached if one is not None]
    achieved = (
        translate("reached ± {widths} points", widths=", ".join(known))
        if known
        else translate("no interval was reached")
    )
    return met(
        translate(
            "Planned: ± {width} points at {share} right; {achieved}.",
            width=localize_number(f"{100 * project.plan.half_width:.1f}"),
            share=localize_number(f"{project.plan.share:.0%}"),
            achieved=achieved,
        )
    )


def _get_half_width(result: DataSetResult) -> float | None:
    score = None if result.performance is None else result.performance["individual"].primary
    if score is None or score.ci_low is None or score.ci_high is None:
        return None
    return (score.ci_high - score.ci_low) / 2


def check_intervals(subject: Subject) -> Verdict:
    """R30: an interval over people and items."""
    if not subject.scored:
        return not_scored(subject)

    def judge(result: DataSetResult) -> Verdict:
        unit = result.performance["individual"] if result.performance else None
        if unit is None:
            return unmet(translate("There is no score of single answers."), translate("Release again; report this."))
        score = unit.primary
        low, high = score.ci_low, score.ci_high
        if low is None or high is None:
            return unmet(show_finding(score.reason), translate("Ask more people, or items of more groups."))
        if score.item_only_low is None or score.item_only_high is None:
            return unmet(
                translate("The interval over items alone is missing beside it."),
                translate("Release again; report this."),
            )
        few = translate(" Only {n} people.", n=unit.n_annotators) if unit.n_annotators < FEW_PEOPLE else ""
        own = translate(
            ", this panel {low}–{high}",
            low=localize_number(f"{100 * score.item_only_low:.1f}"),
            high=localize_number(f"{100 * score.item_only_high:.1f}"),
        )
        interval = translate(
            "[{low}–{high}, a fresh panel{own}]",
            low=localize_number(f"{100 * low:.1f}"),
            high=localize_number(f"{100 * high:.1f}"),
            own=own,
        )
        value = translate("undefined") if score.value is None else format_percent(score.value)
        return met(f"{value} {interval}: {show_finding(score.ci_method)}.{few}")

    return judge_each(subject.scored, judge)


def check_clusters(subject: Subject) -> Verdict:
    """R31: items of one source are counted as a cluster."""
    if not subject.scored:
        return not_scored(subject)

    def judge(result: DataSetResult) -> Verdict:
        data = subject.first_places[result.data.name]
        answered = data.items["item_id"].isin(data.responses.loc[data.exclusion_kinds().isna(), "item_id"])
        items = data.items.loc[data.list_scoring_gold().notna() & answered]
        groups = items["group"].nunique()
        score = result.performance["individual"].primary if result.performance else None
        if groups < LEAST_CLUSTERS and score is not None and score.ci_low is not None:
            return unmet(
                translate("An interval over {groups} alone.", groups=format_count(groups, "group")),
                translate("Ask items of more groups."),
            )
        return met(
            translate(
                "{items} with gold in {groups}, which are resampled whole.",
                items=format_count(len(items), "answered item"),
                groups=format_count(groups, "group"),
            )
        )

    return judge_each(subject.scored, judge)


def check_majority(subject: Subject) -> Verdict:
    """R33: how votes become one answer, and what a tie is."""
    if not subject.scored:
        return not_scored(subject)

    def judge(result: DataSetResult) -> Verdict:
        units = {unit.unit: unit for unit in result.performance.units} if result.performance else {}
        if "majority" not in units:
            return unmet(
                show_finding(result.missing_units.get("majority", "")) or translate("There is no majority."),
                translate("Release again; report this."),
            )
        return met(
            translate(
                "Plurality of the votes; ties are shared; {ties}. Models are compared one by one, without an ensemble.",
                ties=format_count(units["majority"].n_ties, "tie"),
            )
        )

    return judge_each(subject.scored, judge)


def check_agreement(subject: Subject) -> Verdict:
    """R36: agreement between people, with its interval, and the plain share beside it."""

    def judge(result: DataSetResult) -> Verdict:
        if result.agreement is None or not result.agreement.rows:
            return unmet(
                translate("No agreement: {reason}", reason=show_finding(NO_VOTES)),
                translate("Collect or import answers first."),
            )
        rows = [row for row in result.agreement.headline if not row.of]
        missing = [name for name in _list_needed(result.data) if not any(row.name.startswith(name) for row in rows)]
        if missing:
            return unmet(
                translate("No {names} among the coefficients.", names=", ".join(missing)),
                translate("Release again; report this."),
            )
        known = [row for row in rows if row.value is not None]
        if not known:
            return met(
                translate(
                    "Undefined: {reason}",
                    reason=show_finding(rows[0].reason) if rows else translate("no coefficient fits"),
                )
            )
        without = [row.name for row in known if row.low is None and not row.reason]
        if without:
            return unmet(
                translate("No interval and no reason: {names}.", names=", ".join(without)), translate("Report this.")
            )
        shown = [row for row in known if row.name.startswith(_list_needed(result.data))] or known[:4]
        return met(
            "; ".join(map(_describe_coefficient, shown))
            + translate("; {n} coefficients in agreement.json.", n=len(rows))
        )

    return judge_each(subject.results, judge)


def _list_needed(data: DataSet) -> tuple[str, ...]:
    """The beginnings of the names of coefficients without which labels of declared classes are not reported."""
    has_classes = data.classes is not None and not data.classes_are_positions
    return ("percent_agreement", data.headline_coefficient, "gwet_ac") if has_classes else ()


def _describe_coefficient(row: Coefficient) -> str:
    interval = "" if row.low is None or row.high is None else f" [{row.low:.3f}, {row.high:.3f}]"
    return translate(
        "{coefficient} ({items}, {people})",
        coefficient=f"{row.name} {localize_number(f'{row.value:.3f}{interval}')}",
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
        return unmet(
            translate("No trivial baselines of {names}.", names=", ".join(missing)),
            translate("Release again; report this."),
        )
    baselines = (
        translate("trivial baselines of {names}", names=", ".join(sorted(map(str, rows))))
        if rows
        else translate("nothing is chosen from options")
    )
    return met(
        translate(
            "Manifest with sha256 of every file; answers of single people; {baselines}. Licence {declared}",
            baselines=baselines,
            declared=licence.evidence,
        )
    )
