"""`hromada messages`: questions and reports of annotators, and answers to them."""

from __future__ import annotations

from typing import Annotated

import typer

from annotation.errors import Conflict, Where
from bot.commands import local_times, terminal_output
from bot.commands.command_line import AsJson, ListByDefault

app = typer.Typer(
    cls=ListByDefault,
    help="Read and answer what annotators asked and reported. `hromada messages` lists it; `send` writes to everybody.",
)


@app.command("list")
def list_(
    project: Annotated[str | None, typer.Argument(help="Only those about this project.", show_default=False)] = None,
    everything: Annotated[bool, typer.Option("--all", help="Those that are answered, too.")] = False,
    json: AsJson = False,
) -> None:
    """What people asked and nobody has answered yet, oldest first."""
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
    if json:
        terminal_output.print_json(listed)
        return
    columns = ("id", "at", "pseudonym", "project", "item", "text", *(("answer",) if everything else ()))
    notes = (local_times.name_zone() if listed else "Nothing is waiting for an answer.",)
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
    """Answer a message; the bot delivers it."""
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
            "It is part of the instructions now. In the project's file it is not: add it there, too."
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
    """Write to everybody who takes part; the bot delivers it, by day where they are."""
    from annotation.store import queries
    from annotation.workflow.notices import announcements
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
        if not yes and number:
            raise Conflict(f"It would go to {recipients} and cannot be taken back.", remedy="Send it with --yes.")
        announcements.send_announcement(transaction, announcement=draft, now=now)
    terminal_output.print_sentence(f"It goes to {recipients}, each between 10 and 20 o'clock where they are.")


@app.command()
def reports(
    project: Annotated[str | None, typer.Argument(help="Only those about this project.", show_default=False)] = None,
    json: AsJson = False,
) -> None:
    """Problems that people reported with items; an item that enough people reported is paused."""
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
    """Answer the reports on an item that is well as it is; where they paused it, it goes on."""
    from annotation.workflow.review import cases
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        loaded = database_session.get_project(transaction, project)
        number = cases.dismiss_reports(
            transaction, project=loaded, item=item, now=database_session.get_time(transaction)
        )
    terminal_output.print_sentence(f"{item} is handed out: {number} reports are answered.")
