"""Answers of every kind as they are stored, when two of them are equal, and which of them are right."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import pandas as pd

from aggregation.errors import Refused
from aggregation.multilabel import Selections, selections
from aggregation.schema import Votes
from aggregation.scoring import NORMALISATIONS, RULES
from aggregation.spans import SpanVotes, span_votes

Kind = Literal["label", "boxes", "text", "edit", "span"]

OPEN_BOXES = "The boxes differ from item to item and share no classes"
WRITTEN: tuple[Kind, ...] = ("text", "edit")


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """The votes of one question, whatever its kind; `votes.frame` has each answer as it is stored.

    `label`: one label (the options of a choice, the points of a scale). `boxes`: a JSON list of what is ticked, in the
    order of the boxes, which are `boxes` for all items or `own_boxes` by item. `text`, `edit`: a text. `span`: a JSON
    list of {start, end, text} in the text of its item, which `texts` has by item. Gold is stored the same way;
    `accepted` has further right answers by item.
    """

    kind: Kind
    votes: Votes
    boxes: tuple[str, ...] | None = None
    own_boxes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    accepted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def right(self, item: str, answer: str, gold: str) -> bool:
        """Whether an answer equals the gold, or another right answer, of its item."""
        return is_right(self.kind, answer, (gold, *self.accepted.get(item, ())))

    def golds(self, item: str, gold: str) -> tuple[str, ...]:
        """All right answers to an item, as they are compared."""
        return tuple(as_compared(self.kind, one) for one in (gold, *self.accepted.get(item, ())))

    def compared(self) -> Votes:
        """The votes with every answer as it is compared, as a label that no other item shares."""
        frame = self.votes.frame
        return replace(self.votes, frame=frame.assign(answer=[as_compared(self.kind, one) for one in frame["answer"]]))

    def merged(self) -> Votes:
        """As `compared`, with the right answers to an item taken for one: the gold as it is compared."""
        votes = self.compared()
        if not self.accepted:
            return votes
        gold = {str(item): str(one) for item, one in votes.items["gold"].dropna().items()}
        pairs = zip(votes.frame["item"], votes.frame["answer"], strict=True)
        said = [self._merged(str(item), str(answer), gold.get(str(item))) for item, answer in pairs]
        return replace(votes, frame=votes.frame.assign(answer=said))

    def _merged(self, item: str, answer: str, gold: str | None) -> str:
        right = () if gold is None else self.golds(item, gold)
        return right[0] if answer in right else answer

    def boxes_of(self, item: str) -> tuple[str, ...]:
        """The boxes of an item."""
        return self.boxes if self.boxes is not None else self.own_boxes.get(item, ())

    def selections(self) -> Selections:
        """The votes for boxes that are the same on every item."""
        frame = self.votes.frame.assign(answer=[json.loads(one) for one in self.votes.frame["answer"]])
        return selections(frame, items=self.votes.items, boxes=self.boxes or ())

    def spans(self) -> SpanVotes:
        """The votes for parts of the texts."""
        spans = [spans_of(one) for one in self.votes.frame["answer"]]
        frame = self.votes.frame.assign(answer=pd.Series(spans, index=self.votes.frame.index, dtype=object))
        items = self.votes.items
        texts = pd.Series([self.texts.get(str(item), "") for item in items.index], index=items.index, dtype=object)
        return span_votes(frame, items=items.assign(text=texts))

    def with_votes(self, votes: Votes) -> Answers:
        """The same question with other votes."""
        return replace(self, votes=votes)


def as_compared(kind: Kind, answer: str) -> str:
    """What two equal answers have in common: texts their normalised form, all others themselves."""
    rule = RULES.get(kind)
    return answer if rule is None else NORMALISATIONS[rule](answer)


def is_right(kind: Kind, answer: str, golds: Sequence[str]) -> bool:
    """Whether an answer equals one of the right ones."""
    return as_compared(kind, answer) in {as_compared(kind, gold) for gold in golds}


def spans_of(stored: str) -> Sequence[tuple[int, int, str]]:
    """The spans of an answer: start, end, and no label."""
    return [(span["start"], span["end"], "") for span in json.loads(stored)]


def no_method(name: str, kind: Kind, fit: Sequence[str]) -> Refused:
    """Why a method is refused that needs labels, or texts."""
    what = {"label": "labels", "boxes": "boxes", "text": "texts", "edit": "corrected texts", "span": "parts of a text"}
    return Refused(
        f"{name} cannot weigh {what[kind]}.",
        remedy=f"Use {' or '.join([', '.join(fit[:-1]), fit[-1]] if fit[1:] else fit)}.",
    )
