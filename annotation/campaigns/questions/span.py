"""Questions answered by marking parts of the item's text."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from annotation.campaigns.questions import question_base
from annotation.campaigns.sections.base import Count, Text, Texts
from annotation.errors import BadInput

if TYPE_CHECKING:
    from aggregation.answers import AnswerTypeName

_WORD = re.compile(r"\w+")


class SpanQuestion(question_base.Question):
    """One to `most` parts of a text, the item's `field`; `none` is the text for "no answer".

    With `labels` each part has one of these classes. Parts of one class, or without classes, do not overlap.
    Stored as a JSON list of {"start", "end", "text"}, and "label" with classes: characters counted from 0, `end`
    exclusive; `[]` is "no answer".
    """

    kind: ClassVar[str] = "span"
    usual_seconds: ClassVar[float] = 30.0
    answer_type: ClassVar[AnswerTypeName] = "span"
    marks_parts: ClassVar[bool] = True

    type: Literal["span"]
    field: Text
    most: Count = 1
    none: Text | None = None
    labels: Annotated[Texts, Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _labels_differ(self) -> SpanQuestion:
        repeated = [label for label, times in Counter(self.labels or ()).items() if times > 1]
        if repeated:
            raise ValueError(f"The label {repeated[0]!r} is there twice")
        return self

    @property
    def methods(self) -> question_base.QuestionMethods:
        """Methods for text spans."""
        of_classes = () if self.labels is None else ("span_f1_token_class", "span_f1_exact_class", "span_f1_char_class")
        return question_base.QuestionMethods(
            consensus=("majority", "adjudication"),
            agreement=(*of_classes, "span_f1_exact", "span_f1_token", "span_f1_char"),
            scores=("exact_match", "f1", "f1_char")
            if self.labels is None
            else ("exact_match", "f1_class", "f1_char_class"),
        )

    @property
    def text_column(self) -> str:
        """The column of the marked text."""
        return self.field

    @property
    def part_classes(self) -> tuple[str, ...] | None:
        """The classes of the project file."""
        return self.labels

    @property
    def none_text(self) -> str | None:
        """The text of `none`."""
        return self.none

    def is_unanswered(self, raw: object) -> bool:
        """An empty list is an answer only where `none` offers it."""
        return super().is_unanswered(raw) or (self.none is None and question_base.decode_json(raw) in ([], ()))

    def parse_answer(self, raw: object, content: question_base.QuestionContent) -> question_base.Answer:
        """Parse a span, a list of spans, JSON of either, a text found once in the field, or the text of `none`."""
        value = question_base.decode_json(raw)
        if self.none is not None and (value == self.none or value == []):  # noqa: PLR1714  # [] cannot be hashed
            return ()
        raw_spans = value if isinstance(value, list | tuple) else [value]
        text = content.fields.get(self.field, "")
        parsed = {self._parse_span(raw_span, text) for raw_span in raw_spans}  # Label Studio can store a region twice
        if not 1 <= len(parsed) <= self.most:
            raise self.build_refusal(f"has {len(parsed)} parts marked.", f"Mark 1 to {self.most}.")
        spans = sorted(parsed, key=lambda span: (span.start, span.end, span.label))
        for label in sorted({span.label for span in spans}):
            for before, after in itertools.pairwise(span for span in spans if span.label == label):
                if after.start < before.end:
                    of_label = f" of the class {label}" if label else ""
                    raise self.build_refusal(
                        f"has two parts{of_label} that overlap: {before.text!r}, {after.text!r}.", "Mark them apart."
                    )
        return tuple(spans)

    def encode_answer(self, answer: question_base.Answer) -> str:
        """Encode the spans as a JSON list."""
        spans = [span for span in answer if isinstance(span, question_base.TextSpan)]
        return json.dumps(
            [
                {"start": span.start, "end": span.end, "text": span.text}
                | ({"label": span.label} if span.label else {})
                for span in spans
            ],
            ensure_ascii=False,
        )

    def split_answer(self, stored: str) -> tuple[str, ...]:
        """Return the texts of the parts."""
        return tuple(part["text"] for part in json.loads(stored))

    def list_parts(self, stored: str, item_options: Sequence[str] | None) -> tuple[str, ...]:  # noqa: ARG002  # parts have no options
        """Return the texts of the parts, each with its class in brackets."""
        decoded = question_base.decode_json(stored)
        parts = decoded if isinstance(decoded, list) else [decoded]
        return tuple(_describe_part(part) if isinstance(part, dict) else str(part) for part in parts)

    def describe_answer(self, stored: str, content: question_base.QuestionContent) -> str:
        """Return the parts with their places and classes; an answer that does not fit is returned unchanged."""
        try:
            spans = self.parse_answer(stored, content)
        except BadInput:
            return stored
        parts = [
            f"«{span.text}» ({span.start}–{span.end}){f' {span.label}' if span.label else ''}"
            for span in spans
            if isinstance(span, question_base.TextSpan)
        ]
        return " … ".join(parts) or self.none or "–"

    def draw_text(self, content: question_base.QuestionContent, rng: random.Random) -> str:
        """Draw a part of one to three neighbouring words."""
        text = content.fields.get(self.field, "")
        words = list(_WORD.finditer(text))
        if not words:
            return json.dumps([] if self.none is not None else [{"start": 0, "end": len(text), "text": text}])
        first = rng.randrange(len(words))
        last = min(len(words) - 1, first + rng.randrange(3))
        start, end = words[first].start(), words[last].end()
        return json.dumps([{"start": start, "end": end, "text": text[start:end]}], ensure_ascii=False)

    def _parse_span(self, raw: object, text: str) -> question_base.TextSpan:
        """Parse one span: a TextSpan, {start, end}, or a part that is found in the text once."""
        if isinstance(raw, question_base.TextSpan):
            raw = {"start": raw.start, "end": raw.end, "text": raw.text, "label": raw.label}
        if isinstance(raw, str):
            self._check_label("")
            return self._locate_span(raw.strip(), text)
        if not isinstance(raw, Mapping):
            raise self.build_refusal("takes a part of the text.", f"Mark it in `{self.field}`.")
        start, end = raw.get("start"), raw.get("end")
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
            raise self.build_refusal(
                f"has a part from {start!r} to {end!r}, and `{self.field}` has {len(text)} characters.",
                "Count characters from 0, the end exclusive.",
            )
        label = self._check_label(raw.get("label") or "")
        quoted = raw.get("text", text[start:end])
        if str(quoted).strip() != text[start:end].strip():  # Label Studio quotes a blank that its offsets leave out
            raise self.build_refusal(
                f"has {quoted!r} where `{self.field}` says {text[start:end]!r}.",
                "Offsets and text must be of one text.",
            )
        return question_base.TextSpan(start=start, end=end, text=text[start:end], label=label)

    def _check_label(self, label: object) -> str:
        """The class of a part; raises BadInput for one that the question does not name, and where it names some."""
        if label in (self.labels or ("",)):
            return str(label)
        if self.labels is None:
            raise self.build_refusal(f"has a part of the class {label!r}.", "Name the classes as `labels`.")
        problem = f"has a part of the class {label!r}." if label else "has a part without a class."
        raise self.build_refusal(problem, f"The classes are {', '.join(self.labels)}.")

    def _locate_span(self, part: str, text: str) -> question_base.TextSpan:
        """The span of a part of the text; raises BadInput unless the text contains the part exactly once."""
        positions = question_base.find_occurrences(part, text)
        if len(positions) != 1:
            raise self.build_refusal(
                f"has {part!r}, which occurs {len(positions)} times in `{self.field}`.",
                "Give it as {start, end, text}." if positions else f"Mark a part of `{self.field}`.",
            )
        return question_base.TextSpan(start=positions[0], end=positions[0] + len(part), text=part)


def _describe_part(part: Mapping[str, str]) -> str:
    """Return the text of a stored part, with its class in brackets."""
    return f"{part['text']} [{part['label']}]" if part.get("label") else part["text"]
