"""Texts against gold: the grades of each text, and the metrics of single texts and pluralities of equal texts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from aggregation.answers import Answers
from aggregation.gold_comparison import ScoredAnswers
from aggregation.options import GradedOptions, build_column_mean, build_share_metric
from aggregation.panel_variance import Metric, Scale
from aggregation.schema import VOTE_COLUMNS
from aggregation.scoring import chrf, count_ngrams, error_rate, normalise_answer, overlap_f1, split_words

UNANSWERED_METRICS = {"text": (0.0, 0.0), "edit": (0.0, 1.0, 1.0, 0.0)}
"""The grades of a skip: nothing is right, and the whole right text would still have to be written."""


def grade_texts(answers: Answers, scored: ScoredAnswers) -> GradedOptions:
    """The different texts of each item (see `Answers.merge_right_answers`), graded by `measure_text`."""
    voted = scored.frame.loc[scored.voted, list(VOTE_COLUMNS)]
    merged = answers.with_votes(replace(answers.votes, frame=voted)).merge_right_answers()
    frame = pd.DataFrame({"item": scored.items[scored.voted], "text": merged.frame["answer"].to_numpy(dtype=object)})
    number = frame.groupby(["item", "text"], sort=True).ngroup().to_numpy(dtype=np.intp)
    different = frame.assign(number=number).drop_duplicates("number").sort_values("number")
    ids = scored.gold.index.to_numpy(dtype=object)
    grades = [
        (*measure_text(answers, str(ids[item]), text, scored.gold.iloc[item]), 1.0)
        for item, text in zip(different["item"], different["text"], strict=True)
    ]
    unanswered = np.array([*UNANSWERED_METRICS[answers.kind], 1.0])
    table = np.array(grades, dtype=np.float64).reshape(len(different), len(unanswered))
    votes = np.full(len(scored.frame), -1, dtype=np.intp)
    votes[scored.voted] = number
    return GradedOptions(
        scored=scored,
        items=different["item"].to_numpy(dtype=np.intp),
        grades=table,
        unanswered=np.tile(unanswered, (len(scored.gold), 1)),
        right=table[:, 0],
        votes=votes,
    )


def list_text_metrics(answers: Answers) -> dict[str, Metric]:
    """The metrics by name: the means of the columns of `measure_text` in their order; a tie has the expected one.

    The most frequent correction is right or far off, so intervals of its distances rest on few items and cover too
    little (benchmarks/coverage.py).
    """
    scales: dict[str, Scale] = {"f1": "fraction"}
    if answers.kind == "edit":
        scales = {"wer": "errors", "cer": "errors", "chrf": "fraction"}
    means = {
        name: build_column_mean(number, scale, covers_majority=answers.kind == "text")
        for number, (name, scale) in enumerate(scales.items(), start=1)
    }
    return {"exact_match": build_share_metric(), **means}


def measure_text(answers: Answers, item: str, text: str, gold: str) -> tuple[float, ...]:
    """The grades of one text against the right ones, for each metric against the one that it is best with.

    They are `exact_match`, then for answers `f1` of what stands between blanks, as SQuAD counts it, for corrections
    `wer`, `cer` and `chrf`. All texts are compared under the normalisation of the answers.
    """
    right = answers.list_right_answers(item, gold)
    normalised = normalise_answer(answers.rule, text)
    exact = float(normalised in right)
    if answers.kind == "text":
        return exact, max(overlap_f1(one.split(), normalised.split()) for one in right)
    return (
        exact,
        min(error_rate(split_words(one), split_words(normalised)) for one in right),
        min(error_rate(one, normalised) for one in right),
        max(chrf(count_ngrams(one), count_ngrams(normalised)) for one in right),
    )
