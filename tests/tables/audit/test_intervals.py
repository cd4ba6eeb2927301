"""The audit's interval is the attacker's: neither wider nor narrower than a stranger's solver and brute force say."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.laws import try_examples
from tests.tables.comparison import name_contributions
from tests.tables.independent import known_bounds
from tests.tables.instances import grid, puzzle
from tests.tables.oracle import interval, whole_interval
from tests.tables.patterns import KINDS, pattern

from sekisho.errors import ParameterError
from sekisho.tables.audit.attacker import attacker_of
from sekisho.tables.audit.coalitions import leaks
from sekisho.tables.audit.intervals import audit, audit_steps
from sekisho.tables.audit.survey import Needs, find_exposed
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Table
from sekisho.tables.solvers.highs import Program, Solution, SolveStatus
from sekisho.tables.suppress.repair import attacker_on


def hiding(table: Table, keys: list[tuple[str, ...]]) -> Table:
    mask = np.zeros(len(table), dtype=np.bool_)
    mask[[table.position[key] for key in keys]] = True
    return table.suppress_cells(mask)


def test_the_example_of_the_seed() -> None:
    # x11 + x13 = 48, x21 + x23 = 78, x11 + x21 = 58, x13 + x23 = 68: with x23 = s, x13 = 68 - s, x11 = s - 20, x21 = 78
    # - s; all are at least 0 for s from 20 to 68
    inner = {
        ("M1", "P1"): 30,
        ("M1", "P2"): 24,
        ("M1", "P3"): 18,
        ("M2", "P1"): 28,
        ("M2", "P2"): 38,
        ("M2", "P3"): 50,
        ("M3", "P1"): 40,
        ("M3", "P2"): 39,
        ("M3", "P3"): 42,
    }
    sides = [Dimension.flat("M", ["M1", "M2", "M3"]), Dimension.flat("P", ["P1", "P2", "P3"])]
    table = from_inner(sides, list(inner), np.array(list(inner.values()), dtype=np.float64))
    found = audit(hiding(table, [("M1", "P1"), ("M1", "P3"), ("M2", "P1"), ("M2", "P3")]))
    ends = {table.keys[cell]: (low, high) for cell, low, high in zip(found.cells, found.low, found.high, strict=True)}
    assert ends[("M2", "P3")] == (20, 68)
    assert ends[("M1", "P1")] == (0, 48)


@pytest.mark.parametrize("seed", range(6))
def test_the_intervals_are_those_of_the_full_model(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = grid((3, 3, 2) if seed % 2 else (4, 4), rng)
    hidden = rng.random(len(table)) < 0.4
    found = audit(table.suppress_cells(hidden))
    for cell, low, high in zip(found.cells.tolist(), found.low, found.high, strict=True):
        assert (low, high) == pytest.approx(interval(table, hidden, cell), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_whole_tables_are_those_that_an_attacker_can_list(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = grid((2, 2, 2), rng, high=3)
    inner = [i for i, key in enumerate(table.keys) if "Total" not in key]
    mask = np.zeros(len(table), dtype=np.bool_)
    mask[inner] = True
    mask[table.position[("00", "10", "Total")]] = True
    found = audit(table.suppress_cells(mask), whole=True)
    # every whole table with inner cells up to 4, its margins summed: those that show what is published are possible
    guesses = np.indices((5,) * 8).reshape(8, -1).T
    sums = np.array(
        [
            [all(code in (part, "Total") for part, code in zip(table.keys[i], key, strict=True)) for i in inner]
            for key in table.keys
        ],
        dtype=np.int64,
    )
    tables = guesses @ sums.T
    possible = tables[np.all(tables[:, ~mask] == table.value[~mask], axis=1)][:, found.cells]
    assert found.low.tolist() == possible.min(axis=0).tolist()
    assert found.high.tolist() == possible.max(axis=0).tolist()


def test_a_whole_audit_needs_whole_values() -> None:
    table = from_inner([Dimension.flat("v", ["a", "b"])], [("a",), ("b",)], np.array([0.5, 2.0]))
    with pytest.raises(ParameterError, match="whole must be asked of tables of whole numbers only"):
        audit(table, whole=True)


def test_a_lone_suppression_is_disclosed_and_an_open_end_is_told() -> None:
    table = from_inner([Dimension.flat("v", ["a", "b"])], [("a",), ("b",)], np.array([3.0, 4.0]))
    lone = audit(hiding(table, [("a",)]))
    assert lone.disclosed.tolist() == [table.position[("a",)]]
    both = audit(hiding(table, [("a",), ("Total",)]))  # the total is hidden too: a may be anything
    at = both.cells.tolist().index(table.position[("a",)])
    assert (both.low[at], both.high[at]) == (0, np.inf)


def test_the_only_contributor_of_a_cell_undoes_its_partner() -> None:
    # 1 and 4 hide each other in their row; whoever is the 1 knows it, and so the 4
    table = from_inner([Dimension.flat("v", ["a", "b", "c"])], [("a",), ("b",), ("c",)], np.array([1.0, 4.0, 9.0]))
    table = hiding(table.flag_cells(table.value < 5, sliding=5.0), [])
    assert not audit(table).narrow.size
    found = leaks(table, coalition=1)
    assert [(table.keys[leak.insider][0], [table.keys[cell][0] for cell in leak.exposed]) for leak in found] == [
        ("a", ["b"]),
        ("b", ["a"]),
    ]


@try_examples(80)
@given(st.integers(0, 10**6))
def test_nothing_is_lost_by_asking_less(seed: int) -> None:
    table, hidden = puzzle(seed)
    found = audit(table.suppress_cells(hidden))
    assert found.certain.all()
    for cell, low, high in zip(found.cells.tolist(), found.low, found.high, strict=True):
        assert (low, high) == pytest.approx(interval(table, hidden, cell), abs=1e-6), table.keys[cell]


@given(st.integers(0, 10**6))
def test_nor_over_whole_tables(seed: int) -> None:
    table, hidden = puzzle(seed)
    found = audit(table.suppress_cells(hidden), whole=True)
    for cell, low, high in zip(found.cells.tolist(), found.low, found.high, strict=True):
        assert (low, high) == whole_interval(table, hidden, cell), table.keys[cell]


@try_examples(60)
@given(st.integers(0, 10**6), st.integers(0, 9), st.integers(0, 9), st.integers(0, 15))
def test_the_quick_verdict_is_the_audit_s(seed: int, lower: int, upper: int, sliding: int) -> None:
    table, hidden = puzzle(seed)
    chosen = hidden & (np.arange(len(table)) % 3 == seed % 3)
    wide = max(sliding, 0 if lower or upper else 1)
    table = table.flag_cells(chosen, lower=lower, upper=upper, sliding=wide).suppress_cells(hidden)
    needs = Needs.of(table)
    assert needs.cells[find_exposed(attacker_of(table), needs)].tolist() == audit(table).narrow.tolist()


def large(seed: int) -> Table:
    rng = np.random.default_rng(seed)
    table = grid((9, 9, 9), rng)
    return table.flag_cells((table.value > 0) & (table.value < 5), sliding=10.0).suppress_cells(
        rng.random(len(table)) < 0.3
    )


def test_each_step_is_certain_of_more_and_what_it_has_seen_is_possible() -> None:
    table = large(1)
    made = list(audit_steps(table))
    assert len(made) > 10
    assert made[-1].done == made[-1].total == len(made[-1].audit.cells)
    last = made[-1].audit
    for one, two in pairwise(made):
        assert one.done <= two.done
        for known in (
            one.audit.certain & ~two.audit.certain,
            one.audit.low < two.audit.low,
            one.audit.high > two.audit.high,
        ):
            assert not known.any()
    for one in made:
        sure = one.audit.certain
        assert np.array_equal(one.audit.low[sure], last.low[sure])
        assert np.array_equal(one.audit.high[sure], last.high[sure])
        assert set(one.audit.narrow.tolist()) <= set(last.narrow.tolist())


def test_an_audit_cut_short_says_so_and_calls_nothing_disclosed_that_is_not() -> None:
    table = large(1)
    short, last = audit(table, seconds=1e-9), audit(table)
    assert short.unsettled.size
    assert not last.unsettled.size
    assert set(short.disclosed.tolist()) <= set(last.disclosed.tolist())
    assert np.all(short.low >= last.low)
    assert np.all(short.high <= last.high)
    with pytest.raises(ParameterError, match="seconds must be above 0, not 0"):
        audit(table, seconds=0)


@try_examples(40)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(0, 4), st.integers(0, 9))
def test_insiders_learn_what_an_attacker_with_their_knowledge_learns(
    seed: int, coalition: int, level: int, sliding: int
) -> None:
    table, hidden = puzzle(seed)
    chosen = hidden & (np.arange(len(table)) % 2 == seed % 2)
    table = table.flag_cells(chosen, lower=level, upper=level, sliding=max(sliding, 0 if level else 1)).suppress_cells(
        hidden
    )
    table = name_contributions(table, coalition)
    slow: list[tuple[int, list[int]]] = []
    for cell in np.flatnonzero(table.suppressed).tolist():
        lower, upper = table.lower.copy(), table.upper.copy()
        low, high = known_bounds(table, cell, coalition)
        lower[cell], upper[cell] = max(lower[cell], low), min(upper[cell], high)
        if lower[cell] == table.lower[cell] and upper[cell] == table.upper[cell]:
            continue
        narrow = [other for other in audit(replace(table, lower=lower, upper=upper)).narrow.tolist() if other != cell]
        slow += [(cell, narrow)] if narrow else []
    assert [(leak.insider, list(leak.exposed)) for leak in leaks(table, coalition=coalition)] == slow


def test_a_pattern_on_which_the_primal_simplex_method_stalls() -> None:
    # HiGHS 1.15 leaves one of these programs with status "unknown", from scratch as well; by the dual method it solves
    # it.
    table = grid((5, 5, 4), np.random.default_rng(1), high=40)
    table = table.flag_cells((table.value > 0) & (table.value < 5), sliding=10.0)
    hidden = np.zeros(len(table), dtype=np.bool_)
    hidden[[38, 39, 41, 42, 43, 44, 56, 57, 58, 59, 71, 73, 74, 76, 78, 79, 84, 86, 88, 89, 91, 97, 98, 99, 101]] = True
    hidden[[103, 104, 106, 108, 109, 112, 114, 118, 119, 127, 128, 129, 138, 139, 142, 143, 144, 147, 148, 149]] = True
    hidden[[166, 168, 175, 176, 178]] = True
    assert find_exposed(attacker_on(table, hidden), Needs.of(table)).size == 0
    intervals = [interval(table, hidden, cell) for cell in np.flatnonzero(table.primary).tolist()]
    assert all(high - low >= 10 for low, high in intervals)


def test_the_whole_interval_can_be_narrower() -> None:
    # x + y + u = y + z + v = z + x + w = 1 (shown), t = x + y + z. Over all tables x = y = z = 1/2 makes t = 3/2; over
    # whole ones any two of x, y, z are at most 1 together, so at most one of them is 1, and t is at most 1
    names = ["x", "y", "z", "u", "v", "w", "t", "one", "two", "three"]
    sums = [("x", "y", "u", "one"), ("y", "z", "v", "two"), ("z", "x", "w", "three"), ("x", "y", "z", "t")]
    rows = np.array([[-(name == row[-1]) or int(name in row) for name in names] for row in sums], dtype=np.float64)
    value = np.array([1, 0, 0, 0, 1, 0, 1, 1, 1, 1], dtype=np.float64)
    table = Table.of(
        dims=["v"],
        keys=[(name,) for name in names],
        value=value,
        matrix=csr_array(rows),
        equations=["1", "2", "3", "t"],
    ).suppress_cells(np.arange(10) < 7)
    at = names.index("t")
    linear, whole = audit(table), audit(table, whole=True)
    assert (linear.low[at], linear.high[at]) == (0, 1.5)
    assert (whole.low[at], whole.high[at]) == (0, 1)


def test_cells_that_move_against_each_other_without_end_are_told_so() -> None:
    # Values below 0 are possible: hidden cells may go on for ever, some up and some down, so that their sum does not
    # tell.
    for seed in range(60):
        rng = np.random.default_rng(seed)
        table = grid((3, 3), rng, high=40)
        hidden = rng.random(len(table)) < rng.choice([0.5, 0.7, 0.9])
        table = replace(table, lower=np.full(len(table), -np.inf)).flag_cells(hidden, sliding=1.0)
        found = audit(table)
        assert not found.unsettled.size
        # without any bound a cell that can move at all can go on for ever
        assert np.all(np.isneginf(found.low) == np.isposinf(found.high))
        assert np.all(np.isposinf(found.high) | (found.low == found.high))


def test_sums_that_do_not_nest_determine_a_cell_that_none_of_them_shows() -> None:
    # G1 = c0 + c1, G2 = c0 + c3 + c4 and G3 = c1 + c3 + c4 are shown: c0 = (G1 + G2 - G3) / 2 = (23 + 73 - 90) / 2 = 3,
    # so c1 = 20, and the total is 15 + 3 + 20 + (73 - 3) = 108; c3 and c4 share 70
    sizes = {"c0": 3, "c1": 20, "c2": 15, "c3": 30, "c4": 40}
    sums = {"G1": ("c0", "c1"), "G2": ("c0", "c3", "c4"), "G3": ("c1", "c3", "c4")}
    side = Dimension(name="c", parent=dict.fromkeys(sizes, "Total"), groupings=sums)
    table = from_inner([side], [(code,) for code in sizes], np.array(list(sizes.values()), dtype=np.float64))
    table = hiding(table, [("Total",), ("c0",), ("c1",), ("c3",), ("c4",)])
    found = audit(table)
    ends = {
        table.keys[cell][0]: (low, high) for cell, low, high in zip(found.cells, found.low, found.high, strict=True)
    }
    assert ends == {"Total": (108, 108), "c0": (3, 3), "c1": (20, 20), "c3": (0, 70), "c4": (0, 70)}
    assert [table.keys[cell][0] for cell in found.disclosed] == ["Total", "c0", "c1"]


def test_insiders_of_a_cell_that_moves_with_a_primary_without_end_still_know_what_they_gave() -> None:
    # b = 9 is shown, a = 3 and the total 12 are not: they move together, up without end, down by 3 for outsiders, which
    # is what the total needs. One of the three of a knows that a is at least 1, and the total at least 10: it can move
    # down by 2 only.
    table = from_inner([Dimension.flat("v", ["a", "b"])], [("a",), ("b",)], np.array([3.0, 9.0]))
    table = hiding(table.flag_cells(np.array([key == ("Total",) for key in table.keys]), lower=3.0), [("a",)])
    assert not audit(table).narrow.size
    (leak,) = leaks(table, coalition=1)
    assert (table.keys[leak.insider], [table.keys[cell] for cell in leak.exposed]) == (("a",), [("Total",)])


@try_examples(40)
@given(st.sampled_from(KINDS), st.integers(0, 10**6), st.sampled_from([10**6 + 3, 10**9 + 7, 10**12 + 39]))
def test_the_intervals_of_large_sums_are_those_of_small_ones_in_proportion(kind: str, seed: int, times: int) -> None:
    # The solver allows for 1e-7, whatever the size of the numbers: with sums of billions it called programs infeasible
    # or unbounded.
    table = pattern(kind, seed)
    larger = replace(table, value=table.value * times, lower=table.lower * times, upper=table.upper * times)
    small, large = audit(table), audit(larger)
    slack = 1e-9 * times * max(1.0, float(np.abs(table.value).max()))
    for one, other in ((small.low, large.low), (small.high, large.high)):
        assert other.tolist() == pytest.approx((one * times).tolist(), rel=1e-9, abs=slack)
    assert large.disclosed.tolist() == small.disclosed.tolist()


@pytest.mark.parametrize(("kind", "seed"), [("grouped", 13), ("grouped two-way", 197), ("relations", 18), ("signs", 5)])
def test_nothing_is_called_endless_that_only_is_large(kind: str, seed: int) -> None:
    # with cells of a hundred billion each of these had a certain interval without a lower end, or no answer
    table, times = pattern(kind, seed), 10**10 + 19
    large = audit(replace(table, value=table.value * times, lower=table.lower * times, upper=table.upper * times))
    assert np.isinf(large.low).tolist() == np.isinf(audit(table).low).tolist()


def test_a_program_that_ends_at_its_limit_says_nothing_of_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    # whoever reads "no point" as "nothing stops it" calls an interval certain that nobody has computed
    table, solve = large(1), Program.solve

    def limited(program: Program) -> Solution:
        return replace(solve(program), status=SolveStatus.LIMIT)

    monkeypatch.setattr(Program, "solve", limited)
    found = audit(table, seconds=1000)
    assert found.unsettled.size
    assert np.isfinite(found.high[found.certain]).all()
