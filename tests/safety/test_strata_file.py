"""Strata are read strictly: a sample is there for all of them or for none, and never above what a stratum holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekisho.errors import FaultsError, InputError
from sekisho.safety.sampling import Stratum
from sekisho.safety.strata_file import read_strata


def test_strata_are_read_with_and_without_samples(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("stratum;records;sample\nnorth;60;2\nsouth;40;0\n")
    found = read_strata(path)
    assert found.strata == (
        Stratum(name="north", records=60, sample=2),
        Stratum(name="south", records=40, sample=0),
    )
    assert found.form.separator == ";"
    path.write_text("stratum,records,known\nnorth,60,3\n")
    assert read_strata(path).strata == (Stratum(name="north", records=60, sample=0, known=3),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("stratum,records,sample\na,60,61\nb,40,2\n", [(1, "sample", "limits")]),
        ("stratum,records,sample\na,60,0\nb,40,0\n", [(0, "sample", "sample")]),
        ("stratum,records,sample\na,60,\nb,40,-1\n", [(1, "sample", "integer"), (2, "sample", "integer")]),
        ("stratum,records\na,60\na,40\n", [(2, "stratum", "doubled")]),
        ("stratum,records,known\na,0,0\nb,4,5\n", [(1, "records", "limits"), (2, "known", "limits")]),
    ],
)
def test_strata_that_cannot_be_are_named(tmp_path: Path, text: str, told: list[tuple[int, str, str]]) -> None:
    path = tmp_path / "s.csv"
    path.write_text(text)
    with pytest.raises(FaultsError) as caught:
        read_strata(path)
    assert [(fault.row, fault.column, fault.rule) for fault in caught.value.faults] == told


def test_a_file_without_the_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("name,size\na,60\n")
    with pytest.raises(InputError, match="has no column stratum, records"):
        read_strata(path)
