"""What a person in training is told after her answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.campaigns.questions import Choice, Question
from annotation.store.models import Item
from annotation.vocabulary import Stage
from annotation.workflow.assignments import assigned_items
from annotation.workflow.assignments.annotator_context import Seat
from annotation.workflow.quality import gold_answers


@dataclass(frozen=True, kw_only=True)
class Feedback:
    """Whether an answer was right, the right answers in words, by question, and why, where the project explains."""

    right: bool | None
    gold: Mapping[str, str]
    explanation: str | None


def after(seat: Seat, item: Item, stage: Stage, given: Mapping[str, str]) -> Feedback | None:
    """What she is told of an answer; nothing in any stage but the training."""
    section = seat.definition.stages.training
    if stage is not Stage.TRAINING or section is None:
        return None
    asked = assigned_items.questions(seat, item)
    gold = {name: worded(asked, item, name, label) for name, label in gold_answers.of(item, asked).items()}
    why = item.explanation if section.explain else None
    return Feedback(right=gold_answers.right(item, asked, given), gold=gold, explanation=why)


def worded(asked: tuple[Question, ...], item: Item, name: str, label: str) -> str:
    """A stored answer as people read it."""
    question = next((one for one in asked if one.name == name), None)
    if isinstance(question, Choice):
        texts, labels = question.options_of(item.options), question.labels_of(item.options)
        return dict(zip(labels, texts, strict=True)).get(label, label)
    return label
