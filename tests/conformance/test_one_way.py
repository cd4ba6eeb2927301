"""The same method, data and seed give the same bytes and the same reasons through every door.

Whoever protects a file by name and whoever takes it through the gate by a recipe must get one release: else what was
judged is not what is published, and a rule that keeps people from harm holds behind one door only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sekisho.cli import status_of
from sekisho.data.engines.engine import Engine
from sekisho.data.engines.session import SESSIONS
from sekisho.data.records.files import write_records
from sekisho.data.shape import Place, Shape, read_abilities
from sekisho.data.synthetic.health import health_records
from sekisho.gate.outcome import Attempt, ReviewedCandidate, Verdict
from sekisho.gate.output_files import BY_ROW, DELETED, PATTERN, RELEASE, OutputFiles
from sekisho.gate.records.test_sets import RiskCandidate
from sekisho.gate.rulebooks import read_record_terms
from sekisho.journey import release
from sekisho.journey.candidates import run
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.release import OneRelease
from sekisho.protect import METHODS
from sekisho.seeds import Seed

KEYS = ["age", "sex", "town"]
PLAIN = "age,sex,town,pay,day"
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


ON_ENGINES = tuple(name for name in OF_RECORDS if Place.ENGINE in read_abilities(METHODS[name]).runs_on)
ENGINES = (("--engine", "polars"), ("--memory", "1GB"))


@pytest.mark.parametrize("name", ON_ENGINES)
def test_records_beyond_memory(name: str, people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An engine gives the bytes, the answer and the status of memory, and so what the gate has against the release."""
    parameters, out = PARAMETERS[name], tmp_path / "R.csv"
    words = (name, people, *write_words(parameters), "--out", out)
    status, answer = protect(capsys, *words)
    content = out.read_bytes()
    keys = f"keys = {json.dumps(parameters['keys'])}\n" if "keys" in parameters else ""
    text = f'shape = "records"\noriginal = {json.dumps(str(people))}\n{keys}[[methods]]\nname = "{name}"\n'
    files, rules, best = pass_through(tmp_path, text + write_toml(parameters))
    for engine in ENGINES:
        out.unlink()
        there, told = protect(capsys, *words, *engine)
        assert out.read_bytes() == content == files.offered[RELEASE]
        assert told.pop("engine") == ("polars" if "polars" in engine else "duckdb")
        assert {key: told[key] for key in told.keys() - {"seconds", "parts"}} == {
            key: answer[key] for key in answer.keys() - {"seconds"}
        }
        assert there == status
        check_reasons(there, told, rules, best)
        assert told["identifying"] == ["phone"]


HARMLESS = ("--harmless", "pay=made up for this test alone", "--harmless", "day=made up for this test alone")
"""What closes the account of whoever leaves the keys alike, so that nothing but the trouble is told."""
TROUBLES: Mapping[str, tuple[int, str, tuple[str, ...]]] = {
    "nothing": (
        0,
        "",
        ("partition", "--keys", "age,sex,town", "--k", "3", "--effort", "0", "--columns", PLAIN, *HARMLESS),
    ),
    "allowed": (
        3,  # by coding nothing is promised of anybody
        "allowed column",
        ("code", "--top", "age=34", "--allow-column", "phone=the people concerned agreed in writing"),
    ),
    "needless": (
        0,
        "needless allowance",
        (
            *(
                "sample",
                "--size",
                "30",
                "--columns",
                "sex",
                "--allow-column",
                "sex=the people concerned agreed in writing",
            ),
            *("--harmless", "sex=two values, each of many people"),
        ),
    ),
    "no key is left": (
        3,
        "hardly any use",
        ("partition", "--keys", "age,sex,town", "--k", "60", "--columns", PLAIN, *HARMLESS),
    ),
    "hardly any value is left": (
        3,
        "hardly any use",
        ("code", "--intervals", "pay=0,100", "--columns", "pay", *HARMLESS[:2]),
    ),
    "hardly anything of one key is left": (
        3,
        "column of hardly any use",
        (
            *("partition", "--keys", "pay,sex,town", "--k", "11", "--effort", "0", "--columns", "sex,town,pay,day"),
            *HARMLESS[2:],
        ),
    ),
    "all is noise": (3, "hardly any use", ("pram", "--retention", "0.01", "--columns", "sex,town")),
    "refuted": (3, "promise refuted", ("sample", "--size", "20", "--known", "10", "--columns", PLAIN)),
    "not promised": (1, "guarantee broken", ("pram", "--retention", "1", "--columns", "sex,town")),
}
"""What there is to say against a release of records, and how it is made."""
UNACCOUNTED = frozenset({"allowed", "refuted", "not promised"})
"""Troubles in which nothing is promised of anybody, so that no account of them closes."""


@pytest.mark.parametrize("trouble", TROUBLES)
def test_reasons_are_the_same_wherever_the_rows_are(
    trouble: str,
    people: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The journey gives the same reasons, and what must not leave is not written: neither rows nor a page."""
    status, rule, (name, *options) = TROUBLES[trouble]
    releases: list[OneRelease] = []
    for way in ("release_records", "release_beyond_memory"):
        monkeypatch.setattr(release, way, _listen(getattr(release, way), releases))
    out, page = tmp_path / "R.csv", tmp_path / "R.html"
    for engine in ((), *ENGINES):
        told, _ = protect(capsys, name, people, *options, "--out", out, "--report", page, *engine)
        assert told == status
        assert {path.name for path in tmp_path.iterdir()} >= {"R.csv", "R.html"} or status == 1
        assert any(tmp_path.iterdir()) == (status != 1)
        for path in tmp_path.iterdir():
            path.unlink()
    here, *there = [one.candidate.reasons for one in releases]
    assert there == [here, here]
    unaccounted = {"open account"} if trouble in UNACCOUNTED else set[str]()
    assert {reason.rule for reason in here} == ({rule} if rule else set()) | unaccounted


def _listen(way: Callable[..., OneRelease], releases: list[OneRelease]) -> Callable[..., OneRelease]:
    def release_and_keep(*given: object, **named: object) -> OneRelease:
        releases.append(way(*given, **named))
        return releases[-1]

    return release_and_keep


def test_a_history_that_stays_with_an_engine(
    trips: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What names people in a history is seen wherever its rows are; polars stands for the cluster here."""
    monkeypatch.setitem(SESSIONS, Engine.SPARK, SESSIONS[Engine.POLARS])
    pl.read_csv(trips).write_parquet(tmp_path / "trips.parquet")
    words = ("groups", tmp_path / "trips.parquet", "--id", "driver", "--k", 3, "--effort", 0.01)
    status, answer = protect(capsys, *words, "--out", tmp_path / "A.csv")
    there, told = protect(capsys, *words, "--out", tmp_path / "A.parquet", "--master", "local[1]")
    assert there == status == 3
    for key in ("identifying", "raw", "derivable", "useful", "warnings", "allowed_columns"):
        assert told[key] == answer[key]
    assert told["identifying"] == ["phone"]


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
    assert status == 3


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


CELLS = "region,job,n\n" + "".join(f"r{a},j{b},{3 + 7 * a * b}\n" for a in range(4) for b in range(4))
NAMING = CELLS.replace("region", "email")
APRIORI = "r1;j1;U\nr2;j0;S\n"
EARLIER = "region,job,status\nr3,j3,secondary\nr3,j2,secondary\nr2,j2,safe\n"
SHOWN = "".join(f"{region},Total,safe\n" for region in ("r0", "r1", "r2", "Total"))
ALONE = f"region,job,status\n{SHOWN}r3,Total,secondary\n"
RECORDS = "firm,region,job,pay\n" + "".join(f"f{n % 31},r{n % 4},j{n * n % 3},{1 + 13 * n % 89}\n" for n in range(80))
REGIONS = 'dims = ["region", "job"]\ncount = "n"\n'
MICRODATA = 'microdata = true\ndims = ["region", "job"]\n'
TABLES: Mapping[str, tuple[str, str, str]] = {
    "cells": ("t.csv", "--dims region,job --count n", REGIONS),
    "rules": (
        "t.csv",
        "--dims region,job --count n --min-count 11 --width 4 --rule zeros --cost value",
        f'{REGIONS}min_count = 11\nwidth = 4\nrules = ["zeros"]\ncost = "value"\n',
    ),
    "insiders": (
        "t.csv",
        "--dims region,job --count n --insiders 1",
        f"{REGIONS}insiders = 1\n",
    ),
    "what files say of cells": (
        "t.csv",
        "--dims region,job --count n --apriori FOLDER/t.hst --frozen FOLDER/earlier.csv --margins free",
        f'{REGIONS}apriori = "FOLDER/t.hst"\nfrozen = "FOLDER/earlier.csv"\nmargins = "free"\n',
    ),
    "a cell hidden alone": (
        "t.csv",
        "--dims region,job --count n --frozen FOLDER/alone.csv",
        f'{REGIONS}frozen = "FOLDER/alone.csv"\n',
    ),
    "records counted": (
        "m.csv",
        "--microdata --dims region,job --min-count 8",
        f"{MICRODATA}min_count = 8\n",
    ),
    "records summed": (
        "m.csv",
        "--microdata --dims region,job --value pay --contributor firm --rule p%:15 --insiders 1",
        f'{MICRODATA}value = "pay"\ncontributor = "firm"\nrules = ["p%:15"]\ninsiders = 1\n',
    ),
    "a file that describes itself": ("t.tab", "--min-count 5", "min_count = 5\n"),
    "codes that name people": (
        "named.csv",
        "--dims email,job --count n",
        'dims = ["email", "job"]\ncount = "n"\n',
    ),
    "hardly anything left": (
        "t.csv",
        "--dims region,job --count n --min-count 900",
        f"{REGIONS}min_count = 900\n",
    ),
}
"""Ways to suppress a table: the file, the options, the recipe."""
AGAINST = {
    "a cell hidden alone": {"disclosed cell"},
    "codes that name people": {"identifying column"},
    "hardly anything left": {"hardly any use"},
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of one table as cells, under names of people and as another program's file, and of records."""
    folder = tmp_path_factory.mktemp("one way")
    files = {"t.csv": CELLS, "named.csv": NAMING, "m.csv": RECORDS, "t.hst": APRIORI, "earlier.csv": EARLIER}
    for name, text in {**files, "alone.csv": ALONE}.items():
        (folder / name).write_text(text)
    words = ["table", "convert", str(folder / "t.csv"), str(folder / "t.tab"), "--dims", "region,job", "--count", "n"]
    assert status_of(words) == 0
    return folder


@pytest.mark.parametrize("way", TABLES)
def test_a_table(way: str, tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, options, keys = TABLES[way]
    how = [word.replace("FOLDER", str(tables)) for word in options.split()]
    out, public = tmp_path / "p.csv", tmp_path / "q.csv"
    words = ["table", "suppress", str(tables / name), *how, "--out", str(out), "--public", str(public), "--json"]
    status = status_of(words)
    answer = json.loads(capsys.readouterr().out)
    text = f'shape = "table"\noriginal = {json.dumps(str(tables / name))}\n{keys}'.replace("FOLDER", str(tables))
    files, rules, best = pass_through(tmp_path, text)
    if best.verdict is Verdict.REFUSE:
        assert not out.exists()
        assert not public.exists()
    else:
        assert files.confidential[PATTERN] == out.read_bytes()
        assert files.offered[RELEASE] == public.read_bytes()
    assert answer.get("review", []) == [reason.as_dict() for reason in best.reasons]
    assert rules == AGAINST.get(way, set())
    assert status == {Verdict.RELEASE: 0, Verdict.REVIEW: 3, Verdict.REFUSE: 1}[best.verdict]
