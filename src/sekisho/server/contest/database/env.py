"""Alembic's entry: it runs in the transaction that ``migrate`` opened."""

from __future__ import annotations

from alembic import context

from sekisho.server.contest.database.rows import Row

context.configure(connection=context.config.attributes["connection"], target_metadata=Row.metadata)
context.run_migrations()
