"""What a control of Label Studio exports: a text, a list, {"text": […]} or {"choices": […]}, by kind of export."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation import files
from annotation.errors import BadInput
from annotation.loading import json_text

SKIPPED = "skipped"
SEVERAL = "several texts"
OWN = ("id", "annotator", "annotation_id", "lead_time", "created_at", "updated_at")
"""The columns that Label Studio adds to a task's data; they win over fields of the same name, as in its CSV."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer as one text; `excluded` says why it does not count, None where it does."""

    text: str
    excluded: str | None = None


def answer(value: Any, *, originals: Iterable[object], path: Path) -> Answer:
    """The answer of one control.

    Several choices become a JSON list. Of several texts of a text area those that repeat a field of the task are what
    it was filled with; where more than one is left, nobody can say which one was meant, and the vote does not count.
    """
    kind, texts = _unwrapped(_spelt(value, path=path))
    if kind == "choices":
        return Answer(text=texts[0] if len(texts) == 1 else json.dumps(texts, ensure_ascii=False) if texts else "")
    if len(set(texts)) < 2:
        return Answer(text=texts[0] if texts else "")
    filled = {one.strip() for one in originals if isinstance(one, str)}
    written = list(dict.fromkeys(text for text in texts if text.strip() not in filled))
    if len(written) == 1:
        return Answer(text=written[0])
    if not written:
        return Answer(text=texts[0])
    return Answer(text=json.dumps(texts, ensure_ascii=False), excluded=SEVERAL)


def excluded(answers: Iterable[Answer]) -> str | None:
    """Why a vote of these answers does not count: the first reason of one of them."""
    return next((one.excluded for one in answers if one.excluded is not None), None)


def with_answers(row: files.Row, answers: Mapping[str, Answer]) -> files.Row:
    """The row with the answer of every control under its name."""
    return files.Row(row.file, row.line, {**row.values, **{name: one.text for name, one in answers.items()}})


def need_one(controls: Collection[str], known: Collection[str], *, row: files.Row) -> None:
    """Raise BadInput unless one of the controls is there; Label Studio leaves out those that nobody touched."""
    if not set(controls) & set(known):
        raise BadInput(
            f"None of the controls {', '.join(controls)} is in the file.",
            where=row.where("votes.answers"),
            remedy=f"It has: {files.named(known)}.",
        )


def _spelt(value: Any, *, path: Path) -> Any:
    """A CSV cell that holds JSON, as that JSON; a text that only looks like it stays a text."""
    if not isinstance(value, str) or not value.startswith(("{", "[")):
        return value
    try:
        found = json_text.parse(value, path=path, remedy="")
    except BadInput:
        return value
    return found if _known(found) else value


def _known(found: Any) -> bool:
    if isinstance(found, Mapping):
        return _texts(found.get("text")) is not None or _texts(found.get("choices")) is not None
    return isinstance(found, list) and bool(found) and all(isinstance(one, str) or _known(one) for one in found)


def _texts(value: Any) -> list[str] | None:
    if isinstance(value, str):
        return [value]
    return value if isinstance(value, list) and all(isinstance(one, str) for one in value) else None


def _unwrapped(value: Any) -> tuple[str, list[str]]:
    """Whether these are choices or texts, and all of them in order."""
    if value is None:
        return "text", []
    if isinstance(value, Mapping):
        for kind in ("choices", "text"):
            if (texts := _texts(value.get(kind))) is not None:
                return kind, texts
    if isinstance(value, list):
        parts = [_unwrapped(one) for one in value]
        kind = "choices" if any(kind == "choices" for kind, _ in parts) else "text"
        return kind, [text for _, texts in parts for text in texts]
    return "text", [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]


def seconds(value: Any, *, row: files.Row) -> float | None:
    """`lead_time` as seconds, None where there is none; raises BadInput for what is no duration."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        found = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found) or found < 0:
        raise BadInput(
            f"{str(value)[:40]!r} is no number of seconds.",
            where=row.where("lead_time"),
            remedy="Leave it empty if it is not known.",
        )
    return found
