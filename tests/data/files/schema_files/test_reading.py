"""Data of one's own are read as their owner wrote them; what is found out, left out, dropped or wrong is told."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from sekisho.data.files.schema_files.reading import OwnData, read_own
from sekisho.data.files.schema_files.schema_file import ColumnRules, FileRules, Missing, Outside, SchemaFile
from sekisho.data.frame.dataset import Kind, Meaning, Role
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, InputError

RECORDS = SchemaFile(shape=Shape.RECORDS)


def read(folder: Path, text: str, schema: SchemaFile = RECORDS, *, encoding: str = "utf-8") -> OwnData:
    (folder / "data.csv").write_bytes(text.encode(encoding))
    return read_own(folder / "data.csv", schema)


def of(*columns: ColumnRules, file: FileRules | None = None, missing: Missing = Missing.REFUSE) -> SchemaFile:
    return SchemaFile(shape=Shape.RECORDS, columns=columns, file=file or FileRules(), missing_cells=missing)


def said(found: OwnData, what: str) -> list[tuple[str, int]]:
    return [(notice.column, notice.count) for notice in found.notices if notice.what == what]


def test_kinds_are_found_and_said(tmp_path: Path) -> None:
    text = "day,code,price,units,town\n2024-01-03,007,1.50,3,Kyoto\n2024-01-04,012,-2,4,Ueda\n"
    found = read(tmp_path, text)
    assert found.data.frame.rows() == [
        (date(2024, 1, 3), "007", 15, 3, "Kyoto"),
        (date(2024, 1, 4), "012", -20, 4, "Ueda"),
    ]
    kinds = [column.kind for column in found.data.schema]
    assert kinds == [Kind.DATE, Kind.CATEGORY, Kind.DECIMAL, Kind.INTEGER, Kind.CATEGORY]
    assert found.data.schema["price"].decimals == 1
    assert len(said(found, "kind found")) == 5


def test_separator_encoding_comma_and_columns_left_out(tmp_path: Path) -> None:
    schema = of(ColumnRules(name="price", source="価格"), ColumnRules(name="town", source="町"))
    found = read(tmp_path, "町;電話;価格\n京都;0;1,5\n上田;1;2,25\n", schema, encoding="cp932")
    assert found.data.frame.rows() == [(150, "京都"), (225, "上田")]
    assert (found.form.separator, found.form.encoding, found.schema.file.decimal) == (";", "cp932", ",")
    said = ["read as cp932", "columns left out: 電話", "numbers have a decimal comma"]
    assert [str(notice) for notice in found.notices[:3]] == said


def test_a_comma_before_three_digits_is_not_taken_for_a_decimal_mark(tmp_path: Path) -> None:
    found = read(tmp_path, "a;b\n1,234;x\n2,500;y\n")
    assert found.data.schema["a"].kind is Kind.CATEGORY


def test_rounding_that_carries_leaves_room_for_the_digit(tmp_path: Path) -> None:
    # eleven digits and four decimals fill the fifteen; rounded, the second number has a twelfth: three decimals fit
    found = read(tmp_path, "a,b\n1.5,x\n99999999999.999999999,y\n")
    assert found.data.frame["a"].to_list() == [1500, 10**14]
    assert (found.data.schema["a"].decimals, said(found, "rounded")) == (3, [("a", 1)])


def test_numbers_in_the_first_row_are_no_header_of_a_file_said_to_have_none(tmp_path: Path) -> None:
    columns = (ColumnRules(name="left", source="1"), ColumnRules(name="right", source="2"))
    found = read(tmp_path, "1,2\n3,4\n", of(*columns, file=FileRules(header=False)))
    assert found.data.frame.rows() == [(1, 2), (3, 4)]
    ours = read(tmp_path, "left,right\n3,4\n", of(*columns, file=FileRules(header=False)))
    assert ours.data.frame.rows() == [(3, 4)]


def test_without_a_header_columns_go_by_their_number(tmp_path: Path) -> None:
    schema = of(ColumnRules(name="town", source="3"), ColumnRules(name="age", source="1"))
    found = read(tmp_path, "30,x,Kyoto\n40,y,Ueda\n", schema)
    assert found.data.frame.rows() == [("Kyoto", 30), ("Ueda", 40)]
    again = read(tmp_path, "town,age\nKyoto,30\n", schema)  # as files made from the data have it
    assert again.data.frame.rows() == [("Kyoto", 30)]


def test_missing_cells_are_refused_dropped_or_a_category(tmp_path: Path) -> None:
    text = "who,town,age\n,Kyoto,30\na,NA,31\nb,Ueda,\n c ,Ueda,33\n"
    who = ColumnRules(name="who", role=Role.IDENTIFIER, missing=Missing.DROP)
    town = ColumnRules(name="town", missing=Missing.CATEGORY)
    found = read(tmp_path, text, of(who, town, ColumnRules(name="age", missing=Missing.DROP)))
    assert found.data.frame.rows() == [("a", "missing", 31), (" c ", "Ueda", 33)]
    assert said(found, "rows dropped") == [("who", 1), ("age", 1)]
    assert said(found, "missing cells") == [("town", 1)]
    with pytest.raises(FaultsError) as caught:
        read(tmp_path, text, SchemaFile(shape=Shape.RECORDS, missing_cells=Missing.REFUSE))
    faults = [(fault.row, fault.column, fault.rule) for fault in caught.value.faults]
    assert faults == [(1, "who", "missing"), (2, "town", "missing"), (3, "age", "missing")]
    # the rows are named, and the way out is told once
    assert str(caught.value).count("drop leaves their rows out, carry keeps them missing, category") == 1


def test_missing_cells_are_carried_where_nothing_else_is_said(tmp_path: Path) -> None:
    text = "who,town,age,born\n,Kyoto,30,2001-02-03\na,NA,31,\nb,Ueda,,2002-03-04\n"
    found = read(tmp_path, text, SchemaFile(shape=Shape.RECORDS))
    assert [column.kind for column in found.data.schema] == [Kind.CATEGORY, Kind.CATEGORY, Kind.INTEGER, Kind.DATE]
    assert found.data.frame["age"].to_list() == [30, 31, None]
    assert found.data.frame["born"].to_list() == [date(2001, 2, 3), None, date(2002, 3, 4)]
    assert found.data.frame["town"].to_list() == ["Kyoto", "", "Ueda"]
    assert said(found, "missing cells") == [("who", 1), ("town", 1), ("age", 1), ("born", 1)]


def test_a_limit_says_nothing_of_a_missing_number(tmp_path: Path) -> None:
    low = ColumnRules(name="age", kind=Kind.INTEGER, low="1", outside=Outside.DROP)
    found = read(tmp_path, "age\n30\n\n-1\n", SchemaFile(shape=Shape.RECORDS, columns=(low,)))
    assert found.data.frame["age"].to_list() == [30, None]


def test_every_row_of_a_history_has_a_person_and_a_time(tmp_path: Path) -> None:
    text = "who,day,item,price\na,2024-01-02,tea,1.5\n,2024-01-03,tea,2\nb,,tea,3\nb,2024-01-05,,\n"
    who = ColumnRules(name="who", role=Role.IDENTIFIER)
    schema = SchemaFile(shape=Shape.HISTORY, columns=(who,), all_columns=True)
    with pytest.raises(FaultsError, match="needs a person and a time") as caught:
        read(tmp_path, text, schema)
    assert [(fault.row, fault.column) for fault in caught.value.faults] == [(2, "who"), (3, "day")]
    when = ColumnRules(name="when", kind=Kind.DATE, means=Meaning.TIME)  # another date may be missing
    text = "who,when,born\na,2024-01-02,\na,2024-01-03,1990-01-01\n"
    found = read(tmp_path, text, SchemaFile(shape=Shape.HISTORY, columns=(who, when), all_columns=True))
    assert found.data.count_missing() == {"born": 1}


def test_only_missing_cells_have_that_way_out(tmp_path: Path) -> None:
    with pytest.raises(FaultsError, match=r"row 2, age: age 'x' is no integer$"):
        read(tmp_path, "age\n30\nx\n", of(ColumnRules(name="age", kind=Kind.INTEGER)))


def test_numbers_with_missing_ones_are_a_category_where_the_schema_says_so(tmp_path: Path) -> None:
    found = read(tmp_path, "age\n30\n\n41\n", of(ColumnRules(name="age", missing=Missing.CATEGORY)))
    assert found.data.schema["age"].kind is Kind.CATEGORY
    assert found.data.domain("age") == ("30", "41", "missing")


def test_a_category_for_all_missing_cells_is_for_categories_only(tmp_path: Path) -> None:
    with pytest.raises(FaultsError) as caught:
        read(tmp_path, "town,age\n,30\nUeda,\n", SchemaFile(shape=Shape.RECORDS, missing_cells=Missing.CATEGORY))
    assert [(fault.row, fault.column) for fault in caught.value.faults] == [(2, "age")]


def test_rows_outside_the_limits_are_dropped_and_their_other_faults_do_not_matter(tmp_path: Path) -> None:
    text = "day,n,price\n3.1.2024,1,2\nnever,-1,2\n4.1.2024,2,0\n5.1.2024,0,x\n"
    schema = of(
        ColumnRules(name="day", kind=Kind.DATE),
        ColumnRules(name="n", kind=Kind.INTEGER, low="1", outside=Outside.DROP),
        ColumnRules(name="price", kind=Kind.DECIMAL, low="0.01", outside=Outside.DROP),
        file=FileRules(date_format="%d.%m.%Y"),
    )
    found = read(tmp_path, text, schema)
    assert found.data.frame.rows() == [(date(2024, 1, 3), 1, 200)]
    assert said(found, "rows dropped") == [("n", 2), ("price", 1)]


def test_every_bad_cell_is_told_at_once_with_the_file_s_own_names(tmp_path: Path) -> None:
    schema = of(
        ColumnRules(name="day", source="Tag", kind=Kind.DATE),
        ColumnRules(name="n", source="Menge", kind=Kind.INTEGER, high="9"),
    )
    with pytest.raises(FaultsError) as caught:
        read(tmp_path, "Tag,Menge\n2024-01-03,1\n3.1.2024,x\n,10\n2024-02-30,1.5\n", schema)
    assert [(fault.row, fault.column, fault.rule, fault.value) for fault in caught.value.faults] == [
        (2, "Tag", "date", "3.1.2024"),
        (2, "Menge", "integer", "x"),
        (3, "Tag", "missing", ""),
        (3, "Menge", "limits", "10"),
        (4, "Tag", "date", "2024-02-30"),
        (4, "Menge", "integer", "1.5"),
    ]
    assert "Menge 'x' is no integer" in str(caught.value)


def test_of_very_many_faults_the_first_are_told_and_the_others_counted(tmp_path: Path) -> None:
    with pytest.raises(FaultsError, match="and 1,995 more") as caught:
        read(tmp_path, "n,m\n" + "x,1\n" * 2000, of(ColumnRules(name="n", kind=Kind.INTEGER)))
    assert (len(caught.value.faults), caught.value.count) == (1000, 2000)


def test_times_and_long_decimals_are_cut_with_a_word(tmp_path: Path) -> None:
    text = "at,share,rough\n2024/1/3 10:00,0.30000000000000004,1.26\n2024/1/4,1e-3,2\n"
    schema = of(
        ColumnRules(name="at"), ColumnRules(name="share"), ColumnRules(name="rough", kind=Kind.DECIMAL, decimals=1)
    )
    found = read(tmp_path, text, schema)
    assert found.data.frame.rows() == [(date(2024, 1, 3), 3 * 10**8, 13), (date(2024, 1, 4), 10**6, 20)]
    assert (said(found, "times dropped"), said(found, "rounded")) == ([("at", 1)], [("rough", 1), ("share", 1)])
    assert found.schema.file.date_format == "%Y/%-m/%-d"


def test_parquet_is_read_as_its_values_are(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "at": pl.Series(["2024-01-03 10:00", "2024-01-04 00:00"]).str.to_datetime("%Y-%m-%d %H:%M"),
            "day": [date(2024, 1, 3), date(2024, 1, 4)],
            "price": [0.5, 1e-7],
            "item": ["a\r\nb", "日本"],
            "list": [[1], [2]],
        }
    )
    frame.write_parquet(tmp_path / "data.parquet")
    columns = [ColumnRules(name=name) for name in ("at", "day", "price", "item")]
    rows = [
        (date(2024, 1, 3), date(2024, 1, 3), 5 * 10**6, "a\r\nb"),
        (date(2024, 1, 4), date(2024, 1, 4), 1, "日本"),
    ]
    found = read_own(tmp_path / "data.parquet", of(*columns))
    assert found.data.frame.rows() == rows
    assert said(found, "times dropped") == [("at", 2)]
    assert str(found.notices[0]) == "columns left out: list"
    # what a schema says of a CSV file's dates and numbers does not hurt
    german = of(*columns, file=FileRules(date_format="%d.%m.%Y", decimal=","))
    assert read_own(tmp_path / "data.parquet", german).data.frame.rows() == rows
    with pytest.raises(InputError, match="column list holds List"):
        read_own(tmp_path / "data.parquet", of(ColumnRules(name="list")))


def test_a_file_that_lacks_columns_or_keeps_no_row_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no column town, age; it has a, b"):
        read(tmp_path, "a,b\n1,2\n", of(ColumnRules(name="town"), ColumnRules(name="age")))
    with pytest.raises(FaultsError, match="no row is left of 2"):
        read(tmp_path, "a,b\n,1\n,2\n", of(ColumnRules(name="a", missing=Missing.DROP)))


def test_doubled_headers_matter_only_where_they_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, "a,note,note\n1,x,y\n", of(ColumnRules(name="a"))).data.frame.rows() == [(1,)]
    with pytest.raises(InputError, match="has no column note"):
        read(tmp_path, "a,note,note\n1,x,y\n", of(ColumnRules(name="note")))
