"""A plain installation lacks what few need; whoever asks for it is told the name of its extra."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.errors import ParameterError
from sekisho.extras import EXTRAS, require_extra

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]


def test_every_extra_is_one_of_the_project() -> None:
    assert set(EXTRAS) == set(PROJECT["optional-dependencies"])


def test_what_an_extra_brings_is_no_part_of_a_plain_installation() -> None:
    plain = " ".join(PROJECT["dependencies"])
    assert not [name for names in EXTRAS.values() for name in names if name in plain]


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_absent_library_is_told_by_its_extra(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, EXTRAS[extra][0], None)
    with pytest.raises(ParameterError, match=rf"asked must be installed.*pip install '\.\[{extra}\]'"):
        require_extra(extra, "asked", "value")


@pytest.mark.parametrize("name", EXTRAS["large"])
@pytest.mark.parametrize("engine", [Engine.POLARS, Engine.DUCKDB])
def test_no_engine_is_chosen_without_the_libraries_of_large_files(
    name: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ParameterError, match=r"the extra large"):
        EngineChoice(engine=engine)
