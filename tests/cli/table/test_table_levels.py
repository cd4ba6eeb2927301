"""No unsafe cell is hidden without being protected: where a rule says no level, the width does, or for sums a
margin."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of

# (x, p) has two firms. In the square it forms with (y, q) it may move by the least of 2, 90, 30 and 40.
SUMS = "a,b,v,firms,x1,x2\nx,p,20,2,15,5\nx,q,90,9,20,20\ny,p,30,6,9,9\ny,q,40,7,9,9\n"
HOW = ("--dims", "a,b", "--value", "v", "--contributors", "firms,x1,x2")
INNER = ("--cost", "value")  # so that margins, which are dearer, stay


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.csv").write_text(SUMS)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any], str]:
    status = status_of([*map(str, arguments), "--json"])
    said = capsys.readouterr()
    return status, json.loads(said.out) if said.out.strip() else {}, said.err


def levels(folder: Path) -> dict[tuple[str, ...], tuple[float, float, float]]:
    held = json.loads((folder / "p.csv.certificate.json").read_text())["cells"]
    columns = zip(
        held["keys"], held["status"], held["lower_level"], held["upper_level"], held["sliding_level"], strict=True
    )
    return {tuple(key): (low, up, wide) for key, status, low, up, wide in columns if status == "primary"}


@pytest.mark.parametrize(
    ("asked", "level"),
    [
        (("--min-count", "3"), (4, 4, 0)),  # 20 % of 20
        (("--rule", "min:3"), (4, 4, 0)),
        (("--rule", "min:3,50"), (10, 10, 0)),
        (("--rule", "min:3", "--width", "7"), (0, 0, 7)),
        # 15 % of 15 less what the two largest leave, 0; and no lower than the attacker's own bound
        (("--rule", "p%:15"), (2.25, 2.25, 0)),
        (("--rule", "p%:15", "--width", "9"), (2.25, 2.25, 9)),
        (("--rule", "nk:1,70"), (15 / 0.7 - 20, 15 / 0.7 - 20, 0)),
    ],
)
def test_levels_by_hand(
    asked: tuple[str, ...], level: tuple[float, float, float], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, answer, _ = run(
        capsys, "table", "suppress", folder / "s.csv", *HOW, *INNER, *asked, "--out", folder / "p.csv"
    )
    good = 3 if "nk:1,70" in asked else 0  # it would show a cell of two who gave alike
    assert (status, answer["primary"]) == (good, 1)
    assert levels(folder) == {("x", "p"): pytest.approx(level)}
    pattern = ("--pattern", folder / "p.csv")
    assert run(capsys, "table", "audit", folder / "s.csv", *HOW, *pattern, *asked)[0] == good
    # a stricter rule than the one that was kept
    assert run(capsys, "table", "audit", folder / "s.csv", *HOW, *pattern, "--rule", "p%:15", "--width", "500")[0] == 1


def test_an_audit_by_rules_names_what_is_shown_against_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "table", "suppress", folder / "s.csv", *HOW, *INNER, "--rule", "p%:15", "--out", folder / "p.csv")
    with (folder / "p.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        true = {("x", "p"): 20, ("x", "q"): 90, ("y", "p"): 30, ("y", "q"): 40}
        if row["status"] != "safe":
            row |= {"status": "safe", "v": str(true[row["a"], row["b"]])}
    with (folder / "bare.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    how = ("table", "audit", folder / "s.csv", *HOW, "--pattern", folder / "bare.csv")
    status, answer, _ = run(capsys, *how)
    assert (status, answer["suppressed"], answer["shown"]) == (0, 0, [])
    status, answer, _ = run(capsys, *how, "--rule", "p%:15")
    assert (status, answer["shown"]) == (1, ["a=x, b=p"])


def test_insiders_of_sums_need_the_contributors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Both unsafe cells have one firm; hidden with the row's and column's others, each firm subtracts its own.
    (folder / "i.csv").write_text("a,b,v,firms,x1\nx,p,20,1,20\nx,q,90,9,20\ny,p,30,1,30\ny,q,40,7,9\n")
    how = ("--dims", "a,b", "--value", "v")
    known = ("--contributors", "firms,x1")
    outsiders = ("--rule", "min:2", "--insiders", "0", "--out", folder / "p.csv")
    run(capsys, "table", "suppress", folder / "i.csv", *how, *known, *outsiders)
    audit = ("table", "audit", folder / "i.csv", "--pattern", folder / "p.csv", *how)
    assert run(capsys, *audit, *known, "--insiders", "0")[0] == 3
    assert run(capsys, *audit, *known)[0] == 1  # one at a time is considered without asking
    status, answer, _ = run(capsys, *audit, *known, "--rule", "min:2", "--insiders", "1")
    assert status == 1
    assert {"insider": "a=x, b=p", "exposed": ["a=y, b=p"]} in answer["insider"]
    status, _, said = run(capsys, *audit, "--insiders", "1")
    assert (status, "contributors must tell how many" in said) == (2, True)


def test_flags_without_levels_are_given_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "t.jj").write_text(
        "0\n4\n0 100 1 s 0 1e20 0 0 0\n1 40 1 u 0 1e20 0 0 0\n2 60 1 s 0 1e20 0 0 0\n3 0 1 u 0 1e20 0 0 0\n"
        "1\n0 4 : 0 (-1) 1 (1) 2 (1) 3 (1)\n"
    )
    status, answer, said = run(capsys, "table", "suppress", folder / "t.jj", "--out", folder / "p.csv")
    assert status == 0
    assert "2 unsafe cells come without a protection level" in said
    # 20 % of 40; 0 counts as the smallest other value, which is 40, and cannot be lower
    assert levels(folder) == {("1",): (8, 8, 0), ("3",): (0, 8, 0)}
    status, answer, said = run(capsys, "table", "suppress", folder / "t.jj", "--width", "5", "--out", folder / "p.csv")
    assert (status, answer["secondary"], "protection level" in said) == (0, 0, False)
    assert set(levels(folder).values()) == {(0, 0, 5)}


def test_an_explanation_in_words_and_as_data(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    how = (
        "table",
        "suppress",
        folder / "s.csv",
        *HOW,
        *INNER,
        "--rule",
        "p%:15",
        "--out",
        folder / "p.csv",
        "--explain",
    )
    _, answer, _ = run(capsys, *how)
    reason = next(one for one in answer["reasons"] if one["cell"] == "a=x, b=q")
    assert reason["protects"] == [{"cell": "a=x, b=p", "equations": ["b=Total at a=x"], "through": []}]
    inner = next(one for one in answer["levels"] if one["level"] == ["leaf", "leaf"])
    assert (inner["cells"], inner["primary"], inner["secondary"], inner["frequency"]) == (4, 1, 3, 24)
    assert status_of([str(word) for word in how]) == 0
    said = capsys.readouterr().out
    assert "x × p (b=Total at a=x)" in said
    assert "P [" in said
    assert (
        status_of(["table", "audit", str(folder / "s.csv"), *HOW, "--pattern", str(folder / "p.csv"), "--explain"]) == 0
    )
    assert "x × p (b=Total at a=x)" in capsys.readouterr().out
