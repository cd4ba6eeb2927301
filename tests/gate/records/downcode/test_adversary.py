"""Downcoding as an adversary of recipes: possible, chance and found apart, and what is certainly known refutes."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from sekisho.attack.records.downcode.answer import Downcoded, KeyCells, Knows, Roster
from sekisho.cli.door import open_door
from sekisho.gate.outcome import Certainty
from sekisho.gate.records.downcode.adversary import DowncodeAdversary, describe_downcoded, measure_known_share
from sekisho.gate.records.downcode.downcoding import Recoder
from sekisho.protect.records.lattice_recoding import Lattice
from sekisho.protect.records.microaggregate import Microaggregate
from sekisho.protect.records.minimality.guard import Guard
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.suppress import Matching, Suppress

RECIPE = """
shape = "records"
original = "T.csv"
keys = ["age", "town", "sex"]
risk = 0.3
seed = 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 900) // 5 * 5,
            "town": rng.choice([f"t{place}" for place in range(6)], 900),
            "sex": rng.choice(["m", "f"], 900),
        }
    )
    frame[:500].write_csv(tmp_path / "T.csv")
    return tmp_path


def ask(capsys: pytest.CaptureFixture[str], folder: Path, more: str) -> tuple[int, dict[str, Any]]:
    (folder / "recipe.toml").write_text(RECIPE + more, encoding="utf-8")
    words = ["gate", str(folder / "recipe.toml"), "--out", str(folder / "out"), "--advice", "0", "--json"]
    status = open_door(words)
    return status, json.loads(capsys.readouterr().out)


def find_cells(answer: dict[str, Any]) -> dict[str, Any]:
    (stated,) = (each for each in answer["statements"] if each["subject"] == "hidden cells")
    return stated


def test_local_suppression_is_read_by_itself_and_its_certificate_holds(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    status, answer = ask(capsys, folder, '[[methods]]\nname = "suppress"\nk = 5\n')
    assert status == 3  # derivable cells ask for a look; nobody was asked to refute it
    assert [each["rule"] for each in answer["reasons"]] == ["derivable cells"]
    figures = find_cells(answer)["figures"]
    assert figures.keys() == {"adversary", "possible", "chance", "found", "warnings"}
    assert 0 < figures["possible"]["known"] <= figures["possible"]["narrowed"] <= figures["possible"]["cells"]
    assert figures["found"]["hits"] == figures["possible"]["known"]  # no truth is ruled out
    assert figures["chance"] < figures["found"]["guess"]
    assert open_door(["verify", answer["certificate"], "--json"]) == 3  # unsigned, and nothing else is wrong
    capsys.readouterr()
    report = (folder / "out" / "confidential" / "report.txt").read_text(encoding="utf-8")
    assert "What can be worked out of hidden and generalised cells" in report


def test_a_named_adversary_refutes_what_is_known_above_what_is_allowed(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    named = '[[methods]]\nname = "suppress"\nk = 5\n[[adversaries]]\nname = "downcode"\n'
    status, answer = ask(capsys, folder, named)
    shown = find_cells(answer)["figures"]
    by_key = shown["found"]["by_key"].values()
    worst = max(each["known"] / each["cells"] for each in by_key if each["cells"])
    assert shown["found"]["against"] == {"knows": "least", "people": "one"}
    assert 0.25 < worst < 0.3  # 11 of 40 cells of age
    assert (status, find_cells(answer)["standing"]) == (3, "refuted")
    (folder / "recipe.toml").write_text((RECIPE + named).replace("0.3", "0.25"), encoding="utf-8")
    words = ["gate", str(folder / "recipe.toml"), "--out", str(folder / "other"), "--advice", "0", "--json"]
    assert open_door(words) == 1
    assert "effective attack" in {each["rule"] for each in json.loads(capsys.readouterr().out)["reasons"]}


def test_who_has_nothing_to_ask_is_refused(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    status, answer = ask(capsys, folder, '[[methods]]\nname = "pram"\nk = 5\n[[adversaries]]\nname = "downcode"\n')
    assert status == 2
    assert "method and k" in json.dumps(answer)
    wrong = '[[methods]]\nname = "partition"\n[[adversaries]]\nname = "downcode"\nknows = "much"\n'
    assert ask(capsys, folder, wrong)[0] == 2


def test_a_finished_release_is_read_as_the_recipe_says_it_was_made(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    files = ("--out", str(folder / "R.csv"), "--deleted", str(folder / "X.csv"))
    made = ("--keys", "age,town,sex", "--k", "4", "--effort", "0")
    assert open_door(["protect", "partition", str(folder / "T.csv"), *made, *files]) == 0
    capsys.readouterr()
    named = '[[adversaries]]\nname = "downcode"\nmethod = "partition"\nk = 4\npeople = "{people}"\n'
    in_order = '[[releases]]\nfile = "R.csv"\ndeleted = "X.csv"\n'
    _, answer = ask(capsys, folder, in_order + named.format(people="others"))
    figures = find_cells(answer)["figures"]
    assert figures["found"]["against"] == {"knows": "rule", "people": "others"}
    assert figures["found"]["hits"] == figures["possible"]["known"] > 0
    _, answer = ask(capsys, folder, 'release = "R.csv"\n' + named.format(people="one"))
    assert find_cells(answer)["figures"]["found"]["hits"] is None  # nobody says which row is whose


def answer_of(known: int, *, certain: bool = False, hits: int | None = None, excluded: int | None = None) -> Downcoded:
    return Downcoded(
        method="suppress",
        knows=Knows.LEAST,
        roster=Roster.ONE,
        keys={"a": KeyCells(cells=10, narrowed=8, known=known), "b": KeyCells(cells=90, narrowed=5, known=2)},
        people=9,
        touched=70,
        guess_rule=0.5,
        certain=certain,
        hits=hits,
        excluded=excluded,
    )


def test_the_share_is_that_of_the_worst_key_and_counts_in_full_only_where_it_is_certain() -> None:
    assert measure_known_share(answer_of(4, certain=True)) == 0.4
    assert measure_known_share(answer_of(4)) == 0.0
    assert 0 < measure_known_share(answer_of(4, hits=6)) < 0.4  # 6 of 6 right: the lower end is below 1
    sure = describe_downcoded("downcode", answer_of(4, certain=True, hits=6, excluded=0), 0.4)
    assert not sure.refutes  # 0.4 is not above 0.4
    assert sure.standing is Certainty.REFUTED  # some hidden cell is not hidden
    assert describe_downcoded("downcode", answer_of(4, certain=True), 0.39).refutes
    assert describe_downcoded("downcode", answer_of(0, certain=True), None).disproved  # two of b
    unsure = describe_downcoded("downcode", answer_of(4, excluded=3), 0.1)
    assert (unsure.refutes, unsure.standing, len(unsure.warnings)) == (False, Certainty.NOT_REFUTED, 2)


def test_what_a_method_made_is_asked_with_its_own_parameters() -> None:
    adversary = DowncodeAdversary(people=Roster.OTHERS)
    lattice = Lattice(keys=("a",), k=7, suppress=Fraction(1, 50))
    asked = adversary.pose(lattice, keys=("a", "b"), trees={})
    assert asked is not None
    assert (asked.method, asked.keys, asked.k, asked.suppress) == (Recoder.LATTICE, ("a",), 7, Fraction(1, 50))
    assert asked.roster is Roster.OTHERS
    alike = adversary.pose(Suppress(k=4, matching=Matching.ALIKE), keys=("a", "b"), trees={})
    assert alike is not None
    assert (alike.keys, alike.k, alike.matching) == (("a", "b"), 4, Matching.ALIKE)
    unsuited = (Lattice(t=0.3), Lattice(guard=Guard.MINIMALITY), Microaggregate(), None)
    assert all(adversary.pose(method, keys=("a",), trees={}) is None for method in unsuited)
    assert DowncodeAdversary(method=Recoder.LATTICE).pose(Partition(), keys=("a",), trees={}) is None
