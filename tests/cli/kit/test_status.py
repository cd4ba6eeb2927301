"""The exit status means the same everywhere, and a refusal is told to people and to programs alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sekisho.cli import gate_run, status_of
from sekisho.cli.shapes import history
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.history.files import write_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.errors import BugError
from sekisho.gate.outcome import Candidate, JourneyStep, Reason, Verdict
from sekisho.gate.tables import search as table_search
from sekisho.protect.history.groups import Groups
from sekisho.seeds import Seed
from sekisho.tables.check.checker import Checked
from sekisho.words import Said

Tell = Callable[[JourneyStep[Candidate[Any]]], str]
Keep = Callable[[JourneyStep[Candidate[Any]]], str | None]
Describe = Callable[[], str]
Run = Callable[..., tuple[int, dict[str, Any], str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line in a folder with a history T.csv and its release A.csv; return status, JSON and stderr."""
    data = SyntheticHistory(customers=12, items=40, median_rows=5).draw(rng=Seed(3).rng())
    monkeypatch.chdir(tmp_path)
    Path("T.csv").write_bytes(write_original(data, read_history_rules("pwscup2018")))

    def command(line: str) -> tuple[int, dict[str, Any], str]:
        capsys.readouterr()
        status = status_of([*line.split(), "--json"])
        out, err = capsys.readouterr()
        return status, json.loads(out), err

    command("protect pseudonymise T.csv --out A.csv --seed 1")
    command("publish pwscup2018 --released A.csv --original T.csv --out A1.csv --truth F.csv")
    return command


def test_a_malformed_guess_gets_no_verdict_but_is_invalid_to_check(run: Run) -> None:
    Path("E.csv").write_text("nobody,nothing\n")
    judged = "judge pwscup2018 --original T.csv --released A.csv --guess"
    assert run(f"{judged} F.csv")[0] == 1
    status, answer, said = run(f"{judged} E.csv")
    assert status == 2
    assert "effective" not in answer
    assert answer["error"] in said
    assert {error["row"] for error in answer["errors"]} == {1}
    assert set(answer["errors"][0]) == {"row", "column", "rule", "value", "message"}
    status, answer, _ = run("check pwscup2018 --original T.csv --published A1.csv --guess E.csv")
    assert (status, answer["valid"]) == (1, False)


@pytest.mark.parametrize(
    "line",
    [
        "check pwscup2018 --original bad.csv --released A.csv",
        "check pwscup2018 --original T.csv --published bad.csv --guess F.csv",
        "check pwscup2021 --original bad.csv --released A.csv --deleted A.csv",
        "check pwscup2021 --original A.csv --published bad.csv --guess A.csv",
        "utility pwscup2018 --original T.csv --released bad.csv",
        "publish pwscup2018 --released bad.csv --out P.csv",
        "protect erase bad.csv --out P.csv --seed 1",
        "judge pwscup2018 --original T.csv --released bad.csv --guess F.csv",
        "study pwscup2018 --original T.csv bad.csv",
        "plan pram --strata strata.csv --domains 2 --k 3",
        "table suppress strata.csv --dims stratum --count records --out P.csv",
        "table audit strata.csv --dims stratum --count records --pattern strata.csv",
    ],
)
def test_a_malformed_input_is_no_answer(run: Run, line: str) -> None:
    Path("bad.csv").write_text("x,y\nz\n")
    Path("strata.csv").write_text("stratum,records\na,many\nb,-1\n")
    status, answer, said = run(line)
    assert (status, answer["count"]) == (2, len(answer["errors"]))
    assert answer["errors"]
    assert "valid" not in answer
    assert said.count("sekisho: ") == 1
    assert not Path("P.csv").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("threshold 5 --p 2", "p must lie strictly between 0 and 1"),
        ("threshold 5 --often", "No such option: --often"),
        ("threshold", "Missing argument 'N'"),
        ("thresholds --max many --out R.csv", "Invalid value for '--max'"),
        ("nothing", "No such command 'nothing'"),
        ("protect groups T.csv --out P.csv --k x", "--k"),
        ("utility pwscup2018 --original none.csv --released A.csv", "none.csv: no such file"),
        ("utility pwscup2018x --original T.csv --released A.csv", "did you mean 'pwscup2018'?"),
    ],
)
def test_wrong_usage_is_no_answer_and_told_as_json_too(run: Run, line: str, said: str) -> None:
    status, answer, words = run(line)
    assert status == 2
    assert said in answer["error"]
    assert words == f"sekisho: {answer['error']}\n"
    assert [error["message"] for error in answer["errors"]] == [answer["error"]]


def test_wrong_usage_names_the_help(run: Run) -> None:
    assert run("threshold --often")[1]["error"].endswith("(see sekisho threshold --help)")


def test_infeasible_is_an_answer(run: Run) -> None:
    status, answer, _ = run("protect groups T.csv --out P.csv --k 13 --seed 1")
    assert (status, answer["error"]) == (1, "12 customers cannot form a group of 13")


@pytest.mark.parametrize(("verdict", "expected"), [("release", 0), ("refuse", 1), ("review", 3)])
def test_a_gate_that_asks_for_review_has_a_status_of_its_own(
    run: Run, monkeypatch: pytest.MonkeyPatch, verdict: str, expected: int
) -> None:
    watch = gate_run.watch
    why = Reason(rule="decided", verdict=Verdict(verdict), detail=Said("nobody has tried to find people in it"))

    def decided(
        steps: Iterator[JourneyStep[Candidate[Any]]], *, doing: str, tell: Tell, keep: Keep, describe: Describe
    ) -> JourneyStep[Candidate[Any]]:
        last = watch(steps, doing=doing, tell=tell, keep=keep, describe=describe)
        candidates = tuple(replace(each, reasons=(why,)) for each in last.outcome.candidates)
        return replace(last, outcome=replace(last.outcome, candidates=candidates))

    monkeypatch.setattr(gate_run, "watch", decided)
    method, adversary = '[[methods]]\nname = "pseudonymise"\n', '[[adversaries]]\nname = "chance"\n'
    Path("recipe.toml").write_text(f'rules = "pwscup2018"\noriginal = "T.csv"\n{method}{adversary}')
    status, answer, _ = run("gate recipe.toml --out gate --seed 1 --advice 0")
    assert (status, answer["verdict"]) == (expected, verdict)


@pytest.mark.parametrize("fault", [BugError("two and two are five"), KeyError("two"), RecursionError("deep\nin")])
def test_a_fault_of_ours_is_one_sentence_and_a_file_with_the_details(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fault: Exception
) -> None:
    def broken(*_: object) -> None:
        raise fault

    monkeypatch.setattr(history, "judge", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    status, answer, said = run("judge pwscup2018 --original T.csv --released A.csv --guess F.csv")
    assert status == 70
    assert said.count("\n") == 1
    assert "Traceback" not in said
    assert answer["details"] in answer["error"] in said
    details = Path(answer["details"])
    assert details.parent == tmp_path
    assert details.stat().st_mode & 0o077 == 0
    assert "in broken\n    raise fault" in details.read_text()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    status, answer, said = run("judge pwscup2018 --original T.csv --released A.csv --guess F.csv")
    assert (status, answer["details"]) == (70, None)


def test_an_interruption_has_its_status_whether_or_not_something_is_kept(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    improve = Groups.improve

    def first_only(method: Groups, data: Dataset, *, rng: np.random.Generator) -> Iterator[object]:
        yield next(improve(method, data, rng=rng))
        raise KeyboardInterrupt

    monkeypatch.setattr(Groups, "improve", first_only)
    status, answer, said = run("protect groups T.csv --k 3 --out P.csv --seed 1")
    assert (status, "utility" in answer, Path("P.csv").exists()) == (130, True, True)
    assert "the best release so far is kept" in said

    def at_once(*_: object, **__: object) -> Iterator[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr(Groups, "improve", at_once)
    status, answer, said = run("protect groups T.csv --k 3 --out Q.csv --seed 1")
    assert (status, Path("Q.csv").exists()) == (130, False)
    assert answer["error"] == "interrupted: there is no answer, and nothing was written"
    # the next command of the same process is not cut short
    assert run("threshold 7")[0] == 0


def test_a_certificate_that_is_not_complete_must_be_looked_at(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("t.csv").write_text("a,b,n\nx,p,2\nx,q,40\nx,r,7\ny,p,30\ny,q,50\ny,r,60\nz,p,9\nz,q,41\nz,r,52\n")
    line = "table suppress t.csv --dims a,b --count n --out p.csv"
    assert run(line)[0] == 0

    def doubt(_: str) -> Checked:
        return Checked(errors=("no witness",))

    monkeypatch.setattr(table_search, "check", doubt)
    status, answer, said = run(line)
    assert (status, answer["certified"], answer["unproven"]) == (3, False, ["no witness"])
    assert "NOT VALID" in said
