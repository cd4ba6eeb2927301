"""Coded, recoded and suppressed records leave as CSV or Parquet, in an order that tells nothing."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sekisho.cli import status_of
from sekisho.seeds import Seed

OPEN = 3
"""The status where a column leaves of which nobody says anything: what is written is the question, not whether it may."""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rng = Seed(5).rng()
    rows = [
        f"p{row};{20 + int(rng.integers(0, 30))};{rng.choice(list('abcd'))};{int(rng.integers(5))},5"
        for row in range(200)
    ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["id;age;town;score", *rows, ""]), encoding="utf-8")
    return path


def answer(capsys: pytest.CaptureFixture[str], *line: object, status: int = 0) -> tuple[dict[str, Any], str]:
    assert status_of([*map(str, line), "--json"]) == status
    said = capsys.readouterr()
    return json.loads(said.out), said.err


def test_labels_are_written_as_the_file_writes_numbers(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    out = tmp_path / "R.csv"
    line = ("protect", "code", people, "--id", "id", "--top", "score=3.5", "--intervals", "age=30,40", "--out", out)
    told, _ = answer(capsys, *line, status=OPEN)
    frame = pl.read_csv(out, separator=";", infer_schema=False)
    assert frame.columns == ["age", "town", "score"]
    assert set(frame["score"]) == {"0,5", "1,5", "2,5", ">=3,5"}
    assert set(frame["age"]) == {"<30", "[30;39]", ">=40"}
    assert told["coded"]["score"]["top"]["records"] == (frame["score"] == ">=3,5").sum()
    before = pl.read_csv(people, separator=";", infer_schema=False)
    assert sorted(before["town"]) == sorted(frame["town"])
    assert before["town"].to_list() != frame["town"].to_list()


def test_rounded_numbers_stay_numbers_in_parquet(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    out = tmp_path / "R.parquet"
    line = ("protect", "code", people, "--id", "id", "--round", "score=2,age=10", "--rare", "town=60:rest")
    answer(capsys, *line, "--out", out, "--deleted", tmp_path / "X.csv", status=OPEN)
    frame = pl.read_parquet(out)
    assert frame["age"].dtype == pl.Int64
    assert set(frame["age"]) <= {20, 30, 40, 50}
    assert set(frame["score"]) == {0.0, 2.0, 4.0}
    assert (tmp_path / "X.csv").read_text() == ""
    # with a file for the deleted rows the others keep their order: 25 is half of 10 and goes up
    ages = pl.read_csv(people, separator=";")["age"].to_list()
    assert frame["age"].to_list() == [(age + 5) // 10 * 10 for age in ages]


def test_whole_values_can_leave_as_parquet_too(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    out = tmp_path / "R.parquet"
    answer(capsys, "protect", "swap", people, "--id", "id", "--limit", 40, "--few", -1, "--out", out, status=OPEN)
    frame = pl.read_parquet(out)
    assert frame.height == 200
    assert frame.schema == {"age": pl.Int64, "town": pl.String, "score": pl.Float64}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--intervals", "age=40,30"], "age needs ascending borders, not 40, 30"),
        (["--intervals", "30,age=40"], "--intervals takes name=value,name=value"),
        (["--top", "age=5", "--rules", "pwscup2021"], "--rules must be a schema of one's own"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    out = tmp_path / "R.csv"
    told, _ = answer(capsys, "protect", "code", people, *options, "--out", out, status=2)
    assert message in told["error"]
    assert not out.exists()


def test_levels_of_a_tree_beside_ranges(capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path) -> None:
    towns, out = tmp_path / "towns.csv", tmp_path / "R.parquet"
    towns.write_text("a;north;*\nb;north;*\nc;south;*\nd;south;*\n", encoding="utf-8")
    line = ("protect", "lattice", people, "--id", "id", "--keys", "age,town", "--tree", f"town={towns}", "--k", 12)
    told, _ = answer(capsys, *line, "--suppress", 0.05, "--sensitive", "score", "--l", 2, "--out", out, status=3)
    assert "too little is left of age (100% lost)" in told["ending"]["why"]  # the least loss of all leaves age out
    frame = pl.read_parquet(out)
    assert frame.height == 200 - told["suppressed"]
    assert told["suppressed"] <= 10
    assert set(frame["town"]) <= [{"a", "b", "c", "d"}, {"north", "south"}, {"*"}][told["levels"]["town"]]
    classes = frame.group_by("age", "town").agg(pl.len(), pl.col("score").n_unique())
    assert classes["len"].to_numpy().min() == told["k"] >= 12
    assert classes["score"].to_numpy().min() >= 2


def test_a_lattice_answers_no_where_nothing_keeps_the_rule_and_amber_where_hardly_anything_is_left(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    out = tmp_path / "R.csv"
    line = (
        "protect",
        "lattice",
        people,
        "--id",
        "id",
        "--keys",
        "town",
        "--sensitive",
        "score",
        "--l",
        9,
        "--out",
        out,
    )
    told, _ = answer(capsys, *line, status=1)
    assert "not even all 200 records together keep l = 9" in told["error"]
    assert not out.exists()
    told, said = answer(capsys, "protect", "lattice", people, "--keys", "town", "--k", 200, "--out", out, status=3)
    assert told["useful"] is False
    assert "hardly any use" in said
    assert set(pl.read_csv(out, separator=";")["town"]) == {"*"}


def test_what_is_usual_can_be_switched_off(capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path) -> None:
    out = tmp_path / "R.csv"
    line = ("protect", "noise", people, "--id", "id", "--correlated", "score", "--amount", 1, "--out", out, "--seed", 1)
    answer(capsys, *line, status=OPEN)
    assert all("," not in score for score in pl.read_csv(out, separator=";", infer_schema=False)["score"])
    answer(capsys, *line, "--no-whole", status=OPEN)
    assert any("," in score for score in pl.read_csv(out, separator=";", infer_schema=False)["score"])


def test_microaggregated_and_swapped_records_leave_with_what_they_keep(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    out = tmp_path / "R.csv"
    told, _ = answer(
        capsys, "protect", "microaggregate", people, "--id", "id", "--keys", "age,town", "--order", "town=a,b,c,d", "--k", 4,
        "--out", out, status=OPEN,
    )  # fmt: skip
    frame = pl.read_csv(out, separator=";", infer_schema=False)
    assert frame.group_by("age", "town").len()["len"].to_numpy().min() >= told["k"] >= 4
    told, _ = answer(
        capsys,
        "protect",
        "recordswap",
        people,
        "--id",
        "id",
        "--geography",
        "town",
        "--rate",
        0.5,
        "--out",
        out,
        status=OPEN,
    )
    assert told["swapped"] >= 100
    after = pl.read_csv(out, separator=";", infer_schema=False)
    assert sorted(after["town"]) == sorted(pl.read_csv(people, separator=";", infer_schema=False)["town"])
    told, _ = answer(
        capsys,
        "protect",
        "suppress",
        people,
        "--id",
        "id",
        "--keys",
        "age,town",
        "--matching",
        "alike",
        "--out",
        out,
        status=OPEN,
    )
    texts = pl.read_csv(out, separator=";", infer_schema=False)
    assert texts.group_by("age", "town").len()["len"].to_numpy().min() >= 3
    assert (texts["age"] == "*").to_numpy().sum() + (texts["town"] == "*").to_numpy().sum() == told["cells"]


SCORE = "--harmless 'score=five values, each of many people'"
TOWN = "--harmless 'town=four towns, each of many people'"
METHODS = {
    "partition": f"--keys age,town --k 4 {SCORE}",
    "lattice": f"--keys age,town --k 4 {SCORE}",
    "suppress": f"--keys age,town --k 3 {SCORE}",
    "microaggregate": f"--keys age,score --k 4 {TOWN}",
    "code": "--intervals age=30,40",
    "rankswap": "--keys age",
    "recordswap": "--geography town",
    "noise": "--epsilon age=1",  # without bounds that are public it has no epsilon
}
REVIEWED = {
    **dict.fromkeys(
        ("code", "noise", "rankswap", "recordswap"), "something leaves that nobody accounted for"
    ),  # no promise
    "lattice": "too little is left of age (100% lost)",
    "suppress": "hidden cells of",  # they can be worked out
}
PROMISING = ("partition", "lattice", "suppress", "microaggregate")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_page_in_both_languages(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path, method: str
) -> None:
    page = tmp_path / "R.html"
    line = ("protect", method, people, "--id", "id", *shlex.split(METHODS[method]), "--out", tmp_path / "R.csv")
    status = 3 if method in REVIEWED else 0
    told, _ = answer(capsys, *line, "--report", page, "--seed", 1, status=status)
    assert told["report"] == str(page)
    assert ("proven" in told) is (method in PROMISING)
    text = page.read_text(encoding="utf-8")
    assert 'lang="ja"' in text
    assert REVIEWED.get(method, "nobody has attacked it") in told["ending"]["why"]
    assert ('class="verdict warn"' in text) is (status == 3)  # the page ends as the run
    assert ('class="verdict good"' in text) is (status == 0)
    assert "p17" not in text  # nobody is named
    # the page changes nothing of the release
    first = (tmp_path / "R.csv").read_bytes()
    answer(capsys, *line, "--seed", 1, status=status)
    assert (tmp_path / "R.csv").read_bytes() == first


def test_hardly_any_use_is_amber_on_the_page_and_in_the_status(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    page = tmp_path / "R.html"
    line = ("protect", "partition", people, "--id", "id", "--keys", "age,town", "--k", 200, "--out", tmp_path / "R.csv")
    answer(capsys, *line, "--report", page, status=3)
    text = page.read_text(encoding="utf-8")
    assert 'class="verdict warn"' in text
    assert "of hardly any use" in text
    assert "verdict good" not in text
