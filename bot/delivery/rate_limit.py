"""Pace: so many messages a second to one chat and to all; what answers a tap is counted and never waits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

CHAT_SECONDS = 1.0
"""Between two paced messages to one chat: Telegram takes about one a second."""
OVERALL_SECONDS = 1 / 25
"""Between any two: Telegram takes about 30 a second, and taps have to be answered beside these."""
MOST_REMEMBERED = 10_000


@dataclass
class Pace:
    """When the next message may go; times are seconds of any clock that only goes forward."""

    chats: dict[int, float] = field(default_factory=dict)
    all: float = 0.0

    def took(self, chat_id: int, *, now: float) -> None:
        """A message went to this chat."""
        if len(self.chats) > MOST_REMEMBERED:
            self.chats = {chat: free for chat, free in self.chats.items() if free > now}
        self.chats[chat_id] = max(now, self.chats.get(chat_id, 0.0)) + CHAT_SECONDS
        self.all = max(now, self.all) + OVERALL_SECONDS

    def stop(self, chat_id: int, *, until: float) -> None:
        """Telegram said how long to wait."""
        self.chats[chat_id] = max(until, self.chats.get(chat_id, 0.0))

    def next(self, chats: Iterable[int], *, now: float) -> tuple[int | None, float]:
        """The chat that has waited longest, if it may have a message now; else how long to wait."""
        free, chat = min(((self.chats.get(chat, 0.0), chat) for chat in chats), default=(now, None))
        wait = max(free, self.all) - now
        return (chat, 0.0) if wait <= 0 else (None, wait)
