"""Columns are called what they are called: with points, grave accents, stars, percents, and apart by case only."""

from __future__ import annotations

import json
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.cli import status_of
from sekisho.data.large.engine import Engine, EngineChoice
from sekisho.data.large.names import UNFIT, file_column, list_kinds, make_plain, restore_name
from sekisho.data.large.session import open_session

ROWS = 120
NAMES = ("a.b", "the `town`", "x", "50%2E*", "` .")
COMMANDS: list[tuple[str, ...]] = [
    ("risk", "--keys", "a.b,the `town`,50%2E*,x", "--sensitive", "` ."),
    ("risk", "--keys", "a.b,the `town`,50%2E*,x", "--suda", "--sets", "2"),
    ("protect", "pram", "--retention", "0.7", "--columns", "a.b,the `town`,x,50%2E*", "--out", "R.parquet"),
    ("protect", "sample", "--size", "50", "--strata", "the `town`", "--out", "R.parquet"),
    ("protect", "code", "--rare", "a.b=45:other", "--round", "x=2", "--out", "R.parquet"),
    ("table", "tabulate", "--dims", "a.b,the `town`", "--value", "x", "--out", "R.parquet"),
    ("table", "tabulate", "--dims", "a.b,50%2E*", "--out", "R.parquet"),
]


@given(st.text())
@pytest.mark.parametrize("signs", ["", "`.*%", "%2E", "%25"])
def test_a_name_comes_back_as_it_went(signs: str, name: str) -> None:
    plain = make_plain(name + signs)
    assert restore_name(plain) == name + signs
    assert not UNFIT.search(plain.replace("%", ""))


def test_two_names_stay_two() -> None:
    # an escaped point and the text of its escape: "." -> "%2E", "%2E" -> "%252E"
    assert [make_plain(name) for name in (".", "%2E", "%252E")] == ["%2E", "%252E", "%25252E"]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(2)
    choices = (["p", "q", "r"], ["n", "s"], [1, 2, 3], ["1", "2"], ["u", "v", "w"])
    frame = pl.DataFrame({name: rng.choice(values, ROWS) for name, values in zip(NAMES, choices, strict=True)})
    path = tmp_path_factory.mktemp("names") / "people.parquet"
    frame.write_parquet(path)
    return path


@pytest.mark.parametrize("engine", [Engine.POLARS, Engine.DUCKDB])
def test_frames_are_plain_and_answers_are_not(engine: Engine, people: Path, tmp_path: Path) -> None:
    session = open_session(EngineChoice(engine=engine), tmp_path)
    frame = session.scan_parquet([people])
    assert not any(UNFIT.search(name.replace("%", "")) for name in frame.collect_schema().names())
    assert tuple(list_kinds(frame)) == NAMES
    counted = frame.group_by(make_plain("a.b")).agg(nw.len().alias("n"), file_column("x").sum())
    assert session.collect(counted).columns == ["a.b", "n", "x"]
    assert next(iter(session.stream(frame))).schema.names == list(NAMES)
    session.write_parquet(frame, tmp_path / "again.parquet")
    assert pl.read_parquet(tmp_path / "again.parquet").equals(pl.read_parquet(people))
    session.close()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_commands_answer_as_in_memory(
    people: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    seed = ["--seed", "3"] if words[0] == "protect" else []
    command, options = (words[:1], words[1:]) if words[0] == "risk" else (words[:2], words[2:])
    answers, releases = list[dict[str, object]](), list[pl.DataFrame]()
    for name in ("", "polars", "duckdb"):
        (tmp_path / f"by {name}").mkdir()
        monkeypatch.chdir(tmp_path / f"by {name}")
        engine = ["--engine", name] if name else []
        status = status_of([*command, str(people), *options, *seed, *engine, "--json"])
        answer = json.loads(capsys.readouterr().out)
        assert status in {0, 3}, answer
        answers.append({key: answer[key] for key in answer.keys() - {"seconds", "engine"}})
        releases += [pl.read_parquet(path) for path in [Path("R.parquet")] if path.exists()]
    for answer in answers[1:]:
        assert answer == _approximate(answers[0])
    assert all(release.equals(releases[0]) for release in releases[1:])


def _approximate(answer: object) -> object:
    if isinstance(answer, dict):
        return {key: _approximate(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [_approximate(value) for value in answer]
    return pytest.approx(answer) if isinstance(answer, float) else answer
