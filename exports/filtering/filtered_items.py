"""The decision on every item by the filtering rule of the project file: kept, removed, undecided or not judged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from aggregation import schema
from aggregation.agreement.coefficients import compute_label_agreement
from aggregation.agreement.table import Coefficient
from aggregation.answer_types.box_votes import NO, YES
from aggregation.answer_types.boxes import BOX_COEFFICIENTS
from exports import writers
from exports.inputs import DataSet
from exports.joint_answers import FilteringRule, JointAnswer, JointAnswers
from exports.pages.localization import localize_number, mark_text, translate
from exports.rounding import round_number, serialize_coefficient

RESAMPLES, CONFIDENCE_LEVEL = 1000, 0.95
_AGREEMENT_COLUMNS = tuple(f"{name}{part}" for name in BOX_COEFFICIENTS for part in ("", "_low", "_high"))
REASON_COLUMNS: writers.ColumnTypes = MappingProxyType(
    {
        "dataset": "text", "question": "text", "reason": "text", "removed": "integer", "share_of_removed": "number",
        "named": "integer", "votes": "integer", **dict.fromkeys(_AGREEMENT_COLUMNS, "number"),
        "n_compared": "integer", "no_value": "text",
    }
)  # fmt: skip


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

    responses: JointAnswers
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


def filter_data_sets(projects: Sequence[JointAnswers], *, seed: int = 0) -> tuple[FilteredDataSet, ...]:
    """Filter the items of each project that has a filtering rule; `seed` is that of the intervals of agreement."""
    return tuple(
        _filter_data_set(responses, responses.filtering, seed=seed)
        for responses in projects
        if responses.filtering is not None
    )


def _filter_data_set(responses: JointAnswers, rule: FilteringRule, *, seed: int) -> FilteredDataSet:
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


def _list_item_objections(responses: JointAnswers, rule: FilteringRule) -> ItemObjections:
    """The objections of each response, in the order in which the responses were given."""
    gold = dict(zip(responses.data.items["item_id"], responses.data.list_scoring_gold(), strict=True))
    return [
        (response.item_id, response.annotator, find_objections(responses, rule, response, gold[response.item_id]))
        for response in responses.list_counted(by_item=False)
        if response.skip_reason is None
    ]


def _compute_agreement(
    responses: JointAnswers, rule: FilteringRule, objection: Objection, raised: ItemObjections, *, seed: int
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
                **reason.objection._asdict(),
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
    return sentence if rule.failure else " ".join([sentence, translate("A wrong answer is not a reason.")])


KEPT, REMOVED, UNDECIDED = mark_text("kept"), mark_text("removed"), mark_text("undecided")
NOT_JUDGED = mark_text("not judged")
STATUSES = KEPT, REMOVED, UNDECIDED, NOT_JUDGED
HUMAN_FAILURE = mark_text("human failure")
"""The reason of the objection that annotators answered the first question wrongly."""

FILTERED_COLUMNS: writers.ColumnTypes = MappingProxyType(
    {
        "dataset": "text", "item_id": "text", "item_revision": "integer", "group": "text", "status": "text",
        "reasons": "texts", "named": "object", "n_annotators": "integer", "n_against": "integer",
        "n_answers": "integer", "n_wrong": "integer", "human_failure": "boolean", "remarks": "texts",
    }
)  # fmt: skip


class Objection(NamedTuple):
    """A possible objection to an item: a box of a question, any text to it, or an answer that speaks against the item.

    `question` is the name of the question, `reason` the box, the question's text, the answer, or HUMAN_FAILURE.
    """

    question: str
    reason: str


ItemObjections = list[tuple[str, str, Mapping[str, Sequence[Objection]]]]
"""Item, annotator, and the annotator's objections by question, one tuple a response."""


@dataclass(frozen=True, kw_only=True)
class FilteredItem:
    """An item after filtering.

    `objections` counts the annotators who raised each objection; `reasons` are the objections that removed the item.
    `n_annotators` counts those who looked for problems, `n_objecting` those who raised an objection (a wrong answer is
    one under a rule with `failure`, whether or not they looked for problems). `n_answers` counts the
    answers to the first question if the item has gold, `n_wrong` those that differ from it; `failed` says whether more
    than the rule's share is wrong, None where there are no such answers. `remarks` are the answers to all questions of
    the type `text`, sorted, so that their order does not show who wrote them.
    """

    item_id: str
    item_revision: int
    group: str
    status: str
    objections: Mapping[Objection, int]
    reasons: tuple[Objection, ...]
    n_annotators: int
    n_objecting: int
    n_answers: int
    n_wrong: int
    failed: bool | None
    remarks: tuple[str, ...]

    def row(self, dataset: str) -> writers.DataRow:
        """The item as a row of the columns FILTERED_COLUMNS."""
        named = [
            {"question": objection.question, "reason": objection.reason, "votes": votes}
            for objection, votes in self.objections.items()
        ]
        return {
            "dataset": dataset, "item_id": self.item_id, "item_revision": self.item_revision, "group": self.group,
            "status": self.status, "reasons": [objection.reason for objection in self.reasons], "named": named,
            "n_annotators": self.n_annotators, "n_against": self.n_objecting, "n_answers": self.n_answers,
            "n_wrong": self.n_wrong, "human_failure": self.failed, "remarks": list(self.remarks),
        }  # fmt: skip


def list_objections(responses: JointAnswers, rule: FilteringRule) -> tuple[Objection, ...]:
    """List every objection that is possible under the rule, in the order of the questions and their options."""
    objections = [objection for name in rule.problems for objection in _list_question_objections(responses, name)]
    for name, kept in rule.keep.items():
        options = responses.get_question(name).options or ()
        objections += [Objection(name, option) for option in options if option not in kept]
    if rule.failure:
        objections.append(Objection(responses.questions[0].name, HUMAN_FAILURE))
    return tuple(objections)


def _list_question_objections(responses: JointAnswers, name: str) -> list[Objection]:
    question = responses.get_question(name)
    if question.answer_type.is_free_text:
        return [Objection(name, question.text)]
    given = {label for answers in responses.answers for label in responses.list_labels(name, answers)}
    return [Objection(name, box) for box in question.options or tuple(sorted(given))]


def find_objections(
    responses: JointAnswers, rule: FilteringRule, response: JointAnswer, gold: str | None
) -> dict[str, tuple[Objection, ...]]:
    """Find the objections in one annotator's response, by question (`get_objection_key`).

    Left out are questions that were not asked (`JointAnswer.unasked`, or by `show_if`), and `keep` questions without
    an answer among their options. Boxes and texts that stay empty say that there is no such problem: their questions
    map to an empty tuple.
    """
    answers = response.answers
    objections: dict[str, tuple[Objection, ...]] = {}
    for name in rule.problems:
        if (name in answers or name not in response.unasked) and responses.was_asked(name, answers):
            labels = responses.list_labels(name, answers)
            if labels and responses.get_question(name).answer_type.is_free_text:
                objections[name] = tuple(_list_question_objections(responses, name))
            else:
                objections[name] = tuple(Objection(name, label) for label in labels)
    for name, kept in rule.keep.items():
        labels = responses.list_labels(name, answers)
        if labels and set(labels) <= set(responses.get_question(name).options or labels):
            objections[name] = tuple(Objection(name, label) for label in labels if label not in kept)
    first = responses.questions[0].name
    if rule.failure and gold is not None and first in answers:
        is_right = responses.data.is_right(response.item_id, answers[first], gold)
        objections[HUMAN_FAILURE] = () if is_right else (Objection(first, HUMAN_FAILURE),)
    return objections


def get_objection_key(objection: Objection, rule: FilteringRule) -> str:
    """The key of `find_objections` that holds an objection: its question, or HUMAN_FAILURE."""
    return HUMAN_FAILURE if rule.failure and objection.reason == HUMAN_FAILURE else objection.question


def decide_items(responses: JointAnswers, rule: FilteringRule) -> Iterator[FilteredItem]:
    """Decide on each item of the data set, judged or not, in the order of the ids."""
    by_item: dict[str, list[JointAnswer]] = defaultdict(list)
    for response in responses.list_counted():
        if response.skip_reason is None:
            by_item[response.item_id].append(response)
    possible, columns = list_objections(responses, rule), ["item_id", "item_revision", "group", "gold"]
    items = responses.data.items.assign(gold=responses.data.list_scoring_gold())
    for item, revision, group, gold in items[columns].itertuples(index=False):
        yield _decide_item(responses, rule, by_item[item], possible=possible, item=(item, revision, group), gold=gold)


def _decide_item(
    responses: JointAnswers,
    rule: FilteringRule,
    item_responses: Sequence[JointAnswer],
    *,
    possible: Sequence[Objection],
    item: tuple[str, int, str],
    gold: str | None,
) -> FilteredItem:
    by_response = [find_objections(responses, rule, response, gold) for response in item_responses]
    judged = [objections for objections in by_response if objections]
    votes = Counter(objection for objections in judged for raised in objections.values() for objection in raised)
    raised = {objection: votes[objection] for objection in possible if votes[objection]}
    status, reasons = _decide_status(rule, judged, raised)
    first = responses.questions[0].name
    answers = [response.answers[first] for response in item_responses if gold is not None and first in response.answers]
    n_wrong = sum(gold is not None and not responses.data.is_right(str(item[0]), answer, gold) for answer in answers)
    return FilteredItem(
        item_id=str(item[0]),
        item_revision=int(item[1]),
        group=str(item[2]),
        status=status,
        objections=raised,
        reasons=reasons,
        n_annotators=sum(_has_looked(objections, rule) for objections in judged),
        n_objecting=sum(any(objections.values()) for objections in judged),
        n_answers=len(answers),
        n_wrong=n_wrong,
        failed=_exceeds_share(n_wrong, len(answers), rule.share) if answers else None,
        remarks=_list_remarks(responses, item_responses),
    )


def _decide_status(
    rule: FilteringRule, judged: Sequence[Mapping[str, Sequence[Objection]]], raised: Mapping[Objection, int]
) -> tuple[str, tuple[Objection, ...]]:
    """The status of an item, and the objections that removed it; not judged where nobody has looked for problems yet.

    Each box or text is compared with the share by itself; all answers to a `keep` question that speak against the item
    are counted together, as are all wrong answers.
    """
    removing: list[Objection] = []
    tied = False
    for objection, votes in raised.items():
        key = get_objection_key(objection, rule)
        n_judging = sum(key in objections for objections in judged)
        counted_together = key in (*rule.keep, HUMAN_FAILURE)
        n_objecting = sum(bool(objections.get(key)) for objections in judged) if counted_together else votes
        if _exceeds_share(n_objecting, n_judging, rule.share):
            removing.append(objection)
        tied = tied or n_objecting == _compute_limit(n_judging, rule.share)
    if removing:
        return REMOVED, tuple(removing)
    if not any(_has_looked(objections, rule) for objections in judged):
        return NOT_JUDGED, ()
    return (UNDECIDED if tied else KEPT), ()


def _has_looked(objections: Mapping[str, Sequence[Objection]], rule: FilteringRule) -> bool:
    """Whether an annotator looked for problems: a right answer alone does not speak for an item, unless the rule asks
    for nothing else.
    """
    return any(key != HUMAN_FAILURE for key in objections) or not (rule.problems or rule.keep)


def _compute_limit(n_annotators: int, share: float) -> Fraction:
    """The share of this number of annotators, exact for the decimals of the project file: 0.55 of 20 is 11."""
    return Fraction(repr(share)) * n_annotators


def _exceeds_share(n_votes: int, n_annotators: int, share: float) -> bool:
    return n_votes > _compute_limit(n_annotators, share)


def _list_remarks(responses: JointAnswers, item_responses: Sequence[JointAnswer]) -> tuple[str, ...]:
    names = [question.name for question in responses.questions if question.answer_type.is_free_text]
    given = (response.answers for response in item_responses)
    return tuple(sorted(answers[name] for answers in given for name in names if name in answers))
