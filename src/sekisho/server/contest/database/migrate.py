"""Bring a database's tables up to date, and tell whether they are."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from sekisho.server.contest.database.engine import Database

FOLDER = Path(__file__).parent
"""Where Alembic finds its entry; the changes themselves lie beside it, in ``migrations``."""


def upgrade_tables(database: Database) -> None:
    """Make the tables, or change them to what this version needs."""
    config = configure_migrations()
    with database.engine.connect().execution_options(sekisho_writes=True) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def is_current(database: Database) -> bool:
    """Tell whether the tables are those of this version."""
    head = ScriptDirectory.from_config(configure_migrations()).get_current_head()
    with database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision() == head


def configure_migrations() -> Config:
    """Return where the changes of the tables lie."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("version_locations", str(FOLDER.parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
