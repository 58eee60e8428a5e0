"""Updates that wait for the bot: they are kept as long as Telegram keeps them, and confirmed by an offset."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

KEPT_SECONDS = 86_400.0
TAPS_KEPT_SECONDS = 150.0
"""Seconds for which a message is kept, and a tap."""
MAX_UPDATES = 100
UPDATE_KINDS = frozenset({"message", "edited_message", "callback_query", "my_chat_member"})
"""All kinds of updates that the emulator makes; all are delivered by default."""


@dataclass
class QueuedUpdate:
    """One update, kept until `expires`."""

    id: int
    kind: str
    body: dict[str, Any]
    expires: float

    def wire(self) -> dict[str, Any]:
        """As the Bot API writes it."""
        return {"update_id": self.id, self.kind: self.body}


@dataclass
class UpdateQueue:
    """All waiting updates by id; `last` is the newest. Every function in `on_arrival` is called after a new update."""

    waiting: dict[int, QueuedUpdate] = field(default_factory=dict)
    allowed: frozenset[str] = UPDATE_KINDS
    on_arrival: list[Callable[[], None]] = field(default_factory=list)
    last: int = 100_000_000

    def add(self, kind: str, body: dict[str, Any], *, now: float) -> None:
        """Add an update, unless its kind is not allowed at this moment: then it is never made."""
        if kind not in self.allowed:
            return
        self.last += 1
        kept = TAPS_KEPT_SECONDS if kind == "callback_query" else KEPT_SECONDS
        self.waiting[self.last] = QueuedUpdate(self.last, kind, body, now + kept)
        for notify in tuple(self.on_arrival):
            notify()

    def allow(self, kinds: Iterable[Any]) -> None:
        """Deliver only new updates of these kinds from now on; all kinds, if none are given."""
        wanted = set(map(str, kinds))
        self.allowed = frozenset(wanted & UPDATE_KINDS) if wanted else UPDATE_KINDS

    def expire(self, now: float) -> None:
        """Forget updates that have waited too long."""
        self.forget([update.id for update in self.waiting.values() if update.expires < now])

    def list_waiting(self, now: float, *, limit: int | None = None) -> list[QueuedUpdate]:
        """The oldest updates that still wait, at most `limit` of them, in the order in which they are delivered."""
        self.expire(now)
        return [self.waiting[number] for number in sorted(self.waiting)[:limit]]

    def confirm(self, offset: int) -> None:
        """Forget all updates before an offset; a negative offset keeps so many from the end."""
        if offset < 0:
            self.forget(sorted(self.waiting)[:offset])
        else:
            self.forget([number for number in self.waiting if number < offset])

    def forget(self, numbers: Iterable[int]) -> None:
        """Forget updates that were delivered or dropped."""
        for number in numbers:
            self.waiting.pop(number, None)
