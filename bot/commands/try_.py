"""`hromada try`: a campaign in the browser as annotators will see it; no token, no account, nothing is stored."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import local_times, terminal_output
from bot.commands.command_line import AllowOutside, AsJson

if TYPE_CHECKING:
    from annotation.campaigns.programme_file import CheckedProgramme
    from annotation.campaigns.project_file import CheckedProject
    from annotation.campaigns.sections.annotators import AdmissionSection
    from annotation.store.database import Database


def try_(
    file: Annotated[Path, typer.Argument(help="The project or programme file.")],
    port: Annotated[int, typer.Option(help="The port of the page; any free one by default.", min=0, max=65535)] = 0,
    allow_outside: AllowOutside = False,
    json: AsJson = False,
) -> None:
    """Answer a campaign yourself, in your browser.

    Runs the bot on a local Telegram and a database that is thrown away.
    Everybody is admitted. Ctrl-C ends it.
    """
    import tempfile

    import sqlalchemy as sa

    from annotation.store import database
    from bot.commands import added_texts, local_chat

    added_texts.use_added_texts()
    zone = local_times.get_zone().key
    key = secrets.token_bytes(32)
    with tempfile.TemporaryDirectory(prefix="hromada-try-") as folder:
        url = sa.URL.create("sqlite", database=str(Path(folder) / "try.db"))
        with database.open_database(url) as opened:
            lifted = start_campaign(opened, file, key=key, allow_outside=allow_outside)
            if lifted and not json:
                terminal_output.print_line(
                    f"Everybody is admitted here: `admission` of {', '.join(lifted)} is ignored."
                )
            asyncio.run(local_chat.serve_page(opened, key=key, port=port, json=json, time_zone=zone))


def start_campaign(database: Database, file: Path, *, key: bytes, allow_outside: bool) -> tuple[str, ...]:
    """Load and start the project, or all of the programme, without admission; the names of those that had one.

    Raises Conflict if the campaign cannot start.
    """
    from annotation.campaigns import programme_file, project_file
    from annotation.loading.campaign import read_contents
    from annotation.store import pseudonyms, queries
    from annotation.workflow.lifecycle import projects, transitions
    from bot.commands import database_session

    programme: CheckedProgramme | None = None
    admissions: dict[str, AdmissionSection | None] = {}
    if programme_file.is_programme(file):
        read = programme_file.read_programme(file, allow_outside=allow_outside)
        admissions[read.definition.programme] = read.definition.admission
        programme, campaigns = _lift_programme(read), read.projects
    else:
        campaigns = (project_file.read_project(file, allow_outside=allow_outside),)
    admissions |= {campaign.definition.project: campaign.definition.admission for campaign in campaigns}

    with database.transaction() as transaction:
        pseudonyms.record_key(transaction, key, now=database_session.get_time(transaction))
        now = database_session.get_time(transaction)
        for campaign in map(_lift_admission, campaigns):
            projects.load_project(transaction, campaign, read_contents(campaign), now=now)
        if programme is not None:
            projects.load_programme(transaction, programme, now=now)
        for project in queries.list_projects(transaction):
            transitions.start_project(
                transaction, project=project, now=database_session.get_time(transaction), rehearsal=True
            )
    return tuple(name for name, admission in admissions.items() if admission is not None)


def _lift_admission(campaign: CheckedProject) -> CheckedProject:
    """The project without its admission: nobody here has a cohort or has answered anything before."""
    return campaign.model_copy(update={"definition": campaign.definition.model_copy(update={"admission": None})})


def _lift_programme(programme: CheckedProgramme) -> CheckedProgramme:
    return replace(
        programme,
        definition=programme.definition.model_copy(update={"admission": None}),
        projects=tuple(map(_lift_admission, programme.projects)),
    )
