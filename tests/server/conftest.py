"""A small contest on a server, in process: SQLite, or the PostgreSQL that $SEKISHO_TEST_POSTGRES names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from tests.contest.folder.cup import RULES, attack_release, draw_history, make_releases
from tests.server.cup_site import CupSite, build_site

from sekisho.contest.history.files import write_original, write_release
from sekisho.seeds import draw_token
from sekisho.server.database.engine import parse_url


@pytest.fixture(scope="session")
def materials(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Releases and attacks by name, made once."""
    del tmp_path_factory
    data = draw_history()
    releases = make_releases(data)
    made = {team: write_release(release, RULES) for team, release in releases.items()}
    made |= {f"attack on {team}": attack_release(release, data) for team, release in releases.items()}
    return made | {"original": write_original(data, RULES)}


@pytest.fixture
def database_url(tmp_path: Path) -> Iterator[str]:
    """Return the URL of an empty database of one's own."""
    server = os.environ.get("SEKISHO_TEST_POSTGRES", "")
    if not server:
        yield f"sqlite:///{tmp_path / 'contest.sqlite3'}"
        return
    name = f"test_{draw_token()[:16]}".replace("-", "_").lower()
    engine = create_engine(parse_url(server), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f'CREATE DATABASE "{name}"'))
    yield parse_url(server).set(database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(text(f'DROP DATABASE "{name}" WITH (FORCE)'))
    engine.dispose()


@pytest.fixture
def cup(tmp_path: Path, database_url: str, materials: dict[str, bytes]) -> Iterator[CupSite]:
    """A contest of four teams, registered, on a server."""
    with build_site(tmp_path, database_url, materials) as site:
        yield site
