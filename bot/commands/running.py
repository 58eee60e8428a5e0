"""Commands that run things: doctor, bot, demo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from bot.commands.campaigns import AsJson


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


def bot() -> None:
    """Run the Telegram bot until it is stopped."""
    from annotation.campaigns.project import definition_of
    from annotation.errors import BadInput, Where
    from annotation.settings import settings
    from annotation.store import pseudonyms, queries
    from annotation.workflow import life, offering
    from bot import application
    from bot.commands import console, session

    chosen = settings()
    if chosen.telegram_token is None:
        raise BadInput(
            "The bot has no token.",
            where=Where(field="HROMADA_TELEGRAM_TOKEN"),
            remedy="Ask @BotFather for one and write it into .env.",
        )
    with session.opened(create=True) as database:
        with database.transaction() as transaction:
            key = pseudonyms.key(transaction, file=chosen.key_file, now=session.now())
            found = [(one, definition_of(one.definition)) for one in queries.projects(transaction)]
        for project, definition in found:
            for sentence in filter(None, (offering.sentence(definition), life.sentence(project))):
                console.console().print(sentence, markup=False)
        application.run(
            token=chosen.telegram_token.get_secret_value(),
            base_url=chosen.telegram_url,
            database=database,
            key=key,
            log_level=chosen.log_level,
        )


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
