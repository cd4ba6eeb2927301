"""Separated text must be read whatever its line ends, and refused in one sentence where it cannot be."""

from __future__ import annotations

import pytest

from sekisho.data.files.separated_rows import LONGEST, check_separator, split_rows
from sekisho.errors import FaultsError, ParameterError


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_ends_a_line(end: str) -> None:
    assert split_rows(end.join(["a;b", '"c;d";e']), ";", "f") == [["a", "b"], ["c;d", "e"]]


def test_a_cell_may_be_long_but_not_endless() -> None:
    assert len(split_rows("a," + "x" * LONGEST, ",", "f")[0][1]) == LONGEST
    with pytest.raises(FaultsError, match="f: row 2: a cell has more than 131,072 characters"):
        split_rows("a,b\nc," + "x" * (LONGEST + 1), ",", "f")


@pytest.mark.parametrize("separator", ["", ";;", '"', "\n", "\r", "\0", "、"])
def test_what_cannot_stand_between_cells_is_refused(separator: str) -> None:
    with pytest.raises(ParameterError, match="separator must be one ASCII character"):
        check_separator(separator)
    with pytest.raises(ParameterError, match="separator must be one ASCII character"):
        split_rows("a", separator, "f")
