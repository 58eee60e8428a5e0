"""Which items are kept, by the rule that the project file states, and what people have against the others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from exports import rows
from exports.sheets import Filtering, Sheet, Sheets

KEPT, REMOVED, UNDECIDED, OPEN = "kept", "removed", "undecided", "not judged"
FAILURE = "human failure"
"""The reason «a wrong answer to the first question», where the rule counts it."""

FILTERED: rows.Columns = MappingProxyType(
    {
        "dataset": "text", "item_id": "text", "item_revision": "whole", "group": "text", "status": "text",
        "reasons": "texts", "named": "object", "n_annotators": "whole", "n_against": "whole", "n_answers": "whole",
        "n_wrong": "whole", "human_failure": "truth", "remarks": "texts",
    }
)  # fmt: skip


class Ground(NamedTuple):
    """Something that can be had against an item: a question's box, its text, or an answer that does not keep."""

    question: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """An item after filtering. `named` counts who names each ground; `reasons` are those that removed it.

    `people` judged it, `against` of them named anything. `answers` are those to the first question with known gold,
    `wrong` of them; `failed` says that more than the rule's share of them is, None where there are none. `remarks` are
    the texts written to other questions, sorted, so that nobody is to be known by them.
    """

    item_id: str
    item_revision: int
    group: str
    status: str
    named: Mapping[Ground, int]
    reasons: tuple[Ground, ...]
    people: int
    against: int
    answers: int
    wrong: int
    failed: bool | None
    remarks: tuple[str, ...]

    def row(self, dataset: str) -> rows.Row:
        """Its row, with the columns FILTERED."""
        return {
            "dataset": dataset, "item_id": self.item_id, "item_revision": self.item_revision, "group": self.group,
            "status": self.status, "reasons": [ground.reason for ground in self.reasons],
            "named": [{"question": one.question, "reason": one.reason, "votes": n} for one, n in self.named.items()],
            "n_annotators": self.people, "n_against": self.against, "n_answers": self.answers, "n_wrong": self.wrong,
            "human_failure": self.failed, "remarks": list(self.remarks),
        }  # fmt: skip


def grounds(sheets: Sheets, rule: Filtering) -> tuple[Ground, ...]:
    """All that can be had against an item of this project, in the order of the questions and their options."""
    found = [ground for name in rule.problems for ground in _of_question(sheets, name)]
    for name, kept in rule.keep.items():
        found += [Ground(name, one) for one in sheets.asked(name).options or () if one not in kept]
    return (*found, Ground(sheets.questions[0].name, FAILURE)) if rule.failure else tuple(found)


def _of_question(sheets: Sheets, name: str) -> list[Ground]:
    asked = sheets.asked(name)
    if asked.kind == "text":
        return [Ground(name, asked.text)]
    boxes = asked.options or tuple(sorted({one for given in sheets.answers for one in sheets.labels(name, given)}))
    return [Ground(name, box) for box in boxes]


def against(sheets: Sheets, rule: Filtering, sheet: Sheet, gold: str | None) -> dict[str, tuple[Ground, ...]]:
    """What one person has against an item, by question; only questions that she was asked and did not leave open.

    Boxes and texts that stay empty say that there is no such problem.
    """
    found: dict[str, tuple[Ground, ...]] = {}
    for name in rule.problems:
        if sheets.was_asked(name, sheet.answers):
            labels = sheets.labels(name, sheet.answers)
            text = sheets.asked(name).kind == "text"
            found[name] = (
                tuple(_of_question(sheets, name)) if text and labels else tuple(Ground(name, x) for x in labels)
            )
    for name, kept in rule.keep.items():
        if (labels := sheets.labels(name, sheet.answers)) and set(labels) <= set(sheets.asked(name).options or labels):
            found[name] = tuple(Ground(name, one) for one in labels if one not in kept)
    first = sheets.questions[0].name
    if rule.failure and gold is not None and first in sheet.answers:
        found[FAILURE] = (Ground(first, FAILURE),) if sheet.answers[first] != gold else ()
    return found


def question_of(ground: Ground, rule: Filtering) -> str:
    """Under which name `against` tells a ground."""
    return FAILURE if rule.failure and ground.reason == FAILURE else ground.question


def verdicts(sheets: Sheets, rule: Filtering) -> Iterator[Verdict]:
    """One for each item of the data set, judged or not, by id."""
    of_items: dict[str, list[Sheet]] = defaultdict(list)
    for sheet in sheets.counted():
        if sheet.skip_reason is None:
            of_items[sheet.item_id].append(sheet)
    known, columns = grounds(sheets, rule), ["item_id", "item_revision", "group", "gold"]
    for item, revision, group, gold in sheets.data.items[columns].itertuples(index=False):
        yield _verdict(sheets, rule, of_items[item], known=known, item=(item, revision, group), gold=gold)


def _verdict(
    sheets: Sheets,
    rule: Filtering,
    given: Sequence[Sheet],
    *,
    known: Sequence[Ground],
    item: tuple[str, int, str],
    gold: str | None,
) -> Verdict:
    said = [against(sheets, rule, sheet, gold) for sheet in given]
    judged = [one for one in said if one]
    counts = Counter(ground for one in judged for found in one.values() for ground in found)
    named = {ground: counts[ground] for ground in known if counts[ground]}
    status, reasons = _decided(rule, judged, named)
    first = sheets.questions[0].name
    blind = [sheet.answers[first] for sheet in given if gold is not None and first in sheet.answers]
    wrong = sum(answer != gold for answer in blind)
    return Verdict(
        item_id=str(item[0]),
        item_revision=int(item[1]),
        group=str(item[2]),
        status=status,
        named=named,
        reasons=reasons,
        people=len(judged),
        against=sum(any(one.values()) for one in judged),
        answers=len(blind),
        wrong=wrong,
        failed=_over(wrong, len(blind), rule.share) if blind else None,
        remarks=_remarks(sheets, given),
    )


def _decided(
    rule: Filtering, judged: Sequence[Mapping[str, Sequence[Ground]]], named: Mapping[Ground, int]
) -> tuple[str, tuple[Ground, ...]]:
    """The status of an item, and the grounds that removed it.

    Every box or text decides by itself; answers that do not keep decide together, as do the wrong ones.
    """
    if not judged:
        return OPEN, ()
    removing: list[Ground] = []
    tied = False
    for ground, votes in named.items():
        question = question_of(ground, rule)
        people = sum(question in one for one in judged)
        speaking = sum(bool(one.get(question)) for one in judged) if question in (*rule.keep, FAILURE) else votes
        if _over(speaking, people, rule.share):
            removing.append(ground)
        tied = tied or speaking == _limit(people, rule.share)
    return (REMOVED if removing else UNDECIDED if tied else KEPT), tuple(removing)


def _limit(people: int, share: float) -> Fraction:
    """The share of so many people as it was written: 0.55 of 20 is 11."""
    return Fraction(repr(share)) * people


def _over(votes: int, people: int, share: float) -> bool:
    return votes > _limit(people, share)


def _remarks(sheets: Sheets, given: Sequence[Sheet]) -> tuple[str, ...]:
    names = [one.name for one in sheets.questions if one.kind == "text"]
    return tuple(sorted(sheet.answers[name] for sheet in given for name in names if name in sheet.answers))
