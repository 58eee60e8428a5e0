"""`hromada people suspend`, `unsuspend`, `readmit`, `release`, `withdraw`, `forget`, `detach`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import Conflict, HromadaError
from bot.commands import local_times, terminal_output
from bot.commands.command_line import ProjectName, Pseudonym

if TYPE_CHECKING:
    from sqlmodel import Session

    from annotation.store.models import Annotator
    from annotation.workflow.annotators.detachment import Detachment


@contextmanager
def open_annotator(pseudonym: str) -> Iterator[tuple[Session, Annotator, datetime]]:
    """A transaction, the annotator with this pseudonym or e-mail, and the time; raises NotFound if nobody has it."""
    from annotation.workflow.annotators import roster
    from bot.commands import database_session
    from bot.commands.label_studio import connection

    with (
        database_session.open_database() as database,
        connection.resolve_person(database, pseudonym) as resolved,
        database.transaction() as transaction,
    ):
        yield transaction, roster.get_annotator(transaction, resolved), database_session.get_time(transaction)


def suspend(
    pseudonym: Pseudonym,
    reason: Annotated[
        str, typer.Option("--reason", help="Why. The annotator can read it in their data.", show_default=False)
    ],
) -> None:
    """Stop assigning items to an annotator in all projects; their answers stay as they are."""
    from annotation.workflow.annotators import roster

    with open_annotator(pseudonym) as (transaction, annotator, now):
        roster.suspend_annotator(transaction, annotator=annotator, reason=reason, now=now)
    terminal_output.print_sentence(f"{pseudonym} is suspended.")


def unsuspend(pseudonym: Pseudonym) -> None:
    """Lift an annotator's suspension."""
    from annotation.workflow.annotators import roster

    with open_annotator(pseudonym) as (transaction, annotator, now):
        changed = roster.unsuspend_annotator(transaction, annotator=annotator, now=now)
    terminal_output.print_sentence(f"{pseudonym} may go on." if changed else f"{pseudonym} was not suspended.")


def readmit(
    pseudonym: Pseudonym,
    project: Annotated[str, typer.Option("--project", help="To which project.", show_default=False)],
) -> None:
    """Readmit an annotator stopped by a quality rule.

    Their answers count again where places are left.
    """
    from annotation.workflow.quality import enforcement
    from bot.commands import database_session

    with open_annotator(pseudonym) as (transaction, annotator, now):
        loaded = database_session.get_project(transaction, project)
        n_counting = enforcement.readmit_annotator(
            transaction, annotator_id=annotator.id or 0, project_id=loaded.id or 0, now=now
        )
    terminal_output.print_sentence(
        f"{pseudonym} may go on in {loaded.name}. {terminal_output.format_count(n_counting, 'answer')} counted again."
    )


def release(
    pseudonym: Pseudonym,
    project: Annotated[str, typer.Option("--project", help="In which project.", show_default=False)],
    item: Annotated[list[str] | None, typer.Option("--item", help="Only this item, by its id. Repeatable.")] = None,
) -> None:
    """Take items back that an annotator has not answered, so that others get them.

    Takes all that they have in the project, in Telegram and in Label Studio. They may go on, and can get these again.
    With --item only these, which they get again only by `label-studio push --item`.
    """
    from annotation.workflow.annotators import roster
    from bot.commands import database_session

    with open_annotator(pseudonym) as (transaction, annotator, now):
        loaded = database_session.get_project(transaction, project)
        released = roster.release_items(
            transaction, annotator=annotator, project=loaded, items=tuple(item or ()), now=now
        )
    number = released.telegram + released.label_studio
    terminal_output.print_sentence(
        f"{terminal_output.format_count(number, 'item')} taken back from {pseudonym}:"
        f" {released.telegram} in Telegram, {released.label_studio} in Label Studio."
    )
    if released.label_studio:
        terminal_output.print_sentence("The queue in Label Studio follows at the next push, pull or watch.")


def withdraw(
    pseudonym: Pseudonym,
    project: Annotated[str, typer.Option("--project", help="From which project.", show_default=False)],
) -> None:
    """Withdraw an annotator from a project, at their request.

    None of their answers counts, and others get their places.
    """
    from annotation.workflow.annotators import consents
    from bot.commands import database_session

    with open_annotator(pseudonym) as (transaction, annotator, now):
        loaded = database_session.get_project(transaction, project)
        name = loaded.name
        left = consents.withdraw_from_project(transaction, annotator_id=annotator.id or 0, project=loaded, now=now)
    terminal_output.print_sentence(
        f"{pseudonym} is out of {name}: {terminal_output.format_count(left.answers, 'answer')} excluded,"
        f" {terminal_output.format_count(left.places, 'place')} free."
    )


def forget(
    pseudonym: Pseudonym,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; it cannot be undone.")] = False,
) -> None:
    """Erase an annotator's data, at their request. It cannot be undone."""
    from annotation.workflow.annotators import erasure

    with open_annotator(pseudonym) as (transaction, annotator, now):
        if not yes:
            raise Conflict(f"Forgetting {pseudonym} cannot be undone.", remedy="Do it with --yes.")
        gone = erasure.erase_annotator(transaction, annotator_id=annotator.id or 0, now=now)
    terminal_output.print_sentence(
        f"Forgotten: {terminal_output.format_count(gone.judgements, 'judgement')} and"
        f" {terminal_output.format_count(gone.messages, 'message')} emptied in"
        f" {terminal_output.format_count(gone.projects, 'project')}."
        " Backups and exports made before still hold them."
    )
    remaining = _erase_label_studio_copies()
    if remaining:
        terminal_output.print_sentence(remaining)
    _say_what_the_log_holds()


def detach(
    project: ProjectName,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; it cannot be undone.")] = False,
) -> None:
    """Keep the answers of a closed project and make them nobody's: delete all that tells who gave them.

    Anyone who belongs to another project that is not closed stays as they are: say it again when that one has ended.
    Without --yes it says who goes and who stays.
    """
    from annotation.workflow.annotators import detachment
    from annotation.workflow.definitions import get_project_definition
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        loaded = database_session.get_project(transaction, project)
        is_told = get_project_definition(loaded).declared.retention is not None
        now = database_session.get_time(transaction)
        if yes:
            done = detachment.detach_people(transaction, loaded, now=now)
        else:
            done = detachment.plan_detachment(transaction, loaded)
    _print_detachment(done, loaded.name, yes=yes)
    if not is_told and done.annotator_ids:
        terminal_output.print_sentence(
            f"{loaded.name} has no `declared.retention`: the bot told nobody that answers cannot be erased any more."
        )
    if not yes:
        remedy = f"hromada people detach {loaded.name} --yes"
        raise Conflict("Nothing was done: detaching cannot be undone.", remedy=remedy)
    remaining = _erase_label_studio_copies()
    if remaining:
        terminal_output.print_sentence(remaining)
    _say_what_the_log_holds()


def _print_detachment(done: Detachment, name: str, *, yes: bool) -> None:
    number = terminal_output.format_count(len(done.annotator_ids), "annotator")
    earlier = f" {done.detached} were before." if done.detached else ""
    if yes:
        older = " Backups and exports made before still hold who they were." if done.annotator_ids else ""
        terminal_output.print_sentence(f"Detached from {name}: {number}.{earlier}{older}")
    else:
        terminal_output.print_sentence(f"To detach from {name}: {number}.{earlier}")
    for pseudonym, reason in done.staying.items():
        terminal_output.print_sentence(f"{pseudonym} stays: {reason}.")
    if done.staying:
        terminal_output.print_sentence(f"Say it again when these have ended: hromada people detach {name} --yes")
    if done.imported:
        known = terminal_output.format_count(done.imported, "person", "people")
        terminal_output.print_sentence(
            f"{known} known only by a file of votes, or as reviewers by a name: delete the file and hromada.key."
        )


def _say_what_the_log_holds() -> None:
    """Empty the log of SQLite; say so where a reader postpones it."""
    from annotation.store import erasure_log
    from bot.commands import database_session

    with database_session.open_database() as database:
        since = erasure_log.empty_log(database)
    if since is not None:
        terminal_output.print_sentence(erasure_log.describe_wait(local_times.format_moment(since)))


def _erase_label_studio_copies() -> str | None:
    """Erase what Label Studio holds of forgotten annotators; a sentence where that is still to be done."""
    from annotation.label_studio import sync
    from annotation.label_studio.client import Client
    from annotation.settings import read_settings
    from annotation.store import parked
    from bot.commands import database_session

    with database_session.open_database() as database:
        problem, settings = "", read_settings()
        with database.reading() as view:
            remaining = parked.count_copies(view)
        if not remaining:
            return None
        try:
            token = settings.label_studio_token
            with Client(settings.label_studio_url, None if token is None else token.get_secret_value()) as client:
                sync.adopt_server(database, client)
                sync.erase_copies(database, client)
        except HromadaError as failure:
            problem = f" {failure}"
        with database.reading() as view:
            remaining = parked.count_copies(view)
    if not remaining:
        return None
    return f"Label Studio still holds what they did there; `hromada label-studio pull` erases it.{problem}"
