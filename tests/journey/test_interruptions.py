"""A run that is killed or interrupted leaves no half-written file, and goes on from its steps to the same bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.gate.runs import read_outputs, write_history, write_keyed

from sekisho.cli import status_of
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.history.stage import HistoryStage
from sekisho.journey import workers
from sekisho.journey.run import pass_gate
from sekisho.journey.trial import TrialProcess
from sekisho.seeds import Seed

KILLS = 3
MOST_SECONDS = 120.0


def start(recipe: Path, out: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "sekisho", "gate", str(recipe), "--out", str(out), "--jobs", "2", "--json"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def wait_for_steps(out: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    """Return once so many steps are kept, or the process has ended."""
    end = monotonic() + MOST_SECONDS
    while process.poll() is None and monotonic() < end:
        if len(list((out / "confidential" / "cache").glob("*.step"))) >= count:
            return
        sleep(0.005)


def test_killed_runs_leave_whole_files_only_and_resume_to_the_same_bytes(tmp_path: Path) -> None:
    recipe = write_history(tmp_path)
    expected = pass_gate(recipe, out=tmp_path / "whole")
    for count in range(1, KILLS + 1):
        process = start(recipe, tmp_path / "gate")
        wait_for_steps(tmp_path / "gate", 2 * count, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        public = tmp_path / "gate" / "public"
        left = {path.name for path in public.iterdir()} if public.is_dir() else set[str]()
        assert left <= {"release.csv", "report.html", "certificate.json"}
        if "certificate.json" in left:
            assert verify_certificate(public / "certificate.json").valid
    process = start(recipe, tmp_path / "gate")
    answer = json.loads(process.communicate()[0])
    assert process.returncode == 0
    assert answer["verdict"] == expected.verdict
    outputs = read_outputs(tmp_path / "gate")
    assert not [name for name in outputs if ".part" in name]
    assert outputs["public/release.csv"] == expected.public["release.csv"]
    start(recipe, tmp_path / "gate").communicate()
    assert read_outputs(tmp_path / "gate") == outputs


def test_an_interruption_writes_nothing_and_keeps_the_steps(tmp_path: Path) -> None:
    recipe = write_history(tmp_path)
    process = start(recipe, tmp_path / "gate")
    wait_for_steps(tmp_path / "gate", 2, process)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1].decode()
    if process.returncode != 0:  # it may have been quicker
        assert process.returncode == 130, said
        assert "Traceback" not in said
        assert "interrupted: there is no answer; the finished steps are kept, and the same command goes on" in said
        assert "nothing was written" not in said
        assert not (tmp_path / "gate" / "public" / "certificate.json").exists()
        assert list((tmp_path / "gate" / "confidential" / "cache").glob("*.step"))


@pytest.mark.parametrize(
    ("words", "left", "sentence"),
    [
        ("gate recipe.toml --out gate --jobs 1", {"cache"}, "; the finished steps are kept, and the same command"),
        ("gate recipe.toml --out gate --jobs 1 --no-cache", set[str](), ", and nothing was written"),
        ("demo --out gate --jobs 1 --no-cache", {"T.csv", "recipe.toml"}, "; only the recipe and the data of the"),
    ],
)
def test_an_interruption_says_in_one_sentence_what_is_left(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    left: set[str],
    sentence: str,
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    write_history(tmp_path)
    monkeypatch.setattr(HistoryStage, "try_release", interrupt)
    assert status_of([*words.split(), "--json"]) == 130
    answer, said = capsys.readouterr()
    assert json.loads(answer)["error"].startswith(f"interrupted: there is no answer{sentence}")
    assert said.count("\n") == 1 + said.count("seed ")
    places = [path for path in (tmp_path / "gate").rglob("*") if path.suffix != ".step"]
    kept = {"confidential", ".cache.key"} if "cache" in left else set[str]()
    assert {path.name for path in places} == left | kept


def test_an_interruption_of_the_advice_leaves_the_verdict_and_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    write_keyed(tmp_path, k=6)
    words = ["gate", "keyed.toml", "--jobs", "1", "--json", "--out"]
    status_of([*words, "alone", "--advice", "0"])
    alone = json.loads(capsys.readouterr().out)
    assert alone["verdict"] != "release"
    monkeypatch.setattr(TrialProcess, "ask", interrupt)
    assert status_of([*words, "gate", "--advice", "60"]) == 130
    answer, said = capsys.readouterr()
    assert json.loads(answer)["verdict"] == alone["verdict"]
    assert "interrupted: the verdict stands, and its files are written and kept in gate; changes are tried by: " in said
    assert "sekisho advise keyed.toml" in said
    assert "Traceback" not in said
    assert read_outputs(tmp_path / "gate").keys() == read_outputs(tmp_path / "alone").keys()


def test_processes_make_the_candidates_and_the_parent_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = write_history(tmp_path)
    alone = pass_gate(recipe)
    monkeypatch.setattr(workers, "START_SECONDS", -1.0)
    together = pass_gate(recipe, jobs=2, cache=tmp_path / "cache")
    assert together.public["release.csv"] == alone.public["release.csv"]
    assert together.certificate.candidates == alone.certificate.candidates
    assert together.certificate.claims == alone.certificate.claims
    assert len(list((tmp_path / "cache").glob("*.step"))) == 7


@pytest.mark.parametrize(
    ("attacks_kept", "seconds", "jobs", "rest", "worth"),
    [
        # three more of 2 s each: 6 s alone, 3 s by two: 3 s are saved, 2 s are lost
        (True, (1.0, 1.0), 2, 3, True),
        # the attacks are made by the parent in any case: of 3 s, 1.5 s are saved
        (False, (1.0, 1.0), 2, 3, False),
        (False, (1.5, 0.0), 2, 3, True),
        # exactly what a start takes is not worth it
        (True, (2.0, 0.0), 2, 2, False),
        (True, (9.0, 9.0), 1, 3, False),
        (True, (9.0, 9.0), 2, 1, False),
    ],
)
def test_processes_are_started_only_where_they_save_more_than_they_take(
    *, attacks_kept: bool, seconds: tuple[float, float], jobs: int, rest: int, worth: bool
) -> None:
    class Stage:
        keeps_attacks = attacks_kept

        def protections(self) -> dict[str, Callable[[Seed], str]]:
            return {}

        def try_release(self, label: str, release: str, *, seed: Seed) -> str:
            raise NotImplementedError

    protecting, attacking = seconds
    made = workers.Workers(stage=Stage(), seed=Seed(1), jobs=jobs)
    made.note(protecting=protecting, attacking=attacking)
    assert made.pay_off(rest) is worth


def test_keyed_records_made_in_processes_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = write_keyed(tmp_path)
    recipe.write_text(recipe.read_text() + '[[methods]]\nname = "partition"\nk = 5\neffort = 0\n')
    alone = pass_gate(recipe)
    monkeypatch.setattr(workers, "START_SECONDS", -1.0)
    together = pass_gate(recipe, jobs=2, cache=tmp_path / "cache")
    assert together.public["release.csv"] == alone.public["release.csv"]
    assert together.certificate.candidates == alone.certificate.candidates
