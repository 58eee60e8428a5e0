"""How much less people agree with a judge than with each other, with its interval and the test of equivalence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from aggregation.intervals.panel import Contributions, Metric, PanelIntervals, estimate_intervals
from aggregation.judges.judged_votes import JudgedVotes
from aggregation.schema import Floats, divide_safely


@dataclass(frozen=True, kw_only=True)
class AgreementDifference:
    """The mean over items of two agreements, and their difference, judge–person less person–person.

    Agreement is the share of equal answers, or minus the mean distance in points.
    """

    judge_person: float
    person_person: float
    intervals: PanelIntervals

    @property
    def value(self) -> float:
        """The difference."""
        return self.judge_person - self.person_person

    def compute_equivalence_p(self, margin: float) -> float | None:
        """The p of the two one-sided tests (Schuirmann 1987) that the difference is not within ± margin.

        For new people and new items; None without a variance for them.
        """
        variance, se = self.intervals.variance, self.intervals.se
        if se is None or variance is None:
            return None
        steps = (self.value + margin) / se, (margin - self.value) / se
        return float(max(stdtr(variance.total_df, -step) for step in steps))


def measure_difference(judged: JudgedVotes, *, confidence_level: float = 0.95) -> AgreementDifference:
    """The agreement difference of a judge.

    V = V_items + V_people: the jackknife of items, and that of people, each left out of both agreements
    (`JudgedVotes.build_contributions` says what is taken off). It covered .93 to .99 in simulation.
    """
    contributions = sum_agreement(judged)
    judge_person, person_person = contributions.sums[0, :2] / contributions.sums[0, 2]
    metric = Metric(compute=lambda sums: divide_safely(sums[:, 0] - sums[:, 1], sums[:, 2]), scale="difference")
    return AgreementDifference(
        judge_person=float(judge_person),
        person_person=float(person_person),
        intervals=estimate_intervals(metric, contributions, confidence_level=confidence_level),
    )


def sum_agreement(judged: JudgedVotes) -> Contributions:
    """By item its judge–person and its person–person agreement, and a 1; and what each person's absence changes.

    An item of two people has no pair without one of them, and is left out then.
    """
    n, own, others = judged.n_votes, judged.with_judge, judged.with_others
    of_judge, of_pairs = judged.sum_items(own), judged.sum_items(others)  # of_pairs: both directions of each pair
    columns = np.column_stack([of_judge / n, of_pairs / (n * (n - 1)), np.ones(len(n))])
    items = judged.items
    left, pairs = n[items] - 1, (n[items] - 1) * (n[items] - 2)
    without: Floats = np.column_stack(
        [
            (of_judge[items] - own) / left,
            divide_safely(of_pairs[items] - 2 * others, pairs),
            np.ones(len(items)),
        ]
    )
    without[pairs == 0] = 0.0
    return judged.build_contributions(columns, without - columns[items], by_person=True)
