"""Two bots in one process: 1,000 people who answer an item every 20 seconds, with Telegram's limits for each bot.

Each bot polls a local Telegram of its own, on loopback, and both have one PostgreSQL. 50 answers a second are 50
messages a second, which are more than Telegram takes from one bot. With `--bots 1` one bot tries.

- `answers`: acknowledged answers a second; the goal is nine tenths of what the people ask for.
- `p99`: from tap to acknowledgement, and from tap to the next item.
- `refused`: the share of messages that Telegram refused because they came too soon.

python benchmarks/several_bots.py [--people 1000] [--every 20] [--seconds 60] [--bots 2] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from time import perf_counter

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

import _contenders
import _crowd
from _cpu_quota import measure_processor_time
from _faulty_telegram import FaultyServer, FaultyTelegram, Flood
from _figures import Figure, show
from _postgresql import binaries, server
from _tapping import BEFORE, TappingCrowd
from aiohttp import web

from bot.emulator.calls import CallRefused
from bot.emulator.model import DisplayedEvent

ITEMS, OVERLAP = 10_000, 3
LEAST_SHARE = 0.9
"""Of the answers that people would give if nothing took any time."""
SETTLING = 5.0


@dataclass
class CountingFlood(Flood):
    """Telegram's limits; `taken` and `refused` count messages."""

    taken: int = 0
    refused: int = 0

    def count_message(self, chat: int, now: float) -> None:
        """Count one message; raises CallRefused where it comes too soon."""
        try:
            super().count_message(chat, now)
        except CallRefused:
            self.refused += 1
            raise
        self.taken += 1


@dataclass
class WaitingCrowd(TappingCrowd):
    """`items` are the seconds from each tap to the next item."""

    items: list[float] = field(default_factory=list)
    _tapped: dict[int, float] = field(default_factory=dict)

    def watch(self, entry: DisplayedEvent) -> None:
        """A new item ends the wait."""
        if entry.kind == "message" and entry.buttons and entry.person in self._tapped:
            self.items.append(perf_counter() - self._tapped.pop(entry.person))
        if entry.kind == "toast" and entry.person in self.begun:
            self._tapped[entry.person] = self.begun[entry.person]
        super().watch(entry)


@asynccontextmanager
async def serve_telegrams(telegrams: list[FaultyTelegram]) -> AsyncIterator[str]:
    """The address at which each of these is called with its token, until the block ends."""
    servers = {telegram.token: FaultyServer(telegram) for telegram in telegrams}

    async def handle(request: web.Request) -> web.StreamResponse:
        return await servers[request.match_info["token"]].handle_call(request)

    app = web.Application()
    app.router.add_route("*", "/bot{token}/{method}", handle)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.5)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def run_bots(url: str, telegrams: list[FaultyTelegram]) -> AsyncIterator[int]:
    """A process with a bot for each of these, until the block ends; its number."""
    async with serve_telegrams(telegrams) as address:
        tokens = ",".join(telegram.token for telegram in telegrams)
        process = await asyncio.create_subprocess_exec(
            sys.executable, _crowd.SPAWNER, address, tokens, json.dumps({"url": url})
        )
        try:
            yield process.pid
        finally:
            process.terminate()
            await process.wait()


async def measure(url: str, *, bots: int, people: int, every: float, seconds: float) -> list[Figure]:
    """All figures."""
    telegrams = [FaultyTelegram(token=f"{7_000_000_001 + number}:secret") for number in range(bots)]
    crowds = [WaitingCrowd(telegram) for telegram in telegrams]
    async with run_bots(url, telegrams) as process:
        for crowd in crowds:
            crowd.thinking = 0.5
            crowd.telegram.display_log.watchers.append(crowd.watch)
        for number in range(people):  # everybody has got through the first questions before limits begin
            telegrams[number % bots].person(number + 1).send("/start")
        for number in range(people):
            taps = crowds[number % bots].taps
            await _crowd.wait_until(lambda taps=taps, who=number + 1: taps[who] >= BEFORE, seconds=900)  # type: ignore[misc]
            crowds[number % bots].thinking = every
        await asyncio.sleep(1.5 * every)
        floods = []
        for telegram in telegrams:
            telegram.flood = CountingFlood()
            floods.append(telegram.flood)
        await asyncio.sleep(SETTLING)
        for crowd in crowds:
            crowd.times.clear()
            crowd.items.clear()
        before, used, begun = sum(one.answers for one in crowds), measure_processor_time(process), perf_counter()
        await asyncio.sleep(seconds)
        answers = sum(one.answers for one in crowds) - before
        used, took = measure_processor_time(process) - used, perf_counter() - begun
    rate, asked = answers / took, people / every
    refused, sent = (sum(getattr(flood, name) for flood in floods) for name in ("refused", "taken"))
    return [
        Figure("answers asked for", asked, "1/s"),
        Figure("answers", rate, "1/s", f">= {LEAST_SHARE * asked:g}", rate >= LEAST_SHARE * asked),
        Figure("processor time an answer", 1000 * used / max(1, answers), "ms"),
        Figure("tap to acknowledgement, p99", 1000 * _find_p99([one for crowd in crowds for one in crowd.times]), "ms"),
        Figure("tap to the next item, p99", 1000 * _find_p99([one for crowd in crowds for one in crowd.items]), "ms"),
        Figure("messages refused as too many", refused / max(1, refused + sent), "share"),
    ]


def _find_p99(seconds: list[float]) -> float:
    return quantiles(seconds, n=100)[98]


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--every", type=float, default=20.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--bots", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    programs = binaries()
    if programs is None:
        raise SystemExit("PostgreSQL is missing (Debian: apt-get install postgresql).")
    with tempfile.TemporaryDirectory(prefix="hromada-bench-") as name, server(programs) as url:
        _contenders.prepare(url, Path(name), items=ITEMS, overlap=OVERLAP)
        figures = asyncio.run(
            measure(url, bots=chosen.bots, people=chosen.people, every=chosen.every, seconds=chosen.seconds)
        )
    show("Several bots", figures)


if __name__ == "__main__":
    main()
