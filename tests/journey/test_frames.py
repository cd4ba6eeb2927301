"""One call each: a frame in, the command's own answer out, and a frame of the caller's kind."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, cast

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sekisho
from sekisho.cli.door import open_door
from sekisho.data.frame.convert import FrameKind, to_arrow, to_pandas
from sekisho.errors import FaultsError, InfeasibleError, ParameterError, ReviewNeededError, SettingsError
from sekisho.gate.outcome import Verdict
from sekisho.gate.policy import make_reason
from sekisho.journey.advice import Advice
from sekisho.words import Said

KEYS = ["age", "town", "born"]
TOWNS = ["Hill", "Lake", "Shore"]
KINDS: dict[str, tuple[Callable[[pl.DataFrame], Any], type]] = {
    "polars": (lambda frame: frame, pl.DataFrame),
    "pandas": (to_pandas, pd.DataFrame),
    "arrow": (to_arrow, pa.Table),
}


def make_people(rows: int = 120) -> pl.DataFrame:
    """Typed columns, texts that a file would have (days first, a comma in numbers), a missing cell in two of them."""
    numbers = range(rows)
    return pl.DataFrame(
        {
            "age": [20 + number * 7 % 50 for number in numbers],
            "town": [TOWNS[number % 3] if number % 40 else None for number in numbers],
            "born": [f"{1 + number % 28}/{1 + number % 12}/{1950 + number % 40}" for number in numbers],
            "pay": [None if number == 5 else 100.5 + number for number in numbers],
            "seen": [date(2024, 1, 1 + number % 30) for number in numbers],
            "ill": [("flu", "cold", "none")[number % 3] for number in numbers],
        }
    )


PEOPLE = make_people()
HARMLESS: dict[str, str] = dict.fromkeys(["pay", "seen"], "made up for this test, of nobody")


def run_command(*words: str) -> int:
    """Run the command; a verdict is a status."""
    return open_door(list(words))


@pytest.mark.parametrize("kind", KINDS)
def test_the_release_has_the_bytes_of_the_command_and_the_frame_is_of_the_callers_kind(
    kind: str, tmp_path: Path
) -> None:
    give, wanted = KINDS[kind]
    source, out = tmp_path / "people.parquet", tmp_path / "out.parquet"
    PEOPLE.write_parquet(source)
    words = ["partition", str(source), "--out", str(out), "--keys", ",".join(KEYS)]
    words += [word for name, reason in HARMLESS.items() for word in ("--harmless", f"{name}={reason}")]
    assert run_command("protect", *words, "--k", "4", "--l", "2", "--sensitive", "ill", "--seed", "9") == 0
    made = sekisho.protect(give(PEOPLE), keys=KEYS, k=4, l=2, sensitive="ill", harmless=HARMLESS, seed=9)
    assert made.content == out.read_bytes()
    assert made.verdict is Verdict.RELEASE
    assert (made.seed, made.kind) == (9, FrameKind(kind))
    frame = made.frame
    assert type(frame) is wanted
    assert len(cast("pl.DataFrame", frame)) == PEOPLE.height


def test_a_file_gives_what_the_command_writes_of_it(tmp_path: Path) -> None:
    source, out = tmp_path / "people.csv", tmp_path / "out.parquet"
    PEOPLE.write_csv(source)
    status = run_command("protect", "lattice", str(source), "--out", str(out), "--keys", "age,town", "--seed", "2")
    assert status == 3  # hardly anything is left of a key without a tree
    made = sekisho.protect(source, keys=["age", "town"], method="lattice", seed=2)
    assert made.content == out.read_bytes()
    assert isinstance(made.frame, pl.DataFrame)
    assert made.verdict is Verdict.REVIEW


def test_texts_are_understood_and_missing_cells_are_carried() -> None:
    made = sekisho.protect(PEOPLE, keys=KEYS, seed=1, effort=0)
    born = made.table["born"]
    assert bool(born.str.contains(r"^\[19\d\d-\d\d-\d\d;19\d\d-\d\d-\d\d\]$|^19\d\d-\d\d-\d\d$|^\*$").all())
    assert made.table["pay"].null_count() == 1
    assert made.table.schema["seen"] == pl.Date
    assert any("born: date" in notice for notice in made.notices)


def test_columns_may_have_japanese_names_and_numbers_that_are_none() -> None:
    frame = PEOPLE.rename({"age": "年齢", "town": "町", "ill": "病名"}).with_columns(
        pay=pl.col("pay").fill_null(float("nan"))
    )
    found = sekisho.risk(frame, keys=["年齢", "町"], sensitive="病名", k=2, l=2)
    assert found.risk.keys == ("年齢", "町")
    made = sekisho.protect(frame, keys=["年齢", "町"], k=3, seed=1)
    assert made.table.columns == frame.columns
    assert made.table["pay"].null_count() == 1


def test_whole_numbers_that_pandas_holds_as_floats_stay_whole() -> None:
    frame = pd.DataFrame({"age": [None, *(20.0 + number % 9 for number in range(44))], "sex": ["m", "f", "m"] * 15})
    ages = sekisho.protect(frame, keys=["age", "sex"], k=3, seed=1).table["age"]
    assert not bool(ages.str.contains(".", literal=True).any())


@pytest.mark.parametrize("kind", KINDS)
def test_the_risk_is_that_of_the_command(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "people.parquet"
    PEOPLE.write_parquet(source)
    asked = ["--keys", ",".join(KEYS), "--sensitive", "ill", "--k", "2", "--l", "1", "--population", "0.1", "--json"]
    assert run_command("risk", str(source), *asked) == 1
    told = json.loads(capsys.readouterr().out)
    found = sekisho.risk(KINDS[kind][0](PEOPLE), keys=KEYS, sensitive=["ill"], k=2, l=1, population=0.1)
    assert json.loads(json.dumps(found.as_dict())) == told
    assert found.kept == {"k": False, "l": True}
    assert not found.good
    assert "<iframe" in found._repr_html_()


def test_a_population_may_be_a_frame(tmp_path: Path) -> None:
    many = pl.concat([PEOPLE, PEOPLE, PEOPLE])
    file = tmp_path / "many.parquet"
    many.write_parquet(file)
    in_memory = sekisho.risk(PEOPLE, keys=["age", "town"], population=many.to_pandas())
    assert in_memory.as_dict() == sekisho.risk(PEOPLE, keys=["age", "town"], population=file).as_dict()
    assert in_memory.as_dict()["k_map"] == 3 * in_memory.k


def test_a_column_that_names_people_leaves_only_with_a_reason() -> None:
    named = PEOPLE.with_columns(pl.Series("email", [f"person{number}@example.org" for number in range(PEOPLE.height)]))
    made = sekisho.protect(named, keys=KEYS, seed=1)
    assert made.verdict is Verdict.REVIEW
    with pytest.raises(ReviewNeededError, match="email"):
        _ = made.frame
    with pytest.raises(ReviewNeededError):
        _ = made.content
    allowed = sekisho.protect(named, keys=KEYS, seed=1, allowed={"email": "all of these addresses are made up"})
    assert allowed.table["email"].n_unique() == PEOPLE.height


def test_what_must_not_leave_has_no_frame_and_no_page() -> None:
    made = sekisho.protect(PEOPLE, keys=KEYS, seed=1)
    against = make_reason("hardly any use", Said("be one column"))
    refused = replace(made.made.candidate, reasons=(replace(against, verdict=Verdict.REFUSE),))
    kept = replace(made, made=replace(made.made, candidate=refused, files={}, show=None))
    assert kept.verdict is Verdict.REFUSE
    with pytest.raises(InfeasibleError, match="must not leave"):
        _ = kept.frame
    assert "MUST NOT LEAVE" in kept.page()
    assert "<table" not in kept.page()


def test_a_notebook_shows_the_page_of_the_report() -> None:
    made = sekisho.protect(PEOPLE, keys=KEYS, seed=1)
    assert "<iframe" in made._repr_html_()
    assert "release.parquet" in made.page()


def test_secret_chance_has_no_seed() -> None:
    drawn = sekisho.protect(PEOPLE, method="pram", retention=0.9)
    assert drawn.seed is None
    assert sekisho.protect(PEOPLE, method="pram", retention=0.9, seed=4).seed == 4


def test_a_comparison_is_that_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "people.parquet", tmp_path / "out.parquet"
    PEOPLE.write_parquet(source)
    made = sekisho.protect(PEOPLE, keys=KEYS, k=4, seed=9)
    out.write_bytes(made.content)
    asked = ["--keys", ",".join(KEYS), "--sensitive", "ill", "--seed", "3", "--json"]
    assert run_command("compare", str(source), str(out), *asked) == 3  # nobody says what must hold
    told = json.loads(capsys.readouterr().out)
    by_file = sekisho.compare(PEOPLE, out, keys=KEYS, sensitive="ill", seed=3)
    answer = json.loads(json.dumps(by_file.as_dict()))
    assert {name: told[name] for name in answer} == answer
    several = sekisho.compare(PEOPLE.to_pandas(), made, made.table.to_arrow(), keys=KEYS, sensitive=["ill"], seed=3)
    assert [(one.name, one.k, one.ordered) for one in several.releases] == [
        ("release 1", 4, True),
        ("release 2", 4, False),
    ]
    assert "<iframe" in several._repr_html_()


def test_advice_about_a_frame_names_no_folder() -> None:
    advice = sekisho.advise(PEOPLE.to_pandas(), seconds=0.5, seed=1)
    assert isinstance(advice, Advice)
    assert advice.source == Path("frame")
    assert "frame.parquet" in advice.text
    assert "sekisho-" not in advice.text
    assert advice.schema is not None


def test_what_is_wrong_is_told_at_once() -> None:
    with pytest.raises(ParameterError, match="frame must be a frame of pandas, polars or Arrow"):
        sekisho.risk(cast("Any", {"age": [1]}), keys=["age"])
    with pytest.raises(ParameterError, match="frame must be a frame"):
        sekisho.risk(cast("Any", PEOPLE.lazy()), keys=["age"])
    with pytest.raises(FaultsError, match="aeg"):
        sekisho.risk(PEOPLE, keys=["aeg"])
    with pytest.raises(SettingsError, match="k"):
        sekisho.protect(PEOPLE, keys=KEYS, k=0)
    with pytest.raises(SettingsError, match="effrot"):
        sekisho.protect(PEOPLE, keys=KEYS, effrot=1)
    with pytest.raises(ParameterError, match="sensitive"):
        sekisho.risk(PEOPLE, keys=KEYS, l=2)
    with pytest.raises(ParameterError, match="groups suits history"):
        sekisho.protect(PEOPLE, keys=KEYS, method="groups")
    with pytest.raises(ParameterError, match="k must be a whole number"):
        sekisho.protect(PEOPLE, keys=KEYS, k=cast("Any", "5"))


def test_the_room_of_methods_can_be_asked_and_stays_a_room() -> None:
    code = (
        "import sekisho; first = sekisho.protect; import sekisho.protect.records.partition as partition; "
        "import sekisho.protect as room; print(callable(first), callable(room), room.METHODS.kind, "
        "sekisho.protect.records.partition is partition)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True", "method", "True"]
