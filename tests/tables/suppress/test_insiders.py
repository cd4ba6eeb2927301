"""Who knows his own cell must not work out another's: patterns that are safe from insiders, and the cheapest of
them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.tables.certificate.test_seal import resealed
from tests.tables.independent import is_safe, least_cost
from tests.tables.insider_instances import counted, summed
from tests.tables.triples import cube_of, triple

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.tables.audit.coalitions import find_coalitions, leaks
from sekisho.tables.audit.intervals import audit
from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.linked.join import join_tables
from sekisho.tables.model.linked.populations import difference_tables
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.primary import MinimumFrequency, primaries
from sekisho.tables.suppress.optimiser import Optimiser
from sekisho.tables.suppress.search import Search

# the table of people by region and job in Minami, "Optimisation of cell suppression"; its inner cells (the margin of M1
# is printed as 133 there, but 20 + 15 + 30 + 20 + 10 = 95, and so it has to be for the total to be 361)
PEOPLE = ((20, 15, 30, 20, 10), (72, 20, 1, 30, 10), (38, 38, 15, 40, 2))


def people() -> Table:
    sides = [Dimension.flat("region", ["M1", "M2", "M3"]), Dimension.flat("job", ["P1", "P2", "P3", "P4", "P5"])]
    keys = [(region, job) for region in sides[0].leaves for job in sides[1].leaves]
    table = from_inner(sides, keys, np.array(PEOPLE, dtype=np.float64).ravel())
    return primaries(table, [MinimumFrequency(count=3)])


def hidden(table: Table) -> set[tuple[str, ...]]:
    return {table.keys[cell] for cell in np.flatnonzero(table.suppressed)}


def suppress(table: Table, insiders: int) -> Table | None:
    try:
        return Optimiser(insiders=insiders).suppress(table).table
    except InfeasibleError:
        return None


def test_a_pattern_whose_shield_is_not_ready_in_time_is_not_offered() -> None:
    table = people()
    everything = ~table.suppressed & (table.weight > 0)
    first, *_, last = Search(table, insiders=1, seconds=0, patterns=iter([everything])).steps()
    assert (first.stage, first.cost, first.secondary) == ("boxes", inf, None)
    assert last.secondary is not None  # the last resort: every cell that may be hidden
    assert last.secondary.sum() == last.cost == everything.sum()


def test_only_a_safe_pattern_that_costs_less_is_taken() -> None:
    table = people()
    nothing, everything = np.zeros(len(table), dtype=np.bool_), ~table.suppressed
    *_, least = Search(table).steps()
    assert least.secondary is not None
    steps = list(Search(table, patterns=iter([everything, nothing])).steps())
    assert [step.cost for step in steps[:2]] == [everything.sum()] * 2  # nothing hidden costs least and is not safe
    assert [mask.sum() for mask in steps[-1].earlier] == [everything.sum()]
    *_, last = Search(table, patterns=iter([least.secondary])).steps()
    assert (last.cost, last.earlier) == (least.cost, ())  # a pattern that costs as much replaces none


# Outsiders: the rectangle M2, M3 x P3, P5 hides two cells more. Its only person in (M2, P3) sees 133 - 72 - 20 - 30 =
# 11 left for (M2, P3) and (M2, P5) and knows the first to be 1: (M2, P5) is 10, and (M3, P5) = 22 - 10 - 10 = 2.
def test_the_only_person_of_a_cell_works_out_another() -> None:
    answer = Optimiser().suppress(people())
    assert (answer.last.cost, answer.optimal, answer.insiders) == (2.0, True, 0)
    assert hidden(answer.table) == {("M2", "P3"), ("M2", "P5"), ("M3", "P3"), ("M3", "P5")}
    assert not audit(answer.table).narrow.size
    (leak,) = leaks(answer.table, coalition=1)
    assert answer.table.keys[leak.insider] == ("M2", "P3")
    assert [answer.table.keys[cell] for cell in leak.exposed] == [("M3", "P5")]


# Whoever knows (M2, P3) leaves a smaller table in which (M3, P5) needs a cycle of its own, without that cell: a
# rectangle through (M3, P5), three cells more beside it. (M2, P3) needs a second cell in its row and in its column. A
# rectangle shares at most one of them with its row and one with its column, unless it has both: the rectangle M2, M3 x
# P5, q or a margin's; then its row M2 is there, and the column P3 needs one more cell, with another beside it in that
# cell's row. So four at least (the brute force over all patterns of up to three further cells finds none), and four
# will do.
@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_four_further_cells_protect_the_people_from_each_other(solver: str) -> None:
    answer = Optimiser(insiders=1, solver=solver).suppress(people())
    assert (answer.last.cost, answer.optimal, answer.insiders) == (4.0, True, 1)
    assert leaks(answer.table, coalition=1) == []
    assert is_safe(answer.table, 1)
    assert not is_safe(Optimiser().suppress(people()).table, 1)


@try_examples(8)
@given(st.sampled_from([counted, summed]), st.integers(0, 10**6), st.integers(0, 3))
@example(counted, 0, 1)
def test_the_cost_is_that_of_the_cheapest_pattern_of_all(
    make: Callable[[int], Table], seed: int, insiders: int
) -> None:
    table = make(2 + 3 * seed)  # of three dimensions: few cells are free
    done = suppress(table, insiders)
    theirs = least_cost(table, insiders)
    ours = np.inf if done is None else float(table.weight[done.suppressed & ~table.suppressed].sum())
    assert ours == theirs


@given(st.sampled_from([counted, summed]), st.integers(0, 10**6), st.integers(1, 3), st.sampled_from(["highs", "scip"]))
def test_what_is_suppressed_for_insiders_passes_their_audit_and_has_its_proof(
    make: Callable[[int], Table], seed: int, insiders: int, solver: str
) -> None:
    table = make(seed)
    try:
        answer = Optimiser(insiders=insiders, solver=solver).suppress(table)
    except InfeasibleError:
        return
    assert leaks(answer.table, coalition=insiders) == []
    assert not audit(answer.table).narrow.size
    held = make_certificate(answer)
    assert check(json.dumps(held)).errors == ()
    assert held["status"] == "optimal"


def test_more_insiders_never_cost_less() -> None:
    costs = [Optimiser(insiders=size).suppress(people()).last.cost for size in range(4)]
    assert costs == sorted(costs) == [2.0, 4.0, 4.0, 5.0]


# Three cells a = 1, b = 1, c = 8 and their total 10, which is shown: whoever is a knows b + c = 9, so b lies in [0, 9],
# however much is hidden. Ten wide it cannot be for him; for outsiders it is, with all three hidden.
def test_a_primary_that_nothing_protects_from_a_coalition_is_named_with_it() -> None:
    table = from_inner([Dimension.flat("v", ["a", "b", "c"])], [("a",), ("b",), ("c",)], np.array([1.0, 1.0, 8.0]))
    total = np.array([key == ("Total",) for key in table.keys])
    table = replace(table, status=np.where(total, np.int8(Status.PUBLISH), table.status))
    table = table.flag_cells(table.value == 1.0, sliding=10.0)
    assert Optimiser().suppress(table).last.cost == 1.0
    with pytest.raises(InfeasibleError, match=r"v=b.* contributor.* of v=a|v=a.* contributor.* of v=b"):
        Optimiser(insiders=1).suppress(table)


def test_insiders_of_linked_tables() -> None:
    linked = join_tables(triple(cube_of(23)))
    answer = Optimiser(insiders=1).suppress(linked)
    assert leaks(answer.table, coalition=1) == []
    assert check(json.dumps(make_certificate(answer))).errors == ()


# All 40 in each cell, the adults 40 less the children, of whom there is 1 in one cell, 2 in another and 20 elsewhere.
def test_insiders_of_differences() -> None:
    sides = [Dimension.flat("r", ["r1", "r2", "r3"]), Dimension.flat("j", ["j1", "j2", "j3"])]
    keys = [(region, job) for region in sides[0].leaves for job in sides[1].leaves]
    children = np.array([1, 20, 20, 20, 2, 20, 20, 20, 20], dtype=np.float64)
    pair = (from_inner(sides, keys, np.full(9, 40.0) - less) for less in (np.zeros(9), children))
    system = primaries(difference_tables(*pair, names=("all", "adults", "children")), [MinimumFrequency(count=3)])
    plain, safe = suppress(system, 0), suppress(system, 1)
    assert plain is not None
    assert safe is not None
    assert leaks(plain, coalition=1)
    assert leaks(safe, coalition=1) == []


# ---- who knows what


def magnitudes() -> Table:
    table = from_inner([Dimension.flat("v", ["a", "b", "c"])], [("a",), ("b",), ("c",)], np.array([30.0, 50.0, 20.0]))
    frequency = np.array([{"a": 1, "b": 3, "c": 2}.get(key[0], 6) for key in table.keys])
    largest = np.array([{"a": 30.0, "b": 30.0, "c": 20.0}.get(key[0], 30.0) for key in table.keys])[:, None]
    return replace(table, frequency=frequency, largest=largest)


def test_who_is_alone_knows_his_cell_and_others_know_what_they_gave() -> None:
    # a: one contributor, who knows it. b: the largest gave 30 of 50, so it can be smaller by 20. c: all of it was given
    # by one of two, so it is known as well. The total: 30 of 100 are one contributor's.
    table = magnitudes()
    by_key = {table.keys[each.cell][0]: (each.down, each.up) for each in find_coalitions(table, 1)}
    assert by_key == {"a": (0.0, 0.0), "b": (20.0, np.inf), "c": (0.0, 0.0), "Total": (70.0, np.inf)}
    assert find_coalitions(table, 0) == ()


def test_what_one_gave_bounds_nothing_where_others_may_give_less_than_nothing() -> None:
    table = replace(magnitudes(), lower=np.full(4, -np.inf))
    assert [table.keys[each.cell] for each in find_coalitions(table, 1)] == [("a",)]
    # who is alone knows his cell, whatever its sign
    negative = from_inner([Dimension.flat("v", ["a", "b"])], [("a",), ("b",)], np.array([-5.0, 9.0]))
    negative = replace(negative, frequency=np.where(negative.value < 0, 1, 4), lower=np.full(3, -np.inf))
    assert [(each.down, each.up) for each in find_coalitions(negative, 1)] == [(0.0, 0.0)]


def test_contributions_that_are_not_told_cannot_be_protected_against() -> None:
    table = magnitudes().flag_cells(np.arange(4) == 1, sliding=5.0)
    with pytest.raises(ParameterError, match="insiders must not exceed the number of largest contributions"):
        Optimiser(insiders=2).suppress(table)
    with pytest.raises(ParameterError, match="insiders must be at least 0"):
        Optimiser(insiders=-1)
    with pytest.raises(ParameterError, match="contributors must tell how many there are in each cell"):
        Optimiser(insiders=1).suppress(replace(table, frequency=np.zeros(4, dtype=np.int64), largest=np.zeros((4, 0))))


# ---- what a certificate must not leave out


def sealed(insiders: int = 1) -> dict[str, Any]:
    return dict(make_certificate(Optimiser(insiders=insiders).suppress(people())))


def errors(held: dict[str, Any]) -> str:
    return "; ".join(check(resealed(held)).errors)


def test_a_certificate_for_insiders_is_valid_and_proves_its_bound() -> None:
    held = sealed()
    assert (held["insiders"], held["status"], held["bound"]) == (1, "optimal", 4)
    assert errors(held) == ""
    assert any(cut["insider"] is not None for cut in held["cuts"])


def test_a_certificate_for_outsiders_does_not_do_for_insiders() -> None:
    held = dict(make_certificate(Optimiser().suppress(people())))
    assert errors(held) == ""
    assert "no table is shown that they cannot exclude" in errors(held | {"insiders": 1})


def test_a_coalition_that_is_left_out_or_shown_too_little_is_told() -> None:
    held = sealed()
    held["inside"] = [each for each in held["inside"] if held["cells"]["keys"][each["cell"]] != ["M2", "P3"]]
    assert "contributors of M2, P3 are 1 or fewer insiders, and no table is shown" in errors(held)
    held = sealed()
    next(each for each in held["inside"] if held["cells"]["keys"][each["cell"]] == ["M2", "P3"])["points"] = []
    assert "to contributors of M2, P3 cell M3, P5 moves 0 down and 0 up: less than its levels ask" in errors(held)


def test_a_point_that_insiders_can_exclude_is_told() -> None:
    held = sealed()
    at = held["cells"]["keys"].index(["M2", "P3"])
    moving = [number for number, point in enumerate(held["points"]) if at in point["cells"]]
    next(each for each in held["inside"] if each["cell"] == at)["points"] += moving
    assert f"contributors of M2, P3 can exclude point {moving[0]}" in errors(held)


def test_who_gave_is_counted_anew() -> None:
    held = sealed()
    held["cells"]["gave"][held["cells"]["keys"].index(["M3", "P5"])] = 0
    assert "cell M3, P5 counts its contributors, and yet 1 of them" in errors(held)
    held = sealed()
    held["cells"]["frequency"][held["cells"]["keys"].index(["M2", "P5"])] = 1  # one person of ten: he would know it
    assert "contributors of M2, P5 can exclude point" in errors(held)


def test_a_cut_of_insiders_is_that_of_outsiders_to_whom_it_does_not_belong() -> None:
    # without their knowledge the multipliers say less: the bound is no longer reached
    held = sealed()
    held["cuts"] = [{**cut, "insider": None} for cut in held["cuts"]]
    assert "the proof reaches the bound" in errors(held) or "says nothing" in errors(held)
    held = sealed()
    shown = held["cells"]["keys"].index(["M1", "P1"])
    held["cells"]["frequency"][shown] = 0
    held["cuts"][0]["insider"] = held["cuts"][0]["primary"]
    assert "speaks of insiders who are none, or of their own cell" in errors(held)


def test_an_older_format_is_named() -> None:
    held = sealed() | {"format": "sekisho cell suppression 3"}
    assert "the format is 'sekisho cell suppression 3', not 'sekisho cell suppression 6'" in errors(held)
