"""The command `hromada messages`: what people asked, and answers to them."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.commands.campaigns import AsJson
from bot.commands.listing import ListFirst

app = typer.Typer(cls=ListFirst, help="What people asked: `hromada messages` lists it, `answer` answers.")


@app.command("list")
def list_(
    project: Annotated[str | None, typer.Argument(help="Only those about this project.", show_default=False)] = None,
    everything: Annotated[bool, typer.Option("--all", help="Those that are answered, too.")] = False,
    json: AsJson = False,
) -> None:
    """What people asked and nobody has answered yet, oldest first."""
    from annotation.store import queries
    from annotation.store.models import Annotator, Assignment, Item, Project
    from annotation.workflow.annotators import messages
    from bot.commands import console, session

    with session.opened() as database, database.reading() as view:
        chosen = None if project is None else queries.project(view, session.project_name(project)).id
        found = [
            {
                "id": one.id,
                "at": one.at.isoformat(timespec="minutes"),
                "pseudonym": view.get_one(Annotator, one.annotator_id).pseudonym,
                "project": None if one.project_id is None else view.get_one(Project, one.project_id).name,
                "item": None
                if one.assignment_id is None
                else view.get_one(Item, view.get_one(Assignment, one.assignment_id).item_id).external_id,
                "text": one.text,
                "answer": one.answer,
                "delivered": one.delivered_at is not None,
            }
            for one in messages.listed(view, project_id=chosen, answered=everything)
        ]
    if json:
        console.show_json(found)
        return
    columns = ("id", "at", "pseudonym", "project", "item", "text", *(("answer",) if everything else ()))
    notes = () if found else ("Nothing waits for an answer.",)
    console.table("Messages", columns, [[row[name] for name in columns] for row in found], notes=notes)


@app.command()
def answer(
    message: Annotated[int, typer.Argument(help="The message's id.", show_default=False)],
    text: Annotated[str, typer.Argument(help="What the person will read.", show_default=False)],
) -> None:
    """Answer a message; the bot delivers it."""
    from annotation.workflow.annotators import messages
    from bot.commands import console, session

    with session.opened() as database, database.transaction() as transaction:
        messages.answer(transaction, message_id=message, text=text, now=session.now())
    console.said(f"Message {message} is answered; the bot will deliver it.")


@app.command()
def reports(
    project: Annotated[str | None, typer.Argument(help="Only those about this project.", show_default=False)] = None,
    json: AsJson = False,
) -> None:
    """Problems that people reported with items; an item that enough people reported is paused."""
    from annotation.store import queries
    from annotation.workflow.review import problem_reports as reported
    from bot.commands import console, session

    with session.opened() as database, database.reading() as view:
        chosen = None if project is None else queries.project(view, session.project_name(project)).id
        found = [
            vars(one) | {"at": one.at.isoformat(timespec="minutes")} for one in reported.listed(view, project_id=chosen)
        ]
    if json:
        console.show_json(found)
        return
    columns = ("at", "project", "item", "paused", "reason", "text")
    rows = [[("yes" if row[name] else "no") if name == "paused" else row[name] for name in columns] for row in found]
    notes = ("A wrong item: hromada load FILE --fix ID; one that is well: hromada messages dismiss PROJECT ID.",)
    console.table("Reports", columns, rows, notes=notes if found else ("Nothing is reported.",))


@app.command()
def dismiss(
    project: Annotated[str, typer.Argument(help="The project's name, or its file.", show_default=False)],
    item: Annotated[str, typer.Argument(help="The item's id.", show_default=False)],
) -> None:
    """Answer the reports on an item that is well as it is; where they paused it, it goes on."""
    from annotation.store import queries
    from annotation.workflow.review import problem_reports as reported
    from bot.commands import console, session

    with session.opened() as database, database.transaction() as transaction:
        found = queries.project(transaction, session.project_name(project))
        number = reported.dismiss(transaction, project=found, item=item, now=session.now())
    console.said(f"{item} is handed out: {number} reports are answered.")
