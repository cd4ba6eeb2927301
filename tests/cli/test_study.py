"""``sekisho study`` must answer in tables and in JSON, the same for the same seed, and name every bad file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.shopping import shop

from sekisho.cli import status_of
from sekisho.cli.kit.progress import watch_counted
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import write_original, write_release
from sekisho.gate.history.study import FIGURES, USE_CASES
from sekisho.protect.history.coarsen import Coarsen
from sekisho.protect.history.erase import Erase
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.seeds import Seed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rules = read_history_rules("pwscup2018")
    rng = Seed(9).rng()
    columns = (rng.integers(0, most, 120).tolist() for most in (30, 12, 300, 30))
    data = shop(
        [(f"{n % 9 + 1}", d, f"I{i}", p + 1, q + 1) for n, (d, i, p, q) in enumerate(zip(*columns, strict=True))]
    )
    (tmp_path / "T.csv").write_bytes(write_original(data, rules))
    methods = {"p": Pseudonymise(), "c": Coarsen(), "e": Erase(cells=0.3), "f": Erase(cells=0.5, rows=0.3)}
    for name, method in methods.items():
        (tmp_path / f"{name}.csv").write_bytes(write_release(method.apply(data, rng=Seed(1).rng()), rules))
    return tmp_path


def asked(folder: Path, *names: str) -> list[str]:
    return [
        "study",
        "pwscup2018",
        "--original",
        str(folder / "T.csv"),
        *(str(folder / f"{name}.csv") for name in names),
    ]


def test_the_answer_in_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of([*asked(folder, "p", "c", "e", "f"), "--samples", "4", "--seed", "7", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [Path(each["release"]).name for each in answer["releases"]] == ["p.csv", "c.csv", "e.csv", "f.csv"]
    for each in answer["releases"]:
        assert set(each["use_cases"]) == set(USE_CASES)
        assert set(each["statistics"]) == set(FIGURES)
    assert answer["releases"][0]["utility"] == 0
    assert set(answer["releases"][0]["use_cases"].values()) == {0.0}
    assert answer["correlations"]["critical"] == pytest.approx(0.95, abs=5e-5)
    assert set(answer["correlations"]["use_cases"]["rfm"]) == {"r", "significant"}
    assert (answer["samples"], answer["drawn"], answer["seed"]) == (4, 16, 7)
    assert status_of([*asked(folder, "p", "c", "e", "f"), "--samples", "4", "--seed", "7", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == answer


def test_the_answer_in_words_and_as_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = folder / "study.html"
    assert status_of([*asked(folder, "p", "c", "e"), "--samples", "2", "--seed", "7", "--report", str(report)]) == 0
    said = capsys.readouterr().out
    for caption in ("use cases", "rows and top items", "of date (days)", "of price (last decimal)", "of quantity"):
        assert f"Errors of the {caption}" in said or f"Errors of {caption}" in said or f"statistics {caption}" in said
    assert said.count("correlation") == 5
    assert "|r| >= 0.9969 with 3 releases" in said
    page = report.read_text(encoding="utf-8")
    assert page.count("<svg") == 2 * 9  # nine pictures in two languages
    assert "頻出アイテム集合" in page


def test_two_releases_are_too_few_to_correlate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of([*asked(folder, "p", "e"), "--samples", "1", "--seed", "7"]) == 0
    assert "fewer than three releases" in capsys.readouterr().out


def test_every_bad_file_is_named_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (folder / "p.csv").read_text().splitlines()
    for name in ("x", "y"):
        (folder / f"{name}.csv").write_text("\n".join([lines[0].replace(",I", ",J", 1), *lines[1:]]) + "\n")
    assert status_of([*asked(folder, "p", "x", "y"), "--samples", "1", "--seed", "7", "--json"]) == 2
    answer = json.loads(capsys.readouterr().out)
    assert answer["error"].startswith(answer["source"])
    assert [error["row"] for error in answer["errors"]] == [1, 1]
    assert "x.csv" in answer["errors"][0]["message"]
    assert "y.csv" in answer["errors"][1]["message"]
    assert status_of([*asked(folder, "p", "p"), "--seed", "7"]) == 2
    assert "each be named once" in capsys.readouterr().err


def test_rules_of_another_kind_of_contest_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = asked(folder, "p")
    assert status_of([arguments[0], "pwscup2021", *arguments[2:]]) == 2
    assert "contest over histories" in capsys.readouterr().err


@dataclass(frozen=True)
class Step:
    done: int
    total: int = 3


def broken(after: int) -> Iterator[Step]:
    yield from (Step(number + 1) for number in range(after))
    raise KeyboardInterrupt


def test_an_interruption_keeps_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert watch_counted(broken(2), doing="work").done == 2
    assert "interrupted: the answer rests on 2 of 3" in capsys.readouterr().err
    with pytest.raises(KeyboardInterrupt):
        watch_counted(broken(0), doing="work")
