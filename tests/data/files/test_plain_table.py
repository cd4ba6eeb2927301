"""Whatever file people have, its rows and names are read, nothing else is taken for data, and what was decided is said.

The law: a table that is written in any of these forms is read back as the same texts.
"""

from __future__ import annotations

import csv
import gzip
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from io import BytesIO, StringIO
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.files.workbook_files import Cell, Sheets, make_ods, make_xlsx, pack
from tests.laws import try_examples

from sekisho import extras
from sekisho.data.files import plain_table
from sekisho.data.files.csv_form import CsvForm, PlainTable
from sekisho.data.files.plain_table import is_text_file, read_table
from sekisho.data.files.readers import foreign_files
from sekisho.data.files.readers.body_lines import LeftOut
from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import FileRules, SchemaFile
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, InputError, ParameterError
from sekisho.gate.profiling.file_form import read_file_text

NAMES = ["会員番号", "氏名", "購入日", "金額"]
ROWS = [[f"{n:04}", f"山田{'花次三'[n % 3]}子", f"2024/01/{n + 1:02}", str(100 * n + 7)] for n in range(20)]
BODY = "".join(",".join(row) + "\n" for row in ROWS)
HEAD = ",".join(NAMES) + "\n"


def read(tmp_path: Path, content: str | bytes, form: CsvForm | None = None, name: str = "some.csv") -> PlainTable:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_table(path, form or CsvForm())


def check(table: PlainTable, *words: str) -> None:
    assert table.frame.columns == NAMES
    assert [list(row) for row in table.frame.rows()] == ROWS
    assert all(any(word in notice for notice in table.notices) for word in words), table.notices
    assert bool(table.notices) == bool(words), table.notices


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (HEAD + BODY, ()),
        ("sep=,\n" + HEAD + BODY, ("line 1 says",)),
        ("売上一覧\n\n" + HEAD + BODY, ("above the table: 1 (売上一覧), 2",)),
        ("売上一覧,,,\n期間：1月,,,\n" + HEAD + BODY, ("above the table: 1 (売上一覧), 2 (期間：1月)",)),
        ("\n\n" + HEAD + BODY, ("above the table: 1, 2",)),
        (HEAD + BODY + "合計,,,21140\n", ("below the table: 22 (合計 21140)",)),
        (HEAD + BODY + "\n※部外秘\n以上\n", ("below the table: 22, 23 (※部外秘), 24 (以上)",)),
        (HEAD + BODY + "20 rows selected.\n", ("below the table: 22 (20 rows selected.)",)),
        (HEAD + BODY + ",,,\nNote: all prices include tax,,,\n", ("23 (Note: all prices include tax)",)),
        (HEAD + BODY.replace("0010,", HEAD + "0010,"), ("1 line repeats the header and is left out: 12",)),
        (HEAD + BODY.replace("0010,", "\n2ページ\n" + HEAD + "0010,"), ("pages left out: 12, 13", "left out: 14")),
        (HEAD + BODY.replace("0010,", "小計,,,4570\n0010,"), ("1 line is a total and is left out: 12 (小計 4570)",)),
        ("会員番号,氏名,購入日,金額,\n" + BODY.replace("\n", ",\n"), ("1 column without name and value left out: 5",)),
        (HEAD + BODY.replace("\n", ",\n"), ("20 lines end in separators",)),
        ("会員,,購入,\n番号,氏名,日,金額\n" + BODY, ("lines 1-2 name the columns together",)),
        ("会員一覧,,,\n会員,,購入,\n番号,氏名,日,金額\n" + BODY, ("above the table: 1", "lines 2-3 name the columns")),
        (HEAD + BODY.replace("0010,", "\n0010,"), ("empty lines and titles of pages left out: 12",)),
        (HEAD.replace(",", "\t") + BODY.replace(",", "\t"), ()),
        ((HEAD + BODY).replace("\n", "\r\n"), ()),
        ((HEAD + BODY).replace("\n", "\r"), ()),
        ("\n".join("'" + line.replace(",", "','") + "'" for line in (HEAD + BODY).splitlines()), ()),
    ],
)
def test_lines_that_are_no_data_are_left_out_and_said(tmp_path: Path, content: str, words: tuple[str, ...]) -> None:
    table = read(tmp_path, content)
    if "会員,,購入" in content:
        assert table.frame.columns == ["会員 番号", "会員 氏名", "購入 日", "購入 金額"]
        table.frame.columns = NAMES
    check(table, *words)


def test_units_below_the_header_are_joined_to_the_names(tmp_path: Path) -> None:
    rows = "".join(f"{n:03},{150 + n}.5,{50 + n}\n" for n in range(12))
    table = read(tmp_path, "番号,身長,体重\n,（cm）,kg\n" + rows)
    assert (table.frame.columns, table.frame.height) == (["番号", "身長 （cm）", "体重 kg"], 12)


@pytest.mark.parametrize(
    "content",
    [
        "name,town\nTotal,Kyoto\nSumme,Ulm\n",  # names of people
        "a,b,c\n1,x,2\n3,y,\n5,,\n",  # a person of whom little is known
        "a,b,c\nx1,u,未測定\nx2,v,3\nx3,w,4\nx4,w,5\n",  # a gap in the first line is no unit
        "region,n\nNorth,3\nTotal,5\n",  # cells of a table: nothing is left open
        "M,Tokyo\nF,Osaka\nM,Tokyo\nM,Tokyo\n",  # no header, equal people
        "a,b,c\n,,\n1,2,3\n,,\n",  # nothing is known of two people
        'a,b,c\nx,"1\n2",3\ny,4,5\n',
    ],
)
def test_what_may_be_data_stays(tmp_path: Path, content: str) -> None:
    table = read(tmp_path, content)
    cells = list(csv.reader(StringIO(content)))
    start = 1 if table.form.header else 0
    assert ([list(row) for row in table.frame.rows()], table.notices) == (cells[start:], ())


def test_a_line_that_is_cut_off_is_a_fault_and_no_note(tmp_path: Path) -> None:
    with pytest.raises(FaultsError, match="row 22: the line has 2 cells, the first line 4"):
        read(tmp_path, HEAD + BODY + "0020,山田\n")
    with pytest.raises(FaultsError, match="row 22: the line has 1 cell"):
        read(tmp_path, HEAD + BODY + "0020\n")
    with pytest.raises(FaultsError, match="row 13"):
        read(tmp_path, "売上一覧\n" + HEAD + BODY.replace("0010,", "a,b,c,d,e\n0010,"))


def test_lines_of_our_own_files_are_never_left_out(tmp_path: Path) -> None:
    table = read(tmp_path, HEAD + BODY + "合計,,,21140\n", CsvForm(left_out=LeftOut.NOTHING))
    assert (table.frame.height, table.notices) == (21, ())
    notes = read(tmp_path, HEAD + BODY + "合計,,,21140\n", CsvForm(left_out=LeftOut.NOTES))
    assert notes.frame.height == 21


def test_what_a_schema_says_of_the_lines_is_done(tmp_path: Path) -> None:
    content = "x,y,z,u\n" + HEAD + "a,b,c,d\n" + BODY + "1,2,3,4\n"
    said = CsvForm(header=True, header_line=2, header_lines=2, footer_lines=1)
    table = read(tmp_path, content, said)
    assert table.frame.columns == ["会員番号 a", "氏名 b", "購入日 c", "金額 d"]
    assert [list(row) for row in table.frame.rows()] == ROWS
    assert replace(table.form, encoding=None, separator=None) == said
    again = read(tmp_path, "売上一覧\n\n" + HEAD + BODY + "以上\n")
    check(read(tmp_path, "売上一覧\n\n" + HEAD + BODY + "以上\n", again.form), "above", "below")
    with pytest.raises(ParameterError, match="header_line"):
        FileRules(header_line=0)


names = st.lists(st.sampled_from(["town", "氏名", "Größe", "売上 高", "n° 1"]), min_size=3, max_size=4, unique=True)
digits = st.integers(0, 9999).map(str)
words = st.sampled_from(["Köln", "東京", "a b", "x;y", "x,y", 'say "a"', "l\nm", "0012", "-"])
tables = names.flatmap(
    lambda header: st.tuples(
        st.just(header),
        st.lists(st.tuples(digits, *[words] * (len(header) - 1)).map(list), min_size=5, max_size=15),
    )
)


@dataclass(frozen=True, kw_only=True)
class Writing:
    """How a table is written: what stands around it, and in which signs."""

    above: str
    below: str
    separator: str
    encoding: str
    ends: str
    quoted: bool
    pages: bool
    packed: bool

    def write(self, header: list[str], rows: list[list[str]]) -> bytes:
        """Return a table as the bytes of a file."""
        text = StringIO()
        quoting = csv.QUOTE_ALL if self.quoted else csv.QUOTE_MINIMAL
        writer = csv.writer(text, delimiter=self.separator, lineterminator="\n", quoting=quoting)
        writer.writerows([header, *rows[:3], *([header] if self.pages else []), *rows[3:]])
        outer = [part.replace("\n", self.ends) for part in (self.above, self.below)]
        content = (outer[0] + text.getvalue().replace("\n", self.ends) + outer[1]).encode(self.encoding)
        return gzip.compress(content) if self.packed else content


writings = st.builds(
    Writing,
    above=st.sampled_from(["", "Quarterly list\n", "一覧表\n\n", "Printed 02/01/2024\nby the office\n\n"]),
    below=st.sampled_from(["", "\nEnd of the list\n", "（注）端数は切捨て\n", "3 rows selected.\n"]),
    separator=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    ends=st.sampled_from(["\n", "\r\n"]),
    quoted=st.booleans(),
    pages=st.booleans(),
    packed=st.booleans(),
)
quick = try_examples(100, share_fixtures=True)


@quick
@given(table=tables, writing=writings)
def test_what_is_written_in_any_form_is_read_back(
    tmp_path: Path, table: tuple[list[str], list[list[str]]], writing: Writing
) -> None:
    header, rows = table
    path = tmp_path / ("some.csv.gz" if writing.packed else "some.csv")
    path.write_bytes(writing.write(header, rows))
    found = read_table(path, CsvForm())
    cells = [[cell.replace("\n", writing.ends) for cell in row] for row in rows]
    assert (found.frame.columns, [list(row) for row in found.frame.rows()]) == (header, cells)
    assert bool(found.notices) == bool(writing.above or writing.below or writing.pages)


CELLS: list[list[Cell]] = [
    ["予約台帳（R5年度）", None, None, None],
    [None, None, None, None],
    ["番号", "氏名", "宿泊日", "料金"],
    *([f"{n:03}", f"山田 {n}", date(2024, 1, n), 9800.0 + n / 4] for n in range(1, 9)),
    [None, None, None, None],
    ["合計", None, None, 78409.0],
]


@pytest.mark.parametrize(("make", "suffix"), [(make_xlsx, ".xlsx"), (make_ods, ".ods"), (make_xlsx, ".csv")])
def test_a_workbook_is_read_as_texts_from_the_sheet_with_the_table(
    tmp_path: Path, make: Callable[[Sheets], bytes], suffix: str
) -> None:
    path = tmp_path / f"book{suffix}"
    path.write_bytes(make({"表紙": [["取扱注意"]], "予約": CELLS, "凡例": [["記号", "意味"], ["A", "甲"]]}))
    found = read_table(path, CsvForm())
    assert found.frame.columns == ["番号", "氏名", "宿泊日", "料金"]
    assert found.frame.row(0) == ("001", "山田 1", "2024-01-01", "9800.25")
    assert (found.frame.height, found.frame["料金"][3]) == (8, "9801")
    assert found.notices == (
        "sheet 予約 is read; the others are 表紙, 凡例",
        "lines left out above the table: 1 (予約台帳（R5年度）)",
        "lines left out below the table: 13 (合計 78409)",
    )
    assert (found.form.sheet, found.form.header_line, found.form.footer_lines) == ("予約", 3, 1)
    other = read_table(path, CsvForm(sheet="凡例", header=True))
    assert other.frame.rows() == [("A", "甲")]
    with pytest.raises(InputError, match="has no sheet 無; it has 表紙, 予約, 凡例"):
        read_table(path, CsvForm(sheet="無"))
    assert not is_text_file(path)


def test_a_bomb_and_a_damaged_workbook_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = make_xlsx({"a": CELLS})
    monkeypatch.setattr(foreign_files, "MOST_BYTES", 1000)
    with pytest.raises(InputError, match="more than 1,000 bytes when unpacked"):
        read(tmp_path, book, name="book.xlsx")
    monkeypatch.undo()
    with pytest.raises(InputError, match="damaged or encrypted archive"):
        read(tmp_path, book[:-30], name="book.xlsx")
    with pytest.raises(InputError, match="no workbook that can be read"):
        read(tmp_path, pack({"[Content_Types].xml": "<a/>"}), name="book.xlsx")
    with pytest.raises(InputError, match="a web page under the name of a workbook"):
        read(tmp_path, "<html><table></table></html>", name="book.xls")


def test_archives_of_one_table_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(read(tmp_path, pack({"sales/some.csv": HEAD + BODY}), name="some.zip"), "the archive holds sales/some.csv")
    with pytest.raises(InputError, match="archive of 2 files"):
        read(tmp_path, pack({"a.csv": HEAD, "b.csv": HEAD}), name="some.zip")
    packed = gzip.compress((HEAD + BODY).encode())
    with pytest.raises(InputError, match="cut off"):
        read(tmp_path, packed[:-20], name="some.csv.gz")
    with pytest.raises(InputError, match="damaged gzip"):
        read(tmp_path, packed[:12] + b"\xff\xff\xff" + packed[15:], name="some.csv.gz")
    check(read(tmp_path, gzip.compress(HEAD.encode()) + gzip.compress(BODY.encode()), name="some.csv.gz"))
    monkeypatch.setattr(plain_table, "MAX_BYTES", 100)
    with pytest.raises(InputError, match="more than 100 bytes when unpacked"):
        read(tmp_path, packed, name="some.csv.gz")


def test_an_encrypted_or_stored_archive_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", "x" * 4000)
    lying = stream.getvalue().replace((4000).to_bytes(4, "little"), (3).to_bytes(4, "little"))
    with pytest.raises(InputError, match="damaged"):
        read(tmp_path, lying, name="some.zip")


def test_arrow_and_parquet_keep_their_values(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, 2], "b": ["x", None]})
    frame.write_ipc(tmp_path / "some.feather")
    frame.write_parquet(tmp_path / "some.parquet")
    for name, form in (("some.feather", "Arrow"), ("some.parquet", "Parquet")):
        table = read_table(tmp_path / name, CsvForm())
        assert table.frame.equals(frame)
        assert (str(table.form), table.form.parquet) == (form, True)
    (tmp_path / "bad.feather").write_bytes(b"ARROW1" + b"\0" * 50)
    with pytest.raises(InputError, match="no Arrow file"):
        read_table(tmp_path / "bad.feather", CsvForm())


SURVEY = pl.DataFrame(
    {
        "id": ["001", "002", "003", "004"],
        "sex": [1.0, 2.0, 2.0, 1.0],
        "q1": [1.0, 3.0, 5.0, 1.0],
        "income": [1000.0, 9999.0, 1500.5, None],
        "born": [date(1980, 1, 2), date(1990, 3, 4), date(1970, 5, 6), date(2000, 7, 8)],
    }
)
VALUE_LABELS = {"sex": {1: "male", 2: "female"}, "q1": {1: "agree", 5: "disagree"}}


@pytest.mark.parametrize("suffix", [".sav", ".zsav", ".dta"])
def test_files_of_statistics_programs_come_with_their_labels(tmp_path: Path, suffix: str) -> None:
    pyreadstat = pytest.importorskip("pyreadstat", reason="needs the extra statistics")
    path = tmp_path / f"survey{suffix}"
    labels = {"sex": "Sex of respondent"}
    if suffix == ".dta":
        pyreadstat.write_dta(SURVEY, str(path), variable_value_labels=VALUE_LABELS, column_labels=labels)
    else:
        pyreadstat.write_sav(
            SURVEY,
            str(path),
            variable_value_labels=VALUE_LABELS,
            column_labels=labels,
            missing_ranges={"income": [9999]},
            row_compress=False,
            compress=suffix == ".zsav",
        )
    table = read_table(path, CsvForm())
    assert table.frame["sex"].to_list() == ["male", "female", "female", "male"]
    assert table.frame["q1"].to_list() == [1, 3, 5, 1]  # 3 has no label
    assert table.frame["id"].to_list() == ["001", "002", "003", "004"]
    assert table.frame["income"].to_list() == [1000.0, 9999.0 if suffix == ".dta" else None, 1500.5, None]
    assert table.frame["born"][0] == date(1980, 1, 2)
    assert (table.labels["sex"], str(table.form)) == ("Sex of respondent", "Stata" if suffix == ".dta" else "SPSS")
    assert table.notices == (
        "values are read by their labels: sex",
        "q1: values without a label (3), so that its codes are read, not the labels",
    )
    assert read_file_text(path).labels == table.labels


def test_a_statistics_file_that_is_none_is_refused_and_a_lacking_extra_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyreadstat", reason="needs the extra statistics")
    with pytest.raises(InputError, match="is no SPSS file"):
        read(tmp_path, "a,b\n1,2\n", name="some.sav")
    monkeypatch.setattr(extras, "EXTRAS", {"statistics": ("no_such_module",)})
    with pytest.raises(ParameterError, match=r"pip install '\.\[statistics\]'"):
        read(tmp_path, "a,b\n1,2\n", name="some.sav")


def test_what_init_says_of_a_file_makes_a_schema_read_the_same_rows(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_bytes(("売上一覧\n\n" + HEAD + BODY + "合計,,,21140\n以上\n").encode("cp932"))
    look = read_file_text(path)
    assert (look.rules.header_line, look.rules.footer_lines, look.rules.encoding) == (3, 2, "cp932")
    own = read_own(path, SchemaFile(shape=Shape.RECORDS, file=replace(look.rules, date_format="")))
    assert (len(own.data), own.schema.file.header_line, own.schema.file.footer_lines) == (20, 3, 2)


def test_every_export_of_offices_is_read_whole(shared: Callable[[str], Path]) -> None:
    truth = json.loads(shared("exports/truth.json").read_text(encoding="utf-8"))
    for entry in truth["files"]:
        look = read_file_text(shared(f"exports/files/{entry['file']}"))
        assert look.rows == entry["rows"], entry["file"]
