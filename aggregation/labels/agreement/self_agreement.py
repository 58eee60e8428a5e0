"""Agreement of annotators with themselves: the same item shown to the same annotator again, later."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from aggregation.intervals import wilson_interval

REASON_NO_CLASSES = "The options differ from item to item and share no classes, so κ has no chance to correct by."
REASON_ONE_LABEL = "Everybody always gave the same one label, so κ is undefined."
REASON_NO_REPEAT = "No item was asked of the same person again."


@dataclass(frozen=True, kw_only=True)
class SelfAgreement:
    """How often annotators gave the same answer again, over the repeats of all annotators together.

    `percent` is the share of repeats with two equal answers (0 to 1), `wilson_low` and `wilson_high` the ends of its
    Wilson interval, which treats all repeats as independent; `kappa` is Cohen's κ. `reason` says why `kappa`, or every
    number, is missing; else it is empty.
    """

    n_repeats: int
    n_annotators: int
    percent: float | None
    wilson_low: float | None
    wilson_high: float | None
    kappa: float | None
    reason: str


def compute_self_agreement(
    repeats: pd.DataFrame, *, has_classes: bool, confidence_level: float = 0.95
) -> SelfAgreement:
    """Compare first and later answers; `repeats` has one row per repeat with the columns annotator, first, again.

    The columns first and again are the two answers of the annotator to the same item. κ is Cohen's (1960), of first
    against later answers; without classes (`has_classes` is false: options differ from item to item) it is missing.
    """
    n = len(repeats)
    first, again = repeats["first"].astype(str), repeats["again"].astype(str)
    n_equal = int((first == again).sum())
    interval = wilson_interval(n_equal, n, confidence_level=confidence_level)
    kappa, reason = (
        _compute_kappa(first, again) if n and has_classes else (None, REASON_NO_CLASSES if n else REASON_NO_REPEAT)
    )
    return SelfAgreement(
        n_repeats=n,
        n_annotators=int(repeats["annotator"].nunique()),
        percent=n_equal / n if n else None,
        wilson_low=interval.low,
        wilson_high=interval.high,
        kappa=kappa,
        reason=reason,
    )


def _compute_kappa(first: pd.Series[str], again: pd.Series[str]) -> tuple[float | None, str]:
    """Cohen's kappa = 1 - (share of different answers) / (1 - chance), or None with the reason why it is undefined.

    Chance is the sum over labels of the product of the label's share among first and among later answers.
    """
    codes, labels = pd.factorize(np.concatenate([first.to_numpy(), again.to_numpy()]), sort=True)
    shares = [np.bincount(part, minlength=len(labels)) / len(first) for part in np.split(codes, 2)]
    chance = float(shares[0] @ shares[1])
    if len(labels) == 1:
        return None, REASON_ONE_LABEL
    return 1 - float((first != again).mean()) / (1 - chance), ""
