"""A recipe for a table is read strictly: files beside it, rules as words, and every error at once."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from sekisho.errors import SettingsError
from sekisho.gate.recipe import read_recipe
from sekisho.gate.tables.recipe import TableRecipe
from sekisho.gate.tables.recipe_file import TableRecipeFile
from sekisho.gate.tables.search import TableSearch
from sekisho.tables.rules.concentration import PercentRule
from sekisho.tables.rules.table_rules import Price

START = 'shape = "table"\noriginal = "cells.csv"\ndims = ["a", "b"]\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(text)
    return path


def columns_refused(folder: Path, text: str) -> set[str]:
    with pytest.raises(SettingsError) as caught:
        read_recipe(written(folder, text))
    return {fault.column for fault in caught.value.faults}


def test_a_recipe_for_a_table_is_read_with_its_rules_searches_and_files(tmp_path: Path) -> None:
    text = START + 'value = "v"\ncontributors = ["f", "x1"]\nrules = ["p%:15"]\nwidth = 8\ncost = "value"\ntime = 20\n'
    recipe, file = read_recipe(
        written(tmp_path, text + 'insiders = 1\n[trees]\na = "tree.csv"\n[groupings]\nb = ["g.csv"]\n')
    )
    assert isinstance(recipe, TableRecipe)
    assert isinstance(file, TableRecipeFile)
    assert recipe.rules.rules == (PercentRule(p=Fraction(15)),)
    assert (recipe.rules.width, recipe.rules.cost, recipe.insiders) == (8.0, Price.VALUE, 1)
    assert recipe.searches == {"auto": TableSearch(seconds=20.0)}
    assert file.reads == [tmp_path / name for name in ("cells.csv", "tree.csv", "g.csv")]


def test_all_errors_of_a_recipe_for_a_table_are_reported_at_once(tmp_path: Path) -> None:
    text = START + (
        'rules = ["min:3", "zz:1", "p%"]\nwidth = -1\nmin_count = -1\ninsiders = -2\ntime = -1\ndecimal = ";"\n'
        'solvers = ["abacus"]\n[trees]\nc = "tree.csv"\n'
    )
    assert columns_refused(tmp_path, text) == {
        "count",
        "rules.2",
        "rules.3",
        "width",
        "min_count",
        "insiders",
        "time",
        "decimal",
        "solvers",
        "trees.c",
    }


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (START + 'count = "n"\nvalue = "v"\n', {"count"}),
        (START + 'count = "n"\nseed = 1\n', {"seed"}),  # no chance plays a part
        (START + 'count = "n"\n[[adversaries]]\nname = "prosecutor"\n', {"adversaries.1.name"}),
        ('shape = "table"\noriginal = "c.csv"\ncount = "n"\n', {"dims"}),
        ('shape = "table"\noriginal = "c.csv"\ncount = "n"\ndims = ["a", "a"]\n', {"dims"}),
        ('shape = "table"\ncount = "n"\ndims = ["a"]\n', {"original"}),
        (START + 'count = "n"\nwidth = nan\n', {"width"}),
    ],
)
def test_what_a_recipe_for_a_table_must_and_must_not_have(tmp_path: Path, text: str, columns: set[str]) -> None:
    assert columns_refused(tmp_path, text) == columns


def test_a_file_that_describes_itself_needs_no_columns(tmp_path: Path) -> None:
    _, file = read_recipe(written(tmp_path, 'shape = "table"\noriginal = "t.tab"\n'))
    assert file.original == str(tmp_path / "t.tab")


def test_a_shape_that_the_rules_do_not_have_is_refused(tmp_path: Path) -> None:
    people = (
        'rules = "pwscup2018"\noriginal = "T.csv"\n[[methods]]\nname = "groups"\n[[adversaries]]\nname = "chance"\n'
    )
    read_recipe(written(tmp_path, f'shape = "history"\n{people}'))
    assert columns_refused(tmp_path, f'shape = "records"\n{people}') == {"shape"}
    assert columns_refused(tmp_path, f'shape = "grid"\n{people}') == {"shape"}
