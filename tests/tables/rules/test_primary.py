"""An unsafe cell must be flagged, a safe one left alone, and the level must be what the rule itself asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.tables.manual_rule import Manual, mask_cells

from sekisho.errors import FaultsError, ParameterError
from sekisho.tables import CellRule
from sekisho.tables.model.contributors import Contributors, Surveyed
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.concentration import Dominance, PercentRule, PriorPosterior
from sekisho.tables.rules.primary import MinimumFrequency, RequestRule, UnsafeZeros, primaries


def cells(*contributions: list[float], places: int = 9) -> Table:
    """A row of cells, without any equation, each made of these contributions."""
    ordered = [sorted(those, reverse=True) for those in contributions]
    value = np.array([float(sum(those)) for those in ordered])
    table = Table.of(
        dims=["v"],
        keys=[(f"c{place}",) for place in range(len(ordered))],
        value=value,
        matrix=csr_array((0, len(ordered))),
        equations=[],
    )
    return replace(
        table,
        frequency=np.array([len(those) for those in ordered]),
        largest=np.array([(those + [0.0] * places)[:places] for those in ordered], dtype=np.float64),
    )


def verdict(rule: CellRule, *contributions: list[float]) -> list[bool]:
    return rule.flag(cells(*contributions)).tolist()


def test_percent_rule_by_hand() -> None:
    # 700, 200, 60, 40, 10 (the manual's reporting units): 60+40+10 = 110 >= 70: safe at 10 %. As holdings 900, 60, 40,
    # 10: 50 < 90, unsafe, S = 90 - 50 = 40.
    rule = PercentRule(p=Fraction(10))
    assert verdict(rule, [700, 200, 60, 40, 10], [900, 60, 40, 10]) == [False, True]
    levels = rule.levels(cells([900, 60, 40, 10]))
    assert (levels.lower[0], levels.upper[0], levels.sliding[0]) == (40, 40, 0)


def test_percent_rule_at_its_boundary() -> None:
    # The rest is exactly 15 % of 100: safe; one less: unsafe.
    rule = PercentRule(p=Fraction(15))
    assert verdict(rule, [100, 50, 15], [100, 50, 14]) == [False, True]


@pytest.mark.parametrize(("coalition", "unsafe"), [(0, []), (1, []), (2, [0]), (3, [0])])
def test_a_larger_coalition_knows_more(coalition: int, unsafe: list[int]) -> None:
    # 100, 60, 30, 12 at 15 %: an outsider lacks 102, one insider 42, two 12 (below 15), three 0.
    flags = PercentRule(p=Fraction(15), coalition=coalition).flag(cells([100, 60, 30, 12]))
    assert np.flatnonzero(flags).tolist() == unsafe


def test_dominance_by_hand() -> None:
    # 57 + 25 of 100 is 82 %: above 80, not above 82. S of (2,80) = 82/0.8 - 100 = 2.5.
    assert verdict(Dominance(n=2, k=Fraction(80)), [57, 25, 9, 9]) == [True]
    assert verdict(Dominance(n=2, k=Fraction(82)), [57, 25, 9, 9]) == [False]
    assert Dominance(n=2, k=Fraction(80)).levels(cells([57, 25, 9, 9])).upper[0] == pytest.approx(2.5)


def test_only_the_ratio_of_p_and_q_counts() -> None:
    table = cells([100, 50, 15], [100, 50, 14], [10, 9, 1])
    pq, percent = PriorPosterior(p=Fraction(9), q=Fraction(60)), PercentRule(p=Fraction(15))
    assert pq.flag(table).tolist() == percent.flag(table).tolist()
    assert pq.levels(table).upper.tolist() == percent.levels(table).upper.tolist()


contributions = st.lists(st.integers(1, 60), min_size=1, max_size=7)


@given(contributions, st.integers(1, 90), st.integers(0, 4))
def test_unsafe_by_p_percent_means_that_somebody_can_be_told_within_p_percent(
    those: list[int], p: int, coalition: int
) -> None:
    # Slow and obvious: every target, every coalition of the others; the coalition's estimate of the target is too high
    # by the rest.
    total = sum(those)
    close = False
    for target, size in enumerate(those):
        others = sorted((x for place, x in enumerate(those) if place != target), reverse=True)
        rest = total - size - sum(others[:coalition])
        close |= Fraction(rest) < Fraction(p, 100) * size
    assert verdict(PercentRule(p=Fraction(p), coalition=coalition), [float(x) for x in those]) == [close]


@given(contributions, st.integers(1, 99))
def test_the_level_moves_the_total_just_out_of_the_rule(those: list[int], p: int) -> None:
    # If X were X + S, all else equal, the rule would hold with equality: that is why S is the upper protection level.
    rule = PercentRule(p=Fraction(p))
    table = cells([float(x) for x in those])
    if rule.flag(table)[0]:
        lifted = replace(table, value=table.value + rule.levels(table).upper)
        assert not rule.flag(lifted)[0]
        short = replace(table, value=table.value + rule.levels(table).upper * 0.99)
        assert rule.flag(short)[0]


def test_minimum_frequency_zeros_and_coalitions() -> None:
    table = cells([], [1], [1] * 4, [1] * 5, [1] * 6)
    assert MinimumFrequency(count=5).flag(table).tolist() == [False, True, True, False, False]
    assert MinimumFrequency(count=5, zeros=True).flag(table).tolist() == [True, True, True, False, False]
    assert MinimumFrequency(count=5, coalition=1).flag(table).tolist() == [False, True, True, True, False]
    levels = MinimumFrequency(count=5, width=10, margin=Fraction(50)).levels(table)
    assert (levels.lower[2], levels.upper[2], levels.sliding[2]) == (2, 2, 10)


def test_the_lower_level_stops_at_the_attackers_own_bound() -> None:
    # (1,30) on a single contribution of 9: S = 9/0.3 - 9 = 21, but nobody thinks the cell below 0.
    levels = Dominance(n=1, k=Fraction(30)).levels(cells([9]))
    assert (levels.lower[0], levels.upper[0]) == (9, 21)


def surveyed(table: Table, *, target: list[float] | None = None, asked: list[float] | None = None) -> Surveyed:
    units = Contributors(
        total=table.value,
        count=table.frequency,
        largest=table.largest,
        target=table.largest[:, 0] if target is None else np.array(target),
        asked=np.zeros(len(table)) if asked is None else np.array(asked),
    )
    return Surveyed.over(table, units=units)


def test_a_waiver_moves_the_target() -> None:
    # 100, 40, 8, 6 at 10 %. Nobody waived: 8 + 6 = 14 >= 10, safe. The largest waived: the target is 40, the attacker
    # 100; the rest is 14 >= 4. If 100 and 40 waived the target is 8; the attacker 100, the rest 46. Had only 8 not
    # waived, coalition of 2: 6 >= 0.8.
    table = cells([100, 40, 8, 6])
    for target, coalition, rest in [(100, 1, 14), (40, 1, 14), (8, 1, 46), (8, 2, 6), (6, 2, 8)]:
        known = surveyed(table, target=[target]).units
        s = PercentRule(p=Fraction(10), coalition=coalition).sensitivity(known)[0]
        assert s == pytest.approx(target / 10 - rest)


def test_a_cell_whose_contributors_all_waived_is_safe() -> None:
    assert not PercentRule(p=Fraction(10)).flag(surveyed(cells([100]), target=[0]))[0]


def test_the_request_rule_by_hand() -> None:
    table = surveyed(cells([80, 10, 10], [80, 10, 10], [60, 40], [60, 40]), asked=[80, 10, 40, 0])
    # 80 % of the cell asked; 10 % asked; 40 of two asked (fewer than three contributors); nobody asked.
    assert RequestRule(share=Fraction(70)).flag(table).tolist() == [True, False, False, False]
    assert RequestRule(share=Fraction(70), count=3).flag(table).tolist() == [True, False, True, False]
    levels = RequestRule(share=Fraction(70), count=3).levels(table).upper
    assert levels[0] == pytest.approx(80 / 0.7 - 100)
    assert levels[2] == pytest.approx(4)


def test_zeros() -> None:
    table = cells([0, 0], [], [1])
    assert UnsafeZeros().flag(table).tolist() == [True, False, False]
    assert UnsafeZeros(empty=True).flag(table).tolist() == [True, True, False]
    assert UnsafeZeros(width=3).levels(table).upper.tolist() == [3, 3, 3]


def test_rules_combine_and_the_highest_level_counts() -> None:
    table = cells([90, 5, 5], [1, 1, 1], [9] * 9)
    # Cell 0: (1,80): 90/0.8 - 100 = 12.5; p% 10: 9 - 5 = 4. Cell 1: only the frequency.
    rules = [Dominance(n=1, k=Fraction(80)), PercentRule(p=Fraction(10)), MinimumFrequency(count=4, width=2)]
    made = primaries(table, rules)
    assert made.primary.tolist() == [True, True, False]
    assert made.upper_level[0] == pytest.approx(12.5)
    assert made.sliding_level.tolist() == [2, 2, 0]
    waived = primaries(table, rules, waived=mask_cells(table, [("c0",)]))
    assert waived.primary.tolist() == [False, True, False]


def test_manual_cells() -> None:
    table = cells([90, 5, 5], [1])
    made = primaries(table, [Manual(cells=(("c0",),), margin=Fraction(20))])
    assert made.primary.tolist() == [True, False]
    assert made.upper_level.tolist() == [20, 0]


def test_a_cell_that_must_be_published_cannot_be_unsafe() -> None:
    table = replace(cells([90]), status=np.array([Status.PUBLISH], dtype=np.int8))
    with pytest.raises(FaultsError, match="must be published"):
        primaries(table, [PercentRule(p=Fraction(10))])


def test_a_rule_that_needs_more_than_the_table_tells_is_refused() -> None:
    table = cells([5, 4, 3], places=1)
    with pytest.raises(ParameterError, match="name the 2 largest"):
        PercentRule(p=Fraction(10)).flag(table)
    with pytest.raises(ParameterError, match="holdings must be known"):
        PercentRule(p=Fraction(10), holdings=True).flag(table)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PercentRule(p=Fraction(0)), "p must be above 0, not 0"),
        (lambda: PercentRule(p=Fraction(5), coalition=-1), "coalition must be a number of at least 0, not -1"),
        (lambda: Dominance(n=0, k=Fraction(50)), "n must be a number of at least 1, not 0"),
        (lambda: Dominance(n=1, k=Fraction(100)), "k must lie strictly between 0 and 100, not 100"),
        (lambda: PriorPosterior(p=Fraction(50), q=Fraction(50)), "p must lie strictly between 0 and q = 50, not 50"),
        (lambda: MinimumFrequency(count=0), "count must be a number of at least 1, not 0"),
        (lambda: RequestRule(share=Fraction(0)), "share must lie strictly between 0 and 100, not 0"),
        (lambda: UnsafeZeros(width=-1), "width must be a number of at least 0.001, not -1"),
    ],
)
def test_parameters_outside_their_range_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()
