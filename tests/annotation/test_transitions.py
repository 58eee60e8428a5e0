"""The life of a campaign: what each state allows, what hinders a start, what is frozen, what an extension opens."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Conflict
from annotation.store import database
from annotation.store.models import Item, Journal, Project, TextVersion
from annotation.vocabulary import AssignmentStatus, ProjectStatus, Surface
from annotation.workflow.lifecycle import readiness, transitions
from annotation.workflow.lifecycle.transitions import Transition

if TYPE_CHECKING:
    from tests.annotation.conftest import Sandbox

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
Load = Callable[..., None]
RUN: dict[Transition, Callable[[Session, Project], transitions.TransitionResult]] = {
    Transition.START: lambda session, one: transitions.start_project(session, project=one, now=NOW),
    Transition.PAUSE: lambda session, one: transitions.pause_project(session, project=one, now=NOW),
    Transition.CLOSE: lambda session, one: transitions.close_project(session, project=one, now=NOW),
    Transition.REOPEN: lambda session, one: transitions.reopen_project(session, project=one, now=NOW),
    Transition.EXTEND: lambda session, one: transitions.extend_project(session, project=one, now=NOW, overlap=9),
}
WAYS = {
    ProjectStatus.LOADED: (),
    ProjectStatus.RUNNING: (Transition.START,),
    ProjectStatus.PAUSED: (Transition.START, Transition.PAUSE),
    ProjectStatus.CLOSED: (Transition.START, Transition.CLOSE),
}
AFTER = {
    "loaded": {"start": "running"},
    "running": {"pause": "paused", "extend": "running", "close": "closed"},
    "paused": {"start": "running", "extend": "paused", "close": "closed"},
    "closed": {"reopen": "running"},
}


@pytest.mark.parametrize("step", list(Transition))
@pytest.mark.parametrize("status", list(ProjectStatus))
def test_each_state_allows_its_steps_and_refuses_the_others(
    db: database.Database, sandbox: Sandbox, status: ProjectStatus, step: Transition
) -> None:
    """The whole table: the state after each step, or a sentence with what can be done instead, and nothing changed."""
    with db.transaction() as session:
        project = sandbox.load(session, sandbox.write("one"))
        for way in WAYS[status]:
            RUN[way](session, project)
        assert project.status is status
        then = AFTER[status.value].get(step.value)
        if then is not None:
            assert RUN[step](session, project).status.value == then
            assert session.exec(select(Project.status)).one() == then
            return
        with pytest.raises(Conflict) as refused:
            RUN[step](session, project)
        assert f"'one' is {status.value}: it cannot {step.value}" in str(refused.value)
        assert all(other in str(refused.value) for other in AFTER[status.value])
        assert project.status is status


def test_every_step_is_journalled_with_its_time(db: database.Database, sandbox: Sandbox) -> None:
    """Start, pause, start again, extend, close, reopen: each its event, the time, and post hoc from the extension."""
    with db.transaction() as session:
        project = sandbox.load(session, sandbox.write("one"))
        for hour, step in enumerate(
            (
                Transition.START,
                Transition.PAUSE,
                Transition.START,
                Transition.EXTEND,
                Transition.CLOSE,
                Transition.REOPEN,
            )
        ):
            if step is Transition.EXTEND:
                transitions.extend_project(session, project=project, now=NOW + timedelta(hours=hour), overlap=9)
            else:
                getattr(transitions, f"{step.value}_project")(session, project=project, now=NOW + timedelta(hours=hour))
        entries = session.exec(select(Journal).order_by(col(Journal.id))).all()[1:]
        assert [(one.event, one.at) for one in entries] == [
            (f"project {what}", NOW + timedelta(hours=hour))
            for hour, what in enumerate(("started", "paused", "resumed", "extended", "closed", "reopened"))
        ]
        assert [bool(one.data.get("post_hoc")) for one in entries] == [False, False, False, True, False, True]
        assert project.frozen is not None
        assert [one["what"] for one in project.frozen["post_hoc"]] == ["overlap 2 became 9", "reopened"]
        assert (project.started_at, project.closed_at) == (NOW, None)


def test_the_first_start_freezes_once(db: database.Database, sandbox: Sandbox) -> None:
    """Hashes, counts, texts and plan stand there with the time, also after a pause."""
    with db.transaction() as session:
        project = sandbox.load(session, sandbox.write("one", more="expected: {seconds: 90}\n"))
        transitions.start_project(session, project=project, now=NOW)
        first = dict(project.frozen or {})
        assert first["at"] == "2026-11-21T12:00:00+00:00"
        assert (first["items"]["count"], first["gold"]["count"]) == (2, 2)
        assert first["texts"]["instructions"] == project.instructions_sha256
        assert first["plan"] == {
            "items": 2, "groups": 1, "judgements": 4, "judgements_most": 4, "hours": 0.1,
        }  # fmt: skip
        transitions.pause_project(session, project=project, now=NOW)
        transitions.start_project(session, project=project, now=NOW + timedelta(days=1))
        assert project.frozen == first
        version = session.get(TextVersion, (project.instructions_sha256, "instructions"))
        assert version is not None
        assert version.text == "Read."


@pytest.mark.parametrize(
    ("rows", "more", "differs"),
    [
        ("a,text a,g1,x\nb,text b,g1,y\n", "", set()),
        ("a,TEXT a,g1,x\nb,text b,g1,y\n", "", {"items"}),
        ("a,text a,g2,x\nb,text b,g1,y\n", "", {"items"}),
        ("a,text a,g1,x\nb,text b,g1,y\nc,text c,g1,\n", "", {"items", "gold"}),
        ("a,text a,g1,y\nb,text b,g1,y\n", "", {"gold"}),
        ("a,text a,g1,x\nb,text b,g1,y\n", "quality: [{rule: seconds, least: 2, consequence: flag}]\n", {"rules"}),
        ("a,text a,g1,x\nb,text b,g1,y\n", "caps: {items: 9}\n", {"rules"}),
        ("a,text a,g1,x\nb,text b,g1,y\n", "content_warning: Sad.\n", {"texts"}),
    ],
)
def test_what_is_frozen_changes_with_what_it_is_the_hash_of(
    db: database.Database, sandbox: Sandbox, rows: str, more: str, differs: set[str]
) -> None:
    """An item, a gold, a rule, a text: each changes its own hash, and only that."""
    with db.transaction() as session:
        file = sandbox.write("one")
        before = readiness.build_frozen_record(session, sandbox.load(session, file), now=NOW)
        sandbox.write("one", rows=rows, more=more)
        after = readiness.build_frozen_record(session, sandbox.load(session, file, yes=True), now=NOW)
        kept = {"items", "gold", "rules", "texts"}
        assert {key for key in kept if before[key] != after[key]} == differs


def test_words_that_a_rule_names_are_among_the_rules(db: database.Database, sandbox: Sandbox, tmp_path: Path) -> None:
    """Another word in the organiser's list is another rule."""
    (tmp_path / "words.txt").write_text("damn\n", "utf-8")
    file = sandbox.write("one", more="quality: [{rule: text, refuses: [words], words: words.txt, consequence: flag}]\n")
    file.write_text(
        file.read_text("utf-8").replace("{type: choice, text: Which?, options: [x, y]}", "{type: text, text: q}")
    )
    with db.transaction() as session:
        project = sandbox.load(session, file)
        before = readiness.build_frozen_record(session, project, now=NOW)["rules"]
        (tmp_path / "words.txt").write_text("darn\n", "utf-8")
        assert readiness.build_frozen_record(session, project, now=NOW)["rules"] == before
        assert readiness.build_frozen_record(session, sandbox.load(session, file, yes=True), now=NOW)["rules"] != before


def test_a_start_without_instructions_consent_or_sound_items_is_refused(
    db: database.Database, sandbox: Sandbox, tmp_path: Path
) -> None:
    """All that hinders is named at once, each with its remedy; the project stays loaded."""
    (tmp_path / "consent.md").write_text("I agree.", "utf-8")
    file = sandbox.write("one", more="consent: {file: consent.md, version: 1}\n")
    file.write_text(file.read_text("utf-8").replace("instructions: Read.\n", ""), "utf-8")
    with db.transaction() as session:
        project = sandbox.load(session, file)
        assert set(project.texts or {}) == {"consent"}
        project.texts = {}
        session.connection().execute(sa.update(Item).where(col(Item.external_id) == "a").values(gold="z"))
        session.flush()
        with pytest.raises(Conflict) as refused:
            transitions.start_project(session, project=project, now=NOW)
        said = str(refused.value)
        assert "'one' cannot start." in said
        assert "It has no instructions." in said
        assert "The text of its consent, consent.md, was not stored." in said
        assert "(a)" in said
        assert (project.status, project.frozen) == (ProjectStatus.LOADED, None)


def test_a_project_without_items_or_with_votes_only_cannot_start(
    db: database.Database, sandbox: Sandbox, tmp_path: Path
) -> None:
    """There is nothing to assign; imported votes need no start."""
    with db.transaction() as session:
        project = sandbox.load(session, sandbox.write("one"))
        session.connection().execute(sa.delete(Item))
        with pytest.raises(Conflict, match="It has no items"):
            transitions.start_project(session, project=project, now=NOW)
        (tmp_path / "v.csv").write_text("item,who,says\n1,ann,x\n", "utf-8")
        (tmp_path / "v.yaml").write_text(
            "project: v\ntitle: t\nlanguage: en\nquestion: {type: choice, text: q, options: [x, y]}\n"
            "items: from votes\nvotes: {format: csv, file: v.csv, item: item, annotator: who, answer: says}\n",
            "utf-8",
        )
        votes = sandbox.load(session, tmp_path / "v.yaml")
        with pytest.raises(Conflict, match="imported votes only"):
            transitions.start_project(session, project=votes, now=NOW)
        assert (transitions.explain_not_running(votes), transitions.explain_not_running(project)) == (
            None, "one is loaded and hands out nothing: hromada start one",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "telegram_id", "surface", "more", "starts"),
    [
        ("baseline", None, Surface.IMPORT, "", False),
        ("baseline", None, Surface.IMPORT, "exposure: {exceptions: [before]}\n", True),
        ("baseline", 7, Surface.IMPORT, "", True),
        ("baseline", 7, Surface.TELEGRAM, "", True),
        ("annotation", None, Surface.IMPORT, "", True),
    ],
)
def test_a_baseline_of_groups_met_by_imported_annotators_is_refused(
    db: database.Database,
    sandbox: Sandbox,
    kind: str,
    telegram_id: int | None,
    surface: Surface,
    more: str,
    starts: bool,
) -> None:
    """Imported people may come again unseen, our own may not; an exception that is listed lets it start."""
    with db.transaction() as session:
        before = sandbox.load(session, sandbox.write("before"))
        transitions.start_project(session, project=before, now=NOW)
        sandbox.given(session, before, item="a", surface=surface, telegram_id=telegram_id)
        rows = "k,other,g1,x\nl,another,g9,y\n"
        project = sandbox.load(session, sandbox.write("next", more=f"kind: {kind}\n{more}", rows=rows))
        if starts:
            assert transitions.start_project(session, project=project, now=NOW).status is ProjectStatus.RUNNING
            return
        with pytest.raises(Conflict) as refused:
            transitions.start_project(session, project=project, now=NOW)
        assert "1 of its groups (g1 and so on) were answered in 'before' by people from outside" in str(refused.value)
        assert "`exposure.exceptions`" in str(refused.value)


def test_closing_takes_back_what_is_in_hand(db: database.Database, sandbox: Sandbox) -> None:
    """A live item expires and its place is free again; an answer stays, and a revision that was open is shut."""
    with db.transaction() as session:
        project = sandbox.load(session, sandbox.write("one"))
        transitions.start_project(session, project=project, now=NOW)
        live = sandbox.given(session, project, item="a", telegram_id=1)
        done = sandbox.given(session, project, item="b", telegram_id=2)
        sandbox.answer(session, done, "x")
        done.open_revision = 1
        session.flush()
        assert transitions.close_project(session, project=project, now=NOW).notes == (
            "1 item that was in hand was taken back.",
        )
        assert (live.status, live.holds_place) == (AssignmentStatus.EXPIRED, False)
        session.refresh(done)
        assert (done.status.value, done.holds_place) == ("done", True)
        opened: int | None = session.connection().execute(sa.text("SELECT max(open_revision) FROM assignment")).scalar()
        assert opened is None
        counts = {name: (one.free, one.n_live, one.n_done) for name, one in sandbox.items(session, project).items()}
        assert counts == {"a": (2, 0, 0), "b": (1, 1, 1)}


@pytest.mark.parametrize(
    ("stage", "says"),
    [
        ("training: {pool: {where: {id: [t, u]}}, pass_mark: 2 of 2}", None),
        (
            "training: {pool: {where: {id: [t, u]}}, number: 3}",
            "training pool has 2 items, and `stages.training.",
        ),
        (
            "training: {pool: {where: {id: [t, u]}}, pass_mark: 2 of 3}",
            "training pool has 2 items, and its pass mark",
        ),
        (
            "qualification: {pool: {where: {id: [t]}}, pass_mark: 1 of 2}",
            "qualification pool has 1 items, and its",
        ),
        ("pilot: {pool: {where: {id: [t]}}, number: 2}", None),
    ],
)
def test_a_pool_that_is_too_small_for_its_stage_hinders_the_start(
    db: database.Database, sandbox: Sandbox, stage: str, says: str | None
) -> None:
    """Nobody could ever come through; with a remedy, and in a rehearsal nobody minds."""
    rows = "a,text a,g1,x\nt,text t,g2,y\nu,text u,g3,y\n"
    with db.transaction() as session:
        project = sandbox.load(session, sandbox.write("one", more=f"stages: {{{stage}}}\n", rows=rows))
        if says is not None:
            with pytest.raises(Conflict) as refused:
                transitions.start_project(session, project=project, now=NOW)
            assert says in str(refused.value)
            assert "or ask for fewer." in str(refused.value)
        rehearsal = says is not None
        assert (
            transitions.start_project(session, project=project, now=NOW, rehearsal=rehearsal).status
            is ProjectStatus.RUNNING
        )
