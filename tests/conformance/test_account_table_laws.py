"""Laws of the account of tables, for every way to publish one, every primary rule and every door there is.

1. One more column, of which nobody says anything: nothing of it is published, and where it leaves open whose the rows
   are, or becomes a dimension that names them, the table does not leave.
2. Rules and parameters that forbid nothing are never better than the table itself, which does not leave.
3. Other names of columns and codes, another order of rows, one more column of one value: the same verdict.
4. A rule or an attacker that is taken out never makes a verdict good that was none; a smaller demand does not without
   saying so.
5. What ``table verify`` calls valid is counted again, here by programs that share nothing with the house.

The sixth law, no green answer that brute force refutes, is the campaign ``verify/account_tables.py``.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from tests.conformance.table_doors import (
    METHOD_NAMES,
    PARAMETERS,
    TABLE_DOORS,
    USUAL,
    TableQuestion,
    ask_command,
    make_firms,
    make_people,
    read_public,
    write_table,
)

from account_tables import list_table_refutations, read_shown
from sekisho.cli import status_of
from sekisho.seeds import Seed
from sekisho.tables.rules import CELL_RULES
from table_trials import Demand, TableTrial

BOTH = tuple(product(METHOD_NAMES, TABLE_DOORS))
OF_SUMS = ("suppress", "intervals")
"""Ways that publish sums of firms; the others publish counts, or nothing that is unsafe."""
RULES: Mapping[str, tuple[str, bool]] = {
    "min": ("min:3", True),
    "nk": ("nk:2,85", True),
    "p%": ("p%:15", True),
    "pq": ("pq:15,100", True),
    "request": ("request:70,3", False),
    "zeros": ("zeros", False),
}
"""By primary rule its word, and whether it protects cells of one and of two by itself; whoever adds one adds a line."""
NOTHING_FORBIDDEN: Mapping[str, tuple[Mapping[str, object], tuple[str, ...]]] = {
    "no minimum": ({"min_count": 0}, ()),
    "a minimum of one": ({"min_count": 1}, ()),
    "a minimum of two": ({"min_count": 2}, ()),
    "a rule of one": ({"min_count": 0}, ("min:1",)),
    "zeros alone": ({"min_count": 0}, ("zeros",)),
}
WEAK_PARAMETERS: Mapping[str, Mapping[str, object]] = {"round": {"base": 2}}
"""By way to publish the parameters with which it hardly changes anything; the others have none that do so."""


def read_answer(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return the last answer."""
    return json.loads(capsys.readouterr().out.strip().splitlines()[-1])


def list_covers(answer: Mapping[str, Any]) -> dict[str, str]:
    """Return by attacker what covers it."""
    return {row["attacker"]: row["cover"] for row in cast("Sequence[Mapping[str, str]]", answer["account"])}


@pytest.fixture(autouse=True)
def draw_known_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the same keys in every run: the operating system's may by bad luck leave a cell too narrow (status 1)."""
    monkeypatch.setattr(os, "urandom", np.random.default_rng(1).bytes)


@pytest.mark.parametrize(("method", "door"), BOTH)
def test_nothing_is_published_of_a_column_of_which_nobody_speaks(method: str, door: str, tmp_path: Path) -> None:
    question, ask = make_people(method), TABLE_DOORS[door]
    notes = [f"q{code}w" for code in Seed(5).rng().permutation(9 * len(question.rows))[: len(question.rows)].tolist()]
    status = ask(question.with_column("note", notes), tmp_path)
    assert status == USUAL.get(method, 0)
    published = read_public(tmp_path, door) if status == 0 else ""
    assert "note" not in published
    assert not any(note in published for note in notes)


@pytest.mark.parametrize(("method", "door"), BOTH)
def test_a_table_of_rows_that_may_be_anybodys_never_leaves(method: str, door: str, tmp_path: Path) -> None:
    """Codes that two rows share each may tell contributors apart, and nothing else says whose the rows are."""
    question = make_people(method)
    bare = replace(question, rows=[{name: row[name] for name in question.dims} for row in question.rows])
    assert TABLE_DOORS[door](bare, tmp_path) == USUAL.get(method, 0)
    codes = [f"A{1000 + row // 2}" for row in range(len(bare.rows))]
    (tmp_path / "other").mkdir()
    assert TABLE_DOORS[door](bare.with_column("nr", codes), tmp_path / "other") == 3


@pytest.mark.parametrize(("method", "door"), BOTH)
def test_a_table_whose_dimension_names_contributors_never_leaves(method: str, door: str, tmp_path: Path) -> None:
    question = make_people(method)
    few = [{**row, "person_id": f"P{100 + at % 9}"} for at, row in enumerate(question.rows)]
    for contributor in ("", "person_id", "row=each row is a person of their own by law"):
        asked = replace(question, rows=few, dims=("person_id", "sex")).ask_for(contributor=contributor or None)
        assert TABLE_DOORS[door](asked, tmp_path) in {1, 2, 3}, contributor


@pytest.mark.parametrize("owner", ["firm", "patient_id", "企業番号"])
def test_a_proposal_makes_no_dimension_of_contributors(owner: str, tmp_path: Path) -> None:
    firms = make_firms()
    rows = [{owner if name == "firm" else name: value for name, value in row.items()} for row in firms.rows]
    write_table(replace(firms, rows=rows), tmp_path)
    words = ("init", str(tmp_path / "table.csv"), "--shape", "table", "--out", str(tmp_path / "init.toml"))
    assert status_of([*words, "--json"]) in {0, 3}
    assert owner not in tomllib.loads((tmp_path / "init.toml").read_text("utf-8"))["dims"]


@pytest.mark.parametrize("demand", NOTHING_FORBIDDEN)
@pytest.mark.parametrize("method", METHOD_NAMES)
def test_rules_that_forbid_nothing_protect_nothing(
    method: str, demand: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question = make_people(method)
    asked, rules = NOTHING_FORBIDDEN[demand]
    alone = [row for row in question.rows if row["town"] != "Ried" or row["sex"] != "f"]
    one = [*alone, {"person_id": "P1", "town": "Ried", "sex": "f"}]
    for rows in (question.rows, one):
        folder = tmp_path / str(len(rows))
        folder.mkdir()
        status = ask_command(replace(question, rows=rows, rules=rules).ask_for(**asked), folder)
        assert status in {1, 2, 3}, (method, demand, len(rows))
        if status == 3:
            assert list_covers(read_answer(capsys))["reader of the shown cells"] == "open"


@pytest.mark.parametrize("door", TABLE_DOORS)
@pytest.mark.parametrize("method", METHOD_NAMES)
def test_parameters_that_change_hardly_anything_protect_nothing(method: str, door: str, tmp_path: Path) -> None:
    question = make_people(method)
    weak = WEAK_PARAMETERS.get(method)
    if weak is not None:
        assert TABLE_DOORS[door](replace(question, parameters=weak), tmp_path) == 3
    # without a rule even what changes much is a person's decision
    assert TABLE_DOORS[door](question.ask_for(min_count=0), tmp_path) != 0


@pytest.mark.parametrize("account", ["closed", "open"])
@pytest.mark.parametrize(("method", "door"), BOTH)
def test_names_order_and_a_constant_change_no_verdict(method: str, door: str, account: str, tmp_path: Path) -> None:
    question, ask = make_people(method), TABLE_DOORS[door]
    if account == "open":  # of counts below two there are none, which leaves one way nothing to do
        question = question.ask_for(min_count=4 if method in USUAL else 2)
    usual = ask(question, tmp_path)
    assert usual == (USUAL.get(method, 0) if account == "closed" else 3)
    order = Seed(3).rng().permutation(len(question.rows)).tolist()
    shuffled = replace(question, rows=[question.rows[row] for row in order])
    constant = shuffled.with_column("ward", ["A"] * len(question.rows))
    for number, other in enumerate((constant, rename(question))):
        (tmp_path / str(number)).mkdir()
        assert ask(other, tmp_path / str(number)) == usual


def rename(question: TableQuestion) -> TableQuestion:
    """Return a question whose dimensions and codes are called otherwise, and stand in another order."""
    names = {name: f"{name}_2" for name in question.dims}
    rows = [
        {names.get(name, name): f"q{value}" if name in names else value for name, value in [*row.items()][::-1]}
        for row in question.rows
    ]
    return replace(question, rows=rows, dims=tuple(names[name] for name in question.dims))


@pytest.mark.parametrize("name", RULES)
def test_every_rule_alone_says_whether_it_forbids_anything(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rule that protects cells of one and of two closes the account by itself; another one is named as weak."""
    word, is_enough = RULES[name]
    question = replace(make_firms(), rules=(word,))
    if name == "request":
        rows = [{**row, "asked": int(row["firm"] == "F100")} for row in question.rows]
        question = replace(question, rows=rows).ask_for(request="asked")
    assert ask_command(question, tmp_path) == (0 if is_enough else 3)
    cells = list_covers(read_answer(capsys))["reader of the shown cells"]
    assert cells == ("proven" if is_enough else "open")


@pytest.mark.parametrize("method", OF_SUMS)
def test_a_rule_that_is_taken_out_makes_no_verdict_better(
    method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("p%:15", "min:3", "zeros")
    for rules in (words, *(tuple(word for word in words if word != out) for out in words), ("zeros",), ()):
        status = ask_command(replace(make_firms(method), rules=rules), tmp_path)
        answer = read_answer(capsys)
        if {"p%:15", "min:3"} & {*rules}:  # what is left is named beside the verdict
            seen = next(row["by"] for row in answer["account"] if row["attacker"] == "reader of the shown cells")
            assert status in {0, 3}
            assert [word for word in words if word in seen] == list(rules)
        else:
            assert status in {2, 3}


@pytest.mark.parametrize("door", TABLE_DOORS)
@pytest.mark.parametrize("make", [make_people, make_firms])
def test_an_attacker_who_is_taken_out_makes_no_verdict_better(
    make: Callable[[str], TableQuestion], door: str, tmp_path: Path
) -> None:
    question = make("suppress")
    ask = TABLE_DOORS[door]
    assert ask(question, tmp_path) == 0
    assert ask(question.ask_for(insiders=0), tmp_path) == 3


def test_a_smaller_width_makes_no_verdict_good_that_does_not_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No cell that is shown in fives is uncertain by 9; where less is asked for, the answer says how much."""
    question = make_people("round")
    assert ask_command(question.ask_for(width=9), tmp_path) in {1, 2}
    capsys.readouterr()
    assert ask_command(question.ask_for(width=4), tmp_path) == 0
    rules = next(row["by"] for row in read_answer(capsys)["account"] if row["attacker"] == "reader of the shown cells")
    assert "width=4" in rules


@pytest.mark.parametrize("make", [make_people, make_firms])
@pytest.mark.parametrize("method", METHOD_NAMES)
def test_what_is_valid_is_safe_when_it_is_counted_by_plain_python(
    method: str, make: Callable[[str], TableQuestion], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question = make(method)
    status = ask_command(question, tmp_path)
    if method in {"perturb", "round"} and question.value:  # they publish counts
        assert status in {1, 2}
        return
    assert status == USUAL.get(method, 0)
    capsys.readouterr()
    certificate = tmp_path / "out.csv.certificate.json"
    assert status_of(["table", "verify", str(certificate), "--json"]) in {0, 3}
    assert read_answer(capsys)["valid"]
    if status == 0 and method != "perturb":
        trial = make_trial(question)
        shown = read_shown(trial, tmp_path / "public.csv")
        assert not list(list_table_refutations(trial, shown))
        assert list(list_table_refutations(trial, dict.fromkeys(shown, (2.0, 2.0))))  # and it sees what is wrong


def make_trial(question: TableQuestion) -> TableTrial:
    """Return a question as the campaign of brute force knows it."""
    codes = tuple(tuple(sorted({str(row[dim]) for row in question.rows})) for dim in question.dims)
    owner = question.columns[0]
    gave: dict[tuple[str, ...], dict[str, float]] = {}
    for row in question.rows:
        cell = gave.setdefault(tuple(str(row[dim]) for dim in question.dims), {})
        gift = float(str(row[question.value])) if question.value else 1.0
        cell[str(row[owner])] = cell.get(str(row[owner]), 0.0) + gift
    demand = Demand(
        rules=question.rules,
        min_count=cast("int | None", question.asked.get("min_count")),
        width=None,
        insiders=None,
        method=question.method,
        base=cast("int", question.parameters.get("base", 5)),
        gate=False,
    )
    return TableTrial(
        dims=question.dims,
        groups={},
        codes=codes,
        gave=gave,
        counts=not question.value,
        records=True,
        header=(),
        lines=(),
        owner=owner,
        demand=demand,
    )


def test_every_way_to_publish_and_every_rule_is_tried() -> None:
    assert sorted(PARAMETERS) == sorted(METHOD_NAMES)
    assert sorted(RULES) == sorted(CELL_RULES.builtin)
