"""What is told column by column may be given at once or option by option; nothing given is forgotten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekisho.cli import status_of


@pytest.mark.parametrize("given", [("--top", "age=40", "--top", "pay=300"), ("--top", "age=40,pay=300")])
def test_an_option_by_column_may_be_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: tuple[str, ...]
) -> None:
    source = tmp_path / "people.csv"
    source.write_text("age,pay\n" + "".join(f"{20 + row},{100 + 10 * row}\n" for row in range(30)))
    call = ["protect", "code", str(source), *given, "--out", str(tmp_path / "out.csv"), "--seed", "1", "--json"]
    assert status_of(call) == 3  # every pay leaves, and nobody said what it is
    assert set(json.loads(capsys.readouterr().out)["coded"]) == {"age", "pay"}


def test_a_column_named_twice_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "people.csv"
    source.write_text("age\n1\n2\n")
    call = ["protect", "code", str(source), "--top", "age=1", "--top", "age=2", "--out", str(tmp_path / "out.csv")]
    assert status_of(call) == 2
    assert "names age twice" in capsys.readouterr().err
