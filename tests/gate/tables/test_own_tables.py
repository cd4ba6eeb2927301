"""Tables of microdata, and patterns of one's own, at the gate."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from sekisho.errors import FaultsError
from sekisho.gate.outcome import Certainty, Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.gate.recipes.keys import RecipeRelease
from sekisho.gate.tables.reading import RecipeTable, choose_records
from sekisho.gate.tables.recipe import TableRecipe
from sekisho.gate.tables.recipe_file import TableRecipeFile
from sekisho.journey.candidates import run
from sekisho.report.kit.html import render_page
from sekisho.report.pages.tables.outcome import TABLE_OUTCOME_TITLE, table_outcome_blocks
from sekisho.seeds import Seed
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.source import CellSource
from sekisho.tables.files.table_form import TableForm

CELLS = pl.DataFrame({"a": ["x", "x", "y", "y"], "b": ["u", "v", "u", "v"], "n": [2, 20, 20, 20]})
SOURCE = CellSource(cells=CellFile(dims=("a", "b"), value="n"))
TABLE = CellFile(dims=("a", "b"), value="n").table(CELLS)
READ = RecipeTable(table=TABLE, source=SOURCE)
# the cell (x, u) of 2 is unsafe; a rectangle of four hides it, itself alone does not
RECTANGLE = {("x", "u"): "primary", ("x", "v"): "secondary", ("y", "u"): "secondary", ("y", "v"): "secondary"}


def write_pattern(path: Path, hidden: dict[tuple[str, str], str]) -> RecipeRelease:
    rows = [
        (*key, "" if key in hidden else f"{value:g}", hidden.get((key[0], key[1]), "safe"))
        for key, value in zip(TABLE.keys, TABLE.value.tolist(), strict=True)
    ]
    pl.DataFrame(rows, schema=["a", "b", "n", "status"], orient="row").write_csv(path)
    return RecipeRelease(file=str(path))


def read_table_recipe(folder: Path, text: str) -> tuple[TableRecipe, TableRecipeFile]:
    (folder / "recipe.toml").write_text(text)
    recipe, file = read_recipe(folder / "recipe.toml")
    assert isinstance(recipe, TableRecipe)
    assert isinstance(file, TableRecipeFile)
    return recipe, file


def test_patterns_of_one_s_own_are_audited_beside_those_that_are_found(tmp_path: Path) -> None:
    releases = [
        write_pattern(tmp_path / "good.csv", RECTANGLE),
        write_pattern(tmp_path / "bad.csv", {("x", "u"): "primary"}),
    ]
    recipe, _ = read_table_recipe(
        tmp_path, 'shape = "table"\noriginal = "t.csv"\ndims = ["a", "b"]\ncount = "n"\nrelease = "good.csv"\n'
    )
    assert not recipe.searches  # a pattern is given and nobody is asked to search
    stage = recipe.make_stage(TABLE, counts=True, patterns=READ.read_patterns(releases))
    *_, last = run(stage, seed=Seed(0))
    good, bad = last.outcome.candidates
    assert (good.label, good.verdict, [one.rule for one in good.reasons]) == (
        "good.csv",
        Verdict.REVIEW,
        ["certificate"],
    )
    assert good.statements[0].standing is Certainty.PROMISED
    assert (bad.verdict, bad.statements[0].standing) == (Verdict.REFUSE, Certainty.REFUTED)
    assert last.outcome.best is good


def test_a_found_pattern_is_proven_by_its_certificate_and_limits_decide(tmp_path: Path) -> None:
    text = 'shape = "table"\noriginal = "t.csv"\ndims = ["a", "b"]\ncount = "n"\n'
    recipe, _ = read_table_recipe(tmp_path, text)
    *_, last = run(recipe.make_stage(TABLE, counts=True), seed=Seed(0))
    best = last.outcome.best
    assert (best.verdict, best.statements[0].standing) == (Verdict.RELEASE, Certainty.PROVEN)
    recipe, _ = read_table_recipe(tmp_path, text + "[limits]\nsecondary = 2\nhidden = 0.9\n")
    *_, last = run(recipe.make_stage(TABLE, counts=True), seed=Seed(0))
    assert [(one.rule, one.detail) for one in last.outcome.best.reasons] == [
        ("limit exceeded", "secondary is 3, at most 2 leaves unseen")
    ]


def test_patterns_of_other_tables_are_reported_at_once(tmp_path: Path) -> None:
    releases = [write_pattern(tmp_path / name, RECTANGLE) for name in ("one.csv", "two.csv")]
    other = CellFile(dims=("a", "b"), value="n").table(CELLS.with_columns(pl.Series("a", ["x", "x", "z", "z"])))
    with pytest.raises(FaultsError) as caught:
        RecipeTable(table=other, source=SOURCE).read_patterns(releases)
    assert all(name in str(caught.value.faults) for name in ("one.csv", "two.csv"))


def test_firms_by_region_are_tabulated_with_who_contributes(tmp_path: Path) -> None:
    # region s: firm F gives 90 + 5 in two plants, G 5; firm F is 95 % of it; region t: three equal firms
    firms = pl.DataFrame(
        {
            "firm": ["F", "F", "G", "P", "Q", "R"],
            "region": ["s", "s", "s", "t", "t", "t"],
            "turnover": [90, 5, 5, 10, 10, 10],
        }
    )
    recipe, file = read_table_recipe(
        tmp_path,
        'shape = "table"\noriginal = "firms.csv"\nmicrodata = true\ndims = ["region"]\nvalue = "turnover"\n'
        'contributor = "firm"\nrules = ["nk:1,90"]\n',
    )
    records = choose_records(file, TableForm())
    assert records.numbers == ["turnover"]
    table = records.tabulation(firms, tmp_path).table(firms)
    assert dict(zip(table.keys, table.value.tolist(), strict=True)) == {("Total",): 130.0, ("s",): 100.0, ("t",): 30.0}
    place = table.position["s",]
    assert table.frequency[place] == 2
    assert table.largest[place].tolist()[:2] == [95.0, 5.0]
    flagged = recipe.rules.flag(table, counts=False)
    assert [key for key, unsafe in zip(table.keys, flagged.primary.tolist(), strict=True) if unsafe] == [("s",)]


def test_a_pattern_that_a_policy_releases_without_a_certificate_is_not_called_proven(tmp_path: Path) -> None:
    release = write_pattern(tmp_path / "good.csv", RECTANGLE)
    recipe, _ = read_table_recipe(
        tmp_path,
        'shape = "table"\noriginal = "t.csv"\ndims = ["a", "b"]\ncount = "n"\nrelease = "good.csv"\n[policy]\n'
        'certificate = "release"\n"disclosed cell" = "review"\n"narrow interval" = "review"\n',
    )
    stage = recipe.make_stage(TABLE, counts=True, patterns=READ.read_patterns([release]))
    *_, last = run(stage, seed=Seed(0))
    assert last.outcome.verdict is Verdict.RELEASE
    shown = render_page(TABLE_OUTCOME_TITLE, table_outcome_blocks(stage, last.outcome))
    assert "no certificate proves it" in shown
    assert "the certificate proves it" not in shown
    bad = write_pattern(tmp_path / "bad.csv", {("x", "u"): "primary"})
    stage = recipe.make_stage(TABLE, counts=True, patterns=READ.read_patterns([bad]))
    *_, last = run(stage, seed=Seed(0))
    assert last.outcome.verdict is Verdict.REVIEW
    assert "leaves the decision to a person" in render_page(
        TABLE_OUTCOME_TITLE, table_outcome_blocks(stage, last.outcome)
    )
