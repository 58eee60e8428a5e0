"""Reviews of answers, adjudicators, gold reviews, adjudications."""

import sqlalchemy as sa
from alembic import op

from annotation.store.migrations.initial_tables import MOMENT, build_enum_type, build_partial_index

TABLES = ("submission_review", "adjudicator", "gold_review", "adjudication_case", "adjudication")


def create_tables() -> None:
    """Create the tables with their constraints and indexes."""
    op.create_table(
        "submission_review",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("decision", *build_enum_type("decision", "accepted", "rejected", "undone"), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("gold_shown", sa.Boolean(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("told_at", MOMENT),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_submission_review_annotator_id")),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_submission_review_assignment_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission_review")),
        sa.UniqueConstraint("assignment_id", "number", name="uq_submission_review_number"),
    )
    op.create_index(op.f("ix_submission_review_annotator_id"), "submission_review", ["annotator_id"])
    op.create_index(
        "ix_submission_review_untold",
        "submission_review",
        ["id"],
        **build_partial_index("told_at IS NULL AND decision <> 'accepted'"),
    )
    op.create_table(
        "adjudicator",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("invitation_id", sa.Integer(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_adjudicator_annotator_id")),
        sa.ForeignKeyConstraint(["invitation_id"], ["invitation.id"], name=op.f("fk_adjudicator_invitation_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_adjudicator_project_id")),
        sa.PrimaryKeyConstraint("annotator_id", "project_id", name=op.f("pk_adjudicator")),
    )
    op.create_table(
        "gold_review",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(64), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("strata", sa.JSON(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_gold_review_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_review")),
        sa.UniqueConstraint("project_id", "question", name="uq_gold_review_question"),
    )
    op.create_table(
        "adjudication_case",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(64), nullable=False),
        sa.Column("gold_review_id", sa.Integer()),
        sa.Column("stratum", sa.String(32)),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("candidates", sa.JSON(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["gold_review_id"], ["gold_review.id"], name=op.f("fk_adjudication_case_gold_review_id")
        ),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_adjudication_case_item_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_adjudication_case")),
        sa.UniqueConstraint("item_id", "question", name="uq_adjudication_case_question"),
    )
    op.create_table(
        "adjudication",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("item_revision", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer()),
        sa.Column("decision", *build_enum_type("decision", "label", "broken", "undone"), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("comment", sa.String(), nullable=False),
        sa.Column("gold_version", sa.String(64)),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_adjudication_annotator_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_adjudication_item_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_adjudication")),
        sa.UniqueConstraint("item_id", "question", "number", name="uq_adjudication_number"),
    )
    op.create_index(op.f("ix_adjudication_annotator_id"), "adjudication", ["annotator_id"])
