"""Every figure of `ratings-known-answers.json`: computed below within its tolerance, or listed as not built.

Figures that a command prints are tried through it too: `tests/cli/test_known_ratings.py`, `test_opinions.py` and
`test_preference_ranking.py`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri

from aggregation.agreement.icc import compute_iccs
from aggregation.comparison.soft_labels import (
    JENSEN_SHANNON,
    MANHATTAN,
    measure_squared_distance,
    measure_term,
    score_distributions,
)
from aggregation.findings import get_code
from aggregation.intervals.panel import PanelVariance, estimate_variance
from aggregation.judges.alternative_annotator import adjust_by_benjamini_yekutieli, compare_with_people
from aggregation.judges.corrected_means import correct_share, power_mean
from aggregation.judges.judged_votes import join_judge
from aggregation.opinions.opinions import measure_opinions
from aggregation.opinions.people import measure_severity, standardise
from aggregation.preferences.results import PreferenceResults, measure_preferences
from aggregation.preferences.strengths import Counts, fit_strengths
from aggregation.ratings import Ratings, read_ratings
from aggregation.schema import Floats, Votes, check_votes
from aggregation.scores.graded_answers import build_column_mean
from aggregation.scores.points import compute_weighted_kappa, score_points
from aggregation.scores.ranks import correlate_ranks
from exports.vote_distributions import compute_entropy

Given = Mapping[str, Any]
NOT_BUILT = {
    "best-worst": ("score a", "score b", "score c", "score d"),
    "davidson-pudding": ("rao_kupper_worth", "rao_kupper_tau", "rao_kupper_loglik"),
}
"""Best-worst scaling is no type of question; half ties and Davidson's model already give the order of Rao and Kupper.

Cohen's weights by hand are no option of a project: `compute_weighted_kappa` has them as a function alone.
"""
TOLERANCES = {"estimate_tuned": 0.01, "share_left_ties_half": 1e-8}
"""Libraries estimate λ from ten items in two ways, as a note of the file says; 2/3 is written with eight digits."""


def list_known() -> dict[str, Given]:
    """The known answers by id; none without the folder that has them."""
    folder = os.environ.get("HROMADA_SHARED")
    if folder is None:
        return {}
    path = Path(folder) / "reference" / "ratings-known-answers.json"
    return {case["id"]: case for case in json.loads(path.read_text(encoding="utf-8"))["cases"]}


def rate(table: Sequence[Sequence[object]], points: Sequence[str], gold: Sequence[object] | None = None) -> Votes:
    """Votes of a table, items × people, on an interval scale."""
    names = [f"i{number:03}" for number in range(len(table))]
    rows = [(name, f"p{n}", str(said)) for name, own in zip(names, table, strict=True) for n, said in enumerate(own)]
    right = [None if gold is None else str(one) for one in gold or names]
    facts = {"group": names, "gold": pd.Series(right, dtype=object).to_numpy(), "n_options": len(points)}
    items = pd.DataFrame(facts, index=pd.Index(names, name="item"))
    frame = pd.DataFrame(rows, columns=["item", "annotator", "answer"])
    return check_votes(frame, items=items, classes=tuple(points), measurement_level="interval")


def read(given: Given) -> Ratings:
    """Ratings from 1 to 10."""
    ratings = read_ratings(rate(given["ratings"], [str(point) for point in range(1, 11)]))
    assert ratings is not None
    return ratings


def find_iccs(given: Given) -> Given:
    found = compute_iccs(np.array(given["ratings"], dtype=float))
    ends = {name: icc.ends or (None, None) for name, icc in found.items()}
    return {name: {"value": icc.value, "low": ends[name][0], "high": ends[name][1]} for name, icc in found.items()}


def refuse_constant(given: Given) -> Given:
    values = {icc.value for icc in compute_iccs(np.array(given["ratings"], dtype=float)).values()}
    return {"value": values.pop() if len(values) == 1 else values}


def find_severity(given: Given) -> Given:
    ratings = read(given)
    people = measure_severity(ratings, confidence_level=0.95).people
    return {"severity": people["least_squares"].tolist(), "grand_mean": float(ratings.values.mean())}


def find_mean(given: Given) -> Given:
    """The parts of the variance as they are before they are corrected: ·G/(G-1) of items, ·A/(A-1) less the cells."""
    ratings = read(given)
    (opinion,) = measure_opinions(ratings, confidence_level=0.95)
    assert opinion.mean is not None
    contributions = ratings.sum_votes(np.column_stack([ratings.points, np.ones(len(ratings.points))]))
    variance = estimate_variance(build_column_mean(0, "difference"), contributions)
    n_items, n_people = len(ratings.item_ids), len(ratings.annotator_ids)
    table = np.array(given["ratings"], dtype=float)
    cell = float(((table - table.mean()) ** 2).sum()) / table.size**2
    parts = PanelVariance(
        items=variance.items, people=variance.people, items_df=n_items - 1, people_df=variance.people_df
    )
    return {
        "mean": opinion.mean.value,
        "median": opinion.median.value,
        "v_items": variance.items,
        "v_items_raw": variance.items * (n_items - 1) / n_items,
        "v_people_net": variance.people,
        "v_people_raw": ((variance.people or 0.0) + cell) * (n_people - 1) / n_people,
        "v_cell": cell,
        "df_without_kurtosis": parts.total_df,
        "fresh_low_hromada": opinion.mean.ci_low,
        "fresh_high_hromada": opinion.mean.ci_high,
        "this_low_hromada": opinion.mean.item_only_low,
        "this_high_hromada": opinion.mean.item_only_high,
    }


def correlate(given: Given) -> Floats:
    """Spearman and Kendall of two lists."""
    one, two = (np.unique(given[side], return_inverse=True)[1] for side in "xy")
    table = np.zeros((1, one.max() + 1, two.max() + 1))
    np.add.at(table, (0, one, two), 1)
    return correlate_ranks(table)[0]


def score_against_gold(given: Given) -> Given:
    votes = rate([[one] for one in given["people"]], "12345", given["gold"])
    pairs = np.zeros((5, 5))
    np.add.at(pairs, (np.array(given["people"]) - 1, np.array(given["gold"]) - 1), 1)
    steps = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    assert compute_weighted_kappa(pairs, steps**2) == pytest.approx(0.86311787, abs=1e-5)
    scores = {score.metric: score.value for score in score_points(votes, confidence_level=0.95)[0].scores}
    return scores | {"kappa_linear": compute_weighted_kappa(pairs, steps)}


def weigh_disagreement(given: Given) -> Given:
    shares = np.array(given["shares"])
    weights = {"kappa": 1 - np.eye(3), "kappa_weighted": np.array(given["weights"])}
    return {name: compute_weighted_kappa(shares, own) for name, own in weights.items()}


def weigh(strengths: Floats) -> list[float]:
    """Worths, which sum to one."""
    worths = np.exp(strengths)
    return [float(worth) for worth in worths / worths.sum()]


def rank_citations(given: Given) -> Given:
    """Against the first journal; the published errors take comparisons as independent."""
    wins = np.array(given["wins_row_over_column"], dtype=float)
    fitted = fit_strengths(Counts(wins, np.zeros_like(wins)), tuple(given["names"]))
    contrasts = np.column_stack([-np.ones(3), np.eye(3), np.zeros(3)])
    errors = np.sqrt(np.diag(contrasts @ fitted.inverse @ contrasts.T))
    return {"coefficients": [*(contrasts[:, :4] @ fitted.strengths)], "se": [*errors]}


def rank_puddings(given: Given) -> Given:
    wins, ties = np.zeros((2, 6, 6))
    for one, two, _, first, second, tied in given["rows"]:
        wins[one - 1, two - 1], wins[two - 1, one - 1] = first, second
        ties[one - 1, two - 1] = ties[two - 1, one - 1] = tied
    counts, names = Counts(wins, ties), tuple("123456")
    davidson = fit_strengths(counts, names, "davidson")
    return {
        "davidson_worth": weigh(davidson.strengths),
        "davidson_nu": davidson.tie_parameter,
        "davidson_loglik": davidson.log_likelihood,
        "half_win_worth": weigh(fit_strengths(counts, names).strengths),
    }


def compare(pairs: Sequence[tuple[object, object, float]]) -> PreferenceResults:
    """The results of comparisons: two systems, and the points of the first."""
    return measure_preferences(pd.DataFrame(list(pairs), columns=["one", "two", "outcome"]))


def compare_winners(given: Given) -> PreferenceResults:
    return compare([(str(winner), str(loser), 1.0) for winner, loser in given["winner_loser"]])


def rank_ties(given: Given) -> Given:
    points = {"left": 1.0, "tie": 0.5, "right": 0.0}
    rows = zip(given["left"], given["right"], given["winner"], strict=True)
    found = compare([(str(left), str(right), points[winner]) for left, right, winner in rows])
    counts = found.counts
    fitted = fit_strengths(counts, found.comparisons.systems)
    return {"points": [*(counts.wins + counts.ties / 2).sum(axis=1)], "worth": weigh(fitted.strengths)}


def rank_circle(given: Given) -> Given:
    found = compare_winners(given)
    worth = weigh(fit_strengths(found.counts, found.comparisons.systems).strengths)
    return {"worth": worth, "condorcet_winner": found.cycles.winner, "circular_triads": found.cycles.triads}


def refuse_ranking(code: str) -> Callable[[Given], Given]:
    """A ranking without a number, and the sentence that says why."""

    def refuse(given: Given) -> Given:
        found = compare_winners(given)
        (value,) = {system.strength.value for system in found.bradley_terry.systems}
        assert get_code(found.bradley_terry.reason) == code
        return {"value": value}

    return refuse


def find_side(given: Given) -> Given:
    points = [(1.0, given["left"]), (0.0, given["right"]), (0.5, given["ties"])]
    outcomes = [outcome for outcome, n in points for _ in range(n)]
    frame = pd.DataFrame({"one": "a", "two": "b", "outcome": outcomes, "annotator": "p", "left": 1.0})
    together, person = measure_preferences(frame).positions
    return {
        "p_two_sided": person.p_value,
        "share_left_of_decided": person.left / (person.left + person.right),
        "share_left_ties_half": together.estimate.value,
    }


def power(given: Given) -> Given:
    arrays = [np.array(given[name]) for name in ("people", "judge_same_items", "judge_other_items")]
    people, same, _ = arrays
    whole = power_mean(*arrays, weight=1.0)
    half = ndtri(0.975) * ((people - same).var() / len(people) + whole.others_variance) ** 0.5
    return {
        "estimate_lambda_1": whole.value,
        "low_normal": whole.value - half,
        "high_normal": whole.value + half,
        "estimate_tuned": power_mean(*arrays).value,
    }


def correct(given: Given) -> Given:
    share = correct_share(
        *(np.array(given[key], dtype=float) for key in ("people", "judge_same_items", "judge_other_items"))
    )
    if share.corrected is None:
        return {"value": None}
    return {name: getattr(share, name) for name in ("sensitivity", "specificity", "raw", "corrected")}


def measure_distances(given: Given) -> Given:
    """Each by what the published scores add up: ten votes for the cross-entropy, terms of options for the others."""
    people, model = given["people"], given["model"]
    said = [option for option, share in zip("123", people, strict=True) for _ in range(round(10 * share))]
    scores = score_distributions(
        rate([said], "123"), {"i000": dict(zip("123", model, strict=True))}, model="m"
    )  # fmt: skip
    cross_entropy = {score.metric: score.value for score in scores}["cross_entropy"] or 0.0
    entropy = compute_entropy([round(10 * share) for share in people]) or 0.0
    pairs = list(zip(people, model, strict=True))
    divergence = sum(measure_term(JENSEN_SHANNON, *pair) for pair in pairs)
    cumulative = zip(np.cumsum(people)[:-1], np.cumsum(model)[:-1], strict=True)
    return {
        "entropy_bits": entropy,
        "cross_entropy_bits": cross_entropy,
        "kl_bits": cross_entropy - entropy,
        "js_divergence_bits": divergence,
        "js_distance_base_2": divergence**0.5,
        "manhattan": sum(measure_term(MANHATTAN, *pair) for pair in pairs),
        "wasserstein": sum(measure_term(MANHATTAN, *pair) for pair in cumulative),
    }


def measure_squares(given: Given) -> Given:
    counts, chances = given["votes"], given["model"]
    gaps = [measure_term(MANHATTAN, n / sum(counts), q) for n, q in zip(counts, chances, strict=True)]
    return {"plug_in": sum(gap**2 for gap in gaps), "unbiased": measure_squared_distance(chances, counts)}


def replace_a_person(given: Given) -> Given:
    votes = rate([*zip(*given["people"], strict=True)], "12345")
    judged = join_judge(votes, {f"i{number:03}": answer for number, answer in enumerate(given["judge"])})
    assert judged is not None
    test = compare_with_people(judged, epsilon=0.15)
    return {
        "winning_rate": test.winning_rate,
        "advantage_probability": test.advantage_probability,
        "p_values": [person.p_value for person in test.people],
    }


FIND: Mapping[str, Callable[[Given], Given]] = {
    "icc-shrout-fleiss": find_iccs,
    "icc-constant": refuse_constant,
    "severity-crossed": find_severity,
    "z-normalised": lambda given: {"item_means": [*standardise(read(given), fewest=2)[0]]},
    "mean-two-way": find_mean,
    "kendall-tau-b": lambda given: {"tau_b": correlate(given)[1]},
    "spearman": lambda given: {"rho": correlate(given)[0]},
    "scale-against-gold": score_against_gold,
    "weighted-kappa-cohen-1968": weigh_disagreement,
    "bt-citations": rank_citations,
    "davidson-pudding": rank_puddings,
    "bt-ties-simple": rank_ties,
    "bt-cycle": rank_circle,
    "bt-never-lost": refuse_ranking("never-lost"),
    "bt-disconnected": refuse_ranking("never-met"),
    "benjamini-yekutieli": lambda given: {"adjusted": adjust_by_benjamini_yekutieli(given["p"])},
    "position-bias": find_side,
    "ppi-mean": power,
    "rogan-gladen": correct,
    "rogan-gladen-useless-judge": correct,
    "soft-labels": measure_distances,
    "squared-distance-unbiased": measure_squares,
    "alt-test-scale": replace_a_person,
}


def flatten(figures: Given, before: str = "") -> Iterator[tuple[str, Any]]:
    """Each number by its name; reasons are sentences, which differ."""
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{before}{name} ")
        elif name != "reason":
            yield before + name, value


def is_built(name: str, figure: str) -> bool:
    """Whether the product computes this figure."""
    return figure not in NOT_BUILT.get(name, ())


@pytest.mark.parametrize(("name", "case"), list_known().items(), ids=list_known())
def test_figures_are_the_known_ones(name: str, case: Given) -> None:
    """None is missing, and none is computed that the file has not."""
    expected = {figure: value for figure, value in flatten(case["expected"]) if is_built(name, figure)}
    found = dict(flatten(FIND[name](case["input"]))) if expected else {}
    assert set(found) == set(expected)
    for figure, value in expected.items():
        tolerance = TOLERANCES.get(figure, case["tolerance"])
        near = value if value is None else pytest.approx(value, abs=tolerance)
        assert found[figure] == near, figure


def test_what_is_not_built_is_in_the_file(shared: Path) -> None:
    """A case or figure that the file loses leaves the lists above."""
    known = list_known()
    assert shared
    assert set(FIND) | set(NOT_BUILT) == set(known)
    for name, figures in NOT_BUILT.items():
        assert set(figures) <= {figure for figure, _ in flatten(known[name]["expected"])}
