"""The log of everything that each person was shown; written by the emulator alone, independent of the bot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class DisplayedEvent:
    """Something that appeared on one person's screen.

    `kind` is message, edit, delete, toast, alert, action, reaction, pin, or sent and edited for the
    person's own messages; `buttons` are labels.
    """

    at: float
    person: int
    kind: str
    chat: int
    message: int = 0
    text: str = ""
    buttons: tuple[str, ...] = ()


@dataclass
class DisplayLog:
    """The append-only log; every watcher is called with each new entry."""

    entries: list[DisplayedEvent] = field(default_factory=list)
    watchers: list[Callable[[DisplayedEvent], None]] = field(default_factory=list)

    def add(self, entry: DisplayedEvent) -> None:
        """Append an entry."""
        self.entries.append(entry)
        for notify in tuple(self.watchers):
            notify(entry)

    def list_events(self, person: int, *kinds: str) -> list[DisplayedEvent]:
        """The entries of one person, oldest first; of these kinds, or all."""
        return [entry for entry in self.entries if entry.person == person and (not kinds or entry.kind in kinds)]
