"""All tables of the first release."""

from alembic import op

from annotation.store.migrations.initial_tables import (
    annotators,
    assignments,
    campaigns,
    delivery,
    label_studio,
    notices,
    reviews,
)

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

GROUPS = (campaigns, annotators, assignments, delivery, notices, reviews, label_studio)
"""The groups of tables, in the order of their foreign keys."""


def upgrade() -> None:
    """Create every table."""
    for group in GROUPS:
        group.create_tables()


def downgrade() -> None:
    """Drop every table."""
    for group in reversed(GROUPS):
        for table in reversed(group.TABLES):
            op.drop_table(table)
