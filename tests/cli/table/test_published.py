"""A published table tells an outsider what he can make of it: so it tells its holder, without the true values."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.cli.tables import HOW, TABLE, run
from tests.laws import try_examples

from sekisho.cli import status_of

KEYS = list(product(("r1", "r2"), ("c1", "c2", "c3")))
PLAIN = [
    word
    for a, codes in (("a", ("r1", "r2")), ("b", ("c1", "c2", "c3")))
    for c in codes
    for word in ("--category", f"{a}={c}")
]


def write_table(path: Path, values: list[int], hidden: set[tuple[str, str]], *, mark: str = "x") -> Path:
    totals: dict[tuple[str, str], int] = {}
    for (a, b), n in zip(KEYS, values, strict=True):
        for key in product((a, "Total"), (b, "Total")):
            totals[key] = totals.get(key, 0) + n
    lines = [f"{a},{b},{mark if (a, b) in hidden else n}" for (a, b), n in totals.items()]
    path.write_text("\n".join(["a,b,n", *lines]) + "\n")
    return path


def intervals(answer: dict[str, Any]) -> dict[tuple[str, str], tuple[int, int]]:
    return {(cell["a"], cell["b"]): (cell["low"], cell["high"]) for cell in answer["cells"]}


@try_examples(25, share_fixtures=True)
@given(values=st.lists(st.integers(0, 3), min_size=6, max_size=6), hidden=st.sets(st.integers(0, 5), min_size=1))
@example(values=[1, 2, 3, 1, 0, 2], hidden={0})
def test_intervals_are_those_of_all_tables_that_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], values: list[int], hidden: set[int]
) -> None:
    source = write_table(tmp_path / "t.csv", values, {KEYS[at] for at in hidden})
    status, answer = run(capsys, "table", "audit", source, *HOW, *PLAIN)
    most = [min(sum(values[at // 3 * 3 : at // 3 * 3 + 3]), values[at % 3] + values[at % 3 + 3]) for at in range(6)]
    ranges = [range(most[at] + 1) if at in hidden else (values[at],) for at in range(6)]
    fitting = [
        table
        for table in product(*ranges)
        if all(sum(table[r * 3 : r * 3 + 3]) == sum(values[r * 3 : r * 3 + 3]) for r in (0, 1))
        and all(table[c] + table[c + 3] == values[c] + values[c + 3] for c in (0, 1, 2))
    ]
    expected = {KEYS[at]: (min(t[at] for t in fitting), max(t[at] for t in fitting)) for at in hidden}
    known = sum(low == high for low, high in expected.values())
    assert intervals(answer) == expected
    assert (answer["disclosed"], status) == (known, 1 if known else 0)
    assert {cell["status"] for cell in answer["cells"]} == {"suppressed"}


def test_what_suppress_publishes_is_audited_alike_with_and_without_the_truth(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out, public = (tmp_path / name for name in ("t.csv", "p.csv", "public.csv"))
    source.write_text(TABLE)
    assert run(capsys, "table", "suppress", source, *HOW, "--out", out, "--public", public)[0] == 0
    true = run(capsys, "table", "audit", source, "--pattern", out, *HOW)[1]
    status, seen = run(capsys, "table", "audit", public, *HOW)
    assert (status, intervals(seen), seen["published"]) == (0, intervals(true), True)
    # the pattern itself tells which cells are unsafe, and these need their width
    status, told = run(capsys, "table", "audit", out, *HOW)
    assert (status, intervals(told)) == (0, intervals(true))
    assert {cell["status"] for cell in told["cells"]} == {"primary", "secondary"}
    assert run(capsys, "table", "audit", out, *HOW, "--width", "1000")[0] == 1
    narrowest = min(high - low for low, high in intervals(seen).values())
    assert run(capsys, "table", "audit", public, *HOW, "--width", narrowest)[0] == 0
    assert run(capsys, "table", "audit", public, *HOW, "--width", narrowest + 1)[0] == 1


def test_hidden_margins_and_margins_that_are_not_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "t.csv"
    source.write_text("a,n\nx,x\ny,7\nz,9\nTotal,x\n")
    status, answer = run(capsys, "table", "audit", source, "--dims", "a", "--count", "n")
    assert (status, answer["disclosed"]) == (0, 0)
    assert {(cell["a"], cell["low"], cell["high"]) for cell in answer["cells"]} == {("x", 0, None), ("Total", 16, None)}
    # no margins at all: nothing can be computed
    source.write_text("a,n\nx,***\ny,7\nz,9\n")
    status, answer = run(capsys, "table", "audit", source, "--dims", "a", "--count", "n")
    assert (status, answer["cells"]) == (3, [{"a": "x", "status": "suppressed", "low": 0, "high": None}])


def test_sums_with_decimals_are_exact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "t.csv"
    source.write_text("a,v\nx,c\ny,0.1\nz,0.2\nTotal,6.88\n")
    status, answer = run(capsys, "table", "audit", source, "--dims", "a", "--value", "v")
    assert (status, answer["cells"][0]["low"]) == (1, pytest.approx(6.58, abs=1e-9))


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("a,n\nx,x\ny,-\nz,9\nTotal,20\n", (), "mark must be given, for several texts"),
        ("a,n\nx,-\ny,7\nz,9\nTotal,20\n", (), "mark must be 1 to 8 letters"),
        ("a,n\nx,x\ny,7\nz,9\nTotal,12\n", (), "no values of the hidden cells add up to what is shown"),
        ("a,b,n\nx,p,x\nx,q,7\ny,p,9\nTotal,p,20\nTotal,q,9\n", (), "the cell y, q is missing: it may be 0 or hidden"),
        ("a,n\nx,x\ny,7\nz,9\nTotal,20\n", ("--min-count", "5"), "rule must not be given with a published table"),
        ("a,n\nx,x\ny,7\nz,9\nTotal,20\n", ("--insiders", "1"), "insiders must not be given with a published table"),
        ("a,n\nx,x\ny,7\nz,9\nTotal,20\n", ("--explain",), "report must not be asked of a published table"),
        ("a,n,ub\nx,x,3\ny,7,\nz,9,\nTotal,20,\n", (), "no values of the hidden cells add up to what is shown"),
    ],
)
def test_what_cannot_be_audited_is_refused(
    text: str, words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "t.csv"
    source.write_text(text)
    dims = "a,b" if text.startswith("a,b") else "a"
    status, answer = run(capsys, "table", "audit", source, "--dims", dims, "--count", "n", *words)
    assert (status, message in answer["error"]) == (2, True)


def test_a_mark_that_is_told_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "t.csv"
    source.write_text("a,n\nx,-\ny,7\nz,9\nTotal,20\n")
    words = ["table", "audit", str(source), "--dims", "a", "--count", "n", "--mark", "-"]
    assert status_of(words) == 1
    told = capsys.readouterr()
    assert "disclosed: a=x lies in [4, 4]" in told.out
    assert "a published table, in which '-' stands for 1 hidden cells" in told.err
    source.write_text("a,n,status\nx,4,primary\ny,7,secondary\nz,9,safe\nTotal,20,safe\n")
    assert status_of(words) == 2  # nothing is hidden there
