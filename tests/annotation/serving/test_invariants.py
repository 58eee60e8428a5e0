"""Any order of steps by people and organisers leaves the database sound, and every answer as it was given."""

from __future__ import annotations

import json
import shutil
import tempfile
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlmodel import col, select

from annotation.campaigns import project as project_files
from annotation.errors import Conflict, NotFound, Stale
from annotation.loading import campaign as loading
from annotation.store import database, queries, soundness
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import AssignmentStatus, ProjectStatus, Surface
from annotation.workflow import enforcement, fixes, life, work
from annotation.workflow.people import erasure, leaving

if TYPE_CHECKING:
    from tests.annotation.serving.conftest import Room

PEOPLE = 5
NAMES = ("kept", "scored", "apart")
GROUPS = ("a", "a", "b", "b", "c", "d")
LABELS = ("так", "ні")
STEPS = (*life.Step, life.Step.START, life.Step.REOPEN)
"""What stops a project, and, as often, what lets it go on."""
RULE = "an organiser's reason"
people, labels = st.integers(1, PEOPLE), st.sampled_from(LABELS)
names = st.sampled_from(NAMES)
which = st.integers(0, 10**6)


class Campaigns(RuleBasedStateMachine):
    """Three projects that share their groups: an annotation, a baseline, a baseline that excepts the annotation."""

    template: Path
    begin: datetime

    def __init__(self) -> None:
        super().__init__()
        self.closing = ExitStack()
        self.folder = Path(self.closing.enter_context(tempfile.TemporaryDirectory())) / "copy"
        shutil.copytree(self.template, self.folder)
        self.db = self.closing.enter_context(database.opened(f"sqlite:///{self.folder / 'test.db'}"))
        self.now = self.begin
        self.answers: dict[tuple[int, int], str] = {}
        self.shown: dict[int, tuple[int, int]] = {}
        self.forgotten: set[int] = set()
        self.fixed = 0

    def teardown(self) -> None:
        self.closing.close()

    @initialize(said=st.lists(labels, min_size=2 * PEOPLE, max_size=2 * PEOPLE))
    def begun(self, said: list[str]) -> None:
        """Everybody has answered two items and has a third in hand, so that every step finds something to try."""
        for number, label in enumerate(said):
            who, name = 1 + number % PEOPLE, NAMES[number % len(NAMES)]
            self.ask(who, name)
            for assignment in [one for one, (whose, _) in self.shown.items() if whose == who][-1:]:
                self.say(who, assignment, 0, label)
            self.ask(who, NAMES[(number + 1) % len(NAMES)])

    @rule(who=people, name=names)
    def ask(self, who: int, name: str) -> None:
        """An item, if there is one: only of a project that runs, and never two at once."""
        with self.db.transaction() as session:
            wanted = queries.project(session, name)
            found = work.next_item(session, annotator_id=who, now=self.now, project_id=wanted.id)
            if isinstance(found, work.Offer):
                assert who not in self.forgotten
                offered = queries.project(session, found.project)
                assert offered.status is ProjectStatus.RUNNING
                self.shown[found.assignment_id] = (who, found.revision)

    @rule(at=which, label=labels)
    def answer(self, at: int, label: str) -> None:
        """An answer to any item that was ever shown, fresh, late or stale."""
        if self.shown:
            assignment, (who, revision) = sorted(self.shown.items())[at % len(self.shown)]
            self.say(who, assignment, revision, label)

    @rule(at=which, who=people, label=labels)
    def tap(self, at: int, who: int, label: str) -> None:
        """An earlier tap again, or somebody else's."""
        if self.answers:
            assignment, revision = sorted(self.answers)[at % len(self.answers)]
            self.say(who, assignment, revision, label)

    def say(self, who: int, assignment: int, revision: int, label: str) -> None:
        """What is told to be stored is stored; the same tap again stores nothing."""
        key = (assignment, revision)
        with suppress(Stale), self.db.transaction() as session:
            saved = work.submit(
                session,
                annotator_id=who,
                assignment_id=assignment,
                revision=revision,
                answers={"answer": label},
                now=self.now,
            )
            assert saved.repeated is (key in self.answers)
            assert self.answers.get(key, label) == label
            assert self.shown[assignment][0] == who
            self.answers[key] = label

    @rule(at=which)
    def undo(self, at: int) -> None:
        """Another revision may be opened, one above the last."""
        if self.shown:
            assignment, (who, _) = sorted(self.shown.items())[at % len(self.shown)]
            with suppress(Stale), self.db.transaction() as session:
                opened = work.undo(session, annotator_id=who, assignment_id=assignment, now=self.now)
                assert opened.revision == 1 + max(last for one, last in self.answers if one == assignment)
                self.shown[assignment] = (who, opened.revision)

    @rule(at=which, report=st.booleans())
    def skip_or_report(self, at: int, report: bool) -> None:
        """Pass an item over, or say that something is wrong with it."""
        if not self.shown:
            return
        assignment, (who, _) = sorted(self.shown.items())[at % len(self.shown)]
        with suppress(Stale), self.db.transaction() as session:
            if report:
                work.report(session, annotator_id=who, assignment_id=assignment, reason="помилка", now=self.now)
                return
            saved = work.skip(session, annotator_id=who, assignment_id=assignment, reason="не знаю", now=self.now)
            assert saved.repeated is ((assignment, 0) in self.answers)
            self.answers[assignment, 0] = ""

    @rule(minutes=st.sampled_from([1, 31, 1500]))
    def later(self, minutes: int) -> None:
        """Time passes, and leases end."""
        self.now += timedelta(minutes=minutes)
        with self.db.transaction() as session:
            work.expire(session, now=self.now)

    @rule(name=names, step=st.sampled_from(STEPS))
    def organise(self, name: str, step: life.Step) -> None:
        """Start, pause, extend, close, reopen, where the state allows it."""
        with suppress(Conflict), self.db.transaction() as session:
            project = queries.project(session, name)
            if step is life.Step.EXTEND:
                life.extend(session, project=project, now=self.now, overlap=(project.overlap or 0) + 1)
            else:
                getattr(life, step.value)(session, project=project, now=self.now)

    @rule(name=names, item=st.integers(1, len(GROUPS)), cosmetic=st.booleans())
    def fix(self, name: str, item: int, cosmetic: bool) -> None:
        """`load --fix`: the text of an item is another one."""
        file, self.fixed = self.folder / f"{name}-m.jsonl", self.fixed + 1
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        rows[item - 1]["text"] = f"{name} {item}, а точніше {self.fixed}"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        campaign = project_files.read(self.folder / f"{name}.yaml")
        contents = loading.contents(campaign)
        with self.db.transaction() as session:
            fixes.fix(session, campaign, contents, item=rows[item - 1]["id"], cosmetic=cosmetic, now=self.now)

    @rule(at=which, back=st.booleans())
    def exclude(self, at: int, back: bool) -> None:
        """Answers are excluded by a reason, and come back."""
        chosen = sorted({one for one, _ in self.answers})[at % 7 :: 7]
        with self.db.transaction() as session:
            if back:
                enforcement.reinstate(session, assignment_ids=chosen, reason=RULE, now=self.now)
            else:
                enforcement.exclude(session, assignment_ids=chosen, reason=RULE, post_hoc=True, now=self.now)

    @rule(who=people, name=names)
    def withdraw(self, who: int, name: str) -> None:
        """Somebody leaves a project."""
        with suppress(NotFound), self.db.transaction() as session:
            leaving.withdraw(session, annotator_id=who, project=queries.project(session, name), now=self.now)

    @rule(who=st.just(PEOPLE))
    def forget(self, who: int) -> None:
        """Somebody is forgotten: her answers stay in number, and are empty."""
        with suppress(Conflict), self.db.transaction() as session:
            erasure.forget(session, annotator_id=who, pseudonym=f"stranger {who}", now=self.now)
            self.forgotten.add(who)

    @invariant()
    def sound(self) -> None:
        """Overlap, one live item, blindness, numbered revisions, counts: whatever came before."""
        with self.db.reading() as view:
            assert soundness.broken(view) == ()

    @invariant()
    def kept(self) -> None:
        """Each answer that was acknowledged is there as it was given, and no other; all can be explained."""
        with self.db.reading() as view:
            chosen = select(Judgement, Assignment, Item).join(Assignment, col(Judgement.assignment_id) == Assignment.id)
            rows = view.exec(chosen.join(Item, col(Item.id) == col(Assignment.item_id))).all()
            stored = {(one.assignment_id, one.revision): one.response for one, _, _ in rows}
            erased = {given.id for _, given, _ in rows if given.annotator_id in self.forgotten}
            assert stored == {key: "" if key[0] in erased else label for key, label in self.answers.items()}
            for one, given, item in rows:
                assert given.surface is Surface.TELEGRAM
                assert given.item_revision <= item.revision
                assert given.option_order is not None
                assert one.skip_reason is not None or one.response in LABELS or one.excluded_reason
                if item.pool.placed and given.status is AssignmentStatus.DONE and not given.is_repeat:
                    final = max(other.revision for other, _, _ in rows if other.assignment_id == given.id)
                    counts = next(o for o, _, _ in rows if (o.assignment_id, o.revision) == (given.id, final))
                    assert given.holds is (counts.excluded_reason in {None, "abstained"})


@pytest.fixture
def backend() -> str:
    """One database is enough for orders of steps; what differs between the two is in the storms."""
    return "sqlite"


def test_no_order_of_steps_breaks_an_invariant(room: Room, tmp_path: Path) -> None:
    """Projects with pages, control items and caps, whose groups are shared; five people; any organiser's step."""
    controls = {"pool": {"file": room.items("controls", 4)}, "per_page": 1}
    room.project("kept", items=GROUPS, kind="annotation", instructions="Читайте.")
    room.project(
        "scored",
        items=GROUPS,
        kind="baseline",
        instructions="Читайте.",
        pages={"items": 3},
        controls=controls,
        caps={"items_per_day": 4},
    )
    room.project("apart", items=GROUPS, kind="baseline", instructions="Читайте.", exposure={"exceptions": ["kept"]})
    for number in range(1, PEOPLE + 1):
        room.person(number)
    room.db.engine.dispose()
    Campaigns.template, Campaigns.begin = tmp_path, room.now
    bounded = settings(max_examples=15, stateful_step_count=40, deadline=None)
    run_state_machine_as_test(Campaigns, settings=bounded)
