"""What all questions share: their words, when they are asked, and how they refuse an answer."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, model_validator

from annotation.campaigns.sections import Name, Section, Text, Words, as_list
from annotation.errors import BadInput, Where


@dataclass(frozen=True, kw_only=True)
class Span:
    """A part of a text: characters `start` to `end` (exclusive, counted in code points from 0), and what they say."""

    start: int
    end: int
    text: str


Answer = str | tuple[str, ...] | tuple[Span, ...]
"""One label or text; several labels; several spans."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """What a question needs to know of an item: its own options, and its fields as text."""

    options: tuple[str, ...] | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Fit:
    """What fits the answers of a question: ways to one answer, coefficients of agreement, scores against gold."""

    consensus: tuple[str, ...]
    agreement: tuple[str, ...]
    scores: tuple[str, ...]


Values = Annotated[tuple[Text, ...], BeforeValidator(as_list), Field(min_length=1)]


class Question(Section):
    """One question. `step` 2 comes when everything of step 1 is answered for good; `show_if` names earlier answers."""

    kind: ClassVar[str]

    name: Name = "answer"
    text: Text
    help: Text | None = None
    required: bool = True
    show_if: dict[str, Values] | None = None
    step: Annotated[int, Field(ge=1)] = 1
    metrics: Words = ()

    @model_validator(mode="after")
    def _metrics_fit(self) -> Question:
        for metric in self.metrics:
            if metric not in self.fit.scores:
                raise ValueError(f"The metric {metric!r} does not fit here; what does: {', '.join(self.fit.scores)}")
        return self

    @property
    @abstractmethod
    def fit(self) -> Fit:
        """The methods that suit the answers."""

    @property
    def answers(self) -> tuple[str, ...] | None:
        """The closed set of labels that can be answered, abstention included; None where there is none."""
        return None

    def unanswered(self, raw: object) -> bool:
        """Whether a raw answer says nothing: it is not there, or blank."""
        return raw is None or (isinstance(raw, str) and not raw.strip())

    @abstractmethod
    def parse(self, raw: object, material: Material) -> Answer:
        """A raw answer as the question understands it; raises BadInput in the question's own words."""

    def stored(self, answer: Answer) -> str:
        """An answer as it is stored and published."""
        return answer if isinstance(answer, str) else json.dumps(list(answer), ensure_ascii=False)

    def refusal(self, problem: str, remedy: str) -> BadInput:
        """The sentence for an answer that cannot be taken."""
        return BadInput(f"«{self.text}» {problem}", where=Where(field=self.name), remedy=remedy)

    def required_columns(self) -> tuple[str, ...]:
        """The item's columns that the question speaks of."""
        return ()


def as_text(question: Question, raw: object) -> str:
    """A raw answer that has to be one text."""
    if not isinstance(raw, str):
        raise question.refusal("takes one answer, as text.", "Give one.")
    return raw.strip()


def as_json(raw: object) -> Any:
    """A raw answer that may be JSON written as text: an object, or a list of texts and objects.

    Any other text is itself: «[1]» marks a footnote.
    """
    if not isinstance(raw, str) or raw.lstrip()[:1] not in {"[", "{"}:
        return raw
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    several = found if isinstance(found, list) else [found]
    return found if all(isinstance(one, str | dict) for one in several) else raw


def places(part: str, text: str) -> list[int]:
    """Where a part stands in a text, overlapping places too: «ана» twice in «анана»."""
    found, at = [], text.find(part) if part else -1
    while at >= 0:
        found.append(at)
        at = text.find(part, at + 1)
    return found
