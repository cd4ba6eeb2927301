"""Beyond memory `protect pram` and `protect sample` answer, write and draw pages as in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.data.engines.engines import leaves_nothing

from sekisho.cli import status_of
from sekisho.seeds import Seed

LARGE = (("--engine", "polars"), ("--memory", "1GB"))


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rng = Seed(5).rng()
    lines = [f"{row};{rng.choice(['f', 'm'])};{rng.choice(list('abcdefgh'))};{row % 40}" for row in range(600)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["id;sex;town;age", *lines, ""]))
    return path


def answer(capsys: pytest.CaptureFixture[str], *line: object, status: int = 0) -> tuple[dict[str, Any], str]:
    assert status_of([*map(str, line), "--json"]) == status
    said = capsys.readouterr()
    return json.loads(said.out), said.err


# which engine draws a release changes nothing about it, as tests/protect/records/engine holds: each is asked in turn
@pytest.mark.parametrize(
    ("status", "line", "large"),
    [
        (0, ("pram", "--columns", "sex,town", "--k", "5", "--sample", "200"), LARGE[0]),
        (3, ("pram", "--k", "500"), LARGE[1]),
        (1, ("pram", "--columns", "sex,town", "--retention", "1"), LARGE[0]),
        (3, ("sample", "--columns", "sex,town", "--size", "100"), LARGE[1]),
        (3, ("sample", "--columns", "id,sex", "--size", "9"), LARGE[0]),
        (3, ("sample", "--size", "100", "--known", "50"), LARGE[1]),
        (1, ("sample", "--size", "100", "--known", "70", "--strata", "town"), LARGE[0]),
    ],
)
def test_answers_files_and_pages_are_those_of_memory(
    capsys: pytest.CaptureFixture[str], people: Path, status: int, line: tuple[str, ...], large: tuple[str, str]
) -> None:
    out, page = people.with_name("R.csv"), people.with_name("R.html")
    files = (out, page, out.with_name("R.csv.mechanism.json"))
    own = () if "id,sex" in line else ("--id", "id")
    whole = ("protect", *line, people, *own, "--out", out, "--report", page, "--seed", 4)
    small, said = answer(capsys, *whole, status=status)
    written = [file.read_bytes() if file.exists() else None for file in files]
    assert (written == [None] * 3) == (status == 1), "what must not leave is not written"
    for file in files:
        file.unlink(missing_ok=True)
    found, told = answer(capsys, *whole, *large, status=status)
    assert [file.read_bytes() if file.exists() else None for file in files] == written
    assert found.pop("engine") in {"polars", "duckdb"}
    del small["seconds"], found["seconds"]
    assert found == small
    assert {line for line in said.splitlines() if "records" in line or "seed" in line} <= {*told.splitlines()}
    assert leaves_nothing(people.parent)


@pytest.mark.parametrize("large", [(), *LARGE])
def test_parquet_is_written_where_its_name_says_so(
    capsys: pytest.CaptureFixture[str], people: Path, large: tuple[str, ...]
) -> None:
    out = people.with_name("R.parquet")
    words = ("protect", "sample", people, "--id", "id", "--size", 9, "--out", out, *large, "--seed", 1)
    answer(capsys, *words, status=3)  # nobody said what the columns are
    assert pl.read_parquet(out).shape == (9, 3)


def test_what_has_no_way_beyond_memory_is_refused(capsys: pytest.CaptureFixture[str], people: Path) -> None:
    out = people.with_name("R.csv")
    for line in (("swap", people), ("noise", people, "--epsilon", "age=1")):
        found, _ = answer(capsys, "protect", *line, "--out", out, "--memory", "1GB", status=2)
        assert "memory must be given for a method that works beyond memory" in str(found["error"])
    found, _ = answer(capsys, "protect", "sample", people, "--size", 9, "--out", out, "--memory", "little", status=2)
    assert "memory must be an amount such as 2GB" in str(found["error"])
    assert not out.exists()
    assert leaves_nothing(people.parent)


def test_a_folder_of_parquet_files_is_one_file(capsys: pytest.CaptureFixture[str], people: Path) -> None:
    frame = pl.read_csv(people, separator=";")
    folder, whole = people.with_name("parts"), people.with_name("whole.parquet")
    folder.mkdir()
    frame.write_parquet(whole)
    for part in range(3):
        frame[part * 200 : (part + 1) * 200].write_parquet(folder / f"part-{part}.parquet")
    releases: list[bytes] = []
    for source in (whole, folder):
        out = people.with_name("R.csv")
        how = ("--id", "id", "--size", 90, "--out", out, "--engine", "duckdb", "--seed", 1)
        found, _ = answer(capsys, "protect", "sample", source, *how, status=3)
        assert found["records"] == 600
        releases.append(out.read_bytes())
    assert releases[0] == releases[1]
