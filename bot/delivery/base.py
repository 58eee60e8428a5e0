"""The way into the database: transactions on threads of their own, one on SQLite, a pool on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from sqlmodel import Session

from annotation.store.database import Database

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Base:
    """The database and the clock."""

    database: Database
    clock: Callable[[], datetime]
    threads: ThreadPoolExecutor = field(init=False)

    def __post_init__(self) -> None:
        pool = 1 if self.alone else self.database.engine.pool.size()  # type: ignore[attr-defined]
        object.__setattr__(self, "threads", ThreadPoolExecutor(pool, thread_name_prefix="database"))

    @property
    def alone(self) -> bool:
        """Whether the database takes one writer at a time, so that one process does all."""
        return self.database.engine.dialect.name == "sqlite"

    async def run(self, use_case: Callable[[Session], Result]) -> Result:
        """A use-case in a transaction that is committed on return; raises what it raises."""

        def transaction() -> Result:
            with self.database.transaction() as session:
                return use_case(session)

        return await asyncio.get_running_loop().run_in_executor(self.threads, transaction)

    def close(self) -> None:
        """Let the transactions that began end."""
        self.threads.shutdown()
