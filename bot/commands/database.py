"""`hromada database`: upgrade, backup, restore, drill, check."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import local_times, terminal_output
from bot.commands.command_line import AsJson, CommandGroup, refuse_options, refuse_together

if TYPE_CHECKING:
    import sqlalchemy as sa

    from annotation.store.backups import RestoredBackup
    from annotation.store.backups.drill import DrillResult
    from annotation.store.backups.manifest import BackupManifest
    from annotation.store.invariants import IntegrityFinding

app = typer.Typer(cls=CommandGroup, help="Check, upgrade, back up and restore the database.", no_args_is_help=True)
Yes = Annotated[bool, typer.Option("--yes", help="Replace what is there.")]
Identity = Annotated[
    Path | None,
    typer.Option("--identity", help="The file of the secret key of an encrypted backup.", show_default=False),
]


@app.command()
def upgrade(
    no_backup: Annotated[bool, typer.Option("--no-backup", help="Make no backup first.")] = False, json: AsJson = False
) -> None:
    """Upgrade the database schema.

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
    to = _name_copy(engine, f"{revision}-{now:%Y%m%dT%H%M%S}")
    backups.make_backup(engine, to=to, now=now)
    return to


@app.command()
def backup(
    file: Annotated[
        Path | None,
        typer.Argument(help="Where to write it; FILE.json is its manifest. With --every a folder.", show_default=False),
    ] = None,
    every: Annotated[str | None, typer.Option(help="Only if the newest is older: hour, day, week, 6 h.")] = None,
    keep: Annotated[int, typer.Option(min=1, help="With --every: how many to keep.")] = 14,
    watch: Annotated[bool, typer.Option("--watch", help="With --every: stay, and make one at each interval.")] = False,
    to_key: Annotated[
        str | None, typer.Option("--to-key", help="Encrypt to this public key of age (age1…).", show_default=False)
    ] = None,
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Back up the database; the bot can keep running.

    With --every, which a timer can call, keeps the newest in HROMADA_BACKUP_FOLDER, and deletes older ones that it made
    itself. On PostgreSQL it needs pg_dump. The key of the pseudonyms is not in it: keep that in another place.
    """
    from annotation.errors import BadInput
    from annotation.store import backups, processes
    from bot.commands import database_session, scheduled_backups

    if every is not None:
        refuse_together({"--every": True, "--yes": yes})
        refuse_together({"--watch": watch, "--json": json})
        _back_up_on_schedule(file, every=every, keep=keep, watch=watch, to_key=to_key, json=json)
        return
    refuse_options((watch, "--watch needs an interval.", "Add --every day."))
    if file is None:
        raise BadInput(
            "No file is named.", remedy="Name one: hromada database backup monday.backup, or add --every day."
        )
    with scheduled_backups.stop_cleanly(), database_session.open_engine() as engine:
        manifest = backups.make_backup(engine, to=file, now=processes.get_machine_time(), yes=yes, to_key=to_key)
    _print_manifest(f"Backed up into {file}", manifest, json=json)


def _back_up_on_schedule(
    folder: Path | None, *, every: str, keep: int, watch: bool, to_key: str | None, json: bool
) -> None:
    from annotation.settings import read_settings
    from annotation.store.backups import encryption, schedule
    from bot.commands import scheduled_backups

    interval = scheduled_backups.parse_interval(every)
    if to_key is not None:
        encryption.check_public_key(to_key)
    make = partial(
        scheduled_backups.make_if_due,
        folder or read_settings().backup_folder,
        every=interval,
        keep=keep,
        to_key=to_key,
        early=1.0 if watch else schedule.EARLY,
    )
    if watch:
        scheduled_backups.keep_making(make)
        return
    with scheduled_backups.stop_cleanly():
        made = make()
    if not json:
        scheduled_backups.print_lines(made)
        return
    terminal_output.print_json(
        {
            "file": made.file and str(made.file),
            "next_due": made.next_due.isoformat(timespec="seconds"),
            "deleted": [str(deleted) for deleted in made.rotation.deleted],
            "damaged": [str(damaged) for damaged in made.rotation.damaged],
            "manifest": made.manifest and asdict(made.manifest),
        }
    )


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup, with its FILE.json beside it.", show_default=False)],
    identity: Identity = None,
    no_copy: Annotated[bool, typer.Option("--no-copy", help="Keep no copy of what is replaced.")] = False,
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Replace the database with a backup; stop the bot first.

    The file must be the one that was written (sha256). Whatever fails, nothing is changed. What is replaced is kept as
    a backup beside the database. Who was erased since is erased again. A backup of an older schema has to be upgraded
    afterwards.
    """
    from annotation.store import backups, migrations, processes
    from annotation.workflow.annotators import erasure
    from bot.commands import database_session, scheduled_backups

    erase = partial(erasure.erase_restored_annotators, now=processes.get_machine_time())
    with scheduled_backups.stop_cleanly(), database_session.open_engine(create=True) as engine:
        now = database_session.get_shared_time(engine)  # leases end by it
        keep = None if no_copy else _name_copy(engine, f"replaced-{now:%Y%m%dT%H%M%S.%f}")
        restored = backups.restore_backup(
            engine, file=file, now=now, erase=erase, yes=yes, keep=keep, identity=identity
        )
    manifest, erased = restored.manifest, restored.erased
    older = (
        f"Its schema is {manifest.revision}, and this hromada works with {migrations.HEAD}: hromada database upgrade"
    )
    notes = [] if manifest.revision == migrations.HEAD else [older]
    notes += [f"Erased again: {erased} annotators, who were forgotten after it was made."] if erased else []
    notes += _describe_replaced(restored)
    more = {"replaced": restored.replaced and str(restored.replaced), "newer_answers": restored.newer_answers}
    _print_manifest(f"Restored from {file}", manifest, json=json, notes=notes, more=more)


def _name_copy(engine: sa.Engine, what: str) -> Path:
    """The path of a backup that is made unasked: beside an SQLite database, or in this folder."""
    file = Path(engine.url.database or "")
    return (file if engine.dialect.name == "sqlite" else Path(file.name)).with_name(f"{file.name}.{what}.backup")


def _describe_replaced(restored: RestoredBackup) -> list[str]:
    """Notes on the answers that are not in the backup, and on where the copy of what was replaced is."""
    newer, replaced = restored.newer_answers, restored.replaced
    lost = "What was replaced is damaged, and its newer answers could not be counted." if newer is None else ""
    if newer:
        lost = f"{terminal_output.format_count(newer, 'answer')} newer than this backup had been saved."
    where = f"What was replaced is in {replaced}." if replaced else ""
    return [" ".join(part for part in (lost, where) if part)] if lost or where else []


@app.command()
def drill(
    file: Annotated[
        Path | None, typer.Argument(help="A backup; the newest in HROMADA_BACKUP_FOLDER.", show_default=False)
    ] = None,
    identity: Identity = None,
    json: AsJson = False,
) -> None:
    """Try a restore: into a throw-away database, which is checked.

    Says how old the backup is, how many answers and annotators it has, and whether it is sound. The database and the
    bot are not touched. On PostgreSQL the user must be allowed to make databases. Exits with 1 if something is wrong.
    """
    from annotation.settings import read_settings
    from annotation.store import processes
    from annotation.store.backups import drill as drills
    from annotation.workflow.annotators import erasure
    from bot.commands import scheduled_backups

    settings = read_settings()
    backup_file = file or _find_newest(settings.backup_folder)
    now = processes.get_machine_time()
    erase = partial(erasure.erase_restored_annotators, now=now)
    with scheduled_backups.stop_cleanly():
        found = drills.drill_backup(backup_file, url=settings.database_url, now=now, erase=erase, identity=identity)
    if json:
        terminal_output.print_json(
            {
                "file": str(backup_file),
                "made_at": found.manifest.made_at,
                "age_seconds": round(found.age.total_seconds()),
                "last_answer": found.manifest.last_answer,
                "answers": found.answers,
                "annotators": found.people,
                "erased_again": found.erased,
                "revision": found.manifest.revision,
                "encrypted": found.manifest.to_key is not None,
                "sound": found.is_sound,
                "checks": _list_findings(found.findings),
            }
        )
    else:
        _print_drill(backup_file, found)
    if not found.is_sound:
        sys.exit(1)


def _find_newest(folder: Path) -> Path:
    from annotation.errors import NotFound, Where
    from annotation.store.backups import schedule

    stored = schedule.list_backups(folder)
    if not stored:
        remedy = "Make one: hromada database backup --every day, or name a backup."
        raise NotFound("There is no backup in this folder.", where=Where(file=folder), remedy=remedy)
    return stored[0].file


def _print_drill(file: Path, found: DrillResult) -> None:
    hours = found.age.total_seconds() / 3600
    facts: list[tuple[terminal_output.Cell, ...]] = [
        ("made at", local_times.format_moment(found.manifest.made_at)),
        ("age", f"{hours:.1f} hours" if hours < 48 else f"{hours / 24:.1f} days"),
        ("last answer", local_times.format_moment(found.manifest.last_answer) if found.manifest.last_answer else None),
        ("answers", found.answers),
        ("annotators", found.people),
        ("revision", found.manifest.revision),
        ("encrypted", "yes" if found.manifest.to_key else "no"),
        ("sound", "yes" if found.is_sound else "no"),
    ]
    notes = [f"Wrong: {one.rule} ({', '.join(one.examples)})." for one in found.findings if one.wrong]
    notes += [f"Erased again: {found.erased} annotators, who were forgotten after it was made."] if found.erased else []
    terminal_output.print_table(
        f"Restored {file} for a try", ("what", "is"), facts, notes=[*notes, *_describe_key(found.manifest.key)]
    )


def _erase_restored_annotators() -> int:
    """Erase whom a restored backup brought back; their number. The schema must be up to date."""
    from annotation.workflow.annotators import erasure
    from bot.commands import database_session

    with database_session.open_database() as database, database.transaction() as transaction:
        return erasure.erase_restored_annotators(transaction, now=database_session.get_time(transaction))


def _print_manifest(
    title: str,
    manifest: BackupManifest,
    *,
    json: bool,
    notes: Sequence[str] = (),
    more: Mapping[str, Any] | None = None,
) -> None:
    """Print what is in a backup; JSON has the whole manifest and what `more` adds."""
    if json:
        terminal_output.print_json({**asdict(manifest), **(more or {})})
        return
    facts: list[tuple[terminal_output.Cell, ...]] = [
        ("made at", local_times.format_moment(manifest.made_at)),
        ("revision", manifest.revision),
        ("bytes", f"{manifest.size}"),
        ("sha256", f"{manifest.sha256[:16]}…"),
        *([("encrypted to", f"{manifest.to_key[:16]}…")] if manifest.to_key else []),
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
    """Check the database for damage and inconsistencies.

    The exit code is 1 where something is wrong.
    """
    from bot.commands import database_session, system_checks

    with database_session.open_engine() as engine:
        findings = system_checks.check_database(engine)
    if json:
        terminal_output.print_json(_list_findings(findings))
    else:
        rows = [(finding.rule, finding.wrong, ", ".join(finding.examples)) for finding in findings]
        terminal_output.print_table("Database", ("rule", "wrong", "for instance"), rows)
    if any(finding.wrong for finding in findings):
        sys.exit(1)


def _list_findings(findings: Sequence[IntegrityFinding]) -> list[dict[str, Any]]:
    return [{"rule": finding.rule, "wrong": finding.wrong, "examples": list(finding.examples)} for finding in findings]
