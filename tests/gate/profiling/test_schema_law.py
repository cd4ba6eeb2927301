"""Whatever small file is accepted, the schema that is written for it reads that very file."""

from __future__ import annotations

import csv
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.contest.rulebook import read_history_rules, read_record_rules
from sekisho.data.files.layout import Original, open_original
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, InputError
from sekisho.gate.profiling.look import look_at_file
from sekisho.report.pages.own_file.schema_text import write_schema
from sekisho.words import Language

NUMBERS = st.one_of(
    st.integers(-3, 12).map(str),
    st.integers(-(10**14), 10**14).map(str),
    st.decimals(-1000, 1000, places=2).map(str),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    st.sampled_from(
        ["007", "1e3", "-0.0", "+5", "1,5", "12,25", "1,234", "1.", ".5", "1e-12", "99999999999.999999999"]
    ),
)
DATES = st.dates().map(str) | st.sampled_from(
    ["3.1.2024", "31.12.1999", "1/2/2024", "2024/1/3", "2024-01-03 10:20", "2024年1月3日"]
)
TEXTS = st.sampled_from(
    ["a", "b", "東京", "x y", 'say "hi"', "a;b", "a,b", "", "NA", "?", "-", " ", "missing", "*", "Total", "計"]
)
STRANGE = st.text(st.characters(exclude_characters="\x00\r", exclude_categories=["Cs"]), max_size=6)
NAMES = st.sampled_from(
    [
        "customer id",
        "顧客ID",
        "date",
        "日付",
        "item",
        "price",
        "n",
        "age",
        "性別",
        "病名",
        "メール",
        "備考",
        "a",
        "a",
        "1",
        "2",
        "",
    ]
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, str]:
    """Return the text of a CSV file, and its encoding."""
    width, height = draw(st.integers(2, 4)), draw(st.integers(1, 12))
    pools = draw(st.lists(st.sampled_from([NUMBERS, DATES, TEXTS, STRANGE]), min_size=width, max_size=width))
    columns = [draw(st.lists(pool, min_size=height, max_size=height)) for pool in pools]
    gaps = draw(st.booleans())
    if gaps:
        columns = [[draw(st.sampled_from([cell, cell, cell, ""])) for cell in column] for column in columns]
    rows = [list(row) for row in zip(*columns, strict=True)]
    if draw(st.booleans()):
        rows.insert(0, draw(st.lists(NAMES | STRANGE, min_size=width, max_size=width)))
    stream = StringIO()
    quoting = csv.QUOTE_ALL if draw(st.booleans()) else csv.QUOTE_MINIMAL
    csv.writer(stream, delimiter=draw(st.sampled_from(",;\t")), quoting=quoting, lineterminator="\n").writerows(rows)
    return stream.getvalue(), draw(st.sampled_from(["utf-8", "utf-8-sig"]))


def read_back(path: Path, schema: Path, shape: Shape) -> Original:
    """Read a file by its schema, as commands do."""
    if shape is Shape.HISTORY:
        return open_original(path, read_history_rules(str(schema)))[0]
    return open_original(path, read_record_rules(str(schema)))[0]


@try_examples(40)
@given(
    file=tables(), shape=st.sampled_from([None, None, Shape.RECORDS, Shape.HISTORY]), language=st.sampled_from(Language)
)
@example(file=("1,2\n3,4\n5,6\n", "utf-8"), shape=Shape.RECORDS, language=Language.EN)  # 1 and 2 are no header
@example(file=("a,a,b\n1,2,x\n3,4,y\n", "utf-8"), shape=Shape.RECORDS, language=Language.EN)  # a doubled name
def test_the_schema_reads_the_file_that_it_was_written_for(
    tmp_path_factory: pytest.TempPathFactory, file: tuple[str, str], shape: Shape | None, language: Language
) -> None:
    folder = tmp_path_factory.mktemp("law")
    path: Path = folder / "own.csv"
    path.write_text(file[0], encoding=file[1], newline="")
    with suppress(InputError, FaultsError):
        look = look_at_file(path, shape=shape)
        event(f"accepted as {look.shape}")
        if look.schema is None:
            return
        schema = folder / "own.schema.toml"
        schema.write_bytes(write_schema(look, language))
        try:
            original = read_back(path, schema, look.shape)
        except (InputError, FaultsError) as error:
            pytest.fail(f"{error}\n{schema.read_text()}")
        assert len(original.data) == int(look.schema.kept.sum())
        listed = [each.output_name for each in look.schema.schema.columns]
        assert list(original.data.schema.names) == listed
        assert [column.role for column in original.data.schema] == [each.role for each in look.schema.schema.columns]
