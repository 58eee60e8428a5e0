"""Pictures that items show, and which of them each bot has uploaded."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "picture",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("media_type", sa.String(32), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_picture")),
    )
    op.create_table(
        "picture_upload",
        sa.Column("bot_id", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("file_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("bot_id", "sha256", name=op.f("pk_picture_upload")),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("picture_upload")
    op.drop_table("picture")
