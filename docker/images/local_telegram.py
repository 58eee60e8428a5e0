"""The local Telegram in a container, with people who tap: for bots in other containers, or in this one.

Listens on port 8090 for bots, and for the trials in this folder:

| request | what happens |
|---|---|
| `POST /go` | everybody writes /start, and taps from now on |
| `GET /marks` | how many answers screens showed as saved, and how many updates wait here |
| `POST /compare` | nobody taps any more; once all is handled, the screens are compared with the database |
| `POST /forget` | forget what the screens showed: the database is to be an older one |
"""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path

import _crowd
from _crowd import Crowd
from _faulty_telegram import FaultyServer, FaultyTelegram
from aiohttp import web

from annotation.settings import read_settings
from annotation.store import database
from bot.emulator.model import DisplayedEvent

PORT = 8090
PEOPLE = 8
LATENCY = 0.2
"""Seconds that each call takes, so that people tap about as fast as people do."""


class People:
    """The people and what they saw; the methods answer the trials."""

    def __init__(self, telegram: FaultyTelegram) -> None:
        self.telegram = telegram
        self.people = [telegram.person(number) for number in range(1, PEOPLE + 1)]
        self.crowd = Crowd(telegram, random.Random(7))  # noqa: S311
        telegram.display_log.watchers.append(self._watch)

    def _watch(self, entry: DisplayedEvent) -> None:
        self.crowd.watch(entry)

    async def go(self, _: web.Request) -> web.Response:
        """Let everybody tap."""
        self.crowd.tapping = True
        for person in self.people:
            person.send("/start")
        return await self.marks(_)

    async def marks(self, _: web.Request) -> web.Response:
        """How far they are."""
        waiting = len(self.telegram.queue.waiting)
        return web.json_response({"marks": self.crowd.count_marks(), "waiting": waiting})

    async def forget(self, _: web.Request) -> web.Response:
        """People who saw nothing yet, in the same chats."""
        self.crowd = Crowd(self.telegram, random.Random(8))  # noqa: S311
        return await self.marks(_)

    async def compare(self, _: web.Request) -> web.Response:
        """Compare screens with the database, of whatever release; 409 with the difference if there is one."""
        self.crowd.tapping = False
        with database.open_engine(read_settings().database_url) as engine:
            opened = database.Database(engine)
            try:
                await self._wait_for_calm(opened)
                for person in self.people:
                    await _crowd.answer_once_more(self.crowd, person)
                await self._wait_for_calm(opened)
                stored = _crowd.compare_screens(opened, self.crowd)
            except AssertionError as difference:
                return web.json_response({"difference": str(difference)}, status=409)
        judgements = sum(map(len, stored.values()))
        return web.json_response({"judgements": judgements, "marks": self.crowd.count_marks(), "lost": 0})

    async def _wait_for_calm(self, opened: database.Database) -> None:
        await _crowd.wait_until(lambda: _crowd.count_waiting(opened, self.telegram) == (0, 0, 0), seconds=120)


async def main() -> None:
    """Serve until the container ends."""
    telegram = FaultyTelegram(token=Path(os.environ["TOKEN_FILE"]).read_text("utf-8").strip())
    telegram.faults.latency = LATENCY
    people, server, app = People(telegram), FaultyServer(telegram), web.Application()
    app.router.add_route("*", "/bot{token}/{method}", server.handle_call)
    app.router.add_post("/go", people.go)
    app.router.add_get("/marks", people.marks)
    app.router.add_post("/forget", people.forget)
    app.router.add_post("/compare", people.compare)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.5)
    async with server:  # on loopback; it also brings updates to a webhook
        await runner.setup()
        await web.TCPSite(runner, "0.0.0.0", PORT).start()  # noqa: S104  # of the container
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
