"""A small contest on a server, in process: SQLite, or the PostgreSQL that $SEKISHO_TEST_POSTGRES names.

It is set up once and copied for every test: folders as folders, databases as files or as PostgreSQL copies them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from tests.contest.folder.cup import RULES, attack_release, draw_history, make_releases
from tests.server.contest.cup_site import CupSite, open_site, prepare_site

from sekisho.data.history.files import write_original, write_release
from sekisho.seeds import draw_token
from sekisho.server.contest.database.engine import parse_url
from sekisho.server.contest.settings import RequestLimits

POSTGRES = os.environ.get("SEKISHO_TEST_POSTGRES", "")
OpenCup = Callable[[RequestLimits], AbstractContextManager[CupSite]]


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A server that was set up, to be copied."""

    folder: Path
    url: str
    tokens: dict[str, str]


@pytest.fixture(scope="session")
def materials() -> dict[str, bytes]:
    """Releases and attacks by name, made once."""
    data = draw_history()
    releases = make_releases(data)
    written = {team: write_release(release, RULES) for team, release in releases.items()}
    written |= {f"attack on {team}": attack_release(release, data) for team, release in releases.items()}
    return written | {"original": write_original(data, RULES)}


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory, materials: dict[str, bytes]) -> Iterator[Prepared]:
    """A server that was set up once."""
    folder = tmp_path_factory.mktemp("prepared")
    with make_database(folder) as url:
        yield Prepared(folder=folder, url=url, tokens=prepare_site(folder, url, materials))


@pytest.fixture
def database_url(tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database of one's own."""
    with make_database(tmp_path) as url:
        yield url


@contextmanager
def make_database(folder: Path, copied: str = "") -> Generator[str]:
    """Make a database, empty or as a copy of another one, and remove it."""
    folder.mkdir(exist_ok=True)
    if not POSTGRES:
        yield f"sqlite:///{folder / 'contest.sqlite3'}"
        return
    name = f"test_{draw_token()[:16]}".replace("-", "_").lower()
    template = f' TEMPLATE "{parse_url(copied).database}"' if copied else ""
    engine = create_engine(parse_url(POSTGRES), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f'CREATE DATABASE "{name}"{template}'))
    yield parse_url(POSTGRES).set(database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(text(f'DROP DATABASE "{name}" WITH (FORCE)'))
    engine.dispose()


@contextmanager
def copy_site(
    prepared: Prepared, folder: Path, materials: dict[str, bytes], limits: RequestLimits | None = None
) -> Generator[CupSite]:
    """Open a copy of the server that was set up."""
    shutil.copytree(prepared.folder, folder, dirs_exist_ok=True)
    with make_database(folder, prepared.url) as url:
        given = {} if limits is None else {"limits": limits}
        with open_site(folder, url, materials, prepared.tokens, **given) as site:
            yield site


@pytest.fixture(scope="module")
def shared_cup(
    tmp_path_factory: pytest.TempPathFactory, prepared: Prepared, materials: dict[str, bytes]
) -> Iterator[CupSite]:
    """A contest for all tests of a module, which must not mind one another."""
    with copy_site(prepared, tmp_path_factory.mktemp("shared"), materials) as site:
        yield site


@pytest.fixture
def open_cup(tmp_path: Path, prepared: Prepared, materials: dict[str, bytes]) -> OpenCup:
    """Open a contest with other limits."""
    return lambda limits: copy_site(prepared, tmp_path / "limited", materials, limits)


@pytest.fixture
def cup(tmp_path: Path, prepared: Prepared, materials: dict[str, bytes]) -> Iterator[CupSite]:
    """A contest of four teams, registered, on a server."""
    with copy_site(prepared, tmp_path, materials) as site:
        yield site
