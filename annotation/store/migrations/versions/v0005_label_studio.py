"""Desks in Label Studio: projects, tasks, accounts, what was kept aside."""

import sqlalchemy as sa
from alembic import op

from annotation.store.migrations import checks

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
OLD, NEW = "'telegram', 'import'", "'telegram', 'import', 'label studio'"
UNDONE = (
    """DELETE FROM judgement WHERE assignment_id IN (SELECT id FROM assignment WHERE surface = 'label studio')""",
    """DELETE FROM report WHERE assignment_id IN (SELECT id FROM assignment WHERE surface = 'label studio')""",
    """UPDATE message SET assignment_id = NULL
    WHERE assignment_id IN (SELECT id FROM assignment WHERE surface = 'label studio')""",
    """UPDATE item SET n_done = n_done - (SELECT count(*) FROM assignment a
      WHERE a.item_id = item.id AND a.holds AND a.surface = 'label studio' AND a.status = 'done')""",
    """UPDATE item SET
      n_live = n_live - (SELECT count(*) FROM assignment a
        WHERE a.item_id = item.id AND a.holds AND a.surface = 'label studio'),
      free = free + CASE WHEN status = 'open' THEN (SELECT count(*) FROM assignment a
        WHERE a.item_id = item.id AND a.holds AND a.surface = 'label studio') ELSE 0 END,
      held = held + CASE WHEN status = 'open' THEN 0 ELSE (SELECT count(*) FROM assignment a
        WHERE a.item_id = item.id AND a.holds AND a.surface = 'label studio') END""",
)


def upgrade() -> None:
    """Forward."""
    checks.replace("assignment", "surface", old=OLD, new=NEW)
    op.create_table(
        "desk",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id", name="fk_desk_project_id"), nullable=False),
        _person("desk"),
        sa.Column("second", sa.Boolean(), nullable=False),
        sa.Column("server", sa.String(16), nullable=False),
        sa.Column("mark", sa.String(32), nullable=False),
        sa.Column("remote_id", sa.Integer()),
        sa.Column("config_sha256", sa.String(64)),
        sa.Column("watermark", MOMENT),
        sa.Column("holder", sa.String(64)),
        sa.Column("held_until", MOMENT),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_desk"),
        sa.UniqueConstraint("project_id", "annotator_id", "second", "server", name="uq_desk_whose"),
        sa.UniqueConstraint("mark", name="uq_desk_mark"),
    )
    op.create_index("ix_desk_annotator_id", "desk", ["annotator_id"])
    op.create_table(
        "desk_task",
        sa.Column(
            "assignment_id",
            sa.Integer(),
            sa.ForeignKey("assignment.id", name="fk_desk_task_assignment_id"),
            nullable=False,
        ),
        _desk("desk_task"),
        sa.Column("remote_id", sa.Integer()),
        sa.Column("sent_at", MOMENT),
        sa.Column("seen", sa.String(64)),
        sa.Column("seen_at", MOMENT),
        sa.PrimaryKeyConstraint("assignment_id", name="pk_desk_task"),
    )
    op.create_index("ix_desk_task_desk_id_remote_id", "desk_task", ["desk_id", "remote_id"])
    op.create_table(
        "desk_user",
        sa.Column("server", sa.String(16), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        _person("desk_user"),
        sa.PrimaryKeyConstraint("server", "user_id", name="pk_desk_user"),
    )
    op.create_index("ix_desk_user_annotator_id", "desk_user", ["annotator_id"])
    op.create_table(
        "desk_aside",
        _desk("desk_aside"),
        sa.Column("annotation_id", sa.Integer(), nullable=False),
        sa.Column("remote_task_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer()),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("desk_id", "annotation_id", name="pk_desk_aside"),
    )


def downgrade() -> None:
    """Back: what was done at a desk is forgotten, and its places are free."""
    for table in ("desk_aside", "desk_user", "desk_task", "desk"):
        op.drop_table(table)
    for statement in UNDONE:
        op.execute(statement)
    op.execute("DELETE FROM assignment WHERE surface = 'label studio'")
    checks.replace("assignment", "surface", old=NEW, new=OLD)


def _person(table: str) -> sa.Column[int]:
    key = sa.ForeignKey("annotator.id", name=f"fk_{table}_annotator_id")
    return sa.Column("annotator_id", sa.Integer(), key, nullable=False)


def _desk(table: str) -> sa.Column[int]:
    key = sa.ForeignKey("desk.id", name=f"fk_{table}_desk_id")
    return sa.Column("desk_id", sa.Integer(), key, nullable=False)
