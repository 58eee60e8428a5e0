"""Every metric, method of consensus and coefficient that a question names is computed: `check` refuses all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest
from pydantic import TypeAdapter

from aggregation.answer_types import ANSWER_TYPES, build_consensus, compute_agreement
from aggregation.answers import Answers
from aggregation.schema import Votes
from aggregation.scores.points import score_points
from annotation.campaigns.questions import KINDS, AnyQuestion, Question

READ: TypeAdapter[Question] = TypeAdapter(AnyQuestion)
DECIDED_BY_PEOPLE = {"adjudication"}
"""An adjudicator decides, so nothing is computed."""
QUESTIONS: list[Mapping[str, Any]] = [
    {"type": "choice", "options": ["1", "2"]},
    {"type": "choice"},
    {"type": "choices", "options": ["a", "b"]},
    {"type": "choices"},
    *({"type": "scale", "options": ["1", "2", "3"], "level": level} for level in ("ordinal", "interval", "ratio")),
    {"type": "scale", "options": ["погано", "добре"]},
    {"type": "text"},
    {"type": "edit", "field": "text"},
    {"type": "span", "field": "text"},
    {"type": "span", "field": "text", "labels": ["c"]},
]
SAID = {"boxes": ('["a"]', '["b"]'), "text": ("a b", "b"), "edit": ("a b", "b")}


def build_answers(question: Question) -> Answers:
    """Two people's answers to two items, of which one has equal ones."""
    kind = question.answer_type
    label = {} if question.part_classes is None else {"label": "c"}
    span = str([{"start": 0, "end": 3, "text": "one", **label}]).replace("'", '"')
    one, two = (question.classes or SAID.get(kind, ("1", "2") if kind == "label" else (span, "[]")))[:2]
    if kind == "boxes":
        one, two = SAID["boxes"]
    frame = pd.DataFrame({"item": ["i1", "i1", "i2", "i2"], "annotator": [*"pqpq"], "answer": [one, one, two, one]})
    index = pd.Index(["i1", "i2"], dtype=object)
    classes = question.classes if kind == "label" else None
    return Answers(
        kind=kind,
        votes=Votes(
            frame=frame.astype(object),
            items=pd.DataFrame({"group": index, "gold": [one, two], "n_options": 2}, index=index),
            classes=classes,
            measurement_level=getattr(question, "level", "nominal"),
        ),
        boxes=question.fixed_options if kind == "boxes" else None,
        own_boxes=dict.fromkeys(("i1", "i2"), ("a", "b")) if kind == "boxes" else {},
        span_classes=question.part_classes if kind == "span" else None,
        texts=dict.fromkeys(("i1", "i2"), "one two") if kind == "span" else {},
    )


def name_question(facts: Mapping[str, Any]) -> str:
    """The type, and what it has besides."""
    return " ".join(str(value) for value in facts.values())


@pytest.mark.parametrize("facts", QUESTIONS, ids=name_question)
def test_whatever_a_question_names_is_computed(facts: Mapping[str, Any]) -> None:
    """Each metric of `metrics`, each method of consensus, each coefficient of agreement."""
    question = READ.validate_python({"text": "Що це?"} | facts)
    answers = build_answers(question)
    metrics = {*ANSWER_TYPES[answers.kind].list_metrics(answers)}
    metrics |= {score.metric for unit in score_points(answers.votes, confidence_level=0.95) for score in unit.scores}
    assert set(question.methods.scores) <= metrics
    for method in set(question.methods.consensus) - DECIDED_BY_PEOPLE:
        assert len(build_consensus(answers, method=method, ties="first").labels) == 2  # type: ignore[arg-type]
    rows = compute_agreement(answers, n_resamples=2).rows
    assert set(question.methods.agreement) <= {row.name for row in rows}


def test_every_type_of_question_is_asked() -> None:
    """A new type adds a question above."""
    assert {facts["type"] for facts in QUESTIONS} == set(KINDS)
