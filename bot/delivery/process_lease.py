"""A lease of this process: taken where nobody has it, renewed while it goes on, given back at the end.

A process that was killed cannot give its lease back. One of the same machine sees that it is gone, and does not wait.
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
from bot.delivery.transaction_runner import Base

LASTS = timedelta(seconds=15)
RENEWED = timedelta(seconds=5)


def _myself() -> str:
    return f"{socket.gethostname()[:80]}:{os.getpid()}:{secrets.token_hex(4)}"


@dataclass
class Tenure:
    """One lease, by name."""

    base: Base
    name: str
    myself: str = field(default_factory=_myself)
    until: datetime | None = None
    _renewed: datetime | None = None

    @property
    def held(self) -> bool:
        """Whether it is ours now, whatever the database would say."""
        return self.until is not None and self.base.clock() < self.until

    async def keep(self) -> bool:
        """Take it, or renew it where that is due; whether it is ours. Raises Unavailable."""
        now = self.base.clock()
        if self.held and self._renewed is not None and now < self._renewed + RENEWED:
            return True
        taken = await self.base.run(lambda session: self._take(session, now))
        self.until, self._renewed = (now + LASTS, now) if taken else (None, None)
        return taken

    async def give_back(self) -> None:
        """Let another have it at once."""
        if self.until is not None:
            self.until = None
            await self.base.run(lambda session: process_leases.give_back(session, name=self.name, holder=self.myself))

    def _take(self, session: Session, now: datetime) -> bool:
        found = process_leases.holder(session, name=self.name)
        gone = found if found is not None and _gone(found) else None
        return process_leases.take(session, name=self.name, holder=self.myself, now=now, until=now + LASTS, from_=gone)


def _gone(holder: str) -> bool:
    """Whether the holder was a process of this machine that is no more."""
    host, number, _ = holder.rsplit(":", 2)
    if host != socket.gethostname()[:80]:
        return False
    return Path("/proc").exists() and not Path(f"/proc/{number}").exists()
