"""A cluster that is opened for pieces of work alone."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.session import open_engine
from sekisho.data.engines.tasks import use_cluster
from sekisho.data.engines.workspace import open_workspace
from sekisho.errors import ParameterError
from sekisho.words import Said


@contextmanager
def open_cluster(choice: EngineChoice) -> Generator[None]:
    """Let pieces of work be done on a cluster, as long as this is open.

    Raises:
        ParameterError: the engine is none of many machines.
    """
    if choice.engine is not Engine.SPARK:
        raise ParameterError(
            "engine",
            Said("be spark: of a history only pieces of a search are worked on elsewhere"),
            choice.engine.value,
        )
    with open_workspace() as folder, open_engine(choice, folder) as session, use_cluster(session):
        yield
