"""Items for a follow-up project: those of a project whose consensus meets conditions, with id, group and lineage."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlmodel import Session, col, select

from annotation.campaigns import conditions
from annotation.campaigns import project_file as project_files
from annotation.campaigns.conditions import Condition, ConditionFacts, ItemConsensus
from annotation.campaigns.questions import Question
from annotation.errors import BadInput, NotFound, Refused
from annotation.loading.items.item_reader import LINEAGE
from annotation.store import queries
from annotation.store.models import Item, Project
from annotation.vocabulary import Pool

if TYPE_CHECKING:
    from aggregation.labels.consensus import Method

METHOD = "majority; ties give no label"


@dataclass(frozen=True, kw_only=True)
class FollowUpItems:
    """Items for a follow-up project: rows of an items file, and the lineage for the project file.

    `source_count` is the number of items of the source, `warnings` say what to know about the consensus.
    """

    rows: tuple[dict[str, Any], ...]
    source_count: int
    lineage: dict[str, Any]
    warnings: tuple[str, ...] = ()

    @property
    def jsonl(self) -> str:
        """The content of the items file."""
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows)


def derive_items(
    session: Session, *, source: Project, where: Sequence[str], gold: str | None = None, method: Method = "majority"
) -> FollowUpItems:
    """The items of `source` that meet every condition in `where`, in their order.

    `gold` names the question whose consensus becomes the gold; without it declared gold is kept. Answers to pilot items
    count where a condition asks for that pool. Questions that neither a condition nor `gold` uses fall back to the
    majority where they do not allow `method`. Raises BadInput for a condition that is not valid, NotFound where no item
    meets them all, Refused where a question in use does not allow `method`.
    """
    definition = project_files.parse_definition(source.definition)
    questions = {question.name: question for question in definition.all_questions}
    if gold is not None and gold not in questions:
        raise BadInput(f"There is no question {gold!r}.", remedy=f"There are: {', '.join(questions)}.")
    asked_questions = tuple(questions.values())
    wanted_conditions = [conditions.parse_condition(condition, asked_questions) for condition in where]
    items = session.exec(select(Item).where(Item.project_id == source.id).order_by(col(Item.rank))).all()
    answers = _read_answers(
        session,
        source,
        first=asked_questions[0].name,
        pilot=any(_asks_for_pilot(condition, asked_questions) for condition in wanted_conditions),
    )
    needed = {condition.resolve_measure(asked_questions)[0] for condition in wanted_conditions} | {gold}
    consensus = (
        _compute_majority(questions, answers)
        if method == "majority"
        else _compute_by_method(method, questions, answers, items, needed=needed)
    )
    rows = []
    for item in items:
        agreed = consensus.agreed.get(item.id or 0, {})
        facts_of_item = _build_facts(item, agreed, first=asked_questions[0].name)
        if all(condition.is_met(facts_of_item, asked_questions) for condition in wanted_conditions):
            rows.append(_build_row(item, agreed, source=source, gold=gold))
    if not rows:
        raise NotFound(
            f"None of the {len(items)} items of {source.name!r} meets the conditions.", remedy="Look at --where."
        )
    lineage = {"project": source.name, "where": list(where), "method": consensus.method}
    lineage["definition_sha256"] = source.definition_sha256
    return FollowUpItems(rows=tuple(rows), source_count=len(items), lineage=lineage, warnings=consensus.warnings)


@dataclass(frozen=True, kw_only=True)
class _Consensus:
    """The consensus by database id of the item and name of the question, with the methods and warnings about them."""

    agreed: Mapping[int, Mapping[str, ItemConsensus]]
    method: str = METHOD
    warnings: tuple[str, ...] = ()


AnswersByQuestion = Mapping[str, Sequence[tuple[int, str, str]]]
"""Database id of the item, pseudonym and stored answer, by question."""


def _asks_for_pilot(condition: Condition, asked: Sequence[Question]) -> bool:
    is_fact = not condition.resolve_measure(asked)[0] and condition.name == "pool"
    return is_fact and (condition.operator, condition.value) == ("=", Pool.PILOT.value)


def _read_answers(session: Session, source: Project, *, first: str, pilot: bool) -> AnswersByQuestion:
    by_question: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for item, annotator, answers, response in queries.list_final_answers(
        session, project_id=source.id or 0, pilot=pilot
    ):
        for name, stored in (answers or ({first: response} if response else {})).items():
            by_question[name].append((item, annotator, stored))
    return by_question


def _compute_majority(questions: Mapping[str, Question], by_question: AnswersByQuestion) -> _Consensus:
    agreed: dict[int, dict[str, ItemConsensus]] = defaultdict(dict)
    for name, answers in by_question.items():
        for item, label in _compute_question_majority(questions[name], answers).items():
            agreed[item][name] = label
    return _Consensus(agreed=agreed)


def _compute_question_majority(
    question: Question, answers: Sequence[tuple[int, str, str]]
) -> Mapping[int, ItemConsensus]:
    stored: dict[int, list[str]] = defaultdict(list)
    for item, _, answer in answers:
        stored[item].append(answer)
    labels = {item: conditions.compute_consensus(question, answers_of_item) for item, answers_of_item in stored.items()}
    return {item: label for item, label in labels.items() if label is not None}


def _compute_by_method(
    method: Method,
    questions: Mapping[str, Question],
    by_question: AnswersByQuestion,
    items: Sequence[Item],
    *,
    needed: Set[str | None],
) -> _Consensus:
    """The consensus on every question by `method`; by majority, with a warning, for one that refuses it and is not
    `needed`.
    """
    from annotation.workflow.lifecycle import follow_up_consensus  # pandas

    by_item: dict[int, dict[str, ItemConsensus]] = defaultdict(dict)
    methods, warnings = [], []
    for name, question in questions.items():
        if name not in by_question:
            continue
        try:
            consensus = follow_up_consensus.compute_question_consensus(
                question, by_question[name], items, method=method
            )
        except Refused as refusal:
            if name in needed:
                raise
            warnings.append(f"{name}: by majority. {refusal.problem}")
            agreed, method_used = _compute_question_majority(question, by_question[name]), METHOD
        else:
            warnings += [f"{name}: {warning}" for warning in consensus.warnings]
            agreed, method_used = consensus.agreed, consensus.method
        methods.append(f"{name}: {method_used}")
        for item, label in agreed.items():
            by_item[item][name] = label
    return _Consensus(agreed=by_item, method=" | ".join(methods) or method, warnings=tuple(warnings))


def _build_facts(item: Item, agreed: Mapping[str, ItemConsensus], *, first: str) -> ConditionFacts:
    golds = item.golds or ({first: item.gold} if item.gold is not None else {})
    facts = {
        "id": (item.external_id,), "group": (item.group_id,), "pool": (item.pool.value,), "gold": (item.gold or "",),
        "stratum": (item.stratum or "",), "tag": tuple(item.tags or ()),
    }  # fmt: skip
    return ConditionFacts(facts=facts, golds=golds, consensus=agreed)


def _format_label(labels: Sequence[str]) -> str:
    """One label as it is; several labels, or none, as a JSON list."""
    return labels[0] if len(labels) == 1 else json.dumps(list(labels), ensure_ascii=False)


def _build_row(item: Item, agreed: Mapping[str, ItemConsensus], *, source: Project, gold: str | None) -> dict[str, Any]:
    consensus = {
        name: {"labels": list(agreement.labels), "confidence": round(agreement.confidence, 6), "votes": agreement.votes}
        for name, agreement in sorted(agreed.items())
    }
    lineage = {"project": source.name, "item": item.external_id, "revision": item.revision, "consensus": consensus}
    if item.lineage is not None:
        lineage["before"] = item.lineage
    label = item.gold or ""
    if gold is not None:
        label = _format_label(agreed[gold].labels) if gold in agreed else ""
    row = {name: value for name, value in item.data.items() if name not in {"key", LINEAGE}}
    row |= {"id": item.external_id, "group": item.group_id, "gold": label, LINEAGE: lineage}
    return row | ({"options": item.options} if item.options is not None else {})
