"""Transactions on threads of their own: one thread on SQLite, a pool on PostgreSQL.

A use-case is a function that works on a session within one transaction. SQLite takes one writer at a time, so the
use-cases that wait share its next transaction: one commit, one change of thread and one lock for several users.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from sqlmodel import Session

from annotation.store.database import Database

Result = TypeVar("Result")
UseCase = Callable[[Session], Result]
MAX_SHARED = 16
"""How many use-cases share a transaction of SQLite at most; other writing processes wait for all of them."""


def get_now() -> datetime:
    """The time in UTC, the default clock of a bot."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class _PendingUseCase:
    """A use-case that waits for its transaction; `outcome` is the future of its result or failure."""

    use_case: UseCase[Any]
    outcome: asyncio.Future[Any]


@dataclass(kw_only=True)
class TransactionRunner:
    """Runs use-cases in transactions; holds the database and the clock."""

    database: Database
    clock: Callable[[], datetime]
    threads: ThreadPoolExecutor = field(init=False)
    _free_threads: int = field(init=False)
    _waiting: deque[_PendingUseCase] = field(default_factory=deque, init=False)

    def __post_init__(self) -> None:
        self._free_threads = 1 if self.single_writer else self.database.engine.pool.size()  # type: ignore[attr-defined]
        self.threads = ThreadPoolExecutor(self._free_threads, thread_name_prefix="database")

    @property
    def single_writer(self) -> bool:
        """Whether the database takes one writer at a time (SQLite), so that a single process runs the bot."""
        return self.database.engine.dialect.name == "sqlite"

    async def run(self, use_case: UseCase[Result]) -> Result:
        """Run a use-case in a transaction and return its result after the commit; raises what the use-case raises.

        A use-case must change nothing but the database: where another one in the same transaction fails, it is run
        again.
        """
        pending = _PendingUseCase(use_case, asyncio.get_running_loop().create_future())
        self._waiting.append(pending)
        self._start_groups()
        result: Result = await pending.outcome
        return result

    def close(self) -> None:
        """Wait for running transactions, and cancel the use-cases that wait."""
        while self._waiting:
            self._waiting.popleft().outcome.cancel()
        self.threads.shutdown()

    def _start_groups(self) -> None:
        while self._free_threads and (group := self._take_group()):
            self._free_threads -= 1
            done = asyncio.get_running_loop().run_in_executor(self.threads, self._run_group, group)
            done.add_done_callback(partial(self._set_outcomes, group))

    def _take_group(self) -> list[_PendingUseCase]:
        """The use-cases that have waited longest, without cancelled ones."""
        group: list[_PendingUseCase] = []
        while self._waiting and len(group) < (MAX_SHARED if self.single_writer else 1):
            pending = self._waiting.popleft()
            if not pending.outcome.done():
                group.append(pending)
        return group

    def _set_outcomes(self, group: Sequence[_PendingUseCase], done: asyncio.Future[Sequence[Any]]) -> None:
        self._free_threads += 1
        for pending, outcome in zip(group, done.result(), strict=True):
            if pending.outcome.done():
                continue  # the caller was cancelled
            if isinstance(outcome, StopIteration):  # futures do not accept it
                pending.outcome.set_exception(RuntimeError("StopIteration"))
            elif isinstance(outcome, BaseException):
                pending.outcome.set_exception(outcome)
            else:
                pending.outcome.set_result(outcome)
        self._start_groups()

    def _run_group(self, group: Sequence[_PendingUseCase]) -> Sequence[Any]:
        """Run use-cases in one transaction; the result or failure of each.

        Where one fails, each half of the group is run again on its own, until the failing use-case is alone. Where no
        transaction can begin, all use-cases fail.
        """
        results, has_begun = [], False
        try:
            with self.database.shared_transaction() as open_session:
                has_begun = True
                for pending in group:
                    with open_session() as session:
                        results.append(pending.use_case(session))
                        session.flush()
        except BaseException as failure:  # noqa: BLE001  # it is raised where `run` is awaited
            if not has_begun or len(group) == 1:
                return [failure] * len(group)
        else:
            return results
        half = len(group) // 2
        return [*self._run_group(group[:half]), *self._run_group(group[half:])]
