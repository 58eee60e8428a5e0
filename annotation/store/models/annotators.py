"""People: who they are to us, what they agreed to, said, asked and were paid, and how they stand in a project."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field

from annotation.store.models.base import Moment, Row, stored
from annotation.vocabulary import ParticipationStatus, Stage


class Annotator(Row, table=True):
    """A person, known outside the database only by a keyed pseudonym; imported people have no Telegram id.

    `insider` marks authors of the campaign and their colleagues. Since `unreachable_at` she cannot be written to: she
    has blocked the bot, or her account is gone. `forgotten_at` is a tombstone: nothing of the person is left but the
    pseudonym of a stranger.
    """

    id: int | None = Field(default=None, primary_key=True)
    pseudonym: str = Field(unique=True, max_length=64)
    telegram_id: int | None = Field(default=None, unique=True, sa_type=sa.BigInteger)
    language: str | None = Field(default=None, max_length=8)
    simulated: bool = False
    insider: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    time_zone: str | None = Field(default=None, max_length=64)
    suspended_at: datetime | None = Field(default=None, sa_type=Moment)
    suspended_reason: str | None = None
    unreachable_at: datetime | None = Field(default=None, sa_type=Moment)
    forgotten_at: datetime | None = Field(default=None, sa_type=Moment)
    created_at: datetime = Field(sa_type=Moment)


class Participation(Row, table=True):
    """How one person stands in one project: her stage, her counts, and why she may not go on.

    `shown` counts the items she was given (the next one's `position`), `answered` those of the main stage for caps;
    `on_page` counts those of her open page, `uncontrolled` the places of control items that went to others because she
    had met all of them. `attempt` is that of the training or the qualification, from 1.
    """

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    programme_id: int | None = Field(default=None, foreign_key="programme.id")
    invitation_id: int | None = Field(default=None, foreign_key="invitation.id")
    stage: Stage = Field(sa_type=stored(Stage, "stage"))
    status: ParticipationStatus = Field(
        default=ParticipationStatus.ACTIVE, sa_type=stored(ParticipationStatus, "status")
    )
    reason: str | None = None
    since: datetime = Field(sa_type=Moment)
    joined_at: datetime = Field(sa_type=Moment)
    warned_at: datetime | None = Field(default=None, sa_type=Moment)
    warning_sha256: str | None = Field(default=None, max_length=64)
    attempt: int = 1
    retry_at: datetime | None = Field(default=None, sa_type=Moment)
    qualified_at: datetime | None = Field(default=None, sa_type=Moment)
    shown: int = 0
    answered: int = 0
    page: int = 0
    on_page: int = 0
    uncontrolled: int = 0
    day: str | None = Field(default=None, max_length=10)
    answered_today: int = 0
    sitting: int = 0
    sitting_since: datetime | None = Field(default=None, sa_type=Moment)
    last_at: datetime | None = Field(default=None, sa_type=Moment)


class Invitation(Row, table=True):
    """A code that lets people into a project or a programme; `uses` is how many, None for any number."""

    __table_args__ = (
        sa.CheckConstraint("(project_id IS NULL) <> (programme_id IS NULL)", name="one_door"),
        sa.CheckConstraint("used >= 0 AND (uses IS NULL OR used <= uses)", name="uses"),
    )

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True, max_length=64)
    project_id: int | None = Field(default=None, foreign_key="project.id")
    programme_id: int | None = Field(default=None, foreign_key="programme.id")
    cohort: str | None = Field(default=None, max_length=64)
    uses: int | None = None
    used: int = 0
    expires_at: datetime | None = Field(default=None, sa_type=Moment)
    created_at: datetime = Field(sa_type=Moment)


class Cohort(Row, table=True):
    """A person's membership in a named group of people."""

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    name: str = Field(primary_key=True, max_length=64)


class Consent(Row, table=True):
    """That a person agreed to a version of a text; `scope` is "project NAME" or "programme NAME"."""

    __table_args__ = (sa.UniqueConstraint("annotator_id", "scope", "version", "sha256", name="uq_consent_once"),)

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id")
    scope: str = Field(max_length=80)
    version: str
    sha256: str = Field(max_length=64)
    at: datetime = Field(sa_type=Moment)
    withdrawn_at: datetime | None = Field(default=None, sa_type=Moment)


class ProfileAnswer(Row, table=True):
    """What a person says of herself; an empty value is "I would rather not say"."""

    __tablename__ = "profile_answer"

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    field: str = Field(primary_key=True, max_length=64)
    value: str
    at: datetime = Field(sa_type=Moment)


class Message(Row, table=True):
    """A question to the organisers, and their answer; `delivered_at` is when the person had it."""

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", index=True)
    project_id: int | None = Field(default=None, foreign_key="project.id")
    assignment_id: int | None = Field(default=None, foreign_key="assignment.id")
    text: str
    at: datetime = Field(sa_type=Moment)
    answer: str | None = None
    answered_at: datetime | None = Field(default=None, sa_type=Moment)
    delivered_at: datetime | None = Field(default=None, sa_type=Moment)


class Attestation(Row, table=True):
    """What a person said at a sitting's end about tools that helped her."""

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    sitting: int = Field(primary_key=True)
    used: str
    at: datetime = Field(sa_type=Moment)


class Payment(Row, table=True):
    """What a person was paid, in hundredths of the currency (ISO 4217)."""

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", index=True)
    project_id: int = Field(foreign_key="project.id")
    hundredths: int
    currency: str = Field(max_length=3)
    note: str = ""
    at: datetime = Field(sa_type=Moment)
