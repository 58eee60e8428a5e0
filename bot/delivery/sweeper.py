"""Rounds: every second, whatever lies in the boxes without anybody at it is taken up.

Updates and letters of processes that died, paced letters whose turn has come, and once an hour the numbers of updates
that Telegram cannot send again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from sqlmodel import Session

from annotation.errors import HromadaError
from annotation.store import inbox, outbox
from annotation.store.outbox import Letter
from bot.delivery import outbox_messages
from bot.delivery.process_lease import Tenure
from bot.delivery.rate_limit import Pace
from bot.delivery.sender import HOLD, Sender
from bot.delivery.traces import trace
from bot.delivery.transaction_runner import Base
from bot.delivery.workers import Workers

log = logging.getLogger(__name__)
EVERY = 1.0
ORPHANED = timedelta(seconds=2)
"""How long an update waits before others than the process that stored it look for it."""
KEPT = timedelta(days=2)
"""How long the numbers of handled updates are known: Telegram keeps an update for a day."""
RENEW, UNASKED, TIDY = 2, 5, 3600
"""Every so many rounds what is being sent is held longer, what is to be said unasked is looked for, and old numbers are
forgotten."""
PACED_HOLD = timedelta(minutes=5)


@dataclass
class Rounds:
    """The rounds of one process; paced letters are sent by one process at a time, which holds their lease."""

    base: Base
    workers: Workers
    sender: Sender
    pace: Pace
    tenure: Tenure
    _paced: dict[int, list[Letter]] = field(default_factory=dict)
    _sending: set[asyncio.Task[None]] = field(default_factory=set)
    _number: int = 0

    async def run(self) -> None:
        """Go round until cancelled."""
        pacing = asyncio.create_task(self._send_paced())
        try:
            while True:
                try:
                    await self.go(age=ORPHANED)
                except HromadaError as failure:
                    log.warning("The database does not answer: %s", type(failure).__name__)
                except Exception as failure:  # noqa: BLE001  # without rounds what a dead process left would lie for ever
                    log.error("A round failed: %s", trace(failure))
                await asyncio.sleep(EVERY)
        finally:
            tasks = (pacing, *self._sending)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def go(self, *, age: timedelta = timedelta(0)) -> None:
        """One round: wake workers for updates of that age, send letters that are due."""
        leads = await self.tenure.keep()
        self._number += 1
        held = self.sender.held()
        people, letters, paced = await self.base.run(lambda session: self._look(session, age, held, leads=leads))
        self.workers.wake(people)
        for letter in letters:
            self._start(letter)
        for letter in paced:
            self._paced.setdefault(letter.chat_id, []).append(letter)

    def _look(
        self, session: Session, age: timedelta, held: Sequence[int], *, leads: bool
    ) -> tuple[Sequence[int], Sequence[Letter], Sequence[Letter]]:
        now = self.base.clock()
        if held and self._number % RENEW == 0:
            outbox.hold(session, held, until=now + HOLD)
        if self._number % TIDY == 0:
            inbox.forget(session, before=now - KEPT)
        if leads and self._number % UNASKED == 1:
            self._say_unasked(session)
        letters = outbox.take_due(session, now=now, until=now + HOLD, paced=False)
        if not self.base.alone:
            letters = outbox.placed(session, letters)
        room = leads and len(self._paced) < outbox.MOST
        paced = outbox.take_due(session, now=now, until=now + PACED_HOLD, paced=True) if room else ()
        return inbox.people_waiting(session, before=now - age), letters, paced

    def _say_unasked(self, session: Session) -> None:
        """Into the outbox with it; it goes at the pace that Telegram allows."""
        office, now = self.workers.office, self.base.clock()
        said = office.unasked(session, now=now)
        drafts = outbox_messages.drafts(said, chat_id=0, protect=office.protect, find=lambda _: None)
        outbox.put(session, [replace(draft, paced=True) for draft in drafts], due_at=now)

    def _start(self, letter: Letter) -> None:
        task = asyncio.create_task(self.sender.send([letter]))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _send_paced(self) -> None:
        """One letter after another, each when its chat and Telegram as a whole have room for it."""
        loop = asyncio.get_running_loop()
        while True:
            chat, wait = self.pace.next(self._paced, now=loop.time())
            if chat is None:
                await asyncio.sleep(min(max(wait, 0.01), EVERY))
                continue
            waiting = self._paced[chat]
            self._start(waiting.pop(0))
            if not waiting:
                del self._paced[chat]
            self.pace.took(chat, now=loop.time())
