"""Agreement of annotators with themselves: the same item shown to the same annotator again, later."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from aggregation.intervals import wilson_interval

NO_CLASSES = "The options differ from item to item and share no classes, so κ has no chance to correct by."
ONE_LABEL = "Everybody always gave the same one label, so κ is undefined."
NO_REPEAT = "No item was asked of the same person again."


@dataclass(frozen=True, kw_only=True)
class SelfAgreement:
    """Repeats of all annotators: their number, the share of equal answers with its Wilson interval, and Cohen's κ.

    `reason` says why κ, or everything, is missing. The interval treats all repeats as independent.
    """

    n_repeats: int
    n_annotators: int
    percent: float | None
    wilson_low: float | None
    wilson_high: float | None
    kappa: float | None
    reason: str


def compute_self_agreement(repeats: pd.DataFrame, *, closed: bool, level: float = 0.95) -> SelfAgreement:
    """Compare first and later answers; `repeats` has one row per repeat with the columns annotator, first, again.

    κ is Cohen's (1960) of first and later answers over all annotators; with options that differ from item to item
    (not `closed`) there is none.
    """
    n = len(repeats)
    first, again = repeats["first"].astype(str), repeats["again"].astype(str)
    equal = int((first == again).sum())
    interval = wilson_interval(equal, n, level=level)
    kappa, reason = _compute_kappa(first, again) if n and closed else (None, NO_CLASSES if n else NO_REPEAT)
    return SelfAgreement(
        n_repeats=n,
        n_annotators=int(repeats["annotator"].nunique()),
        percent=equal / n if n else None,
        wilson_low=interval.low,
        wilson_high=interval.high,
        kappa=kappa,
        reason=reason,
    )


def _compute_kappa(first: pd.Series[str], again: pd.Series[str]) -> tuple[float | None, str]:
    codes, labels = pd.factorize(np.concatenate([first.to_numpy(), again.to_numpy()]), sort=True)
    shares = [np.bincount(part, minlength=len(labels)) / len(first) for part in np.split(codes, 2)]
    chance = float(shares[0] @ shares[1])
    if len(labels) == 1:
        return None, ONE_LABEL
    return 1 - float((first != again).mean()) / (1 - chance), ""
