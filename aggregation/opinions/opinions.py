"""What people think of texts, by the system that wrote them: shares of points, the median, the mean, differences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from aggregation.comparison.difference_tests import adjust_by_holm, compute_p_value
from aggregation.findings import Finding
from aggregation.intervals.panel import Contributions, Metric, PanelIntervals, estimate_intervals
from aggregation.ratings import Middle, Ratings, count_points, find_median, sum_changes
from aggregation.schema import divide_safely
from aggregation.scores.graded_answers import build_column_mean
from aggregation.scores.performance import Score, build_score, describe_methods, warn_of_few_people

ALL_SYSTEMS = ""
"""In place of the name of a system: the votes on all texts."""


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """What people think of the texts of one system, or of all (`system` is ALL_SYSTEMS).

    `counts` has the number of votes of each point, from the lowest; `shares` the share of each, and `at_least` the
    share of votes at it or above. `mean` is None if the level of measurement allows none. `warnings` say what makes
    intervals doubtful.
    """

    system: str
    counts: tuple[int, ...]
    shares: tuple[Score, ...]
    at_least: tuple[Score, ...]
    median: Middle
    mean: Score | None
    n_items: int
    n_annotators: int
    n_answers: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class OpinionDifference:
    """The mean opinion of one system less that of another, over all votes on both.

    `n_common_people` rated texts of both systems; without any the difference holds how severe different people are,
    which `warnings` say. `p_value` is that of no difference for new people and new items (Student's t), `p_holm`
    corrected over the pairs of systems.
    """

    one: str
    two: str
    difference: Score
    n_items: int
    n_annotators: int
    n_answers: int
    n_common_people: int
    p_value: float | None
    p_holm: float | None
    warnings: tuple[str, ...]


def measure_opinions(ratings: Ratings, *, confidence_level: float) -> tuple[Opinion, ...]:
    """The opinion of all texts, then of those of each system, if systems are named."""
    everything = np.ones(len(ratings.items), dtype=bool)
    opinions = [_measure(ratings, ALL_SYSTEMS, everything, confidence_level)]
    opinions += [
        _measure(ratings, name, _choose_system(ratings, name), confidence_level) for name in ratings.system_names
    ]
    return tuple(opinions)


def compare_systems(ratings: Ratings, *, confidence_level: float) -> tuple[OpinionDifference, ...]:
    """The difference between each two systems; none if the level of measurement allows no means."""
    if not ratings.has_means:
        return ()
    pairs = [_compare(ratings, one, two, confidence_level) for one, two in combinations(ratings.system_names, 2)]
    adjusted = adjust_by_holm([pair.p_value for pair in pairs])
    return tuple(replace(pair, p_holm=p) for pair, p in zip(pairs, adjusted, strict=True))


def _choose_system(ratings: Ratings, name: str) -> NDArray[np.bool_]:
    of_item = np.array([system == name for system in ratings.systems], dtype=bool)
    return np.asarray(of_item[ratings.items])


def _measure(ratings: Ratings, system: str, keep: NDArray[np.bool_], confidence_level: float) -> Opinion:
    """Columns: each point, the sum of numbers, the number of votes."""
    width = len(ratings.names)
    weights = np.column_stack([np.eye(width), ratings.points, np.ones(width)])
    contributions = ratings.sum_votes(weights, keep=keep)
    counts = count_points(ratings, keep)
    score = partial(_score, contributions=contributions, confidence_level=confidence_level)
    used = [place for place in range(width) if counts[place]]
    mean = None
    if ratings.has_means:
        mean = score("mean", build_column_mean(width, "difference")).clip(*ratings.ends)
    return Opinion(
        system=system,
        counts=tuple(int(count) for count in counts),
        shares=tuple(score(f"share_{ratings.names[place]}", _share(place, place + 1)) for place in used),
        at_least=tuple(score(f"share_at_least_{ratings.names[place]}", _share(place, width)) for place in used[1:]),
        median=find_median(ratings, np.sort(ratings.values[keep])),
        mean=mean,
        n_items=len(contributions.columns),
        n_annotators=contributions.n_people,
        n_answers=int(counts.sum()),
        warnings=warn_of_few_people("individual", contributions.people, n_annotators=contributions.n_people),
    )


def _share(start: int, end: int) -> Metric:
    """The share of votes at some neighbouring points."""
    return Metric(compute=lambda sums: divide_safely(sums[:, start:end].sum(axis=1), sums[:, -1]), scale="share")


def _score(name: str, metric: Metric, *, contributions: Contributions, confidence_level: float) -> Score:
    intervals = estimate_intervals(metric, contributions, confidence_level=confidence_level)
    return score_contributions(name, metric, contributions, intervals)


def score_contributions(name: str, metric: Metric, contributions: Contributions, intervals: PanelIntervals) -> Score:
    """The score of a metric of contributions, with its intervals and the words for how they were made."""
    methods = describe_methods(
        "individual",
        contributions.people,
        n_annotators=contributions.n_people,
        n_groups=contributions.n_groups,
        n_items=len(contributions.columns),
    )
    return build_score(name, intervals, value=float(metric.compute(contributions.sums)[0]), methods=methods)


def _compare(ratings: Ratings, one: str, two: str, confidence_level: float) -> OpinionDifference:
    """Columns: the sum of numbers and the number of votes of the one system, then those of the other."""
    of_one, of_two = _choose_system(ratings, one), _choose_system(ratings, two)
    keep = of_one | of_two
    points, width = ratings.points, len(ratings.points)
    own, nothing = np.column_stack([points, np.ones(width)]), np.zeros((width, 2))
    changes = np.vstack([np.hstack([own, nothing]), np.hstack([nothing, own])])
    contributions = sum_changes(
        changes,
        (ratings.places + width * of_two)[keep],
        items=ratings.items[keep],
        people=ratings.annotators[keep],
        groups=ratings.groups,
    )
    metric = Metric(
        compute=lambda sums: divide_safely(sums[:, 0], sums[:, 1]) - divide_safely(sums[:, 2], sums[:, 3]),
        scale="difference",
    )
    intervals = estimate_intervals(metric, contributions, confidence_level=confidence_level)
    score = score_contributions("mean", metric, contributions, intervals)
    low, high = ratings.ends
    common = len(set(ratings.annotators[of_one]) & set(ratings.annotators[of_two]))
    p_value = None
    if intervals.variance is not None and intervals.se and score.value is not None:
        p_value = compute_p_value(score.value, se=intervals.se, df=intervals.variance.total_df)
    few = warn_of_few_people("individual", contributions.people, n_annotators=contributions.n_people)
    return OpinionDifference(
        one=one,
        two=two,
        difference=score.clip(low - high, high - low),
        n_items=len(contributions.columns),
        n_annotators=contributions.n_people,
        n_answers=int(keep.sum()),
        n_common_people=common,
        p_value=p_value,
        p_holm=None,
        warnings=(*few, *(() if common else (Finding("other-people"),))),
    )
