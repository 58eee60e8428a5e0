"""The bot's way into the workflow: one transaction an update, on the one thread that writes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from sqlmodel import Session

from annotation.store.database import Database
from annotation.vocabulary import Hindrance
from annotation.workflow import work
from annotation.workflow.people import joining
from annotation.workflow.waiting import Waiting
from bot.conversation.callbacks import Tap
from bot.conversation.texts import Texts, nearest, texts

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who an update is from: no name is kept."""

    telegram_id: int
    language_code: str | None


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What a person gets: her language, the item in her hands or why there is none, and what was saved before it."""

    say: Texts
    offer: work.Offer | None
    waiting: Waiting | None = None
    saved: work.Saved | None = None
    new: bool = False


@dataclass(frozen=True, kw_only=True)
class Desk:
    """The database, the key of the pseudonyms and the clock, as handlers need them."""

    database: Database
    key: bytes
    clock: Callable[[], datetime]
    simulated: bool = False
    writer: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="writer"))

    async def turn(self, caller: Caller, tap: Tap | None = None) -> Turn:
        """Save the tap if there is one and take the next item, in one transaction that is committed on return.

        Raises Stale, having saved nothing, for a tap that belongs to no open item of this person.
        """
        turn = await self._run(lambda session: self._turn(session, caller, tap))
        while turn.waiting is not None and turn.waiting.reason is Hindrance.SEARCHING:
            found = await self._run(lambda session: self._turn(session, caller, None))
            turn = replace(found, saved=turn.saved, new=turn.new)
        return turn

    def close(self) -> None:
        """Let the writer finish what it has begun."""
        self.writer.shutdown()

    def _turn(self, session: Session, caller: Caller, tap: Tap | None) -> Turn:
        now = self.clock()
        person = joining.join(
            session,
            telegram_id=caller.telegram_id,
            language=nearest(caller.language_code),
            key=self.key,
            now=now,
            simulated=self.simulated,
        )
        who = person.id or 0
        saved = None
        if tap is not None:
            saved = work.submit(
                session,
                annotator_id=who,
                assignment_id=tap.assignment_id,
                revision=tap.revision,
                answers=work.chosen(session, assignment_id=tap.assignment_id, option=tap.option),
                now=now,
            )
        found = work.next_item(session, annotator_id=who, now=now)
        offer, waiting = (found, None) if isinstance(found, work.Offer) else (None, found)
        say, new = texts(nearest(person.language)), person.created_at == now
        return Turn(say=say, offer=offer, waiting=waiting, saved=saved, new=new)

    async def _run(self, use_case: Callable[[Session], Result]) -> Result:
        def transaction() -> Result:
            with self.database.transaction() as session:
                return use_case(session)

        return await asyncio.get_running_loop().run_in_executor(self.writer, transaction)
