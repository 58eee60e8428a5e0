"""What each person was shown, written down by the emulator and by nobody else: evidence from outside the bot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Entry:
    """One thing on one person's screen.

    `kind` is message, edit, delete, toast, alert, action, reaction, pin, or sent and edited for what she wrote herself;
    `buttons` are labels.
    """

    at: float
    person: int
    kind: str
    chat: int
    message: int = 0
    text: str = ""
    buttons: tuple[str, ...] = ()


@dataclass
class Ledger:
    """Append-only; whoever watches is told of each entry."""

    entries: list[Entry] = field(default_factory=list)
    watchers: list[Callable[[Entry], None]] = field(default_factory=list)

    def add(self, entry: Entry) -> None:
        """Write down what somebody sees now."""
        self.entries.append(entry)
        for tell in tuple(self.watchers):
            tell(entry)

    def of(self, person: int, *kinds: str) -> list[Entry]:
        """What one person saw, oldest first; of these kinds, or all."""
        return [one for one in self.entries if one.person == person and (not kinds or one.kind in kinds)]
