"""Renders the stimulus of an item (its shown text, the same for annotators and models) and computes its sha256."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from annotation.campaigns.questions import Question

_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"), sort_keys=True)
"""Created once, because `json.dumps` with these settings would create an encoder for every item."""

Extent = tuple[int, int]
"""A range of characters in a text: start and end (exclusive), counted from 0."""
PICTURE_SIGN = "[picture]"
"""What the plain text of an item has in the place of a picture."""


class Piece(NamedTuple):
    """A shown field of an item.

    `title` is a heading above the text, `fold` whether the text is folded at first, `gap` the part that the answer
    fills, `marks` are highlighted parts, and `step` is the step of questions from which on the field is shown. `image`
    is the name of a picture, the sha256 of what is shown with its ending; its `text` is empty, because the name of a
    file can tell the answer. `markdown` says that people see the text as Markdown.
    """

    field: str
    text: str
    title: str | None = None
    fold: bool = False
    gap: Extent | None = None
    marks: tuple[Extent, ...] = ()
    step: int = 1
    image: str | None = None
    markdown: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the piece is shown as its text alone, from the first step on."""
        is_text = self.gap is None and not self.marks and self.image is None and not self.markdown
        return is_text and self.title is None and not self.fold and self.step == 1

    def to_dict(self) -> dict[str, object]:
        """The piece as JSON, as the database stores it; the hash of a plain text has neither `image` nor `markdown`."""
        values = self._asdict()
        for key in ("image", "markdown"):
            if not values[key]:
                del values[key]
        return values


_get_is_plain = attrgetter("is_plain")


def are_plain(pieces: Sequence[Piece]) -> bool:
    """Whether all pieces are shown as their text alone."""
    return all(map(_get_is_plain, pieces))


def list_images(pieces: Iterable[Mapping[str, object]]) -> tuple[str, ...]:
    """The names of the pictures of stored pieces, in their order."""
    return tuple([str(piece["image"]) for piece in pieces if piece.get("image")])


def list_first_images(pieces: Iterable[Mapping[str, object]]) -> tuple[str, ...]:
    """The pictures of the first step alone: those that have a sign in the plain text of the item."""
    return list_images(piece for piece in pieces if piece["step"] == 1)


def join_texts(fields: Sequence[str]) -> str:
    """Join the shown fields of an item in their order, with an empty line between them."""
    return "\n\n".join([text for text in map(str.strip, fields) if text])


def render_pieces(pieces: Sequence[Piece]) -> str:
    """Render the pieces of the first step as plain text: titles above, highlighted parts between their signs.

    A text that two pieces show, as a story and the same story to correct, is there once. A picture is a sign.
    """
    rendered: list[str] = []
    earlier: set[str] = set()
    for piece in pieces:
        if piece.step == 1 and (piece.marks or piece.image or piece.text.strip() not in earlier):
            rendered.append(_render_piece(piece))
            earlier.add(piece.text.strip())
    return join_texts(rendered)


def get_mark_sign(number: int) -> str:
    """The sign around a highlighted part of a text, by its number: `*` around the first one, `_` around the others."""
    return "_" if number else "*"


def _render_piece(piece: Piece) -> str:
    text = piece.text if piece.image is None else PICTURE_SIGN
    signs = [(place, get_mark_sign(number)) for number, extent in enumerate(piece.marks) for place in extent]
    # from the end of the text to its beginning, so that a sign moves no position that is still to come
    for position, sign in sorted(signs, reverse=True):
        text = f"{text[:position]}{sign}{text[position:]}"
    return f"{piece.title}\n{text.strip()}" if piece.title and text.strip() else text


def compute_item_digest(
    pieces: Sequence[Piece], text: str, *, questions: Sequence[Question], item_options: Sequence[str] | None
) -> str:
    """Return the sha256 of everything shown of an item; `text` is what `render_pieces` returns for its pieces.

    Where the only question is a choice without `help`, and all pieces are plain, it equals `compute_stimulus_digest`.
    """
    question = questions[0]
    is_alone = len(questions) == 1 and question.help is None
    if is_alone and question.is_nominal and are_plain(pieces):
        return compute_stimulus_digest(text, question=question.text, options=question.get_options(item_options))
    shown_pieces: list[object] = [piece.to_dict() for piece in pieces]
    shown_questions: list[object] = [question.describe_shown(item_options) for question in questions]
    return compute_text_digest(_ENCODER.encode([shown_pieces, shown_questions]))


def compute_stimulus_digest(stimulus: str, *, question: str, options: Sequence[str]) -> str:
    """Return the sha256 of stimulus, question and options in their stored order."""
    return compute_text_digest(_ENCODER.encode([stimulus, question, options]))


def compute_text_digest(text: str) -> str:
    """Return the sha256 of a text in UTF-8, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()
