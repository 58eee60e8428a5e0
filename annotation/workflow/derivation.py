"""Handing consensus on: items of one project become those of the next, keeping ids, groups and where they come from."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from annotation.campaigns import conditions
from annotation.campaigns import project as project_files
from annotation.campaigns.conditions import Agreed, Subject
from annotation.campaigns.questions import Question
from annotation.errors import BadInput, NotFound
from annotation.loading.items.reader import LINEAGE
from annotation.store import queries
from annotation.store.models import Item, Project

METHOD = "majority; ties give no label"


@dataclass(frozen=True, kw_only=True)
class Derived:
    """Items for the next project as rows of an items file, out of how many, and the lineage for its project file."""

    rows: tuple[dict[str, Any], ...]
    of: int
    lineage: dict[str, Any]

    @property
    def jsonl(self) -> str:
        """The items file."""
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows)


def derive(session: Session, *, source: Project, where: Sequence[str], gold: str | None = None) -> Derived:
    """The items of `source` that meet every condition, in their order. `gold` names the question whose consensus
    becomes the gold; without it declared gold is kept.

    Raises BadInput for conditions that make no sense, NotFound where no item meets them.
    """
    definition = project_files.definition_of(source.definition)
    questions = {question.name: question for question in definition.asked}
    if gold is not None and gold not in questions:
        raise BadInput(f"There is no question {gold!r}.", remedy=f"There are: {', '.join(questions)}.")
    asked = tuple(questions.values())
    wanted = [conditions.parsed(one, asked) for one in where]
    agreed = _agreed(session, source, questions)
    items = session.exec(select(Item).where(Item.project_id == source.id).order_by(col(Item.rank))).all()
    rows = []
    for item in items:
        found = agreed.get(item.id or 0, {})
        subject = _subject(item, found, first=asked[0].name)
        if all(one.holds(subject, asked) for one in wanted):
            rows.append(_row(item, found, source=source, gold=gold))
    if not rows:
        raise NotFound(
            f"None of the {len(items)} items of {source.name!r} meets the conditions.", remedy="Look at --where."
        )
    lineage = {"project": source.name, "where": list(where), "method": METHOD}
    return Derived(rows=tuple(rows), of=len(items), lineage=lineage | {"definition_sha256": source.definition_sha256})


def _agreed(session: Session, source: Project, questions: Mapping[str, Question]) -> dict[int, dict[str, Agreed]]:
    given: dict[tuple[int, str], list[str]] = defaultdict(list)
    first = next(iter(questions))
    for item, answers, response in queries.counting_answers(session, project_id=source.id or 0):
        for name, stored in (answers or ({first: response} if response else {})).items():
            given[item, name].append(stored)
    found: dict[int, dict[str, Agreed]] = defaultdict(dict)
    for (item, name), stored_answers in given.items():
        agreed = conditions.agree(questions[name], stored_answers)
        if agreed is not None:
            found[item][name] = agreed
    return found


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
