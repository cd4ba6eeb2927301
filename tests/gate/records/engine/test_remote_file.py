"""A file that is recoded on a cluster is the file that one machine recodes: row by row, and with the same words."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.engines.pretended_cluster import PretendedCluster
from tests.gate.records.engine.made_up_people import (
    CASES,
    KEYS,
    ROWS,
    USUAL,
    Asked,
    Told,
    boast,
    judge,
    run,
    write_people,
)
from tests.laws import try_examples

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.session import SESSIONS
from sekisho.data.files.schema_files.blocks import BlockReport
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.schema_files.schema_file import ColumnRules, Missing, Outside, SchemaFile
from sekisho.data.frame.dataset import Kind, Role
from sekisho.data.shape import Shape
from sekisho.errors import BugError, Fault, FaultsError, InfeasibleError, ParameterError
from sekisho.protect.beyond_memory import EngineTask
from sekisho.protect.records.engine import remote_file
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.streamed import remote_kernels, remote_recoding
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.utility.schema_terms import own_rules
from sekisho.words import quote_words

HERE, THERE = EngineChoice(engine=Engine.POLARS), EngineChoice(engine=Engine.SPARK, master="local[2]")


@pytest.fixture(autouse=True)
def _pretend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SESSIONS, Engine.SPARK, f"{PretendedCluster.__module__}:PretendedCluster")


def compare(method: Partition, source: Path, asked: Asked = USUAL) -> tuple[Told, pl.DataFrame]:
    """Return what a run on the cluster said and its release, which must be that of one machine."""
    (told_here, here), (told, there) = (run(method, source, choice, asked) for choice in (HERE, THERE))
    assert there.schema == here.schema
    assert there.equals(here)
    assert vars(told) == vars(told_here)
    assert not [path for path in source.parent.iterdir() if ".tmp-" in path.name]
    return told, there


@pytest.mark.parametrize("case", CASES)
def test_the_release_of_a_cluster_is_that_of_one_machine(tmp_path: Path, case: str) -> None:
    method, asked = CASES[case]
    told, release = compare(method, write_people(tmp_path, gaps="gaps" in case), asked)
    classes = release.group_by(method.keys).len()
    assert int(str(classes["len"].min())) >= method.k
    assert told.recounts[0].counted == classes["len"].min()
    assert (told.detail["parts"] == 1) is (asked.size == 10**6 or case == "categories as they are")
    assert (int(str(told.detail["suppressed"])) > 0) is case.startswith("left out")
    assert (release["age"].dtype == pl.Int64) is case.endswith("as they are")
    assert told.deleted is None or len(told.deleted.splitlines()) == told.detail["suppressed"]


@try_examples(4, share_fixtures=True)
@given(seed=st.integers(0, 99), k=st.integers(2, 40), size=st.integers(5, 60))
def test_whatever_the_people(tmp_path_factory: pytest.TempPathFactory, seed: int, k: int, size: int) -> None:
    method = Partition(keys=KEYS[: 1 + seed % 3], k=k, suppress=Fraction(seed % 4, 20), effort=0.01)
    source = write_people(tmp_path_factory.mktemp("people"), seed=seed, alike=bool(seed % 2))
    compare(method, source, Asked(size=size, ordered=bool(seed % 5)))


def test_copies_of_a_record_find_their_classes_among_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # 300 people have at most 4 * 4 * 2 different records, so they are split; each third row looks elsewhere
    monkeypatch.setattr(remote_kernels, "STEP", 3)
    monkeypatch.setattr(remote_recoding, "STEP", 3)
    method = Partition(keys=KEYS, k=7, suppress=Fraction(1, 20))
    compare(method, write_people(tmp_path, alike=True), Asked(ordered=True, size=10))


def test_rows_are_numbered_across_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_file, "WIDTH", 7)
    asked = Asked(missing=Missing.DROP, ordered=True)
    told, release = compare(Partition(keys=KEYS, k=4), write_people(tmp_path, gaps=True), asked)
    assert release.height < ROWS
    assert any("rows dropped" in each for each in told.notices)


def test_all_faults_are_told_at_once_with_their_rows(tmp_path: Path) -> None:
    source = write_people(tmp_path, gaps=True)
    errors = list[FaultsError]()
    for choice in (HERE, THERE):
        with pytest.raises(FaultsError, match="is missing") as caught:
            run(Partition(keys=KEYS, k=4), source, choice)
        errors.append(caught.value)
    assert sorted(map(str, errors[0].faults)) == sorted(map(str, errors[1].faults))
    assert [(each.source, each.count, each.hint) for each in errors[:1]] == [
        (each.source, each.count, each.hint) for each in errors[1:]
    ]


def test_no_row_is_left(tmp_path: Path) -> None:
    source = write_people(tmp_path)
    columns = (
        ColumnRules(name="id", role=Role.IDENTIFIER, kind=Kind.CATEGORY),
        ColumnRules(name="age", kind=Kind.INTEGER, low="1", high="2", outside=Outside.DROP),
    )
    book = own_rules(SchemaFile(shape=Shape.RECORDS, columns=columns), "people")
    assert isinstance(book, RecordTerms)
    task = EngineTask(source=source, terms=book, out=tmp_path / "R.parquet", choice=THERE)
    with (
        pytest.raises(FaultsError, match="no row is left of 300"),
        judge(Partition(keys=("age",), k=2), task, Seed(1)),
    ):
        pytest.fail("it was handed over")


def test_what_cannot_be_is_said_and_nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_people(tmp_path)
    with pytest.raises(InfeasibleError, match="300 records cannot form a class of 301"):
        run(Partition(keys=KEYS, k=301), source, THERE)
    with pytest.raises(ParameterError, match="keys must be among the columns"):
        run(Partition(keys=("nobody",), k=2), source, THERE)
    monkeypatch.setattr(remote_recoding, "MOST_VALUES", 3)
    with pytest.raises(ParameterError, match="column age must have at most 3 values on a cluster, not 'more than 3'"):
        run(Partition(keys=KEYS, k=2), source, THERE)
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


def test_a_release_that_breaks_the_promise_is_never_handed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boast(monkeypatch, KEYS)
    with pytest.raises(BugError, match=r"has k-anonymity .*, 300 is promised"):
        run(Partition(keys=KEYS, k=4), write_people(tmp_path), THERE)
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


def test_lost_rows_are_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_recoding, "STEP", 2)  # rows look in other buckets than pieces lie in
    with pytest.raises(BugError, match=r"the folder to be handed over has \d+ rows, 300 are in classes"):
        run(Partition(keys=KEYS, k=7), write_people(tmp_path, alike=True), THERE)


def test_an_engine_of_one_machine_keeps_no_rows_on_a_cluster() -> None:
    with pytest.raises(BugError, match="an engine of one machine"):
        remote_file.require_cluster(object())


def test_a_report_survives_its_way() -> None:
    fault = Fault(row=4, column="年", rule="date", value='"\n', message=quote_words("no date"))
    for report in (
        BlockReport(rows=3, kept=2, notices=(Notice(what="rows dropped", count=1, message="1 row"),)),
        BlockReport(rows=1, faults=(fault,), count=1, hint="look"),
    ):
        assert BlockReport.read(report.write()) == report


def test_faults_of_blocks_that_overlap_stand_in_the_order_of_their_rows() -> None:
    first, second = (
        BlockReport(
            rows=2,
            faults=tuple(Fault(row=row, column="", rule="", value="", message=quote_words("")) for row in rows),
            count=2,
        )
        for rows in ((2, 9), (4, 5))
    )
    assert [fault.row for fault in first.join(second).faults] == [2, 4, 5, 9]
