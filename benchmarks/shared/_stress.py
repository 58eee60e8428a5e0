"""A stress test: many threads, in one process or several, do at random what annotators do, and log the results.

Time runs thirty times faster than real time, and whoever expires leases has a clock that is a lease ahead: so leases
expire all the while, however fast the machine is. A result that a thread got after the commit is acknowledged;
`_stress_checks.py` compares the database with the log.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from _stress_log import AcknowledgedAnswer, ShownItem, StressLog
from sqlmodel import Session

from annotation.errors import NotFound, Stale
from annotation.store import database, queries
from annotation.store.database import Database
from annotation.vocabulary import UnassignedReason
from annotation.workflow import assignments
from annotation.workflow.annotators import registration, withdrawal
from annotation.workflow.lifecycle import projects, transitions
from annotation.workflow.participations import NothingAssigned

EPOCH = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SPEED = 30
LEASE = timedelta(minutes=1)
PROJECTS = ("baseline", "annotation")
OPTIONS = ("так", "ні", "не знаю")
STEPS = {"next": 40, "submit": 40, "tap": 4, "undo": 5, "skip": 4, "report": 1, "expire": 5, "withdraw": 1}
WITHDRAWING = 0.2
"""The share of annotators that may withdraw."""


@dataclass(frozen=True, kw_only=True)
class StressPlan:
    """A stress test on a prepared database: the number of processes, threads and steps, and the random seed.

    `started` and `until` are Unix times; the test ends at `until` at the latest.
    """

    url: str
    projects: tuple[int, ...]
    annotators: int
    processes: int
    threads: int
    steps: int
    seed: int
    started: float
    until: float


def prepare_database(db: Database, folder: Path, *, items: int, annotators: int) -> tuple[int, ...]:
    """Start a baseline with pages and control items and an annotation with dynamic overlap, which share groups.

    Registers the annotators. Returns the ids of the projects.
    """
    baseline: dict[str, object] = {
        "overlap": 3,
        "kind": "baseline",
        "lease": "1 min",
        "pages": {"items": 5},
        "controls": {"pool": {"file": _write_items(folder, "controls", 30, per_group=1)}, "per_page": 1},
    }
    annotation: dict[str, object] = {
        "overlap": {"min": 2, "max": 3, "confidence": 0.9},
        "kind": "annotation",
        "lease": "1 min",
        "reports": {"threshold": 2},
    }
    with db.transaction() as session:
        for name, keys in zip(PROJECTS, (baseline, annotation), strict=True):
            rows = _write_items(folder, name, items, per_group=2)
            projects.load_project_file(session, _write_project(folder, name, rows, keys), now=EPOCH)
            transitions.start_project(session, project=queries.get_project(session, name), now=EPOCH)
        for number in range(1, annotators + 1):
            registration.register_telegram_annotator(
                session, telegram_id=number, language="uk", key=b"k" * 32, now=EPOCH
            )
        return tuple(queries.get_project(session, name).id or 0 for name in PROJECTS)


def _write_project(folder: Path, name: str, rows: str, keys: dict[str, object]) -> Path:
    definition = {
        "project": name,
        "title": name,
        "language": "uk",
        "instructions": "Читайте.",
        "question": {"type": "choice", "text": "Так?", "options": list(OPTIONS[:2]), "abstain": OPTIONS[2]},
        "items": {"file": rows, "id": "id", "show": ["text"], "gold": "gold", "group": "group"},
    }
    file = folder / f"{name}.yaml"
    file.write_text(json.dumps(definition | keys, ensure_ascii=False), "utf-8")
    return file


def _write_items(folder: Path, name: str, number: int, *, per_group: int) -> str:
    """Write items in groups; a third of the groups are common to both projects."""
    lines = []
    for index in range(number):
        group = index // per_group
        owner = "both" if group % 3 == 0 and per_group > 1 else name
        row = {
            "id": f"{name}-{index}",
            "text": f"{name} {index}",
            "group": f"{owner}-{group}",
            "gold": OPTIONS[index % 2],
        }
        lines.append(json.dumps(row, ensure_ascii=False))
    (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return f"{name}.jsonl"


def run_stress(plan: StressPlan) -> StressLog:
    """Let all threads do their steps; returns their common log."""
    if plan.processes == 1:
        return _run_threads(plan, 0)
    log = StressLog()
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(plan.processes, mp_context=spawn) as pool:
        for part in pool.map(_run_threads, [plan] * plan.processes, range(plan.processes)):
            log.add(part)
    return log


def _run_threads(plan: StressPlan, process: int) -> StressLog:
    engine = database.create_engine(plan.url, pool=plan.threads)
    each, rest = divmod(plan.steps, plan.processes * plan.threads)
    steps = [each + (process * plan.threads + number < rest) for number in range(plan.threads)]
    db = Database(engine)
    actors = [_Actor(plan, db, f"{plan.seed}-{process}-{number}") for number in range(plan.threads)]
    log = StressLog()
    try:
        with ThreadPoolExecutor(plan.threads) as pool:
            for part in pool.map(_Actor.work, actors, steps):
                log.add(part)
    finally:
        engine.dispose()
    return log


class _Actor:
    """One thread: it acts for any annotator, while other threads act for the same annotators.

    A step is a method of its name that returns whether it did what its name says.
    """

    def __init__(self, plan: StressPlan, db: Database, seed: str, *, offset: timedelta = timedelta()) -> None:
        self.plan, self.db, self.offset, self.log = plan, db, offset, StressLog()
        self.rng = random.Random(seed)  # noqa: S311
        self.assigned_items: dict[int, assignments.AssignedItem] = {}
        self.acknowledged: list[AcknowledgedAnswer] = []

    @property
    def now(self) -> datetime:
        """The time of the test."""
        return EPOCH + self.offset + timedelta(seconds=SPEED * (time.time() - self.plan.started))

    def work(self, steps: int) -> StressLog:
        """Do this many steps, if there is time, and return the log. A tap that is refused as stale is no failure."""
        for _ in range(steps):
            if time.time() > self.plan.until:
                break
            (name,) = self.rng.choices(list(STEPS), list(STEPS.values()))
            started = time.perf_counter()
            with suppress(Stale):
                self.log.done[name] += bool(getattr(self, f"_{name}")(self.rng.randint(1, self.plan.annotators)))
            self.log.durations.append(time.perf_counter() - started)
        return self.log

    def finish(self, annotators: Sequence[int]) -> StressLog:
        """Let all annotators ask and answer, one after another, until nobody gets an item; returns the log."""
        answered = 1
        while answered:
            answered = sum(self._answer_all(annotator) for annotator in annotators)
        return self.log

    def _answer_all(self, annotator: int) -> int:
        """Answer until nothing more is assigned; returns how many."""
        before = len(self.log.answers)
        for project in self.plan.projects:
            while self._next(annotator, project=project):
                self._submit(annotator)
        return len(self.log.answers) - before

    def _next(self, annotator: int, *, project: int | None = None) -> bool:
        """Ask for an item of a project, or of a random one; whether the annotator is to go on."""
        project_id = project or self.rng.choice(self.plan.projects)
        with self.db.transaction() as session:
            assigned = assignments.assign_next_item(
                assignments.lock_annotator(session, annotator), now=self.now, project_id=project_id
            )
        if isinstance(assigned, NothingAssigned):
            return assigned.reason is UnassignedReason.SEARCHING
        self.assigned_items[annotator] = assigned
        self.log.shown.add(
            ShownItem(
                assignment=assigned.assignment_id, annotator=annotator, project=assigned.project, item=assigned.item
            )
        )
        return True

    def _submit(self, annotator: int) -> bool:
        if annotator not in self.assigned_items:
            self._next(annotator)
        assigned = self.assigned_items.pop(annotator, None)
        if assigned is not None:
            self._submit_label(annotator, assigned.assignment_id, assigned.revision, self.rng.choice(OPTIONS))
        return assigned is not None

    def _submit_label(self, annotator: int, assignment: int, revision: int, label: str) -> None:
        with self.db.transaction() as session:
            saved = assignments.submit_judgement(
                self._open(session, annotator, assignment),
                revision=revision,
                answers={"answer": label},
                now=self.now,
            )
        answer = AcknowledgedAnswer(assignment=assignment, revision=revision, annotator=annotator, label=label)
        if not saved.repeated:
            self.log.answers.append(answer)
        self.acknowledged.append(answer)

    def _open(self, session: Session, annotator: int, assignment: int) -> assignments.OpenedAssignment:
        transaction = assignments.lock_annotator(session, annotator)
        return assignments.open_assignment(transaction, assignment_id=assignment, now=self.now)

    def _tap(self, annotator: int) -> bool:
        """Repeat a tap, or forge it in another annotator's name."""
        if self.acknowledged:
            answer = self.rng.choice(self.acknowledged[-50:])
            self._submit_label(
                self.rng.choice([answer.annotator, annotator]),
                answer.assignment,
                answer.revision,
                answer.label or OPTIONS[0],
            )
        return bool(self.acknowledged)

    def _undo(self, _: int) -> bool:
        """Undo one of the answers that this thread saw stored."""
        if not self.acknowledged:
            return False
        answer = self.rng.choice(self.acknowledged[-20:])
        with self.db.transaction() as session:
            assigned = assignments.undo_judgement(self._open(session, answer.annotator, answer.assignment))
        if self.rng.random() < 0.8:
            self._submit_label(answer.annotator, assigned.assignment_id, assigned.revision, self.rng.choice(OPTIONS))
        return True

    def _skip(self, annotator: int) -> bool:
        assigned = self.assigned_items.pop(annotator, None)
        if assigned is None:
            return False
        with self.db.transaction() as session:
            saved = assignments.skip_item(
                self._open(session, annotator, assigned.assignment_id),
                reason="незрозуміло",
                now=self.now,
            )
        if not saved.repeated:
            self.log.answers.append(
                AcknowledgedAnswer(assignment=assigned.assignment_id, revision=0, annotator=annotator, label=None)
            )
        return True

    def _report(self, annotator: int) -> bool:
        assigned = self.assigned_items.get(annotator)
        if assigned is not None:
            with self.db.transaction() as session:
                assignments.report_item(
                    self._open(session, annotator, assigned.assignment_id),
                    reason="помилка",
                    now=self.now,
                )
        return assigned is not None

    def _expire(self, _: int) -> bool:
        with self.db.transaction() as session:
            return assignments.expire_leases(session, now=self.now + LEASE) > 0

    def _withdraw(self, annotator: int) -> bool:
        if annotator > self.plan.annotators * WITHDRAWING:
            return False
        name = self.rng.choice(PROJECTS)
        with suppress(NotFound), self.db.transaction() as session:
            withdrawal.withdraw_annotator(
                session, annotator_id=annotator, project=queries.get_project(session, name), now=self.now
            )
            self.log.withdrawn.add(annotator)
        return annotator in self.log.withdrawn


def take_remaining(plan: StressPlan, db: Database, *, annotators: Sequence[int]) -> StressLog:
    """After the test, when all leases have expired, let these annotators take all items that they can still get."""
    return _Actor(plan, db, f"{plan.seed}-after", offset=timedelta(hours=1)).finish(annotators)
