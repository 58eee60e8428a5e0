"""The verdict on a judge in one sentence, and what is doubtful of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aggregation.findings import Finding, name_figure
from aggregation.intervals.panel import NO_INTERVAL, NO_VARIANCE
from aggregation.intervals.shares import Interval
from aggregation.judges.alternative_annotator import FEWEST_ITEMS, AlternativeTest
from aggregation.judges.judged_votes import JudgedVotes
from aggregation.judges.records import JudgeRules, JudgeScore
from aggregation.judges.side_bias import SwapCounts

FEWEST_DISPUTED, ALMOST_ALL = 10, 0.95  # items on which a judge that equals people's majority is doubtful
MOST_NAMES = 5
FINE_WIDTH = 0.02  # of intervals that are written with three digits


def find_verdict(row: JudgeScore, rules: JudgeRules, *, has_points: bool) -> str:
    """One sentence: what the judge's agreement is beside people's, of how many, and the margin."""
    fresh = Interval(low=row.ci_low, high=row.ci_high)
    this = Interval(low=row.item_only_low, high=row.item_only_high)
    shown, basis = (fresh, "judge-new-people") if fresh.low is not None else (this, "judge-these-people")
    if shown.low is None or shown.high is None or row.value is None:
        shown, basis = NO_INTERVAL, "judge-no-interval"
        claim = "judge-equal" if row.value == 0 and row.reason == NO_VARIANCE else "judge-open"
    elif row.passes:
        claim = "judge-equal"
    else:
        claim = "judge-less" if shown.high < 0 else "judge-more" if shown.low > 0 else "judge-open"
    digits, ends = 2, ""
    if shown.low is not None and shown.high is not None:
        digits = 2 if shown.high - shown.low >= FINE_WIDTH else 3
        ends = f" [{_write(shown.low, digits)}, {_write(shown.high, digits)}]"
    return Finding(
        "judge-verdict",
        claim=Finding(claim),
        difference=name_figure(_write(row.value or 0.0, digits) + ends),
        unit=Finding("judge-points" if has_points else "judge-shares"),
        basis=Finding(basis),
        people=row.n_annotators,
        items=row.n_items,
        margin=_describe_margin(row, rules),
    )


def _describe_margin(row: JudgeScore, rules: JudgeRules) -> Finding:
    """What the equivalence test says, and when its margin was named."""
    if rules.margin is None:
        return Finding("margin-none")
    when = Finding(f"margin-{rules.margin_source}")
    margin = name_figure(_write(rules.margin))
    if row.p_margin is None:
        return Finding("margin-untested", margin=margin, when=when)
    code = "margin-within" if row.passes else "margin-not-within"
    return Finding(code, margin=margin, when=when, p=name_figure(_write_p(row.p_margin)))


def _write_p(p: float) -> str:
    return "p < .001" if p < 0.001 else "p > .999" if p > 0.999 else f"p = {p:.3f}".replace("0.", ".")


def _write(number: float, digits: int = 2) -> str:
    """A number without a zero before its point."""
    written = f"{number:z.{digits}f}".replace("-", "−")
    return written.replace("0.", ".", 1) if abs(number) < 1 else written


def list_notes(judged: JudgedVotes, test: AlternativeTest, swaps: SwapCounts) -> Iterator[str]:
    """What is doubtful, or was left out."""
    if test.tested:
        yield Finding("judge-passes-rarely")
    untested = [person.annotator for person in test.people if person.p_value is None]
    if test.tested and untested:
        yield Finding("judge-few-items", n=len(untested), names=", ".join(untested[:MOST_NAMES]), least=FEWEST_ITEMS)
    n_pairs = int((judged.n_votes == 2).sum())
    if n_pairs:
        yield Finding("judge-two-people", n=n_pairs, items=judged.n_items)
    n_equal, n_disputed = _count_majorities(judged)
    if n_disputed >= FEWEST_DISPUTED and n_equal >= ALMOST_ALL * n_disputed:
        yield Finding("judge-circular", n=n_equal, items=n_disputed)
    if swaps.n_items:
        yield Finding("judge-swapped", n=swaps.n_equal, items=swaps.n_items)
        if swaps.n_items > swaps.n_equal:
            n = swaps.n_items - swaps.n_equal
            yield Finding("judge-sides", n=n, first=swaps.n_first, last=swaps.n_last)


def _count_majorities(judged: JudgedVotes) -> tuple[int, int]:
    """On how many items with one majority that not all people are in the judge says the same; how many there are."""
    items, values, counts, _ = judged.count_answers()
    most = np.zeros(judged.n_items)
    np.maximum.at(most, items, counts)
    is_most = counts == most[items]
    disputed = (np.bincount(items, weights=is_most) == 1) & (most < judged.n_votes)
    majority = is_most & disputed[items]
    return int((values[majority] == judged.judge[items[majority]]).sum()), int(disputed.sum())
