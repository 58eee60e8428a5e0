"""Damages the files of every reader one by one, and counts what becomes of each."""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from traceback import extract_tb

import sqlalchemy as sa
from _damage import damage
from _sound_files import NAME, PROJECT, Source, list_sources
from sqlmodel import Session

from annotation.campaigns import project_file
from annotation.errors import HromadaError
from annotation.loading import campaign, campaign_lint
from annotation.store import database, pseudonyms, queries
from annotation.workflow.imports import vote_import
from annotation.workflow.lifecycle import projects

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
EVERY = 4
"""Of so many damaged files of a source one is also loaded and imported."""
SLOW = 1.0
"""The processor seconds of a file that is reported."""
SHARE_MISSING = 0.03
"""The share of cases in which one of several files is taken away."""


@dataclass(kw_only=True)
class Outcome:
    """What became of the files: how many were read and refused, loaded and imported, the seconds of the slowest.

    `leaks` counts errors that are not ours by their kind and place, refusals without a place or words among them;
    `rows_left` are the numbers of files after which the database was another one.
    """

    counts: Counter[str] = field(default_factory=Counter)
    leaks: Counter[str] = field(default_factory=Counter)
    rows_left: list[int] = field(default_factory=list)
    stored: int = 0
    slowest: float = 0.0


def count_rows(db: database.Database) -> Mapping[str, int]:
    """The number of rows of every table."""
    with db.transaction() as session:
        connection = session.connection()
        names = sa.inspect(connection).get_table_names()
        return {name: connection.execute(sa.text(f'SELECT count(*) FROM "{name}"')).scalar_one() for name in names}


def check(project: project_file.CheckedProject) -> None:
    """Read what a project names, as `hromada check` does."""
    contents = campaign.read_contents(project)
    section = project.definition.votes
    if section is not None and section.file is not None:
        read = campaign.read_votes(
            project.resolve_path(section.file),
            section.resolve(project.path.parent),
            questions=contents.questions,
            item_contents=contents.item_contents,
        )
        list(campaign_lint.describe_votes(read.votes))
    list(campaign_lint.describe_items((item.external_id for item in contents.items), contents.questions))
    campaign_lint.refuse_errors(campaign_lint.lint_campaign(project, contents), project, contents)


@dataclass(frozen=True, kw_only=True)
class Store:
    """One database, in which the sound projects are loaded, each under its number."""

    db: database.Database
    key: bytes

    def load_sound(self, file: Path, number: int) -> None:
        """Load a sound project, without its votes."""
        sound = file.with_name("sound.yaml")
        sound.write_text(file.read_text("utf-8").replace(f"project: {NAME}\n", f"project: {NAME}{number}\n"), "utf-8")
        with self.db.transaction() as session:
            projects.load_project_file(session, sound, now=NOW)

    def load(self, file: Path) -> None:
        """Load a project from damaged files, import its votes, and take both back."""
        with self.db.transaction() as session:
            projects.load_project_file(session, file, now=NOW)
            if queries.get_project(session, NAME).definition.get("votes"):
                self._import(session, NAME)
            session.rollback()

    def import_votes(self, number: int, path: Path) -> None:
        """Import damaged votes into the sound project, and take them back."""
        with self.db.transaction() as session:
            self._import(session, f"{NAME}{number}", path=path)
            session.rollback()

    def _import(self, session: Session, name: str, path: Path | None = None) -> None:
        project = queries.get_project(session, name)
        vote_file = vote_import.read_vote_file(session, project, path=path)
        vote_import.store_votes(session, project, vote_file, key=self.key, now=NOW)


def fuzz(files: int, seed: int, report: Callable[[str], None] = lambda _: None) -> Outcome:
    """Try that many damaged files, of all sources in turn; `report` is told of every leak, with the file's number.

    Raises SystemExit for a sound file that is refused.
    """
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = list_sources(folder)
        with database.open_database(f"sqlite:///{folder / 'fuzz.db'}") as db:
            with db.transaction() as session:
                key = pseudonyms.ensure_key(session, file=folder / "k.key", now=NOW)
            trials = [
                Trial(source=source, folder=folder / f"{number}", number=number, store=Store(db=db, key=key))
                for number, source in enumerate(sources)
            ]
            for trial in trials:
                trial.begin()
            before = count_rows(db)
            for number in range(files):
                trial, is_stored = trials[number % len(trials)], number // len(trials) % EVERY == 0
                begun = time.process_time()
                leak = trial.try_damaged(random.Random(f"{seed} {number}"), outcome, is_stored=is_stored)  # noqa: S311
                took = time.process_time() - begun
                outcome.slowest = max(outcome.slowest, took)
                if took > SLOW:
                    report(f"file {number} of seed {seed}, {trial.source.name}, took {took:.1f} s")
                if leak is not None:
                    report(f"file {number} of seed {seed}, {trial.source.name}: {leak}")
                if is_stored and count_rows(db) != before:
                    outcome.rows_left.append(number)
                if number % 1000 == 0:
                    report(f"{number} files")
    return outcome


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A source in a folder of its own, whose files are damaged one at a time."""

    source: Source
    folder: Path
    number: int
    store: Store

    def begin(self) -> None:
        """Write the sound files, check and import them; raises SystemExit if they are refused."""
        file = self.source.write(self.folder)
        try:
            check(project_file.read_project(file))
            self.store.load(file)
            self.store.load_sound(file, self.number)
            if self.source.votes is not None:
                self.store.import_votes(self.number, self.folder / self.source.votes)
        except HromadaError as refusal:
            raise SystemExit(f"The sound files of {self.source.name} are refused: {refusal}") from refusal

    def try_damaged(self, rng: random.Random, outcome: Outcome, *, is_stored: bool) -> str | None:
        """Damage one file, check the project, and make the file sound again; return what leaked, if anything."""
        names = sorted(self.source.files)
        path = self.folder / rng.choice(names)
        sound = path.read_bytes()
        if len(names) > 1 and rng.random() < SHARE_MISSING:
            path.unlink()
        else:
            path.write_bytes(damage(sound, path.suffix, rng))
        try:
            return self._count(outcome, is_stored=is_stored)
        finally:
            path.write_bytes(sound)

    def _count(self, outcome: Outcome, *, is_stored: bool) -> str | None:
        file = self.folder / PROJECT
        told, leak = try_once(lambda: check(project_file.read_project(file)))
        outcome.counts[told] += 1
        calls: list[Callable[[], None]] = []
        if is_stored:
            calls = [lambda: self.store.load(file)]
            if self.source.votes is not None:
                votes = self.folder / self.source.votes
                calls.append(lambda: self.store.import_votes(self.number, votes))
            outcome.stored += 1
        leaks = [leak, *(try_once(call)[1] for call in calls)]
        found = dict.fromkeys(one for one in leaks if one is not None)
        outcome.leaks.update(found)
        return "; ".join(found) or None


def try_once(call: Callable[[], None]) -> tuple[str, str | None]:
    """Whether the call read or refused the files, and the error that is not ours, or of ours one without a place."""
    try:
        call()
    except HromadaError as refusal:
        is_whole = refusal.where is not None and bool(refusal.problem) and bool(refusal.remedy)
        return "refused", None if is_whole else f"a refusal without a place or a remedy: {refusal.problem}"
    except Exception as failure:  # noqa: BLE001  # what is counted here is just what nobody expects
        frames = [frame for frame in extract_tb(failure.__traceback__) if "/site-packages/" not in frame.filename]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
        return "failed", f"{type(failure).__name__} at {place}"
    return "read", None
