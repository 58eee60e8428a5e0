"""Pools, further content of items, answers to several questions, sampling frames, Telegram support.

Columns are added one by one, never by making a table anew: on SQLite that would empty the tables that point to it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

JSON = ("pieces", "golds", "accepted", "tags", "lineage")
TEXT = ("explanation", "stratum")
POOLS = "'pilot', 'training', 'qualification', 'control', 'main'"


def upgrade() -> None:
    """Go forward."""
    op.add_column("project", sa.Column("supports_telegram", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("project", sa.Column("frames", sa.JSON()))
    # SQLite takes a constraint with a new column only here, and Alembic would leave it out.
    op.execute(
        "ALTER TABLE item ADD COLUMN pool VARCHAR(32) DEFAULT 'main' NOT NULL"
        f" CONSTRAINT ck_item_pool CHECK (pool IN ({POOLS}))"
    )
    for name in JSON:
        op.add_column("item", sa.Column(name, sa.JSON()))
    for name in TEXT:
        op.add_column("item", sa.Column(name, sa.String()))
    op.add_column("judgement", sa.Column("answers", sa.JSON()))


def downgrade() -> None:
    """Go back."""
    op.drop_column("judgement", "answers")
    for name in (*TEXT, *JSON, "pool"):
        op.drop_column("item", name)
    op.drop_column("project", "frames")
    op.drop_column("project", "supports_telegram")
