"""The contest of 2021 and one of our own run by their rules alone: rounds, test sets, conditions, secret orders."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from sekisho.cli import status_of
from sekisho.contest.records.rules import RecordRules
from sekisho.contest.rulebook import RULEBOOKS, read_record_rules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.files import write_number_lines, write_records
from sekisho.data.synthetic.health import health_records
from sekisho.protect.records.randomise import Randomise
from sekisho.seeds import Seed

Run = Callable[..., tuple[int, dict[str, Any]]]
SURVEY = {
    "gen": "sex",
    "edu": "education",
    "mar": "status",
    "dep": "depressed",
    "pir": "poor",
    "qm": "quartile",
    "dia": "diabetes",
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*words: object) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        status = status_of([*map(str, words), "--json"])
        return status, json.loads(capsys.readouterr().out)

    return command


def write_release(folder: Path, team: str, data: Dataset, gone: Iterable[int], rules: RecordRules) -> tuple[Path, Path]:
    """Write D and X of a release that drops some rows and changes nothing else."""
    deleted = np.isin(np.arange(len(data)), list(gone))
    released, dropped = folder / f"{team}.csv", folder / f"{team}-deleted.csv"
    released.write_bytes(write_records(Dataset(data.frame.filter(pl.Series(~deleted)), data.schema), rules))
    dropped.write_bytes(write_number_lines(np.flatnonzero(deleted)))
    return released, dropped


def test_the_contest_of_2021_has_rounds_own_originals_and_a_test_set_for_each_attacker(
    run: Run, tmp_path: Path
) -> None:
    text = (RULEBOOKS / "pwscup2021.toml").read_text()
    path = tmp_path / "small.toml"
    small = (
        text.replace("members = 50", "members = 5")
        .replace("others = 50", "others = 4")
        .replace("odds = 0.1", "odds = 9000")
    )
    path.write_text(
        small.replace("rate = 0.05", "rate = 0.9")
        .replace("cor = 0.1", "cor = 1.9")
        .replace("uniqrt = 0.5", "uniqrt = 1")
    )
    rules = read_record_rules(str(path))
    (tmp_path / "own").mkdir()
    data = {team: health_records(120, rng=Seed(place).rng()) for place, team in enumerate(("ann", "bob"))}
    for team, records in data.items():
        (tmp_path / "own" / f"{team}.csv").write_bytes(write_records(records, rules))
    shared = tmp_path / "own" / "ann.csv"
    cup = tmp_path / "cup"
    new = ("contest", "new", cup, "--rules", path, "--at", "2021-08-01", "--seed", 9)
    assert run(*new, "--original", f"preliminary={shared}", "--original", f"final={tmp_path / 'own'}")[0] == 0
    assert run("contest", "open", cup, "register", "--at", "2021-08-01")[0] == 0
    assert run("contest", "register", cup, "ann", "bob", "--at", "2021-08-01")[0] == 0
    for round_name, day in (("preliminary", 2), ("final", 5)):
        at = ("--round", round_name, "--at", f"2021-08-{day:02}")
        assert run("contest", "open", cup, "anonymise", *at)[0] == 0
        for team, own in data.items():
            source = data["ann"] if round_name == "preliminary" else own
            released, deleted = write_release(tmp_path, team, source, range(10 if team == "ann" else 70), rules)
            files = ("--released", released, "--deleted", deleted)
            answer = run("contest", "submit", cup, "--team", team, *files, *at)[1]
            # bob drops more than half: the file is valid, and the release breaks the condition on what is kept
            assert answer["valid"]
            assert ("kept" in answer["broken"]) == (team == "bob")
            assert team == "bob" or answer["qualified"]
            limits = read_record_rules(str(path)).find_round(round_name)
            assert (limits.iloss, limits.delta) == ((6, 0) if round_name == "preliminary" else (4, 0.01))
        assert run("contest", "open", cup, "publish", *at)[0] == 0
        assert run("contest", "open", cup, "attack", *at)[0] == 0
        answers = (cup / "truth" / round_name / "answers" / "bob-on-ann.csv").read_text().split()
        assert sum(answer == "-1" for answer in answers) == 4
        assert len((cup / "rounds" / round_name / "tests" / "bob-on-ann.csv").read_text().splitlines()) == 9
        guess = tmp_path / "E.csv"
        guess.write_text("".join(f"{answer},{answer},{answer}\n" for answer in answers))
        assert run("contest", "attack", cup, "--team", "bob", "--target", "ann", "--guess", guess, *at)[0] == 0
        assert run("contest", "open", cup, "evaluate", *at)[0] == 0
    rounds = {
        name: run("contest", "standings", cup, "--round", name)[1]["standings"] for name in ("preliminary", "final")
    }
    # All five members called, none of the others, every row named: (1 + d)^3.
    assert [each["risk"] for each in rounds["preliminary"]] == [1.0, 1.0]
    assert rounds["final"][0] | {"utility": 0} == {
        "team": "ann", "rank": 1, "utility": 0, "survives": True, "broken_by": [], "breaks": [],
        "risk": pytest.approx(1.01**3), "attack": 0.0,
    }  # fmt: skip
    whole = {each["team"]: each for each in run("contest", "standings", cup)[1]["standings"]}
    assert whole["ann"]["risk"] == pytest.approx((1 + 9 * 1.01**3) / 10)
    assert whole["bob"]["attack"] == pytest.approx((1 + 9 * 1.01**3) / 10)
    assert whole["bob"]["rank"] is None
    assert run("contest", "replay", cup, "--rescore")[0] == 0
    answer = run("contest", "evaluate", cup)[1]  # the same round from its files, answers as the referee drew them
    assert answer["errors"] == []
    assert answer["digest"] == run("contest", "standings", cup, "--round", "final")[1]["digest"]


def test_a_file_of_two_that_is_missing_or_bad_is_named(run: Run, tmp_path: Path) -> None:
    rules = read_record_rules("pwscup2021")
    data = health_records(120, rng=Seed(1).rng())
    for name in ("releases", "guesses", "answers"):
        (tmp_path / name).mkdir()
    (tmp_path / "original.csv").write_bytes(write_records(data, rules))
    for team in ("ann", "bob", "cat"):
        write_release(tmp_path / "releases", team, data, range(55), rules)
    (tmp_path / "releases" / "ann-deleted.csv").unlink()
    (tmp_path / "releases" / "bob-deleted.csv").write_text("0\nx\n")
    (tmp_path / "guesses" / "ann-on-cat.csv").write_text("0,0,0\n")
    status, answer = run("contest", "evaluate", tmp_path, "--rules", "pwscup2021", "--round", "preliminary")
    assert status == 0
    errors = {(error["file"], error["rule"]) for error in answer["errors"]}
    assert ("releases/ann-deleted.csv", "file") in errors
    assert ("releases/bob-deleted.csv", "integer") in errors
    assert ("answers/ann-on-cat.csv", "file") in errors
    assert {file for file, _ in errors} == {
        "releases/ann-deleted.csv", "releases/bob-deleted.csv", "releases/bob.csv", "answers/ann-on-cat.csv",
    }  # fmt: skip


def test_a_contest_of_our_own_is_rules_and_nothing_else(run: Run, tmp_path: Path) -> None:
    rules = read_record_rules("membership")
    health = health_records(300, rng=Seed(4).rng()).frame.select(list(SURVEY)).rename(SURVEY)
    frame = health.with_columns(pl.col("status").str.replace("Parther", "Partner"))
    data = Dataset(frame.select(rules.schema.names), rules.schema)
    (tmp_path / "survey.csv").write_bytes(write_records(data, rules))
    cup = tmp_path / "cup"
    new = ("contest", "new", cup, "--rules", "membership", "--original", tmp_path / "survey.csv", "--seed", 2)
    assert run(*new, "--start", "2026-03-01", "--at", "2026-02-01")[0] == 0
    assert run("contest", "register", cup, "ann", "bob", "cat", "--at", "2026-03-02")[0] == 0
    for team, keep in (("ann", 1.0), ("bob", 0.9)):
        changed = Randomise(keep=keep).apply(data, rng=Seed(8).rng()).table.to_dataset()
        sampled = Seed(6).child(team).rng().permutation(300)[:100].tolist()
        released, deleted = write_release(tmp_path, team, changed, sampled, rules)
        files = ("--released", released, "--deleted", deleted, "--at", "2026-03-10")
        answer = run("contest", "submit", cup, "--team", team, *files)[1]
        assert answer["valid"]
        assert "utility" not in answer  # a band is told, not the figure
        assert len(answer["band"]) == 2
        practised = run("contest", "submit", cup, "--team", team, *files, "--practice")[1]
        assert practised["utility"] == practised["rate"]
    practise = ("contest", "practise", cup, "--team", "cat", "--target", "ann", "--published", tmp_path / "P.csv")
    assert run(*practise, "--test", tmp_path / "CT.csv")[0] == 0
    assert run(*practise)[0] == 2
    assert len((tmp_path / "CT.csv").read_text().splitlines()) == 100
    (tmp_path / "E.csv").write_text("-1\n" * 100)
    tried = ("--team", "cat", "--target", "ann", "--guess", tmp_path / "E.csv", "--practice", "--at", "2026-03-10")
    answer = run("contest", "attack", cup, *tried)[1]
    assert (answer["valid"], answer["recall"], answer["risk"]) == (True, 0.0, 0.0)
    assert run("contest", "open", cup, "publish", "--at", "2026-03-22")[0] == 0
    published = (cup / "rounds" / "final" / "published" / "ann.csv").read_text().splitlines()
    handed_in = (tmp_path / "ann.csv").read_text().splitlines()
    assert published != handed_in
    assert sorted(published) == sorted(handed_in)  # the same rows in a secret order
    everybody, knowing = tmp_path / "all.csv", tmp_path / "knowing.csv"
    everybody.write_text("0\n" * 100)
    at = ("--at", "2026-03-25")
    for attacker, target in (("cat", "ann"), ("cat", "bob")):
        files = ("--team", attacker, "--target", target, "--guess", everybody)
        assert run("contest", "attack", cup, *files, *at)[0] == 0
    knowing.write_bytes((cup / "truth" / "final" / "answers" / "bob-on-ann.csv").read_bytes())
    assert run("contest", "attack", cup, "--team", "bob", "--target", "ann", "--guess", knowing, *at)[0] == 0
    told = run("contest", "standings", cup)[1]["standings"]
    assert [(each["team"], each["rank"], each["broken_by"]) for each in told] == [
        ("bob", 1, []),
        ("ann", None, ["bob"]),
        ("cat", None, []),
    ]
    assert [each["risk"] for each in told] == [0.5, 1.0, 1.0]  # all called members: recall 1, precision 1/2


def test_a_team_protects_and_attacks_for_the_round_it_is_in(run: Run, tmp_path: Path) -> None:
    rules = read_record_rules("pwscup2021")
    (tmp_path / "B.csv").write_bytes(write_records(health_records(120, rng=Seed(1).rng()), rules))
    files = (tmp_path / "B.csv", "--rules", "pwscup2021", "--out", tmp_path / "D.csv", "--deleted", tmp_path / "X.csv")
    limits = {
        name: run("protect", "swap", *files, "--seed", 1, "--few", 0, "--round", name)[1]["conditions"]["iloss"]
        for name in ("preliminary", "final")
    }
    assert (limits["preliminary"]["limit"], limits["final"]["limit"]) == (6, 4)
    assert limits["preliminary"]["value"] > 4 >= limits["final"]["value"]
    assert run("protect", "swap", *files, "--round", "semi")[0] == 2
    history = ("protect", "pseudonymise", tmp_path / "B.csv", "--out", tmp_path / "A.csv", "--round", "final")
    assert "--round does not suit histories" in run(*history)[1]["error"]
