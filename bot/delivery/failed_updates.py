"""What follows when an update could not be stored or handled: another attempt, or it is parked with reason and trace.

A database that is away is nobody's failure: updates wait for it. An update is parked that fails although the database
answers, or that has failed for too long.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from sqlmodel import Session

from annotation.errors import HromadaError, SchemaMismatch, Unavailable
from annotation.store import inbox, migrations
from annotation.store.inbox import ReceivedUpdate
from annotation.store.outbox import OutboxMessage
from bot.delivery.attempts import Failure, catch_failure
from bot.delivery.logs import format_trace
from bot.delivery.transaction_runner import TransactionRunner

log = logging.getLogger(__name__)
MAX_ATTEMPTS = 2
"""How many times an update is tried before it is parked."""
MAX_AGE = timedelta(hours=1)
"""How old an update may get that the database does not handle in time, although it answers otherwise."""
MAX_UPDATE_ID = 2**63 - 1
"""The largest number of an update that can be stored; one with a larger number is only in the log."""
CHECK_REMEDY = "Check it: hromada database check."
AGE_CHECK_FAILURES = 3
"""After how many failures of the database in a row the age is looked at."""


class ExplainInTransaction(Protocol):
    """A function that stores the messages by which the sender of a parked update is told."""

    def __call__(
        self, session: Session, update_id: int, failure: Exception, code: str
    ) -> tuple[OutboxMessage, ...]: ...


@dataclass(frozen=True, kw_only=True)
class FailedUpdates:
    """Handles failures to store and to handle updates."""

    runner: TransactionRunner
    explain: ExplainInTransaction

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
            raise failure
        code, trace = secrets.token_hex(3), format_trace(failure)
        update_id = await self.runner.run(lambda session: self._count_or_park(session, user_id, failure, code, trace))
        if update_id is None:
            return ()
        log.error("Update %s is parked (hromada delivery list), code %s: %s", update_id, code, trace)
        told = await catch_failure(self.runner.run(lambda session: self.explain(session, update_id, failure, code)))
        if isinstance(told, Failure):
            log.warning("The sender is not told of code %s: %s", code, type(told.error).__name__)
            return ()
        return told

    def _count_or_park(self, session: Session, user_id: int, failure: Exception, code: str, trace: str) -> int | None:
        """The id of the user's earliest update if it is parked now; raises the failure where the update has to wait."""
        migrations.check_revision(session.connection())
        failed, now = inbox.get_failed_update(session, telegram_id=user_id), self.runner.database_clock()
        if failed is None:
            raise failure  # not of an update, as when the database may not be written
        if _is_of_database(failure):
            if now - failed.received_at < MAX_AGE:
                raise failure
        elif failed.attempts + 1 < MAX_ATTEMPTS:
            inbox.count_failure(session, update_id=failed.update_id)
            return None
        reason = _describe_failure(failure)
        inbox.park_update(session, update_id=failed.update_id, code=code, reason=reason, trace=trace, now=now)
        return failed.update_id

    async def _store_or_park(self, update: ReceivedUpdate) -> None:
        """Store an update, or park it where it cannot be stored; raises a HromadaError where it has to wait.

        It waits, too, where the database refuses both although it could: it may not be written, or lacks a table.
        """
        now = self.runner.database_clock()
        stored = await catch_failure(self.runner.run(lambda session: inbox.store_updates(session, [update], now=now)))
        if not isinstance(stored, Failure):
            return
        if _is_of_database(stored.error):
            raise stored.error
        reason, trace = f"cannot be stored: {_describe_failure(stored.error)}", format_trace(stored.error)
        parked = await catch_failure(
            self.runner.run(
                lambda session: inbox.park_unstorable_update(
                    session, update_id=update.update_id, reason=reason, trace=trace, now=now
                )
            )
        )
        if isinstance(parked, Failure) and (_is_of_database(parked.error) or abs(update.update_id) <= MAX_UPDATE_ID):
            if isinstance(parked.error, HromadaError):
                raise parked.error
            raise Unavailable("The database takes no updates.", remedy=CHECK_REMEDY) from parked.error
        log.error("Update %s is parked (hromada delivery list), it %s: %s", update.update_id, reason, trace)


def _is_of_database(failure: Exception) -> bool:
    """Whether a failure is that of a database that is away, or of a newer schema."""
    return isinstance(failure, Unavailable | SchemaMismatch)


def _describe_failure(failure: Exception) -> str:
    """The reason for a list: the words of our own errors, of others the name alone, as their words may hold ids."""
    return failure.problem if isinstance(failure, HromadaError) else type(failure).__name__
