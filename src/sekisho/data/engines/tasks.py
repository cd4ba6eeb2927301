"""Where independent pieces of work are done: here, or on a cluster that was opened for them.

A piece is a pure function of its argument, and both can be pickled, so the place changes nothing about its answer. It
is no parameter of a method, therefore, but a property of its surroundings: :func:`use_cluster` offers a cluster to
whatever is called inside. This module loads no engine, for methods ask it on every call.

A cluster that is opened for pieces of work alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, runtime_checkable

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.names import open_workspace
from sekisho.errors import ParameterError
from sekisho.words import Said


@runtime_checkable
class Cluster(Protocol):
    """Many machines that work on pieces."""

    def run_tasks(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
        """Give a function's answer to each task, in their order."""
        ...


_CLUSTER: ContextVar[Cluster | None] = ContextVar("cluster", default=None)


def find_cluster() -> Cluster | None:
    """Return the cluster that was opened for pieces of work; None: they are done here."""
    return _CLUSTER.get()


@contextmanager
def use_cluster(cluster: object) -> Generator[None]:
    """Let pieces of work be done on a cluster, as long as this is open; an engine of one machine leaves them here."""
    token = _CLUSTER.set(cluster if isinstance(cluster, Cluster) else None)
    try:
        yield
    finally:
        _CLUSTER.reset(token)


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
    from sekisho.data.engines.session import open_engine  # Arrow, which pieces of work that are done here do not need

    with open_workspace() as folder, open_engine(choice, folder) as session, use_cluster(session):
        yield
