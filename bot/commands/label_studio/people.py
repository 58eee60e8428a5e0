"""`hromada label-studio status` and `remind`: who does what in Label Studio, and reminders to send."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import local_times, terminal_output
from bot.commands.command_line import AsJson, ProjectName
from bot.commands.label_studio import connection
from bot.commands.terminal_output import Cell

if TYPE_CHECKING:
    from annotation.label_studio.sync.people import PeopleStatus, PersonStatus

People = Annotated[
    list[str] | None,
    typer.Option("--person", help="Only them: a pseudonym, or an e-mail or number there. Repeatable."),
]


def status(project: connection.OptionalProject = None, person: People = None, json: AsJson = False) -> None:
    """Show each person's work: waiting, late, pace, texts.

    Answers are those of the last pull. If the server does not answer, e-mails and what was begun are unknown.
    """
    chosen = _read_people(project, person)
    if json:
        facts = [_build_json(one) for one in chosen.people]
        terminal_output.print_json({"problem": chosen.problem or None, "people": facts})
        return
    columns, rows = _build_table(chosen.people)
    terminal_output.print_table("Who does what in Label Studio", columns, rows, notes=_list_notes(chosen))


def _read_people(project: str | None, written: Sequence[str] | None) -> PeopleStatus:
    from annotation.label_studio.sync.people import read_people_status
    from bot.commands import database_session

    with database_session.open_database() as database, database.reading() as view:
        project_id = None if project is None else database_session.get_project(view, project).id
        people = read_people_status(view, now=database_session.get_time(view), project_id=project_id)
    return people.choose(written or ())


def _build_table(people: Sequence[PersonStatus]) -> tuple[tuple[str, ...], list[list[Cell]]]:
    """The columns and rows of the table; a column that says nothing of anybody is left out."""
    cells: list[dict[str, Cell]] = [_build_cells(one) for one in people]
    always = ("person", "waiting", "begun", "answered", "late")
    several = {name for name in ("project", "work") if len({row[name] for row in cells}) > 1}
    shown = tuple(
        name
        for name in (cells[0] if cells else always)
        if name in always
        or name in several
        or (name not in {"project", "work"} and any(row[name] not in {None, 0} for row in cells))
    )
    return shown, [[row[name] for name in shown] for row in cells]


def _build_cells(one: PersonStatus) -> dict[str, Cell]:
    work, corrections = one.work, one.work.corrections
    share = f"of {corrections.number}" if corrections.number else None
    return {
        "person": one.full_name,
        "project": work.project,
        "work": work.work.value,
        "waiting": work.waiting,
        "begun": one.in_work,
        "to correct": len(one.aside),
        "answered": work.answered,
        "second pass": f"{work.second_answered} of {work.answered}" if work.second_answered else None,
        "skipped": work.skipped,
        "due on": None if work.due_at is None else local_times.format_day(work.due_at),
        "late": work.late,
        "went back": work.returned,
        "median time": None if work.seconds is None else _format_seconds(work.seconds),
        "per hour": None if work.per_hour is None else f"{work.per_hour:.1f}",
        "unchanged": share and f"{corrections.unchanged} {share}",
        "mostly deleted": share and f"{corrections.most_dropped} {share}",
    }


def _format_seconds(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _list_notes(status: PeopleStatus) -> list[str]:
    people = status.people
    if not people:
        return ["Nobody has work in Label Studio yet: hromada label-studio push PROJECT --person THEIR-EMAIL"]
    notes = [f"{status.problem} E-mails, and what was begun there, are not known now."] if status.problem else []
    pulled = [one.work.pulled_at for one in people if one.work.pulled_at is not None]
    notes.append(
        f"Answers as of the pull at {local_times.format_moment(min(pulled))}."
        if pulled
        else "No answers were pulled yet: hromada label-studio pull"
    )
    if any(one.work.returned for one in people):
        notes.append("Went back: items whose date was over, or that were released; others may get them.")
    if any(one.work.corrections.most_dropped for one in people):
        notes.append("Mostly deleted: corrections that left less than half of a text; stories.html marks them.")
    if any(one.aside for one in people):
        notes.append("To correct: waiting items whose answer a pull set aside; their reminder has the addresses.")
    if any(one.work.waiting for one in people):
        notes.append("Reminders to send: hromada label-studio remind PROJECT")
    return notes


def _build_json(one: PersonStatus) -> dict[str, Any]:
    work, corrections = one.work, one.work.corrections
    return {
        "project": work.project,
        "annotator": work.annotator,
        "email": one.email or None,
        "work": work.work.value,
        "waiting": work.waiting,
        "begun": one.in_work,
        "to_correct": list(one.aside),
        "answered": work.answered,
        "second_answered": work.second_answered,
        "skipped": work.skipped,
        "due": None if work.due_at is None else work.due_at.isoformat(),
        "late": work.late,
        "returned": work.returned,
        "median_seconds": work.seconds,
        "per_hour": work.per_hour,
        "corrections": corrections.number,
        "unchanged": corrections.unchanged,
        "unchanged_share": corrections.unchanged_share,
        "most_dropped": corrections.most_dropped,
        "most_dropped_share": corrections.dropped_share,
        "pulled": None if work.pulled_at is None else work.pulled_at.isoformat(),
        "telegram": work.in_telegram,
        "addresses": list(one.addresses),
    }


def remind(
    project: ProjectName,
    person: People = None,
    days: Annotated[
        int | None, typer.Option(min=1, help="Only people with an item that is due within this many days.")
    ] = None,
    telegram: Annotated[
        bool, typer.Option("--telegram", help="Let the bot send it to those whom it can write to.")
    ] = False,
) -> None:
    """Write reminders for people with work that waits.

    Copy them into e-mails: hromada sends none. With --telegram the bot also sends those to people who are in Telegram.
    """
    from annotation.label_studio import reminders
    from bot.commands import database_session

    chosen = _read_people(project, person)
    waiting = [one for one in chosen.people if one.work.waiting]
    with database_session.open_database() as database, database.transaction() as transaction:
        now = database_session.get_time(transaction)
        if days is not None:
            until = now + timedelta(days=days)
            waiting = [one for one in waiting if one.work.due_at is not None and one.work.due_at <= until]
        zone = local_times.get_zone().key
        written = [reminders.write_reminder(one, time_zone=zone) for one in waiting]
        sent = [telegram and reminders.send_reminder(transaction, reminder, now=now) for reminder in written]
    for reminder, is_sent in zip(written, sent, strict=True):
        name = reminder.person.name
        if is_sent:
            terminal_output.print_sentence(f"The bot reminds {name}, between 10 and 20 o'clock there.")
            continue
        for line in (f"To: {name}", f"Subject: {reminder.subject}", "", *reminder.body.split("\n"), ""):
            terminal_output.print_line(line)
    if not waiting:
        terminal_output.print_sentence("Nothing waits for anybody." if days is None else "Nothing is due so soon.")
    if waiting and chosen.problem:
        terminal_output.print_sentence(f"{chosen.problem} So their e-mails are not known now.")
