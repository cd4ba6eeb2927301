"""A file beyond memory is looked at by its first rows: cut at the end of a record, told on the pages, kept apart."""

from __future__ import annotations

import csv
import json
import resource
import sys
from html import unescape
from io import StringIO
from pathlib import Path
from time import monotonic, sleep

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.server.desk.desk_client import open_desk
from tests.server.desk.people_desk import write_rows

from sekisho.data.engines.need import AT_LEAST
from sekisho.data.shape import Shape
from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.counting.looked_part import (
    FEWEST,
    PART,
    LookedPart,
    count_columns,
    cut_table,
    cut_text,
)
from sekisho.server.desk.counting.process import CountingDesk
from sekisho.server.desk.plain_data import read_plain
from sekisho.server.desk.runs.memory import lift_limit, limit_memory

ROWS = 15_000
LITTLE = AT_LEAST + 1
CELLS = st.text(st.sampled_from('a,;"\nあĊ ー'), max_size=4)


def write_log(path: Path) -> Path:
    rows = [
        {
            "id": f"P{number:05}",
            "age": str(20 + number % 50),
            "town": f"T{number % 7}",
            "ill": ("flu", "none")[number % 2],
        }
        for number in range(ROWS)
    ]
    return write_rows(path, rows)


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return DeskFolder(tmp_path / "desk").create(write_log(tmp_path / "people.csv"))


@given(
    rows=st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=30),
    kept=st.integers(1, 20),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-16-be"]),
)
def test_a_text_is_cut_between_two_records(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], kept: int, encoding: str
) -> None:
    folder, stream = tmp_path_factory.mktemp("cut"), StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows(rows)
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    (folder / "a.csv").write_bytes(mark + stream.getvalue().encode(encoding))
    cut_text(folder / "a.csv", folder / "b.csv", kept)
    whole, part = ((folder / name).read_bytes() for name in ("a.csv", "b.csv"))
    assert whole.startswith(part)
    text = (part.removeprefix(mark) if mark else part).decode(encoding)
    assert text.count("\n") <= kept or text == stream.getvalue()
    read = list(csv.reader(StringIO(text, newline="")))
    first = list(csv.reader(StringIO(stream.getvalue(), newline="")))[: len(read)]
    if text.count('"') % 2 == 0:  # a first record that is longer than the part cannot be cut anywhere
        assert read == first


def test_a_table_is_cut_after_its_first_rows(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": range(50), "b": ["x"] * 50})
    frame.write_parquet(tmp_path / "a.parquet")
    cut_table(tmp_path / "a.parquet", tmp_path / "b.parquet", 7)
    assert pl.read_parquet(tmp_path / "b.parquet").equals(frame.head(7))
    assert count_columns(tmp_path / "a.parquet") == 2


def test_only_what_would_pass_the_memory_is_cut_and_once(tmp_path: Path) -> None:
    path = write_log(tmp_path / "people.csv")
    whole = LookedPart.find(path, "d" * 64, tmp_path / "columns", 10 * AT_LEAST)
    assert (whole.path, whole.digest, whole.told) == (path, "d" * 64, None)
    part = LookedPart.find(path, "d" * 64, tmp_path / "columns", LITTLE)
    assert part.rows == FEWEST
    assert part.path.name == "people.csv"
    assert part.digest != whole.digest
    assert part.path.read_bytes().count(b"\n") == FEWEST
    assert part.whole == pytest.approx(ROWS, rel=0.05)
    written = part.path.stat().st_mtime_ns
    assert LookedPart.find(path, "d" * 64, tmp_path / "columns", LITTLE) == part
    assert part.path.stat().st_mtime_ns == written
    part.tell(tmp_path)
    assert read_plain(tmp_path / PART) == part.told
    whole.tell(tmp_path)
    assert read_plain(tmp_path / PART) is None


def test_what_was_counted_of_a_part_is_not_taken_for_the_whole(case: Case) -> None:
    asked = {"name": "alone", "version": 1, "arguments": {"keys": ["age", "town"]}}
    little = CountingDesk(folder=case.folder, allowed=LITTLE).answer(asked)["result"]
    plenty = CountingDesk(folder=case.folder, allowed=10 * AT_LEAST).answer(asked)["result"]
    assert (little["records"], plenty["records"]) == (
        FEWEST - 1,
        ROWS,
    )  # the line of names is one of those that were cut
    look = CountingDesk(folder=case.folder, allowed=LITTLE).answer({"name": "look", "version": 1})["result"]
    assert look["rows"] == FEWEST - 1
    told = CountingDesk(folder=case.folder, allowed=LITTLE).answer(
        {"name": "propose", "version": 1, "arguments": {"shape": Shape.RECORDS.value}}
    )
    assert 'original = "people.csv"' in told["result"]["files"]["recipe.toml"]


@pytest.mark.parametrize("keys", [["age", "town"], ["age", "town", "ill"], ["ill"]])
def test_the_whole_is_counted_by_an_engine_and_kept(case: Case, keys: list[str]) -> None:
    asked = {"name": "whole", "version": 1, "arguments": {"keys": [{"name": name} for name in keys]}}
    told = CountingDesk(folder=case.folder, allowed=2 * LITTLE).answer(asked)["result"]
    plenty = CountingDesk(folder=case.folder).answer({**asked, "name": "alone", "arguments": {"keys": keys}})["result"]
    assert told == {"records": ROWS, "alone": plenty["alone"]}
    (kept,) = case.counts.glob("alone-*")
    kept.write_text(json.dumps({"records": 1, "alone": 0}))
    assert CountingDesk(folder=case.folder, allowed=2 * LITTLE).answer(asked)["result"]["records"] == 1


def test_an_engine_may_reserve_what_it_likes_and_others_may_not_after_it() -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    with lift_limit(LITTLE):
        assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert resource.getrlimit(resource.RLIMIT_AS) == before  # who was not limited is not
    if sys.platform != "linux":
        return
    with limit_memory(LITTLE):
        limited, _ = resource.getrlimit(resource.RLIMIT_AS)
        with lift_limit(LITTLE):
            assert resource.getrlimit(resource.RLIMIT_AS) == before
        again, _ = resource.getrlimit(resource.RLIMIT_AS)
        assert limited <= again < limited + LITTLE
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_pages_say_what_their_figures_are_of(case: Case, tmp_path: Path) -> None:
    client = open_desk(tmp_path / "desk", memory=LITTLE)

    def show(step: str, query: str = "") -> str:
        return unescape(client.send("GET", f"/cases/{case.name}/{step}{query}").text)

    end = monotonic() + 120
    while f"{FEWEST - 1:,} rows" not in show("file") and monotonic() < end:
        sleep(0.2)
    assert "Figures here are of the first 10,000 of about 15," in show("file")
    assert "Figures here are of the first 10,000" in show("risk")
    while "In the whole file 0 of 15,000 people are alone." not in show("risk") and monotonic() < end:
        sleep(0.2)
    assert "In the whole file 0 of 15,000 people are alone." in show("risk")
    assert "最初の 10,000 行のものです" in show("file", "?language=ja")
    assert "Figures here are of" not in show("run")
    assert "Use the disk?" in show("run")
    client.app.state.desk.close()
