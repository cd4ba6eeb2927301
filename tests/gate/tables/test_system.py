"""Tables that are read together must be judged together, and each must see its own cells in what was found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sekisho.errors import ParameterError
from sekisho.gate.tables.differences import judge_populations, subtract_populations
from sekisho.gate.tables.finding import audit_case
from sekisho.gate.tables.system import (
    judge_linked,
    judge_table,
    link_tables,
    wrap_table,
)
from sekisho.tables.audit.intervals import audit
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.linked.populations import Populations
from sekisho.tables.model.table import Cover, CoverGap, Joint, Status, Table
from sekisho.tables.rules.table_rules import TableRules
from sekisho.tables.suppress.optimiser import Optimiser

REGION = Dimension.flat("region", ["east", "north", "west"])
# The table of jobs shows the total of the north, with which the 3 old people of the north are hidden in the table of
# ages.
JOBS = [[2, 28, 30], [5, 5, 5], [15, 13, 12]]
AGES = [[20, 25, 15], [3, 6, 6], [10, 16, 14]]
FIVE = TableRules(min_count=5, width=10.0)


def counted(name: str, codes: list[str], counts: list[list[int]]) -> Table:
    other = Dimension.flat(name, codes)
    keys = [(region, code) for region in REGION.leaves for code in other.leaves]
    return from_inner((REGION, other), keys, np.array(counts, dtype=np.float64).ravel())


JOB = counted("job", ["A", "B", "C"], JOBS)
AGE = counted("age", ["old", "young", "middle"], AGES)


def test_one_table_is_a_system_of_its_own() -> None:
    answer = Optimiser().suppress(FIVE.flag(JOB))
    found = audit(answer.table)
    (part,) = wrap_table(answer.table).restrict_audit(found)
    assert np.array_equal(part.cells, found.cells)
    assert np.array_equal(part.low, found.low)
    assert np.array_equal(part.table.status, answer.table.status)


def test_linked_tables_protected_alone_are_refused_and_together_are_safe() -> None:
    apart = [Optimiser().suppress(FIVE.flag(table)).table for table in (JOB, AGE)]
    alone = audit_case(judge_linked(apart, FIVE))
    assert [audit_case(judge_table(each, FIVE)).safe for each in apart] == [True, True]
    assert not alone.safe
    system = link_tables([FIVE.flag(table) for table in (JOB, AGE)])
    answer = Optimiser().suppress(system.table)
    parts = system.mark_parts(answer.table)
    assert [reason.rule for reason in audit_case(judge_linked(parts, FIVE)).reasons] == ["whole numbers"]
    assert audit_case(judge_linked(parts, FIVE), whole=True).reasons == ()
    for part, view in zip(parts, system.restrict_audit(audit(answer.table)), strict=True):
        assert np.array_equal(view.cells, np.flatnonzero(part.suppressed))
        assert not view.narrow.size


def test_a_part_sees_the_intervals_of_the_system_at_its_own_cells() -> None:
    system = link_tables([FIVE.flag(table) for table in (JOB, AGE)])
    found = audit(Optimiser().suppress(system.table).table)
    joint = {
        found.table.keys[cell]: (low, high) for cell, low, high in zip(found.cells, found.low, found.high, strict=True)
    }
    for at, view in enumerate(system.restrict_audit(found)):
        for cell, low, high in zip(view.cells, view.low, view.high, strict=True):
            region, code = view.table.keys[cell]
            key = (region, code, "Total") if at == 0 else (region, "Total", code)
            assert joint[key] == (low, high)


def test_a_cell_that_one_of_the_linked_tables_shows_is_named_once() -> None:
    twice = [JOB.mark_cells(np.zeros(len(JOB), dtype=np.int8)), AGE.mark_cells(np.zeros(len(AGE), dtype=np.int8))]
    finding = audit_case(judge_linked(twice, FIVE))
    assert finding.case.shown == ("region=east, job=A, age=Total", "region=north, job=Total, age=old")
    assert [reason.rule for reason in finding.reasons] == ["unsafe cell shown", "whole numbers"]


def test_a_cycle_whose_joint_table_is_not_used_goes_to_review_unless_that_was_asked() -> None:
    dims = ("region", "job", "age")
    for gap, rules in ((CoverGap.MANY, ["joint table"]), (CoverGap.ASKED, [])):
        joint = Joint(cover=Cover.NOT_COVERED, dims=dims, gap=gap)
        finding = audit_case(judge_table(replace(AGE, joint=joint), TableRules(min_count=0)))
        assert [reason.rule for reason in finding.reasons] == rules
        assert finding.safe


def pair(larger: Table, smaller: Table) -> Populations:
    return Populations(tables={"larger": larger, "smaller": smaller}, within={"smaller": "larger"})


def test_a_difference_that_is_no_secret_may_be_known_and_an_unsafe_one_may_not() -> None:
    # the differences are 10 at (east, A) and (north, B), 3 at (north, A) and else 0: only 3 lies below 5
    larger = counted("job", ["A", "B", "C"], [[20, 28, 30], [25, 25, 25], [15, 13, 12]])
    smaller = counted("job", ["A", "B", "C"], [[10, 28, 30], [22, 15, 25], [15, 13, 12]])
    shown = [table.mark_cells(np.zeros(len(table), dtype=np.int8)) for table in (larger, smaller)]
    finding = audit_case(judge_populations(pair(*shown), FIVE))
    assert [reason.rule for reason in finding.reasons] == ["narrow interval", "whole numbers"]
    assert [finding.table.named(cell) for cell in finding.audit.narrow.tolist()] == [
        "population=difference, region=north, job=A"
    ]
    assert (finding.hidden.size, finding.disclosed.size, finding.attempts[0].hits) == (0, 0, 1)

    system = subtract_populations(pair(larger, smaller), FIVE)
    assert int(system.derived.sum()) == len(larger)
    parts = system.mark_parts(Optimiser().suppress(system.table).table)
    assert audit_case(judge_populations(pair(*parts), FIVE)).safe


@pytest.mark.parametrize("min_count", [0, 1])
def test_differences_need_the_minimum_frequency(min_count: int) -> None:
    for judge in (subtract_populations, judge_populations):
        with pytest.raises(ParameterError, match="min_count must be at least 2"):
            judge(pair(JOB, JOB), TableRules(min_count=min_count))


def test_a_secondary_that_can_be_told_exactly_is_refused() -> None:
    status = np.zeros(len(JOB), dtype=np.int8)
    status[JOB.position["west", "C"]] = Status.SECONDARY
    finding = audit_case(judge_table(JOB.mark_cells(status), TableRules(min_count=0)))
    assert [reason.rule for reason in finding.reasons] == ["disclosed cell"]
    assert (finding.attempts[0].hits, finding.attempts[0].refutes) == (0, True)


def test_without_rules_a_pattern_s_own_word_is_taken() -> None:
    status = np.zeros(len(JOB), dtype=np.int8)
    assert audit_case(judge_table(JOB.mark_cells(status), TableRules())).reasons == ()
    assert [reason.rule for reason in audit_case(judge_table(JOB.mark_cells(status), FIVE)).reasons] == [
        "unsafe cell shown"
    ]


def test_an_audit_that_is_not_finished_calls_nothing_safe() -> None:
    table = Optimiser().suppress(FIVE.flag(JOB)).table
    case = judge_table(table, FIVE)
    full = audit_case(case)
    assert full.safe
    half = replace(full, audit=replace(full.audit, certain=np.zeros(len(full.audit.cells), dtype=np.bool_)))
    assert [reason.rule for reason in half.reasons] == ["unfinished audit"]
    assert not half.safe
