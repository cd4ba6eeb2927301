"""``sekisho init`` writes a recipe and a schema with reasons, whole or not at all, and nothing of the people in them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of


def make_people(rows: int = 60) -> str:
    lines = ["patient_id,e_mail,age,sex,town,diagnosis"]
    lines += [
        f"secret{number},secret{number}@mail.jp,{20 + number % 8},{'fm'[number % 2]},{'abc'[number % 3]},"
        f"{('flu', 'asthma')[number * 7 % 5 % 2]}"
        for number in range(rows)
    ]
    return "\n".join(lines) + "\n"


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any], str]:
    capsys.readouterr()
    status = status_of(["init", *map(str, words), "--json"])
    out, err = capsys.readouterr()
    return status, json.loads(out), err


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(make_people())
    return path


def test_the_keys_that_are_promised(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = people.parent / "r.toml"
    status, answer, _ = run(capsys, people, "--out", out)
    assert (status, answer["shape"], answer["rows"]) == (0, "records", 60)
    assert (answer["recipe"], answer["schema"]) == (str(out), str(people.parent / "people.schema.toml"))
    roles = {column["name"]: column["role"] for column in answer["columns"]}
    assert roles == {
        "patient_id": "identifier",
        "e_mail": None,
        "age": "quasi",
        "sex": "quasi",
        "town": "quasi",
        "diagnosis": "sensitive",
    }
    assert all(column["why"] for column in answer["columns"])
    (left,) = answer["left_out"]
    assert (left["column"], left["reason"][:16]) == ("e_mail", "its name says so")
    file, line = left["line"].split(":")
    assert (out.parent / file).read_text().splitlines()[int(line) - 1].startswith('# role = "quasi"')
    assert all(point["reason"] and point.keys() == {"column", "reason", "line"} for point in answer["questions"])
    recipe = tomllib.loads(out.read_text())
    assert (recipe["original"], recipe["schema"]) == ("people.csv", "people.schema.toml")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_nothing_of_the_people_is_written(people: Path, capsys: pytest.CaptureFixture[str], language: str) -> None:
    status, answer, err = run(capsys, people, "--out", people.parent / "r.toml", "--language", language)
    assert status == 0
    written = (people.parent / "r.toml").read_text() + (people.parent / "people.schema.toml").read_text()
    for value in ("secret", "mail.jp", "flu", "asthma"):
        assert value not in written + json.dumps(answer) + err
    comments = [line for line in written.splitlines() if line.startswith("#")]
    assert len(comments) > 5
    assert any("他人" in line for line in written.splitlines()) is (language == "ja")


def test_what_is_there_is_not_written_over(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, schema = people.parent / "r.toml", people.parent / "people.schema.toml"
    schema.write_text("mine")
    status, answer, _ = run(capsys, people, "--out", out)
    assert status == 2
    assert "is there already; --force writes over it" in answer["error"]
    assert schema.read_text() == "mine"
    assert not out.exists()
    assert run(capsys, people, "--out", out, "--force")[0] == 0
    assert schema.read_text() != "mine"


def test_the_file_itself_is_never_written_over(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = people.read_bytes()
    status, answer, _ = run(capsys, people, "--out", people, "--force")
    assert (status, people.read_bytes()) == (2, before)
    assert "is an input" in answer["error"]


def test_a_recipe_elsewhere_finds_the_file(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (people.parent / "deep" / "er").mkdir(parents=True)
    out = people.parent / "deep" / "er" / "r.toml"
    assert run(capsys, people, "--out", out)[0] == 0
    assert tomllib.loads(out.read_text())["original"] == "../../people.csv"
    assert (out.parent / "people.schema.toml").exists()


def test_a_bad_file_is_refused_and_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in {"empty.csv": b"", "binary.csv": b"\x00\x01", "one.csv": b"a\n1\n"}.items():
        (tmp_path / name).write_bytes(content)
        status, answer, _ = run(capsys, tmp_path / name, "--out", tmp_path / "r.toml")
        assert (status, bool(answer["error"])) == (2, True)
    assert not list(tmp_path.glob("*.toml"))


PEOPLE = "id,birth,code,zip,sex\n" + "".join(
    f"p{row:03},{row % 12 + 1:02}/{row % 11 + 1:02}/19{50 + row % 40},{row % 9},{row % 30:05},{'fm'[row % 2]}\n"
    for row in range(80)
)


def test_what_is_said_of_a_column_fixes_the_guess(tmp_path: Path) -> None:
    """No day is above 12: found out, days come first; said, months do."""
    (tmp_path / "p.csv").write_text(PEOPLE, encoding="utf-8")
    words = ["init", str(tmp_path / "p.csv"), "--out", str(tmp_path / "r.toml"), "--force"]
    assert status_of(words) == 0
    schema = tomllib.loads((tmp_path / "p.schema.toml").read_text(encoding="utf-8"))
    assert schema["file"]["date_format"] == "%d/%m/%Y"
    kinds = {column["name"]: column.get("kind") for column in schema["columns"]}
    assert (kinds["code"], kinds["zip"]) == ("integer", "category")
    said = [word for each in ("birth=date:%m/%d/%Y", "code=category", "zip=integer") for word in ("--kind", each)]
    assert status_of([*words, *said]) == 0
    schema = tomllib.loads((tmp_path / "p.schema.toml").read_text(encoding="utf-8"))
    assert schema["file"]["date_format"] == "%m/%d/%Y"
    kinds = {column["name"]: column.get("kind") for column in schema["columns"]}
    assert (kinds["birth"], kinds["code"], kinds["zip"]) == ("date", "category", "integer")


def test_what_is_said_of_a_column_of_a_table_is_written_into_its_recipe(tmp_path: Path) -> None:
    cells = {"03/01/2024": (30, 12), "04/01/2024": (3, 20), "総数": (33, 32)}
    lines = "".join(f"{day},{job},{n}\n" for day in cells for job, n in zip("xy", cells[day], strict=True))
    (tmp_path / "c.csv").write_text(f"opened,job,n\n{lines}", encoding="utf-8")
    words = ["init", str(tmp_path / "c.csv"), "--out", str(tmp_path / "r.toml"), "--kind", "opened=date:%d/%m/%Y"]
    assert status_of(words) == 0
    recipe = tomllib.loads((tmp_path / "r.toml").read_text(encoding="utf-8"))
    assert recipe["kinds"] == {"opened": "date:%d/%m/%Y"}
    assert status_of(["gate", str(tmp_path / "r.toml"), "--out", str(tmp_path / "out")]) == 0
    assert "2024-01-03" in (tmp_path / "out/public/release.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("said", ["birth=date:%Y-%m-%d", "brth=date", "sex=integer", "birth=day"])
def test_what_is_said_wrongly_of_a_column_is_refused(
    said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p.csv").write_text(PEOPLE, encoding="utf-8")
    assert status_of(["init", str(tmp_path / "p.csv"), "--out", str(tmp_path / "r.toml"), "--kind", said]) == 2
    assert "--kind" in capsys.readouterr().err
    assert not (tmp_path / "r.toml").exists()
