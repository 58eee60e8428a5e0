"""The watchdog: a bot whose polls fail for too long ends, so that its supervisor starts it anew."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic

from annotation.errors import Unavailable

SECONDS = 90.0


class Asked(StrEnum):
    """Who has to answer before the next poll can succeed; the value begins a sentence."""

    TELEGRAM = "Telegram"
    DATABASE = "The database"


REMEDIES = {
    Asked.TELEGRAM: "check the network, and whether another program asks for this bot's updates",
    Asked.DATABASE: "check that the database runs and can be reached, and that nothing else keeps it locked",
}


@dataclass
class Watchdog:
    """Fed by every poll that succeeds, and told who is asked meanwhile."""

    seconds: float = SECONDS
    last: float = field(default_factory=monotonic)
    asked: Asked = Asked.DATABASE

    def fed(self) -> None:
        """All is well at this moment."""
        self.last = monotonic()

    def waits_for(self, asked: Asked) -> None:
        """Nothing goes on until this one answers."""
        self.asked = asked

    async def run(self) -> None:
        """Raises Unavailable once nothing was well for too long; it names who did not answer at the end."""
        while (left := self.last + self.seconds - monotonic()) > 0:
            await asyncio.sleep(left)
        raise Unavailable(
            f"{self.asked} does not answer: no poll has succeeded for {self.seconds:.0f} seconds.",
            remedy=f"Let a supervisor start the bot again; {REMEDIES[self.asked]}.",
        )
