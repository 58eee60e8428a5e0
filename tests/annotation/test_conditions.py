"""Conditions of `follow-up`: what they compare, and how names with dots and names of facts are told apart."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter

from annotation.campaigns import conditions
from annotation.campaigns.conditions import ConditionFacts
from annotation.campaigns.questions import AnyQuestion, Question
from annotation.campaigns.questions.question_base import ItemConsensus
from annotation.errors import BadInput

READ: TypeAdapter[Question] = TypeAdapter(AnyQuestion)
QUESTIONS = tuple(
    READ.validate_python({"name": name, "type": "choice", "text": "?", "options": ["3", "так"]})
    for name in ("q.one", "confidence", "x")
)
SUBJECT = ConditionFacts(
    facts={"id": ("i1",), "tag": ("a", "b"), "gold": ("",)},
    golds={"x": "так"},
    consensus={
        "q.one": ItemConsensus(labels=("так",), confidence=0.75, votes=4),
        "confidence": ItemConsensus(labels=("3",), confidence=1.0, votes=2),
        "x": ItemConsensus(labels=("так",), confidence=0.5, votes=8),
    },
)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("q.one = так", True),
        ("q.one != так", False),
        ("q.one.votes = 4", True),
        ("q.one.confidence > 0.75", False),
        ("confidence = 3", True),
        ("confidence = так", False),
        ("confidence.confidence = 1", True),
        ("votes = 4", True),
        ("x.votes >= 9", False),
        ("x = @gold", True),
        ("tag = b", True),
        ("gold =", True),
        ("id != i1", False),
    ],
)
def test_a_condition_holds_or_not(text: str, holds: bool) -> None:
    """A question's name goes before a fact's; `votes` alone are those on the first question."""
    assert conditions.parse_condition(text, QUESTIONS).is_met(SUBJECT, QUESTIONS) is holds


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("q.one > так", "Text cannot be compared"),
        ("q.votes = 1", "Unknown name 'q.votes'"),
        ("x.votes = many", "'many' is not a number"),
        ("x", "Invalid condition"),
    ],
)
def test_a_condition_that_nothing_could_meet_is_refused(text: str, says: str) -> None:
    """With what there is."""
    with pytest.raises(BadInput, match=says):
        conditions.parse_condition(text, QUESTIONS)
