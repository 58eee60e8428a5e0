"""People of one skill each: Toloka's smoothed skill, its posterior of a label, and the same posterior fitted by EM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from aggregation.errors import HromadaError, Refused
from aggregation.schema import Coded, Codes, Floats, Votes, tally

SMOOTHING = 0.5
ITERATIONS = 500
SETTLED = 1e-7  # no posterior moved by more in the last step
ONE_COIN = "hromada one-coin EM 1"
WEIGHTED = "hromada skill-weighted posterior 1"


@dataclass(frozen=True, kw_only=True, eq=False)
class Given:
    """The different answers of each item, by item and answer: one row a pair.

    `item`, `answer` are the pair's codes; `pair` is the pair of each vote; `options` the number of options of each
    item, never fewer than the different answers it got.
    """

    coded: Coded
    item: Codes
    answer: Codes
    pair: Codes
    options: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """The posterior of each given answer (a pair), what one option that nobody chose has, and the skills by code."""

    given: Given
    posterior: Floats
    unchosen: Floats
    skills: Floats
    iterations: int | None = None
    converged: bool | None = None


def smoothed(right: Floats, total: Floats, *, smoothing: float = SMOOTHING) -> Floats:
    """Toloka's skill of a person with `right` of `total` control items: (K + right) / (2 K + total)."""
    return (smoothing + right) / (2 * smoothing + total)


def control_skills(votes: Votes, *, smoothing: float = SMOOTHING) -> pd.Series[float]:
    """The smoothed skill of everybody who voted, index annotator sorted, from the items that have gold.

    Who answered none of them has 0.5, the skill that says nothing about two options.
    """
    truth = votes.frame["item"].map(votes.items["gold"])
    codes, people = pd.factorize(votes.frame["annotator"], sort=True)
    right = tally(codes, size=len(people), weights=np.asarray(votes.frame["answer"] == truth, dtype=np.float64))
    total = tally(codes, size=len(people), weights=np.asarray(truth.notna(), dtype=np.float64))
    values = smoothed(right, total, smoothing=smoothing)
    return pd.Series(values, index=pd.Index(people, name="annotator"), name="skill")


def given_answers(votes: Votes) -> Given:
    """Lay the votes out by item and different answer."""
    coded = votes.coded().ordered()
    width = max(1, len(coded.labels))
    pairs, pair = np.unique(coded.items * width + coded.answers, return_inverse=True)
    item = pairs // width
    declared = votes.items["n_options"].reindex(coded.item_ids).to_numpy(dtype=float)
    options = np.maximum(declared, tally(item, size=len(declared)))
    return Given(coded=coded, item=item, answer=pairs % width, pair=pair, options=options)


def weighted(votes: Votes, skills: pd.Series[float]) -> tuple[Fit, Floats]:
    """The posterior of each answer under `skills` (index annotator), and the sum of skills behind it, per pair.

    Toloka's "aggregation by skill": P(z) is proportional to the product over votes of q where the vote says z, else
    (1 - q) / (Y - 1), with Y options and the same prior for each. Raises HromadaError for a skill that is no share
    between 0 and 1, Refused where somebody has none.
    """
    given = given_answers(votes)
    known = skills.reindex(given.coded.annotator_ids)
    if known.isna().any():
        raise Refused(
            f"{int(known.isna().sum())} annotators have no skill, {known.index[known.isna()][0]!r} among them.",
            remedy="Give everybody control items, or use wawa or majority.",
        )
    if not known.between(0, 1, inclusive="neither").all():
        raise HromadaError(
            "A skill must lie between 0 and 1, both excluded.",
            remedy="Smooth shares of right answers: (K + right) / (2 K + total).",
        )
    quality: Floats = np.asarray(known, dtype=np.float64)
    sums = tally(given.pair, size=len(given.item), weights=quality[given.coded.annotators])
    posterior, unchosen = _posterior(given, quality)
    return Fit(given=given, posterior=posterior, unchosen=unchosen, skills=quality), sums


def one_coin(votes: Votes) -> Fit:
    """The same posterior with skills found from the votes alone, by EM from the shares of votes.

    A person's skill is Toloka's smoothed one with the expected number of right answers in place of the counted one,
    so that a single vote makes nobody perfect. Each item brings its own number of options, so the options may differ
    from item to item.
    """
    given = given_answers(votes)
    people = given.coded.annotators
    total = tally(people, size=len(given.coded.annotator_ids))
    counts = tally(given.pair, size=len(given.item))
    posterior: Floats = counts / tally(given.item, size=len(given.options), weights=counts)[given.item]
    moved = np.inf
    skills: Floats = np.full(len(total), SMOOTHING)
    unchosen: Floats = np.zeros(len(given.options))
    done = 0
    while moved >= SETTLED and done < ITERATIONS:
        before, done = posterior, done + 1
        right = tally(people, size=len(total), weights=posterior[given.pair])
        skills = smoothed(right, total)
        posterior, unchosen = _posterior(given, skills)
        moved = float(np.abs(posterior - before).max())
    return Fit(
        given=given,
        posterior=posterior,
        unchosen=unchosen,
        skills=skills,
        iterations=done,
        converged=moved < SETTLED,
    )


def _posterior(given: Given, skills: Floats) -> tuple[Floats, Floats]:
    """The posterior of each pair, and of any one option of each item that nobody chose."""
    people, item_of_vote = given.coded.annotators, given.coded.items
    n_items = len(given.options)
    wrong = np.log((1 - skills[people]) / (given.options[item_of_vote] - 1))
    base = tally(item_of_vote, size=n_items, weights=wrong)
    gained = tally(given.pair, size=len(given.item), weights=np.log(skills[people]) - wrong)
    scores = base[given.item] + gained
    top = base.copy()
    np.maximum.at(top, given.item, scores)
    chosen = np.exp(scores - top[given.item])
    other = np.exp(base - top)
    unseen = given.options - tally(given.item, size=n_items)
    mass = tally(given.item, size=n_items, weights=chosen) + unseen * other
    return chosen / mass[given.item], other / mass
