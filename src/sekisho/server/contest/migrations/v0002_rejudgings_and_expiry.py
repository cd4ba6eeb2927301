"""A rejudging may overrule a result, and tokens expire."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

UNIQUE = ["contest", "submission", "scorer", "truth"]
NAMES = {"uq": "%(table_name)s_%(column_0_N_name)s_key"}
"""As PostgreSQL names a constraint without a name; SQLite keeps none, and a table there is made anew."""


def upgrade() -> None:
    """Add the columns; results are then unique for each judging."""
    with op.batch_alter_table("results", naming_convention=NAMES) as table:
        table.add_column(sa.Column("rejudging", sa.Text(), nullable=False, server_default=""))
        table.drop_constraint(f"results_{'_'.join(UNIQUE)}_key", type_="unique")
        table.create_unique_constraint("results_once", [*UNIQUE, "rejudging"])
    with op.batch_alter_table("tokens") as table:
        table.add_column(sa.Column("expires", sa.Text(), nullable=False, server_default=""))
