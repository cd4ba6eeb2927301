"""Files of records go in, a release with its promise comes out, and analyst and adversary can work with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sekisho.cli import status_of
from sekisho.seeds import Seed

OPEN = 3
"""The status where the promise is weaker than what is demanded (k = 3 or none at all), which is not the question here."""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rng = Seed(5).rng()
    lines = [f"{row};{rng.choice(['f', 'm'])};{rng.choice(list('abc'))}" for row in range(600)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["id;sex;town", *lines, ""]))
    return path


def answer(capsys: pytest.CaptureFixture[str], *line: object, status: int = 0) -> tuple[dict[str, Any], str]:
    assert status_of([*map(str, line), "--json"]) == status
    said = capsys.readouterr()
    return json.loads(said.out), said.err


def test_pram_keeps_a_wanted_k_and_the_report_says_how(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    out, page = tmp_path / "R.csv", tmp_path / "R.html"
    found, said = answer(
        capsys, "protect", "pram", people, "--id", "id", "--k", 5, "--sample", 200, "--out", out, "--report", page
    )
    assert found["k"] >= 5
    assert (found["randomness"], found["seed"]) == ("secret", None)
    assert "separator semicolon, with header, encoding utf-8; 600 records" in said
    assert "nobody can repeat this release" in said
    lines = out.read_text().splitlines()
    assert (lines[0], len(lines)) == ("sex;town", 201)
    assert "secret, from the operating system" in page.read_text()
    assert "<svg" in page.read_text()


def test_a_release_of_hardly_any_use_goes_to_a_person_and_names_the_identifier(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    out, page = tmp_path / "R.csv", tmp_path / "R.html"
    line = ("protect", "pram", people, "--k", 5, "--out", out, "--report", page)  # the id is among the columns
    found, _ = answer(capsys, *line, status=3)
    assert found["retention"] < 0.05
    assert (found["guaranteed"], found["useful"], found["identifying"]) == (True, False, ["id"])
    assert "A person must look at this" in page.read_text()
    assert "id は個人を名指しする列です" in page.read_text()
    kept, _ = answer(capsys, *line, "--id", "id")
    assert (kept["useful"], kept["identifying"]) == (True, [])


def test_strata_are_attacked_through_the_commands(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    out, guesses = tmp_path / "R.csv", tmp_path / "G.csv"
    line = ("protect", "pram", people, "--id", "id", "--k", 3, "--sample", 300, "--strata", "town", "--out", out)
    for more in ((), ("--hide-strata",)):
        made, _ = answer(capsys, *line, *more, "--seed", 1, status=OPEN)
        named, _ = answer(
            capsys,
            "attack",
            "posterior",
            "--mechanism",
            made["mechanism"],
            "--original",
            people,
            "--id",
            "id",
            "--published",
            out,
            "--out",
            guesses,
            "--seed",
            2,
        )
        assert named["claimed"] == 300
        assert named["greatest_chance"] <= made["risk"]
        assert named["way"] == ("likelihood" if more else "exact")


def test_a_seed_repeats_the_release_and_is_said(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    outs = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for out in outs:
        found, said = answer(
            capsys, "protect", "pram", people, "--id", "id", "--retention", "1/2", "--out", out, "--seed", 7
        )
        assert (found["randomness"], found["seed"]) == ("seeded", 7)
        assert "whoever knows it can undo the protection" in said
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_the_analyst_and_the_adversary_read_the_release(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    out, guesses = tmp_path / "R.csv", tmp_path / "G.csv"
    made, _ = answer(
        capsys,
        "protect",
        "pram",
        people,
        "--id",
        "id",
        "--retention",
        "4/5",
        "--sample",
        300,
        "--out",
        out,
        "--seed",
        1,
        status=OPEN,
    )
    found, _ = answer(capsys, "estimate", out, "--mechanism", made["mechanism"], "--table", "sex,town")
    assert len(found["cells"]) == 6
    assert sum(cell["count"] for cell in found["cells"]) == pytest.approx(600)
    assert all(cell["low"] < cell["count"] < cell["high"] for cell in found["cells"])
    assert status_of(["estimate", str(out), "--mechanism", made["mechanism"], "--table", "sex"]) == 0
    assert "error  sex" in capsys.readouterr().out
    named, _ = answer(
        capsys,
        "attack",
        "posterior",
        "--mechanism",
        made["mechanism"],
        "--original",
        people,
        "--id",
        "id",
        "--published",
        out,
        "--out",
        guesses,
        "--seed",
        2,
    )
    assert named["claimed"] == 300
    assert named["greatest_chance"] <= made["risk"]
    assert guesses.read_text().startswith("record,person,chance\n1,")


def test_strata_go_through_to_the_analyst(capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path) -> None:
    out = tmp_path / "R.csv"
    line = ("protect", "pram", people, "--id", "id", "--k", 3, "--sample", 300, "--strata", "town", "--out", out)
    made, _ = answer(capsys, *line, "--seed", 1, status=OPEN)
    assert made["stratum"] in {"a", "b", "c"}
    found, _ = answer(capsys, "estimate", out, "--mechanism", made["mechanism"], "--table", "town,sex")
    assert sum(cell["count"] for cell in found["cells"]) == pytest.approx(600)
    hidden, _ = answer(capsys, *line, "--hide-strata", "--seed", 1, status=OPEN)
    assert hidden["lower_bound"]
    assert out.read_text().startswith("sex\n")
    assert answer(capsys, "estimate", out, "--mechanism", made["mechanism"], "--table", "sex")[0]["records"] == 600


def test_a_sample_tells_its_risk(capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path) -> None:
    out = tmp_path / "S.csv"
    line = ("protect", "sample", people, "--id", "id", "--out", out)
    # 100/(600 - 101 + 1) = 1/5
    assert answer(capsys, *line, "--size", 101, "--known", 100)[0]["risk"] == pytest.approx(0.2)
    assert answer(capsys, *line, "--size", 600, "--known", 100, status=1)[0]["guaranteed"] is False
    page = tmp_path / "S.html"
    assert answer(capsys, *line, "--size", 10, "--report", page, status=OPEN)[0]["guaranteed"] is False
    assert "Say how many he may know" in page.read_text()
    answer(capsys, *line, "--size", 101, "--known", 100, "--report", page)
    assert "finds a person with a chance of at most 0.2." in page.read_text()
    assert page.read_text().count("<svg") == 2
    answer(capsys, *line, "--size", 100, "--known", 9, "--strata", "town", "--report", page)
    assert "worst stratum" in page.read_text()


def test_a_sample_of_a_file_with_uniques_is_tried_and_goes_to_a_person(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    # 300 people of a kind of their own and 300 of one kind: whoever is single in list and sample is surely the same.
    path, page, out = tmp_path / "u.csv", tmp_path / "S.html", tmp_path / "S.csv"
    path.write_text("\n".join(["a,b", *[f"u{row},x" for row in range(300)], *["same,x"] * 300, ""]))
    line = ("protect", "sample", path, "--size", 200, "--known", 60, "--out", out, "--seed", 1)
    found, _ = answer(capsys, *line, "--report", page, status=3)
    assert found["risk"] == pytest.approx(60 / 401)
    assert (found["guaranteed"], found["uniques"], found["refuted"]) == (False, 300, True)
    assert found["promise"].startswith("promised only if the unknown records follow the distribution of the known ones")
    attack = found["attack"]
    assert (attack["known"], attack["draws"], attack["rate"]) == (60, 20, 1.0)
    assert attack["right"] == attack["claimed"] > 100
    assert attack["low"] > found["risk"] > attack["by_chance"] == pytest.approx(1 / 600)
    assert answer(capsys, *line, status=3)[0]["attack"] == attack
    text = page.read_text()
    assert "The assumption fails on this file" in text
    assert "前提が成り立ちません" in text
    assert "at most 0.149626" in text
    assert status_of([*map(str, line)]) == 3
    assert "do not rely on the risk" in capsys.readouterr().out


def test_an_adversary_who_knows_a_part_claims_the_singles(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, seen, out = tmp_path / "p.csv", tmp_path / "s.csv", tmp_path / "g.csv"
    path.write_text("id,a,b\nn1,x,1\nn2,y,1\nn3,y,1\nn4,z,2\n")
    seen.write_text("a,b\nz,2\ny,1\nx,1\nx,3\n")
    line = ("attack", "partial-knowledge", "--original", path, "--id", "id", "--published", seen, "--out", out)
    found, _ = answer(capsys, *line, "--seed", 1)
    # y,1 is double in his list; x,3 is nobody he knows
    assert (found["claimed"], found["expected_hits"], found["single_known"]) == (2, None, 2)
    assert out.read_text() == "record,person,chance\n3,n1,\n1,n4,\n"
    found, _ = answer(capsys, *line, "--records", 19, "--seed", 1)
    assert found["expected_hits"] == pytest.approx(2 * 4 / 16)
    assert answer(capsys, *line, "--known", 5, status=2)[0]["errors"][0]["column"] == "known"
    assert status_of([*map(str, line)]) == 0
    assert "he does not say how many are right" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (["--k", "5", "--columns", "age"], 2, "has no column age; it has id, sex, town"),
        (["--k", "5", "--retention", "1/2"], 2, "k must be given without retention"),
        (["--k", "1000"], 1, "nobody can hide among 1000"),
        (["--retention", "1"], 1, "a zero in the matrix"),
    ],
)
def test_a_no_and_a_mistake_are_told_apart(
    capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path, options: list[str], status: int, words: str
) -> None:
    line = ["protect", "pram", str(people), "--out", str(tmp_path / "R.csv"), *options]
    assert status_of(line) == status
    said = capsys.readouterr()
    assert words in said.out + said.err


def test_adult_with_a_target(capsys: pytest.CaptureFixture[str], shared: Callable[[str], Path], tmp_path: Path) -> None:
    out, page = tmp_path / "R.csv", tmp_path / "R.html"
    adult = shared("adult/adult.csv")
    made, _ = answer(capsys, "protect", "pram", adult, "--k", 5, "--sample", 10000, "--out", out, "--report", page)
    assert made["k"] >= 5
    assert len(out.read_text().splitlines()) == 10001
    assert "フロンティア" in page.read_text()


def test_an_attribute_has_one_matrix(capsys: pytest.CaptureFixture[str], people: Path, tmp_path: Path) -> None:
    line = ["protect", "pram", people, "--out", tmp_path / "o.csv", "--matrices", "sex=a.csv,sex=b.csv"]
    assert status_of(list(map(str, line))) == 2
    assert "--matrices names sex twice" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("beyond", [(), ("--engine", "polars"), ("--memory", "1GB")])
@pytest.mark.parametrize(
    "words", [("risk", "--keys", "town,age"), ("protect", "sample", "--size", "3", "--out", "sample.csv")]
)
def test_of_a_parquet_file_is_said_that_it_is_one(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    words: tuple[str, ...],
    beyond: tuple[str, ...],
) -> None:
    # it has no separator and no encoding that could be told, nor found out wrongly
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"town": ["a", "b"] * 3, "age": [1, 2, 3] * 2}).write_parquet("people.parquet")
    line = [*words, "people.parquet", *beyond, *(("--seed", "1") if "sample" in words else ())]
    for language, sentence in (("en", "Parquet; 6 records"), ("ja", "Parquet、6 件のレコード")):
        status_of([*line, "--language", language])
        said = capsys.readouterr().err
        assert (f"people.parquet: {sentence}" in said, "None" in said) == (True, False)


def test_separator_of_a_release_is_as_asked_though_a_parquet_file_has_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"town": ["a", "b"], "age": [1, 2]}).write_parquet("people.parquet")
    line = ("protect", "sample", "people.parquet", "--size", 1, "--separator", ";", "--seed", 1, "--out", "s.csv")
    for beyond in ((), ("--engine", "polars")):
        _, said = answer(capsys, *line, *beyond, status=OPEN)
        assert "people.parquet: Parquet; 2 records" in said
        assert Path("s.csv").read_text().startswith("town;age\n")
