"""A release of any program is audited by what is said of it, and people are rebuilt from tables: through the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.cli import tables


def run(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    return tables.run(capsys, "table", *words)


def write_grid(path: Path, values: list[int], rows: int, columns: int) -> list[tuple[str, str]]:
    """Write a table with its margins; return its keys: inner ones, then rows, columns and the total."""
    inner = list(product([f"r{i}" for i in range(rows)], [f"c{j}" for j in range(columns)]))
    order = [*inner, *((f"r{i}", "Total") for i in range(rows)), *(("Total", f"c{j}") for j in range(columns))]
    order.append(("Total", "Total"))
    cells = dict(zip(inner, values, strict=True))
    lines = [
        f"{a},{b},{sum(n for (x, y), n in cells.items() if a in (x, 'Total') and b in (y, 'Total'))}" for a, b in order
    ]
    path.write_text("\n".join(["a,b,n", *lines]) + "\n")
    return order


def read_ends(answer: dict[str, Any], order: list[tuple[str, str]]) -> tuple[list[float], list[float]]:
    cells = {(cell["a"], cell["b"]): cell for cell in answer["cells"]}
    return [cells[key]["low"] for key in order], [cells[key]["high"] for key in order]


def test_rounded_tables_of_the_data_by_what_is_known(
    shared: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shared("tables/beyond/rounding-attack.json").read_text("utf-8")
    for case in json.loads(text)["cases"]:
        order = write_grid(tmp_path / "t.csv", case["published_inner"], *case["shape"])
        for knows in ("rule", "least", "tie"):
            words = f"--dims a,b --count n --said round:{case['base']} --knows {knows}".split()
            status, answer = run(["audit", str(tmp_path / "t.csv"), *words], capsys)
            assert (status, answer["against"], answer["tables"]) == (0, [knows], case[knows]["tables"])
            assert read_ends(answer, order) == (case[knows]["low"], case[knows]["high"])


def test_cells_rounded_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,n\nx1,0\nx2,0\nx3,0\nx4,0\nx5,0\nTotal,6\n")
    how = ["audit", str(path), "--dims", "a", "--count", "n", "--said"]
    status, answer = run([*how, "nearest:3"], capsys)
    assert (status, answer["disclosed"], answer["tables"]) == (1, 6, 1)
    status, answer = run([*how, "round:3"], capsys)
    assert (status, answer["possible"], answer["disclosed"]) == (0, "yes", 0)
    path.write_text("a,n\nx1,0\nx2,0\nTotal,12\n")
    status, answer = run([*how, "round:3"], capsys)
    assert (status, answer["possible"]) == (1, "no")


def test_a_release_beside_its_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, out = tmp_path / "t.csv", tmp_path / "o.csv"
    write_grid(truth, [1, 4, 2, 7], 2, 2)
    write_grid(out, [0, 6, 3, 6], 2, 2)
    how = ["audit", str(truth), "--dims", "a,b", "--count", "n", "--released", str(out), "--said"]
    status, answer = run([*how, "round:3", "--min-count", "3", "--width", "2"], capsys)
    assert (status, answer["outside"], answer["narrow"]) == (0, 0, 0)
    status, answer = run([*how, "round:3", "--min-count", "3", "--width", "3"], capsys)
    assert (status, answer["narrow"]) == (1, 1)  # 1, shown as 0, is 0..2; 2, shown as 3, is 1..5
    status, answer = run([*how, "nearest:3"], capsys)
    assert (status, answer["outside"] > 0) == (1, True)


def test_intervals_and_chances_of_other_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, chances = tmp_path / "t.csv", tmp_path / "p.csv"
    path.write_text("a,low,high\nx,2,4\ny,1,2\nTotal,6,9\n")
    how = ["audit", str(path), "--dims", "a", "--count", "n", "--said"]
    status, answer = run([*how, "column"], capsys)
    ends = {cell["a"]: (cell["low"], cell["high"]) for cell in answer["cells"]}
    assert (status, ends) == (1, {"Total": (6, 6), "x": (4, 4), "y": (2, 2)})
    chances.write_text("i,j,p\n0,0,1\n1,0,0.25\n1,1,0.5\n1,2,0.25\n2,1,0.25\n2,2,0.5\n2,3,0.25\n")
    path.write_text("a,n\nx,2\ny,1\nTotal,4\n")
    status, answer = run([*how, f"noise:{chances}"], capsys)
    ends = {cell["a"]: (cell["low"], cell["high"]) for cell in answer["cells"]}
    # 2 is 1..3, 1 is 1..2, 4 is 3..5: with 1..2 for y, x is at least 1 and at most 3
    assert (status, ends) == (0, {"Total": (3, 5), "x": (1, 3), "y": (1, 2)})


@pytest.mark.parametrize("said", ["round", "round:x", "round:5,1,2", "small:5,1", "magic:3", "noise:"])
def test_what_nobody_says_is_refused(said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_grid(tmp_path / "t.csv", [0, 5, 5, 0], 2, 2)
    words = ["audit", str(tmp_path / "t.csv"), "--dims", "a,b", "--count", "n", "--said", said]
    assert run(words, capsys)[0] == 2


def test_knowledge_that_cannot_be_computed_is_not_claimed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_grid(tmp_path / "t.csv", [5 * (i % 7) for i in range(144)], 12, 12)
    words = ["audit", str(tmp_path / "t.csv"), "--dims", "a,b", "--count", "n", "--said", "round:5", "--time", "1"]
    assert run(words, capsys)[0] == 0
    assert run([*words, "--knows", "tie"], capsys)[0] == 2  # only a list of all tables could tell
    status, answer = run([*words, "--knows", "least"], capsys)
    assert (status, answer["against"]) == (3, ["least"])  # the time was too short: nothing is called safe
    assert 0 < answer["unsettled"] <= len(answer["cells"])
    assert "tables" not in answer


def test_people_are_rebuilt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two, truth = (tmp_path / name for name in ("one.csv", "two.csv", "truth.csv"))
    # one man of 20 and one woman of 30 by sex and age, two from here by place: nothing is open
    one.write_text("area,sex,age,n\nA,m,20,1\nA,m,30,0\nA,f,20,0\nA,f,30,1\nB,m,20,1\nB,m,30,0\nB,f,20,0\nB,f,30,1\n")
    two.write_text("area,home,n\nA,here,2\nA,far,0\nB,here,1\nB,far,1\n")
    truth.write_text("area,sex,age,home\nA,m,20,here\nA,f,30,here\nB,m,20,here\nB,f,30,far\n")
    words = ["reconstruct", str(one), str(two), "--dims", "sex,age,home", "--count", "n", "--block", "area"]
    status, answer = run([*words, "--microdata", str(truth), "--out", str(tmp_path / "w.csv")], capsys)
    first, second = answer["blocks"]
    assert (status, first["unique"], first["certain"], first["may_differ"]) == (1, True, 2, 0)
    # who of the two is from far is open: two solutions, no record certain, both may differ
    assert (second["solutions"], second["certain"], second["may_differ"], second["two_may_differ"]) == (2, 0, 2, 2)
    assert (answer["unique"], answer["open"]) == (1, 1)
    assert "far" in (tmp_path / "w.csv").read_text()
    one.write_text(one.read_text().replace(",1\n", ",3\n"))
    two.write_text(two.read_text().replace(",2\n", ",3\n").replace(",1\n", ",3\n"))
    status, answer = run([*words, "--said", "round:3"], capsys)
    assert (status, answer["unique"], answer["open"]) == (0, 0, 2)


def test_codes_of_trees_stand_for_what_is_below(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree, one, two = (tmp_path / name for name in ("tree.csv", "one.csv", "two.csv"))
    tree.write_text("node,parent\nyoung,all\nold,all\n10,young\n20,young\n70,old\n")
    one.write_text("age,n\n10,1\n20,0\n70,x\nall,3\n")
    two.write_text("sex,age,n\nm,young,1\nm,old,0\nf,young,0\nf,old,2\n")
    words = ["reconstruct", str(one), str(two), "--dims", "sex,age", "--count", "n", "--tree", f"age={tree}"]
    status, answer = run(words, capsys)
    assert (status, answer["unique"], answer["people"], answer["certain"]) == (1, True, 3, 3)


def test_margins_that_small_counts_do_not_make_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    how = ["audit", str(path), "--dims", "a", "--count", "n", "--said"]
    path.write_text("a,n\nx,0\ny,12\nTotal,12\n")
    status, answer = run([*how, "small:5"], capsys)
    assert (status, answer["disclosed"], answer["tables"]) == (0, 0, 5)  # x is 0 to 4; y and nothing else is exact
    # An exact total beside rounded counts gives x away, and an unread one beside a hidden count tells what it became:
    # what such a margin says must be told.
    for text in ("a,n\nx,0\ny,12\nTotal,14\n", "a,n\nx,*\ny,12\nTotal,17\n"):
        path.write_text(text)
        status, answer = run([*how, "small:5"], capsys)
        assert (status, "a=Total" in answer["error"]) == (2, True)
    path.write_text("a,low,high\nx,0,4\ny,12,12\nTotal,14,14\n")
    status, answer = run([*how, "column"], capsys)
    assert (status, answer["disclosed"]) == (1, 1)


def test_a_number_that_the_rule_does_not_show_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,n\nx,5\ny,10\nTotal,14\n")
    status, answer = run(["audit", str(path), "--dims", "a", "--count", "n", "--said", "round:5"], capsys)
    assert (status, "a=Total" in answer["error"], "14" in answer["error"]) == (2, True, True)


@pytest.mark.parametrize("rule", [["--min-count", "5"], ["--rule", "min:3"]])
def test_rules_without_true_values_are_refused(
    rule: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,n\nx,5\ny,10\nTotal,15\n")
    status, answer = run(["audit", str(path), "--dims", "a", "--count", "n", "--said", "round:5", *rule], capsys)
    assert (status, "--released" in answer["error"]) == (2, True)


def test_people_are_rebuilt_from_numbers_as_an_office_writes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_bytes('令和6年\n性別,人数\n男,"1,200"\n女,３\n'.encode("cp932"))
    two.write_bytes('令和6年\n年齢,人数\n若,0\n老,"1,203"\n'.encode("cp932"))
    words = ["reconstruct", str(one), str(two), "--dims", "性別,年齢", "--count", "人数"]
    status, answer = run(words, capsys)
    assert (status, answer["unique"], answer["certain"]) == (1, True, 1203)  # nobody is young, all others are known


def test_people_are_rebuilt_from_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("sex,low,high\nm,1,2\nf,0,1\n")
    two.write_text("age,low,high\nyoung,0,0\nold,3,3\n")
    words = ["reconstruct", str(one), str(two), "--dims", "sex,age", "--said", "column"]
    status, answer = run(words, capsys)
    assert (status, answer["unique"], answer["people"]) == (1, True, 3)  # three people: two men and a woman


def test_nodes_of_a_tree_are_the_inner_cells_of_a_file_that_has_nothing_below_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree, one = tmp_path / "tree.csv", tmp_path / "one.csv"
    tree.write_text("node,parent\nyoung,all\nold,all\n10,young\n20,young\n70,old\n")
    one.write_text("age,n\nyoung,3\nold,0\nall,3\n")
    words = ["reconstruct", str(one), "--dims", "age", "--tree", f"age={tree}", "--said"]
    status, answer = run([*words, "small:3"], capsys)
    # 3 says 1 to 3 people, 0 says 0 to 2: with two ages of the young, (2 + 3 + 4) times 3
    assert (status, answer["people"], answer["solutions"]) == (0, [1, 5], 27)


def test_a_record_that_no_table_has_is_told_without_its_other_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, truth = tmp_path / "one.csv", tmp_path / "truth.csv"
    one.write_text("sex,n\nm,1\nf,1\n")
    truth.write_text("name,sex\nTaro,m\nHanako,x\n")
    words = ["reconstruct", str(one), "--dims", "sex", "--microdata", str(truth)]
    status, answer = run(words, capsys)
    assert (status, "Hanako" in answer["error"], "row 2" in answer["error"]) == (2, False, True)


def test_a_cell_that_stands_twice_names_its_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = tmp_path / "one.csv"
    one.write_text("area,sex,n\nA,m,1\nB,m,1\n")
    status, answer = run(["reconstruct", str(one), "--dims", "sex"], capsys)
    assert (status, "row 2" in answer["error"], "--block" in answer["error"]) == (2, True, True)
