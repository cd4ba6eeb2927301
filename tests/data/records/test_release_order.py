"""Row i of a release is what became of row i of the original: seen in the data, refuted by them, or not known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.cli import status_of
from sekisho.data.files.layout import open_original
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.records.written_release import WrittenRelease, read_written_release
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError
from sekisho.utility.schema_terms import own_records

ROWS = 200


def make_people(folder: Path) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "sex": ["fm"[code] for code in rng.integers(2, size=ROWS)],
            "age": rng.integers(18, 90, ROWS),
            "illness": [f"i{code}" for code in rng.integers(6, size=ROWS)],
        }
    )
    frame.write_csv(folder / "people.csv")
    return frame


def read_release(folder: Path, release: pl.DataFrame) -> WrittenRelease:
    release.write_csv(folder / "R.csv")
    original, terms = open_original(folder / "people.csv", own_records(schema_from_options(Shape.RECORDS), "people"))
    return read_written_release(folder / "R.csv", terms, original.data, trees={}, in_order=True)


def widen(ages: pl.Series) -> pl.Series:
    return pl.Series("age", [f"[{age // 10 * 10};{age // 10 * 10 + 9}]" for age in ages])


def test_the_original_in_another_order_is_refused_with_row_and_values(tmp_path: Path) -> None:
    frame = make_people(tmp_path)
    shuffled = frame.gather(np.random.default_rng(1).permutation(ROWS))
    with pytest.raises(FaultsError) as caught:
        read_release(tmp_path, shuffled)
    fault = next(fault for fault in caught.value.faults if fault.column == "age")
    first = int(np.argmax((shuffled["age"] != frame["age"]).to_numpy()))
    assert (fault.row, fault.value) == (first + 1, str(shuffled["age"][first]))
    assert repr(str(frame["age"][first])) in str(fault.message)


def test_a_coarser_cell_that_does_not_admit_its_value_is_refused(tmp_path: Path) -> None:
    """One row of two hundred is enough: a range that a method wrote holds the value that it was made of."""
    frame = make_people(tmp_path)
    ages = widen(frame["age"])
    ages[17] = "[1;2]"
    with pytest.raises(FaultsError) as caught:
        read_release(tmp_path, frame.with_columns(ages))
    assert [(fault.row, fault.column) for fault in caught.value.faults] == [(18, "age")]


def test_rows_in_order_are_seen(tmp_path: Path) -> None:
    frame = make_people(tmp_path)
    assert read_release(tmp_path, frame).ordered
    assert read_release(tmp_path, frame.with_columns(widen(frame["age"]))).ordered


def test_values_changed_by_chance_refute_nothing(tmp_path: Path) -> None:
    """Ages of which each has noise are still old where people are old; illnesses drawn anew are nobody's."""
    frame = make_people(tmp_path)
    rng = np.random.default_rng(2)
    noisy = frame.with_columns(pl.Series("age", frame["age"].to_numpy() + rng.integers(-3, 4, ROWS)))
    noisy = noisy.with_columns(pl.Series("illness", rng.permutation(frame["illness"].to_numpy())))
    assert read_release(tmp_path, noisy).ordered


def test_where_nothing_shows_the_order_it_is_not_known(tmp_path: Path) -> None:
    frame = make_people(tmp_path)
    rng = np.random.default_rng(3)
    apart = pl.DataFrame([pl.Series(name, rng.permutation(frame[name].to_numpy())) for name in frame.columns])
    apart = apart.with_columns(pl.Series("age", rng.integers(200, 900, ROWS)))
    written = read_release(tmp_path, apart)
    assert not written.ordered
    assert "which row is whose is not known" in written.notices[-1]


@try_examples(20)
@given(seed=st.integers(0, 2**32))
def test_no_shuffled_original_is_taken_for_ordered(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    folder = tmp_path_factory.mktemp("order")
    frame = make_people(folder)
    with pytest.raises(FaultsError):
        read_release(folder, frame.gather(np.random.default_rng(seed).permutation(ROWS)))


def test_the_gate_ends_in_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = make_people(tmp_path)
    frame.gather(np.random.default_rng(1).permutation(ROWS)).write_csv(tmp_path / "R.csv")
    recipe = tmp_path / "r.toml"
    recipe.write_text(
        'shape = "records"\noriginal = "people.csv"\nkeys = ["sex", "age"]\nsensitive = ["illness"]\nseed = 1\n'
        '[[releases]]\nfile = "R.csv"\nordered = true\n[guarantees]\nk = 5\n'
    )
    assert status_of(["gate", str(recipe), "--out", str(tmp_path / "out")]) == 2
    assert "the rows do not stand in its order" in capsys.readouterr().err
