"""A schema says how a file is written and what its columns are; what is wrong with it is told at once."""

from __future__ import annotations

import pytest
from tests.data.files.settings_text import parse_settings

from sekisho.data.files.schema_files.schema_file import ColumnRules, FileRules, Missing, SchemaFile
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.frame.dataset import Column, Kind, Meaning, Role, Schema
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError, SettingsError

SALES = """
shape = "history"
[file]
separator = ";"
decimal = ","
date_format = "%d.%m.%Y"
[[columns]]
source = "Kunde"
role = "identifier"
[[columns]]
name = "price"
source = "Preis"
kind = "decimal"
low = "0.01"
high = "999,5"
"""


def parsed(text: str) -> SchemaFile:
    return parse_settings(text, SchemaFile, source="schema.toml")


def test_a_column_is_called_by_its_name_and_found_by_its_source() -> None:
    kunde, price = parsed(SALES).columns
    assert (kunde.output_name, kunde.source_name) == ("Kunde", "Kunde")
    assert (price.output_name, price.source_name) == ("price", "Preis")


def test_limits_may_be_written_as_in_the_file_or_plainly_and_ask_for_decimals() -> None:
    schema = parsed(SALES)
    field = schema.columns[1].field(schema.file, history=False)
    assert (field.low, field.high, field.decimals, field.limits()) == ("0,01", "999,5", 2, (1, 99950))
    assert schema.fields()[1].low == ""  # a release of a history may generalise beyond the original's limits


def test_everything_wrong_is_told_at_once() -> None:
    text = """
    shape = "histories"
    colour = "red"
    [file]
    decimal = "'"
    encoding = "klingon"
    [[columns]]
    kind = "number"
    name = "a"
    [[columns]]
    name = "b"
    low = "1"
    [[columns]]
    name = "c"
    kind = "integer"
    missing = "category"
    [[columns]]
    name = "d"
    kind = "integer"
    decimals = 2
    [[columns]]
    role = "identifier"
    """
    with pytest.raises(SettingsError) as caught:
        parsed(text)
    places = {fault.column for fault in caught.value.faults}
    assert places == {
        "shape",
        "colour",
        "file.decimal",
        "columns.1.kind",
        "columns.2.low and high",
        "columns.3.missing",
        "columns.4.decimals",
        "columns.5.name",
    }


@pytest.mark.parametrize(
    ("columns", "wrong"),
    [
        ((ColumnRules(name="a"),), "exactly one identifier"),
        ((ColumnRules(name="a", role=Role.IDENTIFIER), ColumnRules(name="b", role=Role.IDENTIFIER)), "exactly one"),
        ((ColumnRules(name="a", role=Role.IDENTIFIER), ColumnRules(name="b", source="a")), "distinct sources"),
        ((ColumnRules(name="a", role=Role.IDENTIFIER), ColumnRules(name="a", source="b")), "distinct names"),
        ((ColumnRules(name="a", role=Role.IDENTIFIER, kind=Kind.INTEGER),), "be category"),
        (
            (ColumnRules(name="a", role=Role.IDENTIFIER), ColumnRules(name="b", kind=Kind.DATE, low="1.5.2024")),
            "low of b must be a date",
        ),
    ],
)
def test_columns_that_do_not_go_together_are_refused(columns: tuple[ColumnRules, ...], wrong: str) -> None:
    with pytest.raises(ParameterError, match=wrong):
        SchemaFile(shape=Shape.HISTORY, columns=columns)


def test_a_table_has_no_such_schema() -> None:
    with pytest.raises(ParameterError, match="shape must be history or records"):
        SchemaFile(shape=Shape.TABLE)


def test_options_tell_a_schema() -> None:
    schema = schema_from_options(
        Shape.HISTORY, identifier="who", columns=("when", "cost:decimal:price", "a:b"), missing=Missing.DROP
    )
    assert [each.output_name for each in schema.columns] == ["who", "when", "cost", "a:b"]
    assert [each.role for each in schema.columns[:2]] == [Role.IDENTIFIER, Role.QUASI]
    assert (schema.columns[2].kind, schema.columns[2].means) == (Kind.DECIMAL, Meaning.PRICE)
    assert (schema.missing_cells, schema.open_columns) == (Missing.DROP, False)
    assert schema_from_options(Shape.RECORDS, identifier="who").open_columns
    with pytest.raises(ParameterError, match="one kind"):
        schema_from_options(Shape.RECORDS, columns=("a:date:integer",))


def test_a_settled_schema_has_the_kinds_of_the_data() -> None:
    schema = SchemaFile(shape=Shape.RECORDS, columns=(ColumnRules(name="a", source="A"),), all_columns=True)
    settled = schema.settle_columns(
        Schema((Column(name="a", kind=Kind.DECIMAL, decimals=2), Column(name="b", kind=Kind.DATE)))
    )
    assert [(each.output_name, each.kind, each.decimals) for each in settled.columns] == [
        ("a", Kind.DECIMAL, 2),
        ("b", Kind.DATE, None),
    ]
    assert (settled.columns[0].source_name, settled.open_columns) == ("A", False)


def test_a_text_that_means_missing_is_text() -> None:
    with pytest.raises(ParameterError, match="missing must be text"):
        FileRules(missing=("", "\udcff"))
