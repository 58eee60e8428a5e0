"""How far people agree in answers of any kind: the same rows as for labels, by the measures that the kind allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aggregation.agreement import Agreement, Coefficient, agreement, by_annotator
from aggregation.bootstrap import Progress
from aggregation.errors import Refused
from aggregation.kinds.answers import OPEN_BOXES, Answers
from aggregation.kinds.boxes import decisions
from aggregation.multilabel import DISTANCES, PER_BOX, by_box, of_sets
from aggregation.scoring import RULES
from aggregation.spans import span_agreement
from aggregation.texts import text_agreement

EVERY_BOX = "every box"
NO_SETS = f"{OPEN_BOXES} whose sets could be compared by chance; every box as a yes or no of its own has an alpha."

Measure = Callable[[int | None], tuple[Coefficient, ...]]


def agreement_of(
    answers: Answers,
    *,
    overlap: int | None = None,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
) -> Agreement:
    """The coefficients of answers of any kind: those of each item's first `overlap` votes, then those of all pooled.

    Labels: `aggregation.agreement`. Boxes: whole sets (equal pairs, alpha with Jaccard's and with MASI distance), then
    percent, alpha and AC1 of each box and of every box together as a yes or no of its own. Texts and spans: HOW of
    `aggregation.texts` and `aggregation.spans`.
    """
    if answers.kind == "label":
        return agreement(answers.votes, overlap=overlap, resamples=resamples, seed=seed, level=level, progress=progress)

    def measure(first: int | None) -> tuple[Coefficient, ...]:
        return _rows(answers, first, resamples=resamples, seed=seed, level=level)

    rows = measure(overlap)
    if overlap is not None and (answers.votes.frame["item"].value_counts() > overlap).any():
        if progress is not None:
            progress(0.5)
        rows += measure(None)
    if progress is not None:
        progress(1.0)
    return Agreement(rows=rows)


def breakdown_of(answers: Answers, by: str, *, resamples: int = 1000, seed: int = 0) -> tuple[Coefficient, ...]:
    """Agreement of answers that are no labels by `label` (boxes alone: each box) or `annotator` (equal answers).

    Raises Refused for any other breakdown, which needs labels.
    """
    if by == "annotator":
        return by_annotator(answers.compared(), resamples=resamples, seed=seed)
    if by == "label" and answers.kind == "boxes" and answers.boxes is not None:
        return by_box(answers.selections(), resamples=resamples, seed=seed)
    raise Refused(f"Agreement by {by} needs labels that mean the same on every item.", remedy="Use --by annotator.")


def _rows(answers: Answers, overlap: int | None, *, resamples: int, seed: int, level: float) -> tuple[Coefficient, ...]:
    if answers.kind == "boxes":
        return _boxes(answers, overlap, resamples=resamples, seed=seed, level=level)
    if answers.kind == "span":
        return span_agreement(answers.spans(), overlap=overlap, resamples=resamples, seed=seed, level=level)
    return text_agreement(
        answers.votes, rule=RULES[answers.kind], overlap=overlap, resamples=resamples, seed=seed, level=level
    )


def _boxes(
    answers: Answers, overlap: int | None, *, resamples: int, seed: int, level: float
) -> tuple[Coefficient, ...]:
    made = agreement(decisions(answers), overlap=overlap, resamples=resamples, seed=seed, level=level)
    every = tuple(replace(made[name], of=EVERY_BOX) for name in PER_BOX)
    if answers.boxes is None:
        sets = agreement(answers.compared(), overlap=overlap, resamples=resamples, seed=seed, level=level)
        equal = replace(sets["percent_agreement"], name="exact_sets")
        return (equal, *(_without(equal, name) for name in DISTANCES), *every)
    given = answers.selections()
    sets_of = of_sets(given, overlap=overlap, resamples=resamples, seed=seed, level=level)
    return (*sets_of, *every, *by_box(given, overlap=overlap, resamples=resamples, seed=seed, level=level))


def _without(equal: Coefficient, name: str) -> Coefficient:
    how = f"1 - observed / expected distance of pairs of sets, {name.rsplit('_', 1)[1]}"
    return replace(equal, name=name, how=how, value=None, low=None, high=None, undefined_resamples=0, reason=NO_SETS)
