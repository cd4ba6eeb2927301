"""An amount of memory means what it says, and a choice that no engine can keep is refused."""

from __future__ import annotations

import pytest

from sekisho.data.engines.engine import Engine, EngineChoice, choose_engine, parse_memory
from sekisho.errors import ParameterError


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2GB", 2_000_000_000),
        ("2gb", 2_000_000_000),
        ("2G", 2_000_000_000),
        ("1.5GiB", 1_610_612_736),  # 1.5 * 2^30
        (" 512 MB ", 512_000_000),
        ("600MiB", 629_145_600),
        ("700000KB", 700_000_000),
        ("1TB", 10**12),
        ("2000000000", 2_000_000_000),
        ("2000000000B", 2_000_000_000),
    ],
)
def test_amounts(text: str, wanted: int) -> None:
    assert parse_memory(text) == wanted


@pytest.mark.parametrize("text", ["", "GB", "-2GB", "2XB", "2.GB", "1e9", "two", "2GBB", "٢GB", "2 G B"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="memory must be an amount"):
        parse_memory(text)


@pytest.mark.parametrize("text", ["0", "511MB", "2", "0GB"])
def test_too_little_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="memory must be at least 512 MB"):
        parse_memory(text)


def test_options_choose_an_engine() -> None:
    assert choose_engine(None, "", "") is None
    assert choose_engine(None, "2GB", "") == EngineChoice(engine=Engine.DUCKDB, memory=2_000_000_000)
    assert choose_engine(Engine.POLARS, "", "") == EngineChoice(engine=Engine.POLARS)
    assert choose_engine(None, "", "local[2]") == EngineChoice(engine=Engine.SPARK, master="local[2]")


def test_what_an_engine_does_not_keep_is_refused() -> None:
    with pytest.raises(ParameterError, match="memory must be given with duckdb"):
        choose_engine(Engine.POLARS, "2GB", "")
    with pytest.raises(ParameterError, match="memory must be given with duckdb"):
        choose_engine(None, "2GB", "local[2]")
    with pytest.raises(ParameterError, match="master must be given with spark"):
        choose_engine(Engine.DUCKDB, "", "local[2]")
    with pytest.raises(ParameterError, match="master must be given with spark"):
        choose_engine(Engine.SPARK, "", "")
