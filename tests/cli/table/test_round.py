"""Rounding from the command line: what is written, what is said, what is refused; and through the gate beside others."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from tests.cli.tables import TABLE, run

CELLS = ("--dims", "a,b", "--count", "n")
ODD = "a,b,c,n\n" + "".join(
    f"{a},{b},{c},{n}\n" for (a, b, c), n in zip(product("12", "12", "12"), [0, 0, 0, 1, 0, 1, 1, 0], strict=True)
)
RECIPE = """shape = "table"
original = "cells.csv"
dims = ["a", "b"]
count = "n"
width = 3

[[methods]]
name = "suppress"

[[methods]]
name = "round"
base = 5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cells.csv").write_text(TABLE)
    return tmp_path


def test_a_rounded_table_adds_up_and_its_certificate_is_checked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, public = folder / "r.csv", folder / "p.csv"
    status, answer = run(
        capsys, "table", "round", folder / "cells.csv", *CELLS, "--base", "5", "--out", out, "--public", public
    )
    assert status == 0
    assert (answer["status"], answer["against"], answer["gap"]) == ("optimal", ["rule"], 0.0)
    assert answer["deviation"] == answer["bound"] == answer["certified"]
    shown, told = pl.read_csv(public), pl.read_csv(out)
    assert shown.columns == ["a", "b", "n"]
    assert told.columns == ["a", "b", "n", "low", "high"]
    assert (shown["n"] % 5 == 0).all()
    inner = shown.filter((pl.col("a") != "Total") & (pl.col("b") != "Total"))
    grand = shown.filter((pl.col("a") == "Total") & (pl.col("b") == "Total"))
    assert inner["n"].sum() == grand["n"].item()
    assert (told["high"] - told["n"] == 4).all()
    certificate = folder / "r.csv.certificate.json"
    assert run(capsys, "table", "verify", certificate)[0] == 0
    held = json.loads(certificate.read_text())
    held["shown"][0] += 5
    certificate.write_text(json.dumps(held))
    assert run(capsys, "table", "verify", certificate)[0] == 1


def test_an_unsafe_cell_closer_than_the_width_is_a_no(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "r.csv"
    status, answer = run(
        capsys, "table", "round", folder / "cells.csv", *CELLS, "--base", "5", "--width", "8", "--out", out
    )
    # what is shown as 0 may be 0 to 4
    assert (status, answer["narrowest"], out.exists()) == (1, 4.0, False)
    status, answer = run(
        capsys,
        "table",
        "round",
        folder / "cells.csv",
        *CELLS,
        "--base",
        "5",
        "--steps",
        "1",
        "--width",
        "8",
        "--out",
        out,
    )
    assert (status, answer["narrowest"] >= 8) == (0, True)


@pytest.mark.parametrize(
    "words",
    [("--base", "1"), ("--base", "2", "--width", "3"), ("--steps", "9"), ("--norm", "margins"), ("--time", "-1")],
)
def test_what_makes_no_sense_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    out = folder / "r.csv"
    assert run(capsys, "table", "round", folder / "cells.csv", *CELLS, *words, "--out", out)[0] == 2
    assert not out.exists()


def test_a_conflict_is_told_with_its_equations_and_the_steps_that_help(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "odd.csv").write_text(ODD)
    status, answer = run(
        capsys,
        "table",
        "round",
        folder / "odd.csv",
        "--dims",
        "a,b,c",
        "--count",
        "n",
        "--base",
        "2",
        "--out",
        folder / "r.csv",
    )
    assert (status, answer["status"], answer["irreducible"], answer["least_steps"]) == (1, "infeasible", True, 1)
    assert answer["conflict"]


@pytest.mark.parametrize("words", [("--objective", "unbiased"), ("--objective", "small", "--norm", "greatest")])
def test_chance_and_small_counts_say_against_whom_they_are_promised(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    out = folder / "r.csv"
    status, answer = run(capsys, "table", "round", folder / "cells.csv", *CELLS, *words, "--out", out)
    assert status in (0, 1)
    assert answer["against"] == (["rule", "least", "tie"] if "unbiased" in words else ["rule"])
    if status == 0:
        assert run(capsys, "table", "verify", folder / "r.csv.certificate.json")[0] == 0


def test_methods_are_candidates_of_one_run_and_the_true_values_leave_in_no_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "recipe.toml").write_text(RECIPE.replace('[[methods]]\nname = "suppress"\n\n', ""))
    status, answer = run(capsys, "gate", folder / "recipe.toml", "--out", folder / "gate")
    assert (status, answer["verdict"]) == (0, "release")
    public = folder / "gate" / "public"
    assert (pl.read_csv(public / "release.csv")["n"] % 5 == 0).all()
    kept = pl.read_csv(folder / "gate" / "confidential" / "pattern.csv")
    assert kept.columns == ["a", "b", "n", "shown", "low", "high", "status"]
    true = kept.filter(pl.col("n") % 5 != 0)["n"].to_list()
    page = (public / "report.html").read_text()
    assert true
    assert not any(f">{count}<" in page for count in true)
    assert run(capsys, "verify", public / "certificate.json")[0] == 3  # nobody signed it
    (folder / "recipe.toml").write_text(RECIPE)
    status, answer = run(capsys, "gate", folder / "recipe.toml", "--out", folder / "both")
    assert status == 0
    report = (folder / "both" / "confidential" / "report.html").read_text()
    assert "suppress" in report
    assert "round" in report


def test_a_tampered_rounding_is_not_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "recipe.toml").write_text(RECIPE.replace('[[methods]]\nname = "suppress"\n\n', ""))
    run(capsys, "gate", folder / "recipe.toml", "--out", folder / "gate")
    release = folder / "gate" / "public" / "release.csv"
    lines = release.read_text().splitlines()
    lines[1] = lines[1].rsplit(",", 1)[0] + ",995"
    release.write_text("\n".join(lines) + "\n")
    assert run(capsys, "verify", folder / "gate" / "public" / "certificate.json")[0] == 1
