"""What is kept of a conversation beside the work itself: what is awaited from the person, and half-given answers."""

from __future__ import annotations

import dataclasses
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import annotator_locks
from annotation.store.models import Annotator, Talk

MOST_DRAFTS = 4


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
    given: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    on: list[int] = dataclasses.field(default_factory=list)
    """The boxes that are ticked in the question that is on the screen."""


@dataclass(frozen=True, kw_only=True)
class State:
    """Where a conversation stands. `about` is the id that the step is about, `field` the profile's field.

    `spent` are entries that had nothing for her when she last looked.
    `door` is the entry that the person chose from the menu; `cards` says which version of a project's card she read.
    """

    step: Step = Step.NONE
    about: int = 0
    field: str = ""
    door: int = 0
    spent: tuple[int, ...] = ()
    cards: dict[str, str] = dataclasses.field(default_factory=dict)
    drafts: tuple[Draft, ...] = ()

    def draft(self, assignment_id: int, revision: int) -> Draft:
        """The half-given answers to an item; none yet where there are none."""
        key = (assignment_id, revision)
        found = [one for one in self.drafts if (one.assignment_id, one.revision) == key]
        return found[0] if found else Draft(assignment_id=assignment_id, revision=revision)

    def drafted(self, draft: Draft | None, *, assignment_id: int) -> State:
        """With this draft of an item in place of an earlier one; the oldest of many are given up."""
        others = tuple(one for one in self.drafts if one.assignment_id != assignment_id)
        return replace(self, drafts=(*others, *((draft,) if draft else ()))[-MOST_DRAFTS:])

    def at(self, step: Step, *, about: int = 0, field: str = "") -> State:
        """At another step, all else as it is."""
        return replace(self, step=step, about=about, field=field)


@dataclass
class Standing:
    """Where the conversation with a person stands, read once an update."""

    annotator_id: int
    state: State

    def keep(self, session: Session, state: State, *, now: datetime) -> None:
        """It stands there now."""
        if state != self.state:
            write(session, annotator_id=self.annotator_id, state=state, now=now)
            self.state = state


def find(session: Session, *, telegram_id: int) -> tuple[Annotator, Standing] | None:
    """A person, and where the conversation with her stands; None for somebody unknown."""
    row = session.execute(_FIND, {"telegram": telegram_id}).first()
    if row is None:
        return None
    annotator_locks.keep(session, row[0])
    return row[0], Standing(row[0].id or 0, _state(row[1]))


def _state(found: Talk | None) -> State:
    if found is None:
        return State()
    data = dict(found.data)
    drafts = tuple(Draft(**one) for one in data.pop("drafts", ()))
    spent = tuple(data.pop("spent", ()))
    return State(step=Step(found.step), drafts=drafts, spent=spent, **data)


def write(session: Session, *, annotator_id: int, state: State, now: datetime) -> None:
    """Keep where the conversation stands now."""
    found = session.get(Talk, annotator_id) or Talk(annotator_id=annotator_id, step="", at=now)
    data: dict[str, Any] = {
        name: getattr(state, name) for name in ("about", "field", "door", "cards", "spent") if getattr(state, name)
    }
    if state.drafts:
        data["drafts"] = [asdict(one) for one in state.drafts]
    found.step, found.data, found.at = state.step.value, data, now
    session.add(found)
    session.flush()


_FIND = annotator_locks.locking(
    sa.select()
    .add_columns(Annotator, Talk)
    .select_from(Annotator)
    .outerjoin(Talk, col(Talk.annotator_id) == col(Annotator.id))
    .where(col(Annotator.telegram_id) == sa.bindparam("telegram"))
)
