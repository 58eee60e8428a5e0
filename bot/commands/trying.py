"""The command that lets an organiser meet her campaign as an annotator will: no token, no account, nothing kept."""

from __future__ import annotations

import asyncio
import secrets
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.campaigns import AsJson

if TYPE_CHECKING:
    from annotation.store.database import Database
    from bot.emulator.server import Server


def try_(
    file: Annotated[Path, typer.Argument(help="The project file.")],
    port: Annotated[int, typer.Option(help="The port of the page; any free one by default.", min=0, max=65535)] = 0,
    json: AsJson = False,
) -> None:
    """Try a campaign in a chat of your own browser.

    Runs the bot on a local Telegram and a database that is thrown away. Ctrl-C ends it.
    """
    import tempfile

    import sqlalchemy as sa

    from annotation.store import database

    key = secrets.token_bytes(32)
    with tempfile.TemporaryDirectory(prefix="hromada-try-") as folder:
        url = sa.URL.create("sqlite", database=str(Path(folder) / "try.db"))
        with database.opened(url) as opened:
            _prepare(opened, file, key=key)
            asyncio.run(_run(opened, key=key, port=port, json=json))


def _prepare(database: Database, file: Path, *, key: bytes) -> None:
    """Load and start the campaign; raises BadInput where the bot does not offer it, Conflict where it cannot start."""
    from annotation.campaigns.project import definition_of
    from annotation.errors import BadInput, Where
    from annotation.store import pseudonyms, queries
    from annotation.workflow.lifecycle import projects, telegram_support, transitions
    from bot.commands import session

    with database.transaction() as transaction:
        pseudonyms.record(transaction, key, now=session.now())
        projects.load_file(transaction, file, now=session.now())
        for project in queries.projects(transaction):
            sentence = telegram_support.sentence(definition_of(project.definition))
            if sentence is not None:
                raise BadInput(sentence, where=Where(file=file), remedy="Try another campaign, or a part of this one.")
            transitions.start(transaction, project=project, now=session.now(), rehearsal=True)


async def _run(database: Database, *, key: bytes, port: int, json: bool) -> None:
    """Serve the page until a signal comes."""
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
    logs.log("WARNING", token=telegram.token)
    app = application.build(
        token=telegram.token, database=database, office=application.office(key=key), request=LocalRequest(telegram)
    )
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    server = Server(telegram)
    await _listen(server, port)
    try:
        async with application.polling(app):
            _say(f"{server.url}/?token={server.page.ticket}", json=json)
            await ended.wait()
    finally:
        await server.stop()


async def _listen(server: Server, port: int) -> None:
    from annotation.errors import BadInput, Where

    try:
        await server.start(port=port)
    except OSError:
        raise BadInput(
            f"Port {port} is taken.", where=Where(field="--port"), remedy="Name another, or none for any free one."
        ) from None


def _say(address: str, *, json: bool) -> None:
    from bot.commands import console

    if json:
        console.show_json({"address": address})
        return
    for line in (
        "Open this address once, in a browser on this machine:",
        f"  {address}",
        "It is not Telegram: nothing leaves this machine, and nothing is kept. Ctrl-C ends it.",
    ):
        console.console().print(line, markup=False, soft_wrap=True)
