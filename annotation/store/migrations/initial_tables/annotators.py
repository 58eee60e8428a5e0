"""Annotators, their participation, consents, profiles and payments, and the journal."""

import sqlalchemy as sa
from alembic import op

from annotation.store.migrations.initial_tables import MOMENT, build_enum_type

TABLES = (
    "annotator",
    "erased_annotator",
    "invitation",
    "participation",
    "cohort",
    "consent",
    "profile_answer",
    "payment",
    "attestation",
    "journal",
)


def create_tables() -> None:
    """Create the tables with their constraints and indexes."""
    op.create_table(
        "annotator",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pseudonym", sa.String(64), nullable=False),
        sa.Column("telegram_id", sa.BigInteger()),
        sa.Column("bot_id", sa.BigInteger()),
        sa.Column("language", sa.String(8)),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("insider", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("time_zone", sa.String(64)),
        sa.Column("suspended_at", MOMENT),
        sa.Column("suspended_reason", sa.String()),
        sa.Column("unreachable_at", MOMENT),
        sa.Column("forgotten_at", MOMENT),
        sa.Column("detached", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotator")),
        sa.UniqueConstraint("pseudonym", name=op.f("uq_annotator_pseudonym")),
        sa.UniqueConstraint("telegram_id", name=op.f("uq_annotator_telegram_id")),
    )
    op.create_table(
        "erased_annotator",
        sa.Column("mark", sa.String(64), nullable=False),
        sa.Column("erased_at", MOMENT, nullable=False),
        sa.Column("standing", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("mark", name=op.f("pk_erased_annotator")),
    )
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(64), nullable=False),
        sa.Column("project_id", sa.Integer()),
        sa.Column("programme_id", sa.Integer()),
        sa.Column("cohort", sa.String(64)),
        sa.Column("adjudicates", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("invited_by", sa.Integer()),
        sa.Column("max_uses", sa.Integer()),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("expires_at", MOMENT),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.CheckConstraint("(project_id IS NULL) <> (programme_id IS NULL)", name=op.f("ck_invitation_one_target")),
        sa.CheckConstraint("used >= 0 AND (max_uses IS NULL OR used <= max_uses)", name=op.f("ck_invitation_uses")),
        sa.ForeignKeyConstraint(["invited_by"], ["annotator.id"], name=op.f("fk_invitation_invited_by")),
        sa.ForeignKeyConstraint(["programme_id"], ["programme.id"], name=op.f("fk_invitation_programme_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_invitation_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("code", name=op.f("uq_invitation_code")),
    )
    op.create_table(
        "participation",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("programme_id", sa.Integer()),
        sa.Column("invitation_id", sa.Integer()),
        sa.Column("stage", *build_enum_type("stage", "pilot", "training", "qualification", "main"), nullable=False),
        sa.Column(
            "status", *build_enum_type("status", "active", "failed", "paused", "excluded", "withdrawn"), nullable=False
        ),
        sa.Column("reason", sa.String()),
        sa.Column("declined", *build_enum_type("declined", "consent", "profile", "warning")),
        sa.Column("declined_scope", sa.String()),
        sa.Column("declined_version", sa.String()),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("joined_at", MOMENT, nullable=False),
        sa.Column("warned_at", MOMENT),
        sa.Column("warning_sha256", sa.String(64)),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("retry_at", MOMENT),
        sa.Column("qualified_at", MOMENT),
        sa.Column("shown", sa.Integer(), nullable=False),
        sa.Column("answered", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("on_page", sa.Integer(), nullable=False),
        sa.Column("missed_controls", sa.Integer(), nullable=False),
        sa.Column("day", sa.String(10)),
        sa.Column("answered_today", sa.Integer(), nullable=False),
        sa.Column("work_session", sa.Integer(), nullable=False),
        sa.Column("work_session_since", MOMENT),
        sa.Column("last_at", MOMENT),
        sa.Column("halfway_told", sa.Boolean(), nullable=False),
        sa.Column("panel", sa.String(64)),
        sa.Column("journey", sa.JSON()),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_participation_annotator_id")),
        sa.ForeignKeyConstraint(["invitation_id"], ["invitation.id"], name=op.f("fk_participation_invitation_id")),
        sa.ForeignKeyConstraint(["programme_id"], ["programme.id"], name=op.f("fk_participation_programme_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_participation_project_id")),
        sa.PrimaryKeyConstraint("annotator_id", "project_id", name=op.f("pk_participation")),
    )
    op.create_table(
        "cohort",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_cohort_annotator_id")),
        sa.PrimaryKeyConstraint("annotator_id", "name", name=op.f("pk_cohort")),
    )
    op.create_table(
        "consent",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("scope", sa.String(80), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("withdrawn_at", MOMENT),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_consent_annotator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_consent")),
        sa.UniqueConstraint("annotator_id", "scope", "version", "sha256", name="uq_consent_once"),
    )
    op.create_table(
        "profile_answer",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("field", sa.String(64), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_profile_answer_annotator_id")),
        sa.PrimaryKeyConstraint("annotator_id", "field", name=op.f("pk_profile_answer")),
    )
    op.create_table(
        "payment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("hundredths", sa.Integer(), nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_payment_annotator_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_payment_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment")),
    )
    op.create_index(op.f("ix_payment_annotator_id"), "payment", ["annotator_id"])
    op.create_table(
        "attestation",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("work_session", sa.Integer(), nullable=False),
        sa.Column("used", sa.String(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_attestation_annotator_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_attestation_project_id")),
        sa.PrimaryKeyConstraint("annotator_id", "project_id", "work_session", name=op.f("pk_attestation")),
    )
    op.create_table(
        "journal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("event", sa.String(32), nullable=False),
        sa.Column("project_id", sa.Integer()),
        sa.Column("annotator_id", sa.Integer()),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_journal_annotator_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_journal_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_journal")),
    )
