"""Three populations and more, and sums: their differences must be protected, audited and certified like any cell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cli.tables import HOW, run

from sekisho.cli import status_of

# All, the adults, the adults at work. Every cell of each has 20 people or more, and so have the children; but of the
# adults of (x, p) all but 2 work.
PEOPLE = {
    "all.csv": "a,b,n\nx,p,65\nx,q,95\ny,p,90\ny,q,99\n",
    "adults.csv": "a,b,n\nx,p,42\nx,q,60\ny,p,61\ny,q,70\n",
    "work.csv": "a,b,n\nx,p,40\nx,q,30\ny,p,31\ny,q,25\n",
}
MONEY = ("--dims", "a,b", "--value", "v")
KNOWN = ("--contributors", "frequency,x1,x2,x3")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in PEOPLE.items():
        (tmp_path / name).write_text(text)
    rng = np.random.default_rng(7)
    rows = [(a, b, f"{a}{b}{firm}", int(rng.integers(20, 40))) for a in "xy" for b in "pqr" for firm in range(9)]
    # the large firm of (x, p) is abroad: beside the domestic firms it stands nearly alone
    rows = [(a, b, firm, 900 if firm == "xp0" else turnover) for a, b, firm, turnover in rows]
    firms = pl.DataFrame(rows, schema=["a", "b", "firm", "v"], orient="row")
    domestic = firms.filter(~pl.col("firm").str.ends_with("0") & ~pl.col("firm").str.ends_with("1"))
    for name, frame in (("firms.csv", firms), ("domestic.csv", domestic)):
        frame.write_csv(tmp_path / name)
    return tmp_path


def patterns_of(folder: Path, *names: str) -> list[object]:
    return [word for name in names for word in ("--pattern", folder / name)]


def test_a_chain_of_three_leaks_and_is_protected(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sources, out = [folder / name for name in PEOPLE], folder / "safe"
    for source in sources:
        done = run(capsys, "table", "suppress", source, *HOW, "--out", folder / f"p_{source.name}")
        assert done[1]["primary"] == 0
    apart = patterns_of(folder, *(f"p_{name}" for name in PEOPLE))
    status, answer = run(capsys, "table", "audit-difference", *sources, *apart, *HOW)
    assert (status, answer["differences"], answer["narrow"]) == (1, 1, 1)
    assert [(each["name"], each["unsafe"]) for each in answer["formed"]] == [
        ("all.csv - adults.csv", 0),
        ("adults.csv - work.csv", 1),
        ("all.csv - work.csv", 0),
    ]
    assert answer["cells"] == [
        {"population": "adults.csv - work.csv", "a": "x", "b": "p", "status": "primary", "low": 2, "high": 2}
    ]
    page = folder / "d.html"
    how = ("--out", out, "--public", folder / "public", "--report", page)
    status, answer = run(capsys, "table", "difference", *sources, *HOW, *how)
    assert (status, answer["status"], answer["differences"]) == (0, "optimal", 1)
    assert "promised_if" not in answer
    assert "Safe: whoever subtracts the tables" in page.read_text()
    assert run(capsys, "table", "verify", out / "difference.certificate.json")[1]["valid"] is True
    status, answer = run(capsys, "table", "audit-difference", *sources, *patterns_of(out, *PEOPLE), *HOW)
    assert (status, answer["narrow"], answer["disclosed"]) == (
        3,
        0,
        0,
    )  # status 3: who knows that cells are whole is not considered
    assert sorted(path.name for path in (folder / "public").iterdir()) == sorted(PEOPLE)


def test_parts_are_declared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "men.csv").write_text("a,b,n\nx,p,30\nx,q,50\ny,p,45\ny,q,49\n")
    (folder / "women.csv").write_text("a,b,n\nx,p,32\nx,q,40\ny,p,40\ny,q,45\n")
    sources = [folder / name for name in ("all.csv", "men.csv", "women.csv")]
    # men and women of known sex: beside them 3 are left at (x, p), 5 and more elsewhere
    how = ("table", "difference", *sources, *HOW, "--out", folder / "o")
    status, answer = run(capsys, *how, "--split", "all=men,women")
    assert (status, answer["differences"]) == (0, 1)
    assert [each["name"] for each in answer["formed"]] == [
        "all.csv - men.csv",
        "all.csv - women.csv",
        "all.csv - men.csv - women.csv",
    ]
    assert run(capsys, "table", "verify", folder / "o" / "difference.certificate.json")[1]["valid"] is True
    status, answer = run(capsys, *how, "--within", "men=all", "--within", "women=all.csv")
    assert (status, answer["differences"], len(answer["formed"])) == (0, 0, 2)
    for wrong, said in (
        (("--within", "men=all"), "say of every population but the first"),
        (("--within", "men"), "within must be written as PART=WHOLE"),
        (("--split", "all=men,moon"), "split must name files"),
        (("--split", "all=men,women", "--within", "men=women"), "agree with men.csv being a part of women.csv"),
        (("--within", "men=all", "--within", "men=women"), "name men.csv once as a part"),
        (("--split", "all=men,women", "--split", "all=men,women"), "be given once for all.csv"),
        (("--contributor", "firm"), "microdata must be said"),
        ((), "women.csv: "),  # a chain: more women than men at (x, p)
    ):
        status, answer = run(capsys, *how, *wrong)
        assert (status, said in str(answer)) == (2, True), (wrong, answer)


def test_sums_are_judged_exactly_by_records_and_on_the_safe_side_without(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [folder / name for name in ("firms.csv", "domestic.csv")]
    rule = ("--rule", "p%:15", "--min-count", "3")
    asked = ("--microdata", *MONEY, "--contributor", "firm", *rule)
    status, exact = run(capsys, "table", "difference", *records, *asked, "--out", folder / "exact")
    # Two firms of each cell are abroad, so that every inner difference has fewer than 3: 6 of them. A row of the
    # difference has 6 firms, but that of x is 900 and five of 20 to 39: what the second cannot account for of 15 % of
    # 900 = 135 is 4 times 20 to 39, at least 80. The seed gives which margins are too concentrated.
    frames = [pl.read_csv(path) for path in records]
    left = frames[0].join(frames[1], on=["a", "b", "firm", "v"], how="anti")
    expected = sum(_unsafe(left, keys) for keys in (("a", "b"), ("a",), ("b",), ()))
    assert (status, exact["differences"]) == (0, expected)
    assert "promised_if" not in exact
    verified = run(capsys, "table", "verify", folder / "exact" / "difference.certificate.json")[1]
    assert verified["valid"] is True
    assert _audit(capsys, records, folder / "exact", *asked)[0] == 3  # whole numbers are not considered

    cells = [folder / "cells" / path.name for path in records]
    cells[0].parent.mkdir()
    for path, cell in zip(records, cells, strict=True):
        assert run(capsys, "table", "tabulate", path, *MONEY, "--contributor", "firm", "--out", cell)[0] == 0
    how = (*MONEY, *KNOWN, *rule)
    page = folder / "d.html"
    status, bounded = run(capsys, "table", "difference", *cells, *how, "--out", folder / "bounds", "--report", page)
    assert status == 0
    assert bounded["differences"] >= expected
    assert "nobody contributes to a part and beside it" in bounded["promised_if"]
    assert "Promised if" in page.read_text()
    assert run(capsys, "table", "verify", folder / "bounds" / "difference.certificate.json")[1]["valid"] is True
    # what is safe by the bounds is safe by the records
    assert _audit(capsys, records, folder / "bounds", *asked)[0] == 3
    status, answer = _audit(capsys, cells, folder / "bounds", *how)
    assert (status, answer["narrow"]) == (3, 0)
    patterns = patterns_of(folder / "bounds", *(cell.name for cell in cells))
    assert status_of([*map(str, ("table", "audit-difference", *cells, *patterns, *how))]) == 3
    assert "promised if" in capsys.readouterr().out
    # protected one by one, the large firm abroad is a subtraction away
    for cell in cells:
        run(capsys, "table", "suppress", cell, *how, "--out", folder / f"alone_{cell.name}")
    alone = patterns_of(folder, "alone_firms.csv", "alone_domestic.csv")
    assert run(capsys, "table", "audit-difference", *records, *alone, *asked)[0] == 1


def _audit(
    capsys: pytest.CaptureFixture[str], sources: list[Path], out: Path, *how: str
) -> tuple[int, dict[str, object]]:
    return run(capsys, "table", "audit-difference", *sources, *patterns_of(out, *(path.name for path in sources)), *how)


def _unsafe(frame: pl.DataFrame, keys: tuple[str, ...]) -> int:
    """How many cells by these columns have fewer than 3 firms, or a largest that the second can tell to within 15 %."""
    groups = [rows for _, rows in frame.group_by(keys)] if keys else [frame]
    count = 0
    for rows in groups:
        amounts = sorted(rows.group_by("firm").agg(pl.sum("v"))["v"], reverse=True)
        count += len(amounts) < 3 or sum(amounts[2:]) < 0.15 * amounts[0]
    return count


def test_what_records_and_lists_contradict_is_refused_by_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    how = ("--microdata", *MONEY, "--contributor", "firm", "--rule", "p%:15", "--out", folder / "o")
    strange = pl.concat(
        [pl.read_csv(folder / "domestic.csv"), pl.DataFrame({"a": ["x"], "b": ["p"], "firm": ["new"], "v": [1]})]
    )
    strange.write_csv(folder / "strange.csv")
    status, answer = run(capsys, "table", "difference", folder / "firms.csv", folder / "strange.csv", *how)
    assert (status, answer["errors"][0]["row"], answer["errors"][0]["rule"]) == (2, strange.height, "part")
    # a part whose largest contributor is not among the whole's
    (folder / "w.csv").write_text("a,v,f,x1,x2\np,100,9,30,20\nq,80,8,20,20\n")
    (folder / "s.csv").write_text("a,v,f,x1,x2\np,60,5,29,10\nq,40,4,20,10\n")
    cells = ("--dims", "a", "--value", "v", "--contributors", "f,x1,x2", "--rule", "p%:15", "--out", folder / "o")
    status, answer = run(capsys, "table", "difference", folder / "w.csv", folder / "s.csv", *cells)
    assert status == 2
    assert "cell a=p has a contribution in a part that is not among the whole's" in str(answer)
    assert (
        run(capsys, "table", "difference", folder / "w.csv", folder / "s.csv", *cells[:6], "--out", folder / "o")[0]
        == 2
    )
    assert not (folder / "o").exists()
