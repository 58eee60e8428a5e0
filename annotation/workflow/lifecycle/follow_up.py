"""Items for a follow-up project: the items of a source project whose consensus meets conditions, with their lineage."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlmodel import Session, col, select

from annotation.campaigns import conditions, project_file
from annotation.campaigns.conditions import Condition, ConditionFacts
from annotation.campaigns.questions import Question, question_base
from annotation.campaigns.questions.question_base import ItemConsensus
from annotation.campaigns.stimulus import list_images
from annotation.errors import BadInput, NotFound, Refused
from annotation.loading.items.item_reader import LINEAGE_COLUMN
from annotation.store import pictures, queries
from annotation.store.models import Item, Project
from annotation.vocabulary import Pool
from annotation.workflow import assignments

if TYPE_CHECKING:
    from aggregation.consensus.methods import Method

PICTURES = "pictures"
"""The folder of pictures beside the items."""
MAJORITY_METHOD = "majority; ties give no label"
"""The description of the majority that is written into the lineage."""


@dataclass(frozen=True, kw_only=True)
class FollowUpItems:
    """Items for a follow-up project: rows of an items file, and the lineage for the project file.

    `source_count` is how many items the source project has; `warnings` are sentences about the consensus. `pictures`
    are the bytes of the pictures that the rows name, by path from the folder of the items file.
    """

    rows: tuple[dict[str, Any], ...]
    source_count: int
    lineage: dict[str, Any]
    warnings: tuple[str, ...] = ()
    pictures: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def jsonl(self) -> str:
        """The content of the items file."""
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows)


def derive_items(
    session: Session, *, source: Project, where: Sequence[str], gold: str | None = None, method: Method = "majority"
) -> FollowUpItems:
    """The items of `source` that meet every condition in `where`, in the order of the source project.

    `gold` names the question whose consensus becomes the gold; without `gold` declared gold is kept. Answers to pilot
    items count where a condition asks for the pilot pool. A question that does not allow `method` gets the majority,
    unless a condition or `gold` uses it. Raises BadInput for a condition that is not valid, NotFound where no item
    meets all conditions, Refused where a question that a condition or `gold` uses does not allow `method`.
    """
    definition = project_file.parse_definition(source.definition)
    questions = {question.name: question for question in definition.all_questions}
    if gold is not None and gold not in questions:
        raise BadInput(f"There is no question {gold!r}.", remedy=f"There are: {', '.join(questions)}.")
    all_questions = tuple(questions.values())
    parsed_conditions = [conditions.parse_condition(condition, all_questions) for condition in where]
    items = session.exec(select(Item).where(Item.project_id == source.id).order_by(col(Item.rank))).all()
    answers = _read_answers(
        session,
        source,
        questions=all_questions,
        include_pilot=any(_asks_for_pilot(condition, all_questions) for condition in parsed_conditions),
    )
    questions_in_use = {condition.resolve_measure(all_questions)[0] for condition in parsed_conditions} | {gold}
    consensus = (
        _compute_majority(questions, answers)
        if method == "majority"
        else _compute_by_method(method, questions, answers, items, questions_in_use=questions_in_use)
    )
    rows = []
    images: set[str] = set()
    for item in items:
        labels = consensus.by_item.get(item.id or 0, {})
        facts = _build_facts(item, labels, first_question=all_questions[0].name)
        if all(condition.is_met(facts, all_questions) for condition in parsed_conditions):
            rows.append(_build_row(item, labels, source=source, gold=gold))
            images.update(list_images(item.pieces or ()))
    if not rows:
        raise NotFound(
            f"None of the {len(items)} items of {source.name!r} meets the conditions.", remedy="Look at --where."
        )
    lineage = {"project": source.name, "where": list(where), "method": consensus.method}
    lineage["definition_sha256"] = source.definition_sha256
    contents = pictures.read_contents(session, images)
    return FollowUpItems(
        rows=tuple(rows),
        source_count=len(items),
        lineage=lineage,
        warnings=consensus.warnings,
        pictures={_get_picture_path(name): content for name, content in contents.items()},
    )


def _get_picture_path(name: str) -> str:
    """The path of a picture from the folder of the items; the name that its file had can tell the answer."""
    return f"{PICTURES}/{name}"


@dataclass(frozen=True, kw_only=True)
class _Consensus:
    """The consensus of each item by the name of the question, with a description of the method, and warnings.

    The keys of `by_item` are database ids.
    """

    by_item: Mapping[int, Mapping[str, ItemConsensus]]
    method: str = MAJORITY_METHOD
    warnings: tuple[str, ...] = ()


AnswersByQuestion = Mapping[str, Sequence[tuple[int, str, str]]]
"""The answers by the name of the question, each as database id of the item, pseudonym and stored answer."""


def _asks_for_pilot(condition: Condition, questions: Sequence[Question]) -> bool:
    is_pool_condition = not condition.resolve_measure(questions)[0] and condition.name == "pool"
    return is_pool_condition and (condition.operator, condition.value) == ("=", Pool.PILOT.value)


def _read_answers(
    session: Session, source: Project, *, questions: Sequence[Question], include_pilot: bool
) -> AnswersByQuestion:
    """The final answers; boxes that somebody left out altogether at the second look are an answer without a tick."""
    looked_twice = queries.list_second_passes(session, project_id=source.id or 0)
    by_question: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for item, annotator, answers, response in queries.list_final_answers(
        session, project_id=source.id or 0, pilot=include_pilot
    ):
        given = answers or ({questions[0].name: response} if response else {})
        left_out = {
            question.name: question.empty_answer
            for question in questions
            if question.empty_answer is not None
            and not question.required
            and question.name not in given
            and (item, annotator) in looked_twice
            and question_base.is_asked(question, given)
        }
        for name, stored in {**given, **left_out}.items():
            by_question[name].append((item, annotator, stored))
    return by_question


def _compute_majority(questions: Mapping[str, Question], by_question: AnswersByQuestion) -> _Consensus:
    by_item: dict[int, dict[str, ItemConsensus]] = defaultdict(dict)
    for name, answers in by_question.items():
        for item, label in _compute_question_majority(questions[name], answers).items():
            by_item[item][name] = label
    return _Consensus(by_item=by_item)


def _compute_question_majority(
    question: Question, answers: Sequence[tuple[int, str, str]]
) -> Mapping[int, ItemConsensus]:
    answers_by_item: dict[int, list[str]] = defaultdict(list)
    for item, _, answer in answers:
        answers_by_item[item].append(answer)
    labels_or_none = {
        item: question.compute_majority(answers_of_item) for item, answers_of_item in answers_by_item.items()
    }
    return {item: label for item, label in labels_or_none.items() if label is not None}


def _compute_by_method(
    method: Method,
    questions: Mapping[str, Question],
    by_question: AnswersByQuestion,
    items: Sequence[Item],
    *,
    questions_in_use: Set[str | None],
) -> _Consensus:
    """The consensus on every question by `method`.

    A question that does not allow the method gets the majority and a warning; where it is one of `questions_in_use`,
    Refused is raised.
    """
    from annotation.workflow.lifecycle import follow_up_consensus  # pandas

    by_item: dict[int, dict[str, ItemConsensus]] = defaultdict(dict)
    method_descriptions, warnings = [], []
    for name, question in questions.items():
        if name not in by_question:
            continue
        try:
            consensus = follow_up_consensus.compute_question_consensus(
                question, by_question[name], items, method=method
            )
        except Refused as refusal:
            if name in questions_in_use:
                raise
            warnings.append(f"{name}: by majority. {refusal.problem}")
            labels, method_description = _compute_question_majority(question, by_question[name]), MAJORITY_METHOD
        else:
            warnings += [f"{name}: {warning}" for warning in consensus.warnings]
            labels, method_description = consensus.by_item, consensus.method
        method_descriptions.append(f"{name}: {method_description}")
        for item, label in labels.items():
            by_item[item][name] = label
    return _Consensus(by_item=by_item, method=" | ".join(method_descriptions) or method, warnings=tuple(warnings))


def _build_facts(item: Item, consensus: Mapping[str, ItemConsensus], *, first_question: str) -> ConditionFacts:
    golds = item.golds or ({first_question: item.gold} if item.gold is not None else {})
    return replace(assignments.build_item_facts(item), golds=golds, consensus=consensus)


def _format_label(labels: Sequence[str]) -> str:
    """One label as it is; several labels, or none, as a JSON list."""
    return labels[0] if len(labels) == 1 else json.dumps(list(labels), ensure_ascii=False)


def _build_row(item: Item, labels: Mapping[str, ItemConsensus], *, source: Project, gold: str | None) -> dict[str, Any]:
    consensus = {
        name: {
            "labels": list(item_consensus.labels),
            "confidence": round(item_consensus.confidence, 6),
            "votes": item_consensus.votes,
        }
        for name, item_consensus in sorted(labels.items())
    }
    lineage = {"project": source.name, "item": item.external_id, "revision": item.revision, "consensus": consensus}
    if item.lineage is not None:
        lineage["before"] = item.lineage
    label = item.gold or ""
    if gold is not None:
        label = _format_label(labels[gold].labels) if gold in labels else ""
    row = {name: value for name, value in item.data.items() if name not in {"key", LINEAGE_COLUMN}}
    row |= {piece["field"]: _get_picture_path(piece["image"]) for piece in item.pieces or () if piece.get("image")}
    row |= {"id": item.external_id, "group": item.group_id, "gold": label, LINEAGE_COLUMN: lineage}
    return row | ({"options": item.options} if item.options is not None else {})
