"""`hromada label-studio doctor` and `link`: the server, its accounts, and their annotators."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.command_line import AsJson
from bot.commands.label_studio import connection

if TYPE_CHECKING:
    pass


def doctor(json: AsJson = False) -> None:
    """Check the Label Studio server, its accounts, and every batch there.

    The exit code is 1 where something has to be mended.
    """
    from annotation.label_studio import doctor
    from bot.commands import database_session, terminal_output

    with database_session.open_database(create=True) as database, connection.connect() as client:
        examination = doctor.examine_server(database, client)
    if json:
        terminal_output.print_json(examination.as_json())
    else:
        terminal_output.print_table(
            f"Label Studio {examination.version} at {examination.url}",
            ("account", "name", "person"),
            examination.accounts,
            notes=["`hromada label-studio link ACCOUNT` says which annotator an account belongs to."],
        )
        terminal_output.print_table(
            "Batches", ("project", "person", "pass", "there", "tasks", "is"), examination.batches
        )
    if not examination.well:
        sys.exit(1)


def link(
    account: Annotated[str, typer.Argument(help="The account there: its number, or its e-mail.", show_default=False)],
    person: Annotated[
        str | None, typer.Option("--person", help="The annotator, by pseudonym; without it, a new one.")
    ] = None,
) -> None:
    """Say which annotator an account belongs to.

    Only its number is stored. Earlier answers of the account come with the next pull. `push --person E-MAIL` links it.
    """
    from annotation.label_studio import sync
    from annotation.workflow.annotators import roster
    from bot.commands import database_session, terminal_output

    with database_session.open_database(create=True) as database, connection.connect() as client:
        account_id = connection.find_accounts(client, [account])[account]
        sync.adopt_server(database, client)
        with database.transaction() as transaction:
            if person is None:
                annotator, is_new = connection.register_account(transaction, client, account_id)
            else:
                annotator = roster.get_annotator(transaction, person)
                is_new = sync.link_account(
                    transaction, server=client.server_id, user_id=account_id, annotator=annotator
                )
    terminal_output.print_sentence(f"Account {account_id} {'is' if is_new else 'was already'} {annotator.pseudonym}'s.")
