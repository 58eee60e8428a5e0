"""Faults on demand: what the network and the server do when they do not work."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.emulator.calls import Answer, NoAnswer, Refused

_TEXTS = {401: "Unauthorized", 500: "Internal Server Error", 502: "Bad Gateway", 504: "Gateway Timeout"}


@dataclass(frozen=True)
class Fault:
    """What one call meets; without a `refusal` it gets no answer. `after`: it takes effect all the same."""

    method: str
    refusal: Refused | None
    after: bool = False

    def answer(self) -> Answer:
        """The refusal; raises NoAnswer where there is none."""
        if self.refusal is None:
            raise NoAnswer(self.method)
        return self.refusal.answer()


@dataclass
class Faults:
    """What is to go wrong next; `latency` is in seconds of real time, a call."""

    latency: float = 0.0
    repeats: int = 0
    shuffle: random.Random | None = None
    _next: list[Fault] = field(default_factory=list)
    _open: asyncio.Event | None = None

    def fail(self, method: str, code: int, text: str = "", *, after: bool = False, retry_after: int = 0) -> None:
        """The next call of a method is refused with an HTTP code; `after` it has taken effect all the same."""
        if code == 429:
            said, more = f"Too Many Requests: retry after {retry_after}", {"retry_after": retry_after}
        else:
            said, more = text or _TEXTS.get(code, "Bad Request"), {}
        self._next.append(Fault(method.lower(), Refused(code, said, **more), after))

    def lose(self, method: str, *, after: bool = True) -> None:
        """The next call of a method gets no answer; `after` it has taken effect all the same."""
        self._next.append(Fault(method.lower(), None, after))

    def duplicate(self, times: int = 1) -> None:
        """What is delivered next is delivered again as often, whatever is confirmed."""
        self.repeats += times

    def reorder(self, rng: random.Random | None) -> None:
        """Deliver updates in any order from now on; None ends it."""
        self.shuffle = rng

    def stall(self) -> None:
        """The network stands still from now on."""
        self._open = asyncio.Event()

    def resume(self) -> None:
        """The network goes on, with everything that waited."""
        if self._open is not None:
            self._open.set()
        self._open = None

    def next(self, method: str) -> Fault | None:
        """The fault that this call meets, used up by it."""
        for fault in self._next:
            if fault.method == method.lower():
                self._next.remove(fault)
                return fault
        return None

    def order(self, numbers: Sequence[int]) -> list[int]:
        """A batch as it is delivered."""
        found = list(numbers)
        if self.shuffle is not None:
            self.shuffle.shuffle(found)
        return found

    def repeat(self) -> bool:
        """Whether this confirmation is forgotten, so that its updates come again."""
        if self.repeats == 0:
            return False
        self.repeats -= 1
        return True

    async def passage(self) -> None:
        """The way of a call through the network."""
        if self._open is not None:
            await self._open.wait()
        if self.latency:
            await asyncio.sleep(self.latency)
