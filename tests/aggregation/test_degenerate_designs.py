"""Nothing, one, all equal, all tied: every number has an interval around it or a reason, and none is a false zero."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd
import pytest

from aggregation.answer_types import compute_agreement, score_answers
from aggregation.answers import Answers, AnswerTypeName
from aggregation.errors import HromadaError
from aggregation.schema import check_votes

KINDS: tuple[AnswerTypeName, ...] = ("label", "boxes", "text", "edit", "span")
TEXT = "один два три чотири"
MARKS = ((0, 4), (5, 8), (9, 12))
FORMS: dict[AnswerTypeName, tuple[str, ...]] = {
    "label": ("a", "b", "c"),
    "boxes": ('["a"]', '["b"]', "[]"),
    "text": ("один", "два", "три"),
    "edit": ("один два", "один три", "сім"),
    "span": tuple(json.dumps([{"start": s, "end": e, "text": TEXT[s:e]}]) for s, e in MARKS),
}
SAID = ("all right", "all wrong", "always the same", "all tied", "nobody agrees", "one item wrong", "one vote wrong")
SIZES = ((1, 1), (1, 2), (1, 6), (2, 1), (4, 2), (5, 1), (6, 2), (6, 5), (12, 1), (12, 6))
"""Numbers of items and of people."""
TELLING = ((1, 6), (6, 2), (12, 6))
"""Of these those at which something was wrong once, or an interval begins."""


def say(said: str, item: int, person: int, gold: int) -> int:
    """The place of a person's answer among the forms."""
    return {
        "all right": gold,
        "all wrong": (gold + 1) % 3,
        "always the same": 0,
        "all tied": (gold + person) % 2,
        "nobody agrees": person % 3,
        "one item wrong": (gold + (item == 0)) % 3,
        "one vote wrong": (gold + (item == person == 0)) % 3,
    }[said]


def build_answers(kind: AnswerTypeName, said: str, *, items: int, people: int, classes_in_gold: int) -> Answers:
    """Everybody answers everything; gold takes turns among so many answers."""
    forms, ids = FORMS[kind], [f"i{number:02}" for number in range(items)]
    gold = [number % classes_in_gold for number in range(items)]
    rows = [
        (ids[item], f"p{person}", forms[say(said, item, person, gold[item])])
        for item in range(items)
        for person in range(people)
    ]
    frame = pd.DataFrame(rows, columns=["item", "annotator", "answer"], dtype=object)
    table = pd.DataFrame({"group": ids, "gold": [forms[g] for g in gold], "n_options": 3}, index=pd.Index(ids))
    votes = check_votes(frame, items=table, classes=("a", "b", "c") if kind == "label" else None)
    texts = dict.fromkeys(ids, TEXT) if kind == "span" else {}
    return Answers(kind=kind, votes=votes, boxes=("a", "b", "c") if kind == "boxes" else None, texts=texts)


def list_faults(where: str, record: Any) -> Iterator[str]:
    """What is wrong with the numbers of a score or a coefficient."""
    for name, value in dataclasses.asdict(record).items():
        if isinstance(value, float) and not math.isfinite(value):
            yield f"{where}: {name} is {value}"
        if isinstance(value, float) and f"{value:.3f}" == "-0.000":
            yield f"{where}: {name} prints as -0.000"
    if record.value is None and not record.reason:
        yield f"{where}: no value and no reason"
    ends = (("item_only_low", "item_only_high", "reason"), ("ci_low", "ci_high", "reason"))
    if hasattr(record, "new_people_low"):
        ends = (("low", "high", "reason"), ("new_people_low", "new_people_high", "new_people_reason"))
    for names in ends:
        low, high, reason = (getattr(record, name) for name in names)
        if fault := name_fault(record.value, low, high, reason or ("" if record.value is not None else record.reason)):
            yield f"{where}: {names[0]} {fault}"


def name_fault(value: float | None, low: float | None, high: float | None, reason: str) -> str:
    """What is wrong with the interval of a value; empty if nothing is."""
    if low is None or high is None:
        return "" if low is high and reason else f"[{low}, {high}] because of {reason!r}"
    if value is None or not low - 1e-9 <= value <= high + 1e-9:
        return f"[{low}, {high}] does not hold {value}"
    return f"[{low}, {high}] has no width" if high - low < 1e-6 else ""


def find_faults(kind: AnswerTypeName, said: str, sizes: Sequence[tuple[int, int]]) -> Iterator[str]:
    """What is wrong with any number of designs of these sizes, with one answer in gold and with two."""
    for (items, people), classes_in_gold in itertools.product(sizes, (1, 2)):
        where = f"{items} items x {people} people, {classes_in_gold} in gold"
        answers = build_answers(kind, said, items=items, people=people, classes_in_gold=classes_in_gold)
        made = score_answers(answers, units=("individual", "majority"))
        for unit in (*made.units, *made.fresh_majorities):
            for score in unit.scores:
                yield from list_faults(f"{where}, {unit.unit} {score.metric}", score)
        for row in compute_agreement(answers, n_resamples=50).rows:
            yield from list_faults(f"{where}, {row.name}", row)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_every_number_has_an_interval_around_it_or_a_reason(kind: AnswerTypeName) -> None:
    faults = [
        fault for said in ("all right", "all tied", "nobody agrees") for fault in find_faults(kind, said, TELLING)
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("said", SAID)
def test_every_number_of_every_degenerate_design_has_one(kind: AnswerTypeName, said: str) -> None:
    faults = list(find_faults(kind, said, SIZES))
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("kind", KINDS)
def test_without_an_answer_nothing_is_scored_and_every_coefficient_has_its_reason(kind: AnswerTypeName) -> None:
    answers = build_answers(kind, "all right", items=3, people=0, classes_in_gold=2)
    with pytest.raises(HromadaError, match="Nobody answered"):
        score_answers(answers)
    rows = compute_agreement(answers, n_resamples=50).rows
    assert not [fault for row in rows for fault in list_faults(row.name, row)]
    assert {row.value for row in rows} == {None}
