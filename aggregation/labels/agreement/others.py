"""Agreement of each annotator with the others: their answers against labels made without their own votes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from aggregation import dawid_skene
from aggregation.consensus import TIE_TOLERANCE
from aggregation.schema import Codes, Floats, Votes, count_codes, divide_safely

MOST_REFITS = 50
"""With more annotators than this Dawid-Skene is not fitted again without each; the others' skills stay fixed."""


def compute_agreement_with_others(votes: Votes) -> pd.DataFrame:
    """How often each annotator says what the others say: one row per annotator, index `annotator` sorted.

    Columns: n (the annotator's votes on items that others voted on too), majority and dawid_skene (0 to 1; nan without
    such votes, and for dawid_skene where items share no classes or one label alone was given). An annotator's vote is
    held against the label of the item made of the others' votes: the most frequent answer, exactly; and Dawid-Skene's,
    fitted again without the annotator, or, with more than MOST_REFITS annotators, with the others' skills as the fit of
    all votes gives them. Where t labels of the others tie, a vote for one of them counts 1/t.
    """
    coded = votes.encode()
    ids = pd.Index(coded.annotator_ids, name="annotator")
    majority = _match_majority(votes)
    table = pd.DataFrame(index=ids)
    table["n"] = np.bincount(coded.annotators[~np.isnan(majority)], minlength=len(ids))
    table["majority"] = _average_by_annotator(majority, coded.annotators, len(ids))
    matches: Floats = np.full(len(votes.frame), np.nan)
    if votes.classes is not None and votes.frame["answer"].nunique() > 1:
        matches = _match_dawid_skene(votes)
        matches[np.isnan(majority)] = np.nan
    table["dawid_skene"] = _average_by_annotator(matches, coded.annotators, len(ids))
    return table.sort_index()


def _average_by_annotator(matches: Floats, annotators: Codes, n_annotators: int) -> Floats:
    """The mean of the known matches of each annotator, nan where none is known."""
    known = ~np.isnan(matches)
    sums = count_codes(annotators[known], size=n_annotators, weights=matches[known])
    return divide_safely(sums, count_codes(annotators[known], size=n_annotators))


def _match_majority(votes: Votes) -> Floats:
    """For each vote 1/t where it is one of the t most frequent answers of the others, else 0; nan without others."""
    frame = votes.frame.assign(vote=np.arange(len(votes.frame)))
    given = frame.groupby(["item", "answer"]).size().rename("given").reset_index()
    own = frame.groupby(["item", "annotator", "answer"]).size().rename("own").reset_index()
    pairs = frame.merge(given.rename(columns={"answer": "other_answer"}), on="item")
    pairs = pairs.merge(
        own.rename(columns={"answer": "other_answer"}), on=["item", "annotator", "other_answer"], how="left"
    )
    pairs["rest"] = pairs["given"] - pairs["own"].fillna(0)
    pairs["is_top"] = (pairs["rest"] == pairs.groupby("vote")["rest"].transform("max")) & (pairs["rest"] > 0)
    n_top = pairs.groupby("vote")["is_top"].sum().to_numpy(dtype=np.float64)
    matched = pairs.loc[pairs["is_top"] & (pairs["other_answer"] == pairs["answer"]), "vote"].to_numpy(dtype=np.intp)
    is_matched = np.zeros(len(frame))
    is_matched[matched] = 1.0
    return divide_safely(is_matched, n_top)


def _match_dawid_skene(votes: Votes) -> Floats:
    """As `_match_majority`, against the labels of the highest posterior without the annotator's votes."""
    coded = votes.encode()
    if len(coded.annotator_ids) > MOST_REFITS:
        table = dawid_skene.build_table(coded)
        posteriors = dawid_skene.leave_annotators_out(table, coded=coded, fit=dawid_skene.fit_table(table))
        return _share_top(posteriors, coded.answers)
    matches = np.full(len(coded.items), np.nan)
    for annotator in range(len(coded.annotator_ids)):
        own = coded.annotators == annotator
        if own.all():
            continue
        others = replace(coded, items=coded.items[~own], annotators=coded.annotators[~own], answers=coded.answers[~own])
        fit = dawid_skene.fit_table(dawid_skene.build_table(others))
        matches[own] = _share_top(fit.posteriors[coded.items[own]], coded.answers[own])
    return matches


def _share_top(posteriors: Floats, answers: Codes) -> Floats:
    """For each answer 1/t where it is one of the t labels of the highest posterior, else 0."""
    is_top = posteriors >= posteriors.max(axis=1, keepdims=True) - TIE_TOLERANCE
    return np.asarray(is_top[np.arange(len(answers)), answers] / is_top.sum(axis=1), dtype=np.float64)
