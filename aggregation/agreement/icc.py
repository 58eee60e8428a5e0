"""Intraclass correlations of ratings, from complete tables: everybody rated every item once."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import f as f_distribution

from aggregation.agreement.table import Basis, Coefficient
from aggregation.findings import Finding
from aggregation.ratings import Ratings
from aggregation.scales import ICC_NAMES
from aggregation.schema import Floats

FEWEST = 2
"""Items, and people, that a table needs."""


@dataclass(frozen=True, kw_only=True)
class IntraclassCorrelation:
    """An intraclass correlation with the F interval of McGraw and Wong (1996); None where it is 0/0."""

    value: float | None
    ends: tuple[float, float] | None


def compute_iccs(table: Floats, *, confidence_level: float = 0.95) -> dict[str, IntraclassCorrelation]:
    """The intraclass correlations of a complete table, items × people, by the names of McGraw and Wong.

    ICC(1,1) and ICC(1,k) are for items that each have people of their own; (A,1), (C,1) and their means of k for
    people who all rated every item. They are (2,1), (3,1), (2,k), (3,k) of Shrout and Fleiss (1979).
    """
    n, k = table.shape
    rows, columns, mean = table.mean(axis=1), table.mean(axis=0), table.mean()
    of_rows = float(k * ((rows - mean) ** 2).sum() / (n - 1))
    of_columns = float(n * ((columns - mean) ** 2).sum() / (k - 1))
    within = float(((table - rows[:, None]) ** 2).sum() / (n * (k - 1)))
    error = float(((table - rows[:, None] - columns + mean) ** 2).sum() / ((n - 1) * (k - 1)))
    if max(of_rows, of_columns, within) < 1e-12 * max(1.0, mean**2):
        return dict.fromkeys(
            ("ICC(1,1)", "ICC(1,k)", "ICC(C,1)", "ICC(C,k)", "ICC(A,1)", "ICC(A,k)"),
            IntraclassCorrelation(value=None, ends=None),
        )
    tail = (1 - confidence_level) / 2

    def bound(ratio: float, df: tuple[float, float]) -> tuple[float, float]:
        """The F ratios at the ends of its interval."""
        return (
            ratio / float(f_distribution.ppf(1 - tail, *df)),
            ratio * float(f_distribution.ppf(1 - tail, *df[::-1])),
        )

    found = {}
    for name, below, df in (("1", within, n * (k - 1)), ("C", error, (n - 1) * (k - 1))):
        ends = None if below <= 0 else bound(of_rows / below, (n - 1, df))
        found[f"ICC({name},1)"] = IntraclassCorrelation(
            value=_divide(of_rows - below, of_rows + (k - 1) * below),
            ends=None if ends is None else ((ends[0] - 1) / (ends[0] + k - 1), (ends[1] - 1) / (ends[1] + k - 1)),
        )
        found[f"ICC({name},k)"] = IntraclassCorrelation(
            value=_divide(of_rows - below, of_rows),
            ends=None if ends is None else (1 - 1 / ends[0], 1 - 1 / ends[1]),
        )
    single = _divide(of_rows - error, of_rows + (k - 1) * error + k * (of_columns - error) / n)
    ends = None
    if single is not None and error > 0 and single < 1:
        ends = _find_absolute_ends(single, of_rows, of_columns, error, shape=(n, k), tail=tail)
    found["ICC(A,1)"] = IntraclassCorrelation(value=single, ends=ends)
    found["ICC(A,k)"] = IntraclassCorrelation(
        value=_divide(of_rows - error, of_rows + (of_columns - error) / n),
        ends=None if ends is None else (_step_up(ends[0], k), _step_up(ends[1], k)),
    )
    return found


def _divide(top: float, bottom: float) -> float | None:
    return None if abs(bottom) < 1e-12 else top / bottom


def _step_up(single: float, k: int) -> float:
    """Spearman and Brown's reliability of the mean of k."""
    return k * single / (1 + (k - 1) * single)


def _find_absolute_ends(
    single: float, of_rows: float, of_columns: float, error: float, *, shape: tuple[int, int], tail: float
) -> tuple[float, float]:
    """The interval of ICC(A,1), McGraw and Wong (1996), table 7, with Satterthwaite's degrees of freedom."""
    n, k = shape
    a = k * single / (n * (1 - single))
    b = 1 + k * single * (n - 1) / (n * (1 - single))
    v = (a * of_columns + b * error) ** 2 / ((a * of_columns) ** 2 / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1)))
    low_f, high_f = (float(f_distribution.ppf(1 - tail, *df)) for df in ((n - 1, v), (v, n - 1)))
    rest = k * of_columns + (k * n - k - n) * error
    low = n * (of_rows - low_f * error) / (low_f * rest + n * of_rows)
    high = n * (high_f * of_rows - error) / (rest + n * high_f * of_rows)
    return low, high


def list_icc_coefficients(ratings: Ratings | None, *, basis: Basis, confidence_level: float) -> tuple[Coefficient, ...]:
    """The intraclass correlations as coefficients; none for a scale without means.

    One row with the reason if the table is not complete. Those of absolute agreement are for new people, those of
    consistency for these people, whose levels they leave out.
    """
    if ratings is None or not ratings.has_means:
        return ()
    n_items, n_people = len(ratings.item_ids), len(ratings.annotator_ids)
    counts = {
        "n_items": n_items, "n_votes": len(ratings.items), "n_annotators": n_people, "level": ratings.level,
        "basis": basis,
    }  # fmt: skip
    table = ratings.tabulate()
    if table is None or min(table.shape) < FEWEST:
        reason = (
            Finding("icc-incomplete", cells=len(ratings.items), all=n_items * n_people)
            if table is None
            else Finding("icc-few", least=FEWEST)
        )
        row = Coefficient(
            name=ICC_NAMES[0], value=None, low=None, high=None, how="", reason=reason, new_people_reason=reason,
            **counts,  # type: ignore[arg-type]
        )  # fmt: skip
        return (row,)
    found = compute_iccs(table, confidence_level=confidence_level)
    rows = []
    for name, known in zip(ICC_NAMES, ("ICC(A,1)", "ICC(C,1)", "ICC(A,k)", "ICC(C,k)"), strict=True):
        icc = found[known]
        low, high = icc.ends if icc.ends is not None else (None, None)
        is_absolute = name.startswith("icc_a")
        missing = Finding("icc-constant") if icc.value is None else Finding("icc-no-error") if low is None else ""
        if ratings.n_groups < n_items and low is not None:
            low, high, missing = None, None, Finding("icc-groups")
        rows.append(
            Coefficient(
                name=name,
                value=icc.value,
                low=None if is_absolute else low,
                high=None if is_absolute else high,
                new_people_low=low if is_absolute else None,
                new_people_high=high if is_absolute else None,
                how=f"{known.replace('k', str(n_people))}, F interval of McGraw and Wong (1996)",
                reason=missing or (Finding("icc-absolute") if is_absolute else ""),
                new_people_reason=missing or ("" if is_absolute else Finding("icc-consistency")),
                **counts,  # type: ignore[arg-type]
            )
        )
    return tuple(rows)
