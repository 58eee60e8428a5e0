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
"""How long a lease lasts unless it is renewed."""
RENEWAL_TIME = timedelta(seconds=5)
"""How long after its last renewal a lease is renewed."""


def _make_holder_id() -> str:
    """A name for this process that no other has: its machine, its process id and random digits."""
    return f"{socket.gethostname()[:80]}:{os.getpid()}:{secrets.token_hex(4)}"


@dataclass
class LeaseKeeper:
    """Keeps the lease of this name for one process, `holder`; `until` is when it ends, None where it is not held."""

    runner: TransactionRunner
    name: str
    holder: str = field(default_factory=_make_holder_id)
    until: datetime | None = None
    _renewed_at: datetime | None = None

    @property
    def held(self) -> bool:
        """Whether this process holds the lease now, by its own clock."""
        return self.until is not None and self.runner.clock() < self.until

    async def acquire(self) -> bool:
        """Acquire the lease, or renew it where that is due. Returns whether it is held now; raises Unavailable."""
        now = self.runner.clock()
        if self.held and self._renewed_at is not None and now < self._renewed_at + RENEWAL_TIME:
            return True
        acquired = await self.runner.run(lambda session: self._acquire_in_transaction(session, now))
        self.until, self._renewed_at = (now + LEASE_TIME, now) if acquired else (None, None)
        return acquired

    async def release(self) -> None:
        """Release the lease, if it is held, so that another process can acquire it at once."""
        if self.until is not None:
            self.until = None
            await self.runner.run(
                lambda session: process_leases.release_lease(session, name=self.name, holder=self.holder)
            )

    def _acquire_in_transaction(self, session: Session, now: datetime) -> bool:
        current_holder = process_leases.get_holder(session, name=self.name)
        ended_holder = current_holder if current_holder is not None and _has_ended(current_holder) else None
        return process_leases.take_lease(
            session, name=self.name, holder=self.holder, now=now, until=now + LEASE_TIME, from_=ended_holder
        )


def _has_ended(holder: str) -> bool:
    """Whether the holder was a process of this machine that has ended; False where this is not known."""
    host, process_id, _ = holder.rsplit(":", 2)
    if host != socket.gethostname()[:80]:
        return False
    return Path("/proc").exists() and not Path(f"/proc/{process_id}").exists()
