"""What an item asks, and which labels its answers are stored under."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One answer out of several options.

    `options` are fixed for all items, or None where every item brings its own. `positions` are the codes under which
    the options of an item are stored by their place (DESIGN, "What counts as a class"), None where the option's text
    is the label.
    """

    text: str
    options: tuple[str, ...] | None
    positions: tuple[str, ...] | None

    def options_of(self, own: Sequence[str] | None) -> tuple[str, ...]:
        """The texts that a person can choose from on an item whose own options are `own`."""
        return self.options if self.options is not None else tuple(own or ())

    def labels_of(self, own: Sequence[str] | None) -> tuple[str, ...]:
        """The labels under which those options are stored and published, in the same order."""
        options = self.options_of(own)
        return options if self.positions is None else self.positions[: len(options)]

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The closed label set, None where the options differ and share no classes."""
        return self.positions if self.positions is not None else self.options
