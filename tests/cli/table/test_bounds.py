"""What everybody knows of a cell beforehand must count wherever a pattern is made or judged: it narrows every interval."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.cli.tables import run
from tests.laws import try_examples

# Minami, "Optimisation of cell suppression": x11 + x13 = 48, x21 + x23 = 78, x11 + x21 = 58, x13 + x23 = 68: x23 (48
# here) ranges over [20, 68] unless more is known of it.
CELLS = {("r1", "c1"): 28, ("r1", "c2"): 30, ("r1", "c3"): 20, ("r2", "c1"): 30, ("r2", "c2"): 16, ("r2", "c3"): 48}
HIDDEN = {("r1", "c1"), ("r1", "c3"), ("r2", "c1"), ("r2", "c3")}
HOW = ("--dims", "a,b", "--count", "n")
Known = dict[tuple[str, str], tuple[int | str, int | str]]


def write_cells(path: Path, known: Known, names: tuple[str, str] = ("lower_bound", "upper_bound")) -> Path:
    lines = [
        f"{a},{b},{n},{known.get((a, b), ('', ''))[0]},{known.get((a, b), ('', ''))[1]}" for (a, b), n in CELLS.items()
    ]
    path.write_text("\n".join([f"a,b,n,{names[0]},{names[1]}", *lines]) + "\n")
    return path


def write_pattern(path: Path, cells: dict[tuple[str, str], int], hidden: set[tuple[str, str]]) -> Path:
    totals: dict[tuple[str, str], int] = {}
    for (a, b), n in cells.items():
        for key in product((a, "Total"), (b, "Total")):
            totals[key] = totals.get(key, 0) + n
    lines = [
        f"{a},{b},{'' if (a, b) in hidden else n},{'primary' if (a, b) in hidden else 'safe'}"
        for (a, b), n in totals.items()
    ]
    path.write_text("\n".join(["a,b,n,status", *lines]) + "\n")
    return path


def intervals(answer: dict[str, Any]) -> dict[tuple[str, str], tuple[int, int]]:
    return {(cell["a"], cell["b"]): (cell["low"], cell["high"]) for cell in answer["cells"]}


@pytest.mark.parametrize(
    "names",
    [("lower_bound", "upper_bound"), ("lb", "ub"), ("LB", "UB"), ("Lower Bound", "Upper-Bound"), ("下限", "上限")],
)
def test_known_bounds_narrow_the_interval(
    names: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_cells(tmp_path / "t.csv", {("r2", "c3"): (45, 52)}, names)
    pattern = write_pattern(tmp_path / "p.csv", CELLS, HIDDEN)
    status, answer = run(capsys, "table", "audit", source, "--pattern", pattern, *HOW)
    assert intervals(answer)["r2", "c3"] == (45, 52)
    assert (status, answer["narrow"]) == (1, 4)  # 7 wide, where 10 is asked; the others move with it
    plain = write_cells(tmp_path / "t.csv", {})
    assert run(capsys, "table", "audit", plain, "--pattern", pattern, *HOW)[0] == 0


def test_suppress_protects_against_what_is_known_or_says_that_it_cannot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "p.csv"
    small = dict(CELLS)
    small["r2", "c3"] = 3
    lines = [f"{a},{b},{n},{'0' if n == 3 else ''},{'8' if n == 3 else ''}" for (a, b), n in small.items()]
    source = tmp_path / "t.csv"
    source.write_text("\n".join(["a,b,n,lower_bound,upper_bound", *lines]) + "\n")
    status, answer = run(capsys, "table", "suppress", source, *HOW, "--out", out)
    assert (status, answer["status"]) == (1, "infeasible")
    source.write_text(source.read_text().replace(",0,8", ",0,14"))
    status, answer = run(capsys, "table", "suppress", source, *HOW, "--out", out)
    assert (status, answer["certified"]) == (0, answer["cost"])
    status, answer = run(capsys, "table", "audit", source, "--pattern", out, *HOW)
    assert (status, intervals(answer)["r2", "c3"]) == (0, (0, 14))
    # a neighbour of which everybody knows all but 2 protects nothing
    tight = source.read_text().replace("r2,c1,30,,", "r2,c1,30,29,31").replace("r1,c3,20,,", "r1,c3,20,19,21")
    source.write_text(tight)
    status, answer = run(capsys, "table", "suppress", source, *HOW, "--out", out)
    assert status == 0
    assert run(capsys, "table", "audit", source, "--pattern", out, *HOW)[0] == 0


@pytest.mark.parametrize(
    ("known", "names", "message"),
    [
        ({("r1", "c1"): (30, 40)}, ("lower_bound", "upper_bound"), "a=r1, b=c1 has a value outside its bounds"),
        ({("r1", "c1"): ("abc", "")}, ("lower_bound", "upper_bound"), "'abc' is no number"),
        ({("r1", "c1"): (1, 2)}, ("lower_bound", "lb"), "two columns of lower bounds, lower_bound and lb"),
    ],
)
def test_bounds_that_cannot_be_used_are_refused(
    known: Known, names: tuple[str, str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_cells(tmp_path / "t.csv", known, names)
    pattern = write_pattern(tmp_path / "p.csv", CELLS, HIDDEN)
    for asked in (("audit", source, "--pattern", pattern), ("suppress", source, "--out", tmp_path / "o.csv")):
        status, answer = run(capsys, "table", *asked, *HOW)
        assert (status, message in answer["error"]) == (2, True)


def test_bounds_of_a_pattern_count_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_cells(tmp_path / "t.csv", {})
    pattern = write_pattern(tmp_path / "p.csv", CELLS, HIDDEN)
    lines = pattern.read_text().split()
    told = [f"{lines[0]},lb,ub", *(f"{line},{'45,52' if line.startswith('r2,c3') else ','}" for line in lines[1:])]
    pattern.write_text("\n".join(told) + "\n")
    status, answer = run(capsys, "table", "audit", source, "--pattern", pattern, *HOW)
    assert (status, intervals(answer)["r2", "c3"]) == (1, (45, 52))


@try_examples(25, share_fixtures=True)
@given(
    values=st.lists(st.integers(0, 3), min_size=6, max_size=6),
    room=st.lists(st.tuples(st.integers(0, 3) | st.none(), st.integers(0, 3) | st.none()), min_size=6, max_size=6),
    hidden=st.sets(st.integers(0, 5), min_size=2),
)
def test_intervals_are_those_of_all_tables_that_fit(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    values: list[int],
    room: list[tuple[int | None, int | None]],
    hidden: set[int],
) -> None:
    keys: list[tuple[str, str]] = list(CELLS)
    cells = dict(zip(keys, values, strict=True))
    known = [
        (0 if down is None else max(0, v - down), None if up is None else v + up)
        for v, (down, up) in zip(values, room, strict=True)
    ]
    lines = [
        f"{a},{b},{v},{'' if down is None else v - down},{'' if up is None else v + up}"
        for (a, b), v, (down, up) in zip(keys, values, room, strict=True)
    ]
    source, secret = tmp_path / "t.csv", {keys[at] for at in hidden}
    source.write_text("\n".join(["a,b,n,lower_bound,upper_bound", *lines]) + "\n")
    pattern = write_pattern(tmp_path / "p.csv", cells, secret)
    categories = [
        word
        for a, codes in (("a", ("r1", "r2")), ("b", ("c1", "c2", "c3")))
        for code in codes
        for word in ("--category", f"{a}={code}")
    ]
    status, answer = run(capsys, "table", "audit", source, "--pattern", pattern, *HOW, *categories)
    assume(status != 2)
    most = [min(sum(values[at // 3 * 3 : at // 3 * 3 + 3]), values[at % 3] + values[at % 3 + 3]) for at in range(6)]
    ranges = [
        range(low, (most[at] if high is None else min(most[at], high)) + 1) if at in hidden else (values[at],)
        for at, (low, high) in enumerate(known)
    ]
    fitting = [
        table
        for table in product(*ranges)
        if all(sum(table[r * 3 : r * 3 + 3]) == sum(values[r * 3 : r * 3 + 3]) for r in (0, 1))
        and all(table[c] + table[c + 3] == values[c] + values[c + 3] for c in (0, 1, 2))
    ]
    expected = {keys[at]: (min(t[at] for t in fitting), max(t[at] for t in fitting)) for at in hidden}
    assert intervals(answer) == expected
    assert answer["disclosed"] == sum(low == high for low, high in expected.values())


RECIPE = """shape = "table"
original = "t.csv"
dims = ["a", "b"]
count = "n"
release = "p.csv"
"""


def test_the_gate_uses_what_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = tmp_path / "r.toml"
    recipe.write_text(RECIPE)
    small = {**CELLS, ("r2", "c3"): 3}
    write_pattern(tmp_path / "p.csv", small, HIDDEN)
    lines = [f"{a},{b},{n},{',8' if n == 3 else ','}" for (a, b), n in small.items()]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,n,lower_bound,upper_bound", *lines]) + "\n")
    status, answer = run(capsys, "gate", recipe, "--out", tmp_path / "tight")
    assert (status, answer["verdict"]) == (1, "refuse")
    (tmp_path / "t.csv").write_text("\n".join(["a,b,n,lower_bound,upper_bound", *lines]).replace(",8", ",") + "\n")
    assert run(capsys, "gate", recipe, "--out", tmp_path / "free")[1]["verdict"] != "refuse"


def test_linked_tables_use_what_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pattern = write_pattern(tmp_path / "p.csv", CELLS, HIDDEN)
    source = write_cells(tmp_path / "t.csv", {("r2", "c3"): (45, 52)})
    (tmp_path / "other.csv").write_text("a,c,n\nr1,u,40\nr1,v,38\nr2,u,60\nr2,v,34\n")
    plain = {("r1", "u"): 40, ("r1", "v"): 38, ("r2", "u"): 60, ("r2", "v"): 34}
    other = write_pattern(tmp_path / "q.csv", plain, set())
    other.write_text(other.read_text().replace("a,b,n", "a,c,n"))
    words = ("--pattern", pattern, "--pattern", other, "--dims", "a,b,c", "--count", "n", "--width", "10")
    status, answer = run(capsys, "table", "audit-linked", source, tmp_path / "other.csv", *words)
    assert (status, answer["narrow"]) == (1, 4)
