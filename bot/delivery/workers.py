"""Workers: each update is handled in one transaction, which also stores the calls to make; the sender makes them.

A process serves up to 16 users at once, each user's updates one by one in order; on PostgreSQL any number of
processes work at the same time. An update that fails twice is parked, and its user is told.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile

from sqlmodel import Session

from annotation.errors import BadInput, HromadaError, SchemaMismatch, Unavailable
from annotation.store import mailbox, migrations, processes
from annotation.store.mailbox import OutboxMessage, PendingUpdate, ReceivedUpdate
from bot.conversation import message_layout
from bot.conversation.updates_and_calls import IncomingUpdate, TelegramCalls, UpdateKind
from bot.delivery import telegram_payloads
from bot.delivery.delivery_settings import DeliverySettings, format_trace
from bot.delivery.limits_and_retries import Backoff, Failure, FloodLimit, catch_failure
from bot.delivery.sender import Receipts, Sender
from bot.delivery.telegram_payloads import RawUpdate
from bot.delivery.transaction_runner import Result, TransactionRunner, UseCase, follow_update, name_update

log = logging.getLogger(__name__)
MAX_ATTEMPTS = 2
"""How many times an update is tried before it is parked."""
MAX_AGE = timedelta(hours=1)
"""How old an update may get that the database does not handle in time, although it answers otherwise."""
MAX_UPDATE_ID = 2**63 - 1
"""The largest number of an update that can be stored; one with a larger number is only in the log."""
CHECK_REMEDY = "Check it: hromada database check."
REFUSED_ALONE = 2
"""After how many refusals in a row, while the database answers otherwise, an update of that age is parked."""
AGE_CHECK_FAILURES = 3
"""After how many failures of the database in a row the age is looked at."""


ExplainInTransaction = Callable[[Session, int, Exception, str], tuple[OutboxMessage, ...]]
"""Stores the messages by which the sender of a parked update is told, from its id, the failure and its code."""


@dataclass(frozen=True, kw_only=True)
class FailedUpdates:
    """Handles failures to store and to handle updates.

    `_refused_alone` counts by user how often the database refused the earliest update and answered right after.
    """

    runner: TransactionRunner
    bot_id: int
    explain: ExplainInTransaction
    _refused_alone: dict[int, int] = field(default_factory=dict)

    async def store_one_by_one(self, updates: Sequence[ReceivedUpdate], failure: Exception) -> None:
        """Store each update on its own, because of a failure to store them together; raises it where they have to wait.

        An update that cannot be stored is parked without its content.
        """
        if _is_of_database(failure):
            raise failure
        for update in updates:
            await self._store_or_park(update)

    async def record_failure(self, user_id: int, failure: Exception, *, failures: int) -> tuple[OutboxMessage, ...]:
        """Count a failure to handle a user's earliest update, or park the update; the messages that tell the user.

        Raises the failure where the update has to wait for the database, or for the newer bot (SchemaMismatch), and
        where none waits.
        `failures` counts the failures of the database for this user before.
        """
        if _is_of_database(failure) and failures < AGE_CHECK_FAILURES:
            self._refused_alone.pop(user_id, None)
            raise failure
        code, trace = secrets.token_hex(3), format_trace(failure)
        update_id = await self._count_or_raise(user_id, failure, code, trace)
        if update_id is None:
            return ()
        log.error("Update %s is parked (hromada delivery list), code %s: %s", update_id, code, trace)
        told = await catch_failure(self.runner.run(lambda session: self.explain(session, update_id, failure, code)))
        if isinstance(told, Failure):
            log.warning("The sender is not told of code %s: %s", code, type(told.error).__name__)
            return ()
        return told

    async def _count_or_raise(self, user_id: int, failure: Exception, code: str, trace: str) -> int | None:
        """As `_count_or_park`; counts how often in a row the database answered just after it had refused the update.

        A database that was away for an hour may come back between both, and the update then has to be handled.
        """
        outcome = await catch_failure(
            self.runner.run(lambda session: self._count_or_park(session, user_id, failure, code, trace))
        )
        if not isinstance(outcome, Failure):
            self._refused_alone.pop(user_id, None)
            return outcome
        has_answered = outcome.error is failure
        self._refused_alone[user_id] = self._refused_alone.get(user_id, 0) + 1 if has_answered else 0
        raise outcome.error

    def _count_or_park(self, session: Session, user_id: int, failure: Exception, code: str, trace: str) -> int | None:
        """The id of the user's earliest update if it is parked now; raises the failure where the update has to wait."""
        migrations.check_revision(session.connection())
        failed, now = (
            mailbox.get_failed_update(session, bot_id=self.bot_id, telegram_id=user_id),
            self.runner.database_clock(),
        )
        if failed is None:
            raise failure  # not of an update, as when the database may not be written
        if _is_of_database(failure):
            if now - failed.received_at < MAX_AGE or self._refused_alone.get(user_id, 0) < REFUSED_ALONE:
                raise failure
        elif failed.attempts + 1 < MAX_ATTEMPTS:
            mailbox.count_failure(session, bot_id=self.bot_id, update_id=failed.update_id)
            return None
        reason = _describe_failure(failure)
        update_id = failed.update_id
        mailbox.park_update(
            session, bot_id=self.bot_id, update_id=update_id, code=code, reason=reason, trace=trace, now=now
        )
        return failed.update_id

    async def _store_or_park(self, update: ReceivedUpdate) -> None:
        """Store an update, or park it where it cannot be stored; raises a HromadaError where it has to wait.

        It waits, too, where the database refuses both although it could: it may not be written, or lacks a table.
        """
        now = self.runner.database_clock()
        stored = await catch_failure(
            self.runner.run(lambda session: mailbox.store_updates(session, [update], bot_id=self.bot_id, now=now))
        )
        if not isinstance(stored, Failure):
            return
        if _is_of_database(stored.error):
            raise stored.error
        await self._park(update.update_id, f"cannot be stored: {_describe_failure(stored.error)}", stored.error)

    async def park_unreadable(self, raw: RawUpdate, failure: Exception) -> None:
        """Park an update that has another form than those of the Bot API; one without a number is only in the log.

        Raises a HromadaError where it has to wait for the database.
        """
        update_id = raw.get("update_id") if isinstance(raw, dict) else None
        if isinstance(update_id, int):
            await self._park(update_id, f"cannot be read: {_describe_failure(failure)}", failure)
        else:
            log.error("An update without a number is left out: %s", format_trace(failure))

    async def _park(self, update_id: int, reason: str, failure: Exception) -> None:
        """Park an update without its content; raises a HromadaError where it has to wait."""
        now, trace = self.runner.database_clock(), format_trace(failure)
        parked = await catch_failure(
            self.runner.run(
                lambda session: mailbox.park_unstorable_update(
                    session, bot_id=self.bot_id, update_id=update_id, reason=reason, trace=trace, now=now
                )
            )
        )
        if isinstance(parked, Failure) and (_is_of_database(parked.error) or abs(update_id) <= MAX_UPDATE_ID):
            if isinstance(parked.error, HromadaError):
                raise parked.error
            raise Unavailable("The database takes no updates.", remedy=CHECK_REMEDY) from parked.error
        log.error("Update %s is parked (hromada delivery list), it %s: %s", update_id, reason, trace)


def _is_of_database(failure: Exception) -> bool:
    """Whether a failure is that of a database that is away, or of a newer schema."""
    return isinstance(failure, Unavailable | SchemaMismatch)


def _describe_failure(failure: Exception) -> str:
    """The reason for a list: the words of our own errors, of others the name alone, as their words may hold ids."""
    return failure.problem if isinstance(failure, HromadaError) else type(failure).__name__


MAX_PARALLEL = 16
"""How many users a process serves at once."""
PART_SECONDS = 2.5
"""Seconds for which a text that may be the first part of a longer one waits for the next part, as apps send them."""
MIN_WAIT, MAX_WAIT = 0.5, 30.0
"""The shortest and the longest pause in seconds between two attempts while the database does not respond."""


@dataclass(frozen=True)
class _ServedUpdate:
    """The result of handling a user's next update: the messages to send, and whether more updates may wait.

    `closed_chat_id` is the chat, if the update says that the user has blocked the bot there. `wait` is for how many
    seconds the update is left, as the rest of its text may come. `tapped_at` is when a tap was
    received, None for other updates.
    """

    messages: tuple[OutboxMessage, ...] = ()
    has_more: bool = False
    closed_chat_id: int | None = None
    wait: float = 0.0
    tapped_at: datetime | None = None


@dataclass
class Workers:
    """Handle the updates in the inbox, and give the sender what answers them.

    `_waiting` are users to be served, in their order (a dictionary, used as an ordered set); `_serving` are the tasks
    of users who are being served; `_woken_again` are those of them for whom another update came meanwhile. `_failing`
    are the pauses of users whose updates wait for the database, `_delayed` their timers. `_awaiting` are the timers of
    users whose long text may have another part on its way, which is not expected before `_since`: what came before this
    process was there may have its other parts at Telegram. While `waits_for_recovery`, what a killed process left
    behind is still to be sent, and the answer page takes nothing: its messages would come before those.
    """

    runner: TransactionRunner
    settings: DeliverySettings
    sender: Sender
    receipts: Receipts
    bot_id: int
    max_parallel: int = MAX_PARALLEL
    flood_limit: FloodLimit = field(default_factory=FloodLimit)
    waits_for_recovery: bool = False
    _failed: FailedUpdates = field(init=False)
    _waiting: dict[int, None] = field(default_factory=dict)
    _serving: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    _woken_again: set[int] = field(default_factory=set)
    _failing: dict[int, Backoff] = field(default_factory=dict)
    _delayed: dict[int, asyncio.TimerHandle] = field(default_factory=dict)
    _awaiting: dict[int, asyncio.TimerHandle] = field(default_factory=dict)
    _since: datetime | None = None

    def __post_init__(self) -> None:
        self._failed = FailedUpdates(runner=self.runner, bot_id=self.bot_id, explain=self._explain_in_transaction)

    async def receive_updates(self, updates: Sequence[RawUpdate]) -> None:
        """Store updates in one transaction and wake their users; raises Unavailable where they cannot be stored now.

        What is beyond the flood limit is dropped. Where an update can never be stored, each is stored on its own, and
        that one is parked without its content; so is one that cannot be read.
        """
        parsed = [update for update in [await self._parse_or_park(raw) for raw in updates] if update is not None]
        admitted = [update for update in map(self.flood_limit.admit_update, parsed) if update is not None]
        are_stored = False
        try:
            await self._store_received([telegram_payloads.dump_update(update) for update in admitted])
            are_stored = True
        finally:
            if not are_stored:
                self.flood_limit.return_updates(admitted)
        dropped = len(parsed) - len(admitted)
        self.flood_limit.count_dropped(dropped)
        self.runner.measurements.dropped += dropped
        self.runner.measurements.updates.update(str(update.kind) for update in admitted)
        self.wake(update.telegram_id for update in admitted)

    async def _parse_or_park(self, raw: RawUpdate) -> IncomingUpdate | None:
        """The parts of an update, None for one that is not needed, or that cannot be read and is parked."""
        try:
            return telegram_payloads.parse_update(raw)
        except BadInput as failure:
            await self._failed.park_unreadable(raw, failure)
            return None

    async def _store_received(self, received: Sequence[ReceivedUpdate]) -> None:
        if not received:
            return
        now = self.runner.database_clock()
        outcome = await catch_failure(
            self.runner.run(lambda session: mailbox.store_updates(session, received, bot_id=self.bot_id, now=now))
        )
        if isinstance(outcome, Failure):
            await self._failed.store_one_by_one(received, outcome.error)

    def report_dropped_updates(self) -> None:
        """Say in the log how many updates were dropped, once a minute at most."""
        if dropped := self.flood_limit.take_report():
            log.warning("Updates beyond HROMADA_BOT_UPDATES_A_MINUTE of one person were dropped: %d.", dropped)

    def wake(self, user_ids: Iterable[int]) -> None:
        """Serve users whose updates wait in the inbox; those who are being served already are served once more."""
        for user_id in user_ids:
            if user_id in self._awaiting:
                self._awaiting.pop(user_id).cancel()
            if user_id in self._serving:
                self._woken_again.add(user_id)
            elif user_id not in self._delayed:
                self._waiting.setdefault(user_id)
        self._start_serving()

    @property
    def idle(self) -> bool:
        """Whether nobody is being served."""
        return not self._serving

    async def wait_until_idle(self) -> None:
        """Wait until nobody is being served, and all that follows is sent and noted."""
        while self._serving:
            await asyncio.wait(self._serving.values())
        await self.sender.wait_until_idle()
        await self.receipts.save()

    async def stop(self, *, within: float) -> None:
        """Take no more updates, and wait at most that long for the current ones; the rest stays in the database."""
        self._waiting.clear()
        self.max_parallel = 0
        for timer in (*self._delayed.values(), *self._awaiting.values()):
            timer.cancel()
        tasks = tuple(self._serving.values())
        if tasks:
            await asyncio.wait(tasks, timeout=within)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start_serving(self) -> None:
        while self._waiting and len(self._serving) < self.max_parallel:
            user_id = next(iter(self._waiting))
            del self._waiting[user_id]
            self._serving[user_id] = asyncio.create_task(self._serve_user(user_id))
            self._serving[user_id].add_done_callback(partial(self._end_serving, user_id))

    def _end_serving(self, user_id: int, _: asyncio.Task[None]) -> None:
        del self._serving[user_id]
        if user_id in self._woken_again:
            self._woken_again.discard(user_id)
            if user_id not in self._delayed:
                self._waiting.setdefault(user_id)
        self._start_serving()

    async def _serve_user(self, user_id: int) -> None:
        """Handle a user's updates, until none waits or one has to be tried again later."""
        has_more = True
        while has_more and self.max_parallel:
            self._woken_again.discard(user_id)
            follow_update()
            outcome = await catch_failure(self._handle_next_update(user_id))
            if isinstance(outcome, Failure):
                outcome = await catch_failure(self._record_failure(user_id, outcome.error))
            if isinstance(outcome, Failure):
                self._serve_later(user_id, outcome.error)
                return
            self._failing.pop(user_id, None)
            if outcome.closed_chat_id is not None:
                self.sender.drop_chat(outcome.closed_chat_id)
            self.sender.send(outcome.messages)
            if outcome.wait and user_id not in self._woken_again and self.max_parallel:
                loop = asyncio.get_running_loop()
                self._awaiting[user_id] = loop.call_later(outcome.wait, self._resume_awaiting, user_id)
            has_more = outcome.has_more or user_id in self._woken_again

    def _serve_later(self, user_id: int, failure: Exception) -> None:
        """Serve a user again after a pause, in which others are served; failures of the database are in the log."""
        if not isinstance(failure, Unavailable | SchemaMismatch):
            log.error("An update waits: %s", format_trace(failure))
        backoff = self._failing.setdefault(user_id, Backoff(first=MIN_WAIT, longest=MAX_WAIT))
        if self.max_parallel:
            pause = backoff.take_pause()
            self._delayed[user_id] = asyncio.get_running_loop().call_later(pause, self._resume_serving, user_id)

    def _resume_awaiting(self, user_id: int) -> None:
        """Serve a user whose text has waited for another part."""
        self._awaiting.pop(user_id, None)
        self.wake([user_id])

    def _resume_serving(self, user_id: int) -> None:
        del self._delayed[user_id]
        self.wake([user_id])

    async def _handle_next_update(self, user_id: int) -> _ServedUpdate:
        """Handle a user's earliest update."""
        served = await self.run_for_user(user_id, lambda session: self._handle_in_transaction(session, user_id))
        if served.tapped_at is not None:
            seconds = (self.runner.database_clock() - served.tapped_at).total_seconds()
            self.runner.measurements.count_tap(seconds)
        return served

    async def run_for_user(self, user_id: int, use_case: UseCase[Result]) -> Result:
        """Run a use-case of a user, and save receipts before it in its transaction: all of them with a single writer.

        Else those of this user alone, as others' rows may be locked by processes that wait for rows of this one.
        """
        batch = self.receipts.take_batch(chat_id=None if self.runner.single_writer else user_id)

        def save_and_run(session: Session) -> Result:
            batch.save(session)
            return use_case(session)

        is_saved = False
        try:
            result = await self.runner.run(save_and_run)
            is_saved = True
        finally:
            if not is_saved:
                self.receipts.return_batch(batch)
        return result

    def _handle_in_transaction(self, session: Session, user_id: int) -> _ServedUpdate:
        pending = mailbox.take_next_update(session, bot_id=self.bot_id, telegram_id=user_id)
        if pending is None:
            return _ServedUpdate()
        name_update(pending.update_id)
        incoming, part_ids, wait = self._join_text(session, user_id, pending)
        if wait > 0:
            return _ServedUpdate(wait=wait)
        now, settings = self.runner.clock(), self.settings
        is_other = incoming.private and pending.owner_id not in (None, self.bot_id)
        other_name = settings.bot_names.get(pending.owner_id or 0) if is_other else None
        if other_name is None:
            calls = settings.handle_update(session, incoming, now=now, settings=settings.conversation)
        else:
            calls = settings.name_own_bot(session, incoming, name=other_name)
        if pending.owner_id != self.bot_id and incoming.private and other_name is None:
            processes.set_owner(session, telegram_id=user_id, bot_id=self.bot_id)
        messages = self.store_calls(session, calls, incoming)
        for update_id in (pending.update_id, *part_ids):
            mailbox.mark_done(session, bot_id=self.bot_id, update_id=update_id, now=self.runner.database_clock())
        log.debug("%s is handled; messages that answer it: %d.", incoming.kind, len(messages))
        return _ServedUpdate(
            messages,
            pending.has_more,
            closed_chat_id=incoming.chat_id if incoming.kind is UpdateKind.BLOCKED else None,
            tapped_at=pending.received_at if incoming.kind is UpdateKind.TAP else None,
        )

    def _join_text(
        self, session: Session, user_id: int, pending: PendingUpdate
    ) -> tuple[IncomingUpdate, Sequence[int], float]:
        """The update with the parts of its text that wait behind it, their numbers, and the seconds to wait for more.

        Parts are joined where they are handled, so that a process that ends loses none.
        """
        first = telegram_payloads.restore_update(pending.payload)
        if not message_layout.may_have_more(first):
            return first, (), 0.0
        following = mailbox.list_following_updates(
            session, bot_id=self.bot_id, telegram_id=user_id, after=pending.update_id, most=message_layout.MAX_PARTS
        )
        texts = takewhile(telegram_payloads.is_known, (payload for _, payload, _ in following))
        messages = list(map(telegram_payloads.restore_update, texts))
        parts = message_layout.take_parts(first, messages)
        part_ids = [update_id for update_id, _, _ in following[: len(parts) - 1]]
        is_last_known = len(parts) <= len(messages) or len(parts) == message_layout.MAX_PARTS
        if is_last_known or not message_layout.may_have_more(parts[-1]):
            return message_layout.join_parts(parts), part_ids, 0.0
        now = self.runner.database_clock()
        self._since = self._since or now
        received = following[len(parts) - 2][2] if part_ids else pending.received_at
        waited = (now - max(received, self._since)).total_seconds()
        wait = PART_SECONDS - waited if waited >= 0 else 0.0  # a clock may be set back
        return message_layout.join_parts(parts), part_ids, wait

    def store_calls(
        self, session: Session, calls: TelegramCalls, incoming: IncomingUpdate
    ) -> tuple[OutboxMessage, ...]:
        """Store the calls that answer an update; the sender gets the messages after the commit."""

        def find_message_id(assignment_id: int) -> int | None:
            return mailbox.get_message_id(session, assignment_id=assignment_id)

        drafts = tuple(
            telegram_payloads.build_outbox_drafts(
                calls, chat_id=incoming.chat_id, protect=self.settings.protect, find_message_id=find_message_id
            )
        )
        now, hold = self.runner.database_clock(), self.sender.make_hold()
        messages = mailbox.store_messages(
            session, drafts, bot_id=self.bot_id, own_chat_id=incoming.chat_id, now=now, hold=hold
        )
        return messages if self.runner.single_writer else mailbox.add_predecessors(session, messages)

    async def _record_failure(self, user_id: int, failure: Exception) -> _ServedUpdate:
        """Count a failure to handle a user's earliest update, or park the update; raises it where the update waits."""
        backoff = self._failing.get(user_id)
        messages = await self._failed.record_failure(user_id, failure, failures=backoff.failures if backoff else 0)
        return _ServedUpdate(messages, has_more=True)

    def _explain_in_transaction(
        self, session: Session, update_id: int, failure: Exception, code: str
    ) -> tuple[OutboxMessage, ...]:
        """Tell the user that an update is parked."""
        incoming = telegram_payloads.restore_update(
            mailbox.get_payload(session, bot_id=self.bot_id, update_id=update_id)
        )
        return self.store_calls(session, self.settings.explain_failure(session, incoming, failure, code), incoming)
