"""What is written class by class is what writing row by row gives, and a broken promise is not written, however large."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sekisho.data.files.layout import open_original
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import ByClass, MaskedTable, Release
from sekisho.data.shape import Shape
from sekisho.errors import BugError
from sekisho.gate.records import candidate as release_file
from sekisho.gate.records.candidate import write_and_count
from sekisho.protect import Method
from sekisho.protect.records.lattice_recoding import Lattice
from sekisho.protect.records.microaggregate import Microaggregate
from sekisho.protect.records.partition import Partition
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.utility.schema_terms import own_rules

KEYS = ("age", "town", "job")
NAMES = ("sets", "labels", "left out", "lattice", "microaggregate", "exact")


def make_method(name: str, towns: Path) -> Method:
    tree = {"town": towns}
    methods: dict[str, Method] = {
        "sets": Partition(keys=KEYS, k=3, l=2, sensitive="ill"),
        "labels": Partition(keys=KEYS, k=3, tree=tree),
        "left out": Partition(keys=KEYS, k=9, suppress=Fraction(3, 10), tree=tree),
        "lattice": Lattice(keys=KEYS, k=5, suppress=Fraction(1, 5), tree=tree),
        "microaggregate": Microaggregate(keys=("age", "town"), k=3),
        "exact": Partition(keys=("town",), k=1),
    }
    return methods[name]


@pytest.fixture
def people(tmp_path: Path) -> tuple[Dataset, RecordTerms, Path]:
    rng, path, towns = Seed(5).rng(), tmp_path / "people.csv", tmp_path / "towns.csv"
    jobs = ("x", "y%", '"z;"')
    rows = [
        f"{rng.integers(20, 40)},5;{rng.choice(list('abcd'))};{jobs[rng.integers(3)]};{row % 3}" for row in range(150)
    ]
    path.write_text("\n".join(["age;town;job;ill", "99,5;d;x;0", *rows, ""]), encoding="utf-8")
    towns.write_text("a;north;*\nb;north;*\nc;south;*\nd;south;*\n", encoding="utf-8")
    rules = own_rules(SchemaFile(shape=Shape.RECORDS), "own")
    assert isinstance(rules, RecordTerms)
    original, settled = open_original(path, rules)
    return original.data, settled, towns


def spread(release: Release) -> Release:
    """Return a release whose rows share nothing."""
    table = MaskedTable(schema=release.table.schema, columns=dict(release.table.columns))
    return replace(release, table=table, labels=dict(release.labels))


@pytest.mark.parametrize("out", [Path("R.csv"), Path("R.parquet")])
@pytest.mark.parametrize("name", NAMES)
def test_classes_are_written_and_counted_as_rows_are(
    people: tuple[Dataset, RecordTerms, Path], monkeypatch: pytest.MonkeyPatch, name: str, out: Path
) -> None:
    data, rules, towns = people
    release = make_method(name, towns).apply(data, rng=Seed(1).rng())
    rows = Seed(2).rng().permutation(np.flatnonzero(~release.deleted))
    assert release.deleted.any() == (name in {"left out", "lattice"})
    assert isinstance(release.table.columns, ByClass)
    plain = write_and_count(spread(release).take(rows), rules, out)
    read_back = write_and_count(release.take(rows), rules, out)
    monkeypatch.setattr(release_file, "FEW", 0)
    counted = write_and_count(release.take(rows), rules, out)
    assert plain.content == read_back.content == counted.content
    assert plain.recounts == read_back.recounts == counted.recounts
    assert all(each.kept for each in counted.recounts)
    assert len(counted.recounts) == (2 if name == "sets" else 1)


@pytest.mark.parametrize("few", [0, 10**6])
@pytest.mark.parametrize("out", [Path("R.csv"), Path("R.parquet")])
def test_a_broken_promise_is_a_fault_of_ours_whatever_the_size(
    people: tuple[Dataset, RecordTerms, Path], monkeypatch: pytest.MonkeyPatch, out: Path, few: int
) -> None:
    data, rules, _ = people
    monkeypatch.setattr(release_file, "FEW", few)
    release = Partition(keys=KEYS, k=3).apply(data, rng=Seed(1).rng())
    columns = release.table.columns
    assert isinstance(columns, ByClass)
    first = np.flatnonzero(columns.owner == columns.owner[0])
    short = release.take(np.setdiff1d(np.arange(len(data)), first[2:]))
    with pytest.raises(BugError, match="has k-anonymity 2, 3 is promised"):
        write_and_count(short, rules, out)


def test_classes_that_are_written_alike_are_one(
    people: tuple[Dataset, RecordTerms, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, rules, _ = people
    monkeypatch.setattr(release_file, "FEW", 0)
    release = Microaggregate(keys=("town",), k=3).apply(data, rng=Seed(1).rng())
    columns = release.table.columns
    assert isinstance(columns, ByClass)
    # far more groups than towns: each town is the value of several, and its records are one class to whoever reads them
    assert len(columns.shared["town"]) > 4
    (alike,) = write_and_count(release, rules, Path("R.csv")).recounts
    sizes = np.bincount(release.table.sets("town").codes)
    assert alike.counted == sizes[sizes > 0].min() > 5
