"""Label Studio: accounts, batches, tasks, annotations that were set aside."""

import sqlalchemy as sa
from alembic import op

from annotation.store.migrations.initial_tables import MOMENT, build_enum_type

TABLES = (
    "label_studio_account",
    "label_studio_batch",
    "label_studio_task",
    "label_studio_review_task",
    "label_studio_set_aside",
)


def create_tables() -> None:
    """Create the tables with their constraints and indexes."""
    op.create_table(
        "label_studio_account",
        sa.Column("server", sa.String(16), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_label_studio_account_annotator_id")),
        sa.PrimaryKeyConstraint("server", "user_id", name=op.f("pk_label_studio_account")),
    )
    op.create_index(op.f("ix_label_studio_account_annotator_id"), "label_studio_account", ["annotator_id"])
    op.create_table(
        "label_studio_batch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer()),
        sa.Column(
            "work",
            *build_enum_type("work", "answers", "adjudication", "gold review", "review", "adopted"),
            nullable=False,
        ),
        sa.Column("question", sa.String(64), nullable=False),
        sa.Column("second", sa.Boolean(), nullable=False),
        sa.Column("server", sa.String(16), nullable=False),
        sa.Column("mark", sa.String(32), nullable=False),
        sa.Column("remote_id", sa.Integer()),
        sa.Column("config_sha256", sa.String(64)),
        sa.Column("watermark", MOMENT),
        sa.Column("holder", sa.String(64)),
        sa.Column("held_until", MOMENT),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_label_studio_batch_annotator_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_label_studio_batch_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label_studio_batch")),
        sa.UniqueConstraint("mark", name="uq_label_studio_batch_mark"),
        sa.UniqueConstraint(
            "project_id", "annotator_id", "work", "question", "second", "server", name="uq_label_studio_batch_owner"
        ),
    )
    op.create_index(op.f("ix_label_studio_batch_annotator_id"), "label_studio_batch", ["annotator_id"])
    op.create_table(
        "label_studio_task",
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("batch_id", sa.Integer(), nullable=False),
        sa.Column("remote_id", sa.Integer()),
        sa.Column("sent_at", MOMENT),
        sa.Column("seen", sa.String(64)),
        sa.Column("seen_at", MOMENT),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_label_studio_task_assignment_id")),
        sa.ForeignKeyConstraint(["batch_id"], ["label_studio_batch.id"], name=op.f("fk_label_studio_task_batch_id")),
        sa.PrimaryKeyConstraint("assignment_id", name=op.f("pk_label_studio_task")),
    )
    op.create_index("ix_label_studio_task_batch_id_remote_id", "label_studio_task", ["batch_id", "remote_id"])
    op.create_table(
        "label_studio_review_task",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("batch_id", sa.Integer(), nullable=False),
        sa.Column("case_id", sa.Integer()),
        sa.Column("assignment_id", sa.Integer()),
        sa.Column("revision", sa.Integer()),
        sa.Column("content_sha256", sa.String(64)),
        sa.Column("candidates", sa.JSON()),
        sa.Column("decision_number", sa.Integer()),
        sa.Column("remote_id", sa.Integer()),
        sa.Column("sent_at", MOMENT),
        sa.Column("seen", sa.String(64)),
        sa.Column("seen_at", MOMENT),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_label_studio_review_task_assignment_id")
        ),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["label_studio_batch.id"], name=op.f("fk_label_studio_review_task_batch_id")
        ),
        sa.ForeignKeyConstraint(
            ["case_id"], ["adjudication_case.id"], name=op.f("fk_label_studio_review_task_case_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label_studio_review_task")),
        sa.UniqueConstraint("batch_id", "case_id", name="uq_label_studio_review_task_case"),
        sa.UniqueConstraint("batch_id", "assignment_id", name="uq_label_studio_review_task_assignment"),
    )
    op.create_index(
        "ix_label_studio_review_task_batch_id_remote_id", "label_studio_review_task", ["batch_id", "remote_id"]
    )
    op.create_table(
        "label_studio_set_aside",
        sa.Column("batch_id", sa.Integer(), nullable=False),
        sa.Column("annotation_id", sa.Integer(), nullable=False),
        sa.Column("remote_task_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer()),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["label_studio_batch.id"], name=op.f("fk_label_studio_set_aside_batch_id")
        ),
        sa.PrimaryKeyConstraint("batch_id", "annotation_id", name=op.f("pk_label_studio_set_aside")),
    )
