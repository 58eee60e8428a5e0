"""Receipts: which outbox messages were sent and which items they show, until a transaction saves it.

The next transaction of any update takes them along; otherwise they get their own a moment later.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlmodel import Session

from annotation.errors import HromadaError
from annotation.store import outbox
from annotation.store.outbox import ShownAssignment
from bot.delivery.transaction_runner import TransactionRunner

log = logging.getLogger(__name__)
BATCH_SECONDS = 0.05
"""Seconds that receipts wait for a transaction to go along with."""


@dataclass(frozen=True)
class ReceiptBatch:
    """The receipts that one transaction saves."""

    sent: Sequence[int] = ()
    shown: Sequence[ShownAssignment] = ()

    def save(self, session: Session) -> None:
        """Delete the sent messages and store where items are shown."""
        outbox.delete_messages(session, self.sent)
        outbox.store_shown(session, self.shown)


@dataclass
class Receipts:
    """Receipts to be saved; taken by a transaction, and returned if it fails."""

    runner: TransactionRunner
    _sent: list[int] = field(default_factory=list)
    _shown: list[ShownAssignment] = field(default_factory=list)
    _saving: asyncio.Task[None] | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def add(self, message_id: int, *, shown: Sequence[ShownAssignment] = ()) -> None:
        """An outbox message is finished."""
        self._sent.append(message_id)
        self._shown.extend(shown)
        self._schedule_save()

    def list_unsaved(self) -> Sequence[int]:
        """The ids of finished messages that are not saved yet."""
        return self._sent

    def take_batch(self) -> ReceiptBatch:
        """Take all receipts that wait."""
        batch = ReceiptBatch(self._sent, self._shown)
        self._sent, self._shown = [], []
        return batch

    def return_batch(self, batch: ReceiptBatch) -> None:
        """Take back receipts that could not be saved."""
        self._sent = [*batch.sent, *self._sent]
        self._shown = [*batch.shown, *self._shown]
        self._schedule_save()

    def _schedule_save(self) -> None:
        """Make sure that a task will save them."""
        if self._sent and (self._saving is None or self._saving.done()):
            self._saving = asyncio.create_task(self._save_later())

    async def _save_later(self) -> None:
        while self._sent:
            await asyncio.sleep(BATCH_SECONDS)
            await self.save()

    async def save(self) -> bool:
        """Save all receipts at once, after those already on their way; whether it succeeded."""
        async with self._lock:
            batch = self.take_batch()
            if not batch.sent:
                return True
            try:
                await self.runner.run(batch.save)
            except HromadaError as failure:
                log.warning("What was sent is noted later: %s", type(failure).__name__)
                self.return_batch(batch)
                return False
            except asyncio.CancelledError:
                self.return_batch(batch)
                raise
            return True
