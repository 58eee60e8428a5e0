"""Answers of a project that has ended become nobody's: nothing leads back to people, and every number stays."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Conflict
from annotation.store import backups, database, erasure_log, frames, invariants, journal, models, queries
from annotation.store.models import Annotator, Assignment, ErasedAnnotator, Exposure, Item, Journal, Participation
from annotation.vocabulary import Event, ExposureCause, ReviewDecision, UnassignedReason
from annotation.workflow import participations
from annotation.workflow.annotators import detachment, erasure, invitations, own_data, roster, withdrawal
from annotation.workflow.lifecycle import projects, transitions

if TYPE_CHECKING:
    from tests.annotation.annotators.conftest import People
    from tests.annotation.conftest import Sandbox

    Load = Callable[..., None]

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
TELEGRAM_ID = 4_815_162_342
MARKER = "СЛІД"


def search(session: Session, traces: tuple[str, ...]) -> list[str]:
    """The columns, of any table, in which one of these texts stands."""
    session.flush()
    found = []
    for table in models.metadata.sorted_tables:
        for row in session.connection().execute(sa.select(table)).mappings():
            for name, value in row.items():
                text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
                said = text if isinstance(text, str) else json.dumps(text, default=str, ensure_ascii=False)
                found += [f"{table.name}.{name}" for trace in traces if trace in said]
    return sorted(set(found))


def joined(people: People, session: Session, number: int, name: str, *, item: str = "", answer: str = "кіт") -> int:
    """The id of somebody in a project, who has answered one of its items and met its group, where one is named."""
    person = people.joined(session, number).id or 0
    project = queries.get_project(session, name)
    participation = participations.get_or_create_participation(
        database.lock_annotator(session, person), project=project, now=NOW
    )
    if item:
        models.PARTICIPATIONS.update(session, participation, shown=1, answered=1)
        made = people.assigned(session, person, item, answer=answer)
        made.shown_at = NOW
        group = session.get_one(Item, made.item_id).group_id
        exposure = (person, group, project.id, ExposureCause.ANSWERED)
        if session.get(Exposure, exposure) is None:
            met = Exposure(annotator_id=person, group_id=group, project_id=project.id or 0, at=NOW, cause=exposure[3])
            session.add(met)
        session.flush()
    return person


def close(session: Session, name: str) -> models.Project:
    """The project, closed."""
    project = queries.get_project(session, name)
    transitions.close_project(session, project=project, now=NOW)
    return project


def leave_traces(people: People, session: Session, who: int) -> None:
    """All that can tell who somebody is, in every table that can hold it."""
    person, project = session.get_one(Annotator, who), queries.get_project(session, "words")
    assignment = session.exec(select(Assignment).where(Assignment.annotator_id == who)).first()
    assert assignment is not None
    friend = invitations.create_invitation(
        session, target=project, code=f"{MARKER}-code", now=NOW, uses=3, invited_by=who
    )
    other = session.get_one(Participation, (people.joined(session, 2).id, project.id))
    other.invitation_id = friend.id
    item, done = session.get_one(Item, assignment.item_id), assignment.id or 0
    item.data = item.data | {"author": f"{person.pseudonym}, abc"}
    project.definition = project.definition | {"review": {"made_by": "author"}}
    project.definition_sha256 = "e7a1" * 16
    ids, chat = {"annotator_id": who, "project_id": project.id or 0}, TELEGRAM_ID
    session.add_all([
        other,
        models.SupportMessage(annotator_id=who, text=f"{MARKER} I am Petro", answer=MARKER, at=NOW, answered_at=NOW),
        models.Report(
            item_id=assignment.item_id, annotator_id=who, assignment_id=done, reason="typo", text=MARKER, at=NOW
        ),
        models.ProfileAnswer(annotator_id=who, field="city", value=MARKER, at=NOW),
        models.Cohort(annotator_id=who, name=MARKER),
        models.Attestation(**ids, work_session=1, used="nothing", at=NOW),
        models.Payment(**ids, hundredths=100, currency="UAH", note=MARKER, at=NOW),
        models.Consent(annotator_id=who, scope="project words", version="1", sha256="0" * 64, at=NOW),
        models.Conversation(annotator_id=who, step="skip", data={"text": MARKER}, at=NOW),
        models.ItemMessage(assignment_id=done, message_id=TELEGRAM_ID),
        models.AnswerMessage(annotator_id=who, message_id=TELEGRAM_ID, assignment_id=done, question=MARKER),
        models.Inbox(bot_id=1, update_id=1, telegram_id=chat, payload={"text": MARKER}, received_at=NOW, reason=MARKER),
        models.Outbox(
            bot_id=1, chat_id=chat, calls=[{"text": MARKER}], content=MARKER.encode(), created_at=NOW, due_at=NOW
        ),
        models.ChatPause(bot_id=1, chat_id=chat, until=NOW),
        models.NoticeWish(annotator_id=who, reminders=True),
        models.OrganiserNotice(annotator_id=who, key=MARKER, notice=MARKER, at=NOW),
        models.SubmissionReview(
            assignment_id=done, revision=0, number=0, annotator_id=who, at=NOW,
            decision=ReviewDecision.ACCEPTED,
        ),
    ])  # fmt: skip
    session.flush()
    roster.suspend_annotator(session, annotator=person, reason=MARKER, now=NOW)
    models.ANNOTATORS.update(session, person, time_zone="Europe/Kyiv")
    for data in ({"how": MARKER}, {"reason": MARKER}, {"note": MARKER}, {"by": who, "act": "export"}):
        journal.record_event(session, Event.ORGANISER_ACTED, now=NOW, annotator_id=who, data=data)
    told = {"reason": {"words": f"as {person.pseudonym} says"}, "people": [person.pseudonym, "abc"]}
    journal.record_event(session, Event.UNBLINDED, now=NOW, project_id=project.id, data=told)


def test_nothing_leads_back_to_people_who_are_detached(people: People, load: Load) -> None:
    """No column of any table has an id, an old pseudonym or words about them; the answers stay."""
    load("words", n=2)
    with people.db.transaction() as session:
        people.ready(session, "words")
        who = joined(people, session, TELEGRAM_ID, "words", item="words-1")
        joined(people, session, 2, "words", item="words-1", answer="собака")
        leave_traces(people, session, who)
        project = close(session, "words")
        traces = (str(TELEGRAM_ID), session.get_one(Annotator, who).pseudonym, MARKER, "Europe/Kyiv")
        assert len(search(session, traces)) >= 20
        before = [row[1:] for row in queries.list_final_answers(session, project_id=project.id or 0)]
        done = detachment.detach_people(session, project, now=LATER)
        assert (len(done.annotator_ids), done.staying, done.detached, done.imported) == (2, {}, 0, 0)
        assert search(session, traces) == []
        after = [row[1:] for row in queries.list_final_answers(session, project_id=project.id or 0)]
        assert [row[2] for row in after] == [row[2] for row in before] == ["кіт", "собака"]
        said = session.exec(select(Journal).where(Journal.event == Event.PEOPLE_DETACHED.value)).one()
        assert (said.annotator_id, said.data) == (None, {"detached": 2, "staying": 0})
        assert session.exec(select(models.Payment.hundredths)).one() == 100
        assert session.exec(select(models.Consent.withdrawn_at)).one() is None
        assert session.exec(select(Participation.invitation_id)).all() == [None, None]
        for refused in (
            lambda: erasure.erase_annotator(session, annotator_id=who, now=LATER),
            lambda: withdrawal.withdraw_annotator(session, annotator_id=who, project=project, now=LATER),
            lambda: transitions.reopen_project(session, project=project, now=LATER),
        ):
            with pytest.raises(Conflict, match="detached"):
                refused()
        again = detachment.detach_people(session, project, now=LATER)
        assert (again.annotator_ids, again.detached) == ((), 2)
        returned = people.joined(session, TELEGRAM_ID)
        assert returned.id != who
        assert returned.suspended_at is not None  # which the mark keeps, and nothing else
        assert own_data.export_annotator(session, annotator_id=returned.id or 0)["assignments"] == []
        assert {str(mark.standing) for mark in session.exec(select(ErasedAnnotator))} == {
            "{'suspended': True, 'detached': True}",
            "{'detached': True}",
        }
    with people.db.reading() as view:
        assert [finding for finding in invariants.check_invariants(view) if finding.wrong] == []


def test_the_responses_are_the_same_but_for_pseudonyms(people: People, load: Load) -> None:
    """Every frame has the same rows and values, in the same order; only who answered has another name."""
    load("words", n=3)
    with people.db.transaction() as session:
        for number, answer in ((1, "кіт"), (2, "собака"), (3, "кіт")):
            for item in ("words-1", "words-2"):
                joined(people, session, number, "words", item=item, answer=answer)
        project = close(session, "words")
        before = frames.read_responses(session, project)
        detachment.detach_people(session, project, now=LATER)
        session.expire_all()
        after = frames.read_responses(session, queries.get_project(session, "words"))
    (names,) = [name for name in before.columns if not before[name].equals(after[name])]
    renamed = dict(zip(before[names], after[names], strict=True))
    assert len(set(renamed.values())) == len(renamed) == 3
    assert not set(renamed) & set(renamed.values())


def test_whom_an_open_project_needs_stays_until_it_ends(people: People, load: Load) -> None:
    """The plan says who stays and why; later the others follow."""
    load("words")
    load("others")
    with people.db.transaction() as session:
        joined(people, session, 1, "words", item="words-1")
        both = joined(people, session, 2, "words", item="words-1")
        joined(people, session, 2, "others")
        project = queries.get_project(session, "words")
        with pytest.raises(Conflict, match="only the people of a closed project"):
            detachment.detach_people(session, project, now=LATER)
        close(session, "words")
        done = detachment.detach_people(session, project, now=LATER)
        name = session.get_one(Annotator, both).pseudonym
        assert (len(done.annotator_ids), done.staying) == (1, {name: "belongs to others, not closed"})
        assert people.joined(session, 2).id == both
        close(session, "others")
        assert detachment.detach_people(session, project, now=LATER).annotator_ids == (both,)


def test_groups_of_detached_answers_stay_closed(people: People, sandbox: Sandbox) -> None:
    """Nobody is detached while a project with their groups runs; no later baseline starts with these groups, or gets
    them by a later file, unless it lists the exception.
    """
    with people.db.transaction() as session:
        first = sandbox.started(session, sandbox.write("first"))
        open_one = sandbox.started(session, sandbox.write("second"))
        who = joined(people, session, 5, "first")
        item = sandbox.items(session, first)["a"]
        met = Exposure(annotator_id=who, group_id="g1", project_id=first.id or 0, cause=ExposureCause.ANSWERED, at=NOW)
        session.add_all([met, item])
        transitions.close_project(session, project=first, now=NOW)
        with pytest.raises(Conflict, match=r"second has groups of 'first' and is not closed"):
            detachment.detach_people(session, first, now=LATER)
        transitions.close_project(session, project=open_one, now=NOW)
        assert detachment.detach_people(session, first, now=LATER).annotator_ids == (who,)
        baseline = sandbox.load(session, sandbox.write("third", more="kind: baseline\n"))
        with pytest.raises(Conflict, match=r"1 of its groups \(g1 and so on\) were met in 'first' by people who are"):
            transitions.start_project(session, project=baseline, now=LATER)
        excepting = "kind: baseline\nexposure: {exceptions: [first, second, third]}\n"
        sandbox.started(session, sandbox.write("fourth", more=excepting))
        rows = "c,text c,g9,x\n"
        sandbox.started(session, sandbox.write("fifth", more="kind: baseline\n", rows=rows))
        later = sandbox.write("fifth", more="kind: baseline\n", rows=rows + "d,text d,g1,x\n")
        with pytest.raises(Conflict, match="g1 and so on"):
            projects.load_project_file(session, later, now=LATER, confirmed=True)


def test_a_restored_backup_detaches_again(people: People, load: Load, tmp_path: Path) -> None:
    """Their answers stay, and who they are goes; who was erased before is erased."""
    load("words", n=2)
    with people.db.transaction() as session:
        people.ready(session, "words")
        who = joined(people, session, TELEGRAM_ID, "words", item="words-1")
        project = close(session, "words")
    file = tmp_path / "monday.backup"
    backups.make_backup(people.db.engine, to=file, now=NOW)
    with people.db.transaction() as session:
        detachment.detach_people(session, queries.get_project(session, "words"), now=LATER)
    erase = lambda session: erasure.erase_restored_annotators(session, now=LATER)  # noqa: E731
    assert backups.restore_backup(people.db.engine, file=file, now=LATER, erase=erase, yes=True).erased == 1
    with people.db.transaction() as session:
        person = session.get_one(Annotator, who)
        assert (person.telegram_id, person.detached, person.forgotten_at) == (None, True, None)
        assert [row[3] for row in queries.list_final_answers(session, project_id=project.id or 0)] == ["кіт"]


def test_strangers_are_gone_after_thirty_days(people: People) -> None:
    """Not who agreed, nor who began without having to, nor organisers, nor who came lately."""
    people.load("asks", "consent: {file: consent.md, version: '1'}")
    people.load("free")
    with people.db.transaction() as session:
        for number in (1, 2):
            joined(people, session, number, "asks")
        people.agreed(session, 2, "asks")
        joined(people, session, 3, "free")
        for number in (4, 5):
            people.joined(session, number)
        at = NOW + timedelta(days=29)
        assert erasure.erase_strangers(session, now=at) == 0
        assert erasure.erase_strangers(session, now=at + timedelta(days=2), organisers=(5,)) == 2
        left = session.exec(select(Annotator.telegram_id).where(col(Annotator.telegram_id).is_not(None))).all()
        assert sorted(number or 0 for number in left) == [2, 3, 5]
        assert session.exec(select(ErasedAnnotator)).all() == []
    assert people.waits(1, "asks") is UnassignedReason.CONSENT


def find_in_files(file: Path, number: int) -> list[str]:
    """The files of a SQLite database in which a number of four bytes stands."""
    files = [each for each in file.parent.glob(f"{file.name}*") if not each.name.endswith("-shm")]
    return [each.name for each in files if number.to_bytes(4, "big") in each.read_bytes()]


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_the_log_is_said_to_hold_what_was_erased_until_it_is_empty(people: People, load: Load) -> None:
    """A reader of an older state postpones it; then nothing of the id is left in the files."""
    file = Path(people.db.engine.url.database or "")
    load("words", n=1)
    with people.db.transaction() as session:
        joined(people, session, 77_123_456, "words", item="words-1")
        assert erasure_log.find_erasure(session) is None
        close(session, "words")
    people.db.engine.dispose()
    with people.db.reading() as reader:
        assert reader.exec(select(Annotator.id)).all()
        with people.db.transaction() as session:
            detachment.detach_people(session, queries.get_project(session, "words"), now=LATER)
        since = erasure_log.empty_log(people.db)
        assert since is not None
        assert "may still be in the log" in erasure_log.describe_wait(f"{since}")
        assert find_in_files(file, 77_123_456)
    assert erasure_log.empty_log(people.db) is None
    with people.db.reading() as view:
        assert erasure_log.find_erasure(view) is None
    assert not find_in_files(file, 77_123_456)
