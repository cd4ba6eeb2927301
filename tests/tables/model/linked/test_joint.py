"""Margins that agree with each other need not be those of any table: where linked tables form a cycle, the joint
table counts too."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.laws import try_examples
from tests.tables.triples import RULE, SCOPES, Cube, cube_of, dimensions, interval, leak, margins, tree, triple

from sekisho.errors import FaultsError, InfeasibleError, ParameterError
from sekisho.tables.audit.intervals import audit
from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.check.joint import _acyclic
from sekisho.tables.explain import summary
from sekisho.tables.files.argus import tab_files
from sekisho.tables.files.jj import jj_table, jj_text
from sekisho.tables.files.pattern import pattern_frame
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.linked import joint as joint_module
from sekisho.tables.model.linked.join import join_tables, part_tables, view_tables
from sekisho.tables.model.linked.joint import Filling, add_cells, is_acyclic, read_lists, tie_cells
from sekisho.tables.model.table import NOTHING_MORE, Cover, CoverGap, Status, Table
from sekisho.tables.rules.primary import primaries
from sekisho.tables.suppress.optimiser import Optimiser

# moves between all eight cells that leave every margin by two dimensions as it is, by a half, beside an even table
HALF = 1.0 + 0.5 * np.array([[[1.0, -1.0], [-1.0, 1.0]], [[-1.0, 1.0], [1.0, -1.0]]])


def protected(system: Table) -> Table | None:
    try:
        return Optimiser().suppress(system).table
    except InfeasibleError:
        return None


def hidden_at_random(tables: list[Table], seed: int) -> list[Table]:
    """Tables that each hide their primaries and some other cells; a shared cell is hidden by all or by none."""
    system = join_tables(tables, joint=False)
    mask = np.random.default_rng(seed).random(len(system)) < 0.5
    return part_tables(system.suppress_cells(mask), tables)


# Seed 23: certified at width 10, an attacker who thinks of the eight joint counts is left with 5.
def test_a_triple_that_was_certified_and_leaked() -> None:
    cube = cube_of(23)
    tables, dims = triple(cube), dimensions(cube.shape)
    before = protected(join_tables(tables, joint=False))
    assert before is not None
    assert not audit(before).narrow.size
    assert leak(before, dims) == pytest.approx(5.0)
    view = view_tables(part_tables(before, tables)).table
    assert audit(view).narrow.size
    after = protected(join_tables(tables))
    assert after is not None
    assert leak(after, dims) >= 10 - 1e-6
    assert after.own == len(before)


@try_examples(12)
@given(st.integers(0, 10_000), st.sampled_from([(2, 2, 2), (2, 3, 2)]), st.sampled_from([5, 8]))
def test_what_is_called_safe_is_safe_for_the_joint_table(seed: int, shape: tuple[int, ...], high: int) -> None:
    cube = cube_of(seed, shape, high)
    tables = triple(cube)
    system = join_tables(tables)
    assert system.joint.cover is Cover.COVERED
    done = protected(system)
    if done is None:  # then not even all cells together protect every primary
        everything = np.where(system.status == Status.SAFE, np.int8(Status.SECONDARY), system.status)
        assert leak(replace(system, status=everything), dimensions(shape)) < 10 - 1e-6
    else:
        assert leak(done, dimensions(shape)) >= 10 - 1e-6


@try_examples(15)
@given(st.integers(0, 10_000), st.sampled_from([(2, 2, 2), (2, 3, 2), (2, 2, 2, 2)]), st.sampled_from(["all", "whole"]))
def test_intervals_are_those_of_the_joint_table(seed: int, shape: tuple[int, ...], over: str) -> None:
    whole = over == "whole"
    cube = cube_of(seed, shape)
    view = view_tables(hidden_at_random(triple(cube), seed)).table
    found = audit(view, whole=whole)
    assert found.certain.all()
    assert not view.unpublished[found.cells].any()
    for cell, low, high in zip(found.cells.tolist(), found.low, found.high, strict=True):
        assert (low, high) == pytest.approx(interval(view, dimensions(shape), cell, whole=whole), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_trees_and_groupings_have_a_joint_table_over_their_leaves(seed: int) -> None:
    dims = [tree(), *dimensions((2, 2, 2))[1:]]
    tables = margins(cube_of(seed, (3, 2, 2)), dims, SCOPES)
    view = view_tables(hidden_at_random(tables, seed)).table
    assert view.joint.cells == int(view.unpublished.sum()) == 12
    found = audit(view)
    for cell, low, high in zip(found.cells.tolist(), found.low, found.high, strict=True):
        assert (low, high) == pytest.approx(interval(view, dims, cell), abs=1e-6)


@try_examples(15)
@given(st.integers(0, 10_000))
def test_it_does_not_matter_which_joint_table_is_taken(seed: int) -> None:
    cube = cube_of(seed)
    tables = hidden_at_random(triple(cube), seed)
    ours = view_tables(tables).table
    plain = view_tables(tables, joint=False).table
    lists = read_lists(tables, dict(zip(plain.dims, plain.margins, strict=True)))
    assert lists is not None
    ties = tie_cells(plain, tables, lists)
    # the truth, and a corner of a stranger's
    corner = linprog(
        np.random.default_rng(seed).random(8), A_eq=ties.rows.toarray(), b_eq=plain.value[list(ties.cells)]
    ).x
    assert corner is not None
    for base in (cube.ravel(), np.maximum(np.round(corner, 9), 0.0)):
        other = add_cells(plain, lists, ties, base)
        one, two = audit(ours), audit(other)
        assert one.low == pytest.approx(two.low, abs=1e-6)
        assert one.high == pytest.approx(two.high, abs=1e-6)


# ---- when it is needed


def runs(scopes: list[frozenset[str]]) -> bool:
    """Whether some order has the running intersection property: what defines acyclic sets, by trying all orders."""

    def kept(order: tuple[frozenset[str], ...]) -> bool:
        for at in range(1, len(order)):
            common = order[at] & frozenset[str]().union(*order[:at])
            if not any(common <= one for one in order[:at]):
                return False
        return True

    return any(kept(order) for order in permutations(scopes))


SETS = st.lists(st.frozensets(st.sampled_from("rjabc"), min_size=1, max_size=4), min_size=1, max_size=5)


@given(SETS)
def test_cycles_are_told_by_both_as_by_trying_all_orders(scopes: list[frozenset[str]]) -> None:
    assert is_acyclic(scopes) == runs(scopes)
    places = [frozenset(map("rjabc".index, scope)) for scope in dict.fromkeys(scopes)]
    assert _acyclic(places) == runs(scopes)


@pytest.mark.parametrize("scopes", [["rj", "ra"], ["rj", "ra", "ja", "rja"], ["rj", "ab"], ["rj", "rj"], ["rj"]])
def test_no_cycles(scopes: list[str]) -> None:
    assert is_acyclic(scopes)


@pytest.mark.parametrize("scopes", [["rj", "ra", "ja"], ["rj", "ja", "ab", "rb"], ["rja", "jab", "rb"]])
def test_cycles(scopes: list[str]) -> None:
    assert not is_acyclic(scopes)


@try_examples(15)
@given(st.integers(0, 10_000), st.sampled_from([[(0, 1), (0, 2)], [(0, 1), (1, 2)], [(0,), (1, 2)]]))
def test_without_a_cycle_the_joint_table_says_nothing_more(seed: int, scopes: list[tuple[int, ...]]) -> None:
    cube = cube_of(seed)
    view = view_tables(hidden_at_random(margins(cube, dimensions(cube.shape), scopes), seed)).table
    assert view.joint.cover is Cover.NONE_NEEDED
    assert not view.unpublished.any()
    for whole in (False, True):
        found = audit(view, whole=whole)
        for cell, low, high in zip(found.cells.tolist(), found.low, found.high, strict=True):
            wanted = interval(view, dimensions(cube.shape), cell, whole=whole)
            assert (low, high) == pytest.approx(wanted, abs=1e-6)


def test_sums_of_any_sign_need_no_joint_table() -> None:
    cube = cube_of(1) - 2.0
    assert (cube.sum(axis=0) < 0).any()
    assert join_tables(triple(cube)).joint.cover is Cover.NONE_NEEDED


def test_three_margins_of_nobody_are_refused() -> None:
    # people of r0 have j0, those of j0 have a0, but those of r0 have a1: each pair of tables agrees
    same, other = np.array([[5.0, 0.0], [0.0, 5.0]]), np.array([[0.0, 5.0], [5.0, 0.0]])
    r, j, a = dimensions((2, 2, 2))
    tables = [
        from_inner(pair, list(product(pair[0].leaves, pair[1].leaves)), counts.ravel())
        for pair, counts in (((r, j), same), ((r, a), other), ((j, a), same))
    ]
    with pytest.raises(
        FaultsError, match="r x j, r x a, j x a contradict each other: no table r x j x a without negative"
    ):
        join_tables(tables)
    assert join_tables(tables, joint=False).joint.gap is CoverGap.ASKED


# ---- limits


def test_too_many_cells_are_a_limit_that_is_named() -> None:
    tables = triple(cube_of(23))
    system = join_tables(tables, most=7)
    assert system.joint.gap is CoverGap.MANY
    assert not system.unpublished.any()
    assert "joint table over r, j, a (8 cells) is below 0 (it has too many cells)" in system.joint.limit
    assert view_tables(tables, most=7).table.joint == system.joint
    assert join_tables(tables, joint=True, most=7).joint.cover is Cover.COVERED
    assert join_tables(tables, most=8).joint.cover is Cover.COVERED


def test_more_than_can_be_dealt_with_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_module, "CEILING", 7)
    with pytest.raises(ParameterError, match="at most 7 cells, not 8"):
        join_tables(triple(cube_of(23)), joint=True)


def of(name: str, codes: list[str]) -> Dimension:
    return Dimension.flat(name, codes)


def test_a_code_that_one_table_lacks_holds_nobody() -> None:
    cube = np.array([[[4.0, 2.0], [1.0, 3.0]], [[2.0, 2.0], [5.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
    wide, narrow = of("r", ["e", "n", "w"]), of("r", ["e", "n"])
    j, a = dimensions((3, 2, 2))[1:]
    first = margins(cube, [wide, j, a], [(0, 1)])
    rest = margins(cube[:2], [narrow, j, a], [(0, 2), (1, 2)])
    view = view_tables(hidden_at_random([*first, *rest], 3)).table
    assert view.joint.cover is Cover.COVERED
    assert view.joint.cells == 12
    found = audit(view)
    for cell, low, high in zip(found.cells.tolist(), found.low, found.high, strict=True):
        fixed = replace(view, status=np.where(~view.suppressed | empty(view), np.int8(Status.SAFE), view.status))
        if not empty(view)[cell]:
            assert (low, high) == pytest.approx(interval(fixed, [wide, j, a], cell), abs=1e-6)


def empty(table: Table) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.array([key[0] == "w" for key in table.keys])


def test_lists_of_codes_that_do_not_fit_are_a_limit() -> None:
    cube = cube_of(5, (2, 2, 2)) + 1.0
    five, ten = of("a", ["0-4", "5-9"]), of("a", ["0-9", "10+"])
    r, j, _ = dimensions((2, 2, 2))
    tables = [*margins(cube, [r, j, five], [(0, 1), (0, 2)]), *margins(cube, [r, j, ten], [(1, 2)])]
    assert join_tables(tables).joint.gap is CoverGap.CODES


def test_a_coarser_table_counts_with_its_nodes() -> None:
    fine = Dimension(name="r", parent={"n": "Total", "s": "Total", "n1": "n", "n2": "n", "s1": "s"})
    cube = cube_of(9, (3, 2, 2))
    coarse = of("r", ["n", "s"])
    j, a = dimensions((2, 2, 2))[1:]
    merged = np.stack([cube[0] + cube[1], cube[2]])
    tables = [*margins(cube, [fine, j, a], [(0, 1), (1, 2)]), *margins(merged, [coarse, j, a], [(0, 2)])]
    view = view_tables(hidden_at_random(tables, 2)).table
    assert view.joint.cells == 12
    found = audit(view)
    for cell, low, high in zip(found.cells.tolist(), found.low, found.high, strict=True):
        assert (low, high) == pytest.approx(interval(view, [fine, j, a], cell), abs=1e-6)
    answer = Optimiser().suppress(join_tables(tables))
    assert check(json.dumps(make_certificate(answer))).errors == ()


def test_codes_that_are_sums_of_each_other_are_a_limit() -> None:
    up = Dimension(name="r", parent={"x": "Total", "y": "x", "z": "x"})
    down = Dimension(name="r", parent={"y": "Total", "x": "y", "z": "y"})
    r, j = up, dimensions((2, 2))[1]
    none = np.zeros(4)
    tables = [from_inner((dim, j), list(product(dim.leaves, j.leaves)), none) for dim in (r, down)]
    assert read_lists(tables, {"r": "Total", "j": "Total"}) is None
    assert join_tables(tables).joint.gap is CoverGap.CODES


def test_two_lists_of_codes_of_all_dimensions_are_a_limit() -> None:
    cube = cube_of(5, (2, 2)) + 1.0
    r = dimensions((2,))[0]
    tables = [
        table for ages in (["0-4", "5-9"], ["0-9", "10+"]) for table in margins(cube, [r, of("a", ages)], [(0, 1)])
    ]
    assert join_tables(tables).joint.gap is CoverGap.CODES


def test_one_table_is_its_own_joint_table() -> None:
    own = join_tables(triple(cube_of(23)), joint=False)  # no product of lists of codes
    assert join_tables([replace(own, joint=NOTHING_MORE)]).joint is NOTHING_MORE


# ---- never published


def test_joint_cells_are_no_part_of_what_is_published() -> None:
    tables = triple(cube_of(23))
    done = protected(join_tables(tables))
    assert done is not None
    frame = pattern_frame(done, value="n")
    assert frame.height == done.own == 19
    assert set(frame["status"]) <= {"safe", "primary", "secondary"}
    assert sum(one.cells for one in summary(done)) == 19
    assert "unpublished" not in repr(done)
    flagged = primaries(join_tables(tables), [RULE])
    assert not flagged.primary[flagged.unpublished].any()
    with pytest.raises(ParameterError, match="published cells only"):
        tab_files(done, Path("x.tab"))
    assert int(jj_table(jj_text(done)).suppressed.sum()) == int(done.suppressed.sum())
    assert float(done.weight[done.unpublished].sum()) == 0.0


def test_a_whole_number_audit_needs_a_whole_joint_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def halves(*_: object) -> tuple[Filling, Cube]:
        return Filling.CLOSE, cube_of(23).ravel() + HALF.ravel()

    monkeypatch.setattr(joint_module, "fill_margins", halves)
    view = view_tables(triple(cube_of(23) + 1.0)).table
    assert audit(view).certain.all()
    with pytest.raises(ParameterError, match="a joint table for which none was found"):
        audit(view, whole=True)
