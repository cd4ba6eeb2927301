"""What a reader concludes of a release, beside all tables that the rule could have shown so, listed one by one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sekisho.errors import InfeasibleError
from sekisho.gate.tables.stated import audit_release
from sekisho.gate.tables.system import wrap_table
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.methods.intervals import IntervalMethod
from sekisho.tables.methods.perturbing import release_counts
from sekisho.tables.methods.rounding import RoundMethod
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Table
from sekisho.tables.perturb.method import Additivity, perturb_counts
from sekisho.tables.perturb.rows import UNIT, NoisePlan, VarianceCare
from sekisho.tables.round.rounding import Objective

DIMS = [Dimension.flat("a", ["1", "2"]), Dimension.flat("b", ["1", "2"])]
NOISE = NoisePlan(most=2, variance=Fraction(1), care=VarianceCare.AT_MOST).make_table()
BASE, MOST = 3, 11
Shown = np.float64 | NDArray[np.float64]
Fits = Callable[[int, Shown], bool]


def make_table(inner: tuple[int, ...]) -> Table:
    table = from_inner(DIMS, list(product("12", "12")), np.array(inner, dtype=np.float64))
    unsafe = (table.value > 0) & (table.value < 3)
    return table.flag_cells(unsafe, sliding=2.0)


def show_rounded(table: Table, rng: np.random.Generator) -> ShownRelease:
    return RoundMethod(base=BASE).make(table, rng=rng).release


def show_small(table: Table, rng: np.random.Generator) -> ShownRelease:
    return RoundMethod(base=BASE, objective=Objective.SMALL).make(table, rng=rng).release


def show_noisy(table: Table, rng: np.random.Generator, additive: Additivity = Additivity.NO) -> ShownRelease:
    places = rng.integers(0, UNIT, len(table))
    return release_counts(perturb_counts(table, DIMS, NOISE, places, additive=additive), "ab")


def show_summed(table: Table, rng: np.random.Generator) -> ShownRelease:
    return show_noisy(table, rng, Additivity.SUM)


def show_intervals(table: Table, rng: np.random.Generator) -> ShownRelease:
    return IntervalMethod().make(table, rng=rng).release


def fits_rounded(count: int, shown: Shown) -> bool:
    floor = count - count % BASE
    return bool(shown == floor or (count % BASE > 0 and shown == floor + BASE))


def fits_small(count: int, shown: Shown) -> bool:
    return shown in ((0, BASE) if 0 < count < BASE else (count,))


def fits_noisy(count: int, shown: Shown) -> bool:
    row = NOISE.rows[min(count, NOISE.last)]
    chances = dict(zip(row.targets, row.units, strict=True))
    return chances.get(int(float(shown)) - (count - row.count), 0) > 0


def fits_interval(count: int, shown: Shown) -> bool:
    low, high = np.asarray(shown)
    return bool(low <= count <= high)


def fits_always(count: int, shown: Shown) -> bool:
    """A margin that is the sum of what is shown says nothing of its own."""
    del count, shown
    return True


WAYS = {
    "round": (show_rounded, fits_rounded, fits_rounded),
    "small": (show_small, fits_small, fits_always),
    "noise": (show_noisy, fits_noisy, fits_noisy),
    "noise, sums": (show_summed, fits_noisy, fits_always),
    "intervals": (show_intervals, fits_interval, fits_interval),
}
"""How a table is shown; whether a count may be shown so in an inner cell, and in a margin, by the rule alone."""


@pytest.mark.parametrize("way", WAYS)
@given(inner=st.tuples(*[st.integers(0, 5)] * 4), seed=st.integers(0, 2**32 - 1))
def test_a_reader_concludes_what_all_truths_leave(way: str, inner: tuple[int, ...], seed: int) -> None:
    show, inside, above = WAYS[way]
    table = make_table(inner)
    assume(way != "intervals" or table.primary.any())
    try:
        release = show(table, np.random.default_rng(seed))
    except InfeasibleError:
        assume(condition=False)
        return
    finding = audit_release(release, wrap_table(table))
    truths = list_truths(table, release, inside, above)
    assert truths.size
    low, high = table.value.copy(), table.value.copy()
    low[finding.audit.cells], high[finding.audit.cells] = finding.audit.low, finding.audit.high
    for cell in finding.audit.cells.tolist():
        assert low[cell] == truths[:, cell].min()
        most = truths[:, cell].max()
        assert high[cell] == most or high[cell] > most >= MOST  # beyond what is listed
    shown = np.setdiff1d(np.arange(len(table)), finding.audit.cells)
    assert (truths[:, shown] == table.value[shown]).all()


def list_truths(table: Table, release: ShownRelease, inside: Fits, above: Fits) -> NDArray[np.int64]:
    """Return all tables of inner counts up to 11, with their sums, that the rule could have shown so."""
    leaf = [at for at, key in enumerate(table.keys) if "Total" not in key]
    own = [[n for n in range(MOST + 1) if inside(n, release.shown[at])] for at in leaf]
    parts = [
        [
            place
            for place, at in enumerate(leaf)
            if all(one in (other, "Total") for one, other in zip(key, table.keys[at], strict=True))
        ]
        for key in table.keys
    ]
    counts = np.array(list(product(*own)), dtype=np.int64)
    whole = np.stack([counts[:, some].sum(axis=1) for some in parts], axis=1)
    margins = [at for at in range(len(table)) if at not in leaf]
    allowed = {at: np.array([above(n, release.shown[at]) for n in range(4 * MOST + 1)]) for at in margins}
    keep = np.ones(len(whole), dtype=np.bool_)
    for at in margins:
        keep &= allowed[at][whole[:, at]]
    return whole[keep]
