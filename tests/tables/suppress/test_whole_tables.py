"""Patterns hold also against attackers who know that cells are whole numbers, or the answer says that they may not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from tests.tables.instances import grid
from tests.tables.oracle import whole_interval

from sekisho.errors import InfeasibleError
from sekisho.tables.audit.intervals import audit
from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.check.claims import ClaimedSuppression
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import TOTAL, Status, Table
from sekisho.tables.model.whole_numbers import WholeNumbers
from sekisho.tables.suppress import whole_tables
from sekisho.tables.suppress.optimiser import Optimiser, Suppression, finish_search, take_pattern
from sekisho.tables.suppress.search import SearchStep
from sekisho.tables.suppress.whole_tables import is_out_of_reach


def account_case(totals: Status = Status.PUBLISH) -> Table:
    """Return the counts of ``y.csv`` among the account's cases: 3 x 3 x 3 cells, nine of them of 20,000, two of 1.

    ``totals`` is what may become of totals of totals.
    """
    counts = np.full((3, 3, 3), 20.0)
    counts[:, 0, 1] = counts[0, :, 1] = 20_000.0
    counts[1, 1, 2] = counts[1, 2, 0] = counts[2, 1, 0] = counts[2, 2, 2] = 20_000.0
    counts[0, 0, 0] = counts[0, 0, 2] = 1.0
    dimensions = [Dimension.flat(name, [f"{name}{code}" for code in range(3)]) for name in "abc"]
    keys = list(product(*(dimension.leaves for dimension in dimensions)))
    table = from_inner(dimensions, keys, counts.ravel())
    high = np.array([sum(code == TOTAL for code in key) >= 2 for key in table.keys])
    status = np.where(high, np.int8(totals), table.status)
    return replace(table, status=status, weight=np.maximum(table.value, 1.0)).flag_cells(table.value < 3, sliding=2.0)


@cache
def real() -> Suppression:
    """Return the cheapest pattern of the account's case against real numbers: its search takes some seconds."""
    return Optimiser(whole=False).suppress(account_case())


@cache
def whole() -> Suppression:
    """Return the pattern that holds against whole numbers too."""
    table, step = account_case(), replace(real().last, whole=WholeNumbers.NOT_CONSIDERED)
    return finish_search(table, ask_whole(table, step))


def ask_whole(table: Table, step: SearchStep) -> SearchStep:
    """Return the step that follows the last one of a search against real numbers."""
    asked = Optimiser()
    with pytest.MonkeyPatch.context() as patch:

        def answer(_search: object) -> Iterator[SearchStep]:
            yield step

        patch.setattr("sekisho.tables.suppress.optimiser.Search.steps", answer)
        *_, last = asked.steps(table)
    return last


def assert_wide_enough(table: Table) -> None:
    """Assert by a stranger's whole-number programs that every unsafe cell keeps its levels over whole tables."""
    for cell in np.flatnonzero(table.primary).tolist():
        low, high = whole_interval(table, table.suppressed, cell)
        assert table.value[cell] - low >= table.lower_level[cell]
        assert high - table.value[cell] >= table.upper_level[cell]
        assert high - low >= table.sliding_level[cell]


def test_whole_numbers_pin_down_every_cell_of_a_pattern_that_real_numbers_leave_open() -> None:
    """The cheapest pattern against real numbers costs 320, 16 cells of 20: no other whole table agrees with it.

    Its cells can only move together, half of them twice as far as others: the unsafe ones by 1 where some move by a
    half, in [0, 2] by real numbers and in [1, 1] by whole ones.
    """
    plain = real()
    assert (plain.last.cost, plain.optimal, plain.last.whole) == (320.0, True, WholeNumbers.NOT_CONSIDERED)
    assert not audit(plain.table).narrow.size
    known = audit(plain.table, whole=True)
    assert (len(known.disclosed), len(known.narrow)) == (18, 2)
    assert not certify(plain).whole  # its certificate speaks of real numbers only

    answer = whole()
    assert (answer.last.whole, answer.optimal, answer.last.bound) == (WholeNumbers.PROVEN, False, 320.0)
    assert answer.last.added > 0
    assert_wide_enough(answer.table)
    assert not audit(answer.table, whole=True).disclosed.size
    assert certify(answer).whole
    assert "whole numbers" in answer.cut_short[0]


def certify(answer: Suppression) -> ClaimedSuppression:
    checked = check(json.dumps(make_certificate(answer)))
    assert checked.valid, checked.errors
    assert checked.claimed is not None
    return checked.claimed


@pytest.mark.parametrize("seed", range(6))
def test_what_is_called_proven_holds_for_a_stranger_who_searches_whole_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = grid((3, 3, 3), rng, high=int(rng.choice([4, 12, 30])))
    table = table.flag_cells((table.value > 0) & (table.value < 3), sliding=float(rng.choice([2, 3, 5])))
    answer = Optimiser().suppress(replace(table, upper=table.value + 6))
    assert answer.last.whole is WholeNumbers.PROVEN
    assert_wide_enough(answer.table)
    assert certify(answer).whole


def test_insiders_who_know_that_cells_are_whole_are_kept_out_too() -> None:
    table = grid((3, 3, 3), np.random.default_rng(2), high=40)
    table = table.flag_cells((table.value > 0) & (table.value < 3), sliding=3.0)
    answer = Optimiser(insiders=1).suppress(table)
    assert answer.last.whole is WholeNumbers.PROVEN
    claimed = certify(answer)
    assert (claimed.whole, claimed.insiders) == (True, 1)
    assert claimed.inside


def test_in_two_dimensions_nothing_is_asked() -> None:
    table = grid((4, 4), np.random.default_rng(1), high=30)
    table = table.flag_cells((table.value > 0) & (table.value < 5), sliding=5.0)
    answer = Optimiser().suppress(table)
    assert (answer.last.whole, answer.last.evidence) == (WholeNumbers.SAME_AS_REAL, None)
    assert certify(answer).whole


def test_values_with_a_fraction_are_no_whole_numbers() -> None:
    table = grid((2, 2, 2), np.random.default_rng(1), high=30)
    halves = replace(table, value=table.value / 2 + 0.0)
    assert np.any(halves.value % 1)
    answer = Optimiser().suppress(halves.flag_cells(halves.value == halves.value[-1], sliding=1.0))
    assert answer.last.whole is WholeNumbers.NO_WHOLE_NUMBERS
    assert not certify(answer).whole


def test_without_time_for_whole_tables_the_answer_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def lack_time(*given: object, until: float) -> None:
        del given, until

    monkeypatch.setattr("sekisho.tables.suppress.optimiser.protect_whole", lack_time)
    last = ask_whole(account_case(), real().last)
    assert (last.cost, last.whole) == (320.0, WholeNumbers.NOT_CONSIDERED)
    assert not certify(finish_search(account_case(), last)).whole


def test_an_earlier_pattern_is_not_called_proven() -> None:
    answer = whole()
    assert answer.last.secondary is not None
    wider = take_pattern(answer, answer.last.secondary | (answer.table.status == Status.SAFE))
    assert (wider.last.whole, wider.last.evidence) == (WholeNumbers.NOT_CONSIDERED, None)


def test_a_cell_that_nothing_protects_from_whole_numbers_is_named() -> None:
    """Of the account's case all that its cheapest pattern shows must be published: no other whole table is left."""
    plain = real().table
    shown = replace(plain, status=np.where(plain.status == Status.SAFE, np.int8(Status.PUBLISH), plain.status))
    with pytest.raises(InfeasibleError, match="whole numbers"):
        ask_whole(shown, replace(real().last, secondary=np.zeros(len(shown), dtype=np.bool_)))


def test_kept_totals_are_given_up_where_whole_numbers_ask_for_it() -> None:
    """Inner cells that the cheapest pattern shows must be published; totals of totals were to be, and cannot all."""
    plain, table = real().table, account_case(Status.SAFE)
    inner = np.array([not set(key) & set(plain.margins) for key in plain.keys])
    status = table.status.copy()
    status[inner & (plain.status == Status.SAFE)] = Status.PUBLISH
    step = replace(real().last, shown=~inner)
    last = ask_whole_of(replace(table, status=status), step)
    assert (last.whole, last.shown, last.bound, last.proven) == (WholeNumbers.PROVEN, None, 0.0, False)
    answer = finish_search(replace(table, status=status), last)
    assert_wide_enough(answer.table)
    assert certify(answer).whole


def ask_whole_of(table: Table, step: SearchStep) -> SearchStep:
    """Return the same where totals were to stay shown."""
    with pytest.MonkeyPatch.context() as patch:

        def keep(*given: object) -> tuple[object, None, bool]:
            del given
            return step.shown, None, False

        patch.setattr(Optimiser, "_keep", keep)
        return ask_whole(table, step)


def test_a_certificate_that_claims_whole_numbers_and_shows_halves_is_refused() -> None:
    held = dict(make_certificate(real()))
    assert held["against"] == ["real"]
    forged = {**held, "against": ["real", "whole"]}
    errors = check(json.dumps(forged)).errors
    assert any("no table of whole numbers" in error for error in errors)
    assert "does not say whom" in check(json.dumps({**held, "against": ["whole"]})).errors[0]


def test_an_old_certificate_speaks_of_real_numbers() -> None:
    held = dict(make_certificate(whole()))
    del held["against"], held["digest"]
    checked = check(json.dumps(held | {"digest": ""}))
    assert checked.claimed is not None
    assert not checked.claimed.whole


def test_whole_tables_are_out_of_reach_only_where_time_is_short_and_much_is_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = real()
    secondary = answer.last.secondary
    assert secondary is not None
    assert not is_out_of_reach(account_case(), secondary, seconds=1e-6)  # two primaries are never too many
    monkeypatch.setattr(whole_tables, "MANY", 1)
    assert is_out_of_reach(account_case(), secondary, seconds=1e-6)
    assert not is_out_of_reach(account_case(), secondary, seconds=600.0)
