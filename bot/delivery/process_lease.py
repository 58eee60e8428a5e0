"""The lease of a process: acquired where nobody holds it, renewed while the process runs, released at the end.

A process that was killed cannot release its lease; another one on the same machine sees that it is gone, and does not
wait.
"""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from sqlmodel import Session

from annotation.store import process_leases
from bot.delivery.transaction_runner import TransactionRunner

LEASE_TIME = timedelta(seconds=15)
RENEWAL_TIME = timedelta(seconds=5)


def _name_process() -> str:
    return f"{socket.gethostname()[:80]}:{os.getpid()}:{secrets.token_hex(4)}"


@dataclass
class LeaseKeeper:
    """Keeps one lease, by name."""

    runner: TransactionRunner
    name: str
    holder: str = field(default_factory=_name_process)
    until: datetime | None = None
    _renewed: datetime | None = None

    @property
    def held(self) -> bool:
        """Whether this process holds the lease now, by its own clock."""
        return self.until is not None and self.runner.clock() < self.until

    async def acquire(self) -> bool:
        """Acquire the lease, or renew it where that is due; whether it is held. Raises Unavailable."""
        now = self.runner.clock()
        if self.held and self._renewed is not None and now < self._renewed + RENEWAL_TIME:
            return True
        taken = await self.runner.run(lambda session: self._acquire(session, now))
        self.until, self._renewed = (now + LEASE_TIME, now) if taken else (None, None)
        return taken

    async def release(self) -> None:
        """Let another process have it at once."""
        if self.until is not None:
            self.until = None
            await self.runner.run(
                lambda session: process_leases.release_lease(session, name=self.name, holder=self.holder)
            )

    def _acquire(self, session: Session, now: datetime) -> bool:
        current = process_leases.get_holder(session, name=self.name)
        ended_holder = current if current is not None and _has_ended(current) else None
        return process_leases.take_lease(
            session, name=self.name, holder=self.holder, now=now, until=now + LEASE_TIME, from_=ended_holder
        )


def _has_ended(holder: str) -> bool:
    """Whether the holder was a process of this machine that has ended."""
    host, number, _ = holder.rsplit(":", 2)
    if host != socket.gethostname()[:80]:
        return False
    return Path("/proc").exists() and not Path(f"/proc/{number}").exists()
