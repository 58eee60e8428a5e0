"""agreement.json: what was counted in each data set, how far people agree, and why a number is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from aggregation.agreement import Coefficient
from aggregation.consensus import Consensus
from exports import conduct
from exports.cells import coefficient, rounded
from exports.inputs import DataSet
from exports.results import NO_VOTES, Choices, Result
from exports.subsets import meaning

NOBODY = "nobody answered"
EXCLUDED = "every answer is excluded"
SKIPPED = "only skipped"
OPEN = "open"

Json = dict[str, Any]


def evidence(results: Sequence[Result], *, choices: Choices) -> Json:
    """One object a data set, by its name; shares and coefficients are fractions, not percent."""
    return {result.data.name: _of_one(result, choices=choices) for result in results}


def excluded(data: DataSet) -> dict[str, int]:
    """How many answers do not count, by reason, sorted."""
    return _counted(data.dropped()["excluded_reason"])


def _of_one(result: Result, *, choices: Choices) -> Json:
    data, votes = result.data, result.votes
    return {
        "title": data.title,
        "language": data.language,
        "simulated": data.simulated,
        "overlap_planned": data.overlap,
        "classes": None if data.classes is None else list(data.classes),
        "classes_are_positions": data.positions,
        "question": data.question,
        "kind": data.kind,
        "boxes": None if data.boxes is None else list(data.boxes),
        "counts": {
            "items": len(data.items),
            "items_with_gold": int(data.items["gold"].notna().sum()),
            "items_with_votes": int(votes.frame["item"].nunique()),
            "annotators": int(votes.frame["annotator"].nunique()),
            "insiders": _insiders(data),
            "votes": len(votes.frame),
            "skips": len(data.skipped()),
            "skips_by_reason": _counted(data.skipped()["skip_reason"]),
            "excluded": len(data.dropped()),
            "excluded_by_reason": excluded(data),
            "excluded_post_hoc": int(data.dropped()["post_hoc"].eq(other=True).sum()),
            **_without_votes(data),
        },
        "items_per_annotator": _spread(votes.frame.groupby("annotator")["item"].nunique().astype(float)),
        "seconds": _seconds(data),
        "controls": _controls(data),
        "self_agreement": _oneself(result),
        "agreement": _agreement(result, choices=choices),
        "consensus": _consensus(result.consensus, fallback=result.fallback, asked=choices.method),
        "dawid_skene": None if result.dawid_skene is None else _fit(result.dawid_skene, iaa=result.iaa),
        "baselines": _baselines(result, choices=choices),
    }


def _without_votes(data: DataSet) -> Json:
    """How many items and people have no vote, by reason; each reason's numbers add up to the total."""
    voted, skipped = data.retained(), data.skipped()
    states = data.items.set_index("item_id")["status"].fillna(OPEN).to_dict()
    told: Json = {}
    for name, column, known, reasons in (
        ("items", "item_id", data.items["item_id"], {one: state for one, state in states.items() if state != OPEN}),
        ("annotators", "annotator", data.responses["annotator"].drop_duplicates(), data.barred),
    ):
        without = sorted(set(known) - set(voted[column]))
        silent, answered = set(skipped[column]), set(data.responses[column])
        why = [
            reasons.get(one) or (SKIPPED if one in silent else EXCLUDED if one in answered else NOBODY)
            for one in without
        ]
        told |= {f"{name}_without_votes": len(without), f"{name}_without_votes_by_reason": _counted(why)}
    return told


def _insiders(data: DataSet) -> int:
    """How many insiders have answers that count."""
    counted = data.retained()
    return int(counted.loc[counted["insider"].eq(other=True), "annotator"].nunique())


def _seconds(data: DataSet) -> Json:
    """Time an answer over those that count: how many, quartiles, and the share under a quarter of the median."""
    times = conduct.pace(data)
    low, middle, high = times["seconds"].quantile([0.25, 0.5, 0.75]).tolist()
    return {
        "n": len(times),
        "quartile_low": _known(low),
        "median": _known(middle),
        "quartile_high": _known(high),
        "fast_share": _known(times["fast"].astype(float).mean()),
        "fast_share_counts": f"answers under {conduct.FAST:g} of the median",
    }


def _controls(data: DataSet) -> Json:
    """Answers to control items with gold: how many, how many right, and how many there are to every vote."""
    right, votes = conduct.controls(data)["right"], len(data.retained())
    return {
        "n": len(right),
        "right": int(right.eq(other=True).sum()),
        "rate": rounded(len(right) / (len(right) + votes)) if len(right) else None,
    }


def _oneself(result: Result) -> Json | None:
    """Agreement of people with themselves, with the hours between the two answers."""
    found = result.oneself
    if found is None:
        return None
    return {
        "n_repeats": found.n_repeats,
        "n_annotators": found.n_annotators,
        "percent_agreement": rounded(found.percent),
        "wilson_low": rounded(found.wilson_low),
        "wilson_high": rounded(found.wilson_high),
        "kappa": rounded(found.kappa),
        "reason": found.reason,
        "gap_hours": _spread(conduct.repeats(result.data)["gap_hours"].astype(float).dropna()),
    }


def _spread(numbers: pd.Series[float]) -> Json:
    return {"min": _known(numbers.min()), "median": _known(numbers.median()), "max": _known(numbers.max())}


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(str(name) for name in names).items()))


def _known(number: float) -> float | None:
    """The number, None for nan."""
    return None if pd.isna(number) else rounded(number)


def _agreement(result: Result, *, choices: Choices) -> Json:
    rows = [] if result.agreement is None else [coefficient(row) for row in result.agreement.rows]
    return {
        "coefficients": rows,
        "level": choices.level,
        "reason": NO_VOTES if result.agreement is None else "",
        "resamples": choices.agreement_resamples,
        "seed": choices.seed,
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
    marginals = {} if fit.marginals is None else {name: rounded(share) for name, share in fit.marginals.items()}
    return {
        "version": fit.version,
        "iterations": fit.iterations,
        "converged": fit.converged,
        "marginals": marginals,
        "warnings": list(fit.warnings),
        "iaa": None if iaa is None else coefficient(iaa),
    }


def _baselines(result: Result, *, choices: Choices) -> Json:
    units = () if result.performance is None else result.performance.units
    return {
        "level": choices.level,
        "missing_units": result.missing_units,
        "notes": {unit.unit: unit.note for unit in units if unit.note},
        "resamples": choices.performance_resamples,
        "seed": choices.seed,
        "missing_subsets": dict(result.no_subsets),
        "subsets": {name: meaning(name) for name in sorted(result.subsets)},
        "undefined_resamples": {unit.unit: unit.primary.undefined_resamples for unit in units},
        "wilson": "ignores people",
    }
