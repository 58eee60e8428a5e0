"""The best single person, and what choosing them adds: the selection bias of a maximum.

The best of many scores is high by luck as well as by skill: of twenty equal people with fifty answers each, each right
in 80 %, the best has about 90 %. So the best is also chosen on one half of the items and scored on the other (sample
splitting, Cox 1975, Biometrika 62:441; the bias of choosing by the score that is reported: Cawley and Talbot 2010, JMLR
11:2079), and both halves are averaged over many splits. The choice has half of the answers to go by, so this is a
little less than the true score of whom the whole would choose, and never more in the long run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggregation.gold_comparison import ScoredAnswers
from aggregation.schema import Codes, Floats

FEWEST_ANSWERS = 20
"""Who has fewer answers cannot be the best."""
SPLITS = 200
FEWEST_PEOPLE = 2


@dataclass(frozen=True, kw_only=True)
class BestAnnotator:
    """The best person: their share of right answers, and what is left of it on items by which nobody was chosen.

    `annotator` is the first by name of those tied, `n_tied` how many they are; `n` their answers. `held_out` is the
    mean over splits of the best's score on the other half, `mean` that of everybody's own score; both over the `people`
    who have FEWEST_ANSWERS answers or more.
    """

    annotator: str
    n: int
    n_tied: int
    value: float
    held_out: float
    mean: float
    people: int

    @property
    def selection_bias(self) -> float:
        """What the choice adds to the score of the best."""
        return self.value - self.held_out


def score_best_annotator(scored: ScoredAnswers) -> BestAnnotator | None:
    """Score the best person with and without the choice; None where fewer than two have FEWEST_ANSWERS answers.

    Groups of items are split, not items, so that siblings stay together. The splits are the same each time.
    """
    n = np.bincount(scored.annotators, minlength=len(scored.annotator_ids))
    eligible: Codes = np.flatnonzero(n >= FEWEST_ANSWERS)
    if len(eligible) < FEWEST_PEOPLE or scored.n_groups < 2:
        return None
    right = np.bincount(scored.annotators, weights=scored.right, minlength=len(n))
    shares = right[eligible] / n[eligible]
    tied = eligible[shares >= shares.max() - 1e-12]
    names = sorted((str(scored.annotator_ids[code]), int(code)) for code in tied)
    rng = np.random.default_rng(0)
    held_out = [_score_split(scored, eligible, rng.permutation(scored.n_groups)) for _ in range(SPLITS)]
    held_out_shares = [value for pair in held_out for value in pair if value is not None]
    if not held_out_shares:
        return None
    name, code = names[0]
    return BestAnnotator(
        annotator=name,
        n=int(n[code]),
        n_tied=len(tied),
        value=float(shares.max()),
        held_out=float(np.mean(held_out_shares)),
        mean=float(shares.mean()),
        people=len(eligible),
    )


def _score_split(scored: ScoredAnswers, known: Codes, order: Codes) -> tuple[float | None, float | None]:
    """The score of the best of each half on the other one; people tied for the best count equally."""
    first = np.zeros(scored.n_groups, dtype=bool)
    first[order[: scored.n_groups // 2]] = True
    is_first = first[scored.groups[scored.items]]
    halves = [_count_answers(scored, rows)[:, known] for rows in (is_first, ~is_first)]
    return _choose_and_score(halves[0], halves[1]), _choose_and_score(halves[1], halves[0])


def _count_answers(scored: ScoredAnswers, rows: NDArray[np.bool_]) -> Floats:
    """Answers and right answers by person, in these rows."""
    people, size = scored.annotators[rows], len(scored.annotator_ids)
    return np.stack(
        [np.bincount(people, minlength=size), np.bincount(people, weights=scored.right[rows], minlength=size)]
    ).astype(np.float64)


def _choose_and_score(chosen_by: Floats, scored_on: Floats) -> float | None:
    """The score on one half of whoever is best on the other; None where nobody has enough answers in both."""
    is_known = (chosen_by[0] >= FEWEST_ANSWERS // 4) & (scored_on[0] > 0)
    if is_known.sum() < FEWEST_PEOPLE:
        return None
    shares = chosen_by[1, is_known] / chosen_by[0, is_known]
    best = shares >= shares.max() - 1e-12
    return float((scored_on[1, is_known][best] / scored_on[0, is_known][best]).mean())
