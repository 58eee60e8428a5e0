"""Dynamic overlap: whether an item has enough answers, by the posterior of votes weighed by skill. Pure.

People have one skill each, the chance of a right answer, and whoever errs is as likely to give one wrong option as
another. With k options, the same chance for each beforehand, and votes that are independent given the truth,

    P(z) = prod(q_i if vote_i = z else (1 - q_i) / (k - 1)) / sum over all options of the same,

updated vote by vote; k is the item's own number of options. A skill is that of Toloka's "aggregation by skill",
q = (K + right) / (2 K + total) with K = 0.5: the mean of a Beta(K, K) prior after `total` items with known gold.
Sources: Toloka's guide (result-aggregation.md, dynamic-overlap.md); asking again where the label is least sure:
Sheng, Provost and Ipeirotis, "Get another label?", KDD 2008. `aggregation/skills.py` computes the same from frames.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.campaigns.questions import Choice, Choices, Question, Scale, answers

SMOOTHING = 0.5
TICKED = "ticked"
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Vote:
    """The answers of one person to one item, as stored, by question, and her skill."""

    answers: Mapping[str, str]
    skill: float


def skill(right: int, total: int) -> float:
    """The smoothed share of right answers to control and training items; 0.5 for who has answered none."""
    return (SMOOTHING + right) / (2 * SMOOTHING + total)


def posterior(votes: Iterable[tuple[str, float]], *, options: int) -> dict[str, float]:
    """The probability of each label that was given, from (label, skill) pairs and the number of options.

    Without votes it is empty: every option then has 1 / options. Fewer options than different labels, or than two,
    are counted as those.
    """
    given = list(votes)
    labels = sorted({label for label, _ in given})
    k = max(options, len(labels), 2)
    base = sum(math.log((1 - q) / (k - 1)) for _, q in given)
    scores = {
        label: base + sum(math.log(q) - math.log((1 - q) / (k - 1)) for one, q in given if one == label)
        for label in labels
    }
    top = max([base, *scores.values()])
    mass = {label: math.exp(score - top) for label, score in scores.items()}
    whole = math.fsum([*mass.values(), (k - len(labels)) * math.exp(base - top)])
    return {label: one / whole for label, one in mass.items()}


def sure(questions: Sequence[Question], votes: Sequence[Vote], *, own: Sequence[str] | None, confidence: float) -> bool:
    """Whether every required question with closed labels is as sure as asked for; `own` are the item's options.

    Texts, spans and corrections do not count, nor do abstentions. A question with `show_if` counts where the likeliest
    answers to those before it let it be asked. Of several boxes each is a question with two options.
    """
    leading: dict[str, str] = {}
    for question in questions:
        beliefs = _beliefs(question, votes, own)
        counts = question.required and beliefs and answers.asked(question, leading)
        if counts and any(max(one.values(), default=0.0) < confidence - ROUNDING for one in beliefs.values()):
            return False
        likeliest = {part: max(sorted(one), key=one.__getitem__) for part, one in beliefs.items() if one}
        if isinstance(question, Choices):
            leading[question.name] = json.dumps([box for box, said in likeliest.items() if said == TICKED])
        else:
            leading |= likeliest
    return True


def _beliefs(question: Question, votes: Sequence[Vote], own: Sequence[str] | None) -> dict[str, dict[str, float]]:
    """The posterior of the question, by its name; of several boxes that of each, by the box; nothing for open ones."""
    given = [(answer, vote.skill) for vote in votes if (answer := vote.answers.get(question.name)) is not None]
    if isinstance(question, Choice):
        plain = [(label, q) for label, q in given if label != question.abstain]
        return {question.name: posterior(plain, options=len(question.substantive(own)))}
    if isinstance(question, Scale):
        return {question.name: posterior(given, options=len(question.options))}
    if isinstance(question, Choices):
        ticks = [(json.loads(answer), q) for answer, q in given]
        boxes = question.options_of(own)
        return {
            box: posterior([(TICKED if box in ticked else "", q) for ticked, q in ticks], options=2) for box in boxes
        }
    return {}
