"""Receipts: which letters were sent and what they showed, until a transaction has noted it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlmodel import Session

from annotation.store import outbox, screens
from annotation.store.screens import Shown


@dataclass(frozen=True)
class Batch:
    """Receipts that one transaction notes."""

    sent: Sequence[int] = ()
    shown: Sequence[Shown] = ()

    def note(self, session: Session) -> None:
        """Write them down."""
        outbox.remove(session, self.sent)
        screens.note(session, self.shown)


@dataclass
class Receipts:
    """What waits to be noted; taken out by whoever has a transaction, and given back should that fail."""

    sent: list[int] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)

    def add(self, letter_id: int, *, shown: Sequence[Shown] = ()) -> None:
        """A letter is over."""
        self.sent.append(letter_id)
        self.shown.extend(shown)

    def take(self) -> Batch:
        """All that waits."""
        batch = Batch(self.sent, self.shown)
        self.sent, self.shown = [], []
        return batch

    def give_back(self, batch: Batch) -> None:
        """It was not noted."""
        self.sent = [*batch.sent, *self.sent]
        self.shown = [*batch.shown, *self.shown]

    def __bool__(self) -> bool:
        return bool(self.sent or self.shown)
