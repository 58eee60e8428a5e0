"""`hromada try`: a campaign in the browser as annotators will see it; no token, no account, nothing is stored."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.command_line import AllowOutside, AsJson

if TYPE_CHECKING:
    from annotation.store.database import Database


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
    from bot.commands import added_texts, local_chat

    added_texts.use_added_texts()
    key = secrets.token_bytes(32)
    with tempfile.TemporaryDirectory(prefix="hromada-try-") as folder:
        url = sa.URL.create("sqlite", database=str(Path(folder) / "try.db"))
        with database.open_database(url) as opened:
            _start_campaign(opened, file, key=key, allow_outside=allow_outside)
            asyncio.run(local_chat.serve_page(opened, key=key, port=port, json=json))


def _start_campaign(database: Database, file: Path, *, key: bytes, allow_outside: bool) -> None:
    """Load and start the campaign; raises Conflict where it cannot start."""
    from annotation.store import pseudonyms, queries
    from annotation.workflow.lifecycle import projects, transitions
    from bot.commands import database_session

    with database.transaction() as transaction:
        pseudonyms.record_key(transaction, key, now=database_session.get_time(transaction))
        now = database_session.get_time(transaction)
        projects.load_project_file(transaction, file, now=now, allow_outside=allow_outside)
        for project in queries.list_projects(transaction):
            transitions.start_project(
                transaction, project=project, now=database_session.get_time(transaction), rehearsal=True
            )
