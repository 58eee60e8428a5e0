"""The tables about annotators: identity, participation in projects, invitations, consents, profiles, messages, pay."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel, col

from annotation.store.table_base import FindingText, PlainRow, UtcDateTime, build_enum_check, build_enum_type
from annotation.vocabulary import ParticipationStatus, Requirement, Stage


class AnnotatorRow(PlainRow):
    """An annotator, known outside the database only by a pseudonym made with a secret key (`store/pseudonyms.py`).

    `telegram_id` is None for annotators of imported votes and for erased annotators, and the random id of an account,
    from FIRST_PAGE_ID on, for those who answer on the answer page without Telegram. `bot_id` is the bot that they
    started first, which writes to them; None until they have started one. `language` is the language in
    which the bot speaks to the annotator, `time_zone` the name of their time zone (IANA). `simulated` marks scripted
    annotators of a simulation, `insider` members of the campaign's team. While `suspended_at` is set the annotator gets
    no items, for the reason in `suspended_reason`. `unreachable_at` is when the annotator blocked the bot or deleted
    their account; always set for somebody without Telegram. `forgotten_at` is when the annotator was erased: only a
    random pseudonym and counts are left. `detached` says that all that tells who they are was deleted: their answers
    stay, under a random pseudonym, and no time of the deletion, which marks have, leads from a mark to them.
    """

    id: int | None = Field(default=None, primary_key=True)
    pseudonym: str = Field(unique=True, max_length=64)
    telegram_id: int | None = Field(default=None, unique=True, sa_type=sa.BigInteger)
    bot_id: int | None = Field(default=None, sa_type=sa.BigInteger)
    language: str | None = Field(default=None, max_length=8)
    simulated: bool = False
    insider: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    time_zone: str | None = Field(default=None, max_length=64)
    suspended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    suspended_reason: str | None = Field(default=None, sa_type=FindingText)
    unreachable_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    forgotten_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    detached: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    created_at: datetime = Field(sa_type=UtcDateTime)

    @property
    def is_gone(self) -> bool:
        """Whether the annotator is erased or detached: nobody can be found behind the row."""
        return self.forgotten_at is not None or self.detached


class Annotator(AnnotatorRow, table=True):
    """The table of annotators."""

    model_config = {"frozen": False}


IS_KNOWN: sa.ColumnElement[bool] = sa.and_(col(Annotator.forgotten_at).is_(None), ~col(Annotator.detached))
"""The condition that an annotator is neither erased nor detached."""


class ErasedAnnotator(SQLModel, table=True):
    """That an annotator was erased or detached: a mark that holds no identity, and what must hold if they return.

    `mark` is made from the pseudonym that was taken from them (`store/pseudonyms.py`), `erased_at` is when that was
    last, `standing` what held then: whether they were suspended, and projects that they may not work in; also, whether
    they were detached, whose answers a restored backup keeps.
    """

    __tablename__ = "erased_annotator"

    mark: str = Field(primary_key=True, max_length=64)
    erased_at: datetime = Field(sa_type=UtcDateTime)
    standing: dict[str, Any] = Field(sa_type=sa.JSON)


class ParticipationRow(PlainRow):
    """An annotator's status, stage and counters in one project.

    `programme_id` and `invitation_id` tell through which programme and invitation the annotator joined. `stage` is the
    stage in which the annotator works now, `status` whether they may work, `reason` the reason for the status where
    there is one; `since` is when status or stage last changed. `warned_at` is when the annotator accepted the content
    warning, `warning_sha256` the hash of the warning they accepted.

    `declined` is what the annotator declined and has not agreed to since: a consent with its scope (`declined_scope`)
    and the hash of its text (`declined_version`), profile fields by their names (`declined_version`), or a content
    warning by its hash. While the participation is active, `reason` says the same in words.

    `attempt` is the number of the attempt at the current training or qualification, from 1; after a failed attempt the
    next one begins at `retry_at` at the earliest. `qualified_at` is when the qualification was passed.

    `shown` counts the items that were assigned so far; the next item gets the `position` `shown` + 1. `answered` counts
    the answers of the main stage, to compare with caps. `page` is the number of the current page, from 1, and 0 before
    the first; `on_page` is how many items were assigned on it. `missed_controls` counts the positions at which a
    control item was due and another item was assigned, because the annotator had seen all control items.

    `day` is the annotator's local date of the latest counted answer (YYYY-MM-DD), `answered_today` the number of
    answers on that date. `work_session` is the number of the latest work session, from 1, and 0 before the first;
    `work_session_since` is when it began. `last_at` is the time of the annotator's last action. `halfway_told` says
    that they were told that half of their items are done. `panel` is the panel of the project to which their answers
    belong, from the first item on. `journey` is how far they were in the programme at the last item of this project, as
    JSON (`workflow/assignments/journey.py`); None outside programmes.
    """

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    programme_id: int | None = Field(default=None, foreign_key="programme.id")
    invitation_id: int | None = Field(default=None, foreign_key="invitation.id")
    stage: Stage = Field(sa_type=build_enum_type(Stage), sa_column_args=[build_enum_check(Stage, "stage")])
    status: ParticipationStatus = Field(
        default=ParticipationStatus.ACTIVE,
        sa_type=build_enum_type(ParticipationStatus),
        sa_column_args=[build_enum_check(ParticipationStatus, "status")],
    )
    reason: str | None = Field(default=None, sa_type=FindingText)
    declined: Requirement | None = Field(
        default=None, sa_type=build_enum_type(Requirement), sa_column_args=[build_enum_check(Requirement, "declined")]
    )
    declined_scope: str | None = None
    declined_version: str | None = None
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
    halfway_told: bool = False
    panel: str | None = Field(default=None, max_length=64)
    journey: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))


class Participation(ParticipationRow, table=True):
    """The table of participations."""

    model_config = {"frozen": False}


class Invitation(SQLModel, table=True):
    """A code that admits annotators to a project or to a programme, and adds them to a cohort where it names one.

    With `adjudicates` it makes them adjudicators instead (`reviews.Adjudicator`). `used` counts the annotators who
    used the code, at most `max_uses`; None means any number. `invited_by` is the annotator who gives the code
    to friends; such an invitation does not make its project one by invitation only.
    """

    __table_args__ = (
        sa.CheckConstraint("(project_id IS NULL) <> (programme_id IS NULL)", name="one_target"),
        sa.CheckConstraint("used >= 0 AND (max_uses IS NULL OR used <= max_uses)", name="uses"),
    )

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True, max_length=64)
    project_id: int | None = Field(default=None, foreign_key="project.id")
    programme_id: int | None = Field(default=None, foreign_key="programme.id")
    cohort: str | None = Field(default=None, max_length=64)
    adjudicates: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    invited_by: int | None = Field(default=None, foreign_key="annotator.id")
    max_uses: int | None = None
    used: int = 0
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


class Cohort(SQLModel, table=True):
    """An annotator's membership in a cohort: a named set of annotators that organisers define; `name` is its name."""

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    name: str = Field(primary_key=True, max_length=64)


class Consent(SQLModel, table=True):
    """An annotator's consent to one version of a consent text.

    `scope` is "project NAME" or "programme NAME": what the annotator agreed to take part in. `version` is the version
    that the project or programme file states, `sha256` the hash of the text.
    """

    __table_args__ = (sa.UniqueConstraint("annotator_id", "scope", "version", "sha256", name="uq_consent_once"),)

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id")
    scope: str = Field(max_length=80)
    version: str
    sha256: str = Field(max_length=64)
    at: datetime = Field(sa_type=UtcDateTime)
    withdrawn_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class ProfileAnswer(SQLModel, table=True):
    """One answer of an annotator about themselves.

    `field` is the name of the question in the profile section of the project file. An empty `value` means that the
    annotator prefers not to say.
    """

    __tablename__ = "profile_answer"

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    field: str = Field(primary_key=True, max_length=64)
    value: str
    at: datetime = Field(sa_type=UtcDateTime)


class SupportMessage(SQLModel, table=True):
    """An annotator's question to the organisers (`text`) and the organisers' answer.

    `assignment_id` is the assignment that the question is about, if there is one. `delivered_at` is when the
    answer reached the annotator's chat.
    """

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


class Attestation(SQLModel, table=True):
    """What an annotator declared after a work session about the tools that they used.

    `work_session` is the number of the session in the project, `used` the chosen option of the project file.
    """

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    work_session: int = Field(primary_key=True)
    used: str
    at: datetime = Field(sa_type=UtcDateTime)


class Payment(SQLModel, table=True):
    """A payment to an annotator for a project: an amount in hundredths of the unit of `currency` (an ISO 4217 code)."""

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", index=True)
    project_id: int = Field(foreign_key="project.id")
    hundredths: int
    currency: str = Field(max_length=3)
    note: str = ""
    at: datetime = Field(sa_type=UtcDateTime)
