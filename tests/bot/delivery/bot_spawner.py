"""A process that starts bots: `python bot_spawner.py DATABASE TELEGRAM TOKEN`.

For every line that it reads it starts the bot as a process of its own, and prints its number.
"""

from __future__ import annotations

import os
import signal
import sys

from annotation.store import database
from bot import application

KEY = b"k" * 32


def run(url: str, telegram: str, token: str) -> None:
    """A bot, until it is ended."""
    with database.open_database(url) as opened:
        settings = application.build_delivery_settings(key=KEY)
        app = application.build_application(token=token, database=opened, settings=settings, base_url=f"{telegram}/bot")
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
    main(*sys.argv[1:])
