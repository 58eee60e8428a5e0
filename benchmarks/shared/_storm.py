"""A storm: many threads, in one process or several, do at random what annotators do, and note what they were told.

Time runs thirty times faster than it does, so that leases of a minute end all the while. What a thread was told after
the commit is acknowledged; `_ledger.py` holds the database to it.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from annotation.errors import NotFound, Stale
from annotation.store import database, queries
from annotation.store.database import Database
from annotation.vocabulary import Hindrance
from annotation.workflow import assignments
from annotation.workflow.annotators import registration, withdrawal
from annotation.workflow.lifecycle import projects, transitions
from annotation.workflow.waiting import Waiting

EPOCH = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SPEED = 30
PROJECTS = ("baseline", "annotation")
OPTIONS = ("так", "ні", "не знаю")
STEPS = {"next": 40, "submit": 40, "tap": 4, "undo": 5, "skip": 4, "report": 1, "expire": 5, "withdraw": 1}
LEAVING = 0.2
"""So large a part of all people may withdraw."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A storm on a database that is made ready: who does how many steps, from when on, and until when at the latest."""

    url: str
    projects: tuple[int, ...]
    people: int
    processes: int
    threads: int
    steps: int
    seed: int
    begun: float
    until: float


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An acknowledged answer, or a skip where `label` is None."""

    assignment: int
    revision: int
    who: int
    label: str | None


@dataclass(frozen=True, kw_only=True)
class Shown:
    """An item that a person was shown."""

    assignment: int
    who: int
    project: str
    item: str


@dataclass(kw_only=True)
class Ledger:
    """What threads were told: answers that were stored, items that were shown, who is out; and the seconds that every
    step took."""

    answers: list[Answer] = field(default_factory=list)
    shown: set[Shown] = field(default_factory=set)
    withdrawn: set[int] = field(default_factory=set)
    taken: list[float] = field(default_factory=list)

    def add(self, other: Ledger) -> None:
        """Take in what another one was told."""
        self.answers += other.answers
        self.shown |= other.shown
        self.withdrawn |= other.withdrawn
        self.taken += other.taken


def prepare(db: Database, folder: Path, *, items: int, people: int) -> tuple[int, ...]:
    """Start a baseline with pages and control items, and an annotation with a dynamic overlap that shares its groups;
    let people in. Gives the projects."""
    baseline: dict[str, object] = {
        "overlap": 3,
        "kind": "baseline",
        "lease": "1 min",
        "pages": {"items": 5},
        "controls": {"pool": {"file": _items(folder, "controls", 30, per_group=1)}, "per_page": 1},
    }
    annotation: dict[str, object] = {
        "overlap": {"min": 2, "max": 3, "confidence": 0.9},
        "kind": "annotation",
        "lease": "1 min",
        "reports": {"threshold": 2},
    }
    with db.transaction() as session:
        for name, keys in zip(PROJECTS, (baseline, annotation), strict=True):
            rows = _items(folder, name, items, per_group=2)
            projects.load_file(session, _project(folder, name, rows, keys), now=EPOCH)
            transitions.start(session, project=queries.project(session, name), now=EPOCH)
        for number in range(1, people + 1):
            registration.join(session, telegram_id=number, language="uk", key=b"k" * 32, now=EPOCH)
        return tuple(queries.project(session, name).id or 0 for name in PROJECTS)


def _project(folder: Path, name: str, rows: str, keys: dict[str, object]) -> Path:
    whole = {
        "project": name,
        "title": name,
        "language": "uk",
        "instructions": "Читайте.",
        "question": {"type": "choice", "text": "Так?", "options": list(OPTIONS[:2]), "abstain": OPTIONS[2]},
        "items": {"file": rows, "id": "id", "show": ["text"], "gold": "gold", "group": "group"},
    }
    file = folder / f"{name}.yaml"
    file.write_text(json.dumps(whole | keys, ensure_ascii=False), "utf-8")
    return file


def _items(folder: Path, name: str, number: int, *, per_group: int) -> str:
    """Items in groups; a third of the groups of the two projects are the same."""
    lines = []
    for one in range(number):
        group = one // per_group
        owner = "both" if group % 3 == 0 and per_group > 1 else name
        row = {"id": f"{name}-{one}", "text": f"{name} {one}", "group": f"{owner}-{group}", "gold": OPTIONS[one % 2]}
        lines.append(json.dumps(row, ensure_ascii=False))
    (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return f"{name}.jsonl"


def blow(plan: Plan) -> Ledger:
    """Let all threads do their steps; what they were told, together."""
    if plan.processes == 1:
        return _threads(plan, 0)
    told = Ledger()
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(plan.processes, mp_context=spawning) as pool:
        for found in pool.map(_threads, [plan] * plan.processes, range(plan.processes)):
            told.add(found)
    return told


def _threads(plan: Plan, process: int) -> Ledger:
    engine = database.connect(plan.url, pool=plan.threads)
    each = plan.steps // (plan.processes * plan.threads)
    db = Database(engine)
    hands = [_Hand(plan, db, f"{plan.seed}-{process}-{number}") for number in range(plan.threads)]
    told = Ledger()
    try:
        with ThreadPoolExecutor(plan.threads) as pool:
            for found in pool.map(lambda hand: hand.work(each), hands):
                told.add(found)
    finally:
        engine.dispose()
    return told


class _Hand:
    """One thread: it acts for any of the people, and others act for them at the same time."""

    def __init__(self, plan: Plan, db: Database, seed: str, *, later: timedelta = timedelta()) -> None:
        self.plan, self.db, self.later, self.told = plan, db, later, Ledger()
        self.rng = random.Random(seed)  # noqa: S311
        self.offers: dict[int, assignments.Offer] = {}
        self.said: list[Answer] = []

    @property
    def now(self) -> datetime:
        """The time of the storm."""
        return EPOCH + self.later + timedelta(seconds=SPEED * (time.time() - self.plan.begun))

    def work(self, steps: int) -> Ledger:
        """Do so many steps, if there is time; what it was told. Being told that a tap is stale is no failure."""
        for _ in range(steps):
            if time.time() > self.plan.until:
                break
            (name,) = self.rng.choices(list(STEPS), list(STEPS.values()))
            begun = time.perf_counter()
            with suppress(Stale):
                getattr(self, f"_{name}")(self.rng.randint(1, self.plan.people))
            self.told.taken.append(time.perf_counter() - begun)
        return self.told

    def finish(self, people: Sequence[int]) -> Ledger:
        """Let everybody ask and answer, one after another, until nobody gets an item any more; what it was told."""
        got = 1
        while got:
            got = sum(self._all(one) for one in people)
        return self.told

    def _all(self, who: int) -> int:
        """Answer until there is nothing more; how many."""
        before = len(self.told.answers)
        for project in self.plan.projects:
            while self._next(who, project=project):
                self._submit(who)
        return len(self.told.answers) - before

    def _next(self, who: int, *, project: int | None = None) -> bool:
        """Ask for an item of a project, or of one at random; whether she is to ask for more."""
        wanted = project or self.rng.choice(self.plan.projects)
        with self.db.transaction() as session:
            offer = assignments.next_item(session, annotator_id=who, now=self.now, project_id=wanted)
        if isinstance(offer, Waiting):
            return offer.reason is Hindrance.SEARCHING
        self.offers[who] = offer
        self.told.shown.add(Shown(assignment=offer.assignment_id, who=who, project=offer.project, item=offer.item))
        return True

    def _submit(self, who: int) -> None:
        if who not in self.offers:
            self._next(who)
        if who in self.offers:
            offer = self.offers.pop(who)
            self._say(who, offer.assignment_id, offer.revision, self.rng.choice(OPTIONS))

    def _say(self, who: int, assignment: int, revision: int, label: str) -> None:
        with self.db.transaction() as session:
            saved = assignments.submit(
                session,
                annotator_id=who,
                assignment_id=assignment,
                revision=revision,
                answers={"answer": label},
                now=self.now,
            )
        made = Answer(assignment=assignment, revision=revision, who=who, label=label)
        if not saved.repeated:
            self.told.answers.append(made)
        self.said.append(made)

    def _tap(self, who: int) -> None:
        """The same tap again, or a forged one in somebody else's name."""
        if self.said:
            one = self.rng.choice(self.said[-50:])
            self._say(self.rng.choice([one.who, who]), one.assignment, one.revision, one.label or OPTIONS[0])

    def _undo(self, _: int) -> None:
        """One of the answers that this thread saw stored, whosever it was."""
        if not self.said:
            return
        one = self.rng.choice(self.said[-20:])
        with self.db.transaction() as session:
            offer = assignments.undo(session, annotator_id=one.who, assignment_id=one.assignment, now=self.now)
        if self.rng.random() < 0.8:
            self._say(one.who, offer.assignment_id, offer.revision, self.rng.choice(OPTIONS))

    def _skip(self, who: int) -> None:
        offer = self.offers.pop(who, None)
        if offer is None:
            return
        with self.db.transaction() as session:
            saved = assignments.skip(
                session, annotator_id=who, assignment_id=offer.assignment_id, reason="незрозуміло", now=self.now
            )
        if not saved.repeated:
            self.told.answers.append(Answer(assignment=offer.assignment_id, revision=0, who=who, label=None))

    def _report(self, who: int) -> None:
        offer = self.offers.get(who)
        if offer is not None:
            with self.db.transaction() as session:
                assignments.report(
                    session, annotator_id=who, assignment_id=offer.assignment_id, reason="помилка", now=self.now
                )

    def _expire(self, _: int) -> None:
        with self.db.transaction() as session:
            assignments.expire(session, now=self.now)

    def _withdraw(self, who: int) -> None:
        if who > self.plan.people * LEAVING:
            return
        name = self.rng.choice(PROJECTS)
        with suppress(NotFound), self.db.transaction() as session:
            withdrawal.withdraw(session, annotator_id=who, project=queries.project(session, name), now=self.now)
            self.told.withdrawn.add(who)


def exhaust(plan: Plan, db: Database, *, who: Sequence[int]) -> Ledger:
    """After the storm, when every lease is over: these people take all that they can still get."""
    return _Hand(plan, db, f"{plan.seed}-after", later=timedelta(hours=1)).finish(who)
