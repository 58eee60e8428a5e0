"""Dynamic overlap: whether an item has enough answers, by the posterior of votes weighed by skill. Pure functions.

The posterior and the skill, the smoothed share of right answers to control and training items, are computed by
`aggregation.skill_posterior`; k is the item's own number of options. Sources: Toloka, "Dynamic overlap", in
its guide for requesters; for asking again where the label is least sure, Sheng, Provost and Ipeirotis, "Get another
label?", KDD 2008.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aggregation.skill_posterior import compute_posterior
from annotation.campaigns.questions import ChoiceQuestion, ChoicesQuestion, Question, ScaleQuestion, question_base

TICKED = "ticked"
ROUNDING_TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True)
class Vote:
    """The answers of one annotator to one item, as stored, by question, and the annotator's skill."""

    answers: Mapping[str, str]
    skill: float


def is_confident(
    questions: Sequence[Question], votes: Sequence[Vote], *, own: Sequence[str] | None, confidence: float
) -> bool:
    """Whether the likeliest label of every required question with closed labels reaches the confidence.

    `own` are the item's own options. Texts, spans, corrections and abstentions do not count. A question with `show_if`
    counts where the likeliest answers to the questions before it let it be asked. Each box of a `choices` question is a
    question with two options.
    """
    likely_answers: dict[str, str] = {}
    for question in questions:
        posteriors = _compute_posteriors(question, votes, own)
        counts = question.required and posteriors and question_base.is_asked(question, likely_answers)
        if counts and any(
            max(labels.values(), default=0.0) < confidence - ROUNDING_TOLERANCE for labels in posteriors.values()
        ):
            return False
        likeliest = {name: max(sorted(labels), key=labels.__getitem__) for name, labels in posteriors.items() if labels}
        if isinstance(question, ChoicesQuestion):
            likely_answers[question.name] = json.dumps([box for box, tick in likeliest.items() if tick == TICKED])
        else:
            likely_answers |= likeliest
    return True


def _compute_posteriors(
    question: Question, votes: Sequence[Vote], own: Sequence[str] | None
) -> dict[str, dict[str, float]]:
    """The posterior by the question's name, for `choices` one for each box; empty without closed labels."""
    given = [(answer, vote.skill) for vote in votes if (answer := vote.answers.get(question.name)) is not None]
    if isinstance(question, ChoiceQuestion):
        substantive = [(label, q) for label, q in given if label != question.abstain]
        return {question.name: compute_posterior(substantive, options=len(question.get_substantive_options(own)))}
    if isinstance(question, ScaleQuestion):
        return {question.name: compute_posterior(given, options=len(question.options))}
    if isinstance(question, ChoicesQuestion):
        ticks = [(json.loads(answer), q) for answer, q in given]
        boxes = question.get_options(own)
        return {
            box: compute_posterior([(TICKED if box in ticked else "", q) for ticked, q in ticks], options=2)
            for box in boxes
        }
    return {}
