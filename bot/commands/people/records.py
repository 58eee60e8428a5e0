"""`hromada people team-member`, `cohort`, `agree` and `pay`: facts about an annotator that organisers record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import BadInput, NotFound, Where
from bot.commands import local_times, terminal_output
from bot.commands.command_line import AsJson, ProjectName, Pseudonym
from bot.commands.people.access import open_annotator

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlmodel import Session

    from annotation.workflow.annotators.payments import Money
    from annotation.workflow.annotators.roster import Roster, RosterEntry


def list_(
    project: ProjectName,
    votes: Annotated[
        Path | None,
        typer.Option("--votes", help="Also show each annotator's id in this file of imported votes."),
    ] = None,
    json: AsJson = False,
) -> None:
    """List a project's annotators with progress and pay.

    Columns: cohorts, status, answers, control items, active hours, pay.
    """
    from annotation.workflow.annotators import roster
    from bot.commands import database_session

    with database_session.open_database() as database, database.reading() as view:
        listed = roster.get_roster(
            view,
            project=database_session.get_project(view, project),
            now=database_session.get_time(view),
        )
        names = {} if votes is None else _read_names(view, project, votes, listed)
    if json:
        terminal_output.print_json(_build_json(listed, names))
        return
    columns = (
        "pseudonym", "id in the file", "cohort", "panel", "standing", "why", "stage", "items", "control", "hours",
        "owed", "paid",
    )  # fmt: skip
    notes = (
        [f"Paid per active hour, median over annotators: {_format_sums(listed.hourly_rates)}."]
        if listed.hourly_rates
        else []
    )
    notes += [] if listed.annotators else ["Nobody has joined yet."]
    rows = [(entry.pseudonym, names.get(entry.pseudonym), *_build_row(entry)[1:]) for entry in listed.annotators]
    shown = [
        index
        for index in range(len(columns))
        if index in {0, 2, 4} or any(row[index] not in {None, ""} for row in rows)
    ]
    terminal_output.print_table(
        f"People of {listed.project}",
        [columns[index] for index in shown],
        [[row[index] for index in shown] for row in rows],
        notes=notes,
    )


def _read_names(view: Session, project: str, votes: Path, listed: Roster) -> dict[str, str]:
    """The ids in a file of votes by pseudonym; raises NotFound where nobody of the file is in the project."""
    from annotation.settings import read_settings
    from annotation.store import pseudonyms
    from annotation.workflow.imports import vote_source
    from bot.commands import database_session

    key = pseudonyms.find_key(view, file=read_settings().key_file)
    loaded = database_session.get_project(view, project)
    names = {} if key is None else vote_source.map_pseudonyms_to_names(loaded, key=key, path=votes)
    if not any(entry.pseudonym in names for entry in listed.annotators):
        remedy = f"Import it first: hromada import {loaded.name} {votes}"
        raise NotFound(f"Nobody of the file is known in {loaded.name}.", where=Where(file=votes), remedy=remedy)
    return names


def _build_row(entry: RosterEntry) -> tuple[str | int | float | None, ...]:
    marks = [*entry.cohorts, *(["team member"] if entry.insider else [])]
    control = f"{entry.control_accuracy.right} of {entry.control_accuracy.of}" if entry.control_accuracy.of else None
    hours = round(entry.work.hours, 2)
    return (
        entry.pseudonym, ", ".join(marks), entry.panel, entry.status, _explain_status(entry), entry.stage,
        entry.work.items, control, f"{hours:.2f}", None if entry.owed is None else str(entry.owed),
        _format_sums(entry.paid),
    )  # fmt: skip


def _explain_status(entry: RosterEntry) -> str | None:
    return entry.explanation if entry.until is None else f"until {local_times.format_moment(entry.until)}"


def _format_sums(sums: Iterable[Money]) -> str:
    return ", ".join(str(money) for money in sums)


def _build_json(listed: Roster, names: Mapping[str, str]) -> dict[str, object]:
    people = [
        {
            "pseudonym": entry.pseudonym,
            **({"id_in_file": names[entry.pseudonym]} if entry.pseudonym in names else {}),
            "cohorts": list(entry.cohorts),
            "panel": entry.panel,
            "insider": entry.insider,
            "simulated": entry.simulated,
            "standing": entry.status,
            "why": entry.explanation,
            "until": None if entry.until is None else entry.until.isoformat(timespec="minutes"),
            "stage": entry.stage,
            "items": entry.work.items,
            "active_hours": round(entry.work.hours, 4),
            "control_right": entry.control_accuracy.right,
            "control_answered": entry.control_accuracy.of,
            "control_accuracy": entry.control_accuracy.share,
            "owed": None if entry.owed is None else str(entry.owed),
            "paid": [str(money) for money in entry.paid],
        }
        for entry in listed.annotators
    ]
    return {
        "project": listed.project,
        "people": people,
        "paid_per_active_hour": [str(money) for money in listed.hourly_rates],
    }


def data(pseudonym: Pseudonym) -> None:
    """Print all data stored about an annotator, as JSON."""
    from annotation.workflow.annotators import own_data

    with open_annotator(pseudonym) as (view, annotator, _):
        terminal_output.print_json(own_data.export_annotator(view, annotator_id=annotator.id or 0))


def team_member(
    pseudonym: Pseudonym,
    no: Annotated[bool, typer.Option("--no", help="Take the mark away.")] = False,
) -> None:
    """Mark an annotator as a member of your team.

    Releases score people with and without authors of the campaign and their colleagues.
    """
    from annotation.workflow.annotators import roster

    with open_annotator(pseudonym) as (transaction, annotator, now):
        roster.set_team_member(transaction, annotator=annotator, team_member=not no, now=now)
    terminal_output.print_sentence(f"{pseudonym} is {'no' if no else 'a'} team member.")


def add_reviewer(
    name: Annotated[str, typer.Argument(help="A name of your own for them; it is not stored.", show_default=False)],
) -> None:
    """Create a pseudonym for a reviewer without the bot.

    The same name gets the same pseudonym.
    """
    from annotation.settings import read_settings
    from annotation.store import pseudonyms
    from annotation.workflow.review import reviewers
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        now = database_session.get_time(transaction)
        key = pseudonyms.ensure_key(transaction, file=read_settings().key_file, now=now)
        pseudonym = reviewers.add_reviewer(transaction, name=name, key=key, now=now).pseudonym
    terminal_output.print_line(pseudonym)


def cohort(
    pseudonym: Pseudonym,
    name: Annotated[str, typer.Argument(help="The cohort.", show_default=False)],
    remove: Annotated[bool, typer.Option("--remove", help="Remove the annotator from it.")] = False,
) -> None:
    """Add an annotator to a cohort, or remove them."""
    from annotation.workflow.annotators import roster

    with open_annotator(pseudonym) as (transaction, annotator, _):
        change = roster.leave_cohort if remove else roster.join_cohort
        changed = change(transaction, annotator=annotator, name=name)
    verb = "was not in" if remove and not changed else "is not in" if remove else "is in"
    terminal_output.print_sentence(f"{pseudonym} {verb} {name}.")


def agree(
    pseudonym: Pseudonym,
    project: Annotated[str, typer.Option("--project", help="To which project.", show_default=False)],
    how: Annotated[str, typer.Option("--how", help="Where it can be looked up, like 'signed, folder 3'; no names.")],
    profile: Annotated[
        list[str] | None, typer.Option("--profile", metavar="FIELD=ANSWER", help="What they said; empty: rather not.")
    ] = None,
    code: Annotated[str | None, typer.Option("--code", help="Their invitation, where the project needs entry.")] = None,
) -> None:
    """Record that an annotator without Telegram agreed.

    It is recorded for the present consent and content warning of the project.
    """
    from annotation.workflow.annotators import consents
    from bot.commands import database_session

    answers = dict(field.split("=", 1) for field in profile or () if "=" in field)
    if len(answers) != len(profile or ()):
        raise BadInput("What did they say?", where=Where(field="profile"), remedy="Say each field once: FIELD=ANSWER.")
    with open_annotator(pseudonym) as (transaction, annotator, now):
        loaded = database_session.get_project(transaction, project)
        agreement = consents.record_agreement(
            transaction, annotator=annotator, project=loaded, how=how, profile=answers, now=now, code=code
        )
        consent = agreement.consent
    consent_texts = (
        []
        if consent is None
        else [f"the consent to {consent.scope}, version {consent.version} ({consent.sha256[:12]})"]
    )
    parts = [*consent_texts, *agreement.fields, *(["the content warning"] if agreement.warned else [])]
    terminal_output.print_sentence(
        f"Noted of {pseudonym}: {', '.join(parts)}." if parts else f"Nothing is asked of {pseudonym}."
    )


def pay(
    pseudonym: Pseudonym,
    amount: Annotated[str, typer.Argument(help="What was paid, like 12.50; minus takes back.", show_default=False)],
    project: Annotated[str, typer.Option("--project", help="For which project.", show_default=False)],
    currency: Annotated[str | None, typer.Option("--currency", help="By default that of the project's pay.")] = None,
    note: Annotated[str, typer.Option("--note", help="A number of the transfer, say; no names.")] = "",
) -> None:
    """Record a payment to an annotator."""
    from annotation.campaigns.project_file import parse_definition
    from annotation.workflow.annotators import payments
    from bot.commands import database_session

    hundredths = payments.parse_amount(amount)
    with open_annotator(pseudonym) as (transaction, annotator, now):
        paid_project = database_session.get_project(transaction, project)
        reward = parse_definition(paid_project.definition).reward
        chosen_currency = currency or (reward.pay.currency if reward and reward.pay else None)
        if chosen_currency is None:
            remedy = "Name it: --currency EUR."
            raise BadInput("In which currency?", where=Where(field="currency"), remedy=remedy)
        money = payments.Money(hundredths=hundredths, currency=chosen_currency)
        payments.record_payment(transaction, annotator=annotator, project=paid_project, money=money, note=note, now=now)
    terminal_output.print_sentence(f"Noted: {pseudonym} got {money} for {paid_project.name}.")
