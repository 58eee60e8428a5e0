"""What is received from Telegram and sent to it, states of conversations, leases of processes."""

import sqlalchemy as sa
from alembic import op

from annotation.store.migrations.initial_tables import BIG, MOMENT, build_partial_index

TABLES = (
    "inbox",
    "outbox",
    "chat_pause",
    "told_group",
    "process_lease",
    "conversation",
    "item_message",
    "answer_message",
)


def create_tables() -> None:
    """Create the tables with their constraints and indexes."""
    op.create_table(
        "inbox",
        sa.Column("bot_id", BIG, autoincrement=False, nullable=False),
        sa.Column("update_id", BIG, autoincrement=False, nullable=False),
        sa.Column("telegram_id", sa.BigInteger()),
        sa.Column("payload", sa.JSON()),
        sa.Column("received_at", MOMENT, nullable=False),
        sa.Column("done_at", MOMENT),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(16)),
        sa.Column("reason", sa.String()),
        sa.Column("trace", sa.String()),
        sa.PrimaryKeyConstraint("bot_id", "update_id", name=op.f("pk_inbox")),
    )
    op.create_index("ix_inbox_waiting", "inbox", ["telegram_id", "update_id"], **build_partial_index("done_at IS NULL"))
    op.create_index("ix_inbox_parked", "inbox", ["update_id"], **build_partial_index("reason IS NOT NULL"))
    op.create_table(
        "outbox",
        sa.Column("id", BIG, nullable=False),
        sa.Column("bot_id", sa.BigInteger(), nullable=False),
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("calls", sa.JSON(), nullable=False),
        sa.Column("content", sa.LargeBinary()),
        sa.Column("repeatable", sa.Boolean(), nullable=False),
        sa.Column("paced", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("holder", sa.String(16), nullable=False),
        sa.Column("begun_at", MOMENT),
        sa.Column("parked_at", MOMENT),
        sa.Column("reason", sa.String()),
        sa.Column("notice", sa.String(32)),
        sa.Column("send_before", MOMENT),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_due_at", "outbox", ["due_at"], **build_partial_index("reason IS NULL"))
    op.create_table(
        "chat_pause",
        sa.Column("bot_id", BIG, autoincrement=False, nullable=False),
        sa.Column("chat_id", BIG, autoincrement=False, nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("bot_id", "chat_id", name=op.f("pk_chat_pause")),
    )
    op.create_table(
        "told_group",
        sa.Column("chat_id", BIG, autoincrement=False, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("chat_id", name=op.f("pk_told_group")),
    )
    op.create_table(
        "process_lease",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("holder", sa.String(128), nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_process_lease")),
    )
    op.create_table(
        "conversation",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(32), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("asked_by", sa.BigInteger(), nullable=True),
        sa.Column("asked_in", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_conversation_annotator_id")),
        sa.PrimaryKeyConstraint("annotator_id", name=op.f("pk_conversation")),
    )
    op.create_table(
        "item_message",
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=False),
        sa.Column("asks_since", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_item_message_assignment_id")),
        sa.PrimaryKeyConstraint("assignment_id", name=op.f("pk_item_message")),
    )
    op.create_table(
        "answer_message",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("message_id", BIG, autoincrement=False, nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_answer_message_annotator_id")),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_answer_message_assignment_id")),
        sa.PrimaryKeyConstraint("annotator_id", "message_id", name=op.f("pk_answer_message")),
    )
    op.create_index(op.f("ix_answer_message_assignment_id"), "answer_message", ["assignment_id"])
