"""Consensus with one skill per annotator: the posterior of labels under known skills, and skills estimated by EM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from aggregation.consensus.skill_posterior import SMOOTHING, compute_evidence, normalise_evidence, smooth_skill
from aggregation.errors import HromadaError, Refused
from aggregation.schema import CodedVotes, Codes, Floats, Votes, count_codes

MAX_ITERATIONS = 500
CONVERGED_CHANGE = 1e-7  # the EM algorithm stops when no posterior moves by more in one step
ONE_COIN_VERSION = "hromada one-coin EM 1"
SKILL_WEIGHTED_VERSION = "hromada skill-weighted posterior 1"


@dataclass(frozen=True, kw_only=True, eq=False)
class AnswerPairs:
    """The different answers of each item: one row per (item, answer) pair, sorted by item and answer.

    `item` and `answer` are the codes of each pair; `pair` is the pair of each vote; `options` is the number of options
    of each item, never fewer than the different answers it received.
    """

    coded: CodedVotes
    item: Codes
    answer: Codes
    pair: Codes
    options: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class SkillFit:
    """The posterior of each (item, answer) pair and the skill of each annotator, by code.

    `unchosen` is, per item, the posterior of any one option that nobody chose.
    """

    pairs: AnswerPairs
    posterior: Floats
    unchosen: Floats
    skills: Floats
    iterations: int | None = None
    converged: bool | None = None


def compute_control_skills(votes: Votes) -> pd.Series[float]:
    """The smoothed skill of every annotator who voted, index annotator sorted, from the items that have gold.

    An annotator without an answer to an item with gold has 0.5, the skill that says nothing about two options.
    """
    truth = votes.frame["item"].map(votes.items["gold"])
    codes, annotators = pd.factorize(votes.frame["annotator"], sort=True)
    is_right = np.asarray(votes.frame["answer"] == truth, dtype=np.float64)
    right = count_codes(codes, size=len(annotators), weights=is_right)
    total = count_codes(codes, size=len(annotators), weights=np.asarray(truth.notna(), dtype=np.float64))
    values = smooth_skill(right, total)
    return pd.Series(values, index=pd.Index(annotators, name="annotator"), name="skill")


def pair_answers(votes: Votes) -> AnswerPairs:
    """Arrange the votes by item and different answer."""
    coded = votes.encode().sort_votes()
    width = max(1, len(coded.labels))
    pairs, pair = np.unique(coded.items * width + coded.answers, return_inverse=True)
    item = pairs // width
    declared = votes.items["n_options"].reindex(coded.item_ids).to_numpy(dtype=float)
    options = np.maximum(declared, count_codes(item, size=len(declared)))
    return AnswerPairs(coded=coded, item=item, answer=pairs % width, pair=pair, options=options)


def weigh_by_skill(votes: Votes, skills: pd.Series[float]) -> tuple[SkillFit, Floats]:
    """The posterior of each answer under `skills` (index annotator), and the sum of skills behind it, per pair.

    This is Toloka's "aggregation by skill"; the formula stands in `consensus.skill_posterior`. Raises HromadaError
    for a skill that does not lie between 0 and 1, Refused where an annotator has none.
    """
    pairs = pair_answers(votes)
    given = skills.reindex(pairs.coded.annotator_ids)
    if given.isna().any():
        raise Refused(
            f"{int(given.isna().sum())} annotators have no skill, {min(given.index[given.isna()])!r} among them.",
            remedy="Give everybody control items, or use wawa or majority.",
        )
    if not given.between(0, 1, inclusive="neither").all():
        raise HromadaError(
            "A skill must be between 0 and 1, both excluded.",
            remedy="Smooth shares of right answers: (K + right) / (2 K + total).",
        )
    values: Floats = np.asarray(given, dtype=np.float64)
    sums = count_codes(pairs.pair, size=len(pairs.item), weights=values[pairs.coded.annotators])
    posterior, unchosen = _compute_posteriors(pairs, values)
    return SkillFit(pairs=pairs, posterior=posterior, unchosen=unchosen, skills=values), sums


def fit_one_coin(votes: Votes) -> SkillFit:
    """The same posterior with skills estimated from the votes alone, by EM that starts from the shares of votes.

    An annotator's skill is Toloka's smoothed one with the expected number of right answers in place of the counted
    one, so that a single vote gives nobody a perfect skill. Each item has its own number of options, so the options
    may differ from item to item.
    """
    pairs = pair_answers(votes)
    annotators = pairs.coded.annotators
    total = count_codes(annotators, size=len(pairs.coded.annotator_ids))
    counts = count_codes(pairs.pair, size=len(pairs.item))
    posterior: Floats = counts / count_codes(pairs.item, size=len(pairs.options), weights=counts)[pairs.item]
    moved = np.inf
    skills: Floats = np.full(len(total), SMOOTHING)
    unchosen: Floats = np.zeros(len(pairs.options))
    iterations = 0
    while moved >= CONVERGED_CHANGE and iterations < MAX_ITERATIONS:
        before, iterations = posterior, iterations + 1
        right = count_codes(annotators, size=len(total), weights=posterior[pairs.pair])
        skills = smooth_skill(right, total)
        posterior, unchosen = _compute_posteriors(pairs, skills)
        moved = float(np.abs(posterior - before).max())
    return SkillFit(
        pairs=pairs,
        posterior=posterior,
        unchosen=unchosen,
        skills=skills,
        iterations=iterations,
        converged=moved < CONVERGED_CHANGE,
    )


def _compute_posteriors(pairs: AnswerPairs, skills: Floats) -> tuple[Floats, Floats]:
    """The posterior of each pair, and of any one option of each item that nobody chose.

    numpy only looks up and sums the evidence of the votes; the formulas are those of `consensus.skill_posterior`.
    """
    n_options, option_code = np.unique(pairs.options, return_inverse=True)
    by_option = n_options.tolist()
    table = np.array([[compute_evidence(skill, options) for options in by_option] for skill in skills.tolist()])
    of_votes = table[pairs.coded.annotators, option_code[pairs.coded.items]]
    evidence = count_codes(pairs.pair, size=len(pairs.item), weights=of_votes).tolist()
    ends = np.searchsorted(pairs.item, np.arange(len(pairs.options)), side="right").tolist()
    posteriors: list[float] = []
    unchosen: list[float] = []
    start = 0
    for end, options in zip(ends, pairs.options.tolist(), strict=True):
        of_item, of_others = normalise_evidence(evidence[start:end], options=options)
        posteriors += of_item
        unchosen.append(of_others)
        start = end
    return np.array(posteriors), np.array(unchosen)
