"""Commands answer as promised: JSON keys, exit status, nothing written when the answer is no."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from sekisho.attack import ADVERSARIES
from sekisho.cli import status_of
from sekisho.cli.door import VERBS
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.files.sheet import SURPLUS
from sekisho.data.history.files import write_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect import METHODS
from sekisho.seeds import Seed

Run = Callable[..., tuple[int, dict[str, Any], str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*words: object) -> tuple[int, dict[str, Any], str]:
        capsys.readouterr()
        status = status_of([str(word) for word in words])
        out, err = capsys.readouterr()
        return status, json.loads(out) if "--json" in words and out else {}, out + err

    return command


@pytest.fixture
def history(tmp_path: Path) -> Path:
    data = SyntheticHistory(customers=30, items=100, median_rows=8).draw(rng=Seed(3).rng())
    (tmp_path / "T.csv").write_bytes(write_original(data, read_history_rules("pwscup2018")))
    return tmp_path


def test_a_history_goes_all_the_way(run: Run, history: Path) -> None:
    original, released, published, guess = (history / name for name in ("T.csv", "A.csv", "A1.csv", "F1.csv"))
    status, answer, _ = run("protect", "pseudonymise", original, "--out", released, "--seed", 1, "--json")
    assert (status, answer["utility"], answer["seed"]) == (3, 0.0, 1)  # everybody is raw: a person must look
    assert run("check", "pwscup2018", "--original", original, "--released", released, "--json")[:2] == (
        0,
        {"valid": True, "errors": [], "count": 0},
    )
    status, answer, _ = run(
        "publish",
        "pwscup2018",
        "--released",
        released,
        "--out",
        published,
        "--original",
        original,
        "--truth",
        history / "F.csv",
        "--json",
    )
    assert (status, answer["people"]) == (0, 30)
    assert answer["rows"] == len(original.read_text().splitlines())
    status, answer, _ = run(
        "attack", "containment", "--original", original, "--published", published, "--out", guess, "--seed", 1, "--json"
    )
    assert (status, answer["claimed"]) == (0, 30)
    assert run("check", "pwscup2018", "--original", original, "--published", published, "--guess", guess)[0] == 0
    for bound, threshold in (("union", 22), ("exact", 21)):
        status, answer, _ = run(
            "judge",
            "pwscup2018",
            "--original",
            original,
            "--released",
            released,
            "--guess",
            history / "F.csv",
            "--bound",
            bound,
            "--json",
        )
        assert status == 1
        assert answer.items() >= {"claimed": 30, "hits": 30, "threshold": threshold, "effective": True}.items()


def test_utility_tells_u_and_its_columns(run: Run, history: Path) -> None:
    original, released = history / "T.csv", history / "A.csv"
    run("protect", "erase", original, "--out", released, "--seed", 1)
    status, answer, _ = run("utility", "pwscup2018", "--original", original, "--released", released, "--json")
    assert status == 0
    assert set(answer["columns"]) == {"date", "item", "price", "quantity"}
    assert answer["utility"] == pytest.approx(sum(answer["columns"].values()) / 4)


def test_an_invalid_file_is_answered_with_status_1_and_all_its_errors(run: Run, history: Path) -> None:
    original, released = history / "T.csv", history / "A.csv"
    released.write_text("x\n" + "*,*,*,*,*\n" * (len(original.read_text().splitlines()) - 2) + "1,*,NONE,0,1.5\n")
    status, answer, _ = run("check", "pwscup2018", "--original", original, "--released", released, "--json")
    assert (status, answer["valid"], len(answer["errors"])) == (1, False, 4)
    assert set(answer["errors"][0]) == {"row", "column", "rule", "value", "message"}
    status, answer, said = run("utility", "pwscup2018", "--original", original, "--released", released, "--json")
    assert (status, len(answer["errors"])) == (2, 4)
    assert "Traceback" not in said
    status, _, said = run("publish", "pwscup2018", "--released", released, "--out", history / "A1.csv")
    assert (status, (history / "A1.csv").exists()) == (2, False)


def test_a_release_of_a_million_rows_too_many_is_refused_in_seconds_and_in_few_words(
    history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    original, released = history / "T.csv", history / "A.csv"
    released.write_text("1,2010/13/1,NONE,0,1.5\n" * 10**6)
    start = process_time()
    words = ["check", "pwscup2018", "--original", str(original), "--released", str(released), "--json"]
    assert status_of(words) == 1
    assert process_time() - start < 5
    said = capsys.readouterr().out
    answer = json.loads(said)
    assert len(said) < 10**6
    assert len(answer["errors"]) == 1000
    # four cells of each row that is looked at, and the file itself
    assert answer["count"] == 1 + 4 * (len(original.read_text().splitlines()) + SURPLUS)
    assert answer["errors"][0]["value"] == "1000000"
    assert status_of([*words[:-1]]) == 1
    assert f"invalid, {answer['count']:,} errors" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("check", "pwscup2018", "--original", "none.csv", "--released", "none.csv"), "none.csv: no such file"),
        (("check", "pwscup2018x", "--original", "T.csv", "--released", "T.csv"), "did you mean 'pwscup2018'"),
        (("check", "pwscup2018", "--original", "T.csv"), "either --released, or --published and --guess"),
        (("threshold", "-1"), "No such option"),
        (("threshold", "5", "--p", "x"), "p must be a fraction"),
        (("threshold", "5", "--p", "2"), "p must lie strictly between 0 and 1"),
        (("protect", "nothing", "T.csv", "--out", "A.csv"), "No such command"),
        (("protect", "similar-length", "T.csv", "--k", "0", "--out", "A.csv"), "k must"),
        (("protect", "pseudonymise", "T.csv", "--seed", "-1", "--out", "A.csv"), "seed must be a whole number"),
        (("protect", "pseudonymise", "T.csv", "--seed", "1", "--out", "no/folder/A.csv"), "cannot be written"),
        (
            ("publish", "pwscup2018", "--released", "T.csv", "--out", "A1.csv", "--truth", "F.csv"),
            "together with --original",
        ),
        (("gate", "none.toml"), "no such file"),
    ],
)
def test_wrong_usage_is_one_clear_sentence_with_status_2(
    run: Run, history: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(history)
    status, _, told = run(*words)
    assert status == 2
    assert said in told
    assert "Traceback" not in told
    assert sorted(path.name for path in history.iterdir()) == ["T.csv"]


def test_thresholds_are_written_as_the_contest_wrote_them(run: Run, tmp_path: Path) -> None:
    assert run("threshold", 999, "--bound", "exact", "--json")[:2] == (0, {"threshold": 392})
    assert run("threshold", 6)[2].strip() == "no number of hits among 6 is enough"
    status, answer, _ = run("thresholds", "--max", 7, "--out", tmp_path / "R.csv", "--json")
    assert (status, answer["rows"]) == (0, 8)
    assert (tmp_path / "R.csv").read_text() == "0,1\n1,2\n2,3\n3,4\n4,5\n5,6\n6,7\n7,7\n"


@pytest.mark.parametrize("command", [verb for verb, path in VERBS.items() if not path.endswith(":app")])
def test_every_command_has_help_with_an_example(run: Run, command: str) -> None:
    status, _, said = run(command, "--help")
    assert status == 0
    assert "Example: sekisho" in said


CHOICES = [
    *(("protect", name) for name in METHODS),
    *(("attack", name) for name in ADVERSARIES),
]


@pytest.mark.parametrize("words", CHOICES, ids=" ".join)
def test_every_method_and_adversary_has_help_with_an_example(run: Run, words: tuple[str, str]) -> None:
    status, _, said = run(*words, "--help")
    assert status == 0
    assert f"Example: sekisho {' '.join(words)}" in said


@pytest.mark.parametrize("words", [(), ("protect",), ("attack",)], ids=["sekisho", "protect", "attack"])
def test_the_lists_of_commands_can_be_shown(run: Run, words: tuple[str, ...]) -> None:
    status, _, said = run(*words, "--help")
    assert status == 0
    assert "Usage: sekisho" in said


def test_a_seed_that_was_not_given_is_drawn_and_said(run: Run, history: Path) -> None:
    _, answer, said = run("protect", "pseudonymise", history / "T.csv", "--out", history / "A.csv", "--json")
    assert f"seed {answer['seed']}" in said
