"""Transactions on threads of their own: one thread on SQLite, a pool on PostgreSQL; and what a process shares: its
clocks, what it counts, and which update each of its tasks works on.

A use-case is a function that works on a session within one transaction. SQLite takes one writer at a time, so the
use-cases that wait share its next transaction: one commit, one change of thread and one lock for several users. Nobody
waits for a transaction longer than a limit, whatever the database does.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from sqlmodel import Session

from annotation.errors import NotWritable, Unavailable
from annotation.store import processes
from annotation.store.database import Database

log = logging.getLogger(__name__)
RECOVERY_SECONDS = 60.0
"""Seconds without a failure after which the database stores again: no update waits longer for another attempt."""


@dataclass
class DatabaseState:
    """Whether the database answers one process, and stores what it is given.

    `write_problem` says in a sentence why it does not store; it is empty where it does.
    """

    clock: Callable[[], float] = monotonic
    write_problem: str = ""
    _is_silent: bool = False
    _failed_at: float = 0.0

    def note_failure(self, failure: BaseException) -> None:
        """A transaction failed; other failures than those of the database change nothing."""
        if isinstance(failure, NotWritable):
            self._failed_at = self.clock()
            if not self.write_problem:
                log.warning("Nothing is stored, and what comes waits: %s", failure)
            self.write_problem = failure.problem
        elif isinstance(failure, Unavailable):
            if not self._is_silent:
                log.warning("The database does not answer; what comes waits: %s", failure)
            self._is_silent = True

    def note_success(self) -> None:
        """A transaction was committed."""
        if self._is_silent:
            log.warning("The database answers again.")
        self._is_silent = False
        if self.write_problem and self.clock() - self._failed_at >= RECOVERY_SECONDS:
            log.warning("The database stores again.")
            self.write_problem = ""


SAVED_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""The upper bounds of the histogram of the time from receiving a tap to its commit, in seconds."""


@dataclass
class Measurements:
    """The counters of one process, from its start on; `bot/delivery/metrics` reports them where somebody asks.

    `updates` are stored updates by kind, `dropped` those beyond the flood limit, `sent` the messages that Telegram has
    taken; `errors` are failures by where they happened and of what kind. `saved_within` counts taps by the index of the
    first bound in SAVED_SECONDS that their time does not exceed. `leases` says of each lease whether this process holds
    it, and `answered_at` is when Telegram last answered a call, on the monotonic clock.
    """

    updates: Counter[str] = field(default_factory=Counter)
    dropped: int = 0
    sent: int = 0
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)
    saved_within: list[int] = field(default_factory=lambda: [0] * (len(SAVED_SECONDS) + 1))
    saved_seconds: float = 0.0
    leases: dict[str, Callable[[], bool]] = field(default_factory=dict)
    answered_at: float | None = None

    def count_tap(self, seconds: float) -> None:
        """Count a tap whose effects were committed so many seconds after it was received."""
        self.saved_within[bisect_left(SAVED_SECONDS, seconds)] += 1
        self.saved_seconds += seconds

    def count_error(self, source: str, kind: str) -> None:
        """Count a failure; `kind` is a name from the program or a number of HTTP, never words that somebody wrote."""
        self.errors[source, kind] += 1

    def note_response(self, status: int) -> None:
        """Telegram has responded with this status. A failing server or proxy on the way is no answer of Telegram."""
        if status >= 400:
            self.count_error("telegram", str(status))
        if status < 500:
            self.answered_at = monotonic()


@dataclass
class _FollowedUpdate:
    """The number of the update that a task works on, None before it is known."""

    number: int | None = None


_followed: ContextVar[_FollowedUpdate | None] = ContextVar("followed", default=None)


def follow_update(number: int | None = None) -> None:
    """From now on this task and what it calls work on this update, or on one that `name_update` will name."""
    _followed.set(_FollowedUpdate(number))


def name_update(number: int) -> None:
    """Say which update is worked on; the task that follows it learns it too, from any thread."""
    followed = _followed.get()
    if followed is not None:
        followed.number = number


def get_update() -> int | None:
    """The number of the update that is worked on here, None where there is none."""
    followed = _followed.get()
    return None if followed is None else followed.number


Result = TypeVar("Result")
UseCase = Callable[[Session], Result]
MAX_SHARED = 16
"""How many use-cases share a transaction of SQLite at most; other writing processes wait for all of them."""
TRANSACTION_SECONDS = 30.0
"""Seconds that a use-case waits for its turn and its transaction at most; each statement has a shorter limit."""


@dataclass
class DatabaseClock:
    """The time of the database: read from it now and then, and counted on by a monotonic clock of this process.

    All processes agree on it, however wrong the clocks of their machines are. On SQLite it is the clock of the machine.
    """

    _read: datetime
    _read_at: float

    def __call__(self) -> datetime:
        """The time in UTC."""
        return self._read + timedelta(seconds=monotonic() - self._read_at)

    def adjust(self, read: datetime, *, at: float, asked_at: float | None = None) -> timedelta | None:
        """Go by the time that was read from the database at a moment of the monotonic clock.

        `asked_at` is the moment before it was read, by default the same. Returns by how much the clock was set since it
        was read last, None where it went on evenly.
        """
        earliest, latest = (
            self._read + timedelta(seconds=moment - self._read_at)
            for moment in (at if asked_at is None else asked_at, at)
        )
        self._read, self._read_at = read, at
        return processes.find_change(read, earliest=earliest, latest=latest)


def read_database_clock(database: Database) -> DatabaseClock:
    """The clock of a database; raises Unavailable."""
    with database.reading() as view:
        return DatabaseClock(processes.get_database_time(view), monotonic())


@dataclass(frozen=True)
class _PendingUseCase:
    """A use-case that waits for its transaction; `outcome` is the future of its result or failure.

    It runs in the `context` of its caller, so that what it logs names the update that the caller follows.
    """

    use_case: UseCase[Any]
    outcome: asyncio.Future[Any]
    context: Context


@dataclass
class _Group:
    """Use-cases that share a transaction; `has_begun` says that the transaction has."""

    members: Sequence[_PendingUseCase]
    has_begun: bool = False


@dataclass(kw_only=True)
class TransactionRunner:
    """Runs use-cases in transactions; holds the database and the clocks.

    `clock` is the time that use-cases go by, `database_clock` the time that processes share: holds of messages, leases
    and ages go by it. They are the same unless a test sets `clock`. `state` tells the log how the database is, and
    `measurements` are those of all parts of the process, each of which has the runner.
    """

    database: Database
    clock: Callable[[], datetime]
    database_clock: Callable[[], datetime]
    time_limit: float = TRANSACTION_SECONDS
    threads: ThreadPoolExecutor = field(init=False)
    _free_threads: int = field(init=False)
    _waiting: deque[_PendingUseCase] = field(default_factory=deque, init=False)
    _halves: deque[_Group] = field(default_factory=deque, init=False)
    _running: set[asyncio.Future[Any]] = field(default_factory=set, init=False)
    state: DatabaseState = field(default_factory=DatabaseState, init=False)
    measurements: Measurements = field(default_factory=Measurements, init=False)

    def __post_init__(self) -> None:
        self._free_threads = 1 if self.single_writer else self.database.engine.pool.size()  # type: ignore[attr-defined]
        self.threads = ThreadPoolExecutor(self._free_threads, thread_name_prefix="database")

    @property
    def single_writer(self) -> bool:
        """Whether the database takes one writer at a time (SQLite), so that a single process runs the bot."""
        return self.database.engine.dialect.name == "sqlite"

    async def run(self, use_case: UseCase[Result]) -> Result:
        """Run a use-case in a transaction and return its result after the commit; raises what the use-case raises.

        Raises Unavailable where that takes too long; the transaction may have been committed all the same. A use-case
        must change nothing but the database: where another one in the same transaction fails, it is run again.
        """
        pending = _PendingUseCase(use_case, asyncio.get_running_loop().create_future(), copy_context())
        self._waiting.append(pending)
        self._start_groups()
        try:
            async with asyncio.timeout(self.time_limit) as limit:
                result: Result = await pending.outcome
        except TimeoutError as failure:
            if not limit.expired():
                raise
            self.measurements.count_error("transaction", "TimeoutError")
            self.state.note_failure(Unavailable("no transaction in time"))
            raise Unavailable(
                "The database took too long to answer.", remedy="Check that it runs, then try again."
            ) from failure
        return result

    def count_use_cases(self) -> tuple[int, int]:
        """How many use-cases wait for a transaction, and how many transactions run."""
        halves = sum(len(half.members) for half in self._halves)
        return len(self._waiting) + halves, len(self._running)

    @property
    def size(self) -> int:
        """How many transactions run at once at most."""
        return self._free_threads + len(self._running)

    async def close(self, *, within: float) -> None:
        """Cancel the use-cases that wait, and wait for running transactions at most that long."""
        waiting = [*self._waiting, *(pending for half in self._halves for pending in half.members)]
        self._waiting.clear()
        self._halves.clear()
        for pending in waiting:
            pending.outcome.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=within)
        self.threads.shutdown(wait=not self._running, cancel_futures=True)

    def _start_groups(self) -> None:
        while self._free_threads and (group := self._take_group()).members:
            self._free_threads -= 1
            done = asyncio.get_running_loop().run_in_executor(self.threads, self._run_group, group)
            self._running.add(done)
            done.add_done_callback(partial(self._end_group, group))

    def _take_group(self) -> _Group:
        """The use-cases that have waited longest, without cancelled ones; none where none waits."""
        if self._halves:
            return self._halves.popleft()
        members: list[_PendingUseCase] = []
        while self._waiting and len(members) < (MAX_SHARED if self.single_writer else 1):
            pending = self._waiting.popleft()
            if not pending.outcome.done():
                members.append(pending)
        return _Group(members)

    def _end_group(self, group: _Group, done: asyncio.Future[Sequence[Any]]) -> None:
        """Set the outcomes of a group. Where a use-case failed, each half of its group is run again on its own, until
        the failing one is alone; where no transaction could begin, all fail.
        """
        self._running.discard(done)
        self._free_threads += 1
        failure = None if done.cancelled() else done.exception()
        if failure is not None:
            self.state.note_failure(failure)
        elif not done.cancelled():
            self.state.note_success()
        if failure is not None and group.has_begun and len(group.members) > 1:
            half = len(group.members) // 2
            self._halves += [_Group(group.members[:half]), _Group(group.members[half:])]
        else:
            results = [None] * len(group.members) if failure is not None or done.cancelled() else done.result()
            for pending, result in zip(group.members, results, strict=True):
                if pending.outcome.done():
                    continue  # the caller was cancelled
                if done.cancelled():
                    pending.outcome.cancel()
                elif failure is not None:
                    self.measurements.count_error("transaction", type(failure).__name__)
                    pending.outcome.set_exception(failure)
                else:
                    pending.outcome.set_result(result)
        self._start_groups()

    def _run_group(self, group: _Group) -> Sequence[Any]:
        """Run use-cases in one transaction and return their results."""
        try:
            with self.database.shared_transaction() as open_session:
                group.has_begun = True
                results = []
                for pending in group.members:
                    with open_session() as session:
                        results.append(pending.context.run(pending.use_case, session))
                        session.flush()
        except StopIteration as failure:  # futures do not accept it
            raise RuntimeError("StopIteration") from failure
        return results
