"""`hromada people team-member`, `cohort`, `agree` and `pay`: facts about an annotator that organisers record."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.commands.command_line import Pseudonym


def team_member(
    pseudonym: Pseudonym,
    no: Annotated[bool, typer.Option("--no", help="Take the mark away.")] = False,
) -> None:
    """Mark an author of the campaign, or a colleague of one: releases score with and without them."""
    from annotation.workflow.annotators import roster
    from bot.commands import database_session, terminal_output

    with database_session.open_database() as database, database.transaction() as transaction:
        annotator = roster.get_annotator(transaction, pseudonym)
        roster.set_team_member(
            transaction, annotator=annotator, team_member=not no, now=database_session.get_time(transaction)
        )
    terminal_output.print_sentence(f"{pseudonym} is {'no' if no else 'a'} team member.")


def add_reviewer(
    name: Annotated[str, typer.Argument(help="A name of your own for them; it is not stored.", show_default=False)],
) -> None:
    """Give a pseudonym to somebody who reviews or adjudicates without the bot; the same name gets the same one."""
    from annotation.settings import read_settings
    from annotation.store import pseudonyms
    from annotation.workflow.review import reviewers
    from bot.commands import database_session, terminal_output

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
    """Add an annotator to a cohort, or remove them from it."""
    from annotation.workflow.annotators import roster
    from bot.commands import database_session, terminal_output

    with database_session.open_database() as database, database.transaction() as transaction:
        annotator = roster.get_annotator(transaction, pseudonym)
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
    """Record that an annotator without Telegram agreed to the present consent and content warning of a project."""
    from annotation.errors import BadInput, Where
    from annotation.workflow.annotators import consents, roster
    from bot.commands import database_session, terminal_output

    answers = dict(field.split("=", 1) for field in profile or () if "=" in field)
    if len(answers) != len(profile or ()):
        raise BadInput("What did they say?", where=Where(field="profile"), remedy="Say each field once: FIELD=ANSWER.")
    with database_session.open_database() as database, database.transaction() as transaction:
        loaded = database_session.get_project(transaction, project)
        annotator = roster.get_annotator(transaction, pseudonym)
        agreement = consents.record_agreement(
            transaction,
            annotator=annotator,
            project=loaded,
            how=how,
            profile=answers,
            now=database_session.get_time(transaction),
            code=code,
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
    """Record that an annotator was paid."""
    from annotation.campaigns.project_file import parse_definition
    from annotation.errors import BadInput, Where
    from annotation.workflow.annotators import payments, roster
    from bot.commands import database_session, terminal_output

    hundredths = payments.parse_amount(amount)
    with database_session.open_database() as database, database.transaction() as transaction:
        paid_project = database_session.get_project(transaction, project)
        reward = parse_definition(paid_project.definition).reward
        chosen_currency = currency or (reward.pay.currency if reward and reward.pay else None)
        if chosen_currency is None:
            remedy = "Name it: --currency EUR."
            raise BadInput("In which currency?", where=Where(field="currency"), remedy=remedy)
        money = payments.Money(hundredths=hundredths, currency=chosen_currency)
        annotator = roster.get_annotator(transaction, pseudonym)
        payments.record_payment(
            transaction,
            annotator=annotator,
            project=paid_project,
            money=money,
            note=note,
            now=database_session.get_time(transaction),
        )
    terminal_output.print_sentence(f"Noted: {pseudonym} got {money} for {paid_project.name}.")
