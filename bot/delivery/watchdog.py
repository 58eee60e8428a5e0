"""The watchdog: a bot that has not heard from Telegram for too long ends, so that its supervisor starts it anew."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic

from annotation.errors import Unavailable

SECONDS = 90.0


@dataclass
class Watchdog:
    """Fed by every poll that succeeds."""

    seconds: float = SECONDS
    last: float = field(default_factory=monotonic)

    def fed(self) -> None:
        """All is well at this moment."""
        self.last = monotonic()

    async def run(self) -> None:
        """Raises Unavailable once nothing was well for too long."""
        while (left := self.last + self.seconds - monotonic()) > 0:
            await asyncio.sleep(left)
        raise Unavailable(
            f"Telegram has not answered for {self.seconds:.0f} seconds.",
            remedy="Let a supervisor start the bot again, and check the network.",
        )
