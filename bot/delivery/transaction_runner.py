"""The way into the database: transactions on threads of their own, one on SQLite, a pool on PostgreSQL.

SQLite takes one writer at a time. So what waits for it meanwhile goes into its next transaction together: a commit, a
change of thread and a look at the lock for several people at once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from sqlmodel import Session

from annotation.store.database import Database

Result = TypeVar("Result")
UseCase = Callable[[Session], Result]
TOGETHER = 16
"""How many use-cases share a transaction of SQLite at the most; other processes that write wait for them all."""


@dataclass(frozen=True)
class _Asked:
    """A use-case that waits, and what is to come of it."""

    use_case: UseCase[Any]
    outcome: asyncio.Future[Any]


@dataclass(kw_only=True)
class Base:
    """The database and the clock."""

    database: Database
    clock: Callable[[], datetime]
    threads: ThreadPoolExecutor = field(init=False)
    _free: int = field(init=False)
    _waiting: deque[_Asked] = field(default_factory=deque, init=False)

    def __post_init__(self) -> None:
        self._free = 1 if self.alone else self.database.engine.pool.size()  # type: ignore[attr-defined]
        self.threads = ThreadPoolExecutor(self._free, thread_name_prefix="database")

    @property
    def alone(self) -> bool:
        """Whether the database takes one writer at a time, so that one process does all."""
        return self.database.engine.dialect.name == "sqlite"

    async def run(self, use_case: UseCase[Result]) -> Result:
        """A use-case in a transaction that is committed on return; raises what it raises.

        It changes nothing but the database: it is run again where another that shared its transaction failed.
        """
        asked = _Asked(use_case, asyncio.get_running_loop().create_future())
        self._waiting.append(asked)
        self._fill()
        result: Result = await asked.outcome
        return result

    def close(self) -> None:
        """Let the transactions that began end; who waits still is told that nothing comes of it."""
        while self._waiting:
            self._waiting.popleft().outcome.cancel()
        self.threads.shutdown()

    def _fill(self) -> None:
        while self._free and (group := self._group()):
            self._free -= 1
            done = asyncio.get_running_loop().run_in_executor(self.threads, self._outcomes, group)
            done.add_done_callback(partial(self._served, group))

    def _group(self) -> list[_Asked]:
        """Those who have waited longest, without who has left."""
        group: list[_Asked] = []
        while self._waiting and len(group) < (TOGETHER if self.alone else 1):
            asked = self._waiting.popleft()
            if not asked.outcome.done():
                group.append(asked)
        return group

    def _served(self, group: Sequence[_Asked], done: asyncio.Future[Sequence[Any]]) -> None:
        self._free += 1
        for asked, outcome in zip(group, done.result(), strict=True):
            if asked.outcome.done():
                continue  # nobody waits for it any more
            if isinstance(outcome, StopIteration):  # no future takes one
                asked.outcome.set_exception(RuntimeError("StopIteration"))
            elif isinstance(outcome, BaseException):
                asked.outcome.set_exception(outcome)
            else:
                asked.outcome.set_result(outcome)
        self._fill()

    def _outcomes(self, group: Sequence[_Asked]) -> Sequence[Any]:
        """The result or the failure of each: in one transaction, or in halves of the group until it is clear who fails.

        Where no transaction can begin, all have that failure.
        """
        results, begun = [], False
        try:
            with self.database.shared() as opened:
                begun = True
                for one in group:
                    with opened() as session:
                        results.append(one.use_case(session))
                        session.flush()
        except BaseException as failure:  # noqa: BLE001  # it is raised where the use-case was asked for
            if not begun or len(group) == 1:
                return [failure] * len(group)
        else:
            return results
        half = len(group) // 2
        return [*self._outcomes(group[:half]), *self._outcomes(group[half:])]
