"""What the bot writes first: wishes of annotators, announcements, what organisers were told, exports to make."""

import sqlalchemy as sa
from alembic import op

from annotation.store.migrations.initial_tables import MOMENT, build_partial_index

TABLES = (
    *("notice_wish", "announcement", "announcement_recipient"),
    *("organiser_notice", "export_request", "incident", "heartbeat"),
)


def create_tables() -> None:
    """Create the tables with their constraints and indexes."""
    op.create_table(
        "notice_wish",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("reminders", sa.Boolean(), nullable=False),
        sa.Column("news", sa.Boolean(), nullable=False),
        sa.Column("saw_none", sa.Boolean(), nullable=False),
        sa.Column("due_at", MOMENT),
        sa.Column("reminded_at", MOMENT),
        sa.Column("rest_until", MOMENT),
        sa.Column("promised_at", MOMENT),
        sa.Column("ignored", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_notice_wish_annotator_id")),
        sa.PrimaryKeyConstraint("annotator_id", name=op.f("pk_notice_wish")),
    )
    op.create_index("ix_notice_wish_due_at", "notice_wish", ["due_at"], **build_partial_index("due_at IS NOT NULL"))
    op.create_table(
        "announcement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer()),
        sa.Column("project_id", sa.Integer()),
        sa.Column("programme_id", sa.Integer()),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("sent_at", MOMENT),
        sa.ForeignKeyConstraint(["author_id"], ["annotator.id"], name=op.f("fk_announcement_author_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_announcement_project_id")),
        sa.ForeignKeyConstraint(["programme_id"], ["programme.id"], name=op.f("fk_announcement_programme_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_announcement")),
    )
    op.create_table(
        "announcement_recipient",
        sa.Column("announcement_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("queued_at", MOMENT),
        sa.ForeignKeyConstraint(
            ["announcement_id"], ["announcement.id"], name=op.f("fk_announcement_recipient_announcement_id")
        ),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotator.id"], name=op.f("fk_announcement_recipient_annotator_id")
        ),
        sa.PrimaryKeyConstraint("announcement_id", "annotator_id", name=op.f("pk_announcement_recipient")),
    )
    op.create_index(
        "ix_announcement_recipient_waiting",
        "announcement_recipient",
        ["announcement_id", "annotator_id"],
        **build_partial_index("queued_at IS NULL"),
    )
    op.create_table(
        "organiser_notice",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(96), nullable=False),
        sa.Column("notice", sa.String(32), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_organiser_notice_annotator_id")),
        sa.PrimaryKeyConstraint("annotator_id", "key", name=op.f("pk_organiser_notice")),
    )
    op.create_table(
        "export_request",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("requested_at", MOMENT, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_export_request_project_id")),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_export_request_annotator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_export_request")),
    )
    op.create_table(
        "incident",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("until", MOMENT),
        sa.Column("doublings", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_incident")),
    )
    op.create_table(
        "heartbeat",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_heartbeat")),
    )
