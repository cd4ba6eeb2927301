"""One cluster for all tests, reached as its driver and as its guest, and files in a folder that all machines see."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests_spark.cluster import Cluster, ClusterError, start_cluster

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.session import Session, open_session
from sekisho.data.engines.spark.connection import open_connection


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Start the cluster once."""
    try:
        with start_cluster() as started:
            os.environ.update(started.environment())
            yield started
    except ClusterError as error:
        pytest.exit(str(error), 2)


@pytest.fixture(scope="session")
def driver(cluster: Cluster) -> Iterator[str]:
    """Make this process a driver of the cluster; what asks for one at this address uses it."""
    connection = open_connection(cluster.master_url, cluster.folder / "driver.log")
    yield cluster.master_url
    connection.close()


@pytest.fixture(params=["classic", "connect"])
def master(request: pytest.FixtureRequest, cluster: Cluster) -> str:
    """Return the cluster's address, by either way."""
    return str(request.getfixturevalue("driver")) if request.param == "classic" else cluster.connect_url


@pytest.fixture
def session(master: str, tmp_path: Path) -> Iterator[Session]:
    """Open a session, of either kind."""
    opened = open_session(EngineChoice(engine=Engine.SPARK, master=master), tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def guest(cluster: Cluster, tmp_path: Path) -> Iterator[Session]:
    """Open a session of Spark Connect."""
    opened = open_session(EngineChoice(engine=Engine.SPARK, master=cluster.connect_url), tmp_path)
    yield opened
    opened.close()
