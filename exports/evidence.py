"""agreement.json: what was counted in each data set, how far people agree, and why a number is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from aggregation.agreement import Coefficient
from aggregation.consensus import Consensus
from exports.inputs import DataSet
from exports.results import NO_VOTES, Choices, Result

DIGITS = 6  # decimals; more would differ between machines
NO_RESPONSE = "no response"

Json = dict[str, Any]


def evidence(results: Sequence[Result], *, choices: Choices) -> Json:
    """One object a data set, by its name; shares and coefficients are fractions, not percent."""
    return {result.data.name: _of_one(result, choices=choices) for result in results}


def excluded(data: DataSet) -> dict[str, int]:
    """How many answers do not count, by reason, sorted; answers without content and without a reason are told apart."""
    reasons = data.dropped()["excluded_reason"].astype(object)
    return dict(sorted(Counter(reasons.where(reasons.notna(), NO_RESPONSE).astype(str)).items()))


def _of_one(result: Result, *, choices: Choices) -> Json:
    data, votes = result.data, result.votes
    return {
        "title": data.title,
        "language": data.language,
        "simulated": data.simulated,
        "overlap_planned": data.overlap,
        "classes": None if data.classes is None else list(data.classes),
        "classes_are_positions": data.positions,
        "counts": {
            "items": len(data.items),
            "items_with_gold": int(data.items["gold"].notna().sum()),
            "items_with_votes": int(votes.frame["item"].nunique()),
            "annotators": int(votes.frame["annotator"].nunique()),
            "annotators_without_votes": int(data.responses["annotator"].nunique() - votes.frame["annotator"].nunique()),
            "votes": len(votes.frame),
            "excluded": len(data.dropped()),
            "excluded_by_reason": excluded(data),
        },
        "agreement": _agreement(result, choices=choices),
        "consensus": _consensus(result.consensus, fallback=result.fallback, asked=choices.method),
        "dawid_skene": None if result.dawid_skene is None else _fit(result.dawid_skene, iaa=result.iaa),
        "baselines": _baselines(result, choices=choices),
    }


def _agreement(result: Result, *, choices: Choices) -> Json:
    rows = [] if result.agreement is None else [_coefficient(row) for row in result.agreement.rows]
    return {
        "coefficients": rows,
        "level": choices.level,
        "reason": NO_VOTES if result.agreement is None else "",
        "resamples": choices.agreement_resamples,
        "seed": choices.seed,
    }


def _coefficient(row: Coefficient) -> Json:
    return {
        "name": row.name,
        "value": _rounded(row.value),
        "low": _rounded(row.low),
        "high": _rounded(row.high),
        "n_items": row.n_items,
        "n_votes": row.n_votes,
        "n_annotators": row.n_annotators,
        "how": row.how,
        "reason": row.reason,
        "undefined_resamples": row.undefined_resamples,
        "classes_are_positions": row.positions,
        "basis": row.basis,
    }


def _consensus(labels: Consensus | None, *, fallback: str, asked: str) -> Json:
    if labels is None:
        return {"asked": asked, "method": None, "reason": NO_VOTES}
    return {
        "asked": asked,
        "method": labels.method,
        "reason": fallback,
        "version": labels.version,
        "ties": labels.ties,
        "seed": labels.seed,
        "n_ties": int(labels.labels["tie"].sum()),
        "made": labels.made,
        "warnings": list(labels.warnings),
    }


def _fit(fit: Consensus, *, iaa: Coefficient | None) -> Json:
    marginals = {} if fit.marginals is None else {name: _rounded(share) for name, share in fit.marginals.items()}
    return {
        "version": fit.version,
        "iterations": fit.iterations,
        "converged": fit.converged,
        "marginals": marginals,
        "warnings": list(fit.warnings),
        "iaa": None if iaa is None else _coefficient(iaa),
    }


def _baselines(result: Result, *, choices: Choices) -> Json:
    units = () if result.performance is None else result.performance.units
    return {
        "level": choices.level,
        "missing_units": result.missing_units,
        "notes": {unit.unit: unit.note for unit in units if unit.note},
        "resamples": choices.performance_resamples,
        "seed": choices.seed,
        "undefined_resamples": {unit.unit: unit["accuracy"].undefined_resamples for unit in units},
        "wilson": "ignores people",
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(float(number), DIGITS) + 0.0  # + 0.0 turns -0.0 into 0.0
