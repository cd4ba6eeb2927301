"""Pieces of work are done where their surroundings say, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.tasks import find_cluster, open_cluster, use_cluster
from sekisho.errors import ParameterError


class FakeCluster:
    def run_tasks(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
        return map(function, tasks)


def test_a_cluster_is_there_as_long_as_it_is_open() -> None:
    cluster = FakeCluster()
    assert find_cluster() is None
    with use_cluster(cluster):
        assert find_cluster() is cluster
        with use_cluster(object()):  # an engine of one machine
            assert find_cluster() is None
    assert find_cluster() is None


def test_an_engine_of_one_machine_is_no_cluster() -> None:
    rule = "engine must be spark: of a history only pieces of a search are worked on elsewhere, not 'polars'"
    with pytest.raises(ParameterError, match=rule), open_cluster(EngineChoice(engine=Engine.POLARS)):
        pass
