"""A process that starts bots for a moment of a given day: `python notice_worker.py TELEGRAM TOKEN`.

For each line of JSON that it reads (the address of the database, the time in seconds since 1970, at which event to be
killed, 0 for none, and the Telegram ids of organisers) a bot stores what is to be sent and sends it, as a process of
its own. It is killed before a statement that writes, before a commit, before a call, or after the answer to a call, as
these come. Then a line says whether it was.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from datetime import UTC, datetime
from functools import partial
from typing import Any

import sqlalchemy as sa

from annotation.store import database
from bot import application
from bot.conversation.updates_and_calls import ConversationSettings
from bot.delivery import limits_and_retries
from bot.delivery.telegram_api import AiohttpRequest

ROUNDS = 2
"""How many times it looks for something to send."""


class Countdown:
    """Kills the process at an event."""

    def __init__(self, kill_at: int) -> None:
        self.left = kill_at

    def count(self, *_: object) -> None:
        """An event is about to happen."""
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def count_write(self, _connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        """A statement is about to be executed."""
        if statement.lstrip().split(maxsplit=1)[0] in {"INSERT", "UPDATE", "DELETE"}:
            self.count()


class CountedRequest(AiohttpRequest):
    """Calls over HTTP, each of which is two events: before it, and once it is answered."""

    def __init__(self, countdown: Countdown) -> None:
        super().__init__()
        self.countdown = countdown

    async def do_request(self, *arguments: Any, **options: Any) -> tuple[int, bytes]:
        """Make a call."""
        self.countdown.count()
        answer = await super().do_request(*arguments, **options)
        self.countdown.count()
        return answer


async def send(app: application.BotApplication) -> None:
    """Store what is to be sent now, and send it."""
    async with app:
        for _ in range(ROUNDS):
            await app.sweeper.lease.acquire()
            observed = app.sweeper._observe()
            await app.runner.run(partial(app.sweeper._store_notifications, observed=observed))
            await app.sweeper.sweep_once()
            while app.sweeper._paced:
                await app.sweeper._send_next_paced()
            await app.sender.wait_until_idle()
            await app.receipts.save()


def run(telegram: str, token: str, *, url: str, at: float, kill_at: int, organisers: list[int]) -> None:
    """A bot at this time."""
    limits_and_retries.CHAT_SECONDS, limits_and_retries.OVERALL_SECONDS = (
        0.0,
        0.03,
    )  # one message after another, as it is in earnest
    countdown, now = Countdown(kill_at), datetime.fromtimestamp(at, UTC)
    with database.open_database(url) as opened:
        app = application.build_application(
            token=token,
            database=opened,
            settings=application.build_delivery_settings(
                ConversationSettings(key=b"k" * 32, organisers=frozenset(organisers))
            ),
            base_url=f"{telegram}/bot",
            clock=lambda: now,
            database_clock=lambda: now,
            request=CountedRequest(countdown),
        )
        sa.event.listen(opened.engine, "before_cursor_execute", countdown.count_write)
        sa.event.listen(opened.engine, "commit", countdown.count)
        asyncio.run(send(app))


def main(telegram: str, token: str) -> None:
    """Everything is imported once."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            run(telegram, token, **json.loads(line))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print("killed" if os.WIFSIGNALED(status) else "done" if status == 0 else "failed", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3])
