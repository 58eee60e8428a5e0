"""The checks of lines on people: the team, who knew the items, and how people worked."""

from __future__ import annotations

import statistics

import pandas as pd

from exports.checklist.declared_facts import check_declared
from exports.checklist.verdicts import (
    Subject,
    Verdict,
    check_scored,
    check_variant,
    contradictory,
    describe_spread,
    incomplete,
    met,
    not_applicable,
    not_evidenced,
    not_seen,
    unmet,
)
from exports.inputs import EXPOSED, DataSet
from exports.pages.display_text import format_count
from exports.pages.localization import localize_number, show_finding, translate
from exports.results import DataSetResult
from exports.score_variants import EXPOSED_ONLY, WITHOUT_INSIDERS

FEW_PEOPLE = 10
"""Below this many people the literature asks for a warning."""


def check_contributors(subject: Subject) -> Verdict:
    """R02: people with an answer that counts, and how many items each answered."""
    counted = subject.first.list_counted_answers()
    if counted.empty:
        return unmet("Nobody's answer counts.", translate("Collect or import answers first."))
    items = counted.groupby("annotator")["item_id"].nunique()
    few = translate(" Fewer than {few} people.", few=FEW_PEOPLE) if len(items) < FEW_PEOPLE else ""
    return met(
        "{annotators}; items each: {spread}.{few}",
        annotators=format_count(len(items), "contributing annotator"),
        spread=describe_spread(list(items)),
        few=few,
    )


def check_ethics(subject: Subject) -> Verdict:
    """R09: the ethics review, in the organiser's words."""
    return check_declared(subject, "ethics")


def check_consent(subject: Subject) -> Verdict:
    """R10: everybody agreed to a text before their first main answer."""
    project = subject.project
    if project.imported:
        return not_seen("what they agreed to was not seen here.")
    if project.n_without_consent is None:
        return unmet(
            "No consent is asked for.", translate("Name a text under `consent` in the project or programme file.")
        )
    if project.n_without_consent:
        return unmet(
            "{answers} came before any consent of their annotator.",
            translate("Exclude them, or record the agreements that were given on paper: `hromada people agree`."),
            answers=format_count(project.n_without_consent, "main answer"),
        )
    texts = [text for text in project.texts if text.kind == "consent"]
    if not texts or not all(text.text for text in texts):
        return unmet("The text of the consent is not stored.", translate("Load the file again."))
    versions = ", ".join(
        translate(
            "version {version}: {people}", version=text.version, people=format_count(text.n_people or 0, "person")
        )
        for text in texts
    )
    return met(
        "Nobody answered before agreeing ({versions}). Pseudonyms are keyed; no file holds an id of anybody.",
        versions=versions,
    )


def check_population(subject: Subject) -> Verdict:
    """R11: the population of interest, and what people said about themselves."""
    declared = check_declared(subject, "population")
    if declared.status != "met":
        return declared
    fields = ", ".join(subject.project.profile_fields) or translate("not collected")
    return met(
        "{declared} Asked of people: {fields}; cells under 3 are suppressed.", declared=declared.evidence, fields=fields
    )


def check_recruitment(subject: Subject) -> Verdict:
    """R12: how people were found."""
    return check_declared(subject, "recruitment")


def check_qualification(subject: Subject) -> Verdict:
    """R15: the qualification, its rule, and how many tried, passed and failed."""
    project = subject.project
    if project.imported:
        return not_seen("how they qualified was not seen here.")
    stage = project.qualification
    if stage is None:
        return met("No qualification was asked for.")
    words = translate(
        "{rule}, on {items}: {tried} tried, {passed} passed, {failed} failed.",
        rule=show_finding(stage.rule),
        items=format_count(stage.n_items, "item"),
        tried=stage.n_tried,
        passed=stage.n_passed,
        failed=stage.n_failed,
    )
    if stage.fixed_before is False or (stage.fixed_before is None and stage.n_tried):
        whether = translate("was not") if stage.fixed_before is False else translate("is not known to have been")
        return unmet(
            "{words} The rule {known} fixed before the first attempt.",
            translate("Say so, and start a new project."),
            words=words,
            known=whether,
        )
    return met(words)


def check_training(subject: Subject) -> Verdict:
    """R16: the training, apart from what is scored."""
    project = subject.project
    if project.imported:
        return not_seen("how they were trained was not seen here.")
    if project.shared_ids or project.shared_groups:
        return unmet(
            "{items} and {groups} of training, qualification, control or pilot are also among the main items.",
            translate("Take them out of the main items."),
            items=format_count(project.shared_ids, "item"),
            groups=format_count(project.shared_groups, "group"),
        )
    n_items = len(project.training_items)
    if not n_items:
        return met("No training was given; no item of another pool, nor its group, is a main item.")
    shown = translate("the gold and an explanation") if project.training_explains else translate("the gold")
    return met(
        "{items}, each answer followed by {shown}; apart by item and group.",
        items=format_count(n_items, "training item"),
        shown=shown,
    )


def check_pay(subject: Subject) -> Verdict:
    """R17: what people got."""
    declared = check_declared(subject, "pay")
    pay = subject.project.pay
    if declared.status != "met" or pay is None:
        return declared
    rate = (
        ""
        if pay.hourly_median is None
        else translate(
            "; median of an active hour {median} {currency}",
            median=localize_number(f"{pay.hourly_median:g}"),
            currency=pay.currency,
        )
    )
    return met(
        "{declared} Promised: {scheme}{rate}.", declared=declared.evidence, scheme=show_finding(pay.scheme), rate=rate
    )


def check_tools(subject: Subject) -> Verdict:
    """R22: which tools people might use, and what they attested."""
    declared = check_declared(subject, "ai_use")
    if declared.status != "met" or not subject.project.attestation:
        return declared
    few = translate("under 3")
    said = ", ".join(f"{fact.value} {few if fact.n is None else fact.n}" for fact in subject.project.attested)
    return met(
        "{declared} Attested after sessions: {said}.", declared=declared.evidence, said=said or translate("nothing yet")
    )


@check_scored
def check_person_scores(subject: Subject, result: DataSetResult) -> Verdict:
    """R32: the distribution of people's own scores."""
    table = subject.state.tables.annotators
    rows = table.loc[(table["dataset"] == result.data.name) & table["accuracy"].notna()]
    if rows.empty:
        return incomplete("annotators.csv has no score of anybody.")
    scores = [100 * float(value) for value in rows["accuracy"]]
    return met(
        "{people}, each with n and an interval; score: {spread}.",
        people=format_count(len(rows), "person"),
        spread=describe_spread(scores),
    )


def check_insiders(subject: Subject) -> Verdict:
    """R13: members of the team among the people, and the score without them."""
    if subject.project.imported:
        return not_seen("whether authors were among them is not known here.")
    counted = subject.first.list_counted_answers()
    unknown = counted.loc[counted["insider"].isna(), "annotator"].nunique()
    if unknown:
        return unmet(
            "Of {people} it is not known whether they belong to the team.",
            translate("Mark members of the team: `hromada people team-member`."),
            people=format_count(unknown, "person"),
        )
    insiders = counted.loc[counted["insider"].eq(other=True), "annotator"].nunique()
    if not insiders:
        return met("Nobody who answered is marked as a member of the team.")
    return check_variant(
        subject,
        WITHOUT_INSIDERS,
        found=translate("{members} answered", members=format_count(insiders, "member of the team")),
        what=translate("score without them"),
        concerns=lambda data: data.exclusion_kinds().isna() & data.responses["insider"].eq(other=True),
    )


def check_exposure(subject: Subject) -> Verdict:
    """R14: nobody had met the item, or another one of its group, before."""
    project = subject.project
    if project.imported:
        return not_seen("what they had met before is not known here.")
    if project.kind != "baseline":
        return not_applicable("It is not a baseline: people may meet a group again.")
    if project.n_unlisted_exposed is None:
        return incomplete("Whether people had met the items before was not counted.")
    if project.n_unlisted_exposed:
        return unmet(
            "{answers} came from people who had met the group before.",
            translate("List the other project under `exposure.exceptions`, so that they are scored apart."),
            answers=format_count(project.n_unlisted_exposed, "main answer"),
        )
    return _judge_exposed(subject)


def _judge_exposed(subject: Subject) -> Verdict:
    """That no exposed answer counts, and that those of listed projects are scored apart."""
    project = subject.project
    is_exposed = subject.first.responses["exposed"].eq(other=True)
    inside = int((is_exposed & subject.first.exclusion_kinds().isna()).sum())
    if inside:
        return contradictory("{answers} count in the score.", answers=format_count(inside, "exposed answer"))
    exposed = int(is_exposed.sum())
    if not project.exceptions:
        return met("No main answer that counts came from somebody who had met its group in another project.")
    listed = translate(
        "Listed exceptions: {projects}; {answers}, scored apart",
        projects=", ".join(project.exceptions),
        answers=format_count(exposed, "exposed answer"),
    )
    if not exposed:
        return met(f"{listed}.")
    return check_variant(
        subject, EXPOSED_ONLY, found=listed, what=translate("score of those answers"), concerns=_find_exposed
    )


def _find_exposed(data: DataSet) -> pd.Series[bool]:
    """The answers and skips that do not count for their exposure alone."""
    rows = data.responses
    return (data.exclusion_kinds() == EXPOSED) & (rows["response"].notna() | rows["skip_reason"].notna())


LEAST_REPEATS, LEAST_HOURS = 0.05, 24.0
FAST_SHARE = 0.25


def check_sessions(subject: Subject) -> Verdict:
    """R23: sessions, and how scores change as people go on."""
    if subject.project.imported:
        return not_seen("their sessions are not known.")
    rows = subject.first.responses
    in_sessions = rows.loc[rows["session"].notna()]
    if in_sessions.empty:
        return unmet("No answer has a session.", translate("Nothing can be done afterwards; say so."))
    sizes = list(in_sessions.groupby(["annotator", "session"]).size())
    words = translate(
        "{sessions}, answers each: {spread}.",
        sessions=format_count(len(sizes), "session"),
        spread=describe_spread(sizes),
    )
    slopes = [_describe_slope(result) for result in subject.scored]
    words = " ".join([words, *filter(None, slopes)])
    return met(words)


def _describe_slope(result: DataSetResult) -> str:
    slope = None if result.people is None else result.people.slope
    if slope is None or slope.value is None:
        return ""
    low, high = slope.low, slope.high
    interval = "" if low is None or high is None else f" [{100 * low:z.1f}, {100 * high:z.1f}]"
    value = localize_number(f"{100 * slope.value:+z.1f}")
    return translate("Ten answers on: {value} points{interval}.", value=value, interval=localize_number(interval))


def check_funnel(subject: Subject) -> Verdict:
    """R27: how many were invited, agreed, started and finished."""
    project = subject.project
    if project.imported:
        return not_seen("how many were invited is not known.")
    if project.started is None or project.finished is None:
        return incomplete("The funnel is not known.")
    steps = (
        (translate("invited"), project.invited),
        (translate("consented"), project.consented),
        (translate("started"), project.started),
        (translate("finished"), project.finished),
    )
    unknown = translate("not counted")
    words = ", ".join(f"{name} {unknown if count is None else count}" for name, count in steps)
    if project.invited_by_friends is not None:
        words += ", " + translate("invited by friends {number}", number=project.invited_by_friends)
    if project.finished > project.started:
        return contradictory("More finished than started: {words}.", words=words)
    return met(f"{words[0].upper()}{words[1:]}.")


def check_times(subject: Subject) -> Verdict:
    """R28: time per item."""
    counted = subject.first.list_counted_answers()
    seconds = counted["seconds"].dropna().astype(float)
    if seconds.empty:
        if subject.project.imported:
            return not_evidenced("The imported votes have no times.")
        return unmet("No answer has a time.", translate("Nothing can be done afterwards; say so."))
    median = statistics.median(seconds)
    q1, q3 = seconds.quantile(0.25), seconds.quantile(0.75)
    fast = float((seconds < FAST_SHARE * median).mean())
    gaps = len(counted) - len(seconds)
    missing = translate(" {answers} without a time.", answers=format_count(gaps, "answer")) if gaps else ""
    return met(
        "Median {median} s, quartiles {low}–{high} s; {fast} under a quarter of it.{missing}",
        median=localize_number(f"{median:.1f}"),
        low=localize_number(f"{q1:.1f}"),
        high=localize_number(f"{q3:.1f}"),
        fast=localize_number(f"{fast:.1%}"),
        missing=missing,
    )


def check_repeats(subject: Subject) -> Verdict:
    """R37: how far people agree with themselves, on at least 5 % of answers, a day later or more."""
    rows = subject.first.responses
    repeats = rows.loc[rows["is_repeat"].eq(other=True)]
    if subject.project.imported and repeats.empty:
        return not_evidenced("No vote is marked as a repeat.")
    counted = len(subject.first.list_counted_answers())
    share = int(repeats["gap_hours"].notna().sum()) / counted if counted else 0.0
    gaps = repeats["gap_hours"].dropna().astype(float)
    unknown = len(repeats) - len(gaps)
    timeless = translate(", {unknown} after an unknown time", unknown=unknown) if unknown else ""
    words = translate(
        "{repeats}{timeless}, {share} of the answers{same}",
        repeats=format_count(len(repeats), "repeat"),
        timeless=timeless,
        share=localize_number(f"{share:.1%}"),
        same=_describe_same(subject),
    )
    if share < LEAST_REPEATS or gaps.empty or gaps.min() < LEAST_HOURS:
        least = (
            ""
            if gaps.empty
            else translate("; the shortest gap is {hours} hours", hours=localize_number(f"{gaps.min():.1f}"))
        )
        return unmet(f"{words}{least}.", translate("Ask 5 % again after a day: `repeats: {share: 5 %, after: 24h}`."))
    return met("{words}, after {hours} hours or more.", words=words, hours=localize_number(f"{gaps.min():.1f}"))


def _describe_same(subject: Subject) -> str:
    """How often people say the same again, and Cohen's kappa of it."""
    own = subject.results[0].self_agreement
    if own is None or own.percent is None:
        return ""
    kappa = translate("undefined") if own.kappa is None else localize_number(f"{own.kappa:z.3f}")
    return translate(
        "; {share} say the same again (kappa {kappa})", share=localize_number(f"{own.percent:.1%}"), kappa=kappa
    )
