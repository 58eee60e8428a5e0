"""Limits of what is sent and received, pauses before the next attempt, the handler of failures, and the watchdog.

`FloodLimit` is for what people send to the bot, `RateLimit` for what the bot sends.

`catch_failure` is the error handler of the bot: every task that serves somebody runs through it, so that a failure that
nobody expected costs one update, one message or one sweep, and never the task.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from time import monotonic
from typing import TypeVar

from annotation.errors import Unavailable
from annotation.store import processes
from annotation.workflow.monitoring.bot_waits import BotWait, WaitReason, format_utc
from bot.conversation.updates_and_calls import IncomingUpdate, UpdateKind

log = logging.getLogger(__name__)
CHAT_SECONDS = 1.0
"""Seconds between two paced messages to one chat: Telegram takes about one a second."""
OVERALL_SECONDS = 1 / 29
"""Seconds between any two messages while paced ones wait, replies counted: Telegram takes about 30 a second."""
MAX_DEBT_SECONDS = 2.0
"""Seconds that replies sent so far, which never wait themselves, can make the next paced message wait."""
MAX_DELAY_SECONDS, OVERDUE_SECONDS = 10.0, 1.0
"""Seconds that a paced message waits while replies go on and on, and seconds between two that have waited so long."""
MAX_REMEMBERED_CHATS = 10_000
"""Above so many chats, those that may get a message at once are forgotten."""
REFUSED_CHATS_FOR_ALL, REFUSAL_SECONDS = 5, 5.0
"""So many private chats that are refused within so many seconds, and none taken between, mean the limit of the bot."""
OVERALL_PAUSE_SECONDS, MAX_OVERALL_PAUSE_SECONDS = 1.0, 30.0
"""Seconds of the first pause of all chats, and of the longest; each is twice the one before."""


@dataclass
class RateLimit:
    """When the next message may be sent, in seconds of a monotonic clock.

    `allowed_at` (by chat id) and `overall_allowed_at` are for paced messages, `_pauses` for all messages: when the
    pauses end that Telegram asked for, by chat id. `_refused_at` says when private chats were refused since Telegram
    last took a message; `_overall_pause` is when the pause of all chats ends, and `_overall_backoff` how long it takes.
    """

    allowed_at: dict[int, float] = field(default_factory=dict)
    overall_allowed_at: float = 0.0
    _overdue_allowed_at: float = 0.0
    _pauses: dict[int, float] = field(default_factory=dict)
    _refused_at: dict[int, float] = field(default_factory=dict)
    _overall_pause: float = 0.0
    _overall_backoff: Backoff = field(
        default_factory=lambda: Backoff(first=OVERALL_PAUSE_SECONDS, longest=MAX_OVERALL_PAUSE_SECONDS)
    )

    def record_message(self, chat_id: int, *, now: float) -> None:
        """Count a message that is sent to this chat now."""
        if len(self.allowed_at) > MAX_REMEMBERED_CHATS:
            self.allowed_at = {chat: allowed_at for chat, allowed_at in self.allowed_at.items() if allowed_at > now}
        most = now + MAX_DEBT_SECONDS
        self.allowed_at[chat_id] = min(max(now, self.allowed_at.get(chat_id, 0.0)) + CHAT_SECONDS, most)
        self.overall_allowed_at = min(max(now, self.overall_allowed_at) + OVERALL_SECONDS, most)

    def pause_chat(self, chat_id: int, *, until: float, now: float) -> None:
        """Send nothing to this chat until then; others are not concerned."""
        self._pauses = {chat: end for chat, end in self._pauses.items() if end > now}
        self._pauses[chat_id] = max(until, self._pauses.get(chat_id, 0.0))

    def record_refusal(self, chat_id: int, *, until: float, now: float) -> None:
        """Telegram has asked this process for a pause of this chat until then.

        Where it did so for several private chats within seconds, and took no message between them, the limit is that of
        the bot: nothing is sent to any chat for a second, and twice as long each time that this follows. A chat that
        got more than a message in the last second has earned its pause itself, and a group may have others who write.
        """
        self.pause_chat(chat_id, until=until, now=now)
        if chat_id < 0 or self.allowed_at.get(chat_id, 0.0) > now + CHAT_SECONDS:
            return
        recent = {chat: at for chat, at in self._refused_at.items() if now - at <= REFUSAL_SECONDS}
        self._refused_at = recent | {chat_id: now}
        if len(self._refused_at) < REFUSED_CHATS_FOR_ALL or self._overall_pause > now:
            return
        self._overall_pause = max(self._overall_pause, min(now + self._overall_backoff.take_pause(), until))
        self._refused_at = {}

    def record_success(self) -> None:
        """Telegram has taken a message, so the limit of the bot is not reached."""
        self._refused_at = {}
        self._overall_backoff.reset()

    def get_pause_end(self, chat_id: int) -> float:
        """When the last known pause of this chat ends, or ended; 0 where there is none."""
        return max(self._pauses.get(chat_id, 0.0), self._overall_pause)

    def choose_chat(self, chats: Mapping[int, float], *, now: float) -> tuple[int | None, float]:
        """The chat that may get the next paced message, and 0; None and the seconds to wait, where none may get it now.

        `chats` says for each chat since when its message has waited.
        """
        allowed_at, _, chat = min(
            ((self._allow_chat(chat, since), self.allowed_at.get(chat, 0.0), chat) for chat, since in chats.items()),
            default=(now, now, None),
        )
        if chat is None or allowed_at > now:
            return None, allowed_at - now
        if max(self.allowed_at.get(chat, 0.0), self.overall_allowed_at) > now:
            self._overdue_allowed_at = now + OVERDUE_SECONDS
        return chat, 0.0

    def _allow_chat(self, chat_id: int, since: float) -> float:
        """When a paced message that has waited since then may be sent."""
        in_turn = max(self.allowed_at.get(chat_id, 0.0), self.overall_allowed_at)
        overdue = max(since + MAX_DELAY_SECONDS, self._overdue_allowed_at)
        return max(min(in_turn, overdue), self.get_pause_end(chat_id))


Result = TypeVar("Result")
MAX_DOUBLINGS = 60
"""Far beyond any limit; a power of the number of failures would overflow after a thousand of them."""
WATCHDOG_SECONDS = 90.0
"""Seconds for which a service may answer nothing before the watchdog ends a bot that is to end when it is stuck."""
SILENT_SECONDS = 45.0
"""Seconds for which a service may answer nothing before the bot counts as unwell; a poll takes up to 35."""
CHECK_SECONDS = 1.0
"""Seconds between two looks of the watchdog."""
REFILL_SECONDS = 60.0
"""Seconds in which an empty bucket of the flood limit fills up, and seconds between two reports of what was dropped."""
MAX_REMEMBERED_PEOPLE, KEPT_PEOPLE = 10_000, 9_000
"""How many people the flood limit remembers; beyond that, only so many with the emptiest buckets are kept."""
ALWAYS_READ = {UpdateKind.BLOCKED, UpdateKind.UNBLOCKED}
"""Updates that the flood limit lets pass without counting them."""


@dataclass(frozen=True)
class Failure:
    """The exception that an attempt raised."""

    error: Exception


async def catch_failure(attempt: Awaitable[Result]) -> Result | Failure:
    """The result of an attempt, or its failure."""
    try:
        return await attempt
    except Exception as error:  # noqa: BLE001  # the bot's error handler
        return Failure(error)


@dataclass(kw_only=True)
class Backoff:
    """The pauses between attempts at one operation, in seconds; `failures` is how often it failed in a row.

    Each pause is twice the one before, up to the longest.
    """

    first: float
    longest: float
    failures: int = 0

    @property
    def pause(self) -> float:
        """The pause after the next failure."""
        return min(self.longest, self.first * 2.0 ** min(self.failures, MAX_DOUBLINGS))

    def take_pause(self) -> float:
        """Count a failure and return the pause after it."""
        pause = self.pause
        self.failures += 1
        return pause

    def reset(self) -> None:
        """The operation succeeded; the next failure is the first again."""
        self.failures = 0


@dataclass(slots=True)
class _Bucket:
    """How many updates of one person may still be read. Closed once it was empty, and `is_told` once they know it."""

    tokens: float
    at: float
    is_closed: bool = False
    is_told: bool = False

    def fill(self, now: float, capacity: int) -> None:
        """Add what has flowed in; a full bucket is open again."""
        self.tokens = min(capacity, self.tokens + max(0.0, now - self.at) * capacity / REFILL_SECONDS)
        self.at = now
        if self.tokens >= capacity:
            self.is_closed = self.is_told = False


@dataclass
class FloodLimit:
    """Reads so many updates a minute of one person (0: all), by a token bucket for each Telegram id.

    Whose bucket is empty is read again once it is full, after a minute without reading. People with full buckets
    need not be remembered; where too many are, those with the fullest are forgotten.
    """

    updates_a_minute: int = 0
    clock: Callable[[], float] = monotonic
    _buckets: dict[int, _Bucket] = field(default_factory=dict)
    _dropped: int = 0
    _reported_at: float | None = None

    def admit_update(self, incoming: IncomingUpdate) -> IncomingUpdate | None:
        """The update, if it is within the limit; a note without content in place of the first in a private chat beyond
        it; None for all that follow.
        """
        if not self.updates_a_minute or incoming.kind in ALWAYS_READ:
            return incoming
        bucket = self._find_bucket(incoming.telegram_id)
        if bucket.tokens >= 1 and not bucket.is_closed:
            bucket.tokens -= 1
            return incoming
        bucket.is_closed = True
        if bucket.is_told or not incoming.private:
            return None
        bucket.is_told = True
        return replace(
            incoming, kind=UpdateKind.FLOODED, text=None, media=None, data=None, message_id=None, reply_to=None
        )

    def return_updates(self, admitted: Iterable[IncomingUpdate]) -> None:
        """Count these updates as never read: they could not be stored, and Telegram will bring them again."""
        for incoming in admitted:
            bucket = self._buckets.get(incoming.telegram_id)
            if bucket is None or incoming.kind in ALWAYS_READ:
                continue
            bucket.is_closed = False
            if incoming.kind is UpdateKind.FLOODED:
                bucket.is_told = False
            else:
                bucket.tokens += 1

    def count_dropped(self, updates: int) -> None:
        """Count updates that are not read."""
        self._dropped += updates

    def take_report(self) -> int:
        """How many updates were dropped since the last report; 0 where there was one within the last minute."""
        now = self.clock()
        if not self._dropped or (self._reported_at is not None and now - self._reported_at < REFILL_SECONDS):
            return 0
        dropped, self._dropped, self._reported_at = self._dropped, 0, now
        return dropped

    def _find_bucket(self, telegram_id: int) -> _Bucket:
        now, capacity = self.clock(), self.updates_a_minute
        if telegram_id not in self._buckets and len(self._buckets) >= MAX_REMEMBERED_PEOPLE:
            self._forget_fullest(now)
        bucket = self._buckets.setdefault(telegram_id, _Bucket(capacity, now))
        bucket.fill(now, capacity)
        return bucket

    def _forget_fullest(self, now: float) -> None:
        for bucket in self._buckets.values():
            bucket.fill(now, self.updates_a_minute)
        emptiest = heapq.nsmallest(KEPT_PEOPLE, self._buckets.items(), key=lambda pair: pair[1].tokens)
        self._buckets = {person: bucket for person, bucket in emptiest if bucket.tokens < self.updates_a_minute}


class AwaitedService(StrEnum):
    """A service that has to answer; values are the first words of an error."""

    TELEGRAM = "Telegram"
    DATABASE = "The database"


DATABASE_REMEDY = "check that the database runs and can be reached, and that nothing else keeps it locked"
AT_ONCE = {WaitReason.OTHER_PROGRAM, WaitReason.OTHER_ADDRESS, WaitReason.UNDELIVERED}
"""Reasons that are logged at once, as they do not pass by themselves; others once they have lasted."""
CALLED_ELSEWHERE = {WaitReason.OTHER_ADDRESS, WaitReason.UNDELIVERED}
"""Reasons for which a new start of the bot would only take the updates from somebody, or change nothing."""
REPEATED_SECONDS = 600.0
"""Seconds in which a reason that comes and goes is logged once."""


@dataclass
class _Wait:
    """Since when a service is awaited, why as far as it is known, and until when it has asked to wait.

    Times are those of the monotonic clock. `told` are the reasons that the log has.
    """

    since: float
    reason: WaitReason | None = None
    until: float | None = None
    told: set[WaitReason | None] = field(default_factory=set)


@dataclass
class Watchdog:
    """Knows since when and why the bot waits for Telegram or for the database, and says it once in the log.

    The database is asked every second (`sweeper`), whether updates come or not; Telegram is asked for updates
    (`polling`), or where it brings them (`webhook`). The bot goes on by itself once they answer; with `exit_when_stuck`
    it ends after `seconds`, so that a supervisor starts it again. `write_problem` says why the database stores nothing,
    though it answers. `bot_id` is the one of several bots that it watches, `others` are the watchdogs of the others in
    this process, which does not end while one of them gets updates. That the database is silent is logged where
    transactions are run (`transaction_runner`).
    """

    seconds: float = WATCHDOG_SECONDS
    silent_seconds: float = SILENT_SECONDS
    exit_when_stuck: bool = False
    write_problem: str = ""
    clock: Callable[[], datetime] = processes.get_machine_time
    bot_id: int | None = None
    others: Sequence[Watchdog] = ()
    _waits: dict[AwaitedService, _Wait] = field(default_factory=dict)
    _logged_at: dict[WaitReason | None, float] = field(default_factory=dict)
    _has_heard: bool = False
    """Whether Telegram has ever answered; before that, settings may be wrong, and why it waits is logged at once."""

    def await_service(self, service: AwaitedService) -> None:
        """Something is asked of this service; the seconds count from the first time that it did not answer."""
        self._waits.setdefault(service, _Wait(monotonic()))

    def explain_wait(self, reason: WaitReason, *, seconds: float | None = None) -> None:
        """Telegram brings no updates for this reason, and for so many seconds if it has said so."""
        wait = self._waits.setdefault(AwaitedService.TELEGRAM, _Wait(monotonic()))
        wait.reason, wait.until = reason, None if seconds is None else monotonic() + seconds
        if reason in AT_ONCE or not self._has_heard or (seconds or 0.0) >= self.silent_seconds:
            self._log_wait(wait)

    def note_answer(self, service: AwaitedService) -> None:
        """The service has answered."""
        wait = self._waits.pop(service, None)
        self._has_heard |= service is AwaitedService.TELEGRAM
        if wait is not None and wait.told:
            log.warning("Telegram answers again, after %.0f seconds.", monotonic() - wait.since)

    def forget_service(self, service: AwaitedService) -> None:
        """Nothing is asked of the service any more."""
        self._waits.pop(service, None)

    def list_silent_services(self) -> Sequence[AwaitedService]:
        """The services that have been awaited for `silent_seconds`."""
        return [service for service, wait in self._waits.items() if monotonic() - wait.since >= self.silent_seconds]

    def find_wait(self) -> BotWait | None:
        """Why nothing comes from Telegram, if that is known at once or has lasted for `silent_seconds`."""
        wait = self._waits.get(AwaitedService.TELEGRAM)
        if wait is None:
            return None
        if not (wait.told or wait.reason in AT_ONCE or monotonic() - wait.since >= self.silent_seconds):
            return None
        return self._describe_wait(wait)

    async def run(self) -> None:
        """Say what lasts, until cancelled; with `exit_when_stuck` raise Unavailable where it lasts too long."""
        while True:
            for service, wait in sorted(self._waits.items(), key=lambda one: one[1].since):
                seconds = monotonic() - wait.since
                if service is AwaitedService.TELEGRAM and seconds >= self.silent_seconds:
                    self._log_wait(wait)
                if (
                    self.exit_when_stuck
                    and self.is_stuck(service)
                    and all(other.is_stuck(service) for other in self.others)
                ):
                    raise self._build_end(service, wait)
            await asyncio.sleep(min(CHECK_SECONDS, self.seconds / 4))

    def is_stuck(self, service: AwaitedService) -> bool:
        """Whether the service has been awaited for too long, for a reason that a new start of the bot could end."""
        wait = self._waits.get(service)
        return wait is not None and monotonic() - wait.since >= self.seconds and wait.reason not in CALLED_ELSEWHERE

    def _log_wait(self, wait: _Wait) -> None:
        """Log a reason once for each wait, and one that comes and goes once in REPEATED_SECONDS."""
        last = self._logged_at.get(wait.reason)
        if wait.reason in wait.told or (last is not None and monotonic() - last < REPEATED_SECONDS):
            return
        wait.told.add(wait.reason)
        self._logged_at[wait.reason] = monotonic()
        log.warning("No updates come; the bot waits, and goes on by itself: %s", self._describe_wait(wait))

    def _describe_wait(self, wait: _Wait) -> BotWait:
        now, at = self.clock(), monotonic()
        return BotWait(
            reason=wait.reason or WaitReason.NO_ANSWER,
            since=now - timedelta(seconds=at - wait.since),
            until=None if wait.until is None else now + timedelta(seconds=wait.until - at),
            bot_id=self.bot_id,
        )

    def _build_end(self, service: AwaitedService, wait: _Wait) -> Unavailable:
        nothing = f"nothing has come from it for {self.seconds:.0f} seconds."
        if service is AwaitedService.DATABASE:
            problem, remedy = f"{service} does not answer: {nothing}", DATABASE_REMEDY
        else:
            described = self._describe_wait(wait)
            problem = f"{described.describe_problem(format_utc)} No update has come for {self.seconds:.0f} seconds."
            remedy = described.remedy[0].lower() + described.remedy[1:].rstrip(".")
        return Unavailable(problem, remedy=f"Let a supervisor start the bot again; {remedy}.")
