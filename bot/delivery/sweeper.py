"""The sweeper: every second it takes up updates and messages that no process is working on.

These are updates and messages of processes that died, and paced messages that the rate limit allows now. It reads the
database's clock and the pauses that Telegram asked other processes for. Once an hour it deletes the ids of handled
updates that Telegram cannot send again. It ends, and the bot with it, where the database was upgraded by a newer
program.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from time import monotonic

from sqlmodel import Session

from annotation.errors import NotWritable, SchemaMismatch, Unavailable
from annotation.store import erasure_log, mailbox, migrations, notices, processes
from annotation.store.mailbox import MessageHold, OutboxMessage
from annotation.workflow.annotators import erasure
from annotation.workflow.organisers.alerts import Observation
from bot.delivery import telegram_payloads
from bot.delivery.delivery_settings import format_trace
from bot.delivery.limits_and_retries import AwaitedService, Failure, RateLimit, Watchdog, catch_failure
from bot.delivery.process_lease import LeaseKeeper
from bot.delivery.sender import Sender
from bot.delivery.transaction_runner import DatabaseClock, TransactionRunner
from bot.delivery.workers import Workers

log = logging.getLogger(__name__)
SWEEP_SECONDS = 1.0
"""Seconds between two sweeps."""
ORPHAN_AGE = timedelta(seconds=2)
"""How long an update waits until sweepers take it up; before, the process that stored it handles it."""
INBOX_RETENTION = timedelta(days=2)
"""How long the ids of handled updates are kept; Telegram sends an update again for a day at most."""
HOLD_EVERY, NOTIFY_EVERY, OBSERVE_EVERY, EMPTY_LOG_EVERY, CLEAN_EVERY = 2, 5, 60, 60, 3600
"""After how many sweeps holds are extended, notifications collected, campaigns observed, the log of SQLite emptied, and
old update ids and strangers deleted.
"""
FIRST_OBSERVED = 40
"""After how many sweeps campaigns are observed first: by then Telegram has brought updates to a bot that was off."""
PACED_HOLD_TIME = timedelta(minutes=5)
"""How long no other process sends a paced message that this one holds."""


@dataclass
class _Paced:
    """The paced messages for one chat that this process holds, and since when the first has waited."""

    since: float
    messages: list[OutboxMessage] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class _SweptRows:
    """What a sweep found: users whose updates wait, messages to send, pauses of chats, and the ids that it holds on."""

    user_ids: Sequence[int]
    messages: Sequence[OutboxMessage]
    paced: Sequence[OutboxMessage]
    pauses: Mapping[int, datetime]
    kept_ids: Collection[int]


@dataclass
class Sweeper:
    """The sweeper of one bot in one process. Only a process that holds the lease takes paced messages.

    One bot of all, for which `is_common` is set, also does what they have in common, such as to collect notifications.
    `_paced` are the paced messages that this process holds, by chat id; `_observing` looks at the campaigns, which
    takes as long as it takes; `_last_failure` is what the log says of a sweep that failed.
    """

    runner: TransactionRunner
    workers: Workers
    sender: Sender
    rate_limit: RateLimit
    lease: LeaseKeeper
    watchdog: Watchdog
    is_common: bool = True
    _paced: dict[int, _Paced] = field(default_factory=dict)
    _sweeps: int = 0
    _observing: asyncio.Task[Observation | Failure | None] | None = None
    _last_failure: str = ""

    async def run(self) -> None:
        """Sweep until cancelled; raises SchemaMismatch. A failure is in the log once, until another follows it."""
        pacing = asyncio.create_task(self._send_paced())
        try:
            while True:
                self.watchdog.await_service(AwaitedService.DATABASE)
                outcome = await catch_failure(self.sweep_once(age=ORPHAN_AGE))
                failure = outcome.error if isinstance(outcome, Failure) else None
                if isinstance(failure, SchemaMismatch):
                    raise failure
                self.watchdog.write_problem = self.runner.state.write_problem
                if isinstance(failure, NotWritable):
                    self.watchdog.note_answer(AwaitedService.DATABASE)
                elif not isinstance(failure, Unavailable):
                    self.watchdog.note_answer(AwaitedService.DATABASE)
                    self._log_failure(failure)
                await asyncio.sleep(SWEEP_SECONDS)
        finally:
            pacing.cancel()
            await asyncio.gather(pacing, return_exceptions=True)

    def _log_failure(self, failure: Exception | None) -> None:
        if failure is not None and (described := format_trace(failure)) != self._last_failure:
            log.error("Sweeps fail: %s", described)
            self._last_failure = described

    async def sweep_once(self, *, age: timedelta = timedelta(0)) -> None:
        """Wake the workers for updates that have waited for `age`, and send messages that are due.

        Raises SchemaMismatch before anything else is read: of the other tables, a newer program may have changed any.
        """
        await self._read_clock()
        has_lease = await self.lease.acquire()
        self._sweeps += 1
        held_ids = self.sender.list_held_ids() if self._sweeps % HOLD_EVERY == 0 else []
        hold = self.sender.make_hold()
        swept = await self.runner.run(
            lambda session: self._sweep_in_transaction(session, age, held_ids, hold, has_lease=has_lease)
        )
        self.sender.update_holds(held_ids, swept.kept_ids, hold)
        self._pause_chats(swept.pauses)
        self.workers.report_dropped_updates()
        self.workers.wake(swept.user_ids)
        self.sender.send(swept.messages)
        now = asyncio.get_running_loop().time()
        for message in swept.paced:
            self._paced.setdefault(message.chat_id, _Paced(now)).messages.append(message)
        if self.is_common:
            await self._do_common_work(has_lease=has_lease)

    async def _do_common_work(self, *, has_lease: bool) -> None:
        """Do what is done once for all bots: empty the log, observe campaigns, collect notifications."""
        if has_lease and self._sweeps % EMPTY_LOG_EVERY == 0:
            await asyncio.to_thread(erasure_log.empty_log, self.runner.database)
        if has_lease and self._observing is None and self._sweeps % OBSERVE_EVERY == FIRST_OBSERVED:
            self._observing = asyncio.create_task(catch_failure(asyncio.to_thread(self._observe)))
        if not has_lease:
            self._take_observation()  # the process that has the lease now looks itself
        elif self._sweeps % NOTIFY_EVERY == 1:
            observed = self._take_observation()
            await self.runner.run(lambda session: self._store_notifications(session, observed))

    async def _read_clock(self) -> None:
        """Go by the time of the database; where its clock was set, mark what was shown before."""
        asked_at, read, at = await self.runner.run(_check_and_read_clock)
        if not isinstance(self.runner.database_clock, DatabaseClock):
            return
        by = self.runner.database_clock.adjust(read, at=at, asked_at=asked_at)
        if by is not None:
            log.warning("The clock of the database was set by %.1f seconds.", by.total_seconds())
            await self.runner.run(lambda session: processes.record_change(session, by=by, now=read))

    def _sweep_in_transaction(
        self, session: Session, age: timedelta, held_ids: Sequence[int], hold: MessageHold, *, has_lease: bool
    ) -> _SweptRows:
        """Find what waits, extend holds, and delete old update ids once in so many sweeps."""
        now = self.runner.database_clock()
        kept_ids = mailbox.extend_holds(session, held_ids, hold) if held_ids else ()
        if self.is_common and self._sweeps % CLEAN_EVERY == 0:
            mailbox.delete_handled(session, before=now - INBOX_RETENTION)
            organisers = self.workers.settings.conversation.organisers
            erasure.erase_strangers(session, now=self.runner.clock(), organisers=organisers)
        bot_id = self.sender.bot_id
        messages = mailbox.take_due_messages(session, bot_id=bot_id, now=now, hold=hold, paced=False)
        if not self.runner.single_writer:
            messages = mailbox.add_predecessors(session, messages)
        paced: Sequence[OutboxMessage] = ()
        if has_lease and len(self._paced) < mailbox.MOST_MESSAGES:
            paced_hold = self.sender.make_hold(PACED_HOLD_TIME)
            paced = mailbox.take_due_messages(session, bot_id=bot_id, now=now, hold=paced_hold, paced=True)
        return _SweptRows(
            user_ids=mailbox.list_waiting_senders(session, bot_id=bot_id, before=now - age),
            messages=messages,
            paced=paced,
            pauses=processes.list_pauses(session, bot_id=bot_id, now=now),
            kept_ids=kept_ids,
        )

    def _pause_chats(self, pauses: Mapping[int, datetime]) -> None:
        """Keep to the pauses that Telegram asked this process or another one for."""
        now, database_now = asyncio.get_running_loop().time(), self.runner.database_clock()
        for chat_id, until in pauses.items():
            self.rate_limit.pause_chat(chat_id, until=now + (until - database_now).total_seconds(), now=now)

    def stop_observing(self) -> None:
        """Wait no more for what is being observed."""
        if self._observing is not None:
            self._observing.cancel()

    def _take_observation(self) -> Observation | None:
        """What was observed since the last time; None while that goes on, and where it failed."""
        if self._observing is None or not self._observing.done():
            return None
        outcome, self._observing = self._observing.result(), None
        if isinstance(outcome, Failure):
            self._log_failure(outcome.error)
            return None
        return outcome

    def _observe(self) -> Observation | None:
        """Read what organisers may have to be told, beside the transactions that write."""
        with self.runner.database.reading() as view:
            return self.workers.settings.observe_campaigns(view, now=self.runner.clock())

    def _store_notifications(self, session: Session, observed: Observation | None) -> None:
        """Collect notifications and store them in the outbox as paced messages; take back those that come too late."""
        settings = self.workers.settings
        notices.take_back_late_notices(session, now=self.runner.database_clock())
        now = self.runner.clock()
        calls = settings.collect_notifications(session, now=now, observed=observed)
        drafts = telegram_payloads.build_outbox_drafts(
            calls, chat_id=0, protect=settings.protect, find_message_id=lambda _: None
        )
        now = self.runner.database_clock()
        paced = [replace(draft, paced=True) for draft in drafts]
        mailbox.store_messages(session, paced, bot_id=self.sender.bot_id, now=now)

    async def _send_paced(self) -> None:
        """Send paced messages one after another, each when the rate limit allows it, until cancelled."""
        while True:
            outcome = await catch_failure(self._send_next_paced())
            if isinstance(outcome, Failure):
                self._log_failure(outcome.error)
                await asyncio.sleep(SWEEP_SECONDS)

    async def _send_next_paced(self) -> None:
        """Send the paced message whose turn it is, or wait a moment where none may be sent yet."""
        now = asyncio.get_running_loop().time()
        waiting = {chat_id: paced.since for chat_id, paced in self._paced.items()}
        chat, wait = self.rate_limit.choose_chat(waiting, now=now)
        if chat is None:
            await asyncio.sleep(min(max(wait, 0.01), SWEEP_SECONDS))
            return
        paced = self._paced[chat]
        self.rate_limit.record_message(chat, now=now)
        self.sender.send([paced.messages.pop(0)])
        paced.since = now
        if not paced.messages:
            del self._paced[chat]


def _check_and_read_clock(session: Session) -> tuple[float, datetime, float]:
    """The database's time between the moments of the monotonic clock before and after it was read.

    Raises SchemaMismatch.
    """
    migrations.check_revision(session.connection())
    asked_at = monotonic()
    return asked_at, processes.get_database_time(session), monotonic()
