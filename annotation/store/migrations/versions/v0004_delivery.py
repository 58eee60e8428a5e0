"""The bot: where each conversation stands."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Forward."""
    op.create_table(
        "talk",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(32), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("annotator_id", name="pk_talk"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_talk_annotator_id"),
    )


def downgrade() -> None:
    """Back."""
    op.drop_table("talk")
