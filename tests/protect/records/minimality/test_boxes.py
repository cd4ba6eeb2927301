"""Classes that are public boxes must tell nothing of the records: each record's box hangs on the record alone."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.errors import InfeasibleError, InputError, ParameterError
from sekisho.protect.records.minimality.guard import Guard
from sekisho.protect.records.partition import Partition
from sekisho.seeds import Seed

SCHEMA = Schema(
    (
        Column(name="age", kind=Kind.INTEGER, role=Role.QUASI),
        Column(name="town", kind=Kind.CATEGORY, role=Role.QUASI),
        Column(name="ill", kind=Kind.CATEGORY, role=Role.SENSITIVE),
    )
)
PEOPLE = Dataset(
    pl.DataFrame(
        {
            "age": [20, 21, 25, 31, 33, 39, 60],
            "town": ["a", "b", "a", "c", "c", "c", "a"],
            "ill": ["x", "y", "x", "x", "y", "y", "x"],
        }
    ),
    SCHEMA,
)
BOXES = "age,town\n[20;29],{a;b}\n[30;39],c\n[40;99],*\n[20;39],{d;e}\n"


def fill(folder: Path, boxes: str, **more: object) -> tuple[list[tuple[object, ...]], dict[str, Any]]:
    file = folder / "boxes.csv"
    file.write_text(boxes)
    settings: dict[str, Any] = {"keys": ("age", "town"), "k": 3, "guard": Guard.MINIMALITY, "boxes": file, **more}
    release = Partition(**settings).apply(PEOPLE, rng=Seed(1).rng())
    return publish_values(release).frame.rows(), cast("dict[str, Any]", release.detail)


def test_records_go_into_their_boxes_and_small_ones_are_left_out(tmp_path: Path) -> None:
    rows, told = fill(tmp_path, BOXES, suppress=Fraction(1, 5))
    assert sorted(map(str, rows)) == sorted(
        [
            "('[20;29]', '{a;b}', 'x')",
            "('[20;29]', '{a;b}', 'y')",
            "('[20;29]', '{a;b}', 'x')",
            "('[30;39]', 'c', 'x')",
            "('[30;39]', 'c', 'y')",
            "('[30;39]', 'c', 'y')",
        ]
    )
    assert (told["k"], told["classes"], told["suppressed"]) == (3, 2, 1)
    assert told["guard"]["public"] == "boxes"
    assert told["against"] == {"knows": "tie", "people": "others"}
    # age: six ranges of nine of forty years, one left out; town: three of {a;b} of three, three exact, one left out
    assert told["ncp_by_key"] == pytest.approx({"age": (6 * 9 / 40 + 1) / 7, "town": (3 * 0.5 + 1) / 7})


def test_boxes_that_leave_out_too_many_are_no_answer(tmp_path: Path) -> None:
    with pytest.raises(InfeasibleError, match="leave out 1 records, 0 may"):
        fill(tmp_path, BOXES)


def test_boxes_that_meet_are_refused_though_no_record_lies_in_both(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="in common"):
        fill(tmp_path, BOXES + "[10;50],{e;f}\n", suppress=Fraction(1, 5))


def test_what_is_no_box_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="old"):
        fill(tmp_path, BOXES + "old,c\n", suppress=Fraction(1, 5))
    with pytest.raises(InputError, match="town"):
        fill(tmp_path, "age\n[0;99]\n", suppress=Fraction(1, 5))


def test_there_is_no_guard_without_boxes_nor_with_sensitive_values_that_leave_people_out(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="tell of the records"):
        Partition(keys=("age",), guard=Guard.MINIMALITY)
    with pytest.raises(ParameterError):
        Partition(keys=("age",), boxes=tmp_path / "b.csv")
    with pytest.raises(ParameterError, match="sensitive values"):
        fill(tmp_path, BOXES, l=2, sensitive="ill", suppress=Fraction(1, 5))
