"""A line that breaks the form is told; its neighbours are read."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sekisho.data.files.sheet import SURPLUS, SheetRules, read_sheet

COLUMNS = ("a", "b", "c")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("1,2,3\n4,5,6\n", []),
        ("1,2,3\r\n,,\r\n4,5,6", []),
        ("1,2\n4,5,6,7\n", [1, 2]),  # as many separators as there should be in all
        ("1,2,3\n4,5\n6,7,8,9\n", [2, 3]),
        ("1,2,3\n4,5\n,7,8,9\n1,2,3\n", [2, 3]),
        ("1,2,3\n\n1,2,3,4,5\n", [2, 3]),
        ("1,2,3\n4,5,6666666\n7,8,66666\n", [2]),
        ("", []),
        ("\n\n", [1, 2]),
    ],
)
def test_each_line_of_the_wrong_shape_is_told(tmp_path: Path, text: str, wrong: list[int]) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(text.encode())
    sheet = read_sheet(path, COLUMNS, SheetRules(max_line=9))
    lines = text.splitlines()
    assert [fault.row for fault in sheet.notes.faults] == wrong
    assert sheet.total == len(lines)
    cells = [tuple(line.split(",")) for line in lines]
    assert sheet.cells.rows() == [("", "", "") if row in wrong else cell for row, cell in enumerate(cells, 1)]


def test_a_cell_that_is_no_ascii_is_told_at_its_place_and_the_others_of_its_line_are_read(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"1,2,3\n4,5,6\x7f\n7,\xff,9\n \x01,\xe3\x81\x82,\xef\xbc\x91\n1,2,\n")
    sheet = read_sheet(path, COLUMNS, SheetRules())
    assert [(fault.row, fault.column, fault.rule) for fault in sheet.notes.faults] == [
        (2, "c", "character"),
        (3, "b", "encoding"),
        (4, "a", "character"),
        (4, "b", "character"),
        (4, "c", "full-width"),
    ]
    assert sheet.cells.rows() == [("1", "2", "3"), ("4", "5", ""), ("7", "", "9"), ("", "", ""), ("1", "2", "")]


@given(st.lists(st.binary(max_size=12).filter(lambda line: b"\n" not in line and b"\r" not in line), max_size=8))
def test_whatever_the_bytes_every_line_is_read_or_told(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    assume(lines and lines != [b""])
    data = b"\n".join(lines) + b"\n"
    assume(not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")))
    path = tmp_path_factory.mktemp("sheet") / "sheet.csv"
    path.write_bytes(data)
    sheet = read_sheet(path, COLUMNS, SheetRules())
    assert len(sheet) == sheet.total == len(lines)
    told = {(fault.row, fault.column) for fault in sheet.notes.faults}
    for row, (line, cells) in enumerate(zip(lines, sheet.cells.rows(), strict=True), 1):
        parts = line.split(b",")
        assert ((row, "") in told) == (len(parts) != 3)
        if len(parts) == 3:
            plain = [all(0x20 < byte < 0x7F for byte in part) for part in parts]
            assert [(row, column) not in told for column in COLUMNS] == plain
            assert cells == tuple(part.decode() if fine else "" for part, fine in zip(parts, plain, strict=True))


def test_rows_far_beyond_what_there_can_be_are_only_counted(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("1,2,3\n" * (5 + SURPLUS))
    assert not read_sheet(path, COLUMNS, SheetRules(), expected=5).is_cut
    path.write_text("1,2,3\n" * (6 + SURPLUS))
    sheet = read_sheet(path, COLUMNS, SheetRules(), expected=5)
    assert (sheet.is_cut, len(sheet), sheet.total) == (True, 5 + SURPLUS, 6 + SURPLUS)
    assert [(fault.row, fault.rule) for fault in sheet.notes.faults] == [(0, "rows")]
    assert read_sheet(path, COLUMNS, SheetRules()).total == 6 + SURPLUS


def test_two_million_bad_rows_are_counted_without_being_told_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("1,2\n1,2,3,4\n" * 10**6)
    start = process_time()
    notes = read_sheet(path, COLUMNS, SheetRules()).notes
    assert (notes.count, len(notes.faults)) == (2 * 10**6, 1000)
    assert [fault.message[:23] for fault in notes.faults[:2]] == ["the line has 2 cells, n", "the line has 4 cells, n"]
    assert process_time() - start < 10


@pytest.mark.parametrize(
    "unit", [b"\n", b"\r\n", b",,\n", b"x", b"x" * 8000 + b"\n", "あ".encode() * 2000 + b"\n", b"1," * 5000]
)
def test_what_is_sent_to_fill_the_memory_takes_a_few_times_its_size(tmp_path: Path, unit: bytes) -> None:
    """Line ends alone took 35 times their size, long lines ten times."""
    path, size = tmp_path / "sheet.csv", 16 << 20
    path.write_bytes(unit * (size // len(unit)))
    tracemalloc.start()
    sheet = read_sheet(path, COLUMNS, SheetRules(), expected=100)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sheet.notes.count
    assert peak < 4 * size
    assert sheet.total == max(1, (unit * (size // len(unit))).count(b"\n"))


@given(
    st.lists(st.sampled_from(["1,2,3", "", "1,2", "a" * 40, "あ,い,う", "1,,\r"]), max_size=30),
    st.integers(0, 5),
)
def test_rows_beyond_those_that_there_can_be_are_counted_and_the_others_read_as_if_alone(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], expected: int
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    rows = ["1,2,3"] * SURPLUS + lines
    (folder / "whole.csv").write_text("\n".join(rows) + "\n", newline="")
    sheet = read_sheet(folder / "whole.csv", COLUMNS, SheetRules(max_line=20), expected=expected)
    checked = min(len(rows), expected + SURPLUS)
    (folder / "first.csv").write_text("\n".join(rows[:checked]) + "\n", newline="")
    first = read_sheet(folder / "first.csv", COLUMNS, SheetRules(max_line=20))
    assert (sheet.total, sheet.is_cut) == (len(rows), checked < len(rows))
    assert sheet.cells.rows() == first.cells.rows()
    told = [fault for fault in sheet.notes.faults if fault.rule != "rows"]
    assert [(fault.row, fault.rule) for fault in told] == [(fault.row, fault.rule) for fault in first.notes.faults]


def test_a_large_file_with_faults_is_looked_at_in_part_and_that_is_told(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"a" * 9000 + b"\n" + (b"1,2," + b"3" * 7000 + b"\n") * 2000)
    notes = read_sheet(path, COLUMNS, SheetRules()).notes
    (last,) = [fault for fault in notes.faults if fault.rule == "rows"]
    assert "the file has 2,001 rows; it is not as it must be, and only the first 1,1" in last.message
