"""A schema with columns of its own means beyond memory what it means in memory: names, kinds, missing cells, limits.

What is said of the file and what is refused, row by row, is the same, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.cli import status_of
from sekisho.data.engines.schema_files import survey

ENGINES = (("--engine", "polars"), ("--memory", "1GB"))
SCHEMAS = {
    "names": 'columns = [{name = "city", source = "town"}, {name = "years", source = "age"}]',
    "category": """
        missing_cells = "category"
        file = {missing = ["?", ""]}
        columns = [{name = "town"}, {name = "age", kind = "category"}, {name = "ill", role = "sensitive"}]
        """,
    "drop": """
        missing_cells = "drop"
        all_columns = true
        columns = [{name = "id", role = "identifier"}, {name = "pay", role = "sensitive", kind = "decimal"}]
        """,
    "refuse": 'columns = [{name = "town", missing = "refuse"}, {name = "age"}, {name = "ill", missing = "category"}]',
    "limits": """
        missing_cells = "drop"
        columns = [
            {name = "age", kind = "integer", low = "2", high = "30", outside = "drop"},
            {name = "ill", kind = "category", role = "sensitive"},
        ]
        """,
    # 1.24 and 1.2 are one value, 1.25 another
    "rounded": 'columns = [{name = "town", missing = "category"}, {name = "pay", kind = "decimal", decimals = 1}]',
    "unreadable": 'columns = [{name = "age", kind = "integer"}, {name = "pay", kind = "integer"}]',
    "lacking": 'columns = [{name = "town"}, {name = "height"}]',
}
CELLS = {
    "id": st.integers(1, 99).map(str),
    "town": st.sampled_from(["a", "b", "NA", "?", "", "missing", " a"]),
    "age": st.sampled_from(["1", "2", "30", "31", "NA", "?"]),
    "ill": st.sampled_from(["flu", "cold", "", "?"]),
    "pay": st.sampled_from(["1.2", "1.24", "1.25", "10", "1e1"]),
}
rows = st.lists(st.fixed_dictionaries(CELLS), min_size=1, max_size=10)
OPTIONS = ((), ("--suda",), ("--population", "people"), ("--weights", "pay"), ("--weights", "id"))
quick = try_examples(8, share_fixtures=True)
PLAIN = [
    {"id": "1", "town": "", "age": "2", "ill": "flu", "pay": "1"},
    {"id": "2", "town": "a", "age": "2", "ill": "flu", "pay": "1"},
    {"id": "3", "town": "b", "age": "30", "ill": "cold", "pay": "2"},
]
Ask = Callable[..., tuple[int, dict[str, Any], set[str]]]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    monkeypatch.setattr(survey, "ROWS", 3)  # several blocks of even the smallest files

    def ask_risk(*words: object) -> tuple[int, dict[str, Any], set[str]]:
        capsys.readouterr()
        status = status_of(["risk", *map(str, words), "--json"])
        said = capsys.readouterr()
        answer = json.loads(said.out)
        answer.pop("engine", None)
        return status, answer, set(said.err.splitlines())

    return ask_risk


def write_schema(folder: Path, text: str) -> Path:
    path = folder / "schema.toml"
    path.write_text('shape = "records"\n' + "\n".join(line.strip() for line in text.splitlines()))
    return path


def approximate(answer: object) -> object:
    if isinstance(answer, float):
        return pytest.approx(answer, rel=1e-9, abs=1e-12)
    if isinstance(answer, dict):
        return {key: approximate(value) for key, value in answer.items()}
    return [approximate(value) for value in answer] if isinstance(answer, list) else answer


@quick
@given(
    drawn=rows,
    schema=st.sampled_from(sorted(SCHEMAS)),
    words=st.sampled_from(OPTIONS),
    ending=st.sampled_from(["csv", "parquet"]),
)
@example(drawn=PLAIN, schema="drop", words=("--suda",), ending="csv")  # the rows told are those of the file
@example(drawn=PLAIN, schema="drop", words=("--weights", "pay"), ending="parquet")
@example(drawn=PLAIN, schema="drop", words=("--weights", "id"), ending="csv")
@example(drawn=PLAIN * 2, schema="category", words=(), ending="csv")
@example(drawn=PLAIN, schema="refuse", words=(), ending="csv")
@example(drawn=PLAIN, schema="limits", words=("--suda",), ending="parquet")
def test_every_answer_is_that_of_memory(
    ask: Ask, tmp_path: Path, drawn: list[dict[str, str]], schema: str, words: tuple[str, ...], ending: str
) -> None:
    path, people = tmp_path / f"some.{ending}", tmp_path / f"people.{ending}"
    for place, table in ((path, pl.DataFrame(drawn)), (people, pl.DataFrame([*drawn, *drawn[1:]]))):
        table.write_csv(place) if ending == "csv" else table.write_parquet(place)
    options = [people if word == "people" else word for word in words]
    question = [path, "--schema", write_schema(tmp_path, SCHEMAS[schema]), *options]
    status, answer, said = ask(*question)
    for engine in ENGINES:
        assert ask(*question, *engine) == (status, approximate(answer), said)


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        # neither doubled nor empty names matter where their columns are left out
        ('[{name = "town"}, {name = "age"}]', "town,note,note,,age\na,x,y,z,1\na,x,y,z,1\nb,x,y,z,2\n"),
        ('[{name = "town", source = "1"}, {name = "age", source = "3"}]', "a,x,1\na,x,1\nb,y,2\n"),
        ('[{name = "town", source = "1"}, {name = "age", source = "2"}]', "town,age\na,1\na,1\nb,2\n"),
        ('[{name = "age", source = "years\\nof age"}, {name = "town"}]', 'town,"years\nof age"\na,1\na,1\nb,2\n'),
        ('[{name = "age", kind = "date"}, {name = "town"}]', "town,age\na,03.01.2024\na,03.01.2024\nb,31.12.2024\n"),
        ('[{name = "age", kind = "decimal"}, {name = "town"}]', 'town;age\na;"1,50"\na;1,5\nb;2\n'),
    ],
)
def test_names_and_kinds_are_found_as_in_memory(ask: Ask, tmp_path: Path, columns: str, text: str) -> None:
    path = tmp_path / "some.csv"
    path.write_text(text)
    file = 'file = {date_format = "%d.%m.%Y", decimal = ","}' if ";" in text or ".20" in text else ""
    question = [path, "--schema", write_schema(tmp_path, f"columns = {columns}\n{file}")]
    status, answer, said = ask(*question)
    assert (status, answer["k"], answer["classes"]) == (0, 1, 2)
    for engine in ENGINES:
        assert ask(*question, *engine) == (status, answer, said)


def test_rows_are_those_of_the_file_though_some_were_dropped(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text("town,age\n,1\na,1\na,1\n,2\nb,2\n")
    question = [
        path,
        "--schema",
        write_schema(tmp_path, 'missing_cells = "drop"\ncolumns = [{name = "town"}]'),
        "--suda",
    ]
    for engine in ((), *ENGINES):
        _, answer, said = ask(*question, *engine)
        # b stands alone, in the fifth row below the header
        assert [each["row"] for each in answer["stand_out"]] == [5]
        assert "2 rows dropped: town is missing" in said
