"""Batches in Label Studio: their projects, tasks and accounts there, and annotations that were set aside."""

import sqlalchemy as sa
from alembic import op

from annotation.store.migrations import check_constraints

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
OLD, NEW = "'telegram', 'import'", "'telegram', 'import', 'label studio'"
UNDONE = (
    """DELETE FROM judgement WHERE assignment_id IN (SELECT id FROM assignment WHERE surface = 'label studio')""",
    """DELETE FROM report WHERE assignment_id IN (SELECT id FROM assignment WHERE surface = 'label studio')""",
    """UPDATE support_message SET assignment_id = NULL
    WHERE assignment_id IN (SELECT id FROM assignment WHERE surface = 'label studio')""",
    """UPDATE item SET n_done = n_done - (SELECT count(*) FROM assignment a
      WHERE a.item_id = item.id AND a.holds_place AND a.surface = 'label studio' AND a.status = 'done')""",
    """UPDATE item SET
      n_live = n_live - (SELECT count(*) FROM assignment a
        WHERE a.item_id = item.id AND a.holds_place AND a.surface = 'label studio'),
      free = free + CASE WHEN status = 'open' THEN (SELECT count(*) FROM assignment a
        WHERE a.item_id = item.id AND a.holds_place AND a.surface = 'label studio') ELSE 0 END,
      held = held + CASE WHEN status = 'open' THEN 0 ELSE (SELECT count(*) FROM assignment a
        WHERE a.item_id = item.id AND a.holds_place AND a.surface = 'label studio') END""",
)


def upgrade() -> None:
    """Go forward."""
    check_constraints.replace_values("assignment", "surface", old=OLD, new=NEW)
    op.create_table(
        "label_studio_batch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column(
            "project_id",
            sa.Integer(),
            sa.ForeignKey("project.id", name="fk_label_studio_batch_project_id"),
            nullable=False,
        ),
        _annotator_id("label_studio_batch"),
        sa.Column("second", sa.Boolean(), nullable=False),
        sa.Column("server", sa.String(16), nullable=False),
        sa.Column("mark", sa.String(32), nullable=False),
        sa.Column("remote_id", sa.Integer()),
        sa.Column("config_sha256", sa.String(64)),
        sa.Column("watermark", MOMENT),
        sa.Column("holder", sa.String(64)),
        sa.Column("held_until", MOMENT),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_label_studio_batch"),
        sa.UniqueConstraint("project_id", "annotator_id", "second", "server", name="uq_label_studio_batch_owner"),
        sa.UniqueConstraint("mark", name="uq_label_studio_batch_mark"),
    )
    op.create_index("ix_label_studio_batch_annotator_id", "label_studio_batch", ["annotator_id"])
    op.create_table(
        "label_studio_task",
        sa.Column(
            "assignment_id",
            sa.Integer(),
            sa.ForeignKey("assignment.id", name="fk_label_studio_task_assignment_id"),
            nullable=False,
        ),
        _batch_id("label_studio_task"),
        sa.Column("remote_id", sa.Integer()),
        sa.Column("sent_at", MOMENT),
        sa.Column("seen", sa.String(64)),
        sa.Column("seen_at", MOMENT),
        sa.PrimaryKeyConstraint("assignment_id", name="pk_label_studio_task"),
    )
    op.create_index("ix_label_studio_task_batch_id_remote_id", "label_studio_task", ["batch_id", "remote_id"])
    op.create_table(
        "label_studio_account",
        sa.Column("server", sa.String(16), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        _annotator_id("label_studio_account"),
        sa.PrimaryKeyConstraint("server", "user_id", name="pk_label_studio_account"),
    )
    op.create_index("ix_label_studio_account_annotator_id", "label_studio_account", ["annotator_id"])
    op.create_table(
        "label_studio_set_aside",
        _batch_id("label_studio_set_aside"),
        sa.Column("annotation_id", sa.Integer(), nullable=False),
        sa.Column("remote_task_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer()),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("batch_id", "annotation_id", name="pk_label_studio_set_aside"),
    )


def downgrade() -> None:
    """Go back: work done in Label Studio is deleted, and its places are free again."""
    for table in ("label_studio_set_aside", "label_studio_account", "label_studio_task", "label_studio_batch"):
        op.drop_table(table)
    for statement in UNDONE:
        op.execute(statement)
    op.execute("DELETE FROM assignment WHERE surface = 'label studio'")
    check_constraints.replace_values("assignment", "surface", old=NEW, new=OLD)


def _annotator_id(table: str) -> sa.Column[int]:
    key = sa.ForeignKey("annotator.id", name=f"fk_{table}_annotator_id")
    return sa.Column("annotator_id", sa.Integer(), key, nullable=False)


def _batch_id(table: str) -> sa.Column[int]:
    key = sa.ForeignKey("label_studio_batch.id", name=f"fk_{table}_batch_id")
    return sa.Column("batch_id", sa.Integer(), key, nullable=False)
