"""What an annotator has chosen so far of the spans in a text, what they are asked now, and what their buttons mean."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from bot.conversation.spans.text_segments import Extent


class SpanStep(IntEnum):
    """What the annotator is asked now."""

    SENTENCE = 0
    FIRST_WORD = 1
    LAST_WORD = 2
    MATCH = 3
    CONFIRM = 4


class SpanTap(IntEnum):
    """What a button does; the numbers stand in the data of buttons and never change their meaning.

    CHOOSE takes the sentence, word or match with an index, PAGE shows a page, BACK returns to the step before, MOVE_…
    moves an end of the span by a word, ADD keeps the span and begins another, REMOVE drops it, SAVE answers with all
    spans, and NONE that there is no such part.
    """

    CHOOSE = 0
    PAGE = 1
    BACK = 2
    MOVE_START_BACK = 3
    MOVE_START_ON = 4
    MOVE_END_BACK = 5
    MOVE_END_ON = 6
    ADD = 7
    REMOVE = 8
    SAVE = 9
    NONE = 10


@dataclass(frozen=True, kw_only=True)
class SpanDraft:
    """What was chosen so far.

    `kept` are the spans that are chosen already, `current` is the one that is shown to be confirmed. Where there is no
    `current` one, `sentence` is the index of the chosen sentence, `first` that of the first word, and `matches` are the
    places of typed words that stand in the text several times. `page` is the shown page of numbers, from 0.
    """

    kept: tuple[Extent, ...] = ()
    current: Extent | None = None
    sentence: int | None = None
    first: int | None = None
    matches: tuple[Extent, ...] = ()
    page: int = 0

    @property
    def spans(self) -> tuple[Extent, ...]:
        """All chosen spans, in the order of the text."""
        return tuple(sorted((*self.kept, *((self.current,) if self.current else ()))))

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that tell this draft from others: a button applies only to its own draft."""
        return hashlib.sha256(json.dumps(self.to_json()).encode()).hexdigest()[:8]

    def to_json(self) -> dict[str, Any]:
        """The draft as JSON, without what is empty."""
        values: dict[str, Any] = {
            "kept": [list(span) for span in self.kept],
            "now": self.current and list(self.current),
            "in": self.sentence,
            "from": self.first,
            "at": [list(span) for span in self.matches],
            "page": self.page or None,
        }
        return {key: value for key, value in values.items() if value is not None and value != []}


def parse_draft(data: Mapping[str, Any]) -> SpanDraft:
    """The draft of `SpanDraft.to_json`."""
    current = data.get("now")
    return SpanDraft(
        kept=tuple((start, end) for start, end in data.get("kept", ())),
        current=None if current is None else (current[0], current[1]),
        sentence=data.get("in"),
        first=data.get("from"),
        matches=tuple((start, end) for start, end in data.get("at", ())),
        page=data.get("page", 0),
    )
