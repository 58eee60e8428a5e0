"""The command `hromada people`: who takes part in a project, and what is decided about a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.campaigns import AsJson
from bot.commands.listing import ListFirst

if TYPE_CHECKING:
    from collections.abc import Iterable

    from annotation.workflow.annotators.payments import Money
    from annotation.workflow.annotators.roster import Entry, Roster

app = typer.Typer(
    cls=ListFirst,
    help="Who takes part: `hromada people PROJECT` lists them; the commands below decide about one person.",
    no_args_is_help=True,
)
Pseudonym = Annotated[str, typer.Argument(help="The person, by pseudonym.", show_default=False)]
ProjectName = Annotated[str, typer.Argument(help="The project's name, or its file.", show_default=False)]


@app.command("list")
def list_(project: ProjectName, json: AsJson = False) -> None:
    """Everybody in a project: cohorts, standing, answers, control items, active hours, what is owed and was paid."""
    from annotation.store import queries
    from annotation.workflow.annotators import roster
    from bot.commands import console, session

    with session.opened() as database, database.reading() as view:
        found = roster.of(view, project=queries.project(view, session.project_name(project)), now=session.now())
    if json:
        console.show_json(_as_json(found))
        return
    columns = (
        "pseudonym", "cohort", "standing", "why", "stage", "items", "control", "hours", "owed", "paid"
    )  # fmt: skip
    notes = [f"Paid per active hour, median over people: {_sums(found.realised)}."] if found.realised else []
    notes += [] if found.people else ["Nobody has joined yet."]
    rows = [_row(entry) for entry in found.people]
    shown = [index for index in range(len(columns)) if index < 3 or any(row[index] not in {None, ""} for row in rows)]
    console.table(
        f"People of {found.project}",
        [columns[index] for index in shown],
        [[row[index] for index in shown] for row in rows],
        notes=notes,
    )


def _row(entry: Entry) -> tuple[str | int | float | None, ...]:
    marks = [*entry.cohorts, *(["insider"] if entry.insider else [])]
    control = f"{entry.control.right} of {entry.control.of}" if entry.control.of else None
    hours = round(entry.done.hours, 2)
    return (
        entry.pseudonym, ", ".join(marks), entry.standing, entry.why, entry.stage, entry.done.items, control,
        f"{hours:.2f}", None if entry.owed is None else str(entry.owed), _sums(entry.paid),
    )  # fmt: skip


def _sums(sums: Iterable[Money]) -> str:
    return ", ".join(str(money) for money in sums)


def _as_json(found: Roster) -> dict[str, object]:
    people = [
        {
            "pseudonym": one.pseudonym,
            "cohorts": list(one.cohorts),
            "insider": one.insider,
            "simulated": one.simulated,
            "standing": one.standing,
            "why": one.why,
            "stage": one.stage,
            "items": one.done.items,
            "active_hours": round(one.done.hours, 4),
            "control_right": one.control.right,
            "control_answered": one.control.of,
            "control_accuracy": one.control.share,
            "owed": None if one.owed is None else str(one.owed),
            "paid": [str(money) for money in one.paid],
        }
        for one in found.people
    ]
    return {"project": found.project, "people": people, "paid_per_active_hour": [str(one) for one in found.realised]}


@app.command()
def suspend(
    pseudonym: Pseudonym,
    reason: Annotated[str, typer.Option("--reason", help="Why; organisers see it.", show_default=False)],
) -> None:
    """Hand out nothing more to a person, in no project; her answers stay as they are."""
    from annotation.workflow.annotators import administration
    from bot.commands import console, session

    with session.opened() as database, database.transaction() as transaction:
        person = administration.known_as(transaction, pseudonym)
        administration.suspend(transaction, person=person, reason=reason, now=session.now())
    console.said(f"{pseudonym} is suspended.")


@app.command()
def unsuspend(pseudonym: Pseudonym) -> None:
    """Let a suspended person go on."""
    from annotation.workflow.annotators import administration
    from bot.commands import console, session

    with session.opened() as database, database.transaction() as transaction:
        person = administration.known_as(transaction, pseudonym)
        changed = administration.unsuspend(transaction, person=person, now=session.now())
    console.said(f"{pseudonym} may go on." if changed else f"{pseudonym} was not suspended.")


@app.command()
def readmit(
    pseudonym: Pseudonym,
    project: Annotated[str, typer.Option("--project", help="To which project.", show_default=False)],
) -> None:
    """Let a person go on whom a quality rule paused or excluded; her answers count again where places are left."""
    from annotation.store import queries
    from annotation.workflow.annotators import administration
    from annotation.workflow.quality import enforcement
    from bot.commands import console, session

    with session.opened() as database, database.transaction() as transaction:
        found = queries.project(transaction, session.project_name(project))
        who = administration.known_as(transaction, pseudonym).id or 0
        counting = enforcement.readmit(transaction, annotator_id=who, project_id=found.id or 0, now=session.now())
    console.said(f"{pseudonym} may go on in {found.name}: {counting} answers count again.")


@app.command()
def insider(
    pseudonym: Pseudonym,
    no: Annotated[bool, typer.Option("--no", help="Take the mark away.")] = False,
) -> None:
    """Mark an author of the campaign, or a colleague of one: releases score with and without them."""
    from annotation.workflow.annotators import administration
    from bot.commands import console, session

    with session.opened() as database, database.transaction() as transaction:
        person = administration.known_as(transaction, pseudonym)
        administration.set_insider(transaction, person=person, insider=not no, now=session.now())
    console.said(f"{pseudonym} is {'no ' if no else 'an '}insider.")


@app.command()
def cohort(
    pseudonym: Pseudonym,
    name: Annotated[str, typer.Argument(help="The cohort.", show_default=False)],
    remove: Annotated[bool, typer.Option("--remove", help="Take her out of it.")] = False,
) -> None:
    """Put a person into a cohort, or take her out of it."""
    from annotation.workflow.annotators import administration
    from bot.commands import console, session

    with session.opened() as database, database.transaction() as transaction:
        person = administration.known_as(transaction, pseudonym)
        change = administration.leave_cohort if remove else administration.join_cohort
        changed = change(transaction, person=person, name=name)
    told = "was not in" if remove and not changed else "is not in" if remove else "is in"
    console.said(f"{pseudonym} {told} {name}.")


@app.command()
def agree(
    pseudonym: Pseudonym,
    project: Annotated[str, typer.Option("--project", help="To which project.", show_default=False)],
    how: Annotated[str, typer.Option("--how", help="Where it can be looked up, like 'signed, folder 3'; no names.")],
    profile: Annotated[
        list[str] | None, typer.Option("--profile", metavar="FIELD=ANSWER", help="What she said; empty: rather not.")
    ] = None,
    code: Annotated[str | None, typer.Option("--code", help="Her invitation, where it takes one.")] = None,
) -> None:
    """Note that a person without Telegram agreed to a project's consent and content warning as they read now."""
    from annotation.errors import BadInput, Where
    from annotation.store import queries
    from annotation.workflow.annotators import administration, offline_agreements
    from bot.commands import console, session

    said = dict(one.split("=", 1) for one in profile or () if "=" in one)
    if len(said) != len(profile or ()):
        raise BadInput("What did she say?", where=Where(field="profile"), remedy="Say each field once: FIELD=ANSWER.")
    with session.opened() as database, database.transaction() as transaction:
        found = queries.project(transaction, session.project_name(project))
        person = administration.known_as(transaction, pseudonym)
        noted = offline_agreements.note(
            transaction, person=person, project=found, how=how, profile=said, now=session.now(), code=code
        )
        text = noted.agreement
    consent = [] if text is None else [f"the consent to {text.scope}, version {text.version} ({text.sha256[:12]})"]
    parts = [*consent, *noted.fields, *(["the content warning"] if noted.warned else [])]
    console.said(f"Noted of {pseudonym}: {', '.join(parts)}." if parts else f"Nothing is asked of {pseudonym}.")


@app.command()
def pay(
    pseudonym: Pseudonym,
    amount: Annotated[str, typer.Argument(help="What was paid, like 12.50; minus takes back.", show_default=False)],
    project: Annotated[str, typer.Option("--project", help="For which project.", show_default=False)],
    currency: Annotated[str | None, typer.Option("--currency", help="By default that of the project's pay.")] = None,
    note: Annotated[str, typer.Option("--note", help="A number of the transfer, say; no names.")] = "",
) -> None:
    """Note that a person was paid."""
    from annotation.campaigns.project import definition_of
    from annotation.errors import BadInput, Where
    from annotation.store import queries
    from annotation.workflow.annotators import administration, payments
    from bot.commands import console, session

    hundredths = payments.amount(amount)
    with session.opened() as database, database.transaction() as transaction:
        paid_for = queries.project(transaction, session.project_name(project))
        reward = definition_of(paid_for.definition).reward
        found = currency or (reward.pay.currency if reward and reward.pay else None)
        if found is None:
            remedy = "Name it: --currency EUR."
            raise BadInput("In which currency?", where=Where(field="currency"), remedy=remedy)
        money = payments.Money(hundredths=hundredths, currency=found)
        person = administration.known_as(transaction, pseudonym)
        payments.pay(transaction, person=person, project=paid_for, money=money, note=note, now=session.now())
    console.said(f"Noted: {pseudonym} got {money} for {paid_for.name}.")


@app.command()
def withdraw(
    pseudonym: Pseudonym,
    project: Annotated[str, typer.Option("--project", help="From which project.", show_default=False)],
) -> None:
    """Take a person out of a project for good, as she asked: none of her answers counts, others get her places."""
    from annotation.store import queries
    from annotation.workflow.annotators import administration, withdrawal
    from bot.commands import console, session

    with session.opened() as database, database.transaction() as transaction:
        found = queries.project(transaction, session.project_name(project))
        person = administration.known_as(transaction, pseudonym)
        left = withdrawal.withdraw(transaction, annotator_id=person.id or 0, project=found, now=session.now())
    console.said(
        f"{pseudonym} is out of {found.name}: {left.answers} answers count no more, {left.places} places are free."
    )


@app.command()
def forget(
    pseudonym: Pseudonym,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; it cannot be undone.")] = False,
) -> None:
    """Erase all that a person said, answered and is known by, as she asked. It cannot be undone."""
    from annotation.errors import Conflict
    from annotation.store import pseudonyms
    from annotation.workflow.annotators import administration, erasure
    from bot.commands import console, session

    with session.opened() as database, database.transaction() as transaction:
        person = administration.known_as(transaction, pseudonym)
        if not yes:
            raise Conflict(f"Forgetting {pseudonym} cannot be undone.", remedy="Do it with --yes.")
        fresh = pseudonyms.stranger(simulated=person.simulated)
        gone = erasure.forget(transaction, annotator_id=person.id or 0, pseudonym=fresh, now=session.now())
    console.said(
        f"Forgotten: {gone.judgements} judgements and {gone.messages} messages in {gone.projects} projects are empty."
        " Backups and exports made before still hold them."
    )


@app.command()
def data(pseudonym: Pseudonym) -> None:
    """Everything that is held about a person, as JSON, for her to read."""
    from annotation.workflow.annotators import administration, data_export
    from bot.commands import console, session

    with session.opened() as database, database.reading() as view:
        person = administration.known_as(view, pseudonym)
        console.show_json(data_export.of(view, annotator_id=person.id or 0))
