"""The facts of a release, from a campaign that was lived: what people did is counted, and few people are not told."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import Session, col, select

from annotation.campaigns import project_file
from annotation.errors import NotFound
from annotation.loading import campaign as loading
from annotation.settings import Settings
from annotation.simulation import engine
from annotation.simulation.answer_generator import SimulationSettings
from annotation.store import database, pseudonyms, queries
from annotation.store.models import Annotator, Assignment, Consent, Exposure, Item, Payment, ProfileAnswer, Project
from annotation.vocabulary import ExposureCause, Pool, Stage
from annotation.workflow.annotators import invitations
from annotation.workflow.lifecycle import projects, transitions
from annotation.workflow.lifecycle.readiness import add_post_hoc_change
from bot.release_facts import build_release_facts
from exports.facts import ProjectFacts

LOW = Path(__file__).parents[2] / "examples" / "eval-ua-tion" / "programme" / "low.yaml"
CONSENT = "Я погоджуюся."
NOW = engine.SIMULATION_START
MORE = """\
consent: {file: consent.txt, version: "3"}
profile:
  - {name: l1, text: Мова?, options: [українська, інша]}
  - {name: age, text: Вік?, type: number}
caps: {items_per_day: 40, sitting: 30min}
"""


@pytest.fixture(scope="module")
def lived_file(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database to copy: one of the nine data sets, with a consent, a profile and pay, answered by eight people."""
    folder = tmp_path_factory.mktemp("lived")
    shutil.copy(migrated, folder / "lived.db")
    with database.open_database(f"sqlite:///{folder / 'lived.db'}") as db:
        let_people_answer(db, folder)
    return folder / "lived.db"


@pytest.fixture
def lived(lived_file: Path, tmp_path: Path) -> Iterator[database.Database]:
    """A copy of it that this test has for itself."""
    shutil.copy(lived_file, tmp_path / "lived.db")
    with database.open_database(f"sqlite:///{tmp_path / 'lived.db'}") as db:
        yield db


def let_people_answer(db: database.Database, folder: Path) -> None:
    """Load the project and simulate eight people."""
    (folder / "low.jsonl").write_bytes(LOW.with_suffix(".jsonl").read_bytes())
    (folder / "consent.txt").write_text(CONSENT, "utf-8")
    text = LOW.read_text("utf-8").replace("countdown: yes}", "countdown: yes, pay: {per_hour: 6, currency: EUR}}")
    text = text.replace("pay: volunteers, unpaid", "pay: 6 EUR an hour")
    file = folder / "low.yaml"
    file.write_text(text + MORE, "utf-8")
    checked = project_file.read_project(file)
    with db.transaction() as session:
        projects.load_project(session, checked, loading.read_contents(checked), now=NOW)
        project = queries.get_project(session, "nine.low")
        invitations.create_invitation(session, target=project, code="code-secret", uses=9, now=NOW)
        transitions.start_project(session, project=project, now=NOW)
    settings = SimulationSettings(people=8, careless=0.0, reports=0.0, skill=0.95)
    engine.create_simulation(db, settings=settings, names=["nine.low"]).run()


def read_facts(db: database.Database) -> ProjectFacts:
    with db.reading() as session:
        (project,) = build_release_facts(session, "nine.low").projects
    return project


def get_project(session: Session) -> Project:
    return queries.get_project(session, "nine.low")


def test_what_people_did_is_counted(lived: database.Database) -> None:
    found = read_facts(lived)
    assert (found.kind, found.imported, found.overlap, found.overlap_max) == ("baseline", False, 5, None)
    assert (found.n_without_consent, found.n_unlisted_exposed) == (0, 0)
    assert (found.pilot_items, found.shared_ids, found.shared_groups) == (3, 0, 0)
    assert found.pilot_answers > 0
    assert found.training_answers is not None
    assert found.training_answers % 4 == 0
    assert found.training_answers >= 4 * 5
    assert len(found.training_items) == 4
    assert found.training_items[0].explanation
    assert found.training_explains
    stage = found.qualification
    assert stage is not None
    assert stage.n_tried == stage.n_passed + stage.n_failed >= 5
    assert stage.fixed_before is True
    assert stage.rule == "3 of 4, 2 attempts at most"
    assert found.plan is not None
    assert (found.plan.n_items, found.plan.overlap, found.rules_fixed_before) == (20, 5, True)
    assert found.plan.half_width
    assert found.invited == 8
    assert found.consented == found.started == found.training_answers // 4
    assert found.finished is not None
    assert found.finished <= found.started
    assert found.active_hours is not None
    assert found.active_hours > 0
    assert found.shuffles_options
    assert (found.controls, found.repeats) == ("10% of the items", "10% of the items again, 24 hours later")
    assert found.caps == "40 items a day, 30 minutes at a time"
    assert found.rules == ("control items right < 50%, with at least 2: exclude",)
    assert found.pay is not None
    assert (found.pay.scheme, found.pay.hourly_median) == ("6 EUR an hour of active work", None)
    texts = {text.kind: text for text in found.texts}
    consent = texts["consent"]
    assert (consent.text, consent.version, consent.n_people) == (CONSENT, "3", found.consented)
    assert texts["instructions"].text.startswith("Знайдіть у слові літеру")
    assert texts["instructions"].n_answers
    assert {*found.declared, "stimulus_differences"} == set(found.declared_meanings)


def test_small_cells_of_a_profile_are_not_there(lived: database.Database) -> None:
    """Seven say one language and one another: neither cell can be told; ages are in bands."""
    with lived.transaction() as session:
        people = session.exec(select(Annotator.id).order_by(col(Annotator.id))).all()
        for row in session.exec(select(ProfileAnswer)).all():
            session.delete(row)
        session.flush()
        for place, annotator in enumerate(people):
            language = "інша" if place == 0 else "українська"
            session.add(ProfileAnswer(annotator_id=annotator or 0, field="l1", value=language, at=NOW))
            session.add(ProfileAnswer(annotator_id=annotator or 0, field="age", value=str(30 + place), at=NOW))
    found = read_facts(lived)
    cells = {(one.field, one.value): one.n for one in found.profile}
    ages = cells.pop(("age", "30–39"))
    assert cells == {("l1", "інша"): None, ("l1", "українська"): None}
    assert ages is not None
    assert 5 <= ages <= 8


def test_answers_before_consent_are_counted(lived: database.Database) -> None:
    with lived.transaction() as session:
        consent = session.exec(select(Consent)).first()
        assert consent is not None
        answered = session.exec(
            select(Assignment.id).where(
                Assignment.annotator_id == consent.annotator_id,
                Assignment.stage == Stage.MAIN,
                Assignment.status == "done",
            )
        ).all()
        session.delete(consent)
    assert read_facts(lived).n_without_consent == len(answered) > 0


def test_groups_met_before_in_another_project_are_counted(lived: database.Database) -> None:
    with lived.transaction() as session:
        project = get_project(session)
        other = Project(**project.model_dump(exclude={"id", "name"}), name="other")
        session.add(other)
        session.flush()
        row = session.exec(
            select(Assignment, Item)
            .join(Item, col(Item.id) == col(Assignment.item_id))
            .where(Assignment.stage == Stage.MAIN, col(Assignment.is_control).is_(False), Assignment.status == "done")
        ).first()
        assert row is not None
        assignment, item = row
        session.add(
            Exposure(
                annotator_id=assignment.annotator_id,
                group_id=item.group_id,
                project_id=other.id or 0,
                cause=ExposureCause(next(iter(ExposureCause))),
                at=NOW,
            )
        )
    assert read_facts(lived).n_unlisted_exposed == 1


def test_a_group_of_two_pools_is_counted(lived: database.Database) -> None:
    with lived.transaction() as session:
        main = session.exec(select(Item).where(Item.pool == Pool.MAIN)).first()
        training = session.exec(select(Item).where(Item.pool == Pool.TRAINING)).first()
        assert main is not None
        assert training is not None
        training.group_id = main.group_id
        session.add(training)
    found = read_facts(lived)
    assert (found.shared_ids, found.shared_groups) == (0, 1)


def test_pay_is_told_of_three_people_or_more(lived: database.Database) -> None:
    with lived.transaction() as session:
        project, people = get_project(session), session.exec(select(Annotator.id)).all()
        for annotator in people[:2]:
            session.add(
                Payment(annotator_id=annotator or 0, project_id=project.id or 0, hundredths=500, currency="EUR", at=NOW)
            )
    two = read_facts(lived).pay
    assert two is not None
    assert (two.n_paid, two.hourly_median) == (0, None)
    with lived.transaction() as session:
        project = get_project(session)
        session.add(
            Payment(annotator_id=people[2] or 0, project_id=project.id or 0, hundredths=500, currency="EUR", at=NOW)
        )
    three = read_facts(lived).pay
    assert three is not None
    assert (three.n_paid, three.currency) == (3, "EUR")
    assert three.hourly_median
    with lived.transaction() as session:  # cancelled: the rate would be that of two
        project = get_project(session)
        person = people[0] or 0
        session.add(Payment(annotator_id=person, project_id=project.id or 0, hundredths=-500, currency="EUR", at=NOW))
    cancelled = read_facts(lived).pay
    assert cancelled is not None
    assert (cancelled.n_paid, cancelled.hourly_median) == (0, None)


def test_nothing_real_is_among_the_facts_and_all_of_it_is_listed(lived: database.Database, tmp_path: Path) -> None:
    key = tmp_path / "the.key"
    key.write_text("ab" * 32, "utf-8")
    settings = Settings.model_validate(
        {
            "telegram_token": "123456:AAsecret",
            "label_studio_token": "studio-secret",
            "key_file": key,
            "database_url": "postgresql://me:p%40ss%20word@localhost/x",
        }
    )
    with lived.transaction() as session:
        somebody = session.exec(select(Annotator)).first()
        assert somebody is not None
        somebody.telegram_id = 987654321
        session.add(somebody)
    with lived.reading() as session:
        found = pseudonyms.list_identities(session)
        secrets = pseudonyms.list_secrets(settings)
        facts = build_release_facts(session, "nine.low")
    values = {one.value for one in found}
    assert {"987654321", "code-secret"} <= values
    assert {one.value for one in secrets} == {"123456:AAsecret", "studio-secret", "ab" * 32, "p@ss word", "p%40ss+word"}
    assert all(one.is_secret for one in secrets)
    written = str(dataclasses.asdict(facts))
    assert not [value for value in values if value in written]


def test_a_name_that_is_neither_project_nor_programme_is_refused(lived: database.Database) -> None:
    with lived.reading() as session, pytest.raises(NotFound, match="nobody"):
        build_release_facts(session, "nobody")


def test_a_rule_that_was_changed_later_was_not_fixed_before(lived: database.Database) -> None:
    with lived.transaction() as session:
        project = get_project(session)
        add_post_hoc_change(project, what="keys of the project file: stages, caps", now=NOW)
        project.overlap = 9
        session.add(project)
    found = read_facts(lived)
    assert found.qualification is not None
    assert found.qualification.fixed_before is False
    assert found.plan is not None
    assert found.plan.overlap == 5  # as it was frozen


def test_a_consent_that_everybody_withdrew_is_still_told(lived: database.Database) -> None:
    with lived.transaction() as session:
        for consent in session.exec(select(Consent)).all():
            consent.withdrawn_at = NOW
            session.add(consent)
    (text,) = (text for text in read_facts(lived).texts if text.kind == "consent")
    assert (text.text, text.n_people) == (CONSENT, 0)
