"""A process that starts bots: `python _bot_spawner.py DATABASE TELEGRAM TOKEN [once [SECONDS]]`.

For every line that it reads it starts the bot as a process of its own, and prints its number; with `once` it is a bot
itself, by a clock that is so many seconds fast.
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import UTC, datetime, timedelta

from annotation.store import database
from bot import application

KEY = b"k" * 32


def run(url: str, telegram: str, token: str, *, fast: float = 0.0) -> None:
    """A bot, until it is ended."""
    with database.open_database(url, answer_seconds=10) as opened:
        settings = application.build_delivery_settings(key=KEY)
        app = application.build_application(
            token=token,
            database=opened,
            settings=settings,
            base_url=f"{telegram}/bot",
            clock=lambda: datetime.now(UTC) + timedelta(seconds=fast),
        )
        application.run_application(app, token=token, log_level="WARNING")


def main(url: str, telegram: str, token: str) -> None:
    """Everything is imported once: a bot is there at once, as often as it is killed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        number = os.fork()
        if number == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            run(url, telegram, token)
            os._exit(0)
        print(number, flush=True)


if __name__ == "__main__":
    if sys.argv[4:5] == ["once"]:
        run(*sys.argv[1:4], fast=float("".join(sys.argv[5:]) or 0))
    else:
        main(*sys.argv[1:])
