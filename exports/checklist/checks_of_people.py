"""The checks of lines on people: who they were, what they agreed to, how they were found, taught, paid and timed."""

from __future__ import annotations

import statistics

from exports.checklist.verdicts import (
    ELSEWHERE,
    Subject,
    Verdict,
    count_words,
    describe_spread,
    judge_each,
    met,
    not_evidenced,
    not_scored,
    unmet,
)
from exports.results import DataSetResult

FEW_PEOPLE = 10
"""Below this many people the literature asks for a warning."""
LEAST_REPEATS, LEAST_HOURS = 0.05, 24.0
FAST_SHARE = 0.25


def check_contributors(subject: Subject) -> Verdict:
    """R02: people with an answer that counts, and how many items each answered."""
    counted = subject.first.list_counted_answers()
    if counted.empty:
        return unmet("Nobody's answer counts.", "Collect or import answers first.")
    items = counted.groupby("annotator")["item_id"].nunique()
    few = f" Fewer than {FEW_PEOPLE} people." if len(items) < FEW_PEOPLE else ""
    return met(f"{count_words(len(items), 'contributing annotator')}; items each: {describe_spread(list(items))}.{few}")


def check_ethics(subject: Subject) -> Verdict:
    """R09: the ethics review, in the organiser's words."""
    return check_declared(subject, "ethics")


def check_declared(subject: Subject, name: str) -> Verdict:
    """A fact that only the organiser can declare."""
    value = subject.project.declared.get(name, "").strip()
    if not value:
        meaning = subject.project.declared_meanings.get(name, "")
        return unmet(
            f"`declared.{name}` is empty.", f"Write under `declared.{name}` {meaning}, and load the file again."
        )
    return met(f"Declared: “{value}”.")


def check_consent(subject: Subject) -> Verdict:
    """R10: everybody agreed to a text before their first main answer."""
    project = subject.project
    if project.imported:
        return not_evidenced(f"{ELSEWHERE}: what they agreed to was not seen here.")
    if project.n_without_consent is None:
        return unmet("No consent is asked for.", "Name a text under `consent` in the project or programme file.")
    if project.n_without_consent:
        return unmet(
            f"{count_words(project.n_without_consent, 'main answer')} came before any consent of their annotator.",
            "Exclude them, or record the agreements that were given on paper: `hromada people agree`.",
        )
    texts = [text for text in project.texts if text.kind == "consent"]
    if not texts or not all(text.text for text in texts):
        return unmet("The text of the consent is not stored.", "Load the file again.")
    versions = ", ".join(f"version {text.version}: {count_words(text.n_people or 0, 'person')}" for text in texts)
    return met(f"Nobody answered before agreeing ({versions}). Pseudonyms are keyed; no file holds an id of anybody.")


def check_population(subject: Subject) -> Verdict:
    """R11: the population of interest, and what people said about themselves."""
    declared = check_declared(subject, "population")
    if declared.status != "met":
        return declared
    fields = ", ".join(subject.project.profile_fields) or "not collected"
    return met(f"{declared.evidence} Asked of people: {fields}; cells under 3 are suppressed.")


def check_recruitment(subject: Subject) -> Verdict:
    """R12: how people were found."""
    return check_declared(subject, "recruitment")


def check_qualification(subject: Subject) -> Verdict:
    """R15: the qualification, its rule, and how many tried, passed and failed."""
    project = subject.project
    if project.imported:
        return not_evidenced(f"{ELSEWHERE}: how they qualified was not seen here.")
    stage = project.qualification
    if stage is None:
        return met("No qualification was asked for.")
    words = (
        f"{stage.rule}, on {count_words(stage.n_items, 'item')}: {stage.n_tried} tried, {stage.n_passed} passed,"
        f" {stage.n_failed} failed."
    )
    if stage.fixed_before is False or (stage.fixed_before is None and stage.n_tried):
        known = "was not" if stage.fixed_before is False else "is not known to have been"
        return unmet(f"{words} The rule {known} fixed before the first attempt.", "Say so, and start a new project.")
    return met(words)


def check_training(subject: Subject) -> Verdict:
    """R16: the training, apart from what is scored."""
    project = subject.project
    if project.imported:
        return not_evidenced(f"{ELSEWHERE}: how they were trained was not seen here.")
    if project.shared_ids or project.shared_groups:
        return unmet(
            f"{count_words(project.shared_ids, 'item')} and {count_words(project.shared_groups, 'group')} of training,"
            " qualification, control or pilot are among the main items, too.",
            "Take them out of the main items.",
        )
    n_items = len(project.training_items)
    if not n_items:
        return met("No training was given; no item of another pool, nor its group, is a main item.")
    shown = "the gold and an explanation" if project.training_explains else "the gold"
    return met(f"{count_words(n_items, 'training item')}, each answer followed by {shown}; apart by item and group.")


def check_pay(subject: Subject) -> Verdict:
    """R17: what people got."""
    declared = check_declared(subject, "pay")
    pay = subject.project.pay
    if declared.status != "met":
        return declared
    if pay is None:
        return declared
    rate = "" if pay.hourly_median is None else f"; median of an active hour {pay.hourly_median:g} {pay.currency}"
    return met(f"{declared.evidence} Promised: {pay.scheme}{rate}.")


def check_tools(subject: Subject) -> Verdict:
    """R22: which tools people might use, and what they attested."""
    declared = check_declared(subject, "ai_use")
    if declared.status != "met" or not subject.project.attestation:
        return declared
    said = ", ".join(f"{one.value} {one.n if one.n is not None else 'under 3'}" for one in subject.project.attested)
    return met(f"{declared.evidence} Attested after sessions: {said or 'nothing yet'}.")


def check_sessions(subject: Subject) -> Verdict:
    """R23: sessions, and how scores change as people go on."""
    if subject.project.imported:
        return not_evidenced(f"{ELSEWHERE}: their sessions are not known.")
    rows = subject.first.responses
    known = rows.loc[rows["session"].notna()]
    if known.empty:
        return unmet("No answer has a session.", "Nothing can be done afterwards; say so.")
    sizes = list(known.groupby(["annotator", "session"]).size())
    words = f"{count_words(len(sizes), 'session')}, answers each: {describe_spread(sizes)}."
    slopes = [_describe_slope(result) for result in subject.scored]
    return met(" ".join([words, *filter(None, slopes)]))


def _describe_slope(result: DataSetResult) -> str:
    slope = None if result.people is None else result.people.slope
    if slope is None or slope.value is None:
        return ""
    low, high = slope.low, slope.high
    interval = "" if low is None or high is None else f" [{100 * low:.1f}, {100 * high:.1f}]"
    return f"Ten answers on: {100 * slope.value:+.1f} points{interval}."


def check_funnel(subject: Subject) -> Verdict:
    """R27: how many were invited, agreed, started and finished."""
    project = subject.project
    if project.imported:
        return not_evidenced(f"{ELSEWHERE}: how many were invited is not known.")
    if project.started is None or project.finished is None:
        return unmet("The funnel is not known.", "Release again; report this.")
    steps = {
        "invited": project.invited,
        "consented": project.consented,
        "started": project.started,
        "finished": project.finished,
    }
    words = ", ".join(f"{name} {count if count is not None else 'not counted'}" for name, count in steps.items())
    if project.finished > project.started:
        return unmet(f"More finished than started: {words}.", "Report this.")
    return met(f"{words[0].upper()}{words[1:]}.")


def check_times(subject: Subject) -> Verdict:
    """R28: time per item."""
    counted = subject.first.list_counted_answers()
    known = counted["seconds"].dropna().astype(float)
    if known.empty:
        if subject.project.imported:
            return not_evidenced("The imported votes have no times.")
        return unmet("No answer has a time.", "Nothing can be done afterwards; say so.")
    median = statistics.median(known)
    q1, q3 = known.quantile(0.25), known.quantile(0.75)
    fast = float((known < FAST_SHARE * median).mean())
    gaps = len(counted) - len(known)
    missing = f" {count_words(gaps, 'answer')} without a time." if gaps else ""
    return met(f"Median {median:.1f} s, quartiles {q1:.1f}–{q3:.1f} s; {fast:.1%} under a quarter of it.{missing}")


def check_person_scores(subject: Subject) -> Verdict:
    """R32: the distribution of people's own scores."""
    if not subject.scored:
        return not_scored(subject)
    table = subject.state.tables.annotators

    def judge(result: DataSetResult) -> Verdict:
        rows = table.loc[(table["dataset"] == result.data.name) & table["accuracy"].notna()]
        if rows.empty:
            return unmet("annotators.csv has no score of anybody.", "Release again; report this.")
        scores = [100 * float(value) for value in rows["accuracy"]]
        return met(
            f"{count_words(len(rows), 'person')}, each with n and Wilson's interval; score: {describe_spread(scores)}."
        )

    return judge_each(subject.scored, judge)


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
    timeless = f", {unknown} after an unknown time" if unknown else ""
    words = f"{count_words(len(repeats), 'repeat')}{timeless}, {share:.1%} of the answers{_describe_same(subject)}"
    if share < LEAST_REPEATS or gaps.empty or gaps.min() < LEAST_HOURS:
        least = "" if gaps.empty else f"; the shortest gap is {gaps.min():.1f} hours"
        return unmet(f"{words}{least}.", "Ask 5 % again after a day: `repeats: {share: 5 %, after: 24h}`.")
    return met(f"{words}, after {gaps.min():.1f} hours or more.")


def _describe_same(subject: Subject) -> str:
    """How often people say the same again, and Cohen's kappa of it."""
    own = subject.results[0].self_agreement
    if own is None or own.percent is None:
        return ""
    kappa = "undefined" if own.kappa is None else f"{own.kappa:.3f}"
    return f"; {own.percent:.1%} say the same again (kappa {kappa})"
