"""A table is one system of cells and equations; what does not add up is refused with the equations named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sekisho.errors import FaultsError, ParameterError
from sekisho.tables.model.geometry import Dimension, from_cells, from_inner
from sekisho.tables.model.linked.join import join_tables
from sekisho.tables.model.linked.populations import difference_tables
from sekisho.tables.model.table import TOTAL, Status, Table

ROWS = Dimension.flat("v1", ["a", "b"])
COLUMNS = Dimension.flat("v2", ["c", "d", "e"])
INNER = [(i, j) for i in "ab" for j in "cde"]


def plain() -> Table:
    return from_inner([ROWS, COLUMNS], INNER, np.arange(1.0, 7.0))


def test_margins_are_summed() -> None:
    # 1 2 3 | 6
    # 4 5 6 | 15
    # 5 7 9 | 21
    table = plain()
    shown = {key: float(table.value[at]) for key, at in table.position.items()}
    assert shown[("a", TOTAL)] == 6
    assert shown[("b", TOTAL)] == 15
    assert shown[(TOTAL, "e")] == 9
    assert shown[(TOTAL, TOTAL)] == 21
    assert len(table) == 12
    assert len(table.equations) == 4 + 3


def test_trees_and_groupings_give_equations() -> None:
    tree = Dimension(
        name="r",
        parent={"north": TOTAL, "south": TOTAL, "n1": "north", "n2": "north", "s1": "south", "s2": "south"},
        groupings={"coast": ("n1", "s1"), "all but n2": ("n1", "south")},
    )
    table = from_inner([tree], [("n1",), ("n2",), ("s1",), ("s2",)], np.array([1.0, 2.0, 4.0, 8.0]))
    shown = {key[0]: float(table.value[at]) for key, at in table.position.items()}
    assert shown == {
        TOTAL: 15,
        "north": 3,
        "n1": 1,
        "n2": 2,
        "south": 12,
        "s1": 4,
        "s2": 8,
        "coast": 5,
        "all but n2": 13,
    }
    assert table.equations == ("r=Total", "r=north", "r=south", "r=coast", "r=all but n2")
    assert np.all(table.matrix @ table.value == 0)


def test_what_does_not_add_up_is_refused_with_every_equation_named() -> None:
    keys = list(plain().keys)
    value = plain().value.copy()
    value[keys.index(("a", TOTAL))] += 1
    with pytest.raises(FaultsError) as caught:
        from_cells([ROWS, COLUMNS], keys, value)
    # row a has a wrong total, and so has the margin column, of which that total is a part
    assert {fault.message.split(" does")[0] for fault in caught.value.faults} == {
        "equation v2=Total at v1=a",
        "equation v1=Total at v2=Total",
    }


def test_cells_may_come_with_right_margins_or_without_any() -> None:
    table = plain()
    again = from_cells([ROWS, COLUMNS], table.keys, table.value)
    assert again.keys == table.keys
    with pytest.raises(FaultsError, match="missing"):
        from_cells([ROWS, COLUMNS], table.keys[1:], table.value[1:])


@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        ([("a", "c"), ("a", "c")], "duplicate"),
        ([("a", "c"), ("z", "c")], "inner cell"),
        ([("Total", "c")], "inner cell"),
    ],
)
def test_bad_inner_cells_are_refused(keys: list[tuple[str, str]], rule: str) -> None:
    with pytest.raises(FaultsError) as caught:
        from_inner([ROWS, COLUMNS], keys, np.ones(len(keys)))
    assert {fault.rule for fault in caught.value.faults} == {rule}


@pytest.mark.parametrize(
    ("parent", "rule"),
    [
        ({"a": "b", "b": "a"}, "cycle"),
        ({"a": "z"}, "unknown code"),
        ({"Total": "a", "a": "Total"}, "root"),
        ({}, "empty"),
    ],
)
def test_bad_trees_are_refused(parent: dict[str, str], rule: str) -> None:
    with pytest.raises(FaultsError) as caught:
        Dimension(name="v", parent=parent)
    assert rule in {fault.rule for fault in caught.value.faults}


def test_a_bad_cell_is_named() -> None:
    table = plain()
    with pytest.raises(FaultsError, match="outside its bounds"):
        replace(table, upper=np.full(len(table), 10.0))
    with pytest.raises(FaultsError, match="must be published"):
        replace(table, status=np.full(len(table), Status.PUBLISH, dtype=np.int8)).flag_cells(table.value < 2)


def test_nothing_writes_into_a_table() -> None:
    with pytest.raises(ValueError, match="read-only"):
        plain().value[0] = 3


def test_linked_tables_share_their_common_cells() -> None:
    other = from_inner(
        [ROWS, Dimension.flat("v3", ["f", "g"])], [(i, j) for i in "ab" for j in "fg"], np.array([2.0, 4, 7, 8])
    )
    both = join_tables([plain().flag_cells(plain().value == 6, sliding=1.0), other])
    assert both.dims == ("v1", "v2", "v3")
    # 12 + 9 cells, of which (a), (b) and the grand total are shared
    assert len(both) == 12 + 9 - 3
    assert len(set(both.keys)) == len(both)
    assert both.primary.sum() == 2
    assert len(both.equations) == 7 + 6


def test_linked_tables_that_disagree_are_refused() -> None:
    other = from_inner([ROWS], [("a",), ("b",)], np.array([6.0, 16.0]))
    with pytest.raises(FaultsError) as caught:
        join_tables([plain(), other])
    assert len(caught.value.faults) == 2  # row b, and with it the grand total


def test_a_difference_of_populations_is_a_cell() -> None:
    part = from_inner([ROWS], [("a",), ("b",)], np.array([5.0, 9.0]))
    whole = from_inner([ROWS], [("a",), ("b",)], np.array([6.0, 19.0]))
    both = difference_tables(whole, part, names=("all", "adults", "children"))
    shown = {key: float(both.value[at]) for key, at in both.position.items()}
    assert shown[("children", "a")] == 1
    assert shown[("children", TOTAL)] == 11
    assert np.all(both.matrix @ both.value == 0)
    hidden = {key for key, at in both.position.items() if both.suppressed[at]}
    assert {key[0] for key in hidden} == {"children"}
    with pytest.raises(FaultsError, match="exceeds"):
        difference_tables(part, whole, names=("x", "y", "z"))
    with pytest.raises(ParameterError, match="names must be three different ones"):
        difference_tables(whole, part, names=("all", "difference", "difference"))


@pytest.mark.parametrize("number", [-1.0, np.nan, np.inf, 1e20])
def test_levels_and_costs_that_no_solver_counts_with_are_refused(number: float) -> None:
    table = from_inner([Dimension.flat("a", "xy")], [("x",), ("y",)], np.array([1.0, 2.0]))
    for name in ("weight", "lower_level", "upper_level", "sliding_level"):
        with pytest.raises(FaultsError, match="negative, too large or no number"):
            replace(table, **{name: np.full(len(table), number)})
