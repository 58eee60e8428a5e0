"""The people behind points: how severe each is, and the opinions of items with that taken out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from scipy.stats import rankdata

from aggregation.findings import Finding
from aggregation.gold_comparison import count_cells
from aggregation.ratings import Ratings, find_median
from aggregation.schema import Floats, count_codes, divide_safely

FEWEST_RATINGS = 10
"""Ratings that a person needs for a spread of their own, by which z scores are made."""
FEWEST_SHARED = 3
"""Items that a person needs in common with others for a correlation."""
NOTHING = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class SeverityFit:
    """How far above or below the others each person rates: the fit y = mean + item + person by least squares.

    `people` has the index annotator, sorted, and the columns n, least_squares, severity (shrunk by what its variance
    leaves of it), severity_low, severity_high, spread (the standard deviation of the person's ratings) and
    correlation_with_others; nan for a number that a person has not. `items` are the fitted opinions of items, by item.
    `reason` says why there is no severity; it is empty if there is.
    """

    people: pd.DataFrame
    items: Floats | None
    reason: str


def fit_severity(ratings: Ratings) -> tuple[Floats, Floats, float, float, Floats]:
    """Least squares: severities (sum 0), item effects with the mean, error variance, its df, variances of severities.

    The rater–item graph must be connected. The error variance is nan without degrees of freedom.
    """
    n_items, n_people = len(ratings.item_ids), len(ratings.annotator_ids)
    cells = count_cells(ratings.items, ratings.annotators, shape=(n_items, n_people))
    of_items = count_codes(ratings.items, size=n_items)
    sums = count_codes(ratings.items, size=n_items, weights=ratings.values)
    of_people = count_codes(ratings.annotators, size=n_people, weights=ratings.values)
    by_items = count_cells(ratings.items, ratings.annotators, shape=(n_items, n_people))
    by_items.data = by_items.data / np.repeat(of_items, np.diff(by_items.indptr))
    shared = (cells.T @ by_items).toarray()
    laplacian = np.diag(count_codes(ratings.annotators, size=n_people)) - shared
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    severity = inverse @ (of_people - cells.T @ (sums / of_items))
    severity -= severity.mean()
    effects = (sums - cells @ severity) / of_items
    errors = ratings.values - effects[ratings.items] - severity[ratings.annotators]
    df = float(len(errors) - n_items - n_people + 1)
    variance = float((errors**2).sum() / df) if df > 0 else float("nan")
    return severity, effects, variance, df, np.asarray(np.diag(inverse)) * variance


def measure_severity(ratings: Ratings, *, confidence_level: float) -> SeverityFit:
    """The severity of people, shrunk by s_b² / (s_b² + its own variance); points need a level that has means."""
    n_people = len(ratings.annotator_ids)
    nan = np.full(n_people, np.nan)
    columns: dict[str, Floats] = dict.fromkeys(("least_squares", "severity", "severity_low", "severity_high"), nan)
    effects, reason = None, _explain_none(ratings)
    if not reason:
        fitted, effects, error, df, variances = fit_severity(ratings)
        between = max(0.0, float(fitted.var(ddof=1) - np.nan_to_num(variances).mean()))
        columns["least_squares"] = fitted
        if np.isnan(error):
            reason = Finding("severity-no-error")
        else:
            weight = divide_safely(np.full(n_people, between), between + variances, above=NOTHING)
            weight = np.where(np.isnan(weight), 0.0, weight)
            half = float(stdtrit(df, (1 + confidence_level) / 2)) * np.sqrt(weight * variances)
            shrunk = weight * fitted
            columns |= {"severity": shrunk, "severity_low": shrunk - half, "severity_high": shrunk + half}
    people = pd.DataFrame(
        {
            "n": count_codes(ratings.annotators, size=n_people).astype(int),
            **columns,
            "spread": _find_spreads(ratings) if ratings.has_means else nan,
            "correlation_with_others": _correlate_with_others(ratings),
        },
        index=pd.Index(ratings.annotator_ids, name="annotator"),
    )
    return SeverityFit(people=people.sort_index(), items=effects, reason=reason)


def _explain_none(ratings: Ratings) -> str:
    if not ratings.has_means:
        return Finding("ordinal-no-means")
    if len(ratings.annotator_ids) < 2:
        return Finding("severity-one-person")
    return "" if ratings.is_connected() else Finding("people-disconnected")


def _find_spreads(ratings: Ratings) -> Floats:
    """The standard deviation of each person's ratings; nan with one rating."""
    size, people = len(ratings.annotator_ids), ratings.annotators
    n = count_codes(people, size=size)
    means = divide_safely(count_codes(people, size=size, weights=ratings.values), n)
    squares = count_codes(people, size=size, weights=(ratings.values - means[people]) ** 2)
    return np.sqrt(divide_safely(squares, n - 1))


def _correlate_with_others(ratings: Ratings) -> Floats:
    """The correlation of each person's ratings with the mean of the others' on the same items.

    Pearson's where points have means, else Spearman's of ranks; nan with fewer than FEWEST_SHARED items, and where
    either side is constant.
    """
    items, values = ratings.items, ratings.values if ratings.has_means else ratings.places.astype(np.float64)
    sums, counts = (count_codes(items, size=len(ratings.item_ids), weights=one) for one in (values, None))
    found = np.full(len(ratings.annotator_ids), np.nan)
    for person in range(len(found)):
        own = ratings.annotators == person
        own_sums = count_codes(items[own], size=len(sums), weights=values[own])
        own_counts = count_codes(items[own], size=len(sums))
        shared = (own_counts > 0) & (counts > own_counts)
        if shared.sum() < FEWEST_SHARED:
            continue
        one = own_sums[shared] / own_counts[shared]
        others = (sums - own_sums)[shared] / (counts - own_counts)[shared]
        if not ratings.has_means:
            one, others = rankdata(one), rankdata(others)
        if np.ptp(one) > NOTHING and np.ptp(others) > NOTHING:
            found[person] = np.corrcoef(one, others)[0, 1]
    return found


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemOpinions:
    """The opinion of each item, raw and with people taken out.

    `items` has the index item, sorted, and the columns system, n, median (text), mean, sd, adjusted (the mean with the
    severity of its raters taken out) and z (the mean of ratings standardised within each person). `refused` are the
    people without z scores, by the reason (`few`, `constant`).
    """

    items: pd.DataFrame
    refused: dict[str, int]


def list_item_opinions(ratings: Ratings, severity: SeverityFit, *, fewest: int = FEWEST_RATINGS) -> ItemOpinions:
    """The opinions of items; `fewest` are the ratings that a person needs for z scores."""
    n_items = len(ratings.item_ids)
    n = count_codes(ratings.items, size=n_items)
    nan: Floats = np.full(n_items, np.nan)
    means, spreads, z = nan, nan, nan
    refused: dict[str, int] = {}
    if ratings.has_means:
        means = count_codes(ratings.items, size=n_items, weights=ratings.values) / n
        squares = count_codes(ratings.items, size=n_items, weights=(ratings.values - means[ratings.items]) ** 2)
        spreads = np.sqrt(divide_safely(squares, n - 1))
        z, refused = standardise(ratings, fewest=fewest)
    frame = pd.DataFrame(
        {
            "system": list(ratings.systems),
            "n": n.astype(int),
            "median": [find_median(ratings, values).text for values in ratings.by_item],
            "mean": means,
            "sd": spreads,
            "adjusted": nan if severity.items is None else severity.items,
            "z": z,
        },
        index=pd.Index(ratings.item_ids, name="item"),
    )
    return ItemOpinions(items=frame, refused=refused)


def standardise(ratings: Ratings, *, fewest: int = FEWEST_RATINGS) -> tuple[Floats, dict[str, int]]:
    """The mean z score of each item, (y - the person's mean) / the person's sd, and the people left out by reason."""
    size, people, values = len(ratings.annotator_ids), ratings.annotators, ratings.values
    n, spreads = count_codes(people, size=size), _find_spreads(ratings)
    means = count_codes(people, size=size, weights=values) / n
    is_few = n < fewest
    is_constant = ~is_few & ~(spreads > NOTHING)
    kept = ~(is_few | is_constant)[people]
    scores = (values - means[people])[kept] / spreads[people][kept]
    n_items = len(ratings.item_ids)
    sums = count_codes(ratings.items[kept], size=n_items, weights=scores)
    refused = {"few": int(is_few.sum()), "constant": int(is_constant.sum())}
    return divide_safely(sums, count_codes(ratings.items[kept], size=n_items)), refused
