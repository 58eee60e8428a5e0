"""What a check says of a line: a status with its evidence, and how to meet it; and how several become one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Literal

import pandas as pd

from exports.facts import ProjectFacts
from exports.inputs import DataSet
from exports.pages.localization import localize_number, mark_text, show_finding, show_findings, translate
from exports.release_state import ReleaseState
from exports.results import DataSetResult

Status = Literal["met", "unmet", "not applicable", "not evidenced"]
WORST_FIRST: tuple[Status, ...] = ("unmet", "not evidenced", "met", "not applicable")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The status of a line, the evidence in a sentence or more, and how to meet it where it is not met."""

    status: Status
    evidence: str
    remedy: str = ""


def met(evidence: str, /, **values: object) -> Verdict:
    """A line that the files show: `evidence` is a text for `translate` with its values, or one already translated."""
    return Verdict(status="met", evidence=translate(evidence, **values))


def unmet(evidence: str, remedy: str, /, **values: object) -> Verdict:
    """A line that is missing something: the evidence as in `met`, and the translated remedy."""
    return Verdict(status="unmet", evidence=translate(evidence, **values), remedy=remedy)


def incomplete(evidence: str, /, **values: object) -> Verdict:
    """A line for which the release lacks something that hromada should have put into it."""
    return unmet(evidence, translate("Release again; report this."), **values)


def contradictory(evidence: str, /, **values: object) -> Verdict:
    """A line whose data contradict hromada's own rules."""
    return unmet(evidence, translate("Report this."), **values)


def not_applicable(reason: str, /, **values: object) -> Verdict:
    """A line about something that this release does not have; the reason is given like the evidence of `met`."""
    return Verdict(status="not applicable", evidence=translate(reason, **values))


def not_evidenced(reason: str, remedy: str = "", /, **values: object) -> Verdict:
    """A line that nobody could check here; the reason is given like the evidence of `met`."""
    remedy = remedy or translate("Say it in the paper, with its source.")
    return Verdict(status="not evidenced", evidence=translate(reason, **values), remedy=remedy)


ELSEWHERE = mark_text("People answered elsewhere, and their votes were imported")


def not_seen(what: str, /, **values: object) -> Verdict:
    """A line of imported votes: `what` says, after the words that people answered elsewhere, what was not seen here."""
    return not_evidenced(f"{translate(ELSEWHERE)}: {translate(what, **values)}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Subject:
    """What the checks look at: a project with the results of its data sets, that of the first question first."""

    state: ReleaseState
    project: ProjectFacts
    results: tuple[DataSetResult, ...]

    @property
    def scored(self) -> tuple[DataSetResult, ...]:
        """The data sets on which people are scored."""
        return tuple(result for result in self.results if result.performance is not None)

    @property
    def first(self) -> DataSet:
        """The data set of the first question."""
        return self.results[0].data

    @property
    def simulated(self) -> bool:
        """Whether any of the people who answered is simulated."""
        return any(result.data.simulated for result in self.results)

    @cached_property
    def first_places(self) -> Mapping[str, DataSet]:
        """By name the scored data sets as scores rest on them, with the first votes of each item alone."""
        return {result.data.name: result.data.keep_first_places() for result in self.scored}

    @property
    def models(self) -> tuple[str, ...]:
        """The data sets that are compared with models."""
        return tuple(result.data.name for result in self.results if result.data.name in self.state.comparisons)


Check = Callable[[Subject], Verdict]


def not_scored(subject: Subject) -> Verdict:
    """The verdict of lines on scores where nobody is scored."""
    reason = show_finding(subject.results[0].no_performance)
    words = translate("Nobody is scored.")
    return not_applicable(f"{words} {reason}".strip())


Judge = Callable[[Subject, DataSetResult], Verdict]


def check_each(judge: Judge) -> Check:
    """Make the check of a line that is judged by data set: the worst verdict, with the evidence of all that have it."""

    @wraps(judge)
    def check(subject: Subject) -> Verdict:
        return combine_verdicts({result.data.name: judge(subject, result) for result in subject.results})

    return check


def check_scored(judge: Judge) -> Check:
    """Make the check of a line on scores, judged by each data set on which people are scored."""

    @wraps(judge)
    def check(subject: Subject) -> Verdict:
        if not subject.scored:
            return not_scored(subject)
        return combine_verdicts({result.data.name: judge(subject, result) for result in subject.scored})

    return check


def combine_verdicts(verdicts: Mapping[str, Verdict]) -> Verdict:
    """The worst of verdicts by name; equal words stand once, with the names that share them, unless all do."""
    worst = min((verdict.status for verdict in verdicts.values()), key=WORST_FIRST.index)
    chosen = {name: verdict for name, verdict in verdicts.items() if verdict.status == worst}
    evidence = _join_words({name: verdict.evidence for name, verdict in chosen.items()}, of=len(verdicts))
    remedies = dict.fromkeys(verdict.remedy for verdict in chosen.values() if verdict.remedy)
    return Verdict(status=worst, evidence=evidence, remedy=" ".join(remedies))


def _join_words(words: Mapping[str, str], *, of: int) -> str:
    names: dict[str, list[str]] = {}
    for name, sentence in words.items():
        names.setdefault(sentence, []).append(name)
    if len(names) == 1 and len(words) == of:
        return next(iter(names))
    return " ".join(f"{', '.join(own)}: {sentence}" for sentence, own in names.items())


def describe_spread(numbers: Sequence[float]) -> str:
    """The least, the median and the most of some numbers."""
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    numbers_shown = localize_number(f"{ordered[0]:g} / {median:g} / {ordered[-1]:g}")
    return translate("{numbers} (least, median, most)", numbers=numbers_shown)


Concerns = Callable[[DataSet], "pd.Series[bool]"]
"""Which responses of a data set a variant is about."""


def list_concerned(subject: Subject, concerns: Concerns) -> list[str]:
    """The scored data sets in which a variant differs from the headline, as scores rest on such responses there."""
    return [name for name, data in subject.first_places.items() if bool(concerns(data).any())]


def list_missing(subject: Subject, variant: str, names: list[str]) -> list[str]:
    """Those of the data sets that have neither the scores of a variant nor the reason why there are none."""
    return [
        result.data.name
        for result in subject.scored
        if result.data.name in names and variant not in (*result.list_variants(), *result.missing_variants)
    ]


def check_variant(subject: Subject, variant: str, *, found: str, what: str, concerns: Concerns) -> Verdict:
    """That the scores of a variant stand beside the headline, or the reason why they cannot or need not."""
    if not subject.scored:
        return met("{found}; nobody is scored, so there is no {what}.", found=found, what=what)
    names = list_concerned(subject, concerns)
    missing = list_missing(subject, variant, names)
    if missing:
        return incomplete(
            "{found}; their {what} is missing in {names}.", found=found, what=what, names=", ".join(missing)
        )
    if not names:
        return met("{found}; no score rests on their answers, so there is no {what}.", found=found, what=what)
    reasons = dict.fromkeys(
        result.missing_variants[variant] for result in subject.scored if variant in result.missing_variants
    )
    if reasons:
        return met("{found}; there is no {what}: {reasons}", found=found, what=what, reasons=show_findings(reasons))
    return met("{found}; the {what} is in human_baseline.csv as “{variant}”.", found=found, what=what, variant=variant)
