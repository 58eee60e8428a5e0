"""Receipts: which letters were sent and what they showed, until a transaction has noted it.

The next transaction of any update takes them along; where none comes they get one of their own a moment later.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlmodel import Session

from annotation.errors import HromadaError
from annotation.store import item_messages, outbox
from annotation.store.item_messages import Shown
from bot.delivery.transaction_runner import Base

log = logging.getLogger(__name__)
QUIET = 0.05
"""Seconds that they wait for a transaction to go along with."""


@dataclass(frozen=True)
class Batch:
    """Receipts that one transaction notes."""

    sent: Sequence[int] = ()
    shown: Sequence[Shown] = ()

    def note(self, session: Session) -> None:
        """Write them down."""
        outbox.remove(session, self.sent)
        item_messages.note(session, self.shown)


@dataclass
class Receipts:
    """What waits to be noted; taken out by whoever has a transaction, and given back should that fail."""

    base: Base
    _sent: list[int] = field(default_factory=list)
    _shown: list[Shown] = field(default_factory=list)
    _noting: asyncio.Task[None] | None = None
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def add(self, letter_id: int, *, shown: Sequence[Shown] = ()) -> None:
        """A letter is over."""
        self._sent.append(letter_id)
        self._shown.extend(shown)
        self._wait()

    def sent(self) -> Sequence[int]:
        """The letters that are over and not noted so yet."""
        return self._sent

    def take(self) -> Batch:
        """All that waits."""
        batch = Batch(self._sent, self._shown)
        self._sent, self._shown = [], []
        return batch

    def give_back(self, batch: Batch) -> None:
        """It was not noted."""
        self._sent = [*batch.sent, *self._sent]
        self._shown = [*batch.shown, *self._shown]
        self._wait()

    def _wait(self) -> None:
        """Somebody sees to it that they are noted."""
        if self._sent and (self._noting is None or self._noting.done()):
            self._noting = asyncio.create_task(self._note_later())

    async def _note_later(self) -> None:
        while self._sent:
            await asyncio.sleep(QUIET)
            await self.noted()

    async def noted(self) -> bool:
        """Note at once all that waits, after what is on its way into the database already; whether it could be."""
        async with self._writing:
            batch = self.take()
            if not batch.sent:
                return True
            try:
                await self.base.run(batch.note)
            except HromadaError as failure:
                log.warning("What was sent is noted later: %s", type(failure).__name__)
                self.give_back(batch)
                return False
            except asyncio.CancelledError:
                self.give_back(batch)
                raise
            return True
