"""The sweeper: every second it takes up updates and messages that no process is working on.

These are updates and messages of processes that died, and paced messages that the rate limit allows now. Once an hour
it deletes the ids of handled updates that Telegram cannot send again. It ends, and the bot with it, where the database
was upgraded by a newer program.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from sqlmodel import Session

from annotation.errors import HromadaError, SchemaMismatch
from annotation.store import inbox, migrations, outbox
from annotation.store.outbox import OutboxMessage
from bot.delivery import telegram_payloads
from bot.delivery.logs import format_trace
from bot.delivery.process_lease import LeaseKeeper
from bot.delivery.sender import HOLD_TIME, RateLimit, Sender
from bot.delivery.transaction_runner import TransactionRunner
from bot.delivery.workers import Workers

log = logging.getLogger(__name__)
SWEEP_SECONDS = 1.0
"""Seconds between two sweeps."""
ORPHAN_AGE = timedelta(seconds=2)
"""How long an update waits until sweepers take it up; before, the process that stored it handles it."""
INBOX_RETENTION = timedelta(days=2)
"""How long the ids of handled updates are kept; Telegram sends an update again for a day at most."""
HOLD_EVERY, NOTIFY_EVERY, CLEAN_EVERY = 2, 5, 3600
"""After how many sweeps holds are extended, notifications collected, and old update ids deleted."""
PACED_HOLD_TIME = timedelta(minutes=5)
"""How long no other process sends a paced message that this one holds."""


@dataclass
class Sweeper:
    """The sweeper of one process. Only a process that holds the lease collects notifications and takes paced messages.

    `_paced` are the paced messages that this process holds, by chat id.
    """

    runner: TransactionRunner
    workers: Workers
    sender: Sender
    rate_limit: RateLimit
    lease: LeaseKeeper
    _paced: dict[int, list[OutboxMessage]] = field(default_factory=dict)
    _sending: set[asyncio.Task[None]] = field(default_factory=set)
    _sweeps: int = 0

    async def run(self) -> None:
        """Sweep until cancelled; raises SchemaMismatch."""
        pacing = asyncio.create_task(self._send_paced())
        try:
            while True:
                try:
                    await self.sweep_once(age=ORPHAN_AGE)
                except SchemaMismatch:
                    raise
                except HromadaError as failure:
                    log.warning("The database does not answer: %s", type(failure).__name__)
                except Exception as failure:  # noqa: BLE001  # the next sweep must come
                    log.error("A sweep failed: %s", format_trace(failure))
                await asyncio.sleep(SWEEP_SECONDS)
        finally:
            tasks = (pacing, *self._sending)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def sweep_once(self, *, age: timedelta = timedelta(0)) -> None:
        """Wake the workers for updates that have waited for `age`, and send messages that are due.

        Raises SchemaMismatch before anything else is read: of the other tables, a newer program may have changed any.
        """
        await self.runner.run(lambda session: migrations.check_revision(session.connection()))
        has_lease = await self.lease.acquire()
        self._sweeps += 1
        held_ids = self.sender.list_held_ids()
        user_ids, messages, paced = await self.runner.run(
            lambda session: self._sweep_in_transaction(session, age, held_ids, has_lease=has_lease)
        )
        self.workers.wake(user_ids)
        for message in messages:
            self._start_sending(message)
        for message in paced:
            self._paced.setdefault(message.chat_id, []).append(message)

    def _sweep_in_transaction(
        self, session: Session, age: timedelta, held_ids: Sequence[int], *, has_lease: bool
    ) -> tuple[Sequence[int], Sequence[OutboxMessage], Sequence[OutboxMessage]]:
        """Users whose updates wait, messages to send at once, and paced messages to send as the rate limit allows.

        Also extends holds, deletes old update ids and stores notifications, each once in so many sweeps.
        """
        now = self.runner.clock()
        if held_ids and self._sweeps % HOLD_EVERY == 0:
            outbox.extend_hold(session, held_ids, until=now + HOLD_TIME)
        if self._sweeps % CLEAN_EVERY == 0:
            inbox.delete_handled(session, before=now - INBOX_RETENTION)
        if has_lease and self._sweeps % NOTIFY_EVERY == 1:
            self._store_notifications(session)
        messages = outbox.take_due_messages(session, now=now, until=now + HOLD_TIME, paced=False)
        if not self.runner.single_writer:
            messages = outbox.add_predecessors(session, messages)
        takes_paced = has_lease and len(self._paced) < outbox.MOST_MESSAGES
        paced = (
            outbox.take_due_messages(session, now=now, until=now + PACED_HOLD_TIME, paced=True) if takes_paced else ()
        )
        return inbox.list_waiting_senders(session, before=now - age), messages, paced

    def _store_notifications(self, session: Session) -> None:
        """Collect notifications and store them in the outbox as paced messages."""
        settings, now = self.workers.settings, self.runner.clock()
        calls = settings.collect_notifications(session, now=now)
        drafts = telegram_payloads.build_outbox_drafts(
            calls, chat_id=0, protect=settings.protect, find_message_id=lambda _: None
        )
        outbox.store_messages(session, [replace(draft, paced=True) for draft in drafts], due_at=now)

    def _start_sending(self, message: OutboxMessage) -> None:
        task = asyncio.create_task(self.sender.send([message]))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _send_paced(self) -> None:
        """Send paced messages one after another, each when the rate limit allows it."""
        loop = asyncio.get_running_loop()
        while True:
            chat, wait = self.rate_limit.choose_chat(self._paced, now=loop.time())
            if chat is None:
                await asyncio.sleep(min(max(wait, 0.01), SWEEP_SECONDS))
                continue
            queue = self._paced[chat]
            self._start_sending(queue.pop(0))
            if not queue:
                del self._paced[chat]
            self.rate_limit.record_message(chat, now=loop.time())
