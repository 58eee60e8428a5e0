"""Alembic's environment script: `migrations.upgrade_schema` passes in the connection, with its open transaction."""

from alembic import context

from annotation.store import models

# SQLite cannot alter a column in place, hence the batches
context.configure(
    connection=context.config.attributes["connection"], target_metadata=models.metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
