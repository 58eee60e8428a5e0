"""What is kept of a conversation beside the work itself: what is awaited from the person, half-given answers, choices."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlmodel import Session

from annotation.store.models import Talk


class Step(StrEnum):
    """What the next text of a person is."""

    NONE = ""
    LANGUAGE = "language"
    PROFILE = "profile"
    ZONE = "zone"
    SKIP = "skip"
    REPORT = "report"
    ASK = "ask"


@dataclass(frozen=True, kw_only=True)
class Draft:
    """Answers to an item that are not complete: by question, the places of the options chosen, in the order shown."""

    assignment_id: int
    revision: int
    given: dict[str, list[int]] = field(default_factory=dict)
    on: list[int] = field(default_factory=list)
    """The boxes that are ticked in the question that is on the screen."""


@dataclass(frozen=True, kw_only=True)
class State:
    """Where a conversation stands. `about` is the id that the step is about, `field` the profile's field.

    `door` is the entry that the person chose from the menu; `cards` says which version of a project's card she has read.
    """

    step: Step = Step.NONE
    about: int = 0
    field: str = ""
    door: int = 0
    cards: dict[str, str] = field(default_factory=dict)
    draft: Draft | None = None

    def at(self, step: Step, *, about: int = 0, field: str = "") -> State:
        """At another step, all else as it is."""
        return replace(self, step=step, about=about, field=field)


def read(session: Session, *, annotator_id: int) -> State:
    """Where the conversation with a person stands."""
    found = session.get(Talk, annotator_id)
    if found is None:
        return State()
    data = dict(found.data)
    draft = data.pop("draft", None)
    return State(step=Step(found.step), draft=None if draft is None else Draft(**draft), **data)


def write(session: Session, *, annotator_id: int, state: State, now: datetime) -> None:
    """Keep where the conversation stands now."""
    found = session.get(Talk, annotator_id) or Talk(annotator_id=annotator_id, step="", at=now)
    data: dict[str, Any] = {
        name: getattr(state, name) for name in ("about", "field", "door", "cards") if getattr(state, name)
    }
    if state.draft is not None:
        data["draft"] = vars(state.draft)
    found.step, found.data, found.at = state.step.value, data, now
    session.add(found)
    session.flush()
