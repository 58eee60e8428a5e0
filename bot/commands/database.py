"""`hromada database`: upgrade, backup, restore, check."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.campaigns import AsJson

if TYPE_CHECKING:
    import sqlalchemy as sa

    from annotation.store.backups.manifest import Manifest

app = typer.Typer(help="Look after the database: upgrade, backup, restore, check.", no_args_is_help=True)
Yes = Annotated[bool, typer.Option("--yes", help="Replace what is there.")]


@app.command()
def upgrade(
    no_backup: Annotated[bool, typer.Option("--no-backup", help="Make no backup first.")] = False, json: AsJson = False
) -> None:
    """Bring the schema up to date.

    On SQLite a backup is made first, beside the database; on PostgreSQL make one yourself (hromada database backup).
    """
    from annotation.store import driver_errors, migrations
    from annotation.store.database import reader
    from bot.commands import console, session

    with session.connected() as engine:
        with driver_errors.translated(engine.url), reader(engine).connect() as connection:
            migrations.refuse_strangers(connection)
            before = migrations.current(connection)
        saved: str | None = None
        if before not in {None, migrations.HEAD} and engine.dialect.name == "sqlite" and not no_backup:
            saved = str(_before_upgrade(engine, before or ""))
        with driver_errors.translated(engine.url):
            migrations.upgrade(engine)
    if json:
        console.show_json({"from": before, "to": migrations.HEAD, "backup": saved})
        return
    done = (
        f"Up to date: {before}" if before == migrations.HEAD else f"Upgraded: {before or 'empty'} → {migrations.HEAD}"
    )
    console.console().print(f"{done}.", markup=False)
    if saved:
        console.console().print(f"The database as it was is in {saved}.", markup=False, soft_wrap=True)


def _before_upgrade(engine: sa.Engine, revision: str) -> Path:
    from annotation.store import backups
    from bot.commands import session

    now = session.now()
    file = Path(engine.url.database or "")
    to = file.with_name(f"{file.name}.{revision}-{now:%Y%m%dT%H%M%S}.backup")
    backups.make(engine, to=to, now=now)
    return to


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="Where to write it; FILE.json beside it says what is in it.")],
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Write the whole database into a file, while the bot goes on.

    On PostgreSQL with pg_dump. The key of the pseudonyms is not in it: keep that file too, in another place.
    """
    from annotation.store import backups
    from bot.commands import session

    with session.connected() as engine:
        made = backups.make(engine, to=file, now=session.now(), yes=yes)
    _show(f"Backed up into {file}", made, json=json)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup, with its FILE.json beside it.", show_default=False)],
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Put a backup in the place of the database; stop the bot first.

    The file must be the one that was written (sha256). Whatever fails, nothing is changed.
    """
    from annotation.store import backups
    from bot.commands import session

    with session.connected(create=True) as engine:
        found = backups.restore(engine, file=file, yes=yes)
    _show(f"Restored from {file}", found, json=json)


def _show(title: str, manifest: Manifest, *, json: bool) -> None:
    from dataclasses import asdict

    from bot.commands import console

    if json:
        console.show_json(asdict(manifest))
        return
    facts: list[tuple[console.Cell, ...]] = [
        ("made at", manifest.made_at),
        ("revision", manifest.revision),
        ("bytes", f"{manifest.size}"),
        ("sha256", manifest.sha256),
        *((name, f"{number}") for name, number in manifest.rows.items() if number),
    ]
    console.table(title, ("what", "is"), facts, notes=_about_the_key(manifest.key))


def _about_the_key(fingerprint: str | None) -> list[str]:
    """Whether the key here is the one without which a backup's people are strangers."""
    from annotation import files
    from annotation.settings import settings
    from annotation.store import pseudonyms

    if fingerprint is None:
        return ["No key of pseudonyms was made yet."]
    file = settings().key_file
    if files.there(file) and pseudonyms.fingerprint(pseudonyms.read(file)) == fingerprint:
        return [f"Keep {file} too, in another place: it is not in the backup, and without it people become strangers."]
    return [f"The key here is not its key: put the one with the fingerprint {fingerprint} into {file}."]


@app.command("check")
def check_(json: AsJson = False) -> None:
    """Check that the database is whole and that its rows agree with each other.

    The exit code is 1 where something is wrong.
    """
    from bot.commands import checkup, console, session

    with session.connected() as engine:
        found = checkup.soundness(engine)
    if json:
        console.show_json([{"rule": one.rule, "wrong": one.wrong, "examples": list(one.examples)} for one in found])
    else:
        rows = [(one.rule, one.wrong, ", ".join(one.examples)) for one in found]
        console.table("Database", ("rule", "wrong", "for instance"), rows)
    if any(one.wrong for one in found):
        sys.exit(1)
