"""The command `hromada invite`: codes that let people into a project or a programme."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.campaigns import AsJson

if TYPE_CHECKING:
    from annotation.store.models import Invitation


def invite(
    name: Annotated[str, typer.Argument(help="The project or programme, by name or file.", show_default=False)],
    uses: Annotated[int | None, typer.Option("--uses", help="For how many people; any number without it.")] = None,
    expires: Annotated[
        str | None, typer.Option("--expires", help="The last day, in UTC, like 2026-12-31; or a moment with its zone.")
    ] = None,
    cohort: Annotated[str | None, typer.Option("--cohort", help="The group of people that they become.")] = None,
    show: Annotated[bool, typer.Option("--list", help="Make none; show those that there are.")] = False,
    json: AsJson = False,
) -> None:
    """Make an invitation. From the first one on, the project or programme is by invitation only."""
    from annotation.workflow.annotators import invitations
    from bot.commands import console, session

    now = session.now()
    until = None if expires is None else _moment(expires)
    with session.opened() as database, database.transaction() as transaction:
        door = invitations.door(transaction, _name(name))
        if show:
            found = invitations.listed(transaction, door=door)
        else:
            made = invitations.invite(
                transaction,
                door=door,
                code=invitations.new_code(),
                now=now,
                uses=uses,
                expires_at=until,
                cohort=cohort,
            )
            found = [made]
    rows = [_facts(one) for one in found]
    if json:
        console.show_json(rows if show else rows[0])
        return
    columns = ("code", "send", "cohort", "uses", "used", "expires")
    lines = [[row[name] for name in columns] for row in rows]
    console.table(f"Invitations to {door.name}" if show else f"An invitation to {door.name}", columns, lines)


def _name(written: str) -> str:
    """A project or programme as it was given: its name, or the path of its file."""
    from pathlib import Path

    from annotation.campaigns import programme
    from bot.commands import session

    if written.endswith((".yaml", ".yml")) and programme.is_one(Path(written)):
        return programme.read(Path(written)).definition.programme
    return session.project_name(written)


def _facts(one: Invitation) -> dict[str, str | int | None]:
    return {
        "code": one.code,
        "send": _sent(one.code),
        "cohort": one.cohort,
        "uses": one.uses,
        "used": one.used,
        "expires": None if one.expires_at is None else one.expires_at.isoformat(timespec="minutes"),
    }


def _sent(code: str) -> str:
    """A deep link where the bot's name is known, else what people write to it."""
    from annotation.settings import settings

    bot = settings().telegram_name
    return f"/start {code}" if bot is None else f"https://t.me/{bot.removeprefix('@')}?start={code}"


def _moment(written: str) -> datetime:
    """The end of a day in UTC, or a moment with its zone; raises BadInput for anything else."""
    from annotation.errors import BadInput, Where

    try:
        found = datetime.fromisoformat(written)
    except ValueError:
        found = None
    if found is not None and len(written) == len("2026-12-31"):
        return found.replace(tzinfo=UTC) + timedelta(days=1)
    if found is None or found.tzinfo is None:
        remedy = "Write a day like 2026-12-31, or a moment like 2026-12-31T18:00+02:00."
        raise BadInput(f"{written!r} is no day.", where=Where(field="expires"), remedy=remedy)
    return found
