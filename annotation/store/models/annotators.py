"""Annotators: identity, participation in projects, invitations, consents, profiles, messages and payments."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field

from annotation.store.models.table_model import TableModel, UtcDateTime, build_enum_type
from annotation.vocabulary import ParticipationStatus, Stage


class Annotator(TableModel, table=True):
    """An annotator, known outside the database only by a keyed pseudonym; imported annotators have no Telegram id.

    `insider` marks members of the campaign's team. `unreachable_at` is set once they blocked the bot or deleted their
    account. `forgotten_at` marks an erased annotator: only a random pseudonym and counts are left.
    """

    id: int | None = Field(default=None, primary_key=True)
    pseudonym: str = Field(unique=True, max_length=64)
    telegram_id: int | None = Field(default=None, unique=True, sa_type=sa.BigInteger)
    language: str | None = Field(default=None, max_length=8)
    simulated: bool = False
    insider: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    time_zone: str | None = Field(default=None, max_length=64)
    suspended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    suspended_reason: str | None = None
    unreachable_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    forgotten_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


class Participation(TableModel, table=True):
    """An annotator's status, stage and counters in one project.

    `shown` counts the items assigned so far (the next one gets this `position`), `answered` the answers of the main
    stage for caps, `on_page` the items of the open page. `missed_controls` counts control positions that were given to
    other items because the annotator had seen all control items. `attempt` is the attempt at training or qualification,
    from 1. `work_session` numbers their sessions from 1; `since` is when `status` was set.
    """

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    programme_id: int | None = Field(default=None, foreign_key="programme.id")
    invitation_id: int | None = Field(default=None, foreign_key="invitation.id")
    stage: Stage = Field(sa_type=build_enum_type(Stage, "stage"))
    status: ParticipationStatus = Field(
        default=ParticipationStatus.ACTIVE, sa_type=build_enum_type(ParticipationStatus, "status")
    )
    reason: str | None = None
    since: datetime = Field(sa_type=UtcDateTime)
    joined_at: datetime = Field(sa_type=UtcDateTime)
    warned_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    warning_sha256: str | None = Field(default=None, max_length=64)
    attempt: int = 1
    retry_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    qualified_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    shown: int = 0
    answered: int = 0
    page: int = 0
    on_page: int = 0
    missed_controls: int = 0
    day: str | None = Field(default=None, max_length=10)
    answered_today: int = 0
    work_session: int = 0
    work_session_since: datetime | None = Field(default=None, sa_type=UtcDateTime)
    last_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class Invitation(TableModel, table=True):
    """A code that admits annotators to a project or a programme; `max_uses` None admits any number."""

    __table_args__ = (
        sa.CheckConstraint("(project_id IS NULL) <> (programme_id IS NULL)", name="one_target"),
        sa.CheckConstraint("used >= 0 AND (max_uses IS NULL OR used <= max_uses)", name="uses"),
    )

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True, max_length=64)
    project_id: int | None = Field(default=None, foreign_key="project.id")
    programme_id: int | None = Field(default=None, foreign_key="programme.id")
    cohort: str | None = Field(default=None, max_length=64)
    max_uses: int | None = None
    used: int = 0
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


class Cohort(TableModel, table=True):
    """An annotator's membership in a named cohort."""

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    name: str = Field(primary_key=True, max_length=64)


class Consent(TableModel, table=True):
    """An annotator's consent to one version of a text; `scope` is "project NAME" or "programme NAME"."""

    __table_args__ = (sa.UniqueConstraint("annotator_id", "scope", "version", "sha256", name="uq_consent_once"),)

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id")
    scope: str = Field(max_length=80)
    version: str
    sha256: str = Field(max_length=64)
    at: datetime = Field(sa_type=UtcDateTime)
    withdrawn_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class ProfileAnswer(TableModel, table=True):
    """One answer of an annotator about themselves; an empty value means that they prefer not to say."""

    __tablename__ = "profile_answer"

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    field: str = Field(primary_key=True, max_length=64)
    value: str
    at: datetime = Field(sa_type=UtcDateTime)


class SupportMessage(TableModel, table=True):
    """An annotator's question to the organisers and the answer to it; `delivered_at` is when the answer arrived."""

    __tablename__ = "support_message"

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", index=True)
    project_id: int | None = Field(default=None, foreign_key="project.id")
    assignment_id: int | None = Field(default=None, foreign_key="assignment.id")
    text: str
    at: datetime = Field(sa_type=UtcDateTime)
    answer: str | None = None
    answered_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    delivered_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class Attestation(TableModel, table=True):
    """What an annotator declared at the end of a session about tools that they used."""

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    work_session: int = Field(primary_key=True)
    used: str
    at: datetime = Field(sa_type=UtcDateTime)


class Payment(TableModel, table=True):
    """An amount paid to an annotator, in hundredths of the currency (ISO 4217)."""

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", index=True)
    project_id: int = Field(foreign_key="project.id")
    hundredths: int
    currency: str = Field(max_length=3)
    note: str = ""
    at: datetime = Field(sa_type=UtcDateTime)
