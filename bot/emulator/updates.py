"""Updates that wait for the bot: made, kept for as long as Telegram keeps them, confirmed by an offset."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

KEPT = 86_400.0
TAPS_KEPT = 150.0
"""Seconds that a message waits, and a tap."""
MOST = 100
DEFAULT = frozenset({"message", "edited_message", "callback_query", "my_chat_member"})
"""What is delivered where nothing else was asked for; the emulator makes no other kinds."""


@dataclass
class Update:
    """One update; `lane` orders webhooks, `tries` and `due` are the courier's."""

    id: int
    kind: str
    body: dict[str, Any]
    lane: int
    expires: float
    tries: int = 0
    due: float = 0.0

    def wire(self) -> dict[str, Any]:
        """As the Bot API writes it."""
        return {"update_id": self.id, self.kind: self.body}


@dataclass
class Queue:
    """Everything that waits, by id. `arrived` is told of every new update."""

    waiting: dict[int, Update] = field(default_factory=dict)
    allowed: frozenset[str] = DEFAULT
    arrived: list[Callable[[], None]] = field(default_factory=list)
    _last: int = 100_000_000

    def add(self, kind: str, body: dict[str, Any], *, lane: int, now: float) -> None:
        """A new update, unless its kind is not wanted at this moment: then it is never made."""
        if kind not in self.allowed:
            return
        self._last += 1
        kept = TAPS_KEPT if kind == "callback_query" else KEPT
        self.waiting[self._last] = Update(self._last, kind, body, lane, now + kept)
        for tell in tuple(self.arrived):
            tell()

    def expire(self, now: float) -> None:
        """Forget what has waited too long."""
        self.forget([one.id for one in self.waiting.values() if one.expires < now])

    def confirm(self, offset: int) -> None:
        """Forget everything before an offset; a negative one keeps so many from the end."""
        if offset < 0:
            self.forget(sorted(self.waiting)[:offset])
        else:
            self.forget([number for number in self.waiting if number < offset])

    def forget(self, numbers: Iterable[int]) -> None:
        """These have been delivered, or dropped."""
        for number in numbers:
            self.waiting.pop(number, None)
