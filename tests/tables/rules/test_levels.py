"""An unsafe cell that is hidden must be protected: no rule, no file and no caller can leave it without a level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.laws import try_examples
from tests.tables.manual_rule import Manual
from tests.tables.oracle import interval

from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.tables import CellRule, Levels
from sekisho.tables.files.apriori import apply_hst, hst_text
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.limits import LEAST
from sekisho.tables.model.table import Mask, Status, Table
from sekisho.tables.model.tabulate import Tabulation
from sekisho.tables.rules.concentration import Dominance, PercentRule
from sekisho.tables.rules.primary import MinimumFrequency, UnsafeZeros, primaries
from sekisho.tables.rules.table_rules import bare_primaries, choose_rules, guard_primaries, judge_pattern
from sekisho.tables.suppress.optimiser import Optimiser


def line(*values: float, frequency: Sequence[int] | None = None) -> Table:
    """Cells a, b, … and their total, which comes first; a count unless the frequency is told."""
    dimension = Dimension.flat("v", "abcdefgh"[: len(values)])
    given = None if frequency is None else np.array(frequency, dtype=np.float64)
    return from_inner([dimension], [(leaf,) for leaf in dimension.leaves], np.array(values, dtype=np.float64), given)


def square() -> Table:
    """Five by five counts, two of them small."""
    value = np.arange(10.0, 35.0)
    value[[0, 8]] = 1, 3
    rows, columns = (Dimension.flat(name, [f"{name}{i}" for i in range(5)]) for name in "rc")
    return from_inner([rows, columns], [(row, column) for row in rows.leaves for column in columns.leaves], value)


def one(table: Table, *key: str) -> Mask:
    mask = np.zeros(len(table), dtype=np.bool_)
    mask[table.position[key]] = True
    return mask


def of(levels: Levels, cell: int) -> tuple[float, float, float]:
    return float(levels.lower[cell]), float(levels.upper[cell]), float(levels.sliding[cell])


def test_a_bare_minimum_frequency_protects_counts_by_a_width_of_ten() -> None:
    table = primaries(square(), [MinimumFrequency(count=5)])
    done = Optimiser().suppress(table).table
    assert done.primary.sum() == 2
    for cell in np.flatnonzero(done.primary).tolist():
        low, high = interval(done, done.suppressed, cell)
        assert high - low >= 10 - 1e-6


def test_a_primary_cannot_be_built_without_a_level() -> None:
    table = line(1, 20, 30)
    status = np.where(table.value == 1, Status.PRIMARY, Status.SAFE).astype(np.int8)
    for make in (
        lambda: table.flag_cells(table.value == 1),
        lambda: table.flag_cells(table.value == 1, upper=LEAST / 2),
        lambda: replace(table, status=status),
    ):
        with pytest.raises(ParameterError, match=r"protection level .* v=a\).*worked out"):
            make()
    for way in ("lower", "upper", "sliding"):
        assert table.flag_cells(table.value == 1, **{way: LEAST}).primary.sum() == 1


def test_all_cells_without_a_level_are_named_at_once() -> None:
    table = line(1, 2, 3, 4, 5, 6)
    with pytest.raises(ParameterError, match=r"7 have none: v=Total; v=a; v=b; v=c; v=d; …"):
        table.flag_cells(table.value > 0)


@dataclass(frozen=True)
class Careless:
    """A stranger's rule that flags and asks for nothing."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})

    def flag(self, table: Table) -> Mask:
        return table.value == 1

    def levels(self, table: Table) -> Levels:
        nothing = np.zeros(len(table))
        return Levels(lower=nothing, upper=nothing, sliding=nothing)


def test_a_rule_that_gives_no_level_is_refused() -> None:
    with pytest.raises(ParameterError, match="v=a"):
        primaries(line(1, 20), [Careless()])


@pytest.mark.parametrize(
    "make",
    [
        lambda: MinimumFrequency(count=5, width=0.0),
        lambda: MinimumFrequency(count=5, margin=Fraction(0)),
        lambda: MinimumFrequency(count=5, width=0.0, margin=Fraction(0)),
        lambda: MinimumFrequency(count=5, width=float("nan")),
        lambda: Manual(cells=(), width=0.0),
        lambda: UnsafeZeros(width=0.0),
        lambda: choose_rules([], counts=True, width=0.0),
        lambda: guard_primaries(line(1, 2), width=0.0),
        lambda: judge_pattern(line(1, 2), [], counts=True, width=0.0),
    ],
)
def test_a_level_of_zero_is_none(make: object) -> None:
    assert callable(make)
    with pytest.raises(ParameterError, match=r"width|margin"):
        make()


@pytest.mark.parametrize("rule", [MinimumFrequency(count=5), Manual(cells=())])
def test_the_usual_levels_by_hand(rule: CellRule) -> None:
    # counts need a width of 10
    assert of(rule.levels(line(1, 20)), 1) == (0, 0, 10)
    # of sums 20 % on either side: of 40, 8; of 20, 4, but not below the attacker's 0; of 0 that of 20, the smallest
    # other value
    sums = line(40, 20, 0, frequency=[2, 9, 1])
    assert [of(rule.levels(sums), cell) for cell in (1, 2, 3)] == [(8, 8, 0), (4, 4, 0), (0, 4, 0)]
    # less than 1 is no protection where only whole numbers are possible, but it is elsewhere
    assert of(rule.levels(line(2, 20, frequency=[2, 9])), 1) == (1, 1, 0)
    assert of(rule.levels(line(2, 20.5, frequency=[2, 9])), 1) == pytest.approx((0.4, 0.4, 0))
    # nothing but zeros: any level will do
    assert of(rule.levels(line(0, 0, frequency=[1, 1])), 1) == (0, 1, 0)


def test_a_level_is_never_below_the_least() -> None:
    # 20 % of 0.001 is 0.0002, which no solver can tell from 0
    table = line(0.001, 20, frequency=[1, 9])
    assert of(MinimumFrequency(count=5).levels(table), 1) == (LEAST, LEAST, 0)


def test_a_cell_that_the_attacker_knows_anyway_cannot_be_protected() -> None:
    table = line(40, 20, 0, frequency=[2, 9, 9])
    known = replace(table, lower=table.value, upper=table.value)
    flagged = primaries(known, [MinimumFrequency(count=5)])
    assert (flagged.lower_level[1], flagged.upper_level[1]) == (8, 8)  # 20 % of 40, whatever is known of it
    with pytest.raises(InfeasibleError, match="v=a"):
        Optimiser().suppress(flagged)


def test_zeros_are_unsafe_in_counts_too() -> None:
    counts, sums = line(0, 20), line(0, 0, 20, frequency=[1, 0, 9])
    assert UnsafeZeros().flag(counts).tolist() == [False, True, False]
    assert of(UnsafeZeros().levels(counts), 1) == (0, 10, 0)
    assert UnsafeZeros().flag(sums).tolist() == [False, True, False, False]
    assert of(UnsafeZeros().levels(sums), 1) == (0, 1, 0)
    assert UnsafeZeros(empty=True).flag(sums).tolist() == [False, True, True, False]


def test_the_minimum_frequency_of_counts_holds_beside_other_rules() -> None:
    five = MinimumFrequency(count=5, width=10.0)
    assert choose_rules([], counts=True) == [five]
    assert choose_rules([UnsafeZeros()], counts=True) == [UnsafeZeros(width=10.0, empty=True), five]
    assert choose_rules([MinimumFrequency(count=3)], counts=True) == [MinimumFrequency(count=3, width=10.0), five]
    assert choose_rules([], counts=True, min_count=3, width=7.0) == [MinimumFrequency(count=3, width=7.0)]
    # switched off by name only
    for off in (0, 1):
        assert choose_rules([], counts=True, min_count=off) == []
    with pytest.raises(ParameterError, match="min_count"):
        choose_rules([], counts=True, min_count=-1)


def test_sums_need_a_rule() -> None:
    percent, margin = PercentRule(p=Fraction(15)), Fraction(20)
    assert choose_rules([percent], counts=False) == [percent]
    assert choose_rules([], counts=False, min_count=3) == [MinimumFrequency(count=3, margin=margin)]
    assert choose_rules([], counts=False, flagged=True) == []
    assert choose_rules([UnsafeZeros(width=2.0)], counts=False, width=5.0) == [UnsafeZeros(width=2.0)]
    for off in (None, 0, 1):
        with pytest.raises(ParameterError, match="table of sums"):
            choose_rules([], counts=False, min_count=off)


def test_files_that_flag_without_levels() -> None:
    table = line(40, 20, 0, frequency=[2, 9, 1])
    marked = table.mark_cells(np.array([0, 1, 0, 1], dtype=np.int8), upper=np.array([0.0, 3, 0, 0]))
    assert marked.sliding_level.tolist() == [0, 0, 0, LEAST]
    assert bare_primaries(marked).tolist() == [False, False, False, True]
    made = guard_primaries(marked)
    assert (made.upper_level.tolist(), made.sliding_level.tolist()) == ([0, 3, 0, 4], [0, 0, 0, 0])
    assert guard_primaries(marked, width=6.0).sliding_level.tolist() == [0, 6, 0, 6]


def test_an_a_priori_file_that_flags_without_levels() -> None:
    counts, sums = line(40, 20, 0), line(40, 20, 0, frequency=[2, 9, 1])
    assert apply_hst(counts, "a;U\n").sliding_level.tolist() == [0, 10, 0, 0]
    assert apply_hst(sums, "a;U\nc;U\n").upper_level.tolist() == [0, 8, 0, 4]
    assert apply_hst(sums, "a;U\na;PL;0;0\n").upper_level.tolist() == [0, 8, 0, 0]
    assert apply_hst(sums, "a;U\n", width=7.0).sliding_level.tolist() == [0, 7, 0, 0]
    # a width has no place in the format, and two zeros would say that nothing is asked
    assert hst_text(counts.flag_cells(one(counts, "a"), sliding=10.0)) == "a;U\n"


def test_a_pattern_is_judged_by_what_it_shows_and_what_it_hides() -> None:
    table = line(1, 2, 20, 30)
    pattern = table.mark_cells(np.array([0, 1, 0, 2, 1], dtype=np.int8))
    judged = judge_pattern(pattern, [MinimumFrequency(count=5, width=7.0)], counts=True)
    assert judged.shown == (table.position[("b",)],)
    # the rule's 7 where it flags; 10 where only the pattern says that a count is unsafe
    assert judged.table.sliding_level.tolist() == [0, 7, 0, 0, 10]
    sums = judge_pattern(pattern, [], counts=False)
    assert (sums.shown, sums.table.sliding_level.tolist()) == ((), [0, LEAST, 0, 0, LEAST])
    assert judge_pattern(pattern, [], counts=False, width=3.0).table.sliding_level.tolist() == [0, 3, 0, 0, 3]


@dataclass(frozen=True, kw_only=True)
class Question:
    """A table and the rules asked of it."""

    table: Table
    rules: Sequence[CellRule]
    counts: bool
    min_count: int | None
    width: float | None
    total_shown: bool


SIZES = st.sampled_from([0.0, 0.0, 1.0, 2.0, 3.0, 7.0, 0.25, 40.0])
RULES = st.sampled_from(
    [
        MinimumFrequency(count=3),
        MinimumFrequency(count=2, margin=Fraction(30)),
        MinimumFrequency(count=2, zeros=True),
        PercentRule(p=Fraction(15)),
        PercentRule(p=Fraction(5), coalition=0),
        Dominance(n=1, k=Fraction(70)),
        UnsafeZeros(),
        UnsafeZeros(width=2.0),
        Manual(cells=(("r0", "c0"), ("Total", "c0"))),
    ]
)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """Small tables from microdata, many of whose contributions are 0, and any rules.

    Sometimes cells that must be shown.
    """
    rows, columns = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    dimensions = (
        Dimension.flat("r", [f"r{i}" for i in range(rows)]),
        Dimension.flat("c", [f"c{i}" for i in range(columns)]),
    )
    counts = draw(st.booleans())
    people = draw(
        st.lists(st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1), SIZES), min_size=1, max_size=25)
    )
    frame = pl.DataFrame(
        {"r": [f"r{i}" for i, _, _ in people], "c": [f"c{j}" for _, j, _ in people], "v": [v for _, _, v in people]}
    )
    table = Tabulation(dimensions=dimensions, value=None if counts else "v", places=3).table(frame)
    rules = draw(st.lists(RULES, min_size=0 if counts else 1, max_size=3))
    return Question(
        table=table,
        rules=rules,
        counts=counts,
        min_count=draw(st.sampled_from([None, 0, 3, 5])),
        width=draw(st.sampled_from([None, None, 3.0])),
        total_shown=draw(st.booleans()),
    )


def protected(table: Table, hidden: Mask, unsafe: Mask) -> bool:
    """A stranger's solver: every unsafe cell is hidden, can be told from another value, and reaches its levels."""
    for cell in np.flatnonzero(unsafe).tolist():
        low, high = interval(table, hidden, cell)
        value = table.value[cell]
        if not hidden[cell] or high - low < LEAST - 1e-6 or high - low < table.sliding_level[cell] - 1e-5:
            return False
        if value - low < table.lower_level[cell] - 1e-5 or high - value < table.upper_level[cell] - 1e-5:
            return False
    return True


@try_examples(60)
@given(questions())
def test_whatever_the_table_and_the_rules_unsafe_cells_are_protected_or_the_answer_is_infeasible(
    asked: Question,
) -> None:
    table = asked.table
    rules = choose_rules(asked.rules, counts=asked.counts, min_count=asked.min_count, width=asked.width)
    unsafe = np.zeros(len(table), dtype=np.bool_)
    for rule in rules:
        unsafe |= rule.flag(table)
    if asked.total_shown and not unsafe[0]:
        table = replace(
            table, status=np.where(np.arange(len(table)) == 0, Status.PUBLISH, table.status).astype(np.int8)
        )
    flagged = guard_primaries(primaries(table, rules), width=asked.width)
    assert flagged.primary.tolist() == unsafe.tolist()
    try:
        done = Optimiser().suppress(flagged).table
    except InfeasibleError:
        assert not protected(flagged, flagged.status != Status.PUBLISH, unsafe)
    else:
        assert protected(done, done.suppressed, unsafe)


def test_the_pinned_case_of_the_law() -> None:
    # x 0 (1 contributor), y 20 (9), z 30 (8), at least 3: hidden alone, x would be 50 - 20 - 30.
    table = primaries(line(0, 20, 30, frequency=[1, 9, 8]), [MinimumFrequency(count=3)])
    done = Optimiser().suppress(table).table
    assert done.suppressed.sum() == 2
    low, high = interval(done, done.suppressed, 1)
    assert high - low >= 4
    # and where all else must be shown, no answer is the answer
    shown = np.where(table.primary, table.status, Status.PUBLISH).astype(np.int8)
    with pytest.raises(InfeasibleError, match="v=a"):
        Optimiser().suppress(replace(table, status=shown))


def test_a_table_without_equations_is_asked_the_same() -> None:
    lone = Table.of(dims=["v"], keys=[("a",)], value=np.array([3.0]), matrix=csr_array((0, 1)), equations=[])
    done = Optimiser().suppress(primaries(lone, [MinimumFrequency(count=5)])).table
    assert done.suppressed.tolist() == [True]
