"""Alembic's entry: the connection, and its transaction, come from `migrations.upgrade_schema`."""

from alembic import context

from annotation.store import models

context.configure(
    connection=context.config.attributes["connection"], target_metadata=models.metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
