"""Agreement of closed labels by label, by annotator against the rest, and over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from aggregation.agreement import NO_PAIRS, Coefficient, build_pool, estimate_coefficient, estimate_item_mean
from aggregation.bootstrap import Draws
from aggregation.errors import HromadaError, Refused
from aggregation.labels.agreement.coefficients import compute_label_agreement
from aggregation.labels.agreement.formulas import Statistic
from aggregation.schema import COLUMNS, Floats, Votes, count_answers, divide_safely

SPECIFIC = "specific agreement: share of the label's votes that another vote of the same item repeats"
ALPHA = "Krippendorff's alpha of the label against all others"
REST = "mean over the person's items of the share of the others' votes that equal theirs"
WINDOWS = 5


def break_down_by_label(
    votes: Votes, *, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> tuple[Coefficient, ...]:
    """Two rows per declared label, in declared order: `specific_agreement` and `alpha_against_others`.

    Specific agreement is sum n(n-1)/(m-1) over sum n, n of the m votes of an item being for the label:
    how often another vote of the item repeats it (Dice, over all pairs). Raises Refused where items share no classes.
    """
    if votes.classes is None:
        raise Refused(
            "The options differ from item to item, so there are no labels to tell apart.",
            remedy="Break it down by annotator or over time.",
        )
    draws = Draws(resamples=resamples, seed=seed, level=level)
    n_votes = votes.frame["item"].map(votes.frame["item"].value_counts())
    paired = replace(votes, frame=votes.frame.loc[n_votes >= 2])
    counted = count_answers(paired)
    table = counted.table.astype(np.float64)
    size = table.sum(axis=1, keepdims=True)
    columns = np.hstack([size, table, table * (table - 1) / (size - 1)])
    items = build_pool(
        columns,
        groups=votes.items["group"].reindex(counted.items),
        n_votes=len(paired.frame),
        n_annotators=paired.frame["annotator"].nunique(),
    )
    sums, rows = items.resample(draws), []
    for number, label in enumerate(votes.classes):
        for name, how, statistic in (
            ("specific_agreement", SPECIFIC, _build_specific_agreement(number, len(votes.classes))),
            ("alpha_against_others", ALPHA, _build_alpha_against_others(number, len(votes.classes))),
        ):
            row = estimate_coefficient(
                name,
                items.compute(statistic),
                resampled=None if sums is None else statistic(sums),
                pool=items,
                draws=draws,
                how=how,
                undefined=f"Nobody, or everybody, gave the label {label!r}." if len(items.groups) else NO_PAIRS,
                positions=votes.positions,
                of=label,
            )
            rows.append(row)
    return tuple(rows)


def _build_specific_agreement(number: int, n_classes: int) -> Statistic:
    def statistic(sums: Floats) -> Floats:
        given, repeated = sums[:, 1 + number], sums[:, 1 + n_classes + number]
        return divide_safely(repeated, given)

    return statistic


def _build_alpha_against_others(number: int, n_classes: int) -> Statistic:
    """Alpha of two classes: 1 - (n - 1)(n_c - o_cc) / n_c (n - n_c)."""

    def statistic(sums: Floats) -> Floats:
        n, given, repeated = sums[:, 0], sums[:, 1 + number], sums[:, 1 + n_classes + number]
        expected = given * (n - given)
        return 1 - divide_safely((n - 1) * (given - repeated), expected)

    return statistic


def break_down_by_annotator(
    votes: Votes, *, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> tuple[Coefficient, ...]:
    """One row per annotator, sorted: `agreement_with_rest`, over the items that somebody else answered too.

    Two answers of the annotator to one item count as their mean; the others' votes all count.
    """
    draws = Draws(resamples=resamples, seed=seed, level=level)
    frame = votes.frame.sort_values(list(COLUMNS), ignore_index=True)  # the order of a sum changes its rounding
    item_votes = frame.groupby("item")["answer"].transform("size")
    answer_votes = frame.groupby(["item", "answer"])["annotator"].transform("size")
    own = frame.groupby(["item", "annotator"])["answer"].transform("size")
    own_answer = frame.groupby(["item", "annotator", "answer"])["answer"].transform("size")
    others, same = item_votes - own, answer_votes - own_answer
    share = (same / others.where(others > 0)).groupby([frame["annotator"], frame["item"]]).mean()
    rows = []
    for name in sorted(frame["annotator"].unique()):
        shares = share.loc[name]
        known = shares.dropna()
        on_known = frame["item"].isin(known.index)
        rows.append(
            estimate_item_mean(
                "agreement_with_rest",
                np.asarray(shares, dtype=np.float64),
                groups=votes.items["group"].reindex(shares.index),
                counts=(
                    int((on_known & (frame["annotator"] == name)).sum()),
                    frame.loc[on_known, "annotator"].nunique(),
                ),
                draws=draws,
                how=REST,
                undefined="Nobody else answered an item of this person.",
                of=name,
            )
        )
    return tuple(rows)


def break_down_over_time(
    votes: Votes,
    *,
    windows: int = WINDOWS,
    periods: Mapping[str, str] | None = None,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """Percent agreement and alpha (nominal) of one period after the other, `of` naming the period.

    Without `periods` the items, in the order in which they were first assigned, are cut into `windows` periods of
    equal length, named 1 to `windows`; else `periods` names the period of each item (a day, a version of the
    instructions), and periods are sorted. Items that share no classes have the chance-corrected form in place of alpha.
    """
    if windows < 1:
        raise HromadaError("Agreement over time needs one stretch or more.")
    order = votes.frame["item"].drop_duplicates()
    if periods is None:
        numbers = np.arange(len(order)) * windows // max(1, len(order)) + 1
        period = pd.Series([f"{number:0{len(str(windows))}d}" for number in numbers], index=order, dtype=object)
    else:
        period = order.map(periods).set_axis(order)
    vote_period = votes.frame["item"].map(period)
    second = (
        "krippendorff_alpha_nominal" if votes.classes is not None else "percent_agreement_chance_corrected_per_item"
    )
    rows = []
    for name in sorted(vote_period.dropna().unique()):
        part = compute_label_agreement(
            replace(votes, frame=votes.frame.loc[vote_period == name]), resamples=resamples, seed=seed, level=level
        )
        rows += [replace(part[coefficient], of=name) for coefficient in ("percent_agreement", second)]
    return tuple(rows)
