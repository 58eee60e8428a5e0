"""Projects, items, annotators, assignments, judgements, journal."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("instructions", sa.String(), nullable=False),
        sa.Column("instructions_sha256", sa.String(64), nullable=False),
        sa.Column("definition", sa.JSON(), nullable=False),
        sa.Column("definition_sha256", sa.String(64), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("overlap", sa.Integer()),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_project"),
        sa.UniqueConstraint("name", name="uq_project_name"),
    )
    op.create_table(
        "item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("external_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.String(), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("options", sa.JSON()),
        sa.Column("stimulus", sa.String(), nullable=False),
        sa.Column("stimulus_sha256", sa.String(64), nullable=False),
        sa.Column("gold", sa.String()),
        sa.Column("gold_origin", sa.String(32)),
        sa.Column("gold_version", sa.String(64)),
        sa.Column("n_live", sa.Integer(), nullable=False),
        sa.Column("n_done", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_item"),
        sa.UniqueConstraint("project_id", "external_id", name="uq_item_project_id_external_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_item_project_id"),
        sa.CheckConstraint("n_done >= 0 AND n_done <= n_live", name=op.f("ck_item_counts")),
        sa.CheckConstraint("stage IN ('pilot', 'training', 'qualification', 'main')", name=op.f("ck_item_stage")),
    )
    op.create_index("ix_item_next", "item", ["project_id", "n_done", "n_live", "rank"])
    op.create_index("ix_item_group_id", "item", ["group_id"])
    op.create_table(
        "annotator",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pseudonym", sa.String(64), nullable=False),
        sa.Column("telegram_id", sa.BigInteger()),
        sa.Column("language", sa.String(8)),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_annotator"),
        sa.UniqueConstraint("pseudonym", name="uq_annotator_pseudonym"),
        sa.UniqueConstraint("telegram_id", name="uq_annotator_telegram_id"),
    )
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("item_revision", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("occasion", sa.Integer(), nullable=False),
        sa.Column("surface", sa.String(32), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("is_control", sa.Boolean(), nullable=False),
        sa.Column("is_repeat", sa.Boolean(), nullable=False),
        sa.Column("position", sa.Integer()),
        sa.Column("option_order", sa.JSON()),
        sa.Column("instructions_sha256", sa.String(64)),
        sa.Column("stimulus_sha256", sa.String(64)),
        sa.Column("assigned_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_assignment"),
        sa.UniqueConstraint("item_id", "annotator_id", "occasion", name="uq_assignment_item_annotator_occasion"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_assignment_item_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_assignment_annotator_id"),
        sa.CheckConstraint("surface IN ('telegram', 'import')", name=op.f("ck_assignment_surface")),
        sa.CheckConstraint("status IN ('live', 'done')", name=op.f("ck_assignment_status")),
        sa.CheckConstraint("stage IN ('pilot', 'training', 'qualification', 'main')", name=op.f("ck_assignment_stage")),
    )
    op.create_index("ix_assignment_annotator_id", "assignment", ["annotator_id"])
    live = sa.text("status = 'live' AND surface = 'telegram'")
    op.create_index(
        "uq_assignment_one_live_in_telegram",
        "assignment",
        ["annotator_id"],
        unique=True,
        sqlite_where=live,
        postgresql_where=live,
    )
    op.create_table(
        "judgement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("response", sa.String(), nullable=False),
        sa.Column("response_raw", sa.String(), nullable=False),
        sa.Column("seconds", sa.Float()),
        sa.Column("answered_at", sa.DateTime(timezone=True)),
        sa.Column("excluded_reason", sa.String()),
        sa.PrimaryKeyConstraint("id", name="pk_judgement"),
        sa.UniqueConstraint("assignment_id", "revision", name="uq_judgement_assignment_revision"),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name="fk_judgement_assignment_id"),
    )
    op.create_table(
        "journal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("event", sa.String(32), nullable=False),
        sa.Column("project_id", sa.Integer()),
        sa.Column("annotator_id", sa.Integer()),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_journal"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_journal_project_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_journal_annotator_id"),
    )


def downgrade() -> None:
    """Go back."""
    for table in ("journal", "judgement", "assignment", "annotator", "item", "project"):
        op.drop_table(table)
