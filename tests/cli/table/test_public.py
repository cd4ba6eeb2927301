"""``--public`` must write what may be published, for one table and for several, and nothing before all is made."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.cli.tables import HOW, TABLE, run

ADULTS = "a,b,n\nx,p,2\nx,q,20\nx,r,20\ny,p,10\ny,q,9\ny,r,7\nz,p,8\nz,q,6\nz,r,5\n"
AGES = "a,c,n\nx,k,31\nx,l,29\ny,k,3\ny,l,47\nz,k,20\nz,l,20\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("t.csv", TABLE), ("s.csv", ADULTS), ("ages.csv", AGES)):
        (tmp_path / name).write_text(text)
    return tmp_path


def same_cells(pattern: Path, public: Path, mark: str = "x") -> None:
    """A public table shows what its pattern shows and has the mark everywhere else, and no further column."""
    one, two = pl.read_csv(pattern, infer_schema=False), pl.read_csv(public, infer_schema=False)
    assert two.columns == [name for name in one.columns if name != "status"]
    assert two.drop("n").rows() == one.drop("n", "status").rows()
    assert two["n"].to_list() == [mark if hidden is None else hidden for hidden in one["n"]]
    assert mark in two["n"]


def test_a_suppressed_table_is_published(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    how = ("table", "suppress", folder / "t.csv", *HOW, "--out", folder / "p.csv", "--public")
    status, answer = run(capsys, *how, folder / "public.csv")
    assert (status, answer["public"]) == (0, str(folder / "public.csv"))
    same_cells(folder / "p.csv", folder / "public.csv")
    assert run(capsys, *how, folder / "public.parquet", "--mark", "秘匿")[0] == 0
    table = pl.read_parquet(folder / "public.parquet")
    assert (table.height, table["n"].to_list().count("秘匿")) == (16, 4)


@pytest.mark.parametrize(
    ("command", "sources"), [("link", ("t.csv", "ages.csv")), ("difference", ("t.csv", "s.csv"))], ids=str
)
def test_several_tables_are_published_in_a_folder(
    command: str, sources: tuple[str, str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dims = "a,b,c" if command == "link" else "a,b"
    how = ("--dims", dims, "--count", "n", "--out", folder / "patterns", "--public", folder / "deep" / "public")
    status, answer = run(capsys, "table", command, *(folder / name for name in sources), *how, "--mark", "***")
    assert status == 0
    assert [one["public"] for one in answer["tables"]] == [str(folder / "deep" / "public" / name) for name in sources]
    for name in sources:
        if pl.read_csv(folder / "patterns" / name)["n"].null_count():
            same_cells(folder / "patterns" / name, folder / "deep" / "public" / name, "***")


def test_what_cannot_be_published_is_refused_before_the_work(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.iterdir())
    how = ("table", "suppress", folder / "t.csv", *HOW, "--out", folder / "p.csv")
    for wrong, said in (
        (("--public", folder / "q.csv", "--mark", "0"), "mark must be 1 to 8 letters"),
        (("--mark", "x"), "mark must be given with --public"),
        (("--public", folder / "t.csv"), "is an input"),
        (("--public", folder / "p.csv"), "is where --out is written"),
    ):
        status, answer = run(capsys, *how, *wrong)
        assert (status, said in str(answer)) == (2, True)
    pair = ("table", "difference", folder / "t.csv", folder / "s.csv", *HOW, "--out", folder / "o")
    assert run(capsys, *pair, "--public", folder / "o")[0] == 2
    assert sorted(folder.iterdir()) == before
