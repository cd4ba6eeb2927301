"""Attacks counted on people who are not in the file, at the gate and beside several releases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from sekisho.attack import AGAINST_CONTROLS
from sekisho.cli.door import open_door
from sekisho.data.shape import Shape
from sekisho.gate.outcome import Certainty, Statement
from sekisho.gate.records.counted_attempt import CountedAttempt, list_counted_reasons, state_counted
from sekisho.words import Said

RECIPE = """
shape = "records"
original = "T.csv"
release = "S.csv"
keys = ["age", "town"]
sensitive = ["ill"]
risk = 1.0
seed = 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A file, others, and a synthetic file that copies a third of it."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 900),
            "town": rng.choice([f"t{place}" for place in range(30)], 900),
            "pay": rng.integers(1000, 9000, 900),
            "ill": rng.choice(["flu", "gout", "none"], 900),
        }
    )
    frame[:300].write_csv(tmp_path / "T.csv")
    frame[300:600].write_csv(tmp_path / "C.csv")
    frame[780:].write_csv(tmp_path / "P.csv")
    pl.concat([frame[:100], frame[600:780]]).write_csv(tmp_path / "S.csv")
    (tmp_path / "recipe.toml").write_text(RECIPE + 'controls = "C.csv"\n', encoding="utf-8")
    return tmp_path


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    status = open_door([*words, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_strangers_file_at_the_gate(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    status, answer = ask(capsys, "gate", str(folder / "recipe.toml"), "--out", str(folder / "out"), "--advice", "0")
    assert status == 3
    stated = {each["subject"]: each for each in answer["statements"]}
    attribute, membership = stated["attribute attack of ill"], stated["membership attack"]
    for each in (attribute, membership):
        assert each["standing"] == "not refuted"
        assert each["figures"].keys() >= {"possible", "chance", "found"}
    assert attribute["figures"]["found"]["hits"] > attribute["figures"]["found"]["control_hits"]
    assert attribute["figures"]["possible"]["disclosed"] > 50
    assert membership["figures"]["found"]["area"] > 0.5
    report = (folder / "out" / "confidential" / "report.txt").read_text(encoding="utf-8")
    assert "attack on membership" in report


def test_what_is_surely_found_above_what_is_allowed_refutes(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    text = RECIPE.replace("risk = 1.0", "risk = 0.05").replace("S.csv", "T.csv") + 'controls = "C.csv"\n'
    named = '[[adversaries]]\nname = "attribute"\n[[adversaries]]\nname = "prosecutor"\n'
    (folder / "recipe.toml").write_text(text + named, encoding="utf-8")
    status, answer = ask(capsys, "gate", str(folder / "recipe.toml"), "--out", str(folder / "out"), "--advice", "0")
    assert status == 1
    assert any(each["standing"] == "refuted" for each in answer["statements"] if "attribute" in each["subject"])
    assert not any("membership" in each["subject"] for each in answer["statements"])


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ('[[adversaries]]\nname = "attribute"\n', "controls"),
        ('reference = "C.csv"\n', "controls"),
        ('controls = "C.csv"\n[[adversaries]]\nname = "membership"\nscore = "best"\n', "score"),
        ('controls = "C.csv"\n[[adversaries]]\nname = "attribute"\nwithin = "x"\n', "within"),
        ('controls = "nowhere.csv"\n', "nowhere.csv"),
        ('controls = "T.csv"\n', "controls"),
    ],
)
def test_what_is_refused(capsys: pytest.CaptureFixture[str], folder: Path, more: str, place: str) -> None:
    (folder / "recipe.toml").write_text(RECIPE + more, encoding="utf-8")
    status, answer = ask(capsys, "gate", str(folder / "recipe.toml"), "--out", str(folder / "out"), "--advice", "0")
    assert status == 2
    assert place in json.dumps(answer)


def test_beside_several_releases(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    files = [str(folder / name) for name in ("T.csv", "S.csv")]
    words = ("--keys", "age,town", "--sensitive", "pay", "--controls", str(folder / "C.csv"), "--seed", "1")
    _, answer = ask(capsys, "compare", *files, *words, "--within", "100")
    original, (synthetic,) = answer["original"], answer["releases"]
    shown = [{each["adversary"]: each for each in one["controlled"]} for one in (original, synthetic)]
    before, after = (each["attribute sensitive=pay"]["found"]["R"] for each in shown)
    assert before > after > 0
    assert set(shown[0]) == {"attribute sensitive=pay", "membership"}
    assert (
        open_door(["compare", *files, *words, "--reference", str(folder / "P.csv")]) == 3
    )  # nobody says what must hold
    assert "Whom it betrays" in capsys.readouterr().out
    assert open_door(["compare", *files, "--keys", "age", "--reference", str(folder / "P.csv")]) == 2


def attempt(subject: str, surely: float) -> CountedAttempt:
    return CountedAttempt(
        adversary=subject,
        subject=subject,
        possible={},
        chance=0.5,
        found={},
        surely=surely,
        allowed=0.2,
        detail=Said("proven"),
        certain="",
        summary=Said("proven"),
    )


def test_of_several_on_one_subject_the_strongest_is_stated() -> None:
    attempts = (attempt("membership attack", 0.1), attempt("membership attack", 0.3), attempt("attribute attack", 0.2))
    first, second = state_counted(attempts)
    assert isinstance(first, Statement)
    assert (first.standing, second.standing) == (Certainty.REFUTED, Certainty.NOT_REFUTED)  # 0.2 is not above 0.2
    assert [reason.rule for reason in list_counted_reasons(attempts)] == ["effective attack"]
    assert sorted(AGAINST_CONTROLS.find_names(Shape.RECORDS)) == ["attribute", "membership"]
