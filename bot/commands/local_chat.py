"""The bot on a local Telegram, in a chat in the browser of this machine, for `try` and `bot --local`."""

from __future__ import annotations

import asyncio
import secrets
import signal
from typing import TYPE_CHECKING

from annotation.errors import BadInput, Where
from annotation.vocabulary import ProjectStatus
from bot.commands import terminal_output

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from annotation.store.database import Database
    from annotation.store.models import Project
    from annotation.workflow.monitoring.machine import MachineFacts
    from bot.emulator.server import Server


async def serve_page(
    database: Database,
    *,
    key: bytes,
    port: int,
    json: bool,
    time_zone: str,
    keep: bool = False,
    organisers: Collection[int] = (),
    look_at_machine: Callable[[], MachineFacts] | None = None,
) -> None:
    """Run the bot on a local Telegram and serve its page until a signal comes.

    Whoever is there first speaks the language of the first running project, where the bot speaks it. With `keep` the
    database is one that stays: whoever answers there is marked as simulated, and updates and messages are numbered on
    from those of the local Telegram before, which the database knows. `organisers` are ids of people there, who have
    1001, 1002 and so on. `time_zone` is that of the settings. `look_at_machine` says how the disk and the backups are,
    None for a database that is thrown away: there is nothing to back up.
    """
    from annotation.store import mailbox, queries
    from bot import application
    from bot.conversation.texts import get_texts, list_languages
    from bot.conversation.updates_and_calls import ConversationSettings
    from bot.delivery import delivery_settings
    from bot.delivery.webhook import ListenAddress, serve_http
    from bot.emulator.model import User
    from bot.emulator.request import LocalRequest
    from bot.emulator.server import Server
    from bot.emulator.telegram import Telegram
    from bot.web.answer_page.address import PAGE_PATH

    telegram = Telegram(
        token=f"7000000001:{secrets.token_urlsafe(24)}",
        me=User(7_000_000_001, "hromada", username="hromada_local_bot", is_bot=True),
    )
    delivery_settings.configure_logging("WARNING", telegram.token)
    page_port = find_free_port()
    origin = f"http://127.0.0.1:{page_port}"
    app = application.build_application(
        token=telegram.token,
        database=database,
        settings=application.build_delivery_settings(
            ConversationSettings(
                key=key,
                simulated=keep,
                organisers=frozenset(organisers),
                time_zone=time_zone,
                look_at_machine=look_at_machine,
                bot_name=telegram.me.username,
                page_url=f"{origin}{PAGE_PATH}",
            )
        ),
        request=LocalRequest(telegram),
    )
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    server = Server(telegram)
    with database.reading() as view:
        loaded = queries.list_projects(view)
        last_update, telegram.last_message = mailbox.get_last_numbers(view)
        telegram.queue.last = max(telegram.queue.last, last_update)
    server.page.languages = {language: get_texts(language)("language-name") for language in list_languages()}
    server.page.language = choose_language(loaded, server.page.languages) or server.page.language
    server.page.mini_apps = origin
    await _start_server(server, port)
    listen = ListenAddress(host="127.0.0.1", port=page_port, field="--port")
    pages = application.list_page_routes((app,), f"{origin}{PAGE_PATH}", frames=(server.url,))
    try:
        async with serve_http(pages, listen), application.poll_in_background(app):
            _print_address(f"{server.url}/?token={server.page.ticket}", json=json, keep=keep)
            await ended.wait()
    finally:
        await server.stop()


def choose_language(loaded: Sequence[Project], spoken: Collection[str]) -> str | None:
    """The language of the first running project whose language the bot speaks, else of the first of the others."""
    in_order = sorted(loaded, key=lambda project: project.status is not ProjectStatus.RUNNING)
    return next((project.language for project in in_order if project.language in spoken), None)


def find_free_port() -> int:
    """A port of this machine that is free now, for the answer page: its address is in messages before it listens."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _start_server(server: Server, port: int) -> None:
    try:
        await server.start(port=port)
    except OSError:
        raise BadInput(
            f"Port {port} is taken.", where=Where(field="--port"), remedy="Name another, or none for any free one."
        ) from None


def _print_address(address: str, *, json: bool, keep: bool) -> None:
    if json:
        terminal_output.print_json({"address": address})
        return
    kept = "answers are kept, and marked as simulated" if keep else "nothing is kept"
    for line in (
        "Open this address in a browser on this machine (it works once; reloading is fine):",
        f"  {address}",
        f"It is not Telegram: nothing leaves this machine, and {kept}. Ctrl-C ends it.",
    ):
        terminal_output.print_line(line)
