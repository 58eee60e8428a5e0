"""The base class of all question types, and the parsing of an annotator's answers to all questions of an item."""

from __future__ import annotations

import hashlib
import json
import random
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import Field, model_validator

from aggregation import spelling
from aggregation.scoring import Normalisation
from annotation.campaigns.sections.base import Name, Section, Text, Texts, Values
from annotation.errors import BadInput, Where


@dataclass(frozen=True, kw_only=True)
class TextSpan:
    """A part of a text: characters `start` to `end` (exclusive, counted in code points from 0), and their text.

    `label` is its class, empty where the question asks for no classes.
    """

    start: int
    end: int
    text: str
    label: str = ""


Answer = str | tuple[str, ...] | tuple[TextSpan, ...]
"""A parsed answer: one label or text, several labels, or several spans."""


@dataclass(frozen=True, kw_only=True)
class QuestionContent:
    """What questions need of an item: the options that only it has, None without such, and its fields as text."""

    options: tuple[str, ...] | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class QuestionMethods:
    """The methods that suit the answers of a question: consensus, agreement, and scores against gold.

    `adjudication` is no method of `aggregation`: an adjudicator decides, and the result is gold of that origin.
    """

    consensus: tuple[str, ...]
    agreement: tuple[str, ...]
    scores: tuple[str, ...]


class Question(Section):
    """A question of the project file; `kind` is the name of its type, as written under `type`.

    Questions of step 2 are shown once those of step 1 are answered. `show_if` maps earlier questions to the answers of
    which one must have been given for this question to be asked. `metrics` selects from the scores that suit it.
    """

    kind: ClassVar[str]

    name: Name = "answer"
    text: Text
    help: Text | None = None
    required: bool = True
    show_if: dict[str, Values] | None = None
    step: Annotated[int, Field(ge=1)] = 1
    metrics: Texts = ()

    @model_validator(mode="after")
    def _metrics_fit(self) -> Question:
        for metric in self.metrics:
            if metric not in self.methods.scores:
                raise ValueError(
                    f"The metric {metric!r} does not fit here; what does: {', '.join(self.methods.scores)}"
                )
        return self

    @property
    @abstractmethod
    def methods(self) -> QuestionMethods:
        """The methods that suit the answers."""

    @property
    def closed_answers(self) -> tuple[str, ...] | None:
        """All possible answers, the abstention included; None where they are not the same for all items, or open."""
        return None

    @property
    def normalisation(self) -> Normalisation | None:
        """The rule of `aggregation.scoring` under which answers are compared; None where they are no texts."""
        return None

    def is_unanswered(self, raw: object) -> bool:
        """Whether a raw answer (as it came from the bot or a file) is missing or blank."""
        return raw is None or (isinstance(raw, str) and not raw.strip())

    @abstractmethod
    def parse_answer(self, raw: object, content: QuestionContent) -> Answer:
        """Parse a raw answer to this question about an item; raises BadInput naming the question."""

    def encode_answer(self, answer: Answer) -> str:
        """Encode an answer as it is stored and published."""
        return answer if isinstance(answer, str) else json.dumps(list(answer), ensure_ascii=False)

    def build_refusal(self, problem: str, remedy: str) -> BadInput:
        """Build the BadInput for an invalid answer."""
        return BadInput(f"«{self.text}» {problem}", where=Where(field=self.name), remedy=remedy)

    def required_columns(self) -> tuple[str, ...]:
        """The columns of the item that the question needs."""
        return ()


def require_text(question: Question, raw: object) -> str:
    """Return a raw answer without white space around it; raises BadInput where it is not one text."""
    if not isinstance(raw, str):
        raise question.build_refusal("takes one answer, as text.", "Give one.")
    return raw.strip()


def decode_json(raw: object) -> Any:
    """Decode a raw answer that may be JSON as text: an object, or a list of texts and objects.

    Any other text is returned unchanged, because it may begin with a bracket by chance: «[1]» is a footnote.
    """
    if not isinstance(raw, str) or raw.lstrip()[:1] not in {"[", "{"}:
        return raw
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    elements = value if isinstance(value, list) else [value]
    return value if all(isinstance(element, str | dict) for element in elements) else raw


def count_units(text: str) -> int:
    """The length of a text as Telegram counts it, in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def find_occurrences(part: str, text: str) -> list[int]:
    """Find all positions of a part in a text, overlapping ones too: «ана» twice in «анана»."""
    positions, position = [], text.find(part) if part else -1
    while position >= 0:
        positions.append(position)
        position = text.find(part, position + 1)
    return positions


def is_asked(question: Question, answers: Mapping[str, str]) -> bool:
    """Whether the earlier answers (as stored, by question name) meet every condition of `show_if`."""
    return all(_is_condition_met(values, answers.get(name)) for name, values in (question.show_if or {}).items())


def _is_condition_met(values: Sequence[str], stored: str | None) -> bool:
    """Whether a stored answer, one label or a JSON list of them, has one of the values."""
    if stored is None:
        return False
    try:
        answers = json.loads(stored) if stored.startswith("[") else [stored]
    except ValueError:
        answers = [stored]
    return any(
        answer in values or spelling.find_name(answer, values) is not None
        for answer in answers
        if isinstance(answer, str)
    )


def parse_answers(questions: Sequence[Question], raw: Mapping[str, object], content: QuestionContent) -> dict[str, str]:
    """Parse raw answers by question name into stored answers, in the order of the questions.

    Raises BadInput naming the question for an invalid answer, a missing one, one to a question that was not asked, and
    one to an unknown question.
    """
    names = [question.name for question in questions]
    for name in raw:
        if name not in names:
            raise BadInput(
                f"There is no question {name!r}.", where=Where(field=name), remedy=f"There are: {', '.join(names)}."
            )
    parsed: dict[str, str] = {}
    for question in questions:
        raw_answer = raw.get(question.name)
        is_missing = question.is_unanswered(raw_answer)
        if not is_asked(question, parsed):
            if not is_missing and decode_json(raw_answer) != []:
                raise question.build_refusal("was not asked here.", "Leave it out.")
        elif not is_missing:
            parsed[question.name] = question.encode_answer(question.parse_answer(raw_answer, content))
        elif question.required:
            raise question.build_refusal("is not answered.", "It needs an answer.")
    return parsed


def order_options(count: int, *, shuffle: bool, seed: int, key: Sequence[str], last: bool = False) -> list[int]:
    """Return the positions of `count` options in the order in which one annotator sees them.

    The order depends on the seed and on `key`: project, question, item and annotator. With `last` the last option
    (abstention) keeps its position. Without `shuffle` the order does not change.
    """
    order = list(range(count - last))
    if shuffle:
        digest = hashlib.sha256("\x1f".join([str(seed), *key]).encode()).digest()
        random.Random(int.from_bytes(digest)).shuffle(order)  # noqa: S311  # an order, not a secret
    return [*order, count - 1] if last else order
