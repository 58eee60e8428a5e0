"""The alternative annotator test: whether a judge represents the other people better than a person does.

Calderon, Reichart and Dror 2025, "The Alternative Annotator Test for LLM-as-a-Judge" (arXiv:2501.10970).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from aggregation.intervals.panel import Metric, PanelIntervals, estimate_intervals
from aggregation.judges.judged_votes import JudgedVotes
from aggregation.schema import Floats, divide_safely

FEWEST_ITEMS = 30
"""The fewest items of a person who is tested."""
EPSILON = 0.1
"""What the judge may be worse by, because it is cheaper: .1 for a crowd, .15 for the skilled, .2 for experts."""
FALSE_DISCOVERIES = 0.05
PASSING_SHARE = 0.5
ROUNDING = 1e-9  # of sums of squares that are equal


@dataclass(frozen=True, kw_only=True)
class JudgedPerson:
    """A person beside the judge: on how many of `n` items the judge is as near to the others, or nearer.

    `advantage` is that share. `p_value` tests that the person is nearer than the judge by `epsilon` or more, `p_by` is
    corrected over the people (Benjamini and Yekutieli 2001), and `rejected` says that the judge wins. They are None for
    a person with fewer than FEWEST_ITEMS items.
    """

    annotator: str
    n: int
    advantage: float
    p_value: float | None = None
    p_by: float | None = None
    rejected: bool | None = None


@dataclass(frozen=True, kw_only=True)
class AlternativeTest:
    """The people beside a judge; the mean advantage over those who are tested, and the share who are rejected.

    Both are None where nobody has FEWEST_ITEMS items, and so are the intervals of the advantage.
    """

    people: tuple[JudgedPerson, ...]
    advantage_probability: float | None = None
    winning_rate: float | None = None
    intervals: PanelIntervals | None = None

    @property
    def tested(self) -> tuple[JudgedPerson, ...]:
        """The people who are tested."""
        return tuple(person for person in self.people if person.p_value is not None)


def adjust_by_benjamini_yekutieli(p_values: Sequence[float]) -> Floats:
    """The adjusted p values, in the order given: p · m/r · Σ 1/i of rank r of m, none above one of higher rank or 1."""
    p = np.asarray(p_values, dtype=np.float64)
    order, ranks = np.argsort(p), np.arange(1, len(p) + 1)
    scaled = p[order] * len(p) / ranks * (1 / ranks).sum()
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return adjusted


def compare_with_people(judged: JudgedVotes, *, epsilon: float = EPSILON, level: float = 0.95) -> AlternativeTest:
    """Compare a judge with each person by how near both are to the others: equal answers, or minus the RMSE of points.

    On ties of nearness the judge has the advantage, and the test takes them as nobody's.
    """
    wins, ties = _compare_votes(judged)
    leads = np.where(ties, 0.0, 1 - 2 * wins)
    own_votes = np.split(np.argsort(judged.people, kind="stable"), np.cumsum(np.bincount(judged.people))[:-1])
    rows = [
        (code, len(own), float(wins[own].mean()), _test_lead(leads[own], epsilon)) for code, own in enumerate(own_votes)
    ]
    tested = [code for code, _, _, p in rows if p is not None]
    adjusted = dict(zip(tested, adjust_by_benjamini_yekutieli([p for *_, p in rows if p is not None]), strict=True))
    people = [
        JudgedPerson(
            annotator=str(judged.person_ids[code]),
            n=n,
            advantage=advantage,
            p_value=p,
            p_by=None if p is None else float(adjusted[code]),
            rejected=None if p is None else bool(adjusted[code] <= FALSE_DISCOVERIES),
        )
        for code, n, advantage, p in rows
    ]
    people.sort(key=lambda person: person.annotator)
    if not tested:
        return AlternativeTest(people=tuple(people))
    counted = [person for person in people if person.rejected is not None]
    return AlternativeTest(
        people=tuple(people),
        advantage_probability=float(np.mean([person.advantage for person in counted])),
        winning_rate=float(np.mean([person.rejected for person in counted])),
        intervals=_estimate_advantage(judged, wins, tested, level),
    )


def _compare_votes(judged: JudgedVotes) -> tuple[Floats, NDArray[np.bool_]]:
    """For each vote whether the judge is as near to the other votes or nearer (1 or 0), and whether both are equal."""
    items = judged.items
    if judged.has_points:  # the RMSE over the same others is compared by its sum of squares
        values, told, n = judged.values, judged.judge[items], judged.n_votes[items]
        sums, squares = judged.sum_items(values)[items], judged.sum_items(values**2)[items]
        from_person = squares - 2 * values * sums + n * values**2
        from_judge = squares - 2 * told * sums + n * told**2 - (told - values) ** 2
        lead = from_person - from_judge
    else:
        lead = judged.sum_items(judged.with_judge)[items] - judged.with_judge - judged.with_others
    return (lead >= -ROUNDING).astype(np.float64), np.abs(lead) <= ROUNDING


def _test_lead(leads: Floats, epsilon: float) -> float | None:
    """The one-sided p of Student's t that the mean lead of a person is epsilon or more; 0 or 1 where nothing varies."""
    if len(leads) < FEWEST_ITEMS:
        return None
    se = float(leads.std(ddof=1)) / len(leads) ** 0.5
    if se == 0:
        return 0.0 if leads.mean() < epsilon else 1.0
    return float(stdtr(len(leads) - 1, (leads.mean() - epsilon) / se))


def _estimate_advantage(judged: JudgedVotes, wins: Floats, tested: list[int], level: float) -> PanelIntervals:
    """The intervals of the mean over the tested people of their advantage, each person with an equal weight."""
    kept = np.isin(judged.people, tested)
    rows = replace(judged, items=judged.items[kept], people=np.searchsorted(tested, judged.people[kept]))
    weights = 1 / np.bincount(rows.people)[rows.people] * len(rows.items)
    changes = np.column_stack([weights * wins[kept], weights])
    columns = np.column_stack([rows.sum_items(column) for column in changes.T])
    contributions = replace(
        rows.build_contributions(columns, changes, by_person=False),
        n_people=len(tested),
        people_factor=len(tested) / max(len(tested) - 1, 1),
    )
    metric = Metric(compute=lambda sums: divide_safely(sums[:, 0], sums[:, 1]), scale="fraction")
    return estimate_intervals(metric, contributions, confidence_level=level)
