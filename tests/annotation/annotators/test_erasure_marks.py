"""What is left of an erased annotator: a mark without identity, honoured by restores and when they return."""

from __future__ import annotations

import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlmodel import Session, select

from annotation.errors import Conflict
from annotation.store import backups, database, invariants, models, processes, pseudonyms, queries
from annotation.store.backups import manifest
from annotation.store.models import (
    Annotator,
    ErasedAnnotator,
    Judgement,
    ParticipationRow,
    SupportMessage,
)
from annotation.vocabulary import ParticipationStatus, Stage, UnassignedReason
from annotation.workflow import participations
from annotation.workflow.annotators import erasure, own_data, registration, roster, support_messages, withdrawal

if TYPE_CHECKING:
    from tests.annotation.annotators.conftest import People

    Load = Callable[..., None]

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
MARKER = "a sentence that nobody else would write"
TELEGRAM_ID = 4_815_162_342


def forget(session: Session, annotator: Annotator, *, now: datetime = LATER) -> None:
    """Erase an annotator."""
    erasure.erase_annotator(session, annotator_id=annotator.id or 0, now=now)


def joined(people: People, session: Session, name: str, number: int = TELEGRAM_ID) -> ParticipationRow:
    """The participation of the person with this Telegram id, made if need be."""
    annotator = people.joined(session, number)
    locked = database.lock_annotator(session, annotator.id or 0)
    return participations.get_or_create_participation(locked, project=queries.get_project(session, name), now=LATER)


def test_a_suspension_outlives_being_forgotten(people: People, load: Load) -> None:
    """Who was suspended, had their data erased and returns, is suspended; until an organiser says otherwise."""
    load("words")
    with people.db.transaction() as session:
        person = people.joined(session, TELEGRAM_ID)
        roster.suspend_annotator(session, annotator=person, reason=MARKER, now=NOW)
        forget(session, person)
    assert people.waits(TELEGRAM_ID, "words") is UnassignedReason.SUSPENDED
    assert people.waits(7, "words") is None
    with people.db.transaction() as session:
        person = people.joined(session, TELEGRAM_ID)
        assert person.suspended_reason == "as it was before their data were erased"
        roster.unsuspend_annotator(session, annotator=person, now=LATER)
        forget(session, person)
    assert people.waits(TELEGRAM_ID, "words") is None


@pytest.mark.parametrize("status", [ParticipationStatus.FAILED, ParticipationStatus.EXCLUDED])
def test_a_failed_qualification_outlives_being_forgotten(
    people: People, load: Load, status: ParticipationStatus
) -> None:
    """Neither it nor an exclusion is reset; also not by withdrawing first, nor by being forgotten twice."""
    load("words")
    load("others")
    for withdraws in (False, True, False):
        with people.db.transaction() as session:
            person, own = people.joined(session, TELEGRAM_ID), joined(people, session, "words")
            if own.status is ParticipationStatus.ACTIVE:
                models.PARTICIPATIONS.update(session, own, status=status, stage=Stage.QUALIFICATION, attempt=2)
            if withdraws:
                project = queries.get_project(session, "words")
                withdrawal.withdraw_annotator(session, annotator_id=person.id or 0, project=project, now=LATER)
            forget(session, person)
            own = joined(people, session, "words")
            assert own.status is (ParticipationStatus.WITHDRAWN if withdraws else own.status)
            assert own.status is not ParticipationStatus.ACTIVE
            assert joined(people, session, "others").status is ParticipationStatus.ACTIVE
            forget(session, people.joined(session, TELEGRAM_ID))  # without having met the project since


def test_attempts_and_their_pause_are_not_given_back(people: People, load: Load) -> None:
    """After one of two attempts the second is left, and not before its time."""
    load("words")
    with people.db.transaction() as session:
        own = joined(people, session, "words")
        retry_at = LATER + timedelta(days=3)
        models.PARTICIPATIONS.update(session, own, stage=Stage.QUALIFICATION, attempt=2, retry_at=retry_at)
        forget(session, people.joined(session, TELEGRAM_ID))
        own = joined(people, session, "words")
        assert (own.status, own.stage, own.attempt) == (ParticipationStatus.ACTIVE, Stage.QUALIFICATION, 2)
        assert own.retry_at == LATER + timedelta(days=3)


def test_who_did_nothing_wrong_is_as_new(people: People, load: Load) -> None:
    """The mark says no more than that somebody was erased, and the export tells them so when they return."""
    load("words")
    with people.db.transaction() as session:
        joined(people, session, "words")
        forget(session, people.joined(session, TELEGRAM_ID))
        kept = session.exec(select(ErasedAnnotator)).one()
        assert kept.standing == {}
        assert own_data.export_annotator(session, annotator_id=people.joined(session, 7).id or 0)["erased"] is None
        person = people.joined(session, TELEGRAM_ID)
        export = own_data.export_annotator(session, annotator_id=person.id or 0)
        assert export["erased"] == {"mark": kept.mark, "erased_at": "2026-11-22T12:00:00Z", "standing": {}}
        assert joined(people, session, "words").status is ParticipationStatus.ACTIVE


def test_the_mark_holds_no_identity(people: People) -> None:
    """It follows from id and key together: another key gives another mark, and the id is not in it."""
    marks = {
        pseudonyms.compute_mark(pseudonyms.make_pseudonym(key, namespace="telegram", name=str(TELEGRAM_ID)))
        for key in (b"k" * 32, b"l" * 32)
    }
    assert len(marks) == 2
    with people.db.transaction() as session:
        person = people.joined(session, TELEGRAM_ID)
        pseudonym = person.pseudonym
        forget(session, person)
        (kept,) = session.exec(select(ErasedAnnotator)).all()
        text = kept.model_dump_json()
        assert kept.mark in marks
        assert not [trace for trace in (str(TELEGRAM_ID), pseudonym) if trace in text]


def restore(people: People, file: Path) -> int:
    """Restore a backup as the command does; how many annotators were erased again."""
    return backups.restore_backup(people.db.engine, file=file, now=LATER, erase=erase, yes=True).erased


def erase(session: Session) -> int:
    """Erase again as the command does."""
    return erasure.erase_restored_annotators(session, now=LATER)


def list_known(people: People) -> list[int]:
    """The Telegram ids of annotators who are not erased."""
    with people.db.reading() as view:
        return sorted(found for found in view.exec(select(Annotator.telegram_id)) if found is not None)


def test_a_restored_backup_revives_nobody(people: People, load: Load, tmp_path: Path) -> None:
    """Who was erased after it was made is erased again, with their answers and a suspension; others come back."""
    load("words", n=1)
    with people.db.transaction() as session:
        people.ready(session, "words")
        for number in (TELEGRAM_ID, 2):
            people.assigned(session, people.joined(session, number).id or 0, "words-1", answer=MARKER)
        (session.exec(select(Annotator).where(Annotator.telegram_id == 2)).one()).language = "en"
    backups.make_backup(people.db.engine, to=tmp_path / "one.backup", now=NOW)
    with people.db.transaction() as session:
        person = people.joined(session, TELEGRAM_ID)
        roster.suspend_annotator(session, annotator=person, reason="x", now=NOW)
        forget(session, person)
    assert restore(people, tmp_path / "one.backup") == 1
    assert list_known(people) == [2]
    assert [found.rule for found in invariants.check_database(people.db.engine) if found.wrong] == []
    with people.db.transaction() as session:
        assert sorted(one.response for one in session.exec(select(Judgement))) == ["", MARKER]
        assert people.joined(session, TELEGRAM_ID).suspended_at is not None
    assert restore(people, tmp_path / "one.backup") == 1


def test_who_returned_is_not_erased_by_an_old_mark(people: People, tmp_path: Path) -> None:
    """An annotator who came after the erasure stays when a backup made since is restored."""
    with people.db.transaction() as session:
        forget(session, people.joined(session, TELEGRAM_ID), now=LATER)
        registration.register_telegram_annotator(
            session, telegram_id=TELEGRAM_ID, language="uk", key=b"k" * 32, now=LATER + timedelta(hours=1)
        )
    backups.make_backup(people.db.engine, to=tmp_path / "one.backup", now=NOW)
    assert restore(people, tmp_path / "one.backup") == 0
    assert list_known(people) == [TELEGRAM_ID]


def test_without_the_database_the_manifests_beside_the_backup_are_read(people: People, tmp_path: Path) -> None:
    """The erasures until the last backup are known from its manifest, which only its owner may read."""
    with people.db.transaction() as session:
        people.joined(session, TELEGRAM_ID)
        people.joined(session, 2)
    backups.make_backup(people.db.engine, to=tmp_path / "old.backup", now=NOW)
    with people.db.transaction() as session:
        forget(session, people.joined(session, TELEGRAM_ID))
    made = backups.make_backup(people.db.engine, to=tmp_path / "new.backup", now=NOW)
    assert len(made.erased) == 1
    file = manifest.get_manifest_path(tmp_path / "new.backup")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with people.db.transaction() as session:
        session.connection().execute(sa.delete(ErasedAnnotator))  # as good as gone
    (tmp_path / "other.json").write_text("{}", "utf-8")
    assert restore(people, tmp_path / "old.backup") == 1
    assert list_known(people) == [2]


def test_nothing_is_restored_under_a_running_bot(people: People, tmp_path: Path) -> None:
    """As long as a process holds a lease; a lease that ended does not count."""
    with people.db.transaction() as session:
        people.joined(session, 1)
    backups.make_backup(people.db.engine, to=tmp_path / "one.backup", now=NOW)
    with people.db.transaction() as session:
        people.joined(session, 2)
        end = LATER + timedelta(seconds=10)
        processes.take_lease(session, name="pacing", holder="h:1:a", now=LATER, until=end)
    with pytest.raises(Conflict, match=r"A bot works on this database\. .*wait 10 seconds"):
        backups.restore_backup(people.db.engine, file=tmp_path / "one.backup", now=LATER, erase=erase, yes=True)
    assert list_known(people) == [1, 2]
    backups.restore_backup(people.db.engine, file=tmp_path / "one.backup", now=end, erase=erase, yes=True)
    assert list_known(people) == [1]


def fill(db: database.Database) -> int:
    """An annotator who wrote a message, in several transactions."""
    with db.transaction() as session:
        person = registration.register_telegram_annotator(session, telegram_id=1, language="uk", key=b"k" * 32, now=NOW)
        support_messages.store_message(session, annotator_id=person.id or 0, text=MARKER * 80, now=NOW)
        number = person.id or 0
    with db.transaction() as session:
        session.connection().execute(sa.update(SupportMessage).values(text=MARKER))
    return number


def read_bytes(file: Path) -> bytes:
    """The bytes of a SQLite database and of the files beside it."""
    return b"".join(one.read_bytes() for one in file.parent.glob(f"{file.name}*"))


def test_after_an_erasure_no_file_holds_it(tmp_path: Path) -> None:
    """Neither the database nor its log, while the database stays open."""
    file = tmp_path / "own.db"
    with database.open_database(f"sqlite:///{file}") as db:
        number = fill(db)
        assert MARKER.encode() in read_bytes(file)
        with db.transaction() as session:
            erasure.erase_annotator(session, annotator_id=number, now=LATER)
        assert MARKER.encode() not in read_bytes(file)
        assert (tmp_path / "own.db-wal").stat().st_size == 0


def test_a_reader_delays_it_until_the_next_transaction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release in the making reads an old state, which the log must keep; then it is emptied."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0)
    file = tmp_path / "own.db"
    with database.open_database(f"sqlite:///{file}") as db:
        number = fill(db)
        with db.reading() as view:
            view.exec(select(SupportMessage.text)).all()
            with db.transaction() as session:
                erasure.erase_annotator(session, annotator_id=number, now=LATER)
            assert MARKER.encode() in read_bytes(file)
        with db.shared_transaction() as open_session, open_session() as session:
            session.exec(select(Annotator.id)).all()
        assert MARKER.encode() not in read_bytes(file)


def test_only_its_owner_may_read_a_database(tmp_path: Path) -> None:
    """The file, its log and its index; a mode that was chosen by hand is kept."""
    file = tmp_path / "own.db"
    with database.open_database(f"sqlite:///{file}") as db:
        fill(db)
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    assert modes == dict.fromkeys(("own.db", "own.db-wal", "own.db-shm"), 0o600)
    file.chmod(0o640)
    with database.open_database(f"sqlite:///{file}") as db, db.reading() as view:
        view.exec(select(Annotator.id)).all()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_restored_database_is_its_owners_too(tmp_path: Path) -> None:
    """Where there was none before."""
    with database.open_database(f"sqlite:///{tmp_path / 'own.db'}") as db:
        fill(db)
        backups.make_backup(db.engine, to=tmp_path / "one.backup", now=NOW)
    with database.open_engine(f"sqlite:///{tmp_path / 'new.db'}") as engine:
        backups.restore_backup(engine, file=tmp_path / "one.backup", now=NOW, erase=erase)
    assert stat.S_IMODE((tmp_path / "new.db").stat().st_mode) == 0o600
