"""The server of the settings, and the options that several `label-studio` commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from annotation.label_studio.client import Client
    from annotation.store.database import Database

OptionalProject = Annotated[str | None, typer.Argument(help="A project, by name or file; all without it.")]
AnnotatorOption = Annotated[str, typer.Option("--person", help="The annotator, by pseudonym.", show_default=False)]
SecondPass = Annotated[
    bool, typer.Option("--second", help="The second pass: what the annotator answered, with the gold beside it.")
]


def connect() -> Client:
    """A client for the server that the settings name; it is closed at the end of its `with`."""
    from annotation.label_studio import client

    return client.connect_server()


def find_project_id(database: Database, project: str | None) -> int | None:
    """The id of a project by name or file; None where none is named."""
    from bot.commands import database_session

    if project is None:
        return None
    with database.reading() as view:
        return database_session.get_project(view, project).id


def find_account(client: Client, written: str) -> int:
    """The id of an account by its id or e-mail; raises NotFound."""
    from annotation.errors import NotFound

    for account in client.list_accounts():
        if written in {str(account.id), account.email}:
            return account.id
    raise NotFound(f"Label Studio has no account {written!r}.", remedy="`hromada label-studio doctor` lists them.")
