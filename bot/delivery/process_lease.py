"""What processes tell each other: the lease of one, and the heartbeat of the one that receives updates.

A lease is acquired where nobody holds it, renewed while the process runs, released at the end. It ends by the
database's clock, on which all processes agree. A process that was killed cannot release its lease; another one on the
same machine, or in the same container when that is started again, sees that it is gone, and does not wait. In a
container that was made anew, with another host name, it waits until the lease ends.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from sqlmodel import Session

from annotation.store import processes
from annotation.workflow.monitoring import bot_waits
from annotation.workflow.monitoring.bot_waits import WaitReason
from annotation.workflow.organisers import alerts
from bot.delivery.limits_and_retries import CHECK_SECONDS, AwaitedService, Failure, Watchdog, catch_failure
from bot.delivery.transaction_runner import TransactionRunner

LEASE_TIME = timedelta(seconds=15)
"""How long a lease lasts unless it is renewed."""
RENEWAL_TIME = timedelta(seconds=5)
"""How long after its last renewal a lease is renewed."""
SAFETY_TIME = timedelta(seconds=1)
"""How long before its end a holder no longer relies on its lease."""
HEARTBEAT_TIME = timedelta(minutes=1)
"""How often the heartbeat is stored at the most."""


def _make_holder_id() -> str:
    """A name for this process that no other has: machine, process id, start time, where the id is from, random digits.

    Host names have 64 characters at most.
    """
    process_id = os.getpid()
    life = "-".join((read_start_time(process_id), *_identify_namespace(), secrets.token_hex(4)))
    return f"{socket.gethostname()[:64]}:{process_id}:{life}"


@dataclass
class LeaseKeeper:
    """Keeps the lease of this name for one process, `holder`; `until` is when it ends, None where it is not held."""

    runner: TransactionRunner
    name: str
    holder: str = field(default_factory=_make_holder_id)
    until: datetime | None = None
    _renewed_at: datetime | None = None

    def __post_init__(self) -> None:
        self.runner.measurements.leases[self.name] = lambda: self.held

    @property
    def held(self) -> bool:
        """Whether this process can rely on the lease now."""
        return self.until is not None and self.runner.database_clock() < self.until - SAFETY_TIME

    async def acquire(self) -> bool:
        """Acquire the lease, or renew it where that is due. Returns whether it is held now; raises Unavailable."""
        now = self.runner.database_clock()
        if self.held and self._renewed_at is not None and now < self._renewed_at + RENEWAL_TIME:
            return True
        acquired = await self.runner.run(lambda session: self._acquire_in_transaction(session, now))
        self.until, self._renewed_at = (now + LEASE_TIME, now) if acquired else (None, None)
        return acquired

    async def release(self) -> None:
        """Release the lease, if it is held, so that another process can acquire it at once."""
        if self.until is not None:
            self.until = None
            now = self.runner.database_clock()
            await self.runner.run(
                lambda session: processes.release_lease(session, name=self.name, holder=self.holder, now=now)
            )

    def _acquire_in_transaction(self, session: Session, now: datetime) -> bool:
        current_holder = processes.get_holder(session, name=self.name)
        is_other = current_holder not in {None, self.holder}
        ended_holder = current_holder if is_other and _has_ended(current_holder or "") else None
        return processes.take_lease(
            session, name=self.name, holder=self.holder, now=now, until=now + LEASE_TIME, from_=ended_holder
        )


@dataclass
class HeartbeatKeeper:
    """Stores when Telegram last brought updates, or had none, and what this process waits for while it brings none.

    The polling process notes it after a poll that succeeds. A process that Telegram calls notes it where an update
    came, and where Telegram says that it calls this address and reaches it. `_stored_at` is when this process did so
    last, `_wait` what it waited for when that was stored last, at `_wait_stored_at`.
    """

    runner: TransactionRunner
    watchdog: Watchdog
    _stored_at: datetime | None = None
    _wait: tuple[WaitReason, datetime | None] | None = None
    _wait_stored_at: datetime | None = None

    async def run(self) -> None:
        """Store what is waited for while it lasts, until cancelled."""
        while True:
            await self.store_wait()
            await asyncio.sleep(CHECK_SECONDS)

    async def store_wait(self) -> None:
        """Store what this process waits for, if anything, where it is new or was stored a minute ago."""
        wait, now = self.watchdog.find_wait(), self.runner.clock()
        known = None if wait is None else (wait.reason, wait.until and wait.until.replace(second=0, microsecond=0))
        stored_at = self._wait_stored_at
        is_due = known != self._wait or stored_at is None or abs(now - stored_at) >= bot_waits.STORED_EVERY
        if wait is None or not is_due:
            return
        stored = await catch_failure(self.runner.run(lambda session: bot_waits.record_wait(session, wait, now=now)))
        if not isinstance(stored, Failure):
            self._wait, self._wait_stored_at, self._stored_at = known, now, None

    async def note(self) -> None:
        """Telegram brings updates now. Where that cannot be stored, the next call tries again."""
        self.watchdog.note_answer(AwaitedService.TELEGRAM)
        self._wait = None
        now = self.runner.clock()
        if self._stored_at is not None and abs(now - self._stored_at) < HEARTBEAT_TIME:
            return
        self._stored_at = now
        outcome = await catch_failure(self.runner.run(lambda session: self._record_heartbeat(session, now)))
        if isinstance(outcome, Failure):
            self._stored_at = None

    def _record_heartbeat(self, session: Session, now: datetime) -> None:
        alerts.record_heartbeat(session, now=now, bot_id=self.watchdog.bot_id)


def _has_ended(holder: str) -> bool:
    """Whether the holder was a process of this machine that has ended; False where this is not known.

    Of another container with this host name only one thing is known: where its bot had the same process id and began
    before this one, it is this container before it was started again. Where two containers share a host name and both
    live, the later one so takes the lease once, and the earlier one does not take it back.
    """
    host, process_id, life = holder.rsplit(":", 2)
    began, boot, namespace, *_ = (*life.split("-"), "", "")
    own_boot, own_namespace = _identify_namespace()
    if host != socket.gethostname()[:64] or not own_boot or boot != own_boot:
        return False
    if namespace == own_namespace:
        return read_start_time(int(process_id)) != began
    return process_id == str(os.getpid()) and int(began) < int(read_start_time(os.getpid()))


def _identify_namespace() -> tuple[str, str]:
    """Where this process has its id: the boot of the machine, and the namespace of process ids, of which each start of
    a container makes another one; empty where there is no /proc.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("utf-8")[:8]
        return boot, str(Path("/proc/self/ns/pid").stat().st_ino)
    except OSError:
        return "", ""


def read_start_time(process_id: int) -> str:
    """When a process of this machine was started, in ticks since the machine was; "" where there is none.

    It tells a process from an earlier one with the same number: in a container each bot is process 1.
    """
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text("utf-8")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]
