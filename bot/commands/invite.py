"""`hromada invite`: codes that admit annotators, or adjudicators, to a project or a programme."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import BadInput, Where
from bot.commands import local_times, terminal_output
from bot.commands.command_line import AsJson

if TYPE_CHECKING:
    from annotation.store.models import Invitation


def invite(
    name: Annotated[str, typer.Argument(help="The project or programme, by name or file.", show_default=False)],
    uses: Annotated[
        int | None, typer.Option("--uses", help="Maximum number of annotators. Default: unlimited.")
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option("--expires", help="The last day, like 2026-12-31, or a moment with its zone."),
    ] = None,
    cohort: Annotated[str | None, typer.Option("--cohort", help="The cohort that they join.")] = None,
    adjudicator: Annotated[
        bool,
        typer.Option(
            "--adjudicator", help="Invite an adjudicator, who settles disputed items in Telegram and does not annotate."
        ),
    ] = False,
    page: Annotated[
        bool, typer.Option("--page", help="Show links to the answer page, for people without Telegram.")
    ] = False,
    show: Annotated[bool, typer.Option("--list", help="List the invitations; make none.")] = False,
    revoke: Annotated[
        str | None,
        typer.Option("--revoke", help="End this link, by its code; with --expires on that day.", show_default=False),
    ] = None,
    json: AsJson = False,
) -> None:
    """Create an invitation link.

    From the first link for annotators on, the project or programme is by invitation only.
    """
    from annotation.workflow.annotators import invitations
    from bot.commands import command_line, database_session

    command_line.refuse_together({"--revoke": revoke is not None, "--list": show})
    makes = uses is not None or cohort is not None or adjudicator
    command_line.refuse_options(
        (makes and revoke is not None, "--revoke makes no link.", "Leave --uses, --cohort and --adjudicator out."),
        ((makes or expires is not None) and show, "--list makes no link.", "Leave the other options out."),
    )

    if adjudicator and cohort is not None:
        raise BadInput("Adjudicators join no cohort.", remedy="Leave --cohort out.")
    if adjudicator and page:
        raise BadInput("Adjudicators work in Telegram.", remedy="Leave --page out.")
    format_link = _choose_link(page=page)

    expires_at = None if expires is None else _parse_expiry(expires)
    with database_session.open_database() as database, database.transaction() as transaction:
        now = database_session.get_time(transaction)
        target = invitations.get_target(transaction, database_session.resolve_name(name))
        if show:
            invitations_shown = invitations.list_invitations(transaction, target=target)
        elif revoke is not None:
            ended = invitations.get_invitation(transaction, target=target, code=revoke)
            invitations.limit_invitation(transaction, invitation=ended, expires_at=expires_at or now, now=now)
            invitations_shown = [ended]
        else:
            invitation = invitations.create_invitation(
                transaction,
                target=target,
                code=invitations.generate_code(),
                now=now,
                uses=uses,
                expires_at=expires_at,
                cohort=cohort,
                adjudicates=adjudicator,
            )
            invitations_shown = [invitation]
    rows = [_build_json(invitation, format_link) for invitation in invitations_shown]
    if json:
        terminal_output.print_json(rows if show else rows[0])
        return
    columns = ("code", "send", "for", "cohort", "uses", "used", "expires")
    lines = [
        [*(row[name] for name in columns[:-1]), _format_expiry(invitation, now=now)]
        for row, invitation in zip(rows, invitations_shown, strict=True)
    ]
    title = f"Invitations to {target.name}" if show else f"An invitation to {target.name}"
    kept = ("People who joined with it stay; nobody joins without a link.",) if revoke is not None else ()
    terminal_output.print_table(title, columns, lines, notes=kept)


def _build_json(invitation: Invitation, format_link: Callable[[str], str]) -> dict[str, str | int | None]:
    return {
        "code": invitation.code,
        "send": format_link(invitation.code),
        "for": _name_invited(invitation),
        "cohort": invitation.cohort,
        "uses": invitation.max_uses,
        "used": invitation.used,
        "expires": None if invitation.expires_at is None else invitation.expires_at.isoformat(timespec="minutes"),
    }


def _name_invited(invitation: Invitation) -> str:
    if invitation.invited_by is not None:
        return "friends of an annotator"
    return "adjudicators" if invitation.adjudicates else "annotators"


def _format_expiry(invitation: Invitation, *, now: datetime) -> str | None:
    """The last day where it ends with one, else the moment; that it has ended."""
    if invitation.expires_at is None:
        return None
    ends = invitation.expires_at.astimezone(local_times.get_zone())
    if ends <= now:
        return f"ended {local_times.format_moment(ends)}"
    is_midnight = (ends.hour, ends.minute, ends.second) == (0, 0, 0)
    return f"after {ends - timedelta(days=1):%Y-%m-%d}" if is_midnight else local_times.format_moment(ends)


def _choose_link(*, page: bool) -> Callable[[str], str]:
    """Makes of a code a link to the answer page, or a deep link for each bot whose name is known, else the command that
    annotators send to it; raises BadInput if there is no page.
    """
    from annotation.settings import read_settings
    from annotation.workflow.annotators import invitations

    settings = read_settings()
    if page:
        from bot.web.answer_page import address  # with all of the page

        return partial(address.format_invitation, url=address.build_page_url(settings.public_url))
    names = settings.bot_names or (None,)
    return lambda code: " ".join(invitations.format_link(code, bot_name=name) for name in names)


def _parse_expiry(written: str) -> datetime:
    """The end of a day in the zone of the settings, or a moment with its zone; raises BadInput for anything else."""
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        moment = None
    if moment is not None and len(written) == len("2026-12-31"):
        return (moment + timedelta(days=1)).replace(tzinfo=local_times.get_zone()).astimezone(UTC)
    if moment is None or moment.tzinfo is None:
        remedy = "Write a day like 2026-12-31, or a moment like 2026-12-31T18:00+02:00."
        raise BadInput(f"{written!r} is not a day.", where=Where(field="expires"), remedy=remedy)
    return moment
