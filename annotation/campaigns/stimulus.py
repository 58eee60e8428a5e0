"""An item rendered once a revision: what people see and what models are asked, with its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from annotation.campaigns.questions import Choice, Choices, Question, Scale

_SHOWN = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
"""Made once: `json.dumps` makes one for every item."""

Extent = tuple[int, int]
"""Characters from, to (exclusive), counted from 0."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of an item as it is shown: where its gap is, what is highlighted, whether it folds, from which step on."""

    field: str
    text: str
    title: str | None = None
    fold: bool = False
    gap: Extent | None = None
    marks: tuple[Extent, ...] = ()
    step: int = 1

    @property
    def plain(self) -> bool:
        """Whether the text alone says it all."""
        return self.title is None and not self.fold and self.gap is None and not self.marks and self.step == 1

    def stored(self) -> dict[str, object]:
        """As the database and the surfaces have it."""
        return asdict(self)


def render(fields: Sequence[str]) -> str:
    """The shown fields of an item as one text, in their order, an empty line between them."""
    return "\n\n".join(text.strip() for text in fields if text.strip())


def text_of(pieces: Sequence[Piece]) -> str:
    """What the first step shows, as plain text for people and models: titles above, highlighted parts in asterisks."""
    return render([_plain(piece) for piece in pieces if piece.step == 1])


def _plain(piece: Piece) -> str:
    text = piece.text
    for at in sorted((at for extent in piece.marks for at in extent), reverse=True):
        text = f"{text[:at]}*{text[at:]}"
    return f"{piece.title}\n{text.strip()}" if piece.title and text.strip() else text


def rendered_digest(
    pieces: Sequence[Piece], text: str, *, questions: Sequence[Question], own: Sequence[str] | None
) -> str:
    """sha256 of all that a person is shown of an item, of which `text_of` gives `text`.

    For one choice without `help` over plain text it is the one that `digest` gives.
    """
    first = questions[0]
    plain = isinstance(first, Choice) and first.help is None and all(piece.plain for piece in pieces)
    if len(questions) == 1 and isinstance(first, Choice) and plain:
        return digest(text, question=first.text, options=first.options_of(own))
    shown: list[object] = [piece.stored() for piece in pieces]
    asked: list[object] = [_asked(question, own) for question in questions]
    return text_digest(_SHOWN.encode([shown, asked]))


def _asked(question: Question, own: Sequence[str] | None) -> Mapping[str, object]:
    options: Sequence[str] = ()
    if isinstance(question, Choice | Choices):
        options = question.options_of(own)
    elif isinstance(question, Scale):
        options = question.options
    ends = question.ends if isinstance(question, Scale) else None
    asked = {"name": question.name, "type": question.kind, "text": question.text, "options": list(options)}
    told = {"help": question.help, "ends": None if ends is None else list(ends)}
    return asked | {name: words for name, words in told.items() if words is not None}


def digest(stimulus: str, *, question: str, options: Sequence[str]) -> str:
    """sha256 of all that a person was shown of an item: stimulus, question and options in their stored order."""
    return text_digest(_SHOWN.encode([stimulus, question, options]))


def text_digest(text: str) -> str:
    """sha256 of a text in UTF-8, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()
