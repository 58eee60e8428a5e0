"""`hromada label-studio adopt`: a project that somebody made by hand in Label Studio."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import Unavailable
from bot.commands import terminal_output
from bot.commands.command_line import AsJson
from bot.commands.label_studio import connection

if TYPE_CHECKING:
    from annotation.label_studio.client import Client
    from annotation.label_studio.sync import Adoption, PullResult
    from annotation.store.database import Database


def adopt(
    url: Annotated[
        str, typer.Argument(metavar="URL-OF-PROJECT", help="The address of the project there.", show_default=False)
    ],
    folder: Annotated[
        Path | None, typer.Argument(help="The folder to make, after which the project is named.", show_default=False)
    ] = None,
    json: AsJson = False,
) -> None:
    """Follow a project that somebody made by hand in Label Studio.

    Writes its project file and items into FOLDER (label-studio-NUMBER), loads them, and imports all annotations. Each
    account becomes an annotator. `pull` and `watch` then import what changes there. Nothing is written there. Run it
    again after the labelling interface changed.
    """
    from annotation.label_studio import sync
    from bot.commands import database_session

    with database_session.open_database(create=True) as database, connection.connect() as client:
        connection.warn_of_version(client)
        remote_id = sync.parse_project_address(url, server=client.url)
        sync.adopt_server(database, client)
        clock = database_session.make_clock(database)
        adoption = sync.adopt_project(database, client, remote_id, folder=folder, clock=clock)
        with terminal_output.show_progress("annotations", quiet=json) as progress:
            results = sync.pull_batches(
                database, client, clock=clock, project_id=adoption.project_id, progress=progress
            )
        pulled = next(result for result in results if result.remote_id == remote_id)
        people = _list_people(database, client, adoption.project_id)
    if json:
        terminal_output.print_json(_build_json(adoption, pulled, people))
    else:
        _print_adoption(adoption, pulled, people)
    if pulled.problem:
        sys.exit(1)


def _list_people(database: Database, client: Client, project_id: int) -> list[tuple[str, str, int]]:
    """The e-mail of each account that answered, its pseudonym, and how many items it answered."""
    from annotation.label_studio.sync import count_answers

    try:
        emails = {account.id: account.email or str(account.id) for account in client.list_accounts()}
    except Unavailable:
        emails = {}
    with database.reading() as view:
        counted = count_answers(view, server=client.server_id, project_id=project_id)
    return [(emails.get(account, str(account)), pseudonym, number) for account, pseudonym, number in counted]


def _print_adoption(adoption: Adoption, pulled: PullResult, people: list[tuple[str, str, int]]) -> None:
    verb = "Adopted" if adoption.is_new else "Adopted before, read again:"
    terminal_output.print_sentence(f"{verb} {adoption.name}: {adoption.items} items, {adoption.file}")
    terminal_output.print_table("People", ("account", "person", "answered or skipped"), people)
    for control in adoption.left_out:
        terminal_output.print_sentence(f"Left out, no question type is like it: {control}")
    for what, number in adoption.not_answers.items():
        terminal_output.print_sentence(f"{what}: {number}")
    for why, number in pulled.set_aside:
        terminal_output.print_sentence(f"Annotations set aside: {number}: {why}")
    for doubt in adoption.doubts:
        terminal_output.print_sentence(f"? {doubt}")
    if pulled.problem:
        print(f"hromada: {pulled.problem}", file=sys.stderr)
    terminal_output.print_line("\nThen:\n")
    for command in _list_commands(adoption):
        terminal_output.print_line(f"    {command}")


def _list_commands(adoption: Adoption) -> tuple[str, str]:
    name = shlex.quote(adoption.name)
    return f"hromada agreement {name}", f"hromada label-studio pull {name}"


def _build_json(adoption: Adoption, pulled: PullResult, people: list[tuple[str, str, int]]) -> dict[str, object]:
    return {
        "project": adoption.name,
        "project file": str(adoption.file),
        "new": adoption.is_new,
        "items": adoption.items,
        "people": [dict(zip(("account", "annotator", "answered"), row, strict=True)) for row in people],
        "left_out": list(adoption.left_out),
        "not_answers": dict(adoption.not_answers),
        "unsure": list(adoption.doubts),
        "commands": list(_list_commands(adoption)),
        "pulled": pulled.as_json(),
    }
