"""`hromada database`: upgrade, backup, restore, check."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import terminal_output
from bot.commands.command_line import AsJson, CommandGroup

if TYPE_CHECKING:
    import sqlalchemy as sa

    from annotation.store.backups.manifest import BackupManifest

app = typer.Typer(cls=CommandGroup, help="Check, upgrade, back up and restore the database.", no_args_is_help=True)
Yes = Annotated[bool, typer.Option("--yes", help="Replace what is there.")]


@app.command()
def upgrade(
    no_backup: Annotated[bool, typer.Option("--no-backup", help="Make no backup first.")] = False, json: AsJson = False
) -> None:
    """Bring the schema up to date; no other command does.

    Stop the bot first. On SQLite a backup is made before, beside the database; on PostgreSQL make one yourself
    (hromada database backup).
    """
    from annotation.store import database, migrations
    from annotation.store.database import make_read_engine
    from bot.commands import database_session

    with database_session.open_engine() as engine:
        with database.translate_errors(engine.url), make_read_engine(engine).connect() as connection:
            migrations.refuse_foreign_database(connection)
            before = migrations.get_revision(connection)
        saved: str | None = None
        if before not in {None, migrations.HEAD} and engine.dialect.name == "sqlite" and not no_backup:
            saved = str(_back_up_before_upgrade(engine, before or ""))
        with database.translate_errors(engine.url):
            migrations.upgrade_schema(engine)
    _erase_restored_annotators()
    if json:
        terminal_output.print_json({"from": before, "to": migrations.HEAD, "backup": saved})
        return
    done = (
        f"Up to date: {before}" if before == migrations.HEAD else f"Upgraded: {before or 'empty'} → {migrations.HEAD}"
    )
    terminal_output.print_sentence(f"{done}.")
    if saved:
        terminal_output.print_line(f"The database as it was is in {saved}.")


def _back_up_before_upgrade(engine: sa.Engine, revision: str) -> Path:
    """Make a backup beside the database, named after its revision and the time; the path of the backup."""
    from annotation.store import backups, processes

    now = processes.get_machine_time()
    file = Path(engine.url.database or "")
    to = file.with_name(f"{file.name}.{revision}-{now:%Y%m%dT%H%M%S}.backup")
    backups.make_backup(engine, to=to, now=now)
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
    from annotation.store import backups, processes
    from bot.commands import database_session

    with database_session.open_engine() as engine:
        manifest = backups.make_backup(engine, to=file, now=processes.get_machine_time(), yes=yes)
    _print_manifest(f"Backed up into {file}", manifest, json=json)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup, with its FILE.json beside it.", show_default=False)],
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Put a backup in the place of the database; stop the bot first.

    The file must be the one that was written (sha256). Whatever fails, nothing is changed. Who was erased since is
    erased again. A backup of an older schema has to be upgraded afterwards.
    """
    from annotation.store import backups, migrations, processes
    from annotation.workflow.annotators import erasure
    from bot.commands import database_session

    erase = partial(erasure.erase_restored_annotators, now=processes.get_machine_time())
    with database_session.open_engine(create=True) as engine:
        now = database_session.get_shared_time(engine)  # leases end by it
        restored = backups.restore_backup(engine, file=file, now=now, erase=erase, yes=yes)
    manifest, erased = restored.manifest, restored.erased
    older = (
        f"Its schema is {manifest.revision}, and this hromada works with {migrations.HEAD}: hromada database upgrade"
    )
    notes = [] if manifest.revision == migrations.HEAD else [older]
    notes += [f"Erased again: {erased} annotators, who were forgotten after it was made."] if erased else []
    _print_manifest(f"Restored from {file}", manifest, json=json, notes=notes)


def _erase_restored_annotators() -> int:
    """Erase whom a restored backup brought back; their number. The schema must be up to date."""
    from annotation.workflow.annotators import erasure
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        return erasure.erase_restored_annotators(transaction, now=database_session.get_time(transaction))


def _print_manifest(title: str, manifest: BackupManifest, *, json: bool, notes: Sequence[str] = ()) -> None:
    from dataclasses import asdict

    if json:
        terminal_output.print_json(asdict(manifest))
        return
    facts: list[tuple[terminal_output.Cell, ...]] = [
        ("made at", manifest.made_at),
        ("revision", manifest.revision),
        ("bytes", f"{manifest.size}"),
        ("sha256", manifest.sha256),
        *((name, f"{number}") for name, number in manifest.rows.items() if number),
    ]
    terminal_output.print_table(title, ("what", "is"), facts, notes=[*_describe_key(manifest.key), *notes])


def _describe_key(fingerprint: str | None) -> list[str]:
    """A note on whether the key here is that of the backup's pseudonyms."""
    from annotation import input_files
    from annotation.settings import read_settings
    from annotation.store import pseudonyms

    if fingerprint is None:
        return ["No key of pseudonyms was made yet."]
    file = read_settings().key_file
    if input_files.file_exists(file) and pseudonyms.fingerprint_key(pseudonyms.read_key(file)) == fingerprint:
        return [
            f"Keep {file} too, in another place: it is not in the backup, and without it annotators get new pseudonyms."
        ]
    return [f"The key here is not its key: put the one with the fingerprint {fingerprint} into {file}."]


@app.command("check")
def check_(json: AsJson = False) -> None:
    """Check that the database is whole and that its rows agree with each other.

    The exit code is 1 where something is wrong.
    """
    from bot.commands import database_session, system_checks

    with database_session.open_engine() as engine:
        findings = system_checks.check_database(engine)
    if json:
        terminal_output.print_json(
            [{"rule": finding.rule, "wrong": finding.wrong, "examples": list(finding.examples)} for finding in findings]
        )
    else:
        rows = [(finding.rule, finding.wrong, ", ".join(finding.examples)) for finding in findings]
        terminal_output.print_table("Database", ("rule", "wrong", "for instance"), rows)
    if any(finding.wrong for finding in findings):
        sys.exit(1)
