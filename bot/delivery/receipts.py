"""Receipts: the notes that outbox messages were sent and what they show, until a transaction saves them.

The transaction that handles the next update saves them along with it; if none comes, a transaction of their own does.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlmodel import Session

from annotation.errors import HromadaError
from annotation.store import outbox
from annotation.store.outbox import ShownAssignment, ShownPrompt
from bot.delivery.transaction_runner import TransactionRunner

log = logging.getLogger(__name__)
Shown = ShownAssignment | ShownPrompt
BATCH_SECONDS = 0.05
"""Seconds that receipts wait for the transaction of an update before they get one of their own."""


@dataclass(frozen=True)
class ReceiptBatch:
    """The receipts that one transaction saves: ids of outbox messages that were sent, and what those show."""

    sent: Sequence[int] = ()
    shown: Sequence[Shown] = ()

    def save(self, session: Session) -> None:
        """Delete the outbox messages that were sent, and store which Telegram messages show and ask what."""
        outbox.delete_messages(session, self.sent)
        outbox.store_shown(session, self.shown)


@dataclass
class Receipts:
    """The receipts of one process that are not saved yet; a transaction takes them, and returns them if it fails."""

    runner: TransactionRunner
    _sent: list[int] = field(default_factory=list)
    _shown: list[Shown] = field(default_factory=list)
    _saving: asyncio.Task[None] | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def add(self, message_id: int, *, shown: Sequence[Shown] = ()) -> None:
        """Add the receipt of an outbox message; `shown` is what was sent with it."""
        self._sent.append(message_id)
        self._shown.extend(shown)
        self._schedule_save()

    def list_unsaved(self) -> Sequence[int]:
        """The ids of outbox messages that were sent, but are still stored."""
        return self._sent

    def take_batch(self) -> ReceiptBatch:
        """Take all receipts, to save them in a transaction."""
        batch = ReceiptBatch(self._sent, self._shown)
        self._sent, self._shown = [], []
        return batch

    def return_batch(self, batch: ReceiptBatch) -> None:
        """Return receipts that could not be saved."""
        self._sent = [*batch.sent, *self._sent]
        self._shown = [*batch.shown, *self._shown]
        self._schedule_save()

    def _schedule_save(self) -> None:
        """Start a task that saves the receipts later, unless one runs already."""
        if self._sent and (self._saving is None or self._saving.done()):
            self._saving = asyncio.create_task(self._save_later())

    async def _save_later(self) -> None:
        while self._sent:
            await asyncio.sleep(BATCH_SECONDS)
            await self.save()

    async def save(self) -> bool:
        """Save all receipts now, after those that are being saved. Returns whether it succeeded."""
        async with self._lock:
            batch = self.take_batch()
            if not batch.sent:
                return True
            try:
                await self.runner.run(batch.save)
            except HromadaError as failure:
                log.debug("What was sent is noted later: %s", type(failure).__name__)
                self.return_batch(batch)
                return False
            except asyncio.CancelledError:
                self.return_batch(batch)
                raise
            return True
