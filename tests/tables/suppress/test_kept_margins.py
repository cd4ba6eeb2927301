"""Readers look for totals first: what can be protected without hiding totals of totals is protected without."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.tables.instances import FEASIBLE, grid, instance

from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.model.heights import measure_heights
from sekisho.tables.model.table import Status
from sekisho.tables.suppress.optimiser import Optimiser, keep_margins, show_cells
from sekisho.tables.suppress.repair import PatternSafety
from sekisho.tables.suppress.search import SMALL

CASES = [(kind, seed) for kind, seeds in FEASIBLE.items() for seed in seeds]


def test_the_grand_total_of_a_three_way_table_stays() -> None:
    table = grid((2, 2, 2), np.random.default_rng(4), high=4)
    table = table.flag_cells((table.value > 0) & (table.value < 5), sliding=10.0)
    top = measure_heights(table) == 3
    free, kept = Optimiser().suppress(table), Optimiser(keep=True).suppress(table)
    # the fewest cells hide the grand total; two more show it, and that is the least with it shown
    assert (free.optimal, free.last.cost, bool(free.table.suppressed[top].all())) == (True, 13, True)
    assert (kept.optimal, kept.last.cost, bool(kept.table.suppressed[top].any())) == (True, 15, False)
    assert kept.last.shown is not None
    assert not (kept.table.suppressed & kept.last.shown).any()


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_no_total_that_could_stay_is_hidden_and_the_certificate_stands(kind: str, seed: int) -> None:
    table = instance(kind, seed)
    plain = replace(table, status=np.where(table.status == Status.PUBLISH, np.int8(Status.SAFE), table.status))
    answer = Optimiser(keep=True).suppress(plain)
    free = Optimiser().suppress(plain)
    assert answer.optimal
    assert answer.last.cost >= free.last.cost
    kept, higher = keep_margins(plain), measure_heights(plain) > 1
    for cell in np.flatnonzero(higher & (plain.status == Status.SAFE) & ~kept & plain.primary.any()).tolist():
        one = kept.copy()
        one[cell] = True
        trial = show_cells(plain, one)
        assert not PatternSafety(trial).holds(trial.status == Status.SAFE)
    assert check(json.dumps(make_certificate(answer))).valid


def test_margins_that_must_be_hidden_are_given_up() -> None:
    # one inner cell in each row and column: whatever moves, the grand total moves with it
    table = grid((1, 1), np.random.default_rng(3), high=2)
    table = replace(table, value=np.full(4, 7.0), frequency=np.full(4, 7))
    flagged = table.flag_cells(np.array([key == ("00", "10") for key in table.keys]), sliding=10.0)
    assert not keep_margins(flagged).any()
    assert int((Optimiser(keep=True).suppress(flagged).table.status == Status.SECONDARY).sum()) == 3


@pytest.mark.parametrize("keep", [False, True])
def test_a_time_that_is_over_at_once_still_gives_a_pattern_worth_having(*, keep: bool) -> None:
    rng = np.random.default_rng(5)
    table = grid((10, 10, 10), rng)
    small = rng.random(len(table)) < 0.1
    inner = np.array(["Total" not in key for key in table.keys])
    table = table.flag_cells(inner & small & (table.value > 0), sliding=5.0)
    assert len(table) > SMALL
    answer = Optimiser(seconds=0.001, keep=keep).suppress(table)
    # before, every cell that may be was hidden
    assert int((answer.table.status == Status.SECONDARY).sum()) < int((table.status == Status.SAFE).sum()) / 2
