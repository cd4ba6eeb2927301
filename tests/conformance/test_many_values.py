"""A column of thousands of values costs no memory that nobody asked for: every method and measure of records meets one.

A file of 20,000 records has a column of some 14,000 different birth dates, in a form that is read as a category. Each
method is run by its command, each measure by its call, in a process that may not take more than ``CAP``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.conformance.test_measures import shuffled

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError
from sekisho.protect import METHODS
from sekisho.seeds import Seed
from sekisho.utility import MEASURES
from sekisho.utility.records import correlation

CAP = 4 * 10**9
ROWS, DATES = 20_000, 14_000
KEYS = ("--keys", "sex,town")
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "borrow": ("--limit", "2"),
    "code": ("--round", "income=1000"),
    "decoy": ("--limit", "2"),
    "delete": ("--limit", "2"),
    "delete-extremes": ("--top", "age=75"),
    "delete-random": (),
    "delete-small": (*KEYS, "--k", "5"),
    "lattice": (*KEYS, "--k", "5"),
    "microaggregate": ("--keys", "age,income"),
    "noise": ("--epsilon", "income=1"),
    "partition": (*KEYS, "--k", "5"),
    "pram": ("--retention", "0.9"),
    "randomise": (),
    "rankswap": (),
    "recordswap": ("--geography", "town"),
    "sample": ("--size", "1000"),
    "suppress": (*KEYS, "--k", "5"),
    "swap": ("--limit", "2"),
}
WITHIN = (
    "import resource, runpy, sys\n"
    f"resource.setrlimit(resource.RLIMIT_AS, ({CAP}, {CAP}))\n"
    "sys.argv = ['sekisho', *sys.argv[1:]]\n"
    "runpy.run_module('sekisho', run_name='__main__')\n"
)
METHOD_NAMES = [name for name in METHODS if Shape.RECORDS in METHODS.shapes(name)]
MEASURE_NAMES = [name for name in MEASURES if Shape.RECORDS in MEASURES.shapes(name)]
SCHEMA = Schema(
    (
        Column(name="age", kind=Kind.INTEGER),
        Column(name="sex", kind=Kind.CATEGORY),
        Column(name="town", kind=Kind.CATEGORY),
        Column(name="income", kind=Kind.INTEGER),
        Column(name="born", kind=Kind.CATEGORY),
        Column(name="ill", kind=Kind.CATEGORY, role=Role.SENSITIVE),
    )
)


def people(rows: int = ROWS, dates: int = DATES) -> Dataset:
    """Return records, most of which share their birth date with nobody."""
    rng = Seed(20).rng()
    born = [date(1950, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 2 * dates, rows)]
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "sex": [("f", "m")[code] for code in rng.integers(0, 2, rows)],
            "town": [f"t{code}" for code in rng.integers(0, 20, rows)],
            "income": rng.integers(1000, 9000, rows),
            "born": [f"{day:%m/%d/%Y}" for day in born],
            "ill": [("no", "yes")[code] for code in rng.integers(0, 2, rows)],
        }
    )
    return Dataset(frame, SCHEMA)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "people.csv"
    frame = people().frame
    assert frame["born"].n_unique() > DATES
    frame.write_csv(path)
    return path


def test_every_method_of_records_is_tried() -> None:
    assert sorted(OPTIONS) == sorted(METHOD_NAMES)


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_a_method_meets_thousands_of_values_within_the_cap(name: str, file: Path, tmp_path: Path) -> None:
    words = ("protect", name, str(file), *OPTIONS[name], "--out", str(tmp_path / "R.csv"), "--seed", "1", "--json")
    done = subprocess.run([sys.executable, "-c", WITHIN, *words], capture_output=True, text=True, check=False)
    assert done.returncode in {0, 3}, done.stderr[-500:]
    assert "cor" not in json.loads(done.stdout)  # nobody asked for the measures of a contest


def test_measures_of_thousands_of_values_are_answered_or_refused_within_the_cap() -> None:
    call = (
        f"import resource\nresource.setrlimit(resource.RLIMIT_AS, ({CAP}, {CAP}))\n"
        "from tests.conformance.test_many_values import measure_all\n"
        "measure_all()\n"
    )
    done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert sorted(json.loads(done.stdout)) == sorted(MEASURE_NAMES)


def measure_all() -> None:
    """Print what every measure says of a release of many values; one may say that it has no answer."""
    data = people()
    answers: dict[str, object] = {}
    for name in MEASURE_NAMES:
        try:
            answers[name] = MEASURES.make(name).compare(data, shuffled(data)).value
        except InfeasibleError as error:
            answers[name] = str(error)
    sys.stdout.write(json.dumps(answers))


def test_correlations_in_blocks_are_those_of_columns_of_0_and_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(correlation, "CELLS", 100)
    data = people(60, 20)
    other = Dataset(data.frame[7:], SCHEMA)
    score = correlation.Correlation().compare_files(data, other)
    encoded = [encode_plainly(each) for each in (data, other)]
    names = [name for name in encoded[0] if name in encoded[1]]
    one, two = (np.corrcoef([columns[name] for name in names]) for columns in encoded)
    gap = np.abs(one - two)
    np.fill_diagonal(gap, 0.0)
    assert list(score.detail) == names
    assert [score.detail[name] for name in names] == pytest.approx(np.nanmax(gap, axis=1), abs=1e-12)


def encode_plainly(data: Dataset) -> dict[str, list[float]]:
    columns: dict[str, list[float]] = {}
    for column in data.schema.attributes:
        values = data.frame[column.name].to_list()
        if column.kind.numeric:
            columns[column.name] = [float(value) for value in values]
            continue
        for each in sorted(set(values)):
            columns[f"{column.name}={each}"] = [float(value == each) for value in values]
    return columns
