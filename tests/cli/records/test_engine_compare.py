"""Beyond memory `compare` tells the classes and the distributions that it tells in memory."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.cli import status_of

ENGINES = (("--engine", "polars"), ("--memory", "1GB"))
TOLD = ("rows", "k", "uniques", "classes", "l", "t")
people = st.lists(
    st.tuples(st.integers(18, 60), st.sampled_from(["a", "b", "c"]), st.sampled_from(["flu", "cold"])),
    min_size=2,
    max_size=15,
)
quick = try_examples(6, share_fixtures=True)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = status_of(["compare", *words, "--json"])
    return status, json.loads(capsys.readouterr().out)


def hide(place: int, age: int, town: str) -> tuple[str, str]:
    """Return an age and a town as a release may write them."""
    written = (f"[{age - place};{age + 2}]", str(age), "*")[place % 3]
    return written, (town, "{a;b}", "*", town)[place % 4]


def write_files(folder: Path, drawn: list[tuple[int, str, str]]) -> tuple[Path, Path]:
    original, release = folder / "people.csv", folder / "R.csv"
    original.write_text("age,town,ill\n" + "".join(f"{age},{town},{ill}\n" for age, town, ill in drawn))
    lines = [(*hide(place, age, town), ill) for place, (age, town, ill) in enumerate(drawn)]
    release.write_text("age,town,ill\n" + "".join(",".join(line) + "\n" for line in lines[: max(1, len(lines) - 1)]))
    return original, release


@quick
@given(drawn=people)
@example(drawn=[(20, "a", "flu"), (20, "a", "flu")])
def test_classes_and_distributions_are_those_of_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], drawn: list[tuple[int, str, str]]
) -> None:
    original, release = write_files(tmp_path, drawn)
    question = [str(original), str(release), "--keys", "age,town", "--sensitive", "ill"]
    status, answer = run(capsys, *question, "--seed", "1")
    assert status == 3  # nobody says what must hold, so nothing is accounted for
    for engine in ENGINES:
        beyond_status, beyond = run(capsys, *question, *engine)
        assert (beyond_status, beyond["releases"][0]["account_closed"]) == (3, False)
        assert beyond["records"] == answer["records"]
        for large, small in zip(
            [beyond["original"], *beyond["releases"]], [answer["original"], *answer["releases"]], strict=True
        ):
            assert {key: large[key] for key in TOLD} == pytest.approx({key: small[key] for key in TOLD})
            for measure in ("marginals", "earth-mover"):
                assert large["measures"][measure] == pytest.approx(small["measures"][measure])
                assert large["detail"][measure] == pytest.approx(small["detail"][measure])


GAPS = "age,town,ill,note\n20,a,flu,x\n,a,flu,y\n30,,cold,z\n30,b,cold,\n30,b,cold,x\n,,flu,x\n"


@pytest.mark.parametrize("engine", ENGINES)
def test_records_with_missing_cells_are_left_out_as_in_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: tuple[str, str]
) -> None:
    (original := tmp_path / "people.csv").write_text(GAPS)
    (release := tmp_path / "R.csv").write_text("age,town,ill\n[20;30],a,flu\n30,b,cold\n")
    question = [str(original), str(release), "--keys", "age,town", "--sensitive", "ill", "--missing", "drop"]
    _, answer = run(capsys, *question, "--seed", "1")
    status, beyond = run(capsys, *question, *engine)
    assert (status, beyond["records"], answer["records"]) == (3, 2, 2)  # a gap in any column, also one not asked about
    for large, small in ((beyond["original"], answer["original"]), (beyond["releases"][0], answer["releases"][0])):
        assert {key: large[key] for key in TOLD} == pytest.approx({key: small[key] for key in TOLD})
        assert large["measures"]["marginals"] == pytest.approx(small["measures"]["marginals"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("treatment", "gaps"), [("refuse", 5), ("category", 2)])
def test_missing_cells_are_refused_where_they_stand_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], treatment: str, gaps: int, engine: tuple[str, str]
) -> None:
    (original := tmp_path / "people.csv").write_text(GAPS)
    (release := tmp_path / "R.csv").write_text("age,town,ill\n20,a,flu\n")
    question = [str(original), str(release), "--keys", "age,town", "--sensitive", "ill", "--missing", treatment]
    status, answer = run(capsys, *question, "--seed", "1")
    assert (status, len(answer["errors"])) == (2, gaps)  # numbers cannot be a category
    refused, beyond = run(capsys, *question, *engine)
    assert (refused, beyond["errors"]) == (2, answer["errors"])
    assert str(beyond["error"]).startswith(str(original))


@pytest.mark.parametrize("words", [["--in-order"], ["--seed", "1"], ["--known", "age"]])
def test_what_needs_pairs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    original, release = write_files(tmp_path, [(20, "a", "flu"), (30, "b", "cold")])
    status, answer = run(capsys, str(original), str(release), "--keys", "age,town", *words, "--memory", "1GB")
    assert (status, "must not be given beyond memory" in str(answer["error"])) == (2, True)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_column_stands_on_the_page_as_in_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: tuple[str, str]
) -> None:
    original, release = write_files(tmp_path, [(20 + place, "abc"[place % 3], "flu") for place in range(40)])
    page = tmp_path / "page.html"
    question = [str(original), str(release), "--keys", "age,town", "--sensitive", "ill", "--report", str(page)]
    run(capsys, *question, "--seed", "1")
    in_memory = page.read_text()
    run(capsys, *question, *engine)
    beyond = page.read_text()
    cards = re.findall(r"<details.*?</details>", in_memory, re.DOTALL)
    assert len(cards) == 1
    assert re.findall(r"<details.*?</details>", beyond, re.DOTALL) == cards
    assert "1 release of 40 records beside the original" in beyond
    assert "not on this page" in beyond


def test_the_table_is_told_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    original, release = write_files(tmp_path, [(20, "a", "flu"), (30, "b", "cold"), (30, "b", "cold")])
    words = ["compare", str(original), str(release), "--keys", "age,town", "--engine", "polars"]
    assert status_of(words) == 3
    assert "R.csv: nobody accounted for what leaves." in capsys.readouterr().out
