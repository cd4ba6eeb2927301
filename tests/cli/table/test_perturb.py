"""``sekisho table perturb`` must keep people's noise, refuse what would wear it off, and tell what numbers give away."""

from __future__ import annotations

import json
import os
import stat
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cli.tables import run


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = [f"p{at},{'abc'[at % 3]},{'fm'[at % 7 > 2]},{at * 37 % 100 / 100}" for at in range(60)]
    path.write_text("\n".join(["id,town,sex,rkey", *rows]) + "\n")
    return path


@pytest.fixture
def asked(people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[object]:
    noise = tmp_path / "P.csv"
    assert run(capsys, "plan", "noise", "--max", 2, "--variance", "1", "--variance", "at-most", "--out", noise)[0] == 0
    return ["table", "perturb", people, "--microdata", "--noise", noise]


def read(path: Path) -> dict[tuple[str, ...], int]:
    frame = pl.read_csv(path, infer_schema_length=0).drop("low", "high", strict=False)
    return {row[:-1]: int(row[-1]) for row in frame.rows()}


@pytest.fixture(autouse=True)
def draw_known_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the same keys in every run: the operating system's may by bad luck leave a cell too narrow (status 1)."""
    monkeypatch.setattr(os, "urandom", np.random.default_rng(1).bytes)


@pytest.mark.parametrize(("left", "came"), [(1, 0), (0, 2), (1, 2)])
def test_keys_that_were_used_of_other_people_leave_what_left_before_unconsidered(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, people: Path, asked: list[object], left: int, came: int
) -> None:
    kept = ["--dims", "town,sex", "--keys", tmp_path / "k.json", "--id", "id"]

    def list_unconsidered(out: str) -> list[str]:
        status, told = run(capsys, *asked, *kept, "--out", tmp_path / out)
        found = [each["detail"] for each in told.get("review", ()) if each["rule"] == "together not promised"]
        assert status == 3 or not found
        return found

    assert list_unconsidered("one.csv") == list_unconsidered("again.csv") == []
    lines = people.read_text().splitlines()
    newcomers = [f"q{number},a,f,0.5" for number in range(came)]
    people.write_text("\n".join([*lines[: len(lines) - left], *newcomers]) + "\n")
    (detail,) = list_unconsidered("two.csv")
    assert f"the keys were used before: {left} record" in detail
    assert f"{came} {'is' if came == 1 else 'are'} new" in detail
    assert "what left before is not considered" in detail


def test_the_same_people_show_the_same_number_in_every_table(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, asked: list[object]
) -> None:
    keys, page = tmp_path / "k.json", tmp_path / "r.html"
    both, one = tmp_path / "both.csv", tmp_path / "one.csv"
    kept = ["--keys", keys, "--id", "id"]
    status, told = run(capsys, *asked, "--dims", "town,sex", *kept, "--out", both, "--report", page)
    assert (status, told["cells"], told["keys"], told["against"]) == (0, 12, "hashed", ["rule"])
    assert told["posterior"]["kind"] == "bound"
    assert told["difference"]["factor_for_nobody"] == pytest.approx(4.5735, abs=1e-4)
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    before = keys.read_bytes()
    assert run(capsys, *asked, "--dims", "town", *kept, "--out", one)[1]["posterior"]["kind"] == "exact"
    assert keys.read_bytes() == before
    margins = {key[:1]: shown for key, shown in read(both).items() if key[1] == "Total"}
    assert read(one) == margins
    secret, proof = json.loads(before)["secret"], Path(told["certificate"])
    for path in (both, page, proof):
        assert secret not in path.read_text()
    assert run(capsys, "table", "verify", proof) == (0, {**run(capsys, "table", "verify", proof)[1], "valid": True})
    held = json.loads(proof.read_text())
    for name, changed in (("shown", [each + 9 for each in held["shown"]]), ("commitment", ""), ("cost", 0)):
        proof.write_text(json.dumps(held | {name: changed}))
        assert run(capsys, "table", "verify", proof)[0] == 1


def test_sums(capsys: pytest.CaptureFixture[str], tmp_path: Path, asked: list[object]) -> None:
    keys, out = tmp_path / "k.json", tmp_path / "o.csv"
    for how in ("sum", "closest"):
        words = [*asked, "--dims", "town,sex", "--keys", keys, "--additive", how, "--out", out]
        status, told = run(capsys, *words)
        assert (status, told["additive"]) == (0, how)
        shown = read(out)
        for town, sex in product(("a", "b", "c", "Total"), ("f", "m")):
            assert shown[town, "Total"] == shown[town, "f"] + shown[town, "m"]
            assert shown["Total", sex] == sum(shown[each, sex] for each in "abc")


def test_keys_that_add_up_are_for_a_person_to_look_at(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, asked: list[object]
) -> None:
    out = tmp_path / "o.csv"
    for keys in ("sum", "sum:rkey"):
        status, told = run(capsys, *asked, "--dims", "town,sex", "--keys", keys, "--out", out)
        assert (status, told["keys"], told["posterior"], told["commitment"]) == (3, "summed", None, None)
        assert told["guesses"]["summed"]["certain"] == pytest.approx(0.1017, abs=1e-4)
        assert told["guesses"]["hashed"]["certain"] == pytest.approx(0.0022, abs=1e-4)
    # by hand: town a holds the 20 people p0, p3, ..., p57, whose keys add up to 0.90 modulo 1: above
    # 0.0638 + 0.2447 + 0.3830 = 0.6915 and below 0.9362, where the last row adds 1
    assert sum(at * 37 % 100 for at in range(0, 60, 3)) % 100 == 90
    assert read(out)["a", "Total"] == 21


@pytest.mark.parametrize(
    "words",
    [
        ("--keys", "k.json", "--seed", "1"),  # keys are drawn by the operating system, never from a seed
        ("--keys", "people.csv"),
        ("--keys", "sum:town"),
        ("--keys", "sum:nowhere"),
        ("--keys", "k.json", "--id", "town"),
    ],
)
def test_refused(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    asked: list[object],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(capsys, *asked, "--dims", "town,sex", *words, "--out", "o.csv")[0] == 2
    assert not Path("o.csv").exists()


def test_other_keys_for_the_same_people_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, asked: list[object]
) -> None:
    asked = [*asked, "--dims", "town,sex"]
    assert run(capsys, *asked, "--keys", tmp_path / "k.json", "--out", tmp_path / "o.csv")[0] == 0
    assert run(capsys, *asked, "--keys", tmp_path / "again.json", "--out", tmp_path / "q.csv")[0] == 2
    cells = [word for word in asked if word != "--microdata"]
    assert run(capsys, *cells, "--keys", tmp_path / "k.json", "--out", tmp_path / "q.csv")[0] == 2
    assert not (tmp_path / "q.csv").exists()
