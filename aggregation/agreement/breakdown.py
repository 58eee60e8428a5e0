"""The same agreement by label, by annotator against the rest, and over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from aggregation.agreement.coefficients import agreement
from aggregation.agreement.estimates import NOTHING, Coefficient, estimated, mean_over_items, pool
from aggregation.agreement.formulas import Statistic
from aggregation.bootstrap import Draws
from aggregation.errors import HromadaError, Refused
from aggregation.schema import COLUMNS, Floats, Votes, closed_counts, quotient

SPECIFIC = "specific agreement: share of the label's votes that another vote of the same item repeats"
ALPHA = "Krippendorff's alpha of the label against all others"
REST = "mean over the person's items of the share of the others' votes that equal theirs"
WINDOWS = 5


def by_label(votes: Votes, *, resamples: int = 1000, seed: int = 0, level: float = 0.95) -> tuple[Coefficient, ...]:
    """Two rows a declared label, in declared order: `specific_agreement` and `alpha_against_others`.

    Specific agreement is sum n(n-1)/(m-1) over sum n, n of the m votes of an item for the label: how far one who gave
    it is repeated (Dice, over all pairs). Raises Refused where items share no classes.
    """
    if votes.classes is None:
        raise Refused(
            "The options differ from item to item, so there are no labels to tell apart.",
            remedy="Break it down by annotator or over time.",
        )
    draws = Draws(resamples=resamples, seed=seed, level=level)
    answered = votes.frame["item"].map(votes.frame["item"].value_counts())
    twice = replace(votes, frame=votes.frame.loc[answered >= 2])
    counted = closed_counts(twice)
    table = counted.table.astype(np.float64)
    size = table.sum(axis=1, keepdims=True)
    columns = np.hstack([size, table, table * (table - 1) / (size - 1)])
    items = pool(
        columns,
        groups=votes.items["group"].reindex(counted.items),
        n_votes=len(twice.frame),
        n_annotators=twice.frame["annotator"].nunique(),
    )
    sums, rows = items.resampled(draws), []
    for number, label in enumerate(votes.classes):
        for name, how, statistic in (
            ("specific_agreement", SPECIFIC, _specific(number, len(votes.classes))),
            ("alpha_against_others", ALPHA, _against_others(number, len(votes.classes))),
        ):
            row = estimated(
                name,
                items.value(statistic),
                resampled=None if sums is None else statistic(sums),
                pool=items,
                draws=draws,
                how=how,
                undefined=f"Nobody, or everybody, gave the label {label!r}." if len(items.groups) else NOTHING,
                positions=votes.positions,
                of=label,
            )
            rows.append(row)
    return tuple(rows)


def _specific(number: int, n_classes: int) -> Statistic:
    def statistic(sums: Floats) -> Floats:
        given, repeated = sums[:, 1 + number], sums[:, 1 + n_classes + number]
        return quotient(repeated, given)

    return statistic


def _against_others(number: int, n_classes: int) -> Statistic:
    """Alpha of two classes: 1 - (n - 1)(n_c - o_cc) / n_c (n - n_c)."""

    def statistic(sums: Floats) -> Floats:
        n, given, repeated = sums[:, 0], sums[:, 1 + number], sums[:, 1 + n_classes + number]
        expected = given * (n - given)
        return 1 - quotient((n - 1) * (given - repeated), expected)

    return statistic


def by_annotator(votes: Votes, *, resamples: int = 1000, seed: int = 0, level: float = 0.95) -> tuple[Coefficient, ...]:
    """One row a person, sorted: `agreement_with_rest`, over the items that somebody else answered too.

    What a person said twice on an item counts as the mean of both; the others' votes all count.
    """
    draws = Draws(resamples=resamples, seed=seed, level=level)
    frame = votes.frame.sort_values(list(COLUMNS), ignore_index=True)  # sums round by their order
    of_item = frame.groupby("item")["answer"].transform("size")
    of_answer = frame.groupby(["item", "answer"])["annotator"].transform("size")
    own = frame.groupby(["item", "annotator"])["answer"].transform("size")
    own_answer = frame.groupby(["item", "annotator", "answer"])["answer"].transform("size")
    others, same = of_item - own, of_answer - own_answer
    share = (same / others.where(others > 0)).groupby([frame["annotator"], frame["item"]]).mean()
    rows = []
    for name in sorted(frame["annotator"].unique()):
        of_items = share.loc[name]
        known = of_items.dropna()
        met = frame["item"].isin(known.index)
        rows.append(
            mean_over_items(
                "agreement_with_rest",
                np.asarray(of_items, dtype=np.float64),
                groups=votes.items["group"].reindex(of_items.index),
                counts=(int((met & (frame["annotator"] == name)).sum()), frame.loc[met, "annotator"].nunique()),
                draws=draws,
                how=REST,
                undefined="Nobody else answered an item of this person.",
                of=name,
            )
        )
    return tuple(rows)


def over_time(
    votes: Votes,
    *,
    windows: int = WINDOWS,
    periods: Mapping[str, str] | None = None,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """Percent agreement and alpha (nominal) of items taken one stretch after the other, `of` naming the stretch.

    Without `periods` the items, in the order in which they were first assigned, are cut into `windows` stretches of
    equal length, named 1 to `windows`; else `periods` names the stretch of each item (a day, an instruction's version),
    and stretches come sorted. Items that share no classes have the chance-corrected form in place of alpha.
    """
    if windows < 1:
        raise HromadaError("Agreement over time needs one stretch or more.")
    order = votes.frame["item"].drop_duplicates()
    if periods is None:
        numbers = np.arange(len(order)) * windows // max(1, len(order)) + 1
        stretch = pd.Series([f"{number:0{len(str(windows))}d}" for number in numbers], index=order, dtype=object)
    else:
        stretch = order.map(periods).set_axis(order)
    of_vote = votes.frame["item"].map(stretch)
    second = (
        "krippendorff_alpha_nominal" if votes.classes is not None else "percent_agreement_chance_corrected_per_item"
    )
    rows = []
    for name in sorted(of_vote.dropna().unique()):
        part = agreement(
            replace(votes, frame=votes.frame.loc[of_vote == name]), resamples=resamples, seed=seed, level=level
        )
        rows += [replace(part[coefficient], of=name) for coefficient in ("percent_agreement", second)]
    return tuple(rows)
