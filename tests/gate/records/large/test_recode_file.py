"""A file that is recoded beyond memory is the file that is recoded in memory; a broken promise leaves nothing behind."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.data.large.engines import CHOICES

from sekisho.contest.rulebook import read_record_rules
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.frame.schema import Schema
from sekisho.data.large.engine import EngineChoice
from sekisho.data.shape import Shape
from sekisho.errors import BugError, FaultsError, ParameterError
from sekisho.gate.records.large import recode_file as room
from sekisho.gate.records.large import streamed_release
from sekisho.gate.records.large.large_task import LargeTask
from sekisho.gate.records.large.recode_file import recode_file
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.recoding.key_columns import KeyColumn
from sekisho.protect.records.recoding.recoded import ClassFigures
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.utility.schema_terms import own_rules

KEYS = ("age", "town")
METHOD = Partition(keys=KEYS, k=4)


def rules(identifier: str = "id") -> RecordTerms:
    book = own_rules(schema_from_options(Shape.RECORDS, identifier=identifier), "people")
    assert isinstance(book, RecordTerms)
    return book


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rng, path = Seed(5).rng(), tmp_path / "people.csv"
    frame = pl.DataFrame(
        {
            "id": [f"p{row}" for row in range(400)],
            "age": np.append(rng.integers(20, 60, 395), [95, 96, 97, 98, 99]),
            "town": rng.choice(["a", "b; c", "*", "d"], 400),
            "pay": rng.integers(0, 9, 400) / 2,
        }
    )
    frame.write_csv(path, separator=";")
    return path


def task(source: Path, out: str, choice: EngineChoice, *, size: int | None = None, ordered: bool = False) -> LargeTask:
    return LargeTask(source=source, rules=rules(), out=source.with_name(out), ordered=ordered, choice=choice, size=size)


def is_clean(folder: Path) -> bool:
    return [path.name for path in folder.iterdir()] == ["people.csv"]


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.engine.value)
@pytest.mark.parametrize("out", ["R.csv", "R.parquet"])
def test_small_parts_keep_k_and_all_other_cells(people: Path, choice: EngineChoice, out: str) -> None:
    with recode_file(METHOD, task(people, out, choice, size=20), seed=Seed(1)) as outcome:
        frame = (
            pl.read_parquet(outcome.place)
            if out.endswith("parquet")
            else pl.read_csv(outcome.place, separator=";", infer_schema=False)
        )
    assert int(str(outcome.detail["parts"])) > 2
    assert frame.columns == ["age", "town", "pay"]
    sizes = frame.group_by(KEYS).len()["len"]
    assert sizes.min() == outcome.recounts[0].counted >= 4
    before = pl.read_csv(people, separator=";")["pay"]
    after = frame["pay"].cast(pl.Float64)
    assert sorted(after) == sorted(before)
    assert after.to_list() != before.to_list()  # the order tells nothing
    assert is_clean(people.parent)


def test_the_order_is_the_same_however_many_files_may_be_open(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orders = list[bytes]()
    for bucket, bits in ((1 << 18, 8), (7, 8), (7, 2), (7, 0)):  # in one file, in 64, in 4, in one
        monkeypatch.setattr(streamed_release, "BUCKET", bucket)
        monkeypatch.setattr(streamed_release, "MOST_BITS", bits)
        with recode_file(METHOD, task(people, "R.csv", CHOICES[0]), seed=Seed(1)) as outcome:
            orders.append(outcome.place.read_bytes())
    assert orders == orders[:1] * 4


def test_rows_left_out_are_listed_in_the_original_order(people: Path) -> None:
    method = Partition(keys=KEYS, k=30, suppress=Fraction(1, 10))
    with recode_file(method, task(people, "R.csv", CHOICES[0], ordered=True), seed=Seed(1)) as outcome:
        frame = pl.read_csv(outcome.place, separator=";")
        gone = [] if outcome.deleted is None else [int(line) for line in outcome.deleted.read_text().split()]
    assert len(gone) == int(str(outcome.detail["suppressed"])) > 0
    before = pl.read_csv(people, separator=";")
    kept = np.setdiff1d(np.arange(400), gone)
    assert frame["pay"].to_list() == before["pay"].gather(kept).to_list()


def test_a_file_that_breaks_the_promise_is_never_handed_over(people: Path) -> None:
    class Boastful(Partition):
        """Promises what it does not keep."""

        def describe_figures(
            self, figures: ClassFigures, schema: Schema, keys: Sequence[KeyColumn]
        ) -> dict[str, object]:
            told = Partition.describe_figures(self, figures, schema, keys)
            return {**told, "alike": {"keys": list(KEYS), "least": 300}}

    with (
        pytest.raises(BugError, match=r"has k-anonymity .*, 300 is promised"),
        recode_file(Boastful(keys=KEYS, k=4), task(people, "R.csv", CHOICES[1]), seed=Seed(1)),
    ):
        pytest.fail("it was handed over")
    assert is_clean(people.parent)


@pytest.mark.parametrize("step", ["recode_blocks", "recount_scan"])
def test_an_interruption_leaves_nothing(people: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def interrupt(*_: object, **__: object) -> None:
        assert not is_clean(people.parent)
        raise KeyboardInterrupt

    monkeypatch.setattr(room, step, interrupt)
    with pytest.raises(KeyboardInterrupt), recode_file(METHOD, task(people, "R.csv", CHOICES[1]), seed=Seed(1)):
        pytest.fail("it was handed over")
    assert is_clean(people.parent)


def test_faults_of_the_file_are_told_with_their_rows(people: Path) -> None:
    lines = people.read_text(encoding="utf-8").splitlines()
    lines[300] = "p300;;a;1.5"
    people.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with (
        pytest.raises(FaultsError, match="row 300, age: age is missing"),
        recode_file(METHOD, task(people, "R.csv", CHOICES[0]), seed=Seed(1)),
    ):
        pytest.fail("it was handed over")


def test_a_contest_has_no_way_beyond_memory(people: Path) -> None:
    book = read_record_rules("pwscup2021")
    wrong = LargeTask(source=people, rules=book, out=people.with_name("R.csv"), ordered=False, choice=CHOICES[0])
    with (
        pytest.raises(ParameterError, match="engine must be given for a file of one's own"),
        recode_file(METHOD, wrong, seed=Seed(1)),
    ):
        pytest.fail("it was handed over")
