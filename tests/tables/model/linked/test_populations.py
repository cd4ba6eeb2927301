"""Differences that are formed must be those declared, and the system must know what an attacker who subtracts knows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from sekisho.errors import FaultsError, ParameterError
from sekisho.tables.audit.intervals import audit
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.linked.difference_contributors import subtract_records
from sekisho.tables.model.linked.populations import Populations, declare_populations
from sekisho.tables.model.table import Status, Table

ROW = Dimension.flat("a", ["u", "v"])


def counted(*counts: float) -> Table:
    return from_inner((ROW,), [("u",), ("v",)], np.array(counts, dtype=np.float64))


def formed(populations: Populations) -> list[str]:
    return [each.name for each in populations.differences]


def test_a_chain_forms_every_pair() -> None:
    chain = declare_populations({"A": counted(9, 8), "B": counted(6, 6), "C": counted(1, 4)})
    assert formed(chain) == ["A - B", "B - C", "A - C"]
    assert chain.subtract(chain.differences[2]).value.tolist() == [12, 8, 4]
    assert formed(declare_populations({"A": counted(9, 8), "B": counted(6, 6)})) == ["difference"]


def test_parts_that_may_overlap_form_a_difference_each() -> None:
    tables = {"A": counted(9, 8), "B": counted(6, 6), "C": counted(7, 7)}
    assert formed(declare_populations(tables, within={"B": "A", "C": "A"})) == ["A - B", "A - C"]


def test_a_split_forms_what_is_left_beside_all_parts() -> None:
    tables = {"A": counted(9, 8), "P": counted(3, 3), "Q": counted(2, 5)}
    split = declare_populations(tables, splits={"A": ("P", "Q")})
    assert formed(split) == ["A - P", "A - Q", "A - P - Q"]
    assert split.subtract(split.differences[2]).value.tolist() == [4, 4, 0]
    # men and women are all: what is left beside the men are the women, whose table has its own rule
    halves = {"A": counted(9, 8), "P": counted(3, 3), "Q": counted(6, 5)}
    assert formed(declare_populations(halves, splits={"A": ("P", "Q")})) == []
    thirds = {"A": counted(9, 8), "P": counted(3, 3), "Q": counted(5, 1), "R": counted(1, 4)}
    assert formed(declare_populations(thirds, splits={"A": ("P", "Q", "R")})) == ["A - P", "A - Q", "A - R"]


@pytest.mark.parametrize(
    ("within", "splits", "said"),
    [
        ({"B": "A", "C": "Z"}, None, "population must be one of A, B, C"),
        ({"B": "A"}, None, "say of every population but the first how it stands to another, not 'C'"),
        ({"A": "B", "B": "A", "C": "A"}, None, "leave A, the first, whole"),
        ({"B": "C", "C": "B"}, None, "go in no circle"),
        ({"B": "A", "C": "B"}, {"A": ("B", "C")}, "agree with C being a part of B"),
        ({"B": "A", "C": "B"}, {"A": ("B",)}, "name two parts of A or more"),
        (None, {"A": ("B", "C", "C")}, "name two parts of A or more"),
    ],
)
def test_declarations_that_make_no_sense_are_refused(
    within: dict[str, str] | None, splits: dict[str, tuple[str, ...]] | None, said: str
) -> None:
    tables = {"A": counted(9, 8), "B": counted(3, 3), "C": counted(1, 1)}
    with pytest.raises(ParameterError, match=said):
        declare_populations(tables, within=within, splits=splits)


def test_what_cannot_be_a_difference_is_refused_by_its_cell() -> None:
    with pytest.raises(FaultsError, match=r"C: .*a=v is 7 and exceeds the larger population's, 6 in B"):
        declare_populations({"A": counted(9, 8), "B": counted(6, 6), "C": counted(1, 7)})
    tables = {"A": counted(9, 8), "P": counted(5, 3), "Q": counted(5, 5)}
    with pytest.raises(FaultsError, match=r"P, Q: .*a=u is 10 and exceeds the larger population's, 9 in A"):
        declare_populations(tables, splits={"A": ("P", "Q")})
    with pytest.raises(ParameterError, match="B must have the same cells as A"):
        declare_populations({"A": counted(9, 8), "B": from_inner((Dimension.flat("a", "uvw"),), [("u",)], np.ones(1))})
    with pytest.raises(ParameterError, match="names must be different from those of the differences"):
        declare_populations({"A": counted(9, 8), "B": counted(6, 6), "A - B": counted(1, 1)})


SMALL = st.integers(0, 4)
# What each population's inner cells, u and v of A, B and C, must respect: rows of "at least 0".
DECLARED = {
    "chain": ((1, -1, 0), (0, 1, -1)),
    "overlap": ((1, -1, 0), (1, 0, -1)),
    "split": ((1, -1, -1),),
}


@given(
    atoms=st.lists(st.tuples(SMALL, SMALL), min_size=3, max_size=3),
    hidden=st.lists(st.booleans(), min_size=9, max_size=9),
    kind=st.sampled_from(sorted(DECLARED)),
)
@example(
    atoms=[(3, 3), (2, 4), (0, 0)], hidden=[False, False, False, True, True, True, True, True, False], kind="split"
)
def test_the_audit_finds_what_an_attacker_finds_who_knows_only_what_is_declared(
    atoms: list[tuple[int, int]], hidden: list[bool], kind: str
) -> None:
    # Three populations by a row of two cells and its total. The oracle is a program over the six inner cells, with the
    # declared order as inequalities; it knows of no difference.
    one, two, rest = (np.array(each) for each in atoms)
    whole = one + two + rest
    inner = {"chain": (whole, one + two, one), "overlap": (whole, one + two, two + rest), "split": (whole, one, two)}[
        kind
    ]
    within = {"B": "A", "C": "B" if kind == "chain" else "A"}
    masks = np.array(hidden).reshape(3, 3)
    tables = {
        name: counted(*each).mark_cells(np.where(mask, Status.SECONDARY, Status.SAFE).astype(np.int8))
        for name, mask, each in zip("ABC", masks, inner, strict=True)
    }
    populations = declare_populations(tables, within=within, splits={"A": ("B", "C")} if kind == "split" else None)
    system = populations.join([populations.subtract(each) for each in populations.differences])
    found = audit(system, whole=True)
    most = 0.0 if kind == "split" and not rest.any() else np.inf
    order = [LinearConstraint(np.kron(row, np.eye(2)), 0, most) for row in DECLARED[kind]]
    sums = np.array([[1, 1], [1, 0], [0, 1]])  # total, u, v of a population
    shown = [
        LinearConstraint(np.kron(np.eye(3)[at], sums[line]), true, true)
        for at, (mask, each) in enumerate(zip(masks, inner, strict=True))
        for line, true in enumerate((each.sum(), *each))
        if not mask[line]
    ]
    for cell, low, high in zip(found.cells.tolist(), found.low, found.high, strict=True):
        name, code = system.keys[cell]
        if name in "ABC":
            cost = np.kron(np.eye(3)["ABC".index(name)], sums[["Total", "u", "v"].index(code)])
            assert (low, high) == tuple(_end(sign, cost, [*order, *shown]) for sign in (1, -1)), (name, code)


def _end(sign: int, cost: np.ndarray, constraints: list[LinearConstraint]) -> float:
    """Return the least (1) or greatest (-1) value of a sum of cells that are whole and at least 0."""
    answer = milp(
        sign * cost, integrality=np.ones(6, dtype=np.int64), bounds=Bounds(0, np.inf), constraints=constraints
    )
    return float(np.rint(cost @ answer.x)) if answer.x is not None else sign * -np.inf


ROWS = pl.DataFrame({"a": list("uuuv"), "firm": ["1", "2", "2", "3"], "x": [5, 7, 7, 9]})


def test_equal_records_are_taken_away_as_often_as_they_are_there() -> None:
    part = pl.DataFrame({"a": ["u"], "firm": [" 2"], "x": ["7.0"]})
    left = subtract_records(ROWS, part, texts=["a", "firm"], numbers=["x"])
    assert left.rows() == [("u", "1", 5), ("u", "2", 7), ("v", "3", 9)]
    assert subtract_records(ROWS, ROWS, texts=["a", "firm"], numbers=["x"]).height == 0


def test_a_record_that_the_whole_lacks_is_named() -> None:
    part = pl.DataFrame({"a": ["u", "u", "u"], "firm": ["2", "2", "2"], "x": [7, 7, 7]})
    with pytest.raises(FaultsError, match=r"p\.csv: row 3: a=u, firm=2, x=7 is not among the larger population's rows"):
        subtract_records(ROWS, part, texts=["a", "firm"], numbers=["x"], source="p.csv")
