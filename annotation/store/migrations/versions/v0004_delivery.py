"""Delivery: inbox and outbox of the bot, process leases, messages that show items, conversations, reachability."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TABLES = ("inbox", "outbox", "process_lease", "item_message", "conversation")


def upgrade() -> None:
    """Go forward."""
    op.add_column("annotator", sa.Column("unreachable_at", MOMENT, nullable=True))
    _inbox_and_outbox()
    op.create_table(
        "process_lease",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("holder", sa.String(128), nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_process_lease"),
    )
    op.create_table(
        "item_message",
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name="fk_item_message_assignment_id"),
        sa.PrimaryKeyConstraint("assignment_id", name="pk_item_message"),
    )
    op.create_table(
        "conversation",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(32), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_conversation_annotator_id"),
        sa.PrimaryKeyConstraint("annotator_id", name="pk_conversation"),
    )


def downgrade() -> None:
    """Go back: what waits in the inbox and the outbox is deleted."""
    for table in reversed(TABLES):
        op.drop_table(table)
    op.drop_column("annotator", "unreachable_at")


def _inbox_and_outbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("update_id", BIG, autoincrement=False, nullable=False),
        sa.Column("telegram_id", sa.BigInteger(), nullable=True),
        sa.Column("payload", sa.JSON(), nullable=True),
        sa.Column("received_at", MOMENT, nullable=False),
        sa.Column("done_at", MOMENT, nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(16), nullable=True),
        sa.PrimaryKeyConstraint("update_id", name="pk_inbox"),
    )
    waiting = sa.text("done_at IS NULL")
    op.create_index(
        "ix_inbox_waiting", "inbox", ["telegram_id", "update_id"], sqlite_where=waiting, postgresql_where=waiting
    )
    op.create_table(
        "outbox",
        sa.Column("id", BIG, nullable=False),
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("calls", sa.JSON(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("repeatable", sa.Boolean(), nullable=False),
        sa.Column("paced", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("begun_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_due_at", "outbox", ["due_at"])
