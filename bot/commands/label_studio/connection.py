"""The server of the settings, and the options that several `label-studio` commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sqlmodel import Session

    from annotation.label_studio.client import Client
    from annotation.store.database import Database
    from annotation.store.models import Annotator

OptionalProject = Annotated[str | None, typer.Argument(help="A project, by name or file; all without it.")]
WHO = "The annotator: a pseudonym, or the e-mail or number of their account there."
AnnotatorOption = Annotated[str, typer.Option("--person", help=WHO, show_default=False)]
SecondPass = Annotated[
    bool, typer.Option("--second", help="The second pass: what the annotator answered, with the gold beside it.")
]

MAX_NUMBER_DIGITS = 10
"""A longer number is no account: pseudonyms have more characters, and one may have digits only."""


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


def find_annotator(database: Database, client: Client, written: str) -> str:
    """The pseudonym of an annotator by their pseudonym, or by the e-mail or number of their account there.

    An account that is nobody's becomes a new annotator's. Raises NotFound for what is neither.
    """
    from annotation.label_studio import sync
    from annotation.workflow.annotators import administration

    is_number = written.isdecimal() and len(written) < MAX_NUMBER_DIGITS
    if "@" not in written and not is_number:
        with database.reading() as view:
            return administration.get_annotator(view, written).pseudonym
    account_id = find_account(client, written)
    sync.adopt_server(database, client)
    with database.transaction() as transaction:
        return register_account(transaction, client, account_id)[0].pseudonym


def register_account(transaction: Session, client: Client, account_id: int) -> tuple[Annotator, bool]:
    """The annotator of an account, made where it is nobody's; and whether the link is new."""
    from annotation.label_studio import sync
    from annotation.settings import read_settings
    from annotation.store import pseudonyms
    from bot.commands import database_session

    now = database_session.get_current_time()
    key = pseudonyms.ensure_key(transaction, file=read_settings().key_file, now=now)
    return sync.register_account(transaction, server=client.server_id, user_id=account_id, key=key, now=now)
