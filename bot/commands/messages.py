"""`hromada messages`: questions and reports of annotators, and answers to them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import Conflict, Where
from bot.commands import local_times, terminal_output
from bot.commands.command_line import AsJson, ListByDefault

if TYPE_CHECKING:
    from sqlmodel import Session

    from annotation.workflow.notices.waiting_announcements import WaitingAnnouncement

app = typer.Typer(
    cls=ListByDefault,
    help="Answer annotators' questions and problem reports. `hromada messages` lists it; `send` writes to everybody.",
)


@app.command("list")
def list_(
    project: Annotated[str | None, typer.Argument(help="Only those about this project.", show_default=False)] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also list answered ones.")] = False,
    json: AsJson = False,
) -> None:
    """List unanswered questions, oldest first."""
    from annotation.store.models import Annotator, Assignment, Item, Project
    from annotation.workflow.annotators import support_messages
    from bot.commands import database_session

    with database_session.open_database() as database, database.reading() as view:
        chosen = None if project is None else database_session.get_project(view, project).id
        listed = [
            {
                "id": message.id,
                "at": message.at.isoformat(timespec="minutes"),
                "pseudonym": view.get_one(Annotator, message.annotator_id).pseudonym,
                "project": None if message.project_id is None else view.get_one(Project, message.project_id).name,
                "item": None
                if message.assignment_id is None
                else view.get_one(Item, view.get_one(Assignment, message.assignment_id).item_id).external_id,
                "text": message.text,
                "answer": message.answer,
                "delivered": message.delivered_at is not None,
            }
            for message in support_messages.list_messages(view, project_id=chosen, include_answered=everything)
        ]
        number = len(_list_waiting(view))
    if json:
        terminal_output.print_json(listed)
        return
    columns = ("id", "at", "pseudonym", "project", "item", "text", *(("answer",) if everything else ()))
    notes = [local_times.name_zone() if listed else "Nothing is waiting for an answer."]
    if any(row["answer"] is None for row in listed):
        notes.append("Answer one by its id: hromada messages answer ID TEXT")
    if number:
        counted = terminal_output.format_count(number, "message to all has", "messages to all have")
        notes.append(f"{counted} not reached everybody: hromada messages waiting.")
    rows = [[_format_cell(name, row[name]) for name in columns] for row in listed]
    terminal_output.print_table("Messages", columns, rows, notes=notes)


def _format_cell(name: str, value: object) -> terminal_output.Cell:
    """The cell of a table for a value of the JSON: a time in the zone of the settings, yes or no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "at":
        return local_times.format_minute(str(value))
    return value if isinstance(value, int) or value is None else str(value)


@app.command()
def answer(
    message: Annotated[int, typer.Argument(help="The message's id.", show_default=False)],
    text: Annotated[str, typer.Argument(help="What the annotator will read.", show_default=False)],
    to_all: Annotated[
        bool, typer.Option("--to-all", help="Also add it to the project's instructions, which everybody reads again.")
    ] = False,
) -> None:
    """Answer a question; the bot delivers it."""
    from annotation.store.models import Project
    from annotation.workflow.annotators import support_messages
    from annotation.workflow.lifecycle import text_changes
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        now = database_session.get_time(transaction)
        answered = support_messages.answer_message(transaction, message_id=message, text=text, now=now)
        project = transaction.get(Project, answered.project_id) if answered.project_id is not None else None
        if to_all and project is None:
            raise Conflict(
                f"Message {message} is about no project, so there are no instructions for the answer.",
                where=Where(field="--to-all"),
                remedy="Answer it without --to-all.",
            )
        if to_all and project is not None:
            text_changes.add_to_instructions(transaction, project=project, text=text, now=now)
    terminal_output.print_sentence(f"Message {message} is answered; the bot will deliver it.")
    if to_all:
        terminal_output.print_sentence(
            "It is part of the instructions now. It is not in the project's file yet: add it there."
        )


@app.command()
def send(
    text: Annotated[str, typer.Argument(help="What everybody will read.", show_default=False)],
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="PROJECT", help="Whom: a project's or a programme's people; all without it."),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Send it; without this, say only to how many it would go.")
    ] = False,
) -> None:
    """Message all annotators; the bot delivers it during their daytime."""
    from annotation.settings import read_settings
    from annotation.store import queries
    from annotation.workflow.notices import announcements, waiting_announcements
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        now = database_session.get_time(transaction)
        name = None if to is None else database_session.resolve_name(to)
        programme = None if name is None else queries.find_programme(transaction, name)
        project = None if name is None or programme is not None else queries.get_project(transaction, name)
        draft = announcements.write_announcement(
            transaction,
            text=text,
            now=now,
            project_id=None if project is None else project.id,
            programme_id=None if programme is None else programme.id,
        )
        number = announcements.count_recipients(transaction, draft)
        recipients = terminal_output.format_count(number, "person", "people")
        zone = read_settings().time_zone
        first = waiting_announcements.find_first_time(transaction, draft, now=now, default_zone=zone)
        start = _describe_start(first, now=now)
        if not yes and number:
            raise Conflict(f"It would go to {recipients}, {start}.", remedy="Send it with --yes.")
        announcements.send_announcement(transaction, announcement=draft, now=now)
    terminal_output.print_sentence(f"It goes to {recipients}, {start}.")
    terminal_output.print_sentence(f"Nobody else gets it after: hromada messages cancel {draft.id} --yes")


@app.command()
def waiting(json: AsJson = False) -> None:
    """List messages to all that people have yet to get."""
    from bot.commands import database_session

    with database_session.open_database() as database, database.reading() as view:
        now = database_session.get_time(view)
        listed = [
            {
                "id": one.id,
                "to": one.title,
                "sent_at": one.sent_at.isoformat(timespec="minutes"),
                "waiting": one.waiting,
                "reached": one.reached,
                "next_at": one.next_at.isoformat(timespec="minutes"),
                "text": one.text,
            }
            for one in _list_waiting(view)
        ]
    if json:
        terminal_output.print_json(listed)
        return
    columns = ("id", "to", "waiting", "reached", "next", "text")
    rows = [
        (
            row["id"], row["to"] or "all", row["waiting"], row["reached"],
            _format_next(str(row["next_at"]), now=now), row["text"],
        )
        for row in listed
    ]  # fmt: skip
    cancels = "hromada messages cancel ID --yes cancels one."
    notes = (local_times.name_zone(), cancels) if listed else ("Nobody has yet to get a message to all.",)
    terminal_output.print_table("Messages to all", columns, rows, notes=notes)


def _format_next(next_at: str, *, now: datetime) -> str:
    return "now" if datetime.fromisoformat(next_at) <= now else local_times.format_minute(next_at)


@app.command()
def cancel(
    message: Annotated[int, typer.Argument(help="The id that `waiting` lists.", show_default=False)],
    yes: Annotated[
        bool, typer.Option("--yes", help="Cancel it; without this, only say how many people would not get it.")
    ] = False,
) -> None:
    """Send a message to all to nobody else; people who have it keep it."""
    from annotation.workflow.notices import waiting_announcements
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        now = database_session.get_time(transaction)
        cancelled = waiting_announcements.cancel_announcement(transaction, announcement_id=message, now=now)
        spared = terminal_output.format_count(cancelled.spared, "person", "people")
        if not yes:
            raise Conflict(f"{spared} would not get it, {cancelled.reached} have it.", remedy="Cancel it with --yes.")
    terminal_output.print_sentence(f"Cancelled: not sent to {spared}; {cancelled.reached} have it.")


def _list_waiting(view: Session) -> tuple[WaitingAnnouncement, ...]:
    from annotation.settings import read_settings
    from annotation.workflow.notices import waiting_announcements
    from bot.commands import database_session

    now, zone = database_session.get_time(view), read_settings().time_zone
    return waiting_announcements.list_waiting_announcements(view, now=now, default_zone=zone)


def _describe_start(first: datetime, *, now: datetime) -> str:
    """From when a message to all goes out: now where it is day, or at a time in the organisers' zone."""
    day = "each from 10:00 to 20:00 where they are"
    if first <= now:
        return f"{day}, where it is day now"
    return f"{day}, the first at {local_times.format_moment(first)}"


@app.command()
def reports(
    project: Annotated[str | None, typer.Argument(help="Only those about this project.", show_default=False)] = None,
    json: AsJson = False,
) -> None:
    """List problems reported with items.

    An item that enough people reported is paused.
    """
    from annotation.workflow.review import cases
    from bot.commands import database_session

    with database_session.open_database() as database, database.reading() as view:
        chosen = None if project is None else database_session.get_project(view, project).id
        listed = [
            vars(report) | {"at": report.at.isoformat(timespec="minutes")}
            for report in cases.list_open_reports(view, project_id=chosen)
        ]
    if json:
        terminal_output.print_json(listed)
        return
    columns = ("at", "project", "item", "paused", "reason", "text")
    rows = [[_format_cell(name, row[name]) for name in columns] for row in listed]
    remedy = "A wrong item: hromada load FILE --fix ID; one that is well: hromada messages dismiss PROJECT ID."
    notes = (local_times.name_zone(), remedy)
    terminal_output.print_table("Reports", columns, rows, notes=notes if listed else ("Nothing is reported.",))


@app.command()
def dismiss(
    project: Annotated[str, typer.Argument(help="The project's name, or its file.", show_default=False)],
    item: Annotated[str, typer.Argument(help="The item's id.", show_default=False)],
) -> None:
    """Dismiss the reports on an item, and resume it if they paused it."""
    from annotation.workflow.review import cases
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        loaded = database_session.get_project(transaction, project)
        number = cases.dismiss_reports(
            transaction, project=loaded, item=item, now=database_session.get_time(transaction)
        )
    terminal_output.print_sentence(f"{item} is handed out: {number} reports are answered.")
