"""A line that breaks the form is told; its neighbours are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekisho.data.sheet import SheetRules, read_sheet

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
        ("1,2,3\n4,5,6\x7f\n7,8,\x01\n", [2, 3]),
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
    assert sheet.lines() == lines
    cells = [tuple(line.split(",")) for line in lines]
    assert sheet.cells.rows() == [("", "", "") if row in wrong else cell for row, cell in enumerate(cells, 1)]
