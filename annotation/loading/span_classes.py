"""The classes of marked parts in files of votes: those that a question names, the one of `votes.class`, or none.

A file whose parts have classes that nobody named is refused as a whole, with every class and how often it occurs:
people who mark one place and disagree about its class would agree in full if classes were left out in silence.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from annotation.campaigns.project_file import VotesSection
from annotation.campaigns.questions import SpanQuestion, question_base
from annotation.errors import BadInput
from annotation.loading.judgements.raw_votes import RawVote


@dataclass(frozen=True, kw_only=True)
class _Classes:
    """The classes in the answers to a question: how often each occurs, and how many answers have none that counts."""

    question: SpanQuestion
    counts: Counter[str] = field(default_factory=Counter)
    without: list[RawVote] = field(default_factory=list)
    first: RawVote

    def format_counts(self) -> str:
        """The classes with their counts, sorted."""
        return ", ".join(f"{label or 'no class'} ({times})" for label, times in sorted(self.counts.items()))


@dataclass(frozen=True, kw_only=True)
class SpanClassReader:
    """Chooses the parts of each answer that count; `found` are the classes by question name."""

    section: VotesSection
    found: dict[str, _Classes] = field(default_factory=dict)

    def read_parts(self, question: SpanQuestion, text: str, vote: RawVote) -> str | None:
        """Return the answer with the parts that count; None where a class has no name, or no part counts."""
        parts = _list_labelled_parts(text)
        chosen = self.section.get_class(question.name)
        if not parts or (chosen is None and not any("label" in part for part in parts)):
            return text
        labels = [self._map(part.get("label", "")) for part in parts]
        classes = self.found.setdefault(question.name, _Classes(question=question, first=vote))
        classes.counts.update(labels)
        if question.labels is not None:
            pairs = zip(parts, labels, strict=True)
            return (
                _encode(part | {"label": label} for part, label in pairs) if set(labels) <= {*question.labels} else None
            )
        places = [
            {name: value for name, value in part.items() if name != "label"}
            for part, label in zip(parts, labels, strict=True)
            if label == chosen or (chosen is None and label in self._list_meaningless(question))
        ]
        if chosen is None:
            return _encode(places) if len(places) == len(parts) else None
        if not places and question.none is None:
            classes.without.append(vote)
            return None
        return _encode(places)

    def refuse(self) -> None:
        """Raise BadInput for the first question whose parts have classes without a name, or none of its class."""
        for name, classes in self.found.items():
            chosen, where = self.section.get_class(name), classes.first.row.where("votes.class")
            if chosen is None:
                self._refuse_unnamed(classes)
            elif chosen not in classes.counts:
                raise BadInput(
                    f"No marked part has the class {chosen}. There are: {classes.format_counts()}.",
                    where=where,
                    remedy="Name one of these.",
                )
            elif classes.without and classes.question.required:
                raise BadInput(
                    f"In {len(classes.without)} answers no part has the class {chosen}.",
                    where=classes.without[0].row.where("votes.class"),
                    remedy="Write the words for this answer as `none` in the question.",
                )

    def _refuse_unnamed(self, classes: _Classes) -> None:
        question = classes.question
        known = question.labels or self._list_meaningless(question)
        if set(classes.counts) <= set(known):
            return
        named = f"the question names {', '.join(question.labels)}" if question.labels else "the question names none"
        missing = [*(question.labels or ()), *sorted({*classes.counts} - {*known, ""})]
        raise BadInput(
            f"The marked parts have classes, and {named}: {classes.format_counts()}.",
            where=classes.first.row.where(
                self.section.answers.get(question.name) or self.section.answer or "votes.answer"
            ),
            remedy=f"Write `labels: [{', '.join(missing)}]` in the question. Or read one class: `class` under `votes`.",
        )

    def _map(self, label: str) -> str:
        stripped = label.strip() if self.section.labels.strip else label
        return self.section.labels.map.get(stripped, stripped)

    def _list_meaningless(self, question: SpanQuestion) -> tuple[str, ...]:
        """What stands for no class: nothing, and the label that our own tasks have, the name of the question."""
        return "", question.name


def _list_labelled_parts(text: str) -> list[dict[str, Any]]:
    """The parts of an answer in JSON; empty for any other answer."""
    value = question_base.decode_json(text)
    parts = value if isinstance(value, list) else [value]
    are_parts = all(isinstance(part, dict) and isinstance(part.get("label", ""), str) for part in parts)
    return parts if are_parts else []


def _encode(parts: Iterable[dict[str, Any]]) -> str:
    return json.dumps(list(parts), ensure_ascii=False)
