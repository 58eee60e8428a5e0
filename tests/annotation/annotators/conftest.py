"""Projects and programmes, and people who join them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns import programme_file as programmes
from annotation.campaigns import project_file as project_files
from annotation.campaigns import stimulus, yaml_document
from annotation.store import database, queries, table_base
from annotation.store.models import (
    Annotator,
    Assignment,
    Consent,
    Item,
    Judgement,
    Participation,
    Programme,
    ProgrammeProject,
    Project,
    TextVersion,
)
from annotation.vocabulary import AssignmentStatus, Exclusion, Surface, TextKind, UnassignedReason
from annotation.workflow import definitions
from annotation.workflow.annotators import access, consents, invitations, registration
from annotation.workflow.annotators.invitations import InvitationRefusal, RedeemedInvitation
from annotation.workflow.lifecycle import projects

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


class People:
    """A database with projects, and people who join them."""

    def __init__(self, db: database.Database, folder: Path) -> None:
        self.db = db
        self.folder = folder

    def load(self, name: str, more: str = "") -> None:
        """Load a project of three items; its consent is the text of consent.md."""
        (self.folder / f"{name}.csv").write_text(
            "id,hint,gold\n" + "".join(f"{name}-{n},підказка {n},собака\n" for n in (1, 2, 3)), "utf-8"
        )
        file = self.folder / f"{name}.yaml"
        consent = self.folder / "consent.md"
        if not consent.exists():
            consent.write_text("Я згоден.", "utf-8")
        file.write_text(PROJECT.format(name=name, more=more), "utf-8")
        with self.db.transaction() as session:
            projects.load_project_file(session, file, now=NOW, confirmed=True)
            if "consent:" in more:
                queries.get_project(session, name).texts = self.keep(session, consent.read_text("utf-8"))

    def enrol(self, name: str, more: str, *members: str) -> None:
        """Store a programme of projects that are loaded."""
        with self.db.transaction() as session:
            definition = programmes.ProgrammeFile.model_validate(
                {"programme": name, "title": name, "language": "uk", "projects": [{"file": "x"}]}
                | yaml_document.parse_yaml(more, file=Path("p.yaml")).data
            )
            made = Programme(
                name=name,
                title=name,
                language="uk",
                definition=definition.model_dump(mode="json"),
                definition_sha256=stimulus.compute_text_digest(definition.model_dump_json()),
                source="",
                texts=self.keep(session, "Ми згодні."),
                created_at=NOW,
            )
            session.add(made)
            session.flush()
            for place, member in enumerate(members):
                project = queries.get_project(session, member)
                session.add(ProgrammeProject(programme_id=made.id or 0, project_id=project.id or 0, position=place))

    def waits(self, number: int, name: str, *, now: datetime = NOW) -> UnassignedReason | None:
        """What keeps a person from a project."""
        with self.db.transaction() as session:
            person = self.joined(session, number)
            project = queries.get_project(session, name)
            found = access.find_obstacle(
                session,
                annotator=person,
                terms=self.terms_of(session, name),
                participation=session.get(Participation, (person.id, project.id)),
                now=now,
            )
            return None if found is None else found.reason

    @staticmethod
    def keep(session: Session, text: str) -> dict[str, str]:
        """Keep a consent; what a project or programme knows of it."""
        sha256 = stimulus.compute_text_digest(text)
        if session.get(TextVersion, (sha256, TextKind.CONSENT)) is None:
            session.add(TextVersion(sha256=sha256, kind=TextKind.CONSENT, text=text, since=NOW))
            session.flush()
        return {"consent": sha256}

    @staticmethod
    def joined(session: Session, number: int) -> Annotator:
        """The person with this Telegram id."""
        return registration.register_telegram_annotator(session, telegram_id=number, language="uk", key=KEY, now=NOW)

    @staticmethod
    def terms_of(session: Session, name: str) -> definitions.Terms:
        """The terms of a project."""
        project = queries.get_project(session, name)
        return definitions.get_terms(
            session, project=project, definition=project_files.parse_definition(project.definition)
        )

    def agreed(self, session: Session, number: int, name: str) -> Consent:
        """The person agrees to what is asked."""
        asked = consents.get_consent_request(
            session, annotator_id=self.joined(session, number).id or 0, terms=self.terms_of(session, name)
        )
        assert asked is not None
        return consents.give_consent(
            session,
            annotator_id=self.joined(session, number).id or 0,
            terms=self.terms_of(session, name),
            sha256=asked.required.sha256,
            now=NOW,
        )

    def told(self, session: Session, number: int, name: str, **values: str | None) -> None:
        """The annotator fills in the profile."""
        for field in self.terms_of(session, name).fields:
            if field.name in values:
                person = self.joined(session, number).id or 0
                registration.save_profile_answer(
                    session, annotator_id=person, field=field, value=values[field.name], now=NOW
                )

    def controls(self, session: Session, number: int, name: str, *answers: str) -> None:
        """The person answers so many control items of a project; «собака» is right."""
        project = queries.get_project(session, name)
        items = session.exec(select(Item).where(Item.project_id == project.id).order_by(col(Item.rank))).all()
        for item, answer in zip(items, answers, strict=False):
            made = Assignment(
                project_id=project.id or 0,
                item_id=item.id or 0,
                annotator_id=self.joined(session, number).id or 0,
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

    def redeem(self, number: int, code: str, *, now: datetime = NOW) -> RedeemedInvitation | InvitationRefusal:
        """The person sends a code."""
        with self.db.transaction() as session:
            return invitations.redeem_invitation(
                session, annotator_id=self.joined(session, number).id or 0, code=code, now=now
            )

    def invited(self, name: str, code: str = "code", **more: object) -> None:
        """An invitation to a project or programme."""
        with self.db.transaction() as session:
            target = invitations.get_target(session, name)
            invitations.create_invitation(session, target=target, code=code, now=NOW, **more)  # type: ignore[arg-type]

    @staticmethod
    def assigned(
        session: Session, person: int, item: str, *, answer: str | None = None, exclusion: Exclusion | None = None
    ) -> Assignment:
        """Assign an item to a person, with one of its places; answer it where `answer` is given."""
        found = session.exec(select(Item).where(Item.external_id == item)).one()
        made = Assignment(
            project_id=found.project_id,
            item_id=found.id or 0,
            annotator_id=person,
            surface=Surface.TELEGRAM,
            status=AssignmentStatus.LIVE if answer is None else AssignmentStatus.DONE,
            holds_place=True,
            assigned_at=NOW,
        )
        found.n_live, found.n_done = found.n_live + 1, found.n_done + int(answer is not None)
        session.add_all([made, found])
        session.flush()
        if answer is not None:
            judgement = Judgement(
                assignment_id=made.id or 0,
                response=answer,
                response_raw=answer,
                answered_at=NOW,
                **table_base.list_exclusion_values(exclusion),
            )
            session.add(judgement)
            session.flush()
        return made

    @staticmethod
    def places(session: Session) -> list[tuple[str, int, int, int]]:
        """The places of every item: free, taken, filled."""
        session.expire_all()
        found = session.exec(select(Item).order_by(col(Item.id))).all()
        return [(item.external_id, item.free, item.n_live, item.n_done) for item in found]

    @staticmethod
    def ready(session: Session, name: str) -> Project:
        """A project whose items have no free places left, so that what comes back is seen."""
        session.connection().execute(sa.update(Item).values(free=0, held=0))
        return queries.get_project(session, name)


@pytest.fixture
def people(db: database.Database, tmp_path: Path) -> People:
    """An empty database, and what is needed to fill it."""
    return People(db, tmp_path)
