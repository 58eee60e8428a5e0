"""`hromada delivery`: parked updates and messages, which could not be handled or sent: list, retry, drop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from annotation.errors import BadInput
from bot.commands import local_times, terminal_output
from bot.commands.command_line import AsJson, ListByDefault

app = typer.Typer(
    cls=ListByDefault,
    help="Retry or drop messages the bot could not process. `hromada delivery` lists it, `retry` and `drop` decide.",
)
Keys = Annotated[
    list[str] | None, typer.Argument(help="What to take, by its key in the list: u123 or m45.", show_default=False)
]
Everything = Annotated[bool, typer.Option("--all", help="All that is parked.")]
COLUMNS = ("key", "since", "annotator", "tries", "code", "calls", "reason")


@app.command("list")
def list_(json: AsJson = False) -> None:
    """List parked updates and messages, with the reason.

    Traces are in --json. They stay until they are tried again or dropped. Everything else goes on without them.
    """
    from annotation.store import parked
    from bot.commands import database_session

    with database_session.open_database() as database, database.reading() as view:
        listed = parked.list_parked(view)
    if json:
        terminal_output.print_json(
            [vars(delivery) | {"parked_at": delivery.parked_at.isoformat(timespec="seconds")} for delivery in listed]
        )
        return
    rows = [
        (
            delivery.key, local_times.format_minute(delivery.parked_at), delivery.pseudonym, delivery.attempts,
            delivery.code, ", ".join(delivery.methods) or None, delivery.reason,
        )
        for delivery in listed
    ]  # fmt: skip
    remedy = "Once the cause is fixed: hromada delivery retry KEY; to give it up: hromada delivery drop KEY."
    notes = (local_times.name_zone(), remedy)
    terminal_output.print_table(
        "Parked updates (u) and messages (m)", COLUMNS, rows, notes=notes if listed else ("Nothing is parked.",)
    )


@app.command()
def retry(keys: Keys = None, everything: Everything = False, json: AsJson = False) -> None:
    """Let the bot try parked updates and messages again.

    A running bot does so within seconds. With --all, updates that could not even be stored are left: they have no
    content, and can only be dropped.
    """
    from annotation.store import parked, processes
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        listed = [delivery.key for delivery in parked.list_parked(transaction) if not delivery.is_empty]
        chosen = _choose_keys(keys, listed, everything)
        parked.retry_parked(transaction, chosen, now=processes.get_database_time(transaction))
    _print_chosen("tried again", chosen, json=json)


@app.command()
def drop(keys: Keys = None, everything: Everything = False, json: AsJson = False) -> None:
    """Delete parked updates and messages for good."""
    from annotation.store import parked, processes
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        chosen = _choose_keys(keys, [delivery.key for delivery in parked.list_parked(transaction)], everything)
        parked.drop_parked(transaction, chosen, now=processes.get_database_time(transaction))
    _print_chosen("dropped", chosen, json=json)


def _choose_keys(keys: Sequence[str] | None, parked: Sequence[str], everything: bool) -> Sequence[str]:
    """The keys that were named, or all; raises BadInput unless it is one of both."""
    if bool(keys) == everything:
        raise BadInput("Nothing selected.", remedy="Give keys from `hromada delivery list`, or --all.")
    return parked if everything else tuple(dict.fromkeys(keys or ()))


def _print_chosen(done: str, keys: Sequence[str], *, json: bool) -> None:
    if json:
        terminal_output.print_json({done: list(keys)})
        return
    terminal_output.print_sentence(f"{', '.join(keys)}: {done}." if keys else f"Nothing was {done}.")
