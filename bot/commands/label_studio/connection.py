"""The server of the settings, and the options that several `label-studio` commands share."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import HromadaError, NotFound

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


def warn_of_version(client: Client) -> None:
    """Print a warning on the error stream for a release of the server that is not among those that were tried."""
    from annotation.label_studio import server_models

    warning = server_models.explain_version(client.get_version())
    if warning is not None:
        print(f"hromada: {warning}", file=sys.stderr)


def find_project_id(database: Database, project: str | None) -> int | None:
    """The id of a project by name or file; None where none is named."""
    from bot.commands import database_session

    if project is None:
        return None
    with database.reading() as view:
        return database_session.get_project(view, project).id


def find_accounts(client: Client, written: Sequence[str]) -> dict[str, int]:
    """The ids of accounts by what was written of them, an id or an e-mail; raises NotFound with all that are none."""
    ids = {key: account.id for account in client.list_accounts() for key in (str(account.id), account.email.casefold())}
    missing = list(dict.fromkeys(name for name in written if name.casefold() not in ids))
    if missing:
        raise NotFound(
            f"Label Studio has no account {', '.join(map(repr, missing))}.",
            remedy="People make theirs by the link that `hromada label-studio up` prints, and Organization → Invite "
            "Members there; `hromada label-studio doctor` lists them.",
        )
    return {name: ids[name.casefold()] for name in written}


def find_annotators(database: Database, client: Client, written: Sequence[str]) -> dict[str, str]:
    """What was written of annotators by their pseudonyms: a pseudonym, or the e-mail or number of their account there.

    An account that is nobody's becomes a new annotator's. Raises NotFound for what is neither; nothing was linked then.
    """
    from annotation.label_studio import sync
    from annotation.workflow.annotators import roster

    named = [name for name in written if "@" in name or (name.isdecimal() and len(name) < MAX_NUMBER_DIGITS)]
    accounts = find_accounts(client, named) if named else {}
    if named:
        sync.adopt_server(database, client)
    with database.transaction() as transaction:
        return {
            (
                register_account(transaction, client, accounts[name])[0]
                if name in accounts
                else roster.get_annotator(transaction, name)
            ).pseudonym: name
            for name in written
        }


@contextmanager
def resolve_person(database: Database, written: str) -> Iterator[str]:
    """The pseudonym of an annotator who is named by it, or by the e-mail of their account in Label Studio.

    Only for an e-mail is the server asked; errors within the block then also name people by their e-mails. Raises
    NotFound if it has no such account, or the account is nobody's.
    """
    from annotation.label_studio import sync

    if "@" not in written:
        yield written
        return
    with connect() as client:
        emails = {account.id: account.email for account in client.list_accounts()}
        account_id = find_accounts(client, [written])[written]
        sync.adopt_server(database, client)
        with database.reading() as view:
            pseudonyms = sync.map_accounts_to_pseudonyms(view, server=client.server_id)
    pseudonym = pseudonyms.get(account_id)
    if pseudonym is None:
        remedy = f"Link it: hromada label-studio link {written}, with --person PSEUDONYM if they have one."
        raise NotFound(f"The account {written} belongs to no annotator.", remedy=remedy)
    names = {name: emails[account] for account, name in sorted(pseudonyms.items()) if emails.get(account)}
    try:
        yield pseudonym
    except HromadaError as failure:
        raise failure.replace_words(names | {pseudonym: written}) from None


def register_account(transaction: Session, client: Client, account_id: int) -> tuple[Annotator, bool]:
    """The annotator of an account, made where it is nobody's; and whether the link is new."""
    from annotation.label_studio import sync
    from annotation.settings import read_settings
    from annotation.store import pseudonyms
    from bot.commands import database_session

    now = database_session.get_time(transaction)
    key = pseudonyms.ensure_key(transaction, file=read_settings().key_file, now=now)
    return sync.register_account(transaction, server=client.server_id, user_id=account_id, key=key, now=now)
