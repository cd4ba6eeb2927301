"""Files are read as they are understood: in memory, block by block, and as texts, with what was found out told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.schema_files.blocks import OwnBlocks, open_blocks
from sekisho.data.files.schema_files.reading import OwnData, read_own
from sekisho.data.files.schema_files.schema_file import ColumnRules, Missing, SaidKind, SchemaFile
from sekisho.data.frame.dataset import Kind
from sekisho.data.records.text_table import read_text_table
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, InputError, ParameterError

ROWS = [
    *(
        f'昭和{45 + place % 10}年1月{1 + place % 28}日,{13 + place % 15}/02/2020,"¥1,{100 + place}",{place}'
        for place in range(40)
    ),
    'S45.1.3,01/02/2020,"△¥2,500",未測定',
]
FILE = "birth,start,pay,kg\n" + "\n".join(ROWS) + "\n"
OPEN = SchemaFile(shape=Shape.RECORDS, missing_cells=Missing.DROP)

REFUSING = SchemaFile(shape=Shape.RECORDS, missing_cells=Missing.REFUSE)


def read(folder: Path, text: str, schema: SchemaFile = OPEN) -> OwnData:
    path = folder / "people.csv"
    path.write_text(text, encoding="utf-8")
    return read_own(path, schema)


def cut(frame: pl.DataFrame, schema: SchemaFile) -> OwnBlocks:
    def frames() -> Iterator[pl.DataFrame]:
        yield from frame.iter_slices(7)

    form = CsvForm(separator=",", header=True, encoding="utf-8")
    return open_blocks(Path("people.csv"), frames, frame.columns, schema, form=form)


def test_columns_are_read_as_they_are_understood(tmp_path: Path) -> None:
    own = read(tmp_path, FILE)
    assert own.data.frame.row(0) == (date(1970, 1, 1), date(2020, 2, 13), 1100, 0)
    assert len(own.data) == 40  # the row of 未測定 is dropped
    assert [(each.kind, each.format) for each in own.schema.columns] == [
        (Kind.DATE, "wareki"),
        (Kind.DATE, "%d/%m/%Y"),
        (Kind.INTEGER, "."),
        (Kind.INTEGER, ""),
    ]
    told = list(map(str, own.notices))
    assert "kind of birth: date, written wareki; what leaves has ISO dates" in told
    assert "1 cell of kg holds '未測定', which means missing" in told


def test_blocks_understand_like_the_whole(tmp_path: Path) -> None:
    own = read(tmp_path, FILE)
    frame = pl.read_csv(FILE.encode(), infer_schema=False)
    blocks, told = cut(frame, OPEN), list[str]()
    data = pl.concat([each.frame for each in blocks.read(lambda notice: told.append(str(notice)))])
    assert data.equals(own.data.frame)
    assert sorted([*map(str, blocks.notices), *told]) == sorted(map(str, own.notices))


def test_doubtful_columns_are_said_to_be_read_beyond_memory() -> None:
    days = [f"{day:02}/01/2024" for day in range(1, 31)]
    frame = pl.DataFrame({"day": [*days, "see file"], "n": [str(place) for place in range(31)]})
    with pytest.raises(ParameterError, match="kind day=date or kind day=category"):
        cut(frame, OPEN)
    said = SchemaFile(shape=Shape.RECORDS, said=(SaidKind.parse("day=category"),))
    assert cut(frame, said).data_schema["day"].kind is Kind.CATEGORY


def test_misfits_are_missing_and_told_with_row_and_value(tmp_path: Path) -> None:
    days = [f"{day:02}/01/2024" for day in range(1, 31)] * 4
    own = read(tmp_path, "day,n\n" + "".join(f"{day},1\n" for day in [*days, "see file"]))
    assert len(own.data) == 120
    assert "1 cell of day, 0.83%, is no date and taken as missing; row 121 holds 'see file'" in map(str, own.notices)
    with pytest.raises(FaultsError) as caught:
        read(tmp_path, "day,n\n" + "".join(f"{day},1\n" for day in [*days, "x1"]), REFUSING)
    assert (caught.value.faults[0].row, caught.value.faults[0].column) == (121, "day")


def test_a_kind_is_said_by_hand(tmp_path: Path) -> None:
    text = "day,shop\n01/02/2024,12\n03/04/2024,13\n"
    for word, expected in (("day=date:%m/%d/%Y", date(2024, 1, 2)), ("day=date", date(2024, 2, 1))):
        said = SchemaFile(shape=Shape.RECORDS, said=(SaidKind.parse(word), SaidKind.parse("shop=code")))
        assert read(tmp_path, text, said).data.frame.row(0) == (expected, "12")
    with pytest.raises(InputError, match="has no column dya; it has day, shop"):
        read(tmp_path, text, SchemaFile(shape=Shape.RECORDS, said=(SaidKind.parse("dya=date"),)))


@pytest.mark.parametrize("word", ["day", "day=", "=date", "day=dates", "day=date:%Q", "day=category:%d", "n=decimal:;"])
def test_what_says_no_kind_is_refused(word: str) -> None:
    with pytest.raises(ParameterError):
        SaidKind.parse(word)


def test_a_column_says_which_texts_mean_missing_in_it(tmp_path: Path) -> None:
    columns = (ColumnRules(name="a", missing_texts=("999",)), ColumnRules(name="b"))
    own = read(
        tmp_path, "a,b\n1,999\n999,1\n", SchemaFile(shape=Shape.RECORDS, columns=columns, missing_cells=Missing.DROP)
    )
    assert own.data.frame.rows() == [(1, 999)]


def test_numbers_that_may_mean_missing_are_values_and_told(tmp_path: Path) -> None:
    text = "n,b\n" + "".join(f"{value},a\n" for value in [*range(80, 180), *[999] * 5])
    own = read(tmp_path, text)
    assert int(own.data.frame["n"].to_numpy().max()) == 999
    assert any("hold 999, which may mean missing" in str(each) for each in own.notices)


def test_two_ways_to_write_a_day_are_one_text(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("day,n\nR6.1.3,?\n2024/01/03,1\n令和6年1月3日,2\n", encoding="utf-8")
    table = read_text_table(path, SchemaFile(shape=Shape.RECORDS))
    assert table.frame["day"].to_list() == ["2024-01-03"] * 3
    assert table.frame["n"].to_list() == ["?", "1", "2"]  # a plain column stays as it stands
