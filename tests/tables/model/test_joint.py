"""Margins that agree with each other need not be those of any table: where linked tables form a cycle, the joint table counts too."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array
from tests.tables.certificate.test_seal import resealed
from tests.tables.triples import RULE, Cube, dimensions, interval, leak, margins, tree, triple

from sekisho.errors import FaultsError, InfeasibleError, ParameterError
from sekisho.tables.audit.intervals import audit
from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.check.joint import _acyclic
from sekisho.tables.explain import summary
from sekisho.tables.files.argus import tab_files
from sekisho.tables.files.jj import jj_table, jj_text
from sekisho.tables.files.pattern import pattern_frame
from sekisho.tables.model import joint as joint_module
from sekisho.tables.model.cover import NOTHING_MORE, Cover, Gap
from sekisho.tables.model.filling import Filling, fill_margins
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.join import join_tables
from sekisho.tables.model.joint import add_cells, is_acyclic, read_lists, tie_cells
from sekisho.tables.model.linked import part_tables, view_tables
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.primary import primaries
from sekisho.tables.suppress.optimiser import Optimiser

# moves between all eight cells that leave every margin by two dimensions as it is, by a half, beside an even table
HALF = 1.0 + 0.5 * np.array([[[1.0, -1.0], [-1.0, 1.0]], [[-1.0, 1.0], [1.0, -1.0]]])
SCOPES = [(0, 1), (0, 2), (1, 2)]


def cube_of(seed: int, shape: tuple[int, ...] = (2, 2, 2), high: int = 6) -> Cube:
    return np.random.default_rng(seed).integers(0, high, shape).astype(np.float64)


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


@settings(deadline=None, max_examples=12)
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


@settings(deadline=None, max_examples=15)
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


@settings(deadline=None, max_examples=15)
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


@settings(deadline=None)
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


@settings(deadline=None, max_examples=15)
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
    assert join_tables(tables, joint=False).joint.gap is Gap.ASKED


# ---- limits


def test_too_many_cells_are_a_limit_that_is_named() -> None:
    tables = triple(cube_of(23))
    system = join_tables(tables, most=7)
    assert system.joint.gap is Gap.MANY
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
    assert join_tables(tables).joint.gap is Gap.CODES


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
    assert join_tables(tables).joint.gap is Gap.CODES


def test_two_lists_of_codes_of_all_dimensions_are_a_limit() -> None:
    cube = cube_of(5, (2, 2)) + 1.0
    r = dimensions((2,))[0]
    tables = [
        table for ages in (["0-4", "5-9"], ["0-9", "10+"]) for table in margins(cube, [r, of("a", ages)], [(0, 1)])
    ]
    assert join_tables(tables).joint.gap is Gap.CODES


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


# ---- certificates


def sealed_triple(seed: int = 23, *, joint: bool | None = None) -> dict[str, Any]:
    return dict(make_certificate(Optimiser().suppress(join_tables(triple(cube_of(seed)), joint=joint))))


@pytest.mark.parametrize("seed", [0, 23, 25])
def test_certificates_with_joint_cells_are_valid(seed: int) -> None:
    held = sealed_triple(seed)
    assert (held["joint"], held["limit"]) == ("covered", "")
    assert held["status"] == "optimal"
    assert check(json.dumps(held)).errors == ()


def test_a_certificate_without_them_names_its_limit() -> None:
    held = sealed_triple(joint=False)
    assert held["joint"] == "not covered"
    assert "may find narrower intervals" in held["limit"]
    assert check(json.dumps(held)).errors == ()
    held["limit"] = ""
    assert any("limit is not named" in error for error in check(resealed(held)).errors)
    held["joint"] = "none-needed"
    assert any("form a cycle" in error for error in check(resealed(held)).errors)


def test_a_forged_joint_table_is_caught() -> None:
    def errors(held: dict[str, Any]) -> str:
        unproven = {"cuts": [], "parts": [], "bound": 0, "status": "feasible"}
        return "; ".join(check(resealed(held | unproven)).errors)

    held = sealed_triple()
    at = held["cells"]["status"].index("unpublished")
    held["cells"]["lower"][at] = -100
    assert "other bounds than 0" in errors(held)

    held = sealed_triple()
    ties = [row for row in held["equations"] if any(held["cells"]["status"][i] == "unpublished" for i, _ in row)]
    held["equations"].remove(ties[0])
    assert "is not the sum of its joint cells" in errors(held)

    held = sealed_triple()
    row = next(row for row in held["equations"] if any(held["cells"]["status"][i] == "unpublished" for i, _ in row))
    row.remove(next(term for term in row if held["cells"]["status"][term[0]] == "unpublished"))
    assert "is not the sum of its joint cells" in errors(held)

    held = sealed_triple()
    held["cells"]["value"][at] = 1
    assert "unpublished and yet has a value" in errors(held)

    held = sealed_triple()
    held["joint"] = "not covered"
    assert "8 cells are unpublished" in errors(held)

    held = sealed_triple()
    held["joint"] = "perhaps"
    assert "8 cells are unpublished" in errors(held)


def test_a_witness_is_a_joint_table() -> None:
    held = sealed_triple()
    point = held["points"][0]
    at = next(k for k, cell in enumerate(point["cells"]) if held["cells"]["status"][cell] == "unpublished")
    point["moves"][at] += point["denominator"]
    assert any("breaks equation" in error for error in check(resealed(held)).errors)
    held = sealed_triple()
    point = held["points"][0]
    kept = [k for k, cell in enumerate(point["cells"]) if held["cells"]["status"][cell] != "unpublished"]
    point["cells"], point["moves"] = ([point[name][k] for k in kept] for name in ("cells", "moves"))
    assert any("breaks equation" in error for error in check(resealed(held)).errors)


@pytest.mark.parametrize("way", ["up", "down"])
def test_what_joint_cells_contribute_counts_against_a_cut(way: str) -> None:
    held = sealed_triple()
    cells = held["cells"]
    row, primary = next(
        (number, i)
        for number, terms in enumerate(held["equations"])
        for i, sign in terms
        if sign < 0 and cells["status"][i] == "primary" and any(cells["status"][j] == "unpublished" for j, _ in terms)
    )
    # the primary moves as its joint cells do: up without end, down to 0; that it can says nothing of other cells
    cells[f"{'upper' if way == 'up' else 'lower'}_level"][primary] = cells["value"][primary]
    multiplier = {"denominator": 1, "rows": [row], "values": [-1 if way == "up" else 1]}
    held["cuts"] = [{"primary": primary, "up": None, "down": None, "counted": False, way: multiplier}]
    held["parts"] = [{"cells": [], "tree": {"scale": 1, "sum": [[0, 1]]}}]
    assert any("cut 0 says nothing" in error for error in check(resealed(held)).errors)


@pytest.mark.parametrize("scale", [0.01, 1 / 7, 1e6 / 7])
@pytest.mark.parametrize("seed", range(3))
def test_certificates_of_sums_with_decimals_are_valid(seed: int, scale: float) -> None:
    cube = cube_of(seed, high=600) * scale
    tables = [
        table.flag_cells(table.value == table.value.min(), lower=0.1 * table.value, upper=0.1 * table.value)
        for table in margins(cube, dimensions(cube.shape), SCOPES)
    ]
    system = join_tables(tables)
    assert system.joint.cover is Cover.COVERED
    assert system.primary.any()
    assert check(json.dumps(make_certificate(Optimiser().suppress(system)))).errors == ()


# ---- a table with given margins


def test_margins_are_filled_in_whole_numbers_where_that_can_be() -> None:
    rows = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    kind, x = fill_margins(csr_array(rows), np.array([3.25, 2.5]))
    assert kind is Filling.EXACT
    assert x is not None
    assert (rows @ x).tolist() == [3.25, 2.5]
    assert (x >= 0).all()


def test_a_fractional_corner_is_taken_where_there_is_no_whole_table() -> None:
    # every two of three cells make 1: each is a half
    kind, x = fill_margins(csr_array(1.0 - np.eye(3)), np.ones(3))
    assert kind is Filling.CLOSE
    assert x is not None
    assert x == pytest.approx([0.5, 0.5, 0.5])


def test_margins_that_no_table_has() -> None:
    assert fill_margins(csr_array([[1.0, 1.0], [1.0, 1.0]]), np.array([1.0, 2.0])) == (Filling.NONE, None)
    # with so many digits the difference may be rounding: nothing is refused for it
    off = np.array([1 / 3, 1 / 3 + 1e-5])
    assert fill_margins(csr_array([[1.0, 1.0], [1.0, 1.0]]), off) == (Filling.ROUNDED, None)


def test_a_whole_number_audit_needs_a_whole_joint_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def halves(*_: object) -> tuple[Filling, Cube]:
        return Filling.CLOSE, cube_of(23).ravel() + HALF.ravel()

    monkeypatch.setattr(joint_module, "fill_margins", halves)
    view = view_tables(triple(cube_of(23) + 1.0)).table
    assert audit(view).certain.all()
    with pytest.raises(ParameterError, match="a joint table for which none was found"):
        audit(view, whole=True)
