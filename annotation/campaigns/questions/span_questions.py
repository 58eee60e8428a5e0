"""Questions answered by marking parts of the item's text."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import ClassVar, Literal

from annotation.campaigns.questions.question_base import (
    Answer,
    Question,
    QuestionContent,
    QuestionMethods,
    TextSpan,
    decode_json,
    find_occurrences,
)
from annotation.campaigns.sections.base import Count, Text


class SpanQuestion(Question):
    """One to `most` parts of a text, the item's `field`, that do not overlap; `none` is the text for "no answer".

    Stored as a JSON list of {"start", "end", "text"}: characters counted from 0, `end` exclusive; `[]` is "no answer".
    """

    kind: ClassVar[str] = "span"

    type: Literal["span"]
    field: Text
    most: Count = 1
    none: Text | None = None

    @property
    def methods(self) -> QuestionMethods:
        """Methods for text spans."""
        return QuestionMethods(
            consensus=("majority", "adjudication"),
            agreement=("span_f1_exact", "span_f1_token", "span_f1_char"),
            scores=("exact_match", "f1", "f1_char"),
        )

    def required_columns(self) -> tuple[str, ...]:
        """The column of the marked text."""
        return (self.field,)

    def is_unanswered(self, raw: object) -> bool:
        """An empty list is an answer only where `none` offers it."""
        return super().is_unanswered(raw) or (self.none is None and decode_json(raw) in ([], ()))

    def parse_answer(self, raw: object, content: QuestionContent) -> Answer:
        """Parse a span, a list of spans, JSON of either, a text found once in the field, or the text of `none`."""
        value = decode_json(raw)
        if self.none is not None and (value == self.none or value == []):  # noqa: PLR1714  # [] cannot be hashed
            return ()
        raw_spans = value if isinstance(value, list | tuple) else [value]
        if not 1 <= len(raw_spans) <= self.most:
            raise self.build_refusal(f"has {len(raw_spans)} parts marked.", f"Mark 1 to {self.most}.")
        text = content.fields.get(self.field, "")
        spans = sorted(
            (self._parse_span(raw_span, text) for raw_span in raw_spans), key=lambda span: (span.start, span.end)
        )
        for before, after in itertools.pairwise(spans):
            if after.start < before.end:
                raise self.build_refusal(
                    f"has two parts that overlap: {before.text!r}, {after.text!r}.", "Mark them apart."
                )
        return tuple(spans)

    def encode_answer(self, answer: Answer) -> str:
        """Encode the spans as a JSON list."""
        spans = [span for span in answer if isinstance(span, TextSpan)]
        return json.dumps(
            [{"start": span.start, "end": span.end, "text": span.text} for span in spans], ensure_ascii=False
        )

    def _parse_span(self, raw: object, text: str) -> TextSpan:
        """Parse one span: a TextSpan, {start, end}, or a part that is found in the text once."""
        if isinstance(raw, TextSpan):
            raw = {"start": raw.start, "end": raw.end, "text": raw.text}
        if isinstance(raw, str):
            return self._locate_span(raw.strip(), text)
        if not isinstance(raw, Mapping):
            raise self.build_refusal("takes a part of the text.", f"Mark it in `{self.field}`.")
        start, end = raw.get("start"), raw.get("end")
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
            raise self.build_refusal(
                f"has a part from {start!r} to {end!r}, and `{self.field}` has {len(text)} characters.",
                "Count characters from 0, the end exclusive.",
            )
        quoted = raw.get("text", text[start:end])
        if quoted != text[start:end]:
            raise self.build_refusal(
                f"has {quoted!r} where `{self.field}` says {text[start:end]!r}.",
                "Offsets and text must be of one text.",
            )
        return TextSpan(start=start, end=end, text=text[start:end])

    def _locate_span(self, part: str, text: str) -> TextSpan:
        """The span of a part of the text; raises BadInput unless the text contains the part exactly once."""
        positions = find_occurrences(part, text)
        if len(positions) != 1:
            raise self.build_refusal(
                f"has {part!r}, which stands {len(positions)} times in `{self.field}`.",
                "Give it as {start, end, text}." if positions else f"Mark a part of `{self.field}`.",
            )
        return TextSpan(start=positions[0], end=positions[0] + len(part), text=part)
