"""Margins are margins under any name: every command protects the same cells, and writes the name that its input
used."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest
from tests.cli.tables import run

from sekisho.cli import status_of

NAMES = ("総数", "TOTAL", "計", "All")
HOW = ("--dims", "r,c", "--count", "n")
INNER = {("E", "a"): 2, ("E", "b"): 40, ("W", "a"): 30, ("W", "b"): 50}


def cells(total: str, *, less: int = 0) -> str:
    """E: a 2, b 40, total 42; W: 30, 50, 80; total: 32, 90, 122.

    Of a part of the population: less in each cell, not below 0.
    """
    inner = {key: max(0, n - less) for key, n in INNER.items()}
    lines = [
        f"{r},{c},{sum(n for key, n in inner.items() if r in (key[0], total) and c in (key[1], total))}"
        for r in ("E", "W", total)
        for c in ("a", "b", total)
    ]
    return "\n".join(["r,c,n", *lines]) + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in (*NAMES, "Total", "Gesamt"):
        (tmp_path / f"{name}.csv").write_text(cells(name))
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_the_hidden_cell_is_no_subtraction_away(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, answer = run(capsys, "table", "suppress", f"{name}.csv", *HOW, "--out", "p.csv")
    # (E, a) = 2 is unsafe. Hidden alone it is 42 - 40; a rectangle of four cells is the least that hides it.
    assert (status, answer["cells"], answer["primary"], answer["secondary"]) == (0, 9, 1, 3)
    frame = pl.read_csv(folder / "p.csv")
    hidden = set(frame.filter(pl.col("n").is_null()).select("r", "c").iter_rows())
    assert ("E", "a") in hidden
    for axis in (0, 1):
        lines = [[key for key in hidden if key[axis] == code] for code in {key[axis] for key in hidden}]
        assert all(len(line) == 2 for line in lines)
    assert set(frame["r"]) == {"E", "W", name}
    assert run(capsys, "table", "verify", "p.csv.certificate.json")[1]["valid"] is True
    status, answer = run(capsys, "table", "audit", f"{name}.csv", *HOW, "--pattern", "p.csv", "--min-count", "5")
    assert (status, answer["disclosed"], answer["narrow"], answer["shown"]) == (0, 0, 0, [])

    # Hidden alone, as where the margins are one more category and only (E, a) and cells of added margins are hidden.
    head, *rows = cells(name).split()
    shown = [f"{row},safe" if row != "E,a,2" else "E,a,,primary" for row in rows]
    (folder / "old.csv").write_text("\n".join([f"{head},status", *shown]) + "\n")
    status, answer = run(capsys, "table", "audit", f"{name}.csv", *HOW, "--pattern", "old.csv", "--min-count", "5")
    assert (status, answer["disclosed"]) == (1, 1)
    assert answer["cells"] == [{"r": "E", "c": "a", "status": "primary", "low": 2, "high": 2}]


@pytest.mark.usefixtures("folder")
def test_a_name_that_is_recognised_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["table", "suppress", "総数.csv", *HOW, "--out", "p.csv"]) == 0
    assert (
        "総数.csv: 総数 is read as the margin of r; if it is a category, say --category r=総数"
        in capsys.readouterr().err
    )
    for quiet in (["Total.csv"], ["総数.csv", "--total", "総数"]):
        assert status_of(["table", "suppress", *quiet, *HOW, "--out", "p.csv"]) == 0
        assert "is read as the margin" not in capsys.readouterr().err


def test_an_unusual_name_is_refused_and_one_option_settles_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.iterdir())
    assert status_of(["table", "suppress", "Gesamt.csv", *HOW, "--out", "p.csv"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    for word in ("Gesamt.csv", "'Gesamt' of r", "--total r=Gesamt", "--category r=Gesamt", "--total c=Gesamt"):
        assert word in said.err
    status, answer = run(capsys, "table", "suppress", "Gesamt.csv", *HOW, "--out", "p.csv")
    assert status == 2
    assert {(error["column"], error["rule"], error["value"]) for error in answer["errors"]} == {
        ("r", "margin", "Gesamt"),
        ("c", "margin", "Gesamt"),
    }
    assert sorted(folder.iterdir()) == before
    for words in (["--total", "Gesamt"], ["--total", "r=Gesamt", "--total", "c=Gesamt"]):
        status, answer = run(capsys, "table", "suppress", "Gesamt.csv", *HOW, *words, "--out", "p.csv")
        assert (status, answer["cells"], answer["secondary"]) == (0, 9, 3)
        made = json.loads((folder / "p.csv.certificate.json").read_text())["provenance"]["parameters"]
        assert made["total"] == words[1::2]
    words = ["--category", "r=Gesamt", "--category", "c=Gesamt"]
    assert run(capsys, "table", "suppress", "Gesamt.csv", *HOW, *words, "--out", "p.csv")[1]["cells"] == 16


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "words",
    [
        ("--total", "q=Gesamt"),
        ("--category", "q=Gesamt"),
        ("--category", "Gesamt"),
        ("--total", "Gesamt", "--total", "All"),
        ("--total", "r=Gesamt", "--total", "r=All"),
        ("--total", "r=Gesamt", "--category", "r=Gesamt"),
    ],
)
def test_options_that_make_no_sense_are_refused(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "table", "suppress", "Gesamt.csv", *HOW, *words, "--out", "p.csv")[0] == 2
    links = ("table", "link", "Gesamt.csv", "Total.csv")
    assert run(capsys, *links, *HOW, *words, "--out", "patterns")[0] == 2


def test_a_jj_file_has_no_margins_to_be_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "table", "convert", "総数.csv", "t.jj", *HOW)[0] == 0
    assert run(capsys, "table", "suppress", "t.jj", "--total", "総数", "--out", str(folder / "p.csv"))[0] == 2


def told(file: str, text: str, name: str) -> str:
    """A file without what differs between runs (seconds, and what it was made of); the margin called Total."""
    if file.endswith(".json"):
        held = json.loads(text)
        text = json.dumps(
            {key: held[key] for key in held if key not in ("provenance", "digest", "files")}, ensure_ascii=False
        )
    text = re.sub(r'<section class="origin">.*?</section>', "", text, flags=re.DOTALL)
    text = re.sub(r">秒</span></dt><dd>[0-9.]+", "SECONDS", text)
    return re.sub(r"[0-9.,]+ ?(seconds|秒|s\b)", "SECONDS", text).replace(name, "Total")


RUNS: dict[str, tuple[str, ...]] = {
    "suppress": ("suppress", "t.csv", *HOW, "--out", "out/p.csv", "--report", "out/page.html", "--explain"),
    "link": ("link", "t.csv", "u.csv", *HOW, "--out", "out", "--report", "out/page.html", "--explain"),
    "difference": ("difference", "t.csv", "s.csv", *HOW, "--out", "out", "--report", "out/page.html", "--explain"),
    "tab": ("convert", "t.csv", "out/t.tab", *HOW),
    "csv": ("convert", "t.csv", "out/t2.csv", *HOW),
    "audit": ("audit", "t.csv", *HOW, "--pattern", "p.csv", "--report", "out/page.html", "--explain"),
    "audit-linked": ("audit-linked", "t.csv", "u.csv", *HOW, "--pattern", "p.csv", "--pattern", "p.csv", "--explain"),
    "audit-difference": (
        "audit-difference",
        "t.csv",
        "s.csv",
        *HOW,
        "--pattern",
        "p.csv",
        "--pattern",
        "q.csv",
        "--explain",
    ),
    "frozen": ("suppress", "t.csv", *HOW, "--frozen", "p.csv", "--out", "out/p.csv"),
    "from tab": ("convert", "t.tab", "out/t3.csv"),
    "to hst": ("convert", "t.csv", "out/t.hst", *HOW, "--pattern", "p.csv"),
    "tabulate": ("tabulate", "micro.csv", "--dims", "r,c", "--total", "NAME", "--out", "out/cells.csv"),
    "microdata": ("suppress", "micro.csv", "--microdata", "--dims", "r,c", "--total", "NAME", "--out", "out/p.csv"),
}


def outputs(which: str, name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """All that a command writes and answers, on files whose margins have a name."""
    home = folder / f"run {len(list(folder.iterdir()))}"
    (home / "out").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        for file, less in (("t", 0), ("u", 0), ("s", 7)):
            Path(f"{file}.csv").write_text(cells(name, less=less))
        Path("micro.csv").write_text("r,c\n" + "".join(f"{r},{c}\n" * n for (r, c), n in INNER.items()))
        extra = () if name in (*NAMES, "Total") else ("--total", name)
        for file, out in (("t.csv", "p.csv"), ("s.csv", "q.csv")):
            assert run(capsys, "table", "suppress", file, *HOW, *extra, "--out", out)[0] == 0
        assert run(capsys, "table", "convert", "t.csv", "t.tab", *HOW, *extra)[0] == 0
        words = [name if word == "NAME" else word for word in RUNS[which]]
        more = () if "NAME" in RUNS[which] or which == "from tab" else extra
        status, answer = run(capsys, "table", *words, *more)
        assert status in (0, 1, 3)
        files = {path.name: path.read_text() for path in sorted(Path("out").iterdir())}
    answer.pop("seconds", None)
    return {"status": str(status), "answer": json.dumps(answer, ensure_ascii=False), **files}


@pytest.mark.parametrize("which", RUNS)
def test_another_name_changes_nothing_but_names(which: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    usual = {file: told(file, text, "Total") for file, text in outputs(which, "Total", folder, capsys).items()}
    for name in ("総数", "Gesamt"):
        other = outputs(which, name, folder, capsys)
        assert {file: told(file, text, name) for file, text in other.items()} == usual
        everything = "".join(other.values())
        assert name in everything
        assert "Total" not in everything


def test_patterns_of_linked_tables_keep_their_own_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _ = run(capsys, "table", "link", "総数.csv", "All.csv", *HOW, "--out", "out")
    assert status == 0
    assert {name: set(pl.read_csv(folder / "out" / f"{name}.csv")["c"]) for name in ("総数", "All")} == {
        "総数": {"a", "b", "総数"},
        "All": {"a", "b", "All"},
    }
    patterns = ("--pattern", "out/総数.csv", "--pattern", "out/All.csv")
    status, answer = run(capsys, "table", "audit-linked", "総数.csv", "All.csv", *HOW, *patterns)
    assert (status, answer["suppressed"]) == (3, 4)  # status 3: who knows that cells are whole is not considered


def test_microdata_must_not_hold_the_margin_s_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "firms.csv").write_text("firm,kind\n" + "Total,x\nShell,x\nShell,y\n" * 9)
    dims = ("--dims", "firm,kind")
    for command in (("tabulate", "firms.csv", *dims), ("suppress", "firms.csv", "--microdata", *dims)):
        assert status_of(["table", *command, "--out", "p.csv"]) == 2
        said = capsys.readouterr().err
        assert "'Total' of firm" in said
        assert "--total firm=" in said
        assert not (folder / "p.csv").exists()
    assert (
        run(capsys, "table", "tabulate", "firms.csv", *dims, "--total", "firm=All", "--out", "p.csv")[0] == 3
    )  # firms by name
    assert set(pl.read_csv(folder / "p.csv")["firm"]) == {"All", "Shell", "Total"}
    # The file of cells says both names: which one is the margin must be told again.
    again = ("table", "suppress", "p.csv", *dims, "--count", "n", "--out", "q.csv")
    assert run(capsys, *again)[0] == 2
    assert run(capsys, *again, "--total", "firm=All")[0] == 0


def test_a_tab_file_s_margins_are_told_likewise(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "table", "convert", "総数.csv", "t.tab", *HOW)[0] == 0
    rda = (folder / "t.rda").read_text()
    for code, heard in (("総数", False), ("Total", True)):
        (folder / "t.rda").write_text(rda.replace("総数", code))
        assert status_of(["table", "suppress", "t.tab", "--min-count", "5", "--out", "p.csv"]) == 0
        assert ("t.tab: 総数 is read as the margin of r" in capsys.readouterr().err) is heard
    table = (folder / "t.tab").read_text()
    (folder / "t.tab").write_text(table.replace("総数", "Gesamt"))
    assert run(capsys, "table", "suppress", "t.tab", "--min-count", "5", "--out", "p.csv")[0] == 2
    answer = run(capsys, "table", "suppress", "t.tab", "--min-count", "5", "--total", "Gesamt", "--out", "p.csv")
    assert (answer[0], answer[1]["cells"]) == (0, 9)
