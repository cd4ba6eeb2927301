"""Branch and cut must find what enumeration and the other solver find, accept no unsafe pattern, and say so if it
is not installed."""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import replace

import numpy as np
import pytest
from tests.tables.instances import KINDS, grid, instance
from tests.tables.oracle import cheapest, safe

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.tables.audit.intervals import audit
from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Floats, Mask, Status, Table
from sekisho.tables.solvers.scip import VERSION, Row
from sekisho.tables.suppress.branching import Branching, choose_solver
from sekisho.tables.suppress.master import Master
from sekisho.tables.suppress.optimiser import Optimiser, finish_search
from sekisho.tables.suppress.repair import PatternSafety
from sekisho.tables.suppress.search import SearchStep
from sekisho.tables.suppress.separation import Separator

SCIP = Optimiser(solver="scip")


def cube(seed: int, size: int = 4, width: float = 10.0) -> Table:
    """A three-way table that the root's cuts alone do not settle."""
    table = grid((size,) * 3, np.random.default_rng(seed), high=40)
    return table.flag_cells((table.value > 0) & (table.value < 5), sliding=width)


def bare(table: Table) -> tuple[Mask | None, float]:
    """Return the tree's own best pattern and bound, without cuts at the root or a pattern to begin with."""
    separator = Separator(table)
    master = Master(table.weight, separator.cutter.free)
    tree = Branching(
        table,
        safety=PatternSafety(table),
        separator=separator,
        master=master,
        best=lambda: None,
        repair=lambda _: None,
        batch=5,
        until=float("inf"),
    )
    *_, best = tree.slices(np.zeros(len(table)), None)
    return best, tree.bound


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_cost_is_that_of_the_cheapest_pattern_of_all(kind: str, seed: int) -> None:
    table = instance(kind, seed)
    least = cheapest(table)
    if least is None:
        with pytest.raises(InfeasibleError):
            SCIP.suppress(table)
        return
    answer = SCIP.suppress(table)
    assert answer.optimal
    assert answer.last.cost == pytest.approx(least) == Optimiser().suppress(table).last.cost
    best, bound = bare(table)
    assert best is not None
    assert safe(table, best | table.suppressed)
    assert table.weight[best].sum() == pytest.approx(least) == pytest.approx(bound)


@pytest.mark.parametrize("seed", [0, 3])
def test_a_table_that_needs_a_tree_has_the_other_solver_s_cost_and_a_certificate(seed: int) -> None:
    table = cube(seed)
    answer = SCIP.suppress(table)
    assert answer.optimal
    assert answer.last.cost == Optimiser().suppress(table).last.cost
    assert not audit(answer.table).narrow.size
    held = make_certificate(answer)
    assert check(json.dumps(held)).valid
    assert VERSION in str(held["versions"])


def test_the_same_table_gives_the_same_steps() -> None:
    one, two = ([(step.stage, step.cost, step.bound, len(step.cuts)) for step in SCIP.steps(cube(0))] for _ in range(2))
    assert one == two
    assert "tree" in {stage for stage, *_ in one}


def test_every_step_bounds_the_cost_from_both_sides() -> None:
    table = cube(3)
    steps = list(SCIP.steps(table))
    bounds, costs = [step.bound for step in steps], [step.cost for step in steps]
    assert bounds == sorted(bounds)
    assert costs == sorted(costs, reverse=True)
    assert steps[-1].proven
    for step in steps:
        if step.secondary is not None:
            assert not audit(table.suppress_cells(step.secondary)).narrow.size


@pytest.mark.parametrize("seconds", [0.01, 1.0])
def test_a_time_limit_still_gives_a_safe_pattern(seconds: float) -> None:
    answer = replace(SCIP, seconds=seconds).suppress(cube(3, 6))
    assert not audit(answer.table).narrow.size
    assert answer.last.bound <= answer.last.cost


def test_an_interruption_keeps_the_best_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_self: Branching, _point: Floats, *, depth: int, whole: bool) -> list[Row]:
        assert (depth, whole) == (0, False)
        signal.raise_signal(signal.SIGINT)
        return []

    monkeypatch.setattr(Branching, "broken", stopped)
    steps: list[SearchStep] = []
    with pytest.raises(KeyboardInterrupt):
        steps.extend(SCIP.steps(cube(0)))
    assert steps[-1].stage == "tree"
    assert not audit(finish_search(cube(0), steps[-1]).table).narrow.size


def test_an_infeasible_table_is_refused_with_every_cell_named() -> None:
    line = from_inner([Dimension.flat("v", ["a", "b"])], [("a",), ("b",)], np.array([3.0, 40.0]))
    table = replace(line, status=np.array([Status.PUBLISH, Status.SAFE, Status.PUBLISH], dtype=np.int8))
    with pytest.raises(InfeasibleError, match="v=a"):
        SCIP.suppress(table.flag_cells(table.value == 3, sliding=2.0))


def test_without_the_extra_there_is_one_clear_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    with pytest.raises(ParameterError, match=r"solver.*pip install '\.\[scip\]'"):
        Optimiser(solver="scip")
    assert Optimiser().suppress(cube(0, 3)).optimal


def test_a_solver_that_there_is_not_is_refused() -> None:
    with pytest.raises(ParameterError, match="highs, scip"):
        Optimiser(solver="simplex")


@pytest.mark.parametrize(
    ("table", "large", "there", "taken"),
    [
        (grid((4, 4), np.random.default_rng(0), high=40), False, True, "highs"),  # flat: no tree is needed
        (cube(0, 3), False, True, "scip"),
        (cube(0, 3), True, True, "highs"),
        (cube(0, 3), False, False, "highs"),
    ],
)
def test_the_table_chooses_its_solver(
    table: Table, taken: str, monkeypatch: pytest.MonkeyPatch, *, large: bool, there: bool
) -> None:
    if not there:
        monkeypatch.setitem(sys.modules, "pyscipopt", None)
    assert choose_solver(table, "auto", large=large) == taken
    assert choose_solver(table, "highs", large=large) == "highs"
