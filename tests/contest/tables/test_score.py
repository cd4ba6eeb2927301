"""A team must see at home what its release is worth, as the organisers' programs print it, and every error at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = status_of(["contest", "score", *map(str, words), "--json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("case", ["copy", "rewrite", "star"])
def test_cases_of_2023(shared: Callable[[str], Path], case: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared(f"cups/2023/case-{case}")
    expected = json.loads((folder / "expected.json").read_text())
    given = ["--original", folder / "P.csv", "--part", f"released={folder / 'A.csv'}"]
    given += ["--part", f"seed={folder / 'seed.txt'}", "--guess", folder / "F_sort.csv"]
    status, answer = run(capsys, "pwscup2023", *given)
    assert status == 0
    assert round(answer["utility"] * 3600) == expected["utility_cells"]
    assert (answer["attack"]["hits"], answer["attack"]["claimed"]) == (expected["attack_sort_cells"], 2000)


def test_every_error_of_every_part_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "P.csv").write_text("1,2\n3,4\n")
    (tmp_path / "A.csv").write_text(",".join("12345678901x") + "\n" + ",".join("y" * 12) + "\n")
    (tmp_path / "seed.txt").write_text("minus one\n")
    given = ["--original", tmp_path / "P.csv", "--part", f"released={tmp_path / 'A.csv'}"]
    status, answer = run(capsys, "pwscup2023", *given, "--part", f"seed={tmp_path / 'seed.txt'}")
    assert status == 1
    assert {error["column"].split("/")[0] for error in answer["errors"]} == {"seed"}
    (tmp_path / "seed.txt").write_text("3\n")
    status, answer = run(capsys, "pwscup2023", *given, "--part", f"seed={tmp_path / 'seed.txt'}")
    assert (status, answer["count"]) == (1, 13)
