"""Any order of steps by people and organisers leaves the database sound, and every answer as it was given."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
import sqlalchemy as sa
from _examples import limit_examples
from hypothesis import Phase, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlmodel import Session, col, select

from annotation.campaigns import programme_file as programme_files
from annotation.campaigns import project_file as project_files
from annotation.errors import Conflict, NotFound, Stale
from annotation.loading import campaign as loading
from annotation.store import database, invariants, judgements, overlap_counts, queries
from annotation.store.models import Assignment, Item, Judgement, Project
from annotation.vocabulary import (
    POOLS_WITH_OVERLAP,
    AssignmentStatus,
    Exclusion,
    ExclusionKind,
    ProjectStatus,
    Stage,
    Surface,
    UnassignedReason,
)
from annotation.workflow import assignments
from annotation.workflow.annotators import erasure, united_accounts, withdrawal
from annotation.workflow.assignments import annotator_context
from annotation.workflow.lifecycle import item_fixes, projects, transitions
from annotation.workflow.quality import enforcement, exclusions

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

PEOPLE = 5
NAMES = ("kept", "scored", "apart", "staged", "late")
"""An annotation with a training, a qualification and repeats; a baseline with pages, control items and a cap; one that
excepts the annotation; a programme of one with a pilot and a rule, and of one that comes after it, with a quota."""
GROUPS = ("a", "a", "b", "b", "c", "d", "e", "f", "g", "h")
FILES = ("m",) * 6 + ("training", "qualification", "controls")
LABELS = ("так", "ні")
STEPS = (*transitions.Transition, *3 * (transitions.Transition.START, transitions.Transition.REOPEN))
"""What stops a project, and, more often, what lets it go on."""
RULE = Exclusion(ExclusionKind.ORGANISER, "an organiser's reason")
LEAST_SHOWN = 30
people, labels = st.integers(1, PEOPLE), st.sampled_from(LABELS)
names = st.sampled_from(NAMES)
where = st.sampled_from((None, None, *NAMES))
which = st.integers(0, 10**6)
said = st.lists(labels, min_size=2, max_size=5)


class Campaigns(RuleBasedStateMachine):
    """Five projects that share their groups, two of them in a programme."""

    template: Path
    begin: datetime
    n_assigned: ClassVar[list[int]] = []
    """How many items each run has assigned."""
    met: ClassVar[set[str]] = set()
    """What has happened in any run: stages, repeats, control items, another attempt, an exclusion by rule."""

    def __init__(self) -> None:
        super().__init__()
        self.closing = ExitStack()
        self.folder = Path(self.closing.enter_context(tempfile.TemporaryDirectory())) / "copy"
        shutil.copytree(self.template, self.folder)
        self.db = self.closing.enter_context(database.open_database(f"sqlite:///{self.folder / 'test.db'}"))
        self.now = self.begin
        self.answers: dict[tuple[int, int], str] = {}
        self.shown: dict[int, tuple[int, int]] = {}
        self.forgotten: set[int] = set()
        self.united: dict[int, int] = {}
        self.fixed = 0

    def teardown(self) -> None:
        Campaigns.n_assigned.append(len(self.shown))
        event(f"items assigned: {len(self.shown) // 10 * 10} and more")
        self.closing.close()

    @initialize(opening=st.lists(labels, min_size=6 * PEOPLE, max_size=6 * PEOPLE))
    def begun(self, opening: list[str]) -> None:
        """Everybody has answered some items and has another in hand, of different projects, so that every step finds
        something to try."""
        for number, label in enumerate(opening):
            self.sit(1 + number % PEOPLE, NAMES[(number + number // PEOPLE) % len(NAMES)], [label])
        for who in range(1, PEOPLE + 1):
            self.ask(who, NAMES[who % len(NAMES)])

    def _open(self, session: Session, who: int, assignment: int) -> assignments.OpenedAssignment:
        transaction = assignments.lock_annotator(session, self.find(who))
        return assignments.open_assignment(transaction, assignment_id=assignment, now=self.now)

    @rule(who=people, name=where)
    def ask(self, who: int, name: str | None) -> None:
        """Somebody looks what there is."""
        self.come(who, name)

    def come(self, who: int, name: str | None) -> int | None:
        """An item of that project, or of the next open one: only of a running project, and never two at once."""
        with self.db.transaction() as session:
            wanted = None if name is None else queries.get_project(session, name).id
            found = assignments.assign_next_item(
                assignments.lock_annotator(session, self.find(who)), now=self.now, project_id=wanted
            )
            if not isinstance(found, assignments.AssignedItem):
                if found.reason is UnassignedReason.EXCLUDED:
                    Campaigns.met.add("excluded")
                return None
            assert self.find(who) not in self.forgotten
            assert queries.get_project(session, found.project).status is ProjectStatus.RUNNING
            self.shown[found.assignment_id] = (self.find(who), found.revision)
            return found.assignment_id

    @rule(who=people, name=where, said=said)
    def sit(self, who: int, name: str | None, said: list[str]) -> None:
        """Somebody works for a while."""
        for label in said:
            self.now += timedelta(seconds=20)
            assignment = self.come(who, name)
            if assignment is None:
                return
            self.submit(who, assignment, self.shown[assignment][1], label)

    @rule(said=st.lists(labels, min_size=PEOPLE, max_size=PEOPLE), name=where)
    def all_sit(self, said: list[str], name: str | None) -> None:
        """Everybody comes by for two items."""
        for who, label in enumerate(said, start=1):
            self.sit(who, name, [label, LABELS[0]])

    @rule(at=which, label=labels)
    def answer(self, at: int, label: str) -> None:
        """An answer to any item that was ever shown, fresh, late or stale."""
        if self.shown:
            assignment, (who, revision) = sorted(self.shown.items())[at % len(self.shown)]
            self.submit(who, assignment, revision, label)

    @rule(at=which, who=people, label=labels)
    def tap(self, at: int, who: int, label: str) -> None:
        """An earlier tap again, or somebody else's."""
        if self.answers:
            assignment, revision = sorted(self.answers)[at % len(self.answers)]
            self.submit(who, assignment, revision, label)

    def submit(self, who: int, assignment: int, revision: int, label: str) -> None:
        """What is told to be stored is stored; the same tap again stores nothing."""
        key = (assignment, revision)
        with suppress(Stale), self.db.transaction() as session:
            saved = assignments.submit_judgement(
                self._open(session, who, assignment),
                revision=revision,
                answers={"answer": label},
                now=self.now,
            )
            assert saved.repeated is (key in self.answers)
            assert self.answers.get(key, label) == label
            assert self.shown[assignment][0] == self.find(who)
            self.answers[key] = label

    @rule(at=which)
    def undo(self, at: int) -> None:
        """Another revision may be opened, one above the last."""
        if self.shown:
            assignment, (who, _) = sorted(self.shown.items())[at % len(self.shown)]
            with suppress(Stale), self.db.transaction() as session:
                opened = assignments.undo_judgement(self._open(session, who, assignment))
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
                assignments.report_item(
                    self._open(session, who, assignment),
                    reason="помилка",
                    now=self.now,
                )
                return
            saved = assignments.skip_item(
                self._open(session, who, assignment),
                reason="не знаю",
                now=self.now,
            )
            assert saved.repeated is ((assignment, 0) in self.answers)
            self.answers[assignment, 0] = ""

    @rule(minutes=st.sampled_from([1, 31, 1500]))
    def later(self, minutes: int) -> None:
        """Time passes, and leases end."""
        self.now += timedelta(minutes=minutes)
        with self.db.transaction() as session:
            assignments.expire_leases(session, now=self.now)

    @rule(name=names, step=st.sampled_from(STEPS))
    def organise(self, name: str, step: transitions.Transition) -> None:
        """Start, pause, extend, close, reopen, where the state allows it."""
        with suppress(Conflict), self.db.transaction() as session:
            project = queries.get_project(session, name)
            if step is transitions.Transition.EXTEND:
                transitions.extend_project(session, project=project, now=self.now, overlap=(project.overlap or 0) + 1)
            else:
                getattr(transitions, f"{step.value}_project")(session, project=project, now=self.now)

    @rule(name=names, kind=st.sampled_from(FILES), at=which, cosmetic=st.booleans())
    def fix(self, name: str, kind: str, at: int, cosmetic: bool) -> None:
        """`load --fix`: the text of an item is another one, in whatever pool it is."""
        file, self.fixed = self.folder / f"{name}-{kind}.jsonl", self.fixed + 1
        if not file.exists():
            return
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        item = at % len(rows) + 1
        rows[item - 1]["text"] = f"{name} {item}, а точніше {self.fixed}"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        campaign = project_files.read_project(self.folder / f"{name}.yaml")
        contents = loading.read_contents(campaign)
        with self.db.transaction() as session:
            item_fixes.fix_item(session, campaign, contents, item=rows[item - 1]["id"], cosmetic=cosmetic, now=self.now)

    @rule(at=which, back=st.booleans())
    def exclude(self, at: int, back: bool) -> None:
        """Answers are excluded by a reason, and come back."""
        chosen = sorted({one for one, _ in self.answers})[at % 7 :: 7]
        with self.db.transaction() as session:
            if back:
                exclusions.reinstate_answers(session, assignment_ids=chosen, exclusion=RULE, now=self.now)
            else:
                exclusions.exclude_answers(session, assignment_ids=chosen, exclusion=RULE, post_hoc=True, now=self.now)

    @rule(who=people, name=names)
    def readmit(self, who: int, name: str) -> None:
        """Whom a rule put out goes on."""
        with suppress(Conflict), self.db.transaction() as session:
            project = queries.get_project(session, name)
            enforcement.readmit_annotator(
                session, annotator_id=self.find(who), project_id=project.id or 0, now=self.now
            )

    @rule(who=people, name=names)
    def withdraw(self, who: int, name: str) -> None:
        """Somebody leaves a project."""
        with suppress(NotFound), self.db.transaction() as session:
            withdrawal.withdraw_annotator(
                session, annotator_id=self.find(who), project=queries.get_project(session, name), now=self.now
            )

    @rule(page=people, own=people)
    def unite(self, page: int, own: int) -> None:
        """Two accounts of one person become one, which has what both were shown."""
        page, own = self.find(page), self.find(own)
        if page == own or {page, own} & self.forgotten:
            return
        with self.db.transaction() as session:
            locked = [database.lock_annotator(session, who) for who in (page, own)]
            united_accounts.move_to_telegram(session, account=locked[0], own=locked[1], is_confirmed=True, now=self.now)
        self.united[page] = own
        self.shown = {one: (self.find(who), revision) for one, (who, revision) in self.shown.items()}
        Campaigns.met.add("united")

    def find(self, who: int) -> int:
        """The account that somebody has now."""
        while who in self.united:
            who = self.united[who]
        return who

    @rule(who=st.just(PEOPLE))
    def forget(self, who: int) -> None:
        """An annotator is erased: the answers stay in number, and are empty."""
        with suppress(Conflict), self.db.transaction() as session:
            who = self.find(who)
            erasure.erase_annotator(session, annotator_id=who, pseudonym=f"stranger {who}", now=self.now)
            self.forgotten.add(who)

    @invariant()
    def sound(self) -> None:
        """Overlap, one live item, blindness, numbered revisions, counts: whatever came before."""
        with self.db.reading() as view:
            assert invariants.list_violations(view) == ()

    @invariant()
    def whole(self) -> None:
        """No place is lost and none is added; nothing comes to anybody twice that is not meant to."""
        with self.db.reading() as view:
            places = select(Item, Project).join(Project, col(Project.id) == col(Item.project_id))
            for item, project in view.exec(places):
                total = project.overlap if item.pool in POOLS_WITH_OVERLAP else 0
                assert item.free + item.held + item.n_live == total, item.external_id
            for given in view.exec(select(Assignment)):
                again = given.is_repeat or given.stage in {Stage.TRAINING, Stage.QUALIFICATION}
                assert given.occasion == 0 or again or given.status is AssignmentStatus.WITHDRAWN, given
                Campaigns.met |= {given.stage.value} | {
                    what
                    for what, so in (
                        ("repeat", given.is_repeat),
                        ("control", given.is_control),
                        ("another attempt", (given.attempt or 1) > 1),
                        ("expired", given.status is AssignmentStatus.EXPIRED),
                    )
                    if so
                }

    @invariant()
    def once(self) -> None:
        """Of one person's answers to an item at most one counts."""
        with self.db.reading() as view:
            counted = (
                select(Assignment.item_id, Assignment.annotator_id)
                .join(Judgement)
                .where(judgements.build_final_revision_condition(), judgements.build_counting_condition())
            )
            pairs = view.exec(counted.where(col(Judgement.skip_reason).is_(None))).all()
            assert len(pairs) == len(set(pairs))

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
                if item.pool in POOLS_WITH_OVERLAP and given.status is AssignmentStatus.DONE and not given.is_repeat:
                    final = max(other.revision for other, _, _ in rows if other.assignment_id == given.id)
                    counts = next(o for o, _, _ in rows if (o.assignment_id, o.revision) == (given.id, final))
                    assert given.holds_place is (counts.excluded_kind in {None, ExclusionKind.ABSTAINED})


@pytest.fixture
def backend() -> str:
    """One database is enough for orders of steps; what differs between the two is in the stress tests."""
    return "sqlite"


@pytest.fixture
def prepared(scenario: Scenario, tmp_path: Path) -> type[Campaigns]:
    """The projects, loaded and running, and five people who may come."""
    read = {"instructions": "Читайте.", "items": GROUPS}
    controls = {"pool": {"file": scenario.items("scored-controls", 4)}, "per_page": 1}
    marked = {"pass_mark": "1 of 2", "attempts": 2, "cool_down": "10 min"}
    stages = {
        "training": {"pool": {"file": scenario.items("kept-training", 3)}, "number": 2} | marked,
        "qualification": {"pool": {"file": scenario.items("kept-qualification", 3)}, "number": 2} | marked,
    }
    scenario.project("kept", stages=stages, repeats={"share": "50 %", "after": "24 h"}, **read)
    caps = {"items_per_day": 8}
    scenario.project("scored", kind="baseline", pages={"items": 3}, controls=controls, caps=caps, **read)
    scenario.project("apart", kind="baseline", exposure={"exceptions": ["kept"]}, **read)
    rule = {"rule": "control", "accuracy": "< 50 %", "min_controls": 2, "consequence": "exclude"}
    scenario.project(
        "staged",
        stages={"pilot": {"pool": {"file": scenario.items("staged-pilot", 3)}, "number": 2}},
        controls={"pool": {"file": scenario.items("staged-controls", 6)}, "rate": "50 %"},
        quality=[rule],
        **read,
    )
    scenario.project("late", kind="baseline", overlap=1, **read)
    file = tmp_path / "both.yaml"
    both: dict[str, Any] = {"programme": "both", "title": "both", "language": "uk", "order": "interleaved"}
    both["projects"] = [{"file": "staged.yaml"}, {"file": "late.yaml", "quota": 3}]
    file.write_text(json.dumps(both), "utf-8")
    with scenario.db.transaction() as session:
        projects.load_programme(session, programme_files.read_programme(file), now=scenario.now)
    for number in range(1, PEOPLE + 1):
        scenario.person(number)
    scenario.db.engine.dispose()
    Campaigns.template, Campaigns.begin = tmp_path, scenario.now
    Campaigns.n_assigned.clear()
    Campaigns.met.clear()
    return Campaigns


@pytest.mark.slow
def test_no_order_of_steps_breaks_an_invariant(prepared: type[Campaigns]) -> None:
    """Five people, any organiser's step; a run assigns enough items of every kind to mean something."""
    run_campaigns(prepared, examples=15, steps=40)
    assert {stage.value for stage in Stage} | {"control", "united"} <= prepared.met


def test_no_short_order_of_steps_breaks_an_invariant(prepared: type[Campaigns]) -> None:
    """Two runs of some steps, which assign as many items."""
    run_campaigns(prepared, examples=2, steps=20)


def run_campaigns(prepared: type[Campaigns], *, examples: int, steps: int) -> None:
    """Let hypothesis take this many steps per example; an example assigns at least LEAST_SHOWN items on average."""
    bounded = settings(max_examples=examples, stateful_step_count=steps, deadline=None)
    run_state_machine_as_test(prepared, settings=bounded)
    assert sum(prepared.n_assigned) / len(prepared.n_assigned) >= LEAST_SHOWN, prepared.n_assigned


def ignores_free(session: Session, item_ids: Sequence[int]) -> Item | None:
    """A place of the first, whether there is one or not."""
    grown = sa.text("UPDATE item SET n_live = n_live + 1 WHERE id = :item")
    session.connection().execute(grown, {"item": item_ids[0]})
    return session.get_one(Item, item_ids[0], populate_existing=True)


def skips_exposure(_session: Session, _context: object, _item: Item, *, now: datetime) -> None:
    """The exposure to the group is not recorded."""


def keeps_places(_session: Session, *, item_ids: Sequence[int], now: datetime) -> None:
    """The places of expired assignments are not released."""


@pytest.mark.parametrize(
    ("module", "name", "planted", "says"),
    [
        (overlap_counts, "take_first_place", ignores_free, "an item has no more places than its overlap"),
        (annotator_context, "record_exposure", skips_exposure, "what was shown is recorded as met"),
        pytest.param(
            overlap_counts,
            "release_places",
            keeps_places,
            "an item's counts are those of its assignments",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_is_broken_is_found(
    prepared: type[Campaigns], monkeypatch: pytest.MonkeyPatch, module: Any, name: str, planted: Callable[..., Any],
    says: str,
) -> None:  # fmt: skip
    """A bug in the code that assigns items and releases them is found by the first run that meets it."""
    monkeypatch.setattr(module, name, planted)
    found = settings(
        max_examples=limit_examples(40),
        stateful_step_count=30,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        report_multiple_bugs=False,
    )
    with pytest.raises((AssertionError, sa.exc.IntegrityError)) as broken:
        run_state_machine_as_test(prepared, settings=found)
    assert says in f"{broken.value!r} {broken.value}"
