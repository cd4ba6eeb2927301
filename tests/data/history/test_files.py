"""Everything the official checker refuses we refuse, and say all errors at once; what is valid is read exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from bench import plain_history
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import histories, lines_of, processed

from sekisho.attack.history.guess_files import read_guess, write_guess
from sekisho.attack.history.referee import judge
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.files.plain_files.form import OrdinaryForm
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history import files
from sekisho.data.history.files import (
    publish_file,
    read_original,
    read_published,
    read_release,
    write_original,
    write_published,
    write_release,
)
from sekisho.errors import EncodingError, Fault, FaultsError, MissingFileError
from sekisho.safety.rejection import Bound
from sekisho.utility.cell_error import CellError

RULES = read_history_rules("pwscup2018")
T = [
    "9,2010/12/1,22728,3.75,24",
    "9,2010/12/8,POST,18,1",
    "13047,2011/2/28,22728,2.1,6",
    "13047,2011/3/1,84879,1.69,32",
]
A = ["1,2010/12/1,22728,3.75,24", "*,*,*,*,*", "7,[2011/2/27;2011/03/01],{22728;POST},[2.10;2.5],[1;6]", "7,*,*,*,*"]
Place = tuple[int, str, str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "T.csv").write_text("\n".join(T) + "\n")
    return tmp_path


def original(folder: Path) -> Dataset:
    return read_original(folder / "T.csv", RULES)


def released(folder: Path, lines: list[str]) -> Release:
    (folder / "A.csv").write_text("".join(f"{line}\n" for line in lines))
    return read_release(folder / "A.csv", RULES, original(folder))


def faults(folder: Path, lines: list[str]) -> list[Place]:
    with pytest.raises(FaultsError) as caught:
        released(folder, lines)
    return places(caught.value.faults)


def places(found: Sequence[Fault]) -> list[Place]:
    return [(fault.row, fault.column, fault.rule) for fault in found]


def changed(row: int, line: str) -> list[str]:
    return [line if number == row else old for number, old in enumerate(A, 1)]


def test_a_valid_release_is_read_exactly(folder: Path) -> None:
    release = released(folder, A)
    assert release.deleted.tolist() == [False, True, False, False]
    assert release.table.pseudonym is not None
    assert release.table.pseudonym.tolist() == [1, 0, 7, 7]
    price, item = release.table.numbers("price"), release.table.sets("item")
    assert (price.lower.tolist(), price.upper.tolist()) == ([375, 0, 210, 0], [375, 0, 250, 0])
    assert [item.domain[code] for code in item.codes] == ["22728", "22728", "POST"]
    assert item.suppressed.tolist() == [False, True, False, True]


def test_utility_by_hand(folder: Path) -> None:
    # Row 3: quantity [1;6] for 6: ((1-6)^2 + 0 + 5) / (2 * 6 * sd), sd of 24, 1, 6, 32; rows 2 and 4 are 1 each, row 1
    # is 0.
    score = CellError().compare(original(folder), released(folder, A))
    deviation = float(np.std([24, 1, 6, 32]))
    assert score.detail["quantity"] == pytest.approx((0 + 1 + 30 / (12 * deviation) + 1) / 4, abs=1e-15)
    assert score.detail["item"] == pytest.approx((0 + 1 + 0.5 + 1) / 4)
    assert score.value == pytest.approx(sum(score.detail.values()) / 4)


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("7,2011/2/30,22728,2.1,6", (3, "date", "grammar")),
        ("7,2012/1/1,22728,2.1,6", (3, "date", "limits")),
        ("7,2011/2/27,22728,2.1,6", (3, "date", "untrue")),
        ("7,[2011/3/1;2011/2/27],22728,2.1,6", (3, "date", "order")),
        ("7,[2011/3/1;2011/3/2],22728,2.1,6", (3, "date", "untrue")),
        ("7,{2011/2/28},22728,2.1,6", (3, "date", "grammar")),
        ("7,2011/2/28,NONE,2.1,6", (3, "item", "unknown")),
        ("7,2011/2/28,{22728;22728},2.1,6", (3, "item", "doubled")),
        ("7,2011/2/28,{},2.1,6", (3, "item", "unknown")),
        ("7,2011/2/28,POST,2.1,6", (3, "item", "untrue")),
        ("7,2011/2/28,{POST;84879},2.1,6", (3, "item", "untrue")),
        ("7,2011/2/28,22728;POST,2.1,6", (3, "item", "grammar")),
        ("7,2011/2/28,[22728;POST],2.1,6", (3, "item", "grammar")),
        ("7,2011/2/28,22728,2.105,6", (3, "price", "grammar")),
        ("7,2011/2/28,22728,0,6", (3, "price", "limits")),
        ("7,2011/2/28,22728,100000,6", (3, "price", "limits")),
        ("7,2011/2/28,22728,2.1,1.5", (3, "quantity", "grammar")),
        ("7,2011/2/28,22728,2.1,-6", (3, "quantity", "grammar")),
        ("7,2011/2/28,22728,2.1,[7;9]", (3, "quantity", "untrue")),
        ("7,2011/2/28,22728,2.1,1000000", (3, "quantity", "limits")),
        ("7,2011/2/28,22728,2.1,", (3, "quantity", "grammar")),
        ("07,2011/2/28,22728,2.1,6", (3, "customer", "pseudonym")),
        ("1234567890,2011/2/28,22728,2.1,6", (3, "customer", "pseudonym")),
        ("*,2011/2/28,22728,2.1,6", (3, "customer", "deleted")),
        ("1,2011/2/28,22728,2.1,6", (3, "customer", "shared")),
        ("7,2011/2/28,22728,2.1", (3, "", "columns")),
        ("7,2011/2/28,22728,2.1,6,1", (3, "", "columns")),
        ("", (3, "", "columns")),
        ("7, 2011/2/28,22728,2.1,6", (3, "date", "character")),
        ("7,2011/2/28,22728,2.1,６", (3, "quantity", "full-width")),
        ("7，2011/2/28,22728,2.1,6", (3, "", "full-width")),
        ("7,2011/2/28,22728,2.1,6,é", (3, "", "character")),
        ("7,2011/2/28,22728,2\x00,6", (3, "price", "character")),
        ("7,2011/2/28,22728,2.1,é", (3, "quantity", "character")),
        ("7,2011/2/28,{" + ";".join(["22728"] * 1500) + "},2.1,6", (3, "", "line-length")),
        ("7,2011/2/28,{" + ";".join(["22728"] * 101) + "},2.1,6", (3, "item", "set-size")),
    ],
)
def test_a_bad_cell_is_refused_with_its_place_and_rule(folder: Path, line: str, place: Place) -> None:
    assert place in faults(folder, changed(3, line))


def test_a_line_of_8001_characters_is_refused_and_one_of_8000_read(folder: Path) -> None:
    for length in (8000, 8001):
        start = "7,2011/2/28,22728,2.1,"
        line = start + "0" * (length - len(start) - 1) + "6"
        rule = ("quantity", "grammar") if length == 8000 else ("", "line-length")
        assert (3, *rule) in faults(folder, changed(3, line))


def test_all_errors_come_at_once_in_the_files_order(folder: Path) -> None:
    found = faults(folder, ["x,2010/12/2,22728,3.75,24", "*,*,*,*", "7,2011/2/30,NONE,a,6", "8,*,*,*,*"])
    expected = [
        (1, "customer", "pseudonym"),
        (1, "date", "untrue"),
        (2, "", "columns"),
        (3, "date", "grammar"),
        (3, "item", "unknown"),
        (3, "price", "grammar"),
        (4, "customer", "split"),
    ]
    assert found == expected


def test_wrong_numbers_of_rows_and_headers_are_told(folder: Path) -> None:
    assert (0, "", "rows") in faults(folder, A[:3])
    assert (0, "", "rows") in faults(folder, [])
    headed = faults(folder, ["customer,date,item,price,quantity", *A])
    assert (0, "", "header") in headed


def test_a_byte_that_is_no_text_is_one_error_among_all_others(folder: Path) -> None:
    data = original(folder)
    lines = ["x,2010/12/2,22728,3.75,24", "7,*,商品,*,1.5", "7,2011/2/30,NONE,*,6", "8,*,*,*"]
    for encoding, rule, said in (("cp932", "encoding", "CP932"), ("utf-8", "character", "outside printable ASCII")):
        (folder / "A.csv").write_bytes(b"\xef\xbb\xbf" + "\n".join(lines).encode(encoding) + b"\n")
        with pytest.raises(FaultsError) as caught:
            read_release(folder / "A.csv", RULES, data)
        found = [(fault.row, fault.column, fault.rule) for fault in caught.value.faults]
        assert {(0, "", "encoding"), (1, "customer", "pseudonym"), (2, "quantity", "grammar")} < set(found)
        assert {(3, "date", "grammar"), (3, "item", "unknown"), (4, "", "columns")} < set(found)
        assert [place for place in found if place[:2] == (2, "item")] == [(2, "item", rule)]
        assert said in next(fault.message for fault in caught.value.faults if fault.rule == rule and fault.row)


def test_files_that_are_no_text_are_refused_in_one_sentence(folder: Path) -> None:
    data = original(folder)
    (folder / "A.csv").write_bytes("1,*,*,*,*\n".encode("utf-16"))
    with pytest.raises(EncodingError, match="UTF-16"):
        read_release(folder / "A.csv", RULES, data)
    with pytest.raises(MissingFileError, match="no such file"):
        read_release(folder / "none.csv", RULES, data)


def test_crlf_and_a_missing_last_newline_are_read(folder: Path) -> None:
    (folder / "A.csv").write_bytes("\r\n".join(A).encode())
    assert len(read_release(folder / "A.csv", RULES, original(folder)).deleted) == 4


def test_publishing_drops_deleted_rows_and_sorts_the_lines_in_one_way_of_writing(folder: Path) -> None:
    release = released(folder, A)
    published = publish_file(folder / "A.csv", RULES, original(folder))
    assert (published.rows, published.people) == (3, 2)
    assert published.data == publish_file(folder / "A.csv", RULES).data == write_published(release, RULES)
    canonical = published.data.decode().splitlines()
    assert canonical == [
        "1,2010/12/1,22728,3.75,24",
        "7,*,*,*,*",
        "7,[2011/2/27;2011/3/1],{22728;POST},[2.1;2.5],[1;6]",
    ]


def test_an_attack_is_read_judged_and_written_back(folder: Path) -> None:
    release = released(folder, A)
    (folder / "A1.csv").write_bytes(write_published(release, RULES))
    (folder / "F1.csv").write_text("1,9\n7,9\n")
    table = read_published(folder / "A1.csv", RULES, original(folder))
    guess = read_guess(folder / "F1.csv", RULES, table, original(folder))
    judged = judge(original(folder), release, guess, RULES, Bound.UNION)
    assert (judged.claimed, judged.hits, judged.threshold, judged.effective) == (2, 1, 3, False)
    assert write_guess(guess, RULES) == b"1,9\n7,9\n"


def test_a_bad_attack_gets_all_its_errors(folder: Path) -> None:
    release = released(folder, A)
    (folder / "F1.csv").write_text("1,9\n1,13047\n5,9\n7,4\n7\n")
    with pytest.raises(FaultsError) as caught:
        read_guess(folder / "F1.csv", RULES, release.table, original(folder))
    expected = [
        (2, "pseudonym", "doubled"),
        (3, "pseudonym", "unknown"),
        (4, "customer", "unknown"),
        (5, "", "columns"),
    ]
    assert places(caught.value.faults) == expected


def test_an_empty_original_is_refused(folder: Path) -> None:
    (folder / "T.csv").write_text("")
    with pytest.raises(FaultsError, match="the file is empty"):
        original(folder)


@given(st.data())
def test_any_valid_release_survives_reading_and_measures_as_the_plain_reference(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    history = data.draw(histories())
    true, lines = lines_of(history), data.draw(processed(history))
    folder = tmp_path_factory.mktemp("law")
    (folder / "T.csv").write_text("\n".join(true) + "\n")
    table = read_original(folder / "T.csv", RULES)
    assert write_original(table, RULES).decode().splitlines() == true
    (folder / "A.csv").write_text("\n".join(lines) + "\n")
    release = read_release(folder / "A.csv", RULES, table)
    (folder / "B.csv").write_bytes(write_release(release, RULES))
    again = read_release(folder / "B.csv", RULES, table)
    assert write_release(again, RULES) == write_release(release, RULES)
    plain = plain_history.utility(true, lines)
    assert dict(CellError().compare(table, release).detail) == pytest.approx(plain, abs=1e-12)


@given(st.data())
def test_the_same_cells_are_wrong_as_in_the_plain_reference(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    history = data.draw(histories(max_rows=6))
    true, lines = lines_of(history), data.draw(processed(history))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        cells = lines[place].split(",")
        column = data.draw(st.integers(0, len(cells) - 1))
        cells[column] = data.draw(
            st.text("*[]{};,/.0123456789AP", max_size=9) | st.sampled_from(cells + true[0].split(","))
        )
        lines[place] = ",".join(cells)
    folder = tmp_path_factory.mktemp("law")
    (folder / "T.csv").write_text("\n".join(true) + "\n")
    (folder / "A.csv").write_text("\n".join(lines) + "\n")
    found: set[tuple[int, str]] = set()
    try:
        read_release(folder / "A.csv", RULES, read_original(folder / "T.csv", RULES))
    except FaultsError as error:
        found = {(fault.row, fault.column) for fault in error.faults if fault.row}
    assert found == plain_history.wrong_cells(true, lines)


def test_round_2_reads_prints_and_measures_as_the_plain_reference(
    shared: Callable[[str], Path], tmp_path: Path
) -> None:
    path = shared("pwscup2018/T_round2.csv")
    data = read_original(path, RULES)
    assert write_original(data, RULES) == path.read_bytes()
    true = path.read_text().splitlines()
    lines = [f"{line.split(',')[0]},*,{{22728;{line.split(',')[2]}}},[0.01;{line.split(',')[3]}],*" for line in true]
    lines = [line.replace("{22728;22728}", "22728") for line in lines]
    (tmp_path / "A.csv").write_text("\n".join(lines) + "\n")
    score = CellError().compare(data, read_release(tmp_path / "A.csv", RULES, data))
    assert dict(score.detail) == pytest.approx(plain_history.utility(true, lines), abs=1e-12)


def test_rows_written_some_at_a_time_are_those_written_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = released(folder, A)
    whole, ordinary = write_release(release, RULES), OrdinaryForm(encoding="utf-16")
    text = pl.DataFrame({"a": ["x", "é", ";"], "b": ['"', "y", "\n"]})
    parts = [text[:1], text[1:]]
    monkeypatch.setattr(files, "ROWS", 3)  # the second part has one row
    assert write_release(release, RULES) == whole
    assert ordinary.write_parts(parts) == ordinary.write(text)  # one header, one mark of byte order
    assert ordinary.write_parts(parts).decode("utf-16").startswith("a,b\n")


def test_what_is_not_ascii_is_not_written_strictly() -> None:
    for shuffled in (False, True):
        with pytest.raises(EncodingError, match="'é' cannot be written in ascii"):
            RULES.layout.form.write(pl.DataFrame({"a": ["x", "é"], "b": ["y", "z"]}), shuffled=shuffled)
