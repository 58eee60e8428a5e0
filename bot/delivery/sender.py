"""The sender: calls of letters are made in their order, chat by chat, as soon as the transaction is committed.

Only Telegram's own `retry_after` delays them. What may be repeated is, until it is known to have arrived; what may not
is marked before it is begun, and left alone where nobody knows how far it went.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import insort
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta

from sqlmodel import Session
from telegram.error import ChatMigrated, Forbidden, RetryAfter, TelegramError

from annotation.errors import HromadaError
from annotation.store import outbox
from annotation.store.outbox import Letter
from annotation.workflow.annotators import reachability
from bot.delivery.call_attempts import Made, attempt
from bot.delivery.rate_limit import Pace
from bot.delivery.receipts import Receipts
from bot.delivery.telegram_api import Api
from bot.delivery.transaction_runner import Base

log = logging.getLogger(__name__)
HOLD = timedelta(seconds=6)
"""For how long a letter is the business of the process that is sending it, unless it says so again."""
BEHIND = 0.1
"""Seconds between two looks whether another process has made what comes before a letter."""
PATIENCE, LONGEST_WAIT = 0.5, 60.0
"""Seconds to wait after the network failed: at first, and at the most; each wait is twice the one before."""


@dataclass
class _Parcel:
    """A letter on its way; one that was dropped has no row any more, and another letter may have its number now."""

    letter: Letter
    made: Made = field(default_factory=Made)
    attempts: int = 0
    begun: bool = False
    dropped: bool = False


@dataclass
class _Lane:
    """What goes to one chat: one after another, whoever brings it."""

    parcels: list[_Parcel] = field(default_factory=list)
    busy: bool = False

    def add(self, parcel: _Parcel) -> None:
        """Put it where its number says, but not before what is being made at this moment."""
        if any(waiting.letter.id == parcel.letter.id and not waiting.dropped for waiting in self.parcels):
            return
        first = int(bool(self.parcels) and self.parcels[0].begun)
        insort(self.parcels, parcel, lo=first, key=lambda one: one.letter.id)


@dataclass
class Sender:
    """Sends letters, each chat in its order."""

    base: Base
    api: Api
    receipts: Receipts
    pace: Pace
    _lanes: dict[int, _Lane] = field(default_factory=dict)
    _later: set[asyncio.Task[None]] = field(default_factory=set)

    async def send(self, letters: Iterable[Letter]) -> None:
        """Send them; returns once they are sent, or wait behind others, or for as long as Telegram asked for."""
        for letter in letters:
            lane = self._lanes.setdefault(letter.chat_id, _Lane())
            lane.add(_Parcel(letter, attempts=letter.attempts))
            if not lane.busy:
                await self._run(letter.chat_id, lane)

    def held(self) -> list[int]:
        """The letters that are this process's business now."""
        return [one.letter.id for lane in self._lanes.values() for one in lane.parcels if not one.dropped]

    def forget(self, chat_id: int) -> None:
        """The database has dropped all that waited for this chat."""
        for parcel in self._lanes[chat_id].parcels if chat_id in self._lanes else ():
            parcel.dropped = True

    async def stop(self) -> None:
        """Wait for nothing any more: what was not sent is in the database."""
        for task in tuple(self._later):
            task.cancel()
        await asyncio.gather(*self._later, return_exceptions=True)

    async def _run(self, chat_id: int, lane: _Lane) -> None:
        lane.busy = True
        while lane.parcels:
            parcel = lane.parcels[0]
            wait = None if parcel.dropped else await self._attend(lane, parcel)
            if wait is not None:
                self._go_on_later(chat_id, lane, wait)
                return
            lane.parcels.remove(parcel)
        del self._lanes[chat_id]

    def _go_on_later(self, chat_id: int, lane: _Lane, wait: float) -> None:
        async def go_on() -> None:
            await asyncio.sleep(wait)
            await self._run(chat_id, lane)

        task = asyncio.create_task(go_on())
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    async def _attend(self, lane: _Lane, parcel: _Parcel) -> float | None:
        """Make a letter's calls; None once it is over, else how many seconds to wait before it goes on."""
        letter = parcel.letter
        try:
            wait = await self._behind(lane, parcel)
            if wait is not None:
                return wait
            parcel.begun = True
            if not letter.repeatable and not await self._begin(letter):
                return None
            self.pace.took(letter.chat_id, now=asyncio.get_running_loop().time())
            await attempt(self.api, letter, parcel.made)
        except RetryAfter as failure:
            return await self._put_off(parcel, _seconds(failure) + 0.1)
        except Forbidden:
            wait = await self._lose(lane, parcel)
        except ChatMigrated as failure:
            return await self._move(parcel, failure.new_chat_id)
        except (TelegramError, HromadaError) as failure:
            if letter.repeatable or parcel.made.unsent or isinstance(failure, HromadaError):
                return await self._put_off(parcel, min(LONGEST_WAIT, PATIENCE * 2**parcel.attempts))
            log.warning("Letter %s may have been sent; it is not sent again: %s", letter.id, type(failure).__name__)
        if wait is None and not parcel.dropped:
            self.receipts.add(letter.id, shown=[one.at(self.base.clock()) for one in parcel.made.shown])
        return wait

    async def _behind(self, lane: _Lane, parcel: _Parcel) -> float | None:
        """How long to wait for what comes first, here or in another process: all of a chat's calls keep their order."""
        if not parcel.letter.after:
            return None
        known = {*self.held(), *self.receipts.sent()}
        others = tuple(number for number in parcel.letter.after if number not in known)
        behind = bool(others) and await self.base.run(lambda session: outbox.remain(session, others))
        if behind:
            return BEHIND
        parcel.letter = replace(parcel.letter, after=())
        return None if lane.parcels[0] is parcel else 0.0

    async def _begin(self, letter: Letter) -> bool:
        """Note that it is being sent; False unless it is sure that nobody sent it, and that it still is to be sent."""
        if letter.in_doubt:
            log.warning("Letter %s may have been sent before a bot ended; it is not sent again.", letter.id)
            self.receipts.add(letter.id)
            return False
        now = self.base.clock()
        return await self.base.run(lambda session: outbox.begin(session, letter_id=letter.id, now=now))

    async def _put_off(self, parcel: _Parcel, seconds: float) -> float:
        """Not now; the database is told, so that another process does it should this one die."""
        until = self.base.clock() + timedelta(seconds=seconds) + HOLD
        number = parcel.letter.id
        parcel.attempts += 1
        parcel.begun = parcel.made.calls > 0
        parcel.made.unsent = False
        await self._noted(lambda session: outbox.put_off(session, letter_id=number, until=until))
        return seconds

    async def _lose(self, lane: _Lane, parcel: _Parcel) -> float | None:
        """The chat is closed to the bot: nothing more goes there, and what the person had in hand goes back.

        What was sent before is noted first: all that is still there then is lost. None once the database knows of it.
        """
        log.info("Somebody cannot be written to any more.")
        dropped, who, now = tuple(lane.parcels), parcel.letter.chat_id, self.base.clock()
        known = await self.receipts.noted()
        if not known or not await self._noted(lambda session: reachability.lost(session, telegram_id=who, now=now)):
            return await self._put_off(parcel, min(LONGEST_WAIT, PATIENCE * 2**parcel.attempts))
        for one in dropped:
            one.dropped = True
        return None

    async def _move(self, parcel: _Parcel, to: int) -> float:
        """The chat has another number now, also for all that waits for it."""
        old = parcel.letter.chat_id
        parcel.letter = replace(parcel.letter, chat_id=to)
        await self._noted(lambda session: outbox.move(session, chat_id=old, to=to))
        return 0.0

    async def _noted(self, use_case: Callable[[Session], object]) -> bool:
        """What the database is told of a letter, and whether it answered; if not, the letter's row says enough."""
        try:
            await self.base.run(use_case)
        except HromadaError as failure:
            log.warning("The database does not answer: %s", type(failure).__name__)
            return False
        return True


def _seconds(failure: RetryAfter) -> float:
    asked = failure.retry_after
    return asked.total_seconds() if isinstance(asked, timedelta) else float(asked)
