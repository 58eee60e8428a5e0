"""Answers of every type as they are stored, when two of them are equal, and which of them are right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from aggregation.schema import Votes
from aggregation.scoring import NORMALISATION_BY_TYPE, Normalisation, is_right_answer, normalise_answer

AnswerTypeName = Literal["label", "boxes", "text", "edit", "span", "preference"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """The votes of one question of any answer type; `votes.frame` has each answer as it is stored.

    `label`: one label (the options of a choice, the points of a scale). `boxes`: a JSON list of the ticked boxes, in
    the order of the boxes, which are `boxes` for all items or `own_boxes` by item. `text`, `edit`: a text. `span`: a
    JSON list of {start, end, text} in the text of its item, which `texts` has by item; if the question names classes,
    which are `span_classes`, each part has one as its `label`. Gold is stored the same way; `accepted` has further
    right answers by item. Texts are compared by `normalise`, or as is usual for their type.
    """

    kind: AnswerTypeName
    votes: Votes
    boxes: tuple[str, ...] | None = None
    own_boxes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    span_classes: tuple[str, ...] | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    accepted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    normalise: Normalisation | None = None

    @property
    def has_classes(self) -> bool:
        """Whether all items share the labels or boxes, or marked parts have classes."""
        return any(labels is not None for labels in (self.votes.classes, self.boxes, self.span_classes))

    @property
    def rule(self) -> Normalisation | None:
        """The normalisation under which answers are compared; None where they are no texts."""
        return self.normalise or NORMALISATION_BY_TYPE.get(self.kind)

    def is_right(self, item: str, answer: str, gold: str) -> bool:
        """Whether an answer equals the gold, or another right answer, of its item."""
        return is_right_answer(self.rule, answer, (gold, *self.accepted.get(item, ())))

    def list_right_answers(self, item: str, gold: str) -> tuple[str, ...]:
        """All right answers to an item, normalised for comparison; the gold comes first."""
        return tuple(normalise_answer(self.rule, answer) for answer in (gold, *self.accepted.get(item, ())))

    def normalise_votes(self) -> Votes:
        """The votes with every answer normalised for comparison."""
        if self.rule is None:
            return self.votes
        frame = self.votes.frame
        normalised = [normalise_answer(self.rule, answer) for answer in frame["answer"]]
        return replace(self.votes, frame=frame.assign(answer=normalised))

    def merge_right_answers(self) -> Votes:
        """As `normalise_votes`, with every right answer to an item replaced by its normalised gold."""
        votes = self.normalise_votes()
        if not self.accepted:
            return votes
        gold = {str(item): str(answer) for item, answer in votes.items["gold"].dropna().items()}
        pairs = zip(votes.frame["item"], votes.frame["answer"], strict=True)
        merged = [self._merge_answer(str(item), str(answer), gold.get(str(item))) for item, answer in pairs]
        return replace(votes, frame=votes.frame.assign(answer=merged))

    def _merge_answer(self, item: str, answer: str, gold: str | None) -> str:
        right = () if gold is None else self.list_right_answers(item, gold)
        return right[0] if answer in right else answer

    def get_boxes(self, item: str) -> tuple[str, ...]:
        """The boxes of an item."""
        return self.boxes if self.boxes is not None else self.own_boxes.get(item, ())

    def with_votes(self, votes: Votes) -> Answers:
        """The same question with other votes."""
        return replace(self, votes=votes)
