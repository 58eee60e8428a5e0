"""`--label-studio` of `hromada adjudicate` and `hromada review`: what waits is decided in Label Studio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import terminal_output

if TYPE_CHECKING:
    from annotation.label_studio.sync import DecisionOrder, DecisionPush
    from annotation.store.database import Database

InLabelStudio = Annotated[bool, typer.Option("--label-studio", help="Send what waits to Label Studio.")]
TaskNumber = Annotated[int, typer.Option(min=0, help="With --label-studio: how many wait there in all.")]
DEFAULT_NUMBER = 50
NUMBER_PROBLEM = "--number is how many are to wait in Label Studio."


def push_decisions(database: Database, order: DecisionOrder, *, as_json: bool) -> None:
    """Send what waits for somebody to their project in Label Studio, and print what was done."""
    from annotation.label_studio import client as clients
    from annotation.label_studio import sync
    from bot.commands import database_session

    with clients.connect_server() as client:
        pushed = sync.push_decisions(database, client, order, clock=database_session.make_clock(database))
        names = {} if as_json else sync.read_full_names(database, client)
    if as_json:
        terminal_output.print_json(pushed.as_json())
        return
    for line in _describe_push(pushed, names.get(pushed.person, pushed.person)):
        terminal_output.print_sentence(line)


def _describe_push(pushed: DecisionPush, name: str) -> Iterator[str]:
    """What was sent to somebody, by their e-mail and pseudonym, and what to do next."""
    recovered = f", {pushed.recovered} found there again" if pushed.recovered else ""
    cases = terminal_output.format_count(pushed.waiting, "task")
    yield f"{cases} for {name} in Label Studio: {pushed.sent} sent{recovered}. {pushed.address}"
    if pushed.is_new:
        yield "The project there had been deleted, and was made again."
    if pushed.withdrawn:
        yield f"Taken away: {pushed.withdrawn}, which were decided elsewhere or no longer wait."
    if pushed.updated:
        yield f"Shown there as they are now: {pushed.updated}."
    if pushed.answered:
        yield f"Decided there and left as they are: {pushed.answered}. Take them over by: hromada label-studio pull"
    if pushed.sent_again:
        yield f"Deleted there by somebody, and still open: {', '.join(pushed.sent_again)}."
    if pushed.elsewhere:
        yield f"Not sent, since they wait in Label Studio for somebody else: {pushed.elsewhere}."
    if not pushed.linked:
        yield (f"No account is linked; before the pull: hromada label-studio link ACCOUNT --person {pushed.person}")
