"""``sekisho plan release`` shuffles what leaves, unless the rules fix the order, and says which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sekisho.cli import status_of
from sekisho.contest.rulebook import RULEBOOKS, read_record_rules
from sekisho.data import review
from sekisho.data.frame.release import MaskedTable
from sekisho.data.identity.identifying import Ground, Identifying
from sekisho.data.records.files import write_records
from sekisho.data.synthetic.health import health_records
from sekisho.seeds import Seed


def answer(capsys: pytest.CaptureFixture[str], *line: object) -> dict[str, Any]:
    assert status_of([*map(str, line), "--json"]) in (0, 1, 3)
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    text = (RULEBOOKS / "pwscup2021.toml").read_text()
    assert "in_order = true" in text
    loose = text.replace("odds = 0.1\n", "odds = 100\n").replace("uniqrt = 0.5", "uniqrt = 1")
    loose = loose.replace("rate = 0.05", "rate = 1").replace("cor = 0.1", "cor = 2")
    (tmp_path / "fixed.toml").write_text(loose)
    (tmp_path / "free.toml").write_text(loose.replace("in_order = true", "in_order = false"))
    data = health_records(500, rng=Seed(1).rng())
    (tmp_path / "B.csv").write_bytes(write_records(data, read_record_rules("pwscup2021")))
    return tmp_path


def plan(capsys: pytest.CaptureFixture[str], folder: Path, rules: str, *more: object) -> dict[str, Any]:
    return answer(
        capsys,
        "plan",
        "release",
        folder / "B.csv",
        "--rules",
        folder / rules,
        "--out",
        folder / "D.csv",
        "--deleted",
        folder / "X.csv",
        "--seeds",
        1,
        "--seed",
        1,
        *more,
    )


def test_what_leaves_is_shuffled_and_the_order_goes_into_a_file_of_its_own(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    fixed = plan(capsys, folder, "fixed.toml")
    kept = pl.read_csv(folder / "D.csv", has_header=False, infer_schema=False)
    assert (fixed["shuffled"], set(fixed["in_order"])) == (False, {"index"})
    assert "index" not in fixed["risks"]
    free = plan(capsys, folder, "free.toml", "--order", folder / "O.csv")
    assert (free["shuffled"], free["in_order"]) == (True, {})
    assert "index" in free["risks"]
    shuffled = pl.read_csv(folder / "D.csv", has_header=False, infer_schema=False)
    order = [int(line) for line in (folder / "O.csv").read_text().split()]
    assert sorted(order) == list(range(len(kept)))
    assert not shuffled.equals(kept)
    if free["parameters"] == fixed["parameters"]:  # the same plan won: row i is published as row order[i]
        assert shuffled[order].equals(kept)


def test_no_order_is_written_where_the_rules_fix_it(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    line = ["plan", "release", folder / "B.csv", "--rules", folder / "fixed.toml", "--out", folder / "D.csv"]
    assert status_of([*map(str, line), "--deleted", str(folder / "X.csv"), "--order", str(folder / "O.csv")]) == 2
    assert "order must not be given where the rules (pwscup2021) fix the order" in capsys.readouterr().err


def test_a_column_that_names_people_is_named_unless_it_is_allowed(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def name_two(_: MaskedTable, **__: object) -> tuple[Identifying, ...]:
        return tuple(Identifying(column=name, ground=Ground.HEADER, sign=name) for name in ("race", "mar"))

    monkeypatch.setattr(review, "list_identifying", name_two)
    page = folder / "plan.html"
    found = plan(
        capsys, folder, "free.toml", "--report", page, "--allow-column", "mar=asked the office, which has agreed to it"
    )
    assert (found["identifying"], found["allowed_columns"]) == (
        ["race"],
        {"mar": "asked the office, which has agreed to it"},
    )
    assert "race names people: its header says so (race)" in found["warnings"][0]
    html = page.read_text()
    assert "A person must look at this before it leaves." in html
    assert "asked the office, which has agreed to it" in html
    assert 'class="verdict good"' not in html
