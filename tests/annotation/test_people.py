"""Who may take part, on which terms, and what stands in the way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import Session, col, select

from annotation.campaigns import programme as programmes
from annotation.campaigns import project as project_files
from annotation.campaigns import stimulus
from annotation.campaigns.people import AdmissionSection, ProfileField
from annotation.errors import BadInput, NotFound, Stale
from annotation.store import database, queries
from annotation.store.models import (
    Annotator,
    Assignment,
    Cohort,
    Consent,
    Invitation,
    Item,
    Journal,
    Judgement,
    Participation,
    Programme,
    ProgrammeProject,
    Project,
    Wording,
)
from annotation.vocabulary import AssignmentStatus, Hindrance, ParticipationStatus, Stage, Surface, WordingKind
from annotation.workflow import projects
from annotation.workflow.people import (
    accuracy,
    admission,
    annotators,
    consents,
    content_warnings,
    invitations,
    joining,
    participations,
    profiles,
    standing,
    terms,
)
from annotation.workflow.people.accuracy import Counted
from annotation.workflow.people.invitations import Entered, Refusal

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = b"k" * 32
PROJECT = """\
project: {name}
title: "Яке слово довше?"
language: uk
question: {{type: choice, text: "Яке?", options: [кіт, собака]}}
items: {{file: {name}.csv, id: id, show: hint, gold: gold}}
overlap: 2
{more}
"""
FULL = """\
consent: {file: consent.md, version: 1}
profile:
  - {name: native, text: "Рідна мова?", options: [українська, інша], required: yes}
  - {name: age, text: "Скільки вам років?", type: number}
admission: {profile: {native: українська}}
content_warning: Є сумні слова.
"""


class People:
    """A database with projects, and people who step up to them."""

    def __init__(self, db: database.Database, folder: Path) -> None:
        self.db = db
        self.folder = folder

    def load(self, name: str, more: str = "") -> None:
        """Load a project of three items; its consent is what stands in consent.md."""
        (self.folder / f"{name}.csv").write_text(
            "id,hint,gold\n" + "".join(f"{name}-{n},підказка {n},собака\n" for n in (1, 2, 3)), "utf-8"
        )
        file = self.folder / f"{name}.yaml"
        consent = self.folder / "consent.md"
        if not consent.exists():
            consent.write_text("Я згоден.", "utf-8")
        file.write_text(PROJECT.format(name=name, more=more), "utf-8")
        with self.db.transaction() as session:
            projects.load_file(session, file, now=NOW, yes=True)
            if "consent:" in more:
                queries.project(session, name).texts = keep(session, consent.read_text("utf-8"))

    def enrol(self, name: str, more: str, *members: str) -> None:
        """Store a programme of projects that are loaded."""
        with self.db.transaction() as session:
            definition = programmes.ProgrammeFile.model_validate(
                {"programme": name, "title": name, "language": "uk", "projects": [{"file": "x"}]}
                | project_files.document.parse(more, file=Path("p.yaml")).data
            )
            made = Programme(
                name=name,
                title=name,
                language="uk",
                definition=definition.model_dump(mode="json"),
                definition_sha256="0" * 64,
                source="",
                texts=keep(session, "Ми згодні."),
                created_at=NOW,
            )
            session.add(made)
            session.flush()
            for place, member in enumerate(members):
                project = queries.project(session, member)
                session.add(ProgrammeProject(programme_id=made.id or 0, project_id=project.id or 0, place=place))

    def waits(self, number: int, name: str, *, now: datetime = NOW) -> Hindrance | None:
        """What keeps a person from a project."""
        with self.db.transaction() as session:
            person = joined(session, number)
            project = queries.project(session, name)
            found = standing.hindrance(
                session,
                person=person,
                project=project,
                definition=project_files.definition_of(project.definition),
                participation=session.get(Participation, (person.id, project.id)),
                now=now,
            )
            return None if found is None else found.reason


def keep(session: Session, text: str) -> dict[str, str]:
    """Keep a consent; what a project or programme knows of it."""
    sha256 = stimulus.text_digest(text)
    if session.get(Wording, (sha256, WordingKind.CONSENT)) is None:
        session.add(Wording(sha256=sha256, kind=WordingKind.CONSENT, text=text, since=NOW))
        session.flush()
    return {"consent": sha256}


def joined(session: Session, number: int) -> Annotator:
    """The person with this Telegram id."""
    return joining.join(session, telegram_id=number, language="uk", key=KEY, now=NOW)


def terms_of(session: Session, name: str) -> terms.Terms:
    """The terms of a project."""
    project = queries.project(session, name)
    return terms.of(session, project=project, definition=project_files.definition_of(project.definition))


def agreed(session: Session, number: int, name: str) -> Consent:
    """The person agrees to what is asked."""
    asked = consents.asked(session, annotator_id=joined(session, number).id or 0, terms=terms_of(session, name))
    assert asked is not None
    return consents.agree(
        session,
        annotator_id=joined(session, number).id or 0,
        terms=terms_of(session, name),
        sha256=asked.agreement.sha256,
        now=NOW,
    )


def told(session: Session, number: int, name: str, **values: str | None) -> None:
    """The person fills in her profile."""
    for field in terms_of(session, name).fields:
        if field.name in values:
            person = joined(session, number).id or 0
            profiles.say(session, annotator_id=person, field=field, value=values[field.name], now=NOW)


def controls(session: Session, number: int, name: str, *answers: str) -> None:
    """The person answers so many control items of a project; «собака» is right."""
    project = queries.project(session, name)
    items = session.exec(select(Item).where(Item.project_id == project.id).order_by(col(Item.rank))).all()
    for item, answer in zip(items, answers, strict=False):
        made = Assignment(
            project_id=project.id or 0,
            item_id=item.id or 0,
            annotator_id=joined(session, number).id or 0,
            surface=Surface.TELEGRAM,
            status=AssignmentStatus.DONE,
            is_control=True,
            assigned_at=NOW,
        )
        session.add(made)
        session.flush()
        for revision, response in enumerate(answer.split(">")):
            session.add(
                Judgement(assignment_id=made.id or 0, revision=revision, response=response, response_raw=response)
            )
    session.flush()


@pytest.fixture
def people(db: database.Database, tmp_path: Path) -> People:
    """An empty database, and what is needed to fill it."""
    return People(db, tmp_path)


def redeem(people: People, number: int, code: str, *, now: datetime = NOW) -> Entered | Refusal:
    """The person sends a code."""
    with people.db.transaction() as session:
        return invitations.redeem(session, annotator_id=joined(session, number).id or 0, code=code, now=now)


def invited(people: People, name: str, code: str = "code", **more: object) -> None:
    """An invitation to a project or programme."""
    with people.db.transaction() as session:
        door = invitations.door(session, name)
        invitations.invite(session, door=door, code=code, now=NOW, **more)  # type: ignore[arg-type]


def test_what_stands_in_the_way_comes_in_its_order(people: People) -> None:
    """Consent, profile, admission, warning, one after another, then nothing; suspension before all of them."""
    people.load("words", FULL)
    assert people.waits(1, "words") == Hindrance.CONSENT
    with people.db.transaction() as session:
        agreed(session, 1, "words")
    assert people.waits(1, "words") == Hindrance.PROFILE
    with people.db.transaction() as session:
        told(session, 1, "words", native="інша", age=None)
    assert people.waits(1, "words") == Hindrance.NOT_ADMITTED
    with people.db.transaction() as session:
        told(session, 1, "words", native="українська")
    assert people.waits(1, "words") == Hindrance.WARNING
    with people.db.transaction() as session:
        content_warnings.accept(
            session,
            annotator_id=joined(session, 1).id or 0,
            project=queries.project(session, "words"),
            sha256=stimulus.text_digest("Є сумні слова."),
            now=NOW,
        )
    assert people.waits(1, "words") is None
    with people.db.transaction() as session:
        annotators.suspend(session, person=joined(session, 1), reason="копіює", now=NOW)
    assert people.waits(1, "words") == Hindrance.SUSPENDED
    with people.db.transaction() as session:
        assert annotators.unsuspend(session, person=joined(session, 1), now=NOW)
        assert not annotators.unsuspend(session, person=joined(session, 1), now=NOW)
    assert people.waits(1, "words") is None


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (ParticipationStatus.PAUSED, Hindrance.PAUSED),
        (ParticipationStatus.EXCLUDED, Hindrance.EXCLUDED),
        (ParticipationStatus.FAILED, Hindrance.FAILED),
        (ParticipationStatus.WITHDRAWN, Hindrance.WITHDRAWN),
    ],
)
def test_how_she_stands_in_the_project_hinders(people: People, status: ParticipationStatus, reason: Hindrance) -> None:
    """Each status but the active one has its hindrance; a wait for the next attempt says until when, and ends."""
    people.load("words")
    with people.db.transaction() as session:
        person = joined(session, 1).id or 0
        row = participations.enter(session, annotator_id=person, project=queries.project(session, "words"), now=NOW)
        row.retry_at = NOW + timedelta(hours=2)
    assert people.waits(1, "words", now=NOW + timedelta(hours=1)) == Hindrance.COOL_DOWN
    assert people.waits(1, "words", now=NOW + timedelta(hours=2)) is None
    with people.db.transaction() as session:
        session.exec(select(Participation)).one().status = status
    assert people.waits(1, "words", now=NOW + timedelta(hours=2)) == reason


def test_a_new_text_of_the_consent_asks_again_and_withdrawal_too(people: People) -> None:
    """Version, hash and time of each agreement stay; the same tap twice is one; an old text cannot be agreed to."""
    people.load("words", "consent: {file: consent.md, version: 1}\n")
    with people.db.transaction() as session:
        first = agreed(session, 1, "words").sha256
        person = joined(session, 1).id or 0
        consents.agree(session, annotator_id=person, terms=terms_of(session, "words"), sha256=first, now=NOW)
    assert people.waits(1, "words") is None
    (people.folder / "consent.md").write_text("Я згоден на все.", "utf-8")
    people.load("words", "consent: {file: consent.md, version: 2}\n")
    assert people.waits(1, "words") == Hindrance.CONSENT
    with people.db.transaction() as session, pytest.raises(Stale):
        consents.agree(session, annotator_id=person, terms=terms_of(session, "words"), sha256=first, now=NOW)
    with people.db.transaction() as session:
        agreed(session, 1, "words")
        kept = session.exec(select(Consent).order_by(col(Consent.id))).all()
        assert [(one.scope, one.version, one.at) for one in kept] == [
            ("project words", "1", NOW),
            ("project words", "2", NOW),
        ]
        assert {one.sha256 for one in kept} == {
            one.sha256 for one in session.exec(select(Wording).where(Wording.kind == WordingKind.CONSENT))
        }
        assert consents.withdraw(session, annotator_id=person, scope="project words", now=NOW)
        assert not consents.withdraw(session, annotator_id=person, scope="project words", now=NOW)
    assert people.waits(1, "words") == Hindrance.CONSENT
    with people.db.transaction() as session:
        agreed(session, 1, "words")
    assert people.waits(1, "words") is None


def test_a_programme_asks_once_for_all_its_projects(people: People) -> None:
    """Its consent and profile hold in every project, and a project's own fields come on top."""
    people.load("first", "profile: [{name: city, text: Місто?, type: text}]\n")
    people.load("second")
    profile = "profile: [{name: age, text: Вік?, type: number}]"
    people.enrol("both", f"consent: {{file: consent.md, version: 1}}\n{profile}\n", "first", "second")
    assert people.waits(1, "second") == Hindrance.CONSENT
    with people.db.transaction() as session:
        assert agreed(session, 1, "first").scope == "programme both"
        told(session, 1, "second", age="34")
    assert people.waits(1, "second") is None
    assert people.waits(1, "first") == Hindrance.PROFILE


def test_a_changed_warning_is_shown_again(people: People) -> None:
    """The hash that was accepted is kept; another text does not pass for it."""
    people.load("words", "content_warning: Є сумні слова.\n")
    with people.db.transaction() as session:
        project, person = queries.project(session, "words"), joined(session, 1).id or 0
        with pytest.raises(Stale):
            content_warnings.accept(session, annotator_id=person, project=project, sha256="0" * 64, now=NOW)
        sha256 = stimulus.text_digest("Є сумні слова.")
        for _ in range(2):
            row = content_warnings.accept(session, annotator_id=person, project=project, sha256=sha256, now=NOW)
        assert (row.warned_at, row.warning_sha256) == (NOW, sha256)
        assert len(session.exec(select(Journal).where(Journal.event == "warning accepted")).all()) == 1
    people.load("words", "content_warning: Є дуже сумні слова.\n")
    assert people.waits(1, "words") == Hindrance.WARNING


CHOICE = ProfileField(name="native", text="?", options=("українська", "інша"))
NUMBER = ProfileField(name="age", text="?", type="number", required=True)
TEXT = ProfileField(name="city", text="?", type="text")


@pytest.mark.parametrize(
    ("field", "value", "stored"),
    [
        (CHOICE, " інша ", "інша"),
        (CHOICE, None, ""),
        (CHOICE, "марсіанська", "'марсіанська' is not among the options."),
        (NUMBER, "34", "34"),
        (NUMBER, "34,5", "34.5"),
        (NUMBER, "-1", "-1"),
        (NUMBER, "багато", "'багато' is no number."),
        (NUMBER, "1e9", "'1e9' is no number."),
        (NUMBER, "nan", "'nan' is no number."),
        (NUMBER, None, "This has to be answered."),
        (NUMBER, "  ", "This has to be answered."),
        (TEXT, "Львів\n", "Львів"),
        (TEXT, "", ""),
        (TEXT, "я" * 501, "This is too long."),
    ],
)
def test_answers_of_a_profile_are_checked(field: ProfileField, value: str | None, stored: str) -> None:
    """A choice, a number, a text, or nothing at all, unless it is required."""
    try:
        found = profiles.checked(field, value)
    except BadInput as refusal:
        found = refusal.problem
    assert found == stored


def test_an_answer_that_a_field_no_longer_takes_is_asked_for_again() -> None:
    """Another project may ask the same field with other options, or require it."""
    given = {"native": "інша", "age": ""}
    assert profiles.missing((CHOICE, NUMBER, TEXT), given) == (NUMBER, TEXT)
    narrower = CHOICE.model_copy(update={"options": ("українська", "польська")})
    assert profiles.missing((narrower,), given) == (narrower,)


@pytest.mark.parametrize("name", ["Europe/Kyiv", "America/New_York", "UTC"])
def test_a_time_zone_is_one_of_the_database(people: People, name: str) -> None:
    """Names of the IANA database are taken; anything else is refused with an example."""
    with people.db.transaction() as session:
        person = joined(session, 1)
        profiles.set_time_zone(session, person=person, name=name)
        for wrong in ("Kyiv", "../../etc/passwd", "", "Europe", "+02:00"):
            with pytest.raises(BadInput, match="is no time zone"):
                profiles.set_time_zone(session, person=person, name=wrong)
        assert person.time_zone == name


def test_without_an_invitation_everybody_may_come_and_with_one_only_the_invited(people: People) -> None:
    """The first invitation closes the door to those who have not begun; others know no such code."""
    people.load("words")
    assert people.waits(1, "words") is None
    with people.db.transaction() as session:
        person = joined(session, 1).id or 0
        row = participations.enter(session, annotator_id=person, project=queries.project(session, "words"), now=NOW)
        row.shown = 1
    invited(people, "words", cohort="students")
    assert people.waits(1, "words") is None
    assert people.waits(2, "words") == Hindrance.NOT_ADMITTED
    assert redeem(people, 2, "another") == Refusal.UNKNOWN
    assert redeem(people, 2, " code ") == Entered(door="words", projects=("words",), repeated=False)
    assert people.waits(2, "words") is None
    with people.db.transaction() as session:
        assert [(one.annotator_id, one.name) for one in session.exec(select(Cohort))] == [(2, "students")]


def test_an_invitation_to_a_programme_opens_all_its_projects_later_ones_too(people: People) -> None:
    """Rows in its projects name the invitation; a project that joins the programme later is open to her as well."""
    for name in ("first", "second", "third"):
        people.load(name)
    people.enrol("both", "order: sequence", "first", "second")
    invited(people, "both")
    assert people.waits(1, "first") == Hindrance.NOT_ADMITTED
    assert people.waits(1, "third") is None
    assert redeem(people, 1, "code") == Entered(door="both", projects=("first", "second"), repeated=False)
    with people.db.transaction() as session:
        third = queries.project(session, "third").id or 0
        session.add(ProgrammeProject(programme_id=1, project_id=third, place=2))
    assert [people.waits(1, name) for name in ("first", "second", "third")] == [None, None, None]
    assert people.waits(2, "third") == Hindrance.NOT_ADMITTED


def test_a_code_counts_each_person_once_and_refuses_clearly(people: People) -> None:
    """The same person twice takes one use; then it is used up, over, or leads nowhere; nothing is stored."""
    people.load("words")
    invited(people, "words", uses=1, expires_at=NOW + timedelta(days=1))
    invited(people, "words", "late", expires_at=NOW + timedelta(days=1))
    assert redeem(people, 1, "code") == Entered(door="words", projects=("words",), repeated=False)
    for code in ("code", "late"):
        assert redeem(people, 1, code) == Entered(door="words", projects=("words",), repeated=True)
    assert redeem(people, 2, "code") == Refusal.USED_UP
    assert redeem(people, 2, "late", now=NOW + timedelta(days=1)) == Refusal.EXPIRED
    with people.db.transaction() as session:
        annotators.suspend(session, person=joined(session, 3), reason="причина", now=NOW)
    assert redeem(people, 3, "late") == Refusal.SUSPENDED
    with people.db.transaction() as session:
        session.exec(select(Project)).one().status = "closed"  # type: ignore[assignment]
    assert redeem(people, 2, "late") == Refusal.CLOSED
    with people.db.transaction() as session:
        assert [one.used for one in session.exec(select(Invitation).order_by(col(Invitation.id)))] == [1, 0]
        assert [one.annotator_id for one in session.exec(select(Participation))] == [1]
        with pytest.raises(NotFound):
            invitations.redeem(session, annotator_id=99, code="code", now=NOW)


@pytest.mark.parametrize("wrong", [{"uses": 0}, {"expires_at": NOW}, {"cohort": " "}, {"cohort": "я" * 65}])
def test_an_invitation_for_nobody_is_refused(people: People, wrong: dict[str, object]) -> None:
    """No uses, a time that is over, a cohort without a name."""
    people.load("words")
    with pytest.raises(BadInput):
        invited(people, "words", **wrong)
    with people.db.transaction() as session, pytest.raises(NotFound, match="Did you mean words"):
        invitations.door(session, "word")


def test_the_last_use_lets_exactly_one_in(people: People) -> None:
    """Eight people send the same code at the same moment, twice each; two uses are left."""
    people.load("words")
    invited(people, "words", uses=2)
    with people.db.transaction() as session:
        for number in range(1, 9):
            joined(session, number)
    found: list[Entered | Refusal] = []
    start = threading.Barrier(16)

    def send(number: int) -> None:
        start.wait()
        found.append(redeem(people, number, "code"))

    threads = [threading.Thread(target=send, args=(1 + n % 8,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entered = [one for one in found if isinstance(one, Entered)]
    assert sorted(one.repeated for one in entered) == [False, False, True, True]
    assert found.count(Refusal.USED_UP) == 12
    with people.db.transaction() as session:
        assert session.exec(select(Invitation.used)).one() == 2
        assert len(session.exec(select(Participation)).all()) == 2


def test_the_use_is_settled_by_the_statement_that_takes_it(people: People) -> None:
    """Another takes the last use between the look and the take: the row as it was read does not count."""
    people.load("words")
    invited(people, "words", uses=1)
    with people.db.transaction() as session:
        person = joined(session, 1).id or 0
        stale = session.exec(select(Invitation)).one()
        session.connection().exec_driver_sql("UPDATE invitation SET used = 1")
        assert stale.used == 0
        assert invitations.redeem(session, annotator_id=person, code="code", now=NOW) == Refusal.USED_UP


@pytest.mark.parametrize(
    ("section", "facts", "why"),
    [
        ({"profile": {"native": "так"}}, {"profile": {"native": "так"}}, None),
        ({"profile": {"native": ["так", "ні"]}}, {"profile": {"native": ""}}, "profile: native is not так or ні"),
        ({"cohort": ["a", "b"]}, {"cohorts": frozenset("bc")}, None),
        ({"cohort": ["a", "b"]}, {"cohorts": frozenset("c")}, "cohort: not in a or b"),
        (
            {"earlier_control": {"least": "75 %", "projects": "p"}},
            {"control": Counted(right=3, of=4)},
            None,
        ),
        (
            {"earlier_control": {"least": "75 %", "projects": "p"}},
            {"control": Counted(right=2, of=4)},
            "earlier control items: 2 of 4 control items right, 75% are asked for",
        ),
        (
            {"earlier_control": {"least": 0, "projects": "p"}},
            {},
            "earlier control items: 0 of 0 control items right, 0% are asked for",
        ),
        ({"top": "60 %"}, {"place": 3, "ranked": 5}, None),
        (
            {"top": "60 %"},
            {"place": 4, "ranked": 5},
            "earlier control items: place 4 of 5, the first 60% are asked for",
        ),
        ({"top": "60 %"}, {"ranked": 5}, "earlier control items: not ranked, the first 60% are asked for"),
    ],
)
def test_admission_is_decided_by_facts(section: dict[str, object], facts: dict[str, object], why: str | None) -> None:
    """Each condition alone, met and missed."""
    found = admission.Facts(**facts)  # type: ignore[arg-type]
    assert admission.refusal(AdmissionSection.model_validate(section), found) == why


@pytest.mark.parametrize(
    ("share", "ranked", "places"), [(0.6, 5, 3), (0.7, 10, 7), (0.07, 100, 7), (0.5, 3, 2), (0.01, 5, 1), (1.0, 4, 4)]
)
def test_a_share_of_people_is_rounded_up_exactly(share: float, ranked: int, places: int) -> None:
    """0.07 of 100 are seven people, not eight, whatever floats make of it."""
    assert admission.places(share, ranked) == places


def test_ties_in_the_ranking_fall_the_same_way_every_time() -> None:
    """More control items go before fewer, then the pseudonym decides; who answered none is not ranked."""
    counted = {
        "d": Counted(right=1, of=2), "c": Counted(right=2, of=4), "b": Counted(right=2, of=4), "a": Counted(),
        "e": Counted(right=3, of=4),
    }  # fmt: skip
    assert admission.ranking(counted) == ("e", "b", "c", "d")


def test_control_items_of_earlier_projects_admit(people: People) -> None:
    """Final answers count, skipped ones are wrong, withdrawn ones count for nothing; the top half is let in."""
    people.load("earlier")
    people.load("least", "admission: {earlier_control: {least: 60 %, projects: earlier}}\n")
    people.load("top", "admission: {top: 50 %}\n")
    with people.db.transaction() as session:
        controls(session, 1, "earlier", "кіт>собака", "собака", "кіт")
        controls(session, 2, "earlier", "собака>кіт", "собака", "")
        controls(session, 3, "earlier", "собака")
        controls(session, 4, "earlier", "кіт")
        last = session.exec(select(Assignment).where(Assignment.annotator_id == 3)).one()
        last.status = AssignmentStatus.WITHDRAWN
        earlier = queries.project(session, "earlier").id or 0
        assert accuracy.of_controls(session, project_ids=[earlier]) == {
            1: Counted(right=2, of=3),
            2: Counted(right=1, of=3),
            4: Counted(right=0, of=1),
        }
    refused = [(people.waits(n, "least"), people.waits(n, "top")) for n in (1, 2, 3, 4, 5)]
    no = Hindrance.NOT_ADMITTED
    assert refused == [(None, None), (no, None), (no, no), (no, no), (no, no)]


def test_admission_is_not_asked_again_once_she_has_begun(people: People) -> None:
    """A ranking that changes while people work throws nobody out."""
    people.load("words", "admission: {cohort: students}\n")
    with people.db.transaction() as session:
        person = joined(session, 1)
        assert annotators.join_cohort(session, person=person, name="students")
        assert not annotators.join_cohort(session, person=person, name="students")
    assert people.waits(1, "words") is None
    with people.db.transaction() as session:
        person = joined(session, 1)
        project = queries.project(session, "words")
        row = participations.enter(session, annotator_id=person.id or 0, project=project, now=NOW)
        assert row.stage == Stage.MAIN
        assert annotators.leave_cohort(session, person=person, name="students")
        assert not annotators.leave_cohort(session, person=person, name="students")
    assert people.waits(1, "words") == Hindrance.NOT_ADMITTED
    with people.db.transaction() as session:
        session.exec(select(Participation)).one().shown = 1
    assert people.waits(1, "words") is None


def test_what_organisers_decide_is_journalled_once(people: People, load: Callable[..., None]) -> None:
    """Insider and suspension; a suspension needs a reason, and gives back what she has in hand."""
    with people.db.transaction() as session:
        person = joined(session, 1)
        assert annotators.set_insider(session, person=person, insider=True, now=NOW)
        assert not annotators.set_insider(session, person=person, insider=True, now=NOW)
        with pytest.raises(BadInput):
            annotators.suspend(session, person=person, reason=" ", now=NOW)
        assert annotators.suspend(session, person=person, reason="копіює", now=NOW)
        assert not annotators.suspend(session, person=person, reason="копіює досі", now=NOW)
        assert person.suspended_reason == "копіює досі"
        events = [(one.event, one.data) for one in session.exec(select(Journal).order_by(col(Journal.id)))]
        assert events[1:] == [
            ("insider changed", {"insider": True}),
            ("suspended", {"reason": "копіює"}),
            ("suspended", {"reason": "копіює досі"}),
        ]
        with pytest.raises(NotFound, match="Did you mean"):
            annotators.known_as(session, person.pseudonym[:-1])
