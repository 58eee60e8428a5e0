"""Speed of the bot: answers a second against bare python-telegram-bot, with many items, and from tap to saved.

Each contender is a process of its own that polls a local Telegram on loopback, without limits; people tap as soon
as the next item is on their screens. Contenders take turns, and medians are compared, since machines slow down.

- `bare`: python-telegram-bot's application with its default transport, 16 updates at once; a tap writes one row, then
  the same calls are made: an acknowledgement, an edit, the next message.
- `aiohttp`: the same with the bot's transport.
- `hromada`: this bot: inbox, workflow, outbox. `hromada, many`: the same with many items loaded. `hromada, crowd` and
  `hromada, crowd, slow`: ten times as many people, and a Telegram that takes 100 ms for each call. `hromada, page`: the
  people answer on the answer page, over HTTP, while their chats show the same.

Then a message of the organisers goes to 10,000 people while others tap, with Telegram's limits on: the median from tap
to saved beside that without it, and how long it takes.

python benchmarks/bot.py [--seconds 4] [--rounds 5] [--people 64] [--many 1000000] [--told 10000] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, time
from typing import Any

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

import _contenders
import aiohttp
from _contenders import FIRST_TOLD
from _faulty_telegram import Flood
from _figures import Figure, build_ratio, show
from _tapping import TappingCrowd, run_contender

from bot.commands.local_chat import find_free_port
from bot.emulator.mini_apps import sign_init_data
from bot.web.answer_page.address import PAGE_PATH

FEW = 1000
CROWD = 10
"""How many times more people a crowd has."""
SLOW = 0.1
"""Seconds that a slow Telegram takes for each call."""
RATE = 50
"""Answers a second at which the time from tap to saved is measured."""
CALM_RATE = 5
"""Answers a second beside a message to many, so that both fit into Telegram's limits."""
SETTLING = 5.0
"""Seconds after which nothing is on its way any more that was tapped before."""
GO_ON = "g:0::"
"""The button of the page where no item is in hand."""
TELEGRAM_RATE = 30
"""Messages a second that Telegram takes of a bot."""


async def throughput(kind: str, url: str, *, people: int, seconds: float, slow: float = 0.0) -> float:
    """Acknowledged answers a second, all people at once."""
    async with run_contender(kind, url, people=people, slow=slow) as crowd:
        before, begun = crowd.answers, perf_counter()
        await asyncio.sleep(seconds)
        return (crowd.answers - before) / (perf_counter() - begun)


async def page_throughput(url: str, *, people: int, seconds: float) -> float:
    """Answers a second that the answer page acknowledged, all people at once."""
    port = find_free_port()
    async with run_contender("hromada", url, people=people, page_port=port) as crowd, aiohttp.ClientSession() as client:
        crowd.paced = True
        await asyncio.sleep(1)  # what was tapped in the chat is saved
        page, token, answers = f"http://127.0.0.1:{port}{PAGE_PATH}", crowd.telegram.token, 0
        opened = await asyncio.gather(*(_open_page(client, page, token, number) for number in range(1, people + 1)))
        begun = perf_counter()

        async def answer(headers: dict[str, str], work: dict[str, Any]) -> None:
            nonlocal answers
            while perf_counter() - begun < seconds:
                item = work["item"]
                data = item["asked"]["options"][0]["data"] if item else GO_ON
                async with client.post(f"{page}tap", headers=headers, json={"data": data}) as response:
                    response.raise_for_status()
                    work = await response.json()
                answers += item is not None

        await asyncio.gather(*(answer(*one) for one in opened))
        return answers / (perf_counter() - begun)


async def _open_page(
    client: aiohttp.ClientSession, page: str, token: str, user_id: int
) -> tuple[dict[str, str], dict[str, Any]]:
    """The headers of somebody's session, and the item that they have in hand."""
    fields = {"user": json.dumps({"id": user_id}), "auth_date": str(int(time()))}
    async with client.post(f"{page}session", json={"init_data": sign_init_data(fields, token)}) as response:
        headers = {"Authorization": f"Bearer {(await response.json())['token']}"}
    async with client.get(f"{page}work", headers=headers) as response:
        return headers, await response.json()


async def latency(url: str, *, people: int, seconds: float) -> list[float]:
    """Milliseconds from tap to acknowledgement, which follows the commit, at a steady rate."""
    async with run_contender("hromada", url, people=people) as crowd:
        crowd.paced = True
        await asyncio.sleep(1)
        crowd.times.clear()
        end = perf_counter() + seconds
        await crowd.tap_steadily(RATE, until=lambda: perf_counter() >= end)
        return [1000 * one for one in crowd.times]


async def broadcast(url: str, *, people: int, told: int, seconds: float) -> tuple[float, float, float]:
    """Median milliseconds from tap to acknowledgement without and with a message to so many people beside it, and the
    time that it takes, over what Telegram's limits allow for all messages of that time.
    """
    async with run_contender("hromada", url, people=people) as crowd:
        crowd.paced = True
        await asyncio.sleep(SETTLING)
        crowd.telegram.flood = Flood()
        for number in range(FIRST_TOLD, FIRST_TOLD + told):
            crowd.telegram.person(number).chat.started = True
        alone = await _tap_calmly(crowd, until=lambda: False, seconds=seconds)
        texts = Counter[str]()
        crowd.telegram.display_log.watchers.append(lambda entry: texts.update([entry.text]))
        await asyncio.to_thread(_contenders.announce, crowd.url, told=told)
        begun, before = perf_counter(), crowd.telegram.calls["sendmessage"]

        def is_over() -> bool:
            return sum(count for text, count in texts.items() if _contenders.ANNOUNCED in text) >= told

        beside = await _tap_calmly(crowd, until=is_over, seconds=told)
        if not is_over():
            raise RuntimeError("The message did not reach everybody.")
        allowed = (crowd.telegram.calls["sendmessage"] - before) / TELEGRAM_RATE
        took = perf_counter() - begun
    return median(alone), median(beside), took / allowed


async def _tap_calmly(crowd: TappingCrowd, *, until: Callable[[], bool], seconds: float) -> list[float]:
    """Tap at CALM_RATE for so many seconds, or until something is so; milliseconds from tap to acknowledgement."""
    crowd.times.clear()
    end = perf_counter() + seconds
    await crowd.tap_steadily(CALM_RATE, until=lambda: perf_counter() >= end or until())
    return [1000 * one for one in crowd.times]


def prepared(folder: Path, *, items: int, people: int) -> str:
    """A database with a running project of so many items, each to be answered by everybody."""
    url = f"sqlite:///{folder / f'{items}.db'}"
    _contenders.prepare(url, folder, items=items, overlap=people)
    return url


async def main(*, people: int, seconds: float, rounds: int, many: int, told: int) -> list[Figure]:
    """Every figure."""
    measured: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="hromada-bench-") as name:
        folder = Path(name)
        few = prepared(folder, items=FEW, people=people)
        much = prepared(folder, items=many, people=people) if many != FEW else few
        (folder / "crowd").mkdir()
        crowd = prepared(folder / "crowd", items=FEW, people=people * CROWD)
        contenders: dict[str, tuple[str, int, float]] = {
            "bare": (few, people, 0.0),
            "aiohttp": (few, people, 0.0),
            "hromada": (few, people, 0.0),
            "hromada, many": (much, people, 0.0),
            "hromada, crowd": (crowd, people * CROWD, 0.0),
            "hromada, crowd, slow": (crowd, people * CROWD, SLOW),
        }
        for number in range(rounds):
            for kind, (url, n, slow) in contenders.items():
                found = await throughput(kind.split(",")[0], url, people=n, seconds=seconds, slow=slow)
                measured.setdefault(kind, []).append(found)
                _report_round(number, kind, found)
                if kind == "hromada":  # one after the other: machines slow down as they work
                    page = await page_throughput(few, people=people, seconds=seconds)
                    measured.setdefault("hromada, page", []).append(page)
                    _report_round(number, "hromada, page", page)
        times = await latency(few, people=people, seconds=seconds * 3) if rounds else []
        (folder / "told").mkdir()
        calm = prepared(folder / "told", items=FEW, people=people)
        _contenders.add_people(calm, told=told)
        alone, beside, share = await broadcast(calm, people=people, told=told, seconds=seconds * 15)
    return [*(_figures(measured, times) if rounds else []), *_compare_broadcast(alone, beside, share, told=told)]


def _report_round(number: int, kind: str, found: float) -> None:
    print(f"round {number + 1}: {kind:<20} {found:8.1f} answers/s, load {os.getloadavg()[0]:.1f}", file=sys.stderr)


def _compare_broadcast(alone: float, beside: float, share: float, *, told: int) -> list[Figure]:
    print(f"tap to saved at {CALM_RATE}/s: {alone:.2f} ms alone, {beside:.2f} ms beside", file=sys.stderr)
    return [
        build_ratio(f"tap to saved beside a message to {told}, p50", beside, alone, most=1.2),
        Figure("its time to what Telegram's limits allow", share, "times", "<= 1.1", share <= 1.1),
    ]


def _figures(measured: dict[str, list[float]], times: list[float]) -> list[Figure]:
    """Medians, each with all that was measured beside it on the error stream, and the goals."""
    for kind, found in measured.items():
        print(f"{kind:<14} {' '.join(f'{one:.1f}' for one in found)}", file=sys.stderr)
    middle = {kind: median(found) for kind, found in measured.items()}
    ours = middle["hromada"]
    p99 = quantiles(times, n=100)[98]
    ratios = (
        ("to bare python-telegram-bot", ours / middle["bare"], 2.0),
        ("to the same with aiohttp", ours / middle["aiohttp"], 0.4),
        ("a crowd and a slow Telegram to a quick one", middle["hromada, crowd, slow"] / middle["hromada, crowd"], 0.8),
        ("the page to the chat", middle["hromada, page"] / ours, 0.7),
    )
    many = ours / middle["hromada, many"]
    return [
        *(Figure(kind, value, "1/s") for kind, value in middle.items() if kind != "hromada"),
        Figure("hromada", ours, "1/s", ">= 200", ours >= 200),
        *(Figure(name, value, "times", f">= {goal}", value >= goal) for name, value, goal in ratios),
        Figure("few items to many", many, "times", "<= 1.3", many <= 1.3),
        Figure(f"tap to saved at {RATE}/s, p50", median(times), "ms"),
        Figure(f"tap to saved at {RATE}/s, p99", p99, "ms", "< 50", p99 < 50),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--people", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--many", type=int, default=1_000_000)
    parser.add_argument("--told", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    show(
        "The bot",
        asyncio.run(
            main(
                people=chosen.people,
                seconds=chosen.seconds,
                rounds=chosen.rounds,
                many=chosen.many,
                told=chosen.told,
            )
        ),
    )
