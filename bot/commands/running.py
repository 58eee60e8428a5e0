"""Commands that run things: doctor, bot, demo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.campaigns import AsJson

if TYPE_CHECKING:
    from annotation.settings import Settings
    from bot.application import Address


def doctor(json: AsJson = False) -> None:
    """Check that all that hromada needs is there.

    The exit code is 1 where something is to be mended.
    """
    from bot.commands import checkup, console

    findings = checkup.findings()
    if json:
        console.show_json([{"what": one.what, "well": one.well, "says": one.says} for one in findings])
    else:
        rows = [(one.what, "well" if one.well else "to mend", one.says) for one in findings]
        console.table("Doctor", ("what", "is", "says"), rows)
    if not all(one.well for one in findings):
        sys.exit(1)


def bot(
    webhook: Annotated[
        bool, typer.Option("--webhook", help="Let Telegram call instead of asking it; see HROMADA_WEBHOOK_URL.")
    ] = False,
) -> None:
    """Run the Telegram bot until it is stopped.

    It asks Telegram for updates; with --webhook it is called.
    """
    from annotation.campaigns.project import definition_of
    from annotation.errors import BadInput, Where
    from annotation.settings import settings
    from annotation.store import pseudonyms, queries
    from annotation.workflow.lifecycle import telegram_support, transitions
    from bot import application
    from bot.commands import console, session

    chosen = settings()
    if chosen.telegram_token is None:
        raise BadInput(
            "The bot has no token.",
            where=Where(field="HROMADA_TELEGRAM_TOKEN"),
            remedy="Ask @BotFather for one and write it into .env.",
        )
    token, address = chosen.telegram_token.get_secret_value(), _address(chosen) if webhook else None
    with session.opened(create=True) as database:
        with database.transaction() as transaction:
            key = pseudonyms.key(transaction, file=chosen.key_file, now=session.now())
            found = [(one, definition_of(one.definition)) for one in queries.projects(transaction)]
        for project, definition in found:
            for sentence in filter(None, (telegram_support.sentence(definition), transitions.sentence(project))):
                console.console().print(sentence, markup=False)
        office = application.office(key=key, protect=chosen.telegram_protect)
        app = application.build(token=token, database=database, office=office, base_url=chosen.telegram_url)
        application.run(app, token=token, log_level=chosen.log_level, address=address)


def _address(chosen: Settings) -> Address:
    """Where Telegram calls, and where to listen; raises BadInput."""
    from urllib.parse import urlsplit

    from annotation.errors import BadInput, Where
    from bot.application import Address

    url = urlsplit(chosen.webhook_url or "")
    if url.scheme not in {"https", "http"} or not url.hostname:
        raise BadInput(
            "There is no address that Telegram could call.",
            where=Where(field="HROMADA_WEBHOOK_URL"),
            remedy="Write it like https://bot.example.org; a proxy there passes it on to HROMADA_WEBHOOK_LISTEN.",
        )
    host, _, port = chosen.webhook_listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise BadInput(
            "This is no address to listen on.",
            where=Where(field="HROMADA_WEBHOOK_LISTEN"),
            remedy="Write it like 127.0.0.1:8080.",
        )
    return Address(url=url.geturl(), host=host, port=int(port))


def demo(
    to: Annotated[Path, typer.Option(help="The folder for the demo's files; made if it is not there.")] = Path("demo"),
    json: AsJson = False,
) -> None:
    """Show the main job on simulated people.

    Answers go in through the bot; agreement, gold, baselines and a page come out.
    """
    from bot.commands import console
    from bot.demo import run

    with console.progress("simulated people", quiet=json) as told:
        made = run.run(to, progress=lambda what, share: told(share * 0.5 + (0.5 if what == "numbers" else 0.0)))
    if json:
        console.show_json({"simulated": True, "answers": made.answers, "files": [str(path) for path in made.files]})
        return
    rows: list[tuple[console.Cell, ...]] = []
    for result in made.release.results:
        alpha = result.agreement["krippendorff_alpha_nominal"] if result.agreement else None
        percent = result.agreement["percent_agreement"] if result.agreement else None
        for unit in result.performance.units if result.performance else ():
            shown = (percent.value, alpha.value) if percent and alpha and unit.unit == "individual" else (None, None)
            score = unit.primary
            rows.append((result.data.name, unit.unit, score.value, console.interval(score.low, score.high), *shown))
    columns = ("data set", "unit", "share right", "95 % interval", "agreement", "α")
    notes = [
        f"{made.answers} answers by {made.people} simulated people.",
        f"Files in {to}; open {to / 'report.html'} in a browser.",
    ]
    console.table("SIMULATED people, not a result", columns, rows, notes=notes)
