"""`hromada database backup --every`: a backup if one is due, and old ones deleted; once, or until it is stopped."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import FrameType

from annotation.errors import BadInput, HromadaError, Where
from annotation.store import backups, processes
from annotation.store.backups import schedule
from annotation.store.backups.manifest import BackupManifest
from bot.commands import database_session, local_times, terminal_output

INTERVALS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
SHORTEST = timedelta(minutes=1)
RETRY_SECONDS = 300.0
"""How long a backup that failed is waited with; on SIGTERM and Ctrl-C the wait ends at once."""
LONGEST_WAIT = 3600.0
"""The folder and the clock are looked at again at least this often."""


@dataclass(frozen=True, kw_only=True)
class ScheduledBackup:
    """What one look at the folder led to: a new backup, or None if the next is due later, and what was deleted."""

    file: Path | None
    manifest: BackupManifest | None
    next_due: datetime
    rotation: schedule.Rotation


def parse_interval(written: str) -> timedelta:
    """Return the interval that `hour`, `day`, `week` or a length of time like `6 h` means; else raise BadInput."""
    from annotation.campaigns.sections.base import parse_duration

    try:
        seconds = parse_duration(written)
    except ValueError:
        seconds = None
    interval = INTERVALS.get(written) or (timedelta(seconds=seconds) if isinstance(seconds, float) else None)
    if interval is None or interval < SHORTEST:
        remedy = "Write hour, day, week, or a length like 6 h, of a minute or more."
        raise BadInput(f"Invalid interval {written!r}.", where=Where(field="--every"), remedy=remedy)
    return interval


def make_if_due(folder: Path, *, every: timedelta, keep: int, to_key: str | None, early: float) -> ScheduledBackup:
    """Make a backup in the folder if the newest is too old, and then delete those beyond the `keep` newest.

    It is too old after this part of the interval: below 1 for a timer, which may fire a little early.
    """
    with database_session.open_engine() as engine:
        now = processes.get_machine_time()
        due = schedule.find_due_time(schedule.list_own_backups(engine, folder), every=every, now=now, early=early)
        if due > now:
            nothing = schedule.Rotation(deleted=(), damaged=())
            return ScheduledBackup(file=None, manifest=None, next_due=due, rotation=nothing)
        file = folder / schedule.name_backup(engine, now=now, encrypted=to_key is not None)
        manifest = backups.make_backup(engine, to=file, now=now, to_key=to_key)
        own = schedule.list_own_backups(engine, folder)
        rotation = schedule.delete_old_backups(own, keep=keep, new=file, now=now)
        return ScheduledBackup(file=file, manifest=manifest, next_due=now + every, rotation=rotation)


def keep_making(make: Callable[[], ScheduledBackup]) -> None:
    """Make backups until SIGTERM or Ctrl-C; a failure is printed once, and tried again every five minutes."""
    failing = ""
    with stop_cleanly():
        try:
            while True:
                try:
                    wait, failing = _wait_after(make()), ""
                except HromadaError as failure:
                    if failure.problem != failing:  # the name of the file changes with the time
                        print(f"hromada: {failure}", file=sys.stderr, flush=True)
                    wait, failing = RETRY_SECONDS, failure.problem
                time.sleep(wait)
        except KeyboardInterrupt:
            return


def _wait_after(made: ScheduledBackup) -> float:
    """Print what was made, if anything was; returns how many seconds to wait."""
    if made.file is not None:
        print_lines(made)
        sys.stdout.flush()
    return max(1.0, min(LONGEST_WAIT, (made.next_due - processes.get_machine_time()).total_seconds()))


@contextmanager
def stop_cleanly() -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does: what is not encrypted yet, and half a file, are deleted.

    Only the main thread can be interrupted; in another one the block just runs.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def print_lines(made: ScheduledBackup) -> None:
    """Print a line for what was made, for each file that was deleted or is damaged, and when the next is due."""
    if made.file is not None and made.manifest is not None:
        answers = terminal_output.format_count(made.manifest.rows.get("judgement", 0), "answer")
        sealed = ", encrypted" if made.manifest.to_key else ""
        terminal_output.print_line(f"Backed up into {made.file}: {answers}, {made.manifest.size:,} bytes{sealed}.")
    for file in made.rotation.deleted:
        terminal_output.print_line(f"Deleted {file}.")
    for file in made.rotation.damaged:
        terminal_output.print_line(f"Damaged: {file} is not the file that was written.")
    terminal_output.print_line(f"The next backup is due at {local_times.format_moment(made.next_due)}.")
