"""The checks of lines on how people worked: sessions, who came and went, times, and answers to repeated items."""

from __future__ import annotations

import statistics

from exports.checklist.verdicts import Subject, Verdict, describe_spread, met, not_evidenced, not_seen, unmet
from exports.pages.display_text import format_count
from exports.pages.translation import localize_number, translate
from exports.results import DataSetResult

LEAST_REPEATS, LEAST_HOURS = 0.05, 24.0
FAST_SHARE = 0.25


def check_sessions(subject: Subject) -> Verdict:
    """R23: sessions, and how scores change as people go on."""
    if subject.project.imported:
        return not_seen(translate("their sessions are not known."))
    rows = subject.first.responses
    known = rows.loc[rows["session"].notna()]
    if known.empty:
        return unmet(translate("No answer has a session."), translate("Nothing can be done afterwards; say so."))
    sizes = list(known.groupby(["annotator", "session"]).size())
    words = translate(
        "{sessions}, answers each: {spread}.",
        sessions=format_count(len(sizes), "session"),
        spread=describe_spread(sizes),
    )
    slopes = [_describe_slope(result) for result in subject.scored]
    return met(" ".join([words, *filter(None, slopes)]))


def _describe_slope(result: DataSetResult) -> str:
    slope = None if result.people is None else result.people.slope
    if slope is None or slope.value is None:
        return ""
    low, high = slope.low, slope.high
    interval = "" if low is None or high is None else f" [{100 * low:.1f}, {100 * high:.1f}]"
    value = localize_number(f"{100 * slope.value:+.1f}")
    return translate("Ten answers on: {value} points{interval}.", value=value, interval=localize_number(interval))


def check_funnel(subject: Subject) -> Verdict:
    """R27: how many were invited, agreed, started and finished."""
    project = subject.project
    if project.imported:
        return not_seen(translate("how many were invited is not known."))
    if project.started is None or project.finished is None:
        return unmet(translate("The funnel is not known."), translate("Release again; report this."))
    steps = (
        (translate("invited"), project.invited),
        (translate("consented"), project.consented),
        (translate("started"), project.started),
        (translate("finished"), project.finished),
    )
    unknown = translate("not counted")
    words = ", ".join(f"{name} {unknown if count is None else count}" for name, count in steps)
    if project.finished > project.started:
        return unmet(translate("More finished than started: {words}.", words=words), translate("Report this."))
    return met(f"{words[0].upper()}{words[1:]}.")


def check_times(subject: Subject) -> Verdict:
    """R28: time per item."""
    counted = subject.first.list_counted_answers()
    known = counted["seconds"].dropna().astype(float)
    if known.empty:
        if subject.project.imported:
            return not_evidenced(translate("The imported votes have no times."))
        return unmet(translate("No answer has a time."), translate("Nothing can be done afterwards; say so."))
    median = statistics.median(known)
    q1, q3 = known.quantile(0.25), known.quantile(0.75)
    fast = float((known < FAST_SHARE * median).mean())
    gaps = len(counted) - len(known)
    missing = translate(" {answers} without a time.", answers=format_count(gaps, "answer")) if gaps else ""
    return met(
        translate(
            "Median {median} s, quartiles {low}–{high} s; {fast} under a quarter of it.{missing}",
            median=localize_number(f"{median:.1f}"),
            low=localize_number(f"{q1:.1f}"),
            high=localize_number(f"{q3:.1f}"),
            fast=localize_number(f"{fast:.1%}"),
            missing=missing,
        )
    )


def check_repeats(subject: Subject) -> Verdict:
    """R37: how far people agree with themselves, on at least 5 % of answers, a day later or more."""
    rows = subject.first.responses
    repeats = rows.loc[rows["is_repeat"].eq(other=True)]
    if subject.project.imported and repeats.empty:
        return not_evidenced(translate("No vote is marked as a repeat."))
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
    return met(
        translate("{words}, after {hours} hours or more.", words=words, hours=localize_number(f"{gaps.min():.1f}"))
    )


def _describe_same(subject: Subject) -> str:
    """How often people say the same again, and Cohen's kappa of it."""
    own = subject.results[0].self_agreement
    if own is None or own.percent is None:
        return ""
    kappa = translate("undefined") if own.kappa is None else localize_number(f"{own.kappa:.3f}")
    return translate(
        "; {share} say the same again (kappa {kappa})", share=localize_number(f"{own.percent:.1%}"), kappa=kappa
    )
