"""Faults on demand: refusals, lost answers, delays, duplicates and reordering of network and server."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.emulator.calls import Answer, CallRefused, NoAnswer

_DESCRIPTIONS = {401: "Unauthorized", 500: "Internal Server Error", 502: "Bad Gateway", 504: "Gateway Timeout"}


@dataclass(frozen=True)
class Fault:
    """The fault of one call: a refusal, or no answer at all; with `after` the call still takes effect."""

    method: str
    refusal: CallRefused | None
    after: bool = False

    def answer(self) -> Answer:
        """The refusal; raises NoAnswer where there is none."""
        if self.refusal is None:
            raise NoAnswer(self.method)
        return self.refusal.answer()


@dataclass
class Faults:
    """The faults to come.

    `latency` is the delay of each call in seconds of real time, `repeats` the number of confirmations that will be
    ignored, and `shuffle` draws a random order of updates, where it is set.
    """

    latency: float = 0.0
    repeats: int = 0
    shuffle: random.Random | None = None
    _spoiled: dict[str, CallRefused] = field(default_factory=dict)
    _next: list[Fault] = field(default_factory=list)
    _resumed: asyncio.Event | None = None

    def fail(self, method: str, code: int, text: str = "", *, after: bool = False, retry_after: int = 0) -> None:
        """Refuse the next call of a method with an HTTP code; with `after` it still takes effect."""
        if code == 429:
            description, more = f"Too Many Requests: retry after {retry_after}", {"retry_after": retry_after}
        else:
            description, more = text or _DESCRIPTIONS.get(code, "Bad Request"), {}
        self._next.append(Fault(method.lower(), CallRefused(code, description, **more), after))

    def spoil(self, text: str, code: int = 500) -> None:
        """Refuse every call from now on whose text contains these words."""
        self._spoiled[text] = CallRefused(code, _DESCRIPTIONS.get(code, "Bad Request"))

    def lose(self, method: str, *, after: bool = True) -> None:
        """Give no answer to the next call of a method; with `after` it still takes effect."""
        self._next.append(Fault(method.lower(), None, after))

    def forget(self) -> None:
        """Let every call through that was to fail."""
        self._next.clear()
        self._spoiled.clear()

    def duplicate(self, times: int = 1) -> None:
        """Deliver the next updates again so many times, even if they are confirmed."""
        self.repeats += times

    def reorder(self, rng: random.Random | None) -> None:
        """Deliver updates in random order from now on; None ends this."""
        self.shuffle = rng

    def stall(self) -> None:
        """Hold all calls back from now on."""
        self._resumed = asyncio.Event()

    def resume(self) -> None:
        """Let all calls through that were held back."""
        if self._resumed is not None:
            self._resumed.set()
        self._resumed = None

    def take_fault(self, method: str, values: Mapping[str, Any]) -> Fault | None:
        """The fault of this call, which is then removed unless its text is spoiled; None where there is none."""
        for text, refusal in self._spoiled.items():
            if text in str(values.get("text", "")):
                return Fault(method.lower(), refusal)
        for fault in self._next:
            if fault.method == method.lower():
                self._next.remove(fault)
                return fault
        return None

    def order_updates(self, numbers: Sequence[int]) -> list[int]:
        """The ids of updates in the order in which they are delivered."""
        ordered = list(numbers)
        if self.shuffle is not None:
            self.shuffle.shuffle(ordered)
        return ordered

    def take_repeat(self) -> bool:
        """Whether to ignore this confirmation, so that its updates are delivered again."""
        if self.repeats == 0:
            return False
        self.repeats -= 1
        return True

    async def wait_for_network(self) -> None:
        """Wait as long as the network delays or holds back a call."""
        if self._resumed is not None:
            await self._resumed.wait()
        if self.latency:
            await asyncio.sleep(self.latency)
