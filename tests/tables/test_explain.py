"""An explanation must name those whom the publication of a cell would expose, no more and no fewer, and a way that
really joins them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.errors import InfeasibleError
from sekisho.tables.audit.coalitions import leaks
from sekisho.tables.audit.intervals import audit
from sekisho.tables.audit.survey import Needs, find_exposed
from sekisho.tables.explain import CellReason, conclude_if_shown, list_inside_reasons, reasons, summary
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.primary import MinimumFrequency, primaries
from sekisho.tables.suppress.optimiser import Optimiser
from sekisho.tables.suppress.repair import attacker_on

DIMENSIONS = (Dimension(name="a", parent={"x": "Total", "y": "x", "z": "x", "w": "Total"}), Dimension.flat("b", "pqr"))
KEYS = [(row, column) for row in ("y", "z", "w") for column in "pqr"]


def small(counts: list[int]) -> Table:
    table = from_inner(DIMENSIONS, KEYS, np.array(counts, dtype=np.float64))
    return primaries(table, [MinimumFrequency(count=4, width=5)])


def protected(table: Table) -> Table:
    try:
        return Optimiser(seconds=20).suppress(table).table
    except InfeasibleError:
        return table


def bare(table: Table) -> set[int]:
    needs = Needs.of(table)
    return set(needs.cells[find_exposed(attacker_on(table, table.suppressed), needs)].tolist())


@given(st.lists(st.integers(0, 12), min_size=9, max_size=9))
def test_a_reason_is_what_the_publication_of_the_cell_exposes(counts: list[int]) -> None:
    table = protected(small(counts))
    for reason in reasons(table):
        status = table.status.copy()
        status[reason.cell] = Status.SAFE
        expected = bare(replace(table, status=status)) - bare(table)
        assert {chain.primary for chain in reason.chains} == expected
        check_chains(table, reason)


@try_examples(15)
@given(st.lists(st.integers(0, 12), min_size=9, max_size=9))
def test_what_follows_from_a_shown_cell_is_what_the_audit_of_that_pattern_finds(counts: list[int]) -> None:
    table = protected(small(counts))
    for reason in reasons(table):
        status = table.status.copy()
        status[reason.cell] = Status.SAFE
        shown = audit(replace(table, status=status))
        expected = {cell: (shown.low[at], shown.high[at]) for at, cell in enumerate(shown.cells.tolist())}
        primaries_there = [chain.primary for chain in reason.chains]
        for primary, interval in zip(
            primaries_there, conclude_if_shown(table, reason.cell, primaries_there), strict=True
        ):
            assert interval == pytest.approx(expected[primary], abs=1e-6)


def check_chains(table: Table, reason: CellReason) -> None:
    matrix = table.matrix.toarray()
    for chain in reason.chains:
        stops = [reason.cell, *chain.through, chain.primary]
        assert len(chain.equations) == len(stops) - 1
        for equation, one, other in zip(chain.equations, stops, stops[1:], strict=False):
            assert matrix[equation, one] != 0
            assert matrix[equation, other] != 0
        assert all(table.suppressed[stop] for stop in stops)


def test_one_row_by_hand() -> None:
    # 1 + 20 + 30 = 51: the 1 is unsafe. One further cell protects it; publish that and 1 follows by subtraction.
    table = from_inner((Dimension.flat("b", "pqr"),), [("p",), ("q",), ("r",)], np.array([1.0, 20.0, 30.0]))
    done = protected(primaries(table, [MinimumFrequency(count=5, width=10)]))
    (reason,) = reasons(done)
    (chain,) = reason.chains
    assert done.named(chain.primary) == "b=p"
    assert [done.equations[row] for row in chain.equations] == ["b=Total"]
    assert chain.through == ()


def test_a_secondary_that_helps_nobody_alone_has_no_chain() -> None:
    # Two further cells where one is enough: either may be published.
    table = from_inner((Dimension.flat("b", "pqr"),), [("p",), ("q",), ("r",)], np.array([1.0, 20.0, 30.0]))
    flagged = primaries(table, [MinimumFrequency(count=5, width=10)])
    status = flagged.status.copy()
    status[[flagged.position["q",], flagged.position["r",]]] = Status.SECONDARY
    assert [reason.chains for reason in reasons(replace(flagged, status=status))] == [(), ()]


def test_a_secondary_against_a_contributor_says_from_whom_it_protects() -> None:
    # 10 + 20 + 30 + 40 = 100: one firm each stands behind p and q, which are unsafe. With r published everybody knows
    # p + q = 30, which gives neither away; but the firm behind q knows its 20, and so that p is 10. The same with p.
    codes = [("p",), ("q",), ("r",), ("s",)]
    whole = from_inner(
        (Dimension.flat("b", "pqrs"),), codes, np.array([10.0, 20.0, 30.0, 40.0]), np.array([1.0, 1, 9, 9])
    )
    largest = np.zeros((len(whole), 1))
    for code, gave in zip(("Total", *"pqrs"), (20.0, 10.0, 20.0, 4.0, 5.0), strict=True):
        largest[whole.position[code,], 0] = gave
    flagged = primaries(replace(whole, largest=largest), [MinimumFrequency(count=3, width=5)])
    p, q, r = (flagged.position[code,] for code in "pqr")
    status = flagged.status.copy()
    status[r] = Status.SECONDARY
    hidden = replace(flagged, status=status)
    assert flagged.primary[[p, q, r]].tolist() == [True, True, False]
    assert [reason.chains for reason in reasons(hidden)] == [()]
    inside = {(one.primary, one.insider): (one.low, one.high) for one in list_inside_reasons(hidden, r, coalition=1)}
    assert inside == {(p, q): pytest.approx((10, 10)), (q, p): pytest.approx((20, 20))}
    assert leaks(hidden, coalition=1) == []  # as it is nobody can


def test_the_summary_adds_up_level_by_level() -> None:
    table = protected(small([1, 9, 9, 9, 9, 9, 9, 9, 9]))
    strata = summary(table)
    assert [stratum.level for stratum in strata][:2] == [("leaf", "leaf"), ("leaf", "total")]
    assert ("level 1", "leaf") in [stratum.level for stratum in strata]
    assert sum(stratum.cells for stratum in strata) == len(table)
    assert sum(stratum.primary for stratum in strata) == int(table.primary.sum())
    assert sum(stratum.secondary for stratum in strata) == int((table.status == Status.SECONDARY).sum())
    assert sum(stratum.value_hidden for stratum in strata) == pytest.approx(table.value[table.suppressed].sum())
    inner = strata[0]
    assert (inner.cells, inner.value, inner.frequency) == (9, 73, 73)


def test_a_grouping_is_a_level_of_its_own() -> None:
    rows = Dimension(name="a", parent=dict.fromkeys("xyz", "Total"), groupings={"near": ("x", "y")})
    strata = summary(from_inner([rows], [("x",), ("y",), ("z",)], np.array([2.0, 20.0, 15.0])))
    assert [(one.level, one.cells, one.value) for one in strata] == [
        (("leaf",), 3, 37),
        (("group",), 1, 22),
        (("total",), 1, 37),
    ]
