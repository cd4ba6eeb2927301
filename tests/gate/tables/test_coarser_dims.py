"""A dimension told more coarsely has the cells of its tree above the cut, of records and of finished cells alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import ParameterError, SettingsError
from sekisho.gate.advice.changes import Change
from sekisho.gate.advice.proposals import list_changes
from sekisho.gate.tables.coarser_dims import cut_tree, join_parts, rank_branches
from sekisho.gate.tables.stage import TableStage
from sekisho.journey.entry import ReadRecipe

TREE = "node,parent\nN,Total\nS,Total\nn1,N\nn2,N\ns1,S\ns2,S\ns3,S\n"
RECORDS = [
    *(("n1", "m", 9), ("n1", "f", 8), ("n2", "m", 2), ("n2", "f", 7), ("s1", "m", 6)),
    *(("s1", "f", 7), ("s2", "m", 9), ("s2", "f", 9), ("s3", "m", 8), ("s3", "f", 7)),
]
RECIPE = """shape = "table"
original = "people.csv"
microdata = true
dims = ["town", "sex"]
min_count = 5
width = 3

[trees]
town = "towns.csv"
"""


def write_case(folder: Path, more: str = "") -> Path:
    rows = [f"{town},{sex}" for town, sex, count in RECORDS for _ in range(count)]
    (folder / "people.csv").write_text("town,sex\n" + "\n".join(rows) + "\n")
    (folder / "towns.csv").write_text(TREE)
    (folder / "recipe.toml").write_text(RECIPE + more)
    return folder / "recipe.toml"


def open_stage(recipe: Path) -> TableStage:
    stage = ReadRecipe.read(recipe).open().stage
    assert isinstance(stage, TableStage)
    return stage


def list_values(stage: TableStage) -> dict[tuple[str, ...], float]:
    return dict(zip(stage.table.keys, stage.table.value.tolist(), strict=True))


@pytest.mark.parametrize(
    ("more", "towns"),
    [
        ("[coarser]\ntown = 1\n", {"Total", "N", "S"}),
        ('[coarser]\ntown = ["N"]\n', {"Total", "N", "S", "s1", "s2", "s3"}),
        ("", {"Total", "N", "S", "n1", "n2", "s1", "s2", "s3"}),
    ],
)
def test_records_are_counted_with_the_code_that_is_told(more: str, towns: set[str], tmp_path: Path) -> None:
    fine = list_values(open_stage(write_case(tmp_path)))
    coarse = list_values(open_stage(write_case(tmp_path, more)))
    assert {key[0] for key in coarse} == towns
    assert coarse == {key: value for key, value in fine.items() if key[0] in towns}


def test_finished_cells_of_finer_codes_are_left_out(tmp_path: Path) -> None:
    fine = list_values(open_stage(write_case(tmp_path)))
    lines = [f"{town},{sex},{value:.0f}" for (town, sex), value in fine.items()]
    (tmp_path / "cells.csv").write_text("town,sex,n\n" + "\n".join(lines) + "\n")
    text = RECIPE.replace('"people.csv"\nmicrodata = true', '"cells.csv"\ncount = "n"') + "[coarser]\ntown = 1\n"
    (tmp_path / "cells.toml").write_text(text)
    coarse = list_values(open_stage(tmp_path / "cells.toml"))
    assert coarse == {key: value for key, value in fine.items() if key[0] in {"Total", "N", "S"}}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("[coarser]\ntown = 2\n", "coarser.town must lie between 1 and 1: one level of the tree must stay, not 2"),
        ('[coarser]\ntown = ["n1"]\n', "coarser.town must be a number of levels, or codes of the tree .* not 'n1'"),
        ('[coarser]\ntown = ["Total"]\n', "the total apart, not 'Total'"),
        ("[coarser]\ntown = true\n", "coarser.town must be a number of levels"),
        ("[coarser]\nsex = 1\n", "coarser.sex must be of a dimension with a tree"),
    ],
)
def test_what_does_not_suit_a_tree_is_refused(more: str, words: str, tmp_path: Path) -> None:
    with pytest.raises((ParameterError, SettingsError), match=words):
        open_stage(write_case(tmp_path, more))


def test_files_of_finer_cells_and_other_commands_refuse_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = write_case(tmp_path, "[coarser]\ntown = 1\n")
    assert status_of(["table", "suppress", str(recipe), "--out", str(tmp_path / "out.csv")]) == 2
    assert "coarser must be given to sekisho gate only" in capsys.readouterr().err
    recipe.write_text('frozen = "towns.csv"\n' + recipe.read_text())
    with pytest.raises(SettingsError, match="not be given together with frozen, apriori or releases"):
        open_stage(recipe)


def test_a_tree_of_uneven_depth_is_cut_below_a_level() -> None:
    tree = Tree.of([("a", "T"), ("b", "T"), ("a1", "a"), ("a2", "a"), ("a11", "a1"), ("a12", "a1")])
    joined = join_parts(tree, ["a1"])
    assert joined == {"a11": "a1", "a12": "a1"}
    assert set(cut_tree(tree, joined).leaves) == {"b", "a1", "a2"}
    assert join_parts(tree, ["a"]) == {"a1": "a", "a2": "a", "a11": "a", "a12": "a"}


def test_changes_name_the_level_and_the_branches_with_unsafe_parts(tmp_path: Path) -> None:
    """Only n2 of the men (2) is unsafe: it is a part of N alone, so that no branch is worth a try by itself."""
    recipe = write_case(tmp_path)
    stage = open_stage(recipe)
    tree = read_tree(tmp_path / "towns.csv")
    assert stage.flagged is not None
    assert list(rank_branches(tree, stage.flagged, "town")) == [("N", 1)]
    settings: dict[str, object] = {"trees": {"town": "towns.csv"}, "microdata": True, "dims": ["town", "sex"]}
    assert list_coarser(list_changes(stage, settings, tmp_path)) == [1]
    assert not list_coarser(list_changes(stage, settings | {"frozen": "p.csv"}, tmp_path))
    assert not list_coarser(list_changes(stage, settings | {"coarser": {"town": 1}}, tmp_path))


def list_coarser(changes: tuple[Change, ...]) -> list[object]:
    return [edit.value for one in changes for edit in one.edits if edit.place == ("coarser", "town") and edit.value]
