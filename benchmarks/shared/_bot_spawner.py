"""A process that starts bots: `python _bot_spawner.py TELEGRAM TOKEN [BOT]`.

TOKEN is that of a bot, or of several with commas between them. BOT is an object of JSON: the address of the database as
`url`, and what else `run` takes. For every such line that it reads, it starts that bot as a process of its own and
prints its number; where one is given, it is that bot itself.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from annotation.store import database
from bot import application
from bot.commands.bot import ANSWER_SECONDS
from bot.conversation.updates_and_calls import ConversationSettings
from bot.delivery.delivery_settings import configure_logging
from bot.delivery.webhook import ListenAddress
from bot.web.answer_page.address import PAGE_PATH

KEY = b"k" * 32


def run(
    telegram: str,
    token: str,
    *,
    url: str,
    fast: float = 0.0,
    webhook: str = "",
    port: int = 0,
    pace: float = 1.0,
    offset_file: str = "",
    page_port: int = 0,
) -> None:
    """A bot, until it is ended: by a clock that is `fast` by so many seconds, and by those that are in `offset_file`,
    called at `webhook` and listening at `port`, or serving the answer page at `page_port`. Its watchdog's patience is
    divided by `pace`.
    """
    offset = Path(offset_file) if offset_file else None
    with database.open_database(url, answer_seconds=ANSWER_SECONDS) as opened:
        tokens = token.split(",")
        apps = application.build_applications(
            tokens,
            database=opened,
            settings=application.build_delivery_settings(
                ConversationSettings(key=KEY), bot_names=dict.fromkeys(map(application.parse_bot_id, tokens), "")
            ),
            base_url=f"{telegram}/bot",
            clock=lambda: datetime.now(UTC) + timedelta(seconds=fast + (float(offset.read_text()) if offset else 0.0)),
        )
        for app in apps:
            app.watchdog.seconds /= pace
            app.watchdog.silent_seconds /= pace
        listen = ListenAddress(host="127.0.0.1", port=port, field="port")
        address = application.WebhookAddress(url=webhook, listen=listen) if webhook else None
        page = None
        if page_port:
            own = ListenAddress(host="127.0.0.1", port=page_port, field="page_port")
            page = application.PageAddress(url=f"http://127.0.0.1:{page_port}{PAGE_PATH}", listen=own)
        configure_logging("WARNING", *tokens)
        application.run_application(*apps, webhook=address, page=page)


def main(telegram: str, token: str) -> None:
    """Everything is imported once: a bot is there at once, as often as it is killed.

    Bots that have ended are not waited for, so that no other process of the machine gets their numbers.
    """
    for line in sys.stdin:
        number = os.fork()
        if number == 0:
            run(telegram, token, **json.loads(line))
            os._exit(0)
        print(number, flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 3:
        run(sys.argv[1], sys.argv[2], **json.loads(sys.argv[3]))
    else:
        main(sys.argv[1], sys.argv[2])
