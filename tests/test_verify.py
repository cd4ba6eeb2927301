"""Campaigns find real data where they are told to, and say where to get what is missing."""

from __future__ import annotations

import ast
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

VERIFY = Path(__file__).parents[1] / "verify"


def load_places() -> ModuleType:
    spec = spec_from_file_location("real_data", VERIFY / "real_data.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_option_goes_before_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = load_places()
    for name in ("told", "set"):
        (tmp_path / name / "adult").mkdir(parents=True)
        (tmp_path / name / "adult" / "adult.csv").write_text("")
    monkeypatch.setenv("SEKISHO_DATA", str(tmp_path / "set"))
    assert places.find_data("adult/adult.csv") == tmp_path / "set" / "adult" / "adult.csv"
    assert places.find_data("adult/adult.csv", tmp_path / "told") == tmp_path / "told" / "adult" / "adult.csv"


def test_what_is_missing_is_named_with_where_to_get_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = load_places()
    for name in places.SOURCES:
        assert places.find_data(name, tmp_path) is None
        assert name in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted(VERIFY.rglob("*.py")), ids=lambda path: path.name)
def test_no_campaign_names_a_place_of_its_own(path: Path) -> None:
    """Only ``real_data.py`` says where real data may lie."""
    texts = {node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)}
    assert path.name == "real_data.py" or "shared" not in texts
