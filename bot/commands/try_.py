"""`hromada try`: a campaign in the browser as annotators will see it; no token, no account, nothing is stored."""

from __future__ import annotations

import asyncio
import secrets
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.command_line import AllowOutside, AsJson

if TYPE_CHECKING:
    from annotation.store.database import Database
    from bot.emulator.server import Server


def try_(
    file: Annotated[Path, typer.Argument(help="The project file.")],
    port: Annotated[int, typer.Option(help="The port of the page; any free one by default.", min=0, max=65535)] = 0,
    allow_outside: AllowOutside = False,
    json: AsJson = False,
) -> None:
    """Answer a campaign yourself, in a chat in your browser.

    Runs the bot on a local Telegram and a database that is thrown away. Ctrl-C ends it.
    """
    import tempfile

    import sqlalchemy as sa

    from annotation.store import database

    key = secrets.token_bytes(32)
    with tempfile.TemporaryDirectory(prefix="hromada-try-") as folder:
        url = sa.URL.create("sqlite", database=str(Path(folder) / "try.db"))
        with database.open_database(url) as opened:
            _start_campaign(opened, file, key=key, allow_outside=allow_outside)
            asyncio.run(serve_page(opened, key=key, port=port, json=json))


def _start_campaign(database: Database, file: Path, *, key: bytes, allow_outside: bool) -> None:
    """Load and start the campaign; raises Conflict where it cannot start."""
    from annotation.store import pseudonyms, queries
    from annotation.workflow.lifecycle import projects, transitions
    from bot.commands import database_session

    with database.transaction() as transaction:
        pseudonyms.record_key(transaction, key, now=database_session.get_current_time())
        now = database_session.get_current_time()
        projects.load_project_file(transaction, file, now=now, allow_outside=allow_outside)
        for project in queries.list_projects(transaction):
            transitions.start_project(
                transaction, project=project, now=database_session.get_current_time(), rehearsal=True
            )


async def serve_page(database: Database, *, key: bytes, port: int, json: bool, keep: bool = False) -> None:
    """Run the bot on a local Telegram and serve its page until a signal comes.

    With `keep` the database is one that stays: whoever answers there is marked as simulated.
    """
    from bot import application
    from bot.delivery import logs
    from bot.emulator.model import User
    from bot.emulator.request import LocalRequest
    from bot.emulator.server import Server
    from bot.emulator.telegram import Telegram

    telegram = Telegram(
        token=f"7000000001:{secrets.token_urlsafe(24)}",
        me=User(7_000_000_001, "hromada", username="hromada_local_bot", is_bot=True),
    )
    logs.configure_logging("WARNING", token=telegram.token)
    app = application.build_application(
        token=telegram.token,
        database=database,
        settings=application.build_delivery_settings(key=key, simulated=keep),
        request=LocalRequest(telegram),
    )
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    server = Server(telegram)
    await _start_server(server, port)
    try:
        async with application.poll_in_background(app):
            _print_address(f"{server.url}/?token={server.page.ticket}", json=json, keep=keep)
            await ended.wait()
    finally:
        await server.stop()


async def _start_server(server: Server, port: int) -> None:
    from annotation.errors import BadInput, Where

    try:
        await server.start(port=port)
    except OSError:
        raise BadInput(
            f"Port {port} is taken.", where=Where(field="--port"), remedy="Name another, or none for any free one."
        ) from None


def _print_address(address: str, *, json: bool, keep: bool) -> None:
    from bot.commands import terminal_output

    if json:
        terminal_output.print_json({"address": address})
        return
    kept = "answers are kept, and marked as simulated" if keep else "nothing is kept"
    for line in (
        "Open this address once, in a browser on this machine:",
        f"  {address}",
        f"It is not Telegram: nothing leaves this machine, and {kept}. Ctrl-C ends it.",
    ):
        terminal_output.print_line(line)
