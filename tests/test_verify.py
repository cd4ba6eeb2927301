"""Campaigns find real data where they are told to, and say where to get what is missing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import real_data

VERIFY = Path(__file__).parents[1] / "verify"


def test_the_option_goes_before_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("told", "set"):
        (tmp_path / name / "adult").mkdir(parents=True)
        (tmp_path / name / "adult" / "adult.csv").write_text("")
    monkeypatch.setenv("SEKISHO_DATA", str(tmp_path / "set"))
    assert real_data.find_data("adult/adult.csv") == tmp_path / "set" / "adult" / "adult.csv"
    assert real_data.find_data("adult/adult.csv", tmp_path / "told") == tmp_path / "told" / "adult" / "adult.csv"


def test_what_is_missing_is_named_with_where_to_get_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in real_data.SOURCES:
        assert real_data.find_data(name, tmp_path) is None
        assert name in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted(VERIFY.rglob("*.py")), ids=lambda path: path.name)
def test_no_campaign_names_a_place_of_its_own(path: Path) -> None:
    """Only ``real_data.py`` says where real data may lie."""
    texts = {node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)}
    assert path.name == "real_data.py" or "shared" not in texts
