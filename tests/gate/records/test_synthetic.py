"""A stranger's synthetic file, of as many rows as it likes: what it keeps, whom it betrays, and in which words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from sekisho.attack.records.control_group import count_equal_records
from sekisho.cli.door import open_door
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import SyntheticRelease, exact_table
from sekisho.gate.records.copies import describe_equal
from sekisho.provenance import Provenance
from sekisho.utility.kept import Kept, KeptKind, measure_kept
from sekisho.utility.records.information_loss import Discernibility

RECIPE = """
shape = "records"
original = "T.csv"
keys = ["age", "town"]
seed = 1
"""
CONTROLS = 'controls = "C.csv"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A file, others, a file of twice the rows drawn from its marginals, one that copies most of it, a short one."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 900),
            "town": rng.choice([f"t{place}" for place in range(12)], 900),
            "pay": rng.integers(20, 180, 900) * 50,
        }
    )
    people = frame[:300]
    drawn = pl.DataFrame({name: rng.choice(people[name].to_numpy(), 600) for name in people.columns})
    people.write_csv(tmp_path / "T.csv")
    frame[300:].write_csv(tmp_path / "C.csv")
    drawn.write_csv(tmp_path / "S.csv")
    pl.concat([people[:200], drawn[:400]]).write_csv(tmp_path / "copied.csv")
    drawn[:100].write_csv(tmp_path / "short.csv")
    return tmp_path


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    status = open_door([*words, "--json"])
    return status, json.loads(capsys.readouterr().out)


def pass_gate(capsys: pytest.CaptureFixture[str], folder: Path, more: str) -> tuple[int, dict[str, Any]]:
    (folder / "recipe.toml").write_text(RECIPE + more, encoding="utf-8")
    return ask(capsys, "gate", str(folder / "recipe.toml"), "--out", str(folder / "out"), "--advice", "0")


def test_twice_the_rows_drawn_from_marginals_betray_nobody_as_far_as_is_seen(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    status, answer = pass_gate(capsys, folder, 'release = "S.csv"\n' + CONTROLS)
    assert (status, answer["verdict"]) == (3, "review")  # what attacks do not refute is not covered by them
    assert [each["rule"] for each in answer["reasons"]] == ["open account"]
    stated = {each["subject"]: each for each in answer["statements"]}
    assert set(stated) == {"equal records", "membership attack"}
    assert {each["standing"] for each in stated.values()} == {"not refuted"}  # never proven
    assert stated["equal records"]["figures"].keys() >= {"possible", "chance", "found"}
    published = pl.read_csv(folder / "out" / "confidential" / "proposed" / "release.csv")
    assert published.height == 600
    assert open_door(["verify", answer["certificate"]]) == 3  # unsigned only
    assert "synthetic rows" in (folder / "out" / "confidential" / "report.txt").read_text(encoding="utf-8")


def test_copies_are_found_and_refuse_it(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    status, answer = pass_gate(capsys, folder, 'release = "copied.csv"\n' + CONTROLS)
    assert status == 1
    stated = {each["subject"]: each for each in answer["statements"]}
    assert {each["standing"] for each in stated.values()} == {"refuted"}
    assert stated["equal records"]["figures"]["possible"]["equal"] >= 200
    assert {each["rule"] for each in answer["reasons"]} == {"effective attack", "open account"}


def test_without_controls_nobody_says_that_it_is_safe(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    more = '[[releases]]\nfile = "short.csv"\nsynthetic = true\n'
    status, answer = pass_gate(capsys, folder, more)
    assert status == 3
    assert ([each["rule"] for each in answer["reasons"]], answer["statements"]) == (["open account", "no attack"], [])
    (folder / "recipe.toml").write_text(RECIPE + more.replace("true", "true\nordered = true"), encoding="utf-8")
    assert ask(capsys, "gate", str(folder / "recipe.toml"), "--out", str(folder / "out"))[0] == 2


def test_beside_other_releases(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    files = [str(folder / name) for name in ("T.csv", "S.csv", "copied.csv")]
    words = ("--keys", "age,town", "--controls", str(folder / "C.csv"), "--seed", "1")
    _, answer = ask(capsys, "compare", *files, *words)
    drawn, copied = answer["releases"]
    assert (drawn["synthetic"], drawn["rows"], drawn["left_out"], drawn["attacks"]) == (True, 600, 0, [])
    scores = {"equal-records", *(f"membership score={name}" for name in ("ratio", "distance", "density"))}
    shown = [{each["adversary"]: each["found"] for each in one["controlled"]} for one in (drawn, copied)]
    assert set(shown[0]) == set(shown[1]) == scores
    assert all(shown[1][name]["area"] > shown[0][name]["area"] for name in scores - {"equal-records"})
    report = folder / "page.html"
    short = str(folder / "short.csv")
    assert open_door(["compare", files[0], short, "--keys", "age", "--synthetic", "--report", str(report)]) == 3
    assert "Whom it betrays" in capsys.readouterr().out
    assert open_door(["compare", files[0], short, "--keys", "age", "--synthetic", "--in-order"]) == 2
    assert open_door(["compare", *files[:2], "--keys", "age", "--in-order"]) == 2  # of more rows none can be in order


def make_data(rows: list[tuple[int, str]]) -> Dataset:
    schema = Schema((Column(name="age", kind=Kind.INTEGER), Column(name="town", kind=Kind.CATEGORY)))
    return Dataset(pl.DataFrame(rows, schema=["age", "town"], orient="row"), schema)


def test_equal_records_are_counted_on_both_sides() -> None:
    original = make_data([(30, "a"), (30, "a"), (40, "b"), (50, "c")])
    release = exact_table(make_data([(30, "a"), (40, "b"), (40, "b"), (50, "b"), (99, "a")]))
    controls = make_data([(50, "b"), (41, "b"), (51, "b"), (31, "b"), (60, "b")])
    answer = count_equal_records(release, original, controls)
    # 30 a twice and 40 b stand in it, of which 40 b is alone; three of its five rows are such copies
    assert (answer.equal, answer.alone, answer.rows, answer.control_equal) == (3, 1, 3, 1)
    assert answer.added is not None
    assert answer.added.value == pytest.approx(1 - (1 / 4) / (4 / 5))
    alone = describe_equal(count_equal_records(release, original), 0.1)
    assert (alone.chance, alone.stated, alone.refutes) == (None, False, False)
    hidden = exact_table(original)
    gone = hidden.columns["town"].suppress(np.array([True, True, True, False]))
    table = type(hidden)(schema=hidden.schema, columns={**hidden.columns, "town": gone})
    assert count_equal_records(table, original).equal == 1  # a row with a hidden cell is nobody's


def test_measures_do_not_count_more_rows_as_a_loss_or_a_gain() -> None:
    original = make_data([(30, "a"), (30, "a"), (40, "b"), (50, "c")])
    twice = exact_table(Dataset(pl.concat([original.frame] * 2), original.schema))
    release = SyntheticRelease(table=twice, deleted=np.zeros(8, dtype=np.bool_), provenance=Provenance(name="file"))
    assert Discernibility(keys=("age", "town")).compare(original, release).value == 0.0
    (kept,) = measure_kept((Kept(kind=KeptKind.SUM, columns=("age",)),), original, release)
    assert kept.loss == 0.0
