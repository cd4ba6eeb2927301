"""A file that is recoded beyond memory is the file that is recoded in memory; a broken promise leaves nothing behind."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import polars as pl
import pytest
from tests.data.engines.engines import CHOICES
from tests.gate.records.engine.made_up_people import boast, judge

from sekisho.contest.rulebook import read_record_rules
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.files.schema_files.schema_file import Missing
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.shape import Shape
from sekisho.errors import BugError, FaultsError, ParameterError
from sekisho.gate import beyond_memory
from sekisho.protect.beyond_memory import EngineTask
from sekisho.protect.records.engine import recode_file, streamed_release
from sekisho.protect.records.partition import Partition
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.utility.schema_terms import own_rules

KEYS = ("age", "town")
METHOD = Partition(keys=KEYS, k=4)


def rules(identifier: str = "id", *, missing: Missing = Missing.CARRY) -> RecordTerms:
    book = own_rules(schema_from_options(Shape.RECORDS, identifier=identifier, missing=missing), "people")
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


def task(source: Path, out: str, choice: EngineChoice, *, size: int | None = None, ordered: bool = False) -> EngineTask:
    return EngineTask(
        source=source, terms=rules(), out=source.with_name(out), ordered=ordered, choice=choice, size=size
    )


def is_clean(folder: Path, *more: str) -> bool:
    return {path.name for path in folder.iterdir()} == {"people.csv", *more}


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.engine.value)
@pytest.mark.parametrize("out", ["R.csv", "R.parquet"])
def test_small_parts_keep_k_and_all_other_cells(people: Path, choice: EngineChoice, out: str) -> None:
    place = people.with_name(out)
    with judge(METHOD, task(people, out, choice, size=20), Seed(1)) as outcome:
        assert not place.exists()
        outcome.release.put()
    frame = pl.read_parquet(place) if out.endswith("parquet") else pl.read_csv(place, separator=";", infer_schema=False)
    assert int(str(outcome.release.detail["parts"])) > 2
    assert frame.columns == ["age", "town", "pay"]
    sizes = frame.group_by(KEYS).len()["len"]
    assert sizes.min() == outcome.recounts[0].counted >= 4
    before = pl.read_csv(people, separator=";")["pay"]
    after = frame["pay"].cast(pl.Float64)
    assert sorted(after) == sorted(before)
    assert after.to_list() != before.to_list()  # the order tells nothing
    assert is_clean(people.parent, out)


def test_the_order_is_the_same_however_many_files_may_be_open(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orders = list[bytes]()
    for bucket, bits in ((1 << 18, 8), (7, 8), (7, 2), (7, 0)):  # in one file, in 64, in 4, in one
        monkeypatch.setattr(streamed_release, "BUCKET", bucket)
        monkeypatch.setattr(streamed_release, "MOST_BITS", bits)
        with judge(METHOD, task(people, "R.csv", CHOICES[0]), Seed(1)) as outcome:
            outcome.release.put()
        orders.append(people.with_name("R.csv").read_bytes())
    assert orders == orders[:1] * 4


def test_rows_left_out_are_listed_in_the_original_order(people: Path) -> None:
    method = Partition(keys=KEYS, k=30, suppress=Fraction(1, 10))
    with judge(method, task(people, "R.csv", CHOICES[0], ordered=True), Seed(1)) as outcome:
        release = outcome.release
        release.put()
        gone = [] if release.deleted is None else [int(line) for line in release.deleted.read_text().split()]
    frame = pl.read_csv(people.with_name("R.csv"), separator=";")
    assert len(gone) == int(str(release.detail["suppressed"])) == release.records - release.kept > 0
    before = pl.read_csv(people, separator=";")
    kept = np.setdiff1d(np.arange(400), gone)
    assert frame["pay"].to_list() == before["pay"].gather(kept).to_list()


def test_a_file_that_breaks_the_promise_is_never_handed_over(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    boast(monkeypatch, KEYS)
    with (
        pytest.raises(BugError, match=r"has k-anonymity .*, 300 is promised"),
        judge(METHOD, task(people, "R.csv", CHOICES[1]), Seed(1)),
    ):
        pytest.fail("it was handed over")
    assert is_clean(people.parent)


@pytest.mark.parametrize(("room", "step"), [(recode_file, "recode_blocks"), (beyond_memory, "recount_promises")])
def test_an_interruption_leaves_nothing(
    people: Path, monkeypatch: pytest.MonkeyPatch, room: ModuleType, step: str
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        assert not is_clean(people.parent)
        raise KeyboardInterrupt

    monkeypatch.setattr(room, step, interrupt)
    with pytest.raises(KeyboardInterrupt), judge(METHOD, task(people, "R.csv", CHOICES[1]), Seed(1)):
        pytest.fail("it was handed over")
    assert is_clean(people.parent)


def test_faults_of_the_file_are_told_with_their_rows(people: Path) -> None:
    lines = people.read_text(encoding="utf-8").splitlines()
    lines[300] = "p300;;a;1.5"
    people.write_text("\n".join(lines) + "\n", encoding="utf-8")
    refusing = replace(task(people, "R.csv", CHOICES[0]), terms=rules(missing=Missing.REFUSE))
    with (
        pytest.raises(FaultsError, match="row 300, age: age is missing"),
        judge(METHOD, refusing, Seed(1)),
    ):
        pytest.fail("it was handed over")


def test_a_contest_has_no_way_beyond_memory(people: Path) -> None:
    book = read_record_rules("pwscup2021")
    wrong = EngineTask(source=people, terms=book, out=people.with_name("R.csv"), choice=CHOICES[0])
    with (
        pytest.raises(ParameterError, match="engine must be given for a file of one's own"),
        judge(METHOD, wrong, Seed(1)),
    ):
        pytest.fail("it was handed over")
