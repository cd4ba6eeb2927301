"""A recipe is read strictly whatever its shape: files beside it, and every error at once, each with its key and rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekisho.data.shape import Shape
from sekisho.errors import SettingsError
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.outcome import Verdict
from sekisho.gate.policy import POLICY_RULES, Policy
from sekisho.gate.recipe import read_recipe
from sekisho.gate.recipe_files.people_file import RecipeFile
from sekisho.gate.recipes.making import list_presets, list_sizes, merge_keys, read_preset
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.tables.recipe import TableRecipe
from sekisho.gate.tables.recipe_file import TableRecipeFile
from sekisho.protect.records.partition import Partition

RECORDS = 'shape = "records"\noriginal = "people.csv"\nkeys = ["age", "town"]\n'
HISTORY = 'rules = "pwscup2018"\noriginal = "T.csv"\n[[adversaries]]\nname = "chance"\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(text)
    return path


def list_refused(folder: Path, text: str) -> set[str]:
    with pytest.raises(SettingsError) as caught:
        read_recipe(written(folder, text))
    return {fault.column for fault in caught.value.faults}


def read_keyed(folder: Path, text: str) -> tuple[RecordsRecipe, RecipeFile]:
    recipe, file = read_recipe(written(folder, text))
    assert isinstance(recipe, RecordsRecipe)
    assert isinstance(file, RecipeFile)
    return recipe, file


def test_keys_methods_trees_and_releases_of_records(tmp_path: Path) -> None:
    recipe, file = read_keyed(
        tmp_path,
        'title = { en = "People", ja = "人々" }\n' + RECORDS + 'sensitive = ["illness"]\nrisk = 0.1\n'
        '[trees]\ntown = "town.csv"\n[[methods]]\nname = "partition"\nk = 3\nl = 2\ntrees = { age = "age.csv" }\n'
        '[[releases]]\nfile = "A.csv"\ndeleted = "X.csv"\n[guarantees]\nk = 3\nl = 2.5\nl_kind = "entropy"\n'
        '[write]\noriginal = true\nformat = "parquet"\n',
    )
    assert (recipe.called.en, recipe.called.ja) == ("People", "人々")
    assert list(recipe.methods) == ["partition k=3 tree=age l=2"]
    assert recipe.trees == {"town": tmp_path / "town.csv"}
    assert (recipe.guarantees.l, recipe.allowed) == (2.5, 0.1)
    assert file.reads == [tmp_path / name for name in ("people.csv", "A.csv", "X.csv", "town.csv", "age.csv")]
    assert (file.write.original, file.write.format) == (True, "parquet")


def test_all_errors_of_a_recipe_for_records_are_reported_at_once(tmp_path: Path) -> None:
    text = RECORDS + (
        'colour = "red"\nrisk = 0.1\nbound = "exact"\nutility = "beauty"\n[[methods]]\nname = "partitoin"\n'
        '[[methods]]\nname = "lattice"\nk = 0\n[[adversaries]]\nname = "nearest"\n[guarantees]\nk = "five"\nm = 3\n'
        '[limits]\nncpp = 1\n[policy]\n"hardly any use" = "release"\n"no such rule" = "review"\n"no attack" = "perhaps"\n'
        '[[releases]]\nfile = "A.csv"\ndeleted = "X.csv"\nordered = false\n'
    )
    assert list_refused(tmp_path, text) == {
        "colour",
        "bound",
        "utility",
        "methods.1.name",
        "methods.2.k",
        "adversaries",
        "guarantees.k",
        "guarantees.m",
        "limits.ncpp",
        "policy.no attack",
        "releases.1.ordered",
    }
    # a policy that is read as far as it goes is looked at too
    policy = '[find]\n[policy]\n"hardly any use" = "release"\n"no such rule" = "review"\n"certificate" = "refuse"\n'
    assert list_refused(tmp_path, RECORDS + policy) == {
        "policy.hardly any use",
        "policy.no such rule",
        "policy.certificate",
    }


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('original = "people.csv"\n[find]\n', {"shape"}),
        ('shape = "history"\noriginal = "T.csv"\n[find]\n', {"schema", "adversaries"}),
        ('shape = "records"\nkeys = ["a"]\n[find]\n', {"original"}),
        (RECORDS, {"methods"}),
        (RECORDS + 'sensitive = ["age"]\n[find]\n', {"keys"}),
        (RECORDS + "[find]\n[guarantees]\nt = 0.2\n", {"sensitive"}),
        (RECORDS + "[find]\nk = [5, 2]\n", {"find.k"}),
        (RECORDS + '[find]\nmethod = "noise"\n', {"find.method"}),
        (RECORDS + "[find]\n[guarantees]\nk_map = 3\n", {"guarantees.population"}),
        (RECORDS + 'release = "A.csv"\n[[releases]]\nfile = "b/A.csv"\n', {"releases"}),
        (RECORDS + 'schema = "people.toml"\nrules = "pwscup2021"\n[find]\n', {"schema", "target"}),
        ('rules = "pwscup2021"\noriginal = "B.csv"\n[[methods]]\nname = "swap"\n', {"target"}),
        ('rules = "nowhere"\noriginal = "B.csv"\n[find]\n', {"rules"}),
        ("title = 3\n" + RECORDS + "[find]\n", {"title"}),
        (RECORDS + 'preset = "nowhere"\n[find]\n', {"preset"}),
        (HISTORY + "[find]\n[guarantees]\nk = 3\n", {"guarantees.k"}),
        ('keys = ["a"]\n' + HISTORY + "[find]\n", {"keys"}),
        (HISTORY + "[find]\n[limits]\nncp = 3\n", {"limits.ncp"}),
        (HISTORY + '[[releases]]\nfile = "A.csv"\nordered = false\n', {"releases.1"}),
        (RECORDS + "[find]\n[guarantees]\nindividual = 0.1\n", {"weights"}),
    ],
)
def test_what_a_recipe_must_and_must_not_have(tmp_path: Path, text: str, columns: set[str]) -> None:
    assert list_refused(tmp_path, text) == columns


def test_the_least_k_of_a_history_is_looked_for_in_a_range(tmp_path: Path) -> None:
    recipe, _ = read_recipe(written(tmp_path, HISTORY + '[find]\nmethod = "similar-length"\nk = [2, 4]\n'))
    assert isinstance(recipe, HistoryRecipe)
    assert list(recipe.methods) == [f"similar-length k={k}" for k in (2, 3, 4)]


def test_records_are_searched_from_the_wanted_k_to_that_of_the_wanted_risk(tmp_path: Path) -> None:
    recipe, _ = read_keyed(tmp_path, RECORDS + "risk = 0.1\n[find]\n[guarantees]\nk = 8\n")
    assert list(recipe.methods) == ["partition k=8", "partition k=9", "partition k=10"]  # 1/10 is k = 10
    recipe, _ = read_keyed(
        tmp_path,
        RECORDS + 'sensitive = ["illness"]\n[find]\nmethod = "lattice"\n\n[guarantees]\nl = 3\nt = 0.4\n',
    )
    assert list(recipe.methods) == ["lattice k=2 l=3 t=0.4"]


def test_a_search_takes_what_the_recipe_says_of_the_method_and_makes_nothing_twice(tmp_path: Path) -> None:
    told = (
        RECORDS + 'sensitive = ["illness", "income"]\n[[methods]]\nname = "partition"\nk = 5\nsensitive = "illness"\n'
    )
    told += 'l = 2\n[[methods]]\nname = "suppress"\nk = 5\n[guarantees]\nk = 5\nl = 2\n'
    recipe, _ = read_keyed(tmp_path, told + "[find]\nk = [5, 7]\n")
    searched = [method for method in recipe.methods.values() if isinstance(method, Partition)]
    assert [(method.k, method.sensitive, method.l) for method in searched] == [(k, "illness", 2) for k in (5, 6, 7)]
    recipe, _ = read_keyed(tmp_path, told + '[find]\nk = [5, 6]\nsensitive = "income"\n')  # its own word holds
    searched = [method for method in recipe.methods.values() if isinstance(method, Partition)]
    assert [(method.k, method.sensitive) for method in searched] == [(5, "illness"), (5, "income"), (6, "income")]


def test_long_ranges_of_k_are_spread() -> None:
    assert list_sizes(7) == (7,)
    assert list_sizes([2, 13]) == tuple(range(2, 14))
    spread = list_sizes([2, 100])
    assert spread is not None
    assert (spread[0], spread[-1]) == (2, 100)
    assert len(spread) <= 12
    assert list(spread) == sorted(set(spread))
    for wrong in ("5", [5], [1, 3], [4, 3], [2.0, 3], None, True):
        assert list_sizes(wrong) is None


def test_presets_are_shipped_and_a_recipe_s_own_keys_win(tmp_path: Path) -> None:
    assert list_presets() == ("japan-anonymously-processed", "official-statistics-tables")
    recipe, _ = read_keyed(
        tmp_path,
        'preset = "japan-anonymously-processed"\noriginal = "people.csv"\nkeys = ["age"]\n[guarantees]\nk = 9\n',
    )
    assert recipe.guarantees.k == 9
    assert len(recipe.standards) == 5
    assert recipe.policy.verdicts["identifying column"] is Verdict.REFUSE
    table, file = read_recipe(
        written(
            tmp_path,
            'preset = "official-statistics-tables"\noriginal = "firms.csv"\nmicrodata = true\ndims = ["region"]\n'
            'value = "turnover"\ncontributor = "firm"\n',
        )
    )
    assert isinstance(table, TableRecipe)
    assert isinstance(file, TableRecipeFile)
    assert [standard.source for standard in table.standards]


def test_every_rule_of_a_preset_names_source_and_limits_and_none_promises_sufficiency_in_law(tmp_path: Path) -> None:
    for name in list_presets():
        standards = read_preset(name, tmp_path)["standards"]
        assert isinstance(standards, list)
        for one in standards:
            assert set(one) <= {"rule", "source", "helped_by", "limits"}
            assert all(one[key] for key in ("rule", "source", "limits"))
            assert not any("legally sufficient" in str(text) or "complies" in str(text) for text in one.values())


def test_a_preset_of_one_s_own_says_nothing_of_the_data(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text('original = "x.csv"\nkeys = ["a"]\n[guarantees]\nk = 4\n')
    assert list_refused(tmp_path, 'preset = "house.toml"\n' + RECORDS + "[find]\n") == {"original", "keys"}
    (tmp_path / "house.toml").write_text("[guarantees]\nk = 4\n")
    recipe, _ = read_keyed(tmp_path, 'preset = "house.toml"\n' + RECORDS + "[find]\n")
    assert recipe.guarantees.k == 4


def test_tables_of_keys_are_merged_key_by_key_and_lists_as_a_whole() -> None:
    merged = merge_keys({"a": {"x": 1, "y": 2}, "b": [1, 2]}, {"a": {"y": 3}, "b": [4]})
    assert merged == {"a": {"x": 1, "y": 3}, "b": [4]}


def test_what_keeps_people_from_harm_is_never_made_milder_than_a_review() -> None:
    for name, rule in POLICY_RULES.items():
        shape = next(iter(rule.shapes))
        told = Policy(verdicts={name: Verdict.RELEASE}).find_faults(shape)
        assert bool(told) == (rule.mildest is not Verdict.RELEASE)
        assert not Policy(verdicts={name: Verdict.REFUSE}).find_faults(shape)
        if rule.usual is Verdict.REFUSE and name != "possible risk":
            assert rule.mildest is Verdict.REVIEW
    assert Policy(verdicts={"certificate": Verdict.REVIEW}).find_faults(Shape.HISTORY)


def test_microdata_of_a_table_have_columns_of_their_own(tmp_path: Path) -> None:
    head = 'shape = "table"\noriginal = "firms.csv"\ndims = ["region"]\n'
    read_recipe(written(tmp_path, head + 'microdata = true\nvalue = "v"\ncontributor = "firm"\nrules = ["p%:10"]\n'))
    assert list_refused(tmp_path, head + 'count = "n"\ncontributor = "firm"\n') == {"contributor"}
    assert list_refused(tmp_path, head + 'microdata = true\ncount = "n"\ncontributors = ["f"]\n') == {
        "count",
        "contributors",
    }
    assert list_refused(tmp_path, head + 'count = "n"\n[limits]\nncp = 1\n') == {"limits.ncp"}
