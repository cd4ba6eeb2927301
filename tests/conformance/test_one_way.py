"""The same method, data and seed give the same bytes and the same reasons through every door.

Whoever protects a file by name and whoever takes it through the gate by a recipe must get one release: else what was
judged is not what is published, and a rule that keeps people from harm holds behind one door only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of
from sekisho.data.records.files import write_records
from sekisho.data.shape import Shape
from sekisho.data.synthetic.health import health_records
from sekisho.gate.outcome import Attempt, ReviewedCandidate
from sekisho.gate.output_files import BY_ROW, DELETED, PATTERN, RELEASE, OutputFiles
from sekisho.gate.records.test_sets import RiskCandidate
from sekisho.gate.rulebooks import read_record_terms
from sekisho.journey.candidates import run
from sekisho.journey.entry import ReadRecipe
from sekisho.protect import METHODS
from sekisho.seeds import Seed

KEYS = ["age", "sex", "town"]
PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "borrow": {"limit": 60},
    "code": {"top": {"age": "60"}},
    "decoy": {"limit": 60},
    "delete": {"limit": 60},
    "delete-extremes": {"top": {"age": 60}},
    "delete-small": {"keys": KEYS},
    "groups": {"k": 3},
    "lattice": {"keys": KEYS, "k": 2, "suppress": 0.9},
    "microaggregate": {"k": 4},
    "noise": {"epsilon": {"age": 1}},
    "partition": {"keys": KEYS, "k": 3, "effort": 0},
    "pram": {"retention": "0.9"},
    "recordswap": {"geography": ["town"], "similar": ["sex"]},
    "sample": {"size": 45},
    "similar-length": {"k": 3},
    "suppress": {"keys": KEYS, "k": 2},
    "swap": {"limit": 60},
}
OF_RECORDS = tuple(METHODS.find_names(Shape.RECORDS))
OF_HISTORIES = tuple(METHODS.find_names(Shape.HISTORY))
SCHEMA = 'shape = "history"\n[[columns]]\nname = "driver"\nrole = "identifier"\n' + "".join(
    f'[[columns]]\nname = "{name}"\n' for name in ("phone", "day", "road")
)
SEED = 11


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of numbers, decimals, dates and texts in which one column names people."""
    rng, place = Seed(1).rng(), tmp_path_factory.mktemp("one way") / "people.csv"
    rows = [
        f"{rng.integers(30, 36)},{rng.choice(['f', 'm'])},{rng.choice(['a', 'b'])},{rng.integers(0, 40)}.25,"
        f"{date(2024, 1, 1) + timedelta(days=int(rng.integers(0, 20)))},090-{n:04d}-{7 * n:04d}"
        for n in range(60)
    ]
    place.write_text("age,sex,town,pay,day,phone\n" + "\n".join(rows) + "\n")
    return place


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a history in which one column names people, and its schema beside it."""
    rng, folder = Seed(2).rng(), tmp_path_factory.mktemp("one way")
    rows = [
        f"d{n},090-{n:04d}-{7 * n:04d},2024-01-{rng.integers(1, 29):02},road {rng.integers(4)}"
        for n in range(24)
        for _ in range(int(rng.integers(1, 5)))
    ]
    (folder / "trips.csv").write_text("driver,phone,day,road\n" + "\n".join(rows) + "\n")
    (folder / "trips.toml").write_text(SCHEMA)
    return folder / "trips.csv"


def write_words(parameters: Mapping[str, Any]) -> list[str]:
    """Return parameters as the command line says them."""
    words: list[str] = []
    for name, value in parameters.items():
        pairs = [f"{key}={one}" for key, one in value.items()] if isinstance(value, Mapping) else value
        words += [f"--{name}", ",".join(pairs) if isinstance(pairs, list) else str(pairs)]
    return words


def write_toml(parameters: Mapping[str, Any]) -> str:
    """Return parameters as a recipe says them."""
    lines = [
        f"{name} = " + ("{" + ", ".join(f"{key} = {json.dumps(one)}" for key, one in value.items()) + "}")
        if isinstance(value, Mapping)
        else f"{name} = {json.dumps(value)}"
        for name, value in parameters.items()
    ]
    return "\n".join(lines) + "\n"


def protect(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any]]:
    status = status_of(["protect", *map(str, words), "--seed", str(SEED), "--json"])
    return status, json.loads(capsys.readouterr().out)


def pass_through(folder: Path, text: str) -> tuple[OutputFiles, set[str], ReviewedCandidate[Attempt]]:
    """Return what the gate writes of the one candidate of a recipe were it not refused, and what it has against it."""
    (folder / "recipe.toml").write_text(text)
    stage: Any = ReadRecipe.read(folder / "recipe.toml").open().stage
    *_, last = run(stage, seed=Seed(SEED))
    best = last.outcome.best
    files = stage.files(replace(best, reasons=()), seed=Seed(SEED), release=RELEASE)
    return files, {reason.rule for reason in best.reasons}, best


def check_reasons(status: int, answer: Mapping[str, Any], rules: set[str], best: ReviewedCandidate[Attempt]) -> None:
    """What a person must look at is the same, and asks for a review through both doors."""
    assert tuple(answer["identifying"]) == best.review.names
    assert answer["warnings"] == [*best.review.list_warnings(), *answer["warnings"][len(best.review.list_warnings()) :]]
    assert bool(answer["identifying"]) == ("identifying column" in rules)
    assert bool(answer["derivable"]) == ("derivable cells" in rules)
    assert bool(answer["raw"]) == ("raw people" in rules)
    assert (not answer["useful"]) == ("hardly any use" in rules)
    assert status == 3


@pytest.mark.parametrize("name", OF_RECORDS)
def test_records_of_one_s_own(name: str, people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parameters = PARAMETERS.get(name, {})
    out = tmp_path / "R.csv"
    status, answer = protect(capsys, name, people, *write_words(parameters), "--out", out)
    keys = f"keys = {json.dumps(parameters['keys'])}\n" if "keys" in parameters else ""
    text = f'shape = "records"\noriginal = {json.dumps(str(people))}\n{keys}[[methods]]\nname = "{name}"\n'
    files, rules, best = pass_through(tmp_path, text + write_toml(parameters))
    assert files.offered[RELEASE] == out.read_bytes()
    check_reasons(status, answer, rules, best)


FINISHED = {
    "named": "[{age};35],{sex},{town},{phone}",
    "plain": "{age},{sex},{town},*",
    "withheld": "*,*,{{a;b}},*",
    "withheld and named": "*,*,*,{phone}",
}


@pytest.mark.parametrize("engine", [(), ("--engine", "polars")])
@pytest.mark.parametrize("kind", FINISHED)
def test_finished_releases_of_records(
    kind: str, engine: tuple[str, ...], people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever compares a finished release is told what the gate has against it."""
    out, (header, *rows) = tmp_path / "R.csv", [line.split(",") for line in people.read_text().splitlines()]
    lines = [FINISHED[kind].format(**dict(zip(header, row, strict=True))) for row in rows]
    out.write_text("age,sex,town,phone\n" + "\n".join(lines) + "\n")
    words = ["compare", str(people), str(out), "--keys", ",".join(KEYS), *engine, "--json"]
    status = status_of(words if engine else [*words, "--seed", str(SEED)])
    (told,) = json.loads(capsys.readouterr().out)["releases"]
    text = f'shape = "records"\noriginal = {json.dumps(str(people))}\nkeys = {json.dumps(KEYS)}\n'
    _, rules, best = pass_through(tmp_path, f"{text}[[releases]]\nfile = {json.dumps(str(out))}\nordered = true\n")
    assert tuple(told["identifying"]) == best.review.names == (("phone",) if "named" in kind else ())
    assert told["warnings"][: len(best.review.names)] == best.review.list_warnings()
    assert any("of hardly any use" in warning for warning in told["warnings"]) == ("hardly any use" in rules)
    assert ("hardly any use" in rules) == ("withheld" in kind)
    assert status == (0 if kind == "plain" else 3)


@pytest.mark.parametrize("name", OF_HISTORIES)
def test_histories_of_one_s_own(name: str, trips: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parameters, schema = PARAMETERS.get(name, {}), trips.with_suffix(".toml")
    out = tmp_path / "A.csv"
    status, answer = protect(capsys, name, trips, "--schema", schema, *write_words(parameters), "--out", out)
    text = f"schema = {json.dumps(str(schema))}\noriginal = {json.dumps(str(trips))}\n"
    text += f'[[adversaries]]\nname = "chance"\n[[methods]]\nname = "{name}"\n'
    files, rules, best = pass_through(tmp_path, text + write_toml(parameters))
    assert files.confidential[BY_ROW] == out.read_bytes()
    check_reasons(status, answer, rules, best)


@pytest.mark.parametrize("name", ["delete-random"])
def test_records_under_a_contest_s_rules(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = read_record_terms("pwscup2021")
    source, out, gone = tmp_path / "B.csv", tmp_path / "D.csv", tmp_path / "X.csv"
    source.write_bytes(write_records(health_records(300, rng=Seed(1).rng()), rules))
    parameters = {"share": 0.4}
    how = ("--rules", "pwscup2021", "--out", out, "--deleted", gone)
    status, answer = protect(capsys, name, source, *how, *write_words(parameters))
    text = (
        'rules = "pwscup2021"\noriginal = "B.csv"\ntarget = 1.0\ntests = 1\n[[adversaries]]\nname = "random-partner"\n'
    )
    files, reasons, best = pass_through(tmp_path, f'{text}[[methods]]\nname = "{name}"\n' + write_toml(parameters))
    assert files.confidential[BY_ROW] == out.read_bytes()
    assert files.confidential[DELETED] == gone.read_bytes()
    assert isinstance(best, RiskCandidate)
    assert {one.name for one in best.conditions if not one.met} == {
        key for key, one in answer["conditions"].items() if not one["met"]
    }
    assert (status == 1) == ("condition broken" in reasons)


def test_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text(
        "region,job,n\n" + "\n".join(f"r{a},j{b},{3 + 7 * a * b}" for a in range(4) for b in range(4)) + "\n"
    )
    out = tmp_path / "p.csv"
    words = ["table", "suppress", str(tmp_path / "t.csv"), "--dims", "region,job", "--count", "n", "--out", str(out)]
    assert status_of([*words, "--min-count", "5", "--json"]) == 0
    capsys.readouterr()
    text = 'shape = "table"\noriginal = "t.csv"\ndims = ["region", "job"]\ncount = "n"\nmin_count = 5\n'
    files, rules, _ = pass_through(tmp_path, text)
    assert files.confidential[PATTERN] == out.read_bytes()
    assert rules == set()
