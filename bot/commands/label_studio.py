"""The command `hromada label-studio`: desks in Label Studio for trusted people."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import reading
from bot.commands.campaigns import AsJson

if TYPE_CHECKING:
    from annotation.label_studio.client import Client
    from annotation.label_studio.sync import Pushed

app = typer.Typer(help="Work at desks in Label Studio, by people who may see everything there.", no_args_is_help=True)
for command in (reading.pull, reading.watch):
    app.command()(command)
Name = Annotated[str, typer.Argument(help="The project's name, or its file.", show_default=False)]
Person = Annotated[str, typer.Option("--person", help="The person, by pseudonym.", show_default=False)]
Second = Annotated[bool, typer.Option("--second", help="Her second pass: what she answered, with the gold beside it.")]


@contextmanager
def client() -> Iterator[Client]:
    """The server of the settings."""
    from annotation.label_studio.client import Client
    from annotation.settings import settings

    chosen = settings()
    token = chosen.label_studio_token
    with Client(chosen.label_studio_url, None if token is None else token.get_secret_value()) as found:
        yield found


@app.command()
def doctor(json: AsJson = False) -> None:
    """Look whether Label Studio answers, whose its accounts are, and how the desks are.

    The exit code is 1 where something is to be mended.
    """
    from annotation.label_studio import doctor
    from bot.commands import console, session

    with session.opened(create=True) as database, client() as server:
        found = doctor.examine(database, server)
    if json:
        console.show_json(found.as_json())
    else:
        console.table(
            f"Label Studio {found.version} at {found.url}", ("account", "name", "person"), found.accounts,
            notes=["`hromada label-studio link ACCOUNT` says whose an account is."],
        )  # fmt: skip
        console.table("Desks", ("project", "person", "pass", "there", "tasks", "is"), found.desks)
    if not found.well:
        sys.exit(1)


@app.command()
def link(
    account: Annotated[str, typer.Argument(help="The account there: its number, or its e-mail.", show_default=False)],
    person: Annotated[
        str | None, typer.Option("--person", help="Whose it is, by pseudonym; without it, a new person's.")
    ] = None,
) -> None:
    """Say whose an account is.

    Only its number is stored. What was answered there before comes with the next pull.
    """
    from annotation.label_studio import sync
    from annotation.settings import settings
    from annotation.store import pseudonyms
    from annotation.workflow.annotators import administration, registration
    from bot.commands import console, session

    with session.opened(create=True) as database, client() as server:
        user = _account(server, account)
        with database.transaction() as transaction:
            if person is None:
                key = pseudonyms.key(transaction, file=settings().key_file, now=session.now())
                known = sync.linked(transaction, server=server.server).get(user)
                found = registration.join_desk(
                    transaction, account=f"{server.server} {user}", known=known, key=key, now=session.now()
                )
            else:
                found = administration.known_as(transaction, person)
            fresh = sync.link(transaction, server=server.server, user_id=user, person=found)
    console.said(f"Account {user} {'is' if fresh else 'was already'} {found.pseudonym}'s.")


def _account(server: Client, written: str) -> int:
    from annotation.errors import NotFound

    for one in server.users():
        if written in {str(one.id), one.email}:
            return one.id
    raise NotFound(f"Label Studio has no account {written!r}.", remedy="`hromada label-studio doctor` lists them.")


@app.command()
def push(
    project: Name,
    person: Person,
    number: Annotated[int, typer.Option(min=1, help="How many items are to wait at her desk, in all.")] = 50,
    second: Second = False,
    handed_over: Annotated[bool, typer.Option("--handed-over", help="Only items that Telegram gave up.")] = False,
    days: Annotated[int, typer.Option(min=1, help="For how long they wait for her.")] = 14,
    anew: Annotated[bool, typer.Option("--anew", help="Begin a new project there; the old one is left alone.")] = False,
    json: AsJson = False,
) -> None:
    """Fill a person's desk, up to a number of items.

    Done again, it adds nothing while they wait; broken off, it goes on where it was.
    """
    from datetime import timedelta

    from annotation.label_studio import sync
    from bot.commands import console, session

    order = sync.Order(
        project=session.project_name(project), person=person, number=number, second=second, handed_over=handed_over,
        anew=anew, lease=timedelta(days=days),
    )  # fmt: skip
    with session.opened() as database, client() as server, console.progress("push", quiet=json) as told:
        made = sync.push(database, server, order, clock=session.now, progress=told)
    if json:
        waiting = None if made.waiting is None else made.waiting.reason.value
        console.show_json({**vars(made), "waiting": waiting})
        return
    for line in _pushed(made):
        console.said(line)


def _pushed(made: Pushed) -> Iterator[str]:
    found = f", {made.recovered} found there again" if made.recovered else ""
    yield f"{made.in_hand} items wait at the desk of {made.person}: {made.handed} new, {made.sent} sent{found}."
    if made.waiting is not None:
        yield f"No more now: {made.waiting.reason.value}."
    if not made.linked:
        yield "No account there is known to be hers: `hromada label-studio link ACCOUNT --person CODE` before the pull."


@app.command("hand-over")
def hand_over(
    project: Name,
    reported: Annotated[bool, typer.Option("--reported", help="Those that people reported.")] = False,
    too_long: Annotated[bool, typer.Option("--too-long", help="Those too long for a phone.")] = False,
    json: AsJson = False,
) -> None:
    """Take items out of Telegram, for a desk: `push --handed-over` puts them there."""
    from annotation.errors import BadInput
    from annotation.store import queries
    from annotation.workflow.assignments import batches
    from bot.commands import console, session

    if not (reported or too_long):
        raise BadInput("Which items?", remedy="Say --reported, --too-long, or both.")
    with session.opened() as database, database.transaction() as transaction:
        found = queries.project(transaction, session.project_name(project))
        ids: set[int] = set()
        ids |= batches.reported(transaction, project_id=found.id or 0) if reported else set()
        ids |= batches.too_long(transaction, project_id=found.id or 0) if too_long else set()
        number = batches.hand_over(transaction, project=found, item_ids=ids, now=session.now())
        name = found.name
    if json:
        console.show_json({"project": name, "chosen": len(ids), "handed_over": number})
    else:
        console.said(f"{len(ids)} items of {name} are for desks, {number} of them from now on.")


@app.command("open")
def open_(
    project: Name,
    person: Person,
    second: Second = False,
    print_only: Annotated[bool, typer.Option("--print", help="Only print the address.")] = False,
) -> None:
    """Open a person's desk in the browser."""
    import webbrowser

    from annotation.errors import NotFound
    from annotation.label_studio import sync
    from annotation.store import queries
    from annotation.workflow.annotators import administration
    from bot.commands import console, session

    with session.opened() as database, client() as server, database.reading() as view:
        found = queries.project(view, session.project_name(project))
        whose = administration.known_as(view, person)
        rows = sync.of_project(view, server=server.server, project_id=found.id, annotator_id=whose.id)
        there = next((desk.remote_id for desk, _, _ in rows if desk.second == second), None)
        if there is None:
            remedy = f"Fill it: hromada label-studio push {found.name} --person {person}"
            raise NotFound(f"{person} has no such desk in {found.name}.", remedy=remedy)
        address = f"{server.url}/projects/{there}/data?labeling=1"
    console.said(address)
    if not print_only:
        webbrowser.open(address)
