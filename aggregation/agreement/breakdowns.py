"""Agreement of closed labels by label, by annotator against the rest, and over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from aggregation.agreement.coefficients import choose_label_headline, compute_label_agreement
from aggregation.agreement.item_columns import Statistic, build_item_columns
from aggregation.agreement.table import (
    REASON_NO_PAIRS,
    Coefficient,
    Definition,
    estimate_coefficient,
    estimate_item_mean,
)
from aggregation.errors import HromadaError, Refused
from aggregation.intervals.resampling import Resampling
from aggregation.schema import VOTE_COLUMNS, Floats, Votes, count_answers, divide_safely

DESCRIPTION_SPECIFIC_AGREEMENT = (
    "specific agreement: share of the label's votes that another vote of the same item repeats"
)
DESCRIPTION_ALPHA_AGAINST_OTHERS = "Krippendorff's alpha of the label against all others"
DESCRIPTION_AGREEMENT_WITH_REST = "mean over the person's items of the share of the others' votes that equal theirs"
N_WINDOWS = 5


def break_down_by_label(votes: Votes, *, n_resamples: int = 1000, seed: int = 0) -> tuple[Coefficient, ...]:
    """Two rows per declared label, in declared order: `specific_agreement` and `alpha_against_others`.

    Specific agreement is how often another vote of the same item repeats a vote for the label: the sum over items of
    n (n - 1) / (m - 1), divided by the sum of n, where n of an item's m votes are for the label (Dice's coefficient
    over all pairs of votes). `of` names the label. Raises Refused where items share no classes.
    """
    if votes.classes is None:
        raise Refused(
            "The options differ from item to item, so there are no labels to tell apart.",
            remedy="Break it down by annotator or over time.",
        )
    resampling = Resampling(n_resamples=n_resamples, seed=seed)
    item_votes = votes.frame["item"].map(votes.frame["item"].value_counts())
    paired = replace(votes, frame=votes.frame.loc[item_votes >= 2])
    counted = count_answers(paired)
    table = counted.table.astype(np.float64)
    n_votes = table.sum(axis=1, keepdims=True)
    # the item's votes, then its votes for each label, then these votes weighted by the share of the others that repeat
    columns = np.hstack([n_votes, table, table * (table - 1) / (n_votes - 1)])
    item_columns = build_item_columns(
        columns,
        groups=votes.items["group"].reindex(counted.items),
        n_votes=len(paired.frame),
        n_annotators=paired.frame["annotator"].nunique(),
    )
    resampled_sums, rows = item_columns.resample(resampling), []
    for index, label in enumerate(votes.classes):
        for name, how, statistic in (
            (
                "specific_agreement",
                DESCRIPTION_SPECIFIC_AGREEMENT,
                _build_specific_agreement(index, len(votes.classes)),
            ),
            (
                "alpha_against_others",
                DESCRIPTION_ALPHA_AGAINST_OTHERS,
                _build_alpha_against_others(index, len(votes.classes)),
            ),
        ):
            row = estimate_coefficient(
                Definition(
                    name=name,
                    how=how,
                    scale="share" if name == "specific_agreement" else "correlation",
                    positions=votes.classes_are_positions,
                    of=label,
                    reason_undefined=f"Nobody, or everybody, gave the label {label!r}."
                    if len(item_columns.groups)
                    else REASON_NO_PAIRS,
                ),
                item_columns.compute(statistic),
                item_columns,
                resampling,
                resampled=None if resampled_sums is None else statistic(resampled_sums),
            )
            rows.append(row)
    return tuple(rows)


def _build_specific_agreement(index: int, n_classes: int) -> Statistic:
    """The specific agreement of the label with that index, from the column sums of `break_down_by_label`."""

    def statistic(sums: Floats) -> Floats:
        label_votes, repeated = sums[:, 1 + index], sums[:, 1 + n_classes + index]
        return divide_safely(repeated, label_votes)

    return statistic


def _build_alpha_against_others(index: int, n_classes: int) -> Statistic:
    """Alpha of two classes, the label and all others: 1 - (n - 1) (n_c - o_cc) / (n_c (n - n_c)).

    n is the number of votes, n_c that of votes for the label, o_cc the coincidences of the label with itself.
    """

    def statistic(sums: Floats) -> Floats:
        n, label_votes, repeated = sums[:, 0], sums[:, 1 + index], sums[:, 1 + n_classes + index]
        expected = label_votes * (n - label_votes)
        return 1 - divide_safely((n - 1) * (label_votes - repeated), expected)

    return statistic


def break_down_by_annotator(votes: Votes, *, n_resamples: int = 1000, seed: int = 0) -> tuple[Coefficient, ...]:
    """One row per annotator, sorted: `agreement_with_rest`, over the items that somebody else answered too.

    It is the mean over these items of the share of the other annotators' votes that equal the annotator's. Where the
    annotator answered an item twice, the mean of both shares counts. `of` names the annotator.
    """
    resampling = Resampling(n_resamples=n_resamples, seed=seed)
    frame = votes.frame.sort_values(list(VOTE_COLUMNS), ignore_index=True)  # the order of a sum changes its rounding
    item_votes = frame.groupby("item")["answer"].transform("size")
    answer_votes = frame.groupby(["item", "answer"])["annotator"].transform("size")
    own_votes = frame.groupby(["item", "annotator"])["answer"].transform("size")
    own_answer_votes = frame.groupby(["item", "annotator", "answer"])["answer"].transform("size")
    other_votes, equal_votes = item_votes - own_votes, answer_votes - own_answer_votes
    share = (equal_votes / other_votes.where(other_votes > 0)).groupby([frame["annotator"], frame["item"]]).mean()
    rows = []
    for name in sorted(frame["annotator"].unique()):
        shares = share.loc[name]
        is_compared = frame["item"].isin(shares.dropna().index)
        rows.append(
            estimate_item_mean(
                Definition(
                    name="agreement_with_rest",
                    how=DESCRIPTION_AGREEMENT_WITH_REST,
                    scale="share",
                    of=name,
                    reason_undefined="Nobody else answered an item of this person.",
                ),
                np.asarray(shares, dtype=np.float64),
                resampling,
                groups=votes.items["group"].reindex(shares.index),
                n_votes=int((is_compared & (frame["annotator"] == name)).sum()),
                n_annotators=frame.loc[is_compared, "annotator"].nunique(),
            )
        )
    return tuple(rows)


def break_down_over_time(
    votes: Votes,
    *,
    n_windows: int = N_WINDOWS,
    periods: Mapping[str, str] | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
) -> tuple[Coefficient, ...]:
    """Percent agreement and the headline coefficient of each period, two rows per period; `of` names the period.

    The headline coefficient is alpha at the level of the labels; where items share no classes, the chance-corrected
    percent agreement takes its place.

    `periods` maps each item to the name of its period (a day, a version of the instructions); periods are sorted.
    Without `periods` the items, in the order in which they were first assigned, are cut into `n_windows` periods with
    equally many items, named 1 to `n_windows`.
    """
    if n_windows < 1:
        raise HromadaError("Agreement over time needs one stretch or more.")
    items = votes.frame["item"].drop_duplicates()
    if periods is None:
        numbers = np.arange(len(items)) * n_windows // max(1, len(items)) + 1
        period = pd.Series([f"{number:0{len(str(n_windows))}d}" for number in numbers], index=items, dtype=object)
    else:
        period = items.map(periods).set_axis(items)
    vote_period = votes.frame["item"].map(period)
    headline = choose_label_headline(has_classes=votes.classes is not None, level=votes.measurement_level)
    rows = []
    for name in sorted(vote_period.dropna().unique()):
        table = compute_label_agreement(
            replace(votes, frame=votes.frame.loc[vote_period == name]),
            n_resamples=n_resamples,
            seed=seed,
        )
        rows += [replace(table[coefficient], of=name) for coefficient in ("percent_agreement", headline)]
    return tuple(rows)
