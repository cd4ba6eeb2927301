"""Spark does what every engine of the house does, as a driver and as a guest."""

from __future__ import annotations

from pathlib import Path

import narwhals as nw
import polars as pl
import pyarrow as pa
import pytest
from tests_spark import kernels

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.session import Session, open_session
from sekisho.errors import BugError, FaultsError, InputError, MissingFileError, ParameterError

NAMES = ("c [1].parquet", "a*{b}.parquet", "b%20 é#.parquet")
SQUARES = pa.schema({"square": pa.int64(), "text": pa.large_string()})


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Write 30 rows to three files whose names Spark would misread, in the order of their names."""
    folder = tmp_path / "people.parquet"
    folder.mkdir()
    for part, name in enumerate(sorted(NAMES)):
        xs = range(part * 10, part * 10 + 10)
        frame = pl.DataFrame({"x": xs, "X": [-x for x in xs], "text": [f"t{x}" for x in xs], "group": [0, 1] * 5})
        frame.write_parquet(folder / name, row_group_size=3)
    return sorted(folder.iterdir())


def test_a_row_stands_where_its_file_and_its_place_say(session: Session, files: list[Path]) -> None:
    got = session.collect(session.scan_parquet(files, row="place"))
    assert sorted(got.columns) == ["X", "group", "place", "text", "x"]
    assert got.sort("place")["x"].to_list() == list(range(30))
    turned = session.collect(session.scan_parquet(files[::-1], row="place")).sort("place")
    assert turned["x"].to_list() == [*range(20, 30), *range(10, 20), *range(10)]


def test_expressions_are_answered_as_by_polars(session: Session, files: list[Path]) -> None:
    frame = session.scan_parquet(files)
    counts = frame.group_by("group").agg(nw.len().alias("n"), nw.col("x").sum().alias("s")).sort("group")
    # even x are in group 0: 0 + 2 + ... + 28 = 210; odd ones sum to 435 - 210
    assert session.collect(counts).rows() == [(0, 15, 210), (1, 15, 225)]
    few = session.take(pl.DataFrame({"group": [1], "word": ["odd"]}))
    joined = session.collect(frame.join(few, on="group", how="left").filter(nw.col("word").is_null()))
    assert joined.height == 15


def test_a_frame_too_large_for_one_message_is_sent_in_parts(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sekisho.data.engines.spark.session.WAVE", 100)
    rows = [(x, f"t{x}") for x in range(30)]  # 8 bytes a number: at most 12 rows in a part
    sent = session.take(pl.DataFrame(rows, schema=["x", "text"], orient="row"))
    assert session.collect(sent).sort("x").rows() == rows


def test_kernels_work_on_the_executors(session: Session, files: list[Path]) -> None:
    made = session.map_blocks(session.scan_parquet(files), kernels.make_squares, SQUARES)
    assert made is not None
    got = session.collect(made).sort("square")
    assert got["square"].to_list() == [x * x + x for x in range(30)]
    assert got["text"].to_list() == [f"t{x}" for x in range(30)]


def test_groups_come_whole(session: Session, files: list[Path]) -> None:
    schema = pa.schema({"group": pa.int64(), "rows": pa.int64()})
    made = session.map_groups(session.scan_parquet(files), "group", kernels.count_group, schema, groups=2)
    assert session.collect(made).sort("group").rows() == [(0, 15), (1, 15)]


def test_a_refusal_on_an_executor_arrives_as_what_it_was(session: Session, files: list[Path]) -> None:
    made = session.map_blocks(session.scan_parquet(files), kernels.refuse_block, SQUARES)
    assert made is not None
    with pytest.raises(FaultsError, match=r"people.parquet: row 3, x: 7 is odd, in a block of 4") as refusal:
        session.collect(made)
    assert refusal.value.faults[0].rule == "even"


def test_a_mistake_of_ours_on_an_executor_is_called_so(session: Session, files: list[Path]) -> None:
    made = session.map_blocks(session.scan_parquet(files), kernels.stumble, SQUARES)
    assert made is not None
    with pytest.raises(BugError, match="ZeroDivisionError: 4"):
        session.collect(made)


def test_other_code_on_the_executors_is_refused(
    session: Session, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sekisho.data.engines.spark.session.digest_code", lambda: "another")
    made = session.map_blocks(session.scan_parquet(files), kernels.make_squares, SQUARES)
    assert made is not None
    with pytest.raises(InputError, match="another version of sekisho"):
        session.collect(made)


def test_blocks_come_in_order_and_no_larger_than_asked_for(session: Session, files: list[Path]) -> None:
    frame = session.scan_parquet(files, row="place").sort("place", descending=True)
    blocks = list(session.stream(frame, 7))
    assert max(block.num_rows for block in blocks) <= 7
    assert pa.Table.from_batches(blocks)["place"].to_pylist() == list(range(29, -1, -1))


def test_files_that_are_none_are_named(session: Session, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"none.parquet: no such file"):
        session.scan_parquet([tmp_path / "none.parquet"])
    torn = tmp_path / "torn.parquet"
    torn.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError, match=r"torn.parquet"):
        session.collect(session.scan_parquet([torn]))


@pytest.mark.parametrize("scheme", ["spark", "sc"])
def test_an_address_where_nobody_listens_is_refused_at_once(scheme: str, tmp_path: Path) -> None:
    with pytest.raises((InputError, ParameterError), match=r"no Spark answers there|already"):
        open_session(EngineChoice(engine=Engine.SPARK, master=f"{scheme}://127.0.0.1:9"), tmp_path)


def test_what_is_no_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"master must be spark://HOST:PORT, .* not 'nowhere'"):
        open_session(EngineChoice(engine=Engine.SPARK, master="nowhere"), tmp_path)
