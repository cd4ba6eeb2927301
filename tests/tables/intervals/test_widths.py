"""Intervals must be as narrow as protection allows and no narrower, and must not betray where the truth stands."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.seeds import secret_rng
from sekisho.tables.audit.statement_audit import audit_statements
from sekisho.tables.certificate.seal_release import find_release_evidence, seal_release
from sekisho.tables.check.release_checker import check_release
from sekisho.tables.files.source import choose_cells
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.intervals.positions import draw_positions
from sekisho.tables.intervals.publish import publish_intervals
from sekisho.tables.intervals.widths import WidthColumns, WidthSearch, WidthStep
from sekisho.tables.methods.intervals import IntervalMethod
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Table


def build(shape: tuple[int, ...], inner: list[float]) -> Table:
    dimensions = [
        Dimension.flat("abc"[axis], [f"{'abc'[axis]}{at + 1}" for at in range(n)]) for axis, n in enumerate(shape)
    ]
    return from_inner(dimensions, list(product(*(each.leaves for each in dimensions))), np.array(inner, dtype=float))


def flag(table: Table, cells: list[tuple[str, ...]], **levels: float) -> Table:
    mask = np.zeros(len(table), dtype=np.bool_)
    mask[[table.position[cell] for cell in cells]] = True
    return table.flag_cells(mask, **levels)


def search(table: Table) -> WidthStep:
    *_, last = WidthSearch(table, WidthColumns.of(table)).steps()
    return last


def test_published_cases(shared: Callable[[str], Path]) -> None:
    for case in json.loads(shared("tables/beyond/published-intervals.json").read_text())["cases"]:
        if "file" in case:
            path = shared("tables/t10x10.csv")
            table = choose_cells(path, TableForm(), dims=["v1", "v2"], count="n").read_table(path).table
            flagged = table.flag_cells((table.value >= 1) & (table.value <= 4), sliding=case["width"])
        else:
            cells = [tuple(each) for each in case["sensitive"]]
            table = build(tuple(case["shape"]), case["inner"])
            both = search(flag(table, cells, lower=5.0, upper=5.0))
            assert both.cost == pytest.approx(case["least_width_two_sided"], rel=1e-6)
            flagged = flag(table, cells, sliding=case["width"])
        found = search(flagged)
        assert found.cost == pytest.approx(case["least_width_sliding"], rel=1e-6), case["id"]
        assert found.optimal


def solve_whole(table: Table) -> float:
    """Return the least width by one program with two tables for every unsafe cell; infinity if there is none."""
    n, unsafe = len(table), np.flatnonzero(table.primary).tolist()
    count = 2 * n + 2 * n * len(unsafe)  # z-, z+, then for each unsafe cell a table up and a table down
    equal, upper, right = list[np.ndarray](), list[np.ndarray](), list[float]()
    matrix = table.matrix.toarray()
    for at, cell in enumerate(unsafe):
        starts = [2 * n + 2 * n * at, 2 * n + 2 * n * at + n]
        for start in starts:
            block = np.zeros((len(matrix), count))
            block[:, start : start + n] = matrix
            equal.append(block)
            for way in (1, -1):
                rows = np.zeros((n, count))
                rows[:, start : start + n] = way * np.eye(n)
                rows[:, (n if way > 0 else 0) : (2 * n if way > 0 else n)] = -np.eye(n)
                upper.append(rows)
                right += [0.0] * n
        needs = np.zeros((3, count))
        needs[0, starts[0] + cell] = needs[2, starts[0] + cell] = -1
        needs[1, starts[1] + cell] = needs[2, starts[1] + cell] = 1
        upper.append(needs)
        right += [-table.upper_level[cell], -table.lower_level[cell], -table.sliding_level[cell]]
    limits = [(0, float(each)) for each in table.value] + [(0, None)] * n + [(None, None)] * (count - 2 * n)
    done = linprog(
        np.concatenate([table.weight, table.weight, np.zeros(count - 2 * n)]),
        A_ub=np.vstack(upper),
        b_ub=right,
        A_eq=np.vstack(equal),
        b_eq=np.zeros(sum(len(each) for each in equal)),
        bounds=limits,
    )
    return np.inf if done.status != 0 or done.fun is None else float(done.fun)


@given(seed=st.integers(0, 400))
def test_the_least_width_by_one_large_program(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = ((3, 3), (2, 4), (2, 2, 2))[seed % 3]
    table = build(shape, rng.integers(0, 25, int(np.prod(shape))).tolist())
    cells = rng.choice(len(table), 2, replace=False)
    mask = np.isin(np.arange(len(table)), cells)
    levels = rng.integers(0, 6, 3).astype(float)
    if not levels.any():
        levels[2] = 4.0
    flagged = table.flag_cells(mask, lower=levels[0], upper=levels[1], sliding=2 * levels[2])
    flagged = replace(flagged, weight=rng.integers(1, 4, len(table)).astype(float))
    wanted = solve_whole(flagged)
    if not np.isfinite(wanted):
        with pytest.raises(InfeasibleError):
            search(flagged)
        return
    found = search(flagged)
    assert found.cost == pytest.approx(wanted, rel=1e-6, abs=1e-6)
    assert found.bound == pytest.approx(wanted, rel=1e-6, abs=1e-6)


def test_positions_are_drawn_over_all_that_bounds_admit() -> None:
    table = flag(build((3, 3), [20, 50, 10, 8, 19, 3, 17, 32, 12]), [("a2", "b3"), ("a1", "b1")], sliding=10.0)
    draws = [draw_positions(table, rng=secret_rng()) for _ in range(300)]
    small, large = table.position["a2", "b3"], table.position["a1", "b1"]
    assert {each.down[small] for each in draws} == {0, 1, 2, 3}  # a count of 3 lies at most 3 above 0
    assert {each.down[large] for each in draws} == set(range(11))
    assert all(each.down[large] + each.up[large] == 10 for each in draws)
    shares = np.array([each.share[table.position["a1", "b2"]] for each in draws])
    # from 0 to 50 of 57 to 60: with more of its width below 50 it could not rise by the 7 to 10 that were drawn
    assert 0.33 < shares.mean() < 0.5
    assert 0.7 < shares.max() <= 50 / 57


def test_intervals_are_found_whatever_is_drawn() -> None:
    # One unsafe count in a column of zeros under a total of 6: a share of nearly all below it would let nothing rise.
    table = flag(build((3, 2), [1, 20, 0, 30, 5, 12]), [("a1", "b1")], sliding=6.0)
    for _ in range(60):
        made = publish_intervals(table, rng=secret_rng())
        assert audit_statements(table, made.statements, truth=table.value).width[table.primary].min() >= 6 - 1e-6


def test_a_release_has_whole_ends_and_protects() -> None:
    table = flag(build((3, 3), [20, 50, 10, 8, 19, 22, 17, 32, 12]), [("a2", "b3"), ("a1", "b1")], sliding=10.0)
    for _ in range(5):
        made = publish_intervals(table, rng=secret_rng())
        assert np.all(made.low == np.rint(made.low))
        assert np.all((made.low <= table.value) & (table.value <= made.high))
        audit = audit_statements(table, made.statements, truth=table.value)
        assert audit.width[table.primary].min() >= 10 - 1e-6
        assert float(made.proof.bound) <= made.width
        assert made.step.bound <= made.width + 1e-6


def test_equal_levels_without_positions_are_refused() -> None:
    table = build((3, 3), [20, 50, 10, 8, 19, 22, 17, 32, 12])
    with pytest.raises(ParameterError, match="in the middle"):
        publish_intervals(flag(table, [("a2", "b3")], lower=5.0, upper=5.0), rng=None)
    made = publish_intervals(flag(table, [("a2", "b3")], sliding=10.0), rng=None)
    assert (made.width, float(made.proof.bound)) == (40.0, pytest.approx(40.0, rel=1e-6))


def test_certificates_and_what_was_changed_in_them() -> None:
    table = flag(build((3, 3), [20, 50, 10, 8, 19, 22, 17, 32, 12]), [("a2", "b3"), ("a1", "b1")], sliding=10.0)
    made = IntervalMethod().make(table, rng=secret_rng())
    release = made.release
    assert _check(seal_release(release, find_release_evidence(release), made.proof)) == ()
    narrow = replace(release, shown=np.column_stack([table.value, table.value]), cost=0.0, bound=0.0)
    assert _check(seal_release(narrow, find_release_evidence(release), made.proof))
    cheap = replace(release, cost=release.cost - 1)
    assert any("cost" in error for error in _check(seal_release(cheap, find_release_evidence(release), made.proof)))
    proud = replace(release, bound=release.cost)
    assert any("bound" in error for error in _check(seal_release(proud, find_release_evidence(release), made.proof)))
    assert Fraction(release.bound) <= Fraction(release.cost)


def _check(held: object) -> tuple[str, ...]:
    return check_release(json.dumps(held)).errors
