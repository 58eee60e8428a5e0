"""A later release of hromada, whose schema has one revision more.

`python _later_release.py FOLDER COMMAND…` runs a command of it, with the migrations in FOLDER.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from annotation.store import migrations, models

REVISION = "0003"
MIGRATION = '''\
"""A note on every item."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table and write a note for each item."""
    op.create_table(
        "note",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_note_item_id")),
        sa.PrimaryKeyConstraint("item_id", name=op.f("pk_note")),
    )
    op.execute("INSERT INTO note (item_id, text) SELECT id, external_id FROM item")


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("note")
'''


def write_migrations(folder: Path) -> None:
    """Write a copy of the migrations with one more."""
    shutil.copytree(migrations.SCRIPTS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "v0003_notes.py").write_text(MIGRATION, "utf-8")


@contextmanager
def use_migrations(folder: Path) -> Iterator[None]:
    """Let this process be the later release until the block ends."""
    before = migrations.SCRIPTS, migrations.REVISIONS, migrations.HEAD
    notes = sa.Table(
        "note",
        models.metadata,
        sa.Column("item_id", sa.ForeignKey("item.id"), primary_key=True),
        sa.Column("text", sa.String, nullable=False),
    )
    migrations.SCRIPTS, migrations.REVISIONS, migrations.HEAD = folder, (*before[1], REVISION), REVISION
    try:
        yield
    finally:
        migrations.SCRIPTS, migrations.REVISIONS, migrations.HEAD = before
        models.metadata.remove(notes)


if __name__ == "__main__":
    from bot import cli

    with use_migrations(Path(sys.argv.pop(1))):
        cli.main()
