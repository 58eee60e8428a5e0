"""Texts against gold: scorers of single texts and of the plurality of equal texts, and their metrics."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from aggregation.answers import Answers
from aggregation.bootstrap import Sparse
from aggregation.consensus import TIE_TOLERANCE
from aggregation.gold_comparison import ScoredAnswers, Scorer, SumColumns, build_scorer, count_cells
from aggregation.performance import Metric, build_column_mean
from aggregation.schema import VOTE_COLUMNS, Codes, Floats
from aggregation.scoring import chrf, count_ngrams, error_rate, normalise_answer, overlap_f1, split_words

UNANSWERED_METRICS = {"text": (0.0, 0.0), "edit": (0.0, 1.0, 1.0, 0.0)}
"""The grades of a skip or an open tie: nothing is right, and the whole right text would still have to be written."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _MeasuredTexts:
    """The different texts of each item (see `Answers.merge_right_answers`), sorted by item.

    `item` is the item of each text, `grades` are its grades (texts × columns), `given` says how often each annotator
    wrote it (texts × annotators), `unanswered` are the grades of a missing answer.
    """

    item: Codes
    grades: Floats
    given: Sparse
    unanswered: Floats


def build_text_scorers(answers: Answers, scored: ScoredAnswers) -> tuple[Scorer, Scorer]:
    """The scorers of single texts and of pluralities; the columns are those of `grade_text` and the number of texts."""
    texts = _measure_texts(answers, scored)
    width = max(len(texts.item), len(scored.gold))
    individual, plurality = _build_individual_sums(texts, scored), _build_plurality_sums(texts, scored)
    return build_scorer(individual, scored, width=width), build_scorer(plurality, scored, width=width)


def list_text_metrics(answers: Answers) -> dict[str, Metric]:
    """The metrics by name: the means of the columns of `grade_text` in their order."""
    names = ("exact_match", "f1") if answers.kind == "text" else ("exact_match", "wer", "cer", "chrf")
    return {name: build_column_mean(number) for number, name in enumerate(names)}


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


def _measure_texts(answers: Answers, scored: ScoredAnswers) -> _MeasuredTexts:
    voted = scored.frame.loc[scored.voted, list(VOTE_COLUMNS)]
    votes = answers.with_votes(replace(answers.votes, frame=voted)).merge_right_answers()
    frame = pd.DataFrame({"item": scored.items[scored.voted], "text": votes.frame["answer"].to_numpy(dtype=object)})
    number = frame.groupby(["item", "text"], sort=True).ngroup().to_numpy(dtype=np.intp)
    different = frame.assign(number=number).drop_duplicates("number").sort_values("number")
    ids = scored.gold.index.to_numpy(dtype=object)
    grades = [
        (*measure_text(answers, str(ids[item]), text, scored.gold.iloc[item]), 1.0)
        for item, text in zip(different["item"], different["text"], strict=True)
    ]
    unanswered = np.array([*UNANSWERED_METRICS[answers.kind], 1.0])
    shape = (len(different), len(scored.annotator_ids))
    return _MeasuredTexts(
        item=different["item"].to_numpy(dtype=np.intp),
        grades=np.array(grades, dtype=np.float64).reshape(len(different), len(unanswered)),
        given=count_cells(number, scored.annotators[scored.voted], shape=shape),
        unanswered=unanswered,
    )


def _build_individual_sums(texts: _MeasuredTexts, scored: ScoredAnswers) -> SumColumns:
    skips = scored.count_skips()

    def sum_columns(annotators: Floats, items: Floats) -> Floats:
        weights = np.asarray(texts.given @ annotators) * items[texts.item]
        skipped = (np.asarray(skips @ annotators) * items).sum(axis=0)
        return np.asarray(weights.T @ texts.grades + skipped[:, None] * texts.unanswered)

    return sum_columns


def _build_plurality_sums(texts: _MeasuredTexts, scored: ScoredAnswers) -> SumColumns:
    skips, n_items = scored.count_skips(), len(scored.gold)
    answered, starts = np.unique(texts.item, return_index=True)

    def sum_columns(annotators: Floats, items: Floats) -> Floats:
        counts = np.asarray(texts.given @ annotators, dtype=np.float64)
        most, n_top = np.zeros((n_items, annotators.shape[1])), np.zeros((n_items, annotators.shape[1]))
        most[answered] = np.maximum.reduceat(counts, starts, axis=0)
        is_top = (counts >= most[texts.item] - TIE_TOLERANCE) & (counts > 0)
        n_top[answered] = np.add.reduceat(is_top.astype(np.float64), starts, axis=0)
        leads = is_top & (n_top[texts.item] == 1)
        is_drawn = (most + np.asarray(skips @ annotators)) > 0
        n_open = (items * (is_drawn & (n_top != 1))).sum(axis=0)
        return np.asarray((leads * items[texts.item]).T @ texts.grades + n_open[:, None] * texts.unanswered)

    return sum_columns
