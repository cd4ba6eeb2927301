"""Files whose release was green and must not be: each is asked as its holder would, and the answer names why not.

The files are made up (``../shared/data/account``, whose README tells the truth about each). A case is the command or
the recipe that was once answered with status 0. What must come instead is status 3 or 1, and a sentence that names
the columns, people or cells; where the program has learnt to protect such a file, what it protects is counted here.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of

Ask = Callable[..., tuple[int, dict[str, Any]]]

PARTITION = '[[methods]]\nname = "partition"\n'
ALONE = ("birth_date", "income")
"""Columns of the files of 300 people by which nearly everybody stands alone."""
NOTHING_CHANGED: Mapping[str, tuple[str, ...]] = {
    "borrow": ("--limit", "0"),
    "delete": ("--few", "0", "--limit", "100000"),
    "delete-extremes": ("--top", "age=200"),
    "delete-random": ("--share", "0"),
    "lattice": ("--keys", "sex"),
    "microaggregate": ("--keys", "age"),
    "noise": ("--epsilon", "income=100000"),
    "partition": ("--keys", "sex,nuts3", "--k", "5"),
    "randomise": ("--keep", "1"),
    "sample": ("--size", "299"),
    "suppress": ("--keys", "sex"),
    "code": ("--round", "age=10"),
}
"""By method the parameters with which nearly all of the original left."""


@pytest.fixture
def folder(shared: Callable[[str], Path], tmp_path: Path) -> Path:
    """Copy the files to a folder that may be written."""
    for path in shared("account").glob("*.csv"):
        shutil.copyfile(path, tmp_path / path.name)
    return tmp_path


@pytest.fixture
def ask(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Run a command in the folder; return its status and what it answers."""
    monkeypatch.chdir(folder)

    def run(*words: str) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        status = status_of([*words, "--json"])
        return status, json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def gate(ask: Ask, folder: Path) -> Ask:
    """Write a recipe into the folder and take it through the gate."""

    def run(text: str, *, name: str = "recipe") -> tuple[int, dict[str, Any]]:
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
        return ask(
            "gate", f"{name}.toml", "--out", f"out-{name}", *([] if 'shape = "table"' in text else ["--seed", "1"])
        )

    return run


def list_open(answer: Mapping[str, Any]) -> dict[str, str]:
    """Return by column or attacker why it is open."""
    return {
        entry.get("column") or entry["attacker"]: str(entry["by"])
        for entry in answer["account"]
        if entry["cover"] == "open"
    }


@pytest.mark.parametrize("method", NOTHING_CHANGED)
def test_columns_of_which_nobody_speaks_keep_a_release_back(method: str, ask: Ask) -> None:
    words = ("--id", "person_id", *NOTHING_CHANGED[method], "--seed", "1", "--out", "R.csv")
    status, answer = ask("protect", method, "P.csv", *words)
    assert status == 3
    assert {*ALONE} <= list_open(answer).keys()
    assert "(300 of 300 people stand alone by it)" in answer["account_words"] or method == "sample"


def test_a_single_column_that_tells_everybody_apart_is_open(ask: Ask) -> None:
    words = ("--id", "person_id", "--columns", "income", "--p", "1", "--seed", "1", "--out", "R.csv")
    status, answer = ask("protect", "rankswap", "P.csv", *words)
    assert status == 3
    assert [*list_open(answer)] == ["income"]


@pytest.mark.parametrize("name", ["clinic", "rep2", "visits_ward"])
def test_what_is_learnt_of_people_with_many_rows_is_open(name: str, ask: Ask) -> None:
    """``clinic`` and ``rep2`` were called one row a person; in ``visits_ward`` the ward tells the diagnosis."""
    people = {"clinic": 60, "rep2": 10, "visits_ward": 84}[name]
    status, answer = ask("init", f"{name}.csv", "--out", "init.toml")
    assert (status, answer["shape"]) == (0, "history")
    status, answer = ask("gate", "init.toml", "--out", "out", "--seed", "1")
    assert status == 3
    assert answer["unit"]["people"] == people
    assert [*list_open(answer)] == ["illness" if name == "rep2" else "diagnosis"]


@pytest.mark.parametrize("name", ["households", "families"])
def test_households_are_counted(name: str, ask: Ask, folder: Path) -> None:
    ask("init", f"{name}.csv", "--out", "init.toml")
    status, answer = ask("gate", "init.toml", "--out", "out", "--seed", "1")
    assert status == 3
    assert "household" in " ".join(map(str, answer["reasons"]))
    assert "FAMH0" not in (folder / "out" / "confidential" / "proposed" / "release.csv").read_text("utf-8")


def test_a_recipe_without_a_schema_leaves_columns_open(gate: Ask) -> None:
    status, answer = gate(
        f'shape = "records"\noriginal = "pn.csv"\nkeys = ["sex", "nuts3"]\n[guarantees]\nk = 5\n{PARTITION}'
    )
    assert status == 3
    assert {*ALONE, "age", "occupation", "education", "illness"} == list_open(answer).keys()


def test_a_sensitive_column_without_a_guarantee_is_open(gate: Ask) -> None:
    roles = 'keys = ["sex", "nuts3"]\nsensitive = ["illness"]\n'
    status, answer = gate(f'shape = "records"\noriginal = "h.csv"\n{roles}[guarantees]\nk = 5\n{PARTITION}')
    assert status == 3
    assert "what is learnt" in list_open(answer)["illness"]


def test_an_empty_cell_is_no_second_value(gate: Ask) -> None:
    roles = 'keys = ["sex", "town"]\nsensitive = ["illness"]\n'
    status, answer = gate(f'shape = "records"\noriginal = "m.csv"\n{roles}[guarantees]\nk = 5\nl = 2\n{PARTITION}')
    assert status == 1
    assert "distinct diversity 1, 2 is asked for" in str(answer["reasons"])


def test_an_allowance_is_a_sentence(gate: Ask) -> None:
    text = f'shape = "records"\noriginal = "P.csv"\nkeys = ["sex", "nuts3"]\n[guarantees]\nk = 5\n{PARTITION}'
    status, answer = gate(f'{text}[allowed_columns]\nperson_id = "x"\n')
    assert status == 2
    assert "20 letters" in str(answer["error"])


REGISTER = '[register]\nfolder = "register"\nkey = "register.key"\npopulation = "{population}"\n{more}'


@pytest.fixture
def release(ask: Ask, gate: Ask) -> Ask:
    """Take a file of people through the gate beside one register, as the proposed schema says."""
    ask("register", "start", "register", "--key", "register.key")

    def run(name: str, population: str = "pop", more: str = "") -> tuple[int, dict[str, Any]]:
        ask("init", f"{name}.csv", "--out", f"{name}.toml")
        text = f'shape = "records"\noriginal = "{name}.csv"\nschema = "{name}.schema.toml"\n'
        register = REGISTER.format(population=population, more=more)
        return gate(f"{text}[guarantees]\nk = 5\nl = 2\n{PARTITION}{register}", name=f"{name}-{population}-{len(more)}")

    return run


def test_who_left_is_the_difference_of_two_files(release: Ask) -> None:
    assert release("w1")[0] == 0
    status, answer = release("w2")
    assert status == 1
    assert "1 row stands in" in str(answer["reasons"])


@pytest.mark.parametrize("more", ["", "like_last = true\n"])
def test_who_came_is_the_difference_of_two_files(more: str, release: Ask) -> None:
    assert release("joiner_before")[0] == 0
    status, answer = release("joiner_after", more=more)
    assert status == 1
    assert "the row of one person" in str(answer["reasons"])


@pytest.mark.parametrize(("name", "population"), [("w1", "Pop"), ("w3", "pop")])
def test_the_same_people_in_another_spelling_are_no_others(name: str, population: str, release: Ask) -> None:
    assert release("w1")[0] == 0
    status, answer = release(name, population)
    assert status == 3
    assert "earlier releases" in answer["account_words"]


def test_hidden_counts_do_not_follow_for_who_knows_that_they_are_whole(ask: Ask, folder: Path) -> None:
    table = ("--dims", "a,b,c", "--count", "n")
    words = ("--min-count", "3", "--width", "2", "--cost", "value", "--time", "20", "--out", "pattern.csv")
    status, answer = ask("table", "suppress", "y.csv", *table, *words)
    if status == 3:  # in less time than this it may not be proven
        assert "whole" in answer["account_words"]
        return
    assert status == 0
    assert "who know that cells are whole" in str(answer["ending"])
    _, audit = ask("table", "audit", "y.csv", "--pattern", "pattern.csv", *table, "--integer", "--width", "2")
    assert audit["disclosed"] == 0
    assert {row["status"] for row in read_rows(folder / "pattern.csv")} > {"primary"}


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def test_cells_of_one_firm_are_hidden_where_a_column_says_whose_rows_are(ask: Ask, folder: Path) -> None:
    words = ("--microdata", "--dims", "region,ind", "--value", "turnover", "--rule", "p%:15", "--rule", "min:3")
    status, answer = ask("table", "suppress", "f2.csv", *words, "--out", "pattern.csv")
    assert answer["unit"]["who"] == "firm"
    firms = count_owners(folder / "f2.csv", "firm", ("region", "ind"))
    shown = {(row["region"], row["ind"]) for row in read_rows(folder / "pattern.csv") if row["status"] == "safe"}
    assert status in {0, 3}
    assert all(firms[cell] >= 3 for cell in shown)


def count_owners(path: Path, owner: str, dimensions: tuple[str, ...]) -> Counter[tuple[str, ...]]:
    """Count the owners of the rows of every cell of a table with margins."""
    cells = set[tuple[str, ...]]()
    for row in read_rows(path):
        choices = [(row[name], "Total") for name in dimensions]
        cells |= {(first, second, row[owner]) for first in choices[0] for second in choices[1]}
    return Counter(cell[:-1] for cell in cells)


def test_no_firm_is_a_dimension_by_itself(ask: Ask, folder: Path) -> None:
    ask("init", "f2.csv", "--shape", "table", "--out", "init.toml")
    ask("gate", "init.toml", "--out", "out", "--seed", "1")
    public = "".join(path.read_text("utf-8") for path in (folder / "out" / "public").glob("*.csv"))
    assert all(row["firm"] not in public for row in read_rows(folder / "f2.csv"))


def test_patients_are_counted_where_a_column_says_whose_rows_are(ask: Ask, folder: Path) -> None:
    status, _ = ask("table", "suppress", "p2.csv", "--microdata", "--dims", "region,sex", "--out", "pattern.csv")
    assert status == 3
    assert {row["status"] for row in read_rows(folder / "pattern.csv")} <= {"primary", "secondary"}


def test_a_minimum_that_nothing_breaks_asks_for_nothing(ask: Ask) -> None:
    table = ("t.csv", "--dims", "region,job", "--count", "n")
    status, answer = ask("table", "suppress", *table, "--min-count", "1", "--out", "pattern.csv")
    assert status == 3
    assert "no rule says which cells are unsafe" in answer["account_words"]
    status, answer = ask("table", "round", *table, "--base", "2", "--out", "rounded.csv")
    assert status == 3
    assert "to within 1" in str(answer["ending"])


def test_labels_of_a_tree_list_nobody(ask: Ask) -> None:
    tree = ("--tree", "age=tree_names.csv", "--seed", "1", "--out", "R.csv")
    keys = ("--keys", "age", "--columns", "age", "--k", "5")
    status, answer = ask("protect", "lattice", "people2.csv", "--id", "person_id", *keys, *tree)
    assert status == 3
    assert answer["identifying"] == ["age"]


def test_weights_of_everybody_are_open_or_do_not_leave(gate: Ask, ask: Ask, folder: Path) -> None:
    ask("init", "weights.csv", "--out", "proposed.toml")
    roles = 'keys = ["sex", "region", "age"]\nsensitive = ["illness"]\nweights = "weight"\n'
    status, answer = gate(
        f'shape = "records"\noriginal = "weights.csv"\n{roles}[guarantees]\nk = 5\nl = 2\n{PARTITION}'
    )
    assert status == 3
    assert "weight" in list_open(answer)
    assert not [*(folder / "out-recipe" / "public").glob("release*")]


def test_an_order_that_is_only_said_is_refused(gate: Ask, ask: Ask) -> None:
    ask("init", "people2.csv", "--out", "proposed.toml")
    text = 'shape = "records"\noriginal = "people2.csv"\nschema = "people2.schema.toml"\n[guarantees]\nk = 5\nl = 2\n'
    releases = '[[releases]]\nlabel = "outside"\nfile = "people2_shuffled.csv"\nordered = true\n'
    status, answer = gate(text + releases)
    assert status == 2
    assert "people2_shuffled.csv" in str(answer["error"])


def test_measures_that_follow_from_each_other_hide_the_same(gate: Ask, folder: Path) -> None:
    head = 'shape = "table"\noriginal = "firms_vat.csv"\nmicrodata = true\ncontributor = "firm"\n'
    rules = 'rules = ["p%:15", "min:3"]\ninsiders = 1\n'
    tables = "".join(
        f'[[tables]]\nname = "{name}"\ndims = ["industry", "size"]\nvalue = "{value}"\n'
        for name, value in (("net", "turnover"), ("gross", "turnover_with_tax"))
    )
    status, _ = gate(head + rules + tables)
    public = folder / "out-recipe" / "public"
    if status:
        assert status in {1, 3}
        assert not [*public.glob("release*")]
        return
    hidden = [
        {(row["industry"], row["size"]) for row in read_rows(public / f"release-{name}.csv") if "x" in row.values()}
        for name in ("net", "gross")
    ]
    assert hidden[0] == hidden[1] != set()
