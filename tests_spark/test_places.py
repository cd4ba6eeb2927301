"""An output is there as a whole or not at all, wherever Spark writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import narwhals as nw
import polars as pl
import pytest
from tests_spark.cluster import Cluster

from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.large.engine import Engine, EngineChoice
from sekisho.data.large.scan import Scan, open_scan
from sekisho.data.large.session import Session
from sekisho.data.large.sink import write_scan
from sekisho.data.shape import Shape
from sekisho.errors import InputError, ParameterError

MOUNTED = "viewfs://proof/data"
"""A file system that is none of this machine's: Hadoop's own view of several, here of one folder."""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Write a hundred rows."""
    path = tmp_path / "people.parquet"
    pl.DataFrame({"x": range(100), "word": [f"w{x % 7}" for x in range(100)]}).write_parquet(path)
    return path


def read_parts(folder: Path) -> pl.DataFrame:
    """Return the rows of a folder of Parquet files, in the order of their names."""
    return pl.concat([pl.read_parquet(file) for file in sorted(folder.glob("*.parquet"))])


def test_rows_are_written_in_order_and_appear_by_a_rename(session: Session, people: Path, tmp_path: Path) -> None:
    frame = session.scan_parquet([people]).sort("x", descending=True)
    out = tmp_path / "release.parquet"
    write_scan(Scan(session, frame), out)
    assert read_parts(out)["x"].to_list() == list(range(99, -1, -1))
    assert (out / "_SUCCESS").exists()
    assert not list(tmp_path.glob(".release*"))


def test_what_is_there_is_never_written_over(session: Session, people: Path, tmp_path: Path) -> None:
    out = tmp_path / "release.parquet"
    out.mkdir()
    (out / "kept").touch()
    with pytest.raises(InputError, match=r"release.parquet: cannot be written: there is something of that name"):
        write_scan(Scan(session, session.scan_parquet([people])), out)
    with pytest.raises(InputError, match="there is something of that name"):
        session.places.rename(str(people), str(out))
    assert {each.name for each in tmp_path.iterdir()} - {"spark.log"} == {"people.parquet", "release.parquet"}
    assert [each.name for each in out.iterdir()] == ["kept"]


def test_a_failure_leaves_nothing(session: Session, people: Path, tmp_path: Path) -> None:
    frame = session.scan_parquet([people])
    words = frame.select(nw.col("word").cast(nw.Int64))  # w0 is no number: known when the rows are read, not before
    with pytest.raises(InputError, match=r"release.parquet: The value 'w0'"):
        write_scan(Scan(session, words), tmp_path / "release.parquet")
    assert not list(tmp_path.glob("*release*"))


def test_only_parquet_is_written_and_read(session: Session, people: Path, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"out must end in .parquet"):
        write_scan(Scan(session, session.scan_parquet([people])), tmp_path / "release.csv")
    (tmp_path / "people.csv").write_text("a;b\n1;2\n")
    with pytest.raises(
        InputError, match=r"people.csv: Spark reads Parquet.* this writes a CSV so, once: python"
    ) as advice:
        session.find_source(tmp_path / "people.csv", SchemaFile(shape=Shape.RECORDS).file)
    line = str(advice.value).partition(": python -c ")[2].strip('"')
    (tmp_path / "people.parquet").unlink()
    subprocess.run([sys.executable, "-c", line], check=True)
    assert pl.read_parquet(tmp_path / "people.parquet").rows() == [("1;2",)]


def test_files_of_a_folder_at_an_address_must_have_the_same_columns(session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "some people"
    folder.mkdir()
    for place, name in enumerate(("c[1].parquet", "a b.parquet", "b.parquet")):
        pl.DataFrame({"x": [place], "word": ["w"]}).write_parquet(folder / name)
    address, rules = Path(f"file://{folder}"), SchemaFile(shape=Shape.RECORDS).file
    source = session.find_source(address, rules, row="place")
    assert source is not None
    assert (source.rows, source.names) == (3, {"x": "x", "word": "word"})
    rows = session.collect(session.scan_parquet(source.files, row="place"))
    assert rows.sort("place")["x"].to_list() == [1, 2, 0]  # in the order of their names
    others = ({"x": [1]}, {"x": [1], "word": ["w"], "y": [2]}, {"x": ["1"], "word": ["w"]}, {"X": [1], "word": ["w"]})
    for other in others:
        pl.DataFrame(other).write_parquet(folder / "b.parquet")
        with pytest.raises(InputError, match=r"some people/b.parquet: has other columns than a b.parquet"):
            session.find_source(address, rules)


def test_any_file_system_that_the_driver_knows(driver: str, cluster: Cluster, people: Path) -> None:
    (cluster.folder / "mounted" / "people.parquet").write_bytes(people.read_bytes())
    choice = EngineChoice(engine=Engine.SPARK, master=driver)
    out = Path(f"{MOUNTED}/release.parquet")
    with open_scan(
        Path(f"{MOUNTED}/people.parquet"), SchemaFile(shape=Shape.RECORDS), choice, beside=out, row="place"
    ) as scan:
        write_scan(scan.ask(scan.frame.sort("place")), out)
        with pytest.raises(InputError, match=r"^viewfs://proof/data/release.parquet: cannot be written"):
            write_scan(scan, out)
    with (
        pytest.raises(InputError, match=r"release.parquet: cannot be written: there is something of that name"),
        open_scan(Path(f"{MOUNTED}/people.parquet"), SchemaFile(shape=Shape.RECORDS), choice, beside=out),
    ):
        pytest.fail("the place is refused before the work")
    got = read_parts(cluster.folder / "mounted" / "release.parquet")
    assert got["x"].to_list() == got["place"].to_list() == list(range(100))
    assert not list((cluster.folder / "mounted").glob(".release*"))


def test_a_guest_says_where_it_cannot_rename(guest: Session, people: Path) -> None:
    with pytest.raises(InputError, match=r"viewfs://proof/data/other.parquet: cannot be reached without a driver"):
        write_scan(Scan(guest, guest.scan_parquet([people])), Path(f"{MOUNTED}/other.parquet"))
