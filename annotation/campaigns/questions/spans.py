"""Questions answered by a part of the item's text."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import ClassVar, Literal

from annotation.campaigns.questions.base import Answer, Fit, Material, Question, Span, as_json, places
from annotation.campaigns.sections import Count, Text


class SpanOf(Question):
    """One to `most` parts of the item's `field` that do not overlap; `none` offers "no answer" in these words.

    Stored as a JSON list of {"start", "end", "text"}: characters counted from 0, `end` exclusive; `[]` is "no answer".
    """

    kind: ClassVar[str] = "span"

    type: Literal["span"]
    field: Text
    most: Count = 1
    none: Text | None = None

    @property
    def fit(self) -> Fit:
        """Parts are compared by the characters and words that they share."""
        return Fit(
            consensus=("majority", "adjudication"),
            agreement=("span_f1_exact", "span_f1_token", "span_f1_char"),
            scores=("exact_match", "f1", "f1_char"),
        )

    def required_columns(self) -> tuple[str, ...]:
        """The text that is marked in."""
        return (self.field,)

    def unanswered(self, raw: object) -> bool:
        """No part at all is an answer only where `none` offers it."""
        return super().unanswered(raw) or (self.none is None and as_json(raw) in ([], ()))

    def parse(self, raw: object, material: Material) -> Answer:
        """One span, a list of them, JSON of either, a text that stands once in the field, or the words of `none`."""
        value = as_json(raw)
        if self.none is not None and (value == self.none or value == []):  # noqa: PLR1714  # [] cannot be hashed
            return ()
        given = value if isinstance(value, list | tuple) else [value]
        if not 1 <= len(given) <= self.most:
            raise self.refusal(f"has {len(given)} parts marked.", f"Mark 1 to {self.most}.")
        text = material.fields.get(self.field, "")
        spans = sorted((self._one(one, text) for one in given), key=lambda span: (span.start, span.end))
        for before, after in itertools.pairwise(spans):
            if after.start < before.end:
                raise self.refusal(f"has two parts that overlap: {before.text!r}, {after.text!r}.", "Mark them apart.")
        return tuple(spans)

    def stored(self, answer: Answer) -> str:
        """A JSON list."""
        spans = [one for one in answer if isinstance(one, Span)]
        return json.dumps([{"start": s.start, "end": s.end, "text": s.text} for s in spans], ensure_ascii=False)

    def _one(self, raw: object, text: str) -> Span:
        if isinstance(raw, Span):
            raw = {"start": raw.start, "end": raw.end, "text": raw.text}
        if isinstance(raw, str):
            return self._found(raw.strip(), text)
        if not isinstance(raw, Mapping):
            raise self.refusal("takes a part of the text.", f"Mark it in `{self.field}`.")
        start, end = raw.get("start"), raw.get("end")
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
            raise self.refusal(
                f"has a part from {start!r} to {end!r}, and `{self.field}` has {len(text)} characters.",
                "Count characters from 0, the end exclusive.",
            )
        said = raw.get("text", text[start:end])
        if said != text[start:end]:
            raise self.refusal(
                f"has {said!r} where `{self.field}` says {text[start:end]!r}.", "Offsets and text must be of one text."
            )
        return Span(start=start, end=end, text=text[start:end])

    def _found(self, part: str, text: str) -> Span:
        found = places(part, text)
        if len(found) != 1:
            raise self.refusal(
                f"has {part!r}, which stands {len(found)} times in `{self.field}`.",
                "Give it as {start, end, text}." if found else f"Mark a part of `{self.field}`.",
            )
        return Span(start=found[0], end=found[0] + len(part), text=part)
