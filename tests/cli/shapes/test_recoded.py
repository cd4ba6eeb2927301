"""A file of one's own goes in, recoded records come out: regrouped from the file alone, every class has k rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sekisho.cli import status_of
from sekisho.seeds import Seed

HARMLESS = ("--harmless", "score=five values, each of many people")
"""What closes the account where score is no key."""
JOBS = ("cook", "smith; retired", "*", "{x}")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rng = Seed(5).rng()
    rows = [
        f'p{row},{20 + int(rng.integers(0, 30))},{rng.choice(list("abcd"))},"{rng.choice(JOBS)}",{int(rng.integers(5))}.5'
        for row in range(300)
    ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["id,age,town,job,score", *rows, ""]), encoding="utf-8")
    return path


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    path = tmp_path / "towns.csv"
    path.write_text("a;north;*\nb;north;*\nc;south;*\nd;south;*\ne;south;*\n", encoding="utf-8")
    return path


def answer(capsys: pytest.CaptureFixture[str], *line: object, status: int = 0) -> tuple[dict[str, Any], str]:
    assert status_of([*map(str, line), "--json"]) == status
    said = capsys.readouterr()
    return json.loads(said.out), said.err


def smallest(frame: pl.DataFrame, *keys: str) -> int:
    return int(frame.group_by(keys).len()["len"].to_numpy().min())


def test_ranges_and_sets_of_a_file(capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path) -> None:
    out = tmp_path / "R.csv"
    told, _ = answer(
        capsys,
        "protect",
        "partition",
        people,
        "--id",
        "id",
        "--keys",
        "age,town,job",
        "--k",
        6,
        "--out",
        out,
        *HARMLESS,
    )
    frame = pl.read_csv(out, infer_schema=False)
    assert frame.columns == ["age", "town", "job", "score"]
    assert frame.height == 300
    assert smallest(frame, "age", "town", "job") == told["k"] >= 6
    assert frame["age"].str.contains(r"^(\d+|\[\d+;\d+\])$").all()
    # scores are not keys: they stay as they were, in another order
    before = pl.read_csv(people, infer_schema=False)["score"]
    assert sorted(frame["score"]) == sorted(before)
    assert frame["score"].to_list() != before.to_list()
    widths = frame["age"].str.extract_all(r"\d+").list.eval(pl.element().cast(pl.Int64))
    assert told["ncp_by_key"]["age"] == pytest.approx(((widths.list.max() - widths.list.min()) / 29).mean())


def test_labels_of_a_tree_beside_ranges_in_parquet(
    capsys: pytest.CaptureFixture[str], people: Path, towns: Path, tmp_path: Path
) -> None:
    out, source = tmp_path / "R.parquet", tmp_path / "people.parquet"
    pl.read_csv(people).write_parquet(source)
    line = ("protect", "partition", source, "--keys", "age,town", "--tree", f"town={towns}", "--k", 15)
    told, _ = answer(capsys, *line, "--columns", "age,town,score", "--out", out, *HARMLESS)
    frame = pl.read_parquet(out)
    assert set(frame["town"]) <= {"a", "b", "c", "d", "north", "south", "*"}
    assert smallest(frame, "age", "town") == told["k"] >= 15
    # of the 5 leaves north covers 2, south 3
    cost = {"north": 1 / 4, "south": 2 / 4, "*": 1.0}
    expected = sum(cost.get(town, 0.0) for town in frame["town"]) / frame.height
    assert told["ncp_by_key"]["town"] == pytest.approx(expected)


def test_rows_that_are_left_out_are_not_in_the_file(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    out, gone = tmp_path / "R.csv", tmp_path / "X.csv"
    line = ("protect", "partition", people, "--id", "id", "--keys", "age,job", "--k", 60, "--suppress", 0.05)
    told, _ = answer(capsys, *line, "--out", out, "--deleted", gone, "--drop", "town", *HARMLESS)
    assert 0 < told["suppressed"] <= 15
    assert len(gone.read_text().splitlines()) == told["suppressed"]
    assert pl.read_csv(out, infer_schema=False).height == 300 - told["suppressed"]


def test_hardly_any_use_is_amber_and_warnings_are_said(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    line = ("protect", "partition", people, "--keys", "id,town", "--k", 300, "--out", tmp_path / "R.csv")
    told, said = answer(capsys, *line, status=3)
    assert told["useful"] is False
    assert "hardly any use" in said
    assert "key id has 300 values in 300 records: it looks like an identifier" in said


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--keys", "age,height"], 2, "height"),
        (["--keys", "age", "--k", "301"], 1, "300 records cannot form a class of 301"),
        (["--keys", "age", "--suppress", "2"], 2, "suppress"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path, options: list[str], status: int, message: str
) -> None:
    out = tmp_path / "R.csv"
    told, _ = answer(capsys, "protect", "partition", people, *options, "--out", out, status=status)
    assert message in told["error"]
    assert not out.exists()


def test_a_contests_rules_have_no_room_for_cells(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source = tmp_path / "B.csv"
    source.write_text("x\n")
    line = ("protect", "partition", source, "--rules", "pwscup2021", "--out", tmp_path / "R.csv")
    told, _ = answer(capsys, *line, status=2)
    assert "--rules must be a schema of one's own" in told["error"]


def test_missing_cells_of_categories_can_be_a_value_of_their_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source, out = tmp_path / "m.csv", tmp_path / "R.csv"
    source.write_text("age,town\n" + "30,\n" * 3 + "30,a\n" * 3 + "31,b\n" * 3, encoding="utf-8")
    line = ("protect", "partition", source, "--keys", "age,town", "--k", 3, "--missing", "category", "--out", out)
    told, said = answer(capsys, *line)
    assert told["ncp"] == 0.0
    assert '3 missing cells of town are a category, "missing"' in said
    assert set(pl.read_csv(out)["town"]) == {"missing", "a", "b"}
