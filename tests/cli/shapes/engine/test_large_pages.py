"""The page of a release beyond memory is that of memory as far as it goes: the risk, and every column, to the byte."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of
from sekisho.gate.records.engine import release_figures
from sekisho.seeds import Seed

LARGE = (("--engine", "polars"), ("--memory", "1GB"))
SCHEMA = """
shape = "records"
missing_cells = "drop"
file = {date_format = "%d.%m.%Y", decimal = ",", separator = ";"}
columns = [
    {name = "id", role = "identifier"},
    {name = "years", source = "age", kind = "integer"},
    {name = "town", missing = "category"},
    {name = "born", kind = "date"},
    {name = "pay", role = "other", kind = "decimal", decimals = 1},
    {name = "ill", role = "sensitive", kind = "integer"},
]
"""
PARTITION = ("partition", "--keys", "years,town,born", "--k", "4", "--suppress", "0.05")
CODE = ("code", "--top", "years=50", "--rare", "town=25:Other", "--round", "pay=10")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    rng = Seed(5).rng()
    rows = [
        f"p{row};{rng.integers(20, 60)};{rng.choice(['a', 'a', 'b', 'b', 'c', ''])};"
        f"{rng.integers(1, 29):02}.{rng.integers(1, 13):02}.19{rng.integers(60, 99)};"
        f"{rng.integers(1, 90)},{rng.integers(100):02};{rng.choice(['1', '2', '30', 'NA'], p=[0.4, 0.3, 0.25, 0.05])}"
        for row in range(250)
    ]
    Path("people.csv").write_text("\n".join(["id;age;town;born;pay;ill", *rows, ""]), encoding="utf-8")
    Path("people.toml").write_text(SCHEMA)
    Path("town.csv").write_text("a;low;all\nb;low;all\nc;high;all\nmissing;high;all\n")
    return "people.csv"


def protect(capsys: pytest.CaptureFixture[str], people: str, words: tuple[str, ...], *more: str) -> tuple[str, Any]:
    name, *options = words
    line = ["protect", name, people, "--schema", "people.toml", *options, "--seed", "1", "--report", "R.html", *more]
    capsys.readouterr()
    assert status_of([*line, "--json"]) == 3  # a person decides: columns leave that nobody accounted for
    return Path("R.html").read_text(), json.loads(capsys.readouterr().out)


def cut_cards(page: str) -> list[str]:
    """Return the folded part of a page: every column before and after."""
    return re.findall(r"<details.*?</details>", page, re.DOTALL)


def find_table(page: str, word: str) -> str:
    """Return the table of a page in which a word stands."""
    (table,) = [each for each in re.findall(r"<table.*?</table>", page, re.DOTALL) if word in each]
    return table


@pytest.mark.parametrize(
    ("words", "out", "engine"),
    [
        (PARTITION, "R.csv", LARGE[0]),
        (PARTITION, "R.parquet", LARGE[1]),
        ((*PARTITION, "--tree", "town=town.csv"), "R.csv", LARGE[1]),
        (CODE, "R.csv", LARGE[1]),
        (CODE, "R.parquet", LARGE[0]),
    ],
)
def test_risk_and_columns_stand_on_the_page_as_in_memory(
    capsys: pytest.CaptureFixture[str], people: str, words: tuple[str, ...], out: str, engine: tuple[str, str]
) -> None:
    in_memory, told = protect(capsys, people, words, "--out", out)
    page, answer = protect(capsys, people, words, "--out", out, *engine)
    assert cut_cards(page) == cut_cards(in_memory)
    assert find_table(page, "smallest class (k)") == find_table(in_memory, "smallest class (k)")
    assert answer["report"] == told["report"] == "R.html"
    assert ("What attackers find" in in_memory, "What attackers find" in page) == (True, False)
    assert "No attack was tried" in page
    if words[0] == "partition":
        assert find_table(page, "k records alike") == find_table(in_memory, "k records alike")
        assert f">{answer['ncp']:.4f}<" in find_table(page, "NCP")
    else:
        assert "this method promises nothing" in page


def test_columns_with_too_many_values_are_named_and_not_drawn(
    capsys: pytest.CaptureFixture[str], people: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_figures, "MOST_TEXTS", 60)  # pay and the dates have more
    page, _ = protect(capsys, people, PARTITION, "--out", "R.csv", "--engine", "polars")
    assert "different values: born, pay." in page
    assert [name for name in ("years", "town", "born", "pay", "ill") if f"{name}: before and after" in page] == [
        "years",
        "town",
        "ill",
    ]


def test_spark_makes_no_page(capsys: pytest.CaptureFixture[str], people: str) -> None:
    line = ["protect", "partition", people, "--schema", "people.toml", "--keys", "years", "--out", "R.csv"]
    assert status_of([*line, "--report", "R.html", "--master", "local[1]", "--json"]) == 2
    assert "report must be asked for with polars or duckdb" in json.loads(capsys.readouterr().out)["error"]
