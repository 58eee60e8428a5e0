"""`hromada messages`: questions and reports of annotators, and answers to them."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.commands.command_line import AsJson, ListByDefault

app = typer.Typer(
    cls=ListByDefault,
    help="Read and answer what annotators asked and reported. `hromada messages` lists it, `answer` answers.",
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
    from bot.commands import database_session, terminal_output

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
    notes = () if listed else ("Nothing waits for an answer.",)
    terminal_output.print_table("Messages", columns, [[row[name] for name in columns] for row in listed], notes=notes)


@app.command()
def answer(
    message: Annotated[int, typer.Argument(help="The message's id.", show_default=False)],
    text: Annotated[str, typer.Argument(help="What the annotator will read.", show_default=False)],
) -> None:
    """Answer a message; the bot delivers it."""
    from annotation.workflow.annotators import support_messages
    from bot.commands import database_session, terminal_output

    with database_session.open_database() as database, database.transaction() as transaction:
        support_messages.answer_message(
            transaction, message_id=message, text=text, now=database_session.get_current_time()
        )
    terminal_output.print_sentence(f"Message {message} is answered; the bot will deliver it.")


@app.command()
def reports(
    project: Annotated[str | None, typer.Argument(help="Only those about this project.", show_default=False)] = None,
    json: AsJson = False,
) -> None:
    """Problems that people reported with items; an item that enough people reported is paused."""
    from annotation.workflow.review import problem_reports
    from bot.commands import database_session, terminal_output

    with database_session.open_database() as database, database.reading() as view:
        chosen = None if project is None else database_session.get_project(view, project).id
        listed = [
            vars(report) | {"at": report.at.isoformat(timespec="minutes")}
            for report in problem_reports.list_open_reports(view, project_id=chosen)
        ]
    if json:
        terminal_output.print_json(listed)
        return
    columns = ("at", "project", "item", "paused", "reason", "text")
    rows = [[("yes" if row[name] else "no") if name == "paused" else row[name] for name in columns] for row in listed]
    notes = ("A wrong item: hromada load FILE --fix ID; one that is well: hromada messages dismiss PROJECT ID.",)
    terminal_output.print_table("Reports", columns, rows, notes=notes if listed else ("Nothing is reported.",))


@app.command()
def dismiss(
    project: Annotated[str, typer.Argument(help="The project's name, or its file.", show_default=False)],
    item: Annotated[str, typer.Argument(help="The item's id.", show_default=False)],
) -> None:
    """Answer the reports on an item that is well as it is; where they paused it, it goes on."""
    from annotation.workflow.review import problem_reports
    from bot.commands import database_session, terminal_output

    with database_session.open_database() as database, database.transaction() as transaction:
        loaded = database_session.get_project(transaction, project)
        number = problem_reports.dismiss_reports(
            transaction, project=loaded, item=item, now=database_session.get_current_time()
        )
    terminal_output.print_sentence(f"{item} is handed out: {number} reports are answered.")
