"""agreement.json: what was counted in each data set, the agreement, and why a number is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from aggregation.agreement.people import MOST_REFITS
from aggregation.agreement.table import Coefficient
from aggregation.agreement.two_populations import NEW_PEOPLE, THESE_PEOPLE, describe_coverage
from aggregation.consensus.consensus import Consensus
from aggregation.consensus.methods import Method
from exports import annotator_quality
from exports.inputs import DataSet
from exports.results import CIRCULAR, NO_VOTES, DataSetResult, ResultOptions
from exports.rounding import round_number, serialize_coefficient
from exports.score_variants import describe_variant

NOT_ANSWERED = "nobody answered"
ALL_EXCLUDED = "every answer is excluded"
ONLY_SKIPPED = "only skipped"
"""Why an item or an annotator has no votes, where no more specific reason is known; skips name it if both apply."""
OPEN = "open"
"""The status of an item that can still be answered; any other status is the reason why it has no votes."""

Json = dict[str, Any]


def build_agreement_content(results: Sequence[DataSetResult], *, options: ResultOptions) -> Json:
    """Build the content of agreement.json: one object for each data set, by name; shares are fractions, not percent."""
    return {result.data.name: _describe_data_set(result, options=options) for result in results}


def _describe_data_set(result: DataSetResult, *, options: ResultOptions) -> Json:
    data, votes = result.data, result.votes
    return {
        "title": data.title,
        "language": data.language,
        "simulated": data.simulated,
        "overlap_planned": data.overlap,
        **_describe_sample(data),
        "classes": None if data.classes is None else list(data.classes),
        "classes_are_positions": data.classes_are_positions,
        "question": data.question,
        "kind": data.kind,
        "normalise": data.normalise,
        "boxes": None if data.boxes is None else list(data.boxes),
        "counts": {
            "items": len(data.items),
            "items_with_gold": int(data.items["gold"].notna().sum()),
            "items_with_votes": int(votes.frame["item"].nunique()),
            "annotators": int(votes.frame["annotator"].nunique()),
            "insiders": _count_insiders(data),
            "votes": len(votes.frame),
            "skips": len(data.list_counted_skips()),
            "skips_by_reason": _count_reasons(data.list_counted_skips()["skip_reason"]),
            "excluded": len(data.list_excluded_responses()),
            "excluded_by_reason": data.count_excluded(),
            "excluded_post_hoc": int(data.list_excluded_responses()["post_hoc"].eq(other=True).sum()),
            **_count_without_votes(data),
        },
        "answers_per_item": _describe_range(votes.frame["item"].value_counts().astype(float)),
        "items_per_annotator": _describe_range(votes.frame.groupby("annotator")["item"].nunique().astype(float)),
        "seconds": _describe_seconds(data),
        "controls": _describe_controls(data),
        "self_agreement": _describe_self_agreement(result),
        "agreement_with_others": _describe_agreement_with_others(result),
        "agreement": _describe_agreement(result, options=options),
        "consensus": _describe_consensus(result.consensus, fallback=result.fallback, requested_method=options.method),
        "dawid_skene": None
        if result.dawid_skene is None
        else _describe_dawid_skene(result.dawid_skene, iaa=result.iaa),
        "baselines": _describe_baselines(result, options=options),
    }


def _describe_sample(data: DataSet) -> Json:
    """The overlap sample, on which agreement is measured; nothing where all items were to get as many answers."""
    sample = data.sample
    if sample is None:
        return {}
    counts = {"items": len(sample.items), "groups": sample.n_groups, "of_groups": sample.n_all_groups}
    facts = {"answers_planned": sample.of, "items_with_one_vote": data.count_one_vote_items(), "how": sample.words}
    return {"overlap_sample": counts | facts}


def _count_without_votes(data: DataSet) -> Json:
    """How many items and annotators have no vote, in all and by reason."""
    voted, skipped = data.list_counted_answers(), data.list_counted_skips()
    states = data.items.set_index("item_id")["status"].fillna(OPEN).to_dict()
    counts: Json = {}
    for name, column, known, reasons in (
        ("items", "item_id", data.items["item_id"], {item: state for item, state in states.items() if state != OPEN}),
        ("annotators", "annotator", data.responses["annotator"].drop_duplicates(), data.removed_annotators),
    ):
        without = sorted(set(known) - set(voted[column]))
        with_skips, with_answers = set(skipped[column]), set(data.responses[column])
        why = [
            reasons.get(key)
            or (ONLY_SKIPPED if key in with_skips else ALL_EXCLUDED if key in with_answers else NOT_ANSWERED)
            for key in without
        ]
        counts |= {f"{name}_without_votes": len(without), f"{name}_without_votes_by_reason": _count_reasons(why)}
    return counts


def _count_insiders(data: DataSet) -> int:
    """How many team members have answers that count."""
    counted = data.list_counted_answers()
    return int(counted.loc[counted["insider"].eq(other=True), "annotator"].nunique())


def _describe_seconds(data: DataSet) -> Json:
    """The times of the answers that count: how many, quartiles, and the share under a quarter of the median."""
    times = annotator_quality.list_answer_times(data)
    low, middle, high = times["seconds"].quantile([0.25, 0.5, 0.75]).tolist()
    return {
        "n": len(times),
        "quartile_low": _round_known(low),
        "median": _round_known(middle),
        "quartile_high": _round_known(high),
        "fast_share": _round_known(times["fast"].astype(float).mean()),
        "fast_share_counts": f"answers under {annotator_quality.FAST_SHARE_OF_MEDIAN:g} of the median",
    }


def _describe_controls(data: DataSet) -> Json:
    """Answers to control items with gold: how many, how many of them right, and how many in all answers (`rate`).

    All of them count, also those that a rule excluded; the other answers of `rate` are those that count."""
    right, votes = annotator_quality.list_control_answers(data)["right"], len(data.list_counted_answers())
    return {
        "n": len(right),
        "right": int(right.eq(other=True).sum()),
        "rate": round_number(len(right) / (len(right) + votes)) if len(right) else None,
    }


def _describe_self_agreement(result: DataSetResult) -> Json | None:
    """Agreement of annotators with themselves, with the hours between the two answers."""
    agreement = result.self_agreement
    if agreement is None:
        return None
    return {
        "n_repeats": agreement.n_repeats,
        "n_annotators": agreement.n_annotators,
        "percent_agreement": round_number(agreement.percent),
        "independent_low": round_number(agreement.independent_low),
        "independent_high": round_number(agreement.independent_high),
        "kappa": round_number(agreement.kappa),
        "reason": agreement.reason,
        "gap_hours": _describe_range(annotator_quality.list_repeats(result.data)["gap_hours"].astype(float).dropna()),
    }


def _describe_agreement_with_others(result: DataSetResult) -> Json | None:
    """How often people agree with the label of the others' votes; None unless gold is circular and there are votes."""
    table = result.with_others
    if table is None:
        return None
    means = {
        method: _round_known((table[method] * table["n"]).sum() / table.loc[table[method].notna(), "n"].sum())
        if table[method].notna().any()
        else None
        for method in ("majority", "dawid_skene")
    }
    fitted = "with the others' skills fixed" if len(table) > MOST_REFITS else "fitted again without each person"
    return {
        "n_annotators": int((table["n"] > 0).sum()),
        "n_votes": int(table["n"].sum()),
        **means,
        "how": "share of votes that equal the label made of the others' votes, a tie of t labels counting 1/t; "
        f"Dawid-Skene {fitted}",
        "reason": CIRCULAR,
    }


def _describe_range(numbers: pd.Series[float]) -> Json:
    return {name: _round_known(numbers.agg(name)) for name in ("min", "median", "max")}


def _count_reasons(reasons: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(str(reason) for reason in reasons).items()))


def _round_known(number: float) -> float | None:
    """Round a number for JSON; None for nan."""
    return None if pd.isna(number) else round_number(number)


def _describe_agreement(result: DataSetResult, *, options: ResultOptions) -> Json:
    rows = [] if result.agreement is None else [serialize_coefficient(row) for row in result.agreement.rows]
    return {
        "coefficients": rows,
        "level": options.confidence_level,
        "populations": {"low, high": THESE_PEOPLE, "new_people_low, new_people_high": NEW_PEOPLE},
        "coverage": describe_coverage(),
        "reason": NO_VOTES if result.agreement is None else "",
        "resamples": options.agreement_resamples,
        "seed": options.seed,
    }


def _describe_consensus(consensus: Consensus | None, *, fallback: str, requested_method: Method) -> Json:
    if consensus is None:
        return {"asked": requested_method, "method": None, "reason": NO_VOTES}
    return {
        "asked": requested_method,
        "method": consensus.method,
        "reason": fallback,
        "version": consensus.version,
        "ties": consensus.ties,
        "seed": consensus.seed,
        "n_ties": int(consensus.labels["tie"].sum()),
        "made": consensus.provenance,
        "warnings": list(consensus.warnings),
    }


def _describe_dawid_skene(fit: Consensus, *, iaa: Coefficient | None) -> Json:
    marginals = {} if fit.marginals is None else {name: round_number(share) for name, share in fit.marginals.items()}
    return {
        "version": fit.version,
        "iterations": fit.iterations,
        "converged": fit.converged,
        "marginals": marginals,
        "warnings": list(fit.warnings),
        "iaa": None if iaa is None else serialize_coefficient(iaa),
    }


def _describe_baselines(result: DataSetResult, *, options: ResultOptions) -> Json:
    units = () if result.performance is None else result.performance.units
    return {
        "level": options.confidence_level,
        "missing_units": result.missing_units,
        "warnings": {unit.unit: list(unit.warnings) for unit in units if unit.warnings},
        "reasons": {
            unit.unit: {score.metric: score.reason for score in unit.scores if score.reason}
            for unit in units
            if any(score.reason for score in unit.scores)
        },
        "missing_subsets": dict(result.missing_variants),
        "subsets": {name: describe_variant(name) for name in result.list_variants()},
        "independent": "as if all answers were independent",
    }
