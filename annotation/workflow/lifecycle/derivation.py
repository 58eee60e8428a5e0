"""Handing consensus on: items of one project become those of the next, keeping ids, groups and where they come from."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlmodel import Session, col, select

from annotation.campaigns import conditions
from annotation.campaigns import project as project_files
from annotation.campaigns.conditions import Agreed, Condition, Subject
from annotation.campaigns.questions import Question
from annotation.errors import BadInput, NotFound, Refused
from annotation.loading.items.reader import LINEAGE
from annotation.store import queries
from annotation.store.models import Item, Project
from annotation.vocabulary import Pool

if TYPE_CHECKING:
    from aggregation.consensus import Method

METHOD = "majority; ties give no label"


@dataclass(frozen=True, kw_only=True)
class Derived:
    """Items for the next project as rows of an items file, out of how many, and the lineage for its project file.

    `warnings` are what a reader should know of how the consensus was made.
    """

    rows: tuple[dict[str, Any], ...]
    of: int
    lineage: dict[str, Any]
    warnings: tuple[str, ...] = ()

    @property
    def jsonl(self) -> str:
        """The items file."""
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows)


def derive(
    session: Session, *, source: Project, where: Sequence[str], gold: str | None = None, method: Method = "majority"
) -> Derived:
    """The items of `source` that meet every condition, in their order. `gold` names the question whose consensus
    becomes the gold; without it declared gold is kept.

    Answers to pilot items count where a condition asks for that pool. Raises BadInput for conditions that make no
    sense, NotFound where no item meets them, Refused for a `method` that a question in use does not allow; of other
    questions the majority is told instead.
    """
    definition = project_files.definition_of(source.definition)
    questions = {question.name: question for question in definition.asked}
    if gold is not None and gold not in questions:
        raise BadInput(f"There is no question {gold!r}.", remedy=f"There are: {', '.join(questions)}.")
    asked = tuple(questions.values())
    wanted = [conditions.parsed(one, asked) for one in where]
    items = session.exec(select(Item).where(Item.project_id == source.id).order_by(col(Item.rank))).all()
    given = _given(session, source, first=asked[0].name, pilot=any(_of_pilot(one, asked) for one in wanted))
    needed = {one.about(asked)[0] for one in wanted} | {gold}
    found = _majority(questions, given) if method == "majority" else _by(method, questions, given, items, needed=needed)
    rows = []
    for item in items:
        agreed = found.agreed.get(item.id or 0, {})
        subject = _subject(item, agreed, first=asked[0].name)
        if all(one.holds(subject, asked) for one in wanted):
            rows.append(_row(item, agreed, source=source, gold=gold))
    if not rows:
        raise NotFound(
            f"None of the {len(items)} items of {source.name!r} meets the conditions.", remedy="Look at --where."
        )
    lineage = {"project": source.name, "where": list(where), "method": found.method}
    lineage["definition_sha256"] = source.definition_sha256
    return Derived(rows=tuple(rows), of=len(items), lineage=lineage, warnings=found.warnings)


@dataclass(frozen=True, kw_only=True)
class _Found:
    """What people agree on, by item and question, by which methods, and what to know of them."""

    agreed: Mapping[int, Mapping[str, Agreed]]
    method: str = METHOD
    warnings: tuple[str, ...] = ()


Given = Mapping[str, Sequence[tuple[int, str, str]]]
"""Item, annotator and stored answer, by question."""


def _of_pilot(condition: Condition, asked: Sequence[Question]) -> bool:
    fact = not condition.about(asked)[0] and condition.name == "pool"
    return fact and (condition.sign, condition.value) == ("=", Pool.PILOT.value)


def _given(session: Session, source: Project, *, first: str, pilot: bool) -> Given:
    given: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for item, who, answers, response in queries.counting_answers(session, project_id=source.id or 0, pilot=pilot):
        for name, stored in (answers or ({first: response} if response else {})).items():
            given[name].append((item, who, stored))
    return given


def _majority(questions: Mapping[str, Question], given: Given) -> _Found:
    found: dict[int, dict[str, Agreed]] = defaultdict(dict)
    for name, answers in given.items():
        for item, one in _majority_of(questions[name], answers).items():
            found[item][name] = one
    return _Found(agreed=found)


def _majority_of(question: Question, answers: Sequence[tuple[int, str, str]]) -> Mapping[int, Agreed]:
    stored: dict[int, list[str]] = defaultdict(list)
    for item, _, answer in answers:
        stored[item].append(answer)
    found = {item: conditions.agree(question, all_) for item, all_ in stored.items()}
    return {item: one for item, one in found.items() if one is not None}


def _by(
    method: Method, questions: Mapping[str, Question], given: Given, items: Sequence[Item], *, needed: Set[str | None]
) -> _Found:
    """Every question by `method`; where it is refused, one that is not `needed` by the majority, with a warning."""
    from annotation.workflow.lifecycle import derivation_consensus  # pandas

    found: dict[int, dict[str, Agreed]] = defaultdict(dict)
    hows, warnings = [], []
    for name, question in questions.items():
        if name not in given:
            continue
        try:
            made = derivation_consensus.made(question, given[name], items, method=method)
        except Refused as refusal:
            if name in needed:
                raise
            warnings.append(f"{name}: by majority. {refusal.problem}")
            agreed, how = _majority_of(question, given[name]), METHOD
        else:
            warnings += [f"{name}: {said}" for said in made.warnings]
            agreed, how = made.agreed, made.how
        hows.append(f"{name}: {how}")
        for item, one in agreed.items():
            found[item][name] = one
    return _Found(agreed=found, method=" | ".join(hows) or method, warnings=tuple(warnings))


def _subject(item: Item, agreed: Mapping[str, Agreed], *, first: str) -> Subject:
    golds = item.golds or ({first: item.gold} if item.gold is not None else {})
    facts = {
        "id": (item.external_id,), "group": (item.group_id,), "pool": (item.pool.value,), "gold": (item.gold or "",),
        "stratum": (item.stratum or "",), "tag": tuple(item.tags or ()),
    }  # fmt: skip
    return Subject(facts=facts, golds=golds, agreed=agreed)


def _label(labels: Sequence[str]) -> str:
    """One label as it is, several boxes (or none of them) as a JSON list."""
    return labels[0] if len(labels) == 1 else json.dumps(list(labels), ensure_ascii=False)


def _row(item: Item, agreed: Mapping[str, Agreed], *, source: Project, gold: str | None) -> dict[str, Any]:
    told = {
        name: {"labels": list(one.labels), "confidence": round(one.confidence, 6), "votes": one.votes}
        for name, one in sorted(agreed.items())
    }
    lineage = {"project": source.name, "item": item.external_id, "revision": item.revision, "consensus": told}
    if item.lineage is not None:
        lineage["before"] = item.lineage
    label = item.gold or ""
    if gold is not None:
        label = _label(agreed[gold].labels) if gold in agreed else ""
    row = {name: value for name, value in item.data.items() if name not in {"key", LINEAGE}}
    row |= {"id": item.external_id, "group": item.group_id, "gold": label, LINEAGE: lineage}
    return row | ({"options": item.options} if item.options is not None else {})
