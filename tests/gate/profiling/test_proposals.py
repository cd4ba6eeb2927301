"""The recipe that is proposed for a file runs as it stands, and its release keeps what it asks for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.data.files.layout import open_original
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.outcome import Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.gate.records.keys_judge import KeysJudge
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.tables.recipe import TableRecipe
from sekisho.journey.candidates import run
from sekisho.seeds import Seed


def propose(folder: Path, text: str, *options: str, encoding: str = "utf-8") -> Path:
    """Write a file, and return the recipe that is proposed for it."""
    (folder / "own.csv").write_text(text, encoding=encoding)
    assert status_of(["init", str(folder / "own.csv"), "--out", str(folder / "r.toml"), *options]) == 0
    return folder / "r.toml"


def make_people(rows: int = 90) -> str:
    lines = [
        f"P{number:03d};{20 + number * 7 % 40};{'fm'[number % 2]};{'北南東'[number % 3]}区;{('風邪', '喘息')[number // 3 % 2]}"
        for number in range(rows)
    ]
    return "\n".join(["患者番号;年齢;性別;地域;病名", *lines]) + "\n"


def make_sales(people: int = 16, rows: int = 4) -> str:
    lines = [
        f"c{who};{1 + (who * 5 + row * 11) % 28:02}.{1 + row % 3:02}.2024;A{(who + row * 3) % 5};{1 + row % 4},50;{1 + who % 3}"
        for who in range(people)
        for row in range(rows)
    ]
    return "\n".join(["Kunde;Datum;Artikel;Preis;Menge", *lines]) + "\n"


def make_firms(rows: int = 60) -> str:
    lines = [f"F{n % 40},{'NSEW'[n % 4]},{('Food', 'Care')[n * 7 % 5 % 2]},{100 + n * n}" for n in range(rows)]
    return "\n".join(["firm id,region,industry,turnover", *lines]) + "\n"


def test_records(tmp_path: Path) -> None:
    recipe, file = read_recipe(propose(tmp_path, make_people(), encoding="cp932"))
    assert isinstance(recipe, RecordsRecipe)
    assert (recipe.guarantees.k, recipe.guarantees.l) == (5, 2)
    original, rules = open_original(Path(file.original), recipe.rules)
    stage = RecordsStage.open(replace(recipe, rules=rules), original.data)
    assert isinstance(stage.judge, KeysJudge)
    assert stage.judge.question.keys == ("年齢", "性別", "地域")
    *_, last = run(stage, seed=Seed(1))
    best = last.outcome.best
    assert (best.verdict, best.reasons, len(best.attempts)) == (Verdict.RELEASE, (), 2)


@pytest.mark.parametrize(("people", "k", "verdict"), [(16, 7, Verdict.RELEASE), (4, 4, Verdict.REVIEW)])
def test_histories(tmp_path: Path, people: int, k: int, verdict: Verdict) -> None:
    """Groups of seven are proven; four people cannot form one, and the claim does not hold of them."""
    recipe, file = read_recipe(propose(tmp_path, make_sales(people)))
    assert isinstance(recipe, HistoryRecipe)
    assert list(recipe.methods) == [f"groups k={k}"]
    original, rules = open_original(Path(file.original), recipe.rules)
    *_, last = run(HistoryStage(recipe=replace(recipe, rules=rules), original=original.data), seed=Seed(1))
    assert (last.outcome.best.verdict, len(last.outcome.best.attempts)) == (verdict, 4)


def test_tables(tmp_path: Path) -> None:
    cells = "region,job,n\nnorth,A,2\nnorth,B,28\nnorth,C,30\neast,A,20\neast,B,16\neast,C,14\nwest,A,15\nwest,B,13\nwest,C,12\n"
    recipe, file = read_recipe(propose(tmp_path, cells))
    assert isinstance(recipe, TableRecipe)
    assert (recipe.rules.min_count, recipe.rules.width) == (5, 10)
    assert file.original == str(tmp_path / "own.csv")
    assert status_of(["gate", str(tmp_path / "r.toml"), "--out", str(tmp_path / "out")]) == 0


def test_microdata(tmp_path: Path) -> None:
    recipe, file = read_recipe(propose(tmp_path, make_firms(), "--shape", "table"))
    assert isinstance(recipe, TableRecipe)
    assert len(recipe.rules.rules) == 2
    assert (getattr(file, "microdata", False), getattr(file, "contributor", "")) == (True, "firm id")
    assert getattr(file, "insiders", 0) == 1  # contributors are known, so one who knows what it gave attacks, too


@pytest.mark.parametrize(
    ("text", "options"),
    [(make_people(), ()), (make_sales(), ()), (make_firms(), ("--shape", "table"))],
    ids=["records", "history", "microdata"],
)
def test_two_commands_lead_to_a_report(tmp_path: Path, text: str, options: tuple[str, ...]) -> None:
    recipe = propose(tmp_path, text, *options)
    assert status_of(["gate", str(recipe), "--out", str(tmp_path / "out"), "--seed", "1"][: 4 if options else 6]) == 0
    assert (tmp_path / "out" / "public" / "release.csv").is_file()
    assert (tmp_path / "out" / "confidential" / "report.html").is_file()
