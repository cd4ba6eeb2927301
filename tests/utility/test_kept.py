"""What must be kept is measured as a reader of the release would count it, and nothing changed means no loss."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance
from sekisho.utility.kept import Kept, KeptFigure, KeptKind, average_loss, measure_kept, tell_kept

AGE, SEX, PAID = "age", "sex", "paid"
SCHEMA = Schema(
    (
        Column(name="id", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name=AGE, kind=Kind.INTEGER),
        Column(name=SEX, kind=Kind.CATEGORY),
        Column(name=PAID, kind=Kind.DECIMAL, decimals=1),
    )
)
ALL = (
    Kept(kind=KeptKind.COLUMN, columns=(AGE,)),
    Kept(kind=KeptKind.COLUMN, columns=(SEX,)),
    Kept(kind=KeptKind.PAIR, columns=(AGE, SEX)),
    Kept(kind=KeptKind.PAIR, columns=(AGE, PAID)),
    Kept(kind=KeptKind.SUM, columns=(PAID,)),
    Kept(kind=KeptKind.SUM, columns=(PAID, SEX)),
    Kept(kind=KeptKind.SUM, columns=(PAID, AGE)),
)


def make_data(ages: list[int], sexes: list[str], paid: list[float]) -> Dataset:
    """Return four columns of so many people."""
    names = [f"p{n}" for n in range(len(ages))]
    return Dataset.of(pl.DataFrame({"id": names, AGE: ages, SEX: sexes, PAID: paid}), SCHEMA)


def release(data: Dataset, *, deleted: list[bool] | None = None, drawn: bool = False, **columns: Cells) -> Release:
    """Return a release with some columns changed."""
    gone = np.array(deleted or [False] * len(data))
    table = exact_table(data)
    cells = {**table.columns, **columns}
    order = np.flatnonzero(~gone) if drawn else None
    return Release(
        table=MaskedTable(schema=table.schema, columns=cells),
        deleted=gone,
        provenance=Provenance(name="own"),
        order=order,
    )


DATA = make_data([20, 20, 40, 40], ["f", "m", "f", "m"], [1.0, 2.0, 3.0, 4.5])


def test_nothing_changed_is_no_loss() -> None:
    figures = measure_kept(ALL, DATA, release(DATA))
    assert [one.loss for one in figures] == [0.0] * len(ALL)
    assert all(one.before == one.after for one in figures)
    assert average_loss(figures) == average_loss(()) == 0.0
    assert measure_kept((), DATA, release(DATA)) == ()


def test_a_column_of_numbers() -> None:
    # ages 20 20 40 40 told as 20-40 each (21 grid points): the class from 40 on has 1 of 21 points, 2 of 4 before,
    # so the distance is |2/4 - 1/21|; the mean stays 30
    cells = RangeCells(lower=np.full(4, 20), upper=np.full(4, 40), suppressed=np.zeros(4, dtype=np.bool_))
    (one,) = measure_kept(ALL[:1], DATA, release(DATA, age=cells))
    assert (one.before, one.after) == (30.0, 30.0)
    assert one.loss == pytest.approx(0.5 - 1 / 21)


def test_a_column_of_categories_and_deleted_rows() -> None:
    # f of 2 and m of 2; without the second (m) row two of three told are f: |1/2 - 2/3|
    (one,) = measure_kept(ALL[1:2], DATA, release(DATA, deleted=[False, True, False, False]))
    assert (one.before, one.after) == (0.5, pytest.approx(2 / 3))
    assert one.loss == pytest.approx(1 / 6)


def test_sums_by_groups_see_what_the_total_does_not() -> None:
    # sums by sex: f 4.0, m 6.5; with the sexes of the first two rows exchanged f 5.0, m 5.5: off by 2 of 10.5
    codes = DATA.codes(SEX)[[1, 0, 2, 3]]
    whole, by = measure_kept(ALL[4:6], DATA, release(DATA, sex=SetCells.exact(codes, DATA.domain(SEX))))
    assert (whole.loss, whole.before, whole.after) == (0.0, 10.5, 10.5)
    assert by.loss == pytest.approx(2 / 10.5)
    assert by.after == pytest.approx(10.5)


def test_deleted_rows_are_missing_from_sums_and_a_sample_is_scaled() -> None:
    gone = [False, False, False, True]  # 4.5 of 10.5 is not there; a sample of 3 of 4 counts 6.0 * 4 / 3 = 8.0
    lost, drawn = (measure_kept(ALL[4:5], DATA, release(DATA, deleted=gone, drawn=each))[0] for each in (False, True))
    assert (lost.after, lost.loss) == (6.0, pytest.approx(4.5 / 10.5))
    assert (drawn.after, drawn.loss) == (pytest.approx(8.0), pytest.approx(2.5 / 10.5))


def test_hidden_cells_add_nothing() -> None:
    hidden = exact_table(DATA).columns[PAID].suppress(np.array([True, True, True, True]))
    (one,) = measure_kept(ALL[5:6], DATA, release(DATA, paid=hidden))
    assert (one.loss, one.after) == (1.0, 0.0)
    (age,) = measure_kept(ALL[:1], DATA, release(DATA, deleted=[True] * 4))
    assert (age.loss, age.after) == (1.0, None)


def test_associations_are_told_before_and_after() -> None:
    paid = exact_table(DATA).columns[PAID].take(np.array([3, 2, 1, 0]))
    (one,) = measure_kept(ALL[3:4], DATA, release(DATA, paid=paid))
    # from the means, ages are -10 -10 10 10 and payments -1.625 -0.625 0.375 1.875: 45 / (20 sqrt(6.6875)) = 0.8701;
    # turned round it is -0.8701
    assert one.loss == pytest.approx(2 * 45 / (20 * 6.6875**0.5))
    assert tell_kept(one) == "kept: association of age and paid: 0.8701 before, -0.8701 after, loss 1.7401"


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("fmx"), st.integers(-50, 50)), min_size=2, max_size=12),
    st.data(),
)
def test_sums_against_adding_row_by_row(rows: list[tuple[int, str, int]], draw: st.DataObject) -> None:
    """Exact cells of some rows: the sums by sex are those of a dictionary."""
    data = make_data([row[0] for row in rows], [row[1] for row in rows], [float(row[2]) for row in rows])
    gone = draw.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    (one,) = measure_kept((Kept(kind=KeptKind.SUM, columns=(PAID, SEX)),), data, release(data, deleted=gone))
    before, after = dict.fromkeys("fmx", 0.0), dict.fromkeys("fmx", 0.0)
    for (_, sex, paid), lost in zip(rows, gone, strict=True):
        before[sex] += paid
        after[sex] += 0 if lost else paid
    whole, off = sum(map(abs, before.values())), sum(abs(before[sex] - after[sex]) for sex in "fmx")
    assert one.loss == pytest.approx(off / whole if whole else float(off > 0), abs=1e-9)
    assert one.after == pytest.approx(sum(after.values()), abs=1e-9)


def test_limits() -> None:
    kept = Kept(kind=KeptKind.COLUMN, columns=(AGE,), within=0.1)
    assert KeptFigure(kept=kept, loss=0.1).holds
    assert not KeptFigure(kept=kept, loss=0.1001).holds
    assert KeptFigure(kept=ALL[0], loss=9.0).holds
    for columns, within in ((("a", "b"), None), (("",), None), ((AGE,), -0.1), ((AGE,), float("inf"))):
        with pytest.raises(ParameterError):
            Kept(kind=KeptKind.COLUMN, columns=columns, within=within)
    with pytest.raises(ParameterError, match="name different columns"):
        Kept(kind=KeptKind.PAIR, columns=(AGE, AGE))
