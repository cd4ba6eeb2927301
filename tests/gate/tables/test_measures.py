"""A measure that follows from another one tells it: what is hidden in one is hidden in all, or a person decides."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from sekisho.gate.outcome import Verdict
from sekisho.gate.tables.measures import PublishedMeasure, find_measure_links
from sekisho.journey.run import pass_gate
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Floats

DRAWN = np.random.default_rng(3)
AMOUNTS = np.round(DRAWN.lognormal(6, 1, 60))
OTHER = np.round(DRAWN.lognormal(6, 1, 60))
TABLE = from_inner([Dimension.flat("a", ("x", "y"))], [("x",), ("y",)], np.array([10.0, 20.0]))


def measure(name: str, amounts: Floats) -> PublishedMeasure:
    return PublishedMeasure(name=name, table=TABLE, source="f.csv", amounts=amounts)


def test_turnover_with_tax_follows_from_turnover() -> None:
    (link,) = find_measure_links([measure("net", AMOUNTS), measure("gross", AMOUNTS * 1.2), measure("wages", OTHER)])
    assert (link.first, link.second, link.names, link.records) == (0, 1, ("net", "gross"), True)
    assert link.slope == pytest.approx(1.2)
    assert find_measure_links([measure("net", AMOUNTS), measure("wages", OTHER)]) == ()


def test_a_sum_follows_from_its_parts_together() -> None:
    (link,) = find_measure_links([measure("home", AMOUNTS), measure("abroad", OTHER), measure("all", AMOUNTS + OTHER)])
    assert link.slope is None
    assert "together" in link.describe()


def test_cells_tell_it_where_there_are_no_records() -> None:
    codes = tuple("abcdefgh")
    values = (7.0, 17.0, 47.0, 97.0, 167.0, 257.0, 367.0, 497.0)
    tables = [
        from_inner(
            [Dimension.flat("a", codes)], [(code,) for code in codes], np.array([value * by for value in values])
        )
        for by in (1.0, 1.2)
    ]
    (link,) = find_measure_links([PublishedMeasure(name=str(at), table=table) for at, table in enumerate(tables)])
    assert (link.records, round(link.slope or 0, 3)) == (False, 1.2)


FIRMS = 60
"""So few that some cells are of one or two."""
RECIPE = """
shape = "table"
original = "firms.csv"
microdata = true
contributor = "firm"
rules = ["p%:15", "min:3"]
[[tables]]
name = "net"
dims = ["region", "industry"]
value = "turnover"
[[tables]]
name = "gross"
dims = ["region", "{dim}"]
value = "turnover_with_tax"
"""


def write_recipe(folder: Path, dim: str) -> Path:
    drawn = np.random.default_rng(5)
    turnover = np.round(drawn.lognormal(6, 1.2, FIRMS) / 5) * 5
    pl.DataFrame(
        {
            "firm": [f"F{at:03d}" for at in range(FIRMS)],
            "region": [str(code) for code in drawn.choice(list("NSWE"), FIRMS)],
            "industry": [str(code) for code in drawn.choice(["steel", "wood", "glass", "paper"], FIRMS)],
            "size": [str(code) for code in drawn.choice(["big", "small", "mid"], FIRMS)],
            "turnover": turnover,
            "turnover_with_tax": turnover * 1.2,
        }
    ).write_csv(folder / "firms.csv")
    recipe = folder / "recipe.toml"
    recipe.write_text(RECIPE.format(dim=dim), encoding="utf-8")
    return recipe


def test_what_is_hidden_in_one_measure_is_hidden_in_the_other(tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path, "industry")
    outcome = pass_gate(recipe, out=tmp_path / "run").outcome
    assert outcome is not None
    hidden = [
        {row[:2] for row in pl.read_csv(tmp_path / "run" / "public" / f"release-{name}.csv").rows() if row[2] == "x"}
        for name in ("net", "gross")
    ]
    assert outcome.best.verdict is Verdict.RELEASE
    assert hidden[0] == hidden[1]
    assert hidden[0]
    assert "turnover_with_tax is nearly 1.2 times turnover" in str(outcome.best.account.as_dict())


def test_where_that_cannot_be_had_a_person_decides(tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path, "size")
    outcome = pass_gate(recipe, out=tmp_path / "run").outcome
    assert outcome is not None
    assert outcome.best.verdict is Verdict.REVIEW
    assert "what is hidden in one is not hidden in all" in outcome.best.account.describe()
