"""The checks of lines on models: the same items, differences with intervals, and the same scorer."""

from __future__ import annotations

from exports.checklist.verdicts import Subject, Verdict, met, not_applicable, not_scored, unmet
from exports.pages.display_text import format_count
from exports.pages.reasons import translate_reason, translate_reasons
from exports.pages.translation import translate


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
    notes = translate_reasons(list(dict.fromkeys(note for one in compared.values() for note in one.notes)))
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
        reasons = translate_reasons(list(dict.fromkeys(row.reason for row in paired)))
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
    scorers = sorted(
        {str(task["scorer"]) for task in benchmark.manifest["tasks"].values() if _is_of(task["dataset"], subject)}
    )
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


def _is_of(name: str, subject: Subject) -> bool:
    return name.partition("/")[0] == subject.project.name


def _judge_without_benchmark(subject: Subject) -> Verdict:
    if not subject.models:
        return not_applicable(
            translate("Models cannot be asked: {reason}", reason=translate_reason(subject.state.no_benchmark))
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
