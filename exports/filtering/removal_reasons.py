"""removal_reasons.csv and items.json: how many items were kept, why the others were not, the agreement on reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pandas as pd

from aggregation import schema
from aggregation.agreement.coefficients import compute_label_agreement
from aggregation.agreement.table import Coefficient
from aggregation.answer_types.box_votes import NO, YES
from aggregation.answer_types.boxes import BOX_COEFFICIENTS
from exports import writers
from exports.filtering.filtered_items import (
    HUMAN_FAILURE,
    KEPT,
    NOT_JUDGED,
    REMOVED,
    STATUSES,
    FilteredItem,
    Objection,
    decide_items,
    find_objections,
    get_objection_key,
    list_objections,
)
from exports.full_responses import FilteringRule, FullResponses
from exports.inputs import DataSet
from exports.number_formats import round_number, serialize_coefficient
from exports.pages.translation import localize_number, translate

RESAMPLES, CONFIDENCE_LEVEL = 1000, 0.95
_AGREEMENT_COLUMNS = tuple(f"{name}{part}" for name in BOX_COEFFICIENTS for part in ("", "_low", "_high"))
REASON_COLUMNS: writers.ColumnTypes = MappingProxyType(
    {
        "dataset": "text", "question": "text", "reason": "text", "removed": "integer", "share_of_removed": "number",
        "named": "integer", "votes": "integer", **dict.fromkeys(_AGREEMENT_COLUMNS, "number"),
        "n_compared": "integer", "no_value": "text",
    }
)  # fmt: skip

ItemObjections = list[tuple[str, str, Mapping[str, Sequence[Objection]]]]
"""Item, annotator, and the annotator's objections by question, one tuple a response."""


@dataclass(frozen=True, kw_only=True)
class RemovalReason:
    """An objection over all items of a data set, and how far annotators agree on it.

    It removed `removed` items, which is `share` of all removed ones (an item can have several reasons); it was raised
    on `named` items, `votes` times in all. `agreement` has one coefficient for each of BOX_COEFFICIENTS.
    """

    objection: Objection
    removed: int
    share: float | None
    named: int
    votes: int
    agreement: tuple[Coefficient, ...]

    def row(self, dataset: str) -> writers.DataRow:
        """The reason as a row of the columns REASON_COLUMNS."""
        values: dict[str, Any] = dict.fromkeys(_AGREEMENT_COLUMNS)
        for row in self.agreement:
            values |= {row.name: row.value, f"{row.name}_low": row.low, f"{row.name}_high": row.high}
        missing = sorted({row.reason for row in self.agreement if row.reason})
        return {
            "dataset": dataset, "question": self.objection.question, "reason": self.objection.reason,
            "removed": self.removed, "share_of_removed": self.share, "named": self.named, "votes": self.votes,
            **values, "n_compared": self.agreement[0].n_items if self.agreement else 0,
            "no_value": " ".join(missing) or None,
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class FilteredDataSet:
    """A data set after filtering: all its items, and all possible reasons, those that removed most items first."""

    responses: FullResponses
    rule: FilteringRule
    items: tuple[FilteredItem, ...]
    reasons: tuple[RemovalReason, ...]

    @property
    def data(self) -> DataSet:
        """The data set that was filtered."""
        return self.responses.data

    @property
    def n_judged(self) -> int:
        """How many items have a judgement."""
        return len(self.items) - self.count_items(NOT_JUDGED)

    def count_items(self, status: str) -> int:
        """How many items have that status."""
        return sum(item.status == status for item in self.items)


def filter_data_sets(projects: Sequence[FullResponses], *, seed: int = 0) -> tuple[FilteredDataSet, ...]:
    """Filter the items of each project that has a filtering rule; `seed` is that of the intervals of agreement."""
    return tuple(
        _filter_data_set(responses, responses.filtering, seed=seed)
        for responses in projects
        if responses.filtering is not None
    )


def _filter_data_set(responses: FullResponses, rule: FilteringRule, *, seed: int) -> FilteredDataSet:
    items = tuple(decide_items(responses, rule))
    removed = [item for item in items if item.status == REMOVED]
    counts = Counter(objection for item in removed for objection in item.reasons)
    raised = _list_item_objections(responses, rule)
    reasons = [
        RemovalReason(
            objection=objection,
            removed=counts[objection],
            share=counts[objection] / len(removed) if removed else None,
            named=sum(objection in item.objections for item in items),
            votes=sum(item.objections.get(objection, 0) for item in items),
            agreement=_compute_agreement(responses, rule, objection, raised, seed=seed),
        )
        for objection in list_objections(responses, rule)
    ]
    ordered = sorted(reasons, key=lambda reason: (-reason.removed, -reason.votes))
    return FilteredDataSet(responses=responses, rule=rule, items=items, reasons=tuple(ordered))


def _list_item_objections(responses: FullResponses, rule: FilteringRule) -> ItemObjections:
    """The objections of each response, in the order in which the responses were given."""
    gold = dict(zip(responses.data.items["item_id"], responses.data.list_scoring_gold(), strict=True))
    return [
        (response.item_id, response.annotator, find_objections(responses, rule, response, gold[response.item_id]))
        for response in responses.list_counted(by_item=False)
        if response.skip_reason is None
    ]


def _compute_agreement(
    responses: FullResponses, rule: FilteringRule, objection: Objection, raised: ItemObjections, *, seed: int
) -> tuple[Coefficient, ...]:
    """How far annotators agree on an objection: each who judged its question says yes or no."""
    key, data = get_objection_key(objection, rule), responses.data
    votes = [
        (item, annotator, YES if objection in objections[key] else NO)
        for item, annotator, objections in raised
        if key in objections
    ]
    items = data.items.set_index("item_id")[["group"]].rename_axis("item").assign(gold=None, n_options=2)
    agreement = compute_label_agreement(
        schema.check_votes(pd.DataFrame(votes, columns=list(schema.VOTE_COLUMNS)), items=items, classes=(YES, NO)),
        overlap=data.overlap,
        n_resamples=RESAMPLES,
        seed=seed,
        confidence_level=CONFIDENCE_LEVEL,
    )
    return tuple(agreement[name] for name in BOX_COEFFICIENTS)


def serialize_filtering(filtered: FilteredDataSet) -> dict[str, Any]:
    """The object of one data set in items.json; shares are fractions."""
    data, kept = filtered.data, filtered.count_items(KEPT)
    return {
        "simulated": data.simulated,
        "rule": describe_rule(filtered),
        "share": filtered.rule.share,
        "counts": {
            "items": len(filtered.items),
            "items_by_status": {status: filtered.count_items(status) for status in STATUSES},
            "kept_share": round_number(kept / filtered.n_judged) if filtered.n_judged else None,
            "excluded": len(data.list_excluded_responses()),
            "excluded_by_reason": data.count_excluded(),
        },
        "human_failure": count_human_failure(filtered),
        "removal_reasons": [
            {
                "question": reason.objection.question,
                "reason": reason.objection.reason,
                "removed": reason.removed,
                "share_of_removed": round_number(reason.share),
                "named": reason.named,
                "votes": reason.votes,
                "agreement": [serialize_coefficient(row) for row in reason.agreement],
            }
            for reason in filtered.reasons
        ],
    }


def count_human_failure(filtered: FilteredDataSet) -> dict[str, Any]:
    """The object `human_failure` of items.json: items on which more than the rule's share answered wrongly, by status.

    They are counted whether or not wrong answers are a reason for removal (`is_a_reason`).
    """
    failed = [item for item in filtered.items if item.failed]
    alone = [item for item in failed if {objection.reason for objection in item.reasons} == {HUMAN_FAILURE}]
    return {
        "is_a_reason": filtered.rule.failure,
        "items_with_answers_and_gold": sum(item.n_answers > 0 for item in filtered.items),
        "items_failed": len(failed),
        "items_failed_by_status": {status: sum(item.status == status for item in failed) for status in STATUSES},
        "removed_for_it_alone": len(alone),
    }


def describe_rule(filtered: FilteredDataSet) -> str:
    """The filtering rule in one or two sentences."""
    rule = filtered.rule
    share = localize_number(f"{100 * rule.share:g} %")
    parts = []
    if rule.problems:
        parts.append(
            translate(
                "more than {share} of the people who were asked name one and the same problem ({problems})",
                share=share,
                problems=", ".join(rule.problems),
            )
        )
    for name, values in rule.keep.items():
        parts.append(
            translate(
                "more than {share} of the people who were asked answer “{question}” otherwise than {answers}",
                share=share,
                question=name,
                answers=translate(" or ").join(values),
            )
        )
    if rule.failure:
        first = filtered.responses.questions[0].name
        parts.append(
            translate("more than {share} of the answers to “{question}” are wrong", share=share, question=first)
        )
    sentence = translate(
        "An item is removed where {conditions}; undecided where it is exactly that share.",
        conditions=translate(", or ").join(parts),
    )
    return sentence if rule.failure else " ".join([sentence, translate("A wrong answer is no reason.")])
